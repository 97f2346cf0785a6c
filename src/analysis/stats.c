#include "analysis/stats.h"

#include "analysis/group_scan.h"
#include "analysis/percentiles.h"
#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Tally {
    const Trace      *trace;
    const StatsQuery *query;
    Arena            *arena;
    GroupScan         groups;
    uint32_t         *slots; /* owned pages, by name, category, track or process: index into rows + 1; 0 = none yet */
    StatsRow         *rows;
    uint32_t          row_count, row_capacity;
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

/* Returns the row of the i-th slice of a batch, made when it is new; NULL when out of memory. A path is new when it is
 * the latest node of the tree, so its row follows from its node. */
static StatsRow *row_of(Tally *t, const ScanBatch *batch, uint32_t i)
{
    const StatsGroup by = t->query->by;
    const uint32_t   key = t->groups.keys[i];
    const uint32_t   row = by == STATS_BY_PATH ? key : t->slots[key];
    if (LIKELY(row != 0 && row <= t->row_count)) return &t->rows[row - 1];
    if (t->row_count == t->row_capacity && !rows_grow(t)) return NULL;
    const uint32_t label = batch->columns[SCAN_SLICE_LABEL].u32[i];
    StatsRow      *made = &t->rows[t->row_count++];
    *made = (StatsRow){ .label = label, .min = UINT64_MAX };
    if (by == STATS_BY_NAME || by == STATS_BY_PATH) made->name = t->trace->labels[label].name;
    if (by == STATS_BY_CATEGORY) made->name = t->trace->labels[label].category;
    if (by == STATS_BY_TRACK) made->track = key;
    if (by == STATS_BY_PROCESS) made->process = key;
    if (by == STATS_BY_PATH) made->path = key;
    if (by != STATS_BY_PATH) t->slots[key] = t->row_count;
    assert(by != STATS_BY_PATH || key == t->row_count);
    return made;
}

/* -- counting -- */

static const uint64_t TALLY_COLUMNS = SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_LABEL) |
                                      SCAN_COLUMN(SCAN_SLICE_CLIPPED) | SCAN_COLUMN(SCAN_SLICE_SELF);
static const uint64_t LENGTH_COLUMNS = SCAN_COLUMN(SCAN_SLICE_LABEL) | SCAN_COLUMN(SCAN_SLICE_CLIPPED);
static const uint64_t CPU_COLUMNS = SCAN_COLUMN(SCAN_SLICE_CPU) | SCAN_COLUMN(SCAN_SLICE_DURATION);

static void row_add_cpu(StatsRow *row, uint64_t ticks, uint64_t duration, uint64_t cpu_ns)
{
    if (cpu_ns == UINT64_MAX) return;
    row->cpu_ns = u64_add_saturated(row->cpu_ns, scan_clipped_cpu(cpu_ns, ticks, duration));
    row->cpu_count++;
}

static bool tally_batch(Tally *t, const ScanBatch *batch)
{
    const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
    const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64, *self = batch->columns[SCAN_SLICE_SELF].u64;
    const uint64_t *cpu = batch->columns[SCAN_SLICE_CPU].u64, *durations = batch->columns[SCAN_SLICE_DURATION].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (t->groups.keys[i] == GROUP_HIDDEN) continue;
        StatsRow *row = row_of(t, batch, i);
        if (row == NULL) return false;
        if (row->count == 0 || ticks[i] > row->max) {
            row->max = ticks[i];
            row->longest = ids[i];
        }
        if (ticks[i] < row->min) row->min = ticks[i];
        if (cpu != NULL) row_add_cpu(row, ticks[i], durations[i], cpu[i]);
        row->count++;
        row->total = u64_add_saturated(row->total, ticks[i]);
        row->self = u64_add_saturated(row->self, self[i]);
    }
    return true;
}

static bool tally_slices(Tally *t, Progress *progress, Err *err)
{
    const uint64_t columns = TALLY_COLUMNS | (trace_has_cpu_times(t->trace) ? CPU_COLUMNS : 0);
    bool           done = group_scan_begin(&t->groups, t->trace, t->query, columns, t->arena, progress, err);
    for (const ScanBatch *batch; done && (batch = group_scan_next(&t->groups)) != NULL;)
        done = tally_batch(t, batch) || err_set(err, ERR_MEMORY, "out of memory for the table of names");
    return group_scan_end(&t->groups, progress, err) && done;
}

/* -- percentiles: all lengths, once it is known how many each row has -- */

/* Writes the lengths of all slices, row by row; `next` gives the place of each row's first one, and is then behind its
 * last one. */
