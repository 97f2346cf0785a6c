#include "base/digits.h"
#include "view/align.h"
#include "view/counter.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/head.h"
#include "view/layout.h"
#include "view/name_groups.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/shown.h"
#include "view/wide_tracks.h"
#include "view/words.h"

#include <math.h>

static const double LABEL_SIZE = 12, SMALL_SIZE = 10.5;
enum {
    INDENT_PX = 14,
    LABEL_PAD_PX = 8,
    TWISTY_PX = 7,
    TWISTY_GAP_PX = 6,
    NOTE_BELOW_PX = 15,
    BELOW_TITLE_PX = 4
};

static void draw_twisty(View *view, Frame *frame, double x, double y, double h, bool closed)
{
    double   size = view_px(view, TWISTY_PX), half = floor(size / 2);
    uint32_t fill = colour_palette(view->screen.theme)->muted;
    double   middle = floor(y + h / 2);
    if (closed)
        frame_mark(frame, DRAW_TRIANGLE_RIGHT, (Rect){ x + 1, middle - half, half + 1, size }, fill, 0, 0);
    else
        frame_mark(frame, DRAW_TRIANGLE_DOWN, (Rect){ x, middle - floor(half / 2), size, half + 1 }, fill, 0,
                   0);
}

static bool in_process(const TraceView *trace, uint32_t track)
{
    return trace->outline.tracks[track].process < trace->outline.process_count;
}

/* Returns the left end of a track's title, in device pixels. */
static double title_x(const View *view, const TraceView *trace, uint32_t track)
{
    const bool has_header = view->order.groups == GROUPS_NAME
                                ? name_group_of(trace, track) != UINT32_MAX
                                : in_process(trace, track) && view->order.groups == GROUPS_PROCESS;
    int        levels = (view->trace_count > 1) + (has_header ? 1 : 0);
    return view_px(view, LABEL_PAD_PX + levels * INDENT_PX);
}

/* Returns the right end of a title beside the buttons of the page, in device pixels. */
static double end_beside_buttons(const View *view)
{
    return view->screen.geometry.plot_x - view_px(view, HEAD_BUTTONS_PX);
}

/* Draws a title and shortens its middle, because threads of a pool differ in their last letters. Returns the width. */
static double draw_title(Frame *frame, const TextStyle *style, double x, double baseline, double room,
                         StringView title)
{
    FittedLabel fitted;
    if (room <= 0) return 0;
    label_fit_middle(style->face, title.bytes, title.size,
                     (uint64_t)(room / style->size_px * TEXT_UNITS_PER_EM), &fitted);
    frame_text(frame, style, x, baseline, room + 1, fitted.text, fitted.size);
    return (double)fitted.units * style->size_px / TEXT_UNITS_PER_EM;
}

/* Appends the title of a track; of a chart those of its counters. */
static void append_title(const TraceView *trace, uint32_t track, Bytes *out)
{
    const StringView title = trace->outline.tracks[track].title;
    bytes_append(out, title.bytes, title.size);
    for (uint32_t i = trace->chart_next[track]; i != UINT32_MAX; i = trace->chart_next[i]) {
        if (!chart_has(trace, i)) continue;
        bytes_append_text(out, ", ");
        bytes_append(out, trace->outline.tracks[i].title.bytes, trace->outline.tracks[i].title.size);
    }
}

/* Appends the note beside a title: the number of slices or objects, of a track without them that of instants. A counter has
 * an axis instead. */
static void append_note(const OutlineTrack *track, Bytes *out)
{
    const bool has_slices = track->slice_count > 0;
    Word       noun = has_slices ? WORD_SLICES : WORD_INSTANTS;
    char       text[WORD_TEXT];
    if (track->kind == TRACK_KIND_COUNTER) return;
    if (track->kind == TRACK_KIND_OBJECTS) noun = WORD_OBJECTS;
    const uint64_t count = noun == WORD_INSTANTS ? track->instant_count : track->slice_count;
    bytes_append(out, text, word_format(noun, count, "", text));
}

/* Appends the title of a track's process, shortened to a width in device pixels, for rows without groups. */
static void append_process(const TraceView *trace, const OutlineTrack *track, double room, double scale,
                           Bytes *out)
{
    const StringView title = trace->outline.processes[track->process].title;
    FittedLabel      fitted = { .size = 0 };
    if (room > 0)
        label_fit_middle(FONT_REGULAR, title.bytes, title.size,
                         (uint64_t)(room / (SMALL_SIZE * scale) * TEXT_UNITS_PER_EM), &fitted);
    bytes_append(out, fitted.text, fitted.size);
}

