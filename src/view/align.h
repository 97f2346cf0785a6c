/* view/align.h - alignments of several traces. */
#ifndef VIEW_ALIGN_H
#define VIEW_ALIGN_H
#include "view/view_state.h"

/* Returns the tick offset of each trace that has the common position on the axis in an alignment (Position.alignment); NULL: the
 * traces are aligned by their clocks. */
const uint64_t *align_anchors(const View *view, uint32_t alignment);
/* Aligns by clocks and forgets all alignments: the number of traces has changed. The axis is built by the caller. */
void align_reset(View *view);
/* Removes a trace from all alignments, before it is removed from the view. */
void align_remove_trace(View *view, uint32_t trace);
/* Follows a trace whose begin is `later` ticks before the old one. */
void align_shift(View *view, uint32_t trace, uint64_t later);
/* Uses an alignment (Position.alignment) and builds the axis. False when out of memory: nothing changes. */
bool align_use(View *view, uint32_t alignment);

/* Begin a drag of a trace against the others, move it by the distance of the pointer, and end the drag or return to the
 * alignment before. All other traces stay on the screen. The drag is one step of the history. */
void align_drag_begin(View *view, uint32_t trace);
void align_drag_update(View *view);
void align_drag_end(View *view);
void align_drag_cancel(View *view);
/* Returns the begin of a trace relative to that of the first one, in ticks of the axis. */
int64_t align_distance(const View *view, uint32_t trace);

#endif
