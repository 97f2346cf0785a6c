#include "view/colour_mode.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/found.h"
#include "view/layout.h"
#include "view/row_heights.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/words.h"

#include <math.h>
#include <stdio.h>

enum { BAR_EDGE_MIN = 4 };
static const double BAR_DURATION_MIN_PX = 140, BAR_ROUND_MIN_PX = 24;
static const double NOTCH_PX = 3, NOTCH_HIGH_PX = 4;
static const double UNDERLINE_PX = 2, MARK_PX = 11, MARK_APART_PX = 10, BLEED = 6;

static const double MORE_TEXT_SIZE = 10.5, BAR_TEXT_SIZE = 11.5;

/* The colours of the stripes of a track, if their labels decide about them. */
enum { STRIPE_LABELS = 256 };
typedef struct StripeColours {
    bool     is_by_label;
    uint32_t labels[STRIPE_LABELS], colours[STRIPE_LABELS]; /* at the remainder of the label */
} StripeColours;

typedef struct RowPlace {
    uint32_t   trace, track;     /* index in the outline */
    FoundRow   found;            /* found events in this row */
    FoundRow   highlighted;      /* the same of view_highlight_slices */
    double     y, height;        /* of the bars, device pixels */
    double     marks_y, marks_h; /* of the instants: in their strip, or over the bars */
    bool       has_text;
    bool       in_area; /* the track is in the selected area */
    bool       has_look;
    NameColour look; /* of all its bars, by thread or process */

    StripeColours *stripes;
} RowPlace;

/* The values shared by all bars of a frame. */
typedef struct BarStyle {
    const Palette *palette;
    bool           has_emphasis;
    NameLabel      emphasis[2];
    bool           underlines; /* the emphasis is not a hover */
    bool           by_search;  /* the emphasis is a search's, not a name's */
    bool           by_slices;  /* it is that of view_highlight_slices */
    Durations      durations;
    bool           has_area;
    double         area_x0, area_x1; /* columns of the plot, device pixels */
    NameColour     states[STATE_COUNT];
} BarStyle;

static BarStyle bar_style(const View *view)
{
    BarStyle style = { .palette = colour_palette(view->screen.theme) };
    style.has_emphasis = view_emphasis(view, style.emphasis);
    style.by_search = view->emphasis.has_found && !view->emphasis.has_labels;
    style.has_emphasis = style.has_emphasis || style.by_search;
    style.by_slices = view->emphasis.has_labels && view->emphasis.has_events;
    style.underlines = view->emphasis.has_labels || style.by_search;
    style.durations = view->emphasis.durations;
    style.has_area = view->selection.area.is_set;
    if (style.has_area) {
        view_area_columns(view, &style.area_x0, &style.area_x1);
        style.area_x0 -= view->screen.geometry.plot_x;
        style.area_x1 -= view->screen.geometry.plot_x;
    }
    for (unsigned state = 0; state < STATE_COUNT; state++)
        style.states[state] = colour_state_look(view->screen.theme, (ThreadState)state);
    return style;
}

static bool is_aggregate(const Run *run)
{
    return run->count > 1 || run->x1 - run->x0 == 1;
}

/* Returns an opacity of .35 to 1 by coverage, in sixteenths, so that equal neighbours become one rectangle. */
static uint32_t coverage_alpha(const Run *run, double px_per_tick)
{
    double share = run->covered * px_per_tick / (double)(run->x1 - run->x0);
    if (!(share < 1)) share = 1;
    uint32_t sixteenths = (uint32_t)(share * 16 + 0.5);
    return 89 + sixteenths * 166 / 16;
}

static uint32_t row_kind(const View *view, const RowPlace *row)
{
    return view_trace(view, row->trace)->outline.tracks[row->track].kind;
}

static bool is_emphasised(const BarStyle *style, const RowPlace *row, const Run *run)
{
    if (!style->has_emphasis) return false;
    if (style->by_search) return found_run(&row->found, run);
    if (style->by_slices) return style->emphasis[0].trace == row->trace && found_run(&row->highlighted, run);
    for (int i = 0; i < 2; i++)
        if (style->emphasis[i].trace == row->trace && style->emphasis[i].label == run->label) return true;
    return false;
}

