/* format/go/v1_step.h - a step of a v1 trace takes its turn: what v1_merge.c knows of order and v1_check.c of what may follow, for the
 * few types that most events have, and only as long as all is as it should be. */
#ifndef FORMAT_GO_V1_STEP_H
#define FORMAT_GO_V1_STEP_H
#include "format/go/v1.h"

/* The goroutine gets to run. Its first start, which takes over a stack, is no step. */
static ALWAYS_INLINE bool v1_step_starts(V1G *g, V1P *p, const GoEvent *event, GoStep *step)
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
static ALWAYS_INLINE bool v1_step_stops(V1G *g, V1P *p, const GoEvent *event, V1Status status, GoStep *step)
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
static ALWAYS_INLINE bool v1_step_wakes(GoV1 *v1, V1G *g, const V1P *p, const GoEvent *event, GoStep *step)
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

/* The stream's event, whose turn it is. Fills in all of the step but its time and stack. False, and nothing done: it is no step. */
static ALWAYS_INLINE bool v1_take_step(GoV1 *v1, V1Stream *stream, GoStep *step)
{
    const GoEvent *event = &stream->event;
    if (UNLIKELY(stream->p_place == 0)) stream->p_place = id_map_find(&v1->p_map, (uint64_t)stream->p);
    V1P *p = &v1->ps[stream->p_place];
    V1G *g = &v1->gs[stream->of == V1_THE_GC ? 0 : stream->of];
    bool done = false;
    if (UNLIKELY(stream->p_place == 0 || stream->of == 0)) return false;
    switch (event->type) {
    case V1_GO_START:
    case V1_GO_START_LOCAL:
        done = v1_step_starts(g, p, event, step);
        break;
    case V1_GO_UNBLOCK:
    case V1_GO_UNBLOCK_LOCAL:
        done = v1_step_wakes(v1, g, p, event, step);
        break;
    case V1_GO_SCHED:
    case V1_GO_PREEMPT:
        done = v1_step_stops(g, p, event, V1_RUNNABLE, step);
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
        done = v1_step_stops(g, p, event, V1_WAITING, step);
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

#endif
