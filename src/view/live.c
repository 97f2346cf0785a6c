/* Growing traces: replaces the outline by a later one, and keeps the latest time visible. */
#include "view/live.h"

#include "base/checked.h"
#include "base/search.h"
#include "view/align.h"
#include "view/charts.h"
#include "view/data.h"
#include "view/hidden.h"
#include "view/input.h"
#include "view/layout.h"
#include "view/moments.h"
#include "view/motion.h"
#include "view/notes.h"
#include "view/perspective.h"
#include "view/row_history.h"
#include "view/row_order.h"
#include "view/select.h"
#include "view/shown.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- matching of tracks and processes ---- */

typedef struct KeyPlace {
    uint64_t key;
    uint32_t index;
    bool     is_taken;
} KeyPlace;

static int compare_places(const void *a, const void *b)
{
    const KeyPlace *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Takes the first free item of a key. Items with the same key match by their order. */
static uint32_t take_place(KeyPlace *places, uint32_t count, uint64_t key)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, count, i, places[i].key < key);
    while (low < count && places[low].key == key && places[low].is_taken)
        low++;
    if (low == count || places[low].key != key) return UINT32_MAX;
    assert(places[low].key == key && !places[low].is_taken);
    places[low].is_taken = true;
    return places[low].index;
}

/* The later indices of the tracks and processes of an outline; UINT32_MAX = removed. */
typedef struct Moves {
    Arena            arena;
    const TraceView *before, *after;
    uint32_t        *tracks, *processes;
    bool             renumbers; /* tracks, their ids or rows have changed */
} Moves;

/* True if the earlier rows are the first ones of the later track. */
static bool keeps_rows(const Outline *before, const OutlineTrack *was, const Outline *after,
                       const OutlineTrack *is)
{
    if (is->row_count < was->row_count) return false;
    assert(was->first_row + was->row_count <= before->row_count &&
           is->first_row + is->row_count <= after->row_count);
    for (uint32_t i = 0; i < was->row_count; i++) {
        const OutlineRow *a = &before->rows[was->first_row + i], *b = &after->rows[is->first_row + i];
        if (a->lane != b->lane || a->depth != b->depth) return false;
    }
    return true;
}

static bool moves_tracks(Moves *moves)
{
    const Outline *before = &moves->before->outline, *after = &moves->after->outline;
    KeyPlace      *places = ARENA_ARRAY(&moves->arena, KeyPlace, after->track_count);
    moves->tracks = ARENA_ARRAY(&moves->arena, uint32_t, before->track_count);
    if (places == NULL || moves->tracks == NULL) return false;
    for (uint32_t i = 0; i < after->track_count; i++)
        places[i] = (KeyPlace){ .key = after->tracks[i].key, .index = i };
    qsort(places, after->track_count, sizeof *places, compare_places);
    moves->renumbers = before->track_count != after->track_count;
    for (uint32_t i = 0; i < before->track_count; i++) {
        uint32_t now = take_place(places, after->track_count, before->tracks[i].key);
        moves->tracks[i] = now;
        moves->renumbers |= now == UINT32_MAX || after->tracks[now].id != before->tracks[i].id ||
                            !keeps_rows(before, &before->tracks[i], after, &after->tracks[now]);
    }
    return true;
}

static bool moves_processes(Moves *moves)
{
    const Outline *before = &moves->before->outline, *after = &moves->after->outline;
    KeyPlace      *places = ARENA_ARRAY(&moves->arena, KeyPlace, after->process_count);
    moves->processes = ARENA_ARRAY(&moves->arena, uint32_t, before->process_count);
    if (places == NULL || moves->processes == NULL) return false;
    for (uint32_t i = 0; i < after->process_count; i++)
        places[i] = (KeyPlace){ .key = after->processes[i].key, .index = i };
    qsort(places, after->process_count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < before->process_count; i++)
        moves->processes[i] = take_place(places, after->process_count, before->processes[i].key);
    return true;
}

static TileTrack track_now(const void *context, uint32_t id)
{
    const Moves *moves = context;
    assert(moves->tracks != NULL);
    uint32_t index = view_track_index(moves->before, id);
    uint32_t now = index == UINT32_MAX ? UINT32_MAX : moves->tracks[index];
    if (now == UINT32_MAX) return (TileTrack){ .id = 0 };
    const OutlineTrack *was = &moves->before->outline.tracks[index], *is = &moves->after->outline.tracks[now];
    return (TileTrack){ .id = is->id, .is_same = was->version == is->version && is->version != 0 };
}

