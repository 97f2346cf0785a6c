#include "view/shown.h"

#include "base/json_writer.h"
#include "view/data.h"
#include "view/hit.h"
#include "view/layout.h"
#include "view/motion.h"
#include "view/name_groups.h"
#include "view/row_heights.h"
#include "view/row_history.h"
#include "view/select.h"
#include "view/view_file.h"

#include <assert.h>
#include <math.h>

/* ---- the focused row ---- */

static bool focus_is_there(const View *view)
{
    if (!view->selection.has_focus || view->selection.focus.trace >= view->trace_count) return false;
    const Outline *outline = &view_trace(view, view->selection.focus.trace)->outline;
    switch (view->selection.focus.kind) {
    case ITEM_TRACE:
        return true;
    case ITEM_PROCESS:
        return view->selection.focus.index < outline->process_count;
    case ITEM_TRACK:
        return view->selection.focus.index < outline->track_count;
    case ITEM_GROUP:
        return layout_group_item(view, view->selection.focus.trace, view->selection.focus.index) !=
               UINT32_MAX;
    }
    return false;
}

bool shown_target(View *view, RowTarget *target)
{
    Hit hit = { 0 };
    if (view->input.pointer.inside && !view->input.keys_lead)
        view_hit(view, view->input.pointer.x, view->input.pointer.y, &hit);
    *target = view->selection.focus;
    if (!hit.has_item) return focus_is_there(view);
    const LayoutItem *item = layout_item(view, hit.item);
    *target = (RowTarget){ item->kind, item->trace, item->index };
    return true;
}

uint32_t shown_item(const View *view, RowTarget target)
{
    if (target.kind == ITEM_TRACK) return layout_track_item(view, target.trace, target.index);
    if (target.kind == ITEM_PROCESS) return layout_process_item(view, target.trace, target.index);
    if (target.kind == ITEM_GROUP) return layout_group_item(view, target.trace, target.index);
    return layout_trace_item(view, target.trace);
}

StringView shown_title(const View *view, RowTarget row)
{
    const Outline *outline = &view_trace(view, row.trace)->outline;
    switch (row.kind) {
    case ITEM_TRACE:
        return outline->name;
    case ITEM_PROCESS:
        return outline->processes[row.index].title;
    case ITEM_GROUP:
        return name_group_title(view_trace(view, row.trace), row.index);
    case ITEM_TRACK:
        break;
    }
    return outline->tracks[row.index].title;
}

bool shown_is_focus(const View *view, const LayoutItem *item)
{
    return view->selection.has_focus && view->selection.focus.kind == item->kind &&
           view->selection.focus.trace == item->trace && view->selection.focus.index == item->index;
}

void shown_focus(View *view, RowTarget target)
{
    assert(target.trace < view->trace_count);
    view->selection.has_focus = true;
    view->selection.focus = target;
    view->picture.is_stale = true;
}

/* Scrolls until an item is visible below the header that stays at the top. */
static void scroll_to_item(View *view, uint32_t index)
{
    if (index < view->layout.pinned) return;
    const LayoutItem *item = layout_item(view, index);
    double            room = view->screen.geometry.rows_h / view->screen.geometry.scale;
    double            above = item->kind == ITEM_TRACK ? HEADER_PX : 0;
    double            height = fmin(item->height, room - above);
    if (item->y - above < view->position.target_px)
        view_scroll_to(view, item->y - above);
    else if (item->y + height > view->position.target_px + room)
        view_scroll_to(view, item->y + height - room);
}

void shown_scroll_to(View *view, RowTarget target)
{
    const uint32_t item = shown_item(view, target);
    if (item != UINT32_MAX) scroll_to_item(view, item);
}

TopItem shown_top_item(const View *view, double scroll_px)
{
    const uint32_t item = layout_find(view, scroll_px, LAYOUT_SCROLLED);
    if (scroll_px <= 0 || item >= view->layout.count) return (TopItem){ .is_set = false };
    const LayoutItem *at = layout_item(view, item);
    return (TopItem){ true, { at->kind, at->trace, at->index }, scroll_px - at->y };
}

double shown_scroll_of(const View *view, const TopItem *top, double otherwise)
{
    const uint32_t item = top->is_set ? shown_item(view, top->row) : UINT32_MAX;
    return item == UINT32_MAX ? otherwise : layout_item(view, item)->y + top->into_px;
}

void shown_move_focus(View *view, int by)
{
    layout_build(view);
    if (view->layout.count == 0) return;
    uint32_t at = focus_is_there(view) ? shown_item(view, view->selection.focus) : UINT32_MAX;
    uint32_t last = view->layout.count - 1;
    if (at == UINT32_MAX) {
        at = layout_seen(view, layout_section_of(view, 0), 0).first;
        if (at > last) at = last;
    } else if (by < 0) {
        at = at > (uint32_t)-by ? at - (uint32_t)-by : 0;
    } else {
        at = last - at > (uint32_t)by ? at + (uint32_t)by : last;
    }
    assert(at <= last);
    const LayoutItem *item = layout_item(view, at);
    shown_focus(view, (RowTarget){ item->kind, item->trace, item->index });
    view->input.keys_lead = true;
    scroll_to_item(view, at);
}

