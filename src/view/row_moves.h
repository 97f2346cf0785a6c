/* view/row_moves.h - moves of rows by drag and by keys. */
#ifndef VIEW_ROW_MOVES_H
#define VIEW_ROW_MOVES_H
#include "view/view_state.h"

/* Moves the row under the pointer, or the focused row, up (-1) or down (1) by one row of its list. */
void row_move_by(View *view, int by);
/* Begin a drag of a row, update its destination to the pointer, and carry it out. */
void row_drag_begin(View *view, RowTarget row);
void row_drag_update(View *view);
void row_drag_end(View *view);
/* Scrolls while a row is dragged to the top or the bottom. */
void row_drag_step(View *view, double dt_ms);
/* Returns the y of the line between rows at the destination, in CSS pixels on the screen. */
double row_drag_y(const View *view);

#endif
