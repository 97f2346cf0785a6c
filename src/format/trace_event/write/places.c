#include "format/trace_event/write/places.h"

#include "format/writer_ids.h"

#include <string.h>

bool writer_replaces_id(Ident ident)
{
    return ident.kind != IDENT_NONE && !writer_id_fits(ident, UINT32_MAX);
}

/* Gives the number 0 to the process without an id, because readers take a missing id for 0. */
static void name_zero(WriterPlaces *places, const Trace *trace)
{
    uint32_t nameless = 0;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        if (places->pids[p] == 0) return;
        if (nameless == 0 && trace->processes[p].pid.kind == IDENT_NONE) nameless = p;
    }
    if (nameless != 0) places->pids[nameless] = 0;
}

static bool has_own_thread(const Track *track)
{
    return track->kind == TRACK_THREAD || track->kind == TRACK_STATES;
}

/* Assigns numbers to the threads and states of a process; other tracks get the number of its first thread. Process 0:
 * the tracks without a process. */
static void place_tracks(WriterPlaces *places, const Trace *trace, WriterIds *ids, uint32_t process)
{
    const Process *p = &trace->processes[process];
    uint32_t       begin = process == 0 ? 1 : p->first_track;
    uint32_t       end = process == 0 ? trace->track_count + 1 : begin + p->track_count;
    uint32_t       main = 0;
    writer_ids_enter(ids, process);
    for (uint32_t t = begin; t < end; t++) {
        const Track *track = &trace->tracks[t];
        WriterPlace *place = &places->tracks[t];
        if (track->process.index != process || !has_own_thread(track)) continue;
        bool is_thread = track->kind == TRACK_THREAD;
        place->pid = places->pids[process];
        place->tid = is_thread ? writer_ids_thread(ids, t) : writer_ids_new(ids);
        if (main == 0) main = t;
    }
    uint64_t other = main != 0 ? places->tracks[main].tid : writer_ids_new(ids);
    for (uint32_t t = begin; t < end; t++) {
        const Track *track = &trace->tracks[t];
        if (track->process.index != process || has_own_thread(track)) continue;
        places->tracks[t] = (WriterPlace){ .pid = places->pids[process], .tid = other };
        if (track->kind == TRACK_SAMPLES) places->tracks[track_thread(trace, t)].has_samples = true;
    }
}

bool writer_places_make(WriterPlaces *places, const Trace *trace, Arena *arena)
{
    WriterIds ids;
    *places = (WriterPlaces){ .trace = trace,
                              .tracks = ARENA_ARRAY(arena, WriterPlace, (size_t)trace->track_count + 1),
                              .own_format = strcmp(trace->source.format_name, "trace-event") == 0 };
    if (places->tracks == NULL || !writer_ids_open(&ids, trace, UINT32_MAX, UINT32_MAX, arena)) return false;
    places->pids = ids.pids;
    name_zero(places, trace);
    for (uint32_t p = 0; p <= trace->process_count; p++)
        place_tracks(places, trace, &ids, p);
    return true;
}
