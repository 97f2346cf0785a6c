#include "format/go/v2/scheduler.h"

#include "format/go/v2/scheduler_state.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* -- one event being tried -- */

Advance turn_broken(Turn *turn, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(turn->s->fault, sizeof turn->s->fault, format, args);
    va_end(args);
    return ADVANCE_BROKEN;
}

Advance turn_out_of_memory(Turn *turn)
{
    turn->s->out_of_memory = true;
    return turn_broken(turn, "out of memory");
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

bool turn_lacks(Turn *turn, unsigned needs)
{
    (void)turn_broken(turn, "%s", fault_of_needs(needs, turn->has));
    return false;
}

void turn_split(Turn *turn)
{
    assert(turn->s->before_count < SCHED_MOST_BEFORE);
    turn->s->before[turn->s->before_count++] = *turn->event;
}

/* -- goroutines, processors and threads -- */

/* Grows an array whose item 0 is unused. */
static void *grow_from_one(Arena *arena, void *items, uint32_t *count, uint32_t *capacity, size_t item_size)
{
    void *grown = arena_grow(arena, items, *count, capacity, item_size);
    if (grown != NULL && *count == 0) *count = 1;
    return grown;
}

uint32_t turn_add_g(Turn *turn, int64_t id, uint8_t status)
{
    Scheduler *s = turn->s;
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

uint32_t turn_add_p(Turn *turn, int64_t id)
{
    Scheduler *s = turn->s;
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

static void end_g(Turn *turn, uint32_t place)
{
    assert(place > 0 && place < turn->s->g_count);
    Scheduler *s = turn->s;
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
static bool attribute_to_holder(Turn *turn, uint32_t p)
{
    assert(p > 0 && p < turn->s->p_count);
    Scheduler *s = turn->s;
    for (uint32_t m = 1; m < s->m_count; m++) {
        if (s->ms[m].p != p) continue;
        turn->event->m = s->ms[m].id;
        turn->event->p = s->ps[p].id;
        turn->event->g = s->ms[m].g == 0 ? GO_NONE : s->gs[s->ms[m].g].id;
        return true;
    }
    return false;
}

static Advance advance_proc_status(Turn *turn)
{
    Scheduler *s = turn->s;
    int64_t    id = (int64_t)turn->event->args[0];
    uint64_t   status = turn->event->args[1];
    if (status == 0 || status > V2_PROC_SYSCALL_ABANDONED)
        return turn_broken(turn, "invalid status for proc %" PRId64 ": %" PRIu64, id, status);
    uint8_t  from = PROC_STATES[status];
    uint32_t place = id_map_find(&s->p_map, (uint64_t)id);
    if (place == 0) {
        place = turn_add_p(turn, id);
        if (place == 0) return turn_out_of_memory(turn);
        s->ps[place].status = (uint8_t)status;
        from = turn->is_first ? GO_PROC_UNDETERMINED : GO_PROC_NOT_EXIST;
    } else if (status == V2_PROC_SYSCALL_ABANDONED && s->ps[place].status == V2_PROC_SYSCALL) {
        if (!attribute_to_holder(turn, place))
            return turn_broken(
                turn, "failed to find sched context for proc %" PRId64 " that's about to be stolen", id);
        from = GO_PROC_RUNNING;
        turn->event->args[1] = V2_PROC_SYSCALL;
    } else if (s->ps[place].status != status) {
        return turn_broken(turn, "inconsistent status for proc %" PRId64 ": old %u vs. new %" PRIu64, id,
                           s->ps[place].status, status);
    }
    s->ps[place].generation = s->generation;
    s->ps[place].seq = 0;
    if (status == V2_PROC_RUNNING || status == V2_PROC_SYSCALL) s->ms[turn->self].p = place;
    turn_tell_p(turn, id, from, PROC_STATES[turn->event->args[1]]);
    return ADVANCE_DONE;
}

static Advance advance_proc_start(Turn *turn)
{
    uint32_t place = id_map_find(&turn->s->p_map, turn->event->args[0]);
    SchedP  *p = &turn->s->ps[place];
    uint64_t seq = turn->event->args[1];
    if (place == 0 || p->status != V2_PROC_IDLE || !turn_follows(turn, p->generation, p->seq, seq) ||
        turn->p != 0)
        return ADVANCE_WAITS;
    if (!turn_has(turn, NEEDS_M)) return ADVANCE_BROKEN;
    p->status = V2_PROC_RUNNING;
    p->seq = seq;
    turn->s->ms[turn->self].p = place;
    turn_tell_p(turn, p->id, GO_PROC_IDLE, GO_PROC_RUNNING);
    return ADVANCE_DONE;
}

static Advance advance_proc_stop(Turn *turn)
{
    SchedP *p = &turn->s->ps[turn->p];
    if (turn->p == 0) return turn_broken(turn, "event ProcStop for proc (-1) that doesn't exist");
    if (p->status != V2_PROC_RUNNING && p->status != V2_PROC_SYSCALL)
        return turn_broken(turn, "ProcStop event for proc that's not Running or Syscall");
    if (!turn_has(turn, NEEDS_M | NEEDS_P)) return ADVANCE_BROKEN;
    p->status = V2_PROC_IDLE;
    turn->s->ms[turn->self].p = 0;
    turn_tell_p(turn, p->id, GO_PROC_RUNNING, GO_PROC_IDLE);
    return ADVANCE_DONE;
}

static Advance advance_proc_steal(Turn *turn)
{
    Scheduler *s = turn->s;
    uint32_t   place = id_map_find(&s->p_map, turn->event->args[0]);
    SchedP    *p = &s->ps[place];
    uint64_t   seq = turn->event->args[1];
    bool       is_abandoned = p->status == V2_PROC_SYSCALL_ABANDONED;
    if (place == 0 || (p->status != V2_PROC_SYSCALL && !is_abandoned) ||
        !turn_follows(turn, p->generation, p->seq, seq))
        return ADVANCE_WAITS;
    if (!turn_has(turn, NEEDS_M)) return ADVANCE_BROKEN;
    int64_t  from_id = (int64_t)turn->event->args[2];
    uint32_t from = from_id == turn->m ? turn->self : id_map_find(&s->m_map, (uint64_t)from_id);
    if (!is_abandoned) { /* otherwise events of the thread are lost, and it may have moved on */
        if (from == 0) return turn_broken(turn, "stole proc from non-existent thread %" PRId64, from_id);
        if (s->ms[from].p != place) {
            return turn_broken(turn,
                               "tried to steal proc %" PRId64 " from thread %" PRId64
                               ", but got proc %" PRId64 " instead",
                               p->id, from_id, s->ms[from].p == 0 ? GO_NONE : s->ps[s->ms[from].p].id);
        }
        s->ms[from].p = 0;
    }
    p->status = V2_PROC_IDLE;
    p->seq = seq;
    turn_tell_p(turn, p->id, is_abandoned ? GO_PROC_IDLE : GO_PROC_RUNNING, GO_PROC_IDLE);
    return ADVANCE_DONE;
}

/* -- goroutines -- */

static const uint8_t GO_STATES[] = { [V2_GO_RUNNABLE] = GO_STATE_RUNNABLE,
                                     [V2_GO_RUNNING] = GO_STATE_RUNNING,
                                     [V2_GO_SYSCALL] = GO_STATE_SYSCALL,
                                     [V2_GO_WAITING] = GO_STATE_WAITING };

/* Binds a goroutine in a syscall to the thread that the event names. */
static Advance bind_syscall(Turn *turn, uint32_t place, int64_t m_id)
{
    Scheduler *s = turn->s;
    int64_t    id = s->gs[place].id;
    if (m_id == GO_NONE)
        return turn_broken(turn, "found goroutine %" PRId64 " in syscall without a thread", id);
    if (m_id == turn->m) {
        if (!turn->is_first && turn->g != place) {
            return turn_broken(turn, "inconsistent thread for syscalling goroutine %" PRId64, id);
        }
        s->ms[turn->self].g = place;
        return ADVANCE_DONE;
    }
    uint32_t m = id_map_find(&s->m_map, (uint64_t)m_id);
    if (m != 0) {
        if (s->ms[m].g != place)
            return turn_broken(turn, "inconsistent thread for syscalling goroutine %" PRId64, id);
        turn->event->g = id;
    } else { /* in the syscall since before the trace */
        m = add_m(s, m_id);
        if (m == 0) return turn_out_of_memory(turn);
        s->ms[m].g = place;
    }
    turn->event->m = m_id;
    return ADVANCE_DONE;
}

static Advance advance_go_status(Turn *turn)
{
    Scheduler *s = turn->s;
    int64_t    id = (int64_t)turn->event->args[0];
    uint64_t   status = turn->event->args[2];
    if (status == 0 || status > V2_GO_WAITING)
        return turn_broken(turn, "invalid status for goroutine %" PRId64 ": %" PRIu64, id, status);
    GoState  from = (GoState)GO_STATES[status];
    uint32_t place = turn_find_g(turn, id);
    if (place != 0) {
        if (s->gs[place].status != status)
            return turn_broken(turn, "inconsistent status for goroutine %" PRId64 ": old %u vs. new %" PRIu64,
                               id, s->gs[place].status, status);
        s->gs[place].generation = s->generation;
        s->gs[place].seq = 0;
    } else {
        if (!turn->is_first)
            return turn_broken(
                turn, "found goroutine status for new goroutine after the first generation: id=%" PRId64, id);
        place = turn_add_g(turn, id, (uint8_t)status);
        if (place == 0) return turn_out_of_memory(turn);
        from = GO_STATE_UNDETERMINED;
    }
    if (status == V2_GO_RUNNING) s->ms[turn->self].g = place;
    if (status == V2_GO_SYSCALL) {
        Advance bound = bind_syscall(turn, place, (int64_t)turn->event->args[1]);
        if (bound != ADVANCE_DONE) return bound;
    }
    turn_tell_g(turn, id, from, (GoState)GO_STATES[status]);
    return ADVANCE_DONE;
}

static Advance advance_go_create(Turn *turn)
{
    Scheduler *s = turn->s;
    int64_t    id = (int64_t)turn->event->args[0];
    bool       is_blocked = turn->event->type == V2_GO_CREATE_BLOCKED;
    if (!turn_has(turn, NEEDS_M | NEEDS_P)) return ADVANCE_BROKEN;
    if (turn->g != 0 && s->gs[turn->g].status != V2_GO_RUNNING)
        return turn_broken(turn, "%s event for goroutine that's not Running", turn_name(turn));
    if (turn_find_g(turn, id) != 0)
        return turn_broken(turn, "tried to create goroutine (%" PRId64 ") that already exists", id);
    if (turn_add_g(turn, id, is_blocked ? V2_GO_WAITING : V2_GO_RUNNABLE) == 0)
        return turn_out_of_memory(turn);
    turn_tell_g(turn, id, GO_STATE_NOT_EXIST, is_blocked ? GO_STATE_WAITING : GO_STATE_RUNNABLE);
    return ADVANCE_DONE;
}

/* Returns the current goroutine if it has the status that the event needs; else NULL, with the fault set. */
static SchedG *current(Turn *turn, unsigned needs, uint8_t status)
{
    if (!turn_has(turn, needs)) return NULL;
    SchedG *g = &turn->s->gs[turn->g];
    if (g->status == 0) {
        (void)turn_broken(turn, "event %s for goroutine (%" PRId64 ") that doesn't exist", turn_name(turn),
                          g->id);
        return NULL;
    }
    if (g->status != status) {
        (void)turn_broken(turn, "%s event for goroutine that's not %s", turn_name(turn),
                          go_state_name((GoState)GO_STATES[status]));
        return NULL;
    }
    return g;
}

/* Handles GoDestroy, GoStop, GoBlock. */
static Advance advance_go_stop(Turn *turn)
{
    SchedG *g = current(turn, NEEDS_USER, V2_GO_RUNNING);
    if (g == NULL) return ADVANCE_BROKEN;
    GoState to = GO_STATE_NOT_EXIST;
    if (turn->event->type == V2_GO_DESTROY) {
        end_g(turn, turn->g);
    } else if (turn->event->type == V2_GO_STOP) {
        g->status = V2_GO_RUNNABLE;
        to = GO_STATE_RUNNABLE;
    } else {
        g->status = V2_GO_WAITING;
        to = GO_STATE_WAITING;
    }
    turn->s->ms[turn->self].g = 0;
    turn_tell_g(turn, g->id, GO_STATE_RUNNING, to);
    return ADVANCE_DONE;
}

/* Returns the place of the event's goroutine if it has this status and the event has its next sequence number; else
 * 0. */
static uint32_t named_next(Turn *turn, uint8_t status)
{
    uint32_t      place = turn_find_g(turn, (int64_t)turn->event->args[0]);
    const SchedG *g = &turn->s->gs[place];
    bool is_next = g->status == status && turn_follows(turn, g->generation, g->seq, turn->event->args[1]);
    return is_next ? place : 0;
}

static Advance advance_go_start(Turn *turn)
{
    uint32_t place = named_next(turn, V2_GO_RUNNABLE);
    if (place == 0) return ADVANCE_WAITS;
    if (!turn_has(turn, NEEDS_M | NEEDS_P | NEEDS_NO_G)) return ADVANCE_BROKEN;
    SchedG *g = &turn->s->gs[place];
    g->status = V2_GO_RUNNING;
    g->seq = turn->event->args[1];
    turn->s->ms[turn->self].g = place;
    turn_tell_g(turn, g->id, GO_STATE_RUNNABLE, GO_STATE_RUNNING);
    return ADVANCE_DONE;
}

static Advance advance_go_unblock(Turn *turn)
{
    uint32_t place = named_next(turn, V2_GO_WAITING);
    if (place == 0) return ADVANCE_WAITS;
    SchedG *g = &turn->s->gs[place];
    g->status = V2_GO_RUNNABLE;
    g->seq = turn->event->args[1];
    turn_tell_g(turn, g->id, GO_STATE_WAITING, GO_STATE_RUNNABLE);
    return ADVANCE_DONE;
}

/* Handles GoSwitch and GoSwitchDestroy, which represent three events. */
static Advance advance_go_switch(Turn *turn)
{
    Scheduler *s = turn->s;
    SchedG    *g = current(turn, NEEDS_USER, V2_GO_RUNNING);
    if (g == NULL) return ADVANCE_BROKEN;
    uint32_t place = named_next(turn, V2_GO_WAITING);
    if (place == 0) return ADVANCE_WAITS;
    SchedG  *next = &s->gs[place];
    uint64_t seq = turn->event->args[1];
    bool     is_end = turn->event->type == V2_GO_SWITCH_DESTROY;
    turn_tell_g(turn, next->id, GO_STATE_WAITING, GO_STATE_RUNNABLE);
    turn_split(turn);
    turn->event->args[0] = turn->event->args[1] = 0; /* no reason, no stack */
    turn->event->type = is_end ? V2_GO_DESTROY : V2_GO_BLOCK;
    turn_tell_g(turn, g->id, GO_STATE_RUNNING, is_end ? GO_STATE_NOT_EXIST : GO_STATE_WAITING);
    turn_split(turn);
    if (is_end) {
        end_g(turn, turn->g);
    } else {
        g->status = V2_GO_WAITING;
    }
    next->status = V2_GO_RUNNING;
    next->seq = seq;
    s->ms[turn->self].g = place;
    turn->event->type = V2_GO_START;
    turn->event->g = GO_NONE;
    turn->event->args[0] = (uint64_t)next->id;
    turn->event->args[1] = seq;
    turn_tell_g(turn, next->id, GO_STATE_RUNNABLE, GO_STATE_RUNNING);
    return ADVANCE_DONE;
}

/* -- syscalls -- */

static Advance advance_syscall_begin(Turn *turn)
{
    SchedG *g = current(turn, NEEDS_USER, V2_GO_RUNNING);
    if (g == NULL) return ADVANCE_BROKEN;
    SchedP  *p = &turn->s->ps[turn->p];
    uint64_t seq = turn->event->args[0];
    if (!turn_follows(turn, p->generation, p->seq, seq)) {
        return turn_broken(turn,
                           "failed to advance GoSyscallBegin: can't make sequence: %" PRIu64 " (gen=%" PRIu64
                           ") -> %" PRIu64 " (gen=%" PRIu64 ")",
                           p->seq, p->generation, seq, turn->s->generation);
    }
    g->status = V2_GO_SYSCALL;
    p->status = V2_PROC_SYSCALL;
    p->seq = seq;
    turn_tell_g(turn, g->id, GO_STATE_RUNNING, GO_STATE_SYSCALL);
    return ADVANCE_DONE;
}

static Advance advance_syscall_end(Turn *turn)
{
    SchedG *g = current(turn, NEEDS_USER, V2_GO_SYSCALL);
    if (g == NULL) return ADVANCE_BROKEN;
    SchedP *p = &turn->s->ps[turn->p];
    if (p->status != V2_PROC_SYSCALL)
        return turn_broken(turn, "expected proc %" PRId64 " in state Syscall, but got %u instead", p->id,
                           p->status);
    g->status = V2_GO_RUNNING;
    p->status = V2_PROC_RUNNING;
    turn_tell_g(turn, g->id, GO_STATE_SYSCALL, GO_STATE_RUNNING);
    return ADVANCE_DONE;
}

/* Waits until another thread's event takes the P away. */
static Advance advance_syscall_end_blocked(Turn *turn)
{
    if (turn->p != 0 && turn->s->ps[turn->p].status == V2_PROC_SYSCALL) return ADVANCE_WAITS;
    SchedG *g = current(turn, NEEDS_M | NEEDS_G, V2_GO_SYSCALL);
    if (g == NULL) return ADVANCE_BROKEN;
    g->status = V2_GO_RUNNABLE;
    turn->s->ms[turn->self].g = 0;
    turn_tell_g(turn, g->id, GO_STATE_SYSCALL, GO_STATE_RUNNABLE);
    return ADVANCE_DONE;
}

static Advance advance_go_create_syscall(Turn *turn)
{
    int64_t id = (int64_t)turn->event->args[0];
    if (!turn_has(turn, NEEDS_M | NEEDS_NO_G)) return ADVANCE_BROKEN;
    if (turn_find_g(turn, id) != 0)
        return turn_broken(turn, "tried to create goroutine (%" PRId64 ") in syscall that already exists",
                           id);
    uint32_t place = turn_add_g(turn, id, V2_GO_SYSCALL);
    if (place == 0) return turn_out_of_memory(turn);
    turn->s->ms[turn->self].g = place;
    turn_tell_g(turn, id, GO_STATE_NOT_EXIST, GO_STATE_SYSCALL);
    return ADVANCE_DONE;
}

/* Handles the end of a C thread's goroutine. A P that the thread has is left for other threads to steal. */
static Advance advance_go_destroy_syscall(Turn *turn)
{
    Scheduler *s = turn->s;
    SchedG    *g = current(turn, NEEDS_M | NEEDS_G, V2_GO_SYSCALL);
    if (g == NULL) return ADVANCE_BROKEN;
    if (turn->p != 0) {
        SchedP *p = &s->ps[turn->p];
        if (p->status != V2_PROC_SYSCALL)
            return turn_broken(turn, "proc %" PRId64 " in unexpected state %u during GoDestroySyscall", p->id,
                               p->status);
        p->status = V2_PROC_SYSCALL_ABANDONED;
        s->ms[turn->self].p = 0;
        turn->event->type = V2_PROC_STEAL;
        turn->event->args[0] = (uint64_t)p->id;
        turn_tell_p(turn, p->id, GO_PROC_RUNNING, GO_PROC_IDLE);
        turn_split(turn);
        turn->event->type = V2_GO_DESTROY_SYSCALL;
        turn->event->args[0] = 0;
    }
    s->ms[turn->self].g = 0;
    turn_tell_g(turn, g->id, GO_STATE_SYSCALL, GO_STATE_NOT_EXIST);
    end_g(turn, turn->g);
    return ADVANCE_DONE;
}

/* -- the function for each type -- */

static Advance (*const ADVANCES[V2_TYPE_COUNT])(Turn *turn) = {
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
    Turn turn = { .s = s, .event = event, .m = m };
    if (UNLIKELY(!ensure_arrays(s))) return turn_out_of_memory(&turn);
    if (s->first_generation == 0) s->first_generation = s->generation;
    turn.is_first = s->first_generation == s->generation;
    if (m != GO_NONE) {
        if (UNLIKELY(*self == 0)) {
            *self = id_map_find(&s->m_map, (uint64_t)m);
            if (*self == 0) *self = add_m(s, m);
            if (*self == 0) return turn_out_of_memory(&turn);
        }
        turn.self = *self;
        turn.g = s->ms[turn.self].g;
        turn.p = s->ms[turn.self].p;
        turn.has = NEEDS_M | (turn.p != 0 ? (unsigned)NEEDS_P : 0) | (turn.g != 0 ? (unsigned)NEEDS_G : 0);
    }
    event->m = m;
    event->g = s->gs[turn.g].id;
    event->p = s->ps[turn.p].id;
    event->kind = V2_SPECS[event->type].kind;
    assert(ADVANCES[event->type] != NULL);
    return ADVANCES[event->type](&turn);
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
