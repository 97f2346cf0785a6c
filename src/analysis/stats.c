#include "analysis/stats.h"

#include "analysis/percentiles.h"
#include "base/checked.h"
#include "base/wide.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many slices are looked at between two questions whether to stop. */
static const uint32_t CANCEL_STEP = 1 << 16;

typedef struct Tally {
    const Trace      *trace;
    const StatsQuery *query;
    Arena            *arena;
    uint32_t         *slots; /* owned pages, by name, category or track: index into rows + 1; 0 = none yet */
    StatsRow         *rows;
    uint32_t          row_count, row_capacity;
    uint32_t          left_out;       /* tracks of samples */
    uint8_t           perspective;    /* bit: tracks of others do not count; 0 = there is only one */
    bool              counts_repeats; /* slices with Label.is_repeat count */
    uint32_t          track;    /* that is looked at */
    uint64_t         *lengths;  /* owned pages: of the slices, row by row; NULL = they are counted yet */
    uint64_t         *next;     /* by row: behind its last one */
    Progress         *progress;
} Tally;

/* -- the table -- */

static bool rows_grow(Tally *t)
{
    uint32_t  capacity = t->row_capacity == 0 ? 64 : t->row_capacity * 2;
    StatsRow *rows = ARENA_ARRAY(t->arena, StatsRow, capacity);
    if (rows == NULL) return false;
    if (t->row_count > 0) memcpy(rows, t->rows, t->row_count * sizeof *rows);
    t->rows = rows;
    t->row_capacity = capacity;
    return true;
}

/* The row of a slice of the current track, made when it is new; NULL when out of memory. */
static StatsRow *row_of_slice(Tally *t, uint64_t slice)
{
    const StatsGroup by = t->query->by;
    uint32_t         label = t->trace->slices.label[slice];
    const Label     *labels = t->trace->labels;
    StringId         name = by == STATS_BY_NAME       ? labels[label].name
                            : by == STATS_BY_CATEGORY ? labels[label].category
                                                      : STRING_NONE;
    const uint32_t   track = by == STATS_BY_TRACK ? t->track : 0;
    uint32_t        *slot = &t->slots[by == STATS_BY_TRACK ? track : name.index];
    if (*slot == 0) {
        if (t->row_count == t->row_capacity && !rows_grow(t)) return NULL;
        t->rows[t->row_count] = (StatsRow){ .name = name, .label = label, .track = track, .min = UINT64_MAX };
        *slot = ++t->row_count;
    }
    return &t->rows[*slot - 1];
}

/* -- the range -- */

/* The part of a slice that lies inside the range. False: no moment of it does. */
static bool slice_clip(const Tally *t, uint64_t slice, int64_t *begin, int64_t *end)
{
    const StatsQuery *q = t->query;
    *begin = t->trace->slices.begin_tick[slice];
    *end = trace_slice_end(t->trace, slice);
    if (*begin >= q->end_tick) return false;
    if (*end <= q->begin_tick && *begin < q->begin_tick) return false;
    if (*begin < q->begin_tick) *begin = q->begin_tick;
    if (*end > q->end_tick) *end = q->end_tick;
    return true;
}

static uint64_t ticks_between(int64_t begin, int64_t end)
{
    return end <= begin ? 0 : (uint64_t)end - (uint64_t)begin;
}

/* First slice of the row, as an index into it, that may reach into the range. */
static uint32_t row_first_in_range(const Tally *t, const Row *row)
{
    uint32_t first = row_lower_bound(t->trace, row, t->query->begin_tick);
    return first > 0 ? first - 1 : 0; /* slices of a row do not overlap: only one can reach in */
}

/* True if the slice does not count: the filter hides it, or it repeats another one. */
static bool is_hidden(const Tally *t, uint64_t slice)
{
    if (!t->counts_repeats && trace_repeats_slice(t->trace, slice)) return true;
    return filter_hides_label(t->query->filter, t->trace->slices.label[slice]);
}

/* -- the scan -- */

/* Walks the row above along with a row, so that each slice's parent is found in one step. */
typedef struct ParentWalk {
    const Row *row; /* NULL at depth 0 */
    uint32_t   at;  /* index into the row */
} ParentWalk;

static ParentWalk parent_walk_begin(const Tally *t, uint32_t row_index)
{
    const Row *row = &t->trace->rows[row_index];
    if (row->depth == 0) return (ParentWalk){ .row = NULL };
    const Row *above = row - 1; /* rows stand by lane, then by depth */
    assert(above->track == row->track && above->lane == row->lane && above->depth + 1 == row->depth);
    return (ParentWalk){ .row = above, .at = row_first_in_range(t, above) };
}

static uint64_t parent_walk_to(const Tally *t, ParentWalk *walk, int64_t child_begin)
{
    const int64_t *begins = t->trace->slices.begin_tick + walk->row->first_slice;
    while (walk->at + 1 < walk->row->slice_count && begins[walk->at + 1] <= child_begin)
        walk->at++;
    return walk->row->first_slice + walk->at;
}

