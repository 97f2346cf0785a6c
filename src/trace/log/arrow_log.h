/* trace/log/arrow_log.h - flows created by a reader, packed. For src/trace only.
 *
 * A trace may have more flows than any other item. Nearly all are short and arrive in order of their
 * ends: these are narrow, of 20 bytes, with times relative to the end of the first one of their piece. All
 * others are wide. Pieces have one size and contain either narrow or wide flows. After the
 * ends are bound to slices (flow_build.c), the slices replace the threads. */
#ifndef TRACE_LOG_ARROW_LOG_H
#define TRACE_LOG_ARROW_LOG_H
#include "base/vec.h"
#include "trace/log/builder.h"
#include "trace/log/page_pool.h"

/* A flow, or a wide one in its piece. */
typedef struct ArrowRecord {
    int64_t  from_tick, to_tick;
    uint32_t from, to; /* threads of the builder; after binding, slices or tracks: BoundEnd.ref */
    uint32_t label;
    uint8_t  from_binding, to_binding; /* FlowBinding; after binding, BoundEnd.is_bound */
} ArrowRecord;

typedef struct NarrowArrow {
    uint32_t to_tick;  /* relative to the piece's base */
    uint32_t span;     /* to_tick - from_tick */
    uint32_t from, to; /* << NARROW_BINDING_BITS | the binding; after binding the slices or tracks alone */
    uint32_t label;    /* after binding with the NARROW_ bits above it */
} NarrowArrow;

enum { NARROW_BINDING_BITS = 3, NARROW_THREAD_BITS = 32 - NARROW_BINDING_BITS };
#define NARROW_FROM_BOUND (UINT32_C(1) << 31)
#define NARROW_TO_BOUND (UINT32_C(1) << 30)

enum {
    ARROW_PIECE_BYTES = 80 << 10,
    NARROW_A_PIECE = ARROW_PIECE_BYTES / sizeof(NarrowArrow),
    WIDE_A_PIECE = ARROW_PIECE_BYTES / sizeof(ArrowRecord)
};

typedef struct ArrowPiece {
    void    *arrows; /* NarrowArrow[] or ArrowRecord[], in an arena */
    int64_t  base;   /* of narrow ones */
    uint32_t count;
    bool     is_wide;
} ArrowPiece;

/* A zeroed log is empty. */
typedef struct ArrowLog {
    VEC(ArrowPiece) pieces; /* the count of the last one is valid after arrow_log_settle */
    VEC(void *) spare;      /* memory of unused pieces */
    NarrowArrow *at, *end;  /* free room for narrow flows; equal if it is full */
    int64_t      base;      /* of the last piece */
} ArrowLog;

/* True if a flow can be narrow; for FLOW_BIND_NEXT the times are those of the slice it finds. */
static inline bool arrow_is_narrow(uint64_t span, uint32_t numbers, unsigned from_binding,
                                   unsigned to_binding)
{
    return (span >> 32 | numbers >> NARROW_THREAD_BITS |
            ((1U << from_binding | 1U << to_binding) & 1U << FLOW_BIND_NEXT)) == 0;
}

/* Appends an unbound flow if it is narrow and fits; otherwise returns false without any effect. */
static inline bool arrow_log_put(ArrowLog *log, FlowPoint from, FlowPoint to, uint32_t label)
{
    const uint64_t span = (uint64_t)to.tick - (uint64_t)from.tick;
    const uint64_t passed = (uint64_t)to.tick - (uint64_t)log->base;
    const uint32_t numbers = from.thread.index | to.thread.index | label;
    if (UNLIKELY(log->at == log->end || passed >> 32 != 0 ||
                 !arrow_is_narrow(span, numbers, from.binding, to.binding)))
        return false;
    *log->at++ = (NarrowArrow){ .to_tick = (uint32_t)passed,
                                .span = (uint32_t)span,
                                .from = from.thread.index << NARROW_BINDING_BITS | (uint32_t)from.binding,
                                .to = to.thread.index << NARROW_BINDING_BITS | (uint32_t)to.binding,
                                .label = label };
    return true;
}

/* Appends any unbound flow. False when out of memory. */
bool arrow_log_add(ArrowLog *log, Arena *arena, FlowPoint from, FlowPoint to, uint32_t label) WARN_UNUSED;

/* Sets the counts of all pieces; they are valid until another flow is added. */
void   arrow_log_settle(ArrowLog *log);
size_t arrow_log_count(const ArrowLog *log);
/* Rewrites the log: `change` modifies each flow in turn, or removes it by returning
 * false. False when out of memory. */
bool arrow_log_rewrite(ArrowLog *log, Arena *arena, bool (*change)(void *context, ArrowRecord *arrow),
                       void *context) WARN_UNUSED;
/* Removes every second flow, beginning with the second. False when out of memory. */
bool arrow_log_thin(ArrowLog *log, Arena *arena) WARN_UNUSED;
/* Gives the pages of all flows to the pool. The log must not be read afterwards. */
void arrow_log_give(const ArrowLog *log, PagePool *pool);
/* Empties the log after its arena was cleared. */
void arrow_log_clear(ArrowLog *log);
void arrow_log_release(ArrowLog *log);

static inline int64_t narrow_to_tick(const ArrowPiece *piece, const NarrowArrow *arrow)
{
    return (int64_t)((uint64_t)piece->base + arrow->to_tick);
}

static inline int64_t narrow_from_tick(const ArrowPiece *piece, const NarrowArrow *arrow)
{
    return (int64_t)((uint64_t)piece->base + arrow->to_tick - arrow->span);
}

/* Returns flow `i` of a piece, after binding. */
static inline ArrowRecord arrow_bound(const ArrowPiece *piece, uint32_t i)
{
    if (UNLIKELY(piece->is_wide)) return ((const ArrowRecord *)piece->arrows)[i];
    const NarrowArrow *arrow = &((const NarrowArrow *)piece->arrows)[i];
    return (ArrowRecord){ .from_tick = narrow_from_tick(piece, arrow),
                          .to_tick = narrow_to_tick(piece, arrow),
                          .from = arrow->from,
                          .to = arrow->to,
                          .label = arrow->label & (NARROW_TO_BOUND - 1),
                          .from_binding = (arrow->label & NARROW_FROM_BOUND) != 0,
                          .to_binding = (arrow->label & NARROW_TO_BOUND) != 0 };
}

#endif
