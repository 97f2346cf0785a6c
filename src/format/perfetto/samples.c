#include "format/perfetto/fields.h"
#include "format/perfetto/reader.h"

#include "format/line_text.h"

/* Limit on the frames of a stack: the calls inside of them are left out. */
enum { MOST_FRAMES = 4096 };

/* -- stacks -- */

static StringView text_of(const PerfettoReader *reader, const Sequence *sequence, uint32_t kind, uint64_t iid)
{
    const StringView text = kept_text(reader->kept, sequence->generation, kind, iid);
    return text.bytes == NULL ? (StringView){ "", 0 } : text;
}

/* Sets reader->text to the path of a mapping: "[vdso]" or "libc.so", or the parts of a path, "system" "lib64" "libc.so". */
static void find_path(PerfettoReader *reader, const Sequence *sequence, uint64_t mapping)
{
    WireRepeated parts = wire_repeated(text_of(reader, sequence, INTERNED_MAPPING, mapping), MAPPING_PATHS);
    Bytes       *path = &reader->text;
    bytes_clear(path);
    for (uint64_t iid; wire_next_repeated(&parts, &iid);) {
        const StringView part = text_of(reader, sequence, INTERNED_MAPPING_PATH, iid);
        if (path->size > 0) bytes_append_text(path, "/");
        bytes_append(path, part.bytes, part.size);
    }
    reader->failed |= path->failed;
}

/* Returns the name of a function without one: that of its module in brackets, as perf has it. */
static StringId name_of_module(PerfettoReader *reader, StringView path)
{
    size_t begin = path.size;
    Bytes  name = { 0 };
    while (begin > 0 && path.bytes[begin - 1] != '/')
        begin--;
    const StringView file = line_part(path, begin, path.size);
    const bool       has_brackets = file.size > 0 && file.bytes[0] == '[';
    bytes_append_text(&name, has_brackets ? "" : "[");
    bytes_append(&name, file.bytes, file.size);
    bytes_append_text(&name, has_brackets ? "" : file.size == 0 ? "unknown]" : "]");
    reader->failed |= name.failed;
    const StringId id = perfetto_intern(reader, bytes_view(&name), "the name of a module");
    bytes_release(&name);
    return id;
}

static FrameId frame_of(PerfettoReader *reader, const Sequence *sequence, uint64_t iid)
{
    Interned *interned = kept_find(reader->kept, sequence->generation, INTERNED_FRAME, iid);
    if (interned == NULL) {
        perfetto_warn_unknown_iid(reader, "a frame", iid);
        return (FrameId){ 0 };
    }
    if (interned->made != 0) return (FrameId){ interned->made };
    ByteCursor c = wire_message((StringView){ (const char *)interned->bytes, interned->size });
    WireField  field;
    StackFrame frame = { .line = 0 };
    uint64_t   mapping = 0;
    StringView name = { "", 0 }, source = { "", 0 };
    while (wire_next(&c, &field)) {
        if (field.number == FRAME_FUNCTION) name = text_of(reader, sequence, INTERNED_FUNCTION, field.value);
        if (field.number == FRAME_SOURCE)
            source = text_of(reader, sequence, INTERNED_SOURCE_PATH, field.value);
        if (field.number == FRAME_MAPPING) mapping = field.value;
        if (field.number == FRAME_ADDRESS) frame.address = field.value;
        if (field.number == FRAME_LINE) frame.line = (uint32_t)field.value;
    }
    find_path(reader, sequence, mapping);
    const StringView path = bytes_view(&reader->text);
    if (reader->failed) return (FrameId){ 0 };
    if (path.size > 0) frame.module = perfetto_intern(reader, path, "the name of a module");
    if (source.size > 0) frame.file = perfetto_intern(reader, source, "the name of a file");
    frame.function = name.size > 0 ? perfetto_intern(reader, name, "the name of a function")
                                   : name_of_module(reader, path);
    const FrameId made = builder_frame(reader->builder, &frame);
    interned->made = made.index;
    return made;
}

