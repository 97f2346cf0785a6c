/* format/trace_event/write/out.h - the state shared by the files of the writer. */
#ifndef FORMAT_TRACE_EVENT_WRITE_OUT_H
#define FORMAT_TRACE_EVENT_WRITE_OUT_H
#include "format/pending_ends.h"
#include "format/trace_event/write/encode.h"
#include "format/writer_pieces.h"

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
    JsonPlan         *plan;   /* in the arena: the encoders read it while this struct is written */
    Bytes             buffer; /* of the text before and after the events */
    Bytes             title;  /* of the current process or thread */
    bool              has_lines;
    uint64_t         *async_roots;   /* by row of an asynchronous track: the root of its latest slice */
    bool             *ends_first;    /* by track: it has an unmatched end */
    PendingEnds       ends;          /* heap of the ends of open slices (pending_ends.h) */
    uint64_t          begin_count;   /* number of slices whose end is a separate event */
    StrayList         strays;        /* unmatched ends, written before events that begin at their time */
    StrayList         in_file_order; /* raw events whose order matters, written after events of their time */
    bool              own_format, file_order_counts;
    JsonEncoder      *encoders;
    WriterPieces     *pieces;
    JsonPiece        *piece; /* the one to fill */
} JsonOut;

/* Passes the buffer to the sink if it has `threshold` bytes or more. */
bool json_out_flush(JsonOut *out, size_t threshold, Err *err) WARN_UNUSED;

#endif
