#include "format/trace_event/read/ftrace.h"

#include "base/checked.h"
#include "format/line_text.h"
#include "format/trace_event/read/ftrace_line.h"
#include "format/trace_event/read/track.h"
#include "trace/log/observe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An open slice of a task. */
typedef struct OpenMark {
    LabelId  label;
    TrackId  thread;
    int64_t  tick;
    EventPos pos;
} OpenMark;

/* A task by its tid. */
typedef struct FtraceTask {
    int64_t tgid; /* -1 = not known */
    ARENA_LIST(OpenMark) open;
} FtraceTask;

typedef struct Ftrace {
    Emitter      *emitter;
    TraceBuilder *builder;
    Arena         scratch;
    StringTable  *tids; /* in scratch: a tid's bytes to the index of its task + 1 */
    ARENA_LIST(FtraceTask) tasks;
    ProcessId  cpus;    /* the process of the CPUs' tracks */
    bool      *is_busy; /* by TrackId.index: true if a CPU's track has an open slice */
    uint32_t   busy_count;
    bool       has_others; /* lines that are not comments */
    bool       has_sync;
    int64_t    shift_ns; /* from ftrace's clock to the trace's */
    int64_t    last_tick;
    FtraceLine line; /* the current line, in emitter->more_text */
    EventPos   pos;
    int64_t    tick;
} Ftrace;

static const StringView CATEGORY = { "ftrace", 6 };

/* ---- names ---- */

static StringId intern(Ftrace *f, StringView text)
{
    return builder_string(f->builder, text.bytes, text.size);
}

static LabelId label_of(Ftrace *f, StringView name)
{
    const StringId category =
        intern(f, CATEGORY); /* before the name: the order of strings must not depend on the compiler */
    return builder_label(f->builder, intern(f, name), category);
}

/* ---- tracks ---- */

/* Returns the task of a tid; creates a new one. NULL when out of memory. Valid until the next task is created. */
static FtraceTask *task_of(Ftrace *f, int64_t tid)
{
    char bytes[sizeof tid];
    memcpy(bytes, &tid, sizeof tid);
    StringId id = string_table_intern(f->tids, bytes, sizeof bytes);
    if (id.index > f->tasks.count) {
        FtraceTask *made = ARENA_LIST_PUSH(&f->tasks, &f->scratch);
        if (made != NULL) *made = (FtraceTask){ .tgid = -1 };
    }
    if (id.index == 0 || id.index > f->tasks.count) {
        f->emitter->failed = true;
        return NULL;
    }
    return f->tasks.items + (id.index - 1);
}

/* Returns the thread of the line's task. `tgid` is its process if the line has it; -1 = not in the line. */
static TrackId thread_of(Ftrace *f, FtraceTask *task, int64_t tgid)
{
    if (f->line.tgid >= 0) tgid = f->line.tgid;
    if (tgid >= 0) task->tgid = tgid;
    ProcessId process = builder_process(f->builder, ident_int(task->tgid >= 0 ? task->tgid : f->line.tid));
    TrackId   thread = builder_thread(f->builder, process, ident_int(f->line.tid));
    if (index_set_add(f->emitter, &f->emitter->named_threads, thread.index))
        builder_name_thread(f->builder, thread, intern(f, f->line.task));
    return thread;
}

static TrackId cpu_track(Ftrace *f, uint32_t cpu)
{
    char     title[24];
    TrackId  track = builder_thread(f->builder, f->cpus, ident_int(cpu));
    uint32_t count = track.index * 2 + 16;
    if (track.index >= f->busy_count) {
        bool *grown = ARENA_ARRAY(&f->scratch, bool, count);
        if (grown == NULL) {
            f->emitter->failed = true;
            return TRACK_NONE;
        }
        if (f->busy_count > 0) memcpy(grown, f->is_busy, f->busy_count);
        f->is_busy = grown;
        f->busy_count = count;
    }
    size_t size = (size_t)snprintf(title, sizeof title, "CPU %lu", (unsigned long)cpu);
    if (index_set_add(f->emitter, &f->emitter->named_threads, track.index))
        builder_name_thread(f->builder, track, builder_string(f->builder, title, size));
    return track;
}

/* ---- events of the kernel ---- */

static void put_instant(Ftrace *f, TrackId track, StringView name, InstantScope scope)
{
    builder_instant(f->builder, track, f->tick, label_of(f, name), scope, f->pos, EVENT_DETAILS);
}