/* Returns the later id of a track; 0 = removed. */
static uint32_t moved_id(const Moves *moves, uint32_t id)
{
    return track_now(moves, id).id;
}

/* Returns the later index of a row, by lane and depth: rows may have been inserted. */
static uint32_t moved_row(const Moves *moves, uint32_t id, uint32_t row)
{
    const Outline *before = &moves->before->outline, *after = &moves->after->outline;
    uint32_t       index = view_track_index(moves->before, id);
    uint32_t       now = index == UINT32_MAX ? UINT32_MAX : moves->tracks[index];
    if (now == UINT32_MAX || row >= before->tracks[index].row_count) return row;
    const OutlineRow   *was = &before->rows[before->tracks[index].first_row + row];
    const OutlineTrack *track = &after->tracks[now];
    for (uint32_t i = 0; i < track->row_count; i++) {
        const OutlineRow *is = &after->rows[track->first_row + i];
        if (is->lane == was->lane && is->depth == was->depth) return i;
    }
    return row;
}

/* ---- data that the later trace keeps ---- */

static void carry_labels(TraceView *before, TraceView *after)
{
    for (uint32_t p = 0; p < before->page_count && p < after->page_count; p++) {
        LabelPage *page = &after->pages[p];
        *page = before->pages[p];
        before->pages[p] = (LabelPage){ .state = DATA_UNKNOWN };
        bool is_short = page->count < view_page_labels(after, p);
        if (is_short && page->state != DATA_UNDER_WAY) page->state = DATA_UNKNOWN;
    }
}

static void carry_overview(TraceView *before, TraceView *after)
{
    after->overview = before->overview;
    before->overview.buckets.bytes = (Bytes){ .data = NULL };
    after->overview.is_stale = true;
}

static void carry_flags(const TraceView *before, TraceView *after, const Moves *moves)
{
    const bool has_default = charts_are_default(before);
    for (uint32_t i = 0; i < before->outline.track_count; i++) {
        uint32_t now = moves->tracks[i];
        if (now == UINT32_MAX) continue;
        assert(now < after->outline.track_count);
        after->track_flags[now] = before->track_flags[i];
        after->long_ticks[now] = before->long_ticks[i];
        const uint32_t chart = moves->tracks[before->chart[i]];
        if (!has_default) after->chart[now] = chart == UINT32_MAX ? now : chart;
    }
    charts_link(after);
    for (uint32_t i = 0; i < before->outline.process_count; i++)
        if (moves->processes[i] != UINT32_MAX)
            after->process_flags[moves->processes[i]] = before->process_flags[i];
    after->closed = before->closed;
    after->grows = before->grows;
}

bool live_keep_rows(View *view, uint32_t trace, TraceView *after, Err *err)
{
    const TraceView *before = view_trace(view, trace);
    Moves            moves = { .arena = arena_create(0), .before = before, .after = after };
    const bool       done = moves_tracks(&moves) && moves_processes(&moves);
    if (done) {
        carry_flags(before, after, &moves);
        row_states_move(view, trace, moves.tracks, moves.processes);
        row_order_renumber(&view->order, trace, moves.tracks, moves.processes);
        row_states_join_equal(view);
        history_drop_equal(view);
    } else {
        (void)err_set(err, ERR_MEMORY, "no memory for %u tracks", after->outline.track_count);
    }
    arena_release(&moves.arena);
    return done;
}

/* ---- references of the view ---- */

static void move_place(SlicePlace *place, bool *is_set, const Moves *moves, uint64_t later)
{
    if (!*is_set) return;
    uint32_t id = moved_id(moves, place->track);
    place->row = moved_row(moves, place->track, place->row);
    place->track = id;
    place->begin = u64_add_saturated(place->begin, later);
    *is_set = id != 0;
}

static void move_area(View *view, uint32_t trace, const Moves *moves)
{
    AreaTrack *tracks = view->selection.area.tracks.items;
    size_t     count = vec_count(&view->selection.area.tracks), kept = 0;
    for (size_t i = 0; i < count; i++) {
        AreaTrack moved = tracks[i];
        if (moved.trace == trace) moved.track = moves->tracks[moved.track];
        if (moved.track != UINT32_MAX) tracks[kept++] = moved;
    }
    assert(kept <= count);
    vec_cut(&view->selection.area.tracks, kept);
}

