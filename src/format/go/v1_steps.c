/* Steps take their turns: what v1_merge.c knows of order and v1_check.c of what may follow, for the few types that most events have, and
 * only as long as all is as it should be. */
#include "format/go/v1_stream.h"
#include "format/go/version.h"

/* -- what a step does -- */

/* The goroutine gets to run. Its first start, which takes over a stack, is no step. */
static ALWAYS_INLINE bool starts(V1G *g, V1P *p, const GoEvent *event, GoStep *step)
{
    if (UNLIKELY(g->state != V1_RUNNABLE || p->g != 0 || g->is_created)) return false;
    g->seq = event->type == V1_GO_START ? event->args[1] + 1 : g->seq + 1;
    g->status = g->state = V1_RUNNING;
    g->start = event->offset;
    g->exists = true;
    g->link_from = 0;
    p->g = g->id;
    step->from = g->model;
    step->to = g->model = GO_STATE_RUNNING;
    step->type = V1_GO_START;
    return true;
}

/* It leaves its processor, runnable or waiting. */
static ALWAYS_INLINE bool stops(V1G *g, V1P *p, const GoEvent *event, V1Status status, GoStep *step)
{
    if (UNLIKELY(g->state != V1_RUNNING || p->g != g->id || g->id == 0)) return false;
    g->status = g->state = (uint8_t)status;
    g->start = 0;
    g->link_from = event->offset;
    g->link_type = event->type;
    p->g = 0;
    step->from = g->model;
    step->to = g->model = status == V1_WAITING ? GO_STATE_WAITING : GO_STATE_RUNNABLE;
    step->type = event->type;
    return true;
}

/* It is woken by who runs on the processor; timers and the network have processors of their own. */
static ALWAYS_INLINE bool wakes(GoV1 *v1, V1G *g, const V1P *p, const GoEvent *event, GoStep *step)
{
    const uint32_t waker = event->g == 0 ? 0 : id_map_find(&v1->g_map, (uint64_t)event->g);
    const bool     is_net = g->link_from != 0 && g->link_type == V1_GO_BLOCK_NET;
    if (UNLIKELY(g->state != V1_WAITING || v1->gs[waker].state != V1_RUNNING || p->g != (uint64_t)event->g ||
                 is_net || id_map_find(&v1->timer_gs, (uint64_t)event->g) != 0))
        return false;
    g->seq = event->type == V1_GO_UNBLOCK ? event->args[1] + 1 : g->seq + 1;
    g->status = g->state = V1_RUNNABLE;
    g->link_from = event->offset;
    g->link_type = V1_GO_UNBLOCK;
    g->exists = true;
    step->from = g->model;
    step->to = g->model = GO_STATE_RUNNABLE;
    step->type = V1_GO_UNBLOCK;
    return true;
}

/* The stream's event, whose turn it is and which depends on this goroutine. Fills in all of the step but its time and stack. False, and
 * nothing done: it is no step. */
static ALWAYS_INLINE bool take_step(GoV1 *v1, V1G *g, V1P *p, const GoEvent *event, GoStep *step)
{
    bool done = false;
    switch (event->type) {
    case V1_GO_START:
    case V1_GO_START_LOCAL:
        done = starts(g, p, event, step);
        break;
    case V1_GO_UNBLOCK:
    case V1_GO_UNBLOCK_LOCAL:
        done = wakes(v1, g, p, event, step);
        break;
    case V1_GO_SCHED:
    case V1_GO_PREEMPT:
        done = stops(g, p, event, V1_RUNNABLE, step);
        break;
    case V1_GO_SLEEP:
    case V1_GO_BLOCK:
    case V1_GO_BLOCK_SEND:
    case V1_GO_BLOCK_RECV:
    case V1_GO_BLOCK_SELECT:
    case V1_GO_BLOCK_SYNC:
    case V1_GO_BLOCK_COND:
    case V1_GO_BLOCK_NET:
    case V1_GO_BLOCK_GC:
        done = stops(g, p, event, V1_WAITING, step);
        break;
    default:
        break;
    }
    step->id = (int64_t)g->id;
    step->g = event->g;
    step->p = event->p;
    step->m = p->thread;
    step->offset = event->offset;
    return done;
}

/* -- those of the stream that comes first -- */

/* Up to this time its events are steps, as far as others go. */
static int64_t limit_of_first(const GoV1 *v1)
{
    const int64_t limit = turns_limit(&v1->ready);
    if (v1->next_sample == v1->sample_count) return limit;
    const int64_t sample = (int64_t)v1->samples[v1->next_sample].ticks;
    return sample < limit ? sample : limit;
}

/* Takes its events as long as they are steps and come first, at least one unless it is none. *more: whether another step may come. */
static uint32_t first_steps(GoV1 *v1, GoStep *steps, uint32_t most, bool *more)
{
    const uint32_t  index = v1->ready.heap[0].stream;
    V1Stream *const stream = &v1->streams[index];
    GoEvent *const  event = &stream->event;
    const int64_t   limit = limit_of_first(v1);
    uint32_t        count = 0;
    if (stream->p_place == 0) stream->p_place = id_map_find(&v1->p_map, (uint64_t)stream->p);
    *more = false;
    if (stream->p_place == 0) return 0;
    for (;;) {
        GoStep *const  step = &steps[count];
        const uint32_t of = stream->of;
        if (UNLIKELY(of == 0 || of == V1_THE_GC || event->time < (int64_t)v1->last_ticks_out ||
                     !take_step(v1, &v1->gs[of], &v1->ps[stream->p_place], event, step)))
            break;
        step->time = v1_ticks_to_ns(v1, (uint64_t)event->time);
        step->stack = go_stack_find(&v1->tables, event->args[V1_STACK_ARG]);
        v1->last_ticks_out = (uint64_t)event->time;
        count++;
        *more = true;
        if (UNLIKELY(!v1_read_plain(v1, stream))) {
            v1->taken = true;
            return count;
        }
        const bool can_come = v1_offer(v1, index);
        const bool somebody_waits = v1->gs[of].waiter != 0;
        if (UNLIKELY(!can_come)) turns_leave(&v1->ready);
        if (UNLIKELY(!can_come || somebody_waits || event->time >= limit || count == most)) {
            if (can_come) turns_go_on(&v1->ready, (Turn){ event->time, event->offset, index });
            if (somebody_waits) v1_wake_waiters(v1, &v1->gs[of]);
            return count;
        }
        *more = false;
    }
    v1->ready.heap[0] = (Turn){ event->time, event->offset, index };
    return count;
}

/* Whether events are steps or come by v1_next one by one: those that stand at their records' times. */
static bool has_steps(const GoV1 *v1)
{
    return v1->version >= GO_1_7 && v1->mode == V1_BY_CAUSE && v1->has_first && !v1->is_starting &&
           !v1->follows_turns && v1->removed_count == 0 && !v1->window.is_set;
}

/* A sample that has the event's time goes with v1_next, which knows who is first. */
static bool sample_is_due(const GoV1 *v1)
{
    return v1->next_sample < v1->sample_count &&
           (int64_t)v1->samples[v1->next_sample].ticks <= v1->ready.heap[0].time;
}

uint32_t v1_steps(GoV1 *v1, GoStep *steps, uint32_t most)
{
    uint32_t count = 0;
    bool     more = has_steps(v1);
    while (more && count < most) {
        if (v1->taken) v1_go_on(v1);
        if (v1->ready.count == 0 || v1->out_of_memory || sample_is_due(v1)) break;
        count += first_steps(v1, steps + count, most - count, &more);
    }
    v1->ordinal += count;
    return count;
}
