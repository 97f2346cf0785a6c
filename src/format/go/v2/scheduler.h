/* format/go/v2/scheduler.h - a model of the Go scheduler for v2 traces: decides which event can come next and if it is
 * valid.
 *
 * The events of a thread are in order. Between threads only the states of goroutines and processors and the sequence
 * numbers give the order. So an event is tried: it takes effect, or waits for others, or contradicts the known state.
 * The rules are those of Go's internal/trace/order.go, 1.22 to 1.26. */
#ifndef FORMAT_GO_V2_SCHEDULER_H
#define FORMAT_GO_V2_SCHEDULER_H
#include "format/go/common/event.h"
#include "format/go/v2/generation.h"
#include "format/go/v2/spec.h"

typedef enum {
    ADVANCE_DONE, /* the event took effect */
    ADVANCE_WAITS,
    ADVANCE_BROKEN /* the trace is invalid: see `fault` */
} Advance;

/* A goroutine. */
typedef struct SchedG {
    int64_t  id;
    uint64_t generation, seq; /* of the last event with a sequence number */
    uint64_t stw_kind;        /* string id, while is_stopping */
    uint32_t region; /* 1 + index of the innermost open region; of a free item: the next free place */
    uint8_t  status; /* V2_GO_*; 0 = it does not exist or has ended */
    bool     is_assisting, is_stopping;
    uint32_t shown; /* cache of the Feed: its place there; 0 = none */
} SchedG;

typedef struct SchedP {
    int64_t  id;
    uint64_t generation, seq;
    uint8_t  status; /* V2_PROC_* */
    bool     is_sweeping;
    uint32_t shown; /* like SchedG.shown */
} SchedP;

/* A thread, with the places of its goroutine and processor (0 = none). */
typedef struct SchedM {
    int64_t  id;
    uint32_t g, p;
} SchedM;

typedef struct SchedRegion {
    uint64_t task;
    StringId name;
    uint32_t outer; /* 1 + index; of a free item: the next free one */
} SchedRegion;

typedef struct SchedTask {
    uint64_t parent;
    StringId name;
    uint32_t next_free; /* 1 + index */
} SchedTask;

typedef enum { SCHED_GC_UNKNOWN, SCHED_GC_OFF, SCHED_GC_ON } SchedGc;

enum { SCHED_MOST_BEFORE = 2 };

typedef struct Scheduler {
    Arena       *arena; /* borrowed; holds the arrays, whose items 0 are unused */
    SchedG      *gs;
    SchedP      *ps;
    SchedM      *ms;
    SchedRegion *regions;
    SchedTask   *tasks;
    uint32_t     g_count, p_count, m_count, region_count, task_count;
    uint32_t     g_capacity, p_capacity, m_capacity, region_capacity, task_capacity;
    uint32_t     free_region, free_task; /* 1 + index */
    uint32_t     free_g;                 /* place of the first free one */
    IdMap        g_map, p_map, m_map, task_map;
    uint64_t     gc_seq;
    SchedGc      gc;
    uint64_t     first_generation;      /* 0 = no generation yet; statuses in the first one are accepted */
    uint64_t     generation;            /* the current one */
    GoTables    *tables;                /* of the current generation; borrowed */
    bool         allows_missing;        /* the generation is cut: strings may be lost */
    GoEvent  before[SCHED_MOST_BEFORE]; /* the events, except the last, of a record that represents several */
    unsigned before_count;
    char     fault[160]; /* of ADVANCE_BROKEN */
    bool     out_of_memory;
} Scheduler;

/* Forgets all state, so that the next generation is like the first, and keeps the memory. */
void scheduler_reset(Scheduler *scheduler);
/* Tries an event with type, time, args and offset, from the batches of thread m (GO_NONE: no thread). Fills in the rest
 * of it, which must be zeroed. The events in `before` precede it. *self caches the thread's place; 0 = unknown. */
Advance scheduler_advance(Scheduler *scheduler, GoEvent *event, int64_t m, uint32_t *self);