/* Updates the view's references to a trace. `later`: ticks by which earlier offsets have grown, because the begin
 * moved. */
static void move_pointers(View *view, uint32_t trace, const Moves *moves, uint64_t later)
{
    bool had_selection = view->selection.has_slice;
    if (view->selection.slice.trace == trace)
        move_place(&view->selection.slice, &view->selection.has_slice, moves, later);
    if (view->selection.instant.trace == trace)
        move_place(&view->selection.instant, &view->selection.has_instant, moves, later);
    if (had_selection && !view->selection.has_slice)
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_SELECT, .exact = true });
    if (view->selection.has_focus && view->selection.focus.trace == trace &&
        view->selection.focus.kind != ITEM_TRACE) {
        view->selection.focus.index =
            (view->selection.focus.kind == ITEM_PROCESS ? moves->processes
                                                        : moves->tracks)[view->selection.focus.index];
        view->selection.has_focus = view->selection.focus.index != UINT32_MAX;
    }
    if (!moves->renumbers) return;
    jump_forget(&view->jumps);
    row_states_move(view, trace, moves->tracks, moves->processes);
    row_order_renumber(&view->order, trace, moves->tracks, moves->processes);
    if (view->selection.area.is_set) move_area(view, trace, moves);
    if (view->input.hover.trace == trace || view->input.hover.counter_trace == trace)
        view->input.hover = (Hover){ .trace = 0 };
    if (view->details.trace == trace) view->details.event.id = UINT64_MAX; /* ids of events change as well */
}

/* Notifies the page of renumbered items. */
static void push_moves(View *view, uint32_t trace, bool moved, bool was_all)
{
    const SlicePlace *place = view->selection.has_slice ? &view->selection.slice : &view->selection.instant;
    if (moved && (view->selection.has_slice || view->selection.has_instant) && place->trace == trace)
        view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_MOVED,
                                            .has_place = true,
                                            .place = *place,
                                            .trace = trace,
                                            .exact = true });
    if (was_all)
        view_area_of_all(view);
    else if (moved && view->selection.area.is_set)
        view_push_area(view);
}

/* ---- axis and camera ---- */

/* Adds, or returns `tick` on overflow. */
static int64_t shifted(int64_t tick, int64_t by)
{
    bool fits = by > 0 ? tick <= INT64_MAX - by : tick >= INT64_MIN - by;
    return fits ? tick + by : tick;
}

/* Shifts all axis ticks of the view when the axis gets another begin. */
static void shift_axis(View *view, int64_t by)
{
    view->position.camera.target.tick = shifted(view->position.camera.target.tick, by);
    view->selection.area.begin = shifted(view->selection.area.begin, by);
    view->selection.area.end = shifted(view->selection.area.end, by);
    for (int i = 0; i < view->position.history.count; i++)
        view->position.history.visits[i].pos.tick = shifted(view->position.history.visits[i].pos.tick, by);
    if (view->input.pointer.drag != DRAG_NONE)
        view->input.pointer.grab_tick = shifted(view->input.pointer.grab_tick, by);
}

/* The visible range in ticks of the first trace, to find it on another axis. */
typedef struct Gaze {
    AxisMap map; /* of the first trace */
    int64_t begin, end;
} Gaze;

static Gaze gaze_note(const View *view)
{
    Gaze gaze = { .map = view_trace(view, 0)->map };
    view_get_range(view, 0, &gaze.begin, &gaze.end);
    return gaze;
}

static void gaze_restore(View *view, const Gaze *gaze, uint64_t later)
{
    const AxisMap *map = &view_trace(view, 0)->map;
    view->position.camera.extent = view->extent;
    if (map->num == gaze->map.num && map->den == gaze->map.den) {
        shift_axis(view, axis_from_offset(map, later) - gaze->map.begin);
        return;
    }
    /* The axis has another unit, which is rare: reset the history and the area. */
    bool was_set = view->position.is_set;
    view->position.history = (History){ .count = 0 };
    view_clear_area(view);
    view_set_range(view, 0, shifted(gaze->begin, (int64_t)later), shifted(gaze->end, (int64_t)later),
                   view->now_ms);
    camera_settle(&view->position.camera);
    view->position.is_set = was_set;
}

/* ---- visible rows ---- */

