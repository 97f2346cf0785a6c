/* Lines of instants: over the rows of a thread, the tracks of a process, or everything, by the instant's scope. Trace
 * Event Format, "Instant Events": a thread's instant is drawn over the height of the thread, a process's through all
 * threads of the process, a global one from the top to the bottom of the timeline. */
#include "view/data.h"
#include "view/draw.h"
#include "view/layout.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/wide_tracks.h"

#include <math.h>

static const double NAME_SIZE = 10.5, NAME_GAP_PX = 3, NAME_APART_PX = 6, NAME_LEAST_PX = 40;
static const double LINE_APART_PX = 12;
enum { LINE_ALPHA = 110 };

bool draw_mark_name(View *view, Frame *frame, uint32_t colour, Rect room, StringView name)
{
    TextStyle style = { FONT_REGULAR, NAME_SIZE * view->screen.scale, colour };
    double    x = ceil(room.x + view_px(view, NAME_GAP_PX)),
           w = room.x + room.w - x - view_px(view, NAME_APART_PX);
    if (w < view_px(view, NAME_LEAST_PX)) {
        if (w <= 0 || name.size == 0 || text_width(style.face, style.size_px, name.bytes, name.size) > w)
            return false;
    }
    FittedLabel fitted;
    label_fit(style.face, name.bytes, name.size, (uint64_t)(w / style.size_px * TEXT_UNITS_PER_EM), &fitted);
    frame_text(frame, &style, x, view_baseline(room.y, room.h, style.size_px), w + 1, fitted.text,
               fitted.size);
    return fitted.size > 0;
}

/* Clears the columns that are too near to a line to have another one, in scratch.columns: a byte a column. False when
 * out of memory. */
static bool clear_taken_columns(View *view)
{
    Bytes *taken = &view->picture.scratch.columns;
    size_t count = (size_t)view->screen.geometry.plot_w;
    bytes_clear(taken);
    uint8_t *columns = bytes_reserve(taken, count);
    if (columns == NULL) return false;
    memset(columns, 0, count);
    return true;
}

/* Draws a line at each mark of scratch.row that is far enough from the lines drawn since clear_taken_columns. */
static void draw_lines(View *view, Frame *frame, uint32_t trace, double top, double bottom)
{
    const Mark *marks = view->picture.scratch.row->marks.items;
    size_t      count = vec_count(&view->picture.scratch.row->marks);
    uint8_t    *taken = view->picture.scratch.columns.data;
    int32_t     apart = (int32_t)view_px(view, LINE_APART_PX), width = view->screen.geometry.plot_w;
    for (size_t i = 0; i < count; i++) {
        int32_t x = marks[i].x;
        if (taken[x]) continue;
        int32_t begin = x - apart + 1 > 0 ? x - apart + 1 : 0, end = x + apart < width ? x + apart : width;
        memset(taken + begin, 1, (size_t)(end - begin));
        NameColour look = view_label_look(view, trace, marks[i].label);
        frame_rect(frame, view->screen.geometry.plot_x + x, top, 1, bottom - top,
                   colour_faded(view->screen.theme == THEME_DARK ? look.fill : look.edge, LINE_ALPHA));
    }
}

void draw_thread_lines(View *view, Frame *frame, const LayoutItem *item, uint32_t first, uint32_t end,
                       double top, double bottom)
{
    const OutlineTrack *track = &view_trace(view, item->trace)->outline.tracks[item->index];
    uint32_t            row_count = item->closed ? 1 : track->row_count;
    if (track->kind != TRACK_KIND_THREAD || track->instant_count == 0 || first >= end) return;
    if (!clear_taken_columns(view)) return;
    for (uint32_t band = first / TILE_BAND_ROWS; band <= (end - 1) / TILE_BAND_ROWS; band++) {
        runs_find_sources(view, item->trace, track, band);
        for (uint32_t row = 0; row < TILE_BAND_ROWS && band * TILE_BAND_ROWS + row < row_count; row++) {
            runs_build_marks(view, item->trace, row);
            draw_lines(view, frame, item->trace, top, bottom);
        }
    }
}

