/* view/chart_changes.h - changes of the charts of counters (view/charts.h), steps of the history. */
#ifndef VIEW_CHART_CHANGES_H
#define VIEW_CHART_CHANGES_H
#include "view/view_state.h"

/* Draws a counter, with the others of its chart, in the chart above it of the same trace. No effect on other rows and without such
 * a chart. */
void chart_join_above(View *view, RowTarget row);
/* Draws each counter of a chart in a chart of its own. */
void chart_separate(View *view, RowTarget row);
/* Gives a chart one scale with the others that have it, or ends this. */
void chart_toggle_scale(View *view, RowTarget row);

#endif
