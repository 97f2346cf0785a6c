/* view/motion.h - changes of the visible range, the scroll position and the label column. */
#ifndef VIEW_MOTION_H
#define VIEW_MOTION_H
#include "view/view_state.h"

/* Returns the motion of the camera: it jumps if the user wants no animation, and while frames are slow. */
CameraMotion view_motion(const View *view);
/* Handles a motion of the camera: a new resting position follows. */
void view_camera_changed(View *view);
void view_scroll_to(View *view, double px);
/* Scrolls now, and again when the rows or the size change, until the position is reached or the user acts: the number of rows
 * depends on hidden categories, and the host opens its panels later. */
void view_scroll_when_final(View *view, double px);
/* Sets the width of the label column. A small width closes it. */
void view_set_column(View *view, double px);
/* Closes the label column, or opens it with its last width. */
void view_toggle_column(View *view);

#endif
