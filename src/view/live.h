/* view/live.h - traces that grow. */
#ifndef VIEW_LIVE_H
#define VIEW_LIVE_H
#include "view/trace_view.h"
#include "view/view_state.h"

/* Ends following if a camera motion by the user left the latest time. */
void live_look_away(View *view);
/* Starts following, if a trace grows. */
void live_start_following(View *view);
bool live_any_grows(const View *view);
/* Returns the pixels from the plot's left edge to the latest time. */
double live_latest_x(const View *view, const CameraPos *pos);
/* Clears selection, highlight and hover that refer to events of the trace, and ends a drag. */
void view_forget_events(View *view, uint32_t trace);
/* Passes the flags and the order of the rows that both outlines have, by their keys, on to the outline that replaces that of a trace,
 * also in the steps of the history. False when out of memory. */
bool live_keep_rows(View *view, uint32_t trace, TraceView *after, Err *err) WARN_UNUSED;

#endif
