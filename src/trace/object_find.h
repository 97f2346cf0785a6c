/* trace/object_find.h - questions about a trace's objects and contexts: which snapshot shows an object at
 * some time, whose life a bar is, which contexts are active. Any number of threads may ask. */
#ifndef TRACE_OBJECT_FIND_H
#define TRACE_OBJECT_FIND_H
#include "trace/trace.h"

#define LIFE_NONE UINT32_MAX
#define SNAPSHOT_NONE UINT64_MAX

/* The object of this id, of a process (index into Trace.processes), or NULL. */
const Object *object_find(const Trace *trace, uint32_t process, StringId scope, StringId id);
/* Its life at a time: from its begin on, up to but without its end. LIFE_NONE when it does not live then. */
uint32_t object_life_at(const Trace *trace, const Object *object, int64_t tick);
/* The instant of the last snapshot of a life that is not later than `tick`, else of its first one;
 * SNAPSHOT_NONE when it has none. */
uint64_t object_snapshot_at(const Trace *trace, uint32_t life, int64_t tick);

/* Returns the life that a slice or an instant shows; LIFE_NONE if it is not on a TRACK_OBJECTS. */
uint32_t object_life_of_slice(const Trace *trace, uint64_t slice);
uint32_t object_life_of_instant(const Trace *trace, uint64_t instant);

/* The next context of the thread (its track), from the *at-th on, that is active at a time; *at is then
 * behind it. NULL at the end. */
const Context *context_next(const Trace *trace, uint32_t thread, int64_t tick, uint32_t *at);

/* Returns the id of the memory dump with a part at this offset of the input, or STRING_NONE. */
StringId dump_id_at(const Trace *trace, uint64_t offset);

#endif
