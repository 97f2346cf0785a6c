#include "analysis/stats.h"

#include "analysis/argument_keys.h"
#include "analysis/group_scan.h"
#include "analysis/lengths.h"
#include "analysis/percentiles.h"
#include "base/checked.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum { STATS_READS, STATS_MEASURES, STATS_DONE } StatsPhase;

/* The part of a row that is read and written for each slice. */
typedef struct Tally {
    Lengths  lengths;
    uint64_t self;
    uint64_t max;
} Tally;

struct StatsCount {
    const Trace *trace;
    StatsQuery   query; /* without the filter */
    Arena       *arena;
    StatsPhase   phase;
    GroupScan    groups;
    size_t       slots_size;
    /* owned pages, by name, category, track or process: index into rows + 1; 0 = none yet */
    uint32_t *slots;
    StatsRow *rows;
    Tally    *tallies; /* by row */
    uint32_t  row_count, row_capacity, tally_capacity;
    Arena     blocks;       /* of Tally.lengths */
    uint64_t *lengths;      /* those of one row; owned pages */
    uint64_t  lengths_most; /* their limit */
    /* the limit of slices, and the slices read by each phase */
    uint64_t most, counted, measured;
    uint32_t measured_rows;
};

/* -- the table -- */

/* Makes a row for the i-th slice of a batch. Returns its index + 1, or 0 when out of memory. */
static NOINLINE uint32_t row_make(StatsCount *t, const ScanBatch *batch, uint32_t i)
{
    const StatsGroup by = t->query.by;
    const uint32_t   key = t->groups.keys[i];
    StatsRow        *rows = arena_grow(t->arena, t->rows, t->row_count, &t->row_capacity, sizeof *rows);
    if (rows == NULL) return 0;
    t->rows = rows;
    Tally *tallies = arena_grow(t->arena, t->tallies, t->row_count, &t->tally_capacity, sizeof *tallies);
    if (tallies == NULL) return 0;
    t->tallies = tallies;
    const uint32_t label = batch->columns[SCAN_SLICE_LABEL].u32[i];
    StatsRow      *made = &t->rows[t->row_count++];
    *made = (StatsRow){ .key = key, .label = label };
    made->longest = batch->columns[SCAN_SLICE_ID].u64[i];
    if (by == STATS_BY_NAME || by == STATS_BY_PATH) made->name = t->trace->labels[label].name;
    if (by == STATS_BY_ARGUMENT) made->name = (StringId){ key };
    if (by == STATS_BY_CATEGORY) made->name = t->trace->labels[label].category;
    if (by == STATS_BY_TRACK) made->track = key;
    if (by == STATS_BY_PROCESS) made->process = key;
    if (by == STATS_BY_PATH) made->path = key;
    if (by != STATS_BY_PATH) t->slots[key] = t->row_count;
    assert(by != STATS_BY_PATH || key == t->row_count);
    return t->row_count;
}

/* -- reading -- */

static const uint64_t TALLY_COLUMNS = SCAN_COLUMN(SCAN_SLICE_ID) | SCAN_COLUMN(SCAN_SLICE_LABEL) |
                                      SCAN_COLUMN(SCAN_SLICE_CLIPPED) | SCAN_COLUMN(SCAN_SLICE_SELF);
static const uint64_t CPU_COLUMNS = SCAN_COLUMN(SCAN_SLICE_CPU) | SCAN_COLUMN(SCAN_SLICE_DURATION);

static void row_add_cpu(StatsRow *row, uint64_t ticks, uint64_t duration, uint64_t cpu_ns)
{
    if (cpu_ns == UINT64_MAX) return;
    row->cpu_ns = u64_add_saturated(row->cpu_ns, scan_clipped_cpu(cpu_ns, ticks, duration));
    row->cpu_count++;
}

/* Adds the slices of a batch to their rows, which are made if they are new. False when out of memory. A path is new when it is
 * the latest node of the tree, so its row follows from its node. */
static bool tally_batch(StatsCount *t, const ScanBatch *batch)
{
    const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
    const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64,
                   *self = batch->columns[SCAN_SLICE_SELF].u64;
    const uint64_t *cpu = batch->columns[SCAN_SLICE_CPU].u64,
                   *durations = batch->columns[SCAN_SLICE_DURATION].u64;
    const uint32_t *slots = t->query.by == STATS_BY_PATH ? NULL : t->slots, *keys = t->groups.keys;
    const uint32_t  count = batch->count;
    Tally          *tallies = t->tallies; /* the members of *t are not read again for each slice */
    uint32_t        row_count = t->row_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = keys[i];
        if (key == GROUP_HIDDEN) continue;
        uint32_t row = slots == NULL ? key : slots[key];
        if (UNLIKELY(row == 0 || row > row_count)) {
            row = row_make(t, batch, i);
            if (row == 0) return false;
            tallies = t->tallies;
            row_count = t->row_count;
        }
        Tally         *tally = &tallies[row - 1];
        const uint64_t length = ticks[i];
        if (UNLIKELY(length > tally->max)) {
            tally->max = length;
            t->rows[row - 1].longest = ids[i];
        }
        tally->self = u64_add_saturated(tally->self, self[i]);
        if (!lengths_append(&tally->lengths, &t->blocks, length)) return false;
        if (cpu != NULL) row_add_cpu(&t->rows[row - 1], length, durations[i], cpu[i]);
    }
    return true;
}

/* -- measuring: the lengths of each row -- */

