/* format/trace_event/read/source_ids.h - restores the ids of processes and threads that our writer replaced.
 *
 * All viewers accept only ids of 32 bits (write/places.h). So our writer replaces every other id by such a number and
 * stores the original id in an M event: process_name or thread_name with an argument "source_id" beside "name". For
 * other readers the event is a name. This reader takes it as the id of each event with that number, not as an event
 * or a name. */
#ifndef FORMAT_TRACE_EVENT_READ_SOURCE_IDS_H
#define FORMAT_TRACE_EVENT_READ_SOURCE_IDS_H
#include "base/string_table.h"
#include "trace/log/builder.h"

/* An id, and the default name that it gives if it is a text. */
typedef struct IdValue {
    Ident    ident; /* IDENT_NONE: missing */
    StringId name;
} IdValue;

/* A map from written numbers to original ids, allocated in an arena. A zeroed one is empty. */
typedef struct SourceIds {
    StringTable *keys;
    IdValue     *ids; /* by StringId of the key */
    uint32_t     capacity;
} SourceIds;

/* Maps a number to `source`: the number of a process, or (tid not IDENT_NONE) of a thread of the process with that
 * number. False if the writer would not use that number, or when out of memory. */
bool source_ids_add(SourceIds *sources, Arena *arena, Ident pid, Ident tid, IdValue source);

/* Replaces *id by its original id, if it has one: of a process (pid IDENT_NONE), or of a thread of the process
 * written as `pid`. */
void source_ids_resolve(const SourceIds *sources, Ident pid, IdValue *id);

#endif
