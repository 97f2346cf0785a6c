#include "format/go/v2/scheduler.h"

#include "format/go/v2/scheduler_state.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* -- one event being tried -- */

Advance trial_broken(Trial *trial, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(trial->s->fault, sizeof trial->s->fault, format, args);
    va_end(args);
    return ADVANCE_BROKEN;
}

Advance trial_out_of_memory(Trial *trial)
{
    trial->s->out_of_memory = true;
    return trial_broken(trial, "out of memory");
}

/* Returns the missing or excess context, in the words of Go's reader. */
static const char *fault_of_needs(unsigned needs, unsigned has)
{
    if (needs & ~has & NEEDS_M) return "expected a thread but didn't have one";
    if (needs & ~has & NEEDS_P) return "expected a proc but didn't have one";
    if (needs & NEEDS_NO_P && has & NEEDS_P) return "expected no proc but had one";
    if (needs & ~has & NEEDS_G) return "expected a goroutine but didn't have one";
    return "expected no goroutine but had one";
}

bool trial_lacks(Trial *trial, unsigned needs)
{
    (void)trial_broken(trial, "%s", fault_of_needs(needs, trial->has));
    return false;
}

/* Copies the current event to `before`: the record represents several, and this is not the last. */
static void split_event(Trial *trial)
{
    assert(trial->s->before_count < SCHED_MOST_BEFORE);
    trial->s->before[trial->s->before_count++] = *trial->event;
}

/* -- goroutines, processors and threads -- */

/* Grows an array whose item 0 is unused. */
static void *grow_from_one(Arena *arena, void *items, uint32_t *count, uint32_t *capacity, size_t item_size)
{
    void *grown = arena_grow(arena, items, *count, capacity, item_size);
    if (grown != NULL && *count == 0) *count = 1;
    return grown;
}

uint32_t trial_add_g(Trial *trial, int64_t id, uint8_t status)
{
    Scheduler *s = trial->s;
    uint32_t   place = id_map_find(&s->g_map, (uint64_t)id);
    if (place == 0 && s->free_g != 0) {
        place = s->free_g;
        if (!id_map_put(&s->g_map, (uint64_t)id, place)) return 0;
        assert(place < s->g_count && s->gs[place].status == 0);
        s->free_g = s->gs[place].region;
    } else if (place == 0) {
        SchedG *gs = arena_grow(s->arena, s->gs, s->g_count, &s->g_capacity, sizeof *gs);
        if (gs == NULL) return 0;
        s->gs = gs;
        assert(s->g_count > 0 && s->g_count < s->g_capacity);
        place = s->g_count;
        if (!id_map_put(&s->g_map, (uint64_t)id, place)) return 0;
        s->g_count++;
    }
    s->gs[place] = (SchedG){ .id = id, .generation = s->generation, .status = status };
    return place;
}

uint32_t trial_add_p(Trial *trial, int64_t id)
{
    Scheduler *s = trial->s;
    SchedP    *ps = arena_grow(s->arena, s->ps, s->p_count, &s->p_capacity, sizeof *ps);
    if (ps == NULL) return 0;
    s->ps = ps;
    assert(s->p_count > 0 && s->p_count < s->p_capacity);
    if (!id_map_put(&s->p_map, (uint64_t)id, s->p_count)) return 0;
    ps[s->p_count] = (SchedP){ .id = id };
    return s->p_count++;
}

static uint32_t add_m(Scheduler *s, int64_t id)
{
    SchedM *ms = arena_grow(s->arena, s->ms, s->m_count, &s->m_capacity, sizeof *ms);
    if (ms == NULL) return 0;
    s->ms = ms;
    assert(s->m_count > 0 && s->m_count < s->m_capacity);
    if (!id_map_put(&s->m_map, (uint64_t)id, s->m_count)) return 0;
    ms[s->m_count] = (SchedM){ .id = id };
    return s->m_count++;
}

static void end_g(Trial *trial, uint32_t place)
{
    assert(place > 0 && place < trial->s->g_count);
    Scheduler *s = trial->s;
    SchedG    *g = &s->gs[place];
    g->status = 0;
    while (g->region != 0) {
        assert(g->region <= s->region_count);
        SchedRegion *region = &s->regions[g->region - 1];
        uint32_t     outer = region->outer;
        region->outer = s->free_region;
        s->free_region = g->region;
        g->region = outer;
    }
    /* ids are not reused, but places are: a program may start any number of goroutines */
    id_map_remove(&s->g_map, (uint64_t)g->id);
    g->region = s->free_g;
    s->free_g = place;
}

