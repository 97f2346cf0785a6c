#include "view/layout.h"

#include "base/ascii.h"
#include "base/search.h"
#include "base/utf8.h"
#include "view/charts.h"
#include "view/counter.h"
#include "view/data.h"
#include "view/name_groups.h"
#include "view/note_flags.h"
#include "view/perspective.h"
#include "view/row_heights.h"
#include "view/row_order.h"
#include "view/scene.h"
#include "view/select.h"
#include "view/wide_tracks.h"

#include <assert.h>
#include <math.h>

/* True if the track has visible rows. The events of a thread may all be drawn elsewhere, for example in counters. */
static bool has_something(const OutlineTrack *track)
{
    return track->has_events && track->row_count > 0;
}

LayoutEmptyTracks layout_empty_tracks(const TraceView *trace)
{
    for (uint32_t i = 0; i < trace->outline.track_count; i++)
        if (has_something(&trace->outline.tracks[i])) return EMPTY_TRACKS_HIDDEN;
    return EMPTY_TRACKS_SHOWN;
}

bool layout_track_has_rows(const OutlineTrack *track, LayoutEmptyTracks empty)
{
    /* Instants of processes and global instants are flags elsewhere. */
    if (track->kind == TRACK_KIND_PROCESS_INSTANTS || track->kind == TRACK_KIND_GLOBAL_INSTANTS) return false;
    return has_something(track) || empty == EMPTY_TRACKS_SHOWN;
}

/* True if the track or its process is isolated. */
static bool is_isolated(const TraceView *trace, uint32_t track)
{
    assert(track < trace->outline.track_count);
    uint32_t process = trace->outline.tracks[track].process;
    RowFlags flags = trace->track_flags[track];
    if (process < trace->outline.process_count) flags |= trace->process_flags[process];
    return (flags & TRACK_ISOLATED) != 0;
}

static bool any_isolated(const View *view)
{
    RowFlags all = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            all |= trace->track_flags[i];
        for (uint32_t i = 0; i < trace->outline.process_count; i++)
            all |= trace->process_flags[i];
    }
    return (all & TRACK_ISOLATED) != 0;
}

/* True for a pinned track, which is shown regardless of filter and isolation. */
static bool is_pinned(const TraceView *trace, uint32_t track)
{
    uint32_t process = trace->outline.tracks[track].process;
    RowFlags hidden = trace->track_flags[track];
    if (process < trace->outline.process_count) hidden |= trace->process_flags[process];
    return (trace->track_flags[track] & TRACK_PINNED) != 0 && (hidden & TRACK_HIDDEN) == 0;
}

static bool passes_filter(const View *view, StringView title)
{
    return ascii_contains(title, c_string_view(view->filter));
}

/* True if the track is shown. */
static bool track_passes(const View *view, const TraceView *trace, uint32_t index, LayoutEmptyTracks empty)
{
    const OutlineTrack *track = &trace->outline.tracks[index];
    if (!layout_track_has_rows(track, empty) || (trace->track_flags[index] & TRACK_HIDDEN) != 0) return false;
    if (view->layout.isolates && !is_isolated(trace, index)) return false;
    if (passes_filter(view, track->title)) return true;
    return track->process < trace->outline.process_count &&
           passes_filter(view, trace->outline.processes[track->process].title);
}

bool layout_track_shows(const View *view, const TraceView *trace, uint32_t track)
{
    return track_passes(view, trace, track, layout_empty_tracks(trace));
}

static double height_px(RowHeight height)
{
    if (height == HEIGHT_COMPACT) return ROW_COMPACT_PX;
    return height == HEIGHT_ROOMY ? ROW_ROOMY_PX : ROW_PX;
}

double layout_row_height(const View *view, const TraceView *trace, uint32_t track)
{
    return height_px(row_height_of(view, trace, track));
}

double layout_common_height(const View *view)
{
    return height_px(row_height_of_all(view));
}