static bool has_filtered_duration(const Durations *filter, const RowPlace *row, const Run *run)
{
    return filter->trace == row->trace && filter->least_ticks <= run->longest_ticks &&
           run->longest_ticks <= filter->most_ticks;
}

/* True for a dimmed bar: outside of the area or of the durations, or without the emphasised name. It keeps its hue with
 * less chroma. */
static bool recedes(const BarStyle *style, const RowPlace *row, const Run *run)
{
    if (style->durations.is_set && !has_filtered_duration(&style->durations, row, run)) return true;
    if (style->has_emphasis && !is_emphasised(style, row, run)) return true;
    return style->has_area && (!row->in_area || run->x1 <= style->area_x0 || run->x0 >= style->area_x1);
}

/* Returns the look of an event that is not in a state, `ticks` long. */
static NameColour event_look(View *view, const RowPlace *row, uint32_t label, uint64_t ticks)
{
    if (row->has_look) return row->look;
    if (colour_mode_of(view) == VIEW_BY_DURATION) return colour_mode_duration(view, row->trace, ticks);
    return view_label_look(view, row->trace, label);
}

/* Sets the look of a run. In place: a copy of five colours waits if one of them was just written. */
static void find_look(View *view, const BarStyle *style, const RowPlace *row, const Run *run,
                      NameColour *look)
{
    uint32_t    trace = row->trace;
    ThreadState state = STATE_COUNT;
    if (row_kind(view, row) == TRACK_KIND_STATES) state = view_label_state(view, trace, run->label);
    if (state == STATE_COUNT)
        *look = event_look(view, row, run->label, run->longest_ticks);
    else
        *look = style->states[state];
    const Hover *hover = &view->input.hover;
    const bool   is_hovered =
        hover->has_slice && !hover->is_mark && hover->trace == trace && hover->event.id == run->slice;
    /* A dimmed bar stays dim under the pointer: the veil would make text on a brighter one unreadable. */
    if (recedes(style, row, run))
        look->fill = look->dim;
    else if (is_hovered && view_interactive(view))
        look->fill = look->hover;
}

static void draw_label(View *view, Frame *frame, uint32_t colour, const RowPlace *row, const Run *run)
{
    const double scale = view->screen.scale, pad_px = label_pad_px((run->x1 - run->x0) / scale);
    const double pad = view_px(view, pad_px), room = (double)(run->x1 - run->x0) - 2 * pad;
    if (pad_px < 0 || room <= 0) return;
    StringView name = view_label_name(view, row->trace, run->label);
    TextStyle  text = { FONT_REGULAR, BAR_TEXT_SIZE * scale, colour };
    double     units_per_px = TEXT_UNITS_PER_EM / text.size_px;
    double     x = view->screen.geometry.plot_x + run->x0 + pad;
    double     baseline = view_baseline(row->y, row->height, text.size_px);
    char       duration[CLOCK_SPAN_TEXT];
    double     duration_w = 0;
    if (run->x1 - run->x0 >= view_px(view, BAR_DURATION_MIN_PX)) {
        size_t size = view_span_text(view, row->trace, run->extent, SPAN_SHORT, duration);
        duration_w = text_width(text.face, text.size_px, duration, size);
        double whole = text_width(text.face, text.size_px, name.bytes, name.size);
        if (whole + 3 * pad + duration_w <= room)
            frame_text(frame, &text, floor(x + room - duration_w), baseline, duration_w + 1, duration, size);
        else
            duration_w = 0;
    }
    FittedLabel fitted;
    label_fit(text.face, name.bytes, name.size, (uint64_t)(room * units_per_px), &fitted);
    frame_text(frame, &text, x, baseline, room, fitted.text, fitted.size);
}

static void underline(View *view, Frame *frame, const BarStyle *style, const RowPlace *row, const Run *run,
                      double x, double width)
{
    double line = view_px(view, UNDERLINE_PX);
    if (style->underlines && is_emphasised(style, row, run))
        frame_rect(frame, x, row->y + row->height - line, width, line, style->palette->amber);
}