void shown_enter(View *view)
{
    layout_build(view);
    uint32_t at = focus_is_there(view) ? shown_item(view, view->selection.focus) : UINT32_MAX;
    if (at == UINT32_MAX) {
        shown_move_focus(view, 0);
        return;
    }
    view->input.keys_lead = true;
    if (layout_item(view, at)->kind != ITEM_TRACK)
        shown_toggle_closed(view, at);
    else if (!view_select_first(view, at))
        view_push_command(view, VIEW_EVENT_COMMAND, "nothing-in-sight");
}

/* ---- hidden, pinned and isolated rows ---- */

typedef void FlagChange(RowFlags *flags, RowFlags flag);

static void set_flag(RowFlags *flags, RowFlags flag)
{
    *flags |= flag;
}

static void clear_flag(RowFlags *flags, RowFlags flag)
{
    *flags &= (RowFlags)~flag;
}

static void relayout(View *view)
{
    view->layout.stale = true;
    view->picture.is_stale = true;
    layout_build(view);
}

static void clear_everywhere(View *view, RowFlags flags)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            clear_flag(&trace->track_flags[i], flags);
        for (uint32_t i = 0; i < trace->outline.process_count; i++)
            clear_flag(&trace->process_flags[i], flags);
    }
}

/* Changes a flag of a track, of a process, or of all processes of a trace and its tracks outside of them. */
static void change(View *view, RowTarget target, FlagChange *apply, RowFlags flag)
{
    TraceView     *trace = view_trace(view, target.trace);
    const Outline *outline = &trace->outline;
    switch (target.kind) {
    case ITEM_TRACK: /* of a chart: all its counters */
        for (uint32_t i = trace->chart[target.index]; i != UINT32_MAX; i = trace->chart_next[i])
            apply(&trace->track_flags[i], flag);
        break;
    case ITEM_PROCESS:
        apply(&trace->process_flags[target.index], flag);
        break;
    case ITEM_GROUP:
        for (uint32_t i = 0; i < outline->track_count; i++)
            if (row_has(trace, target, i)) apply(&trace->track_flags[i], flag);
        break;
    case ITEM_TRACE:
        for (uint32_t i = 0; i < outline->process_count; i++)
            apply(&trace->process_flags[i], flag);
        for (uint32_t i = 0; i < outline->track_count; i++)
            if (outline->tracks[i].process >= outline->process_count) apply(&trace->track_flags[i], flag);
        break;
    }
}

bool shown_is_pinned(const View *view, RowTarget row)
{
    const TraceView *trace = view_trace(view, row.trace);
    uint32_t         first, end;
    rows_of(view, row, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (!row_has(trace, row, i)) continue;
        bool counts = row.kind == ITEM_TRACK || layout_track_shows(view, trace, i);
        if (counts && (trace->track_flags[i] & TRACK_PINNED) == 0) return false;
    }
    return true;
}

/* Pins the visible tracks of a row, or unpins them if all are pinned. */
static void toggle_pins(View *view, RowTarget target)
{
    TraceView *trace = view_trace(view, target.trace);
    uint32_t   first, end;
    const bool all = shown_is_pinned(view, target);
    rows_of(view, target, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (!row_has(trace, target, i)) continue;
        if (all)
            clear_flag(&trace->track_flags[i], TRACK_PINNED);
        else if (target.kind == ITEM_TRACK || layout_track_shows(view, trace, i))
            set_flag(&trace->track_flags[i], TRACK_PINNED);
    }
}

/* Hides a row. The focus moves to the row at its place. */
static void hide(View *view, RowTarget target)
{
    uint32_t at = shown_item(view, target);
    bool     had_focus = at != UINT32_MAX && shown_is_focus(view, layout_item(view, at));
    change(view, target, set_flag, TRACK_HIDDEN);
    relayout(view);
    if (!had_focus || view->layout.count == 0) return;
    const LayoutItem *next = layout_item(view, at < view->layout.count ? at : view->layout.count - 1);
    shown_focus(view, (RowTarget){ next->kind, next->trace, next->index });
}

