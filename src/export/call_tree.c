#include "export/call_tree.h"

#include "trace/store/window.h"

bool call_tree_add(Flame *flame, const Trace *trace, const uint32_t *tracks, uint32_t track_count,
                   FlameRoots roots, Err *err)
{
    FlameQuery query = { .part.tracks = tracks,
                         .part.track_count = track_count,
                         .part.kinds = 1U << TRACK_THREAD | 1U << TRACK_SAMPLES,
                         .roots = roots };
    trace_window_range(trace, &query.part.begin_tick, &query.part.end_tick);
    return flame_add_slices(flame, trace, &query, err);
}
