/* varve/varve.h - reads execution traces: Trace Event JSON, Spall, Heph, apitrace captures, Go execution traces, CPU profiles.
 *
 *     #include <varve/varve.h>
 *
 *     VarveError error;
 *     VarveTrace *trace = varve_open("trace.json.gz", NULL, &error);
 *     if (trace == NULL) return puts(error.message);
 *     VarveSummary summary;
 *     varve_summary(trace, &summary);
 *     printf("%" PRIu64 " slices in %" PRIu64 " ns\n", summary.slice_count, summary.duration_ns);
 *     varve_close(trace);
 *
 * Build with `cc program.c $(pkg-config --cflags --libs varve)`. The header is C99 and C++11. examples/c has a program for
 * each part of it.
 *
 * A TRACE is loaded as a whole and never changes (except a live one). It has processes and tracks; a track has slices, which
 * are nested; threads, counters, samples, instants and flows are as in the viewer. `varve query --schema` lists the tables
 * and columns, which varve_rows_open reads.
 *
 * HANDLES. A type without a definition here is a handle. varve_NAME_close (varve_close for a trace) releases it; NULL is
 * allowed. Handles of rows, matches, statistics and so on borrow their traces: close them first. An Arrow stream keeps its trace or
 * query until it is released, also after their close. All const pointers that a function returns belong to the handle, until its next
 * call that changes it, or its close.
 *
 * STRUCTS for input have defaults: zero all members (`= {0}`), then set the members that you need. Their members `reserved` must be
 * 0. Later versions give them a meaning, and never change the size of a struct within a major version.
 *
 * ERRORS are values. A function that can fail returns false or NULL and fills its VarveError, which may be NULL. It is
 * unchanged after a success. A damaged trace is not an error: it loads as far as possible, `is_complete` is false, and
 * varve_warning has the position of each kind of damage.
 *
 * TIMES. A time in *_ns counts nanoseconds from the begin of the trace (summary.begin_tick). Where a trace has no
 * time (summary.has_time is false: captures), *_ns count calls or events instead. A *_tick is the time as the input
 * wrote it. A range has its begin and not its end.
 *
 * TEXTS from a trace are VarveText: bytes with a length, without a zero byte at the end. They are UTF-8, except where the input
 * is not. Texts that you pass are C strings and are copied, unless a comment says otherwise.
 *
 * MEMORY. A plain slice takes about 19 bytes, with its index. Arguments are not stored: they are read from the input again.
 *
 * THREADS. "Any thread" functions only read their handle: any number of threads may call them for one handle at a
 * time. All other functions need the handle for themselves. Different handles are independent, also of one trace, and are
 * opened in any thread. The library
 * starts threads only if `thread_count` of an options struct is above 1, and joins them before the function returns;
 * DuckDB may keep its threads until varve_query_close. It has no global state, except that DuckDB's library is loaded once in
 * a process and remains, and that a count of allocated bytes is shared.
 *
 * VERSIONS are semantic (semver.org): while the major version is 0, a new minor version may change functions. */
#ifndef VARVE_VARVE_H
#define VARVE_VARVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VARVE_VERSION_MAJOR 0
#define VARVE_VERSION_MINOR 1
#define VARVE_VERSION_PATCH 0
#define VARVE_VERSION "0.1.0" /* as text */

#if defined __GNUC__
#define VARVE_API __attribute__((visibility("default")))
#else
#define VARVE_API
#endif

/* ---- basics ---- */

/* Returns the version of the library at run time: "0.1.0". Any thread. */
VARVE_API const char *varve_version(void);

typedef enum VarveCode {
    VARVE_OK,
    VARVE_ERROR_INPUT,     /* an input cannot be opened or read */
    VARVE_ERROR_OUTPUT,    /* an output cannot be written */
    VARVE_ERROR_MEMORY,    /* out of memory */
    VARVE_ERROR_TRUNCATED, /* the input ends inside a record */
    VARVE_ERROR_CORRUPT,   /* the input contradicts its format */
    VARVE_ERROR_VERSION,   /* a known format in an unknown version */
    VARVE_ERROR_LIMIT,     /* more items than can be counted */
    VARVE_ERROR_UNKNOWN, /* no known format; or DuckDB was not found, or the library was built without this function */
    VARVE_ERROR_CANCELLED, /* by varve_progress_cancel */
    VARVE_ERROR_USAGE      /* an argument is invalid */
} VarveCode;

#define VARVE_NOWHERE UINT64_MAX
#define VARVE_MESSAGE_BYTES 256

typedef struct VarveError {
    VarveCode code;
    uint64_t  byte_offset; /* of the bad record in the decompressed input; VARVE_NOWHERE = none */
    uint64_t  event_index; /* from 0; VARVE_NOWHERE = none */
    char      message[VARVE_MESSAGE_BYTES]; /* one line of UTF-8 with a zero byte */
} VarveError;