/* Draws the lines of a process's instants over [top, bottom). */
static void draw_process_lines(View *view, Frame *frame, uint32_t trace, uint32_t process, double top,
                               double bottom)
{
    const TraceView *it = view_trace(view, trace);
    const WideTracks wide = wide_tracks_of_process(it, process);
    for (uint32_t i = 0; i < wide.count; i++) {
        const OutlineTrack *track = &it->outline.tracks[wide.tracks[i]];
        if (track->instant_count == 0) continue;
        if (!clear_taken_columns(view)) return;
        runs_find_sources(view, trace, track, 0);
        runs_build_marks(view, trace, 0);
        draw_lines(view, frame, trace, top, bottom);
    }
}

/* Draws the lines over the process's scrolled tracks; `item` is its header. */
static void draw_lines_below_header(View *view, Frame *frame, SeenItems seen, uint32_t item)
{
    const LayoutItem *header = layout_item(view, item);
    /* The items between the header and the first one in sight are tracks: the header is above the screen, or in sight. */
    uint32_t end = seen.first > item + 1 ? seen.first : item + 1;
    while (end < seen.end && layout_item(view, end)->kind == ITEM_TRACK)
        end++;
    if (end == item + 1) return;
    const Geometry *g = &view->screen.geometry;
    double          top = view_px(view, layout_item_screen_y(view, item + 1));
    double bottom = view_px(view, layout_item_screen_y(view, end - 1) + layout_item(view, end - 1)->height);
    top = fmax(top, g->rows_y);
    bottom = fmin(bottom, g->rows_y + g->rows_h);
    if (top < bottom) draw_process_lines(view, frame, header->trace, header->index, top, bottom);
}

/* Draws the lines of processes over each track of the section. */
static void draw_lines_over_tracks(View *view, Frame *frame, LayoutSection section)
{
    const SectionExtent extent = layout_section_extent(view, section);
    const SeenItems     seen = layout_seen(view, section, 0);
    for (uint32_t i = seen.first; i < seen.end; i++) {
        const LayoutItem *item = layout_item(view, i);
        const double      y = layout_item_screen_y(view, i);
        const double      top = fmax(view_px(view, y), extent.top);
        const double      bottom = fmin(view_px(view, y + item->height), extent.bottom);
        if (item->kind != ITEM_TRACK || top >= bottom) continue;
        uint32_t process = view_trace(view, item->trace)->outline.tracks[item->index].process;
        if (process != UINT32_MAX) draw_process_lines(view, frame, item->trace, process, top, bottom);
    }
}

/* Returns the header of an item's process; the item itself if it has none. */
static uint32_t header_of(const View *view, uint32_t item)
{
    const LayoutItem *it = layout_item(view, item);
    if (it->kind != ITEM_TRACK) return item;
    const uint32_t header =
        layout_process_item(view, it->trace, view_trace(view, it->trace)->outline.tracks[it->index].process);
    return header == UINT32_MAX ? item : header;
}

void draw_wide_instants(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->height - g->pinned_y });
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        const WideTracks wide = trace->wide[WIDE_GLOBAL_INSTANTS];
        for (uint32_t i = 0; i < wide.count; i++) {
            const OutlineTrack *track = &trace->outline.tracks[wide.tracks[i]];
            if (track->instant_count == 0) continue;
            if (!clear_taken_columns(view)) return;
            runs_find_sources(view, t, track, 0);
            runs_build_marks(view, t, 0);
            draw_lines(view, frame, t, g->pinned_y, g->rows_y + g->rows_h);
        }
    }
    draw_lines_over_tracks(view, frame, LAYOUT_PINNED);
    if (view->order.groups != GROUPS_PROCESS) {
        draw_lines_over_tracks(view, frame, LAYOUT_SCROLLED);
        return;
    }
    const SeenItems seen = layout_seen(view, LAYOUT_SCROLLED, 0);
    if (seen.first >= view->layout.count) return;
    const uint32_t header = header_of(view, seen.first);
    if (header < seen.first) draw_lines_below_header(view, frame, seen, header);
    for (uint32_t i = seen.first; i < seen.end; i++)
        if (layout_item(view, i)->kind == ITEM_PROCESS) draw_lines_below_header(view, frame, seen, i);
}
