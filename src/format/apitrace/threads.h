/* format/apitrace/threads.h - the threads of a capture as tracks, with their open calls and debug groups.
 *
 * Calls of a thread nest. They are passed to the builder as batches of begins and ends. Call api_threads_flush before
 * other calls of the builder, so that it gets all events in the order of the file. Before version 4 all threads have
 * the same number and their calls overlap: they are passed as complete slices when they return, and the builder
 * assigns lanes. */
#ifndef FORMAT_APITRACE_THREADS_H
#define FORMAT_APITRACE_THREADS_H
#include "base/id_map.h"
#include "trace/log/builder.h"

typedef struct OpenSlice {
    uint64_t call; /* number of the call, or of the call that opened the group */
    bool     is_group;
    int64_t  tick; /* this and the next members are set only if ApiThreads.whole */
    LabelId  label;
    EventPos pos;
} OpenSlice;

typedef enum { OPEN_CALL, OPEN_GROUP } OpenKind;

typedef struct ApiThread {
    uint32_t   id;
    TrackId    track;
    OpenSlice *open; /* in the arena */
    uint32_t   depth, capacity;
    uint64_t   last_call; /* the largest number of a call that began on this thread */
} ApiThread;

typedef struct ApiThreads {
    Arena        *arena;   /* borrowed */
    TraceBuilder *builder; /* borrowed */
    ProcessId     process;
    bool          whole;   /* slices are passed to the builder when they end */
    bool          at_once; /* events are not collected in batches */
    ARENA_LIST(ApiThread *) all;
    IdMap      by_id; /* 1 + index into all */
    ApiThread *last;
    MarkBatch  marks; /* begins and ends of the thread marks_of that the builder does not have yet */
    TrackId    marks_of;
    bool       out_of_memory;
} ApiThreads;

/* Returns the thread with this id; creates a new one. NULL when out of memory. */
ApiThread               *api_thread_find(ApiThreads *threads, uint32_t id);
static inline ApiThread *api_thread(ApiThreads *threads, uint32_t id)
{
    ApiThread *last = threads->last; /* usually the same thread again */
    return LIKELY(last != NULL && last->id == id) ? last : api_thread_find(threads, id);
}
void api_thread_begin(ApiThreads *threads, ApiThread *thread, OpenKind kind, uint64_t call, int64_t tick,
                      LabelId label, EventPos pos);
/* Adds a call that returns at the next event: a slice from `tick` to the next tick. */
void api_thread_call(ApiThreads *threads, const ApiThread *thread, int64_t tick, LabelId label,
                     EventPos begin, EventPos end);
/* Ends call `call`. Returns false if it was not the innermost slice; the slices inside it end with it. */
bool api_thread_end(ApiThreads *threads, ApiThread *thread, uint64_t call, int64_t tick, EventPos pos,
                    unsigned flags);
/* Ends the innermost slice if it is a group. Returns false otherwise. */
bool api_thread_end_group(ApiThreads *threads, ApiThread *thread, int64_t tick, EventPos pos);
/* Passes the collected events to the builder. */
void api_threads_flush(ApiThreads *threads);
/* Passes the unfinished calls and groups to the builder. Call it at the end of the input. */
void api_threads_finish(ApiThreads *threads);

#endif
