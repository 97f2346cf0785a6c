/* The results of a search and the slices of a frame: slices that are not dimmed, and lines under them. */
#include "view/found.h"

#include "base/compare.h"
#include "base/search.h"
#include "view/data.h"
#include "view/moments.h"
#include "view/scene.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double LINE_PX = 2, MARK_REACH_PX = 4;

/* -- data -- */

static int compare_events(const void *left, const void *right)
{
    const FoundEvent *a = left, *b = right;
    if (a->track != b->track) return a->track < b->track ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->is_instant != b->is_instant) return a->is_instant < b->is_instant ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Copies events and sorts them. False when out of memory. */
static bool set_events(FoundEvents *to, const FoundEvent *events, size_t count)
{
    vec_clear(to);
    vec_append(to, events, count);
    if (!to->bytes.failed && count > 0) qsort(to->items, count, sizeof *events, compare_events);
    return !to->bytes.failed;
}

bool view_set_found(View *view, uint32_t trace_index, const FoundEvent *events, size_t count,
                    const uint32_t *labels, size_t label_count)
{
    if (trace_index >= view->trace_count) return false;
    TraceView *trace = view_trace(view, trace_index);
    vec_clear(&trace->found_labels);
    vec_append(&trace->found_labels, labels, label_count);
    const bool done = set_events(&trace->found_events, events, count) && !trace->found_labels.bytes.failed;
    if (done && label_count > 0)
        qsort(trace->found_labels.items, label_count, sizeof *labels, compare_first_u32);
    const bool is_listed = moments_list(&trace->moments[MOMENTS_FOUND], &trace->found_events);
    view->emphasis.has_found = false;
    for (uint32_t t = 0; t < view->trace_count; t++)
        view->emphasis.has_found = view->emphasis.has_found ||
                                   vec_count(&view_trace(view, t)->found_events) > 0 ||
                                   vec_count(&view_trace(view, t)->found_labels) > 0;
    view->picture.is_stale = true;
    return done && is_listed;
}

/* Finds the events of a row and kind: [*first, *end). */
static const FoundEvent *events_of_row(const FoundEvents *from, const FoundEvent *key, size_t *first,
                                       size_t *end)
{
    const FoundEvent *events = from->items;
    FoundEvent        bound = *key;
    for (int side = 0; side < 2; side++) {
        size_t low = 0;
        bound.begin = side == 0 ? 0 : UINT64_MAX;
        LOWER_BOUND(size_t, low, vec_count(from), i, compare_events(&events[i], &bound) < 0);
        *(side == 0 ? first : end) = low;
    }
    return events;
}

static FoundRow row_of(const TraceView *trace, const FoundEvents *from, uint32_t track, uint32_t row)
{
    assert(track < trace->outline.track_count);
    FoundEvent key = { .track = trace->outline.tracks[track].id, .row = row };
    FoundRow   found = { .trace = trace };
    size_t     first, end;
    if (vec_count(from) == 0) return found;
    found.slices = events_of_row(from, &key, &first, &end) + first;
    assert(first <= end);
    found.slice_count = end - first;
    key.is_instant = 1;
    found.instants = events_of_row(from, &key, &first, &end) + first;
    found.instant_count = end - first;
    return found;
}

FoundRow found_row(View *view, uint32_t trace_index, uint32_t track, uint32_t row)
{
    const TraceView *trace = view_trace(view, trace_index);
    FoundRow         found = { .trace = trace };
    if (view->emphasis.has_found) found = row_of(trace, &trace->found_events, track, row);
    if (vec_count(&trace->found_labels) > 0) {
        found.labels = trace->found_labels.items;
        found.label_count = vec_count(&trace->found_labels);
    }
    return found;
}

FoundRow highlight_row(View *view, uint32_t trace_index, uint32_t track, uint32_t row)
{
    const TraceView *trace = view_trace(view, trace_index);
    return row_of(trace, &trace->highlight_events, track, row);
}

bool view_highlight_slices(View *view, uint32_t trace_index, uint32_t label, const FoundEvent *events,
                           size_t count)
{
    if (trace_index >= view->trace_count) return false;
    view_highlight_name(view, trace_index, label);
    view->emphasis.has_events = true;
    TraceView *trace = view_trace(view, trace_index);
    return set_events(&trace->highlight_events, events, count) &&
           moments_list(&trace->moments[MOMENTS_NAMED], &trace->highlight_events);
}

bool found_run(const FoundRow *row, const Run *run)
{
    size_t low = 0;
    if (row->labels != NULL &&
        bsearch(&run->label, row->labels, row->label_count, sizeof *row->labels, compare_first_u32) != NULL)
        return true;
    /* the first slice that does not begin before the run */
    LOWER_BOUND(size_t, low, row->slice_count, i, row->slices[i].begin < run->begin);
    if (low == row->slice_count) return false;
    assert(row->slices[low].begin >= run->begin);
    return row->slices[low].begin == run->begin || row->slices[low].begin - run->begin < run->extent;
}

/* -- drawing -- */

void draw_found_instants(View *view, Frame *frame, const FoundRow *found, double y, double height)
{
    const Geometry *g = &view->screen.geometry;
    double          reach = view_px(view, MARK_REACH_PX), line = view_px(view, LINE_PX), free_x = -reach;
    for (size_t i = 0; i < found->instant_count; i++) {
        double x = floor(tick_scale_x(&found->trace->scale, found->instants[i].begin));
        if (x > g->plot_w) break;
        if (x < free_x) continue; /* it has the line of the one before */
        frame_rect(frame, g->plot_x + x - reach, y + height - line, 2 * reach + 1, line,
                   colour_palette(view->screen.theme)->amber);
        free_x = x + reach;
    }
}