/* Takes memory for the lengths of the longest row. False: err filled. */
static bool begin_lengths(StatsCount *t, Err *err)
{
    for (uint32_t i = 0; i < t->row_count; i++) {
        const uint64_t words = lengths_words(&t->tallies[i].lengths);
        if (words > t->lengths_most) t->lengths_most = words;
    }
    if (t->lengths_most <= SIZE_MAX / sizeof(uint64_t))
        t->lengths = (uint64_t *)memory_map((size_t)t->lengths_most * sizeof(uint64_t));
    return t->lengths != NULL || err_set(err, ERR_MEMORY, "out of memory for the lengths of all slices");
}

/* Sets the sum, the least and the greatest of the lengths of a row. */
static void add_up(StatsRow *row, const uint64_t *lengths, uint64_t max)
{
    row->max = max;
    row->min = max;
    if (max > UINT32_MAX) { /* the sum can be too large */
        for (uint64_t i = 0; i < row->count; i++) {
            if (lengths[i] < row->min) row->min = lengths[i];
            row->total = u64_add_saturated(row->total, lengths[i]);
        }
        return;
    }
    uint32_t min = UINT32_MAX;
    uint64_t total = 0;
    for (uint64_t i = 0; i < row->count; i++) {
        const uint32_t length = (uint32_t)lengths[i];
        min = length < min ? length : min;
        total += lengths[i];
    }
    row->min = min;
    row->total = total;
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

enum { SUMS = 4 }; /* independent, so that they are added at the same time */

/* Adds the squares of the deviations of SUMS lengths, whose differences to the least are less than 2^52: with the bits of
 * 2^52 they are doubles, which vector instructions without a conversion of 64-bit numbers can make. */
static inline void add_squares(const uint64_t *lengths, uint64_t min, double average, double *squares)
{
    const double   base = 0x1p52;
    const uint64_t base_bits = UINT64_C(0x4330000000000000);
    double         values[SUMS];
    uint64_t       bits[SUMS];
    for (unsigned k = 0; k < SUMS; k++)
        bits[k] = (lengths[k] - min) | base_bits;
    memcpy(values, bits, sizeof values);
    for (unsigned k = 0; k < SUMS; k++) {
        const double difference = (values[k] - base) - average;
        squares[k] += difference * difference;
    }
}

/* Returns the standard deviation of the lengths of a row, to the nearest tick. Differences to the least length keep the
 * digits that a length of more than 2^53 ticks loses in a double. */
static uint64_t deviation_of(const StatsRow *row, const uint64_t *lengths)
{
    const double   average = sum_of_differences(row, lengths) / (double)row->count;
    const uint64_t count = row->count, min = row->min;
    const bool     is_short = row->max - min < UINT64_C(1) << 52;
    double         squares[SUMS] = { 0 };
    uint64_t       i = 0;
    for (; is_short && count - i >= SUMS; i += SUMS)
        add_squares(lengths + i, min, average, squares);
    for (; i < count; i++) {
        const double difference = (double)(lengths[i] - min) - average;
        squares[is_short ? 0 : i % SUMS] += difference * difference;
    }
    const double sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    /* at most half the range of the lengths: it fits */
    return (uint64_t)(sqrt(sum / (double)count) + 0.5);
}

static void row_measure(StatsRow *row, const Tally *tally, uint64_t *lengths)
{
    static const unsigned PERCENTS[] = { 50, 90, 95, 99 };
    uint64_t              found[sizeof PERCENTS / sizeof PERCENTS[0]];
    row->count = lengths_copy(&tally->lengths, lengths);
    row->self = tally->self;
    add_up(row, lengths, tally->max);
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
        t->blocks = arena_create(0);
    }
    bool done =
        (t != NULL && t->slots != NULL) || err_set(err, ERR_MEMORY, "out of memory for the table of names");
    done = done && group_scan_begin(&t->groups, trace, query, columns, arena, err);
    if (done) return t;
    stats_count_release(t);
    return NULL;
}

void stats_count_release(StatsCount *t)
{
    if (t == NULL) return;
    flame_placer_release(&t->groups.placer);
    arena_release(&t->blocks);
    memory_unmap(t->slots, t->slots_size);
    memory_unmap(t->lengths, (size_t)t->lengths_most * sizeof *t->lengths);
    t->slots = NULL;
    t->lengths = NULL;
}

/* Ends the reading. False: err filled. */
static bool end_reading(StatsCount *t, Err *err)
{
    if (!group_scan_end(&t->groups, err)) return false;
    t->phase = t->row_count > 0 ? STATS_MEASURES : STATS_DONE;
    return t->phase == STATS_DONE || begin_lengths(t, err);
}

/* Reads batches, and takes their slices off *left until none are left. False: err filled. */
static bool read_slices(StatsCount *t, uint64_t *left, Err *err)
{
    while (*left > 0) {
        const ScanBatch *batch = group_scan_next(&t->groups);
        if (batch == NULL) return end_reading(t, err);
        if (!tally_batch(t, batch)) return err_set(err, ERR_MEMORY, "out of memory for the table of names");
        *left -= batch->count < *left ? batch->count : *left;
        t->counted += batch->count;
    }
    return true;
}

/* Measures rows, and takes their lengths off *left until none are left. */
static void measure_rows(StatsCount *t, uint64_t *left)
{
    for (; *left > 0 && t->measured_rows < t->row_count; t->measured_rows++) {
        StatsRow *row = &t->rows[t->measured_rows];
        row_measure(row, &t->tallies[t->measured_rows], t->lengths);
        *left -= row->count < *left ? row->count : *left;
        t->measured += row->count;
    }
    if (t->measured_rows == t->row_count) t->phase = STATS_DONE;
}

/* Returns the part of the work that is done; 1 only at the end. */
static double share_of(const StatsCount *t)
{
    const double most = (double)(t->most == 0 ? 1 : t->most) * 2;
    const double done = (double)(t->counted + t->measured) / most;
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
