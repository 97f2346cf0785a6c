#include "view/wide_tracks.h"

#include "base/search.h"

static bool is_wide(const OutlineTrack *track, WideTrackKind kind)
{
    switch (kind) {
    case WIDE_PROCESS_INSTANTS:
        return track->kind == TRACK_KIND_PROCESS_INSTANTS;
    case WIDE_GLOBAL_INSTANTS:
        return track->kind == TRACK_KIND_GLOBAL_INSTANTS;
    case WIDE_BOUNDARIES:
        return track->divides;
    case WIDE_TRACK_KINDS:
        break;
    }
    return false;
}

bool wide_tracks_init(TraceView *trace)
{
    const Outline *outline = &trace->outline;
    for (WideTrackKind kind = 0; kind < WIDE_TRACK_KINDS; kind++) {
        WideTracks *wide = &trace->wide[kind];
        uint32_t    count = 0;
        for (uint32_t i = 0; i < outline->track_count; i++)
            count += is_wide(&outline->tracks[i], kind);
        wide->tracks = ARENA_ARRAY(&trace->arena, uint32_t, count);
        if (wide->tracks == NULL) return false;
        for (uint32_t i = 0; i < outline->track_count; i++)
            if (is_wide(&outline->tracks[i], kind)) wide->tracks[wide->count++] = i;
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
