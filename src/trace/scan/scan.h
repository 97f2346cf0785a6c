/* trace/scan/scan.h - reads the rows of a trace in batches: slices, instants, counter samples, and their related tables.
 *
 * Statistics, search, flame graphs, SQL, Arrow and exports read a trace through a scan, so that they do not depend on
 * the storage of the columns. For other orders, and for single events, see trace/store/lookup.h. A scan takes a query and
 * returns batches of up to SCAN_BATCH_ROWS rows. A batch is one plain array for each column of the query; columns that
 * the query omits cost nothing.
 *
 *     ScanQuery query = scan_query(SCAN_SLICES, SCAN_COLUMN(SCAN_SLICE_LABEL) | SCAN_COLUMN(SCAN_SLICE_CLIPPED));
 *     query.begin_tick = begin, query.end_tick = end;
 *     Scan *scan = scan_begin(trace, &query, &arena, &err);
 *     if (scan == NULL) return false;
 *     for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
 *         const uint32_t *labels = batch->columns[SCAN_SLICE_LABEL].u32;
 *         const uint64_t *ticks = batch->columns[SCAN_SLICE_CLIPPED].u64;
 *         for (uint32_t i = 0; i < batch->count; i++) ...
 *     }
 *
 * scan_columns has the type, the unit and the value that means NULL of each column. The tables of schema/schema.h, for SQL and
 * exports, are made of these columns.
 *
 * Order. Rows are ordered by track (in the order of the query's list, otherwise by id), then by lane and depth, then by
 * begin: the parents of a row are before their children. The order does not depend on the batch size.
 *
 * Range. Half-open [begin_tick, end_tick) by default. A slice is in the range if a part of it is: it begins before the
 * end and ends after the begin, or has no length and begin <= tick < end. The same applies to a value of a counter,
 * from its tick to the next value's. An instant, a snapshot or a sample is in the range if its tick is. An arrow is in
 * the range if its later end is and the slices of both ends are; both ends must be on tracks of the query. RANGE_CLOSED
 * is the rule of --range (trace/store/window.h): both ends are included, and so is a slice that only touches the range.
 * Tracks, processes and stacks have no time. Rows outside the range are not read: the range is found by binary search.
 *
 * Counting. SCAN_COUNTED leaves out the rows that show work for a second time; this is the only place of the rule:
 *   - if a trace shows the same work in several perspectives, one counts: Trace.perspectives.counted if any of its
 *     tracks has rows in the query, otherwise the first perspective that has. Its name is scan_perspective;
 *   - labels with Label.is_repeat count only if Trace.perspectives.counted does not;
 *   - slices of tracks of samples (TRACK_SAMPLES) count only if the query has no slices of other tracks. The number
 *     of tracks that are left out for this reason is scan_left_out_tracks.
 *
 * SCAN_ALL has all rows.
 *
 * Ids of slices and instants are those of trace/store/trace.h. They ascend in each track, lane and depth.
 *
 * Memory. A scan lives in the arena of scan_begin and needs no other release. A column of a batch points into the trace
 * or into the scan, is read-only, and is valid until the next scan_next of the same scan.
 *
 * Threads. Scans only read the trace: any number of threads may scan one trace, each with its own scans. A growing
 * trace must not change between scan_begin and the last use of a batch: hold the lock of its readers. */
#ifndef TRACE_SCAN_SCAN_H
#define TRACE_SCAN_SCAN_H
#include "trace/store/filter.h"
#include "trace/store/range.h"

typedef enum {
    SCAN_SLICES,
    SCAN_INSTANTS,
    SCAN_COUNTER_SAMPLES,
    SCAN_STACK_SAMPLES, /* samples of call stacks of threads, on tracks of kind TRACK_SAMPLES */
    /* arrows, by the place of their begin; those without a slice there are last in a track */
    SCAN_FLOWS,
    SCAN_OBJECTS,   /* lives of objects, on tracks of kind TRACK_OBJECTS */
    SCAN_SNAPSHOTS, /* snapshots of objects, on the same tracks */
    SCAN_TRACKS,    /* threads are the tracks of kind TRACK_THREAD: ScanQuery.kinds */
    SCAN_PROCESSES,
    SCAN_STACKS, /* a row is the innermost frame of a stack, its parent the stack without it */
    SCAN_TABLE_COUNT
} ScanTable;

