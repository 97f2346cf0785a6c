#include "app/session/found_slices.h"

#include <string.h>

enum { STRETCH_MATCHES = 65536 };

bool found_slices_open(FoundSlices *found, const Loaded *loaded, StringView text, FindWhere where, unsigned threads,
                       Arena *arena, Err *err)
{
    const Trace *trace = loaded->trace;
    *found = (FoundSlices){ .loaded = loaded, .bytes = (size_t)(trace->slices.count / 8) + 1 };
    found->readers = ARENA_NEW(arena, EventReaders);
    found->slices = memory_map(found->bytes);
    if (found->readers == NULL || found->slices == NULL)
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    if (!find_pattern_parse(&found->pattern, text, &trace->clock, arena, err)) return false;
    if (!event_readers_open(found->readers, loaded, &found->pattern, threads))
        return err_set(err, ERR_MEMORY, "out of memory for a search");
    found->stretch = (FindStretch){ .pattern = &found->pattern,
                                    .where = where,
                                    .sources = found->readers->sources,
                                    .source_count = found->readers->count,
                                    .most = STRETCH_MATCHES };
    return true;
}

bool found_slices_step(FoundSlices *found, Err *err)
{
    FoundStretch stretch = { .ended = false };
    const bool   done = find_stretch(found->loaded->trace, &found->stretch, &stretch, err);
    const EventMatch *matches = (const EventMatch *)(const void *)stretch.matches.data;
    for (size_t i = 0; done && i < stretch.matches.size / sizeof *matches; i++) {
        const OrderedEvent *event = &matches[i].event;
        if (event->kind != ORDER_SLICE) continue;
        found->slices[event->id / 8] |= (uint8_t)(1U << event->id % 8);
        found->count++;
    }
    found->is_complete = stretch.ended;
    if (done) found->share = find_share(found->loaded->trace, &stretch);
    found->last = stretch.last;
    found->stretch.behind = &found->last;
    found_stretch_release(&stretch);
    if (found->is_complete) event_readers_release(found->readers);
    return done;
}

bool found_slices_all(FoundSlices *found, const Loaded *loaded, const char *text, unsigned threads, Arena *arena, Err *err)
{
    bool done = found_slices_open(found, loaded, (StringView){ text, strlen(text) }, FIND_EVERYWHERE, threads, arena, err);
    while (done && !found->is_complete)
        done = found_slices_step(found, err);
    return done;
}

void found_slices_release(FoundSlices *found)
{
    if (found->readers != NULL) event_readers_release(found->readers);
    find_pattern_release(&found->pattern);
    memory_unmap(found->slices, found->bytes);
    *found = (FoundSlices){ .slices = NULL };
}
