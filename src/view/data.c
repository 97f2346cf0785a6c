#include "view/data.h"

#include "base/search.h"
#include "base/utf8.h"
#include "view/align.h"
#include "view/charts.h"
#include "view/colour_mode.h"
#include "view/hidden.h"
#include "view/hit.h"
#include "view/moments.h"
#include "view/row_order.h"
#include "view/runs.h"
#include "view/wide_tracks.h"

#include <assert.h>
#include <stdlib.h>

TraceView *view_trace(const View *view, uint32_t trace)
{
    assert(trace < view->trace_count && trace < vec_count(&view->traces));
    return &view->traces.items[trace];
}

static int compare_order(const void *a, const void *b)
{
    const TrackOrder *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

uint32_t view_track_index(const TraceView *trace, uint32_t id)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, trace->outline.track_count, i, trace->by_id[i].id < id);
    return low < trace->outline.track_count && trace->by_id[low].id == id ? trace->by_id[low].index
                                                                          : UINT32_MAX;
}

/* True if all references in an outline are valid. It may be from a network. */
static bool outline_is_sound(const Outline *outline)
{
    uint64_t in_processes = 0; /* the tracks of a process are in succession */
    for (uint32_t i = 0; i < outline->process_count; i++) {
        const OutlineProcess *process = &outline->processes[i];
        if (process->first_track > outline->track_count) return false;
        if (process->track_count > outline->track_count - process->first_track) return false;
        for (uint32_t k = 0; k < process->track_count; k++)
            if (outline->tracks[process->first_track + k].process != i) return false;
        in_processes += process->track_count;
    }
    for (uint32_t i = 0; i < outline->track_count; i++) {
        const OutlineTrack *track = &outline->tracks[i];
        if (track->process != UINT32_MAX && in_processes-- == 0) return false;
        if (track->first_row > outline->row_count) return false;
        if (track->row_count > outline->row_count - track->first_row) return false;
        if (track->process >= outline->process_count && track->process != UINT32_MAX) return false;
    }
    return in_processes == 0 && outline->clock.ns_num > 0 && outline->clock.ns_den > 0;
}

/* Counts the rows with a strip: rows with slices and instants. False when out of memory. */
static bool find_strips(TraceView *trace)
{
    const Outline *outline = &trace->outline;
    trace->strips = ARENA_ARRAY(&trace->arena, uint32_t, (size_t)outline->row_count + 1);
    if (trace->strips == NULL) return false;
    trace->strips[0] = 0;
    for (uint32_t r = 0; r < outline->row_count; r++)
        trace->strips[r + 1] =
            trace->strips[r] + (outline->rows[r].slice_count > 0 && outline->rows[r].instant_count > 0);
    return true;
}

bool view_trace_open(TraceView *trace, const void *bytes, size_t size, Err *err)
{
    Outline *outline = &trace->outline;
    if (!outline_open(bytes, size, &trace->arena, outline, err)) return false;
    if (!outline_is_sound(outline)) return err_set(err, ERR_CORRUPT, "not a trace's outline");
    trace->page_count = outline->label_count / OUTLINE_LABEL_PAGE + 1;
    trace->pages = ARENA_ARRAY(&trace->arena, LabelPage, trace->page_count);
    trace->track_flags = ARENA_ARRAY(&trace->arena, RowFlags, outline->track_count);
    trace->process_flags = ARENA_ARRAY(&trace->arena, RowFlags, outline->process_count);
    trace->process_counts = ARENA_ARRAY(&trace->arena, HeadCounts, outline->process_count);
    trace->long_ticks = ARENA_ARRAY(&trace->arena, uint64_t, outline->track_count);
    trace->track_items = ARENA_ARRAY(&trace->arena, uint32_t, outline->track_count);
    trace->process_items = ARENA_ARRAY(&trace->arena, uint32_t, outline->process_count);
    trace->by_id = ARENA_ARRAY(&trace->arena, TrackOrder, outline->track_count);
    if (trace->pages == NULL || trace->track_flags == NULL || trace->process_flags == NULL ||
        trace->process_counts == NULL || trace->by_id == NULL || trace->long_ticks == NULL ||
        trace->track_items == NULL || trace->process_items == NULL || !wide_tracks_init(trace))
        return err_set(err, ERR_MEMORY, "no memory for %u tracks", outline->track_count);
    if (!charts_init(trace) || !row_lists_init(trace) || !find_strips(trace))
        return err_set(err, ERR_MEMORY, "no memory for %u tracks", outline->track_count);
    if (!hidden_init(trace)) return err_set(err, ERR_MEMORY, "no memory for %u tracks", outline->track_count);
    for (uint32_t i = 0; i < outline->track_count; i++)
        trace->by_id[i] = (TrackOrder){ .id = outline->tracks[i].id, .index = i };
    trace->item = UINT32_MAX;
    memset(trace->track_items, 0xFF, outline->track_count * sizeof *trace->track_items);
    memset(trace->process_items, 0xFF, outline->process_count * sizeof *trace->process_items);
    qsort(trace->by_id, outline->track_count, sizeof *trace->by_id, compare_order);
    return true;
}

