/* view/row_sizes.h - changes of the heights of rows (view/row_heights.h). */
#ifndef VIEW_ROW_SIZES_H
#define VIEW_ROW_SIZES_H
#include "view/trace_view.h"
#include "view/view_state.h"

/* Sets the height of the rows of a track, process or trace, bits of TRACK_HEIGHT; again: that of all rows. A step of the history. */
void row_height_toggle(View *view, RowTarget row, RowFlags height);
/* Limits the tracks of a row to their first rows, or ends this. A step of the history. */
void row_limit_toggle(View *view, RowTarget row);

#endif
