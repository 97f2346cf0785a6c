/* The legend of a chart: the colours of its series. */
#include "view/counter.h"
#include "view/data.h"
#include "view/scene.h"

#include <math.h>
#include <stdio.h>

static const double LEGEND_SIZE = 10.5, LINE_PX = 13, BASELINE_PX = 10, BELOW_PX = 3, SWATCH_PX = 7,
                    SWATCH_GAP_PX = 4, ENTRY_GAP_PX = 9;
static const double MORE_PX = 26; /* room for the count of the others */

typedef struct Legend {
    Rect      room;
    double    x, baseline, line_end; /* position of the next entry, and the end of its line */
    TextStyle style;
} Legend;

static bool next_line(const View *view, Legend *legend)
{
    double baseline = legend->baseline + view_px(view, LINE_PX);
    if (baseline + view_px(view, BELOW_PX) > legend->room.y + legend->room.h) return false;
    legend->baseline = baseline;
    legend->x = legend->room.x;
    legend->line_end = legend->room.x + legend->room.w;
    return true;
}

/* True if the name repeats the title, or is "value", so that the chart needs no legend. */
static bool tells_nothing(const ChartList *list, const OutlineTrack *track, StringView name)
{
    return list->total == 1 && (name.size == 0 || string_equal(name, track->title) ||
                                string_equal(name, STRING_LITERAL("value")));
}

static bool add_entry(View *view, Frame *frame, Legend *legend, StringView name, NameColour look,
                      bool is_last)
{
    double swatch = view_px(view, SWATCH_PX), before = swatch + view_px(view, SWATCH_GAP_PX);
    double after = is_last ? 0 : view_px(view, MORE_PX);
    double width = text_width(legend->style.face, legend->style.size_px, name.bytes, name.size);
    bool   fits = legend->x + before + width + after <= legend->line_end;
    bool   begins_line = legend->x == legend->room.x;
    if (!fits && (!begins_line || legend->line_end < legend->room.x + legend->room.w))
        begins_line = next_line(view, legend);
    double room = legend->line_end - legend->x - before - after;
    if (room < (width < view_px(view, 24) ? width : view_px(view, 24))) return false;
    if (!begins_line && width > room) return false;
    frame_mark(frame, DRAW_RECT, (Rect){ legend->x, legend->baseline - swatch, swatch, swatch }, look.fill,
               look.edge, 1);
    frame_text_cut(frame, &legend->style, legend->x + before, legend->baseline, room, name.bytes, name.size);
    legend->x += ceil(before + (width < room ? width : room)) + view_px(view, ENTRY_GAP_PX);
    return true;
}

void draw_legend(View *view, Frame *frame, const LayoutItem *item, Rect room, double first_w)
{
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    const ChartList     list = chart_list(trace, item->index);
    SeriesColours       colours;
    Legend              legend = { .room = room, .x = room.x, .line_end = room.x + first_w };
    legend.baseline = room.y + view_px(view, BASELINE_PX);
    if (legend.baseline + view_px(view, BELOW_PX) > room.y + room.h) return;
    legend.style = (TextStyle){ FONT_REGULAR, LEGEND_SIZE * view->screen.scale,
                                colour_palette(view->screen.theme)->muted };
    if (list.total == 0 || tells_nothing(&list, track, chart_series_name(trace, &list, 0))) return;
    chart_choose_colours(trace, &list, &colours);
    for (uint32_t i = 0; i < list.total; i++) {
        if (i < list.count && add_entry(view, frame, &legend, chart_series_name(trace, &list, i),
                                        chart_series_look(view, &colours, i), i + 1 == list.total))
            continue;
        char text[16];
        int  size = snprintf(text, sizeof text, "+%u", list.total - i);
        frame_text(frame, &legend.style, legend.x, legend.baseline, legend.line_end - legend.x + 1, text,
                   (size_t)size);
        return;
    }
}
