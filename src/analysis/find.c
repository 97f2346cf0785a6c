#include "analysis/find.h"

#include <string.h>

/* How many slices are looked at between two questions whether to stop. */
static const uint64_t CANCEL_STEP = 1 << 20;

/* -- text in text -- */

static char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool text_starts(const char *text, StringView part)
{
    for (size_t i = 0; i < part.size; i++) {
        if (ascii_lower(text[i]) != ascii_lower(part.bytes[i])) return false;
    }
    return true;
}

bool find_is_part(StringView text, StringView part)
{
    if (part.size == 0 || part.size > text.size) return false;
    for (size_t at = 0; at <= text.size - part.size; at++) {
        if (text_starts(text.bytes + at, part)) return true;
    }
    return false;
}

/* -- order -- */

/* True if slice a stands before slice b. */
static bool slice_before(const Trace *trace, uint64_t a, uint64_t b)
{
    int64_t begin_a = trace->slices.begin_tick[a], begin_b = trace->slices.begin_tick[b];
    return begin_a != begin_b ? begin_a < begin_b : a < b;
}

/* What one pass over the slices remembers. */
typedef struct Search {
    const Trace     *trace;
    const FindQuery *query;
    const uint8_t   *label_matches; /* one byte a label */
    uint64_t         count;
    uint64_t         before;  /* matches before `from` */
    bool             at_from; /* `from` itself matches */
    bool             has_edge, has_beyond;
    uint64_t         edge;   /* the first match of all (FIND_NEXT) or the last */
    uint64_t         beyond; /* the nearest match beyond `from` in the direction of the move */
} Search;

/* True if a comes before b on the way of the move. */
static bool comes_first(const Search *s, uint64_t a, uint64_t b)
{
    return s->query->move == FIND_NEXT ? slice_before(s->trace, a, b) : slice_before(s->trace, b, a);
}

/* Whether it stands before where the search goes on from. */
static bool stands_before(const Search *s, uint64_t slice)
{
    if (s->query->has_from) return slice_before(s->trace, slice, s->query->from);
    return s->trace->slices.begin_tick[slice] < s->query->from_tick;
}

static void search_match(Search *s, uint64_t slice)
{
    s->count++;
    if (!s->has_edge || comes_first(s, slice, s->edge)) {
        s->has_edge = true;
        s->edge = slice;
    }
    if (!s->query->has_from && !s->query->has_from_tick) return;
    if (s->query->has_from && slice == s->query->from) {
        s->at_from = true;
        return;
    }
    bool is_before = stands_before(s, slice);
    if (is_before) s->before++;
    if (is_before == (s->query->move == FIND_NEXT)) return;
    if (!s->has_beyond || comes_first(s, slice, s->beyond)) {
        s->has_beyond = true;
        s->beyond = slice;
    }
}

static bool search_run(Search *s, Progress *progress, Err *err)
{
    const Trace *trace = s->trace;
    uint64_t     looked_at = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) { /* between rows of a trace that grows is nobody's room */
        const uint64_t first = trace->rows[r].first_slice, last = first + trace->rows[r].slice_count;
        for (uint64_t i = first; i < last; i++, looked_at++) {
            if (looked_at % CANCEL_STEP == 0 && progress_cancelled(progress))
                return err_set(err, ERR_CANCELLED, "stopped");
            if (s->label_matches[trace->slices.label[i]]) search_match(s, i);
        }
    }
    return true;
}

static FindResult search_result(const Search *s)
{
    FindResult result = { .count = s->count };
    if (s->count == 0) return result;
    result.found = true;
    if (s->has_beyond) {
        result.slice = s->beyond;
        result.index = s->query->move == FIND_NEXT ? s->before + (s->at_from ? 1 : 0) + 1 : s->before;
        return result;
    }
    result.slice = s->edge;
    result.wrapped = s->query->has_from || s->query->has_from_tick;
    result.index = s->query->move == FIND_NEXT ? 1 : s->count;
    return result;
}

bool find_text(const Trace *trace, const FindQuery *query, FindResult *result, Progress *progress, Err *err)
{
    size_t   labels_size = (size_t)trace->label_count + 1;
    uint8_t *matches = memory_map(labels_size);
    if (matches == NULL) return err_set(err, ERR_MEMORY, "out of memory for a search");
    for (uint32_t label = 1; label <= trace->label_count; label++) {
        if (filter_hides_label(query->filter, label)) continue;
        matches[label] = find_is_part(trace_label_name(trace, label), query->text) ||
                         find_is_part(trace_label_category(trace, label), query->text);
    }
    Search search = { .trace = trace, .query = query, .label_matches = matches };
    bool   done = search_run(&search, progress, err);
    if (done) *result = search_result(&search);
    memory_unmap(matches, labels_size);
    return done;
}

/* -- the same name -- */

static bool same_name(const Trace *trace, const Filter *filter, uint64_t a, uint64_t b)
{
    const uint32_t *label = trace->slices.label;
    if (filter_hides_label(filter, label[b])) return false;
    return label[a] == label[b] || trace->labels[label[a]].name.index == trace->labels[label[b]].name.index;
}

/* Looks through one row for something nearer to `slice` than *found. */
static void row_next_same(const Trace *trace, const Filter *filter, const Row *row, uint64_t slice, bool *has,
                          uint64_t *found)
{
    uint32_t at = row_lower_bound(trace, row, trace->slices.begin_tick[slice]);
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
    int64_t  begin = trace->slices.begin_tick[slice];
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
