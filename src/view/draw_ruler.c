#include "view/data.h"
#include "view/draw.h"
#include "view/layout.h"
#include "view/moments.h"
#include "view/runs.h"
#include "view/scene.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const double LABEL_APART_PX = 84, TICK_PX = 6, SMALL_TICK_PX = 3, TEXT_GAP_PX = 4;

static const double RULER_SIZE = 10.5;
/* Heights, from top to bottom: stamps, labels, flags and ticks. */
static const double STAMP_BAND_PX = 18, LABEL_BAND_PX = 14;

TimeUnit view_unit(const View *view)
{
    return (TimeUnit)((view->screen.options & VIEW_UNIT) / VIEW_IN_S);
}

TimeUnits view_time_units(const View *view)
{
    assert(view->trace_count > 0);
    const TraceView *trace = view_trace(view, 0);
    return time_units(&trace->outline.clock, &trace->map, view_unit(view));
}

/* Returns the device pixels from the plot's left edge to a number of units. */
static double view_units_x(const View *view, const TimeUnits *units, uint64_t count)
{
    CameraPos pos = camera_now(&view->position.camera);
    double    rest;
    int64_t   axis = time_units_to_axis(units, count, &rest);
    return (camera_x(&pos, axis) + rest * pos.px_per_tick) * view->screen.scale;
}

int64_t view_axis_at(const View *view, double plot_x_px)
{
    CameraPos pos = camera_now(&view->position.camera);
    return camera_tick(&pos, plot_x_px);
}

/* The visible ticks: the first multiple of the step, and their number. */
typedef struct RulerTicks {
    TimeUnits units;
    TimeStep  step;
    uint64_t  first, count; /* in steps */
    double    step_px;      /* device pixels */
} RulerTicks;

static RulerTicks ruler_ticks(const View *view)
{
    RulerTicks ticks = { .units = view_time_units(view) };
    CameraPos  pos = camera_now(&view->position.camera);
    double     unit_px = pos.px_per_tick / time_units_per_tick(&ticks.units);
    ticks.step = time_step(&ticks.units, LABEL_APART_PX / unit_px);
    assert(ticks.step.units > 0 && unit_px > 0);
    ticks.step_px = (double)ticks.step.units * unit_px * view->screen.scale;
    uint64_t left = pos.tick > 0 ? time_units_from_axis(&ticks.units, (uint64_t)pos.tick) : 0;
    ticks.first = left / ticks.step.units;
    double shown =
        (view->screen.geometry.plot_w - view_units_x(view, &ticks.units, ticks.first * ticks.step.units)) /
        ticks.step_px;
    uint64_t most = UINT64_MAX / ticks.step.units - ticks.first;
    if (shown >= 0) ticks.count = shown < (double)most ? (uint64_t)shown + 1 : most;
    if (ticks.count > most) ticks.count = most; /* (double)most may be rounded up */
    return ticks;
}

static double tick_x(const View *view, const RulerTicks *ticks, uint64_t i)
{
    return view->screen.geometry.plot_x +
           floor(view_units_x(view, &ticks->units, (ticks->first + i) * ticks->step.units));
}

void draw_grid(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    frame_layer(frame, (Rect){ g->plot_x, g->pinned_y, g->plot_w, g->height - g->pinned_y });
    if (view->trace_count == 0) return;
    RulerTicks ticks = ruler_ticks(view);
    for (uint64_t i = 0; i < ticks.count; i++)
        frame_rect(frame, tick_x(view, &ticks, i), g->pinned_y, 1, g->height - g->pinned_y,
                   colour_palette(view->screen.theme)->rule_faint);
}

/* A range of time in the ruler, and its length as text, in device pixels. */
typedef struct Stretch {
    double begin, end;         /* of the visible part; equal = no part is visible */
    double text_x, text_width; /* of the text with its margin */
    char   text[TIME_TEXT];
    size_t size;
} Stretch;

