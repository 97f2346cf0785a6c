/* format/spall/writer_clock.h - ticks of any clock as ticks of a .spall file. */
#ifndef FORMAT_SPALL_WRITER_CLOCK_H
#define FORMAT_SPALL_WRITER_CLOCK_H
#include "format/spall/layout.h"
#include "format/writer.h"

/* A tick becomes round((tick + offset) * num / den): all times fit the layout's field. */
typedef struct SpallClock {
    double   unit;      /* what a tick lasts, as the header says it */
    uint64_t offset;    /* added modulo 2^64 */
    uint64_t num, den;  /* 1 / 1 unless the clock becomes coarser, without loss */
    bool     is_signed; /* times below zero are possible: doubles */
} SpallClock;

/* What stands behind `key` (with quotes and colon) in the trace's property otherData, where the writer of Trace Event
 * JSON says what a trace was before; NULL when it does not. *end is where the property ends. */
const char *spall_other_data(const Trace *trace, const char *key, const char **end);

/* The clock for a trace's times. Where the trace comes from a file that was converted from one with another
 * clock (otherData.ns_per_tick), and every time is one of that clock's, it is that clock again; ticks below a
 * hundredth of a nanosecond become as long as all times allow. Reports what is lost. */
SpallClock spall_clock_for(const Trace *trace, const SpallLayout *layout, WriterReport *report);

/* The time of a record: an integer or, in a layout of doubles, their bits. *inexact is raised when a double cannot hold
 * it. */
uint64_t spall_clock_time(const SpallClock *clock, const SpallLayout *layout, int64_t tick, bool *inexact);

#endif
