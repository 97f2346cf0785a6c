/* view/data.h - the traces of a view: labels, overviews, the common axis. */
#ifndef VIEW_DATA_H
#define VIEW_DATA_H
#include "view/view_state.h"

TraceView *view_trace(const View *view, uint32_t trace);
/* Return the label's name ("" until its page arrives) and its look in the view's theme. Request the page. */
StringView view_label_name(View *view, uint32_t trace, uint32_t label);
NameColour view_label_look(View *view, uint32_t trace, uint32_t label);
/* Returns the thread state that the label's name means; STATE_COUNT if unknown, or if the label has its own colour. */
ThreadState view_label_state(View *view, uint32_t trace, uint32_t label);
/* Clears the flags of all tracks and processes. */
void view_clear_flags(TraceView *trace);
/* Returns the index in the outline of a track id; UINT32_MAX = unknown. */
uint32_t view_track_index(const TraceView *trace, uint32_t id);
void     view_data_begin_frame(View *view);
void     view_clear_data(View *view);
/* Reads an outline. The caller releases the trace on failure as well. */
bool view_trace_open(TraceView *trace, const void *bytes, size_t size, Err *err);
void view_trace_release(TraceView *trace);
/* Finds the maps of all traces on the axis of an alignment (Position.alignment), and its extent. False when out of memory. */
bool view_find_axis(const View *view, uint32_t alignment, AxisMap *maps, uint64_t *extent) WARN_UNUSED;
/* Aligns all traces on one axis. */
bool view_build_axis(View *view, Err *err);
/* Returns the number of labels that page `page` should have. */
uint32_t view_page_labels(const TraceView *trace, uint32_t page);

#endif
