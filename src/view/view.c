#include "view/view.h"

#include "base/checked.h"
#include "trace/store/time_spec.h"
#include "view/align.h"
#include "view/colour_mode.h"
#include "view/commands.h"
#include "view/data.h"
#include "view/draw.h"
#include "view/head.h"
#include "view/hit.h"
#include "view/input.h"
#include "view/layout.h"
#include "view/live.h"
#include "view/moments.h"
#include "view/motion.h"
#include "view/note_flags.h"
#include "view/notes.h"
#include "view/row_history.h"
#include "view/row_moves.h"
#include "view/row_order.h"
#include "view/runs.h"
#include "view/scene.h"
#include "view/select.h"

#include <assert.h>
#include <math.h>

static const double TOOLTIP_AFTER_MS = 60, REST_MS = 250;

View *view_create(size_t cache_bytes)
{
    Arena arena = arena_create(0);
    View *view = ARENA_NEW(&arena, View);
    if (view == NULL) {
        arena_release(&arena);
        return NULL;
    }
    view->arena = arena;
    view->tiles = tile_cache_create(cache_bytes != 0 ? cache_bytes : (size_t)256 << 20);
    if (view->tiles == NULL) {
        arena_release(&arena);
        return NULL;
    }
    view->screen.scale = 1;
    view->position.waiting_px = -1;
    view->screen.column_px = view->screen.column_open_px = COLUMN_DEFAULT_PX;
    view->input.cursor = "default";
    command_keys_reset(view);
    view->position.camera.width_px = 1;
    view->position.camera.target = camera_fit(&view->position.camera);
    view->layout.stale = true;
    view_resize(view, 1200, 800, 1);
    view_set_theme(view, THEME_DARK);
    return view;
}

void view_destroy(View *view)
{
    if (view == NULL) return;
    view_clear_data(view);
    vec_clear(&view->picture.scratch.drawn);
    tile_cache_destroy(view->tiles);
    vec_release(&view->traces);
    vec_release(&view->position.alignments);
    vec_release(&view->input.align_drag.begins);
    notes_clear(view);
    row_states_clear(view);
    vec_release(&view->layout.items);
    vec_release(&view->order.moves);
    vec_release(&view->selection.area.tracks);
    vec_release(&view->selection.kept.tracks);
    vec_release(&view->events.tracks);
    vec_release(&view->picture.scratch.sources);
    built_rows_release(&view->picture.built);
    bytes_release(&view->picture.scratch.columns);
    vec_release(&view->picture.scratch.values);
    vec_release(&view->picture.scratch.totals);
    vec_release(&view->picture.scratch.flows);
    vec_release(&view->picture.scratch.drawn);
    frame_release(&view->picture.frame);
    Arena arena = view->arena;
    arena_release(&arena);
}

double view_px(const View *view, double css_px)
{
    return floor(css_px * view->screen.scale + 0.5);
}

double view_baseline(double y, double h, double size_px)
{
    return floor(y + (h + 0.727 * size_px) / 2 + 0.5); /* Inter's capitals are .727 em high */
}

bool view_interactive(const View *view)
{
    return (view->screen.options & VIEW_STATIC) == 0;
}

/* Returns the motion of the camera. At a low frame rate an animation is jerky and delays the user: the camera then
 * jumps, until frames are fast again or some time has passed. */
CameraMotion view_motion(const View *view)
{
    static const double SLOW_MS = 28;
    if (view->picture.frame_ms >= SLOW_MS) return CAMERA_JUMPS;
    return (view->screen.options & (VIEW_STATIC | VIEW_REDUCED_MOTION)) ? CAMERA_JUMPS : CAMERA_GLIDES;
}

bool view_emphasis(const View *view, NameLabel emphasis[2])
{
    emphasis[0] = view->emphasis.labels[0];
    emphasis[1] = view->emphasis.labels[1];
    if (view->emphasis.has_labels) return true;
    if (!view_interactive(view) || !view->input.hover.has_slice || !view->input.has_alt) return false;
    emphasis[0] = emphasis[1] = (NameLabel){ view->input.hover.trace, view->input.hover.label };
    return true;
}

