/* trace/store/wall_time.h - times as date and time of day, in UTC. */
#ifndef TRACE_STORE_WALL_TIME_H
#define TRACE_STORE_WALL_TIME_H
#include "trace/store/clock.h"

/* Date and time of day, month and day from 1. */
typedef struct WallTime {
    int64_t  year;
    unsigned month, day, hour, minute, second;
} WallTime;

/* Returns the UTC date and time of a time in seconds since 1970. */
WallTime wall_time_at(int64_t unix_s);

/* Writes a time in ns since 1970 as "2021-01-08 13:48:54.11801 UTC", with all digits down to the nanosecond except
 * zeros at the end. Always terminated; returns the length. */
enum { WALL_TIME_TEXT = 40 };
size_t wall_time_format(int64_t unix_ns, char out[WALL_TIME_TEXT]);
/* Writes the time of a tick in the same way. 0, and nothing, if the clock has no wall-clock time. */
size_t wall_time_of_tick(const Clock *clock, int64_t tick, char out[WALL_TIME_TEXT]);

/* Reads "2021-01-08T13:48:54.11801Z", and the output of wall_time_format: "T" or a space between date and time, then "Z",
 * "UTC" or " UTC". Seconds and their fraction (to 9 digits) are optional. False for other texts, days that do not
 * exist, and times beyond int64_t (1677 to 2262). */
bool wall_time_parse(const char *text, size_t size, int64_t *unix_ns) WARN_UNUSED;

#endif
