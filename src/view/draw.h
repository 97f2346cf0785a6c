/* view/draw.h - drawing: each function adds layers to a frame. */
#ifndef VIEW_DRAW_H
#define VIEW_DRAW_H
#include "view/view_state.h"

void draw_grid(View *view, Frame *frame);
void draw_area_ground(View *view, Frame *frame); /* below the rows */
/* Returns the columns [x0, x1) of the selected area in device pixels, clipped a little outside the plot. */
void view_area_columns(const View *view, double *x0, double *x1);
void draw_rows(View *view, Frame *frame);
/* Draws the chart of a counter whose item's top is at y CSS pixels on the screen. */
void draw_counter(View *view, Frame *frame, const LayoutItem *item, double y_px);
void draw_boundaries(View *view, Frame *frame);
void draw_area(View *view, Frame *frame); /* above the rows */
/* Outlines the kept area on each of its tracks. */
void draw_kept_area(View *view, Frame *frame);
void draw_labels(View *view, Frame *frame); /* with the headers of groups */
/* Draws the arrows. draw_flow_counts then draws the numbers in thick ones, and a note about joined and hidden arrows. */
void draw_flows(View *view, Frame *frame);
void draw_flow_counts(View *view, Frame *frame);
/* Draws the place of a dragged row. */
void draw_row_drag(View *view, Frame *frame);
void draw_overlay(View *view, Frame *frame);
/* Draws the lines of a thread's instants over [top, bottom) (device pixels), the height of the thread's rows. Reads the
 * bands (trace/wire/tile.h) that hold rows [first, end), the rows on the screen. */
void draw_thread_lines(View *view, Frame *frame, const LayoutItem *item, uint32_t first, uint32_t end,
                       double top, double bottom);
/* Draws the lines of instants of processes, over their tracks, and of global instants, over all rows. Headers and texts are drawn over them. */
void draw_wide_instants(View *view, Frame *frame);
/* Draws the name of an instant in the room right of its mark; false when the room is too small for it. */
bool draw_mark_name(View *view, Frame *frame, uint32_t colour, Rect room, StringView name);
void draw_ruler(View *view, Frame *frame);
void draw_minimap(View *view, Frame *frame);
void draw_tooltip(View *view, Frame *frame);

#endif
