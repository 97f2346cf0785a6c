/* trace/objects.h - objects and memory dumps: from the builder's log to tracks. For src/trace only.
 *
 * The events of an object are put in order of time and become lives; those of one type in one process share a track, each
 * life on the first lane that is free, its snapshots on the same row. */
#ifndef TRACE_OBJECTS_H
#define TRACE_OBJECTS_H
#include "trace/finish.h"

/* What is told apart. */
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

/* Makes lives of all events: fills finish->objects and the tables of the trace. The trace's time range must be known. False
 * when out of memory. */
bool objects_prepare(Finish *finish) WARN_UNUSED;
/* After the layout: objects by the trace's processes. False when out of memory. */
bool objects_settle(Finish *finish) WARN_UNUSED;
/* Says where in the columns the lives and snapshots of a track have come to stand. */
void objects_place(Finish *finish, Workspace *ws, uint32_t track);

#endif