bool view_find_axis(const View *view, uint32_t alignment, AxisMap *maps, uint64_t *extent)
{
    Arena      scratch = arena_create(0);
    AxisInput *inputs = ARENA_ARRAY(&scratch, AxisInput, view->trace_count);
    if (inputs != NULL) {
        for (uint32_t t = 0; t < view->trace_count; t++) {
            const Outline *outline = &view_trace(view, t)->outline;
            inputs[t] = (AxisInput){ .clock = &outline->clock,
                                     .begin_tick = outline->begin_tick,
                                     .span = outline->span,
                                     .begin_unix_ns = outline->begin_unix_ns };
        }
        const uint64_t *anchors = align_anchors(view, alignment);
        *extent = anchors == NULL ? axis_build(inputs, view->trace_count, maps)
                                  : axis_build_by_anchors(inputs, view->trace_count, anchors, maps);
    }
    arena_release(&scratch);
    return inputs != NULL;
}

bool view_build_axis(View *view, Err *err)
{
    Arena      scratch = arena_create(0);
    AxisMap   *maps = ARENA_ARRAY(&scratch, AxisMap, view->trace_count);
    const bool done = maps != NULL && view_find_axis(view, view->position.alignment, maps, &view->extent);
    if (done) {
        for (uint32_t t = 0; t < view->trace_count; t++)
            view_trace(view, t)->map = maps[t];
    } else {
        (void)err_set(err, ERR_MEMORY, "no memory for another trace");
    }
    arena_release(&scratch);
    return done;
}

void view_trace_release(TraceView *trace)
{
    for (uint32_t p = 0; trace->pages != NULL && p < trace->page_count; p++)
        arena_release(&trace->pages[p].arena);
    vec_release(&trace->overview.buckets);
    vec_release(&trace->hidden_sets);
    vec_release(&trace->found_events);
    vec_release(&trace->found_labels);
    vec_release(&trace->highlight_events);
    moments_release(trace);
    arena_release(&trace->lists.work);
    arena_release(&trace->arena);
}

void view_clear_flags(TraceView *trace)
{
    const size_t processes = trace->outline.process_count, tracks = trace->outline.track_count;
    if (processes > 0) memset(trace->process_flags, 0, processes * sizeof *trace->process_flags);
    if (tracks > 0) memset(trace->track_flags, 0, tracks * sizeof *trace->track_flags);
}

void view_clear_data(View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        view_trace_release(view_trace(view, t));
    }
    vec_clear(&view->traces);
    view->trace_count = 0;
    view->extent = 0;
    tile_cache_clear(view->tiles);
}

static LabelPage *page_of(const View *view, uint32_t trace, uint32_t label)
{
    TraceView *t = view_trace(view, trace);
    uint32_t   page = label / OUTLINE_LABEL_PAGE;
    return page < t->page_count ? &t->pages[page] : NULL;
}

