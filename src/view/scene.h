/* view/scene.h - lengths, times and emphasis of the current frame. */
#ifndef VIEW_SCENE_H
#define VIEW_SCENE_H
#include "view/view_state.h"

/* Converts CSS pixels to whole device pixels. */
double view_px(const View *view, double css_px);
/* Returns the visible range on the minimap, in device pixels. */
Rect view_minimap_window(const View *view);
/* Returns the thumb of the scrollbar; empty (h == 0) if everything is visible. */
Rect view_scroll_thumb(const View *view);
/* Returns the baseline that centres capitals of `size_px` in [y, y + h), on a whole pixel. */
double view_baseline(double y, double h, double size_px);

/* Sets the hovered or highlighted labels, which dim the others. False without such a label. */
bool view_emphasis(const View *view, NameLabel emphasis[2]);
bool view_interactive(const View *view);

/* Returns the ruler's units: those of the first trace's clock, on the axis. Needs a trace. */
TimeUnits view_time_units(const View *view);
/* Returns the unit that the options choose. */
TimeUnit view_unit(const View *view);
/* Formats the length of an event: SPAN_SHORT for the room of a bar, SPAN_FULL as the panels do. */
typedef enum { SPAN_SHORT, SPAN_FULL } SpanForm;
size_t view_span_text(const View *view, uint32_t trace, uint64_t ticks, SpanForm form, char out[TIME_TEXT]);
/* Returns the axis position at a CSS pixel of the plot. */
int64_t view_axis_at(const View *view, double plot_x_px);

#endif