/* Takes the child's part off the self time of its parent; the sum of self may wrap on the way, not at the end. */
static bool parent_charge(Tally *t, ParentWalk *walk, int64_t child_begin, int64_t begin, int64_t end)
{
    uint64_t parent = parent_walk_to(t, walk, child_begin);
    int64_t  parent_begin, parent_end;
    if (is_hidden(t, parent) || !slice_clip(t, parent, &parent_begin, &parent_end)) return true;
    if (begin < parent_begin) begin = parent_begin;
    if (end > parent_end) end = parent_end;
    StatsRow *row = row_of_slice(t, parent);
    if (row == NULL) return false;
    row->self -= ticks_between(begin, end);
    return true;
}

static void row_count_slice(const Trace *trace, StatsRow *row, uint64_t slice, uint64_t ticks)
{
    if (row->count == 0 || ticks > row->max) {
        row->max = ticks;
        row->longest = slice;
    }
    if (ticks < row->min) row->min = ticks;
    uint64_t cpu_ns, duration = trace_slice_duration(trace, slice);
    if (trace_slice_cpu(trace, slice, &cpu_ns)) {
        if (ticks < duration) cpu_ns = wide_mul_div_u64(cpu_ns, ticks, duration);
        row->cpu_ns = u64_add_saturated(row->cpu_ns, cpu_ns);
        row->cpu_count++;
    }
    row->count++;
    row->total = u64_add_saturated(row->total, ticks);
    row->self += ticks;
}

static bool scan_row(Tally *t, uint32_t row_index, Err *err)
{
    const Row *row = &t->trace->rows[row_index];
    ParentWalk walk = parent_walk_begin(t, row_index);
    for (uint32_t i = row_first_in_range(t, row); i < row->slice_count; i++) {
        if (i % CANCEL_STEP == 0 && progress_cancelled(t->progress))
            return err_set(err, ERR_CANCELLED, "stopped");
        uint64_t slice = row->first_slice + i;
        int64_t  own_begin = t->trace->slices.begin_tick[slice];
        if (own_begin >= t->query->end_tick) break;
        int64_t begin, end;
        if (!slice_clip(t, slice, &begin, &end)) continue;
        const bool counts = t->lengths == NULL;
        if (counts && walk.row != NULL && !parent_charge(t, &walk, own_begin, begin, end))
            return err_set(err, ERR_MEMORY, "out of memory for the table of names");
        if (is_hidden(t, slice)) continue;
        StatsRow *name = row_of_slice(t, slice);
        if (name == NULL) return err_set(err, ERR_MEMORY, "out of memory for the table of names");
        if (counts) {
            row_count_slice(t->trace, name, slice, ticks_between(begin, end));
        } else {
            t->lengths[t->next[name - t->rows]++] = ticks_between(begin, end);
        }
    }
    return true;
}

static bool scan_track(Tally *t, uint32_t track_index, Err *err)
{
    const Track *track = &t->trace->tracks[track_index];
    t->track = track_index;
    for (uint32_t i = 0; i < track->row_count; i++) {
        if (!scan_row(t, track->first_row + i, err)) return false;
    }
    return true;
}

/* The i-th track that is asked for; 0 = it does not exist. */
static uint32_t asked_track(const Tally *t, uint32_t i)
{
    const StatsQuery *q = t->query;
    uint32_t          track = q->tracks == NULL ? i + 1 : q->tracks[i];
    return track > t->trace->track_count ? 0 : track;
}

static bool is_of_samples(const Tally *t, uint32_t track)
{
    return t->trace->tracks[track].kind == TRACK_SAMPLES;
}

static uint8_t perspectives_of(const Trace *trace, uint32_t track)
{
    return trace->processes[trace->tracks[track].process.index].perspectives;
}

/* Chooses the perspective to count: the usual one of the trace if the request has it, else the first of the request. */
static void choose_perspective(Tally *t, uint32_t count)
{
    const Trace *trace = t->trace;
    uint8_t      asked = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t track = asked_track(t, i);
        if (trace->tracks[track].slice_count > 0) asked |= perspectives_of(trace, track);
    }
    const uint8_t usual = asked & trace->perspective_counted;
    t->perspective = usual != 0 ? usual : (uint8_t)(asked & (0U - asked));
    t->counts_repeats = usual == 0;
}

