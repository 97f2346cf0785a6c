/* format/trace_event/writer_out.h - what the rooms of the writer share: the trace, what is written, what is lost. */
#ifndef FORMAT_TRACE_EVENT_WRITER_OUT_H
#define FORMAT_TRACE_EVENT_WRITER_OUT_H
#include "format/trace_event/writer_line.h"
#include "format/trace_event/writer_marks.h"
#include "format/writer.h"
#include "trace/window.h"

/* An event that has its own place among those of its time: index into Trace.others. */
typedef struct StrayKey {
    int64_t  tick;
    uint64_t other;
} StrayKey;

/* In order of time, then of the file; in the arena. */
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
    Clock             clock; /* of the times that are written */
    Bytes             buffer;
    LineWriter        lines;
    SliceMarks        marks;
    StringView       *phases;     /* by kind of event: its letter as JSON */
    bool             *is_refused; /* by kind of event: its phase is none that viewers read */
    uint64_t         *async_roots; /* by row of an asynchronous track: the root of its latest slice */
    bool             *ends_first; /* by track: it has an end that belongs to nothing */
    uint16_t          end_kind, counter_kind, sample_kind;
    DetailReader     *reader;
    EventDetails      details;       /* of the event at hand */
    Bytes             title;         /* of the process or thread at hand */
    Bytes             id;            /* of the asynchronous slice at hand */
    Bytes             ends;          /* what is to come */
    uint64_t          begin_count;   /* of slices whose end is written for itself */
    StrayList         strays;        /* ends that belong to nothing: before what begins at their time */
    WindowBegins      begins;        /* of what lasts into the range */
    StrayList         in_file_order; /* events without a column, where their order counts: behind it */
    uint64_t          unreadable_count;
    uint64_t          no_duration_count;
    uint64_t          moved_stack_count;
    uint64_t          closed_state_count;
    bool              own_format, file_order_counts;
} JsonOut;

/* Hands to the sink what is there, if that is `threshold` bytes or more. */
bool json_out_flush(JsonOut *out, size_t threshold, Err *err) WARN_UNUSED;

#endif
