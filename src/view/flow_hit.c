/* Finds the arrow at a point, among the lines of the last frame. */
#include "view/flow_lines.h"

#include <math.h>

enum { PIECES = 48 };

/* Returns the squared distance of a point from a line segment. */
static double distance_to_piece(double x, double y, double x0, double y0, double x1, double y1)
{
    double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
    double part = length > 0 ? ((x - x0) * dx + (y - y0) * dy) / length : 0;
    part = fmax(0, fmin(1, part));
    double away_x = x0 + part * dx - x, away_y = y0 + part * dy - y;
    return away_x * away_x + away_y * away_y;
}

/* Returns one coordinate of a cubic curve at parameter t. */
static double bezier(double a, double b, double c, double d, double t)
{
    double u = 1 - t;
    return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}

static double squared_distance(const DrawCurve *curve, double x, double y)
{
    double x0 = (double)curve->x0, y0 = (double)curve->y0, x1 = (double)curve->x1, y1 = (double)curve->y1;
    double bend = (double)curve->bend, last_x = x0, last_y = y0, least = INFINITY;
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / (double)PIECES;
        double at_x = bezier(x0, x0 + bend, x1 - bend, x1, t), at_y = bezier(y0, y0, y1, y1, t);
        least = fmin(least, distance_to_piece(x, y, last_x, last_y, at_x, at_y));
        last_x = at_x;
        last_y = at_y;
    }
    return least;
}

const FlowLine *flow_line_at(const View *view, double x, double y, double reach)
{
    const FlowLine *lines = view->picture.scratch.drawn.items, *nearest = NULL;
    double          least = reach * reach;
    for (size_t i = vec_count(&view->picture.scratch.drawn); i-- > 0;) {
        DrawCurve curve = flow_line_curve(view, &lines[i]);
        double    bend = (double)curve.bend + reach;
        if (x < fmin(lines[i].x0, lines[i].x1) - bend || x > fmax(lines[i].x0, lines[i].x1) + bend) continue;
        double distance = squared_distance(&curve, x, y);
        if (distance > least || (nearest != NULL && distance == least)) continue;
        least = distance;
        nearest = &lines[i];
    }
    return nearest;
}

FlowEndKind flow_far_end(const FlowLine *line, double x, double y)
{
    double to_from = hypot(line->x0 - x, line->y0 - y), to_to = hypot(line->x1 - x, line->y1 - y);
    return to_from > to_to ? FLOW_END_FROM : FLOW_END_TO;
}
