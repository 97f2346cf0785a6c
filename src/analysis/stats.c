#include "analysis/stats.h"

#include "analysis/argument_keys.h"
#include "analysis/group_scan.h"
#include "analysis/percentiles.h"
#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { STATS_COUNTS, STATS_COLLECTS, STATS_MEASURES, STATS_DONE } StatsPhase;

struct StatsCount {
    const Trace *trace;
    StatsQuery   query; /* without the filter */
    Arena       *arena;
    StatsPhase   phase;
    GroupScan    groups;
    GroupScan    again; /* with percentiles: the same slices a second time */
    size_t       slots_size;
    /* owned pages, by name, category, track or process: index into rows + 1; 0 = none yet */
    uint32_t *slots;
    StatsRow *rows;
    uint32_t  row_count, row_capacity;
    /* The lengths of all slices, row by row; owned pages. 32-bit if all fit: half of the memory, and of its page faults. */
    uint64_t *lengths;
    uint32_t *short_lengths;
    uint64_t *row_lengths; /* with short_lengths: those of one row; owned pages */
    uint64_t  row_most;    /* the count of the row that has most */
    uint64_t *next;        /* by row: the place of its next length; in the end behind its last one */
    uint64_t  slice_count; /* slices that count: the number of lengths */
    /* the limit of slices, and the slices read by each phase */
    uint64_t most, counted, collected, measured;
    uint32_t measured_rows;
};

/* -- the table -- */

/* Returns the row of the i-th slice of a batch, made when it is new; NULL when out of memory. A path is new when it is
 * the latest node of the tree, so its row follows from its node. */
