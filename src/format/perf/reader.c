#include "format/perf/details.h"
#include "format/perf/line.h"
#include "format/perf/perf.h"

#include "base/ascii.h"
#include "base/id_map.h"
#include "base/utf8.h"
#include "format/input_text.h"
#include "format/line_text.h"
#include "format/linux/perf_threads.h"
#include "trace/log/observe.h"

#include <string.h>

/* In a text without times, the events are this far apart. */
enum { STEP_NS = 1000 };

/* The event whose lines are being read. */
typedef struct PerfEvent {
    EventPos pos;
    TrackId  thread;
    StringId name;
    StringId function; /* of the innermost frame */
    uint16_t kind;
    int64_t  ns;
    int64_t  period_ns; /* 0 = not known */
    bool     is_open;   /* the head line is read; lines of its stack may follow */
    bool     is_point;  /* of a tracepoint: it has a text */
    bool     is_record; /* PerfHead.is_record */
    bool     is_timeless;
    bool     has_frame; /* `frame` waits for the file of its next line */
} PerfEvent;

typedef struct Reader {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    uint64_t      base; /* offset of the current bytes in the input */
    uint64_t      event_count;
    EventPos      line; /* of the current line */
    PerfEvent     event;
    StackFrame    frame;
    ARENA_LIST(FrameId) frames; /* of the event, innermost first */
    PerfThreads threads;
    IdMap       pids;                /* by tid: 1 + the pid that a record tells */
    IdMap       kinds;               /* by StringId.index of the event: 1 + its kind */
    int64_t     last_ns;             /* of all events */
    bool        has_head, has_times; /* the first event has a time, so all should */
    bool        skips;               /* to the next line feed */
    bool        failed;
} Reader;

/* -- probe -- */

static int perf_probe(const uint8_t *bytes, size_t size)
{
    StringView rest = { (const char *)bytes, size }, line;
    PerfHead   head;
    PerfFrame  frame;
    while (line_next(&rest, &line)) {
        if (perf_is_blank(line) || line.bytes[0] == '#') continue;
        if (!perf_head_parse(line, &head)) return 0;
        if (head.has_time) return 90;
        const bool has_stack = line_next(&rest, &line) && perf_frame_parse(line, &frame);
        return has_stack || perf_frame_parse(head.text, &frame) ? 70 : 0;
    }
    return 0;
}

static void *perf_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->arena = arena;
    reader->builder = builder;
    reader->pids.arena = reader->kinds.arena = arena;
    reader->last_ns = INT64_MIN;
    perf_threads_open(&reader->threads, arena, builder);
    return reader;
}

static StringId intern(Reader *reader, StringView text, const char *noun)
{
    return input_text_intern(reader->builder, text, noun, reader->line, &reader->failed);
}

/* -- threads -- */

/* Returns the id of the process, or -1 if the text does not say it. */
static int64_t pid_of(const Reader *reader, const PerfHead *head)
{
    if (head->pid >= 0 || head->tid < 0) return head->pid;
    return (int64_t)id_map_find(&reader->pids, (uint64_t)head->tid) - 1;
}

static TrackId thread_of(Reader *reader, const PerfHead *head)
{
    const int64_t pid = pid_of(reader, head);
    const TrackId thread = perf_thread(&reader->threads, pid, head->tid, head->cpu);
    perf_name_thread(&reader->threads, thread, pid, head->tid,
                     intern(reader, head->comm, "the name of a thread"));
    return thread;
}

/* Keeps the process of a thread that a record tells. */
static void take_task(Reader *reader, const PerfHead *head)
{
    PerfTask task;
    if (!perf_task_parse(head, &task) || task.pid >= UINT32_MAX || task.tid < 0) return;
    id_map_remove(&reader->pids, (uint64_t)task.tid);
    if (!id_map_put(&reader->pids, (uint64_t)task.tid, (uint32_t)task.pid + 1)) reader->failed = true;
}

/* -- switches of tasks -- */

/* A switch or a wake-up is also drawn as in a text of ftrace. */
static void take_sched(Reader *reader, const PerfHead *head, TrackId thread)
{
    static const StringView SCHED = { "sched:sched_", 12 };
    FtraceSwitch            change;
    int64_t                 tid;
    if (!ascii_starts_with(head->event, SCHED)) return;
    const StringView name = line_part(head->event, SCHED.size, head->event.size);
    sched_tell_thread(&reader->threads.sched, head->tid, thread);
    if (string_equal(name, STRING_LITERAL("switch")) && head->cpu >= 0 && head->cpu < UINT32_MAX &&
        ftrace_switch(head->text, &change)) {
        const StringId next = intern(reader, change.next_name, "the name of a thread");
        change.next_name = builder_text(reader->builder, next);
        sched_switch(&reader->threads.sched, (uint32_t)head->cpu, &change, head->ns, reader->event.pos);
    } else if (ascii_starts_with(name, STRING_LITERAL("wak")) && ftrace_woken_tid(head->text, &tid)) {
        sched_wake(&reader->threads.sched, tid, head->tid, head->ns, reader->event.pos);
    }
}

