#include "format/go/v2/scheduler_state.h"

#include <assert.h>

/* -- events that need a context and change no state -- */

static Advance only_needs(Turn *turn, unsigned needs)
{
    return turn_has(turn, needs) ? ADVANCE_DONE : ADVANCE_BROKEN;
}

Advance advance_annotation(Turn *turn)
{
    return only_needs(turn, NEEDS_USER);
}

Advance advance_heap(Turn *turn)
{
    return only_needs(turn, NEEDS_M | NEEDS_P);
}

Advance advance_experimental(Turn *turn)
{
    return only_needs(turn, NEEDS_M);
}

/* -- garbage collection: begin and end may be on different threads, so both have sequence numbers -- */

Advance advance_gc_active(Turn *turn)
{
    Scheduler *s = turn->s;
    uint64_t   seq = turn->event->args[0];
    if (turn->is_first) {
        if (s->gc != SCHED_GC_UNKNOWN)
            return turn_broken(turn, "GCActive in the first generation isn't first GC event");
        s->gc = SCHED_GC_ON;
    } else {
        if (seq != s->gc_seq + 1) return ADVANCE_WAITS;
        if (s->gc != SCHED_GC_ON)
            return turn_broken(turn, "encountered GCActive while GC was not in progress");
        if (!turn_has(turn, NEEDS_USER)) return ADVANCE_BROKEN;
    }
    s->gc_seq = seq;
    return ADVANCE_DONE;
}

Advance advance_gc_begin(Turn *turn)
{
    Scheduler *s = turn->s;
    uint64_t   seq = turn->event->args[0];
    if (s->gc != SCHED_GC_UNKNOWN) {
        if (seq != s->gc_seq + 1) return ADVANCE_WAITS;
        if (s->gc == SCHED_GC_ON)
            return turn_broken(turn, "encountered GCBegin while GC was already in progress");
        if (!turn_has(turn, NEEDS_USER)) return ADVANCE_BROKEN;
    }
    s->gc_seq = seq;
    s->gc = SCHED_GC_ON;
    return ADVANCE_DONE;
}

Advance advance_gc_end(Turn *turn)
{
    Scheduler *s = turn->s;
    uint64_t   seq = turn->event->args[0];
    if (seq != s->gc_seq + 1) return ADVANCE_WAITS;
    if (s->gc == SCHED_GC_OFF) return turn_broken(turn, "encountered GCEnd when GC was not in progress");
    if (s->gc == SCHED_GC_UNKNOWN)
        return turn_broken(turn, "encountered GCEnd when GC was in an undetermined state");
    if (!turn_has(turn, NEEDS_USER)) return ADVANCE_BROKEN;
    s->gc_seq = seq;
    s->gc = SCHED_GC_OFF;
    return ADVANCE_DONE;
}

/* -- ranges of processors and goroutines -- */

static Advance tell_range(Turn *turn, GoResource scope, int64_t id)
{
    turn->event->resource = (uint8_t)scope;
    turn->event->id = id;
    return ADVANCE_DONE;
}

static Advance range_begins(Turn *turn, bool *is_on)
{
    if (*is_on)
        return turn_broken(turn, "discovered event already in-flight for when starting event %s",
                           turn_name(turn));
    *is_on = true;
    return ADVANCE_DONE;
}

/* Checks a range that began before: it must be new in the first generation, and known in later ones. */
static Advance range_is_active(Turn *turn, bool *is_on)
{
    if (turn->is_first && *is_on)
        return turn_broken(turn, "found named active range already in first gen: %s", turn_name(turn));
    if (!turn->is_first && !*is_on)
        return turn_broken(turn, "resource is missing active range: %s", turn_name(turn));
    *is_on = true;
    return ADVANCE_DONE;
}

static Advance range_ends(Turn *turn, bool *is_on)
{
    if (!*is_on) return turn_broken(turn, "tried to end event %s, but not in-flight", turn_name(turn));
    *is_on = false;
    return ADVANCE_DONE;
}

Advance advance_sweep_begin(Turn *turn)
{
    SchedP *p = &turn->s->ps[turn->p];
    if (!turn_has(turn, NEEDS_M | NEEDS_P) || range_begins(turn, &p->is_sweeping) != ADVANCE_DONE)
        return ADVANCE_BROKEN;
    return tell_range(turn, GO_RESOURCE_PROC, p->id);
}