static StatsRow *row_of(StatsCount *t, const ScanBatch *batch, uint32_t i)
{
    const StatsGroup by = t->query.by;
    const uint32_t   key = t->groups.keys[i];
    const uint32_t   row = by == STATS_BY_PATH ? key : t->slots[key];
    if (LIKELY(row != 0 && row <= t->row_count)) return &t->rows[row - 1];
    StatsRow *rows = arena_grow(t->arena, t->rows, t->row_count, &t->row_capacity, sizeof *rows);
    if (rows == NULL) return NULL;
    t->rows = rows;
    const uint32_t label = batch->columns[SCAN_SLICE_LABEL].u32[i];
    StatsRow      *made = &t->rows[t->row_count++];
    *made = (StatsRow){ .key = key, .label = label, .min = UINT64_MAX };
    made->longest = batch->columns[SCAN_SLICE_ID].u64[i];
    if (by == STATS_BY_NAME || by == STATS_BY_PATH) made->name = t->trace->labels[label].name;
    if (by == STATS_BY_ARGUMENT) made->name = (StringId){ key };
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
static const uint64_t LENGTH_COLUMNS = SCAN_COLUMN(SCAN_SLICE_CLIPPED);
static const uint64_t CPU_COLUMNS = SCAN_COLUMN(SCAN_SLICE_CPU) | SCAN_COLUMN(SCAN_SLICE_DURATION);

static void row_add_cpu(StatsRow *row, uint64_t ticks, uint64_t duration, uint64_t cpu_ns)
{
    if (cpu_ns == UINT64_MAX) return;
    row->cpu_ns = u64_add_saturated(row->cpu_ns, scan_clipped_cpu(cpu_ns, ticks, duration));
    row->cpu_count++;
}

static bool tally_batch(StatsCount *t, const ScanBatch *batch)
{
    const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
    const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64,
                   *self = batch->columns[SCAN_SLICE_SELF].u64;
    const uint64_t *cpu = batch->columns[SCAN_SLICE_CPU].u64,
                   *durations = batch->columns[SCAN_SLICE_DURATION].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (t->groups.keys[i] == GROUP_HIDDEN) continue;
        StatsRow *row = row_of(t, batch, i);
        if (row == NULL) return false;
        if (ticks[i] > row->max) {
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

/* -- percentiles: all lengths, once it is known how many each row has -- */

/* Maps pages for this many lengths, or returns NULL. */
static void *map_lengths(uint64_t count, size_t size)
{
    return count > SIZE_MAX / size ? NULL : memory_map((size_t)count * size);
}

/* Takes memory for the lengths of all slices. False: err filled. */
static bool begin_lengths(StatsCount *t, Err *err)
{
    t->next = ARENA_ARRAY(t->arena, uint64_t, t->row_count);
    uint64_t longest = 0;
    for (uint32_t i = 0; t->next != NULL && i < t->row_count; i++) {
        const StatsRow *row = &t->rows[i];
        t->next[i] = t->slice_count;
        t->slice_count += row->count;
        if (row->count > t->row_most) t->row_most = row->count;
        if (row->max > longest) longest = row->max;
    }
    if (t->next != NULL && longest > UINT32_MAX) {
        t->lengths = (uint64_t *)map_lengths(t->slice_count, sizeof(uint64_t));
    } else if (t->next != NULL) {
        t->short_lengths = (uint32_t *)map_lengths(t->slice_count, sizeof(uint32_t));
        t->row_lengths = (uint64_t *)map_lengths(t->row_most, sizeof(uint64_t));
    }
    return t->lengths != NULL || (t->short_lengths != NULL && t->row_lengths != NULL) ||
           err_set(err, ERR_MEMORY, "out of memory for the lengths of all slices");
}

/* Sets the place of each length of a batch from `first` on, up to `end`, and prefetches it: they are in as many pages as
 * there are rows. */
static void take_places(StatsCount *t, uint32_t first, uint32_t end, uint64_t *places)
{
    const bool by_path = t->query.by == STATS_BY_PATH;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t key = t->again.keys[i];
        if (key == GROUP_HIDDEN) continue;
        const uint64_t place = t->next[(by_path ? key : t->slots[key]) - 1]++;
        places[i - first] = place;
        if (t->short_lengths != NULL) {
            PREFETCH(&t->short_lengths[place]);
        } else {
            PREFETCH(&t->lengths[place]);
        }
    }
}

static void collect_batch(StatsCount *t, const ScanBatch *batch)
{
    enum { AT_ONCE = 256 };
    const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64;
    uint64_t        places[AT_ONCE];
    for (uint32_t first = 0; first < batch->count; first += AT_ONCE) {
        const uint32_t end = batch->count - first < AT_ONCE ? batch->count : first + AT_ONCE;
        take_places(t, first, end, places);
        for (uint32_t i = first; i < end; i++) {
            if (t->again.keys[i] == GROUP_HIDDEN) continue;
            if (t->short_lengths != NULL) {
                t->short_lengths[places[i - first]] = (uint32_t)ticks[i];
            } else {
                t->lengths[places[i - first]] = ticks[i];
            }
        }
    }
}

/* Returns the lengths of a row after all are collected: valid until the call for another row. */
static uint64_t *lengths_of(const StatsCount *t, uint32_t row)
{
    const uint64_t count = t->rows[row].count, first = t->next[row] - count;
    if (t->lengths != NULL) return t->lengths + first;
    for (uint64_t i = 0; i < count; i++)
        t->row_lengths[i] = t->short_lengths[first + i];
    return t->row_lengths;
}

/* Returns the sum of the differences of the lengths to the least one. */
static double sum_of_differences(const StatsRow *row, const uint64_t *lengths)
{
    double sum = 0;
    if (row->total != UINT64_MAX) return (double)(row->total - row->count * row->min);
    for (uint64_t i = 0; i < row->count; i++) /* the total is cut */
        sum += (double)(lengths[i] - row->min);
    return sum;
}

/* Returns the standard deviation of the lengths of a row, to the nearest tick. Differences to the least length keep the
 * digits that a length of more than 2^53 ticks loses in a double. */
static uint64_t deviation_of(const StatsRow *row, const uint64_t *lengths)
{
    enum { SUMS = 4 }; /* independent, so that they are added at the same time */
    const double average = sum_of_differences(row, lengths) / (double)row->count;
    double       squares[SUMS] = { 0 };
    uint64_t     i = 0;
    for (; row->count - i >= SUMS; i += SUMS) {
        for (uint64_t k = 0; k < SUMS; k++) {
            const double difference = (double)(lengths[i + k] - row->min) - average;
            squares[k] += difference * difference;
        }
    }
    for (; i < row->count; i++) {
        const double difference = (double)(lengths[i] - row->min) - average;
        squares[0] += difference * difference;
    }
    const double sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    /* at most half the range of the lengths: it fits */
    return (uint64_t)(sqrt(sum / (double)row->count) + 0.5);
}

static void row_measure(StatsRow *row, uint64_t *lengths)
{
    static const unsigned PERCENTS[] = { 50, 90, 95, 99 };
    uint64_t              found[sizeof PERCENTS / sizeof PERCENTS[0]];
    row->deviation = deviation_of(row, lengths);
    percentiles_find(lengths, (size_t)row->count, PERCENTS, sizeof PERCENTS / sizeof PERCENTS[0], found);
    row->p50 = found[0];
    row->p90 = found[1];
    row->p95 = found[2];
    row->p99 = found[3];
}

/* -- the order -- */

/* A row and its most frequent sort keys: qsort passes no context to the comparison. */
typedef struct SortRow {
    uint64_t        total;
    StringView      name;
    const StatsRow *row;
} SortRow;

static int sort_row_compare(const void *left, const void *right)
{
    const SortRow *a = left, *b = right;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    const int order = string_compare(a->name, b->name);
    if (order != 0) return order;
    const StatsRow *x = a->row, *y = b->row;
    if (x->name.index != y->name.index) return x->name.index < y->name.index ? -1 : 1; /* "" after no name */
    if (x->track != y->track) return x->track < y->track ? -1 : 1;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return x->path < y->path ? -1 : 1;
}

StringView stats_name(const Trace *trace, const StatsQuery *query, const StatsRow *row)
{
    const bool is_value = query->by == STATS_BY_ARGUMENT;
    return string_table_view(is_value ? query->argument->values : trace->strings, row->name);
}

/* Moves each row to the place of its SortRow, in place: a table of a million rows takes 128 MB. */
static void rows_move(StatsRow *rows, SortRow *sorted, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (sorted[i].row == NULL) continue; /* moved already */
        const StatsRow first = rows[i];
        uint32_t       at = i, from;
        while ((from = (uint32_t)(sorted[at].row - rows)) != i) {
            rows[at] = rows[from];
            sorted[at].row = NULL;
            at = from;
        }
        rows[at] = first;
        sorted[at].row = NULL;
    }
}

static bool rows_sort(StatsCount *t)
{
    SortRow *sorted = (SortRow *)arena_push_own(t->arena, t->row_count, sizeof *sorted);
    if (sorted == NULL) return false;
    for (uint32_t i = 0; i < t->row_count; i++)
        sorted[i] = (SortRow){ .total = t->rows[i].total,
                               .name = stats_name(t->trace, &t->query, &t->rows[i]),
                               .row = &t->rows[i] };
    qsort(sorted, t->row_count, sizeof *sorted, sort_row_compare);
    rows_move(t->rows, sorted, t->row_count);
    arena_give_back(t->arena, sorted, t->row_count, sizeof *sorted);
    return true;
}

void stats_append_name(const Trace *trace, const StatsQuery *query, const StatsRow *row, Bytes *out)
{
    if (query->by == STATS_BY_TRACK) {
        trace_track_title(trace, row->track, out);
    } else if (query->by != STATS_BY_PROCESS) {
        const StringView name = stats_name(trace, query, row);
        bytes_append(out, name.bytes, name.size);
    } else if (row->process != PROCESS_NONE.index) {
        trace_process_title(trace, row->process, out);
    }
}

/* -- steps -- */

/* Returns the highest possible key of a group that is not a path. */
static size_t key_count(const Trace *trace, StatsGroup by)
{
    if (by == STATS_BY_TRACK) return trace->track_count;
    if (by == STATS_BY_PROCESS) return trace->process_count;
    if (by == STATS_BY_ARGUMENT) return (size_t)trace_slice_count(trace); /* each slice has one value */
    return string_table_count(trace->strings);
}

StatsCount *stats_count_begin(const Trace *trace, const StatsQuery *query, Arena *arena, Err *err)
{
    /* Fresh pages are zero and cost nothing until they are touched, so that a trace with millions of names and a
     * range with three is cheap. */
    const size_t   keys = key_count(trace, query->by);
    const uint64_t columns = TALLY_COLUMNS | (trace_has_cpu_times(trace) ? CPU_COLUMNS : 0);
    StatsCount    *t = ARENA_NEW(arena, StatsCount);
    if (t != NULL) {
        *t = (StatsCount){ .trace = trace, .query = *query, .arena = arena };
        t->slots_size = (keys + 1) * sizeof(uint32_t);
        t->most = trace_slice_count(trace);
        t->query.part.filter = NULL;
        t->slots = memory_map(t->slots_size);
    }
    bool done =
        (t != NULL && t->slots != NULL) || err_set(err, ERR_MEMORY, "out of memory for the table of names");
    done = done && group_scan_begin(&t->groups, trace, query, columns, arena, err);
    if (query->with_percentiles)
        done = done && group_scan_begin(&t->again, trace, query, LENGTH_COLUMNS, arena, err);
    if (done) return t;
    stats_count_release(t);
    return NULL;
}

void stats_count_release(StatsCount *t)
{
    if (t == NULL) return;
    flame_placer_release(&t->groups.placer);
    flame_placer_release(&t->again.placer);
    memory_unmap(t->slots, t->slots_size);
    memory_unmap(t->lengths, (size_t)t->slice_count * sizeof *t->lengths);
    memory_unmap(t->short_lengths, (size_t)t->slice_count * sizeof *t->short_lengths);
    memory_unmap(t->row_lengths, (size_t)t->row_most * sizeof *t->row_lengths);
    t->slots = NULL;
    t->lengths = t->row_lengths = NULL;
    t->short_lengths = NULL;
}

/* Ends a phase of reading, which `groups` has read to its end. False: err filled. */
static bool end_reading(StatsCount *t, GroupScan *groups, Err *err)
{
    if (!group_scan_end(groups, err)) return false;
    if (t->phase == STATS_COLLECTS) {
        t->phase = STATS_MEASURES;
        return true;
    }
    t->phase = t->query.with_percentiles && t->row_count > 0 ? STATS_COLLECTS : STATS_DONE;
    return t->phase == STATS_DONE || begin_lengths(t, err);
}

/* Reads batches of the phase, and takes their slices off *left until none are left. False: err filled. */
static bool read_slices(StatsCount *t, uint64_t *left, Err *err)
{
    const StatsPhase phase = t->phase;
    GroupScan       *groups = phase == STATS_COUNTS ? &t->groups : &t->again;
    uint64_t        *total = phase == STATS_COUNTS ? &t->counted : &t->collected;
    while (*left > 0) {
        const ScanBatch *batch = group_scan_next(groups);
        if (batch == NULL) return end_reading(t, groups, err);
        if (phase == STATS_COLLECTS)
            collect_batch(t, batch);
        else if (!tally_batch(t, batch))
            return err_set(err, ERR_MEMORY, "out of memory for the table of names");
        *left -= batch->count < *left ? batch->count : *left;
        *total += batch->count;
    }
    return true;
}

/* Measures rows, and takes their lengths off *left until none are left. */
static void measure_rows(StatsCount *t, uint64_t *left)
{
    for (; *left > 0 && t->measured_rows < t->row_count; t->measured_rows++) {
        StatsRow *row = &t->rows[t->measured_rows];
        row_measure(row, lengths_of(t, t->measured_rows));
        *left -= row->count < *left ? row->count : *left;
        t->measured += row->count;
    }
    if (t->measured_rows == t->row_count) t->phase = STATS_DONE;
}

/* Returns the part of the work that is done; 1 only at the end. */
static double share_of(const StatsCount *t)
{
    const double most = (double)(t->most == 0 ? 1 : t->most) * (t->query.with_percentiles ? 3 : 1);
    const double done = (double)(t->counted + t->collected + t->measured) / most;
    return t->phase == STATS_DONE ? 1 : done < 0.99 ? done : 0.99;
}

static bool make_table(StatsCount *t, StatsTable *table, Err *err)
{
    if (t->row_count > 0 && !rows_sort(t))
        return err_set(err, ERR_MEMORY, "out of memory for the table of names");
    *table = (StatsTable){ .rows = t->rows,
                           .row_count = t->row_count,
                           .left_out_tracks = scan_left_out_tracks(t->groups.scan),
                           .perspective = scan_perspective(t->groups.scan) };
    for (uint32_t i = 0; i < t->row_count; i++) {
        table->slice_count += t->rows[i].count;
        table->self_ticks = u64_add_saturated(table->self_ticks, t->rows[i].self);
    }
    return true;
}

bool stats_count_step(StatsCount *t, uint64_t slices, double *share, StatsTable *table, Err *err)
{
    assert(t->phase != STATS_DONE);
    for (uint64_t left = slices; left > 0 && t->phase != STATS_DONE;) {
        if (t->phase == STATS_MEASURES)
            measure_rows(t, &left);
        else if (!read_slices(t, &left, err))
            return false;
    }
    *share = share_of(t);
    return t->phase != STATS_DONE || make_table(t, table, err);
}

bool stats_tally(const Trace *trace, const StatsQuery *query, Arena *arena, StatsTable *table, Err *err)
{
    StatsCount *count = stats_count_begin(trace, query, arena, err);
    double      share = 0;
    bool        done = count != NULL;
    while (done && share < 1)
        done = stats_count_step(count, UINT64_MAX, &share, table, err);
    stats_count_release(count);
    return done;
}
