#include "format/perfetto/fields.h"
#include "format/perfetto/reader.h"

#include "base/ascii.h"

#include <inttypes.h>

/* Limit on the levels of tracks. */
enum { MOST_LEVELS = 64 };

uint32_t tracks_index(PerfettoReader *reader, uint64_t uuid)
{
    const uint32_t found = id_map_find(&reader->track_of, uuid);
    if (LIKELY(found != 0)) return found;
    const uint32_t index = (uint32_t)reader->tracks.count;
    if (ARENA_LIST_PUSH(&reader->tracks, reader->arena) == NULL ||
        !id_map_put(&reader->track_of, uuid, index)) {
        reader->failed = true;
        return 0;
    }
    reader->tracks.items[index].uuid = uuid;
    return index;
}

/* -- descriptions -- */

typedef struct ProcessText {
    int64_t    pid;
    StringView name, cmdline; /* empty = none */
    int64_t    sort_index;
    bool       has_sort_index;
} ProcessText;

/* Decodes the parts of a ProcessDescriptor, and adds its labels to the process. False: damage. */
static bool process_decode(PerfettoReader *reader, StringView message, ProcessText *process)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    *process = (ProcessText){ .name = { "", 0 }, .cmdline = { "", 0 } };
    while (wire_next(&c, &field)) {
        if (field.number == PROCESS_PID) process->pid = (int32_t)field.value;
        if (field.number == PROCESS_NAME) process->name = field.bytes;
        if (field.number == PROCESS_CMDLINE && process->cmdline.size == 0) process->cmdline = field.bytes;
        process->has_sort_index |= field.number == PROCESS_SORT_INDEX;
        if (field.number == PROCESS_SORT_INDEX) process->sort_index = (int32_t)field.value;
    }
    c = wire_message(message);
    while (!c.failed && wire_next(&c, &field))
        if (field.number == PROCESS_LABELS && field.bytes.size > 0)
            builder_label_process(reader->builder, builder_process(reader->builder, ident_int(process->pid)),
                                  perfetto_intern(reader, field.bytes, "a label of a process"));
    return !c.failed;
}

/* Returns the file of a command line: "/usr/bin/app --flag" -> "app". */
static StringView program_of(StringView cmdline)
{
    size_t end = 0;
    while (end < cmdline.size && cmdline.bytes[end] != ' ' && cmdline.bytes[end] != '\0')
        end++;
    size_t begin = end;
    while (begin > 0 && cmdline.bytes[begin - 1] != '/')
        begin--;
    return (StringView){ cmdline.bytes + begin, end - begin };
}

/* Names a process. Chromium's browser names a process by its command line before it knows the name. */
static void name_process(PerfettoReader *reader, const ProcessText *process)
{
    const bool       has_name = process->name.size > 0 && !string_equal(process->name, process->cmdline);
    const StringView name = has_name ? process->name : program_of(process->cmdline);
    const ProcessId  id = builder_process(reader->builder, ident_int(process->pid));
    if (process->has_sort_index) builder_sort_process(reader->builder, id, (double)process->sort_index);
    if (name.size == 0) return;
    const StringId text = perfetto_intern(reader, name, "the name of a process");
    if (system_name_process(reader, process->pid, text, has_name ? NAME_OF_DESCRIPTOR : NAME_OF_COMMAND))
        builder_name_process(reader->builder, id, text);
}

bool tracks_take_process(PerfettoReader *reader, StringView message)
{
    ProcessText process;
    if (!process_decode(reader, message, &process)) return false;
    name_process(reader, &process);
    return true;
}

typedef struct ThreadText {
    int64_t    pid, tid;
    StringView name; /* empty = none */
    int64_t    sort_index, time_us, cpu_us;
    bool       has_sort_index;
} ThreadText;

static bool thread_decode(StringView message, ThreadText *thread)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    *thread = (ThreadText){ .name = { "", 0 } };
    while (wire_next(&c, &field)) {
        if (field.number == THREAD_PID) thread->pid = (int32_t)field.value;
        if (field.number == THREAD_TID) thread->tid = (int64_t)field.value;
        if (field.number == THREAD_NAME) thread->name = field.bytes;
        if (field.number == THREAD_REFERENCE_US) thread->time_us = (int64_t)field.value;
        if (field.number == THREAD_REFERENCE_CPU_US) thread->cpu_us = (int64_t)field.value;
        thread->has_sort_index |= field.number == THREAD_SORT_INDEX;
        if (field.number == THREAD_SORT_INDEX) thread->sort_index = (int32_t)field.value;
    }
    return !c.failed;
}

TrackId tracks_thread(PerfettoReader *reader, int64_t pid, int64_t tid)
{
    return builder_thread(reader->builder, builder_process(reader->builder, ident_int(pid)), ident_int(tid));
}

