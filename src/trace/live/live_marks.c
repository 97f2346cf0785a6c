/* Instants of processes and of the whole trace, in a growing trace. Some of them show raw events. */
#include "trace/live/live_state.h"

static const TrackKind TRACK_OF[MARKS_KINDS] = { [MARKS_EVENTS] = TRACK_PROCESS_INSTANTS,
                                                 [MARKS_DERIVED] = TRACK_PROCESS_INSTANTS,
                                                 [MARKS_DUMPS] = TRACK_DUMPS };

static bool add_mark(LiveTrace *live, LiveTrack *track, const InstantMark *mark, uint32_t stack)
{
    LiveRow *row = live_row_get(live, track, 0, 0);
    if (row == NULL || !live_instant_add(live, row, &(LiveInstant){ *mark, stack, 0 })) return false;
    live->event_count++;
    track->instant_count++;
    live_note_change(live, track, mark->tick);
    return true;
}

static bool add_log(LiveTrace *live, LiveTrack *track, const InstantLog *log)
{
    StackCursor stacks = stack_cursor_over(live->builder, log->stacks);
    uint64_t    n = 0;
    for (const InstantChunk *chunk = log->first; chunk != NULL; chunk = chunk->next)
        for (uint64_t i = 0; i < chunk->count; i++)
            if (!add_mark(live, track, &chunk->marks[i], stack_cursor_take(&stacks, n++))) return false;
    return true;
}

/* Takes the instants after the end of the trace out of their row. The end moves back when the last sample of a stack turns out to
 * hold for a shorter time. */
static void take_back_moments(LiveTrace *live, LiveTrack *track)
{
    LiveRow      *row = live_row_find(track, 0, 0);
    const int64_t end = live->trace.end_tick;
    if (row == NULL || end == INT64_MAX) return;
    const uint32_t count = row->row.extras->instant_count;
    const uint32_t left = row_instant_bound(&live->trace, &row->row, end + 1);
    for (uint32_t i = left; i < count; i++) {
        const InstantMark moment = live_instant_at(live, row, i).mark;
        bytes_append(&live->marks.moments, &moment, sizeof moment);
        live_note_change(live, track, moment.tick);
    }
    live_instants_cut(row, left);
    live->event_count -= count - left;
    track->instant_count -= count - left;
}

/* Adds the instants inside the time range of the trace. The others wait until the trace reaches them. */
static bool add_moments(LiveTrace *live, LiveTrack *track)
{
    const Trace *trace = &live->trace;
    take_back_moments(live, track);
    for (const InstantChunk *chunk = live->builder->global.moments.first; chunk != NULL; chunk = chunk->next)
        bytes_append(&live->marks.moments, chunk->marks, (size_t)chunk->count * sizeof *chunk->marks);
    if (live->marks.moments.failed) {
        live->failed = true;
        return false;
    }
    InstantMark *moments = VECTOR(live->marks.moments, InstantMark);
    size_t       waiting = 0;
    for (size_t i = 0; i < VECTOR_COUNT(live->marks.moments, InstantMark); i++) {
        const int64_t tick = moments[i].tick;
        const bool    is_inside = trace->has_time && tick >= trace->begin_tick && tick <= trace->end_tick;
        if (!is_inside) {
            moments[waiting++] = moments[i];
        } else if (!add_mark(live, track, &moments[i], 0)) {
            return false;
        }
    }
    live->marks.moments.size = waiting * sizeof *moments;
    return true;
}

static const InstantLog *log_of(const ProcessLog *process, int kind)
{
    const InstantLog *logs[MARKS_KINDS] = { [MARKS_EVENTS] = &process_instants(process)->events,
                                            [MARKS_DERIVED] = &process_instants(process)->derived,
                                            [MARKS_DUMPS] = &process_instants(process)->dumps };
    return logs[kind];
}

bool live_marks_absorb(LiveTrace *live)
{
    const ProcessLog *processes = live->builder->processes.all.items;
    const size_t      count = vec_count(&live->builder->processes.all);
    for (int kind = 0; kind < MARKS_KINDS; kind++) {
        if (!live_tracks_grow(live, &live->marks.tracks[kind], count)) return false;
        LiveTrack *tracks = VECTOR(live->marks.tracks[kind], LiveTrack);
        tracks[0].kind = TRACK_GLOBAL_INSTANTS;
        for (size_t i = 1; i < count; i++) {
            tracks[i].kind = TRACK_OF[kind];
            if (!add_log(live, &tracks[i], log_of(&processes[i], kind))) return false;
        }
    }
    return add_log(live, &VECTOR(live->marks.tracks[MARKS_EVENTS], LiveTrack)[0],
                   &live->builder->global.instants) &&
           add_moments(live, &VECTOR(live->marks.tracks[MARKS_DERIVED], LiveTrack)[0]);
}
