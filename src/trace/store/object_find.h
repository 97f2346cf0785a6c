/* trace/store/object_find.h - look-ups in a trace's objects and contexts: the snapshot of an object at a time, the life of a
 * slice, the active contexts. Any thread may call them. */
#ifndef TRACE_STORE_OBJECT_FIND_H
#define TRACE_STORE_OBJECT_FIND_H
#include "trace/store/trace.h"

#define LIFE_NONE UINT32_MAX
#define SNAPSHOT_NONE UINT64_MAX

/* Returns the object with this id in a process (index into Trace.processes), or NULL. */
const Object *object_find(const Trace *trace, uint32_t process, StringId scope, StringId id);
/* Returns its life at a time: from its begin up to, but not including, its end. LIFE_NONE if it is not alive then. */
uint32_t object_life_at(const Trace *trace, const Object *object, int64_t tick);
/* Returns the instant of the last snapshot of a life at or before `tick`, otherwise of its first one; SNAPSHOT_NONE if
 * it has none. */
uint64_t object_snapshot_at(const Trace *trace, uint32_t life, int64_t tick);

/* Return a life, and the object that has it. */
static inline const ObjectLife *object_life(const Trace *trace, uint32_t life)
{
    return &trace->objects.lives[life];
}
static inline const Object *object_of_life(const Trace *trace, const ObjectLife *life)
{
    return &trace->objects.objects[life->object];
}
/* Returns the instant of snapshot `nth` of a life, in order of time; SNAPSHOT_NONE if it has no more. */
static inline uint64_t object_snapshot(const Trace *trace, const ObjectLife *life, uint64_t nth)
{
    return nth < life->snapshot_count ? trace->objects.snapshots[life->first_snapshot + nth] : SNAPSHOT_NONE;
}

/* Returns the life that a slice or an instant shows; LIFE_NONE if it is not on a TRACK_OBJECTS. */
uint32_t object_life_of_slice(const Trace *trace, uint64_t slice);
uint32_t object_life_of_instant(const Trace *trace, uint64_t instant);

/* Returns the next context of the thread (its track), from the *at-th on, that is active at a time; *at is then the one
 * after it. NULL at the end. */
const Context *context_next(const Trace *trace, uint32_t thread, int64_t tick, uint32_t *at);

/* Returns the id of the memory dump with a part at this offset of the input, or STRING_NONE. */
StringId dump_id_at(const Trace *trace, uint64_t offset);

#endif