/* Returns the stack of a number of interned data; STACK_NONE: it is not known. */
static StackId stack_of(PerfettoReader *reader, const Sequence *sequence, uint64_t iid)
{
    Interned *interned = kept_find(reader->kept, sequence->generation, INTERNED_CALLSTACK, iid);
    StackId   stack = STACK_NONE;
    if (interned == NULL) {
        perfetto_warn_unknown_iid(reader, "a call stack", iid);
        return stack;
    }
    if (interned->made != 0) return (StackId){ interned->made };
    WireRepeated frames =
        wire_repeated((StringView){ (const char *)interned->bytes, interned->size }, CALLSTACK_FRAMES);
    uint64_t frame;
    for (int i = 0; i < MOST_FRAMES && wire_next_repeated(&frames, &frame); i++) {
        const FrameId id = frame_of(reader, sequence, frame);
        if (reader->failed || builder_failed(reader->builder)) return STACK_NONE;
        if (id.index != 0) stack = builder_stack(reader->builder, stack, id);
    }
    if (wire_next_repeated(&frames, &frame))
        builder_warn(reader->builder, "deep-stack", reader->pos,
                     "a call stack has more than %d frames: those of its innermost calls are left out",
                     MOST_FRAMES);
    interned->made = stack.index;
    return stack;
}

/* -- samples -- */

/* Adds a sample of a thread. `sampler`: its name. */
static void add_sample(PerfettoReader *reader, const Sequence *sequence, TrackId thread, const char *sampler,
                       uint64_t callstack, int64_t ns)
{
    TraceBuilder   *builder = reader->builder;
    const StackId   stack = stack_of(reader, sequence, callstack);
    const StringId  name = builder_string(builder, sampler, strlen(sampler));
    const SamplerId id = builder_sampler(builder, thread, name);
    if (reader->failed || builder_failed(builder)) return;
    if (!sample_gaps_add(&reader->gaps, reader->arena, builder, id, ns, stack, 0)) reader->failed = true;
    builder_widen(builder, ns);
}

bool samples_take_profile(PerfettoReader *reader, Sequence *sequence, const Packet *packet, int64_t *ns)
{
    enum { NS_PER_US = 1000 };
    const DescribedTrack *track = tracks_of_sequence(reader, sequence);
    WireRepeated          stacks = wire_repeated(packet->data, PROFILE_CALLSTACKS);
    WireRepeated          deltas = wire_repeated(packet->data, PROFILE_TIME_DELTAS_US);
    bool                  has_time = false;
    const TrackId         thread = track == NULL ? TRACK_NONE : tracks_thread(reader, track->pid, track->tid);
    if (track == NULL)
        builder_warn(reader->builder, "missing-thread", reader->pos,
                     "samples of a sequence without a thread: kept, but not drawn");
    for (uint64_t delta, stack; wire_next_repeated(&deltas, &delta) && !reader->failed;) {
        int64_t time;
        sequence->time_us = (int64_t)((uint64_t)sequence->time_us + delta);
        if (!wire_next_repeated(&stacks, &stack)) continue; /* the time goes on */
        const bool is_sound = sequence->time_us >= 0 && sequence->time_us <= INT64_MAX / NS_PER_US;
        if (!perfetto_time(reader, packet, BUILTIN_MONOTONIC,
                           is_sound ? (uint64_t)sequence->time_us * NS_PER_US : UINT64_MAX, &time))
            continue;
        if (!has_time) *ns = time;
        has_time = true;
        if (thread.index != 0 && !builder_is_observed(reader->builder))
            add_sample(reader, sequence, thread, "stack sampler", stack, time);
    }
    return has_time;
}

void samples_take_perf(PerfettoReader *reader, const Sequence *sequence, const Packet *packet, int64_t ns)
{
    ByteCursor c = wire_message(packet->data);
    WireField  field;
    int64_t    pid = 0, tid = 0;
    uint64_t   callstack = 0;
    bool       is_sample = false;
    while (wire_next(&c, &field)) {
        if (field.number == SAMPLE_PID) pid = (uint32_t)field.value;
        if (field.number == SAMPLE_TID) tid = (uint32_t)field.value;
        if (field.number == SAMPLE_CALLSTACK) callstack = field.value;
        is_sample |= field.number == SAMPLE_CALLSTACK;
        if (field.number == SAMPLE_LOST && field.value > 0)
            builder_warn(reader->builder, "lost-samples", reader->pos,
                         "the kernel lost %llu samples before this one", (unsigned long long)field.value);
    }
    if (c.failed) perfetto_warn_damaged(reader);
    if (!is_sample || builder_is_observed(reader->builder)) return;
    system_learn_task(reader, tid, pid, STRING_NONE);
    SystemTask *task = system_task(reader, tid);
    if (task == NULL) return;
    task->sampled = tracks_thread(reader, pid, tid);
    system_show_process(reader, pid);
    add_sample(reader, sequence, task->sampled, "perf", callstack, ns);
}