static Stretch stretch_between(View *view, int64_t begin, int64_t end)
{
    const Geometry *g = &view->screen.geometry;
    CameraPos       pos = camera_now(&view->position.camera);
    double          x0 = g->plot_x + floor(camera_x(&pos, begin) * view->screen.scale);
    double          x1 = g->plot_x + floor(camera_x(&pos, end) * view->screen.scale);
    double          right = g->plot_x + g->plot_w;
    Stretch         s = { .size = 0 };
    if (x0 > right || x1 < g->plot_x) return s;
    s.begin = x0 < g->plot_x ? g->plot_x - 4 : x0;
    s.end = (x1 > right ? right + 4 : x1) + 1;
    TimeUnits units = view_time_units(view);
    /* An area of everything ends a tick after the last event, which it contains. */
    const int64_t last = (uint64_t)end == view->extent + 1 && end - 1 > begin ? end - 1 : end;
    uint64_t      length = (uint64_t)last - (uint64_t)begin;
    s.size = units.shows_all ? time_format_exact_length(&units, time_units_from_axis(&units, length), s.text)
                             : time_format_length(&units, (double)length, s.text);
    double pad = view_px(view, 5);
    s.text_width = text_width(FONT_MEDIUM, RULER_SIZE * view->screen.scale, s.text, s.size) + 2 * pad;
    s.text_x = floor((s.begin + s.end - 1 - s.text_width) / 2);
    if (s.text_x < g->plot_x) s.text_x = g->plot_x;
    if (s.text_x + s.text_width > right) s.text_x = right - s.text_width;
    return s;
}

/* Returns the range that is being drawn in the ruler, else the area. */
static Stretch stretch_of(View *view)
{
    const Geometry *g = &view->screen.geometry;
    if (view->input.pointer.drag == DRAG_RULER) {
        int64_t at = view_axis_at(view, view->input.pointer.x - g->plot_x / g->scale);
        int64_t from = view->input.pointer.grab_tick;
        return stretch_between(view, from < at ? from : at, from < at ? at : from);
    }
    if (view->selection.area.is_set)
        return stretch_between(view, view->selection.area.begin, view->selection.area.end);
    return (Stretch){ .size = 0 };
}

/* Draws the line below a stretch, and its length. */
static void draw_stretch(View *view, Frame *frame, const Stretch *s)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    TextStyle       style = { FONT_MEDIUM, RULER_SIZE * view->screen.scale, palette->text };
    double          h = view_px(view, 16), pad = view_px(view, 5);
    double          y = g->ruler_y + view_px(view, STAMP_BAND_PX);
    frame_rect(frame, s->begin, g->ruler_y + h, s->end - s->begin, view_px(view, 2), palette->accent);
    frame_rect(frame, s->text_x, y, s->text_width, h, palette->panel);
    frame_text(frame, &style, s->text_x + pad, view_baseline(y, h, style.size_px),
               s->text_width - 2 * pad + 1, s->text, s->size);
}

/* Draws the ticks with their labels. Leaves out the labels that the text of the stretch would cut. */
static void draw_ticks(View *view, Frame *frame, const RulerTicks *ticks, const Stretch *stretch,
                       const TextStyle *style)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    double          bottom = g->ruler_y + g->ruler_h - 1;
    double          long_h = view_px(view, TICK_PX), short_h = view_px(view, SMALL_TICK_PX);
    double          labels_y = g->ruler_y + view_px(view, STAMP_BAND_PX);
    double          baseline = view_baseline(labels_y, view_px(view, LABEL_BAND_PX), style->size_px);
    for (uint64_t i = 0; i < ticks->count; i++) {
        uint64_t count = (ticks->first + i) * ticks->step.units;
        double   x = tick_x(view, ticks, i);
        char     text[TIME_TEXT];
        bool     is_stamp = ticks->step.coarse != 0 && count % ticks->step.coarse == 0;
        frame_rect(frame, x, bottom - (is_stamp ? 2 * long_h : long_h), 1, is_stamp ? 2 * long_h : long_h,
                   palette->muted);
        size_t size = time_format_label(&ticks->units, &ticks->step, count, text);
        double width = text_width(style->face, style->size_px, text, size);
        double left = floor(x - width / 2);
        bool   is_whole = left >= g->plot_x && left + width <= g->plot_x + g->plot_w && /* no cut labels */
                        (left >= stretch->text_x + stretch->text_width || left + width <= stretch->text_x);
        if (!is_stamp && is_whole) frame_text(frame, style, left, baseline, ticks->step_px, text, size);
        for (uint32_t p = 1; p < ticks->step.parts; p++)
            frame_rect(frame, floor(x + ticks->step_px * p / ticks->step.parts), bottom - short_h, 1, short_h,
                       palette->rule);
    }
}

