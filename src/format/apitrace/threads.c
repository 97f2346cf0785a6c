#include "format/apitrace/threads.h"

#include <assert.h>
#include <string.h>

static ApiThread *thread_at(const ApiThreads *threads, size_t index)
{
    assert(index < threads->all.count);
    return threads->all.items[index];
}

static ApiThread *add_thread(ApiThreads *threads, uint32_t id)
{
    ApiThread *thread = ARENA_NEW(threads->arena, ApiThread);
    if (thread == NULL) return NULL;
    *thread = (ApiThread){ .id = id };
    ApiThread **place = ARENA_LIST_PUSH(&threads->all, threads->arena);
    if (place == NULL) return NULL;
    *place = thread;
    threads->by_id.arena = threads->arena;
    if (!id_map_put(&threads->by_id, id, (uint32_t)threads->all.count)) return NULL;
    thread->track = builder_thread(threads->builder, threads->process, ident_int(id));
    return thread;
}

ApiThread *api_thread_find(ApiThreads *threads, uint32_t id)
{
    const uint32_t found = id_map_find(&threads->by_id, id);
    ApiThread     *thread = found != 0 ? thread_at(threads, found - 1) : add_thread(threads, id);
    if (thread == NULL) threads->out_of_memory = true;
    threads->last = thread;
    return thread;
}

static bool reserve_open(ApiThreads *threads, ApiThread *thread)
{
    OpenSlice *open =
        arena_grow(threads->arena, thread->open, thread->depth, &thread->capacity, sizeof *open);
    if (open == NULL)
        threads->out_of_memory = true;
    else
        thread->open = open;
    return open != NULL;
}

void api_threads_flush(ApiThreads *threads)
{
    if (threads->marks.count == 0) return;
    builder_add_marks(threads->builder, threads->marks_of, &threads->marks);
    threads->marks.count = 0;
}

static inline void add_mark(ApiThreads *threads, TrackId track, int64_t tick, LabelId label, EventPos pos,
                            unsigned flags)
{
    if (UNLIKELY(threads->marks_of.index != track.index || !mark_batch_takes(&threads->marks, pos))) {
        api_threads_flush(threads);
        threads->marks_of = track;
    }
    mark_batch_add(&threads->marks, tick, label, pos, flags);
    if (UNLIKELY(threads->at_once)) api_threads_flush(threads);
}

void api_thread_begin(ApiThreads *threads, ApiThread *thread, OpenKind kind, uint64_t call, int64_t tick,
                      LabelId label, EventPos pos)
{
    if (UNLIKELY(!reserve_open(threads, thread))) return;
    assert(thread->depth < thread->capacity);
    OpenSlice *slice = &thread->open[thread->depth++];
    slice->call = call;
    slice->is_group = kind == OPEN_GROUP;
    if (threads->whole) {
        slice->tick = tick;
        slice->label = label;
        slice->pos = pos;
    } else {
        add_mark(threads, thread->track, tick, label, pos, EVENT_DETAILS);
    }
}

void api_thread_call(ApiThreads *threads, const ApiThread *thread, int64_t tick, LabelId label,
                     EventPos begin, EventPos end)
{
    assert(!threads->whole);
    add_mark(threads, thread->track, tick, label, begin, EVENT_DETAILS);
    add_mark(threads, thread->track, tick + 1, LABEL_NONE, end, MARK_END);
}

/* Ends the open slice at index `at`. */
static void end_slice(ApiThreads *threads, ApiThread *thread, size_t at, int64_t tick, EventPos pos,
                      unsigned flags)
{
    assert(at < thread->depth);
    const OpenSlice *slice = &thread->open[at];
    if (threads->whole) {
        builder_complete(threads->builder, thread->track, slice->tick, tick, slice->label, slice->pos,
                         EVENT_DETAILS);
    } else {
        add_mark(threads, thread->track, tick, LABEL_NONE, pos, flags | MARK_END);
    }
    thread->depth--;
    size_t behind = thread->depth - at;
    if (behind > 0) memmove(&thread->open[at], &thread->open[at + 1], behind * sizeof *slice);
}

bool api_thread_end(ApiThreads *threads, ApiThread *thread, uint64_t call, int64_t tick, EventPos pos,
                    unsigned flags)
{
    bool   nested = true;
    size_t at = thread->depth;
    while (at > 0 && !(thread->open[at - 1].call == call && !thread->open[at - 1].is_group))
        at--;
    if (at == 0) return false;
    while (!threads->whole && thread->depth > at) { /* the builder can end the innermost one only */
        end_slice(threads, thread, thread->depth - 1, tick, pos, 0);
        nested = false;
    }
    end_slice(threads, thread, at - 1, tick, pos, flags);
    return nested;
}

bool api_thread_end_group(ApiThreads *threads, ApiThread *thread, int64_t tick, EventPos pos)
{
    size_t at = thread->depth;
    while (threads->whole && at > 0 && !thread->open[at - 1].is_group)
        at--;
    if (at == 0 || !thread->open[at - 1].is_group) return false;
    end_slice(threads, thread, at - 1, tick, pos, 0);
    return true;
}

void api_threads_finish(ApiThreads *threads)
{
    for (size_t i = 0; threads->whole && i < threads->all.count; i++) {
        const ApiThread *thread = thread_at(threads, i);
        for (size_t at = 0; at < thread->depth; at++) {
            const OpenSlice *slice = &thread->open[at];
            builder_complete(threads->builder, thread->track, slice->tick, slice->tick, slice->label,
                             slice->pos, EVENT_DETAILS | EVENT_NO_END);
        }
    }
}
