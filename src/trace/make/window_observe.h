/* trace/make/window_observe.h - the events in the range (trace/store/window.h) while their input is read again, in file order. The
 * trace of the first reading determines the slices that extend into the range.
 *
 * A begin before the range is in it if its slice extends into the range. An end is in it if its tick is. */
#ifndef TRACE_MAKE_WINDOW_OBSERVE_H
#define TRACE_MAKE_WINDOW_OBSERVE_H
#include "trace/log/observe.h"
#include "trace/store/window.h"

typedef struct ObservedWindow {
    const Trace *trace; /* of the first reading; borrowed */
    WindowBegins begins;
    WindowBegins threads; /* the chosen ones */
} ObservedWindow;

/* `arena` must outlive the window. False when out of memory. */
bool observed_window_open(ObservedWindow *window, const Trace *trace, Arena *arena) WARN_UNUSED;
/* True if the event is in the range. Metadata, events without a time and parts (OTHER_PART) are in every range. */
bool observed_window_has(const ObservedWindow *window, const TraceBuilder *builder,
                         const ObservedEvent *event);

#endif
