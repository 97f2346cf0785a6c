#include "format/linux/sample_gaps.h"

#include "base/bits.h"

static unsigned bucket_of(uint64_t gap)
{
    const unsigned top = bits_highest_u64(gap | UINT64_C(1) << GAP_BITS);
    return top << GAP_BITS | ((unsigned)(gap >> (top - GAP_BITS)) & ((1 << GAP_BITS) - 1));
}

/* Returns the lower end of a bucket. */
static uint64_t gap_of_bucket(unsigned bucket)
{
    const unsigned top = bucket >> GAP_BITS, below = bucket & ((1 << GAP_BITS) - 1);
    return (uint64_t)(1 << GAP_BITS | below) << (top - GAP_BITS);
}

int64_t sample_gaps_usual(const SampleGaps *gaps)
{
    uint64_t all = 0, before = 0;
    for (unsigned i = 0; i < GAP_BUCKETS; i++)
        all += gaps->buckets[i];
    for (unsigned i = 0; all > 0 && i < GAP_BUCKETS; i++) {
        before += gaps->buckets[i];
        if (before > all / 4) return (int64_t)gap_of_bucket(i);
    }
    return 0;
}

bool sample_gaps_add(SampleGaps *gaps, Arena *arena, TraceBuilder *builder, SamplerId id, int64_t ns,
                     StackId stack, int64_t interval_ns)
{
    while (gaps->samplers.count <= id.index)
        if (ARENA_LIST_PUSH(&gaps->samplers, arena) == NULL) return false;
    GapSampler *sampler = &gaps->samplers.items[id.index];
    builder_stack_sample(builder, id, ns, stack, 1);
    if (sampler->has_last && ns > sampler->last_ns)
        gaps->buckets[bucket_of((uint64_t)ns - (uint64_t)sampler->last_ns)]++;
    sampler->last_ns = ns;
    sampler->has_last = true;
    if (interval_ns == 0 || sampler->has_interval) return true;
    builder_sample_interval(builder, id, interval_ns);
    sampler->has_interval = true;
    return true;
}

void sample_gaps_finish(const SampleGaps *gaps, TraceBuilder *builder, int64_t interval_ns)
{
    for (size_t i = 1; i < gaps->samplers.count; i++)
        if (!gaps->samplers.items[i].has_interval)
            builder_sample_interval(builder, (SamplerId){ (uint32_t)i }, interval_ns);
}
