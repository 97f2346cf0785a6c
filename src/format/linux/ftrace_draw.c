#include "format/linux/ftrace_draw.h"

#include "format/input_text.h"
#include "format/line_text.h"
#include "trace/log/observe.h"

#include <math.h>
#include <stdio.h>

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
    const uint32_t found = id_map_find(&f->task_of, (uint64_t)line->tid);
    FtraceTask    *made;
    if (found > 0) return &f->tasks.items[found - 1];
    made = ARENA_LIST_PUSH(&f->tasks, f->arena);
    if (made == NULL || !id_map_put(&f->task_of, (uint64_t)line->tid, (uint32_t)f->tasks.count)) {
        f->failed = true;
        return NULL;
    }
    made->tgid = -1;
    return made;
}

/* Returns the process of the text of a marker, "B|12|name"; -1 = not in it. */
static int64_t pid_of(const FtraceMarker *marker)
{
    int64_t pid;
    return line_number(marker->parts[0], &pid) && pid >= 0 ? pid : -1;
}

void ftrace_learn(Ftrace *f, const FtraceLine *line)
{
    FtraceMarker marker;
    FtraceTask  *task = task_of(f, line);
    if (task == NULL || task->thread.index != 0) return;
    if (line->tgid >= 0)
        task->tgid = line->tgid;
    else if (task->tgid < 0 && ftrace_marker(line, &marker))
        task->tgid = pid_of(&marker);
}

static ProcessId process_of(Ftrace *f, const FtraceTask *task)
{
    const bool      is_together = task->tgid < 0 && f->extent == FTRACE_IS_ALL;
    const int64_t   pid = is_together ? 0 : task->tgid >= 0 ? task->tgid : f->line.tid;
    const ProcessId process = builder_process(f->builder, ident_int(pid));
    if (is_together) builder_name_process(f->builder, process, intern(f, STRING_LITERAL("all processes")));
    return process;
}

static void name_thread(Ftrace *f, FtraceTask *task)
{
    const StringId name = intern(f, f->line.task);
    const bool     is_known = !string_equal(f->line.task, STRING_LITERAL("<...>")) || task->name.index == 0;
    if (!task->has_own_name || !is_known || name.index == task->name.index) return;
    task->name = name;
    builder_name_thread(f->builder, task->thread, name);
    if (f->extent == FTRACE_IS_ALL && task->tgid == f->line.tid)
        builder_name_process(f->builder, process_of(f, task), name);
}

/* Returns the thread of the line's task. */
static TrackId thread_of(Ftrace *f, FtraceTask *task)
{
    if (task->thread.index == 0) {
        task->thread = builder_thread(f->builder, process_of(f, task), ident_int(f->line.tid));
        task->has_own_name = index_set_add(f->named, f->arena, task->thread.index, &f->failed);
        sched_tell_thread(&f->sched, f->line.tid, task->thread);
    }
    name_thread(f, task);
    return task->thread;
}

/* ---- events of the kernel ---- */

static void put_instant(Ftrace *f, TrackId track, StringView name)
{
    builder_instant(f->builder, track, f->tick, label_of(f, name), INSTANT_THREAD, f->pos, EVENT_DETAILS);
}

