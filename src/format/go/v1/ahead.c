#include "format/go/v1/ahead.h"

#include "format/go/common/varint.h"

/* The kind by the first byte, for events with the right count of numbers. */
#define BYTE(type, count) [(type) | ((count) - 1) << 6]
static const uint8_t KINDS[256] = {
    BYTE(V1_GO_START_LOCAL, 2) = V1_STARTS,  BYTE(V1_GO_START, 3) = V1_STARTS | V1_HAS_SEQ,
    BYTE(V1_GO_UNBLOCK_LOCAL, 3) = V1_WAKES, BYTE(V1_GO_UNBLOCK, 4) = V1_WAKES | V1_HAS_SEQ,
    BYTE(V1_GO_SLEEP, 2) = V1_WAITS,         BYTE(V1_GO_BLOCK, 2) = V1_WAITS,
    BYTE(V1_GO_BLOCK_SEND, 2) = V1_WAITS,    BYTE(V1_GO_BLOCK_RECV, 2) = V1_WAITS,
    BYTE(V1_GO_BLOCK_SELECT, 2) = V1_WAITS,  BYTE(V1_GO_BLOCK_SYNC, 2) = V1_WAITS,
    BYTE(V1_GO_BLOCK_COND, 2) = V1_WAITS,    BYTE(V1_GO_BLOCK_NET, 2) = V1_WAITS,
    BYTE(V1_GO_BLOCK_GC, 2) = V1_WAITS,      BYTE(V1_GO_SCHED, 2) = V1_YIELDS,
    BYTE(V1_GO_PREEMPT, 2) = V1_YIELDS,      BYTE(V1_GO_SYS_BLOCK, 1) = V1_BLOCKS,
    BYTE(V1_GO_SYS_CALL, 2) = V1_CALLS,      BYTE(V1_HEAP_ALLOC, 2) = V1_TELLS,
};

/* Read the numbers of a step after its time, and skip unneeded ones. Return the end; NULL: a number is long. */
static ALWAYS_INLINE const uint8_t *read_id(const uint8_t *at, unsigned kind, uint64_t *id)
{
    uint64_t stack;
    at = varint_brief(at, id);
    return UNLIKELY(at == NULL) || kind == V1_STARTS ? at : varint_brief(at, &stack);
}

static const uint8_t *read_id_and_seq(const uint8_t *at, unsigned kind, uint64_t *id, uint64_t *seq)
{
    uint64_t stack;
    at = varint_brief(at, id);
    if (LIKELY(at != NULL)) at = varint_brief(at, seq);
    return UNLIKELY(at == NULL) || kind == (V1_STARTS | V1_HAS_SEQ) ? at : varint_brief(at, &stack);
}

/* Decodes the step at `begin`, except its position. Returns its end; NULL: it is not a step. */
static ALWAYS_INLINE const uint8_t *read_step(const uint8_t *begin, uint32_t passed, V1Step *step)
{
    const unsigned kind = KINDS[*begin];
    const uint8_t *at = begin + 1;
    uint64_t       ticks, id = 0, seq = 0;
    if (UNLIKELY(kind == V1_NO_STEP)) return NULL;
    if (kind & V1_HAS_SEQ) {
        const bool is_sized = *begin >= V1_SIZED;
        at = varint_brief(at + is_sized, &ticks);
        if (LIKELY(at != NULL)) at = read_id_and_seq(at, kind, &id, &seq);
        if (UNLIKELY(is_sized && at != begin + 2 + begin[1])) return NULL;
    } else {
        at = varint_brief(at, &ticks);
        if (UNLIKELY(at == NULL)) return NULL;
        if (kind <= V1_WAKES) {
            at = read_id(at, kind, &id);
        } else if (kind != V1_BLOCKS) {
            at = varint_brief(at, &id);
            if (kind <= V1_YIELDS) seq = *begin & V1_TYPE_MASK;
        }
    }
    step->ticks = passed + (uint32_t)ticks;
    step->id = (uint32_t)id;
    step->how = kind << V1_KIND_SHIFT | (uint32_t)seq;
    return LIKELY(step->ticks >= passed) ? at : NULL;
}

/* Returns the time between the last step and the event at `at`; 0 if it is not simple to decode. */
static uint64_t time_behind(const GoV1 *v1, const uint8_t *at)
{
    uint64_t ticks;
    return v1->layouts.shapes[*at].count == 0 || varint_brief(at + 1 + (*at >= V1_SIZED), &ticks) == NULL
               ? 0
               : ticks;
}

void v1_ahead_fill(V1Ahead *ahead, const GoV1 *v1, const V1Stream *stream)
{
    enum { MOST_NUMBERS = 4, MOST_BYTES = 2 + 4 * MOST_NUMBERS };
    const ByteCursor *const c = &stream->c;
    const uint8_t *const    begin = c->bytes + c->at;
    const uint8_t          *at = begin;
    V1Step *step = ahead->steps, *const end = step + V1_AHEAD_STEPS;
    uint32_t passed = 0;
    bool     goes_on = true;
    while (goes_on && step < end && c->size - c->at >= MOST_BYTES + (size_t)(at - begin)) {
        const size_t  sure = (c->size - c->at - (size_t)(at - begin)) / MOST_BYTES;
        V1Step *const until = (size_t)(end - step) < sure ? end : step + sure;
        for (; step < until; step++) {
            const uint8_t *const next = read_step(at, passed, step);
            goes_on = next != NULL;
            if (UNLIKELY(!goes_on)) break;
            step->at = (uint32_t)(at - begin);
            passed = step->ticks;
            at = next;
        }
    }
    step->ticks = UINT32_MAX;
    ahead->stream = stream;
    ahead->segment = stream->segment;
    ahead->next = 0;
    ahead->count = (uint32_t)(step - ahead->steps);
    ahead->is_full = step == end;
    ahead->begin = c->at;
    ahead->behind = (size_t)(at - c->bytes);
    ahead->base = stream->ticks;
    ahead->horizon = stream->ticks + passed + (goes_on ? 0 : time_behind(v1, at));
}
