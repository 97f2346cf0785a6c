#include "trace/store/choose_tracks.h"

#include <string.h>

static bool is_called(const Trace *trace, uint32_t track, StringView name)
{
    Bytes ident = { 0 };
    trace_ident_append(trace, track_tid(&trace->tracks[track]), &ident);
    bool is_ident = string_equal(bytes_view(&ident), name);
    bytes_release(&ident);
    return is_ident || string_equal(trace_string(trace, trace->tracks[track].name), name);
}

/* True if the title contains the text. Releases the title. */
static bool contains(Bytes *title, StringView part)
{
    bool is_found = false;
    for (size_t at = 0; at + part.size <= title->size && !is_found; at++)
        is_found = memcmp(title->data + at, part.bytes, part.size) == 0;
    bytes_release(title);
    return is_found;
}

static bool title_contains(const Trace *trace, uint32_t track, StringView part)
{
    Bytes title = { 0 };
    trace_track_title(trace, track, &title);
    return contains(&title, part);
}

static bool process_contains(const Trace *trace, uint32_t process, StringView part)
{
    Bytes title = { 0 };
    trace_process_title(trace, process, &title);
    return contains(&title, part);
}

uint32_t choose_tracks_called(const Trace *trace, StringView name, uint32_t *tracks)
{
    uint32_t count = 0;
    for (uint32_t track = 1; track <= trace->track_count; track++)
        if (is_called(trace, track, name)) tracks[count++] = track;
    if (count > 0) return count;
    for (uint32_t track = 1; track <= trace->track_count; track++)
        if (title_contains(trace, track, name)) tracks[count++] = track;
    return count;
}

uint32_t choose_tracks_matching(const Trace *trace, StringView name, uint32_t *tracks)
{
    uint32_t count = choose_tracks_called(trace, name, tracks);
    if (count > 0) return count;
    for (uint32_t i = 1; i <= trace->process_count; i++) {
        const Process *process = &trace->processes[i];
        if (!process_contains(trace, i, name)) continue;
        for (uint32_t track = 0; track < process->track_count; track++)
            tracks[count++] = process->first_track + track;
    }
    return count;
}

uint32_t choose_tracks_all(const Trace *trace, uint32_t *tracks)
{
    uint32_t count = 0;
    for (uint32_t track = 1; track <= trace->track_count; track++)
        if (!trace->tracks[track].divides) tracks[count++] = track;
    return count;
}
