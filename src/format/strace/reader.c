#include "format/strace/details.h"
#include "format/strace/line.h"
#include "format/strace/strace.h"

#include "base/ascii.h"
#include "base/checked.h"
#include "base/id_map.h"
#include "format/input_text.h"
#include "format/line_text.h"
#include "trace/log/observe.h"

#include <string.h>

typedef struct StraceTask {
    int64_t  tid;
    int64_t  pid;
    bool     has_pid;
    TrackId  thread; /* TRACK_NONE = not seen yet */
    StringId name;
    StringId program; /* of its latest execve */
    StringId open;    /* the name of its unfinished call; STRING_NONE = none */
    int64_t  open_tick;
} StraceTask;

typedef struct Reader {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    uint64_t      base; /* offset of the current bytes in the input */
    uint64_t      event_count;
    EventPos      pos; /* of the current line */
    int64_t       tick;
    StraceLine    line;
    IdMap         task_of; /* by tid: 1 + index in tasks */
    ARENA_LIST(StraceTask) tasks;
    uint64_t alive_sum; /* of the ids of the tasks that have not ended; one that is not told counts as 0 */
    uint32_t alive_count;
    int64_t  cloning_pid; /* with is_cloning: the process that makes a thread */
    int64_t  clock_ns;    /* time of the latest line, without days */
    int64_t  day_ns;      /* of the midnights between the lines */
    bool     is_cloning;  /* a call that makes a thread is not finished: the next new task is that thread */
    bool     has_events;
    bool     has_untold; /* lines without a task */
    bool     skips;      /* to the next line feed */
    bool     failed;
} Reader;

static int strace_probe(const uint8_t *bytes, size_t size)
{
    StringView rest = { (const char *)bytes, size }, line;
    StraceLine parsed;
    while (line_next(&rest, &line)) {
        if (line_trim(line).size == 0) continue;
        return strace_line_parse(line, &parsed) ? 85 : 0;
    }
    return 0;
}

static void *strace_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->arena = reader->task_of.arena = arena;
    reader->builder = builder;
    return reader;
}

static StringId intern(Reader *reader, StringView text)
{
    return input_text_intern(reader->builder, text, "a line of strace", reader->pos, &reader->failed);
}

/* -- tasks -- */

/* Returns the task of an id; creates it. NULL when out of memory. Valid until the next task is created. */
static StraceTask *task_of(Reader *reader, int64_t tid)
{
    const uint32_t found = id_map_find(&reader->task_of, (uint64_t)tid);
    if (found > 0) return &reader->tasks.items[found - 1];
    StraceTask *made = ARENA_LIST_PUSH(&reader->tasks, reader->arena);
    if (made == NULL || !id_map_put(&reader->task_of, (uint64_t)tid, (uint32_t)reader->tasks.count)) {
        reader->failed = true;
        return NULL;
    }
    made->tid = tid;
    return made;
}

/* A new task is the thread that is being made, or a process of its own. */
static void set_process(Reader *reader, StraceTask *task)
{
    if (task->has_pid) return;
    task->pid = reader->is_cloning ? reader->cloning_pid : task->tid;
    task->has_pid = true;
    reader->is_cloning = false;
}

/* The lines before the second task do not tell the first one. A task that nothing has announced is that one. */
static bool is_first_task(const Reader *reader, const StraceTask *task)
{
    return reader->has_untold && !task->has_pid && task->thread.index == 0 && !reader->is_cloning;
}

/* Returns the id of the task of the current line. strace does not write it while there is one task alone. */
static int64_t tid_of_line(const Reader *reader)
{
    const bool is_alone = reader->alive_count == 1 && reader->alive_sum <= INT64_MAX;
    return reader->line.tid == 0 && is_alone ? (int64_t)reader->alive_sum : reader->line.tid;
}

/* A task ends. */
static void take_exit(Reader *reader)
{
    if (reader->alive_count == 0) return;
    reader->alive_sum -= (uint64_t)tid_of_line(reader);
    reader->alive_count--;
    if (reader->alive_count == 0) reader->alive_sum = 0;
}

/* Returns the task of the current line, with its thread. NULL when out of memory. */
static StraceTask *task_of_line(Reader *reader)
{
    TraceBuilder *builder = reader->builder;
    const int64_t tid = tid_of_line(reader);
    StraceTask   *task = task_of(reader, tid);
    reader->has_untold |= tid == 0;
    if (task != NULL && tid != 0 && is_first_task(reader, task)) {
        const StraceTask *first = task_of(reader, 0); /* exists: no task is created */
        *task = *first;
        reader->has_untold = false;
        reader->alive_sum += (uint64_t)tid;
    }
    if (task == NULL || task->thread.index != 0) return task;
    set_process(reader, task);
    reader->alive_count++;
    reader->alive_sum += (uint64_t)tid;
    task->thread = builder_thread(builder, builder_process(builder, ident_int(task->pid)), ident_int(tid));
    return task;
}

