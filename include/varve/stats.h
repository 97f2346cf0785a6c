/* varve/stats.h - statistics of slices, instants and counters. A part of varve/varve.h. */
#ifndef VARVE_STATS_H
#define VARVE_STATS_H
#include <varve/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statistics ---- */

typedef enum VarveGroup {
    VARVE_BY_NAME,
    VARVE_BY_CATEGORY,
    VARVE_BY_TRACK,
    VARVE_BY_PROCESS,
    VARVE_BY_ARGUMENT /* of the slices that have it */
} VarveGroup;

typedef enum VarveHistogram {
    VARVE_HISTOGRAM_NONE,
    VARVE_HISTOGRAM_LOG,
    VARVE_HISTOGRAM_LINEAR
} VarveHistogram;

typedef struct VarveStatsOptions {
    VarveGroup     by;
    VarveHistogram histogram; /* VARVE_HISTOGRAM_NONE: rows by group; otherwise bins of all slices */
    const char    *argument;  /* VARVE_BY_ARGUMENT: its key */
    uint64_t       reserved[4];
} VarveStatsOptions;

/* Durations inside the range. */
typedef struct VarveStatsTimes {
    uint64_t total, self; /* self: without direct children */
    uint64_t average, least, most;
    uint64_t p50, p90, p95, p99; /* durations that so many percent do not exceed */
    uint64_t deviation;          /* standard deviation */
} VarveStatsTimes;

typedef struct VarveStatsRow {
    VarveText       name;    /* of the group */
    VarveText       process; /* VARVE_BY_TRACK: title of the track's process; else empty */
    uint64_t        count;   /* > 0 */
    VarveStatsTimes ns, ticks;
    uint64_t        longest_slice_id; /* the first slice of length `most` */
    uint32_t        track_id;         /* VARVE_BY_TRACK; else 0 */
    uint32_t        process_id;       /* VARVE_BY_PROCESS; else 0 */
} VarveStatsRow;

/* The slices whose durations are from `least` to `most`, both included. */
typedef struct VarveBin {
    uint64_t count;
    uint64_t least_ns, most_ns, total_ns;
    uint64_t least_ticks, most_ticks, total_ticks;
} VarveBin;

typedef struct VarveStatsTotals {
    uint64_t slice_count;         /* sum of all counts */
    uint64_t self_ns, self_ticks; /* sum of the rows */
    uint32_t
        left_out_track_count; /* tracks of samples, which repeat the time of other tracks that count; 0 with a histogram */
    const char *perspective; /* the one that counts, static; NULL = the trace has no perspectives */
} VarveStatsTotals;

typedef struct VarveStats VarveStats;

/* Adds up the slices in the part. `part` and `options` may be NULL: all slices, by name. */
VARVE_API VarveStats *varve_stats_open(const VarveTrace *trace, const VarvePart *part,
                                       const VarveStatsOptions *options, VarveError *error);
VARVE_API void        varve_stats_close(VarveStats *stats);
/* Returns the rows, greatest total first, and their number. Any thread. */
VARVE_API const VarveStatsRow *varve_stats_rows(const VarveStats *stats, uint32_t *row_count);
/* Returns the bins of a histogram, ascending, without gaps, and their number. Edges are round numbers. Any thread. */
VARVE_API const VarveBin *varve_stats_bins(const VarveStats *stats, uint32_t *bin_count);
/* Fills the sums of the rows or bins. Any thread. */
VARVE_API void varve_stats_totals(const VarveStats *stats, VarveStatsTotals *totals);

/* The instants of a name. */
typedef struct VarveInstantRow {
    VarveText name;
    uint64_t  count;            /* > 0 */
    uint64_t  first_instant_id; /* of the earliest one */
} VarveInstantRow;

/* The values of a counter, or of one of its series, that hold at some time of the range. */
typedef struct VarveCounterRow {
    VarveText   name, series; /* series: empty = the counter has one */
    VarveText   title;        /* of both: "heap / used" */
    VarveText   process;      /* title of the track's process; empty = none */
    const char *unit;         /* static: "B", or "" */
    uint64_t    count;        /* 0 = all are unknown: least, most and last are NaN */
    double      least, most, last;
    double      average; /* weighted by time; NaN = no time */
    uint32_t    track_id;
    uint32_t    reserved;
} VarveCounterRow;

typedef struct VarveArea VarveArea;

/* Adds up the instants and the values of counters in the part. `part` may be NULL; its `name` and `slices` are ignored. */
VARVE_API VarveArea *varve_area_open(const VarveTrace *trace, const VarvePart *part, VarveError *error);
VARVE_API void       varve_area_close(VarveArea *area);
/* Returns the rows of instants, greatest count first, and their number. Any thread. */
VARVE_API const VarveInstantRow *varve_area_instants(const VarveArea *area, uint32_t *row_count);
/* Returns the rows of counters, by track, and their number. Any thread. */
VARVE_API const VarveCounterRow *varve_area_counters(const VarveArea *area, uint32_t *row_count);
/* Returns a value of a counter for people, with its unit: "1 024 B". The text is in `buffer`, with a zero byte at the end. Any
 * thread. */
VARVE_API VarveText varve_counter_text(const VarveCounterRow *row, double value,
                                       char buffer[VARVE_TIME_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
