/* format/trace_event/read/track.h - finds the thread of a pid and tid, in any of their spellings. */
#ifndef FORMAT_TRACE_EVENT_READ_TRACK_H
#define FORMAT_TRACE_EVENT_READ_TRACK_H
#include "format/trace_event/read/emit.h"

/* As emitter_thread, without the cache. */
TrackId emitter_find_thread(Emitter *emitter, const RawEvent *event);
/* As emitter_thread_of, for another thread than that of the latest event. */
TrackId emitter_find_thread_of(Emitter *emitter, int64_t pid, int64_t tid);

/* Returns the thread of a numeric pid and tid. */
static inline TrackId emitter_thread_of(Emitter *emitter, int64_t pid, int64_t tid)
{
    const TrackSlot *recent = &emitter->recent;
    if (LIKELY(recent->pid == pid && recent->tid == tid && recent->thread.index != 0)) return recent->thread;
    return emitter_find_thread_of(emitter, pid, tid);
}

/* Returns the thread of the event's pid and tid. A missing pid counts as 0, a missing tid as the pid. */
static inline TrackId emitter_thread(Emitter *emitter, const RawEvent *event)
{
    const uint32_t both = 1u << KEY_PID | 1u << KEY_TID;
    if (UNLIKELY((event->quick & both) != both)) return emitter_find_thread(emitter, event);
    return emitter_thread_of(emitter, event->number[KEY_PID], event->number[KEY_TID]);
}

/* Reads an id like a pid or tid. IDENT_NONE: counts as missing. */
Ident emitter_ident(Emitter *emitter, const JsonValue *value);
/* Adds a number to a set. Returns false if the set has it, or when out of memory. */
static inline bool emitter_first(Emitter *emitter, IndexSet *set, uint32_t index)
{
    return index_set_add(set, index, &emitter->failed);
}
/* Returns the process of the event's pid. */
ProcessId emitter_process(Emitter *emitter, const RawEvent *event);
typedef enum { SOURCE_ID_OF_PROCESS, SOURCE_ID_OF_THREAD } SourceIdKind;
/* Maps the event's pid, or its pid and tid, to this original id (source_ids.h). The id also becomes the name if it
 * equals the title. Returns false if it cannot be mapped. */
bool emitter_add_source_id(Emitter *emitter, const RawEvent *event, SourceIdKind kind, const JsonValue *value,
                           const JsonValue *title);

#endif
