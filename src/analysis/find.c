#include "analysis/find.h"

#include "trace/store/lookup.h"

#include <assert.h>

/* -- order -- */

static int64_t tick_of(const Trace *trace, FindEvent event)
{
    return event.kind == ORDER_SLICE ? trace_slice_begin(trace, event.id)
                                     : trace_instant_tick(trace, event.id);
}

static bool event_before(const Trace *trace, FindEvent a, FindEvent b)
{
    int64_t tick_a = tick_of(trace, a), tick_b = tick_of(trace, b);
    if (tick_a != tick_b) return tick_a < tick_b;
    return a.kind != b.kind ? a.kind == ORDER_SLICE : a.id < b.id;
}

/* True if slice a is before slice b. */
static bool slice_before(const Trace *trace, uint64_t a, uint64_t b)
{
    return event_before(trace, (FindEvent){ ORDER_SLICE, a }, (FindEvent){ ORDER_SLICE, b });
}

struct FindCount {
    const Trace *trace;
    FindQuery    query; /* without the filter */
    FindScan    *scan;
    /* The matches. */
    uint64_t  count;
    uint64_t  before;  /* matches before `from` */
    bool      at_from; /* `from` itself matches */
    bool      has_edge, has_beyond;
    FindEvent edge;   /* the first match of all (FIND_NEXT) or the last */
    FindEvent beyond; /* the nearest match beyond `from` in the direction of the move */
};

/* True if a comes before b in the direction of the move. */
static bool comes_first(const FindCount *s, FindEvent a, FindEvent b)
{
    return s->query.move == FIND_NEXT ? event_before(s->trace, a, b) : event_before(s->trace, b, a);
}

static void add_match(void *count, FindEvent event, int64_t tick)
{
    FindCount      *s = count;
    const FindEvent from = s->query.from;
    (void)tick;
    s->count++;
    if (!s->has_edge || comes_first(s, event, s->edge)) {
        s->has_edge = true;
        s->edge = event;
    }
    if (!s->query.has_from) return;
    if (event.kind == from.kind && event.id == from.id) {
        s->at_from = true;
        return;
    }
    bool is_before = event_before(s->trace, event, from);
    if (is_before) s->before++;
    if (is_before == (s->query.move == FIND_NEXT)) return;
    if (!s->has_beyond || comes_first(s, event, s->beyond)) {
        s->has_beyond = true;
        s->beyond = event;
    }
}

static FindResult result_of(const FindCount *s)
{
    FindResult result = { .count = s->count };
    if (s->count == 0) return result;
    result.found = true;
    if (s->has_beyond) {
        result.event = s->beyond;
        result.index = s->query.move == FIND_NEXT ? s->before + (s->at_from ? 1 : 0) + 1 : s->before;
        return result;
    }
    result.event = s->edge;
    result.wrapped = s->query.has_from;
    result.index = s->query.move == FIND_NEXT ? 1 : s->count;
    return result;
}

/* -- steps -- */

FindCount *find_count_begin(const Trace *trace, const FindQuery *query, Arena *arena, Err *err)
{
    const FindScanQuery scan = {
        .pattern = query->pattern, .filter = query->filter, .begin_tick = INT64_MIN, .end_tick = INT64_MAX
    };
    FindCount *s = ARENA_NEW(arena, FindCount);
    if (s == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for a search");
        return NULL;
    }
    *s = (FindCount){ .trace = trace, .query = *query };
    s->query.filter = NULL;
    s->scan = find_scan_begin(trace, &scan, arena, err);
    return s->scan == NULL ? NULL : s;
}

void find_count_release(FindCount *count)
{
    if (count != NULL) find_scan_release(count->scan);
}

bool find_count_step(FindCount *s, uint64_t events, double *share, FindResult *result, Err *err)
{
    if (!find_scan_step(s->scan, events, add_match, s, share, err)) return false;
    if (*share == 1) *result = result_of(s);
    return true;
}

bool find_text(const Trace *trace, const FindQuery *query, FindResult *result, Err *err)
{
    Arena      arena = arena_create(0);
    FindCount *count = find_count_begin(trace, query, &arena, err);
    double     share = 0;
    bool       done = count != NULL;
    while (done && share < 1)
        done = find_count_step(count, UINT64_MAX, &share, result, err);
    find_count_release(count);
    arena_release(&arena);
    return done;
}

/* -- the same name -- */

static bool same_name(const Trace *trace, const Filter *filter, uint64_t a, uint64_t b)
{
    const uint32_t label_a = trace_slice_label(trace, a), label_b = trace_slice_label(trace, b);
    if (filter_hides_label(filter, label_b)) return false;
    return label_a == label_b || trace->labels[label_a].name.index == trace->labels[label_b].name.index;
}

/* Looks through one row for something nearer to `slice` than *found. */
static void row_next_same(const Trace *trace, const Filter *filter, const Row *row, uint64_t slice, bool *has,
                          uint64_t *found)
{
    uint32_t at = row_lower_bound(trace, row, trace_slice_begin(trace, slice));
    for (; at < row->slice_count; at++) {
        uint64_t other = row->first_slice + at;
        if (*has && !slice_before(trace, other, *found)) return;
        if (!slice_before(trace, slice, other) || !same_name(trace, filter, slice, other)) continue;
        *has = true;
        *found = other;
        return;
    }
}

static void row_previous_same(const Trace *trace, const Filter *filter, const Row *row, uint64_t slice,
                              bool *has, uint64_t *found)
{
    int64_t  begin = trace_slice_begin(trace, slice);
    uint32_t at = begin == INT64_MAX ? row->slice_count : row_lower_bound(trace, row, begin + 1);
    while (at-- > 0) {
        uint64_t other = row->first_slice + at;
        if (*has && !slice_before(trace, *found, other)) return;
        if (!slice_before(trace, other, slice) || !same_name(trace, filter, slice, other)) continue;
        *has = true;
        *found = other;
        return;
    }
}

bool find_same_name(const Trace *trace, const Filter *filter, uint64_t slice, FindMove move, uint64_t *found)
{
    const Track *track = &trace->tracks[trace->rows[trace_slice_row(trace, slice)].track];
    bool         has = false;
    for (uint32_t i = 0; i < track_row_count(track); i++) {
        const Row *row = &trace->rows[track->first_row + i];
        if (move == FIND_NEXT) {
            row_next_same(trace, filter, row, slice, &has, found);
        } else {
            row_previous_same(trace, filter, row, slice, &has, found);
        }
    }
    return has;
}
