#include "view/moments.h"

#include "base/compare.h"
#include "base/search.h"
#include "trace/wire/moments.h"
#include "view/data.h"
#include "view/scene.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The shortest time between two requests for a trace that grows. */
static const double RENEWED_MS = 2000;
static const double MARK_WIDE_PX = 2, FOUND_HIGH_PX = 6, NAMED_HIGH_PX = 5, MINIMAP_HIGH_PX = 3;

/* -- events -- */

/* Returns the label whose slices are marked in a trace; 0 = none: the pointed, the highlighted or the selected one. */
static uint32_t label_of(const View *view, uint32_t trace)
{
    NameLabel labels[2];
    if (view->emphasis.pointed.label != 0)
        return view->emphasis.pointed.trace == trace ? view->emphasis.pointed.label : 0;
    if (view_emphasis(view, labels)) {
        for (int i = 0; i < 2; i++)
            if (labels[i].trace == trace && !view->emphasis.has_events) return labels[i].label;
        return 0;
    }
    return view->selection.has_slice && view->selection.slice.trace == trace ? view->selection.slice.label
                                                                             : 0;
}

static void clear_maps(TraceMoments *moments)
{
    for (int i = 0; i < MOMENT_MAPS; i++) {
        bytes_release(&moments->maps[i].bits);
        moments->maps[i] = (MomentMap){ .state = DATA_UNKNOWN };
    }
}

/* Sets the number of the set of events; 0: none. */
static void set_version(TraceMoments *moments, uint32_t version)
{
    if (moments->version == version) return;
    clear_maps(moments);
    moments->version = version;
}

bool moments_list(TraceMoments *moments, const FoundEvents *events)
{
    const size_t count = vec_count(events);
    vec_clear(&moments->ticks);
    uint64_t *ticks = vec_reserve(&moments->ticks, count);
    if (ticks == NULL) return count == 0;
    for (size_t i = 0; i < count; i++)
        ticks[i] = events->items[i].begin;
    vec_grow(&moments->ticks, count);
    if (count > 0) qsort(ticks, count, sizeof *ticks, compare_first_u64);
    return true;
}

void view_mark_search(View *view, uint32_t trace, uint32_t search)
{
    if (trace >= view->trace_count) return;
    set_version(&view_trace(view, trace)->moments[MOMENTS_FOUND], search);
    view->picture.is_stale = true;
}

void view_point_name(View *view, uint32_t trace, uint32_t label)
{
    const NameLabel pointed = { trace, trace < view->trace_count ? label : 0 };
    view->picture.is_stale = true;
    view->emphasis.pointed = pointed;
}

void moments_forget(TraceView *trace)
{
    for (int kind = 0; kind < MOMENTS_KINDS; kind++) {
        TraceMoments *moments = &trace->moments[kind];
        clear_maps(moments);
        if (kind == MOMENTS_NAMED) moments->label = moments->version = 0;
    }
}

void moments_release(TraceView *trace)
{
    for (int kind = 0; kind < MOMENTS_KINDS; kind++) {
        clear_maps(&trace->moments[kind]);
        vec_release(&trace->moments[kind].ticks);
    }
}

void moments_carry(TraceView *before, TraceView *after, uint64_t later)
{
    for (int kind = 0; kind < MOMENTS_KINDS; kind++) {
        TraceMoments *moments = &after->moments[kind];
        *moments = before->moments[kind];
        before->moments[kind] = (TraceMoments){ .version = 0 };
        if (later != 0 || before->filter != after->filter) clear_maps(moments);
        for (int i = 0; i < MOMENT_MAPS; i++)
            moments->maps[i].is_stale = true;
    }
}

/* -- requests -- */

/* Sets the buckets of the range [begin, end) in ticks of the trace, of at least 1 << level ticks each. */
static void set_wanted(MomentMap *map, uint64_t begin, uint64_t end, uint32_t level)
{
    assert(begin <= end);
    while ((end - begin) >> level >= MOMENTS_BUCKETS_MAX - 1)
        level++;
    begin = begin >> level << level;
    map->wanted_begin = begin;
    map->wanted_level = level;
    map->wanted_buckets = (uint32_t)((end - begin) >> level) + 1;
}