/* -- processors -- */

static const uint8_t PROC_STATES[] = { [V2_PROC_RUNNING] = GO_PROC_RUNNING,
                                       [V2_PROC_IDLE] = GO_PROC_IDLE,
                                       [V2_PROC_SYSCALL] = GO_PROC_RUNNING,
                                       [V2_PROC_SYSCALL_ABANDONED] = GO_PROC_IDLE };

/* Assigns the event to the thread that has the P in a syscall, and is about to lose it. */
static bool attribute_to_holder(Trial *trial, uint32_t p)
{
    assert(p > 0 && p < trial->s->p_count);
    Scheduler *s = trial->s;
    for (uint32_t m = 1; m < s->m_count; m++) {
        if (s->ms[m].p != p) continue;
        trial->event->m = s->ms[m].id;
        trial->event->p = s->ps[p].id;
        trial->event->g = s->ms[m].g == 0 ? GO_NONE : s->gs[s->ms[m].g].id;
        return true;
    }
    return false;
}

static Advance advance_proc_status(Trial *trial)
{
    Scheduler *s = trial->s;
    int64_t    id = (int64_t)trial->event->args[0];
    uint64_t   status = trial->event->args[1];
    if (status == 0 || status > V2_PROC_SYSCALL_ABANDONED)
        return trial_broken(trial, "invalid status for proc %" PRId64 ": %" PRIu64, id, status);
    uint8_t  from = PROC_STATES[status];
    uint32_t place = id_map_find(&s->p_map, (uint64_t)id);
    if (place == 0) {
        place = trial_add_p(trial, id);
        if (place == 0) return trial_out_of_memory(trial);
        s->ps[place].status = (uint8_t)status;
        from = trial->is_first ? GO_PROC_UNDETERMINED : GO_PROC_NOT_EXIST;
    } else if (status == V2_PROC_SYSCALL_ABANDONED && s->ps[place].status == V2_PROC_SYSCALL) {
        if (!attribute_to_holder(trial, place))
            return trial_broken(
                trial, "failed to find sched context for proc %" PRId64 " that's about to be stolen", id);
        from = GO_PROC_RUNNING;
        trial->event->args[1] = V2_PROC_SYSCALL;
    } else if (s->ps[place].status != status) {
        return trial_broken(trial, "inconsistent status for proc %" PRId64 ": old %u vs. new %" PRIu64, id,
                            s->ps[place].status, status);
    }
    s->ps[place].generation = s->generation;
    s->ps[place].seq = 0;
    if (status == V2_PROC_RUNNING || status == V2_PROC_SYSCALL) s->ms[trial->self].p = place;
    trial_set_p_transition(trial, id, from, PROC_STATES[trial->event->args[1]]);
    return ADVANCE_DONE;
}

static Advance advance_proc_start(Trial *trial)
{
    uint32_t place = id_map_find(&trial->s->p_map, trial->event->args[0]);
    SchedP  *p = &trial->s->ps[place];
    uint64_t seq = trial->event->args[1];
    if (place == 0 || p->status != V2_PROC_IDLE || !trial_follows(trial, p->generation, p->seq, seq) ||
        trial->p != 0)
        return ADVANCE_WAITS;
    if (!trial_has(trial, NEEDS_M)) return ADVANCE_BROKEN;
    p->status = V2_PROC_RUNNING;
    p->seq = seq;
    trial->s->ms[trial->self].p = place;
    trial_set_p_transition(trial, p->id, GO_PROC_IDLE, GO_PROC_RUNNING);
    return ADVANCE_DONE;
}

static Advance advance_proc_stop(Trial *trial)
{
    SchedP *p = &trial->s->ps[trial->p];
    if (trial->p == 0) return trial_broken(trial, "event ProcStop for proc (-1) that doesn't exist");
    if (p->status != V2_PROC_RUNNING && p->status != V2_PROC_SYSCALL)
        return trial_broken(trial, "ProcStop event for proc that's not Running or Syscall");
    if (!trial_has(trial, NEEDS_M | NEEDS_P)) return ADVANCE_BROKEN;
    p->status = V2_PROC_IDLE;
    trial->s->ms[trial->self].p = 0;
    trial_set_p_transition(trial, p->id, GO_PROC_RUNNING, GO_PROC_IDLE);
    return ADVANCE_DONE;
}

