#include "analysis/group_scan.h"

static uint64_t key_columns(StatsGroup by)
{
    switch (by) {
    case STATS_BY_NAME:
        return SCAN_COLUMN(SCAN_SLICE_NAME);
    case STATS_BY_CATEGORY:
        return SCAN_COLUMN(SCAN_SLICE_CATEGORY);
    case STATS_BY_TRACK:
        return SCAN_COLUMN(SCAN_SLICE_TRACK);
    case STATS_BY_PROCESS:
        return SCAN_COLUMN(SCAN_SLICE_PROCESS);
    case STATS_BY_PATH:
        return FLAME_PLACE_COLUMNS;
    }
    return 0;
}

bool group_scan_begin(GroupScan *groups, const Trace *trace, const StatsQuery *query, uint64_t columns, Arena *arena,
                      Progress *progress, Err *err)
{
    ScanQuery slices = scan_query(SCAN_SLICES, columns | key_columns(query->by));
    slices.rows = SCAN_COUNTED;
    slices.hidden = query->by == STATS_BY_PATH ? SCAN_MARK_HIDDEN : SCAN_SKIP_HIDDEN;
    slices.begin_tick = query->begin_tick;
    slices.end_tick = query->end_tick;
    slices.tracks = query->tracks;
    slices.track_count = query->track_count;
    slices.filter = query->filter;
    slices.progress = progress;
    groups->trace = trace;
    groups->by = query->by;
    groups->placer = (FlamePlacer){ .flame = query->paths };
    groups->scan = scan_begin(trace, &slices, arena, err);
    groups->failed = groups->scan == NULL;
    return !groups->failed;
}

static void copy_keys(GroupScan *groups, const ScanBatch *batch, uint32_t column)
{
    memcpy(groups->keys, batch->columns[column].u32, batch->count * sizeof groups->keys[0]);
}

const ScanBatch *group_scan_next(GroupScan *groups)
{
    const ScanBatch *batch = groups->failed ? NULL : scan_next(groups->scan);
    if (batch == NULL) return NULL;
    switch (groups->by) {
    case STATS_BY_NAME:
        copy_keys(groups, batch, SCAN_SLICE_NAME);
        break;
    case STATS_BY_CATEGORY:
        copy_keys(groups, batch, SCAN_SLICE_CATEGORY);
        break;
    case STATS_BY_TRACK:
        copy_keys(groups, batch, SCAN_SLICE_TRACK);
        break;
    case STATS_BY_PROCESS:
        copy_keys(groups, batch, SCAN_SLICE_PROCESS);
        break;
    case STATS_BY_PATH:
        groups->failed = !flame_place(&groups->placer, batch, groups->keys);
        break;
    }
    return groups->failed ? NULL : batch;
}

bool group_scan_end(GroupScan *groups, const Progress *progress, Err *err)
{
    flame_placer_release(&groups->placer);
    if (groups->scan == NULL) return false;
    if (groups->failed) return err_set(err, ERR_MEMORY, "out of memory for the call paths");
    return !progress_cancelled(progress) || err_set(err, ERR_CANCELLED, "stopped");
}