static bool covers(const MomentMap *map, uint64_t begin, uint64_t end, uint32_t level)
{
    if (map->bits.size == 0 || map->level > level) return false;
    const uint64_t last = (end > map->begin ? end - map->begin : 0) >> map->level;
    return begin >= map->begin && last < map->buckets;
}

/* Finds the maps that the visible range needs. */
static void want(const View *view, const TraceView *trace, TraceMoments *moments)
{
    const double   plot_w = view->screen.geometry.plot_w;
    const uint64_t span = trace->outline.span;
    uint64_t   begin = tick_scale_offset(&trace->scale, 0), end = tick_scale_offset(&trace->scale, plot_w);
    MomentMap *whole = &moments->maps[MOMENTS_WHOLE], *near = &moments->maps[MOMENTS_NEAR];
    double     ticks_per_px = 1 / trace->scale.px_per_tick;
    uint32_t   level = ticks_per_px < 2 ? 0 : ticks_per_px < 0x1p62 ? (uint32_t)log2(ticks_per_px) : 62;
    whole->is_wanted = moments->version != 0;
    near->is_wanted = false;
    set_wanted(whole, 0, span, 0);
    if (end > span) end = span;
    if (!whole->is_wanted || begin >= end) return;
    const uint64_t length = end - begin, before = begin > length ? begin - length : 0;
    set_wanted(near, before, span - end > length ? end + length : span, level);
    near->is_wanted = whole->wanted_level > near->wanted_level + 1;
    if (near->is_wanted && covers(near, begin, end, near->wanted_level + 1) && !near->is_stale)
        near->is_wanted = false;
}

void moments_prepare(View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView     *trace = view_trace(view, t);
        TraceMoments  *named = &trace->moments[MOMENTS_NAMED];
        const uint32_t label = label_of(view, t);
        if (named->label != label) {
            set_version(named, label == 0 ? 0 : ++view->emphasis.versions);
            named->label = label;
        }
        for (int kind = 0; kind < MOMENTS_KINDS; kind++)
            want(view, trace, &trace->moments[kind]);
    }
}

static bool needs_request(const View *view, const MomentMap *map)
{
    if (!map->is_wanted || map->state == DATA_UNDER_WAY || map->state == DATA_FAILED) return false;
    if (map->state == DATA_UNKNOWN) return true;
    const bool has_wanted = map->begin == map->wanted_begin && map->level == map->wanted_level &&
                            map->buckets == map->wanted_buckets;
    if (has_wanted && !map->is_stale) return false;
    return !map->is_stale || view->now_ms - map->requested_ms >= RENEWED_MS;
}

bool moments_next_request(View *view, uint32_t trace_index, ViewRequest *request)
{
    TraceView *trace = view_trace(view, trace_index);
    for (uint32_t i = 0; i < (uint32_t)MOMENT_MAPS * (uint32_t)MOMENTS_KINDS; i++) {
        const uint32_t kind = i % MOMENTS_KINDS, which = i / MOMENTS_KINDS;
        TraceMoments  *moments = &trace->moments[kind];
        MomentMap     *map = &moments->maps[which];
        if (!needs_request(view, map)) continue;
        map->state = DATA_UNDER_WAY;
        map->is_stale = false;
        map->requested_ms = view->now_ms;
        *request =
            (ViewRequest){ .kind = VIEW_REQUEST_MOMENTS, .trace = trace_index, .filter = trace->filter };
        request->moments = (MomentsRequest){ .kind = kind,
                                             .map = which,
                                             .version = moments->version,
                                             .label = moments->label,
                                             .begin = map->wanted_begin,
                                             .level = map->wanted_level,
                                             .buckets = map->wanted_buckets };
        return true;
    }
    return false;
}

/* Returns the map of a request; NULL if its result is not of use any more. */
static MomentMap *map_of(View *view, const ViewRequest *request)
{
    const MomentsRequest *of = &request->moments;
    if (request->trace >= view->trace_count || of->kind >= MOMENTS_KINDS || of->map >= MOMENT_MAPS)
        return NULL;
    TraceView    *trace = view_trace(view, request->trace);
    TraceMoments *moments = &trace->moments[of->kind];
    MomentMap    *map = &moments->maps[of->map];
    if (moments->version != of->version || trace->filter != request->filter) return NULL;
    return map->state == DATA_UNDER_WAY ? map : NULL;
}

