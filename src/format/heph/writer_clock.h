/* format/heph/writer_clock.h - ticks of any clock as nanoseconds since an epoch. */
#ifndef FORMAT_HEPH_WRITER_CLOCK_H
#define FORMAT_HEPH_WRITER_CLOCK_H
#include "format/writer.h"

/* A tick becomes round(tick * num / den) + offset ns. */
typedef struct HephClock {
    uint64_t num, den;
    uint64_t offset;      /* added modulo 2^64 */
    bool     is_unsigned; /* as Clock.is_unsigned */
    bool     has_epoch;
    uint64_t epoch; /* ns from 1970 to the zero of the times */
} HephClock;

/* The clock for a trace's times, none of which is below 0. Where they were counted from 1970 when the trace
 * was converted from a Heph trace (a property "epoch" says since when they counted there), they count from
 * that epoch again. Reports what is lost. */
HephClock heph_clock_for(const Trace *trace, WriterReport *report);

/* *inexact is raised when the tick is no whole number of nanoseconds. */
uint64_t heph_clock_ns(const HephClock *clock, int64_t tick, bool *inexact);

#endif