/* Sets the state that this event waits for, whose cause is lost in a cut generation. The event can then be tried
 * again. */
void scheduler_let_through(Scheduler *scheduler, const GoEvent *event, uint32_t self);

/* The effect of a step. */
typedef struct SchedStep {
    uint32_t place; /* of the changed goroutine in Scheduler.gs */
    uint32_t ran;   /* place of the goroutine that ran on the thread before */
    uint8_t  from, to;
} SchedStep;

/* Tries a step: the usual event by which a goroutine starts, stops, waits, is woken or enters or leaves a syscall.
 * `self` is the place of its thread (not 0). False, without effect, if the thread has no processor or the event is not
 * a regular step; scheduler_advance handles these. args: the event's. */
static ALWAYS_INLINE bool scheduler_step(Scheduler *s, unsigned type, const uint64_t *args, uint32_t self,
                                         SchedStep *step)
{
    SchedM *const  m = &s->ms[self];
    const uint32_t runs = m->g;
    const bool     is_named = type == V2_GO_START || type == V2_GO_UNBLOCK;
    const uint32_t place = is_named ? id_map_find(&s->g_map, args[0]) : runs;
    SchedG *const  g = &s->gs[place];
    if (UNLIKELY(m->p == 0 || (is_named && (g->generation != s->generation || args[1] != g->seq + 1))))
        return false;
    switch (type) {
    case V2_GO_START:
        if (UNLIKELY(g->status != V2_GO_RUNNABLE || runs != 0)) return false;
        g->status = V2_GO_RUNNING;
        g->seq = args[1];
        m->g = place;
        step->from = GO_STATE_RUNNABLE;
        step->to = GO_STATE_RUNNING;
        break;
    case V2_GO_UNBLOCK:
        if (UNLIKELY(g->status != V2_GO_WAITING)) return false;
        g->status = V2_GO_RUNNABLE;
        g->seq = args[1];
        step->from = GO_STATE_WAITING;
        step->to = GO_STATE_RUNNABLE;
        break;
    case V2_GO_BLOCK:
    case V2_GO_STOP:
        if (UNLIKELY(g->status != V2_GO_RUNNING)) return false;
        g->status = type == V2_GO_BLOCK ? V2_GO_WAITING : V2_GO_RUNNABLE;
        m->g = 0;
        step->from = GO_STATE_RUNNING;
        step->to = type == V2_GO_BLOCK ? GO_STATE_WAITING : GO_STATE_RUNNABLE;
        break;
    case V2_GO_SYSCALL_BEGIN:
        if (UNLIKELY(g->status != V2_GO_RUNNING || s->ps[m->p].generation != s->generation ||
                     args[0] != s->ps[m->p].seq + 1))
            return false;
        g->status = V2_GO_SYSCALL;
        s->ps[m->p].status = V2_PROC_SYSCALL;
        s->ps[m->p].seq = args[0];
        step->from = GO_STATE_RUNNING;
        step->to = GO_STATE_SYSCALL;
        break;
    case V2_GO_SYSCALL_END:
        if (UNLIKELY(g->status != V2_GO_SYSCALL || s->ps[m->p].status != V2_PROC_SYSCALL)) return false;
        g->status = V2_GO_RUNNING;
        s->ps[m->p].status = V2_PROC_RUNNING;
        step->from = GO_STATE_SYSCALL;
        step->to = GO_STATE_RUNNING;
        break;
    default:
        return false;
    }
    step->place = place;
    step->ran = runs;
    return true;
}

/* Fills in the event of a step. */
static inline void scheduler_step_tell(const Scheduler *s, const SchedStep *step, uint32_t self,
                                       GoEvent *event)
{
    event->kind = GO_TRANSITION;
    event->resource = GO_RESOURCE_GOROUTINE;
    event->id = s->gs[step->place].id;
    event->g = s->gs[step->ran].id;
    event->p = s->ps[s->ms[self].p].id;
    event->m = s->ms[self].id;
    event->from = step->from;
    event->to = step->to;
}

#endif
