#include "format/perfetto/fields.h"
#include "format/perfetto/ftrace_decode.h"
#include "format/perfetto/reader.h"

#include "base/heap.h"

/* Limit on the CPUs of all writers: others are left out. */
enum { MOST_STREAMS = 4096 };

/* -- streams -- */

static FtraceStream *stream_of(PerfettoReader *reader, uint32_t sequence, uint32_t cpu)
{
    System        *system = reader->system;
    const uint64_t key = (uint64_t)sequence << 32 | cpu;
    const uint32_t found = id_map_find(&system->stream_of, key);
    if (found != 0) return system->streams.items[found - 1];
    if (system->streams.count == MOST_STREAMS) {
        builder_warn(reader->builder, "too-many-processors", reader->pos,
                     "more than %d processors: the events of the others are left out", MOST_STREAMS);
        return NULL;
    }
    FtraceStream  *stream = ARENA_NEW(reader->arena, FtraceStream);
    FtraceStream **added = stream == NULL ? NULL : ARENA_LIST_PUSH(&system->streams, reader->arena);
    if (added == NULL || !id_map_put(&system->stream_of, key, (uint32_t)system->streams.count)) {
        reader->failed = true;
        return NULL;
    }
    *added = stream;
    stream->cpu = cpu;
    stream->running = -1;
    return stream;
}

/* Returns the position of an event: each has its own, within the record of its bundle. */
static EventPos pos_of(const KeptBundle *bundle, uint32_t number)
{
    const uint64_t offset = bundle->pos.offset + number;
    return (EventPos){ offset < bundle->end ? offset : bundle->end - 1, bundle->pos.event + number };
}

/* Converts the time of an event. False: it is out of range. */
static bool time_of(PerfettoReader *reader, const FtraceBundle *bundle, uint64_t time, int64_t *ns)
{
    const bool is_raw = bundle->clock == FTRACE_CLOCK_MONO_RAW;
    const bool is_other = !is_raw && bundle->clock != FTRACE_CLOCK_BOOT;
    uint32_t   id = is_raw ? BUILTIN_MONOTONIC_RAW : BUILTIN_BOOTTIME;
    bool       is_known = true;
    if (is_other && bundle->boot_ns > 0 && bundle->ftrace_ns > 0)
        time += (uint64_t)bundle->boot_ns - (uint64_t)bundle->ftrace_ns;
    else
        is_known = !is_other;
    switch (clocks_to_trace(&reader->clocks, 0, id, time, ns)) {
    case CLOCK_KNOWN:
        break;
    case CLOCK_UNKNOWN:
        is_known = false;
        break;
    case CLOCK_OUT_OF_RANGE:
        return false;
    case CLOCK_NO_MEMORY:
        reader->failed = true;
        break;
    }
    if (!is_known)
        builder_warn(reader->builder, "unknown-clock", reader->pos,
                     "no snapshot relates the clock of ftrace to that of the trace: its times are taken as "
                     "they are");
    return true;
}

/* Sets the time of the stream's next event, and opens the next bundle at the end of one. Returns NULL behind the last event. */
static const BundledEvent *next_event(PerfettoReader *reader, FtraceStream *stream)
{
    Arena *arena = &reader->kept->bundles;
    while (!reader->failed) {
        const BundledEvent *event = bundle_next(&stream->cursor);
        if (event == NULL) {
            FtraceBundle bundle;
            if (stream->next == stream->bundles.count) return NULL;
            if (!bundle_decode(stream->bundles.items[stream->next++].message, &bundle)) continue;
            if (!bundle_open(&stream->cursor, arena, &bundle)) reader->failed = true;
            continue;
        }
        reader->pos = pos_of(&stream->bundles.items[stream->next - 1], event->number);
        if (time_of(reader, &stream->cursor.bundle, event->time, &stream->tick)) return event;
        builder_warn(reader->builder, "bad-time", reader->pos,
                     "a time is beyond 63 bits of nanoseconds: the event is left out");
        bundle_take(&stream->cursor, event);
    }
    return NULL;
}

/* -- events -- */