static bool wall_clock(const View *view, const TimeUnits *units, uint64_t count, int64_t *unix_s)
{
    const TraceView *trace = view_trace(view, 0);
    const Clock     *clock = &trace->outline.clock;
    if (!clock->has_epoch || !units->is_time || trace->map.begin != 0) return false;
    int64_t second = 1000000000;
    int64_t begin_ns = clock_to_ns(clock, trace->outline.begin_tick);
    int64_t since_ns = (int64_t)(units->digits == 12 ? count / 1000 : count);
    *unix_s = clock->epoch_unix_ns / second + begin_ns / second + since_ns / second;
    return true;
}

/* Ranges of the ruler's upper line that have text, in device pixels. */
enum { TAKEN_MAX = 64 };
typedef struct Taken {
    struct {
        double begin, end;
    } parts[TAKEN_MAX];
    uint32_t count;
} Taken;

static void take(Taken *taken, double begin, double end)
{
    if (taken->count == TAKEN_MAX) return;
    taken->parts[taken->count].begin = begin;
    taken->parts[taken->count++].end = end;
}

/* Returns the end of the text that begins at the tick at x, x if none begins there. `gap`: between a tick and its text. */
static double end_of_text_at(const Taken *taken, double x, double gap)
{
    for (uint32_t i = 0; i < taken->count; i++) {
        if (taken->parts[i].begin >= x - gap && taken->parts[i].begin <= x + gap) return taken->parts[i].end;
    }
    return x;
}

/* Returns the end of the free room from x on, at most `end`. */
static double free_until(const Taken *taken, double x, double end)
{
    if (taken->count == TAKEN_MAX) return x;
    for (uint32_t i = 0; i < taken->count; i++) {
        if (taken->parts[i].end > x && taken->parts[i].begin < end)
            end = taken->parts[i].begin > x ? taken->parts[i].begin : x;
    }
    return end;
}

/* Draws the stamps. The stamp of the left edge stays there until the next one displaces it. */
static void draw_stamps(View *view, Frame *frame, const RulerTicks *ticks, Taken *taken)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    TextStyle       style = { FONT_MEDIUM, RULER_SIZE * view->screen.scale, palette->text };
    double          baseline =
        view_baseline(g->ruler_y + view_px(view, 1), view_px(view, STAMP_BAND_PX), style.size_px);
    double    gap = view_px(view, TEXT_GAP_PX);
    uint64_t  coarse = ticks->step.coarse;
    CameraPos pos = camera_now(&view->position.camera);
    uint64_t  left = pos.tick > 0 ? time_units_from_axis(&ticks->units, (uint64_t)pos.tick) : 0;
    double    next_x = g->plot_x + g->plot_w;
    if (coarse != 0) {
        uint64_t first = left / coarse + (left % coarse != 0 || pos.tick <= 0 ? 1 : 0);
        uint64_t last =
            time_units_from_axis(&ticks->units, TIME_AXIS_MAX) / coarse; /* later ones have the same x */
        for (uint64_t i = first; i <= last; i++) {
            double x = g->plot_x + floor(view_units_x(view, &ticks->units, i * coarse));
            if (x > g->plot_x + g->plot_w) break;
            if (i == first) next_x = x;
            char   text[TIME_TEXT];
            size_t size = time_format_stamp(&ticks->units, i * coarse, coarse, text);
            double width = text_width(style.face, style.size_px, text, size);
            if (x + gap + width > g->plot_x + g->plot_w) continue; /* no cut stamps */
            frame_text(frame, &style, x + gap, baseline, width + 1, text, size);
            take(taken, x, x + 2 * gap + width);
        }
    }
    uint64_t precise = coarse != 0 ? coarse : ticks->step.precise;
    uint64_t held = precise > 1 ? left / precise * precise : left;
    char     text[2 * TIME_TEXT];
    int64_t  unix_s;
    size_t   size = 0;
    if (wall_clock(view, &ticks->units, held, &unix_s)) {
        size = time_format_date(unix_s, text);
        if (coarse != 0) {
            memcpy(text + size, "  \xC2\xB7  ", 6);
            size += 6;
        }
    }
    if (coarse != 0) size += time_format_stamp(&ticks->units, held, coarse, text + size);
    if (!ticks->units.is_time) /* labels are numbers: add their noun */
        size += (size_t)snprintf(text + size, TIME_TEXT, "%s", ticks->units.noun);
    double width = text_width(style.face, style.size_px, text, size);
    double at = pos.tick > 0 ? g->plot_x : g->plot_x + floor(view_units_x(view, &ticks->units, 0));
    double x = at + gap;
    if (x + width + 2 * gap > next_x) x = next_x - width - 2 * gap;
    frame_text(frame, &style, x, baseline, g->plot_w, text, size);
    take(taken, x, x + width + gap);
}