/* -- events -- */

static void flush_frame(Reader *reader)
{
    if (!reader->event.has_frame) return;
    reader->event.has_frame = false;
    FrameId *frame = ARENA_LIST_PUSH(&reader->frames, reader->arena);
    if (frame == NULL)
        reader->failed = true;
    else
        *frame = builder_frame(reader->builder, &reader->frame);
}

static void close_event(Reader *reader)
{
    PerfEvent    *event = &reader->event;
    TraceBuilder *builder = reader->builder;
    StackId       stack = STACK_NONE;
    if (!event->is_open) return;
    flush_frame(reader);
    for (size_t i = reader->frames.count; i-- > 0;)
        stack = builder_stack(builder, stack, reader->frames.items[i]);
    builder_count_events(builder, event->kind, 1);
    if (event->is_point && !event->is_timeless) {
        const LabelId label = builder_label(builder, event->name, STRING_NONE);
        builder_instant(builder, event->thread, event->ns, label, INSTANT_THREAD, event->pos, EVENT_DETAILS);
        builder_instant_stack(builder, event->thread, INSTANT_THREAD, stack);
    } else {
        builder_other(builder, event->is_record ? OTHER_METADATA : OTHER_EVENT, event->kind,
                      &(EventHead){ .thread = event->thread,
                                    .tick = event->ns,
                                    .label = builder_label(builder, event->function, STRING_NONE),
                                    .pos = event->pos,
                                    .is_timeless = event->is_timeless });
        if (!event->is_timeless)
            perf_add_sample(&reader->threads, event->thread, event->name, event->ns, stack, event->period_ns);
    }
    event->is_open = false;
}

/* Returns the period of an event that counts time, in ns; 0 for other events. */
static int64_t period_ns(const PerfHead *head)
{
    int64_t period;
    return perf_counts_time(head->event) && line_number(head->period, &period) && period > 0 ? period : 0;
}

/* -- lines -- */

static void take_frame(Reader *reader, const PerfFrame *text)
{
    flush_frame(reader);
    StackFrame frame = { .module = intern(reader, text->module, "the name of a module") };
    frame.function = string_equal(text->symbol, STRING_LITERAL("[unknown]")) && text->module.size > 0
                         ? perf_unnamed_function(reader->builder, frame.module, &reader->failed)
                         : intern(reader, text->symbol, "the name of a function");
    reader->frame = frame;
    reader->event.has_frame = true;
    if (reader->frames.count == 0) reader->event.function = frame.function;
}

/* Returns the kind of an event by its name. */
static uint16_t kind_of(Reader *reader, StringId name)
{
    enum { LONGEST = 64 };
    const uint32_t found = id_map_find(&reader->kinds, name.index);
    if (found > 0 || reader->failed || builder_failed(reader->builder))
        return found > 0 ? (uint16_t)(found - 1) : 0;
    const StringView text = builder_text(reader->builder, name);
    const uint16_t   kind =
        builder_event_kind(reader->builder, text.bytes, utf8_cut(text.bytes, text.size, LONGEST));
    if (!id_map_put(&reader->kinds, name.index, (uint32_t)kind + 1)) reader->failed = true;
    return kind;
}

static void take_head(Reader *reader, const PerfHead *head)
{
    const EventPos pos = reader->line;
    PerfFrame      frame;
    TraceBuilder  *builder = reader->builder;
    close_event(reader);
    if (!reader->has_head) {
        reader->has_head = true;
        reader->has_times = head->has_time;
        if (!head->has_time)
            builder_warn(builder, "no-time", pos, "the text has no times: an event is drawn as 1 µs");
    } else if (head->has_time != reader->has_times) {
        builder_warn(builder, "missing-time", pos,
                     "an event without a time, or the only one with a time: kept, but not drawn");
    }
    if (head->is_record) take_task(reader, head);
    const bool is_flat = perf_frame_parse(head->text, &frame);
    PerfEvent  event = { .pos = pos, .is_open = true, .thread = thread_of(reader, head) };
    event.is_record = head->is_record;
    event.is_point = head->text.size > 0 && !is_flat;
    event.is_timeless = head->is_record || head->has_time != reader->has_times;
    event.ns = head->has_time ? head->ns : (int64_t)pos.event * STEP_NS;
    event.period_ns = reader->has_times ? period_ns(head) : 0;
    event.name = intern(reader, head->event, "the name of an event");
    event.kind = kind_of(reader, event.name);
    reader->event = event;
    reader->frames.count = 0;
    reader->event_count++;
    if (is_flat) {
        take_frame(reader, &frame);
        close_event(reader);
    } else if (!builder_is_observed(builder) && head->has_time && !builder_failed(builder)) {
        take_sched(reader, head, event.thread);
    }
    if (!event.is_timeless && event.ns > reader->last_ns) reader->last_ns = event.ns;
}

