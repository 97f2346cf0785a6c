/* analysis/samples.h - how often a function was met on a track of samples. */
#ifndef ANALYSIS_SAMPLES_H
#define ANALYSIS_SAMPLES_H
#include "trace/store/trace.h"

/* Of a slice on a TRACK_SAMPLES: samples that have its stack, alone or with more on top of it. */
typedef struct SampleCounts {
    uint64_t total, self;             /* of the slice: all of it; those with nothing on top */
    uint64_t track_total, track_self; /* of this stack on the whole track */
    uint64_t track_count;             /* samples of the track, idle ones too */
} SampleCounts;

/* Counts the samples of the slice's track: zeros for a slice of a track of another kind. Linear in the samples of the
 * track. False: out of memory, err filled. */
bool samples_of_slice(const Trace *trace, uint64_t slice, Arena *arena, SampleCounts *counts,
                      Err *err) WARN_UNUSED;

#endif
