#include "analysis/find_scan.h"

#include "analysis/find_match.h"
#include "trace/scan/scan.h"

#include <assert.h>

typedef enum { FIND_READS_LABELS, FIND_READS_SLICES, FIND_READS_INSTANTS, FIND_DONE } FindPhase;

struct FindScan {
    const Trace  *trace;
    FindScanQuery query;   /* without the filter */
    FindMatcher   matcher; /* with a pattern */
    Arena        *arena;
    FindPhase     phase;
    uint8_t      *label_matches; /* by label: 1 = visible; below `label`: visible, and all terms match */
    uint32_t      label;         /* the next label to compare */
    Scan         *scan;          /* of the phase; NULL = not begun */
    uint64_t      read;          /* labels, slices and instants so far */
};

FindScan *find_scan_begin(const Trace *trace, const FindScanQuery *query, Arena *arena, Err *err)
{
    const FindScope scope = { .filter = NULL };
    FindScan       *s = ARENA_NEW(arena, FindScan);
    assert(query->pattern != NULL || query->name <= trace->label_count);
    if (s != NULL) {
        *s = (FindScan){ .trace = trace, .query = *query, .arena = arena, .label = 1 };
        s->query.filter = NULL;
        s->label_matches = ARENA_ARRAY(arena, uint8_t, (size_t)trace->label_count + 1);
    }
    if (s == NULL || s->label_matches == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for a search");
        return NULL;
    }
    for (uint32_t label = 1; label <= trace->label_count; label++)
        s->label_matches[label] = !filter_hides_label(query->filter, label);
    if (query->pattern == NULL || find_matcher_open(&s->matcher, trace, query->pattern, &scope, arena, err))
        return s;
    find_scan_release(s);
    return NULL;
}

void find_scan_release(FindScan *scan)
{
    if (scan != NULL && scan->query.pattern != NULL) find_matcher_release(&scan->matcher);
}

static bool label_matches(FindScan *s, uint32_t label)
{
    const Label *labels = s->trace->labels;
    if (s->query.pattern == NULL) return labels[label].name.index == labels[s->query.name].name.index;
    return find_matcher_label(&s->matcher, label) == s->matcher.all;
}

/* Compares labels, so that the scans leave out most events, and takes them off *left. */
static void read_labels(FindScan *s, uint64_t *left)
{
    for (; *left > 0 && s->label <= s->trace->label_count; s->label++, s->read++, --*left)
        if (s->label_matches[s->label] != 0) s->label_matches[s->label] = label_matches(s, s->label);
    if (s->label > s->trace->label_count) s->phase = FIND_READS_SLICES;
}

/* Begins the scan of the slices or of the instants. False: err filled. */
static bool begin_scan(FindScan *s, Err *err)
{
    static const uint64_t SLICE_COLUMNS = SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_BEGIN) |
                                          SCAN_COLUMN(SCAN_SLICE_LABEL) | SCAN_COLUMN(SCAN_SLICE_TRACK);
    static const uint64_t INSTANT_COLUMNS = SCAN_COLUMN(SCAN_INSTANT_ID) | SCAN_COLUMN(SCAN_INSTANT_TICK) |
                                            SCAN_COLUMN(SCAN_INSTANT_LABEL) | SCAN_COLUMN(SCAN_INSTANT_TRACK);
    const bool is_slices = s->phase == FIND_READS_SLICES;
    ScanQuery  query =
        scan_query(is_slices ? SCAN_SLICES : SCAN_INSTANTS, is_slices ? SLICE_COLUMNS : INSTANT_COLUMNS);
    query.edges = RANGE_CLOSED;
    query.begin_tick = s->query.begin_tick;
    query.end_tick = s->query.end_tick;
    query.labels = s->label_matches;
    s->scan = scan_begin(s->trace, &query, s->arena, err);
    return s->scan != NULL;
}

static bool event_matches(FindScan *s, const FindCandidate *event)
{
    uint32_t missing;
    if (s->query.pattern == NULL) return true;
    return find_matcher_takes(&s->matcher, event, &missing) && missing == 0;
}

/* Reads events of the phase, and takes them off *left. False: err filled. */
static bool read_events(FindScan *s, uint64_t *left, FindScanTake take, void *to, Err *err)
{
    const bool      is_slices = s->phase == FIND_READS_SLICES;
    const OrderKind kind = is_slices ? ORDER_SLICE : ORDER_INSTANT;
    const unsigned  id = is_slices ? (unsigned)SCAN_SLICE_ID : (unsigned)SCAN_INSTANT_ID;
    const unsigned  tick = is_slices ? (unsigned)SCAN_SLICE_BEGIN : (unsigned)SCAN_INSTANT_TICK;
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
        if (event_matches(s, &event)) take(to, (FindEvent){ kind, event.id }, columns[tick].i64[i]);
    }
    s->read += batch->count;
    *left -= batch->count < *left ? batch->count : *left;
    return true;
}

bool find_scan_step(FindScan *s, uint64_t events, FindScanTake take, void *to, double *share, Err *err)
{
    const uint64_t most = s->trace->label_count + trace_slice_count(s->trace) + trace_instant_count(s->trace);
    assert(s->phase != FIND_DONE);
    for (uint64_t left = events; left > 0 && s->phase != FIND_DONE;) {
        if (s->phase == FIND_READS_LABELS)
            read_labels(s, &left);
        else if (!read_events(s, &left, take, to, err))
            return false;
    }
    const double part = (double)s->read / (double)(most == 0 ? 1 : most);
    *share = s->phase == FIND_DONE ? 1 : part < 0.99 ? part : 0.99;
    return s->query.pattern == NULL || find_matcher_check(&s->matcher, err);
}