/* A row of SCAN_SLICES: a slice. States are those of tracks of kind TRACK_STATES, calls those of the threads of a
 * capture: ScanQuery.kinds. */
enum {
    SCAN_SLICE_ID,
    SCAN_SLICE_BEGIN,
    SCAN_SLICE_DURATION, /* its whole duration */
    SCAN_SLICE_CLIPPED,  /* the part of its duration that lies in the range of the query */
    SCAN_SLICE_SELF,     /* clipped without the direct children, hidden children included */
    SCAN_SLICE_LABEL,    /* its name, category and colour */
    SCAN_SLICE_NAME,
    SCAN_SLICE_CATEGORY,
    SCAN_SLICE_TRACK,      /* the track that shows it */
    SCAN_SLICE_PROCESS,    /* the process of the track */
    SCAN_SLICE_THREAD,     /* the track of the thread that began it */
    SCAN_SLICE_LANE,       /* 0, or more for slices that overlap others of the track without nesting */
    SCAN_SLICE_DEPTH,      /* number of slices around it */
    SCAN_SLICE_PARENT,     /* the slice around it */
    SCAN_SLICE_FLAGS,      /* SLICE_UNFINISHED, SLICE_NO_END, ... */
    SCAN_SLICE_CPU,        /* CPU time of its thread in its whole duration */
    SCAN_SLICE_SOURCE,     /* offset of the event that begins it, where that event has arguments or more */
    SCAN_SLICE_END_SOURCE, /* the same of an end event of its own */
    SCAN_SLICE_STACK,      /* stack at its begin */
    SCAN_SLICE_END_STACK,  /* stack at its end */
    SCAN_SLICE_HIDDEN,     /* 1 where labels, filter or repetition leave it out (SCAN_MARK_HIDDEN) */
    SCAN_SLICE_COLUMNS
};

/* A row of SCAN_INSTANTS: an instant of a thread, a process or the whole trace, a snapshot or a memory dump. */
enum {
    SCAN_INSTANT_ID,
    SCAN_INSTANT_TICK,
    SCAN_INSTANT_LABEL, /* its name, category and colour */
    SCAN_INSTANT_NAME,
    SCAN_INSTANT_CATEGORY,
    SCAN_INSTANT_TRACK,   /* the track that shows it */
    SCAN_INSTANT_PROCESS, /* the process of the track */
    SCAN_INSTANT_THREAD,  /* the track of the thread that wrote it */
    SCAN_INSTANT_LANE,    /* as of a slice */
    SCAN_INSTANT_DEPTH,   /* as of a slice */
    SCAN_INSTANT_SCOPE,   /* InstantScope */
    SCAN_INSTANT_SOURCE,  /* offset of its event, where that has arguments or more */
    SCAN_INSTANT_STACK,   /* stack at its time */
    SCAN_INSTANT_HIDDEN,  /* as of a slice */
    SCAN_INSTANT_COLUMNS
};

/* A row of SCAN_COUNTER_SAMPLES: one value of one series of a counter. */
enum {
    SCAN_VALUE_TICK,     /* time from which the value holds */
    SCAN_VALUE_DURATION, /* time to the next value of the series, or to the end of its process or the trace */
    SCAN_VALUE_CLIPPED,  /* the part of its duration that lies in the range of the query */
    SCAN_VALUE_VALUE,    /* the value; null = a gap */
    SCAN_VALUE_NAME,     /* name of the counter */
    SCAN_VALUE_CATEGORY, /* category of the counter */
    SCAN_VALUE_SERIES,   /* name of the series */
    SCAN_VALUE_TRACK,    /* track of the counter */
    SCAN_VALUE_PROCESS,  /* process of the counter */
    SCAN_VALUE_COLUMNS
};