/* Applies a change of the size, the label column or the scrollbar. */
static void apply_geometry(View *view)
{
    view->screen.geometry = layout_geometry(view);
    camera_set_width(&view->position.camera, view->screen.geometry.plot_w / view->screen.scale);
    double most = layout_scroll_max(view);
    if (view->position.scroll_px > most) view->position.scroll_px = most;
    if (view->position.target_px > most) view->position.target_px = most;
    layout_resume_scroll(view);
    view->picture.is_stale = true;
}

/* Returns the width of the open label column: at most half of the window, and without a choice of the user less in a narrow one. */
static double open_column_px(const View *view)
{
    const double px = view->screen.column_open_px, half = floor(view->screen.width_px / 2);
    const double narrow = fmax(COLUMN_MIN_PX, floor(view->screen.width_px / 3));
    return fmax(COLUMN_RAIL_PX, fmin(half, px == COLUMN_DEFAULT_PX ? fmin(px, narrow) : px));
}

void view_resize(View *view, double width, double height, double device_pixels_per_px)
{
    layout_build(view);
    const bool shows_selection = view_selection_is_in_sight(view);
    if (!(width >= 1)) width = 1;
    if (!(height >= 1)) height = 1;
    if (!(device_pixels_per_px >= 0.25)) device_pixels_per_px = 0.25;
    view->screen.width_px = width < 32768 ? width : 32768;
    view->screen.height_px = height < 262144 ? height : 262144;
    view->screen.scale = device_pixels_per_px < 8 ? device_pixels_per_px : 8;
    if (layout_column_is_open(view)) {
        const double px = open_column_px(view);
        if (view->screen.column_px != px) view->layout.stale = true;
        view->screen.column_px = px;
    }
    layout_build(view);
    apply_geometry(view);
    if (shows_selection && !view_selection_is_in_sight(view)) view_scroll_to_selection(view);
}

void view_set_theme(View *view, Theme theme)
{
    view->screen.theme = theme == THEME_LIGHT ? THEME_LIGHT : THEME_DARK;
    colour_mode_prepare(view);
    view->picture.is_stale = true;
}

void view_set_options(View *view, unsigned options)
{
    if ((options & VIEW_COLOUR_BY) > VIEW_BY_FILE) options &= ~(unsigned)VIEW_COLOUR_BY;
    if ((options & VIEW_UNIT) > VIEW_IN_NS) options &= ~(unsigned)VIEW_UNIT;
    if (view->screen.options == options) return;
    view->screen.options = options;
    view->layout.stale = true;
    layout_build(view);
    if (view_motion(view) == CAMERA_JUMPS) {
        camera_settle(&view->position.camera);
        view->position.scroll_px = view->position.target_px;
    }
    apply_geometry(view);
}

unsigned view_options(const View *view)
{
    return view->screen.options;
}

void view_set_flows(View *view, FlowMode flows)
{
    assert(flows < FLOW_MODES);
    view->screen.flow_mode = flows;
    view->picture.is_stale = true;
}

void view_toggle_column(View *view)
{
    const double chosen = view->screen.column_open_px;
    view_set_column(view, layout_column_is_open(view) ? 0 : open_column_px(view));
    view->screen.column_open_px = chosen;
}

void view_set_column(View *view, double px)
{
    double widest = floor(view->screen.width_px / 2);
    if (px < COLUMN_MIN_PX / 2.0)
        px = COLUMN_RAIL_PX;
    else if (px < COLUMN_MIN_PX)
        px = COLUMN_MIN_PX;
    if (px > COLUMN_MAX_PX) px = COLUMN_MAX_PX;
    if (px > widest) px = widest;
    if (px < COLUMN_RAIL_PX) px = COLUMN_RAIL_PX;
    if (px > COLUMN_RAIL_PX) view->screen.column_open_px = px;
    view->screen.column_px = px;
    view->layout.stale = true;
    layout_build(view);
    apply_geometry(view);
}

