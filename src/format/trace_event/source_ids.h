/* format/trace_event/source_ids.h - ids of processes and threads that stand for others.
 *
 * Viewers agree on numbers of 32 bits alone (writer_places.h), so our writer gives every other id such a
 * number, and says in an M event what it was: process_name or thread_name with an argument "source_id" beside
 * "name". To other readers it is a name; to this one it is a part of the id: no event, no name, and whatever
 * has that number has the id it stands for. */
#ifndef FORMAT_TRACE_EVENT_SOURCE_IDS_H
#define FORMAT_TRACE_EVENT_SOURCE_IDS_H
#include "base/string_table.h"
#include "trace/builder.h"

/* An id, and the name it gives by default: a text that is no number. */
typedef struct IdValue {
    Ident    ident; /* IDENT_NONE: as if it were missing */
    StringId name;
} IdValue;

/* All zero: none stands for another. Lives in an arena. */
typedef struct SourceIds {
    StringTable *keys;
    IdValue     *ids; /* by StringId of the key */
    uint32_t     capacity;
} SourceIds;

/* From now on the number stands for `source`: that of a process, or (tid not IDENT_NONE) of a thread of the
 * process with that number. False when it is no number that the writer would give, or memory is out. */
bool source_ids_add(SourceIds *sources, Arena *arena, Ident pid, Ident tid, IdValue source);

/* Puts in the place of *id what it stands for, if it does: of a process (pid IDENT_NONE), or of a thread of
 * the process that is written as `pid`. */
void source_ids_resolve(const SourceIds *sources, Ident pid, IdValue *id);

#endif