static Advance advance_proc_steal(Trial *trial)
{
    Scheduler *s = trial->s;
    uint32_t   place = id_map_find(&s->p_map, trial->event->args[0]);
    SchedP    *p = &s->ps[place];
    uint64_t   seq = trial->event->args[1];
    bool       is_abandoned = p->status == V2_PROC_SYSCALL_ABANDONED;
    if (place == 0 || (p->status != V2_PROC_SYSCALL && !is_abandoned) ||
        !trial_follows(trial, p->generation, p->seq, seq))
        return ADVANCE_WAITS;
    if (!trial_has(trial, NEEDS_M)) return ADVANCE_BROKEN;
    int64_t  from_id = (int64_t)trial->event->args[2];
    uint32_t from = from_id == trial->m ? trial->self : id_map_find(&s->m_map, (uint64_t)from_id);
    if (!is_abandoned) { /* otherwise events of the thread are lost, and it may have moved on */
        if (from == 0) return trial_broken(trial, "stole proc from non-existent thread %" PRId64, from_id);
        if (s->ms[from].p != place) {
            return trial_broken(trial,
                                "tried to steal proc %" PRId64 " from thread %" PRId64
                                ", but got proc %" PRId64 " instead",
                                p->id, from_id, s->ms[from].p == 0 ? GO_NONE : s->ps[s->ms[from].p].id);
        }
        s->ms[from].p = 0;
    }
    p->status = V2_PROC_IDLE;
    p->seq = seq;
    trial_set_p_transition(trial, p->id, is_abandoned ? GO_PROC_IDLE : GO_PROC_RUNNING, GO_PROC_IDLE);
    return ADVANCE_DONE;
}

/* -- goroutines -- */

static const uint8_t GO_STATES[] = { [V2_GO_RUNNABLE] = GO_STATE_RUNNABLE,
                                     [V2_GO_RUNNING] = GO_STATE_RUNNING,
                                     [V2_GO_SYSCALL] = GO_STATE_SYSCALL,
                                     [V2_GO_WAITING] = GO_STATE_WAITING };

/* Binds a goroutine in a syscall to the thread that the event names. */
static Advance bind_syscall(Trial *trial, uint32_t place, int64_t m_id)
{
    Scheduler *s = trial->s;
    int64_t    id = s->gs[place].id;
    if (m_id == GO_NONE)
        return trial_broken(trial, "found goroutine %" PRId64 " in syscall without a thread", id);
    if (m_id == trial->m) {
        if (!trial->is_first && trial->g != place) {
            return trial_broken(trial, "inconsistent thread for syscalling goroutine %" PRId64, id);
        }
        s->ms[trial->self].g = place;
        return ADVANCE_DONE;
    }
    uint32_t m = id_map_find(&s->m_map, (uint64_t)m_id);
    if (m != 0) {
        if (s->ms[m].g != place)
            return trial_broken(trial, "inconsistent thread for syscalling goroutine %" PRId64, id);
        trial->event->g = id;
    } else { /* in the syscall since before the trace */
        m = add_m(s, m_id);
        if (m == 0) return trial_out_of_memory(trial);
        s->ms[m].g = place;
    }
    trial->event->m = m_id;
    return ADVANCE_DONE;
}

static Advance advance_go_status(Trial *trial)
{
    Scheduler *s = trial->s;
    int64_t    id = (int64_t)trial->event->args[0];
    uint64_t   status = trial->event->args[2];
    if (status == 0 || status > V2_GO_WAITING)
        return trial_broken(trial, "invalid status for goroutine %" PRId64 ": %" PRIu64, id, status);
    GoState  from = (GoState)GO_STATES[status];
    uint32_t place = trial_find_g(trial, id);
    if (place != 0) {
        if (s->gs[place].status != status)
            return trial_broken(trial,
                                "inconsistent status for goroutine %" PRId64 ": old %u vs. new %" PRIu64, id,
                                s->gs[place].status, status);
        s->gs[place].generation = s->generation;
        s->gs[place].seq = 0;
    } else {
        if (!trial->is_first)
            return trial_broken(
                trial, "found goroutine status for new goroutine after the first generation: id=%" PRId64,
                id);
        place = trial_add_g(trial, id, (uint8_t)status);
        if (place == 0) return trial_out_of_memory(trial);
        from = GO_STATE_UNDETERMINED;
    }
    if (status == V2_GO_RUNNING) s->ms[trial->self].g = place;
    if (status == V2_GO_SYSCALL) {
        Advance bound = bind_syscall(trial, place, (int64_t)trial->event->args[1]);
        if (bound != ADVANCE_DONE) return bound;
    }
    trial_set_g_transition(trial, id, from, (GoState)GO_STATES[status]);
    return ADVANCE_DONE;
}