void view_forget_events(View *view, uint32_t trace)
{
    if (view->selection.has_slice && view->selection.slice.trace == trace) {
        view->selection.has_slice = false;
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_SELECT });
    }
    if (view->selection.instant.trace == trace) view->selection.has_instant = false;
    if (view->selection.focus.trace == trace) view->selection.has_focus = false;
    if (view->emphasis.labels[0].trace == trace || view->emphasis.labels[1].trace == trace)
        view->emphasis.has_labels = false;
    if (view->emphasis.pointed.trace == trace) view->emphasis.pointed.label = 0;
    if (view->emphasis.durations.trace == trace) view->emphasis.durations.is_set = false;
    view->input.hover = (Hover){ 0 };
    view->details.event.id = UINT64_MAX;
    jump_forget(&view->jumps);
    view->input.pointer.drag = DRAG_NONE;
}

void view_clear(View *view)
{
    view_clear_data(view);
    align_reset(view);
    notes_clear(view);
    row_states_clear(view);
    vec_clear(&view->order.moves);
    view->order.sort = SORT_DEFAULT;
    view->order.groups = GROUPS_PROCESS;
    view->position.is_set = view->position.follows = view->selection.has_slice = view->selection.has_instant =
        view->selection.has_focus = view->emphasis.has_labels = view->emphasis.has_found =
            view->emphasis.durations.is_set = false;
    view->input.hover = (Hover){ 0 };
    view->selection.area.is_set = false;
    vec_clear(&view->selection.area.tracks);
    vec_clear(&view->selection.kept.tracks);
    view->filter[0] = view->perspective[0] = 0;
    view->position.scroll_px = view->position.target_px = 0;
    view->position.waiting_px = -1;
    view->position.history = (History){ 0 };
    view->input.pointer.drag = DRAG_NONE;
    view->input.held = 0;
    jump_forget(&view->jumps);
    view->events.count = 0;
    view->position.camera.extent = 0;
    camera_go(&view->position.camera, camera_fit(&view->position.camera), CAMERA_JUMPS);
    view->layout.stale = true;
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
}

/* ---- time ---- */

static bool scroll_is_moving(const View *view)
{
    return view->position.scroll_px != view->position.target_px;
}

static void step_scroll(View *view, double dt_ms)
{
    if (!scroll_is_moving(view)) return;
    double left = view->position.target_px - view->position.scroll_px;
    int    steps = dt_ms > 250 ? 250 : (int)dt_ms;
    for (int i = 0; i < (steps < 1 ? 1 : steps); i++)
        left *= 0.975; /* 95 % in 120 ms */
    if (fabs(left) < 0.4 || view_motion(view) == CAMERA_JUMPS) left = 0;
    view->position.scroll_px = view->position.target_px - left;
    view->picture.is_stale = true;
    view_update_hover(view);
}

bool view_is_moving(const View *view)
{
    bool hovers = view->input.hover.has_slice || view->input.hover.has_counter || view->input.hover.has_flow;
    bool tooltip_soon = hovers && !view->input.hover.tooltip && view_interactive(view);
    return camera_is_moving(&view->position.camera) || scroll_is_moving(view) || tooltip_soon ||
           view->position.history.pending || (view->input.held & ~(unsigned)HELD_SPACE) != 0 ||
           view->selection.flashes || view->input.pointer.drag == DRAG_ROW || row_order_is_working(view);
}

static void step_tooltip(View *view)
{
    Hover *hover = &view->input.hover;
    if (!(hover->has_slice || hover->has_counter || hover->has_flow) || hover->tooltip ||
        view->now_ms - hover->since_ms < TOOLTIP_AFTER_MS)
        return;
    hover->tooltip = true;
    view->picture.is_stale = true;
    if (hover->has_counter) return;
    HoverDetails         *details = &view->details;
    const ViewRequestKind kind = hover->has_flow  ? VIEW_REQUEST_FLOW_DETAILS
                                 : hover->is_mark ? VIEW_REQUEST_INSTANT_DETAILS
                                                  : VIEW_REQUEST_DETAILS;
    if (details->kind == kind && details->trace == hover->trace &&
        view_same_event(&details->event, &hover->event))
        return;
    details->kind = kind;
    details->trace = hover->trace;
    details->event = hover->event;
    details->state = DATA_UNKNOWN;
    details->size = 0;
}

