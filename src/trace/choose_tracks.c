#include "trace/choose_tracks.h"

#include <string.h>

static bool is_called(const Trace *trace, uint32_t track, StringView name)
{
    Bytes ident = { 0 };
    trace_ident_append(trace, trace->tracks[track].tid, &ident);
    bool is_ident = string_equal(bytes_view(&ident), name);
    bytes_release(&ident);
    return is_ident || string_equal(trace_string(trace, trace->tracks[track].name), name);
}

static bool title_contains(const Trace *trace, uint32_t track, StringView part)
{
    Bytes title = { 0 };
    bool  contains = false;
    trace_track_title(trace, track, &title);
    for (size_t at = 0; at + part.size <= title.size && !contains; at++)
        contains = memcmp(title.data + at, part.bytes, part.size) == 0;
    bytes_release(&title);
    return contains;
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

uint32_t choose_tracks_all(const Trace *trace, uint32_t *tracks)
{
    uint32_t count = 0;
    for (uint32_t track = 1; track <= trace->track_count; track++)
        if (!trace->tracks[track].divides) tracks[count++] = track;
    return count;
}
