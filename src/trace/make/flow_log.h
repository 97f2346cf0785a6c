/* trace/make/flow_log.h - flows: from the builder's log to columns. For src/trace only.
 *
 *   flow_match.c  matches flow events by id, in order of time
 *   flow_bind.c   finds the slices of their ends, after all slices exist
 *   flow_build.c  binds matched flows and those created by a reader (trace/log/arrow_log.h)
 *   flow_columns.c  their order, and the columns
 *   flows.c       finds flows in the columns */
#ifndef TRACE_MAKE_FLOW_LOG_H
#define TRACE_MAKE_FLOW_LOG_H
#include "base/id_map.h"
#include "base/vec.h"
#include "trace/make/finish.h"

/* One end of an arrow before it is in the columns. */
typedef struct BoundEnd {
    int64_t  tick;
    uint32_t ref; /* slice or track; FLOW_LOST: no slice was found for an event that needs one */
    bool     is_bound;
} BoundEnd;

#define FLOW_LOST UINT32_MAX

/* An arrow between two events (indices into FlowMatches.events). */
typedef struct EventPair {
    uint32_t from, to;
} EventPair;

typedef struct FlowMatches {
    FlowEvent *events; /* in the log arena: by flow, then time, then place in the file */
    size_t     event_count;
    VEC(EventPair) pairs;
} FlowMatches;

/* Matches all flow events; warns of unmatched ones. The caller releases matches->pairs, also after a failure. */
bool flow_match(Finish *finish, FlowMatches *matches) WARN_UNUSED;

/* State for binding many ends, most of them slightly later than the one before: remembers recent positions. Zeroed
 * except for `trace`, whose columns of slices must be complete. */
enum { FLOW_ROW_HINTS = 64, FLOW_TRACK_HINTS = 16384 };
typedef struct RowHint {
    uint32_t row_plus_one; /* 0 = none */
    uint32_t bound;
} RowHint;
typedef struct TrackHint { /* of the outermost slices of a track's first lane */
    uint32_t track;        /* 0 = none */
    uint32_t count, bound;
    uint32_t step; /* from the previous result to that one */
    uint64_t first_slice;
    bool     is_flat; /* the track has no other slices */
} TrackHint;
typedef struct FlowBinder {
    const Trace *trace;
    RowHint      rows[FLOW_ROW_HINTS];     /* by the row's index */
    TrackHint    tracks[FLOW_TRACK_HINTS]; /* by the track's */
} FlowBinder;

/* Returns the slice to which an end is bound; FLOW_LOST = none. */
uint32_t flow_find_slice(FlowBinder *binder, uint32_t track, FlowBinding binding, int64_t tick);
/* Binds an end; for FLOW_BIND_NEXT its tick becomes the begin of the slice, for FLOW_BIND_SLICE its end if the arrow
 * leaves it there. */
BoundEnd flow_bind(FlowBinder *binder, uint32_t track, FlowBinding binding, int64_t tick);

/* The slices whose events are flow events themselves. */
typedef struct SlicesByOffset {
    IdMap     places; /* index into `slices`, by offset */
    uint32_t *slices; /* FLOW_LOST until found; [0] is unused */
} SlicesByOffset;
/* Finds the slices of all events with FLOW_BIND_SLICE. In the log arena. False when out of memory. */
bool     flow_find_slices(Finish *finish, const FlowMatches *matches, SlicesByOffset *found) WARN_UNUSED;
uint32_t flow_slice_at(const SlicesByOffset *found, uint64_t offset);

/* All arrows, bound. */
typedef struct BoundArrows {
    const ArrowPiece *pieces;
    size_t            piece_count;
    size_t            count; /* fewer than 2^31 */
} BoundArrows;
/* Fills Trace.flows. False when out of memory. */
bool flow_columns_make(Finish *finish, const BoundArrows *arrows) WARN_UNUSED;

/* Makes Trace.flows from the builder's flows. Call after the columns of slices are complete. */
bool flows_build(Finish *finish) WARN_UNUSED;

#endif
