/* analysis/stats.h - statistics of the slices in a range of time, by name, category, track, process, call path or argument.
 *
 * A slice counts if it begins before the end of the range and ends after its begin. A slice without length counts if
 * begin <= tick < end. The clipped duration is the part inside the range. Total, self, min, max and average use clipped
 * durations, so they agree with each other, and the totals of neighbouring ranges add up. Slices with equal names are
 * one group, whatever their categories.
 *
 * Tracks of samples (TRACK_SAMPLES) repeat the time of the slices of their threads. They count only if the query has
 * no slices of other tracks.
 *
 * If a trace shows the same work in several perspectives, one of them counts: Trace.perspectives.counted if the query
 * has a track of it, else the first perspective with a track of the query. Slices that repeat others
 * (Label.is_repeat) count where Trace.perspectives.counted does not.
 *
 * Self time is the clipped duration without the direct children. Sums saturate at UINT64_MAX. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H
#include "trace/scan/scan.h"

typedef struct Flame        Flame;
typedef struct ArgumentKeys ArgumentKeys;

typedef enum {
    STATS_BY_NAME,
    STATS_BY_CATEGORY,
    STATS_BY_TRACK,
    STATS_BY_PROCESS,
    STATS_BY_PATH,
    STATS_BY_ARGUMENT
} StatsGroup;

/* Selects the slices of one group, of a range of durations, or of a set. Self times do not change. */
typedef struct StatsSubset {
    bool       has_group;
    StatsGroup by;  /* not STATS_BY_PATH, not STATS_BY_ARGUMENT */
    uint32_t   key; /* StatsRow.key of the group */
    bool       has_durations;
    uint64_t   least_ticks, most_ticks; /* clipped durations; both count */
    /* a bit for each slice id (slice_set_has of analysis/flame.h), borrowed; NULL = all slices */
    const uint8_t *slices;
} StatsSubset;

typedef struct StatsQuery {
    TracePart   part;   /* without kinds */
    StatsSubset subset; /* zero = all slices */
    StatsGroup  by;
    /* by path: an empty tree of the trace's strings (analysis/flame.h), which gets the paths */
    Flame *paths;
    /* by argument: open keys (analysis/argument_keys.h), which get the values; slices without the argument do not count */
    ArgumentKeys *argument;
} StatsQuery;

typedef struct StatsRow {
    uint64_t count; /* > 0 */
    uint64_t total; /* ticks; so are those below. The average is total / count */
    uint64_t self;
    uint64_t min, max;
    uint64_t longest; /* the first slice of length max */
    /* or the category, or the value of the argument (an id of ArgumentKeys.values); STRING_NONE = slices without one, and every
     * row by track; by path the name of the innermost frame */
    StringId name;
    /* of the group, for StatsSubset: index of the name or category, id of the track or process; by path the node */
    uint32_t key;
    uint32_t label;   /* the label of that name that was read first */
    uint32_t track;   /* by track; else 0 */
    uint32_t process; /* by process; else 0. 0 also groups slices without a process */
    uint32_t path;    /* by path: its node in StatsQuery.paths; else 0 */
    /* percentiles of the clipped durations (nearest rank), and their standard deviation */
    uint64_t p50, p90, p95, p99, deviation;
    /* sum of the known CPU times; of a slice partly inside the range the same part as of its duration */
    uint64_t cpu_ns;
    uint64_t cpu_count; /* number of slices with a known CPU time */
} StatsRow;

typedef struct StatsTable {
    StatsRow   *rows; /* in the arena given; by total (greatest first), then by name or track */
    uint32_t    row_count;
    uint64_t    slice_count;     /* sum of the counts */
    uint64_t    self_ticks;      /* sum of the self times */
    uint32_t    left_out_tracks; /* tracks of samples that were left out because other tracks count */
    const char *perspective; /* the one that counts, static; NULL = no perspective has any of the slices */
} StatsTable;

/* Linear in the slices of the range. Scratch memory: 4 to 8 bytes a slice, and 8 a slice of the largest row. Fails with ERR_MEMORY. */
bool stats_tally(const Trace *trace, const StatsQuery *query, Arena *arena, StatsTable *table,
                 Err *err) WARN_UNUSED;

/* The same in steps: between two steps the caller can report the progress, or stop. */
typedef struct StatsCount StatsCount;
/* Prepares the count, which lives in `arena`. The trace and the arrays and paths of the query must outlive it; the filter need not.
 * NULL: err filled. */
StatsCount *stats_count_begin(const Trace *trace, const StatsQuery *query, Arena *arena,
                              Err *err) WARN_UNUSED;
/* Reads about `slices` more slices. *share gets the part of the work that is done, 0 to 1; 1: *table is made. False: err
 * filled. */
bool stats_count_step(StatsCount *count, uint64_t slices, double *share, StatsTable *table,
                      Err *err) WARN_UNUSED;
void stats_count_release(StatsCount *count); /* NULL is allowed */

/* Returns the name of a row's slices or category, or its value of the argument. Not by track and by process. */
StringView stats_name(const Trace *trace, const StatsQuery *query, const StatsRow *row);
/* Appends the name of a row's group: of its slices or category, the title of its track or process, or the value of the
 * argument. */
void stats_append_name(const Trace *trace, const StatsQuery *query, const StatsRow *row, Bytes *out);

#endif
