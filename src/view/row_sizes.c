#include "view/row_sizes.h"

#include "view/data.h"
#include "view/row_heights.h"
#include "view/row_history.h"

#include <assert.h>

static void put_height(RowFlags *flags, RowFlags height)
{
    *flags = (RowFlags)((*flags & ~TRACK_HEIGHT) | height);
}

void row_height_toggle(View *view, RowTarget row, RowFlags height)
{
    TraceView *trace = view_trace(view, row.trace);
    uint32_t   first, end;
    assert((height & ~TRACK_HEIGHT) == 0);
    if (row_own_height(view, row) == height) height = 0;
    row_change_begin(view);
    rows_of(view, row, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (!row_has(trace, row, i)) continue;
        const bool is_own = row.kind == ITEM_TRACK || row.kind == ITEM_GROUP ||
                            trace->outline.tracks[i].process >= trace->outline.process_count;
        put_height(&trace->track_flags[i], is_own ? height : 0);
    }
    if (row.kind == ITEM_PROCESS) put_height(&trace->process_flags[row.index], height);
    for (uint32_t i = 0; i < trace->outline.process_count && row.kind == ITEM_TRACE; i++)
        put_height(&trace->process_flags[i], height);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void row_limit_toggle(View *view, RowTarget row)
{
    TraceView     *trace = view_trace(view, row.trace);
    const RowLimit now = row_limit(view, row);
    uint32_t       first, end;
    row_change_begin(view);
    rows_of(view, row, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        if (!row_has(trace, row, i)) continue;
        if (now == ROWS_LIMITED)
            trace->track_flags[i] &= (RowFlags)~TRACK_LIMITED;
        else if (row_has_more(trace, i))
            trace->track_flags[i] |= TRACK_LIMITED;
    }
    row_change_end(view, ROW_CHANGE_IS_STEP);
}