static void name_thread(PerfettoReader *reader, const ThreadText *thread)
{
    const TrackId id = tracks_thread(reader, thread->pid, thread->tid);
    system_learn_task(reader, thread->tid, thread->pid, STRING_NONE);
    if (thread->name.size > 0) {
        builder_name_thread(reader->builder, id,
                            perfetto_intern(reader, thread->name, "the name of a thread"));
        (void)index_set_add(&reader->system->named_threads, id.index, &reader->failed);
    }
    if (thread->has_sort_index) builder_sort_thread(reader->builder, id, (double)thread->sort_index);
}

/* The uuid of the track of a thread that an older trace describes without one. */
static uint64_t thread_uuid(int64_t pid, int64_t tid)
{
    return hash_pair((uint64_t)pid, (uint64_t)tid, FNV1A_EMPTY);
}

bool tracks_take_thread(PerfettoReader *reader, Sequence *sequence, StringView message)
{
    ThreadText thread;
    if (!thread_decode(message, &thread)) return false;
    name_thread(reader, &thread);
    sequence->time_us = thread.time_us;
    sequence->cpu_us = thread.cpu_us;
    const uint32_t index = tracks_index(reader, thread_uuid(thread.pid, thread.tid));
    if (index == 0) return true;
    DescribedTrack *track = &reader->tracks.items[index];
    if (track->kind == KIND_UNKNOWN) {
        track->kind = KIND_THREAD;
        track->pid = thread.pid;
        track->tid = thread.tid;
    }
    if (sequence->track == 0) sequence->track = index;
    return true;
}

/* -- TrackDescriptor -- */

typedef struct DescriptorText {
    uint64_t   uuid, parent;
    StringView name, process, thread, counter; /* bytes NULL = none */
} DescriptorText;

static bool descriptor_decode(StringView message, DescriptorText *text)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    *text = (DescriptorText){ .uuid = 0 };
    while (wire_next(&c, &field)) {
        const bool is_bytes = field.type == WIRE_BYTES;
        if (field.number == TD_UUID) text->uuid = field.value;
        if (field.number == TD_PARENT) text->parent = field.value;
        if (!is_bytes) continue;
        if (field.number == TD_NAME || field.number == TD_STATIC_NAME || field.number == TD_ATRACE_NAME)
            text->name = field.bytes;
        if (field.number == TD_PROCESS) text->process = field.bytes;
        if (field.number == TD_THREAD) text->thread = field.bytes;
        if (field.number == TD_COUNTER_OF) text->counter = field.bytes;
    }
    return !c.failed;
}

/* Decodes a CounterDescriptor. False: damage. */
static bool take_counter(PerfettoReader *reader, DescribedTrack *track, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    if (track->counter == NULL) track->counter = ARENA_NEW(reader->arena, TrackCounter);
    if (track->counter == NULL) {
        reader->failed = true;
        return true;
    }
    TrackCounter *counter = track->counter;
    counter->multiplier = 1;
    while (wire_next(&c, &field)) {
        if (field.number == COUNTER_TYPE) counter->is_thread_time = field.value == COUNTER_IS_THREAD_TIME;
        if (field.number == COUNTER_UNIT) counter->is_bytes = field.value == COUNTER_UNIT_BYTES;
        if (field.number == COUNTER_MULTIPLIER && field.value != 0)
            counter->multiplier = (int64_t)field.value;
        if (field.number == COUNTER_INCREMENTAL) counter->is_incremental = field.value != 0;
        if (field.number == COUNTER_CATEGORIES && field.bytes.size > 0 && counter->category.index == 0)
            counter->category = perfetto_intern(reader, field.bytes, "a category");
    }
    return !c.failed;
}

static bool take_owner(PerfettoReader *reader, DescribedTrack *track, const DescriptorText *text)
{
    if (text->thread.bytes != NULL) {
        ThreadText thread;
        if (!thread_decode(text->thread, &thread)) return false;
        track->kind = KIND_THREAD;
        track->pid = thread.pid;
        track->tid = thread.tid;
        name_thread(reader, &thread);
    } else if (text->process.bytes != NULL) {
        ProcessText process;
        if (!process_decode(reader, text->process, &process)) return false;
        track->kind = KIND_PROCESS;
        track->pid = process.pid;
        name_process(reader, &process);
    } else if (text->counter.bytes != NULL) {
        track->kind = KIND_COUNTER;
        return take_counter(reader, track, text->counter);
    } else if (track->kind == KIND_UNKNOWN) {
        track->kind = KIND_PLAIN;
    }
    return true;
}

bool tracks_take_descriptor(PerfettoReader *reader, StringView message)
{
    DescriptorText text;
    if (!descriptor_decode(message, &text)) return false;
    const uint32_t index = tracks_index(reader, text.uuid);
    const uint32_t parent = text.parent == 0 ? 0 : tracks_index(reader, text.parent);
    if (reader->failed) return true;
    DescribedTrack      *track = &reader->tracks.items[index];
    const DescribedTrack before = *track;
    if (parent != 0) {
        track->parent = text.parent;
        reader->tracks.items[parent].has_children = true;
    }
    if (text.name.bytes != NULL && text.name.size > 0)
        track->name = perfetto_intern(reader, text.name, "the name of a track");
    const bool done = take_owner(reader, track, &text);
    if (track->kind != before.kind || track->parent != before.parent || track->pid != before.pid ||
        track->tid != before.tid || track->name.index != before.name.index)
        track->is_placed = false;
    return done;
}

