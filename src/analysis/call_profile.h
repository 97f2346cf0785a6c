/* analysis/call_profile.h - the calls of one trace by name, call path or value of an argument, with all numbers that a comparison needs.
 *
 * A profile can be written as bytes and read again without its trace. So an engine that has one trace compares it with
 * a trace that another engine has.
 *
 * Batches. A row with N calls, N >= RANK_LEAST, has B = min(N, RANK_MOST) batches of consecutive calls. Batch i begins at
 * call floor(i * N / B). The size of a batch is a power of two, at most N / B. A profile has the sums of self times of all
 * these sizes, because the size to compare depends on the number of calls in the other trace.
 *
 * Memory: 8 bytes a slice for percentiles while a profile is made, and up to 8 bytes a call for batches. Time: linear in
 * the slices. A profile depends on the trace and the query alone. */
#ifndef ANALYSIS_CALL_PROFILE_H
#define ANALYSIS_CALL_PROFILE_H
#include "analysis/flame.h"
#include "analysis/stats.h"

/* The rows of a profile and of a comparison. */
typedef enum { COMPARE_BY_NAME, COMPARE_BY_PATH, COMPARE_BY_ARGUMENT } CompareBy;

/* Times are ticks of the trace. */
typedef struct CallRow {
    StringId name;  /* by path: of the innermost frame; by argument: its value */
    uint32_t path;  /* by path: its node in CallProfile.paths; else 0 */
    uint32_t label; /* a label of this name in the trace */
    uint64_t count; /* > 0 */
    uint64_t total, self, p50, p99, cpu_ns;
    uint64_t longest; /* id of the first of its longest slices */
    /* in arena: batch i of 2^k calls is at [k * call_row_batches(row) + i]; NULL: no batches */
    const uint64_t *sums;
} CallRow;

typedef struct CallProfile {
    CompareBy by;
    Clock     clock;
    /* those of the trace, or of StatsQuery.argument, borrowed; of a profile from bytes: in arena */
    const StringTable *strings;
    Flame              paths; /* by path: the rows as a call tree, with the numbers of its nodes; owned */
    /* in arena; by total, greatest first, then by name; by path: row i is node i + 1 */
    CallRow    *rows;
    uint32_t    row_count;
    uint64_t    slice_count; /* sum of the counts */
    const char *perspective; /* the one that counts, static or in arena; NULL = there is one only */
    Arena       arena;       /* owned */
} CallProfile;

/* Counts the slices of a query, of which `by` and `paths` are ignored; by argument it has open keys. The trace and the keys must
 * outlive the profile. Fails with ERR_MEMORY. Call call_profile_release in either case. */
bool call_profile_make(const Trace *trace, const StatsQuery *query, CompareBy by, CallProfile *profile,
                       Err *err) WARN_UNUSED;
void call_profile_release(CallProfile *profile);

/* The same in steps: between two steps the caller can report the progress, or stop. */
typedef struct CallProfileCount CallProfileCount;
/* Prepares the count, which lives in `arena`. The trace, the profile and the tracks of the query must outlive it; the filter
 * need not. NULL: err filled. Call call_profile_release in either case. */
CallProfileCount *call_profile_begin(const Trace *trace, const StatsQuery *query, CompareBy by,
                                     CallProfile *profile, Arena *arena, Err *err) WARN_UNUSED;
/* Reads about `slices` more slices. *share gets the part of the work that is done, 0 to 1; 1: the profile is complete.
 * False: err filled. */
bool call_profile_step(CallProfileCount *count, uint64_t slices, double *share, Err *err) WARN_UNUSED;
/* Releases the count, not the profile. NULL is allowed. */
void call_profile_end(CallProfileCount *count);

/* Returns the number of batches of a row, and the number of their sizes: 1, 2, 4, ... calls. */
uint32_t call_row_batches(const CallRow *row);
uint32_t call_row_sizes(const CallRow *row);

/* Puts the numbers of a row of paths into its node, and adds those of an outermost row to the root. Once a row. */
void call_profile_fill_node(CallProfile *profile, const CallRow *row);

/* ---- as bytes ---- */

/* Appends the profile, which is not by argument. */
void call_profile_write(const CallProfile *profile, Bytes *out);
/* Reads a profile from untrusted bytes, which are not needed afterwards. Takes memory in proportion to the bytes. Fails
 * with ERR_CORRUPT or ERR_TRUNCATED and the offset, or with ERR_MEMORY. Call call_profile_release in either case. */
bool call_profile_read(const void *bytes, size_t size, CallProfile *profile, Err *err) WARN_UNUSED;

#endif
