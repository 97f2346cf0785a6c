/* format/go/trace/go_trace.h - any Go trace as one sequence of events: for the viewer's reader, for text, for statistics.
 *
 * A GoTrace takes bytes as they arrive and passes each event, in order, to a sink. Events are not stored. Memory holds
 * the input's own bytes (a generation of a v2 trace, all of a v1 trace, borrowed from the caller) and the goroutines,
 * processors, threads, stacks and strings. If earlier bytes can be read again (GoTrace.again), only the tables and one
 * batch of each processor or thread are in memory. While the sink has an event, go_trace_tables has its strings and
 * stacks. */
#ifndef FORMAT_GO_TRACE_GO_TRACE_H
#define FORMAT_GO_TRACE_GO_TRACE_H
#include "base/checked.h"
#include "format/go/common/version.h"
#include "format/go/v1/v1.h"
#include "format/go/v2/frontier.h"
#include "format/reader.h"

typedef struct GoTrace GoTrace;

/* The part of a trace to read: ns from its begin, inclusive. Zeroed: all of it.
 *
 * All events up to its end are read and put in order, so that the events in it are the same as without a window. The
 * events before it have GoTrace.is_before, so that a sink can track states. After it, with GoTrace.is_past, only events
 * that tell about states in the window follow. Memory does not depend on the length before the window. */
typedef struct GoWindow {
    bool    is_set;
    int64_t begin, end;
} GoWindow;

typedef struct GoSink {
    V1Mode v1_mode; /* V1_BY_TIME, or V1_BY_CAUSE if that suffices */
    /* Called once, when the version is known, before the other functions. */
    void (*begin)(void *context, const GoTrace *trace);
    /* Takes the next event. v1: trace->v1.checks.links has the links that it closes. False when out of memory. */
    bool (*event)(void *context, GoTrace *trace, const GoEvent *event);
    /* Called once, after the last event. False when out of memory. */
    bool (*end)(void *context, GoTrace *trace);
    GoReport report;
    void    *context;
    /* Called before the window, when the strings and stacks of the events so far are about to be cleared. False when
     * out of memory. May be NULL. */
    bool (*tables_go)(void *context, GoTrace *trace);
    /* Fast path: takes the next steps from trace->frontier or trace->v1 and counts them. Not with a window. NULL: all
     * events go to `event`. False when out of memory. */
    bool (*steps)(void *context, GoTrace *trace);
} GoSink;

/* Number of records by type, including tables and batches. */
typedef struct GoCounts {
    uint64_t of[256];
} GoCounts;

struct GoTrace {
    Arena       *arena; /* borrowed */
    GoSink       sink;
    StringTable *texts; /* of GoEvent.extra and go_string_intern */
    GoVersion    version;
    bool         has_version, is_v2, is_ended;
    bool         is_damaged;    /* a part was cut off, skipped or lost */
    uint64_t     offset;        /* in the input, of the next byte for go_trace_read */
    uint64_t     event_count;   /* passed to the sink */
    uint64_t     outside_count; /* events read before and after the window */
    uint64_t     generation_count;
    int64_t      begin_time; /* ns: of the first generation; v1: 0 */
    bool         is_generation_open;
    GoWindow     window;     /* set before the first read */
    const char  *day_range;  /* a range by time of day, until the first generation gives the clock; or NULL */
    ReadAgain    again;      /* set before the first read; zeroed: bytes cannot be read again */
    bool         wants_more; /* set by the sink: it needs transitions of v1 after the window as well */
    bool         is_past;    /* an event after the window was read: few more are needed */
    int64_t      last_time;  /* of the last event; from is_past on, of the one that set it */
    bool         is_before;  /* the sink's event is before the window */
    bool         is_broken_off; /* the last generation was not read to its end */
    GoCounts     counts;
    GoGeneration generation; /* v2: the current one */
    Scheduler    scheduler;
    Frontier     frontier;
    GoV1         v1;
};

/* Creates a trace in `arena`. NULL when out of memory. */
GoTrace *go_trace_create(Arena *arena, const GoSink *sink) WARN_UNUSED;
/* Implements FormatReader.read: takes the complete part of `bytes`, *used bytes. */
bool go_trace_read(GoTrace *trace, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                   Err *err);
/* Reads all of an input, or until *stop (may be NULL). The input ends at the first unreadable byte. */
bool go_trace_read_input(GoTrace *trace, Input *input, const bool *stop, Err *err);

/* Converts a time from the trace's begin to its clock; clamped beyond 2^63. */
static inline int64_t go_trace_time(const GoTrace *trace, int64_t from_begin)
{
    bool clamped = false;
    return i64_add_clamped(trace->begin_time, from_begin, &clamped);
}

/* Returns the tables of the sink's current event. */
static inline GoTables *go_trace_tables(GoTrace *trace)
{
    return trace->is_v2 ? &trace->generation.tables : &trace->v1.tables;
}
/* Sets the window to a range as typed (trace/store/time_spec.h), before the first read. `range` must outlive the trace. NULL
 * = no range. */
void go_trace_set_range(GoTrace *trace, const char *range);
/* Returns the clock in ns; from 1.25 on with the epoch, when the first generation is open. */
Clock go_trace_clock(const GoTrace *trace);
/* Returns the name of a type of record: "GoStart". */
const char *go_trace_type_name(const GoTrace *trace, unsigned type);

#endif