static void put_counter(Ftrace *f, ProcessId process, TrackId thread, StringView title, StringView value)
{
    int64_t   number;
    StringId  name = intern(f, title), series = builder_string(f->builder, "value", 5);
    CounterId counter = builder_counter(f->builder, process, name, f->category);
    bool      is_number = line_number(value, &number);
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

/* Returns the title of the counter of cpu_frequency and cpu_idle: "state=1700000 cpu_id=0". Empty for other lines. */
static StringView cpu_title(const FtraceLine *line, char title[CPU_TITLE], uint32_t *cpu)
{
    int64_t number;
    bool    is_frequency = string_equal(line->event, STRING_LITERAL("cpu_frequency"));
    if (!is_frequency && !string_equal(line->event, STRING_LITERAL("cpu_idle"))) return STRING_LITERAL("");
    if (!line_number(ftrace_field(line->text, "cpu_id"), &number) || number < 0 || number > UINT32_MAX ||
        ftrace_field(line->text, "state").size == 0)
        return STRING_LITERAL("");
    *cpu = (uint32_t)number;
    int size = snprintf(title, CPU_TITLE, "CPU %lld %s", (long long)number,
                        is_frequency ? "frequency" : "idle state");
    return (StringView){ title, (size_t)size };
}

/* Draws a system call. False: the line is not one, or the end of a call that began before the recording. */
static bool take_call(Ftrace *f)
{
    StringView           name, text;
    const FtraceCallPart part = ftrace_call(&f->line, &name, &text);
    FtraceTask          *task = part == FTRACE_NO_CALL ? NULL : task_of(f, &f->line);
    if (task == NULL || f->line.tid == 0 || (part == FTRACE_CALL_ENDS && !task->is_in_call)) return false;
    const TrackId thread = thread_of(f, task);
    if (task->is_in_call) builder_end(f->builder, thread, f->tick, LABEL_NONE, f->pos, EVENT_DETAILS);
    task->is_in_call = part == FTRACE_CALL_BEGINS;
    if (task->is_in_call)
        builder_begin(f->builder, thread, f->tick, label_of(f, name), f->pos, EVENT_DETAILS);
    return true;
}

/* Draws a switch or a wake-up. Only a switch has no instant. */
static bool take_sched(Ftrace *f)
{
    FtraceSwitch change;
    int64_t      tid;
    FtraceTask  *task = f->line.tid == 0 ? NULL : task_of(f, &f->line);
    if (string_equal(f->line.event, STRING_LITERAL("sched_switch"))) {
        if (!ftrace_switch(f->line.text, &change)) return false;
        if (task != NULL) (void)thread_of(f, task);
        change.next_name = builder_text(f->builder, intern(f, change.next_name));
        sched_switch(&f->sched, f->line.cpu, &change, f->tick, f->pos);
        return true;
    }
    if ((string_equal(f->line.event, STRING_LITERAL("sched_waking")) ||
         string_equal(f->line.event, STRING_LITERAL("sched_wakeup")) ||
         string_equal(f->line.event, STRING_LITERAL("sched_wakeup_new"))) &&
        ftrace_woken_tid(f->line.text, &tid))
        sched_wake(&f->sched, tid, f->line.in_interrupt ? 0 : f->line.tid, f->tick, f->pos);
    return false;
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
    FtraceTask *task = task_of(f, &f->line);
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
        put_counter(f, process_of(f, task), thread, marker->parts[1], marker->parts[2]);
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

/* Passes a line to the observer as one event: of the task that wrote a text, else of the CPU. */
static void observe_line(Ftrace *f)
{
    FtraceTask  *task = task_of(f, &f->line);
    TrackId      track = sched_processor(&f->sched, f->line.cpu);
    FtraceSwitch change;
    StringView   name = { "", 0 }, text;
    FtraceMarker marker;
    char         title[CPU_TITLE];
    if (task == NULL) return;
    if (string_equal(f->line.event, STRING_LITERAL("sched_switch")) && ftrace_switch(f->line.text, &change))
        name = change.next_name;
    if (name.size == 0) name = cpu_title(&f->line, title, &f->line.cpu);
    if (ftrace_marker(&f->line, &marker)) {
        name = marker.parts[1];
        if (pid_of(&marker) >= 0) track = thread_of(f, task);
    } else if (f->line.tid != 0 && ftrace_call(&f->line, &text, &text) != FTRACE_NO_CALL) {
        track = thread_of(f, task);
        (void)ftrace_call(&f->line, &name, &text);
    }
    builder_other(f->builder, OTHER_EVENT, kind_of(f, f->line.event),
                  &(EventHead){ .thread = track,
                                .tick = f->tick,
                                .label = name.size == 0 ? LABEL_NONE : label_of(f, name),
                                .pos = f->pos });
}

static void draw_line(Ftrace *f)
{
    FtraceMarker  marker;
    const TrackId cpu = sched_processor(&f->sched, f->line.cpu);
    char          text[CPU_TITLE];
    uint32_t      counted = 0;
    StringView    title = cpu_title(&f->line, text, &counted);
    if (cpu.index == 0 || take_sched(f) || take_call(f)) return;
    if (title.size > 0) {
        const ProcessId cpus =
            builder_process(f->builder, ident_text(intern(f, STRING_LITERAL(SCHED_PROCESS))));
        put_counter(f, cpus, sched_processor(&f->sched, counted), title, ftrace_field(f->line.text, "state"));
    } else if (!ftrace_marker(&f->line, &marker) || !take_marker(f, &marker)) {
        put_instant(f, cpu, f->line.event);
    }
}

void ftrace_take(Ftrace *f, const FtraceLine *line, int64_t tick, EventPos pos)
{
    f->line = *line;
    f->tick = tick;
    f->pos = pos;
    if (tick > f->last_tick) f->last_tick = tick;
    builder_count_events(f->builder, kind_of(f, line->event), 1);
    ftrace_learn(f, line);
    if (builder_is_observed(f->builder))
        observe_line(f);
    else
        draw_line(f);
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