/* Returns the height of a counter's chart. */
static double counter_height(const View *view, const TraceView *trace, uint32_t track)
{
    const RowHeight height = row_height_of(view, trace, track);
    if (height == HEIGHT_COMPACT) return COUNTER_COMPACT_PX;
    return height == HEIGHT_ROOMY ? COUNTER_ROOMY_PX : COUNTER_PX;
}

bool layout_column_is_open(const View *view)
{
    return view->screen.column_px > COLUMN_RAIL_PX;
}

double layout_rows_top(const View *view)
{
    return layout_column_is_open(view) ? TRACK_PAD_PX : HEADER_PX;
}

/* Returns the height of the strips of the rows [first, end) of a track. Snapshots of objects are notches in the bars. */
static double strips_height(const View *view, const TraceView *trace, uint32_t track, uint32_t first,
                            uint32_t end)
{
    const OutlineTrack *it = &trace->outline.tracks[track];
    assert(first <= end && end <= it->row_count);
    if (it->kind == TRACK_KIND_OBJECTS) return 0;
    return (trace->strips[it->first_row + end] - trace->strips[it->first_row + first]) *
           (row_height_of(view, trace, track) == HEIGHT_COMPACT ? STRIP_COMPACT_PX : STRIP_PX);
}

double layout_strip(const View *view, const TraceView *trace, uint32_t track, uint32_t row)
{
    if (row >= trace->outline.tracks[track].row_count) return 0;
    return strips_height(view, trace, track, row, row + 1);
}

double layout_row_top(const View *view, const TraceView *trace, uint32_t track, uint32_t row)
{
    const uint32_t rows = trace->outline.tracks[track].row_count;
    if (row > rows) row = rows;
    return layout_rows_top(view) + row * (layout_row_height(view, trace, track) + ROW_GAP_PX) +
           strips_height(view, trace, track, 0, row);
}

uint32_t layout_row_at(const View *view, const TraceView *trace, uint32_t track, double y)
{
    uint32_t       low = 0;
    const uint32_t end = rows_shown(trace, track);
    LOWER_BOUND(uint32_t, low, end, i, layout_row_top(view, trace, track, i + 1) <= y);
    return low;
}

RowExtent layout_row_extent(const View *view, const LayoutItem *item, double y_px, uint32_t row)
{
    const TraceView *trace = view_trace(view, item->trace);
    const double     strip = layout_strip(view, trace, item->index, row);
    const bool       is_header = item->closed && !layout_column_is_open(view);
    const double     top = y_px + (is_header ? 2 : layout_row_top(view, trace, item->index, row));
    const double     pitch = layout_row_height(view, trace, item->index) + ROW_GAP_PX;
    RowExtent        extent = { .strip_y = view_px(view, top), .y = view_px(view, top + strip) };
    extent.strip_h = extent.y - extent.strip_y;
    extent.height = is_header ? view_px(view, HEADER_PX - 4)
                              : view_px(view, top + strip + pitch) - extent.y - view_px(view, ROW_GAP_PX);
    return extent;
}

static double track_height(const View *view, const TraceView *trace, uint32_t index, bool closed)
{
    const OutlineTrack *track = &trace->outline.tracks[index];
    double              least = HEADER_PX + TRACK_PAD_PX;
    if (closed)
        return (layout_column_is_open(view) ? least : HEADER_PX) + layout_strip(view, trace, index, 0);
    const uint32_t shown = rows_shown(trace, index);
    double         rows_end = track->kind == TRACK_KIND_COUNTER
                                  ? layout_rows_top(view) + counter_height(view, trace, index)
                                  : layout_row_top(view, trace, index, shown);
    if (shown < track->row_count) rows_end += MORE_ROWS_PX;
    return fmax(rows_end + TRACK_PAD_PX, least);
}

static void add_item(View *view, double *y, LayoutItem item)
{
    assert(item.height > 0 && item.trace < view->trace_count);
    item.y = *y;
    *y += item.height;
    vec_push(&view->layout.items, item);
}

