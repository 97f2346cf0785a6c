/* Writes view files (docs/view-files.md). */
#include "view/align.h"
#include "view/charts.h"
#include "view/colour_mode.h"
#include "view/data.h"
#include "view/name_groups.h"
#include "view/notes_file.h"
#include "view/row_titles.h"
#include "view/view_file.h"

static void put_row_members(JsonWriter *w, const View *view, RowTarget row)
{
    const RowTitle title = row_title_of(view_trace(view, row.trace), row);
    if (title.has_process) json_put_view(w, "process", title.process);
    if (title.kind == ITEM_TRACK) json_put_view(w, "track", title.track);
    if (title.nth > 1) json_put_u64(w, "nth", title.nth);
    if (row.kind == ITEM_GROUP) json_put_bool(w, "is_group", true);
}

static void put_row(JsonWriter *w, const View *view, RowTarget row)
{
    json_object_begin(w);
    put_row_members(w, view, row);
    json_object_end(w);
}

/* Writes the rows with a flag, unless no row has it. */
static void put_flagged(JsonWriter *w, const View *view, uint32_t index, const struct FlagList *list)
{
    const TraceView *trace = view_trace(view, index);
    bool             has_any = false;
    for (uint32_t i = 0; i < trace->outline.process_count + trace->outline.track_count; i++) {
        const bool      is_process = i < trace->outline.process_count;
        const uint32_t  at = is_process ? i : i - trace->outline.process_count;
        const RowFlags  flags = is_process ? trace->process_flags[at] : trace->track_flags[at];
        const RowTarget row = { is_process ? ITEM_PROCESS : ITEM_TRACK, index, at };
        if ((flags & list->mask) != list->value) continue;
        if (list->value == TRACK_GROUP_CLOSED && name_group_of(trace, at) != at)
            continue; /* its first track */
        if (!has_any) {
            json_key(w, list->name);
            json_array_begin(w);
            has_any = true;
        }
        put_row(w, view, row);
    }
    if (has_any) json_array_end(w);
}

/* Writes the charts with several counters, unless they are the default ones. */
static void put_charts(JsonWriter *w, const View *view, uint32_t index)
{
    const TraceView *trace = view_trace(view, index);
    if (charts_are_default(trace)) return;
    json_put_array(w, "charts");
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        if (trace->chart[i] != i || trace->chart_next[i] == UINT32_MAX) continue;
        json_array_begin(w);
        for (uint32_t c = i; c != UINT32_MAX; c = trace->chart_next[c])
            put_row(w, view, (RowTarget){ ITEM_TRACK, index, c });
        json_array_end(w);
    }
    json_array_end(w);
}

/* Writes the moves of rows of a trace, unless it has none. */
static void put_moves(JsonWriter *w, const View *view, uint32_t index)
{
    const RowMove *moves = view->order.moves.items;
    bool           has_any = false;
    for (size_t i = 0; i < vec_count(&view->order.moves); i++) {
        if (moves[i].row.trace != index) continue;
        if (!has_any) json_put_array(w, "moved");
        has_any = true;
        json_object_begin(w);
        put_row_members(w, view, moves[i].row);
        json_key(w, moves[i].side == MOVE_BEFORE ? "before" : "after");
        put_row(w, view, moves[i].anchor);
        json_object_end(w);
    }
    if (has_any) json_array_end(w);
}

static void put_range(JsonWriter *w, const View *view, uint32_t index)
{
    int64_t begin, end;
    view_get_range(view, index, &begin, &end);
    json_key(w, "range");
    json_object_begin(w);
    json_put_i64(w, "begin", begin);
    json_put_i64(w, "end", end);
    json_object_end(w);
}

static void put_area(JsonWriter *w, View *view, uint32_t index)
{
    const TraceView *trace = view_trace(view, index);
    ViewEvent        area;
    if (!view_area_in(view, index, &area)) return;
    json_key(w, "area");
    json_object_begin(w);
    json_put_i64(w, "begin", area.begin);
    json_put_i64(w, "end", area.end);
    json_key(w, "tracks");
    json_array_begin(w);
    for (uint32_t i = 0; i < area.track_count; i++)
        put_row(w, view, (RowTarget){ ITEM_TRACK, index, view_track_index(trace, area.tracks[i]) });
    json_array_end(w);
    json_object_end(w);
}

/* Writes the selected slice or instant of a trace. */
static void put_selection(JsonWriter *w, const View *view, uint32_t index, StringView slice_name)
{
    const Selection  *selection = &view->selection;
    const SlicePlace *place = selection->has_slice ? &selection->slice : &selection->instant;
    if ((!selection->has_slice && !selection->has_instant) || place->trace != index) return;
    const uint32_t track = view_track_index(view_trace(view, index), place->track);
    if (track == UINT32_MAX) return;
    json_key(w, selection->has_slice ? "slice" : "instant");
    json_object_begin(w);
    put_row_members(w, view, (RowTarget){ ITEM_TRACK, index, track });
    json_put_u64(w, "row", place->row);
    json_put_u64(w, "begin", place->begin);
    if (selection->has_slice && slice_name.size > 0) json_put_view(w, "name", slice_name);
    json_object_end(w);
}

