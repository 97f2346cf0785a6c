/* format/spall/writer_clock.h - converts ticks of any clock to ticks of a .spall file. */
#ifndef FORMAT_SPALL_WRITER_CLOCK_H
#define FORMAT_SPALL_WRITER_CLOCK_H
#include "format/spall/layout.h"
#include "format/writer.h"

/* A tick becomes round((tick + offset) * num / den). All times fit into the layout's field. */
typedef struct SpallClock {
    double   unit;      /* timestamp_unit of the header */
    uint64_t offset;    /* added modulo 2^64 */
    uint64_t num, den;  /* 1 / 1 unless the clock becomes coarser, without loss */
    bool     is_signed; /* the layout has doubles, so negative times are possible */
} SpallClock;

/* Returns the text after `key` (with quotes and colon) in the trace's property otherData, in which the writer of Trace
 * Event JSON describes the original trace. Returns NULL if the key is absent. Sets *end to the end of the property. */
const char *spall_other_data(const Trace *trace, const char *key, const char **end);

/* Sets the clock for a trace's times. If the trace was converted from a trace with another clock
 * (otherData.ns_per_tick), and all times are ticks of that clock, chooses that clock. Ticks shorter than a hundredth
 * of a nanosecond become as long as all times allow. Reports losses. False when out of memory. */
bool spall_clock_make(SpallClock *clock, const Trace *trace, const SpallLayout *layout, Arena *arena,
                      WriterReport *report, Err *err) WARN_UNUSED;

/* Returns the time of a record: an integer or the bits of a double, as the layout requires. Sets *inexact if the time
 * is not exact as a double. */
uint64_t spall_clock_time(const SpallClock *clock, const SpallLayout *layout, int64_t tick, bool *inexact);

#endif