enum {
    SCAN_SAMPLE_TICK,    /* time of the sample */
    SCAN_SAMPLE_STACK,   /* stack of the thread */
    SCAN_SAMPLE_WEIGHT,  /* weight of the sample; 1 where the source has none */
    SCAN_SAMPLE_TRACK,   /* the track that shows it */
    SCAN_SAMPLE_PROCESS, /* the process of the track */
    SCAN_SAMPLE_THREAD,  /* the track of the thread */
    SCAN_SAMPLE_COLUMNS
};

enum {
    SCAN_FLOW_ID,
    SCAN_FLOW_FROM_TICK,  /* time of its begin */
    SCAN_FLOW_TO_TICK,    /* time of its end */
    SCAN_FLOW_FROM,       /* slice that it begins in */
    SCAN_FLOW_TO,         /* slice that it ends in */
    SCAN_FLOW_FROM_TRACK, /* track that it begins on */
    SCAN_FLOW_TO_TRACK,   /* track that it ends on */
    SCAN_FLOW_LABEL,      /* its name, category and colour */
    SCAN_FLOW_NAME,
    SCAN_FLOW_CATEGORY,
    SCAN_FLOW_FLAGS, /* FLOW_BACKWARDS, FLOW_FROM_UNBOUND, FLOW_TO_UNBOUND */
    SCAN_FLOW_COLUMNS
};

enum {
    SCAN_OBJECT_SLICE,    /* the slice that shows this life */
    SCAN_OBJECT_BEGIN,    /* begin of this life */
    SCAN_OBJECT_DURATION, /* duration of this life */
    SCAN_OBJECT_OBJECT,   /* the object: an id may live again */
    SCAN_OBJECT_SCOPE,    /* scope of its id */
    SCAN_OBJECT_KEY,      /* its id in the source */
    SCAN_OBJECT_TYPE,
    SCAN_OBJECT_BASE_TYPE, /* base type, from its snapshots */
    SCAN_OBJECT_CATEGORY,  /* category of its first event */
    SCAN_OBJECT_TRACK,     /* the track that shows it */
    SCAN_OBJECT_PROCESS,   /* the process of the track */
    SCAN_OBJECT_THREAD,    /* track of the thread of its first event */
    SCAN_OBJECT_CREATED,   /* 1 where the source has its creation */
    SCAN_OBJECT_SNAPSHOTS, /* number of its snapshots */
    SCAN_OBJECT_SOURCE,    /* offset of its first event */
    SCAN_OBJECT_COLUMNS
};

enum {
    SCAN_SNAPSHOT_INSTANT, /* the instant that shows it */
    SCAN_SNAPSHOT_TICK,
    SCAN_SNAPSHOT_SLICE, /* the life of the object */
    SCAN_SNAPSHOT_OBJECT,
    SCAN_SNAPSHOT_TRACK,   /* the track that shows it */
    SCAN_SNAPSHOT_PROCESS, /* the process of the track */
    SCAN_SNAPSHOT_THREAD,  /* track of the thread that wrote it */
    SCAN_SNAPSHOT_SOURCE,  /* offset of its event, which holds its content */
    SCAN_SNAPSHOT_COLUMNS
};

enum {
    SCAN_TRACK_ID,
    SCAN_TRACK_KIND, /* TrackKind */
    SCAN_TRACK_PROCESS,
    SCAN_TRACK_TID,      /* thread id of the source, where it is a number */
    SCAN_TRACK_TID_TEXT, /* thread id of the source, where it is a text */
    SCAN_TRACK_NAME,
    SCAN_TRACK_CATEGORY, /* category of asynchronous slices and counters */
    SCAN_TRACK_THREAD,   /* the thread whose states or samples it shows; of a thread itself */
    SCAN_TRACK_SLICES,   /* number of its slices */
    SCAN_TRACK_INSTANTS, /* number of its instants */
    SCAN_TRACK_VALUES,   /* number of values of a counter */
    SCAN_TRACK_COLUMNS
};