static void draw_bar(View *view, Frame *frame, const BarStyle *style, const RowPlace *row, const Run *run)
{
    NameColour look;
    int32_t    width = run->x1 - run->x0;
    find_look(view, style, row, run, &look);
    /* Bars that exceed the plot have their borders outside of it. */
    double left = run->x0, right = run->x1;
    if (run->x0 == 0 && tick_scale_x(&view_trace(view, row->trace)->scale, run->begin) < -1) left -= BLEED;
    if (run->x1 == view->screen.geometry.plot_w) right += BLEED;
    DrawShape shape = { .kind = DRAW_RECT,
                        .x = (float)(view->screen.geometry.plot_x + left),
                        .y = (float)row->y,
                        .w = (float)(right - left),
                        .h = (float)row->height,
                        .fill = look.fill };
    if (width >= BAR_EDGE_MIN) {
        shape.edge = look.edge;
        shape.edge_px = 1;
    }
    if (width >= view_px(view, BAR_ROUND_MIN_PX)) shape.radius = (float)(2 * view->screen.scale);
    if (run->flags & TILE_UNFINISHED) shape.style |= DRAW_FADE_RIGHT;
    if (run->flags & TILE_REPAIRED) shape.style |= DRAW_HATCH;
    frame_shape(frame, &shape);
    underline(view, frame, style, row, run, shape.x, shape.w);
    if (row->has_text) draw_label(view, frame, look.text, row, run);
}

/* Runs of one column or of several slices, as rectangles that grow while the colour is the same. */
typedef struct Stripe {
    int32_t  x0, x1;
    uint32_t fill;
} Stripe;

static void end_stripe(View *view, Frame *frame, const RowPlace *row, Stripe *stripe)
{
    frame_rect(frame, view->screen.geometry.plot_x + stripe->x0, row->y, stripe->x1 - stripe->x0, row->height,
               stripe->fill);
    *stripe = (Stripe){ 0 };
}

/* Returns the colour of a stripe without its coverage. On white a thin stripe in a bar's fill would be too faint. */
static uint32_t stripe_colour(View *view, const BarStyle *style, const RowPlace *row, const Run *run)
{
    NameColour look;
    find_look(view, style, row, run, &look);
    return view->screen.theme == THEME_LIGHT && look.fill != look.dim ? look.edge : look.fill;
}

static void begin_stripes(const View *view, const BarStyle *style, uint32_t trace, StripeColours *stripes)
{
    const Hover *hover = &view->input.hover;
    const bool   is_hovered = hover->has_slice && hover->trace == trace;
    stripes->is_by_label = !style->durations.is_set && !style->has_emphasis && !style->has_area &&
                           !is_hovered && colour_mode_of(view) != VIEW_BY_DURATION;
    for (uint32_t i = 0; stripes->is_by_label && i < STRIPE_LABELS; i++)
        stripes->labels[i] = i + 1; /* never at i */
}

/* As stripe_colour, faster for a label that the track has had before. */
static uint32_t find_stripe(View *view, const BarStyle *style, const RowPlace *row, const Run *run)
{
    StripeColours *stripes = row->stripes;
    if (!stripes->is_by_label) return stripe_colour(view, style, row, run);
    const uint32_t at = run->label % STRIPE_LABELS;
    if (stripes->labels[at] != run->label) {
        stripes->labels[at] = run->label;
        stripes->colours[at] = stripe_colour(view, style, row, run);
    }
    return stripes->colours[at];
}

/* Draws a brighter tick at runs that contain one of the track's longest slices, which may be worth a zoom. */
static void draw_rare(View *view, Frame *frame, const RowPlace *row)
{
    const Run *runs = view->picture.scratch.row->runs.items;
    size_t     count = vec_count(&view->picture.scratch.row->runs);
    uint64_t   rare = view_trace(view, row->trace)->long_ticks[row->track];
    for (size_t i = 0; i < count && rare > 0; i++) {
        if (runs[i].count == 1 || runs[i].longest_ticks < rare) continue;
        NameColour look = event_look(view, row, runs[i].label, runs[i].longest_ticks);
        frame_rect(frame, view->screen.geometry.plot_x + runs[i].x0, row->y, 1, view_px(view, 3),
                   view->screen.theme == THEME_DARK ? look.hover : colour_palette(view->screen.theme)->text);
    }
}

