#include "analysis/samples.h"

#include "trace/scan/scan.h"
#include "trace/store/lookup.h"

/* True if a stack is `outer` or has it below its own frames. A parent's id is less than its child's. */
static bool stack_holds(const Trace *trace, uint32_t stack, uint32_t outer)
{
    while (stack > outer)
        stack = trace->stacks.stacks[stack].parent;
    return stack == outer;
}

/* State of counting the samples of a track. */
typedef struct SampleTally {
    const Trace *trace;
    int64_t      begin, end; /* of the slice */
    uint32_t     stack;      /* of the slice */
    uint32_t     last;       /* of the sample before: consecutive samples often have the same */
    bool         last_holds;
    SampleCounts counts;
} SampleTally;

static void tally_sample(SampleTally *t, int64_t tick, uint32_t stack)
{
    t->counts.track_count++;
    if (stack != t->last) {
        t->last = stack;
        t->last_holds = stack_holds(t->trace, stack, t->stack);
    }
    if (!t->last_holds) return;
    const bool inside = tick >= t->begin && (tick < t->end || tick == t->begin), on_top = stack == t->stack;
    t->counts.track_total++;
    t->counts.track_self += on_top;
    t->counts.total += inside;
    t->counts.self += inside && on_top;
}

bool samples_of_slice(const Trace *trace, uint64_t slice, Arena *arena, SampleCounts *counts, Err *err)
{
    const uint32_t track = trace->rows[trace_slice_row(trace, slice)].track;
    ScanQuery      query =
        scan_query(SCAN_STACK_SAMPLES, SCAN_COLUMN(SCAN_SAMPLE_TICK) | SCAN_COLUMN(SCAN_SAMPLE_STACK));
    SampleTally t = { .trace = trace,
                      .begin = trace_slice_begin(trace, slice),
                      .end = trace_slice_end(trace, slice),
                      .stack = trace_slice_stack(trace, slice).index };
    query.edges = RANGE_CLOSED;
    query.tracks = &track;
    query.track_count = 1;
    Scan *scan = scan_begin(trace, &query, arena, err);
    if (scan == NULL) return false;
    for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++)
            tally_sample(&t, batch->columns[SCAN_SAMPLE_TICK].i64[i],
                         batch->columns[SCAN_SAMPLE_STACK].u32[i]);
    }
    *counts = t.counts;
    return true;
}