static void add_track(View *view, double *y, uint32_t trace_index, uint32_t index)
{
    TraceView *trace = view_trace(view, trace_index);
    bool       closed = (trace->track_flags[index] & TRACK_CLOSED) != 0;
    add_item(view, y,
             (LayoutItem){ .kind = ITEM_TRACK,
                           .trace = trace_index,
                           .index = index,
                           .height = track_height(view, trace, index, closed),
                           .closed = closed });
}

/* True if the track's process is shown. */
static bool process_passes(const TraceView *trace, uint32_t track)
{
    const uint32_t process = trace->outline.tracks[track].process;
    if (process >= trace->outline.process_count) return true;
    return (trace->process_flags[process] & TRACK_HIDDEN) == 0 && perspective_shows(trace, process);
}

/* True for a counter that is drawn in the chart of another one, which is shown. */
static bool is_in_chart(const View *view, const TraceView *trace, uint32_t track, LayoutEmptyTracks empty)
{
    const uint32_t chart = trace->chart[track];
    if (chart == track || !process_passes(trace, chart)) return false;
    return is_pinned(trace, chart) || track_passes(view, trace, chart, empty);
}

/* Adds the visible tracks at [first, first + count) of the trace's list, except pinned ones. */
static void add_tracks(View *view, double *y, uint32_t trace_index, uint32_t first, uint32_t count,
                       LayoutEmptyTracks empty)
{
    TraceView *trace = view_trace(view, trace_index);
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t track = trace->lists.tracks[i];
        if (trace->track_flags[track] & TRACK_PINNED) continue;
        if (track_passes(view, trace, track, empty) && !is_in_chart(view, trace, track, empty))
            add_track(view, y, trace_index, track);
    }
}

/* Adds the visible tracks of all processes as one list. */
static void add_ungrouped(View *view, double *y, uint32_t trace_index, LayoutEmptyTracks empty)
{
    const TraceView *trace = view_trace(view, trace_index);
    for (uint32_t i = 0; i < trace->outline.track_count; i++)
        if (process_passes(trace, trace->lists.tracks[i])) add_tracks(view, y, trace_index, i, 1, empty);
}

/* Adds a track's events to the counts of its process. */
static void add_process_events(HeadCounts *counts, const OutlineTrack *track)
{
    if (track->kind == TRACK_KIND_OBJECTS) counts->objects += track->slice_count;
    if (track->kind >= TRACK_KIND_STATES) return; /* their events do not count as slices and instants */
    counts->slices += track->slice_count;
    counts->instants += track->instant_count;
}

/* Adds a track to the counts of its group by name. */
static void add_group_track(HeadCounts *counts, const OutlineTrack *track)
{
    if (track->kind == TRACK_KIND_STATES) return;
    counts->tracks++;
    counts->slices += track->slice_count;
    counts->instants += track->instant_count;
}

/* True for a track that counts as a thread. A thread's states are in a track before its own: both count once. */
static bool is_thread(const View *view, const TraceView *trace, uint32_t index, LayoutEmptyTracks empty)
{
    const OutlineTrack *track = &trace->outline.tracks[index];
    if (track->kind == TRACK_KIND_STATES) return true;
    bool has_states = index > 0 && track[-1].kind == TRACK_KIND_STATES && track[-1].process == track->process;
    return track->kind == TRACK_KIND_THREAD && !track->divides &&
           !(has_states && track_passes(view, trace, index - 1, empty));
}