bool view_request_is_past(View *view, const ViewRequest *request)
{
    return request->kind == VIEW_REQUEST_MOMENTS && map_of(view, request) == NULL;
}

void moments_request_failed(View *view, const ViewRequest *request)
{
    MomentMap *map = map_of(view, request);
    if (map != NULL) map->state = DATA_FAILED;
}

bool view_put_moments(View *view, const ViewRequest *request, const void *bytes, size_t size)
{
    Moments    moments;
    MomentMap *map = map_of(view, request);
    if (!moments_open(bytes, size, &moments)) return false;
    if (map == NULL) return true; /* too late */
    bytes_clear(&map->bits);
    bytes_append(&map->bits, moments.bits, moments_bytes(moments.buckets));
    map->state = DATA_READY;
    map->begin = moments.begin;
    map->level = moments.level;
    map->buckets = moments.buckets;
    if (map->bits.failed) {
        bytes_release(&map->bits);
        map->state = DATA_FAILED;
    }
    view->picture.is_stale = true;
    return true;
}

bool moments_are_waiting(const TraceView *trace)
{
    for (int kind = 0; kind < MOMENTS_KINDS; kind++) {
        for (int i = 0; i < MOMENT_MAPS; i++) {
            const MomentMap *map = &trace->moments[kind].maps[i];
            if (map->is_wanted && (map->state == DATA_UNKNOWN || map->state == DATA_UNDER_WAY)) return true;
        }
    }
    return false;
}

/* -- columns -- */

/* A byte for each column of the plot. */
typedef struct Columns {
    uint8_t *is_marked;
    size_t   count;
} Columns;

/* Marks the column of a tick. Returns the first tick of the next column; UINT64_MAX = it is behind the last one. */
static uint64_t mark_column(const Columns *columns, const TickScale *scale, uint64_t tick)
{
    const double x = floor(tick_scale_x(scale, tick));
    if (x >= (double)columns->count) return UINT64_MAX;
    if (x >= 0) columns->is_marked[(size_t)x] = 1;
    return tick_scale_offset(scale, x < 0 ? 0 : x + 1);
}

/* Returns the first set bit from `at` on; `count` without one. */
static uint32_t next_bit(const uint8_t *bits, uint32_t at, uint32_t count)
{
    while (at < count) {
        if (at % 8 == 0 && bits[at / 8] == 0) {
            at += 8;
            continue;
        }
        if (bits[at / 8] >> at % 8 & 1) return at;
        at++;
    }
    return count;
}

static void mark_map(const Columns *columns, const TickScale *scale, const MomentMap *map)
{
    const uint64_t left = tick_scale_offset(scale, 0);
    uint64_t       first = left > map->begin ? (left - map->begin) >> map->level : 0;
    uint32_t       at = first < map->buckets ? (uint32_t)first : map->buckets;
    for (;;) {
        at = next_bit(map->bits.data, at, map->buckets);
        if (at == map->buckets) return;
        const uint64_t behind = mark_column(columns, scale, map->begin + ((uint64_t)at << map->level));
        if (behind == UINT64_MAX) return;
        const uint64_t next = behind > map->begin ? (behind - map->begin) >> map->level : 0;
        if (next >= map->buckets) return;
        at = next > at ? (uint32_t)next : at + 1;
    }
}

static void mark_ticks(const Columns *columns, const TickScale *scale, const TraceMoments *moments)
{
    const uint64_t *ticks = moments->ticks.items;
    const size_t    count = vec_count(&moments->ticks);
    uint64_t        from = tick_scale_offset(scale, 0);
    for (size_t at = 0; at < count;) {
        size_t low = at;
        LOWER_BOUND(size_t, low, count, i, ticks[i] < from);
        if (low == count) return;
        from = mark_column(columns, scale, ticks[low]);
        if (from == UINT64_MAX) return;
        at = low + 1;
    }
}

/* True if the map has the visible columns. */
static bool has_columns(const MomentMap *map, const TickScale *scale, size_t columns, uint64_t span)
{
    uint64_t end = tick_scale_offset(scale, (double)columns);
    if (end > span) end = span;
    return covers(map, tick_scale_offset(scale, 0), end, MOMENTS_LEVEL_MAX);
}