typedef struct VarveText {
    const char *bytes; /* never NULL */
    size_t      size_bytes;
} VarveText;

/* Memory that a function fills and you release. Zero it before the first use. */
typedef struct VarveBytes {
    unsigned char *bytes;
    size_t         size_bytes;
    size_t         capacity_bytes;
} VarveBytes;

/* Releases the memory and zeroes the struct. */
VARVE_API void varve_bytes_release(VarveBytes *bytes);

/* The progress of a long function, and its cancellation, from another thread. */
typedef struct VarveProgress VarveProgress;

/* Returns NULL when out of memory. It must outlive the functions that it is passed to. */
VARVE_API VarveProgress *varve_progress_open(void);
VARVE_API void           varve_progress_close(VarveProgress *progress);
/* Makes the function that has this progress end soon with VARVE_ERROR_CANCELLED. Any thread, signal handlers too. */
VARVE_API void varve_progress_cancel(VarveProgress *progress);
/* Takes the cancellation back, for the next function. Any thread. */
VARVE_API void varve_progress_restart(VarveProgress *progress);
/* Returns the finished share of the current phase, 0 to 1; -1 if its length is not known (a pipe). Any thread. */
VARVE_API double varve_progress_share(const VarveProgress *progress);

/* ---- open ---- */

typedef struct VarveTrace VarveTrace;

/* VARVE_DETAILS_UNUSED: no function needs arguments of events (varve_details, varve_find, the table `arg`, the formats json
 * and heph): a compressed input is then not stored in a temporary file. */
typedef enum VarveDetailUse { VARVE_DETAILS_KEPT, VARVE_DETAILS_UNUSED } VarveDetailUse;

/* Of varve_open_bytes. VARVE_BYTES_BORROWED: the bytes must outlive the trace and its Arrow streams. */
typedef enum VarveByteUse { VARVE_BYTES_BORROWED, VARVE_BYTES_COPIED } VarveByteUse;

typedef struct VarveOptions {
    const char *format; /* name of the format, as `varve --format`; NULL = recognised by content */
    /* the part to load: "1.2s..1.5s"; times are 1.25s, 3ms, 10us, 7ns, a number of ticks, or a UTC date; NULL = all */
    const char *range;
    const char *tracks; /* only tracks of this name or thread id, or with it in their title; NULL = all */
    const char *perspective; /* for formats with several; "all"; NULL = the usual one (Go: goroutines) */
    /* program that was recorded, for the names of addresses; "" = the path in the trace; NULL = no file is opened */
    const char    *executable;
    VarveProgress *progress;     /* borrowed during the call; NULL = none */
    uint32_t       thread_count; /* 0 and 1: only the calling thread */
    VarveDetailUse details;
    VarveByteUse   bytes;
    uint32_t       reserved_flags;
    uint64_t       reserved[5];
} VarveOptions;

/* Opens a file; "-" is standard input, "http://..." and "https://..." are addresses, which need libcurl at run time: check
 * paths from others. Compressed files and archives of one format are unpacked. `options` may be NULL. */
VARVE_API VarveTrace *varve_open(const char *path, const VarveOptions *options, VarveError *error);
/* Opens `size_bytes` bytes in memory, which are borrowed unless options->bytes says otherwise. `name` is for messages and the column `trace`. */
VARVE_API VarveTrace *varve_open_bytes(const void *bytes, size_t size_bytes, const char *name,
                                       const VarveOptions *options, VarveError *error);

/* An input of known size, which the library reads through a function. It must outlive the trace and its Arrow streams. */
typedef struct VarveSource {
    /* Copies up to `size_bytes` bytes from `byte_offset` on to `buffer`. Returns their number, 0 at the end and on failure. With
     * thread_count above 1, and if several threads use the trace, it is called by several threads at a time. */
    size_t (*read)(void *context, uint64_t byte_offset, void *buffer, size_t size_bytes);
    void    *context;
    uint64_t size_bytes;
} VarveSource;

/* Opens an uncompressed input. */
VARVE_API VarveTrace *varve_open_source(const VarveSource *source, const char *name,
                                        const VarveOptions *options, VarveError *error);
VARVE_API void        varve_close(VarveTrace *trace);

/* ---- summary ---- */

typedef struct VarveSummary {
    VarveText name;           /* as passed to varve_open */
    VarveText format;         /* "trace-event", "spall", "heph", "apitrace", "go", ... */
    VarveText format_version; /* "" = none */
    uint64_t  input_bytes;    /* before decompression; 0 = not known */
    bool      is_complete;    /* false: the input ended early, or a part was not decoded */
    bool      has_time;       /* false: *_ns count calls or events */
    bool      has_epoch;      /* epoch_unix_ns is known */
    int64_t   begin_tick, end_tick;
    /* nanoseconds per tick = numerator / denominator */
    uint64_t tick_ns_numerator, tick_ns_denominator;
    int64_t  epoch_unix_ns; /* wall-clock time of tick 0, ns since 1970 */
    uint64_t duration_ns;   /* from the first to the last event */
    uint32_t process_count, thread_count, track_count;
    uint64_t slice_count; /* on threads, finished or not, as `varve info` counts them */
    uint64_t unfinished_slice_count, async_slice_count, instant_count, flow_count, object_count;
    uint64_t counter_count, counter_sample_count, stack_sample_count;
    uint32_t depth_most; /* of nested slices; 1 = none is nested */
    uint32_t warning_count, property_count;
    uint64_t reserved[8];
} VarveSummary;