static void name_task(Reader *reader, StraceTask *task, StringId name)
{
    if (name.index == 0 || name.index == task->name.index) return;
    task->name = name;
    builder_name_thread(reader->builder, task->thread, name);
    if (task->pid == task->tid)
        builder_name_process(reader->builder, builder_process(reader->builder, ident_int(task->pid)), name);
}

/* A call that has started another program gives its name to the task: execve("/bin/ls", ... */
static void take_program(Reader *reader, StraceTask *task)
{
    const StraceLine *line = &reader->line;
    StringView        rest = line->args, path;
    if (line->kind != STRACE_RESUMED && text_next_part(&rest, '"', &path) && path.size == 0 &&
        text_next_part(&rest, '"', &path)) {
        size_t begin = path.size;
        while (begin > 0 && path.bytes[begin - 1] != '/')
            begin--;
        task->program = intern(reader, line_part(path, begin, path.size));
    }
    if (string_equal(line->result, STRING_LITERAL("0"))) name_task(reader, task, task->program);
}

/* A call that makes a task tells its process, unless the task was seen before. */
static void take_clone(Reader *reader, const StraceTask *task)
{
    const StraceLine *line = &reader->line;
    const int64_t     pid = task->pid;
    const bool        is_thread = ascii_contains(line->args, STRING_LITERAL("CLONE_THREAD"));
    int64_t           tid;
    if (line->kind != STRACE_CALL) {
        reader->is_cloning = line->kind == STRACE_UNFINISHED && is_thread;
        reader->cloning_pid = pid;
    }
    if (line->kind != STRACE_CALL || !line_number(line->result, &tid) || tid <= 0) return;
    StraceTask *made = task_of(reader, tid);
    if (made == NULL || made->has_pid) return;
    made->pid = is_thread ? pid : tid;
    made->has_pid = true;
}

/* -- lines -- */

/* Sets the tick of the line. False: the time does not fit. */
static bool take_time(Reader *reader)
{
    const int64_t day = INT64_C(86400000000000);
    int64_t       ns = reader->line.ns;
    bool          is_clamped = false;
    if (!reader->has_events && reader->line.clock == STRACE_SINCE_1970) {
        Clock clock = clock_ns();
        clock.has_epoch = true;
        builder_set_clock(reader->builder, clock);
    }
    if (reader->line.clock == STRACE_SINCE_LINE) {
        ns = reader->has_events ? i64_add_clamped(reader->clock_ns, ns, &is_clamped) : 0;
    } else if (reader->line.clock == STRACE_SINCE_MIDNIGHT && ns < reader->clock_ns - day / 2) {
        reader->day_ns = i64_add_clamped(reader->day_ns, day, &is_clamped);
    }
    reader->clock_ns = ns;
    reader->tick =
        i64_add_clamped(ns, reader->line.clock == STRACE_SINCE_MIDNIGHT ? reader->day_ns : 0, &is_clamped);
    reader->has_events = true;
    if (is_clamped)
        builder_warn(reader->builder, "time-out-of-range", reader->pos,
                     "a line is beyond 64 bits of ns: left out");
    return !is_clamped;
}

static void draw_call(Reader *reader, StraceTask *task)
{
    const StraceLine *line = &reader->line;
    TraceBuilder     *builder = reader->builder;
    const StringId    name = intern(reader, line->name);
    const LabelId     label = builder_label(builder, name, STRING_NONE);
    const bool        ends_open = line->kind == STRACE_RESUMED && task->open.index == name.index;
    const int64_t     tick = reader->tick, begin = ends_open ? task->open_tick : tick;
    bool              is_clamped = false;
    int64_t           end = tick;
    if (line->duration_ns >= 0) end = i64_add_clamped(begin, line->duration_ns, &is_clamped);
    if (line->kind == STRACE_UNFINISHED) {
        if (task->open.index != 0) builder_end(builder, task->thread, tick, LABEL_NONE, reader->pos, 0);
        builder_begin(builder, task->thread, tick, label, reader->pos, EVENT_DETAILS);
        task->open = name;
        task->open_tick = tick;
    } else if (ends_open) {
        builder_end(builder, task->thread, end < tick ? end : tick, LABEL_NONE, reader->pos, EVENT_DETAILS);
        task->open = STRING_NONE;
    } else if (line->kind == STRACE_CALL && line->duration_ns >= 0) {
        builder_complete(builder, task->thread, tick, end, label, reader->pos, EVENT_DETAILS);
    } else { /* a note, or a call of unknown duration */
        builder_instant(builder, task->thread, tick, label, INSTANT_THREAD, reader->pos, EVENT_DETAILS);
    }
}

