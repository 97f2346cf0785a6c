/* trace/log/observe.h - a builder that passes every event to an observer and stores none.
 *
 * For users of the events in file order, without a trace: memory grows with names, threads and warnings
 * only. Matching, sorting and nesting do not happen, nor do their warnings. */
#ifndef TRACE_LOG_OBSERVE_H
#define TRACE_LOG_OBSERVE_H
#include "trace/log/builder.h"

/* The event, named like the builder's function. */
typedef enum {
    OBSERVED_BEGIN,
    OBSERVED_END,
    OBSERVED_COMPLETE,
    OBSERVED_INSTANT,
    OBSERVED_OTHER,
    OBSERVED_METADATA
} ObservedKind;

typedef struct ObservedEvent {
    ObservedKind kind;
    unsigned     flags;      /* EVENT_ */
    uint16_t     event_kind; /* OTHER, METADATA: index into Trace.records.event_kinds */
    InstantScope scope;      /* INSTANT */
    TrackId      thread;     /* of the builder: observed_ids; TRACK_NONE = none */
    LabelId      label;
    bool         has_tick;
    int64_t      tick;     /* of the current builder_clock: a reader may change it */
    int64_t      end_tick; /* COMPLETE without EVENT_NO_END; otherwise tick */
    EventPos     pos;
} ObservedEvent;

typedef struct EventObserver {
    void (*event)(void *context, const ObservedEvent *event);
    void *context;
} EventObserver;

/* Passes all events to the observer from now on, in the order of calls. Call before the first event; builder_finish is
 * not allowed afterwards. */
void builder_observe(TraceBuilder *builder, EventObserver observer);
/* True if an observer needs each event before the next one is read: a
 * reader must not delay events. */
bool builder_is_observed(const TraceBuilder *builder);

/* Sets `view` to a trace without tracks and events: strings, labels, kinds, properties, warnings, format,
 * clock and completeness so far. Borrowed: valid until the builder's next call. */
void builder_view(const TraceBuilder *builder, Trace *view);
/* Updates a view that builder_view has set, or one of zeros; faster than builder_view. */
void builder_view_again(const TraceBuilder *builder, Trace *view);

/* Identity of a thread. */
typedef struct ObservedIds {
    Ident pid, tid;
    bool  is_states; /* the states of the thread, not the thread itself */
} ObservedIds;
ObservedIds observed_ids(const TraceBuilder *builder, TrackId thread);

#endif
