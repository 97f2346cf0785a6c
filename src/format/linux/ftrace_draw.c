#include "format/linux/ftrace_draw.h"

#include "format/input_text.h"
#include "format/line_text.h"
#include "trace/log/observe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ftrace_open(Ftrace *ftrace, Arena *arena, TraceBuilder *builder, IndexSet *named, FtraceExtent extent)
{
    *ftrace = (Ftrace){ .builder = builder,
                        .arena = arena,
                        .named = named,
                        .extent = extent,
                        .category = builder_string(builder, "ftrace", 6),
                        .last_tick = INT64_MIN };
    ftrace->task_of.arena = arena;
    sched_open(&ftrace->sched, arena, builder);
}

bool ftrace_failed(const Ftrace *ftrace)
{
    return ftrace->failed || ftrace->sched.failed;
}

/* ---- names ---- */

static StringId intern(Ftrace *f, StringView text)
{
    return input_text_intern(f->builder, text, "a line of ftrace", f->pos, &f->failed);
}

static LabelId label_of(Ftrace *f, StringView name)
{
    return builder_label(f->builder, intern(f, name), f->category);
}

/* ---- tasks ---- */

/* Returns the line's task; creates a new one. NULL when out of memory. Valid until the next task is created. */
static FtraceTask *task_of(Ftrace *f, const FtraceLine *line)
{
    FtraceTask *made;
    if (f->last_tid != line->tid || f->last_task == 0) {
        f->last_task = id_map_find(&f->task_of, (uint64_t)line->tid);
        f->last_tid = line->tid;
    }
    if (f->last_task != 0) return &f->tasks.items[f->last_task - 1];
    made = ARENA_LIST_PUSH(&f->tasks, f->arena);
    if (made == NULL || !id_map_put(&f->task_of, (uint64_t)line->tid, (uint32_t)f->tasks.count)) {
        f->failed = true;
        return NULL;
    }
    made->tgid = -1;
    f->last_task = (uint32_t)f->tasks.count;
    return made;
}

/* Returns the process of the text of a marker, "B|12|name"; -1 = not in it. */
static int64_t pid_of(const FtraceMarker *marker)
{
    int64_t pid;
    return line_number(marker->parts[0], &pid) && pid >= 0 ? pid : -1;
}

static void learn(Ftrace *f, const FtraceLine *line, const FtraceMarker *marker)
{
    FtraceTask *task = line->tid < 0 ? NULL : task_of(f, line);
    if (task == NULL || task->thread.index != 0) return;
    if (line->tgid >= 0)
        task->tgid = line->tgid;
    else if (task->tgid < 0 && marker != NULL)
        task->tgid = pid_of(marker);
}

void ftrace_learn(Ftrace *f, const FtraceLine *line)
{
    FtraceMarker marker;
    learn(f, line, ftrace_marker(line, &marker) ? &marker : NULL);
}

static ProcessId process_of(Ftrace *f, const FtraceTask *task)
{
    const bool      is_together = task->tgid < 0 && f->extent == FTRACE_IS_ALL;
    const int64_t   pid = is_together ? 0 : task->tgid >= 0 ? task->tgid : f->event.line.tid;
    const ProcessId process = builder_process(f->builder, ident_int(pid));
    if (is_together) builder_name_process(f->builder, process, intern(f, STRING_LITERAL("all processes")));
    return process;
}

static void name_thread(Ftrace *f, FtraceTask *task)
{
    const StringId name = intern(f, f->event.line.task);
    const bool is_known = !string_equal(f->event.line.task, STRING_LITERAL("<...>")) || task->name.index == 0;
    if (!task->has_own_name || !is_known || name.index == task->name.index) return;
    task->name = name;
    builder_name_thread(f->builder, task->thread, name);
    if (f->extent == FTRACE_IS_ALL && task->tgid == f->event.line.tid)
        builder_name_process(f->builder, process_of(f, task), name);
}