static bool scan_tracks(Tally *t, Err *err)
{
    uint32_t count = t->query->tracks == NULL ? t->trace->track_count : t->query->track_count;
    bool     only_samples = true;
    for (uint32_t i = 0; i < count && only_samples; i++) {
        uint32_t track = asked_track(t, i);
        only_samples = track == 0 || is_of_samples(t, track) || t->trace->tracks[track].slice_count == 0;
    }
    choose_perspective(t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t track = asked_track(t, i);
        if (track == 0) continue;
        const uint8_t seen_from = perspectives_of(t->trace, track);
        if (seen_from != 0 && (seen_from & t->perspective) == 0) continue;
        if (is_of_samples(t, track) && !only_samples) {
            t->left_out += t->lengths == NULL && t->trace->tracks[track].slice_count > 0;
            continue;
        }
        if (!scan_track(t, track, err)) return false;
    }
    return true;
}

/* -- percentiles: all lengths, once it is known how many each row has -- */

static bool find_percentiles(Tally *t, Err *err)
{
    static const unsigned PERCENTS[] = { 50, 95, 99 };
    uint64_t              count = 0;
    t->next = ARENA_ARRAY(t->arena, uint64_t, t->row_count);
    for (uint32_t i = 0; t->next != NULL && i < t->row_count; i++) {
        t->next[i] = count;
        count += t->rows[i].count;
    }
    const bool fits = count <= SIZE_MAX / sizeof *t->lengths;
    t->lengths = t->next == NULL || !fits ? NULL : (uint64_t *)memory_map((size_t)count * sizeof *t->lengths);
    if (t->lengths == NULL) return err_set(err, ERR_MEMORY, "out of memory for the lengths of all slices");
    bool done = scan_tracks(t, err);
    for (uint32_t i = 0; done && i < t->row_count; i++) {
        StatsRow *row = &t->rows[i];
        uint64_t  found[3];
        percentiles_find(t->lengths + (t->next[i] - row->count), (size_t)row->count, PERCENTS, 3, found);
        row->p50 = found[0];
        row->p95 = found[1];
        row->p99 = found[2];
    }
    memory_unmap(t->lengths, (size_t)count * sizeof *t->lengths);
    return done;
}

/* -- the order -- */

/* What qsort needs to see: it passes no context along. */
typedef struct SortRow {
    StatsRow   row;
    StringView name;
} SortRow;

static int sort_row_compare(const void *left, const void *right)
{
    const SortRow *a = left, *b = right;
    if (a->row.total != b->row.total) return a->row.total > b->row.total ? -1 : 1;
    size_t shorter = a->name.size < b->name.size ? a->name.size : b->name.size;
    int    order = memcmp(a->name.bytes, b->name.bytes, shorter);
    if (order != 0) return order;
    if (a->name.size != b->name.size) return a->name.size < b->name.size ? -1 : 1;
    if (a->row.name.index != b->row.name.index) /* "" after no name */
        return a->row.name.index < b->row.name.index ? -1 : 1;
    return a->row.track < b->row.track ? -1 : 1;
}

static bool rows_sort(Tally *t)
{
    SortRow *sorted = ARENA_ARRAY(t->arena, SortRow, t->row_count);
    if (sorted == NULL) return false;
    for (uint32_t i = 0; i < t->row_count; i++)
        sorted[i] = (SortRow){ .row = t->rows[i], .name = trace_string(t->trace, t->rows[i].name) };
    qsort(sorted, t->row_count, sizeof *sorted, sort_row_compare);
    for (uint32_t i = 0; i < t->row_count; i++)
        t->rows[i] = sorted[i].row;
    return true;
}

bool stats_tally(const Trace *trace, const StatsQuery *query, Arena *arena, StatsTable *table,
                 Progress *progress, Err *err)
{
    /* Fresh pages are zero and cost nothing until they are touched, so that a trace with millions of names and a
     * range with three is cheap. */
    size_t keys = query->by == STATS_BY_TRACK ? trace->track_count : string_table_count(trace->strings);
    size_t slots_size = (keys + 1) * sizeof(uint32_t);
    Tally  t = { .trace = trace, .query = query, .arena = arena, .progress = progress };
    t.slots = memory_map(slots_size);
    if (t.slots == NULL) return err_set(err, ERR_MEMORY, "out of memory for the table of names");

    bool done = query->begin_tick >= query->end_tick || scan_tracks(&t, err);
    if (done && query->with_percentiles && t.row_count > 0) done = find_percentiles(&t, err);
    memory_unmap(t.slots, slots_size);
    if (!done) return false;
    if (t.row_count > 0 && !rows_sort(&t))
        return err_set(err, ERR_MEMORY, "out of memory for the table of names");

    *table = (StatsTable){ .rows = t.rows, .row_count = t.row_count, .left_out_tracks = t.left_out };
    for (uint32_t i = 0; i < trace->perspective_count; i++)
        if (t.perspective == 1U << i) table->perspective = trace->perspectives[i];
    for (uint32_t i = 0; i < t.row_count; i++) {
        table->slice_count += t.rows[i].count;
        table->self_ticks = u64_add_saturated(table->self_ticks, t.rows[i].self);
    }
    return true;
}
