/* The states after events that are lost in a cut generation. */
#include "format/go/v2/scheduler_state.h"

/* Unbinds a processor from its thread. */
static void part_from_p(Scheduler *s, uint32_t place)
{
    for (uint32_t m = 1; m < s->m_count; m++)
        if (s->ms[m].p == place) s->ms[m].p = 0;
}

static void part_from_g(Scheduler *s, uint32_t place)
{
    for (uint32_t m = 1; m < s->m_count; m++)
        if (s->ms[m].g == place) s->ms[m].g = 0;
}

/* Gives the event's processor this status, and the sequence number before the event's. */
static void put_p(Trial *trial, uint8_t status)
{
    Scheduler *s = trial->s;
    uint32_t   place = id_map_find(&s->p_map, trial->event->args[0]);
    if (place == 0) place = trial_add_p(trial, (int64_t)trial->event->args[0]);
    if (place == 0) return;
    part_from_p(s, place);
    s->ps[place].status = status;
    s->ps[place].generation = s->generation;
    s->ps[place].seq = trial->event->args[1] - 1;
}

static void put_g(Trial *trial, uint8_t status)
{
    Scheduler *s = trial->s;
    uint32_t   place = trial_find_g(trial, (int64_t)trial->event->args[0]);
    if (place == 0) place = trial_add_g(trial, (int64_t)trial->event->args[0], status);
    if (place == 0) return;
    part_from_g(s, place);
    s->gs[place].status = status;
    s->gs[place].generation = s->generation;
    s->gs[place].seq = trial->event->args[1] - 1;
}

void scheduler_let_through(Scheduler *s, const GoEvent *event, uint32_t self)
{
    GoEvent named = *event;
    Trial   trial = { .s = s, .event = &named, .self = self };
    switch ((V2Type)event->type) {
    case V2_PROC_START:
        s->ms[self].p = 0;
        put_p(&trial, V2_PROC_IDLE);
        break;
    case V2_PROC_STEAL:
        put_p(&trial, V2_PROC_SYSCALL_ABANDONED);
        break;
    case V2_GO_START:
        put_g(&trial, V2_GO_RUNNABLE);
        break;
    case V2_GO_UNBLOCK:
    case V2_GO_SWITCH:
    case V2_GO_SWITCH_DESTROY:
        put_g(&trial, V2_GO_WAITING);
        break;
    case V2_GO_SYSCALL_END_BLOCKED:
        s->ps[s->ms[self].p].status = V2_PROC_SYSCALL_ABANDONED;
        s->ms[self].p = 0;
        break;
    case V2_GC_ACTIVE:
    case V2_GC_BEGIN:
    case V2_GC_END:
        s->gc_seq = event->args[0] - 1;
        s->gc = event->type == V2_GC_BEGIN ? SCHED_GC_OFF : SCHED_GC_ON;
        break;
    default: /* other events do not wait */
        break;
    }
}