static void add_process(View *view, double *y, uint32_t trace_index, uint32_t index, LayoutEmptyTracks empty)
{
    TraceView            *trace = view_trace(view, trace_index);
    const OutlineProcess *process = &trace->outline.processes[index];
    uint32_t              shown = 0;
    bool                  has_marks = false;
    HeadCounts            counts = { 0 };
    if (!perspective_shows(trace, index)) return;
    for (uint32_t i = process->first_track; i < process->first_track + process->track_count; i++) {
        bool passes = track_passes(view, trace, i, empty);
        shown += passes;
        counts.tracks += passes && is_thread(view, trace, i, empty);
        const OutlineTrack *track = &trace->outline.tracks[i];
        has_marks |= track->kind == TRACK_KIND_PROCESS_INSTANTS && track->has_events;
        add_process_events(&counts, track);
    }
    trace->process_counts[index] = counts;
    /* A process with no other events than its own instants still has a header, which shows them. */
    bool passes = passes_filter(view, process->title);
    if ((trace->process_flags[index] & TRACK_HIDDEN) != 0) return;
    if (view->layout.isolates && (trace->process_flags[index] & TRACK_ISOLATED) == 0) has_marks = false;
    if (shown == 0 && !(has_marks && passes)) return;
    bool closed = (trace->process_flags[index] & TRACK_CLOSED) != 0;
    add_item(view, y,
             (LayoutItem){ .kind = ITEM_PROCESS,
                           .trace = trace_index,
                           .index = index,
                           .height = HEADER_PX,
                           .closed = closed });
    if (!closed) add_tracks(view, y, trace_index, trace->lists.head_at[index], process->track_count, empty);
}

/* Returns the end of the tracks of a group in the trace's list. */
static uint32_t group_end(const TraceView *trace, uint32_t first)
{
    const uint32_t group = name_group_of(trace, trace->lists.tracks[first]);
    uint32_t       end = first + 1;
    while (end < trace->outline.track_count && name_group_of(trace, trace->lists.tracks[end]) == group)
        end++;
    return end;
}

/* Adds the header and the visible tracks of a group by name. */
static void add_group(View *view, double *y, uint32_t trace_index, uint32_t first, uint32_t end,
                      LayoutEmptyTracks empty)
{
    TraceView     *trace = view_trace(view, trace_index);
    const uint32_t group = name_group_of(trace, trace->lists.tracks[first]);
    bool           any = false;
    HeadCounts     counts = { 0 };
    for (uint32_t i = first; i < end; i++) {
        any = any || (process_passes(trace, trace->lists.tracks[i]) &&
                      track_passes(view, trace, trace->lists.tracks[i], empty));
        add_group_track(&counts, &trace->outline.tracks[trace->lists.tracks[i]]);
    }
    trace->names.counts[group] = counts;
    if (!any) return;
    const bool closed = (trace->track_flags[group] & TRACK_GROUP_CLOSED) != 0;
    add_item(view, y,
             (LayoutItem){ .kind = ITEM_GROUP,
                           .trace = trace_index,
                           .index = group,
                           .height = HEADER_PX,
                           .closed = closed });
    for (uint32_t i = first; i < end && !closed; i++)
        if (process_passes(trace, trace->lists.tracks[i])) add_tracks(view, y, trace_index, i, 1, empty);
}

/* Adds the groups by name, and the tracks outside of them. */
static void add_groups(View *view, double *y, uint32_t trace_index, LayoutEmptyTracks empty)
{
    const TraceView *trace = view_trace(view, trace_index);
    for (uint32_t i = 0, end; i < trace->outline.track_count; i = end) {
        const uint32_t track = trace->lists.tracks[i];
        end = i + 1;
        if (name_group_of(trace, track) != UINT32_MAX) {
            end = group_end(trace, i);
            add_group(view, y, trace_index, i, end, empty);
        } else if (process_passes(trace, track)) {
            add_tracks(view, y, trace_index, i, 1, empty);
        }
    }
}

