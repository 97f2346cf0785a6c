#include "view/chart_changes.h"

#include "view/charts.h"
#include "view/data.h"
#include "view/layout.h"
#include "view/row_history.h"
#include "view/shown.h"

static bool is_counter(const View *view, RowTarget row)
{
    return row.kind == ITEM_TRACK &&
           view_trace(view, row.trace)->outline.tracks[row.index].kind == TRACK_KIND_COUNTER;
}

void chart_join_above(View *view, RowTarget row)
{
    TraceView     *trace = view_trace(view, row.trace);
    const uint32_t item = is_counter(view, row) ? shown_item(view, row) : UINT32_MAX;
    if (item == UINT32_MAX) return;
    for (uint32_t i = item; i-- > 0;) {
        const LayoutItem *above = layout_item(view, i);
        const RowTarget   other = { above->kind, above->trace, above->index };
        if (above->trace != row.trace || !is_counter(view, other)) continue;
        row_change_begin(view);
        charts_join(trace, row.index, above->index);
        charts_link(trace);
        row_change_end(view, ROW_CHANGE_IS_STEP);
        shown_focus(view, (RowTarget){ ITEM_TRACK, row.trace, trace->chart[row.index] });
        return;
    }
}

void chart_separate(View *view, RowTarget row)
{
    if (!is_counter(view, row)) return;
    row_change_begin(view);
    charts_separate(view_trace(view, row.trace), row.index);
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

void chart_toggle_scale(View *view, RowTarget row)
{
    TraceView *trace = view_trace(view, row.trace);
    if (!is_counter(view, row)) return;
    row_change_begin(view);
    const RowFlags flag = trace->track_flags[row.index] ^ TRACK_SAME_SCALE;
    for (uint32_t i = trace->chart[row.index]; i != UINT32_MAX; i = trace->chart_next[i])
        trace->track_flags[i] =
            (RowFlags)((trace->track_flags[i] & ~TRACK_SAME_SCALE) | (flag & TRACK_SAME_SCALE));
    row_change_end(view, ROW_CHANGE_IS_STEP);
}

/* Finds the counter of a process with a title; UINT32_MAX: no such counter. */
static uint32_t find_counter(const TraceView *trace, uint32_t process, StringView title)
{
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        const OutlineTrack *track = &trace->outline.tracks[i];
        if (track->kind == TRACK_KIND_COUNTER && track->process == process &&
            string_equal(track->title, title))
            return i;
    }
    return UINT32_MAX;
}

/* Returns the text before the next comma, and moves *names behind it. */
static StringView next_name(StringView *names)
{
    size_t size = 0;
    while (size < names->size && names->bytes[size] != ',')
        size++;
    const StringView name = { names->bytes, size };
    const size_t     used = size < names->size ? size + 1 : size;
    *names = (StringView){ names->bytes + used, names->size - used };
    return name;
}

bool view_join_counters(View *view, const char *names)
{
    bool any = false;
    for (uint32_t t = 0; t < view->trace_count; t++) {
        TraceView *trace = view_trace(view, t);
        StringView rest = c_string_view(names);
        StringView first = next_name(&rest);
        for (uint32_t i = 0; i < trace->outline.track_count;
             i++) { /* the first name decides about the processes */
            const OutlineTrack *track = &trace->outline.tracks[i];
            if (track->kind != TRACK_KIND_COUNTER || !string_equal(track->title, first)) continue;
            any = true;
            for (StringView others = rest; others.size > 0;) {
                const uint32_t other = find_counter(trace, track->process, next_name(&others));
                if (other == UINT32_MAX) return false;
                charts_join(trace, other, i);
                charts_link(trace);
            }
        }
    }
    view->layout.stale = true;
    view->picture.is_stale = true;
    layout_build(view);
    return any;
}