/* -- places -- */

/* Returns the process for tracks that belong to none: that of their outermost track if it has others inside, otherwise one for
 * all of them. */
static ProcessId process_of_root(PerfettoReader *reader, const DescribedTrack *root)
{
    static const char ALL[] = "Tracks";
    TraceBuilder     *builder = reader->builder;
    StringId          name = root->name;
    if (root->kind != KIND_PLAIN || !root->has_children) {
        name = builder_string(builder, ALL, sizeof ALL - 1);
    } else if (name.index == 0) {
        bytes_clear(&reader->text);
        bytes_printf(&reader->text, "Track %" PRIu64, root->uuid);
        reader->failed |= reader->text.failed;
        name = builder_string(builder, (const char *)reader->text.data, reader->text.size);
    }
    const ProcessId process = builder_process(builder, ident_text(name));
    builder_name_process(builder, process, name);
    return process;
}

const DescribedTrack *tracks_of_sequence(const PerfettoReader *reader, const Sequence *sequence)
{
    const DescribedTrack *track = &reader->tracks.items[sequence->track];
    return sequence->track != 0 && track->kind == KIND_THREAD ? track : NULL;
}

/* Sets the process of a track that is not a thread, and a thread in it. */
static void place_in_process(PerfettoReader *reader, const Sequence *sequence, DescribedTrack *track)
{
    const DescribedTrack *owner = track;
    for (int level = 0; level < MOST_LEVELS && owner->kind != KIND_PROCESS && owner->kind != KIND_THREAD &&
                        owner->parent != 0;
         level++)
        owner = &reader->tracks.items[id_map_find(&reader->track_of, owner->parent)];
    if (owner->kind == KIND_UNKNOWN && tracks_of_sequence(reader, sequence) != NULL)
        owner = tracks_of_sequence(reader, sequence);
    const Ident no_thread = { .kind = IDENT_NONE };
    track->process = owner->kind == KIND_THREAD || owner->kind == KIND_PROCESS
                         ? builder_process(reader->builder, ident_int(owner->pid))
                         : process_of_root(reader, owner);
    track->thread = builder_thread(reader->builder, track->process,
                                   owner->kind == KIND_THREAD ? ident_int(owner->tid) : no_thread);
}

static void place_counter(PerfettoReader *reader, DescribedTrack *track)
{
    TraceBuilder  *builder = reader->builder;
    TrackCounter  *counter = track->counter;
    StringId       title = track->name.index != 0 ? track->name : builder_string(builder, "counter", 7);
    const uint32_t parent = id_map_find(&reader->track_of, track->parent);
    if (parent != 0 && reader->tracks.items[parent].kind == KIND_THREAD) {
        const StringView name = builder_text(builder, title);
        bytes_clear(&reader->text);
        bytes_append(&reader->text, name.bytes, name.size);
        bytes_printf(&reader->text, " [%" PRId64 "]", reader->tracks.items[parent].tid);
        reader->failed |= reader->text.failed;
        if (reader->failed) return;
        title = builder_string(builder, (const char *)reader->text.data, reader->text.size);
    }
    const CounterId id = builder_counter(builder, track->process, title, counter->category);
    if (counter->is_bytes) builder_count_bytes(builder, id);
    counter->series = builder_series(builder, id, track->name.index != 0 ? track->name : title, 0);
}

DescribedTrack *tracks_place(PerfettoReader *reader, const Sequence *sequence, uint32_t index)
{
    DescribedTrack *track = &reader->tracks.items[index];
    TraceBuilder   *builder = reader->builder;
    if (LIKELY(track->is_placed)) return track;
    if (track->kind == KIND_THREAD) {
        track->process = builder_process(builder, ident_int(track->pid));
        track->thread = tracks_thread(reader, track->pid, track->tid);
    } else {
        place_in_process(reader, sequence, track);
        track->async =
            builder_async_id(builder, PROCESS_NONE, (const char *)&track->uuid, sizeof track->uuid);
        if (track->kind != KIND_PROCESS && track->name.index != 0)
            builder_async_title(builder, track->async, builder_label(builder, track->name, STRING_NONE));
    }
    if (track->kind == KIND_COUNTER && track->counter != NULL && !track->counter->is_thread_time)
        place_counter(reader, track);
    /* an unknown track may be described later */
    track->is_placed = track->kind != KIND_UNKNOWN;
    return track;
}

double tracks_counter_value(const Sequence *sequence, TrackCounter *counter, int64_t value)
{
    if (counter->is_incremental) {
        if (counter->generation != sequence->generation) counter->last = 0;
        counter->generation = sequence->generation;
        value = counter->last = (int64_t)((uint64_t)counter->last + (uint64_t)value);
    }
    return (double)value * (double)counter->multiplier;
}