static Advance advance_go_create(Trial *trial)
{
    Scheduler *s = trial->s;
    int64_t    id = (int64_t)trial->event->args[0];
    bool       is_blocked = trial->event->type == V2_GO_CREATE_BLOCKED;
    if (!trial_has(trial, NEEDS_M | NEEDS_P)) return ADVANCE_BROKEN;
    if (trial->g != 0 && s->gs[trial->g].status != V2_GO_RUNNING)
        return trial_broken(trial, "%s event for goroutine that's not Running", trial_name(trial));
    if (trial_find_g(trial, id) != 0)
        return trial_broken(trial, "tried to create goroutine (%" PRId64 ") that already exists", id);
    if (trial_add_g(trial, id, is_blocked ? V2_GO_WAITING : V2_GO_RUNNABLE) == 0)
        return trial_out_of_memory(trial);
    trial_set_g_transition(trial, id, GO_STATE_NOT_EXIST, is_blocked ? GO_STATE_WAITING : GO_STATE_RUNNABLE);
    return ADVANCE_DONE;
}

/* Returns the current goroutine if it has the status that the event needs; else NULL, with the fault set. */
static SchedG *current(Trial *trial, unsigned needs, uint8_t status)
{
    if (!trial_has(trial, needs)) return NULL;
    SchedG *g = &trial->s->gs[trial->g];
    if (g->status == 0) {
        (void)trial_broken(trial, "event %s for goroutine (%" PRId64 ") that doesn't exist",
                           trial_name(trial), g->id);
        return NULL;
    }
    if (g->status != status) {
        (void)trial_broken(trial, "%s event for goroutine that's not %s", trial_name(trial),
                           go_state_name((GoState)GO_STATES[status]));
        return NULL;
    }
    return g;
}

/* Handles GoDestroy, GoStop, GoBlock. */
static Advance advance_go_stop(Trial *trial)
{
    SchedG *g = current(trial, NEEDS_USER, V2_GO_RUNNING);
    if (g == NULL) return ADVANCE_BROKEN;
    GoState to = GO_STATE_NOT_EXIST;
    if (trial->event->type == V2_GO_DESTROY) {
        end_g(trial, trial->g);
    } else if (trial->event->type == V2_GO_STOP) {
        g->status = V2_GO_RUNNABLE;
        to = GO_STATE_RUNNABLE;
    } else {
        g->status = V2_GO_WAITING;
        to = GO_STATE_WAITING;
    }
    trial->s->ms[trial->self].g = 0;
    trial_set_g_transition(trial, g->id, GO_STATE_RUNNING, to);
    return ADVANCE_DONE;
}

/* Returns the place of the event's goroutine if it has this status and the event has its next sequence number; else
 * 0. */
static uint32_t named_next(Trial *trial, uint8_t status)
{
    uint32_t      place = trial_find_g(trial, (int64_t)trial->event->args[0]);
    const SchedG *g = &trial->s->gs[place];
    bool is_next = g->status == status && trial_follows(trial, g->generation, g->seq, trial->event->args[1]);
    return is_next ? place : 0;
}

static Advance advance_go_start(Trial *trial)
{
    uint32_t place = named_next(trial, V2_GO_RUNNABLE);
    if (place == 0) return ADVANCE_WAITS;
    if (!trial_has(trial, NEEDS_M | NEEDS_P | NEEDS_NO_G)) return ADVANCE_BROKEN;
    SchedG *g = &trial->s->gs[place];
    g->status = V2_GO_RUNNING;
    g->seq = trial->event->args[1];
    trial->s->ms[trial->self].g = place;
    trial_set_g_transition(trial, g->id, GO_STATE_RUNNABLE, GO_STATE_RUNNING);
    return ADVANCE_DONE;
}

