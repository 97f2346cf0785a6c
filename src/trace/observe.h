/* trace/observe.h - a builder that is watched instead of filled: every event as it comes, nothing kept.
 *
 * For what needs the events in the order of the file, without a trace: memory grows with names, threads and warnings
 * alone. What makes a trace of events (matching, sorting, nesting) does not happen, nor do its warnings. */
#ifndef TRACE_OBSERVE_H
#define TRACE_OBSERVE_H
#include "trace/builder.h"

/* By the builder's function that was called. */
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
    uint16_t     event_kind; /* OTHER, METADATA: index into Trace.event_kinds */
    InstantScope scope;      /* INSTANT */
    TrackId      thread;     /* of the builder: observed_ids; TRACK_NONE = none */
    LabelId      label;
    bool         has_tick;
    int64_t      tick;     /* of builder_clock as it is now: a reader may change it on the way */
    int64_t      end_tick; /* COMPLETE without EVENT_NO_END; else tick */
    EventPos     pos;
} ObservedEvent;

typedef struct EventObserver {
    void (*event)(void *context, const ObservedEvent *event);
    void *context;
} EventObserver;

/* From now on events go to the observer, in the order of calls. Before the first event; builder_finish is out of
 * bounds then. */
void builder_observe(TraceBuilder *builder, EventObserver observer);
/* Whoever watches wants to see each event while nothing is known yet of what comes behind it: no
 * reader may hold any back. */
bool builder_is_observed(const TraceBuilder *builder);

/* What is known so far, as a trace without tracks and events: strings, labels, kinds, properties, warnings, format,
 * clock and whether it is complete. Borrowed: good until the builder's next call. */
void builder_view(const TraceBuilder *builder, Trace *view);

/* Who a thread is. */
typedef struct ObservedIds {
    Ident pid, tid;
    bool  is_states; /* not the thread itself: its states */
} ObservedIds;
ObservedIds observed_ids(const TraceBuilder *builder, TrackId thread);

#endif