static void step_flash(View *view)
{
    if (!view->selection.flashes) return;
    view->selection.flashes = view->now_ms - view->selection.flash_ms < FLASH_MS;
    view->picture.is_stale = true;
}

/* Updates the mean time between frames of a moving camera; see view_motion. */
static void note_frame(View *view, double dt)
{
    static const double FRAMES = 8, MOST_MS = 200; /* a longer one is that of a hidden page */
    static const double FORGOTTEN_MS = 8000;
    if (view->position.was_moving)
        view->picture.frame_ms += ((dt < MOST_MS ? dt : MOST_MS) - view->picture.frame_ms) / FRAMES;
    else
        view->picture.frame_ms *= FORGOTTEN_MS / (FORGOTTEN_MS + dt);
    view->position.was_moving = camera_is_moving(&view->position.camera);
}

bool view_step(View *view, double now_ms)
{
    double dt = now_ms - view->now_ms;
    if (!(dt > 0)) dt = 0;
    view->now_ms = now_ms;
    step_held_keys(view, dt);
    if (camera_is_moving(&view->position.camera)) {
        bool glides = view->position.camera.glide_px_per_ms != 0;
        camera_step(&view->position.camera, dt);
        if (glides) live_look_away(view);
        view->picture.is_stale = true;
        view_update_hover(view);
    }
    note_frame(view, dt);
    step_scroll(view, dt);
    step_tooltip(view);
    step_flash(view);
    row_drag_step(view, dt);
    if (row_order_is_working(view)) {
        view->layout.stale = true;
        layout_build(view);
        view->picture.is_stale = true;
    }
    bool rests = !camera_is_moving(&view->position.camera) && !scroll_is_moving(view) &&
                 view->input.pointer.drag == DRAG_NONE;
    if (view->position.history.pending && rests && now_ms - view->position.history.rested_ms >= REST_MS)
        history_record(view);
    return view->picture.is_stale;
}

const DrawList *view_draw(View *view)
{
    layout_build(view);
    apply_geometry(view);
    runs_prepare(view);
    moments_prepare(view);
    tile_cache_begin_frame(view->tiles, view->now_ms);
    view_data_begin_frame(view);
    built_rows_begin_frame(&view->picture.built);
    view->picture.entries_drawn = 0;
    const Geometry *g = &view->screen.geometry;
    frame_begin(&view->picture.frame, g->width, g->height, colour_palette(view->screen.theme)->canvas);
    draw_grid(view, &view->picture.frame);
    draw_area_ground(view, &view->picture.frame);
    frame_hold_texts(&view->picture.frame);
    draw_rows(view, &view->picture.frame);
    draw_boundaries(view, &view->picture.frame);
    draw_area(view, &view->picture.frame);
    draw_kept_area(view, &view->picture.frame);
    draw_wide_instants(view, &view->picture.frame);
    draw_note_lines(view, &view->picture.frame);
    head_update(view); /* titles leave room for its buttons */
    draw_labels(view, &view->picture.frame);
    draw_flows(view, &view->picture.frame);
    frame_put_texts(&view->picture.frame); /* over the arrows */
    draw_flow_counts(view, &view->picture.frame);
    draw_row_drag(view, &view->picture.frame);
    draw_overlay(view, &view->picture.frame);
    draw_ruler(view, &view->picture.frame);
    draw_note_strip(view, &view->picture.frame);
    draw_minimap(view, &view->picture.frame);
    draw_tooltip(view, &view->picture.frame);
    view->picture.is_stale = false;
    view->picture.is_drawn = true;
    return frame_end(&view->picture.frame);
}

uint64_t view_entries_drawn(const View *view)
{
    return view->picture.entries_drawn;
}

/* ---- times as text ---- */

