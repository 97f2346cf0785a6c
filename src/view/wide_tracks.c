#include "view/wide_tracks.h"

#include "base/search.h"

/* Returns the kind of a track; WIDE_TRACK_KINDS if its events are drawn in its own rows only. */
static WideTrackKind kind_of(const OutlineTrack *track)
{
    if (track->kind == TRACK_KIND_PROCESS_INSTANTS) return WIDE_PROCESS_INSTANTS;
    if (track->kind == TRACK_KIND_GLOBAL_INSTANTS) return WIDE_GLOBAL_INSTANTS;
    return track->divides ? WIDE_BOUNDARIES : WIDE_TRACK_KINDS;
}

bool wide_tracks_init(TraceView *trace)
{
    const Outline *outline = &trace->outline;
    uint32_t       counts[WIDE_TRACK_KINDS + 1] = { 0 };
    for (uint32_t i = 0; i < outline->track_count; i++)
        counts[kind_of(&outline->tracks[i])]++;
    for (int kind = 0; kind < WIDE_TRACK_KINDS; kind++) {
        trace->wide[kind].tracks = ARENA_ARRAY(&trace->arena, uint32_t, counts[kind]);
        if (trace->wide[kind].tracks == NULL) return false;
    }
    for (uint32_t i = 0; i < outline->track_count; i++) {
        const WideTrackKind kind = kind_of(&outline->tracks[i]);
        if (kind == WIDE_TRACK_KINDS) continue;
        WideTracks *wide = &trace->wide[kind];
        wide->tracks[wide->count++] = i;
    }
    return true;
}

uint32_t wide_track_next(const TraceView *trace, WideTrackKind kind, uint32_t first, uint32_t end)
{
    const WideTracks *wide = &trace->wide[kind];
    uint32_t          low = 0;
    LOWER_BOUND(uint32_t, low, wide->count, i, wide->tracks[i] < first);
    return low < wide->count && wide->tracks[low] < end ? wide->tracks[low] : UINT32_MAX;
}
