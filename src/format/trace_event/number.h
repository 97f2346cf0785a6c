/* format/trace_event/number.h - exact decimals: no double ever sees a time or an id.
 *
 * Accepted besides JSON's numbers: a plus sign, leading zeros, `1.` and `.5`; NUMBER_ODD says so. */
#ifndef FORMAT_TRACE_EVENT_NUMBER_H
#define FORMAT_TRACE_EVENT_NUMBER_H
#include "base/arena.h"

typedef enum {
    NUMBER_OK,
    NUMBER_ODD, /* read, but not as JSON writes it */
    NUMBER_OUT_OF_RANGE,
    NUMBER_INVALID /* no number */
} NumberResult;

/* A time in units of picoseconds: ns * 1000 + ps, with 0 <= ps < 1000. A time below that is rounded to the nearest
 * picosecond, halves away from zero: binary noise of writers that print doubles reaches down there. */
typedef struct FineTime {
    int64_t ns;
    int32_t ps;
} FineTime;

/* Microseconds as decimal text, to a time. */
NumberResult number_micros(const uint8_t *text, size_t size, FineTime *time);
/* a + b; false when it does not fit. */
bool fine_time_add(FineTime a, FineTime b, FineTime *sum);
/* The nearest nanosecond, halves away from zero. */
int64_t fine_time_round(FineTime time);

/* A number without a fraction ("7", "7.0", "1e3") as sign and magnitude; NUMBER_INVALID also for "7.5". */
NumberResult number_integer(const uint8_t *text, size_t size, bool *negative, uint64_t *magnitude);

/* Appends the number as JSON writes it: as it is where it is valid, else with its oddities removed. False and
 * nothing appended when it is no number. */
bool number_append_json(const uint8_t *text, size_t size, Bytes *out);

#endif
