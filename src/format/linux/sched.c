#include "format/linux/sched.h"

#include <stdio.h>

/* The names of the kernel's documentation (Documentation/filesystems/proc.rst, TASK_* of sched.h of the kernel). */
static const struct {
    const char *name, *category;
} STATES[SCHED_STATES] = {
    [SCHED_NONE] = { "", "" },
    [SCHED_RUNNING] = { "Running", "scheduling" },
    [SCHED_RUNNABLE] = { "Runnable", "scheduling" },
    [SCHED_PREEMPTED] = { "Runnable (preempted)", "scheduling" },
    [SCHED_SLEEPING] = { "Sleeping", "waiting" },
    [SCHED_UNINTERRUPTIBLE] = { "Uninterruptible sleep", "waiting" },
    [SCHED_STOPPED] = { "Stopped", "waiting" },
    [SCHED_TRACED] = { "Stopped by a tracer", "waiting" },
    [SCHED_PARKED] = { "Parked", "waiting" },
    [SCHED_IDLE] = { "Idle", "waiting" },
};

void sched_open(Sched *sched, Arena *arena, TraceBuilder *builder)
{
    *sched = (Sched){ .builder = builder, .arena = arena };
    sched->task_of.arena = sched->processor_of.arena = arena;
}

/* -- processors -- */

static SchedProcessor *processor_of(Sched *sched, uint32_t number)
{
    const uint32_t  found = id_map_find(&sched->processor_of, number);
    TraceBuilder   *builder = sched->builder;
    char            title[24];
    SchedProcessor *made;
    if (found > 0) return &sched->processors.items[found - 1];
    made = ARENA_LIST_PUSH(&sched->processors, sched->arena);
    if (made == NULL || !id_map_put(&sched->processor_of, number, (uint32_t)sched->processors.count)) {
        sched->failed = true;
        return NULL;
    }
    const StringId  name = builder_string(builder, SCHED_PROCESS, sizeof SCHED_PROCESS - 1);
    const ProcessId process = builder_process(builder, ident_text(name));
    made->track = builder_thread(builder, process, ident_int(number));
    const int size = snprintf(title, sizeof title, "CPU %lu", (unsigned long)number);
    builder_name_thread(builder, made->track, builder_string(builder, title, (size_t)size));
    builder_name_process(builder, process, name);
    builder_sort_process(builder, process, -1); /* above the others */
    builder_call_threads(builder, process, builder_string(builder, "processor", 9));
    return made;
}

TrackId sched_processor(Sched *sched, uint32_t number)
{
    const SchedProcessor *processor = processor_of(sched, number);
    return processor == NULL ? TRACK_NONE : processor->track;
}

/* -- tasks -- */

/* Returns the task; creates it. NULL: out of memory, or the idle task. Valid until the next task is created. */
static SchedTask *task_of(Sched *sched, int64_t tid)
{
    const uint32_t found = tid <= 0 ? 0 : id_map_find(&sched->task_of, (uint64_t)tid);
    SchedTask     *made;
    if (found > 0) return &sched->tasks.items[found - 1];
    if (tid <= 0) return NULL;
    made = ARENA_LIST_PUSH(&sched->tasks, sched->arena);
    if (made == NULL || !id_map_put(&sched->task_of, (uint64_t)tid, (uint32_t)sched->tasks.count)) {
        sched->failed = true;
        return NULL;
    }
    made->tid = tid;
    return made;
}

static LabelId label_of(Sched *sched, SchedState state)
{
    LabelId *label = &sched->labels[state];
    if (label->index == 0) {
        const StringView name = c_string_view(STATES[state].name);
        const StringView category = c_string_view(STATES[state].category);
        const StringId   name_id = builder_string(sched->builder, name.bytes, name.size);
        *label = builder_label(sched->builder, name_id,
                               builder_string(sched->builder, category.bytes, category.size));
    }
    return *label;
}

static TrackId states_of(Sched *sched, SchedTask *task)
{
    if (task->states.index == 0) task->states = builder_states(sched->builder, task->thread);
    return task->states;
}

static void begin_state(Sched *sched, SchedTask *task)
{
    if (task->state != SCHED_NONE && task->thread.index != 0)
        builder_begin(sched->builder, states_of(sched, task), task->since, label_of(sched, task->state),
                      task->pos, EVENT_DETAILS);
}

static void end_state(Sched *sched, SchedTask *task, int64_t tick, EventPos pos)
{
    if (task->state == SCHED_NONE) return;
    if (task->thread.index != 0) {
        builder_end(sched->builder, task->states, tick, LABEL_NONE, pos, 0);
        return;
    }
    SchedPeriod *period = ARENA_LIST_PUSH(&task->past, sched->arena);
    if (period == NULL)
        sched->failed = true;
    else
        *period = (SchedPeriod){ task->state, task->since, tick, task->pos };
}

