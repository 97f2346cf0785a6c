/* trace/store/event_order.h - every event of a trace in the order of `dump --json`: by begin, then track, then depth. Events
 * without a time are first.
 *
 * A trace has its events row by row; this merges the rows with a heap, so that memory grows with rows (and with raw
 * events), not with slices. Slices and instants that show an event a second time (Track.is_derived, Label.is_repeat)
 * are left out, and so are those outside a window (Trace.window.is_set). */
#ifndef TRACE_STORE_EVENT_ORDER_H
#define TRACE_STORE_EVENT_ORDER_H
#include "trace/store/trace.h"

typedef enum {
    ORDER_SLICE,
    ORDER_INSTANT,
    ORDER_OTHER,
    ORDER_VALUE,     /* of a counter */
    ORDER_FLOW_FROM, /* the two ends of an arrow */
    ORDER_FLOW_TO
} OrderKind;

typedef struct OrderedEvent {
    OrderKind kind;
    uint64_t  id;   /* slice, instant, index into Trace.records.others, index into SampleColumns, arrow */
    uint32_t  row;  /* index into Trace.rows; not for ORDER_OTHER and ends of arrows */
    int64_t   tick; /* INT64_MIN for a raw event without a time */
} OrderedEvent;

typedef struct EventOrder EventOrder;

/* Returns the first event. NULL when out of memory. Lives in `arena`; the trace must outlive it. */
EventOrder *event_order_create(const Trace *trace, Arena *arena) WARN_UNUSED;
/* As event_order_create, with the slices of samples (TRACK_SAMPLES), for formats without samples. */
EventOrder *event_order_create_with_samples(const Trace *trace, Arena *arena) WARN_UNUSED;
/* As event_order_create, with the values of counters and the ends of arrows. For traces of formats without raw events
 * (Trace.records.others) for these. */
EventOrder *event_order_create_with_columns(const Trace *trace, Arena *arena) WARN_UNUSED;
/* As event_order_create, starting after an event (NULL: from the first one), with drawn events only: slices and instants,
 * optionally those of derived tracks (Track.is_derived). Takes time for rows, not for the events before. Covers all events
 * of the trace, whatever its window, because a search in the viewer covers the whole timeline. */
typedef enum { DERIVED_LEFT_OUT, DERIVED_TOO } DerivedRule;
EventOrder *event_order_create_behind(const Trace *trace, const OrderedEvent *behind, DerivedRule derived,
                                      Arena *arena) WARN_UNUSED;
/* Moves to the next event. False at the end. */
bool event_order_next(EventOrder *order, OrderedEvent *event);

/* Returns the LabelId.index of a slice, an instant or a raw event. */
static inline uint32_t event_order_label(const Trace *trace, const OrderedEvent *event)
{
    if (event->kind == ORDER_SLICE) return trace_slice_label(trace, event->id);
    if (event->kind == ORDER_INSTANT) return trace->instants.label[event->id];
    assert(event->kind == ORDER_OTHER);
    return trace->records.others[event->id].label;
}

#endif
