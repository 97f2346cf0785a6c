/* format/go/v1/stream.h - decodes the plain events of a processor's stream and checks if they may come next. For src/format/go/v1
 * and feed/steps_v1.c only. */
#ifndef FORMAT_GO_V1_STREAM_H
#define FORMAT_GO_V1_STREAM_H
#include "format/go/common/version.h"
#include "format/go/v1/v1.h"

static inline int64_t v1_ticks_to_ns(const GoV1 *v1, uint64_t ticks)
{
    const uint64_t since = ticks - v1->clock.first_ticks;
    const double   ns = (double)(int64_t)since * v1->clock.ns_per_tick;
    if (LIKELY(since < v1->clock.ticks_that_fit)) return (int64_t)ns;
    return ns >= 0x1p63 ? INT64_MAX : ns <= -0x1p63 ? INT64_MIN : (int64_t)ns;
}

/* -- decoding -- */

/* Sets the event's goroutine, and the running one after it. `value`: the event's first value. */
static ALWAYS_INLINE void v1_choose_who(V1Stream *stream, V1WhoseRule whose, uint64_t value)
{
    const uint64_t runs = stream->g;
    stream->event.g = (int64_t)((runs & (uint64_t)(int64_t)whose.event_runs) |
                                (value & (uint64_t)(int64_t)whose.event_value));
    stream->g = (runs & (uint64_t)(int64_t)whose.then_runs) | (value & (uint64_t)(int64_t)whose.then_value);
}

/* Reads the time of the stream's next event, if it is a plain one (V1Layouts.shapes) and not the last of its batch. False,
 * without effect, for other events. */
static ALWAYS_INLINE bool v1_read_time(const GoV1 *v1, V1Stream *stream)
{
    enum { MOST_BYTES = 2 + 4 };
    const ByteCursor *const c = &stream->c;
    if (UNLIKELY(c->size - c->at < MOST_BYTES)) return false;
    const uint8_t *const begin = c->bytes + c->at;
    uint64_t             ticks;
    const uint8_t *const at = varint_brief(begin + 1 + (*begin >= V1_SIZED), &ticks);
    if (UNLIKELY(v1->layouts.shapes[*begin].count == 0 || at == NULL)) return false;
    stream->event.time = (int64_t)(stream->ticks + ticks);
    stream->event.offset = cursor_offset(c);
    stream->time_size = (uint8_t)(at - begin);
    stream->is_read = false;
    return true;
}

/* Reads the stream's next event, if it is a plain one of short numbers and not the last of its batch: the usual case.
 * False, without effect, for other events. */
static ALWAYS_INLINE bool v1_read_plain(const GoV1 *v1, V1Stream *stream)
{
    enum { MOST_BYTES = 2 + 4 * (1 + V1_MOST_VALUES + 1) };
    ByteCursor *c = &stream->c;
    if (UNLIKELY(c->size - c->at < MOST_BYTES)) return false;
    const uint8_t *const begin = c->bytes + c->at;
    const V1Shape *const shape = &v1->layouts.shapes[*begin];
    const bool           is_sized = *begin >= V1_SIZED; /* the size of the numbers precedes them */
    uint64_t             ticks, numbers[V1_NO_STACK + 1] = { 0 };
    const uint8_t       *at = varint_brief(begin + 1 + is_sized, &ticks);
    if (UNLIKELY(shape->count == 0 || at == NULL)) return false;
    for (unsigned i = 1; i < shape->count; i++) {
        at = varint_brief(at, &numbers[i]);
        if (UNLIKELY(at == NULL)) return false;
    }
    if (UNLIKELY(is_sized && at != begin + 2 + begin[1])) return false;
    const uint64_t stack = numbers[shape->stack_at];
    numbers[shape->stack_at] = 0;
    GoEvent *const event = &stream->event;
    stream->ticks += ticks;
    event->time = (int64_t)stream->ticks;
    v1_choose_who(stream, shape->whose, numbers[1]);
    event->args[0] = numbers[1];
    event->args[1] = numbers[2];
    event->args[2] = numbers[3];
    event->args[V1_STACK_ARG] = stack;
    event->offset = cursor_offset(c);
    event->type = *begin & V1_TYPE_MASK;
    event->kind = shape->kind;
    event->p =
        stream->p; /* one by one: the compiler turns a struct assignment into a slow string instruction */
    event->m = GO_NONE;
    event->id = 0;
    event->args[3] = 0;
    event->extra_task = 0;
    event->extra = STRING_NONE;
    event->stack = event->id_stack = 0;
    event->resource = event->from = event->to = 0;
    c->at = (size_t)(at - c->bytes);
    return true;
}

/* -- the order -- */

/* Returns the goroutine that orders the stream's event; gs[0] if no goroutine does. Call v1_offer before. */
static inline V1G *v1_order_goroutine(GoV1 *v1, const V1Stream *stream)
{
    return stream->of == V1_THE_GC ? &v1->state.gc : &v1->state.gs[stream->of];
}

static ALWAYS_INLINE bool v1_is_ready(const GoV1 *v1, const V1G *g, const GoEvent *event)
{
    const V1Order *const order = &v1->layouts.orders[event->type];
    if (g->status != order->status) return false;
    switch (order->seq) {
    case V1_SEQ_ANY:
        return true;
    case V1_SEQ_ARG:
        return g->seq == event->args[1];
    case V1_SEQ_ARG0:
        return g->seq == event->args[0];
    default:
        return g->seq == (order->seq == V1_SEQ_ONE);
    }
}

/* Finds the goroutine that orders the stream's event. True: the event may come now. False: the stream waits for the
 * goroutine, in its list. */
static ALWAYS_INLINE bool v1_offer(GoV1 *v1, uint32_t index)
{
    V1Stream *const      stream = &v1->parts.streams[index];
    const V1Order *const order = &v1->layouts.orders[stream->event.type];
    stream->of = 0;
    if (order->of == V1_OF_NONE) return true;
    if (UNLIKELY(order->of == V1_OF_GC)) {
        stream->of = V1_THE_GC;
    } else {
        stream->of =
            v1_find_g(v1, order->of == V1_OF_OWN ? (uint64_t)stream->event.g : stream->event.args[0]);
    }
    V1G *const g = v1_order_goroutine(v1, stream);
    if (LIKELY(v1_is_ready(v1, g, &stream->event) || stream->is_forced)) return true;
    stream->next_waiter = g->waiter;
    g->waiter = index + 1;
    g->is_plain = false;
    return false;
}

/* -- for the fast path -- */

/* True if the fast path may take events: all events are in the order and at the times of their records. */
static inline bool v1_allows_steps(const GoV1 *v1)
{
    return v1->version >= GO_1_7 && v1->mode == V1_BY_CAUSE && v1->clock.has_first &&
           !v1->merge.is_starting && !v1->recorded.is_followed && v1->wakeups.removed_count == 0 &&
           !v1->window.is_set;
}

/* True if a stream has a next event. */
static inline bool v1_has_next(GoV1 *v1)
{
    if (v1->merge.taken) v1_go_on(v1);
    return v1->merge.ready.count > 0 && !v1->out_of_memory;
}

/* Returns the time of the next CPU sample in ticks; INT64_MAX: no more samples. */
static inline int64_t v1_sample_ticks(const GoV1 *v1)
{
    return v1->merge.next_sample < v1->parts.sample_count
               ? (int64_t)v1->parts.samples[v1->merge.next_sample].ticks
               : INT64_MAX;
}

#endif
