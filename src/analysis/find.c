#include "analysis/find.h"

#include "analysis/find_match.h"
#include "trace/scan/scan.h"
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

typedef enum { FIND_READS_LABELS, FIND_READS_SLICES, FIND_READS_INSTANTS, FIND_DONE } FindPhase;

struct FindCount {
    const Trace *trace;
    FindQuery    query; /* without the filter */
    FindMatcher  matcher;
    Arena       *arena;
    FindPhase    phase;
    uint8_t     *label_matches; /* by label: 1 = visible; below `label`: visible, and all terms match */
    uint32_t     label;         /* the next label to compare */
    Scan        *scan;          /* of the phase; NULL = not begun */
    uint64_t     read;          /* labels, slices and instants so far */
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

static void add_match(FindCount *s, FindEvent event)
{
    const FindEvent from = s->query.from;
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
    const FindScope scope = { .filter = NULL };
    FindCount      *s = ARENA_NEW(arena, FindCount);
    if (s != NULL) {
        *s = (FindCount){ .trace = trace, .query = *query, .arena = arena, .label = 1 };
        s->query.filter = NULL;
        s->label_matches = ARENA_ARRAY(arena, uint8_t, (size_t)trace->label_count + 1);
    }
    if (s == NULL || s->label_matches == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for a search");
        return NULL;
    }
    for (uint32_t label = 1; label <= trace->label_count; label++)
        s->label_matches[label] = !filter_hides_label(query->filter, label);
    if (find_matcher_open(&s->matcher, trace, query->pattern, &scope, arena, err)) return s;
    find_count_release(s);
    return NULL;
}

void find_count_release(FindCount *count)
{
    if (count != NULL) find_matcher_release(&count->matcher);
}

/* Compares labels, so that the scans leave out most events, and takes them off *left. */
static void read_labels(FindCount *s, uint64_t *left)
{
    for (; *left > 0 && s->label <= s->trace->label_count; s->label++, s->read++, --*left)
        if (s->label_matches[s->label] != 0)
            s->label_matches[s->label] = find_matcher_label(&s->matcher, s->label) == s->matcher.all;
    if (s->label > s->trace->label_count) s->phase = FIND_READS_SLICES;
}

/* Begins the scan of the slices or of the instants. False: err filled. */
static bool begin_scan(FindCount *s, Err *err)
{
    static const uint64_t SLICE_COLUMNS =
        SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_LABEL) | SCAN_COLUMN(SCAN_SLICE_TRACK);
    static const uint64_t INSTANT_COLUMNS =
        SCAN_COLUMN(SCAN_INSTANT_ID) | SCAN_COLUMN(SCAN_INSTANT_LABEL) | SCAN_COLUMN(SCAN_INSTANT_TRACK);
    const bool is_slices = s->phase == FIND_READS_SLICES;
    ScanQuery  query =
        scan_query(is_slices ? SCAN_SLICES : SCAN_INSTANTS, is_slices ? SLICE_COLUMNS : INSTANT_COLUMNS);
    query.edges = SCAN_CLOSED;
    query.labels = s->label_matches;
    s->scan = scan_begin(s->trace, &query, s->arena, err);
    return s->scan != NULL;
}

/* Reads events of the phase, and takes them off *left. False: err filled. */
static bool read_events(FindCount *s, uint64_t *left, Err *err)
{
    const bool      is_slices = s->phase == FIND_READS_SLICES;
    const OrderKind kind = is_slices ? ORDER_SLICE : ORDER_INSTANT;
    const unsigned  id = is_slices ? (unsigned)SCAN_SLICE_ID : (unsigned)SCAN_INSTANT_ID;
    const unsigned  label = is_slices ? (unsigned)SCAN_SLICE_LABEL : (unsigned)SCAN_INSTANT_LABEL;
    const unsigned  track = is_slices ? (unsigned)SCAN_SLICE_TRACK : (unsigned)SCAN_INSTANT_TRACK;
    if (s->scan == NULL && !begin_scan(s, err)) return false;
    const ScanBatch *batch = scan_next(s->scan);
    if (batch == NULL) {
        s->scan = NULL;
        s->phase = is_slices ? FIND_READS_INSTANTS : FIND_DONE;
        return true;
    }
    const ScanValues *columns = batch->columns;
    for (uint32_t i = 0; i < batch->count; i++) {
        const FindCandidate event = { kind, columns[id].u64[i], columns[label].u32[i],
                                      columns[track].u32[i] };
        uint32_t            missing;
        if (find_matcher_takes(&s->matcher, &event, &missing) && missing == 0)
            add_match(s, (FindEvent){ kind, event.id });
    }
    s->read += batch->count;
    *left -= batch->count < *left ? batch->count : *left;
    return true;
}

bool find_count_step(FindCount *s, uint64_t events, double *share, FindResult *result, Err *err)
{
    const uint64_t most = s->trace->label_count + trace_slice_count(s->trace) + trace_instant_count(s->trace);
    assert(s->phase != FIND_DONE);
    for (uint64_t left = events; left > 0 && s->phase != FIND_DONE;) {
        if (s->phase == FIND_READS_LABELS)
            read_labels(s, &left);
        else if (!read_events(s, &left, err))
            return false;
    }
    const double part = (double)s->read / (double)(most == 0 ? 1 : most);
    *share = s->phase == FIND_DONE ? 1 : part < 0.99 ? part : 0.99;
    if (s->phase == FIND_DONE) *result = result_of(s);
    return find_matcher_check(&s->matcher, err);
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