static void take_line(Reader *reader)
{
    const StraceLine *line = &reader->line;
    StraceTask       *task = take_time(reader) ? task_of_line(reader) : NULL;
    const bool        makes_task = string_equal(line->name, STRING_LITERAL("clone")) ||
                            string_equal(line->name, STRING_LITERAL("clone3")) ||
                            string_equal(line->name, STRING_LITERAL("fork")) ||
                            string_equal(line->name, STRING_LITERAL("vfork"));
    const uint16_t kind = builder_event_kind(reader->builder, line->kind == STRACE_NOTE ? "note" : "call", 4);
    reader->event_count++;
    builder_count_events(reader->builder, kind, 1);
    if (task == NULL) return;
    if (line->task_name.size > 0) name_task(reader, task, intern(reader, line->task_name));
    if (string_equal(line->name, STRING_LITERAL("execve"))) take_program(reader, task);
    if (builder_is_observed(reader->builder)) {
        const LabelId label = builder_label(reader->builder, intern(reader, line->name), STRING_NONE);
        builder_other(
            reader->builder, OTHER_EVENT, kind,
            &(EventHead){ .thread = task->thread, .tick = reader->tick, .label = label, .pos = reader->pos });
    } else {
        draw_call(reader, task);
    }
    if (makes_task) take_clone(reader, task);
    if (line->kind == STRACE_NOTE && line->args.size == 0) take_exit(reader);
}

/* "strace: Process 12 attached" tells that the task is not the first one. */
static void take_attached(Reader *reader, StringView line)
{
    static const StringView ATTACHED = { "strace: Process ", 16 };
    StringView              rest = line, word;
    int64_t                 tid;
    for (size_t at = 0; at + ATTACHED.size <= line.size; at++) {
        if (memcmp(line.bytes + at, ATTACHED.bytes, ATTACHED.size) != 0) continue;
        rest = line_part(line, at + ATTACHED.size, line.size);
        if (!text_next_part(&rest, ' ', &word) || !line_number(word, &tid) || tid <= 0) return;
        StraceTask *task = task_of(reader, tid);
        if (task != NULL) set_process(reader, task);
        return;
    }
}

static void take_text(Reader *reader, StringView line, uint64_t offset)
{
    reader->pos = (EventPos){ offset, reader->event_count };
    if (strace_line_parse(line, &reader->line)) {
        take_line(reader);
        /* a text of strace may cut a call, in the same line */
        if (reader->line.kind == STRACE_UNFINISHED) take_attached(reader, line);
        return;
    }
    const StringView text = line_trim(line);
    if (text.size == 0 || text.bytes[0] == '>') return; /* a line of a stack */
    take_attached(reader, line);
    builder_warn(reader->builder, "unreadable-line", reader->pos,
                 "a line is not in the form of strace: left out");
}

static bool strace_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                        Err *err)
{
    Reader          *reader = (Reader *)state;
    const StringView all = { size == 0 ? "" : (const char *)bytes, size };
    StringView       rest = all, line;
    while (!reader->failed && line_next(&rest, &line)) {
        if (!reader->skips) take_text(reader, line, reader->base + (uint64_t)(line.bytes - all.bytes));
        reader->skips = false;
    }
    if (reader->skips) rest = line_part(rest, rest.size, rest.size);
    reader->base += size - rest.size;
    if (input == INPUT_ENDS && line_trim(rest).size > 0) { /* strace ends each line */
        builder_warn(reader->builder, "truncated", (EventPos){ reader->base, reader->event_count },
                     "the input ends inside a line");
        builder_set_incomplete(reader->builder);
    }
    *used = input == INPUT_ENDS ? size : size - rest.size;
    return !reader->failed || err_set(err, ERR_MEMORY, "out of memory");
}

static bool strace_skip(void *state)
{
    ((Reader *)state)->skips = true; /* the caller warns */
    return true;
}

const FormatReader STRACE_READER = {
    .name = "strace",
    .spec = "the text of strace, strace 6.1",
    .about = "System calls of programs: the text of `strace -f -ttt -T`. Usual names: *.strace, *.txt.",
    .probe = strace_probe,
    .open = strace_open,
    .read = strace_read,
    .skip = strace_skip,
    .details = strace_details,
};