/* Returns the thread of the line's task. */
static TrackId thread_of(Ftrace *f, FtraceTask *task)
{
    if (task->thread.index == 0) {
        task->thread = builder_thread(f->builder, process_of(f, task), ident_int(f->event.line.tid));
        task->has_own_name = index_set_add(f->named, task->thread.index, &f->failed);
        sched_tell_thread(&f->sched, f->event.line.tid, task->thread);
    }
    name_thread(f, task);
    return task->thread;
}

/* ---- events of the kernel ---- */

static void put_instant(Ftrace *f, TrackId track, StringView name)
{
    builder_instant(f->builder, track, f->tick, label_of(f, name), INSTANT_THREAD, f->pos, EVENT_DETAILS);
}

/* A value that is not a number (`is_number`) is a gap. */
static void put_counter(Ftrace *f, ProcessId process, TrackId thread, StringView title, bool is_number,
                        int64_t number)
{
    StringId  name = intern(f, title), series = builder_string(f->builder, "value", 5);
    CounterId counter = builder_counter(f->builder, process, name, f->category);
    if (!is_number)
        builder_warn(f->builder, "bad-counter-value", f->pos,
                     "a counter's value is not a number: shown as a gap, kept for dump");
    if (is_number && number == UINT32_MAX) number = -1; /* cpu_idle: the CPU leaves the idle state */
    builder_sample(f->builder, builder_series(f->builder, counter, series, 0), f->tick,
                   is_number ? (double)number : (double)NAN);
    builder_other(
        f->builder, OTHER_EVENT, builder_event_kind(f->builder, "C", 1),
        &(EventHead){ .thread = thread, .tick = f->tick, .label = label_of(f, title), .pos = f->pos });
}

enum { CPU_TITLE = 48 };

/* Returns the title of the counter of cpu_frequency and cpu_idle. */
static StringView cpu_title(const FtraceEvent *event, char title[CPU_TITLE])
{
    int size = snprintf(title, CPU_TITLE, "CPU %lu %s", (unsigned long)event->of_cpu.cpu,
                        event->of_cpu.is_frequency ? "frequency" : "idle state");
    return (StringView){ title, (size_t)size };
}

static void draw_cpu_value(Ftrace *f)
{
    char            text[CPU_TITLE];
    const ProcessId cpus = builder_process(f->builder, ident_text(intern(f, STRING_LITERAL(SCHED_PROCESS))));
    put_counter(f, cpus, sched_processor(&f->sched, f->event.of_cpu.cpu), cpu_title(&f->event, text),
                f->event.of_cpu.is_number, f->event.of_cpu.value);
}

/* Draws a part of a system call. False: the end of a call that began before the recording, or a call of the idle task. */
static bool draw_call(Ftrace *f)
{
    const bool  begins = f->event.kind == FTRACE_CALL_BEGIN;
    FtraceTask *task = task_of(f, &f->event.line);
    if (task == NULL || f->event.line.tid <= 0 || (!begins && !task->is_in_call)) return false;
    const TrackId thread = thread_of(f, task);
    if (task->is_in_call) builder_end(f->builder, thread, f->tick, LABEL_NONE, f->pos, EVENT_DETAILS);
    task->is_in_call = begins;
    if (begins) builder_begin(f->builder, thread, f->tick, label_of(f, f->event.call), f->pos, EVENT_DETAILS);
    return true;
}

/* True if the previous task never runs again: a zombie, or dead. */
static bool has_ended(const FtraceSwitch *change)
{
    return change->previous_state.size > 0 && memchr("XZ", change->previous_state.bytes[0], 2) != NULL;
}

static void draw_switch(Ftrace *f)
{
    FtraceSwitch change = f->event.change;
    FtraceTask  *task = f->event.line.tid <= 0 ? NULL : task_of(f, &f->event.line);
    if (task != NULL) (void)thread_of(f, task);
    if (task != NULL && task->is_in_call && has_ended(&change)) { /* in exit_group */
        builder_end(f->builder, task->thread, f->tick, LABEL_NONE, f->pos, EVENT_DETAILS);
        task->is_in_call = false;
    }
    change.next_name = builder_text(f->builder, intern(f, change.next_name));
    sched_switch(&f->sched, f->event.line.cpu, &change, f->tick, f->pos);
}

