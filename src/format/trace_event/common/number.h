/* format/trace_event/common/number.h - reads decimal numbers exactly; times and ids are never converted to doubles.
 *
 * Beside JSON's numbers it accepts a plus sign, leading zeros, `1.` and `.5`, with the result NUMBER_ODD. */
#ifndef FORMAT_TRACE_EVENT_COMMON_NUMBER_H
#define FORMAT_TRACE_EVENT_COMMON_NUMBER_H
#include "base/arena.h"

typedef enum {
    NUMBER_OK,
    NUMBER_ODD, /* a number, but not valid JSON */
    NUMBER_OUT_OF_RANGE,
    NUMBER_INVALID /* not a number */
} NumberResult;

/* A time in picoseconds: ns * 1000 + ps, with 0 <= ps < 1000. Further digits are rounded to the nearest picosecond,
 * halves away from zero: they are the rounding noise of writers that print doubles. */
typedef struct FineTime {
    int64_t ns;
    int32_t ps;
} FineTime;

/* Reads microseconds as decimal text. */
NumberResult number_micros(const uint8_t *text, size_t size, FineTime *time);
/* The same for units of 10^exponent ns, at most of seconds: 3 for microseconds. */
NumberResult number_scaled(const uint8_t *text, size_t size, unsigned exponent, FineTime *time);
/* Sets *sum to a + b. False if it does not fit. */
bool fine_time_add(FineTime a, FineTime b, FineTime *sum);
/* Returns the nearest nanosecond, halves away from zero. */
int64_t fine_time_round(FineTime time);

/* Reads a number without a fraction ("7", "7.0", "1e3") as sign and magnitude; NUMBER_INVALID also for "7.5". */
NumberResult number_integer(const uint8_t *text, size_t size, bool *negative, uint64_t *magnitude);

/* Appends the number as valid JSON: unchanged if it is valid, else corrected. Returns false and appends no bytes if the
 * text is not a number. */
bool number_append_json(const uint8_t *text, size_t size, Bytes *out);

#endif
