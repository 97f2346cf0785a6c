/* trace/make/async.h - asynchronous slices: from the builder's log to tracks. For src/trace only.
 *
 * The events of one async id are matched by name and nest like those of a thread. An outermost slice of an id, with the
 * slices inside it, is a tree. Trees of one process and name share a track, each in the first free lane. */
#ifndef TRACE_MAKE_ASYNC_H
#define TRACE_MAKE_ASYNC_H
#include "base/vec.h"
#include "trace/make/finish.h"
#include "trace/make/lane_heap.h"

/* An outermost slice or instant of an async id, with the slices inside it. */
typedef struct AsyncTree {
    int64_t  begin, end;
    uint32_t group;
    uint32_t process, label; /* the label without a colour: that of the group */
    uint64_t offset;
    size_t   first, count; /* of its members, in AsyncMaker.members */
    uint32_t depth;        /* number of rows */
    uint32_t lane;         /* UINT32_MAX = not assigned yet */
    uint32_t id;           /* of a growing trace: the async id */
} AsyncTree;

static inline AsyncKind async_kind(const AsyncEvent *event)
{
    return (AsyncKind)(event->place >> ASYNC_PLACE_KIND_SHIFT & 3);
}

/* An interval of a tree; `row` is its depth in the tree, `event` the builder's thread of its begin. */
typedef struct AsyncMember {
    Interval interval;
    size_t   tree;
} AsyncMember;

enum { ASYNC_INSTANT_INTERVAL = 1 << 9 /* in Interval.place: an instant */ };

/* Converts async ids to trees, one after the other. */
typedef struct AsyncMaker {
    Finish     *finish; /* uses builder, trace (its time range) and async.has_stacks */
    Workspace  *ws;
    AsyncEvent *events; /* by async id, then time, then position in the file */
    size_t      event_count;
    VEC(AsyncMember) members;
    VEC(AsyncTree) trees; /* of each async id in order of begin */
    IntervalExtras extras;
    VEC(Interval) intervals; /* of the last async id, in order of begin */
    /* of the workspace; .open is the innermost open slice of a name, in Workspace.open */
    NameHead *heads;
    uint32_t  depth; /* number of open slices of the async id */
    uint32_t  title; /* of the async id: builder_async_title; 0 = none */
    int64_t   end;   /* of slices without an end */
    TrackWork work;  /* collects warnings and ends without a begin */
    bool      failed;
} AsyncMaker;

/* Adds the trees of an async id, or of its events after a tick at which no slice of it was open. The events are in
 * order of time. False when out of memory. */
bool async_add_id(AsyncMaker *maker, const AsyncEvent *events, size_t count) WARN_UNUSED;
/* Returns the trees in order of process, name and begin, with the members of each together in *members. NULL when out of
 * memory. */
AsyncTree *async_order(AsyncMaker *a, AsyncMember **members) WARN_UNUSED;
/* Makes the rows, slices and instants of a group of trees, which are in order. `lanes` has the lanes that earlier trees
 * use, and room for one more of each tree. False when out of memory. */
bool async_make_group(AsyncMaker *a, SliceGroup *group, AsyncTree *trees, size_t count,
                      const AsyncMember *members, LaneSet *lanes) WARN_UNUSED;
/* Removes all trees. */
void async_maker_clear(AsyncMaker *maker);
void async_maker_release(AsyncMaker *maker);

/* Matches, nests and groups all asynchronous events: fills finish->async. The trace's time range must be
 * known. False when out of memory. */
bool async_prepare(Finish *finish) WARN_UNUSED;

#endif