static void draw_runs(View *view, Frame *frame, const BarStyle *style, const RowPlace *row)
{
    const Run *runs = view->picture.scratch.row->runs.items;
    size_t     count = vec_count(&view->picture.scratch.row->runs);
    double     px_per_tick = view_trace(view, row->trace)->scale.px_per_tick;
    Stripe     stripe = { 0 };
    for (size_t i = 0; i < count; i++) {
        const Run *run = &runs[i];
        if (!is_aggregate(run)) {
            draw_bar(view, frame, style, row, run);
            continue;
        }
        const uint32_t base = find_stripe(view, style, row, run);
        const uint32_t fill = colour_faded(base, coverage_alpha(run, px_per_tick));
        if (fill != stripe.fill || run->x0 != stripe.x1) {
            end_stripe(view, frame, row, &stripe);
            stripe = (Stripe){ run->x0, run->x0, fill };
        }
        stripe.x1 = run->x1;
    }
    end_stripe(view, frame, row, &stripe);
    draw_rare(view, frame, row);
}

/* Draws a diamond at an instant where there is room, else a tick at the row's top. */
static void draw_marks(View *view, Frame *frame, const BarStyle *style, const RowPlace *row)
{
    const Mark *marks = view->picture.scratch.row->marks.items;
    size_t      count = vec_count(&view->picture.scratch.row->marks);
    double      size = view_px(view, MARK_PX), apart = view_px(view, MARK_APART_PX);
    if (size > row->marks_h) size = row->marks_h;
    double diamond_end = -1e9,
           tick = floor((row->marks_h - size) / 2); /* above diamonds, if the row is high enough */
    if (tick < view_px(view, 3)) tick = floor(row->marks_h / 2);
    for (size_t i = 0; i < count; i++) {
        double     x = view->screen.geometry.plot_x + marks[i].x;
        NameColour look = event_look(view, row, marks[i].label, 0);
        uint32_t   fill = view->screen.theme == THEME_DARK ? look.hover : look.edge;
        if (x < diamond_end) {
            frame_rect(frame, x, row->marks_y, 1, tick, fill);
            continue;
        }
        double half = floor(size / 2);
        frame_mark(frame, DRAW_DIAMOND,
                   (Rect){ x - half, row->marks_y + floor((row->marks_h - size) / 2), 2 * half + 1, size },
                   fill, style->palette->canvas, row->marks_y < row->y ? 0 : 1);
        diamond_end = x + apart;
    }
}

/* Draws the names of instants right of their diamonds, up to the next bar or instant. */
static void draw_mark_names(View *view, Frame *frame, const BarStyle *style, const RowPlace *row)
{
    const Mark *marks = view->picture.scratch.row->marks.items;
    const Run  *runs = view->picture.scratch.row->runs.items;
    size_t      count = vec_count(&view->picture.scratch.row->marks);
    size_t      run_count = vec_count(&view->picture.scratch.row->runs), run = 0;
    double      half = view_px(view, MARK_PX) / 2;
    for (size_t i = 0; i < count; i++) {
        int32_t begin = (int32_t)(marks[i].x + half + 1), end = view->screen.geometry.plot_w;
        while (run < run_count && runs[run].x1 <= begin)
            run++;
        if (run < run_count && row->marks_y == row->y) end = runs[run].x0;
        if (i + 1 < count && marks[i + 1].x - half < end) end = (int32_t)(marks[i + 1].x - half);
        if (marks[i].count == 1)
            draw_mark_name(
                view, frame, style->palette->muted,
                (Rect){ view->screen.geometry.plot_x + begin, row->marks_y, end - begin, row->marks_h },
                view_label_name(view, row->trace, marks[i].label));
    }
}

