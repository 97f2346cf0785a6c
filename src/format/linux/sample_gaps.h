/* format/linux/sample_gaps.h - the intervals of samplers that skip waiting threads, from the distances between samples. */
#ifndef FORMAT_LINUX_SAMPLE_GAPS_H
#define FORMAT_LINUX_SAMPLE_GAPS_H
#include "base/arena.h"
#include "trace/log/builder.h"

/* Distances between samples are counted by their highest bit and the GAP_BITS bits below it. */
enum { GAP_BITS = 3, GAP_BUCKETS = 64 << GAP_BITS };

typedef struct GapSampler {
    int64_t last_ns; /* of the latest sample */
    bool    has_last, has_interval;
} GapSampler;

/* A zeroed SampleGaps is valid and has no samplers. */
typedef struct SampleGaps {
    ARENA_LIST(GapSampler) samplers; /* by SamplerId.index */
    uint64_t buckets[GAP_BUCKETS];
} SampleGaps;

/* Adds a sample with a weight of 1 to the builder, and its distance to the one before. `interval_ns`: the sampler's interval;
 * 0 = not known. False: out of memory. */
bool sample_gaps_add(SampleGaps *gaps, Arena *arena, TraceBuilder *builder, SamplerId id, int64_t ns,
                     StackId stack, int64_t interval_ns) WARN_UNUSED;
/* Returns the lower quartile of the distances between the samples of a thread: a thread that ran all the time has the
 * sampling interval between them, any other has more. 0 = there are no distances. */
int64_t sample_gaps_usual(const SampleGaps *gaps);
/* Sets the interval of the samplers without one. */
void sample_gaps_finish(const SampleGaps *gaps, TraceBuilder *builder, int64_t interval_ns);

#endif