static void add_trace(View *view, double *y, uint32_t trace_index)
{
    TraceView        *trace = view_trace(view, trace_index);
    LayoutEmptyTracks empty = layout_empty_tracks(trace);
    if (view->trace_count > 1) {
        add_item(
            view, y,
            (LayoutItem){
                .kind = ITEM_TRACE, .trace = trace_index, .height = HEADER_PX + 2, .closed = trace->closed });
        if (trace->closed) return;
    }
    if (view->order.groups == GROUPS_NONE) {
        add_ungrouped(view, y, trace_index, empty);
        return;
    }
    if (view->order.groups == GROUPS_NAME) {
        add_groups(view, y, trace_index, empty);
        return;
    }
    /* The tracks of a process are in succession; some tracks have no process. */
    for (uint32_t i = 0; i < trace->outline.track_count;) {
        const uint32_t process = trace->outline.tracks[trace->lists.tracks[i]].process;
        if (process < trace->outline.process_count) {
            add_process(view, y, trace_index, process, empty);
            i += trace->outline.processes[process].track_count;
        } else {
            add_tracks(view, y, trace_index, i, 1, empty);
            i++;
        }
    }
}

/* Stores the items of each track and process. */
static void note_items(View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        trace->item = UINT32_MAX;
        memset(trace->track_items, 0xFF, trace->outline.track_count * sizeof *trace->track_items);
        memset(trace->process_items, 0xFF, trace->outline.process_count * sizeof *trace->process_items);
        for (uint32_t i = 0; trace->names.group_of != NULL && i < trace->outline.track_count; i++)
            trace->names.items[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < view->layout.count; i++) {
        const LayoutItem *item = layout_item(view, i);
        if (item->kind == ITEM_TRACK) { /* all counters of a chart have its item */
            const TraceView *trace = view_trace(view, item->trace);
            trace->track_items[item->index] = i;
            for (uint32_t c = trace->chart_next[item->index]; c != UINT32_MAX; c = trace->chart_next[c])
                if (chart_has(trace, c)) trace->track_items[c] = i;
        }
        if (item->kind == ITEM_GROUP) view_trace(view, item->trace)->names.items[item->index] = i;
        if (item->kind == ITEM_TRACE) view_trace(view, item->trace)->item = i;
        if (item->kind == ITEM_PROCESS) view_trace(view, item->trace)->process_items[item->index] = i;
    }
}

void layout_resume_scroll(View *view)
{
    Position    *position = &view->position;
    const double most = layout_scroll_max(view);
    if (position->waiting_px < 0) return;
    bool is_final = position->waiting_px <= most;
    for (uint32_t t = 0; t < view->trace_count; t++)
        is_final = is_final && view_trace(view, t)->visible_state == DATA_READY;
    position->scroll_px = position->target_px = position->waiting_px < most ? position->waiting_px : most;
    if (is_final) position->waiting_px = -1;
}

void layout_build(View *view)
{
    Layout *layout = &view->layout;
    if (!layout->stale) return;
    layout->stale = false;
    (void)row_order_step(view);
    layout->isolates = any_isolated(view);
    vec_clear(&layout->items);
    double y = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView              *trace = view_trace(view, t);
        const LayoutEmptyTracks empty = layout_empty_tracks(trace);
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            if (is_pinned(trace, trace->lists.tracks[i]) &&
                !is_in_chart(view, trace, trace->lists.tracks[i], empty))
                add_track(view, &y, t, trace->lists.tracks[i]);
    }
    layout->pinned = (uint32_t)vec_count(&layout->items);
    layout->pinned_px = y;
    y = 0;
    for (uint32_t t = 0; t < view->trace_count; t++)
        add_trace(view, &y, t);
    layout->count = (uint32_t)vec_count(&layout->items);
    assert(layout->pinned <= layout->count);
    layout->scrolled_px = y;
    note_items(view);
    counter_same_scale(view);
    view->screen.geometry = layout_geometry(view);
    double most = layout_scroll_max(view);
    if (view->position.scroll_px > most) view->position.scroll_px = most;
    if (view->position.target_px > most) view->position.target_px = most;
    layout_resume_scroll(view);
    view_push_event(view, &(ViewEvent){ .kind = VIEW_EVENT_ROWS });
}

