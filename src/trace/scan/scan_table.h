/* trace/scan/scan_table.h - the functions of the tables of a scan. For src/trace/scan*.c only.
 *
 * A scan walks runs: ranges of adjacent items of one row (or of one track, or of a whole table) that are all in the
 * query's range of time. Each table has a function that finds the next run and one that fills a column for a part of a
 * run. scan.c does the rest: the choice of tracks, hidden labels, and the batches. */
#ifndef TRACE_SCAN_SCAN_TABLE_H
#define TRACE_SCAN_SCAN_TABLE_H
#include "trace/scan/scan.h"

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

/* The part of a scan that the functions of tables read. */
typedef struct ScanScope {
    const Trace *trace;
    ScanQuery    query;
    TickRange    range;    /* that of the query */
    uint8_t     *hidden;   /* by label, 1 = left out; NULL = all are visible */
    uint8_t *track_counts; /* by track, 1 = it is in the query, counts and is not hidden; NULL: not needed */
} ScanScope;

/* True if the row of that label is left out, or marked (SCAN_MARK_HIDDEN). */
static inline bool scan_hides_label(const ScanScope *scope, uint32_t label)
{
    return scope->hidden != NULL && scope->hidden[label] != 0;
}

/* The clipped part of [begin, end): its length in ticks. */
static inline uint64_t scan_clip(const ScanQuery *query, int64_t begin, int64_t end)
{
    if (begin < query->begin_tick) begin = query->begin_tick;
    if (end > query->end_tick) end = query->end_tick;
    return end <= begin ? 0 : (uint64_t)end - (uint64_t)begin;
}

/* Replaces labels by the names, or the categories, that they have. */
static inline void scan_labels_to_texts(const Trace *trace, bool is_name, uint32_t *labels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const Label *label = &trace->labels[labels[i]];
        labels[i] = is_name ? label->name.index : label->category.index;
    }
}

/* Fills a column with the indices of the items. */
static inline void scan_fill_ids(const ScanPart *part, uint64_t *out)
{
    const uint64_t  first = part->first;
    const uint32_t *picks = part->picks;
    const uint32_t  count = part->count;
    for (uint32_t i = 0; i < count; i++) /* the compiler makes two loops of it */
        out[i] = first + (picks == NULL ? i : picks[i]);
}

/* Fills a column with one value. */
void scan_fill_u32(ScanOut out, const ScanPart *part, uint32_t value);

/* Subtracts from the durations in out[0] to out[count - 1], of slices from `first` on, those of their children: these are the
 * slices [at, end) of the row below. No duration is long. */
void scan_subtract_children(const SliceColumns *slices, uint64_t first, uint32_t count, uint64_t at,
                            uint64_t end, uint64_t *out);

/* For each table: a function that fills one column of a part, if the trace has no array of it;
 * the trace's own array of a column, from the part's first item on, or NULL if no array has that type. */
void        scan_fill_slices(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_slices_column(const ScanScope *scope, unsigned column, uint64_t first);
void        scan_fill_instants(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_instants_column(const ScanScope *scope, unsigned column, uint64_t first);
void        scan_fill_values(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_values_column(const ScanScope *scope, unsigned column, uint64_t first);
void        scan_fill_samples(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_samples_column(const ScanScope *scope, unsigned column, uint64_t first);
/* Return the arrows that begin in the row's slices of the range, and the arrows that begin on the track outside of slices. */
ItemRange   scan_flows_of_row(const Trace *trace, const TickRange *range, const Row *row);
ItemRange   scan_flows_of_track(const Trace *trace, const TickRange *range, const Track *track);
bool        scan_keeps_flow(const ScanScope *scope, uint64_t flow);
void        scan_fill_flows(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_flows_column(const ScanScope *scope, unsigned column, uint64_t first);
void        scan_fill_objects(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_snapshots(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
const void *scan_snapshots_column(const ScanScope *scope, unsigned column, uint64_t first);
bool        scan_keeps_stack(const ScanScope *scope, uint64_t stack);
void        scan_fill_stacks(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_tracks(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);
void        scan_fill_processes(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out);

#endif
