/* analysis/group_scan.h - a scan of the slices that count, each with its group: name, category, track, process, path or argument.
 *
 * Statistics and comparisons read slices through it, so that they count the same slices by the same keys. */
#ifndef ANALYSIS_GROUP_SCAN_H
#define ANALYSIS_GROUP_SCAN_H
#include "analysis/flame.h"
#include "analysis/stats.h"

#define GROUP_HIDDEN FLAME_NONE

typedef struct GroupScan {
    const Trace  *trace;
    Scan         *scan; /* in the arena of group_scan_begin */
    StatsGroup    by;
    StatsSubset   subset;
    ArgumentKeys *argument; /* of StatsQuery */
    FlamePlacer   placer;
    uint32_t
        *label_keys; /* by name and by category: the key of each label; in the arena of group_scan_begin */
    /* The key of each slice of the batch: StringId.index of the name or category, id of the track or process, id of the
     * value in StatsQuery.argument, or node of StatsQuery.paths. GROUP_HIDDEN: the slice does not count, because of the
     * filter or the subset, or because it does not have the argument. */
    uint32_t keys[SCAN_BATCH_ROWS];
    bool     failed;
} GroupScan;

/* Begins a scan with these columns (SCAN_COLUMN) and the columns that the keys need. By path new paths are added to
 * query->paths. False when out of memory. Call group_scan_end in
 * either case. */
bool group_scan_begin(GroupScan *groups, const Trace *trace, const StatsQuery *query, uint64_t columns,
                      Arena *arena, Err *err) WARN_UNUSED;
/* Returns the next batch, with the keys filled, or NULL at the end and when out of memory. */
const ScanBatch *group_scan_next(GroupScan *groups);
/* Releases the scan. False if the scan failed: err is filled by this call or by group_scan_begin. */
bool group_scan_end(GroupScan *groups, Err *err);

#endif
