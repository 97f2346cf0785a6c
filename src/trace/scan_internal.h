/* trace/scan_internal.h - the parts of a scan. For src/trace/scan*.c only.
 *
 * A scan walks runs: ranges of adjacent items of one row (or of one track, or of a whole table) that are all in the
 * query's range of time. Each table has a function that finds the next run and one that fills a column for a part of a
 * run. scan.c does the rest: the choice of tracks, hidden labels, and the batches. */
#ifndef TRACE_SCAN_INTERNAL_H
#define TRACE_SCAN_INTERNAL_H
#include "trace/scan.h"

/* Items [first, end) of the columns of the table. */
typedef struct ScanRun {
    uint32_t track, row; /* 0 if the table has no tracks or no rows */
    uint64_t first, end;
} ScanRun;

/* `count` > 0 items of a run, for one call that fills one column: item i is first + picks[i], or first + i without picks.
 * Items ascend. */
typedef struct ScanPart {
    uint32_t        track, row;
    uint64_t        first;
    const uint32_t *picks;
    uint32_t        count;
} ScanPart;

static inline uint64_t part_item(const ScanPart *part, uint32_t i)
{
    return part->first + (part->picks == NULL ? i : part->picks[i]);
}

/* The array of a column to write. */
typedef union ScanOut {
    void     *any;
    int64_t  *i64;
    uint64_t *u64;
    uint32_t *u32;
    uint8_t  *u8;
    double   *f64;
} ScanOut;

struct Scan {
    const Trace *trace;
    ScanQuery    query;
    /* For the rule of SCAN_COUNTED. */
    uint8_t  perspective; /* bit: tracks of other perspectives do not count; 0 = all tracks count */
    bool     counts_repeats, counts_samples;
    uint32_t left_out; /* number of tracks of samples that do not count */
    /* The position. */
    uint32_t query_at;         /* index of the next track of the query */
    uint32_t track;            /* the current one; 0 = before the first */
    uint32_t row_at, row_end;  /* of the current track: rows that follow */
    bool     track_run_is_due; /* the run of the current track itself, after its rows */
    ScanRun  run;
    uint8_t *hidden;       /* by label, 1 = left out; NULL = all are visible */
    uint8_t *track_counts; /* by track, 1 = it is in the query, counts and is not hidden; NULL: not needed */
    /* The batch. */
    uint8_t   columns[SCAN_COLUMNS_MAX]; /* columns of the query */
    uint32_t  column_count;
    uint32_t *picks;
    ScanOut   buffers[SCAN_COLUMNS_MAX];
    ScanBatch batch;
};

/* True if the row of that label is left out, or marked (SCAN_MARK_HIDDEN). */
static inline bool scan_hides_label(const Scan *scan, uint32_t label)
{
    return scan->hidden != NULL && scan->hidden[label] != 0;
}

/* The clipped part of [begin, end): its length in ticks. */
static inline uint64_t scan_clip(const ScanQuery *query, int64_t begin, int64_t end)
{
    if (begin < query->begin_tick) begin = query->begin_tick;
    if (end > query->end_tick) end = query->end_tick;
    return end <= begin ? 0 : (uint64_t)end - (uint64_t)begin;
}

/* Fills a column with one value, or with values of the trace. */
void scan_fill_u32(ScanOut out, const ScanPart *part, uint32_t value);
void scan_gather(ScanOut out, const ScanPart *part, const void *column, ScanType type);

/* For each table: the items of a row in the range; a function that fills one column of a part; the trace's own array of
 * a column, from the part's first item on, or NULL if no array has that type. */
ScanRun     scan_slices_of_row(const Scan *scan, const Row *row);
void        scan_fill_slices(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_slices_column(const Scan *scan, unsigned column, uint64_t first);
ScanRun     scan_instants_of_row(const Scan *scan, const Row *row);
void        scan_fill_instants(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_instants_column(const Scan *scan, unsigned column, uint64_t first);
ScanRun     scan_values_of_row(const Scan *scan, const Row *row);
void        scan_fill_values(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_values_column(const Scan *scan, unsigned column, uint64_t first);
ScanRun     scan_samples_of_track(const Scan *scan, const Track *track);
void        scan_fill_samples(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_samples_column(const Scan *scan, unsigned column, uint64_t first);
ScanRun     scan_flows_of_row(const Scan *scan, const Row *row);
ScanRun     scan_flows_of_track(const Scan *scan, const Track *track);
bool        scan_keeps_flow(const Scan *scan, uint64_t flow);
void        scan_fill_flows(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_objects(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_snapshots(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
bool        scan_keeps_stack(const Scan *scan, uint64_t stack);
void        scan_fill_stacks(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_tracks(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_processes(const Scan *scan, unsigned column, const ScanPart *part, ScanOut out);

#endif