static void top_restore(View *view, const TopItem *top, uint32_t trace, const Moves *moves)
{
    TopItem now = *top;
    if (!top->is_set || top->row.kind == ITEM_TRACE) return;
    if (top->row.trace == trace)
        now.row.index = (top->row.kind == ITEM_PROCESS ? moves->processes : moves->tracks)[top->row.index];
    if (now.row.index == UINT32_MAX) return;
    const double left = view->position.target_px - view->position.scroll_px, most = layout_scroll_max(view);
    double       px = shown_scroll_of(view, &now, view->position.scroll_px);
    if (px > most) px = most;
    if (px < 0) px = 0;
    view->position.scroll_px = px;
    view->position.target_px = px + left < 0 ? 0 : px + left < most ? px + left : most;
}

/* ---- the later outline ---- */

/* Returns the begin of the grid of tiles. */
static uint64_t grid_of(const Outline *outline)
{
    return (uint64_t)outline->begin_tick - outline->lead;
}

/* Marks tiles as stale. `from`: from the trace's begin. */
static void renew_tiles(View *view, uint32_t trace, const Moves *moves, uint64_t from)
{
    const Outline *before = &moves->before->outline, *after = &moves->after->outline;
    const uint64_t by = grid_of(before) - grid_of(after);
    if (by != 0 || before->begin_tick != after->begin_tick) tile_cache_move(view->tiles, trace, by);
    if (moves->renumbers)
        tile_cache_renumber(view->tiles, trace, track_now, moves);
    else
        tile_cache_expire(view->tiles, trace, u64_add_saturated(from, after->lead), track_now, moves);
}

/* IDS_CHANGE: the ids of slices change, also if the tracks and rows stay the same. */
typedef enum { IDS_STAY, IDS_CHANGE } IdChange;

static bool carry_over(View *view, TraceView *before, TraceView *after, IdChange ids, Moves *moves, Err *err)
{
    *moves = (Moves){ .arena = arena_create(0), .before = before, .after = after };
    if (!moves_tracks(moves) || !moves_processes(moves) || !hidden_carry(before, after, moves->tracks))
        return err_set(err, ERR_MEMORY, "no memory for %u tracks", after->outline.track_count);
    moves->renumbers |= ids == IDS_CHANGE;
    perspective_apply(view, after);
    carry_flags(before, after, moves);
    const bool has_same_rows = !moves->renumbers &&
                               before->outline.track_count == after->outline.track_count &&
                               before->outline.process_count == after->outline.process_count;
    if (has_same_rows) row_lists_carry(before, after);
    return true;
}

/* Replaces the trace by `after` and releases the old one. Cannot fail. */
static void replace_trace(View *view, uint32_t index, TraceView *after, const Moves *moves, uint64_t from)
{
    TraceView *trace = view_trace(view, index), before = *trace;
    uint64_t   later = before.outline.begin_tick > after->outline.begin_tick
                           ? (uint64_t)before.outline.begin_tick - (uint64_t)after->outline.begin_tick
                           : 0;
    layout_build(view);
    TopItem top = shown_top_item(view, view->position.scroll_px);
    bool    was_all = view_area_is_all(view);
    Gaze    gaze = gaze_note(view);
    Moves   all = *moves;
    all.before = &before;
    all.after = trace;
    after->numbering = before.numbering + (all.renumbers || later != 0);
    carry_labels(&before, after);
    carry_overview(&before, after);
    moments_carry(&before, after, later);
    *trace = *after;
    move_pointers(view, index, &all, later);
    renew_tiles(view, index, &all, from);
    align_shift(view, index, later);
    notes_shift(view, index, later);
    Err err;
    if (!view_build_axis(view, &err)) trace->map = before.map; /* out of memory: until the next outline */
    gaze_restore(view, &gaze, index == 0 ? later : 0);
    view->layout.stale = true;
    layout_build(view);
    top_restore(view, &top, index, &all);
    push_moves(view, index, all.renumbers || later != 0, was_all);
    view_trace_release(&before);
}

/* ---- following ---- */

bool live_any_grows(const View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (view_trace(view, t)->grows) return true;
    return false;
}

/* Returns the latest time of all growing traces, on the axis. */
static int64_t latest_tick(const View *view)
{
    int64_t latest = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        int64_t          end = axis_from_offset(&trace->map, trace->outline.span);
        if (trace->grows && end > latest) latest = end;
    }
    return latest;
}

double live_latest_x(const View *view, const CameraPos *pos)
{
    return camera_x(pos, latest_tick(view));
}

static void set_follows(View *view, bool follows)
{
    if (view->position.follows == follows) return;
    view->position.follows = follows;
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_FOLLOW });
}

