#include "export/call_tree.h"

bool call_tree_add(Flame *flame, const Trace *trace, const uint32_t *tracks, uint32_t track_count, FlameRoots roots, Err *err)
{
    FlameQuery query = { .begin_tick = INT64_MIN,
                         .end_tick = INT64_MAX,
                         .tracks = tracks,
                         .track_count = track_count,
                         .kinds = 1U << TRACK_THREAD | 1U << TRACK_SAMPLES,
                         .roots = roots };
    if (trace->has_window) {
        query.begin_tick = trace->window_begin;
        query.end_tick = trace->window_end;
    }
    return flame_add_slices(flame, trace, &query, NULL, err);
}