/* Learns the tasks that an event names. */
static void learn_tasks(PerfettoReader *reader, const BundledEvent *event, const FtraceEvent *decoded)
{
    enum {
        CLONE_THREAD_FLAG = 0x10000
    }; /* linux/sched.h: the new task is a thread of the process of the task */
    ByteCursor c = wire_message(event->data);
    WireField  field;
    StringView name = { "", 0 };
    int64_t    tid = -1, tgid = -1;
    if (decoded->kind != FTRACE_SWITCH && decoded->kind != FTRACE_OTHER) return;
    if (event->kind == FTRACE_SCHED_SWITCH) {
        while (wire_next(&c, &field))
            if (field.number == SWITCH_PREVIOUS_NAME) name = field.bytes;
        if (name.size > 0)
            system_learn_task(reader, decoded->change.previous_tid, -1,
                              perfetto_intern(reader, name, "the name of a thread"));
        tid = decoded->change.next_tid;
        name = decoded->change.next_name;
    } else if (event->kind == FTRACE_TASK_NEWTASK) {
        uint64_t flags = 0;
        while (wire_next(&c, &field)) {
            if (field.number == NEWTASK_TID) tid = (int32_t)field.value;
            if (field.number == NEWTASK_NAME) name = field.bytes;
            if (field.number == NEWTASK_FLAGS) flags = field.value;
        }
        tgid = tid;
        if ((flags & CLONE_THREAD_FLAG) != 0) {
            const SystemTask *parent = system_task(reader, event->tid);
            tgid = parent == NULL ? -1 : parent->tgid;
        }
    } else if (event->kind == FTRACE_TASK_RENAME) {
        while (wire_next(&c, &field)) {
            if (field.number == RENAME_TID) tid = (int32_t)field.value;
            if (field.number == RENAME_NAME) name = field.bytes;
        }
    }
    if (tid > 0 && name.size > 0)
        system_learn_task(reader, tid, tgid, perfetto_intern(reader, name, "the name of a thread"));
}

/* Passes the next event of a stream to the drawing of ftrace's events. */
static void take_event(PerfettoReader *reader, FtraceStream *stream, const BundledEvent *event)
{
    FtraceTexts texts;
    FtraceEvent decoded;
    reader->pos = pos_of(&stream->bundles.items[stream->next - 1], event->number);
    if (event->is_damaged) {
        perfetto_warn_damaged(reader);
        return;
    }
    ftrace_decode(&reader->kept->machine, event, stream->cpu, &texts, &decoded);
    if (event->is_compact) {
        decoded.line.tid = stream->running;
        if (decoded.kind == FTRACE_SWITCH) decoded.change.previous_tid = stream->running;
    } else {
        stream->running = event->tid;
    }
    if (decoded.kind == FTRACE_SWITCH) stream->running = decoded.change.next_tid;
    learn_tasks(reader, event, &decoded);
    const SystemTask *task = decoded.line.tid > 0 ? system_task(reader, decoded.line.tid) : NULL;
    decoded.line.task = STRING_LITERAL("<...>");
    if (task != NULL) {
        decoded.line.tgid = task->tgid;
        if (task->name.index != 0) decoded.line.task = builder_text(reader->builder, task->name);
    }
    if (!reader->failed && !builder_failed(reader->builder))
        ftrace_take_event(&reader->system->ftrace, &decoded, stream->tick, reader->pos);
}

/* -- order of time -- */

typedef struct StreamHead {
    int64_t  tick;
    uint32_t cpu, stream;
} StreamHead;

static bool is_before(const StreamHead *a, const StreamHead *b)
{
    if (a->tick != b->tick) return a->tick < b->tick;
    return a->cpu != b->cpu ? a->cpu < b->cpu : a->stream < b->stream;
}

static void draw_all(PerfettoReader *reader)
{
    System     *system = reader->system;
    size_t      count = 0;
    StreamHead *heads = ARENA_ARRAY(reader->arena, StreamHead, system->streams.count);
    reader->failed |= heads == NULL;
    for (size_t i = 0; i < system->streams.count && !reader->failed; i++) {
        FtraceStream *stream = system->streams.items[i];
        if (next_event(reader, stream) == NULL) continue;
        heads[count] = (StreamHead){ stream->tick, stream->cpu, (uint32_t)i };
        HEAP_RISE(StreamHead, heads, count, is_before);
        count++;
    }
    while (count > 0 && !reader->failed && !builder_failed(reader->builder)) {
        FtraceStream       *stream = system->streams.items[heads[0].stream];
        const BundledEvent *event = bundle_next(&stream->cursor);
        take_event(reader, stream, event);
        bundle_take(&stream->cursor, event);
        if (next_event(reader, stream) != NULL)
            heads[0].tick = stream->tick;
        else
            heads[0] = heads[--count];
        HEAP_SINK(StreamHead, heads, count, 0, is_before);
    }
}