/* ---- texts of programs ---- */

static void mark_begin(Ftrace *f, FtraceTask *task, const FtraceMarker *marker)
{
    TrackId     thread = thread_of(f, task);
    FtraceMark *open = ARENA_LIST_PUSH(&task->open, f->arena);
    if (open == NULL) {
        f->failed = true;
        return;
    }
    *open = (FtraceMark){ label_of(f, marker->parts[1]), thread, f->tick, f->pos };
}

static void mark_end(Ftrace *f, FtraceTask *task)
{
    if (task->open.count == 0) {
        TrackId  thread = thread_of(f, task);
        uint16_t kind = builder_event_kind(f->builder, "E", 1);
        builder_warn(f->builder, "unmatched-end", f->pos, "an end in ftrace's text without a begin: kept");
        builder_other(f->builder, OTHER_EVENT, kind,
                      &(EventHead){ .thread = thread, .tick = f->tick, .pos = f->pos });
        return;
    }
    const FtraceMark *open = task->open.items + --task->open.count;
    builder_complete(f->builder, open->thread, open->tick, f->tick > open->tick ? f->tick : open->tick,
                     open->label, open->pos, EVENT_DETAILS);
}

static void mark_async(Ftrace *f, FtraceTask *task, const FtraceMarker *marker)
{
    TrackId thread = thread_of(f, task);
    Bytes   key = { 0 };
    bytes_append(&key, "F", 1);
    for (int i = 1; i < 3; i++) {
        bytes_append(&key, marker->parts[i].bytes, marker->parts[i].size);
        bytes_append(&key, "|", 1);
    }
    f->failed |= key.failed;
    if (!key.failed) {
        const bool    begins = marker->kind == 'S';
        const AsyncId id =
            builder_async_id(f->builder, process_of(f, task), (const char *)key.data, key.size);
        builder_async(
            f->builder, begins ? ASYNC_BEGIN : ASYNC_END,
            builder_event_kind(f->builder, begins ? "b" : "e", 1), id,
            &(EventHead){
                .thread = thread, .tick = f->tick, .label = label_of(f, marker->parts[1]), .pos = f->pos },
            EVENT_DETAILS);
    }
    bytes_release(&key);
}

/* True if the text has a known form. */
static bool take_marker(Ftrace *f, const FtraceMarker *marker)
{
    const bool  has_pid = pid_of(marker) >= 0;
    FtraceTask *task = task_of(f, &f->event.line);
    int64_t     number = 0;
    if (task == NULL) return true;
    switch (has_pid || marker->kind == 'E' ? marker->kind : 0) {
    case 'B':
        mark_begin(f, task, marker);
        return true;
    case 'E':
        mark_end(f, task);
        return true;
    case 'C': {
        if (marker->parts[2].size == 0) return false;
        const TrackId thread = thread_of(f, task);
        const bool    is_number = line_number(marker->parts[2], &number);
        put_counter(f, process_of(f, task), thread, marker->parts[1], is_number, number);
        return true;
    }
    case 'S':
    case 'F':
        mark_async(f, task, marker);
        return true;
    case 'I':
        put_instant(f, thread_of(f, task), marker->parts[1]);
        return true;
    default:
        return false;
    }
}

/* ---- lines ---- */

/* Returns the number of the kind of a line: the name of its event. */
static uint16_t kind_of(Ftrace *f, StringView kind)
{
    enum { LONGEST_KIND = 32 };
    return builder_event_kind(f->builder, kind.bytes, kind.size < LONGEST_KIND ? kind.size : LONGEST_KIND);
}