static void mark_moments(const Columns *columns, const TickScale *scale, const TraceView *trace,
                         const TraceMoments *moments)
{
    const MomentMap *whole = &moments->maps[MOMENTS_WHOLE], *near = &moments->maps[MOMENTS_NEAR];
    const bool       is_near = has_columns(near, scale, columns->count, trace->outline.span) &&
                         (whole->bits.size == 0 || near->level < whole->level);
    if (is_near)
        mark_map(columns, scale, near);
    else if (whole->bits.size > 0)
        mark_map(columns, scale, whole);
    mark_ticks(columns, scale, moments);
}

/* Draws the marked columns over [y, y + h), near ones as one rectangle. */
static void draw_columns(View *view, Frame *frame, const Columns *columns, double y, double h, uint32_t fill)
{
    const size_t wide = (size_t)view_px(view, MARK_WIDE_PX);
    const double left = view->screen.geometry.plot_x;
    size_t       begin = 0, end = 0;
    for (size_t x = 0; x < columns->count; x++) {
        if (!columns->is_marked[x]) continue;
        if (x > end) {
            frame_rect(frame, left + (double)begin, y, (double)(end - begin), h, fill);
            begin = x;
        }
        end = x + wide;
    }
    frame_rect(frame, left + (double)begin, y, (double)(end - begin), h, fill);
}

typedef enum { MOMENTS_IN_RULER, MOMENTS_IN_MINIMAP } MomentsPlace;

/* Marks the columns of a set in all traces. False without events. */
static bool find_columns(View *view, MomentsKind kind, MomentsPlace place, Columns *columns)
{
    const Geometry *g = &view->screen.geometry;
    const CameraPos all = { .px_per_tick =
                                g->plot_w / g->scale / (view->extent == 0 ? 1 : (double)view->extent) };
    Bytes          *seen = &view->picture.scratch.columns;
    bool            any = false;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceMoments *moments = &view_trace(view, t)->moments[kind];
        any |= moments->version != 0 || vec_count(&moments->ticks) > 0;
    }
    if (!any) return false;
    bytes_clear(seen);
    *columns = (Columns){ bytes_reserve(seen, (size_t)g->plot_w), (size_t)g->plot_w };
    if (columns->is_marked == NULL) return false;
    memset(columns->is_marked, 0, columns->count);
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        const TickScale  scale =
            place == MOMENTS_IN_RULER ? trace->scale : tick_scale(&trace->map, &all, g->scale);
        mark_moments(columns, &scale, trace, &trace->moments[kind]);
    }
    return true;
}

static uint32_t mark_colour(const View *view, MomentsKind kind)
{
    const Palette *palette = colour_palette(view->screen.theme);
    return kind == MOMENTS_FOUND ? palette->amber : palette->accent;
}

void draw_moments_in_ruler(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    const double    found_h = view_px(view, FOUND_HIGH_PX), named_h = view_px(view, NAMED_HIGH_PX);
    double          bottom = g->ruler_y + g->ruler_h;
    Columns         columns;
    if (find_columns(view, MOMENTS_FOUND, MOMENTS_IN_RULER, &columns))
        draw_columns(view, frame, &columns, bottom - found_h, found_h, mark_colour(view, MOMENTS_FOUND));
    if (find_columns(view, MOMENTS_NAMED, MOMENTS_IN_RULER, &columns))
        draw_columns(view, frame, &columns, bottom - found_h - named_h, named_h - view_px(view, 1),
                     mark_colour(view, MOMENTS_NAMED));
}

void draw_moments_in_minimap(View *view, Frame *frame)
{
    const Geometry *g = &view->screen.geometry;
    const double    high = view_px(view, MINIMAP_HIGH_PX);
    Columns         columns;
    if (find_columns(view, MOMENTS_NAMED, MOMENTS_IN_MINIMAP, &columns))
        draw_columns(view, frame, &columns, 0, high, mark_colour(view, MOMENTS_NAMED));
    if (find_columns(view, MOMENTS_FOUND, MOMENTS_IN_MINIMAP, &columns))
        draw_columns(view, frame, &columns, g->minimap_h - 1 - high, high, mark_colour(view, MOMENTS_FOUND));
}