/* Fills the summary. Counts are those of the loaded part. O(tracks), or of a part O(its slices). Any thread. */
VARVE_API void varve_summary(const VarveTrace *trace, VarveSummary *summary);

typedef enum VarveTextStyle { VARVE_TEXT_PLAIN, VARVE_TEXT_COLORED } VarveTextStyle;

/* Replaces the content of `out` by the summary with all tracks, properties and warnings, as `varve info` prints it: for people, or as one JSON
 * object. Any thread, with an `out` of its own. */
VARVE_API bool varve_info_text(const VarveTrace *trace, VarveTextStyle style, VarveBytes *out,
                               VarveError *error);
VARVE_API bool varve_info_json(const VarveTrace *trace, VarveBytes *out, VarveError *error);
/* As varve_info_text, but only whether the input is damaged, and each kind of damage, as `varve check` prints them. */
VARVE_API bool varve_check_text(const VarveTrace *trace, VarveBytes *out, VarveError *error);

/* A kind of damage or repair. */
typedef struct VarveWarning {
    const char *kind;        /* stable: "unmatched-end" */
    uint64_t    count;       /* > 0 */
    uint64_t    byte_offset; /* of the first one; VARVE_NOWHERE = none */
    uint64_t    event_index; /* of the first one; VARVE_NOWHERE = none */
    const char *message;     /* of the first one */
} VarveWarning;

/* Fills warning `index` of summary.warning_count. False: there is no such one. Any thread. */
VARVE_API bool varve_warning(const VarveTrace *trace, uint32_t index, VarveWarning *warning);

/* A value about the whole trace, as the input has it. */
typedef struct VarveProperty {
    VarveText key;
    VarveText json; /* one JSON value */
} VarveProperty;

/* Fills property `index` of summary.property_count. False: there is no such one. Any thread. */
VARVE_API bool varve_property(const VarveTrace *trace, uint32_t index, VarveProperty *property);

/* ---- durations ----
 *
 * A duration in *_ns is rounded to nanoseconds. In *_ticks it is exact; these functions convert it. Any thread. */

#define VARVE_TIME_TEXT_BYTES 96