/* Draws snapshots of an object as notches in the lower edge of its bar, so that the text above stays readable. */
static void draw_notches(View *view, Frame *frame, const BarStyle *style, const RowPlace *row)
{
    const Mark *marks = view->picture.scratch.row->marks.items;
    size_t      count = vec_count(&view->picture.scratch.row->marks);
    double      width = view_px(view, NOTCH_PX), height = view_px(view, NOTCH_HIGH_PX), free_x = -1e9;
    if (height > row->height / 2) height = floor(row->height / 2);
    for (size_t i = 0; i < count; i++) {
        double x = view->screen.geometry.plot_x + marks[i].x - floor(width / 2);
        if (x < free_x) x = free_x; /* near ones share a longer notch */
        double end = view->screen.geometry.plot_x + marks[i].x - floor(width / 2) + width;
        if (end <= x) continue;
        frame_rect(frame, x, row->y + row->height - height, end - x, height, style->palette->label);
        free_x = end;
    }
}

/* Underlines found slices in runs of several slices. */
static void underline_aggregates(View *view, Frame *frame, const BarStyle *style, const RowPlace *row)
{
    const Run *runs = view->picture.scratch.row->runs.items;
    size_t     count = vec_count(&view->picture.scratch.row->runs);
    if (!style->by_search) return;
    for (size_t i = 0; i < count; i++) {
        if (is_aggregate(&runs[i]))
            underline(view, frame, style, row, &runs[i], view->screen.geometry.plot_x + runs[i].x0,
                      runs[i].x1 - runs[i].x0);
    }
    draw_found_instants(view, frame, &row->found, row->marks_y, row->marks_h);
}

static void draw_row(View *view, Frame *frame, const BarStyle *style, RowPlace *place, uint32_t row)
{
    runs_build(view, place->trace, row % TILE_BAND_ROWS);
    place->found = found_row(view, place->trace, place->track, row);
    if (style->by_slices) place->highlighted = highlight_row(view, place->trace, place->track, row);
    draw_runs(view, frame, style, place);
    if (row_kind(view, place) == TRACK_KIND_OBJECTS)
        draw_notches(view, frame, style, place);
    else
        draw_marks(view, frame, style, place);
    if (place->has_text && row_kind(view, place) != TRACK_KIND_OBJECTS)
        draw_mark_names(view, frame, style, place);
    underline_aggregates(view, frame, style, place);
}

/* Draws a line above each lane, whose slices overlap those above without nesting. Lanes of a single row, as of most
 * objects, need no line. */
static void draw_lane_line(View *view, Frame *frame, const BarStyle *style, const RowPlace *place,
                           const OutlineTrack *track, uint32_t row)
{
    const OutlineRow *rows = &view_trace(view, place->trace)->outline.rows[track->first_row];
    if (row == 0 || rows[row].lane == rows[row - 1].lane) return;
    bool is_deep = rows[row - 1].depth > 0 || (row + 1 < track->row_count && rows[row + 1].depth > 0);
    if (!is_deep && track->kind != TRACK_KIND_THREAD) return;
    double       line = view_px(view, ROW_GAP_PX);
    const double top = place->marks_y < place->y ? place->marks_y : place->y;
    frame_rect(frame, view->screen.geometry.plot_x, top - line, view->screen.geometry.plot_w, line,
               style->palette->rule);
}

/* Sets the position of a row. False if it is below `bottom`. */
static bool set_place(RowPlace *place, RowExtent extent, double bottom)
{
    const bool has_strip = extent.strip_h > 0;
    place->y = extent.y;
    place->height = extent.height;
    place->marks_y = has_strip ? extent.strip_y : extent.y;
    place->marks_h = has_strip ? extent.strip_h : extent.height;
    return extent.strip_y < bottom;
}

