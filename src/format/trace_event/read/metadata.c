#include "format/trace_event/read/metadata.h"

#include "format/trace_event/read/ids.h"
#include "format/trace_event/read/track.h"

#include <string.h>

typedef enum {
    META_PROCESS_NAME,
    META_PROCESS_LABELS,
    META_PROCESS_SORT_INDEX,
    META_THREAD_NAME,
    META_THREAD_SORT_INDEX,
    META_STACK_FRAMES,
    META_BUFFER_OVERFLOWED
} MetaKind;

static const struct {
    const char *name, *arg;
    MetaKind    kind;
} META[] = {
    { "process_name", "name", META_PROCESS_NAME },
    { "process_labels", "labels", META_PROCESS_LABELS },
    { "process_sort_index", "sort_index", META_PROCESS_SORT_INDEX },
    { "thread_name", "name", META_THREAD_NAME },
    { "thread_sort_index", "sort_index", META_THREAD_SORT_INDEX },
    { "stackFrames", "stackFrames", META_STACK_FRAMES },
    { "trace_buffer_overflowed", "overflowed_at_ts", META_BUFFER_OVERFLOWED },
};

/* Returns the last member of `args` with this key; JSON_NOTHING if it is absent. */
static JsonValue arg_find(const RawEvent *event, const char *name)
{
    JsonValue found = { 0 };
    if (event_has(event, KEY_ARGS)) (void)id_member(&event->value[KEY_ARGS], name, &found);
    return found;
}

/* Reads a sort index: usually an integer, sometimes a text or a fraction. */
static bool sort_index_of(const JsonValue *value, double *index)
{
    FineTime scaled; /* "micros" of it: three decimal places to the left, then back */
    if (json_micros(value, &scaled) > NUMBER_ODD) return false;
    *index = ((double)scaled.ns + (double)scaled.ps / 1000) / 1000;
    return true;
}

static bool is_text(const JsonValue *value)
{
    return value->kind == JSON_STRING || value->kind == JSON_NUMBER;
}

/* Passes the argument of a metadata event to the builder. False if its value is not usable. */
static bool metadata_use(Emitter *emitter, const RawEvent *event, MetaKind kind, const JsonValue *arg,
                         EventPos pos)
{
    TraceBuilder *builder = emitter->builder;
    double        index;
    switch (kind) {
    case META_PROCESS_SORT_INDEX:
    case META_THREAD_SORT_INDEX:
        if (!sort_index_of(arg, &index)) return false;
        if (kind == META_PROCESS_SORT_INDEX)
            builder_sort_process(builder, emitter_process(emitter, event), index);
        else
            builder_sort_thread(builder, emitter_thread(emitter, event), index);
        return true;
    case META_STACK_FRAMES:
        frames_describe(emitter, emitter_process(emitter, event).index, arg, pos);
        return arg->kind == JSON_OBJECT;
    case META_PROCESS_NAME:
    case META_PROCESS_LABELS:
    case META_THREAD_NAME:
        break;
    case META_BUFFER_OVERFLOWED:
        return false;
    }
    if (!is_text(arg) || arg->size == 0) return false;
    /* Resolves the ids first, because they use the same scratch as the text. */
    ProcessId process = emitter_process(emitter, event);
    TrackId   thread = emitter_thread(emitter, event);
    StringId  text = id_intern(emitter, arg);
    if (process.index == 0 || thread.index == 0 || text.index == 0) return false;
    /* A name replaces the id as the name. */
    if (kind == META_PROCESS_NAME) (void)emitter_first(emitter, &emitter->named_processes, process.index);
    if (kind == META_THREAD_NAME) (void)emitter_first(emitter, &emitter->named_threads, thread.index);
    if (kind == META_PROCESS_NAME) builder_name_process(builder, process, text);
    if (kind == META_PROCESS_LABELS) builder_label_process(builder, process, text);
    if (kind == META_THREAD_NAME) builder_name_thread(builder, thread, text);
    return true;
}

/* Adds an instant at the time of the overflow and warns of missing events. */
static void buffer_overflowed(Emitter *emitter, const RawEvent *event, const JsonValue *when, LabelId label,
                              EventPos pos)
{
    FineTime time;
    int64_t  tick;
    builder_warn(emitter->builder, "buffer-overflowed", pos,
                 "the recording program ran out of buffer: events are missing from the file");
    if (json_micros(when, &time) > NUMBER_ODD) return;
    times_to_ticks(&emitter->times, emitter->builder, pos, &time, 1, &tick);
    builder_moment(
        emitter->builder,
        &(EventHead){ .thread = emitter_thread(emitter, event), .tick = tick, .label = label, .pos = pos });
}

bool metadata_is_source_id(Emitter *emitter, const RawEvent *event)
{
    const JsonValue *name = &event->value[KEY_NAME];
    if (event->phase != 'M' || !event_has(event, KEY_NAME)) return false;
    bool is_thread = json_is(name, JSON_STRING, "thread_name");
    if (!is_thread && !json_is(name, JSON_STRING, "process_name")) return false;
    JsonValue id = arg_find(event, "source_id"), title = arg_find(event, "name");
    return is_text(&id) &&
           emitter_add_source_id(emitter, event, is_thread ? SOURCE_ID_OF_THREAD : SOURCE_ID_OF_PROCESS, &id,
                                 &title);
}

void metadata_apply(Emitter *emitter, const RawEvent *event, LabelId label, EventPos pos)
{
    for (size_t i = 0; i < sizeof META / sizeof META[0]; i++) {
        if (!event_has(event, KEY_NAME) || !json_is(&event->value[KEY_NAME], JSON_STRING, META[i].name))
            continue;
        JsonValue arg = arg_find(event, META[i].arg);
        if (META[i].kind == META_BUFFER_OVERFLOWED) {
            buffer_overflowed(emitter, event, &arg, label, pos);
        } else if (!metadata_use(emitter, event, META[i].kind, &arg, pos)) {
            builder_warn(emitter->builder, "useless-metadata", pos,
                         "metadata %s without a usable \"%s\": ignored", META[i].name, META[i].arg);
        }
        return;
    }
}
