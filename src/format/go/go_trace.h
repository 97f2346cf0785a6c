/* format/go/go_trace.h - any Go trace as one sequence of events: for the viewer's reader, for text, for statistics.
 *
 * A GoTrace takes bytes as they come and hands each event, in order, to a sink. Events are not kept: memory
 * is the input's own bytes (a generation of a v2 trace, all of a v1 trace, lent by the caller) and what there
 * is of goroutines, processors, threads, stacks and strings. Where bytes that have gone by can be read again
 * (GoTrace.again) they are, a batch of each processor or thread at a time, and only tables are held. An
 * event's strings and stacks are looked up in go_trace_tables while the sink has it.
 *
 *   version       the header                       varint, vector, id_map   small tools
 *   event         what an event is                 v1_spec, v2_spec         which records there are
 *   tables        strings and stacks by id
 *   generation    v2: batches and tables found     scheduler, frontier      v2: Go's order and checks
 *   v1_scan       v1: the same                     v1_merge, v1_check       v1: likewise
 *   v1_text, v2_text  events as Go's tools print   feed, reader             events to the builder
 *   kept, ends    a run's ends, read again         feed_steps               most of them, on the shortest way
 *   stats, mmu        answers to questions         pprof                    stacks for Go's tool */
#ifndef FORMAT_GO_GO_TRACE_H
#define FORMAT_GO_GO_TRACE_H
#include "base/checked.h"
#include "format/go/frontier.h"
#include "format/go/v1.h"
#include "format/go/version.h"
#include "format/reader.h"

typedef struct GoTrace GoTrace;

/* The part of a trace that is wanted: ns from its begin, both ends inside. Zeroed: all of it.
 *
 * All events up to its end are read and put in order, so that each of those inside is what it is in the whole
 * trace; those before are told with GoTrace.is_before, for who carries states along. Behind it, with
 * GoTrace.is_past, come only those that tell of what was inside. Memory does not grow with what comes before. */
typedef struct GoWindow {
    bool    is_set;
    int64_t begin, end;
} GoWindow;

typedef struct GoSink {
    V1Mode v1_mode; /* V1_BY_TIME, unless the sink can do with V1_BY_CAUSE */
    /* Once, when the version is known, before anything else. */
    void (*begin)(void *context, const GoTrace *trace);
    /* The next event. v1: trace->v1.links has what it closed. False: memory is out. */
    bool (*event)(void *context, GoTrace *trace, const GoEvent *event);
    /* Once, behind the last event. False: memory is out. */
    bool (*end)(void *context, GoTrace *trace);
    GoReport report;
    void    *context;
    /* With a window, before it: the strings and stacks of the events so far are about to go. False: memory is
     * out. NULL = nobody minds. */
    bool (*tables_go)(void *context, GoTrace *trace);
    /* Takes steps that come next from trace->frontier or trace->v1 by itself, and counts them: who needs no
     * more than these tell, and has no window. NULL: all come to `event`. False: memory is out. */
    bool (*steps)(void *context, GoTrace *trace);
} GoSink;

/* How many records of each type the input has, tables and batches included. */
typedef struct GoCounts {
    uint64_t of[256];
} GoCounts;

struct GoTrace {
    Arena       *arena; /* borrowed */
    GoSink       sink;
    StringTable *texts; /* of GoEvent.extra and go_string_intern */
    GoVersion    version;
    bool         has_version, is_v2, is_ended;
    bool         is_damaged;  /* something was cut off, skipped or lost */
    uint64_t     offset;      /* in the input, of what `read` gets next */
    uint64_t     event_count; /* handed to the sink so far */
    uint64_t     outside_count; /* events before and behind the window that were read */
    uint64_t     generation_count;
    int64_t      begin_time; /* ns: of the first generation; v1: 0 */
    bool         is_generation_open;
    GoWindow     window;        /* set before the first byte is read */
    const char  *day_range;     /* a range by time of day, until the first generation says where it is; or NULL */
    ReadAgain    again;         /* likewise; zeroed: it cannot be read again */
    bool         wants_more;    /* set by the sink: behind the window, too, it wants the transitions of v1 */
    bool         is_past;       /* an event behind the window was there: little more is read ... */
    int64_t      last_time;     /* ... and this is its time; with a window before: the last one's */
    bool         is_before;     /* the event that the sink has leads up to the window */
    bool         is_broken_off; /* the last generation was not read to its end */
    GoCounts     counts;
    GoGeneration generation; /* v2: the one whose events come */
    Scheduler    scheduler;
    Frontier     frontier;
    GoV1         v1;
};

/* Lives in `arena`. NULL when out of memory. */
GoTrace *go_trace_create(Arena *arena, const GoSink *sink) WARN_UNUSED;
/* As FormatReader.read: takes what is complete at the start of `bytes`, says in *used how far it came. */
bool go_trace_read(GoTrace *trace, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                   Err *err);
/* All of an input, or until *stop (NULL: nothing stops it): what cannot be read any more is its end. */
bool go_trace_read_input(GoTrace *trace, Input *input, const bool *stop, Err *err);

/* A time that counts from the trace's begin as one of its clock; beyond 2^63: clamped. */
static inline int64_t go_trace_time(const GoTrace *trace, int64_t from_begin)
{
    bool clamped = false;
    return i64_add_clamped(trace->begin_time, from_begin, &clamped);
}

/* Of the event that the sink has. */
static inline GoTables *go_trace_tables(GoTrace *trace)
{
    return trace->is_v2 ? &trace->generation.tables : &trace->v1.tables;
}
/* Sets the window to a range as it was typed (trace/time_spec.h), before the first byte is read; `range` must outlive the
 * trace. NULL = no range. */
void go_trace_set_range(GoTrace *trace, const char *range);
/* Nanoseconds; from 1.25 on with the epoch, once the first generation is open. */
Clock go_trace_clock(const GoTrace *trace);
/* "GoStart" */
const char *go_trace_type_name(const GoTrace *trace, unsigned type);

#endif
