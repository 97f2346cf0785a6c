#include "format/go/v2/scheduler_state.h"

#include <assert.h>

/* -- events that need a context and change no state -- */

static Advance only_needs(Trial *trial, unsigned needs)
{
    return trial_has(trial, needs) ? ADVANCE_DONE : ADVANCE_BROKEN;
}

Advance advance_annotation(Trial *trial)
{
    return only_needs(trial, NEEDS_USER);
}

Advance advance_heap(Trial *trial)
{
    return only_needs(trial, NEEDS_M | NEEDS_P);
}

Advance advance_experimental(Trial *trial)
{
    return only_needs(trial, NEEDS_M);
}

/* -- garbage collection: begin and end may be on different threads, so both have sequence numbers -- */

Advance advance_gc_active(Trial *trial)
{
    Scheduler *s = trial->s;
    uint64_t   seq = trial->event->args[0];
    if (trial->is_first) {
        if (s->gc != SCHED_GC_UNKNOWN)
            return trial_broken(trial, "GCActive in the first generation isn't first GC event");
        s->gc = SCHED_GC_ON;
    } else {
        if (seq != s->gc_seq + 1) return ADVANCE_WAITS;
        if (s->gc != SCHED_GC_ON)
            return trial_broken(trial, "encountered GCActive while GC was not in progress");
        if (!trial_has(trial, NEEDS_USER)) return ADVANCE_BROKEN;
    }
    s->gc_seq = seq;
    return ADVANCE_DONE;
}

Advance advance_gc_begin(Trial *trial)
{
    Scheduler *s = trial->s;
    uint64_t   seq = trial->event->args[0];
    if (s->gc != SCHED_GC_UNKNOWN) {
        if (seq != s->gc_seq + 1) return ADVANCE_WAITS;
        if (s->gc == SCHED_GC_ON)
            return trial_broken(trial, "encountered GCBegin while GC was already in progress");
        if (!trial_has(trial, NEEDS_USER)) return ADVANCE_BROKEN;
    }
    s->gc_seq = seq;
    s->gc = SCHED_GC_ON;
    return ADVANCE_DONE;
}

Advance advance_gc_end(Trial *trial)
{
    Scheduler *s = trial->s;
    uint64_t   seq = trial->event->args[0];
    if (seq != s->gc_seq + 1) return ADVANCE_WAITS;
    if (s->gc == SCHED_GC_OFF) return trial_broken(trial, "encountered GCEnd when GC was not in progress");
    if (s->gc == SCHED_GC_UNKNOWN)
        return trial_broken(trial, "encountered GCEnd when GC was in an undetermined state");
    if (!trial_has(trial, NEEDS_USER)) return ADVANCE_BROKEN;
    s->gc_seq = seq;
    s->gc = SCHED_GC_OFF;
    return ADVANCE_DONE;
}

/* -- ranges of processors and goroutines -- */

static Advance set_scope(Trial *trial, GoResource scope, int64_t id)
{
    trial->event->resource = (uint8_t)scope;
    trial->event->id = id;
    return ADVANCE_DONE;
}

static Advance range_begins(Trial *trial, bool *is_on)
{
    if (*is_on)
        return trial_broken(trial, "discovered event already in-flight for when starting event %s",
                            trial_name(trial));
    *is_on = true;
    return ADVANCE_DONE;
}

/* Checks a range that began before: it must be new in the first generation, and known in later ones. */
static Advance range_is_active(Trial *trial, bool *is_on)
{
    if (trial->is_first && *is_on)
        return trial_broken(trial, "found named active range already in first gen: %s", trial_name(trial));
    if (!trial->is_first && !*is_on)
        return trial_broken(trial, "resource is missing active range: %s", trial_name(trial));
    *is_on = true;
    return ADVANCE_DONE;
}

static Advance range_ends(Trial *trial, bool *is_on)
{
    if (!*is_on) return trial_broken(trial, "tried to end event %s, but not in-flight", trial_name(trial));
    *is_on = false;
    return ADVANCE_DONE;
}

Advance advance_sweep_begin(Trial *trial)
{
    SchedP *p = &trial->s->ps[trial->p];
    if (!trial_has(trial, NEEDS_M | NEEDS_P) || range_begins(trial, &p->is_sweeping) != ADVANCE_DONE)
        return ADVANCE_BROKEN;
    return set_scope(trial, GO_RESOURCE_PROC, p->id);
}