static_assert((int)VIEW_TIME_TEXT == (int)TIME_TEXT, "both are the room for time_format_exact");

uint64_t view_span(const View *view, uint32_t trace)
{
    return trace < view->trace_count ? view_trace(view, trace)->outline.span : 0;
}

ViewAxis view_axis(const View *view, uint32_t trace)
{
    if (trace >= view->trace_count) return VIEW_AXIS_TIME;
    const ClockKind kind = view_trace(view, trace)->outline.clock.kind;
    return kind == CLOCK_CALLS ? VIEW_AXIS_CALLS : kind == CLOCK_EVENTS ? VIEW_AXIS_EVENTS : VIEW_AXIS_TIME;
}

bool view_counts_calls(const View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (view_axis(view, t) == VIEW_AXIS_CALLS) return true;
    return false;
}

/* Returns the units of a trace's own clock, from its begin. */
static TimeUnits view_trace_units(const View *view, uint32_t trace)
{
    return time_units(&view_trace(view, trace)->outline.clock, &(AxisMap){ 0, 1, 1 }, view_unit(view));
}

static_assert((int)CLOCK_SPAN_TEXT == (int)TIME_TEXT, "both are the room for a length");

size_t view_span_text(const View *view, uint32_t trace, uint64_t ticks, SpanForm form, char out[TIME_TEXT])
{
    const TimeUnits units = view_trace_units(view, trace);
    if (units.written != TIME_IN_BEST)
        return form == SPAN_SHORT
                   ? time_format_length(&units, (double)ticks, out)
                   : time_format_exact_length(&units, time_units_from_axis(&units, ticks), out);
    Clock clock = view_trace(view, trace)->outline.clock;
    if (form == SPAN_SHORT) clock.shows_ns = false;
    return clock_format_span(&clock, ticks, out);
}

size_t view_time_text(const View *view, uint32_t trace, uint64_t ticks, char out[VIEW_TIME_TEXT])
{
    out[0] = 0;
    if (trace >= view->trace_count) return 0;
    TimeUnits units = view_trace_units(view, trace);
    return time_format_exact(&units, time_units_from_axis(&units, ticks), out);
}

size_t view_length_text(const View *view, uint32_t trace, uint64_t ticks, char out[VIEW_TIME_TEXT])
{
    out[0] = 0;
    if (trace >= view->trace_count) return 0;
    TimeUnits units = view_trace_units(view, trace);
    return time_format_exact_length(&units, time_units_from_axis(&units, ticks), out);
}

/* ---- range and scroll ---- */

static int64_t nearest_if_near(double ticks, double tolerance, double otherwise)
{
    double nearest = floor(ticks + 0.5);
    double chosen = fabs(ticks - nearest) <= tolerance ? nearest : otherwise;
    if (!(chosen < 0x1p62)) return INT64_MAX / 2;
    return (int64_t)chosen;
}

void view_get_range(const View *view, uint32_t trace, int64_t *begin, int64_t *end)
{
    *begin = *end = 0;
    if (trace >= view->trace_count) return;
    const AxisMap *map = &view_trace(view, trace)->map;
    CameraPos      pos = view->position.camera.target;
    double         span = view->position.camera.width_px / pos.px_per_tick;
    double         tolerance = 1e-6 + span * 1e-12;
    int64_t        first = i64_add_saturated(pos.tick, nearest_if_near(pos.frac, tolerance, 0));
    int64_t        length = nearest_if_near(pos.frac + span, tolerance, ceil(pos.frac + span));
    *begin = axis_to_offset(map, first);
    *end = axis_to_offset(map, i64_add_saturated(pos.tick, length));
}

DayFinding view_find_time_of_day(const View *view, uint32_t trace, const char *text, size_t size,
                                 int64_t *offset)
{
    TimeSpec spec;
    if (!time_spec_parse(text, size, &spec) || spec.kind != TIME_OF_DAY) return DAY_NO_TIME;
    if (trace >= view->trace_count) return DAY_UNKNOWN;
    const Outline *outline = &view_trace(view, trace)->outline;
    const TimeAxis axis = { &outline->clock, outline->begin_tick, outline->span };
    return time_spec_ticks(&spec, &axis, offset) ? DAY_FOUND : DAY_UNKNOWN;
}

