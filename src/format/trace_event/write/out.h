/* format/trace_event/write/out.h - the state shared by the files of the writer. */
#ifndef FORMAT_TRACE_EVENT_WRITE_OUT_H
#define FORMAT_TRACE_EVENT_WRITE_OUT_H
#include "format/pending_ends.h"
#include "format/trace_event/write/line.h"
#include "format/trace_event/write/marks.h"
#include "format/writer.h"
#include "trace/store/window.h"

/* A raw event with a fixed position among the events of its time. `other` is an index into Trace.records.others. */
typedef struct StrayKey {
    int64_t  tick;
    uint64_t other;
} StrayKey;

/* Raw events in order of time, then of the file; in the arena. */
typedef struct StrayList {
    StrayKey *keys;
    size_t    count, at;
} StrayList;

typedef struct JsonOut {
    const Loaded     *loaded; /* borrowed */
    const Trace      *trace;
    const OutputSink *sink;
    WriterReport     *report;
    Arena             arena;
    Clock             clock; /* of the written times */
    Bytes             buffer;
    LineWriter        lines;
    SliceMarks        marks;
    StringView       *phases;      /* by kind of event: its phase as JSON */
    bool             *is_refused;  /* by kind of event: viewers reject its phase */
    uint64_t         *async_roots; /* by row of an asynchronous track: the root of its latest slice */
    bool             *ends_first;  /* by track: it has an unmatched end */
    uint16_t          end_kind, counter_kind, sample_kind;
    DetailReader     *reader;
    EventDetails      details;       /* of the current event */
    Bytes             title;         /* of the current process or thread */
    Bytes             id;            /* of the current asynchronous slice */
    PendingEnds       ends;          /* heap of the ends of open slices (pending_ends.h) */
    uint64_t          begin_count;   /* number of slices whose end is a separate event */
    StrayList         strays;        /* unmatched ends, written before events that begin at their time */
    WindowBegins      begins;        /* slices that begin before the range and end inside it */
    StrayList         in_file_order; /* raw events whose order matters, written after events of their time */
    uint64_t          unreadable_count;
    uint64_t          no_duration_count;
    uint64_t          moved_stack_count;
    uint64_t          closed_state_count;
    bool              own_format, file_order_counts;
} JsonOut;

/* Passes the buffer to the sink if it has `threshold` bytes or more. */
bool json_out_flush(JsonOut *out, size_t threshold, Err *err) WARN_UNUSED;

#endif
