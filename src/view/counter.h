/* view/counter.h - counters as pixel columns: the values of a series in each column, from the loaded tiles, and values
 * as text. */
#ifndef VIEW_COUNTER_H
#define VIEW_COUNTER_H
#include "base/digits.h"
#include "view/charts.h"

/* A series in one pixel column. `last` is the value at the column's end (NaN: unknown). least and greatest are those of
 * the samples in it (NaN: no samples). */
typedef struct ValueColumn {
    double least, greatest, last;
} ValueColumn;

/* Returns the columns of the whole plot for a row of `track`, in the band of the last runs_find_sources. Valid until
 * the next call; NULL when out of memory. */
const ValueColumn *counter_columns(View *view, uint32_t trace, const OutlineTrack *track,
                                   uint32_t row_of_band);

/* Returns the range of a counter: its values and 0. */
ValueScale counter_scale(const OutlineTrack *track);
/* Returns the range of the chart of a counter's item: that of its counters, or of all charts with TRACK_SAME_SCALE. */
ValueScale chart_scale(const View *view, const LayoutItem *item);
/* Computes Layout.same_scale, after the items. */
void counter_same_scale(View *view);
/* Returns whole pixels below the top of a chart, 0 to `height`. */
double counter_y(const ValueScale *scale, double value, double height);

/* Finds the chart of an item whose top is at y_px CSS pixels: y and height in device pixels. */
void counter_chart(const View *view, const LayoutItem *item, double y_px, double *y, double *height);

/* Returns the name of a series: its own, or the counter's if it has none or if it is the only series of one of several counters. */
StringView chart_series_name(const TraceView *trace, const ChartList *list, uint32_t series);

/* The colours of the series of a chart. They repeat after CHART_SERIES. */
typedef struct SeriesColours {
    uint8_t  chosen[CHART_SERIES];
    uint32_t custom[CHART_SERIES]; /* chosen by the trace; 0 = see `chosen` */
} SeriesColours;
void       chart_choose_colours(const TraceView *trace, const ChartList *list, SeriesColours *colours);
NameColour chart_series_look(const View *view, const SeriesColours *colours, uint32_t series);

/* The values at the axis of a chart: first its ends, then round values between them. */
enum { AXIS_TICKS = 16 };
typedef struct AxisTicks {
    uint32_t count, ends;
    double   value[AXIS_TICKS];
} AxisTicks;
/* Chooses the values whose texts of height text_h do not touch each other. */
AxisTicks counter_ticks(const ValueScale *scale, double height, double text_h);
/* Draws the texts of the axis of an item whose top is at y_px CSS pixels. Returns the width in the label column, in device
 * pixels. */
double draw_axis(View *view, Frame *frame, const LayoutItem *item, double y_px);
/* Draws lines over the plot at the round values. */
void draw_axis_lines(View *view, Frame *frame, const LayoutItem *item, double y_px);

/* Draws the names of the series with their colours, in lines below room.y. The first line is `first_w` wide. A count
 * replaces the names without room. Device pixels. */
void draw_legend(View *view, Frame *frame, const LayoutItem *item, Rect room, double first_w);

/* The values of a chart's first series in one column; NaN: unknown. */
typedef struct PointedValues {
    Rect     chart;  /* device pixels */
    int32_t  column; /* of the plot */
    uint32_t count;
    double   value[CHART_SERIES];
} PointedValues;
/* Returns the column of the pointer, -1 = it is not over the rows of the plot. */
int32_t pointed_column(const View *view);
/* Draws the values beside the pointer's line, except in the chart under the pointer, which has a tooltip. */
void draw_pointed(const View *view, Frame *frame, const LayoutItem *item, const ChartList *list,
                  const PointedValues *values, const SeriesColours *colours);

enum { COUNTER_TEXT = DIGITS_TEXT };
static inline CounterUnit counter_unit(const OutlineTrack *track)
{
    return track->counts_bytes ? UNIT_BYTES : UNIT_NONE;
}
/* Formats with three digits: "12.5 k", "3.2 MB", "0.25". Returns the length. */
size_t counter_format_short(double value, CounterUnit unit, char out[COUNTER_TEXT]);
/* Formats as digits_put_real, with the unit: "12 345 678", "1 024 B", "0.001234". */
size_t counter_format(double value, CounterUnit unit, char out[COUNTER_TEXT]);
/* Appends the values of a column: "12", "12 (3 to 40)", or a text for unknown. */
void counter_format_column(const ValueColumn *column, CounterUnit unit, Bytes *out);

#endif