uint32_t view_page_labels(const TraceView *trace, uint32_t page)
{
    uint64_t first = (uint64_t)page * OUTLINE_LABEL_PAGE, end = (uint64_t)trace->outline.label_count + 1;
    uint64_t count = end > first ? end - first : 0;
    assert(page < trace->page_count);
    return count < OUTLINE_LABEL_PAGE ? (uint32_t)count : OUTLINE_LABEL_PAGE;
}

/* Returns the page if it has the label; else requests it. */
static const LabelPage *ready_page(View *view, uint32_t trace, uint32_t label)
{
    LabelPage *page = page_of(view, trace, label);
    if (page == NULL) return NULL;
    if (label % OUTLINE_LABEL_PAGE < page->count) return page;
    if (page->state < DATA_READY) {
        if (!page->wanted) view->picture.missing_pages++;
        page->wanted = true;
    }
    return NULL;
}

StringView view_label_name(View *view, uint32_t trace, uint32_t label)
{
    const LabelPage *page = ready_page(view, trace, label);
    return page == NULL ? (StringView){ "", 0 } : page->labels[label % OUTLINE_LABEL_PAGE].name;
}

NameColour view_label_look(View *view, uint32_t trace, uint32_t label)
{
    const LabelPage *page = ready_page(view, trace, label);
    uint32_t         at = label % OUTLINE_LABEL_PAGE;
    if (colour_mode_of(view) == VIEW_BY_FILE) return colour_mode_file(view, trace);
    if (page == NULL) return colour_look(view->screen.theme, COLOUR_UNKNOWN);
    if (colour_mode_of(view) == VIEW_BY_CATEGORY) return colour_mode_look(view, page->categories[at]);
    assert(at < page->count && (page->colours[at] != COLOUR_CUSTOM || page->custom != NULL));
    if (page->colours[at] == COLOUR_CUSTOM) return page->custom[at][view->screen.theme];
    return colour_mode_look(view, page->colours[at]);
}

ThreadState view_label_state(View *view, uint32_t trace, uint32_t label)
{
    const LabelPage *page = ready_page(view, trace, label);
    uint32_t         at = label % OUTLINE_LABEL_PAGE;
    if (page == NULL || page->colours[at] == COLOUR_CUSTOM) return STATE_COUNT;
    return colour_state_of(page->labels[at].name.bytes, page->labels[at].name.size);
}

void view_data_begin_frame(View *view)
{
    view->picture.missing_pages = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        for (uint32_t p = 0; p < trace->page_count; p++)
            trace->pages[p].wanted = false;
        /* The names that come first in the trace: almost every first picture needs them for its colours. */
        trace->pages[0].wanted = trace->pages[0].count == 0;
    }
}

/* Sets the colours of a page with texts. */
static bool colour_page(LabelPage *page)
{
    for (uint32_t i = 0; i < page->count; i++) {
        const LabelText *label = &page->labels[i];
        page->colours[i] = (uint8_t)colour_of_name(label->name.bytes, label->name.size);
        page->categories[i] = (uint8_t)colour_of_name(label->category.bytes, label->category.size);
        if (label->colour == 0) continue;
        if (page->custom == NULL) page->custom = arena_push(&page->arena, page->count, sizeof *page->custom);
        if (page->custom == NULL) return false;
        for (int theme = 0; theme < COLOUR_THEMES; theme++)
            page->custom[i][theme] = colour_label((Theme)theme, label->colour);
        page->colours[i] = COLOUR_CUSTOM;
    }
    return true;
}