static bool collect_lengths(Tally *t, uint64_t *lengths, uint64_t *next, Progress *progress, Err *err)
{
    const bool begun = group_scan_begin(&t->groups, t->trace, t->query, LENGTH_COLUMNS, t->arena, progress, err);
    for (const ScanBatch *batch; begun && (batch = group_scan_next(&t->groups)) != NULL;) {
        const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64;
        for (uint32_t i = 0; i < batch->count; i++) {
            if (t->groups.keys[i] != GROUP_HIDDEN) lengths[next[row_of(t, batch, i) - t->rows]++] = ticks[i];
        }
    }
    return group_scan_end(&t->groups, progress, err);
}

/* Returns the standard deviation of `count` > 0 lengths, to the nearest tick. */
static uint64_t deviation_of(const uint64_t *lengths, uint64_t count)
{
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += (double)lengths[i];
    for (uint64_t i = 0; i < count; i++) {
        const double difference = (double)lengths[i] - sum / (double)count;
        squares += difference * difference;
    }
    return (uint64_t)(sqrt(squares / (double)count) + 0.5); /* at most half the range of the lengths: it fits */
}

static void row_measure(StatsRow *row, uint64_t *lengths)
{
    static const unsigned PERCENTS[] = { 50, 90, 95, 99 };
    uint64_t              found[sizeof PERCENTS / sizeof PERCENTS[0]];
    row->deviation = deviation_of(lengths, row->count);
    percentiles_find(lengths, (size_t)row->count, PERCENTS, sizeof PERCENTS / sizeof PERCENTS[0], found);
    row->p50 = found[0];
    row->p90 = found[1];
    row->p95 = found[2];
    row->p99 = found[3];
}

static bool find_percentiles(Tally *t, Progress *progress, Err *err)
{
    uint64_t  count = 0, *next = ARENA_ARRAY(t->arena, uint64_t, t->row_count), *lengths = NULL;
    for (uint32_t i = 0; next != NULL && i < t->row_count; i++) {
        next[i] = count;
        count += t->rows[i].count;
    }
    if (next != NULL && count <= SIZE_MAX / sizeof *lengths) lengths = memory_map((size_t)count * sizeof *lengths);
    if (lengths == NULL) return err_set(err, ERR_MEMORY, "out of memory for the lengths of all slices");
    const bool done = collect_lengths(t, lengths, next, progress, err);
    for (uint32_t i = 0; done && i < t->row_count; i++)
        row_measure(&t->rows[i], lengths + (next[i] - t->rows[i].count));
    memory_unmap(lengths, (size_t)count * sizeof *lengths);
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
    if (a->row.track != b->row.track) return a->row.track < b->row.track ? -1 : 1;
    if (a->row.process != b->row.process) return a->row.process < b->row.process ? -1 : 1;
    return a->row.path < b->row.path ? -1 : 1;
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

void stats_append_name(const Trace *trace, StatsGroup by, const StatsRow *row, Bytes *out)
{
    if (by == STATS_BY_TRACK) {
        trace_track_title(trace, row->track, out);
    } else if (by != STATS_BY_PROCESS) {
        const StringView name = trace_string(trace, row->name);
        bytes_append(out, name.bytes, name.size);
    } else if (row->process != PROCESS_NONE.index) {
        trace_process_title(trace, row->process, out);
    }
}

bool stats_tally(const Trace *trace, const StatsQuery *query, Arena *arena, StatsTable *table,
                 Progress *progress, Err *err)
{
    /* Fresh pages are zero and cost nothing until they are touched, so that a trace with millions of names and a
     * range with three is cheap. */
    size_t keys = query->by == STATS_BY_TRACK     ? trace->track_count
                  : query->by == STATS_BY_PROCESS ? trace->process_count
                                                  : string_table_count(trace->strings);
    size_t slots_size = (keys + 1) * sizeof(uint32_t);
    Tally  t = { .trace = trace, .query = query, .arena = arena };
    t.slots = memory_map(slots_size);
    if (t.slots == NULL) return err_set(err, ERR_MEMORY, "out of memory for the table of names");

    bool done = tally_slices(&t, progress, err);
    if (done && query->with_percentiles && t.row_count > 0) done = find_percentiles(&t, progress, err);
    memory_unmap(t.slots, slots_size);
    if (!done) return false;
    if (t.row_count > 0 && !rows_sort(&t))
        return err_set(err, ERR_MEMORY, "out of memory for the table of names");

    *table = (StatsTable){ .rows = t.rows,
                           .row_count = t.row_count,
                           .left_out_tracks = scan_left_out_tracks(t.groups.scan),
                           .perspective = scan_perspective(t.groups.scan) };
    for (uint32_t i = 0; i < t.row_count; i++) {
        table->slice_count += t.rows[i].count;
        table->self_ticks = u64_add_saturated(table->self_ticks, t.rows[i].self);
    }
    return true;
}
