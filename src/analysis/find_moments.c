#include "analysis/find_moments.h"

#include "base/checked.h"

#include <assert.h>

struct FindMoments {
    const Trace *trace;
    FindScan    *scan;
    Moments      result;
    uint8_t     *bits;
};

static void add_moment(void *to, FindEvent event, int64_t tick)
{
    FindMoments   *m = to;
    const uint64_t offset = trace_since_begin(m->trace, tick);
    (void)event;
    if (offset < m->result.begin) return; /* a slice that reaches into the range */
    const uint64_t bucket = (offset - m->result.begin) >> m->result.level;
    if (bucket < m->result.buckets) m->bits[bucket / 8] |= (uint8_t)(1u << bucket % 8);
}

/* Returns the tick at an offset, at most the trace's end. */
static int64_t tick_at(const Trace *trace, uint64_t offset)
{
    const uint64_t span = trace_span(trace);
    return trace_tick_at(trace, offset < span ? offset : span);
}

FindMoments *find_moments_begin(const Trace *trace, const FindMomentsQuery *query, Arena *arena, Err *err)
{
    assert(query->buckets > 0 && query->buckets <= MOMENTS_BUCKETS_MAX && query->level <= MOMENTS_LEVEL_MAX);
    const uint64_t length = (uint64_t)query->buckets > UINT64_MAX >> query->level
                                ? UINT64_MAX
                                : (uint64_t)query->buckets << query->level;
    FindScanQuery  scan = { .pattern = query->pattern,
                            .name = query->name,
                            .filter = query->filter,
                            .begin_tick = tick_at(trace, query->begin),
                            .end_tick = tick_at(trace, u64_add_saturated(query->begin, length)) };
    FindMoments   *m = ARENA_NEW(arena, FindMoments);
    if (m != NULL) *m = (FindMoments){ .trace = trace };
    if (m != NULL) m->bits = ARENA_ARRAY(arena, uint8_t, moments_bytes(query->buckets));
    if (m == NULL || m->bits == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the marks of a search");
        return NULL;
    }
    m->result = (Moments){ query->begin, query->level, query->buckets, m->bits };
    m->scan = find_scan_begin(trace, &scan, arena, err);
    return m->scan == NULL ? NULL : m;
}

bool find_moments_step(FindMoments *moments, uint64_t events, double *share, Err *err)
{
    return find_scan_step(moments->scan, events, add_moment, moments, share, err);
}

const Moments *find_moments_result(const FindMoments *moments)
{
    return &moments->result;
}

void find_moments_release(FindMoments *moments)
{
    if (moments != NULL) find_scan_release(moments->scan);
}