/* Draws the focus: a tint of the row in the label column, and a bar at its left edge. */
static void draw_focus(View *view, Frame *frame, const LayoutItem *item, double y, double bottom)
{
    const Palette *palette = colour_palette(view->screen.theme);
    if (!shown_is_focus(view, item) || !view_interactive(view)) return;
    frame_rect(frame, 0, y, view->screen.geometry.plot_x - 1, bottom - y, palette->selection);
    frame_rect(frame, 0, y, view_px(view, 3), bottom - y, palette->accent);
}

static void draw_track_title(View *view, Frame *frame, const LayoutItem *item, double y_px, double top)
{
    const Palette      *palette = colour_palette(view->screen.theme);
    TraceView          *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    double              y = view_px(view, y_px), bottom = view_px(view, y_px + item->height);
    double              h = view_px(view, HEADER_PX + TRACK_PAD_PX) - 1;
    bool                inline_title = !layout_column_is_open(view);
    if (inline_title) h = view_px(view, HEADER_PX);
    /* The title stays on the screen while a row of its track is visible. */
    if (y < top && !inline_title) y = bottom - h < top ? bottom - h : top;
    double     x = inline_title ? view->screen.geometry.plot_x + view_px(view, LABEL_PAD_PX)
                                : title_x(view, trace, item->index);
    const bool has_buttons = head_has_buttons(view, item);
    double     end = inline_title ? view->screen.geometry.width
                                  : view->screen.geometry.plot_x - view_px(view, LABEL_PAD_PX);
    draw_focus(view, frame, item, view_px(view, y_px), bottom);
    if (track->kind == TRACK_KIND_COUNTER) end -= draw_axis(view, frame, item, y_px);
    if (view_interactive(view) && track->row_count > 0) draw_twisty(view, frame, x, y, h, item->closed);
    x += view_px(view, TWISTY_PX + TWISTY_GAP_PX);
    if (inline_title && item->closed) return; /* the outermost row is drawn there */
    TextStyle style = { FONT_REGULAR, LABEL_SIZE * view->screen.scale, palette->text };
    double    baseline = view_baseline(y, h, style.size_px);
    Bytes     note = { 0 };
    append_title(trace, item->index, &note);
    double title_room = (has_buttons ? fmin(end, end_beside_buttons(view)) : end) - x;
    double width = draw_title(frame, &style, x, baseline, title_room, bytes_view(&note));
    bytes_clear(&note);
    if (inline_title) {
        bytes_release(&note);
        return;
    }
    const bool names_process = view->order.groups != GROUPS_PROCESS && in_process(trace, item->index);
    if (names_process)
        append_process(trace, track, end - x - width - view_px(view, 10), view->screen.scale, &note);
    else
        append_note(track, &note);
    TextStyle small = { FONT_REGULAR, SMALL_SIZE * view->screen.scale, palette->muted };
    double    note_w = text_width(small.face, small.size_px, (const char *)note.data, note.size);
    bool      is_counter = track->kind == TRACK_KIND_COUNTER;
    bool      fits = !has_buttons && width + view_px(view, 10) + note_w <= end - x;
    double    legend_y = baseline + view_px(view, BELOW_TITLE_PX), legend_w = end - x;
    if (!fits && y + 2 * h <= bottom) { /* there is room for a second line */
        baseline += view_px(view, NOTE_BELOW_PX);
        fits = note_w <= end - x;
        legend_w -= note_w + view_px(view, 10);
    }
    if (is_counter)
        draw_legend(view, frame, item, (Rect){ x, legend_y, end - x, bottom - legend_y }, legend_w);
    if (fits)
        frame_text(frame, &small, floor(end - note_w), baseline, note_w + 1, (const char *)note.data,
                   note.size);
    bytes_release(&note);
}

/* Appends a text to a summary. */
static void append_part(Bytes *out, const char *text, size_t size)
{
    if (out->size > 0) bytes_append_text(out, " \xC2\xB7 ");
    bytes_append(out, text, size);
}

static void append_counted(Bytes *out, Word word, uint64_t count)
{
    char text[WORD_TEXT];
    append_part(out, text, word_format(word, count, "", text));
}

/* Appends the number of threads. noun: the kind of threads, empty = "thread". */
static void append_threads(Bytes *out, StringView noun, uint64_t count)
{
    if (string_equal(noun, STRING_LITERAL("goroutine"))) return append_counted(out, WORD_GOROUTINES, count);
    if (string_equal(noun, STRING_LITERAL("processor"))) return append_counted(out, WORD_PROCESSORS, count);
    append_counted(out, WORD_THREADS, count);
}

