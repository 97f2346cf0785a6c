#include "view/charts.h"

static bool is_counter(const TraceView *trace, uint32_t track)
{
    return trace->outline.tracks[track].kind == TRACK_KIND_COUNTER;
}

/* Returns the chart that the trace asks for. `last`: that of the last counter before it that shares a chart. */
static uint32_t default_chart(const TraceView *trace, uint32_t track, uint32_t last)
{
    const OutlineTrack *tracks = trace->outline.tracks;
    const bool          shares = is_counter(trace, track) && tracks[track].shares_chart;
    return shares && last != UINT32_MAX && tracks[last].process == tracks[track].process ? last : track;
}

bool charts_init(TraceView *trace)
{
    trace->chart = ARENA_ARRAY(&trace->arena, uint32_t, trace->outline.track_count);
    trace->chart_next = ARENA_ARRAY(&trace->arena, uint32_t, trace->outline.track_count);
    if (trace->chart == NULL || trace->chart_next == NULL) return false;
    charts_reset(trace);
    return true;
}

void charts_reset(TraceView *trace)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        trace->chart[i] = default_chart(trace, i, last);
        if (is_counter(trace, i) && trace->outline.tracks[i].shares_chart) last = trace->chart[i];
    }
    charts_link(trace);
}

bool charts_are_default(const TraceView *trace)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        const uint32_t chart = default_chart(trace, i, last);
        if (trace->chart[i] != chart) return false;
        if (is_counter(trace, i) && trace->outline.tracks[i].shares_chart) last = chart;
    }
    return true;
}

void charts_link(TraceView *trace)
{
    const uint32_t count = trace->outline.track_count;
    uint32_t      *chart = trace->chart, *next = trace->chart_next;
    for (uint32_t i = 0; i < count; i++)
        next[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) { /* the first counter of each chart */
        if (chart[i] >= count || !is_counter(trace, i)) chart[i] = i;
        if (next[chart[i]] == UINT32_MAX) next[chart[i]] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        chart[i] = next[chart[i]];
    for (uint32_t i = 0; i < count; i++)
        next[i] = UINT32_MAX;
    for (uint32_t i = count; i-- > 0;) {
        if (chart[i] == i) continue;
        next[i] = next[chart[i]];
        next[chart[i]] = i;
    }
}

void charts_join(TraceView *trace, uint32_t counter, uint32_t other)
{
    const uint32_t from = trace->chart[counter], to = trace->chart[other];
    if (!is_counter(trace, counter) || !is_counter(trace, other)) return;
    for (uint32_t i = from; i != UINT32_MAX; i = trace->chart_next[i])
        trace->chart[i] = to;
}

void charts_separate(TraceView *trace, uint32_t chart)
{
    for (uint32_t i = trace->chart[chart]; i != UINT32_MAX; i = trace->chart_next[i])
        trace->chart[i] = i;
    charts_link(trace);
}

bool chart_has(const TraceView *trace, uint32_t counter)
{
    return (trace->track_flags[counter] & TRACK_HIDDEN) == 0 &&
           trace->outline.tracks[counter].row_count > 0 && trace->outline.tracks[counter].has_events;
}

ChartList chart_list(const TraceView *trace, uint32_t chart)
{
    ChartList list = { 0 };
    for (uint32_t i = chart; i != UINT32_MAX; i = trace->chart_next[i]) {
        if (i != chart && !chart_has(trace, i)) continue;
        const uint32_t rows = trace->outline.tracks[i].row_count;
        list.counters += rows > 0;
        list.total += rows;
        for (uint32_t row = 0; row < rows && list.count < CHART_SERIES; row++)
            list.series[list.count++] = (ChartSeries){ i, row };
    }
    return list;
}