static void set_state(Sched *sched, SchedTask *task, SchedState state, int64_t tick, EventPos pos)
{
    end_state(sched, task, tick, pos);
    task->state = state;
    task->since = tick;
    task->pos = pos;
    begin_state(sched, task);
}

void sched_tell_thread(Sched *sched, int64_t tid, TrackId thread)
{
    SchedTask *task = task_of(sched, tid);
    if (task == NULL || task->thread.index != 0 || thread.index == 0) return;
    task->thread = thread;
    for (size_t i = 0; i < task->past.count; i++) {
        const SchedPeriod *period = &task->past.items[i];
        builder_begin(sched->builder, states_of(sched, task), period->begin, label_of(sched, period->state),
                      period->pos, EVENT_DETAILS);
        builder_end(sched->builder, task->states, period->end, LABEL_NONE, period->pos, 0);
    }
    task->past.count = 0;
    begin_state(sched, task);
}

TrackId sched_thread(const Sched *sched, int64_t tid)
{
    const uint32_t found = tid <= 0 ? 0 : id_map_find(&sched->task_of, (uint64_t)tid);
    return found == 0 ? TRACK_NONE : sched->tasks.items[found - 1].thread;
}

/* -- events -- */

/* Returns the state of a task that leaves its processor, by the kernel's letters (TASK_STATE_TO_CHAR_STR; flags follow a
 * bar). */
static SchedState state_of(StringView letters)
{
    switch (letters.size == 0 ? 0 : letters.bytes[0]) {
    case 'R':
        return letters.size > 1 && letters.bytes[1] == '+' ? SCHED_PREEMPTED : SCHED_RUNNABLE;
    case 'S':
    case 'K': /* only fatal signals wake it */
    case 'W': /* waking */
        return SCHED_SLEEPING;
    case 'D':
        return SCHED_UNINTERRUPTIBLE;
    case 'T':
        return SCHED_STOPPED;
    case 't':
        return SCHED_TRACED;
    case 'P':
        return SCHED_PARKED;
    case 'I':
        return SCHED_IDLE;
    default: /* X and Z: it has ended */
        return SCHED_NONE;
    }
}

void sched_switch(Sched *sched, uint32_t processor, const FtraceSwitch *change, int64_t tick, EventPos pos)
{
    SchedProcessor *on = processor_of(sched, processor);
    TraceBuilder   *builder = sched->builder;
    if (on == NULL) return;
    if (on->is_busy) builder_end(builder, on->track, tick, LABEL_NONE, pos, EVENT_DETAILS);
    on->is_busy = change->next_tid != 0;
    if (on->is_busy) {
        const StringId category = builder_string(builder, "task", 4);
        const StringId name = builder_string(builder, change->next_name.bytes, change->next_name.size);
        builder_begin(builder, on->track, tick, builder_label(builder, name, category), pos, EVENT_DETAILS);
    }
    SchedTask *task = task_of(sched, change->previous_tid);
    if (task != NULL) set_state(sched, task, state_of(change->previous_state), tick, pos);
    task = task_of(sched, change->next_tid);
    if (task != NULL) set_state(sched, task, SCHED_RUNNING, tick, pos);
}

void sched_wake(Sched *sched, int64_t tid, int64_t waker, int64_t tick, EventPos pos)
{
    const TrackId from = sched_thread(sched, waker);
    SchedTask    *task = task_of(sched, tid);
    if (task == NULL || (task->state >= SCHED_RUNNING && task->state <= SCHED_PREEMPTED)) return;
    set_state(sched, task, SCHED_RUNNABLE, tick, pos);
    if (from.index == 0 || task->thread.index == 0) return;
    const StringId name = builder_string(sched->builder, "wakeup", 6);
    builder_arrow(sched->builder, (FlowPoint){ from, FLOW_BIND_ENCLOSING, tick },
                  (FlowPoint){ task->states, FLOW_BIND_ENCLOSING, tick },
                  builder_label(sched->builder, name, STRING_NONE));
}

void sched_finish(Sched *sched, int64_t last_tick, EventPos pos)
{
    for (size_t i = 0; i < sched->processors.count; i++) {
        if (sched->processors.items[i].is_busy)
            builder_end(sched->builder, sched->processors.items[i].track, last_tick, LABEL_NONE, pos, 0);
    }
    for (size_t i = 0; i < sched->tasks.count; i++) {
        SchedTask *task = &sched->tasks.items[i];
        if (task->thread.index != 0) end_state(sched, task, last_tick, pos);
    }
}