/* Returns the unit of *_ns, static: "ns"; without time "call" or "event". */
VARVE_API const char *varve_unit(const VarveTrace *trace);
/* Returns the duration for people: "12.3 µs", "1.204 s", "1 200 calls". The text is in `buffer`, with a zero byte at the end. */
VARVE_API VarveText varve_span_text(const VarveTrace *trace, uint64_t ticks,
                                    char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns the duration as a decimal in varve_exact_unit: "10.5". The text is in `buffer`, with a zero byte at the end. */
VARVE_API VarveText varve_span_exact(const VarveTrace *trace, uint64_t ticks,
                                     char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns a time of the clock of the file, `ticks` after the begin of the trace, in the same way. */
VARVE_API VarveText varve_time_exact(const VarveTrace *trace, uint64_t ticks,
                                     char buffer[VARVE_TIME_TEXT_BYTES]);
/* Returns "ns" if each tick is a finite decimal of nanoseconds, otherwise "ticks". Static. */
VARVE_API const char *varve_exact_unit(const VarveTrace *trace);

/* ---- rows ----
 *
 * The tables: slice, instant, counter, track, thread, process, flow, state, sample, call, frame, arg, ... Each has the
 * columns that `varve query --schema` prints. Names are stable. */

typedef struct VarveSliceSet VarveSliceSet; /* made by varve_slice_set_find */

/* The part of a trace that a function reads. NULL, or zeroed: everything that was loaded. */
typedef struct VarvePart {
    const char *range;  /* as in VarveOptions; NULL = all */
    const char *thread; /* tracks of this name or thread id, or with it in their title; NULL = all */
    /* varve_rows_open, varve_arrow_open, varve_stats_open, varve_flame_open: exact name of the slice, instant or counter; NULL = all */
    const char *name;
    uint32_t track_id; /* rows with this value of the column track_id; 0 = all. Not together with `thread` */
    uint32_t reserved_flags;
    const VarveSliceSet
            *slices; /* varve_stats_open: only these slices; NULL = all. Borrowed during the call */
    uint64_t reserved[2];
} VarvePart;

/* False: no track has the `thread` of the part, or the trace has no text `name`, so that the part is empty. O(tracks). Any thread. */
VARVE_API bool varve_part_exists(const VarveTrace *trace, const VarvePart *part);

typedef enum VarveType {
    VARVE_BOOL,    /* uint8_t, 0 or 1 */
    VARVE_INTEGER, /* int64_t */
    VARVE_REAL,    /* double */
    VARVE_TEXT     /* uint32_t: varve_rows_text makes the text */
} VarveType;

typedef struct VarveColumnInfo {
    const char *name; /* static, as are the others */
    VarveType   type;
    const char *unit; /* "ns", "tick", "bytes", "slice" (an id in that table), ...; "" = none */
    const char *help;
} VarveColumnInfo;

/* Returns the name of table `index` from 0, static; NULL after the last. Any thread. */
VARVE_API const char *varve_table_name(uint32_t index);
/* Returns the description of a table, static; NULL if there is no such one. Any thread. */
VARVE_API const char *varve_table_help(const char *table);
/* Fills the description of column `index` of a table. False: there is no such table or column. Any thread. */
VARVE_API bool varve_table_column(const char *table, uint32_t index, VarveColumnInfo *column);
/* Returns the name of parameter `index` from 0 of the table function in SQL, static: "range", "thread", ...; NULL after the last. Any
 * thread. */
VARVE_API const char *varve_table_parameter(const char *table, uint32_t index);
/* Returns the name of a type in SQL, static: "BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR". Any thread. */
VARVE_API const char *varve_type_name(VarveType type);
/* Replaces the content of `out` by all tables and columns as JSON, as `varve query --schema --json` prints them. Any thread. */
VARVE_API bool varve_schema_json(VarveBytes *out, VarveError *error);

/* One column of a batch. The member of the column's type points to `row_count` values. */
typedef struct VarveColumn {
    VarveType type;
    union {
        const uint8_t  *bools;
        const int64_t  *integers;
        const double   *reals;
        const uint32_t *texts;
    } values;
    const uint64_t *valid_bits; /* bit i % 64 of word i / 64: row i has a value; NULL = all rows have */
} VarveColumn;

/* True if row `row` of the column has no value. Any thread. */
static inline bool varve_is_null(const VarveColumn *column, uint32_t row)
{
    return column->valid_bits != NULL && (column->valid_bits[row / 64] >> (row % 64) & 1) == 0;
}

typedef struct VarveBatch {
    uint32_t           row_count; /* 0 = the end; at most 2048 */
    uint32_t           column_count;
    const VarveColumn *columns; /* valid until the next varve_rows_next */
} VarveBatch;

typedef struct VarveRows VarveRows;

/* Opens a table at its first row. Rows are ordered by track, then by depth, then by begin. `part` may be NULL. */
VARVE_API VarveRows *varve_rows_open(const VarveTrace *trace, const char *table, const VarvePart *part,
                                     VarveError *error);
VARVE_API void       varve_rows_close(VarveRows *rows);
/* Returns the index of the column of that name in the batches; -1 if the table has none. */
VARVE_API int32_t varve_rows_column(const VarveRows *rows, const char *name);
/* Fills the next batch; row_count 0 after the last row. */
VARVE_API bool varve_rows_next(VarveRows *rows, VarveBatch *batch, VarveError *error);
/* Returns the text of a value of a VARVE_TEXT column, valid until the next call with `rows`. Equal texts of a column
 * mostly have equal values, but need not. */
VARVE_API VarveText varve_rows_text(VarveRows *rows, uint32_t column, uint32_t value);

/* Opens the same rows as an Arrow C stream (https://arrow.apache.org/docs/format/CStreamInterface.html), for pyarrow, Polars,
 * DuckDB and others. Numbers are not copied. The stream of a live trace must be released before the next varve_live_push. The
 * arrays may be used and released later than the stream, by any thread. */
struct ArrowArrayStream;
VARVE_API bool varve_arrow_open(const VarveTrace *trace, const char *table, const VarvePart *part,
                                struct ArrowArrayStream *stream, VarveError *error);

/* ---- events ---- */

typedef enum VarveEventKind { VARVE_SLICE, VARVE_INSTANT, VARVE_VALUE, VARVE_TRACK } VarveEventKind;

/* Reads the arguments and the other members of a slice or an instant (column `id`) from the input, as two JSON values, each
 * empty if the event has none. Both replace the content of the buffers. Any thread, with buffers of its own. */
VARVE_API bool varve_details(const VarveTrace *trace, VarveEventKind kind, uint64_t id, VarveBytes *args_json,
                             VarveBytes *other_json, VarveError *error);

/* The result of a search. Texts are valid until the next call with the handle. */
typedef struct VarveMatch {
    VarveEventKind kind;
    uint32_t       track_id; /* column track_id */
    uint64_t       id;       /* of a slice or an instant: column `id`; else 0 */
    const char *
        type; /* static: "slice", "async", "state", "object", "instant", "counter"; of a track its kind, "thread" */
    /* since the begin of the trace; not of VARVE_TRACK. Of an earlier time begin_ticks is negative, modulo 2^64 */
    int64_t   begin_ns;
    uint64_t  begin_ticks;
    uint64_t  duration_ns, duration_ticks; /* of a slice; else 0 */
    VarveText name, category;
    VarveText key, value; /* of the first argument that matches; empty if the name or the track does */
} VarveMatch;

typedef enum VarveFindWhere { VARVE_FIND_EVERYWHERE, VARVE_FIND_IN_NAMES } VarveFindWhere;

typedef struct VarveFindOptions {
    VarveFindWhere where;        /* VARVE_FIND_IN_NAMES: not in arguments, so that the input is not read */
    uint32_t       thread_count; /* for reading arguments, as in VarveOptions */
    uint64_t       most;         /* matches; 0 = all */
    uint64_t       reserved[4];
} VarveFindOptions;

typedef struct VarveFind VarveFind;

/* Starts a search for `text`, in the language of docs/search.md: words, key=value, key>3, /regex/, >5ms, name:x, thread:x.
 * Matches come in the order: tracks and counter values, then slices and instants by time. Of `part` the range is
 * ignored: open the trace with it. `part` and `options` may be NULL. */
VARVE_API VarveFind *varve_find_open(const VarveTrace *trace, const char *text, const VarvePart *part,
                                     const VarveFindOptions *options, VarveError *error);
VARVE_API void       varve_find_close(VarveFind *find);
/* Fills the next match and sets *is_found; false in *is_found after the last. */
VARVE_API bool varve_find_next(VarveFind *find, VarveMatch *match, bool *is_found, VarveError *error);
/* Return the title of the last match's track, and of the process of the track ("" = none). Valid until the next call with `find`. */
VARVE_API VarveText varve_find_track(VarveFind *find);
VARVE_API VarveText varve_find_process(VarveFind *find);
/* Makes the last match as `varve find --json` prints it, with a line break. Valid until the next call with `find`. */
VARVE_API bool varve_find_json(VarveFind *find, VarveText *line, VarveError *error);
/* Returns the number of events so far whose arguments could not be read. */
VARVE_API uint64_t varve_find_unread(const VarveFind *find);

/* Finds all slices that match `text`, as varve_find_open does with this `thread_count`. It borrows the trace. */
VARVE_API VarveSliceSet *varve_slice_set_find(const VarveTrace *trace, const char *text,
                                              uint32_t thread_count, VarveError *error);
VARVE_API void           varve_slice_set_close(VarveSliceSet *set);
/* Returns the number of slices in the set. Any thread. */
VARVE_API uint64_t varve_slice_set_count(const VarveSliceSet *set);

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

/* ---- flame graphs ---- */

/* A call path. */
typedef struct VarveFlameNode {
    VarveText name;
    uint32_t  parent; /* index of the caller's node, less than this one's; UINT32_MAX = outermost */
    uint32_t  depth;  /* 0 = outermost */
    uint64_t  count;  /* calls */
    uint64_t  total_ns, self_ns;
} VarveFlameNode;

typedef enum VarveFlameOrder {
    VARVE_FLAME_CALLS,   /* callers above callees */
    VARVE_FLAME_INVERTED /* callees above callers */
} VarveFlameOrder;

/* The measure that orders siblings, and is the width of a picture. */
typedef enum VarveFlameWeight {
    VARVE_FLAME_TOTAL,
    VARVE_FLAME_SELF,
    VARVE_FLAME_COUNT,
    VARVE_FLAME_CPU
} VarveFlameWeight;

typedef enum VarveFlameSource {
    VARVE_FLAME_SLICES, /* of threads, or samples where there are no slices; of all tracks that the part names */
    VARVE_FLAME_SAMPLES, /* also where there are slices */
    /* stacks of waiting goroutines, in the loaded range. The part has no effect, except its `name`. VARVE_ERROR_UNKNOWN: the trace is not
     * a Go execution trace */
    VARVE_FLAME_WAITS_NETWORK,
    VARVE_FLAME_WAITS_SYNC,
    VARVE_FLAME_WAITS_SYSCALL,
    VARVE_FLAME_WAITS_SCHEDULER
} VarveFlameSource;

typedef enum VarveRecursion { VARVE_RECURSION_SHOWN, VARVE_RECURSION_COLLAPSED } VarveRecursion;

typedef struct VarveFlameOptions {
    VarveFlameOrder  order;
    VarveFlameWeight weight; /* inverted: a node has the total, or the self time, of its frame */
    VarveFlameSource source;
    VarveRecursion   recursion; /* VARVE_RECURSION_COLLAPSED: direct recursion is one node */
    uint64_t         reserved[4];
} VarveFlameOptions;

typedef struct VarveFlame VarveFlame;

/* Adds up equal call paths of the slices in the part: of those of its `name` and below, inverted of their callers; of `slices` and
 * below. `part` and `options` may be NULL. */
VARVE_API VarveFlame *varve_flame_open(const VarveTrace *trace, const VarvePart *part,
                                       const VarveFlameOptions *options, VarveError *error);
VARVE_API void        varve_flame_close(VarveFlame *flame);
/* Returns the number of nodes. Any thread. */
VARVE_API uint32_t varve_flame_count(const VarveFlame *flame);
/* Returns the nodes, parents first, heaviest siblings first, and their number; NULL when out of memory. */
VARVE_API const VarveFlameNode *varve_flame_nodes(VarveFlame *flame, uint32_t *node_count);

typedef enum VarveTheme { VARVE_LIGHT, VARVE_DARK } VarveTheme;

typedef enum VarveFlameKind {
    VARVE_FLAME_SVG, /* SVG and HTML need no other file, and have hover, zoom and search */
    VARVE_FLAME_HTML,
    VARVE_FLAME_PNG,
    VARVE_FLAME_JSON,
    VARVE_FLAME_FOLDED /* lines "outer;inner 120" */
} VarveFlameKind;

typedef struct VarveFlamePicture {
    VarveFlameKind kind;
    VarveTheme     theme;
    /* the range of the trace, in the title; NULL = that of the part */
    const char *range;
    /* a graph with the same options of another trace: colours show the change since. Not VARVE_FLAME_FOLDED. NULL = none */
    const VarveFlame *against;
    uint64_t          reserved[4];
} VarveFlamePicture;

/* Draws the graph and replaces the content of `out` by the file. `picture` may be NULL: SVG. Any thread, with an `out` of its own. */
VARVE_API bool varve_flame_draw(const VarveFlame *flame, const VarveFlamePicture *picture, VarveBytes *out,
                                VarveError *error);

/* ---- comparison ---- */

typedef enum VarveVerdict {
    VARVE_SLOWER, /* a call takes longer in B, and chance does not explain it */
    VARVE_FASTER,
    VARVE_NOISE, /* the difference is as large as chance makes it */
    VARVE_FEW,   /* too few calls to tell */
    VARVE_NEW,   /* only in B */
    VARVE_GONE   /* only in A */
} VarveVerdict;

typedef struct VarveDiffSide {
    uint64_t count;
    double   total_ns, self_ns, average_ns, self_average_ns, p50_ns, p99_ns;
} VarveDiffSide;

typedef struct VarveDiffRow {
    VarveText     name; /* by path: names from the outermost on, with ';' between */
    VarveVerdict  verdict;
    VarveDiffSide a, b;
    double        self_change_ns; /* b.self_ns - a.self_ns */
    double        p_adjusted;     /* false discovery rate at which the verdict holds; 1 without a test */
} VarveDiffRow;

typedef enum VarveDiffBy { VARVE_DIFF_BY_NAME, VARVE_DIFF_BY_PATH } VarveDiffBy;

typedef struct VarveDiff VarveDiff;

/* Compares the slices of a part of each trace. The parts may be NULL. Fails if only one trace has times. */
VARVE_API VarveDiff *varve_diff_open(const VarveTrace *a, const VarvePart *part_a, const VarveTrace *b,
                                     const VarvePart *part_b, VarveDiffBy by, VarveError *error);
VARVE_API void       varve_diff_close(VarveDiff *diff);
/* Returns the rows, largest change of self time first, and their number. Any thread. */
VARVE_API const VarveDiffRow *varve_diff_rows(const VarveDiff *diff, uint32_t *row_count);

/* ---- Go ---- */

typedef struct VarveGoroutine {
    uint64_t  id;
    VarveText function; /* with which it began; "" = not known */
    /* exclusive parts of total_ns */
    int64_t  total_ns, execution_ns, network_ns, sync_ns, other_ns, syscall_ns, scheduler_ns;
    uint64_t start_count; /* times that it got a processor */
} VarveGoroutine;

typedef struct VarveGo VarveGo;

/* Reads the input of a Go execution trace again and adds up the times of goroutines in the loaded range. */
VARVE_API VarveGo *varve_go_open(const VarveTrace *trace, VarveError *error);
VARVE_API void     varve_go_close(VarveGo *go);
/* Returns the goroutines in order of appearance, and their number. Any thread. */
VARVE_API const VarveGoroutine *varve_go_routines(const VarveGo *go, uint32_t *routine_count);

/* ---- SQL ----
 *
 * By DuckDB, whose library (1.5 or later) is loaded at run time: $VARVE_DUCKDB, or libduckdb.so of the system. */

typedef struct VarveQueryOptions {
    uint64_t memory_bytes; /* limit on DuckDB's memory; 0 = a quarter of the machine's */
    uint32_t thread_count; /* 0 and 1: one thread */
    uint32_t reserved_flags;
    /* the file, and the folder of files, that may be written; NULL = none. Borrowed until varve_query_close */
    const char *output_path, *output_folder;
    /* cancels statements and the reading of their rows; borrowed until varve_query_close; NULL = none */
    VarveProgress *progress;
    uint64_t       reserved[2];
} VarveQueryOptions;

typedef struct VarveQuery VarveQuery;

/* Opens a database over `trace_count` traces. The array is copied. It reads no other data. `options` may be NULL. Fails with
 * VARVE_ERROR_UNKNOWN if DuckDB was not found. */
VARVE_API VarveQuery *varve_query_open(const VarveTrace *const *traces, uint32_t trace_count,
                                       const VarveQueryOptions *options, VarveError *error);
VARVE_API void        varve_query_close(VarveQuery *query);
/* Runs the statements and keeps the result of the last one until the next run. `progress` is of this call alone; NULL = that of
 * the options. VARVE_ERROR_USAGE: DuckDB reports an error. */
VARVE_API bool varve_query_run(VarveQuery *query, const char *sql, VarveProgress *progress,
                               VarveError *error);
/* As varve_query_run, but writes the rows of the last statement, a query, to a Parquet file, which is output_path of the options or
 * in output_folder. There is no result. */
VARVE_API bool varve_query_parquet(VarveQuery *query, const char *sql, const char *path,
                                   VarveProgress *progress, VarveError *error);
/* Returns the whole message of DuckDB about the last failure, of one or more lines, with the place in the statement; "" = none. */
VARVE_API const char *varve_query_message(const VarveQuery *query);
/* Return the number of columns of the result, and the name of a column: NULL if there is no such one. */
VARVE_API uint32_t    varve_query_column_count(const VarveQuery *query);
VARVE_API const char *varve_query_column_name(const VarveQuery *query, uint32_t column);

typedef enum VarveCellKind {
    VARVE_CELL_NULL,
    VARVE_CELL_BOOL,
    VARVE_CELL_INTEGER,
    VARVE_CELL_UNSIGNED,
    VARVE_CELL_REAL,
    VARVE_CELL_NUMBER, /* digits in `text`: no other kind holds the number exactly */
    VARVE_CELL_TEXT,
    VARVE_CELL_JSON /* a list, structure or map: JSON in `text` */
} VarveCellKind;

typedef struct VarveCell {
    VarveCellKind kind;
    int64_t       integer; /* VARVE_CELL_INTEGER; 0 or 1 of VARVE_CELL_BOOL */
    uint64_t      unsigned_integer;
    double        real;
    VarveText     text; /* valid until the next varve_query_next */
} VarveCell;

/* Returns the kind of the values of a column: never VARVE_CELL_NULL, except if there is no such column. */
VARVE_API VarveCellKind varve_query_column_kind(const VarveQuery *query, uint32_t column);
/* Goes to the next rows of the result and sets *row_count to their number; 0 after the last. */
VARVE_API bool varve_query_next(VarveQuery *query, uint32_t *row_count, VarveError *error);
/* Fills a value of these rows. False: there is no such row or column. */
VARVE_API bool varve_query_cell(const VarveQuery *query, uint32_t column, uint32_t row, VarveCell *cell);
/* Returns the value as text: all digits of integers, reals as the shortest text that reads back equal, "true", "nan", "inf"; "" for
 * VARVE_CELL_NULL. It is in `buffer`, in the cell, or static. Any thread. */
#define VARVE_CELL_TEXT_BYTES 48
VARVE_API VarveText varve_cell_text(const VarveCell *cell, char buffer[VARVE_CELL_TEXT_BYTES]);
/* Moves the rows of the result that were not read yet into an Arrow C stream, as varve_arrow_open does for a table. Release
 * it before the next varve_query_run. Lists, structures and maps are JSON. */
VARVE_API bool varve_query_arrow(VarveQuery *query, struct ArrowArrayStream *stream, VarveError *error);

/* ---- pictures ---- */

typedef enum VarvePictureKind { VARVE_PNG, VARVE_SVG, VARVE_PDF } VarvePictureKind;

typedef struct VarvePicture {
    VarvePictureKind kind;
    VarveTheme       theme;
    double           width_px;    /* 0 = 1600 */
    double           height_px;   /* 0 = as high as the content */
    double           scale;       /* device pixels per px; 0 = 1 */
    const char      *range;       /* of the first trace; NULL = all */
    const char      *tracks;      /* only tracks with this text; NULL = all */
    const char      *select_name; /* highlights the slices of this name; NULL = none */
    /* only events of these categories, separated by commas; "(none)" is that of events without one; NULL = all */
    const char *categories;
    const char *hidden_categories; /* no events with categories only from this list; NULL = none */
    const char *flows;             /* the arrows to draw: "few", "all", "none"; NULL = few */
    const char *sort;              /* of the rows: "default", "name", "first", "busiest"; NULL = default */
    const char *overlay;           /* counters in one chart, separated by commas; NULL = as the trace asks */
    const char *groups;            /* of the rows: "process", "name", "flat"; NULL = process */
    /* colours by "name", "category", "thread", "process", "duration" or "file"; NULL = name */
    const char *color_by;
    const char *palette;     /* "standard"; "safe" for colour-blind people; NULL = standard */
    const char *row_heights; /* "compact", "normal", "roomy"; NULL = normal */
    /* content of a view file (docs/view-files.md), whose state the other members change; NULL = none. A file that is damaged or of
     * no open trace: VARVE_ERROR_CORRUPT */
    const char *view_json;
    size_t      view_bytes;
    /* Receives each difference between the view file and the traces. NULL = not reported. */
    void (*difference)(void *context, VarveText what);
    void    *context;
    uint64_t reserved[6];
} VarvePicture;

/* Draws the timeline of one or more traces, each below the other on one time axis, and replaces the content of `out` by the
 * file. The same traces give the same bytes. `picture` may be NULL: a PNG. Any thread, with an `out` of its own. */
VARVE_API bool varve_render(const VarveTrace *const *traces, uint32_t trace_count,
                            const VarvePicture *picture, VarveBytes *out, VarveError *error);
/* As varve_render, to a file ("-" is standard output): it has its content when the function returns, or is unchanged. */
VARVE_API bool varve_render_file(const VarveTrace *const *traces, uint32_t trace_count,
                                 const VarvePicture *picture, const char *path, VarveError *error);

/* ---- conversion ---- */

/* Of the format varve. VARVE_ARGUMENTS_STORED: the file has the arguments of events. VARVE_ARGUMENTS_SOURCE: they are read from
 * the input of the trace, which must stay; if that is not an uncompressed file, the file has them. */
typedef enum VarveArgumentUse { VARVE_ARGUMENTS_STORED, VARVE_ARGUMENTS_SOURCE } VarveArgumentUse;

typedef struct VarveConversion {
    /* "json", "spall", "spall1", "heph", "varve", "folded", "speedscope", "pprof"; of a table "csv", "jsonl", "arrow", "parquet".
     * NULL: by the suffix of the path */
    const char *format;
    const char *table; /* of csv, jsonl, arrow and parquet; NULL = "slice" */
    /* Receives each kind of data that the format cannot hold, with its number, after the output is complete. NULL = not
     * reported. */
    void (*loss)(void *context, VarveText what, uint64_t count);
    void            *context;
    uint64_t         memory_bytes; /* of parquet: as in VarveQueryOptions */
    uint32_t         thread_count; /* of parquet: as in VarveQueryOptions */
    VarveArgumentUse arguments;
    uint64_t         reserved[4];
} VarveConversion;

/* Writes the trace to a file in another format ("-" is standard output): it has its content when the function returns, or is
 * unchanged. Parquet needs DuckDB. `conversion` may be NULL. VARVE_ERROR_INPUT: the arguments cannot be read again. Any thread. */
VARVE_API bool varve_convert_file(const VarveTrace *trace, const VarveConversion *conversion,
                                  const char *path, VarveError *error);
/* As varve_convert_file, to memory: replaces the content of `out`. Not parquet; `conversion->format` must be given. */
VARVE_API bool varve_convert(const VarveTrace *trace, const VarveConversion *conversion, VarveBytes *out,
                             VarveError *error);

/* ---- live input ---- */

typedef struct VarveLive VarveLive;

typedef struct VarveLiveOptions {
    const char *format;  /* NULL = by the first bytes */
    uint64_t keep_bytes; /* limit on the memory of the trace's events: the oldest are dropped; 0 = no limit */
    uint64_t keep_ns;    /* of time before the latest event; 0 = no limit */
    VarveDetailUse
        details; /* VARVE_DETAILS_KEPT: the pushed bytes are stored in a temporary file, for varve_details */
    uint64_t reserved[5];
} VarveLiveOptions;

/* Opens an input that is pushed in pieces: a growing file, a pipe, a socket. `options` may be NULL. */
VARVE_API VarveLive *varve_live_open(const char *name, const VarveLiveOptions *options, VarveError *error);
VARVE_API void       varve_live_close(VarveLive *live);
/* Adds the next bytes to the trace. No handle of the trace may be open, except the handles that varve_live_trace returned.
 * False: the input cannot be read further; the trace has the events before. */
VARVE_API bool varve_live_push(VarveLive *live, const void *bytes, size_t size_bytes, VarveError *error);
/* Ends the input: a record that is cut off becomes a warning. */
VARVE_API bool varve_live_end(VarveLive *live, VarveError *error);
/* Returns the trace with all events so far, for all functions above; NULL until the format is recognised. It
 * belongs to `live`: do not close it. Its ids are valid until the next push. */
VARVE_API const VarveTrace *varve_live_trace(const VarveLive *live);

#ifdef __cplusplus
}
#endif
#endif