/* Appends a summary: "12 threads · 3 456 slices · labels". */
static void process_summary(const TraceView *trace, uint32_t index, Bytes *out)
{
    const OutlineProcess *process = &trace->outline.processes[index];
    const HeadCounts     *counts = &trace->process_counts[index];
    if (counts->tracks > 0)
        append_threads(out, process->thread_noun, (uint64_t)counts->tracks + process->sharing_threads);
    if (counts->slices > 0) append_counted(out, WORD_SLICES, counts->slices);
    if (counts->instants > 0) append_counted(out, WORD_INSTANTS, counts->instants);
    if (counts->objects > 0) append_counted(out, WORD_OBJECTS, counts->objects);
    if (process->labels.size > 0) append_part(out, process->labels.bytes, process->labels.size);
}

/* Appends the summary of a group by name: "12 tracks · 3 456 slices". */
static void group_summary(const TraceView *trace, uint32_t group, Bytes *out)
{
    const HeadCounts *counts = &trace->names.counts[group];
    append_counted(out, WORD_TRACKS, counts->tracks);
    if (counts->slices > 0) append_counted(out, WORD_SLICES, counts->slices);
    if (counts->instants > 0) append_counted(out, WORD_INSTANTS, counts->instants);
}

/* Draws the instants of a process: flags in its header, below the header's text, which ends at `text_end`, or at full
 * height with their names. */
static void draw_process_marks(View *view, Frame *frame, const LayoutItem *item, double y, double h,
                               double text_end)
{
    const TraceView *trace = view_trace(view, item->trace);
    const Geometry  *g = &view->screen.geometry;
    const WideTracks wide = wide_tracks_of_process(trace, item->index);
    for (uint32_t i = 0; i < wide.count; i++) {
        const OutlineTrack *track = &trace->outline.tracks[wide.tracks[i]];
        if (track->instant_count == 0) continue;
        runs_find_sources(view, item->trace, track, 0);
        runs_build(view, item->trace, 0);
        const Mark *marks = view->picture.scratch.row->marks.items;
        size_t      count = vec_count(&view->picture.scratch.row->marks);
        double      free_x = -1e9, size = view_px(view, 8);
        for (size_t m = 0; m < count; m++) {
            double     x = g->plot_x + marks[m].x, right = x + size / 2;
            double     end = g->plot_x + (m + 1 < count ? marks[m + 1].x - size / 2 : g->plot_w);
            NameColour look = view_label_look(view, item->trace, marks[m].label);
            if (marks[m].count == 1 && right > text_end)
                draw_mark_name(view, frame, colour_palette(view->screen.theme)->muted,
                               (Rect){ right, y, end - right, h },
                               view_label_name(view, item->trace, marks[m].label));
            uint32_t   fill = view->screen.theme == THEME_DARK ? look.fill : look.edge;
            const bool is_at_text = x < text_end;
            if (!is_at_text) frame_rect(frame, x, y, 1, h, fill);
            if (x < free_x) continue;
            const Rect whole = { x - floor(size / 2), y + 1, size + 1, size - 1 };
            const Rect below = { x - floor(size / 4), y + h - floor(size / 2), floor(size / 2) + 1,
                                 floor(size / 2) - 1 };
            frame_mark(frame, DRAW_TRIANGLE_DOWN, is_at_text ? below : whole, fill, 0, 0);
            free_x = x + size;
        }
    }
}

/* Appends the number of slices; and the distance to the begin of the first trace, if the user has aligned them. */
static void trace_summary(const View *view, uint32_t index, Bytes *summary)
{
    char length[VIEW_TIME_TEXT], text[WORD_TEXT];
    append_counted(summary, WORD_SLICES, view_trace(view, index)->outline.slice_count);
    if (view->position.alignment == 0 || index == 0) return;
    const int64_t   distance = align_distance(view, index);
    const TimeUnits units = view_time_units(view);
    (void)time_format_length(&units, fabs((double)distance), length);
    const Word word = distance < 0 ? WORD_BEFORE_FIRST : WORD_AFTER_FIRST;
    append_part(summary, text, word_format(word, 0, length, text));
}

