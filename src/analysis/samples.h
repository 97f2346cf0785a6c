/* analysis/samples.h - the numbers of samples with a function on the stack. */
#ifndef ANALYSIS_SAMPLES_H
#define ANALYSIS_SAMPLES_H
#include "trace/store/trace.h"

/* The numbers of samples with the stack of a slice on a TRACK_SAMPLES: as their whole stack (self), or as its outer part, too
 * (total). */
typedef struct SampleCounts {
    uint64_t total, self;             /* during the slice */
    uint64_t track_total, track_self; /* on the whole track */
    uint64_t track_count;             /* samples of the track, idle ones too */
} SampleCounts;

/* Counts the samples of the slice's track: zeros for a slice of a track of another kind. Linear in the samples of the
 * track. False: out of memory, err filled. */
bool samples_of_slice(const Trace *trace, uint64_t slice, Arena *arena, SampleCounts *counts,
                      Err *err) WARN_UNUSED;

#endif