/* Writes the state of one trace. */
static void put_state(JsonWriter *w, View *view, uint32_t index, const ViewPage *page)
{
    const TraceView *trace = view_trace(view, index);
    const uint64_t  *anchors = align_anchors(view, view->position.alignment);
    const StringView hidden = view_hidden(view, index);
    if (anchors != NULL) json_put_u64(w, "anchor", anchors[index]);
    if (index == 0) put_range(w, view, index);
    if (!string_equal(hidden, trace->outline.hidden)) json_put_view(w, "hidden_categories", hidden);
    if (trace->closed) json_put_bool(w, "is_collapsed", true);
    for (int i = 0; i < FLAG_LISTS; i++)
        put_flagged(w, view, index, &FLAG_LIST[i]);
    put_charts(w, view, index);
    put_moves(w, view, index);
    put_selection(w, view, index, page->slice);
    put_area(w, view, index);
}

static void put_trace(JsonWriter *w, View *view, uint32_t index, const ViewSaving *saving)
{
    TraceView *trace = view_trace(view, index);
    json_object_begin(w);
    json_put_view(w, "name", trace->outline.name);
    json_put_string(w, "identity", trace->identity);
    if (saving->parts & VIEW_FILE_STATE) {
        if (row_titles_prepare(trace))
            put_state(w, view, index, &saving->page);
        else
            w->out->failed = true;
    }
    if (saving->parts & VIEW_FILE_MARKS) {
        json_key(w, "marks");
        notes_put(w, view, index);
    }
    json_object_end(w);
}

static void put_text(JsonWriter *w, const char *key, StringView text)
{
    if (text.size > 0) json_put_view(w, key, text);
}

/* Writes the state that all traces share. */
static void put_shared_state(JsonWriter *w, const View *view, const ViewPage *page)
{
    int  height = NORMAL_HEIGHT;
    bool has_perspectives = false;
    for (int i = ROW_HEIGHTS - 1; i >= 0; i--)
        if (HEIGHT_OPTIONS[i] & view->screen.options) height = i;
    for (uint32_t t = 0; t < view->trace_count; t++)
        has_perspectives |= view_trace(view, t)->outline.perspective_count > 0;
    if (has_perspectives)
        json_put_string(w, "perspective", view->perspective[0] == 0 ? ALL_PERSPECTIVES : view->perspective);
    json_put_string(w, "rows", HEIGHT_NAMES[height]);
    for (int i = 1; i < COLOUR_MODES; i++)
        if (COLOUR_MODE_OPTIONS[i] == colour_mode_of(view))
            json_put_string(w, "colours", COLOUR_MODE_NAMES[i]);
    if (view->screen.options & VIEW_SAFE_COLOURS) json_put_string(w, "palette", PALETTE_NAMES[1]);
    json_put_string(w, "flows", FLOW_MODE_NAMES[view->screen.flow_mode]);
    if (view->order.sort != SORT_DEFAULT) json_put_string(w, "sort", SORT_NAMES[view->order.sort]);
    if (view->order.groups != GROUPS_PROCESS)
        json_put_string(w, "groups", GROUPING_NAMES[view->order.groups]);
    json_put_i64(w, "scroll", (int64_t)view->position.target_px);
    put_text(w, "filter", c_string_view(view->filter));
    put_text(w, "panel", page->panel);
    put_text(w, "search", page->search);
    put_text(w, "query", page->query);
}

void view_save(View *view, const ViewSaving *saving, Bytes *out)
{
    enum { INDENT = 2 };
    JsonWriter w = json_writer_to(out, saving->parts & VIEW_FILE_ONE_LINE ? 0 : INDENT);
    json_object_begin(&w);
    json_put_u64(&w, "varve_view", VIEW_FILE_VERSION);
    if (view_counts_calls(view)) json_put_string(&w, "axis", AXIS_OF_CALLS);
    if (saving->parts & VIEW_FILE_STATE) put_shared_state(&w, view, &saving->page);
    json_key(&w, "traces");
    json_array_begin(&w);
    for (uint32_t t = 0; t < view->trace_count; t++)
        if (saving->trace == VIEW_ALL_TRACES || saving->trace == t) put_trace(&w, view, t, saving);
    json_array_end(&w);
    json_object_end(&w);
    if ((saving->parts & VIEW_FILE_ONE_LINE) == 0) bytes_append_text(out, "\n");
}