static bool page_open(LabelPage *page, const void *bytes, size_t size)
{
    Arena      scratch = arena_create(0);
    LabelText *all = ARENA_ARRAY(&scratch, LabelText, OUTLINE_LABEL_PAGE);
    char      *copy = arena_push_copy(&page->arena, bytes, size);
    page->count = all != NULL && copy != NULL ? label_page_open(copy, size, all) : 0;
    if (page->count > 0) {
        page->labels = ARENA_ARRAY(&page->arena, LabelText, page->count);
        page->colours = ARENA_ARRAY(&page->arena, uint8_t, page->count);
        page->categories = ARENA_ARRAY(&page->arena, uint8_t, page->count);
    }
    bool done = page->count > 0 && page->labels != NULL && page->colours != NULL && page->categories != NULL;
    if (done) {
        memcpy(page->labels, all, page->count * sizeof *all);
        done = colour_page(page);
    }
    arena_release(&scratch);
    return done;
}

bool view_put_labels(View *view, uint32_t trace_index, uint32_t page_index, const void *bytes, size_t size)
{
    if (trace_index >= view->trace_count) return false;
    TraceView *trace = view_trace(view, trace_index);
    if (page_index >= trace->page_count) return false;
    LabelPage *page = &trace->pages[page_index];
    if (page->state == DATA_READY) return true;
    LabelPage next = { .arena = arena_create(0), .wanted = page->wanted };
    if (!page_open(&next, bytes, size) || next.count < page->count) {
        arena_release(&next.arena);
        return false;
    }
    /* Labels may have been added since the request. An unchanged page means that there are no more labels, regardless
     * of the outline. */
    bool is_all = next.count >= view_page_labels(trace, page_index) || next.count == page->count;
    next.state = is_all ? DATA_READY : DATA_UNKNOWN;
    assert(next.labels != NULL && next.count <= OUTLINE_LABEL_PAGE);
    arena_release(&page->arena);
    *page = next;
    view->picture.is_stale = true;
    return true;
}

bool view_put_overview(View *view, uint32_t trace_index, const void *bytes, size_t size)
{
    enum { CAPACITY = 4096 };
    if (trace_index >= view->trace_count) return false;
    TraceView      *trace = view_trace(view, trace_index);
    Arena           scratch = arena_create(0);
    uint32_t        filter;
    OverviewBucket *buckets = ARENA_ARRAY(&scratch, OverviewBucket, CAPACITY);
    uint32_t        count = buckets == NULL ? 0 : overview_open(bytes, size, buckets, CAPACITY, &filter);
    bool            done = count > 0 && vec_reserve(&trace->overview.buckets, CAPACITY) != NULL;
    if (done && filter == trace->filter) { /* otherwise too late */
        vec_clear(&trace->overview.buckets);
        vec_append(&trace->overview.buckets, buckets, count);
        trace->overview.span = trace->overview.requested_span;
        trace->overview.state = DATA_READY;
        view->picture.is_stale = true;
    }
    arena_release(&scratch);
    return done;
}

bool view_take_tile(View *view, uint32_t trace, Bytes *bytes)
{
    Tile tile;
    if (trace >= view->trace_count || !tile_cache_take(view->tiles, trace, bytes, &tile)) return false;
    runs_learn_lengths(view_trace(view, trace), &tile);
    view->picture.is_stale = true;
    return true;
}

bool view_put_tile(View *view, uint32_t trace, const void *bytes, size_t size)
{
    Bytes copy = { 0 };
    bytes_append(&copy, bytes, size);
    const bool done = view_take_tile(view, trace, &copy);
    bytes_release(&copy);
    return done;
}

/* True if the request is the one for the details of the view. */
static bool wants_details(const View *view, const ViewRequest *request)
{
    const HoverDetails *details = &view->details;
    return request->kind == details->kind && request->trace == details->trace &&
           view_same_event(&request->event, &details->event);
}

void view_put_details(View *view, const ViewRequest *request, const char *lines, size_t size)
{
    HoverDetails *details = &view->details;
    if (!wants_details(view, request)) return;
    details->size = utf8_cut(lines, size, DETAILS_MAX);
    memcpy(details->text, lines, details->size);
    details->state = DATA_READY;
    view->picture.is_stale = true;
}