/* Draws the time at the pointer. */
static void draw_pointer_time(View *view, Frame *frame, const RulerTicks *ticks)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    double          x_px = view->input.pointer.x - g->plot_x / g->scale;
    if (!view->input.pointer.inside || x_px < 0 || x_px * g->scale >= g->plot_w) return;
    if (view->input.pointer.y * g->scale < g->ruler_y) return;
    int64_t axis = view_axis_at(view, x_px);
    if (axis < 0) return;
    double   pixel = (double)ticks->step.units * g->scale / ticks->step_px;
    uint64_t precise = 1; /* digits that a pixel can distinguish */
    while (precise <= UINT64_MAX / 100 && (double)precise * 10 <= pixel)
        precise *= 10;
    char      text[TIME_TEXT];
    uint64_t  count = time_units_from_axis(&ticks->units, (uint64_t)axis);
    size_t    size = ticks->units.is_time ? time_format_stamp(&ticks->units, count, precise, text)
                                          : time_format_exact(&ticks->units, count, text);
    TextStyle style = { FONT_MEDIUM, RULER_SIZE * view->screen.scale, palette->canvas };
    double    pad = view_px(view, 5), width = text_width(style.face, style.size_px, text, size);
    double    x = floor(view->input.pointer.x * g->scale + pad), h = view_px(view, 16);
    if (x + width + 2 * pad > g->plot_x + g->plot_w)
        x = floor(view->input.pointer.x * g->scale - width - 3 * pad);
    frame_box(frame, (Rect){ x, g->ruler_y + 1, width + 2 * pad, h },
              &(DrawShape){ .radius = (float)(3 * view->screen.scale), .fill = palette->text });
    frame_text(frame, &style, x + pad, view_baseline(g->ruler_y + 1, h, style.size_px), width + 1, text,
               size);
}

/* Draws the name of a global instant at the top of its pole, or after the stamp of the same time. */
static void draw_flag_name(View *view, Frame *frame, const Taken *taken, double x, double end, uint32_t fill,
                           StringView name)
{
    const Geometry *g = &view->screen.geometry;
    double          y = g->ruler_y + view_px(view, 1), h = view_px(view, STAMP_BAND_PX);
    const double    from = end_of_text_at(taken, x, view_px(view, TEXT_GAP_PX));
    end = free_until(taken, from, end);
    if (!draw_mark_name(view, frame, colour_palette(view->screen.theme)->text,
                        (Rect){ from, y, end - from, h }, name))
        return;
    frame_rect(frame, x, y + view_px(view, 2), 1, g->ruler_h - view_px(view, 3), fill);
}

/* Draws a flag for each global instant at the bottom of the ruler. */
static void draw_flags(View *view, Frame *frame, const Taken *taken)
{
    const Geometry *g = &view->screen.geometry;
    double          size = view_px(view, 8), y = g->ruler_y + g->ruler_h - size;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        const WideTracks wide = trace->wide[WIDE_GLOBAL_INSTANTS];
        for (uint32_t i = 0; i < wide.count; i++) {
            const OutlineTrack *track = &trace->outline.tracks[wide.tracks[i]];
            if (track->instant_count == 0) continue;
            runs_find_sources(view, t, track, 0);
            runs_build(view, t, 0);
            const Mark *marks = view->picture.scratch.row->marks.items;
            size_t      count = vec_count(&view->picture.scratch.row->marks);
            for (size_t m = 0; m < count; m++) {
                NameColour look = view_label_look(view, t, marks[m].label);
                uint32_t   fill = view->screen.theme == THEME_DARK ? look.fill : look.edge;
                double     x = g->plot_x + marks[m].x;
                frame_mark(frame, DRAW_TRIANGLE_DOWN, (Rect){ x - floor(size / 2), y, size + 1, size }, fill,
                           0, 0);
                double end = g->plot_x + (m + 1 < count ? marks[m + 1].x : g->plot_w);
                if (marks[m].count == 1)
                    draw_flag_name(view, frame, taken, x, end, fill,
                                   view_label_name(view, t, marks[m].label));
            }
        }
    }
}

/* Formats the scale: "1 px = 3.20 µs"; "1 call = 30 px" in traces without time if a pixel is less than a call, "1 ns = 250 px"
 * if a pixel is less than a hundredth of the unit. */
