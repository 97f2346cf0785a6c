/* format/trace_event/write/time.h - converts ticks of any clock to decimal microseconds. */
#ifndef FORMAT_TRACE_EVENT_WRITE_TIME_H
#define FORMAT_TRACE_EVENT_WRITE_TIME_H
#include "trace/store/clock.h"

/* A time of ns + ps / 1000 nanoseconds, ps < 1000. `ns` is modulo 2^64; the time is negative if `negative`. */
typedef struct WriterTime {
    uint64_t ns;
    uint32_t ps;
    bool     negative;
    bool     rounded; /* the tick is not a whole number of picoseconds, or exceeds 64 bits of nanoseconds */
} WriterTime;

/* Returns the time of a tick on the source's time axis. For a clock that counts calls a call is one microsecond. */
WriterTime writer_time_of(const Clock *clock, int64_t tick);
/* Returns end - begin; `end` is not before `begin`. */
WriterTime writer_time_span(const WriterTime *begin, const WriterTime *end);

/* Writes microseconds as "-1.250" or "1.250333", not terminated. Returns the byte after the last digit. */
enum { WRITER_TIME_TEXT = 32 };
char *writer_time_put(char *at, const WriterTime *time);

#endif
