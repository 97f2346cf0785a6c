/* view/flow_lines.h - the arrows of the last frame. */
#ifndef VIEW_FLOW_LINES_H
#define VIEW_FLOW_LINES_H
#include "view/view_state.h"

/* Returns the curve of a line without its colour. It leaves and enters rows at the side of the other end, away from the
 * names in the middle. */
DrawCurve flow_line_curve(const View *view, const FlowLine *line);
/* Returns the topmost line of the last frame within `reach` device pixels of a point, or NULL. */
const FlowLine *flow_line_at(const View *view, double x, double y, double reach);
/* Returns the end of the line that is farther from the point. */
FlowEndKind flow_far_end(const FlowLine *line, double x, double y);

#endif