/* -- bundles -- */

/* Stores where the record of a bundle is, so that the details of its events can be read again. False: out of memory. */
static bool keep_place(PerfettoReader *reader)
{
    PerfettoKept *kept = reader->kept;
    if (reader->is_unpacking) return true;
    PackedPacket *packed = ARENA_LIST_PUSH(&kept->unpacked.packets, &kept->arena);
    if (packed == NULL) return false;
    *packed = (PackedPacket){ reader->pos.offset, reader->record_end - reader->pos.offset };
    if (!builder_is_observed(reader->builder)) return true;
    UnpackedRecord *record = unpacked_record(&kept->unpacked, reader->pos.offset);
    return unpacked_set(&kept->unpacked, record, reader->pos.offset, reader->record) != UNPACK_NO_MEMORY;
}

/* Adds a bundle to its stream. An observer uses it at once: it is not copied. False: out of memory. */
static bool keep_bundle(PerfettoReader *reader, FtraceStream *stream, StringView message)
{
    Arena      *arena = &reader->kept->bundles;
    KeptBundle *kept = ARENA_LIST_PUSH(&stream->bundles, arena);
    if (kept == NULL) return false;
    if (!builder_is_observed(reader->builder))
        message.bytes = arena_push_copy(arena, message.bytes, message.size);
    kept->message = message;
    kept->pos = (EventPos){ reader->pos.offset + 1, reader->pos.event };
    kept->end = reader->record_end;
    return message.bytes != NULL && keep_place(reader);
}

BundleResult ftrace_take_bundle(PerfettoReader *reader, uint32_t sequence, const Packet *packet)
{
    FtraceBundle   bundle;
    const EventPos pos = reader->pos;
    if (!bundle_decode(packet->data, &bundle)) return BUNDLE_DAMAGED;
    if (bundle.has_lost)
        builder_warn(reader->builder, "lost-events", pos,
                     "the recorder ran out of buffer for the events of CPU %lu", (unsigned long)bundle.cpu);
    if (packet->sequence_id >> MACHINE_SHIFT != 0) {
        builder_warn(reader->builder, "other-machine", pos,
                     "events of ftrace of another machine: kept, but not drawn");
        return BUNDLE_LEFT_OUT;
    }
    FtraceStream *stream = bundle_count(&bundle) == 0 ? NULL : stream_of(reader, sequence, bundle.cpu);
    if (stream == NULL) return BUNDLE_LEFT_OUT;
    if (!keep_bundle(reader, stream, packet->data)) {
        reader->failed = true;
        return BUNDLE_TAKEN;
    }
    if (builder_is_observed(reader->builder)) {
        for (const BundledEvent *event; (event = next_event(reader, stream)) != NULL;) {
            take_event(reader, stream, event);
            bundle_take(&stream->cursor, event);
        }
        stream->bundles.count = stream->next = 0;
    }
    reader->pos = (EventPos){ pos.offset, pos.event + bundle_count(&bundle) - 1 };
    return BUNDLE_TAKEN;
}

void system_finish(PerfettoReader *reader)
{
    System *system = reader->system;
    sample_gaps_finish(&reader->gaps, reader->builder, sample_gaps_usual(&reader->gaps));
    draw_all(reader);
    system->streams.count = 0;
    arena_release(&reader->kept->bundles);
    ftrace_finish(&system->ftrace);
    reader->failed |= ftrace_failed(&system->ftrace);
    for (size_t i = 0; i < system->ftrace.tasks.count; i++) {
        const FtraceTask *task = &system->ftrace.tasks.items[i];
        if (task->thread.index != 0 && task->tgid >= 0) system_show_process(reader, task->tgid);
    }
    for (size_t i = 0; i < system->tasks.count; i++) {
        const SystemTask *task = &system->tasks.items[i];
        if (task->sampled.index != 0 && task->name.index != 0 &&
            index_set_add(&system->named_threads, task->sampled.index, &reader->failed))
            builder_name_thread(reader->builder, task->sampled, task->name);
    }
    for (size_t i = 0; i < system->processes.count; i++) {
        const SystemProcess *process = &system->processes.items[i];
        if (process->is_shown && process->name.index != 0)
            builder_name_process(reader->builder, builder_process(reader->builder, ident_int(process->pid)),
                                 process->name);
    }
}