static Advance advance_go_unblock(Trial *trial)
{
    uint32_t place = named_next(trial, V2_GO_WAITING);
    if (place == 0) return ADVANCE_WAITS;
    SchedG *g = &trial->s->gs[place];
    g->status = V2_GO_RUNNABLE;
    g->seq = trial->event->args[1];
    trial_set_g_transition(trial, g->id, GO_STATE_WAITING, GO_STATE_RUNNABLE);
    return ADVANCE_DONE;
}

/* Handles GoSwitch and GoSwitchDestroy, which represent three events. */
static Advance advance_go_switch(Trial *trial)
{
    Scheduler *s = trial->s;
    SchedG    *g = current(trial, NEEDS_USER, V2_GO_RUNNING);
    if (g == NULL) return ADVANCE_BROKEN;
    uint32_t place = named_next(trial, V2_GO_WAITING);
    if (place == 0) return ADVANCE_WAITS;
    SchedG  *next = &s->gs[place];
    uint64_t seq = trial->event->args[1];
    bool     is_end = trial->event->type == V2_GO_SWITCH_DESTROY;
    trial_set_g_transition(trial, next->id, GO_STATE_WAITING, GO_STATE_RUNNABLE);
    split_event(trial);
    trial->event->args[0] = trial->event->args[1] = 0; /* no reason, no stack */
    trial->event->type = is_end ? V2_GO_DESTROY : V2_GO_BLOCK;
    trial_set_g_transition(trial, g->id, GO_STATE_RUNNING, is_end ? GO_STATE_NOT_EXIST : GO_STATE_WAITING);
    split_event(trial);
    if (is_end) {
        end_g(trial, trial->g);
    } else {
        g->status = V2_GO_WAITING;
    }
    next->status = V2_GO_RUNNING;
    next->seq = seq;
    s->ms[trial->self].g = place;
    trial->event->type = V2_GO_START;
    trial->event->g = GO_NONE;
    trial->event->args[0] = (uint64_t)next->id;
    trial->event->args[1] = seq;
    trial_set_g_transition(trial, next->id, GO_STATE_RUNNABLE, GO_STATE_RUNNING);
    return ADVANCE_DONE;
}

/* -- syscalls -- */

static Advance advance_syscall_begin(Trial *trial)
{
    SchedG *g = current(trial, NEEDS_USER, V2_GO_RUNNING);
    if (g == NULL) return ADVANCE_BROKEN;
    SchedP  *p = &trial->s->ps[trial->p];
    uint64_t seq = trial->event->args[0];
    if (!trial_follows(trial, p->generation, p->seq, seq)) {
        return trial_broken(trial,
                            "failed to advance GoSyscallBegin: can't make sequence: %" PRIu64 " (gen=%" PRIu64
                            ") -> %" PRIu64 " (gen=%" PRIu64 ")",
                            p->seq, p->generation, seq, trial->s->generation);
    }
    g->status = V2_GO_SYSCALL;
    p->status = V2_PROC_SYSCALL;
    p->seq = seq;
    trial_set_g_transition(trial, g->id, GO_STATE_RUNNING, GO_STATE_SYSCALL);
    return ADVANCE_DONE;
}

static Advance advance_syscall_end(Trial *trial)
{
    SchedG *g = current(trial, NEEDS_USER, V2_GO_SYSCALL);
    if (g == NULL) return ADVANCE_BROKEN;
    SchedP *p = &trial->s->ps[trial->p];
    if (p->status != V2_PROC_SYSCALL)
        return trial_broken(trial, "expected proc %" PRId64 " in state Syscall, but got %u instead", p->id,
                            p->status);
    g->status = V2_GO_RUNNING;
    p->status = V2_PROC_RUNNING;
    trial_set_g_transition(trial, g->id, GO_STATE_SYSCALL, GO_STATE_RUNNING);
    return ADVANCE_DONE;
}

/* Waits until another thread's event takes the P away. */
static Advance advance_syscall_end_blocked(Trial *trial)
{
    if (trial->p != 0 && trial->s->ps[trial->p].status == V2_PROC_SYSCALL) return ADVANCE_WAITS;
    SchedG *g = current(trial, NEEDS_M | NEEDS_G, V2_GO_SYSCALL);
    if (g == NULL) return ADVANCE_BROKEN;
    g->status = V2_GO_RUNNABLE;
    trial->s->ms[trial->self].g = 0;
    trial_set_g_transition(trial, g->id, GO_STATE_SYSCALL, GO_STATE_RUNNABLE);
    return ADVANCE_DONE;
}