static void draw_group(View *view, Frame *frame, const LayoutItem *item, double y_px)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    TraceView      *trace = view_trace(view, item->trace);
    bool            is_trace = item->kind == ITEM_TRACE;
    double          y = view_px(view, y_px), h = view_px(view, y_px + item->height) - y;
    double          w = g->width - g->scrollbar_w;
    frame_rect(frame, 0, y, w, h, is_trace ? palette->raised : palette->panel);
    frame_rect(frame, 0, y, w, 1, palette->rule);
    frame_rect(frame, 0, y + h - 1, w, 1, palette->rule);
    draw_focus(view, frame, item, y, y + h);
    double x = view_px(view, LABEL_PAD_PX + (!is_trace && view->trace_count > 1 ? INDENT_PX : 0));
    if (view_interactive(view)) draw_twisty(view, frame, x, y, h, item->closed);
    x += view_px(view, TWISTY_PX + TWISTY_GAP_PX);
    TextStyle    style = { FONT_MEDIUM, LABEL_SIZE * view->screen.scale, palette->text };
    double       baseline = view_baseline(y, h, style.size_px);
    StringView   title = shown_title(view, (RowTarget){ item->kind, item->trace, item->index });
    const double title_w = fmin(text_width(style.face, style.size_px, title.bytes, title.size), w * 0.6);
    if (head_has_buttons(view, item))
        draw_title(frame, &style, x, baseline, end_beside_buttons(view) - x, title);
    else
        frame_text_cut(frame, &style, x, baseline, w * 0.6, title.bytes, title.size);
    /* The summary stays in its place when the buttons appear: on their other side, after a long title. */
    x += title_w + view_px(view, 12);
    if (layout_column_is_open(view)) x = fmax(x, g->plot_x + view_px(view, 8));
    Bytes summary = { 0 };
    if (is_trace)
        trace_summary(view, item->trace, &summary);
    else if (item->kind == ITEM_GROUP)
        group_summary(trace, item->index, &summary);
    else
        process_summary(trace, item->index, &summary);
    TextStyle small = { FONT_REGULAR, SMALL_SIZE * view->screen.scale, palette->muted };
    x += frame_text_cut(frame, &small, x, baseline, w - x - view_px(view, 8), (const char *)summary.data,
                        summary.size);
    bytes_release(&summary);
    if (item->kind == ITEM_PROCESS) draw_process_marks(view, frame, item, y, h, x + view_px(view, 4));
}

static void draw_section(View *view, Frame *frame, LayoutSection section)
{
    const Geometry     *g = &view->screen.geometry;
    const Palette      *palette = colour_palette(view->screen.theme);
    const SectionExtent extent = layout_section_extent(view, section);
    const SeenItems     seen = layout_seen(view, section, 0);
    const double        top = extent.top, height = extent.bottom - top;
    const bool          is_open = layout_column_is_open(view);
    const double        titles_top = layout_seen_top(view, section);
    if (is_open) {
        frame_layer(frame, (Rect){ 0, top, g->plot_x, height });
        frame_rect(frame, 0, top, g->plot_x, height, palette->panel);
        frame_rect(frame, g->plot_x - 1, top, 1, height, palette->rule);
    }
    frame_layer(frame, (Rect){ 0, titles_top, is_open ? g->plot_x : g->width - g->scrollbar_w,
                               extent.bottom - titles_top });
    for (uint32_t i = seen.first; i < seen.end; i++) {
        const LayoutItem *item = layout_item(view, i);
        double            y = layout_item_screen_y(view, i);
        if (item->kind != ITEM_TRACK) continue;
        if (is_open)
            frame_rect(frame, 0, view_px(view, y + item->height) - 1, g->plot_x - 1, 1, palette->rule_faint);
        if (!is_open) {
            StringView title = view_trace(view, item->trace)->outline.tracks[item->index].title;
            NameColour look = colour_look(view->screen.theme, colour_of_name(title.bytes, title.size));
            frame_rect(frame, 0, view_px(view, y), g->plot_x,
                       view_px(view, y + item->height) - view_px(view, y), look.fill);
        }
        draw_track_title(view, frame, item, y, titles_top);
    }
    frame_layer(frame, (Rect){ 0, top, g->width - g->scrollbar_w, height });
    for (uint32_t i = seen.first; i < seen.end; i++) {
        const LayoutItem *item = layout_item(view, i);
        if (item->kind != ITEM_TRACK) draw_group(view, frame, item, layout_item_screen_y(view, i));
    }
    double   sticky_y;
    uint32_t sticky = layout_sticky_header(view, section, &sticky_y);
    if (sticky != UINT32_MAX) {
        frame_layer(frame, (Rect){ 0, top, g->width - g->scrollbar_w, height });
        draw_group(view, frame, layout_item(view, sticky), sticky_y);
    }
    if (section == LAYOUT_PINNED) frame_rect(frame, 0, extent.bottom - 1, g->width, 1, palette->accent);
}

void draw_labels(View *view, Frame *frame)
{
    draw_section(view, frame, LAYOUT_SCROLLED);
    if (view->layout.pinned > 0) draw_section(view, frame, LAYOUT_PINNED);
}