uint32_t view_numbering(const View *view, uint32_t trace)
{
    return trace < view->trace_count ? view_trace(view, trace)->numbering : 0;
}

bool view_follows(const View *view)
{
    return view->position.follows;
}

void live_start_following(View *view)
{
    if (live_any_grows(view)) set_follows(view, true);
}

static const double MARGIN = 0.01; /* of the plot, after the latest time */

/* Returns the default span: all at first, later the last ten seconds. */
static double first_span(const View *view)
{
    enum { SECONDS = 10 };
    const TraceView *trace = view_trace(view, 0);
    double           all = (double)view->extent * (1 + 2 * MARGIN);
    if (!clock_has_time(&trace->outline.clock)) return all;
    uint64_t ticks = clock_span_from_ns(&trace->outline.clock, SECONDS * UINT64_C(1000000000));
    double   most = (double)(axis_from_offset(&trace->map, ticks) - trace->map.begin);
    return all < most ? all : most;
}

/* Keeps the latest time visible, if the view follows it. */
static void follow(View *view)
{
    bool is_busy = view->input.pointer.drag != DRAG_NONE && view->input.pointer.drag != DRAG_PENDING;
    if (!view->position.follows || is_busy || view->trace_count == 0) return;
    CameraPos pos = view->position.camera.target;
    double    span = view->position.camera.width_px / pos.px_per_tick;
    if (!view->position.is_set) {
        span = first_span(view);
        pos = camera_range(&view->position.camera, 0, 0, span < 10 ? 10 : span);
    } else if (live_latest_x(view, &pos) <= view->position.camera.width_px * (1 - MARGIN)) {
        return; /* there is room left */
    }
    pos.tick = latest_tick(view);
    pos.frac = 0;
    camera_advance(&pos, view->position.camera.width_px / pos.px_per_tick * (MARGIN - 1));
    camera_go(&view->position.camera, pos, view_motion(view));
    view->picture.is_stale = true;
}

void view_set_growing(View *view, uint32_t trace, ViewGrowth growth)
{
    if (trace >= view->trace_count) return;
    bool any_grew = live_any_grows(view);
    view_trace(view, trace)->grows = growth == VIEW_GROWS;
    bool any_grows = live_any_grows(view);
    if (any_grows && !any_grew && !view->position.is_set) set_follows(view, true);
    if (!any_grows) set_follows(view, false);
    follow(view);
}

void live_look_away(View *view)
{
    if (!view->position.follows) return;
    double x = live_latest_x(view, &view->position.camera.target);
    if (x < 0 || x > view->position.camera.width_px + 0.5) set_follows(view, false);
}

/* ---- a later outline ---- */

static bool update(View *view, uint32_t trace, StringView outline, uint64_t from, IdChange ids, Err *err)
{
    if (trace >= view->trace_count) return err_set(err, ERR_CORRUPT, "there is no trace %u", trace);
    TraceView after = { .arena = arena_create(0) };
    Moves     moves = { .tracks = NULL };
    bool      done = view_trace_open(&after, outline.bytes, outline.size, err) &&
                carry_over(view, view_trace(view, trace), &after, ids, &moves, err);
    if (done)
        replace_trace(view, trace, &after, &moves, from);
    else
        view_trace_release(&after);
    arena_release(&moves.arena);
    if (!done) return false;
    follow(view);
    view->picture.is_stale = true;
    view->picture.is_drawn = false;
    view_update_hover(view);
    return true;
}

bool view_update_outline(View *view, uint32_t trace, const void *outline, size_t size, uint64_t from,
                         Err *err)
{
    return update(view, trace, (StringView){ outline, size }, from, IDS_STAY, err);
}

bool view_complete_trace(View *view, uint32_t trace, const void *outline, size_t size, Err *err)
{
    const bool showed_all = camera_shows_all(&view->position.camera);
    if (!update(view, trace, (StringView){ outline, size }, 0, IDS_CHANGE, err)) return false;
    if (showed_all) camera_go(&view->position.camera, camera_fit(&view->position.camera), CAMERA_JUMPS);
    return true;
}

void view_reselect(View *view, const SlicePlace *place)
{
    if (!view->selection.has_slice || view->selection.slice.trace != place->trace) return;
    if (view->selection.slice.track != place->track || view->selection.slice.begin != place->begin) return;
    view->selection.slice = *place;
    view->picture.is_stale = true;
}
