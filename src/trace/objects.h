/* trace/objects.h - objects and memory dumps: from the builder's log to tracks. For src/trace only.
 *
 * The events of an object are put in order of time and become lives; those of one type in one process share a
 * track, each life on the first lane that is free, its snapshots on the same row. */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H
#include "trace/finish.h"

/* Identity of an object. */
typedef struct ObjectKey {
    ProcessId process;
    StringId  scope, id;
} ObjectKey;

/* One event of the builder's log. */
typedef struct ObjectEvent {
    int64_t    tick;
    uint64_t   offset;
    uint32_t   label, event;
    uint32_t   object; /* index into TraceBuilder.objects */
    uint32_t   thread; /* of the builder */
    ObjectNote note;
    uint32_t   kind; /* ObjectEventKind */
} ObjectEvent;

/* A life on its way. */
typedef struct ObjectLifeMade {
    int64_t  begin, end;
    uint64_t offset;      /* of its creation, if is_created; else of its first event */
    uint64_t place_flags; /* SLICE_ */
    uint64_t first_snapshot;
    uint32_t snapshot_count;
    uint32_t object, thread, event;
    uint32_t label; /* its first; the name is the type */
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
    Bytes      lives;     /* ObjectLifeMade[], by object, then time */
    Bytes      snapshots; /* ObjectSnapshot[], by life, then time */
    Bytes      extras;    /* IntervalExtra[] */
    Bytes      text;
    TrackWork  work; /* collects warnings */
    bool       failed;
} ObjectsMade;

/* Adds the lives of an object, or of a part of it that begins when it is not alive: `order` gives its events
 * in order of time. False when out of memory. */
bool objects_add(ObjectsMade *made, const ObjectEvent *events, const SortKey *order,
                 size_t count) WARN_UNUSED;
void objects_release(ObjectsMade *made);
/* The process (of the builder) whose track a life is shown on: an id may be that of all processes. */
uint32_t object_process_of(const TraceBuilder *builder, const ObjectLifeMade *life);
/* "Layer 0x1000"; 0 (and made->failed) when out of memory. */
uint32_t object_label_of(ObjectsMade *made, const ObjectLifeMade *life);

/* Makes lives of all events: fills finish->objects and the tables of the trace. The trace's time range must
 * be known. False when out of memory. */
bool objects_prepare(Finish *finish) WARN_UNUSED;
/* After the layout: objects by the trace's processes. False when out of memory. */
bool objects_settle(Finish *finish) WARN_UNUSED;
/* Brings objects into their order, and tells their lives. */
void objects_sort(ObjectColumns *columns);
/* Sets the positions of a track's lives and snapshots in the columns. */
void objects_place(Finish *finish, Workspace *ws, const TrackWork *work, uint32_t track);

#endif