/* Keeps "# key : value", which `perf script --header` prints, as a property. */
static void take_comment(Reader *reader, StringView line)
{
    StringView key, rest = line_part(line, 1, line.size);
    if (!text_next_part(&rest, ':', &key) || rest.size == 0) return;
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    json_string_bytes(&writer, line_trim(rest));
    reader->failed |= json.failed;
    if (!json.failed)
        builder_property(reader->builder, intern(reader, line_trim(key), "a comment"), (char *)json.data,
                         json.size);
    bytes_release(&json);
}

/* True if the line begins an event. A line with a tab is of a stack, one with # is a comment. */
static bool is_head(StringView line, PerfHead *head)
{
    return line.size > 0 && line.bytes[0] != '\t' && line.bytes[0] != '#' && perf_head_parse(line, head);
}

/* True if `rest` has the end of the event whose head is before it: an empty line or another head. */
static bool has_end(StringView rest)
{
    StringView line;
    PerfHead   next;
    while (line_next(&rest, &line))
        if (perf_is_blank(line) || is_head(line, &next)) return true;
    return false;
}

/* True if the line is the head of an event whose lines are not all in the input so far. */
static bool is_cut(StringView line, StringView rest, InputState input)
{
    PerfHead  head;
    PerfFrame frame;
    return input == INPUT_CONTINUES && is_head(line, &head) && !perf_frame_parse(head.text, &frame) &&
           !has_end(rest);
}

/* False: the line does not have any of the forms. */
static bool take_line(Reader *reader, StringView line, uint64_t offset)
{
    PerfHead   head;
    PerfFrame  frame;
    StringView file;
    reader->line = (EventPos){ offset, reader->event_count };
    if (perf_is_blank(line)) {
        close_event(reader);
        return true;
    }
    if (line.bytes[0] == '#') {
        if (!reader->has_head) take_comment(reader, line);
        return true;
    }
    const bool is_inside = reader->event.is_open && (line.bytes[0] == '\t' || line.bytes[0] == ' ');
    if (is_head(line, &head))
        take_head(reader, &head);
    else if (is_inside && perf_frame_parse(line, &frame))
        take_frame(reader, &frame);
    else if (is_inside && reader->event.has_frame && perf_source_parse(line, &file))
        reader->frame.file = intern(reader, file, "the name of a file");
    else
        return false;
    return true;
}

static void warn_unreadable(Reader *reader, uint64_t offset)
{
    builder_warn(reader->builder, "unreadable-line", (EventPos){ offset, reader->event_count },
                 "a line is not in the form of perf script: left out");
}

/* -- the text -- */

static void finish(Reader *reader, StringView rest)
{
    if (!reader->skips && !perf_is_blank(rest)) { /* perf ends each line */
        builder_warn(reader->builder, "truncated", (EventPos){ reader->base, reader->event_count },
                     "the input ends inside a line");
        builder_set_incomplete(reader->builder);
    }
    sched_finish(&reader->threads.sched, reader->last_ns, reader->line);
    const SampleGaps *gaps = &reader->threads.gaps;
    sample_gaps_finish(gaps, reader->builder, reader->has_times ? sample_gaps_usual(gaps) : STEP_NS);
}

static bool perf_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                      Err *err)
{
    Reader          *reader = (Reader *)state;
    const StringView all = { size == 0 ? "" : (const char *)bytes, size };
    StringView       rest = all, after = all, line;
    for (; !reader->failed && line_next(&after, &line); rest = after) {
        const uint64_t offset = reader->base + (uint64_t)(line.bytes - all.bytes);
        if (reader->skips) {
            reader->skips = false;
            continue;
        }
        if (is_cut(line, after, input)) break;
        if (take_line(reader, line, offset)) continue;
        if (!reader->has_head)
            return err_set_at(err, ERR_UNKNOWN, offset, ERR_NOWHERE, "not a text of perf script");
        warn_unreadable(reader, offset);
    }
    close_event(reader); /* all of its lines have been read */
    if (reader->skips) rest = line_part(rest, rest.size, rest.size);
    reader->base += size - rest.size;
    if (input == INPUT_ENDS) finish(reader, rest);
    *used = input == INPUT_ENDS ? size : size - rest.size;
    return !(reader->failed || reader->threads.failed || reader->threads.sched.failed) ||
           err_set(err, ERR_MEMORY, "out of memory");
}

static bool perf_skip(void *state)
{
    ((Reader *)state)->skips = true; /* the caller warns */
    return true;
}

const FormatReader PERF_READER = {
    .name = "perf",
    .spec = "the text of `perf script`, perf 6.1 (builtin-script.c)",
    .about = "Samples and tracepoints of Linux: the text of `perf script`. Usual names: *.perf, *.txt.",
    .probe = perf_probe,
    .open = perf_open,
    .read = perf_read,
    .skip = perf_skip,
    .details = perf_details,
};