Advance advance_sweep_active(Trial *trial)
{
    uint32_t place = id_map_find(&trial->s->p_map, trial->event->args[0]);
    if (place == 0)
        return trial_broken(trial, "encountered GCSweepActive for unknown proc %" PRId64,
                            (int64_t)trial->event->args[0]);
    SchedP *p = &trial->s->ps[place];
    if (range_is_active(trial, &p->is_sweeping) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return set_scope(trial, GO_RESOURCE_PROC, p->id);
}

Advance advance_sweep_end(Trial *trial)
{
    SchedP *p = &trial->s->ps[trial->p];
    if (!trial_has(trial, NEEDS_M | NEEDS_P) || range_ends(trial, &p->is_sweeping) != ADVANCE_DONE)
        return ADVANCE_BROKEN;
    return set_scope(trial, GO_RESOURCE_PROC, p->id);
}

/* Returns the current goroutine, which must be known; else NULL, with the fault set. */
static SchedG *user_goroutine(Trial *trial)
{
    if (!trial_has(trial, NEEDS_USER)) return NULL;
    SchedG *g = &trial->s->gs[trial->g];
    if (g->status == 0) {
        (void)trial_broken(trial, "encountered event %s without known state for current goroutine %" PRId64,
                           trial_name(trial), g->id);
        return NULL;
    }
    return g;
}

Advance advance_stw_begin(Trial *trial)
{
    SchedG *g = user_goroutine(trial);
    if (g == NULL) return ADVANCE_BROKEN;
    uint64_t kind = trial->event->args[0];
    bool     is_same = g->is_stopping && g->stw_kind == kind;
    if (range_begins(trial, &is_same) != ADVANCE_DONE) return ADVANCE_BROKEN;
    g->is_stopping = true;
    g->stw_kind = kind;
    trial->event->extra = go_string_intern(trial->s->tables, kind);
    return set_scope(trial, GO_RESOURCE_GOROUTINE, g->id);
}

/* Ends a stop of the world. The record has no kind of stop; it is that of the begin. */
Advance advance_stw_end(Trial *trial)
{
    SchedG *g = user_goroutine(trial);
    if (g == NULL || range_ends(trial, &g->is_stopping) != ADVANCE_DONE) return ADVANCE_BROKEN;
    trial->event->args[0] = g->stw_kind;
    trial->event->extra = go_string_intern(trial->s->tables, g->stw_kind);
    return set_scope(trial, GO_RESOURCE_GOROUTINE, g->id);
}

Advance advance_assist_begin(Trial *trial)
{
    SchedG *g = user_goroutine(trial);
    if (g == NULL || range_begins(trial, &g->is_assisting) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return set_scope(trial, GO_RESOURCE_GOROUTINE, g->id);
}

Advance advance_assist_active(Trial *trial)
{
    uint32_t place = trial_find_g(trial, (int64_t)trial->event->args[0]);
    if (place == 0)
        return trial_broken(trial, "uninitialized goroutine %" PRId64 " found during GCMarkAssistActive",
                            (int64_t)trial->event->args[0]);
    SchedG *g = &trial->s->gs[place];
    if (range_is_active(trial, &g->is_assisting) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return set_scope(trial, GO_RESOURCE_GOROUTINE, g->id);
}

Advance advance_assist_end(Trial *trial)
{
    SchedG *g = user_goroutine(trial);
    if (g == NULL || range_ends(trial, &g->is_assisting) != ADVANCE_DONE) return ADVANCE_BROKEN;
    return set_scope(trial, GO_RESOURCE_GOROUTINE, g->id);
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
static bool named_text(Trial *trial, uint64_t id, StringId *text)
{
    *text = go_string_intern(trial->s->tables, id);
    if (text->index != 0 || id == 0 || trial->s->allows_missing) return true;
    (void)trial_broken(trial, "invalid string ID %" PRIu64 " for %s event", id, trial_name(trial));
    return false;
}

Advance advance_task_begin(Trial *trial)
{
    uint64_t         id = trial->event->args[0];
    const SchedTask *known = find_task(trial->s, id);
    StringId         name;
    if (known != NULL) return trial_broken(trial, "task ID conflict: %" PRIu64, id);
    if (trial->event->args[1] == 0) trial->event->args[1] = (uint64_t)GO_NONE; /* no parent */
    if (!named_text(trial, trial->event->args[2], &name)) return ADVANCE_BROKEN;
    SchedTask *task = add_task(trial->s, id);
    if (task == NULL) return trial_out_of_memory(trial);
    *task = (SchedTask){ .parent = trial->event->args[1], .name = name };
    trial->event->extra = name;
    return only_needs(trial, NEEDS_USER);
}

Advance advance_task_end(Trial *trial)
{
    SchedTask *task = find_task(trial->s, trial->event->args[0]);
    trial->event->extra_task = (uint64_t)GO_NONE;
    if (task != NULL) {
        trial->event->extra_task = task->parent;
        trial->event->extra = task->name;
        end_task(trial->s, trial->event->args[0]);
    }
    return only_needs(trial, NEEDS_USER);
}

/* -- user regions: nested on a goroutine; compared by text, because ids change with the generation -- */

Advance advance_region_begin(Trial *trial)
{
    Scheduler *s = trial->s;
    if (!trial_has(trial, NEEDS_USER) || !named_text(trial, trial->event->args[1], &trial->event->extra))
        return ADVANCE_BROKEN;
    SchedG *g = user_goroutine(trial);
    if (g == NULL) return ADVANCE_BROKEN;
    uint32_t place = s->free_region;
    if (place != 0) {
        s->free_region = s->regions[place - 1].outer;
        assert(s->free_region <= s->region_count);
    } else {
        SchedRegion *regions =
            arena_grow(s->arena, s->regions, s->region_count, &s->region_capacity, sizeof *regions);
        if (regions == NULL) return trial_out_of_memory(trial);
        s->regions = regions;
        place = ++s->region_count;
    }
    s->regions[place - 1] = (SchedRegion){ trial->event->args[0], trial->event->extra, g->region };
    g->region = place;
    return ADVANCE_DONE;
}

Advance advance_region_end(Trial *trial)
{
    Scheduler *s = trial->s;
    if (!trial_has(trial, NEEDS_USER) || !named_text(trial, trial->event->args[1], &trial->event->extra))
        return ADVANCE_BROKEN;
    SchedG *g = user_goroutine(trial);
    if (g == NULL) return ADVANCE_BROKEN;
    if (g->region != 0) { /* else it began before the trace */
        assert(g->region <= s->region_count);
        SchedRegion *region = &s->regions[g->region - 1];
        if (region->task != trial->event->args[0] || region->name.index != trial->event->extra.index) {
            return trial_broken(trial,
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