static void put_counter(Ftrace *f, ProcessId process, TrackId thread, StringView title, StringView value)
{
    int64_t   number;
    StringId  name = intern(f, title), series = builder_string(f->builder, "value", 5);
    CounterId counter = builder_counter(f->builder, process, name, intern(f, CATEGORY));
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

static void sched_switch(Ftrace *f, TrackId cpu)
{
    StringView next = ftrace_field(f->line.text, "next_comm"), tid = ftrace_field(f->line.text, "next_pid");
    int64_t    number;
    if (!line_number(tid, &number)) {
        put_instant(f, cpu, f->line.event, INSTANT_THREAD);
        return;
    }
    if (f->is_busy[cpu.index]) builder_end(f->builder, cpu, f->tick, LABEL_NONE, f->pos, EVENT_DETAILS);
    f->is_busy[cpu.index] = number != 0; /* 0 is the idle task */
    if (number != 0) builder_begin(f->builder, cpu, f->tick, label_of(f, next), f->pos, EVENT_DETAILS);
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

/* ---- texts of programs ---- */

static void mark_begin(Ftrace *f, FtraceTask *task, const FtraceMarker *marker, int64_t tgid)
{
    TrackId   thread = thread_of(f, task, tgid);
    OpenMark *open = ARENA_LIST_PUSH(&task->open, &f->scratch);
    if (open == NULL) {
        f->emitter->failed = true;
        return;
    }
    *open = (OpenMark){ label_of(f, marker->parts[1]), thread, f->tick, f->pos };
}

static void mark_end(Ftrace *f, FtraceTask *task, int64_t tgid)
{
    if (task->open.count == 0) {
        TrackId  thread = thread_of(f, task, tgid);
        uint16_t kind = builder_event_kind(f->builder, "E", 1);
        builder_warn(f->builder, "unmatched-end", f->pos, "an end in ftrace's text without a begin: kept");
        builder_other(f->builder, OTHER_EVENT, kind,
                      &(EventHead){ .thread = thread, .tick = f->tick, .pos = f->pos });
        return;
    }
    const OpenMark *open = task->open.items + --task->open.count;
    builder_complete(f->builder, open->thread, open->tick, f->tick > open->tick ? f->tick : open->tick,
                     open->label, open->pos, EVENT_DETAILS);
}

static void mark_async(Ftrace *f, FtraceTask *task, const FtraceMarker *marker, int64_t tgid)
{
    TrackId thread = thread_of(f, task, tgid);
    Bytes  *key = &f->emitter->text;
    bytes_clear(key);
    bytes_append(key, "F", 1);
    for (int i = 1; i < 3; i++) {
        bytes_append(key, marker->parts[i].bytes, marker->parts[i].size);
        bytes_append(key, "|", 1);
    }
    if (key->failed) {
        f->emitter->failed = true;
        return;
    }
    ProcessId process = builder_process(f->builder, ident_int(task->tgid >= 0 ? task->tgid : f->line.tid));
    AsyncId   async_id = builder_async_id(f->builder, process, (const char *)key->data, key->size);
    AsyncKind kind = marker->kind == 'S' ? ASYNC_BEGIN : ASYNC_END;
    builder_async(
        f->builder, kind, builder_event_kind(f->builder, marker->kind == 'S' ? "b" : "e", 1), async_id,
        &(EventHead){
            .thread = thread, .tick = f->tick, .label = label_of(f, marker->parts[1]), .pos = f->pos },
        EVENT_DETAILS);
}

/* True if the text has a known form. */
static bool take_marker(Ftrace *f, const FtraceMarker *marker)
{
    int64_t     tgid;
    FtraceTask *task = task_of(f, f->line.tid);
    if (task == NULL) return true;
    if (!line_number(marker->parts[0], &tgid) || tgid < 0) tgid = -1;
    switch (marker->kind) {
    case 'B':
        if (tgid < 0) return false;
        mark_begin(f, task, marker, tgid);
        return true;
    case 'E':
        mark_end(f, task, tgid);
        return true;
    case 'C': {
        if (tgid < 0 || marker->parts[2].size == 0) return false;
        TrackId   thread = thread_of(f, task, tgid);
        ProcessId process = builder_process(f->builder, ident_int(task->tgid));
        put_counter(f, process, thread, marker->parts[1], marker->parts[2]);
        return true;
    }
    case 'S':
    case 'F':
        if (tgid < 0) return false;
        mark_async(f, task, marker, tgid);
        return true;
    case 'I':
        if (tgid < 0) return false;
        put_instant(f, thread_of(f, task, tgid), marker->parts[1], INSTANT_THREAD);
        return true;
    default:
        return false;
    }
}

/* ---- lines ---- */

static void count_line(Ftrace *f, StringView kind)
{
    enum { LONGEST_KIND = 32 };
    size_t size = kind.size < LONGEST_KIND ? kind.size : LONGEST_KIND;
    builder_count_events(f->builder, builder_event_kind(f->builder, kind.bytes, size), 1);
}

/* Passes a line to the observer as one event: of the task that wrote a text, else of the CPU. */
static void observe_line(Ftrace *f)
{
    enum { LONGEST_KIND = 32 };
    size_t       size = f->line.event.size < LONGEST_KIND ? f->line.event.size : LONGEST_KIND;
    uint16_t     kind = builder_event_kind(f->builder, f->line.event.bytes, size);
    FtraceTask  *task = task_of(f, f->line.tid);
    TrackId      track = cpu_track(f, f->line.cpu);
    StringView   name = ftrace_field(f->line.text, "next_comm");
    FtraceMarker marker;
    int64_t      tgid;
    char         title[CPU_TITLE];
    if (task == NULL) return;
    if (name.size == 0) name = cpu_title(&f->line, title, &f->line.cpu);
    if (ftrace_marker(&f->line, &marker)) name = marker.parts[1];
    if (ftrace_marker(&f->line, &marker) && line_number(marker.parts[0], &tgid) && tgid >= 0)
        track = thread_of(f, task, tgid);
    builder_other(f->builder, OTHER_EVENT, kind,
                  &(EventHead){ .thread = track,
                                .tick = f->tick,
                                .label = name.size == 0 ? LABEL_NONE : label_of(f, name),
                                .pos = f->pos });
}

static void draw_line(Ftrace *f)
{
    FtraceMarker marker;
    TrackId      cpu = cpu_track(f, f->line.cpu);
    char         text[CPU_TITLE];
    uint32_t     counted = 0;
    StringView   title = cpu_title(&f->line, text, &counted);
    if (cpu.index == 0) return;
    if (string_equal(f->line.event, STRING_LITERAL("sched_switch"))) {
        sched_switch(f, cpu);
    } else if (title.size > 0) {
        put_counter(f, f->cpus, cpu_track(f, counted), title, ftrace_field(f->line.text, "state"));
    } else if (!ftrace_marker(&f->line, &marker) || !take_marker(f, &marker)) {
        put_instant(f, cpu, f->line.event, INSTANT_THREAD);
    }
}

static void take_line(Ftrace *f)
{
    int64_t ns;
    if (f->shift_ns > 0 ? f->line.ns > INT64_MAX - f->shift_ns : f->line.ns < INT64_MIN - f->shift_ns) {
        builder_warn(f->builder, "time-out-of-range", f->pos,
                     "a line of ftrace is beyond 64 bits of ns: left out");
        return;
    }
    ns = f->line.ns + f->shift_ns;
    times_to_ticks(&f->emitter->times, f->builder, f->pos, &(FineTime){ .ns = ns }, 1, &f->tick);
    if (f->tick > f->last_tick) f->last_tick = f->tick;
    count_line(f, f->line.event);
    if (builder_is_observed(f->builder))
        observe_line(f);
    else
        draw_line(f);
}

/* Keeps a line that cannot be read, for `dump`. */
static void keep_unreadable(Ftrace *f)
{
    static const StringView KIND = { "ftrace-line", 11 };
    builder_warn(f->builder, "unreadable-ftrace-line", f->pos,
                 "a line is not in ftrace's form: kept, but not drawn");
    count_line(f, KIND);
    builder_other(f->builder, OTHER_EVENT, builder_event_kind(f->builder, KIND.bytes, KIND.size),
                  &(EventHead){ .pos = f->pos, .is_timeless = true });
}

/* ---- the text ---- */

typedef enum { PASS_LOOK, PASS_FEED } FtracePass;

static bool is_blank(StringView line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (memchr(" \t\r", line.bytes[i], 3) == NULL) return false;
    }
    return true;
}

/* Finds the clock sync event that a marker names. */
static bool find_named_sync(const Emitter *emitter, StringView name, int64_t *ns)
{
    for (uint32_t i = 0; i < emitter->sync_count && name.size > 0; i++) {
        if (!string_equal(builder_text(emitter->builder, emitter->syncs[i].id), name)) continue;
        *ns = emitter->syncs[i].ns;
        return true;
    }
    return false;
}

/* Sets the difference of the clocks if the current line is a clock sync marker. */
static void take_sync(Ftrace *f)
{
    FtraceSync sync;
    bool       is_clamped = false;
    if (f->has_sync || !ftrace_clock_sync(&f->line, &sync)) return;
    if (!sync.has_time && !find_named_sync(f->emitter, sync.name, &sync.ns)) return;
    f->shift_ns = i64_sub_clamped(sync.ns, f->line.ns, &is_clamped);
    f->has_sync = !is_clamped;
    if (is_clamped) f->shift_ns = 0;
}

/* Goes through the lines. PASS_LOOK: finds the clock sync and returns the count of lines of ftrace. */
static uint64_t walk_lines(Ftrace *f, const JsonValue *string, EventPos pos, FtracePass pass, Bytes *comments)
{
    const uint8_t *end = string->at + string->size, *stop, *next;
    Bytes         *text = &f->emitter->more_text;
    uint64_t       count = 0;
    for (const uint8_t *at = string->at; at < end; at = next) {
        (void)ftrace_raw_line(at, end, &stop, &next);
        JsonValue raw = { at, (size_t)(stop - at), JSON_STRING, true };
        bytes_clear(text);
        text_append(&raw, text, &(TextDamage){ 0 });
        f->emitter->failed |= text->failed;
        if (f->emitter->failed || builder_failed(f->builder)) return count;
        StringView line = bytes_view(text);
        f->pos = (EventPos){ pos.offset + (uint64_t)(at - string->at), ERR_NOWHERE };
        bool is_line = ftrace_line_parse(line, &f->line);
        bool is_comment = line.size > 0 && line.bytes[0] == '#';
        count += is_line && !is_comment;
        f->has_others |= !is_comment && !is_blank(line);
        if (pass == PASS_LOOK) {
            if (is_line) take_sync(f);
        } else if (is_comment) {
            bytes_append(comments, line.bytes, line.size);
            bytes_append(comments, "\n", 1);
        } else if (is_line) {
            take_line(f);
        } else if (!is_blank(line)) {
            keep_unreadable(f);
        }
    }
    return count;
}

/* Ends the open slices: slices of CPUs end with the last line, slices of tasks stay unfinished. */
static void end_open(Ftrace *f)
{
    const FtraceTask *tasks = f->tasks.items;
    for (size_t t = 0; t < f->tasks.count; t++) {
        const OpenMark *open = (const OpenMark *)tasks[t].open.items;
        for (size_t i = 0; i < tasks[t].open.count; i++)
            builder_complete(f->builder, open[i].thread, open[i].tick, open[i].tick, open[i].label,
                             open[i].pos, EVENT_DETAILS | EVENT_NO_END);
    }
    for (uint32_t track = 0; track < f->busy_count; track++) {
        if (f->is_busy[track])
            builder_end(f->builder, (TrackId){ track }, f->last_tick, LABEL_NONE, f->pos, 0);
    }
}

FtraceTaken ftrace_take(Emitter *emitter, const JsonValue *string, EventPos pos, Bytes *comments)
{
    Ftrace f = {
        .emitter = emitter, .builder = emitter->builder, .scratch = arena_create(0), .last_tick = INT64_MIN
    };
    bool any = string->kind == JSON_STRING && walk_lines(&f, string, pos, PASS_LOOK, NULL) > 0;
    bool has_others = string->kind != JSON_STRING || f.has_others;
    f.tids = string_table_create(&f.scratch);
    if (f.tids == NULL) emitter->failed = true;
    if (any && !emitter->failed) {
        StringId name = builder_string(f.builder, "CPUs", 4);
        f.cpus =
            builder_process(f.builder, ident_text(builder_string(f.builder, FTRACE_PID, strlen(FTRACE_PID))));
        builder_name_process(f.builder, f.cpus, name);
        if (!f.has_sync)
            builder_warn(f.builder, "sub-trace-not-aligned", pos,
                         "ftrace's text has no clock sync (parent_ts=, or name= of a clock sync event before "
                         "it): its times "
                         "stay as they are");
        (void)walk_lines(&f, string, pos, PASS_FEED, comments);
        if (!emitter->failed) end_open(&f);
    }
    arena_release(&f.scratch);
    return any ? FTRACE_LINES : has_others ? FTRACE_NONE : FTRACE_COMMENTS;
}