void shown_toggle(View *view, RowTarget target, RowFlags flag)
{
    layout_build(view);
    row_change_begin(view);
    if (flag == TRACK_HIDDEN)
        hide(view, target);
    else if (flag == TRACK_PINNED)
        toggle_pins(view, target);
    else if (flag == TRACK_ISOLATED && view->layout.isolates)
        clear_everywhere(view, TRACK_ISOLATED);
    else
        change(view, target, set_flag, flag);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void shown_toggle_closed(View *view, uint32_t item)
{
    const LayoutItem closed = *layout_item(view, item);
    row_change_begin(view);
    layout_toggle(view, &closed);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void shown_reset(View *view)
{
    clear_everywhere(view, TRACK_HIDDEN | TRACK_ISOLATED);
    relayout(view);
}

/* ---- for the page ---- */

static const struct {
    const char *name;
    RowFlags    flag;
} MARKS[] = { { "isolated", TRACK_ISOLATED }, { "hidden", TRACK_HIDDEN }, { "pinned", TRACK_PINNED } };
enum { MARK_COUNT = sizeof MARKS / sizeof MARKS[0], ROWS_LISTED = 3 };

static void put_row(JsonWriter *w, const View *view, RowTarget row)
{
    json_object_begin(w);
    json_put_u64(w, "trace", row.trace);
    json_put_bool(w, "is_process", row.kind == ITEM_PROCESS);
    json_put_u64(w, "index", row.index);
    json_put_view(w, "title", shown_title(view, row));
    json_object_end(w);
}

/* Writes {"mark", "count", "rows"} for a flag, unless no row has it. */
static void put_mark(JsonWriter *w, const View *view, const char *name, RowFlags flag)
{
    RowTarget listed[ROWS_LISTED];
    uint64_t  count = 0;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const TraceView *trace = view_trace(view, t);
        for (uint32_t i = 0; i < trace->outline.process_count; i++)
            if (trace->process_flags[i] & flag && count++ < ROWS_LISTED)
                listed[count - 1] = (RowTarget){ ITEM_PROCESS, t, i };
        for (uint32_t i = 0; i < trace->outline.track_count; i++)
            if (trace->track_flags[i] & flag && count++ < ROWS_LISTED)
                listed[count - 1] = (RowTarget){ ITEM_TRACK, t, i };
    }
    if (count == 0) return;
    json_object_begin(w);
    json_put_string(w, "mark", name);
    json_put_u64(w, "count", count);
    json_put_array(w, "rows");
    for (uint64_t i = 0; i < count && i < ROWS_LISTED; i++)
        put_row(w, view, listed[i]);
    json_array_end(w);
    json_object_end(w);
}

static bool has_events(const View *view)
{
    for (uint32_t t = 0; t < view->trace_count; t++) {
        const Outline *outline = &view_trace(view, t)->outline;
        for (uint32_t i = 0; i < outline->track_count; i++)
            if (outline->tracks[i].has_events) return true;
    }
    return false;
}

void view_shown_json(View *view, Bytes *out)
{
    layout_build(view);
    JsonWriter w = json_writer_to(out, 0);
    uint64_t   tracks = 0, rows = 0;
    for (uint32_t i = 0; i < view->layout.count; i++) {
        const LayoutItem *item = layout_item(view, i);
        bool              is_track = item->kind == ITEM_TRACK;
        /* A pinned track is shown regardless of the filter. */
        bool passes = !is_track || layout_track_shows(view, view_trace(view, item->trace), item->index);
        tracks += is_track && passes;
        rows += passes;
    }
    json_object_begin(&w);
    json_put_string(&w, "filter", view->filter);
    json_put_u64(&w, "tracks", tracks);
    json_put_u64(&w, "rows", rows);
    json_put_bool(&w, "has_events", has_events(view));
    json_put_string(&w, "sort", SORT_NAMES[view->order.sort]);
    json_put_string(&w, "groups", GROUPING_NAMES[view->order.groups]);
    json_put_double(&w, "column", layout_column_is_open(view) ? view->screen.column_px : 0);
    json_put_u64(&w, "moved", vec_count(&view->order.moves));
    json_put_array(&w, "marks");
    for (int i = 0; i < MARK_COUNT; i++)
        put_mark(&w, view, MARKS[i].name, MARKS[i].flag);
    json_array_end(&w);
    json_object_end(&w);
}

/* Returns the TRACK_* flag of a mark's name; 0 = unknown. */
static RowFlags mark_flag(const char *name)
{
    for (int i = 0; i < MARK_COUNT; i++)
        if (strcmp(MARKS[i].name, name) == 0) return MARKS[i].flag;
    return 0;
}

void view_unmark_all(View *view, const char *mark)
{
    row_change_begin(view);
    clear_everywhere(view, mark_flag(mark));
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

static void unmark(View *view, RowTarget row, const char *mark)
{
    row_change_begin(view);
    change(view, row, clear_flag, mark_flag(mark));
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void view_unmark_process(View *view, const char *mark, uint32_t trace, uint32_t process)
{
    if (trace >= view->trace_count || process >= view_trace(view, trace)->outline.process_count) return;
    unmark(view, (RowTarget){ ITEM_PROCESS, trace, process }, mark);
}

void view_unmark_track(View *view, const char *mark, uint32_t trace, uint32_t track)
{
    if (trace >= view->trace_count || track >= view_trace(view, trace)->outline.track_count) return;
    unmark(view, (RowTarget){ ITEM_TRACK, trace, track }, mark);
}
