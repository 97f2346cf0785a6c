/* trace/make/counters.h - counters: from the builder's samples to tracks. For src/trace only. */
#ifndef TRACE_MAKE_COUNTERS_H
#define TRACE_MAKE_COUNTERS_H
#include "trace/make/finish.h"

/* A future track of a counter. */
struct CounterGroup {
    uint32_t process;                    /* of the builder */
    uint32_t counter;                    /* of the builder */
    uint32_t first_series, series_count; /* into CounterGroups.series */
    uint64_t sample_count;
};

/* The sum of all series of a counter over time. Its tick is INT64_MIN before the first. */
typedef struct SampleSums {
    double  greatest; /* of the times before the latest; 0 if all are less */
    double  latest;
    int64_t tick; /* the latest time */
} SampleSums;

/* The samples of a series in order of time, during a walk over all series. */
typedef struct SeriesWalk {
    uint64_t at, end;
    double   value; /* initially 0 */
} SeriesWalk;

/* Returns the contribution of a value to a sum: 0 if it is unknown. */
double sample_in_sum(double value);
/* Adds a change of a value, at the latest time or after it. */
void   sample_sums_step(SampleSums *sums, int64_t tick, double change);
double sample_sums_greatest(const SampleSums *sums);
/* Computes the sums of all walks. False when out of memory. */
bool sample_sums_walk(Arena *arena, const Trace *trace, SeriesWalk *walks, uint32_t count,
                      SampleSums *sums) WARN_UNUSED;

/* Sorts counters in display order, with the series of each, in `arena`; the number of samples of each group
 * is set only if result->first_sample is known. False when out of memory. */
bool counters_order(const TraceBuilder *builder, Arena *arena, CounterGroups *result) WARN_UNUSED;
/* Returns TrackExtras.held_to of the counters of each process of the builder, an array in `arena`. NULL when out of memory. */
int64_t *counters_held_to(const TraceBuilder *builder, Arena *arena) WARN_UNUSED;
/* True if the values are bytes: by the format, or because the names of all series end in "bytes": "heap_bytes". */
bool counter_counts_bytes(const TraceBuilder *builder, const CounterGroups *counters,
                          const CounterGroup *group);
/* Counts all samples and sorts the counters: fills finish->counters. False when out of memory. */
bool counters_prepare(Finish *finish) WARN_UNUSED;
/* Copies the samples to their columns, each series in input order, and releases the builder's copies.
 * After the layout; false when out of memory. */
bool counters_place(Finish *finish) WARN_UNUSED;
/* Fills the track's rows, sorts its part of the sample columns by time, and finds its range. */
void counters_fill(Finish *finish, Workspace *ws, TrackWork *work, uint32_t track_index);

#endif