Advance advance_sweep_active(Turn *turn)
{
    uint32_t place = id_map_find(&turn->s->p_map, turn->event->args[0]);
    if (place == 0)
        return turn_broken(turn, "encountered GCSweepActive for unknown proc %" PRId64,
                           (int64_t)turn->event->args[0]);
    SchedP *p = &turn->s->ps[place];
    if (range_is_active(turn, &p->is_sweeping) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return tell_range(turn, GO_RESOURCE_PROC, p->id);
}

Advance advance_sweep_end(Turn *turn)
{
    SchedP *p = &turn->s->ps[turn->p];
    if (!turn_has(turn, NEEDS_M | NEEDS_P) || range_ends(turn, &p->is_sweeping) != ADVANCE_DONE)
        return ADVANCE_BROKEN;
    return tell_range(turn, GO_RESOURCE_PROC, p->id);
}

/* Returns the current goroutine, which must be known; else NULL, with the fault set. */
static SchedG *user_goroutine(Turn *turn)
{
    if (!turn_has(turn, NEEDS_USER)) return NULL;
    SchedG *g = &turn->s->gs[turn->g];
    if (g->status == 0) {
        (void)turn_broken(turn, "encountered event %s without known state for current goroutine %" PRId64,
                          turn_name(turn), g->id);
        return NULL;
    }
    return g;
}

Advance advance_stw_begin(Turn *turn)
{
    SchedG *g = user_goroutine(turn);
    if (g == NULL) return ADVANCE_BROKEN;
    uint64_t kind = turn->event->args[0];
    bool     is_same = g->is_stopping && g->stw_kind == kind;
    if (range_begins(turn, &is_same) != ADVANCE_DONE) return ADVANCE_BROKEN;
    g->is_stopping = true;
    g->stw_kind = kind;
    turn->event->extra = go_string_intern(turn->s->tables, kind);
    return tell_range(turn, GO_RESOURCE_GOROUTINE, g->id);
}

/* Ends a stop of the world. The record has no kind of stop; it is that of the begin. */
Advance advance_stw_end(Turn *turn)
{
    SchedG *g = user_goroutine(turn);
    if (g == NULL || range_ends(turn, &g->is_stopping) != ADVANCE_DONE) return ADVANCE_BROKEN;
    turn->event->args[0] = g->stw_kind;
    turn->event->extra = go_string_intern(turn->s->tables, g->stw_kind);
    return tell_range(turn, GO_RESOURCE_GOROUTINE, g->id);
}

Advance advance_assist_begin(Turn *turn)
{
    SchedG *g = user_goroutine(turn);
    if (g == NULL || range_begins(turn, &g->is_assisting) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return tell_range(turn, GO_RESOURCE_GOROUTINE, g->id);
}

Advance advance_assist_active(Turn *turn)
{
    uint32_t place = turn_find_g(turn, (int64_t)turn->event->args[0]);
    if (place == 0)
        return turn_broken(turn, "uninitialized goroutine %" PRId64 " found during GCMarkAssistActive",
                           (int64_t)turn->event->args[0]);
    SchedG *g = &turn->s->gs[place];
    if (range_is_active(turn, &g->is_assisting) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return tell_range(turn, GO_RESOURCE_GOROUTINE, g->id);
}

Advance advance_assist_end(Turn *turn)
{
    SchedG *g = user_goroutine(turn);
    if (g == NULL || range_ends(turn, &g->is_assisting) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return tell_range(turn, GO_RESOURCE_GOROUTINE, g->id);
}

/* -- user tasks: they may end more than once, and on any goroutine -- */

/* Finds an open task. Ended ones are removed, because their number has no limit. */
static SchedTask *find_task(Scheduler *s, uint64_t id)
{
    uint32_t place = id_map_find(&s->task_map, id);
    assert(place <= s->task_count);
    return place == 0 ? NULL : &s->tasks[place - 1];
}

static SchedTask *add_task(Scheduler *s, uint64_t id)
{
    uint32_t place = s->free_task;
    if (place == 0) {
        SchedTask *tasks = arena_grow(s->arena, s->tasks, s->task_count, &s->task_capacity, sizeof *tasks);
        if (tasks == NULL) return NULL;
        s->tasks = tasks;
        place = s->task_count + 1;
    }
    if (!id_map_put(&s->task_map, id, place)) return NULL;
    if (place > s->task_count) {
        s->task_count++;
    } else {
        s->free_task = s->tasks[place - 1].next_free;
    }
    return &s->tasks[place - 1];
}

static void end_task(Scheduler *s, uint64_t id)
{
    uint32_t place = id_map_find(&s->task_map, id);
    assert(place > 0 && place <= s->task_count);
    id_map_remove(&s->task_map, id);
    s->tasks[place - 1].next_free = s->free_task;
    s->free_task = place;
}

/* Sets *text to a string of the event. False, with the fault set, if it is missing, unless the generation is cut. */
static bool named_text(Turn *turn, uint64_t id, StringId *text)
{
    *text = go_string_intern(turn->s->tables, id);
    if (text->index != 0 || id == 0 || turn->s->allows_missing) return true;
    (void)turn_broken(turn, "invalid string ID %" PRIu64 " for %s event", id, turn_name(turn));
    return false;
}

Advance advance_task_begin(Turn *turn)
{
    uint64_t         id = turn->event->args[0];
    const SchedTask *known = find_task(turn->s, id);
    StringId         name;
    if (known != NULL) return turn_broken(turn, "task ID conflict: %" PRIu64, id);
    if (turn->event->args[1] == 0) turn->event->args[1] = (uint64_t)GO_NONE; /* no parent */
    if (!named_text(turn, turn->event->args[2], &name)) return ADVANCE_BROKEN;
    SchedTask *task = add_task(turn->s, id);
    if (task == NULL) return turn_out_of_memory(turn);
    *task = (SchedTask){ .parent = turn->event->args[1], .name = name };
    turn->event->extra = name;
    return only_needs(turn, NEEDS_USER);
}

Advance advance_task_end(Turn *turn)
{
    SchedTask *task = find_task(turn->s, turn->event->args[0]);
    turn->event->extra_task = (uint64_t)GO_NONE;
    if (task != NULL) {
        turn->event->extra_task = task->parent;
        turn->event->extra = task->name;
        end_task(turn->s, turn->event->args[0]);
    }
    return only_needs(turn, NEEDS_USER);
}

/* -- user regions: nested on a goroutine; compared by text, because ids change with the generation -- */

Advance advance_region_begin(Turn *turn)
{
    Scheduler *s = turn->s;
    if (!turn_has(turn, NEEDS_USER) || !named_text(turn, turn->event->args[1], &turn->event->extra))
        return ADVANCE_BROKEN;
    SchedG *g = user_goroutine(turn);
    if (g == NULL) return ADVANCE_BROKEN;
    uint32_t place = s->free_region;
    if (place != 0) {
        s->free_region = s->regions[place - 1].outer;
        assert(s->free_region <= s->region_count);
    } else {
        SchedRegion *regions =
            arena_grow(s->arena, s->regions, s->region_count, &s->region_capacity, sizeof *regions);
        if (regions == NULL) return turn_out_of_memory(turn);
        s->regions = regions;
        place = ++s->region_count;
    }
    s->regions[place - 1] = (SchedRegion){ turn->event->args[0], turn->event->extra, g->region };
    g->region = place;
    return ADVANCE_DONE;
}

Advance advance_region_end(Turn *turn)
{
    Scheduler *s = turn->s;
    if (!turn_has(turn, NEEDS_USER) || !named_text(turn, turn->event->args[1], &turn->event->extra))
        return ADVANCE_BROKEN;
    SchedG *g = user_goroutine(turn);
    if (g == NULL) return ADVANCE_BROKEN;
    if (g->region != 0) { /* else it began before the trace */
        assert(g->region <= s->region_count);
        SchedRegion *region = &s->regions[g->region - 1];
        if (region->task != turn->event->args[0] || region->name.index != turn->event->extra.index) {
            return turn_broken(turn,
                               "misuse of region in goroutine %" PRId64
                               ": the end of a region is not that of the innermost one that is open",
                               g->id);
        }
        uint32_t place = g->region;
        g->region = region->outer;
        region->outer = s->free_region;
        s->free_region = place;
    }
    return ADVANCE_DONE;
}