enum {
    SCAN_PROCESS_ID,
    SCAN_PROCESS_PID,      /* id of the source, where it is a number */
    SCAN_PROCESS_PID_TEXT, /* id of the source, where it is a text */
    SCAN_PROCESS_NAME,
    SCAN_PROCESS_LABELS, /* free text beside the name */
    SCAN_PROCESS_TRACKS, /* number of its tracks */
    SCAN_PROCESS_COLUMNS
};

enum {
    SCAN_STACK_ID,
    SCAN_STACK_PARENT,   /* the stack without its innermost frame; its id is lower */
    SCAN_STACK_FUNCTION, /* function of the innermost frame */
    SCAN_STACK_FILE,     /* its path or URL */
    SCAN_STACK_MODULE,   /* its library, package or category */
    SCAN_STACK_LINE,     /* line, from 1 */
    SCAN_STACK_COLUMN,   /* column, from 1 */
    SCAN_STACK_ADDRESS,
    SCAN_STACK_COLUMNS
};

enum { SCAN_COLUMNS_MAX = 24, SCAN_BATCH_ROWS = 2048 };
#define SCAN_COLUMN(column) ((uint64_t)1 << (column))

/* The type of a column's array: the member of ScanValues to read. */
typedef enum {
    SCAN_I64,
    SCAN_U64,
    SCAN_U32,
    SCAN_U8,
    SCAN_F64,
    SCAN_TEXT /* u32: a StringId.index, for trace_string */
} ScanType;

/* The meaning of a column's numbers. */
typedef enum {
    SCAN_UNIT_NONE,
    SCAN_UNIT_MOMENT, /* ticks of the trace's clock: a time */
    SCAN_UNIT_SPAN,   /* ticks: a length of time */
    SCAN_UNIT_NS,
    SCAN_UNIT_OFFSET, /* bytes from the start of the input */
    SCAN_UNIT_SLICE,  /* ids: of a slice, ... */
    SCAN_UNIT_INSTANT,
    SCAN_UNIT_LABEL, /* index into Trace.labels */
    SCAN_UNIT_TRACK,
    SCAN_UNIT_PROCESS,
    SCAN_UNIT_STACK,  /* StackId.index */
    SCAN_UNIT_FLOW,   /* index into FlowColumns */
    SCAN_UNIT_OBJECT, /* index into ObjectColumns.objects */
    SCAN_UNIT_ENUM    /* a value or bits of the C enum that the documentation names */
} ScanUnit;

/* The value that means NULL. */
typedef enum {
    SCAN_NOT_NULL,
    SCAN_NULL_ZERO,
    SCAN_NULL_MAX, /* UINT64_MAX */
    SCAN_NULL_MIN, /* INT64_MIN */
    SCAN_NULL_NAN
} ScanNull;

/* The thing that has the value: each item, or the track or row of the items, so that all of these have the same value. */
typedef enum {
    SCAN_OF_ITEM,
    SCAN_OF_TRACK, /* its id */
    SCAN_OF_NAME,  /* the name of the track */
    SCAN_OF_CATEGORY,
    SCAN_OF_PROCESS, /* the process of the track */
    SCAN_OF_THREAD,  /* track_thread() */
    SCAN_OF_LANE,    /* of the row */
    SCAN_OF_DEPTH,
    SCAN_OF_SERIES
} ScanOf;

typedef struct ScanColumn {
    ScanType type;
    ScanUnit unit;
    ScanNull null;
    ScanOf   of;
} ScanColumn;

/* Returns the static columns of a table, in the order of their enum above. */
const ScanColumn *scan_columns(ScanTable table, uint32_t *count);

