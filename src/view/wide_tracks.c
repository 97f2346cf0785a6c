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

WideTracks wide_tracks_of_process(const TraceView *trace, uint32_t process)
{
    const OutlineProcess *it = &trace->outline.processes[process];
    const WideTracks     *wide = &trace->wide[WIDE_PROCESS_INSTANTS];
    const uint32_t        end_track = it->first_track + it->track_count;
    uint32_t              first = 0, count = 0;
    LOWER_BOUND(uint32_t, first, wide->count, i, wide->tracks[i] < it->first_track);
    while (first + count < wide->count && wide->tracks[first + count] < end_track)
        count++;
    return (WideTracks){ wide->tracks + first, count };
}
