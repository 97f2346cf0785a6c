/* format/heph/writer_clock.h - converts ticks of any clock to nanoseconds since an epoch. */
#ifndef FORMAT_HEPH_WRITER_CLOCK_H
#define FORMAT_HEPH_WRITER_CLOCK_H
#include "format/writer.h"

/* A tick becomes round(tick * num / den) + offset ns, saturated at 0 and UINT64_MAX. */
typedef struct HephClock {
    uint64_t num, den;
    int64_t  offset;
    bool     is_unsigned; /* as Clock.is_unsigned */
    bool     has_epoch;
    uint64_t epoch; /* ns from 1970 to the zero of the times */
} HephClock;

/* The accuracy of a written time, from best to worst. */
typedef enum { HEPH_TIME_EXACT, HEPH_TIME_ROUNDED, HEPH_TIME_OUT_OF_RANGE } HephTimeFit;

/* Returns the clock for a trace's times. Its offset is chosen so that the first time is not negative. Times that
 * counted from 1970 when the trace was converted from a Heph trace (the property "epoch" holds the original
 * epoch) count from that epoch again. Reports losses of the origin. */
HephClock heph_clock_for(const Trace *trace, WriterReport *report);

/* Returns the time of a tick in ns. Never decreases from one tick to a later one, so no duration becomes negative.
 * Sets *fit to the accuracy of the time if that is worse than *fit. */
uint64_t heph_clock_ns(const HephClock *clock, int64_t tick, HephTimeFit *fit);

#endif