typedef enum { SCAN_ALL, SCAN_COUNTED } ScanRows;
/* Slices and instants that are hidden by the labels, the filter or Label.is_repeat: they are skipped, or returned with
 * a nonzero value in the column `hidden`, so that the chain of parents has no gaps. */
typedef enum { SCAN_SKIP_HIDDEN, SCAN_MARK_HIDDEN } ScanHidden;

typedef struct ScanQuery {
    ScanTable  table;
    uint64_t   columns; /* SCAN_COLUMN(...) | ...; may be 0: rows are counted */
    ScanRows   rows;
    RangeEdges edges;
    int64_t    begin_tick, end_tick;
    /* ids, each once, in any order; NULL = all. Ids outside Trace.window.tracks are ignored */
    const uint32_t *tracks;
    uint32_t        track_count;
    uint32_t only_track;   /* reads the rows of this track alone, as far as they count among all; 0 = all */
    uint32_t kinds;        /* bit i: tracks of TrackKind i; 0 = all */
    const uint8_t *labels; /* by label id, label_count + 1 bytes: nonzero = included; NULL = all */
    const Filter  *filter; /* hides labels and counters; NULL = nothing. Self times do not depend on it */
    ScanHidden     hidden;
    /* limit on the rows of a batch; 0 = SCAN_BATCH_ROWS, which is also the maximum */
    uint32_t batch_rows;
} ScanQuery;

/* A part of a trace: a range of time on some tracks, without the hidden labels and counters. */
typedef struct TracePart {
    int64_t         begin_tick, end_tick; /* half-open; INT64_MIN and INT64_MAX for everything */
    const uint32_t *tracks; /* ids, each once, in any order; NULL = all. Ids that do not exist are ignored */
    uint32_t        track_count;
    uint32_t        kinds;  /* bit i: tracks of TrackKind i; 0 = all */
    const Filter   *filter; /* hidden rows do not count; NULL = none hidden. Self times do not change */
} TracePart;

/* Returns a query of the rows of a table that count in the part (SCAN_COUNTED). */
ScanQuery scan_query_of_part(ScanTable table, uint64_t columns, const TracePart *part);
/* Returns a query of all rows of a table: SCAN_ALL, all tracks, all labels, INT64_MIN to INT64_MAX. */
ScanQuery scan_query(ScanTable table, uint64_t columns);

typedef union ScanValues {
    const void     *any; /* NULL: not a column of the query */
    const int64_t  *i64;
    const uint64_t *u64;
    const uint32_t *u32; /* also for SCAN_TEXT */
    const uint8_t  *u8;
    const double   *f64;
} ScanValues;

typedef struct ScanBatch {
    uint32_t   count; /* number of rows, > 0; may be less than batch_rows, also before the end */
    ScanValues columns[SCAN_COLUMNS_MAX];
} ScanBatch;

typedef struct Scan Scan;

/* Begins a scan, with memory for batch_rows rows of the columns from `arena`. NULL: out of memory, err filled. The
 * trace and `tracks` must outlive the scan; the rest of the query is copied. O(tracks), and O(labels) if labels are
 * hidden. */
Scan *scan_begin(const Trace *trace, const ScanQuery *query, Arena *arena, Err *err) WARN_UNUSED;
/* Returns the next batch; NULL at the end. */
const ScanBatch *scan_next(Scan *scan);
/* Returns to the first row. */
void scan_restart(Scan *scan);

/* Returns the CPU time of the clipped part of a slice, in ns, from its columns: the same part as of its duration. */
uint64_t scan_clipped_cpu(uint64_t cpu_ns, uint64_t clipped, uint64_t duration);

/* Returns the static name of the perspective that counts; NULL with SCAN_ALL, or if the query's tracks belong to no
 * perspective. */
const char *scan_perspective(const Scan *scan);
/* The number of tracks of samples that SCAN_COUNTED leaves out. */
uint32_t scan_left_out_tracks(const Scan *scan);

#endif
