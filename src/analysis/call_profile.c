#include "analysis/call_profile.h"

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

static bool tally_rows(const Trace *trace, const StatsQuery *query, CallProfile *profile, Progress *progress, Err *err)
{
    StatsTable table;
    if (!stats_tally(trace, query, &profile->arena, &table, progress, err)) return false;
    profile->rows = ARENA_ARRAY(&profile->arena, CallRow, (size_t)table.row_count + 1);
    if (profile->rows == NULL) return no_memory(err);
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
    assert(profile->by == COMPARE_BY_NAME || profile->row_count + 1 == profile->paths.node_count);
    return true;
}

/* ---- batches of calls ---- */

/* The batches of one row while its calls are read. */
typedef struct Batches {
    uint64_t *sums; /* CallRow.sums, or NULL */
    uint64_t  seen; /* calls so far */
    uint64_t  next; /* the call at which the next batch begins */
    uint64_t  sum, size; /* of the current batch so far */
    uint32_t  batch;     /* number of batches that have begun */
} Batches;

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

/* Gives each row room for its sums. `keys`: by the key of group_scan.h, the row's index + 1. */
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

/* Reads the calls once more. `arena` is for this function alone. */
static bool fill_batches(const Trace *trace, const StatsQuery *query, CallProfile *profile, Arena *arena,
                         Progress *progress, Err *err)
{
    const size_t key_count = profile->by == COMPARE_BY_PATH ? profile->paths.node_count
                                                            : (size_t)string_table_count(trace->strings) + 1;
    uint32_t    *keys = ARENA_ARRAY(arena, uint32_t, key_count);
    Batches     *batches = ARENA_ARRAY(arena, Batches, (size_t)profile->row_count + 1);
    GroupScan    groups;
    if (keys == NULL || batches == NULL || !plan_batches(profile, batches, keys)) return no_memory(err);
    const bool begun =
        group_scan_begin(&groups, trace, query, SCAN_COLUMN(SCAN_SLICE_SELF), arena, progress, err);
    for (const ScanBatch *batch; begun && (batch = group_scan_next(&groups)) != NULL;) {
        const uint64_t *self = batch->columns[SCAN_SLICE_SELF].u64;
        for (uint32_t i = 0; i < batch->count; i++) {
            if (groups.keys[i] == GROUP_HIDDEN) continue;
            assert(groups.keys[i] < key_count && keys[groups.keys[i]] != 0);
            const uint32_t row = keys[groups.keys[i]] - 1;
            if (batches[row].sums != NULL)
                batches_add(&batches[row], &profile->rows[row], call_row_batches(&profile->rows[row]), self[i]);
        }
    }
    return group_scan_end(&groups, progress, err);
}

bool call_profile_make(const Trace *trace, const StatsQuery *query, CompareBy by, CallProfile *profile,
                       Progress *progress, Err *err)
{
    StatsQuery counted = *query;
    Arena      arena = arena_create(0);
    *profile = (CallProfile){ .by = by, .clock = trace->clock, .strings = trace->strings, .arena = arena_create(0) };
    counted.by = by == COMPARE_BY_PATH ? STATS_BY_PATH : STATS_BY_NAME;
    counted.with_percentiles = true;
    counted.paths = &profile->paths;
    const bool done = (by == COMPARE_BY_NAME || flame_create(trace->strings, &profile->paths, err)) &&
                      tally_rows(trace, &counted, profile, progress, err) &&
                      fill_batches(trace, &counted, profile, &arena, progress, err);
    arena_release(&arena);
    return done;
}
