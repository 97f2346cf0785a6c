/* format/trace_event/writer_time.h - ticks of any clock as decimal microseconds. */
#ifndef FORMAT_TRACE_EVENT_WRITER_TIME_H
#define FORMAT_TRACE_EVENT_WRITER_TIME_H
#include "trace/clock.h"

/* A time in picoseconds: ns + ps / 1000, ps below 1000. `ns` counts modulo 2^64: below zero when `negative`. */
typedef struct WriterTime {
    uint64_t ns;
    uint32_t ps;
    bool     negative;
    bool     rounded; /* the tick is no whole number of picoseconds, or beyond 64 bits of nanoseconds */
} WriterTime;

/* The time of a tick on the source's own axis. A clock that counts calls: a microsecond each. */
WriterTime writer_time_of(const Clock *clock, int64_t tick);
/* end - begin, where end is not before it. */
WriterTime writer_time_span(const WriterTime *begin, const WriterTime *end);

/* "-1.250" or "1.250333" (microseconds), not terminated. Returns what is behind the last digit. */
enum { WRITER_TIME_TEXT = 32 };
char *writer_time_put(char *at, const WriterTime *time);

#endif
