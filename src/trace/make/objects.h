/* trace/make/objects.h - objects and memory dumps: from the builder's log to tracks. For src/trace only.
 *
 * The events of an object are sorted by time and become lives. Lives of one type in one process share a track, each on
 * the first free lane, with its snapshots on the same row. */
#ifndef TRACE_MAKE_OBJECTS_H
#define TRACE_MAKE_OBJECTS_H
#include "trace/make/finish.h"

/* The events of objects, in order of arrival, and the memory for the results. */
typedef struct ObjectSource {
    const ObjectEvent *events;
    size_t             count;
    Arena             *groups, *tables; /* of Finish.objects, of the tables of the trace */
} ObjectSource;

/* Makes lives of all events: fills finish->objects and the tables of the trace, which has the columns life_of_slice and
 * life_of_snapshot already if it grows. The trace's time range must be known. False when out of memory. */
bool objects_prepare(Finish *finish, const ObjectSource *source) WARN_UNUSED;
/* Lists the objects by the trace's processes. Call after the layout. */
void objects_settle(Finish *finish);
/* Where the lives and snapshots of a group are. */
typedef struct ObjectPlaces {
    uint64_t *next_slice, *next_instant;  /* by row: the id of its next slice and instant; they are changed */
    uint64_t  slice_shift, instant_shift; /* plus an id: the index into life_of_slice and life_of_snapshot */
} ObjectPlaces;

/* Sets the positions of a group's lives and snapshots in the columns. */
void objects_place(ObjectColumns *columns, const SliceGroup *group, const ObjectPlaces *places);

#endif
