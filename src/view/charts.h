/* view/charts.h - counters that are drawn in one chart, with one scale.
 *
 * A chart is named by the index of its first counter, which has the item in the layout. At first the counters that the trace marks
 * (OutlineTrack.shares_chart) are in one chart for each process, and each other counter is in a chart of its own. */
#ifndef VIEW_CHARTS_H
#define VIEW_CHARTS_H
#include "view/trace_view.h"
#include "view/view_state.h"

/* Allocates and sets the charts of a trace. False when out of memory. */
bool charts_init(TraceView *trace) WARN_UNUSED;
/* Puts the counters into the charts that the trace asks for. */
void charts_reset(TraceView *trace);
/* Returns true if charts_reset would change nothing. */
bool charts_are_default(const TraceView *trace);
/* Makes the lists of the counters of each chart, after changes of TraceView.chart. */
void charts_link(TraceView *trace);
/* Puts a counter and the others of its chart into the chart of another one. Call charts_link then. */
void charts_join(TraceView *trace, uint32_t counter, uint32_t other);
/* Puts each counter of a chart into a chart of its own. */
void charts_separate(TraceView *trace, uint32_t chart);

/* A series of a chart: a row of a counter. */
typedef struct ChartSeries {
    uint32_t track, row;
} ChartSeries;
enum { CHART_SERIES = 64 };
typedef struct ChartList {
    uint32_t    total;    /* of all series */
    uint32_t    count;    /* of the first ones, at most CHART_SERIES */
    uint32_t    counters; /* with a series */
    ChartSeries series[CHART_SERIES];
} ChartList;
/* Lists the series of the chart of a counter, except those of hidden counters. */
ChartList chart_list(const TraceView *trace, uint32_t chart);
/* True for a counter of a chart that is drawn: it is not hidden and has samples. */
bool chart_has(const TraceView *trace, uint32_t counter);

#endif
