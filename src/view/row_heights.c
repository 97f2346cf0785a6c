#include "view/row_heights.h"

#include "view/data.h"
#include "view/name_groups.h"

static bool in_process(const TraceView *trace, uint32_t track)
{
    return trace->outline.tracks[track].process < trace->outline.process_count;
}

RowHeight row_height_of_all(const View *view)
{
    if (view->screen.options & VIEW_COMPACT) return HEIGHT_COMPACT;
    return (view->screen.options & VIEW_ROOMY) ? HEIGHT_ROOMY : HEIGHT_NORMAL;
}

RowHeight row_height_of(const View *view, const TraceView *trace, uint32_t track)
{
    unsigned height = trace->track_flags[track] & TRACK_HEIGHT;
    if (height == 0 && in_process(trace, track))
        height = trace->process_flags[trace->outline.tracks[track].process] & TRACK_HEIGHT;
    if (height == TRACK_COMPACT) return HEIGHT_COMPACT;
    if (height == TRACK_ROOMY) return HEIGHT_ROOMY;
    return height == TRACK_NORMAL ? HEIGHT_NORMAL : row_height_of_all(view);
}

uint32_t rows_shown(const TraceView *trace, uint32_t track)
{
    const uint32_t rows = trace->outline.tracks[track].row_count;
    const bool     is_limited = (trace->track_flags[track] & TRACK_LIMITED) != 0 &&
                            trace->outline.tracks[track].kind != TRACK_KIND_COUNTER;
    return is_limited && rows > ROWS_LIMIT ? ROWS_LIMIT : rows;
}

RowFlags row_own_height(const View *view, RowTarget row)
{
    const TraceView *trace = view_trace(view, row.trace);
    uint32_t         first, end;
    if (row.kind == ITEM_PROCESS) return trace->process_flags[row.index] & TRACK_HEIGHT;
    if (row.kind == ITEM_TRACK) {
        const RowFlags own = trace->track_flags[row.index] & TRACK_HEIGHT;
        if (own != 0 || !in_process(trace, row.index)) return own;
        return trace->process_flags[trace->outline.tracks[row.index].process] & TRACK_HEIGHT;
    }
    rows_of(view, row, &first, &end);
    return first < end ? row_own_height(view, (RowTarget){ ITEM_TRACK, row.trace, first }) : 0;
}

bool row_has_more(const TraceView *trace, uint32_t track)
{
    const OutlineTrack *it = &trace->outline.tracks[track];
    return it->kind != TRACK_KIND_COUNTER && it->row_count > ROWS_LIMIT;
}

RowLimit row_limit(const View *view, RowTarget row)
{
    const TraceView *trace = view_trace(view, row.trace);
    RowLimit         limit = ROWS_FEW;
    uint32_t         first, end;
    rows_of(view, row, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (!row_has(trace, row, i) || !row_has_more(trace, i)) continue;
        if ((trace->track_flags[i] & TRACK_LIMITED) == 0) return ROWS_ALL;
        limit = ROWS_LIMITED;
    }
    return limit;
}

void rows_of(const View *view, RowTarget row, uint32_t *first, uint32_t *end)
{
    const Outline *outline = &view_trace(view, row.trace)->outline;
    *first = 0;
    *end = outline->track_count;
    if (row.kind == ITEM_TRACE) return;
    *first = row.index;
    if (row.kind == ITEM_GROUP) return;
    *end = row.index + 1;
    if (row.kind == ITEM_TRACK) return;
    *first = outline->processes[row.index].first_track;
    *end = *first + outline->processes[row.index].track_count;
}

bool row_has(const TraceView *trace, RowTarget row, uint32_t track)
{
    return row.kind != ITEM_GROUP || name_group_of(trace, track) == row.index;
}
