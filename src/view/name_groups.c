#include "view/name_groups.h"

#include "base/index_sort.h"
#include "view/layout.h"
#include "view/row_order.h"

#include <assert.h>

typedef struct Titles {
    const uint64_t *hashes;
} Titles;

static int compare_hashes(const void *user, uint32_t left, uint32_t right)
{
    const Titles *titles = user;
    if (titles->hashes[left] != titles->hashes[right])
        return titles->hashes[left] < titles->hashes[right] ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* Returns the title by which a track is grouped. */
static StringView title_of(const TraceView *trace, uint32_t track)
{
    const uint32_t thread = row_thread_with_states(&trace->outline, track);
    return trace->outline.tracks[thread == UINT32_MAX ? track : thread].title;
}

/* True if the track is above its thread, whose states it has. */
static bool is_second(const TraceView *trace, uint32_t track)
{
    const uint32_t thread = row_thread_with_states(&trace->outline, track);
    return thread != UINT32_MAX && thread != track;
}

/* Puts the tracks at [first, end) of the order into a group, if they are several. */
static bool make_group(TraceView *trace, const uint32_t *order, uint32_t first, uint32_t end)
{
    NameGroups *groups = &trace->names;
    uint32_t    threads = 0;
    for (uint32_t i = first; i < end; i++)
        threads += !is_second(trace, order[i]);
    if (threads < 2) return true;
    const uint32_t   group = order[first];
    const StringView title = title_of(trace, group);
    char            *text = ARENA_ARRAY(&trace->arena, char, title.size + 1);
    if (text == NULL) return false;
    groups->titles[group] = (StringView){ text, colour_plain_name(title.bytes, title.size, text) };
    for (uint32_t i = first; i < end; i++)
        groups->group_of[order[i]] = group;
    return true;
}

bool name_groups_make(TraceView *trace)
{
    const uint32_t count = trace->outline.track_count;
    NameGroups    *groups = &trace->names;
    if (groups->group_of != NULL || count == 0) return true;
    const LayoutEmptyTracks empty = layout_empty_tracks(trace);
    Arena                   scratch = arena_create(0);
    uint32_t               *group_of = ARENA_ARRAY(&trace->arena, uint32_t, count);
    groups->titles = ARENA_ARRAY(&trace->arena, StringView, count);
    groups->items = ARENA_ARRAY(&trace->arena, uint32_t, count);
    groups->counts = ARENA_ARRAY(&trace->arena, HeadCounts, count);
    uint64_t *hashes = ARENA_ARRAY(&scratch, uint64_t, count);
    uint32_t *order = ARENA_ARRAY(&scratch, uint32_t, count);
    uint32_t *swap = ARENA_ARRAY(&scratch, uint32_t, (size_t)count / 2 + 1);
    bool      done = group_of != NULL && groups->titles != NULL && groups->items != NULL &&
                groups->counts != NULL && hashes != NULL && order != NULL && swap != NULL;
    uint32_t used = 0;
    for (uint32_t i = 0; done && i < count; i++) {
        const StringView title = title_of(trace, i);
        group_of[i] = UINT32_MAX;
        groups->items[i] = UINT32_MAX;
        hashes[i] = colour_hash(title.bytes, title.size);
        if (layout_track_has_rows(&trace->outline.tracks[i], empty)) order[used++] = i;
    }
    if (done) {
        const Titles titles = { hashes };
        index_sort(order, used, swap, compare_hashes, &titles);
        groups->group_of = group_of;
    }
    for (uint32_t first = 0, end; done && first < used; first = end) {
        for (end = first + 1; end < used && hashes[order[end]] == hashes[order[first]];)
            end++;
        done = make_group(trace, order, first, end);
    }
    if (!done) groups->group_of = NULL;
    arena_release(&scratch);
    return done;
}

uint32_t name_group_of(const TraceView *trace, uint32_t track)
{
    return trace->names.group_of == NULL ? UINT32_MAX : trace->names.group_of[track];
}

StringView name_group_title(const TraceView *trace, uint32_t group)
{
    assert(name_group_of(trace, group) == group);
    return trace->names.titles[group];
}

void name_group_open(TraceView *trace, uint32_t group)
{
    for (uint32_t i = 0; i < trace->outline.track_count; i++)
        if (name_group_of(trace, i) == group) trace->track_flags[i] &= (RowFlags)~TRACK_GROUP_CLOSED;
}

void name_group_close(TraceView *trace, uint32_t group)
{
    for (uint32_t i = 0; i < trace->outline.track_count; i++)
        if (name_group_of(trace, i) == group) trace->track_flags[i] |= TRACK_GROUP_CLOSED;
}