const LayoutItem *layout_item(const View *view, uint32_t item)
{
    assert(item < view->layout.count);
    return view->layout.items.items + item;
}

LayoutSection layout_section_of(const View *view, uint32_t item)
{
    return item < view->layout.pinned ? LAYOUT_PINNED : LAYOUT_SCROLLED;
}

/* NOINLINE: many callers, and the module is small. */
NOINLINE SectionExtent layout_section_extent(const View *view, LayoutSection section)
{
    const Geometry *g = &view->screen.geometry;
    const uint32_t  pinned = view->layout.pinned;
    if (section == LAYOUT_PINNED) return (SectionExtent){ 0, pinned, g->pinned_y, g->rows_y, 0 };
    return (SectionExtent){ pinned, view->layout.count, g->rows_y, g->rows_y + g->rows_h,
                            view->position.scroll_px };
}

uint32_t layout_find(const View *view, double y, LayoutSection section)
{
    const SectionExtent extent = layout_section_extent(view, section);
    uint32_t            low = extent.first;
    LOWER_BOUND(uint32_t, low, extent.end, i, layout_item(view, i)->y + layout_item(view, i)->height <= y);
    return low;
}

SeenItems layout_seen(const View *view, LayoutSection section, double margin_px)
{
    const SectionExtent extent = layout_section_extent(view, section);
    const double        bottom = extent.bottom + view_px(view, margin_px);
    const uint32_t      first = layout_find(view, fmax(extent.scroll_px - margin_px, 0), section);
    uint32_t            end = first;
    LOWER_BOUND(uint32_t, end, extent.end, i, layout_item_screen_y(view, i) * view->screen.scale < bottom);
    return (SeenItems){ first, end };
}

uint32_t layout_track_item(const View *view, uint32_t trace, uint32_t track)
{
    assert(track < view_trace(view, trace)->outline.track_count);
    uint32_t item = view_trace(view, trace)->track_items[track];
    return item < view->layout.count ? item : UINT32_MAX;
}

uint32_t layout_trace_item(const View *view, uint32_t trace)
{
    const uint32_t item = view_trace(view, trace)->item;
    return item < view->layout.count ? item : UINT32_MAX;
}

uint32_t layout_process_item(const View *view, uint32_t trace, uint32_t process)
{
    const TraceView *t = view_trace(view, trace);
    if (process >= t->outline.process_count || t->process_items[process] >= view->layout.count)
        return UINT32_MAX;
    return t->process_items[process];
}

uint32_t layout_group_item(const View *view, uint32_t trace, uint32_t group)
{
    const TraceView *t = view_trace(view, trace);
    if (group >= t->outline.track_count || t->names.group_of == NULL) return UINT32_MAX;
    return t->names.items[group] < view->layout.count ? t->names.items[group] : UINT32_MAX;
}

uint32_t layout_header_item(const View *view, uint32_t trace, uint32_t track)
{
    const TraceView *t = view_trace(view, trace);
    if (view->order.groups == GROUPS_NAME) return layout_group_item(view, trace, name_group_of(t, track));
    return layout_process_item(view, trace, t->outline.tracks[track].process);
}

NOINLINE double layout_item_screen_y(const View *view, uint32_t item)
{
    const SectionExtent extent = layout_section_extent(view, layout_section_of(view, item));
    return extent.top / view->screen.scale + layout_item(view, item)->y - extent.scroll_px;
}

