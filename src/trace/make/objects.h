/* trace/make/objects.h - objects and memory dumps: from the builder's log to tracks. For src/trace only.
 *
 * The events of an object are sorted by time and become lives. Lives of one type in one process share a track, each on
 * the first free lane, with its snapshots on the same row. */
#ifndef TRACE_MAKE_OBJECTS_H
#define TRACE_MAKE_OBJECTS_H
#include "base/vec.h"
#include "trace/make/finish.h"

/* A future life. */
typedef struct ObjectLifeMade {
    int64_t  begin, end;
    uint64_t offset;      /* of its creation, if is_created; otherwise of its first event */
    uint64_t place_flags; /* SLICE_ */
    uint64_t first_snapshot;
    uint32_t snapshot_count;
    uint32_t object, thread, event;
    uint32_t label; /* its first label, whose name is the type */
    uint32_t extra; /* as of an interval */
    StringId category, base_type;
    bool     is_created;
} ObjectLifeMade;

typedef struct ObjectSnapshot {
    int64_t  tick;
    uint64_t offset;
    uint32_t label, thread;
} ObjectSnapshot;

typedef struct ObjectsMade {
    Finish    *finish;
    Workspace *ws;
    VEC(ObjectLifeMade) lives;     /* by object, then time */
    VEC(ObjectSnapshot) snapshots; /* by life, then time */
    IntervalExtras extras;
    Bytes          text;
    TrackWork      work; /* collects warnings */
    bool           failed;
} ObjectsMade;

/* Adds the lives of an object, or of a part of it that begins when it is not alive: `order` gives its events
 * in order of time. False when out of memory. */
bool objects_add(ObjectsMade *made, const ObjectEvent *events, const SortKey *order,
                 size_t count) WARN_UNUSED;
void objects_release(ObjectsMade *made);
/* Returns the process (of the builder) whose track shows a life: an id can be shared by all processes. */
uint32_t object_process_of(const TraceBuilder *builder, const ObjectLifeMade *life);
/* Returns a label such as "Layer 0x1000"; 0 (and made->failed) when out of memory. */
uint32_t object_label_of(ObjectsMade *made, const ObjectLifeMade *life);

/* Makes lives of all events: fills finish->objects and the tables of the trace. The trace's time range must
 * be known. False when out of memory. */
bool objects_prepare(Finish *finish) WARN_UNUSED;
/* Orders the objects by the trace's processes. Call after the layout. False when out of memory. */
bool objects_settle(Finish *finish) WARN_UNUSED;
/* Sorts objects, and stores their numbers in their lives. */
void objects_sort(ObjectColumns *columns);
/* Sets the positions of a track's lives and snapshots in the columns. */
void objects_place(Finish *finish, Workspace *ws, const TrackWork *work, uint32_t track);

#endif
