#include "analysis/group_scan.h"

#include "analysis/argument_keys.h"

#include <assert.h>
#include <string.h>

static_assert(ARGUMENT_MISSING == GROUP_HIDDEN, "a slice without the argument does not count");

/* Returns the column of the group's key. */
static unsigned key_column(StatsGroup by)
{
    switch (by) {
    case STATS_BY_NAME:
        return SCAN_SLICE_NAME;
    case STATS_BY_CATEGORY:
        return SCAN_SLICE_CATEGORY;
    case STATS_BY_TRACK:
        return SCAN_SLICE_TRACK;
    case STATS_BY_PROCESS:
        return SCAN_SLICE_PROCESS;
    case STATS_BY_ARGUMENT:
    case STATS_BY_PATH:
        break;
    }
    assert(by != STATS_BY_PATH && by != STATS_BY_ARGUMENT);
    return SCAN_SLICE_NAME;
}

static bool has_label_keys(StatsGroup by)
{
    return by == STATS_BY_NAME || by == STATS_BY_CATEGORY;
}

/* Returns the columns that the keys of a group need. */
static uint64_t key_columns(StatsGroup by)
{
    if (by == STATS_BY_ARGUMENT) return ARGUMENT_COLUMNS;
    if (has_label_keys(by)) return SCAN_COLUMN(SCAN_SLICE_LABEL);
    return by == STATS_BY_PATH ? FLAME_PLACE_COLUMNS : SCAN_COLUMN(key_column(by));
}

static uint64_t subset_columns(const StatsSubset *subset)
{
    return (subset->has_group ? SCAN_COLUMN(key_column(subset->by)) : 0) |
           (subset->has_durations ? SCAN_COLUMN(SCAN_SLICE_CLIPPED) : 0) |
           (subset->slices != NULL ? SCAN_COLUMN(SCAN_SLICE_ID) : 0);
}

/* Lists the keys of the labels: a table of few bytes, while the labels of a trace have strings and colours. False when out
 * of memory. */
static bool list_label_keys(GroupScan *groups, Arena *arena)
{
    const Trace *trace = groups->trace;
    groups->label_keys = (uint32_t *)arena_push_raw(arena, (size_t)trace->label_count + 1, sizeof(uint32_t));
    if (groups->label_keys == NULL) return false;
    for (uint32_t label = 0; label <= trace->label_count; label++)
        groups->label_keys[label] = groups->by == STATS_BY_NAME ? trace->labels[label].name.index
                                                                : trace->labels[label].category.index;
    return true;
}

bool group_scan_begin(GroupScan *groups, const Trace *trace, const StatsQuery *query, uint64_t columns,
                      Arena *arena, Err *err)
{
    ScanQuery slices = scan_query_of_part(
        SCAN_SLICES, columns | key_columns(query->by) | subset_columns(&query->subset), &query->part);
    slices.hidden = query->by == STATS_BY_PATH ? SCAN_MARK_HIDDEN : SCAN_SKIP_HIDDEN;
    groups->trace = trace;
    groups->by = query->by;
    groups->subset = query->subset;
    groups->argument = query->argument;
    groups->placer = (FlamePlacer){ .flame = query->paths };
    groups->scan = NULL;
    groups->failed = true;
    if (has_label_keys(query->by) && !list_label_keys(groups, arena))
        return err_set(err, ERR_MEMORY, "out of memory for the groups of slices");
    groups->scan = scan_begin(trace, &slices, arena, err);
    groups->failed = groups->scan == NULL;
    return !groups->failed;
}

static void hide_outside(GroupScan *groups, const ScanBatch *batch)
{
    const StatsSubset *subset = &groups->subset;
    if (subset->has_group) {
        const uint32_t *keys = batch->columns[key_column(subset->by)].u32;
        for (uint32_t i = 0; i < batch->count; i++)
            if (keys[i] != subset->key) groups->keys[i] = GROUP_HIDDEN;
    }
    if (subset->has_durations) {
        const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64;
        for (uint32_t i = 0; i < batch->count; i++)
            if (ticks[i] < subset->least_ticks || ticks[i] > subset->most_ticks)
                groups->keys[i] = GROUP_HIDDEN;
    }
    if (subset->slices != NULL) {
        const uint64_t *ids = batch->columns[SCAN_SLICE_ID].u64;
        for (uint32_t i = 0; i < batch->count; i++)
            if (!slice_set_has(subset->slices, ids[i])) groups->keys[i] = GROUP_HIDDEN;
    }
}

/* Sets the keys of labels. */
static void look_up_keys(const uint32_t *restrict labels, uint32_t count, const uint32_t *restrict label_keys,
                         uint32_t *restrict keys)
{
    for (uint32_t i = 0; i < count; i++)
        keys[i] = label_keys[labels[i]];
}

const ScanBatch *group_scan_next(GroupScan *groups)
{
    const ScanBatch *batch = groups->failed ? NULL : scan_next(groups->scan);
    if (batch == NULL) return NULL;
    if (groups->by == STATS_BY_PATH) {
        groups->failed = !flame_place(&groups->placer, batch, groups->keys);
    } else if (groups->by == STATS_BY_ARGUMENT) {
        memset(groups->keys, 0, batch->count * sizeof groups->keys[0]);
    } else if (has_label_keys(groups->by)) {
        look_up_keys(batch->columns[SCAN_SLICE_LABEL].u32, batch->count, groups->label_keys, groups->keys);
    } else {
        memcpy(groups->keys, batch->columns[key_column(groups->by)].u32,
               batch->count * sizeof groups->keys[0]);
    }
    hide_outside(groups, batch);
    if (groups->by == STATS_BY_ARGUMENT) /* last: only the arguments of slices that count are read */
        groups->failed = !argument_keys_fill(groups->argument, batch, groups->keys);
    return groups->failed ? NULL : batch;
}

bool group_scan_end(GroupScan *groups, Err *err)
{
    flame_placer_release(&groups->placer);
    if (groups->scan == NULL) return false;
    if (groups->failed) return err_set(err, ERR_MEMORY, "out of memory for the groups of slices");
    return true;
}
