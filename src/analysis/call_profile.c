#include "analysis/call_profile.h"

#include "analysis/argument_keys.h"
#include "analysis/group_scan.h"
#include "analysis/ranks.h"
#include "base/checked.h"

#include <assert.h>

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the comparison");
}

void call_profile_release(CallProfile *profile)
{
    flame_release(&profile->paths);
    arena_release(&profile->arena);
    *profile = (CallProfile){ .rows = NULL };
}

uint32_t call_row_batches(const CallRow *row)
{
    if (row->count < RANK_LEAST) return 0;
    return row->count < RANK_MOST ? (uint32_t)row->count : RANK_MOST;
}

uint32_t call_row_sizes(const CallRow *row)
{
    uint32_t sizes = 0;
    if (row->count < RANK_LEAST) return 0;
    for (uint64_t most = row->count / call_row_batches(row); most > 0; most /= 2)
        sizes++;
    return sizes;
}

/* ---- rows ---- */

void call_profile_fill_node(CallProfile *profile, const CallRow *row)
{
    FlameNode *nodes = profile->paths.nodes, *node = &nodes[row->path];
    node->count = row->count;
    node->total = row->total;
    node->cpu_ns = row->cpu_ns;
    if (node->parent != 0) return;
    nodes[0].count = u64_add_saturated(nodes[0].count, row->count);
    nodes[0].total = u64_add_saturated(nodes[0].total, row->total);
    nodes[0].cpu_ns = u64_add_saturated(nodes[0].cpu_ns, row->cpu_ns);
}

typedef struct Batches Batches;
typedef enum { PROFILE_TALLIES, PROFILE_FILLS, PROFILE_DONE } ProfilePhase;

struct CallProfileCount {
    const Trace *trace;
    CallProfile *profile;
    Arena       *arena;
    ProfilePhase phase;
    StatsCount  *stats;   /* of the first phase */
    GroupScan    groups;  /* of the second phase: the same slices again */
    Batches     *batches; /* by row */
    uint32_t    *keys;    /* by the key of group_scan.h, the row's index + 1 */
    size_t       key_count;
    uint64_t     read; /* slices of the second phase */
};

/* Makes the rows of the profile. False: out of memory. */
static bool make_rows(CallProfile *profile, const StatsTable *counted)
{
    const StatsTable table = *counted;
    profile->rows = ARENA_ARRAY(&profile->arena, CallRow, (size_t)table.row_count + 1);
    if (profile->rows == NULL) return false;
    profile->row_count = table.row_count;
    profile->slice_count = table.slice_count;
    profile->perspective = table.perspective;
    for (uint32_t i = 0; i < table.row_count; i++) {
        const StatsRow *row = &table.rows[i];
        CallRow        *made = &profile->rows[profile->by == COMPARE_BY_PATH ? row->path - 1 : i];
        *made = (CallRow){ .name = row->name,
                           .path = row->path,
                           .label = row->label,
                           .count = row->count,
                           .total = row->total,
                           .self = row->self,
                           .p50 = row->p50,
                           .p99 = row->p99,
                           .cpu_ns = row->cpu_ns,
                           .longest = row->longest };
        if (profile->by == COMPARE_BY_PATH) call_profile_fill_node(profile, made);
    }
    assert(profile->by != COMPARE_BY_PATH || profile->row_count + 1 == profile->paths.node_count);
    return true;
}

/* ---- batches of calls ---- */

/* The batches of one row while its calls are read. */
struct Batches {
    uint64_t *sums;      /* CallRow.sums, or NULL */
    uint64_t  seen;      /* calls so far */
    uint64_t  next;      /* the call at which the next batch begins */
    uint64_t  sum, size; /* of the current batch so far */
    uint32_t  batch;     /* number of batches that have begun */
};

/* Adds the next call to the batches of a row. The first 2^k calls of each batch are the batch of this size. */
static void batches_add(Batches *batches, const CallRow *row, uint32_t batch_count, uint64_t self)
{
    if (batches->seen++ == batches->next) {
        batches->batch++;
        batches->next = batches->batch * row->count / batch_count;
        batches->sum = batches->size = 0;
    }
    u64_accumulate(&batches->sum, self);
    batches->size++;
    if ((batches->size & (batches->size - 1)) != 0) return;
    const uint32_t sizes = call_row_sizes(row);
    uint32_t       k = 0;
    while (batches->size >> (k + 1) != 0)
        k++;
    if (k < sizes) batches->sums[k * batch_count + batches->batch - 1] = batches->sum;
}

/* Gives each row room for its sums, and sets the keys of the rows. False: out of memory. */
static bool plan_batches(CallProfile *profile, Batches *batches, uint32_t *keys)
{
    for (uint32_t i = 0; i < profile->row_count; i++) {
        CallRow       *row = &profile->rows[i];
        const uint32_t sums = call_row_batches(row) * call_row_sizes(row);
        keys[profile->by == COMPARE_BY_PATH ? row->path : row->name.index] = i + 1;
        if (sums == 0) continue;
        row->sums = batches[i].sums = ARENA_ARRAY(&profile->arena, uint64_t, sums);
        if (row->sums == NULL) return false;
    }
    return true;
}

