/* view/live.h - traces that grow. */
#ifndef VIEW_LIVE_H
#define VIEW_LIVE_H
#include "view/view_state.h"

/* Keeps the latest time visible, if the view follows it. */
void live_follow(View *view);
/* Ends following if a camera motion by the user left the latest time. */
void live_look_away(View *view);
/* Starts following, if a trace grows. */
void live_start_following(View *view);
bool live_any_grows(const View *view);
/* Returns the pixels from the plot's left edge to the latest time. */
double live_latest_x(const View *view, const CameraPos *pos);
/* Clears selection, highlight and hover that refer to events of the trace, and ends a drag. */
void view_forget_events(View *view, uint32_t trace);
/* Does the same, and clears the area and the states of the rows. */
void view_forget_trace(View *view, uint32_t trace);

#endif