/* Draws the line below the rows of a limited track: how many more it has. */
static void draw_more_rows(View *view, Frame *frame, const BarStyle *style, const LayoutItem *item,
                           double y_px, uint32_t shown)
{
    const TraceView *trace = view_trace(view, item->trace);
    const Geometry  *g = &view->screen.geometry;
    const double     y = view_px(view, y_px + layout_row_top(view, trace, item->index, shown));
    const TextStyle  text = { FONT_REGULAR, MORE_TEXT_SIZE * view->screen.scale, style->palette->muted };
    const uint32_t   more = trace->outline.tracks[item->index].row_count - shown;
    const double     h = view_px(view, MORE_ROWS_PX), mark = view_px(view, 6);
    char             line[WORD_TEXT];
    const size_t     size = word_format(WORD_MORE_ROWS, more, "", line);
    double           x = g->plot_x + view_px(view, 6);
    frame_rect(frame, g->plot_x, y, g->plot_w, 1, style->palette->rule_faint);
    if (view_interactive(view))
        frame_mark(frame, DRAW_TRIANGLE_DOWN, (Rect){ x, y + floor((h - mark / 2) / 2), mark, mark / 2 + 1 },
                   style->palette->muted, 0, 0);
    x += mark + view_px(view, 5);
    frame_text(frame, &text, x, view_baseline(y, h, text.size_px), g->plot_w, line, size);
}

/* Draws the rows of a track in the extent of its section, then the lines of its instants. */
static void draw_track(View *view, Frame *frame, const BarStyle *style, const LayoutItem *item, double y_px,
                       const SectionExtent *section)
{
    const TraceView    *trace = view_trace(view, item->trace);
    const OutlineTrack *track = &trace->outline.tracks[item->index];
    StripeColours       stripes;
    RowPlace            place = {
                   .trace = item->trace, .track = item->index, .in_area = item->in_area, .stripes = &stripes
    };
    const unsigned colours = colour_mode_of(view);
    place.has_look = colours == VIEW_BY_THREAD || colours == VIEW_BY_PROCESS;
    if (place.has_look) place.look = colour_mode_track(view, item->trace, item->index);
    place.has_text = row_height_of(view, trace, item->index) != HEIGHT_COMPACT;
    uint32_t end = rows_shown(trace, item->index);
    if (item->closed && end > 1) end = 1; /* a closed track shows its outermost slices */
    if (end == 0) return;
    uint32_t first = layout_row_at(view, trace, item->index, section->top / view->screen.scale - y_px);
    if (first > end) first = end;
    uint32_t band = UINT32_MAX, row;
    begin_stripes(view, style, item->trace, &stripes);
    for (row = first; row < end; row++) {
        if (!set_place(&place, layout_row_extent(view, item, y_px, row), section->bottom)) break;
        if (row / TILE_BAND_ROWS != band) {
            band = row / TILE_BAND_ROWS;
            runs_find_sources(view, item->trace, track, band);
        }
        draw_lane_line(view, frame, style, &place, track, row);
        draw_row(view, frame, style, &place, row);
    }
    const RowExtent upper = layout_row_extent(view, item, y_px, 0),
                    lower = layout_row_extent(view, item, y_px, end - 1);
    draw_thread_lines(view, frame, item, first, row, fmax(upper.strip_y, section->top),
                      fmin(lower.y + lower.height, section->bottom));
    if (end < track->row_count && !item->closed) draw_more_rows(view, frame, style, item, y_px, end);
}

static void draw_section(View *view, Frame *frame, const BarStyle *style, LayoutSection section)
{
    const Geometry     *g = &view->screen.geometry;
    const SectionExtent extent = layout_section_extent(view, section);
    const SeenItems     seen = layout_seen(view, section, 0);
    const double        seen_y = layout_seen_top(view, section);
    frame_layer(frame, (Rect){ g->plot_x, seen_y, g->plot_w, extent.bottom - seen_y });
    for (uint32_t i = seen.first; i < seen.end; i++) {
        const LayoutItem *item = layout_item(view, i);
        double            y = layout_item_screen_y(view, i);
        double            line = view_px(view, y + item->height) - 1;
        if (item->kind == ITEM_TRACK) {
            frame_rect(frame, g->plot_x, line, g->plot_w, 1, style->palette->rule_faint);
            if (view_trace(view, item->trace)->outline.tracks[item->index].kind == TRACK_KIND_COUNTER)
                draw_counter(view, frame, item, y);
            else
                draw_track(view, frame, style, item, y, &extent);
        }
    }
}

void draw_rows(View *view, Frame *frame)
{
    BarStyle style = bar_style(view);
    draw_section(view, frame, &style, LAYOUT_SCROLLED);
    if (view->layout.pinned > 0) draw_section(view, frame, &style, LAYOUT_PINNED);
}