/* True if the overview is needed. That of a growing trace is renewed regularly. */
static bool wants_overview(const View *view, const TraceView *trace)
{
    static const double RENEWED_MS = 500;
    if (trace->overview.state == DATA_UNKNOWN) return true;
    return trace->overview.is_stale && trace->overview.state != DATA_UNDER_WAY &&
           (!trace->grows || view->now_ms - trace->overview.requested_ms >= RENEWED_MS);
}

static bool next_data_request(View *view, ViewRequest *request)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        for (uint32_t p = 0; p < trace->page_count; p++) {
            if (!trace->pages[p].wanted || trace->pages[p].state != DATA_UNKNOWN) continue;
            trace->pages[p].state = DATA_UNDER_WAY;
            *request = (ViewRequest){ .kind = VIEW_REQUEST_LABELS, .trace = t, .page = p };
            return true;
        }
        if (wants_overview(view, trace)) {
            trace->overview.state = DATA_UNDER_WAY;
            trace->overview.is_stale = false;
            trace->overview.requested_ms = view->now_ms;
            trace->overview.requested_span = trace->outline.span;
            *request = (ViewRequest){
                .kind = VIEW_REQUEST_OVERVIEW, .trace = t, .page = 1024, .filter = trace->filter
            };
            return true;
        }
        if (hidden_next_request(trace, t, request)) return true;
        if (moments_next_request(view, t, request)) return true;
    }
    return false;
}

bool view_next_request(View *view, ViewRequest *request)
{
    *request = (ViewRequest){ 0 };
    if (next_data_request(view, request)) return true;
    if (tile_cache_next_request(view->tiles, &request->trace, &request->tile)) {
        request->kind = VIEW_REQUEST_TILE;
        request->filter = request->tile.filter;
        return true;
    }
    const Hover  *hover = &view->input.hover;
    HoverDetails *details = &view->details;
    if (hover->tooltip && (hover->has_slice || hover->has_flow) && details->state == DATA_UNKNOWN) {
        details->state = DATA_UNDER_WAY;
        *request = (ViewRequest){ .kind = details->kind, .trace = details->trace, .event = details->event };
        return true;
    }
    return false;
}

void view_request_failed(View *view, const ViewRequest *request)
{
    if (request->trace >= view->trace_count) return;
    TraceView *trace = view_trace(view, request->trace);
    switch (request->kind) {
    case VIEW_REQUEST_OVERVIEW:
        if (trace->overview.state == DATA_UNDER_WAY && request->filter == trace->filter)
            trace->overview.state = DATA_FAILED;
        break;
    case VIEW_REQUEST_VISIBLE:
        if (trace->visible_state == DATA_UNDER_WAY && request->filter == trace->filter)
            trace->visible_state = DATA_FAILED;
        break;
    case VIEW_REQUEST_LABELS:
        if (request->page < trace->page_count && trace->pages[request->page].state == DATA_UNDER_WAY)
            trace->pages[request->page].state = DATA_FAILED;
        break;
    case VIEW_REQUEST_TILE:
        tile_cache_fail(view->tiles, request->trace, request->tile, view->now_ms);
        break;
    case VIEW_REQUEST_MOMENTS:
        moments_request_failed(view, request);
        break;
    case VIEW_REQUEST_DETAILS:
    case VIEW_REQUEST_FLOW_DETAILS:
    case VIEW_REQUEST_INSTANT_DETAILS:
        if (wants_details(view, request) && view->details.state == DATA_UNDER_WAY)
            view->details.state = DATA_FAILED;
        break;
    }
}

bool view_is_waiting(const View *view)
{
    if (view->trace_count == 0) return false;
    if (!view->picture.is_drawn || view->picture.missing_pages > 0 || tile_cache_missing(view->tiles) > 0)
        return true;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        if (trace->overview.state < DATA_READY || trace->overview.is_stale ||
            trace->visible_state < DATA_READY || moments_are_waiting(trace))
            return true;
    }
    return false;
}
