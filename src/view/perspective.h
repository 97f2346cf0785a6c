/* view/perspective.h - perspectives: which tracks of a trace are shown together. */
#ifndef VIEW_PERSPECTIVE_H
#define VIEW_PERSPECTIVE_H
#include "view/view_state.h"

/* Applies the perspective to a new trace. */
void perspective_apply(const View *view, TraceView *trace);
/* Chooses the perspective of an added trace, if it has only one and none is chosen yet. */
void perspective_begin(View *view, const Outline *outline);
/* Ends the perspective, or chooses another one as perspective_begin does, if no trace has it any more. */
void perspective_renew(View *view);
bool perspective_shows(const TraceView *trace, uint32_t process);
/* Changes to a perspective that shows the process, unless the current one does. */
void perspective_reveal(View *view, const TraceView *trace, uint32_t process);
/* Changes to the next (1) or the previous one (-1), with "all" among them. */
void perspective_turn(View *view, int by);

#endif