void view_set_range(View *view, uint32_t trace, int64_t begin, int64_t end, double now_ms)
{
    view->now_ms = now_ms > view->now_ms ? now_ms : view->now_ms;
    if (trace >= view->trace_count || end <= begin) return;
    const AxisMap *map = &view_trace(view, trace)->map;
    int64_t        first = axis_from_signed(map, begin), last = axis_from_signed(map, end);
    if (first == INT64_MAX) first--; /* room for the next tick */
    if (last <= first) last = first + 1;
    double ticks = (double)((uint64_t)last - (uint64_t)first);
    camera_go(&view->position.camera, camera_range(&view->position.camera, first, 0, ticks),
              view_motion(view));
    view_camera_changed(view);
}

void view_camera_changed(View *view)
{
    view->position.is_set = true;
    view->position.history.pending = true;
    view->position.history.rested_ms = view->now_ms;
    view->picture.is_stale = true;
    live_look_away(view);
}

double view_scroll(const View *view)
{
    return view->position.target_px;
}

void view_scroll_to(View *view, double px)
{
    layout_build(view);
    double most = layout_scroll_max(view), before = view->position.target_px;
    if (!(px > 0)) px = 0;
    view->position.waiting_px = -1;
    view->position.target_px = px < most ? px : most;
    if (view->position.target_px != before) {
        view->position.history.pending = true;
        view->position.history.rested_ms = view->now_ms;
    }
    if (view_motion(view) == CAMERA_JUMPS) view->position.scroll_px = view->position.target_px;
    view->picture.is_stale = true;
}

void view_scroll_when_final(View *view, double px)
{
    view_set_scroll(view, px);
    view->position.waiting_px = px;
    layout_resume_scroll(view);
}

void view_set_scroll(View *view, double px)
{
    view_scroll_to(view, px);
    view->position.scroll_px = view->position.target_px;
}

double view_content_height(const View *view)
{
    return view->screen.geometry.pinned_y / view->screen.geometry.scale + view->layout.pinned_px +
           view->layout.scrolled_px;
}

void view_filter_tracks(View *view, const char *pattern)
{
    /* The letters of a pattern are one step of the history; its begin and its end are steps of their own. */
    const bool goes_on = pattern[0] != 0 && view->filter[0] != 0 && view->rows.typed != 0 &&
                         view->rows.typed == view->rows.current && !view->position.history.pending;
    if (!goes_on) row_change_begin(view);
    layout_set_filter(view, pattern);
    row_change_end(view, goes_on ? ROW_CHANGE_GOES_ON : ROW_CHANGE_IS_STEP);
    view->rows.typed = view->rows.current;
}

void view_highlight_name(View *view, uint32_t trace, uint32_t label)
{
    view->emphasis.has_labels = label != 0 && trace < view->trace_count;
    view->emphasis.labels[0] = view->emphasis.labels[1] = (NameLabel){ trace, label };
    view->emphasis.has_events = false;
    for (uint32_t t = 0; t < view->trace_count; t++)
        vec_clear(&view_trace(view, t)->moments[MOMENTS_NAMED].ticks);
    view->picture.is_stale = true;
}

void view_filter_durations(View *view, uint32_t trace, uint64_t least_ticks, uint64_t most_ticks)
{
    view->emphasis.durations = (Durations){ trace < view->trace_count, trace, least_ticks, most_ticks };
    view->picture.is_stale = true;
}

void view_filter_no_durations(View *view)
{
    view->emphasis.durations.is_set = false;
    view->picture.is_stale = true;
}

void view_highlight_also(View *view, uint32_t trace, uint32_t label)
{
    if (!view->emphasis.has_labels || label == 0 || trace >= view->trace_count) return;
    view->emphasis.labels[1] = (NameLabel){ trace, label };
    view->picture.is_stale = true;
}