/* Prepares the second phase. False: err filled. */
static bool begin_batches(CallProfileCount *count, const StatsTable *table, Err *err)
{
    CallProfile *profile = count->profile;
    if (!make_rows(profile, table)) return no_memory(err);
    count->key_count = profile->by == COMPARE_BY_PATH ? profile->paths.node_count
                                                      : (size_t)string_table_count(profile->strings) + 1;
    count->keys = ARENA_ARRAY(count->arena, uint32_t, count->key_count);
    count->batches = ARENA_ARRAY(count->arena, Batches, (size_t)profile->row_count + 1);
    count->phase = PROFILE_FILLS;
    return (count->keys != NULL && count->batches != NULL &&
            plan_batches(profile, count->batches, count->keys)) ||
           no_memory(err);
}

static void fill_batch(CallProfileCount *count, const ScanBatch *batch)
{
    const uint64_t *self = batch->columns[SCAN_SLICE_SELF].u64;
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t key = count->groups.keys[i];
        if (key == GROUP_HIDDEN) continue;
        assert(key < count->key_count && count->keys[key] != 0);
        const uint32_t row = count->keys[key] - 1;
        if (count->batches[row].sums != NULL)
            batches_add(&count->batches[row], &count->profile->rows[row],
                        call_row_batches(&count->profile->rows[row]), self[i]);
    }
}

/* Reads the calls once more, at least `slices` of them. False: err filled. */
static bool fill_batches(CallProfileCount *count, uint64_t slices, Err *err)
{
    for (uint64_t left = slices; left > 0;) {
        const ScanBatch *batch = group_scan_next(&count->groups);
        if (batch == NULL) {
            count->phase = PROFILE_DONE;
            return group_scan_end(&count->groups, err);
        }
        fill_batch(count, batch);
        left -= batch->count < left ? batch->count : left;
        count->read += batch->count;
    }
    return true;
}

/* ---- steps ---- */

CallProfileCount *call_profile_begin(const Trace *trace, const StatsQuery *query, CompareBy by,
                                     CallProfile *profile, Arena *arena, Err *err)
{
    StatsQuery        counted = *query;
    CallProfileCount *count = ARENA_NEW(arena, CallProfileCount);
    *profile = (CallProfile){ .by = by,
                              .clock = trace->clock,
                              .strings = by == COMPARE_BY_ARGUMENT ? query->argument->values : trace->strings,
                              .arena = arena_create(0) };
    counted.by = by == COMPARE_BY_PATH       ? STATS_BY_PATH
                 : by == COMPARE_BY_ARGUMENT ? STATS_BY_ARGUMENT
                                             : STATS_BY_NAME;
    counted.paths = &profile->paths;
    bool done = count != NULL || no_memory(err);
    if (done) *count = (CallProfileCount){ .trace = trace, .profile = profile, .arena = arena };
    done = done && (by != COMPARE_BY_PATH || flame_create(trace->strings, &profile->paths, err)) &&
           (count->stats = stats_count_begin(trace, &counted, arena, err)) != NULL &&
           group_scan_begin(&count->groups, trace, &counted, SCAN_COLUMN(SCAN_SLICE_SELF), arena, err);
    if (done) return count;
    call_profile_end(count);
    return NULL;
}

bool call_profile_step(CallProfileCount *count, uint64_t slices, double *share, Err *err)
{
    StatsTable   table;
    const double most = (double)trace_slice_count(count->trace) + 1;
    assert(count->phase != PROFILE_DONE);
    if (count->phase == PROFILE_TALLIES) {
        if (!stats_count_step(count->stats, slices, share, &table, err)) return false;
        if (*share < 1) {
            *share *= 0.75;
            return true;
        }
        if (!begin_batches(count, &table, err)) return false;
    }
    if (!fill_batches(count, slices, err)) return false;
    const double part = 0.75 + 0.25 * (double)count->read / most;
    *share = count->phase == PROFILE_DONE ? 1 : part < 0.99 ? part : 0.99;
    return true;
}

void call_profile_end(CallProfileCount *count)
{
    if (count == NULL) return;
    stats_count_release(count->stats);
    flame_placer_release(&count->groups.placer);
    count->stats = NULL;
}

bool call_profile_make(const Trace *trace, const StatsQuery *query, CompareBy by, CallProfile *profile,
                       Err *err)
{
    Arena             arena = arena_create(0);
    CallProfileCount *count = call_profile_begin(trace, query, by, profile, &arena, err);
    double            share = 0;
    bool              done = count != NULL;
    while (done && share < 1)
        done = call_profile_step(count, UINT64_MAX, &share, err);
    call_profile_end(count);
    arena_release(&arena);
    return done;
}