static Advance advance_go_create_syscall(Trial *trial)
{
    int64_t id = (int64_t)trial->event->args[0];
    if (!trial_has(trial, NEEDS_M | NEEDS_NO_G)) return ADVANCE_BROKEN;
    if (trial_find_g(trial, id) != 0)
        return trial_broken(trial, "tried to create goroutine (%" PRId64 ") in syscall that already exists",
                            id);
    uint32_t place = trial_add_g(trial, id, V2_GO_SYSCALL);
    if (place == 0) return trial_out_of_memory(trial);
    trial->s->ms[trial->self].g = place;
    trial_set_g_transition(trial, id, GO_STATE_NOT_EXIST, GO_STATE_SYSCALL);
    return ADVANCE_DONE;
}

/* Handles the end of a C thread's goroutine. A P that the thread has is left for other threads to steal. */
static Advance advance_go_destroy_syscall(Trial *trial)
{
    Scheduler *s = trial->s;
    SchedG    *g = current(trial, NEEDS_M | NEEDS_G, V2_GO_SYSCALL);
    if (g == NULL) return ADVANCE_BROKEN;
    if (trial->p != 0) {
        SchedP *p = &s->ps[trial->p];
        if (p->status != V2_PROC_SYSCALL)
            return trial_broken(trial, "proc %" PRId64 " in unexpected state %u during GoDestroySyscall",
                                p->id, p->status);
        p->status = V2_PROC_SYSCALL_ABANDONED;
        s->ms[trial->self].p = 0;
        trial->event->type = V2_PROC_STEAL;
        trial->event->args[0] = (uint64_t)p->id;
        trial_set_p_transition(trial, p->id, GO_PROC_RUNNING, GO_PROC_IDLE);
        split_event(trial);
        trial->event->type = V2_GO_DESTROY_SYSCALL;
        trial->event->args[0] = 0;
    }
    s->ms[trial->self].g = 0;
    trial_set_g_transition(trial, g->id, GO_STATE_SYSCALL, GO_STATE_NOT_EXIST);
    end_g(trial, trial->g);
    return ADVANCE_DONE;
}

/* -- the function for each type -- */

static Advance (*const ADVANCES[V2_TYPE_COUNT])(Trial *trial) = {
    [V2_PROCS_CHANGE] = advance_annotation,
    [V2_PROC_START] = advance_proc_start,
    [V2_PROC_STOP] = advance_proc_stop,
    [V2_PROC_STEAL] = advance_proc_steal,
    [V2_PROC_STATUS] = advance_proc_status,
    [V2_GO_CREATE] = advance_go_create,
    [V2_GO_CREATE_BLOCKED] = advance_go_create,
    [V2_GO_CREATE_SYSCALL] = advance_go_create_syscall,
    [V2_GO_START] = advance_go_start,
    [V2_GO_DESTROY] = advance_go_stop,
    [V2_GO_DESTROY_SYSCALL] = advance_go_destroy_syscall,
    [V2_GO_STOP] = advance_go_stop,
    [V2_GO_BLOCK] = advance_go_stop,
    [V2_GO_UNBLOCK] = advance_go_unblock,
    [V2_GO_SYSCALL_BEGIN] = advance_syscall_begin,
    [V2_GO_SYSCALL_END] = advance_syscall_end,
    [V2_GO_SYSCALL_END_BLOCKED] = advance_syscall_end_blocked,
    [V2_GO_STATUS] = advance_go_status,
    [V2_GO_STATUS_STACK] = advance_go_status,
    [V2_GO_SWITCH] = advance_go_switch,
    [V2_GO_SWITCH_DESTROY] = advance_go_switch,
    [V2_STW_BEGIN] = advance_stw_begin,
    [V2_STW_END] = advance_stw_end,
    [V2_GC_ACTIVE] = advance_gc_active,
    [V2_GC_BEGIN] = advance_gc_begin,
    [V2_GC_END] = advance_gc_end,
    [V2_GC_SWEEP_ACTIVE] = advance_sweep_active,
    [V2_GC_SWEEP_BEGIN] = advance_sweep_begin,
    [V2_GC_SWEEP_END] = advance_sweep_end,
    [V2_GC_MARK_ASSIST_ACTIVE] = advance_assist_active,
    [V2_GC_MARK_ASSIST_BEGIN] = advance_assist_begin,
    [V2_GC_MARK_ASSIST_END] = advance_assist_end,
    [V2_HEAP_ALLOC] = advance_heap,
    [V2_HEAP_GOAL] = advance_heap,
    [V2_GO_LABEL] = advance_annotation,
    [V2_USER_TASK_BEGIN] = advance_task_begin,
    [V2_USER_TASK_END] = advance_task_end,
    [V2_USER_REGION_BEGIN] = advance_region_begin,
    [V2_USER_REGION_END] = advance_region_end,
    [V2_USER_LOG] = advance_annotation,
    [V2_SPAN] = advance_experimental,
    [V2_SPAN_ALLOC] = advance_experimental,
    [V2_SPAN_FREE] = advance_experimental,
    [V2_HEAP_OBJECT] = advance_experimental,
    [V2_HEAP_OBJECT_ALLOC] = advance_experimental,
    [V2_HEAP_OBJECT_FREE] = advance_experimental,
    [V2_GOROUTINE_STACK] = advance_experimental,
    [V2_GOROUTINE_STACK_ALLOC] = advance_experimental,
    [V2_GOROUTINE_STACK_FREE] = advance_experimental,
};