/* Passes an event to the observer: of the task that wrote a text or made a call, else of the CPU. */
static void observe_event(Ftrace *f)
{
    const FtraceEvent *event = &f->event;
    FtraceTask        *task = task_of(f, &event->line);
    TrackId            track = sched_processor(&f->sched, event->line.cpu);
    StringView         name = { "", 0 };
    char               title[CPU_TITLE];
    if (task == NULL) return;
    switch (event->kind) {
    case FTRACE_SWITCH:
        name = event->change.next_name;
        break;
    case FTRACE_CPU_VALUE:
        name = cpu_title(event, title);
        break;
    case FTRACE_MARKER:
        name = event->marker.parts[1];
        if (pid_of(&event->marker) >= 0) track = thread_of(f, task);
        break;
    case FTRACE_CALL_BEGIN:
    case FTRACE_CALL_END:
        if (event->line.tid <= 0) break;
        name = event->call;
        track = thread_of(f, task);
        break;
    case FTRACE_WAKE:
    case FTRACE_OTHER:
        break;
    }
    builder_other(f->builder, OTHER_EVENT, kind_of(f, event->line.event),
                  &(EventHead){ .thread = track,
                                .tick = f->tick,
                                .label = name.size == 0 ? LABEL_NONE : label_of(f, name),
                                .pos = f->pos });
}

static void draw_event(Ftrace *f)
{
    const FtraceEvent *event = &f->event;
    const TrackId      cpu = sched_processor(&f->sched, event->line.cpu);
    bool               is_drawn = false;
    if (cpu.index == 0) return;
    switch (event->kind) {
    case FTRACE_SWITCH:
        draw_switch(f);
        return;
    case FTRACE_WAKE:
        sched_wake(&f->sched, event->woken_tid, event->line.in_interrupt ? 0 : event->line.tid, f->tick,
                   f->pos);
        break; /* also an instant */
    case FTRACE_CPU_VALUE:
        draw_cpu_value(f);
        return;
    case FTRACE_CALL_BEGIN:
    case FTRACE_CALL_END:
        is_drawn = draw_call(f);
        break;
    case FTRACE_MARKER:
        is_drawn = take_marker(f, &event->marker);
        break;
    case FTRACE_OTHER:
        break;
    }
    if (!is_drawn) put_instant(f, cpu, event->line.event);
}

void ftrace_take_event(Ftrace *f, const FtraceEvent *event, int64_t tick, EventPos pos)
{
    f->event = *event;
    f->tick = tick;
    f->pos = pos;
    if (tick > f->last_tick) f->last_tick = tick;
    builder_count_events(f->builder, kind_of(f, event->line.event), 1);
    learn(f, &event->line, event->kind == FTRACE_MARKER ? &event->marker : NULL);
    if (builder_is_observed(f->builder))
        observe_event(f);
    else
        draw_event(f);
}

void ftrace_take(Ftrace *f, const FtraceLine *line, int64_t tick, EventPos pos)
{
    FtraceEvent event;
    ftrace_event_of_line(line, &event);
    ftrace_take_event(f, &event, tick, pos);
}

void ftrace_keep_unreadable(Ftrace *f, EventPos pos)
{
    const uint16_t kind = kind_of(f, STRING_LITERAL("ftrace-line"));
    builder_warn(f->builder, "unreadable-ftrace-line", pos,
                 "a line is not in ftrace's form: kept, but not drawn");
    builder_count_events(f->builder, kind, 1);
    builder_other(f->builder, OTHER_EVENT, kind, &(EventHead){ .pos = pos, .is_timeless = true });
}

void ftrace_finish(Ftrace *f)
{
    for (size_t t = 0; t < f->tasks.count; t++) {
        const FtraceTask *task = &f->tasks.items[t];
        for (size_t i = 0; i < task->open.count; i++) {
            const FtraceMark *open = &task->open.items[i];
            builder_complete(f->builder, open->thread, open->tick, open->tick, open->label, open->pos,
                             EVENT_DETAILS | EVENT_NO_END);
        }
    }
    sched_finish(&f->sched, f->last_tick, f->pos);
}