static size_t format_scale(const TimeUnits *units, double px_per_tick, char out[TIME_TEXT + 16])
{
    enum { PIXELS_MOST = 1000000, PRECISE_PX = 100 };
    const double px_per_unit = px_per_tick / time_units_per_tick(units);
    if (px_per_unit > (units->is_time ? PRECISE_PX : 1)) {
        const char    *noun = !units->is_time ? units->noun : units->digits > 9 ? "ps" : "ns";
        const unsigned tenths = (unsigned)(fmin(px_per_unit, PIXELS_MOST) * 10 + 0.5);
        if (tenths >= 100 || tenths % 10 == 0)
            return (size_t)snprintf(out, TIME_TEXT + 16, "1 %s = %u px", noun, (tenths + 5) / 10);
        return (size_t)snprintf(out, TIME_TEXT + 16, "1 %s = %u.%u px", noun, tenths / 10, tenths % 10);
    }
    memcpy(out, "1 px = ", 7);
    return 7 + time_format_length(units, 1 / px_per_tick, out + 7);
}

/* Draws the visible duration and the scale, left of the ruler. */
static void draw_corner(View *view, Frame *frame, const RulerTicks *ticks)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    if (!layout_column_is_open(view)) return;
    frame_layer(frame, (Rect){ 0, g->ruler_y, g->plot_x, g->ruler_h });
    frame_rect(frame, 0, g->ruler_y, g->plot_x, g->ruler_h, palette->panel);
    frame_rect(frame, g->plot_x - 1, g->ruler_y, 1, g->ruler_h, palette->rule);
    frame_rect(frame, 0, g->ruler_y + g->ruler_h - 1, g->plot_x, 1, palette->rule);
    CameraPos pos = camera_now(&view->position.camera);
    char      text[TIME_TEXT + 16];
    double    x = view_px(view, 8);
    TextStyle style = { FONT_MEDIUM, RULER_SIZE * view->screen.scale, palette->text };
    size_t size = time_format_length(&ticks->units, view->position.camera.width_px / pos.px_per_tick, text);
    double half = floor(g->ruler_h / 2);
    frame_text(frame, &style, x, view_baseline(g->ruler_y + view_px(view, 1), half, style.size_px), g->plot_x,
               text, size);
    style = (TextStyle){ FONT_REGULAR, RULER_SIZE * view->screen.scale, palette->muted };
    size = format_scale(&ticks->units, pos.px_per_tick, text);
    frame_text(frame, &style, x, view_baseline(g->ruler_y + half - view_px(view, 1), half, style.size_px),
               g->plot_x, text, size);
}

void draw_ruler(View *view, Frame *frame)
{
    const Palette  *palette = colour_palette(view->screen.theme);
    const Geometry *g = &view->screen.geometry;
    frame_layer(frame, (Rect){ g->plot_x, g->ruler_y, g->width - g->plot_x, g->ruler_h });
    frame_rect(frame, g->plot_x, g->ruler_y, g->width - g->plot_x, g->ruler_h, palette->panel);
    frame_rect(frame, g->plot_x, g->ruler_y + g->ruler_h - 1, g->width - g->plot_x, 1, palette->rule);
    if (view->trace_count == 0) return;
    RulerTicks ticks = ruler_ticks(view);
    TextStyle  style = { FONT_REGULAR, RULER_SIZE * view->screen.scale, palette->muted };
    Stretch    stretch = stretch_of(view);
    if (stretch.end > stretch.begin)
        frame_rect(frame, stretch.begin, g->ruler_y, stretch.end - stretch.begin, g->ruler_h,
                   palette->selection);
    draw_ticks(view, frame, &ticks, &stretch, &style);
    Taken taken = { .count = 0 };
    draw_stamps(view, frame, &ticks, &taken);
    draw_flags(view, frame, &taken);
    draw_moments_in_ruler(view, frame);
    frame_layer(frame, (Rect){ g->plot_x, g->ruler_y, g->width - g->plot_x, g->ruler_h });
    if (stretch.end > stretch.begin) draw_stretch(view, frame, &stretch);
    if (view->input.pointer.drag != DRAG_RULER && view_interactive(view)) {
        frame_layer(frame, (Rect){ g->plot_x, g->ruler_y, g->width - g->plot_x, g->ruler_h });
        draw_pointer_time(view, frame, &ticks);
    }
    draw_corner(view, frame, &ticks);
}