/* Allocates the arrays with the unused items 0. Item 0 of the threads is written to for events without a thread, and
 * never read. */
static bool ensure_arrays(Scheduler *s)
{
    if (s->g_count > 0) return true;
    s->g_map.arena = s->p_map.arena = s->m_map.arena = s->task_map.arena = s->arena;
    SchedG *gs = grow_from_one(s->arena, s->gs, &s->g_count, &s->g_capacity, sizeof *gs);
    SchedP *ps = grow_from_one(s->arena, s->ps, &s->p_count, &s->p_capacity, sizeof *ps);
    SchedM *ms = grow_from_one(s->arena, s->ms, &s->m_count, &s->m_capacity, sizeof *ms);
    if (gs == NULL || ps == NULL || ms == NULL) {
        s->g_count = s->p_count = s->m_count = 0;
        return false;
    }
    s->gs = gs;
    s->ps = ps;
    s->ms = ms;
    gs[0].id = ps[0].id = GO_NONE;
    return true;
}

void scheduler_reset(Scheduler *s)
{
    id_map_clear(&s->g_map);
    id_map_clear(&s->p_map);
    id_map_clear(&s->m_map);
    id_map_clear(&s->task_map);
    if (s->g_count > 0) s->g_count = s->p_count = s->m_count = 1;
    s->region_count = s->task_count = 0;
    s->free_region = s->free_g = s->free_task = 0;
    s->gc_seq = 0;
    s->gc = SCHED_GC_UNKNOWN;
    s->first_generation = 0;
}

static Advance advance_any(Scheduler *s, GoEvent *event, int64_t m, uint32_t *self)
{
    Trial trial = { .s = s, .event = event, .m = m };
    if (UNLIKELY(!ensure_arrays(s))) return trial_out_of_memory(&trial);
    if (s->first_generation == 0) s->first_generation = s->generation;
    trial.is_first = s->first_generation == s->generation;
    if (m != GO_NONE) {
        if (UNLIKELY(*self == 0)) {
            *self = id_map_find(&s->m_map, (uint64_t)m);
            if (*self == 0) *self = add_m(s, m);
            if (*self == 0) return trial_out_of_memory(&trial);
        }
        trial.self = *self;
        trial.g = s->ms[trial.self].g;
        trial.p = s->ms[trial.self].p;
        trial.has = NEEDS_M | (trial.p != 0 ? (unsigned)NEEDS_P : 0) | (trial.g != 0 ? (unsigned)NEEDS_G : 0);
    }
    event->m = m;
    event->g = s->gs[trial.g].id;
    event->p = s->ps[trial.p].id;
    event->kind = V2_SPECS[event->type].kind;
    assert(ADVANCES[event->type] != NULL);
    return ADVANCES[event->type](&trial);
}

Advance scheduler_advance(Scheduler *s, GoEvent *event, int64_t m, uint32_t *self)
{
    SchedStep step;
    s->before_count = 0;
    event->id = 0;
    event->extra_task = 0;
    event->extra = STRING_NONE;
    event->stack = event->id_stack = 0;
    event->resource = event->from = event->to = 0;
    if (*self == 0 || !scheduler_step(s, event->type, event->args, *self, &step))
        return advance_any(s, event, m, self);
    scheduler_step_tell(s, &step, *self, event);
    return ADVANCE_DONE;
}
