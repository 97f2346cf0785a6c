#include "analysis/find.h"

#include "analysis/find_match.h"
#include "trace/lookup.h"
#include "trace/scan.h"

/* -- order -- */

static int64_t tick_of(const Trace *trace, FindEvent event)
{
    return event.kind == ORDER_SLICE ? trace_slice_begin(trace, event.id) : trace_instant_tick(trace, event.id);
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

/* The state of one pass over all events. */
typedef struct Search {
    const Trace     *trace;
    const FindQuery *query;
    FindMatcher     *matcher;
    const uint8_t   *label_matches; /* by label */
    uint64_t         count;
    uint64_t         before;  /* matches before `from` */
    bool             at_from; /* `from` itself matches */
    bool             has_edge, has_beyond;
    FindEvent        edge;   /* the first match of all (FIND_NEXT) or the last */
    FindEvent        beyond; /* the nearest match beyond `from` in the direction of the move */
} Search;

/* True if a comes before b in the direction of the move. */
static bool comes_first(const Search *s, FindEvent a, FindEvent b)
{
    return s->query->move == FIND_NEXT ? event_before(s->trace, a, b) : event_before(s->trace, b, a);
}

static void search_match(Search *s, FindEvent event)
{
    const FindEvent from = s->query->from;
    s->count++;
    if (!s->has_edge || comes_first(s, event, s->edge)) {
        s->has_edge = true;
        s->edge = event;
    }
    if (!s->query->has_from) return;
    if (event.kind == from.kind && event.id == from.id) {
        s->at_from = true;
        return;
    }
    bool is_before = event_before(s->trace, event, from);
    if (is_before) s->before++;
    if (is_before == (s->query->move == FIND_NEXT)) return;
    if (!s->has_beyond || comes_first(s, event, s->beyond)) {
        s->has_beyond = true;
        s->beyond = event;
    }
}

/* Meets all events of one kind that match. False: err filled. */
static bool search_events(Search *s, OrderKind kind, Arena *arena, Progress *progress, Err *err)
{
    const bool     is_slices = kind == ORDER_SLICE;
    const unsigned id = is_slices ? (unsigned)SCAN_SLICE_ID : (unsigned)SCAN_INSTANT_ID;
    const unsigned label = is_slices ? (unsigned)SCAN_SLICE_LABEL : (unsigned)SCAN_INSTANT_LABEL;
    const unsigned track = is_slices ? (unsigned)SCAN_SLICE_TRACK : (unsigned)SCAN_INSTANT_TRACK;
    ScanQuery      query = scan_query(is_slices ? SCAN_SLICES : SCAN_INSTANTS,
                                      SCAN_COLUMN(id) | SCAN_COLUMN(label) | SCAN_COLUMN(track));
    query.edges = SCAN_CLOSED;
    query.labels = s->label_matches;
    query.progress = progress;
    Scan *scan = scan_begin(s->trace, &query, arena, err);
    if (scan == NULL) return false;
    for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
        const ScanValues *columns = batch->columns;
        for (uint32_t i = 0; i < batch->count; i++) {
            const FindCandidate event = { kind, columns[id].u64[i], columns[label].u32[i], columns[track].u32[i] };
            uint32_t            missing;
            if (find_matcher_takes(s->matcher, &event, &missing) && missing == 0)
                search_match(s, (FindEvent){ kind, event.id });
        }
    }
    return !progress_cancelled(progress) || err_set(err, ERR_CANCELLED, "stopped");
}

static FindResult search_result(const Search *s)
{
    FindResult result = { .count = s->count };
    if (s->count == 0) return result;
    result.found = true;
    if (s->has_beyond) {
        result.event = s->beyond;
        result.index = s->query->move == FIND_NEXT ? s->before + (s->at_from ? 1 : 0) + 1 : s->before;
        return result;
    }
    result.event = s->edge;
    result.wrapped = s->query->has_from;
    result.index = s->query->move == FIND_NEXT ? 1 : s->count;
    return result;
}

/* Compares every label, so that the scan leaves out most events. False: out of memory. */
static bool search_labels(Search *s, Arena *arena)
{
    uint8_t *matches = ARENA_ARRAY(arena, uint8_t, (size_t)s->trace->label_count + 1);
    if (matches == NULL) return false;
    for (uint32_t label = 1; label <= s->trace->label_count; label++)
        matches[label] = find_matcher_label(s->matcher, label) == s->matcher->all;
    s->label_matches = matches;
    return true;
}

static bool search_run(Search *s, Arena *arena, Progress *progress, Err *err)
{
    if (!search_labels(s, arena)) return err_set(err, ERR_MEMORY, "out of memory for a search");
    return search_events(s, ORDER_SLICE, arena, progress, err) && search_events(s, ORDER_INSTANT, arena, progress, err) &&
           find_matcher_check(s->matcher, err);
}

bool find_text(const Trace *trace, const FindQuery *query, FindResult *result, Progress *progress, Err *err)
{
    const FindScope scope = { .filter = query->filter };
    Arena           arena = arena_create(0);
    FindMatcher     matcher;
    Search          search = { .trace = trace, .query = query, .matcher = &matcher };
    const bool      done = find_matcher_open(&matcher, trace, query->pattern, &scope, &arena, err) &&
                      search_run(&search, &arena, progress, err);
    if (done) *result = search_result(&search);
    find_matcher_release(&matcher);
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
    for (uint32_t i = 0; i < track->row_count; i++) {
        const Row *row = &trace->rows[track->first_row + i];
        if (move == FIND_NEXT) {
            row_next_same(trace, filter, row, slice, &has, found);
        } else {
            row_previous_same(trace, filter, row, slice, &has, found);
        }
    }
    return has;
}
