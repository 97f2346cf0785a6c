/* format/apitrace/threads.h - the threads of a capture as tracks: which calls and debug groups are open on each.
 *
 * On one thread calls nest, and go to the builder as begins and ends, many at a time: what else is told to
 * the builder comes behind api_threads_flush, so that it learns all in the order of the file. Before version
 * 4 all threads share one number and their calls overlap: they go there whole, when they return, and the
 * builder finds lanes for them. */
#ifndef FORMAT_APITRACE_THREADS_H
#define FORMAT_APITRACE_THREADS_H
#include "trace/builder.h"

typedef struct OpenSlice {
    uint64_t call; /* its number; of a group: of the call that opened it */
    bool     is_group;
    int64_t  tick; /* this and what follows only where slices go to the builder when they end */
    LabelId  label;
    EventPos pos;
} OpenSlice;

typedef enum { OPEN_CALL, OPEN_GROUP } OpenKind;

typedef struct ApiThread {
    uint32_t   id;
    TrackId    track;
    OpenSlice *open; /* in the arena */
    size_t     depth, capacity;
    uint64_t   last_call; /* the largest number of those that began here */
} ApiThread;

typedef struct ApiThreads {
    Arena        *arena;   /* borrowed */
    TraceBuilder *builder; /* borrowed */
    ProcessId     process;
    bool          whole;   /* slices go to the builder when they end */
    bool          at_once; /* no mark waits for others */
    ApiThread   **slots;   /* by hash of id */
    size_t        count, capacity;
    ApiThread    *last;
    MarkBatch     marks; /* of the thread marks_of, that the builder does not have yet */
    TrackId       marks_of;
    bool          out_of_memory;
} ApiThreads;

/* Made when new; NULL when out of memory. */
ApiThread               *api_thread_find(ApiThreads *threads, uint32_t id);
static inline ApiThread *api_thread(ApiThreads *threads, uint32_t id)
{
    ApiThread *last = threads->last; /* mostly the same as before */
    return LIKELY(last != NULL && last->id == id) ? last : api_thread_find(threads, id);
}
void api_thread_begin(ApiThreads *threads, ApiThread *thread, OpenKind kind, uint64_t call, int64_t tick,
                      LabelId label, EventPos pos);
/* A call that returns at the next event: its slice is from `tick` to the next one. */
void api_thread_call(ApiThreads *threads, const ApiThread *thread, int64_t tick, LabelId label,
                     EventPos begin, EventPos end);
/* Ends call `call`. False: it was not the innermost, and what was inside it ended with it. */
bool api_thread_end(ApiThreads *threads, ApiThread *thread, uint64_t call, int64_t tick, EventPos pos,
                    unsigned flags);
/* Ends the innermost group, if it is the innermost slice. */
bool api_thread_end_group(ApiThreads *threads, ApiThread *thread, int64_t tick, EventPos pos);
/* Gives the builder what it does not have yet. */
void api_threads_flush(ApiThreads *threads);
/* All that never ended: at the end of the input. */
void api_threads_finish(ApiThreads *threads);

#endif
