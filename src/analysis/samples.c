#include "analysis/samples.h"

/* Whether a stack is `outer` or has it below its own frames. A parent's id is less than its child's. */
static bool stack_holds(const Trace *trace, uint32_t stack, uint32_t outer)
{
    while (stack > outer)
        stack = trace->stacks.stacks[stack].parent;
    return stack == outer;
}

SampleCounts samples_of_slice(const Trace *trace, uint64_t slice)
{
    SampleCounts counts = { .total = 0 };
    const Track *track = &trace->tracks[trace->rows[trace_slice_row(trace, slice)].track];
    if (track->kind != TRACK_SAMPLES) return counts;
    const ProfileColumns *profile = &trace->profile;
    int64_t               begin = trace->slices.begin_tick[slice], end = trace_slice_end(trace, slice);
    uint32_t              stack = trace_slice_stack(trace, slice).index, last = 0;
    bool                  last_holds = false;
    counts.track_count = track->profile_count;
    for (uint64_t i = track->first_profile; i < track->first_profile + track->profile_count; i++) {
        if (profile->stack[i] != last) { /* consecutive samples are often the same */
            last = profile->stack[i];
            last_holds = stack_holds(trace, last, stack);
        }
        if (!last_holds) continue;
        int64_t tick = profile->tick[i];
        bool    inside = tick >= begin && (tick < end || tick == begin), on_top = last == stack;
        counts.track_total++;
        counts.track_self += on_top;
        counts.total += inside;
        counts.self += inside && on_top;
    }
    return counts;
}
