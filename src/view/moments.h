/* view/moments.h - the times of found events and of a name, as columns of the ruler and the minimap.
 *
 * A set of events can have millions: the engine finds the parts of the time that have any (trace/wire/moments.h), over the
 * whole trace once, and over the visible range and its surroundings when that needs finer parts. Listed events (a search in
 * arguments, a frame of a flame graph) are sorted by time. A frame reads a bounded number of them for each column. */
#ifndef VIEW_MOMENTS_H
#define VIEW_MOMENTS_H
#include "view/view_state.h"

/* Chooses the name of each trace, and the ranges to request for the frame being drawn. Needs the scales of the frame. */
void moments_prepare(View *view);
/* Takes a request for a trace; false if none is needed. */
bool moments_next_request(View *view, uint32_t trace, ViewRequest *request);
void moments_request_failed(View *view, const ViewRequest *request);
/* True while finer data for the visible range is missing. */
bool moments_are_waiting(const TraceView *trace);
/* Sets the listed events of a set. False when out of memory. */
bool moments_list(TraceMoments *moments, const FoundEvents *events);
/* Ends the use of the present results after a change of the categories: they are requested again. */
void moments_forget(TraceView *trace);
/* Moves the results to the later outline of a growing trace, whose begin is `later` ticks earlier; they are renewed. */
void moments_carry(TraceView *before, TraceView *after, uint64_t later);
void moments_release(TraceView *trace);
/* Draws the marks in ruler and minimap. */
void draw_moments_in_ruler(View *view, Frame *frame);
void draw_moments_in_minimap(View *view, Frame *frame);

#endif