uint32_t layout_sticky_header(const View *view, LayoutSection section, double *y)
{
    if (section == LAYOUT_PINNED) return UINT32_MAX;
    const uint32_t first = layout_find(view, view->position.scroll_px, LAYOUT_SCROLLED);
    if (first >= view->layout.count || layout_item(view, first)->kind != ITEM_TRACK) return UINT32_MAX;
    const LayoutItem *track = layout_item(view, first);
    const uint32_t    header = layout_header_item(view, track->trace, track->index);
    if (header == UINT32_MAX) return UINT32_MAX;
    *y = view->screen.geometry.rows_y / view->screen.scale;
    for (uint32_t next = first + 1; next < view->layout.count; next++) { /* the next header displaces it */
        double next_y = layout_item_screen_y(view, next);
        if (next_y >= *y + HEADER_PX) break;
        if (layout_item(view, next)->kind != ITEM_TRACK) *y = next_y - HEADER_PX;
    }
    return header;
}

double layout_seen_top(const View *view, LayoutSection section)
{
    double     y;
    const bool has_header = layout_sticky_header(view, section, &y) != UINT32_MAX;
    return has_header ? view_px(view, y + HEADER_PX) : layout_section_extent(view, section).top;
}

Geometry layout_geometry(const View *view)
{
    Geometry g = { .scale = view->screen.scale };
    assert(g.scale > 0);
    g.width = floor(view->screen.width_px * view->screen.scale + 0.5);
    g.height = floor(view->screen.height_px * view->screen.scale + 0.5);
    g.scrollbar_w = view_interactive(view) ? view_px(view, SCROLLBAR_PX) : 0;
    g.plot_x = view_px(view, view->screen.column_px);
    double plot_w = g.width - g.plot_x - g.scrollbar_w;
    g.plot_w = plot_w < 1 ? 1 : plot_w > 32768 ? 32768 : (int32_t)plot_w;
    g.minimap_h = view_px(view, MINIMAP_PX);
    g.ruler_y = g.minimap_h;
    g.ruler_h = view_px(view, RULER_PX);
    size_t note_count;
    (void)view_notes(view, &note_count);
    g.strip_y = g.ruler_y + g.ruler_h;
    g.strip_h = note_count > 0 ? view_px(view, NOTE_STRIP_PX) : 0;
    g.pinned_y = g.strip_y + g.strip_h;
    double room = g.height - g.pinned_y;
    double pinned = view_px(view, view->layout.pinned_px);
    g.pinned_h = pinned < room / 2 ? pinned : floor(room / 2);
    if (g.pinned_h < 0) g.pinned_h = 0;
    assert(g.plot_w >= 1);
    g.rows_y = g.pinned_y + g.pinned_h;
    g.rows_h = g.height - g.rows_y;
    if (g.rows_h < 0) g.rows_h = 0;
    return g;
}

double layout_scroll_max(const View *view)
{
    double room = view->screen.geometry.rows_h / view->screen.geometry.scale;
    double most = view->layout.scrolled_px - room;
    if (view_interactive(view) && most > 0) most += 24; /* room below the last row, to mark the end */
    return most > 0 ? most : 0;
}

bool layout_filter_finds(const View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            if (layout_track_shows(view, trace, i)) return true;
    }
    return false;
}

void layout_set_filter(View *view, const char *pattern)
{
    size_t size = utf8_cut(pattern, strlen(pattern), FILTER_MAX - 1);
    memcpy(view->filter, pattern, size);
    view->filter[size] = 0;
    view->layout.stale = true;
    view->picture.is_stale = true;
    layout_build(view);
}

void layout_toggle(View *view, const LayoutItem *item)
{
    TraceView *trace = view_trace(view, item->trace);
    if (item->kind == ITEM_GROUP) (item->closed ? name_group_open : name_group_close)(trace, item->index);
    RowFlags *flags = item->kind == ITEM_PROCESS ? &trace->process_flags[item->index]
                      : item->kind == ITEM_TRACK ? &trace->track_flags[item->index]
                                                 : NULL;
    if (item->kind == ITEM_TRACE) trace->closed = !item->closed;
    if (flags != NULL) *flags = (RowFlags)(item->closed ? *flags & ~TRACK_CLOSED : *flags | TRACK_CLOSED);
    view->layout.stale = true;
    view->picture.is_stale = true;
}
