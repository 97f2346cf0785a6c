#include "format/trace_event/read/sample.h"

#include "format/trace_event/profile/v8_profile.h"
#include "format/trace_event/read/emit.h"
#include "format/trace_event/read/frames.h"
#include "format/trace_event/read/track.h"
#include "format/trace_event/read/v8_code.h"
#include "trace/log/observe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An item of `samples`. */
typedef struct ListedSample {
    FineTime time;
    bool     has_time;
    EventPos pos;
    Ident    pid, tid; /* pid IDENT_NONE: any process */
    StringId name;
    StackId  stack;
    double   weight;
} ListedSample;

/* A piece of a profile, from one event. */
typedef struct StreamChunk {
    FineTime time;         /* of the event */
    uint32_t first, count; /* into ProfileStream.samples */
    uint32_t order;
} StreamChunk;

typedef struct ProfileStream {
    V8Profile profile;
    StringId  id;
    TrackId   thread;
    FineTime  start;
    bool      has_start;
    /* V8Sample[]; times are relative to the previous sample until the profile is complete */
    ARENA_LIST(V8Sample) samples;
    ARENA_LIST(StreamChunk) chunks;
} ProfileStream;

static StringId text_of(Emitter *emitter, const JsonValue *value)
{
    TextDamage damage = { 0 };
    bytes_clear(&emitter->text);
    text_append(value, &emitter->text, &damage);
    return emitter_intern_text(emitter);
}

static int64_t tick_of(Emitter *emitter, FineTime time, EventPos pos)
{
    int64_t tick;
    times_to_ticks(&emitter->times, emitter->builder, pos, &time, 1, &tick);
    return tick;
}

/* ---- profiles: in pieces ---- */

static ProfileStream *stream_at(const SampleLog *log, size_t index)
{
    assert(index < log->streams.count);
    return log->streams.items + index;
}

static ProfileStream *stream_new(Emitter *emitter)
{
    ProfileStream *stream = ARENA_LIST_PUSH(&emitter->samples.streams, emitter->arena);
    if (stream == NULL) {
        emitter->failed = true;
        return NULL;
    }
    v8_profile_open(&stream->profile, emitter->arena, emitter->builder);
    return stream;
}

/* Returns the key of an event's profile: process and id. */
static AsyncId async_id_of(Emitter *emitter, const RawEvent *event, StringId *id)
{
    JsonValue value = { 0 };
    ProcessId process = emitter_process(emitter, event);
    if (event_has(event, KEY_ID)) value = event->value[KEY_ID];
    if (event_has(event, KEY_ID2) && !json_find(&event->value[KEY_ID2], "local", &value))
        (void)json_find(&event->value[KEY_ID2], "global", &value);
    *id = text_of(emitter, &value);
    bytes_clear(&emitter->text);
    bytes_append(&emitter->text, "P", 1);
    if (value.kind != JSON_NOTHING) {
        TextDamage damage = { 0 };
        text_append(&value, &emitter->text, &damage);
    }
    StringId         key = emitter_intern_text(emitter);
    const StringView text = builder_text(emitter->builder, key); /* the number of strings is bounded */
    return emitter->failed ? (AsyncId){ 0 }
                           : builder_async_id(emitter->builder, process, text.bytes, text.size);
}

/* Returns the profile of an event; creates a new one. NULL when out of memory. */
static ProfileStream *stream_of(Emitter *emitter, const RawEvent *event)
{
    SampleLog *log = &emitter->samples;
    StringId   id;
    AsyncId    async_id = async_id_of(emitter, event, &id);
    if (async_id.index == 0) return NULL;
    if (async_id.index >= log->stream_of_count) {
        size_t    count = (size_t)async_id.index * 2 + 16;
        uint32_t *grown = ARENA_ARRAY(emitter->arena, uint32_t, count);
        if (grown == NULL || count > UINT32_MAX) {
            emitter->failed = true;
            return NULL;
        }
        if (log->stream_of_count > 0) memcpy(grown, log->stream_of, log->stream_of_count * sizeof *grown);
        log->stream_of = grown;
        log->stream_of_count = (uint32_t)count;
    }
    assert(async_id.index < log->stream_of_count);
    uint32_t *index = &log->stream_of[async_id.index];
    if (*index != 0) return stream_at(log, *index - 1);
    ProfileStream *stream = stream_new(emitter);
    if (stream == NULL) return NULL;
    stream->id = id;
    *index = (uint32_t)log->streams.count;
    return stream;
}

static void add_nodes(ProfileStream *stream, const JsonValue *nodes)
{
    JsonItems items = json_items(nodes);
    JsonValue key, node;
    if (nodes->kind != JSON_ARRAY) return;
    while (json_items_next(&items, &key, &node)) {
        const V8NodeText text = v8_node_text(&node);
        (void)v8_profile_add_node(&stream->profile, &text);
    }
}

/* Adds samples and the time differences between them; both lists must have the same length. */
static void add_samples(Emitter *emitter, ProfileStream *stream, const JsonValue *ids,
                        const JsonValue *deltas, EventPos pos)
{
    bool      has_ids = ids->kind == JSON_ARRAY, has_deltas = deltas->kind == JSON_ARRAY;
    JsonItems id_items = has_ids ? json_items(ids) : (JsonItems){ .at = NULL };
    JsonItems delta_items = has_deltas ? json_items(deltas) : (JsonItems){ .at = NULL };
    JsonValue key, id, delta;
    for (;;) {
        bool has_id = has_ids && json_items_next(&id_items, &key, &id);
        bool has_delta = has_deltas && json_items_next(&delta_items, &key, &delta);
        if (!has_id && !has_delta) return;
        if (!has_id || !has_delta) {
            builder_warn(
                emitter->builder, "uneven-profile", pos,
                "the numbers of time deltas and samples of a profile differ: the surplus is left out");
            return;
        }
        FineTime distance;
        if (json_micros(&delta, &distance) > NUMBER_ODD) distance = (FineTime){ 0 };
        V8Sample *sample = ARENA_LIST_PUSH(&stream->samples, emitter->arena);
        if (sample == NULL || stream->samples.count > UINT32_MAX) {
            emitter->failed = true;
            return;
        }
        sample->time = distance;
        sample->offset = pos.offset;
        sample->node = v8_profile_find_node(&stream->profile, &id);
    }
}

/* Adds the piece in `data`: {cpuProfile: {nodes, samples}, timeDeltas}; timeDeltas may be in either object. */
static void add_chunk(Emitter *emitter, ProfileStream *stream, const JsonValue *data, FineTime time,
                      EventPos pos)
{
    JsonValue profile = { 0 }, nodes = { 0 }, ids = { 0 }, deltas = { 0 };
    (void)json_find(data, "timeDeltas", &deltas);
    if (json_find(data, "cpuProfile", &profile)) {
        if (json_find(&profile, "nodes", &nodes)) add_nodes(stream, &nodes);
        (void)json_find(&profile, "samples", &ids);
        if (deltas.kind == JSON_NOTHING) (void)json_find(&profile, "timeDeltas", &deltas);
    }
    StreamChunk *chunk = ARENA_LIST_PUSH(&stream->chunks, emitter->arena);
    if (chunk == NULL) {
        emitter->failed = true;
        return;
    }
    *chunk = (StreamChunk){ .time = time,
                            .first = (uint32_t)stream->samples.count,
                            .order = (uint32_t)stream->chunks.count };
    add_samples(emitter, stream, &ids, &deltas, pos);
    chunk->count = (uint32_t)stream->samples.count - chunk->first;
}

static bool find_data(const RawEvent *event, JsonValue *data)
{
    return event_has(event, KEY_ARGS) && json_find(&event->value[KEY_ARGS], "data", data);
}

static void profile_begins(Emitter *emitter, const RawEvent *event, FineTime time)
{
    JsonValue      data, start;
    ProfileStream *stream = stream_of(emitter, event);
    if (stream == NULL) return;
    stream->thread = emitter_thread(emitter, event);
    stream->start = time;
    stream->has_start = true;
    FineTime written;
    if (find_data(event, &data) && json_find(&data, "startTime", &start) &&
        json_micros(&start, &written) <= NUMBER_ODD)
        stream->start = written;
}

static void profile_goes_on(Emitter *emitter, const RawEvent *event, FineTime time, EventPos pos)
{
    JsonValue      data;
    ProfileStream *stream = stream_of(emitter, event);
    if (stream == NULL) return;
    if (stream->thread.index == 0)
        stream->thread = emitter_thread(emitter, event); /* until a Profile event names the sampled thread */
    if (find_data(event, &data)) add_chunk(emitter, stream, &data, time, pos);
}

static void whole_profile(Emitter *emitter, const RawEvent *event, FineTime time, EventPos pos)
{
    JsonValue      data, profile, start;
    ProfileStream *stream = find_data(event, &data) ? stream_new(emitter) : NULL;
    FineTime       written;
    if (stream == NULL) return;
    stream->thread = emitter_thread(emitter, event);
    stream->start = time;
    stream->has_start = true;
    if (json_find(&data, "cpuProfile", &profile) && json_find(&profile, "startTime", &start) &&
        json_micros(&start, &written) <= NUMBER_ODD)
        stream->start = written;
    add_chunk(emitter, stream, &data, time, pos);
}

/* ---- profiles: put together ---- */

static int compare_times(FineTime a, FineTime b)
{
    if (a.ns != b.ns) return a.ns < b.ns ? -1 : 1;
    return (a.ps > b.ps) - (a.ps < b.ps);
}

static int compare_chunks(const void *left, const void *right)
{
    const StreamChunk *a = (const StreamChunk *)left, *b = (const StreamChunk *)right;
    int                by_time = compare_times(a->time, b->time);
    return by_time != 0 ? by_time : (a->order > b->order) - (a->order < b->order);
}

/* Sorts the pieces by time and computes the times of the samples; each piece continues at the end of the previous
 * one. */
static void find_times(Emitter *emitter, ProfileStream *stream)
{
    StreamChunk *chunks = stream->chunks.items;
    V8Sample    *samples = stream->samples.items;
    uint64_t     order = 0;
    uint64_t     offset = ERR_NOWHERE; /* of the first piece that does not fit */
    if (stream->chunks.count > 1) qsort(chunks, stream->chunks.count, sizeof *chunks, compare_chunks);
    FineTime time = stream->has_start || stream->chunks.count == 0 ? stream->start : chunks[0].time;
    for (size_t c = 0; c < stream->chunks.count; c++) {
        if (chunks[c].count == 0) continue;
        assert(chunks[c].first + (size_t)chunks[c].count <= stream->samples.count);
        bool fits = v8_samples_add_up(samples + chunks[c].first, chunks[c].count, &time);
        if (!fits && offset == ERR_NOWHERE) offset = samples[chunks[c].first].offset;
        for (uint32_t i = chunks[c].first; i < chunks[c].first + chunks[c].count; i++)
            samples[i].order = order++;
    }
    assert(order == stream->samples.count);
    if (offset != ERR_NOWHERE) {
        builder_warn(emitter->builder, "time-out-of-range", (EventPos){ offset, ERR_NOWHERE },
                     "samples of a profile exceed 64 bits of nanoseconds: their times are clamped");
    }
    v8_samples_sort(samples, stream->samples.count);
}

/* Returns the sampler of a profile. The first profile of a thread is named "V8 samples"; others get their id as a
 * suffix. */
static SamplerId sampler_of(Emitter *emitter, size_t index)
{
    static const char WHAT[] = "V8 samples";
    const SampleLog  *log = &emitter->samples;
    ProfileStream    *stream = stream_at(log, index);
    bool              is_first = emitter_first(emitter, &emitter->profiled_threads, stream->thread.index);
    bytes_clear(&emitter->text);
    bytes_append_text(&emitter->text, WHAT);
    if (!is_first) {
        StringView id = builder_text(emitter->builder, stream->id);
        bytes_append(&emitter->text, " ", 1);
        bytes_append(&emitter->text, id.bytes, id.size);
        if (id.size == 0) bytes_printf(&emitter->text, "%zu", index + 1);
    }
    return builder_sampler(emitter->builder, stream->thread, emitter_intern_text(emitter));
}

static void finish_stream(Emitter *emitter, size_t index)
{
    ProfileStream *stream = stream_at(&emitter->samples, index);
    SamplerId      sampler = sampler_of(emitter, index);
    find_times(emitter, stream);
    for (size_t i = 0; i < stream->samples.count; i++) {
        const V8Sample *sample = stream->samples.items + i;
        StackId         stack = v8_profile_next_stack(&stream->profile, sample->node);
        const EventPos  pos = { sample->offset, ERR_NOWHERE };
        assert(sample->node == 0 || sample->node < stream->profile.count);
        if (sample->node == 0 || stream->profile.nodes[sample->node].name.index == 0)
            builder_warn(emitter->builder, "unknown-node", pos, "a sample's node is not in its profile");
        builder_stack_sample(emitter->builder, sampler, tick_of(emitter, sample->time, pos), stack, 1);
    }
    emitter->failed |= stream->profile.failed;
}

/* ---- the list ---- */

static double weight_of(Emitter *emitter, const JsonValue *value)
{
    TextDamage damage = { 0 };
    if (value->kind != JSON_NUMBER && value->kind != JSON_STRING) return 1;
    bytes_clear(&emitter->text);
    text_append(value, &emitter->text, &damage);
    const char *text = bytes_text(&emitter->text);
    if (text == NULL) return 1;
    char  *end;
    double weight = strtod(text, &end);
    bool   is_number = end != text && *end == 0;
    return is_number && weight >= 0 && weight < 1e300 ? weight : 1;
}

/* Reads an item of the list and interns its stack. */
static ListedSample listed_sample(Emitter *emitter, const JsonValue *item, EventPos pos)
{
    ListedSample sample = { .weight = 1, .pos = pos };
    JsonItems    items = json_items(item);
    JsonValue    key, value, frame = { 0 }, pid = { 0 };
    while (json_items_next(&items, &key, &value)) {
        if (json_is(&key, JSON_STRING, "tid")) sample.tid = emitter_ident(emitter, &value);
        if (json_is(&key, JSON_STRING, "pid")) pid = value;
        if (json_is(&key, JSON_STRING, "ts"))
            sample.has_time = json_micros(&value, &sample.time) <= NUMBER_ODD;
        if (json_is(&key, JSON_STRING, "name")) sample.name = text_of(emitter, &value);
        if (json_is(&key, JSON_STRING, "weight")) sample.weight = weight_of(emitter, &value);
        if (json_is(&key, JSON_STRING, "sf")) frame = value;
    }
    ProcessId process = PROCESS_NONE;
    sample.pid = emitter_ident(emitter, &pid);
    if (sample.pid.kind != IDENT_NONE) process = builder_process(emitter->builder, sample.pid);
    if (frame.kind != JSON_NOTHING) sample.stack = frames_refer(emitter, process.index, &frame, pos);
    return sample;
}

/* Keeps the item as an event for `dump`. */
static void keep_listed(Emitter *emitter, const ListedSample *sample, TrackId thread)
{
    TraceBuilder *builder = emitter->builder;
    uint16_t      kind = builder_event_kind(builder, "sample", strlen("sample"));
    int64_t       tick = sample->has_time ? tick_of(emitter, sample->time, sample->pos) : 0;
    builder_other(builder, OTHER_EVENT, kind,
                  &(EventHead){ .thread = thread,
                                .tick = tick,
                                .label = builder_label(builder, sample->name, STRING_NONE),
                                .pos = sample->pos,
                                .is_timeless = !sample->has_time });
    builder_count_events(builder, kind, 1);
}

static void take_listed(Emitter *emitter, const JsonValue *item, EventPos pos)
{
    ListedSample sample = listed_sample(emitter, item, pos);
    if (!sample.has_time)
        builder_warn(emitter->builder, "missing-time", pos,
                     "a sample of the list \"samples\" without a time: kept, but not drawn");
    if (builder_is_observed(emitter->builder)) { /* in the order of the file, with the thread as written */
        ProcessId process = PROCESS_NONE;
        if (sample.pid.kind != IDENT_NONE) process = builder_process(emitter->builder, sample.pid);
        keep_listed(emitter, &sample, builder_thread(emitter->builder, process, sample.tid));
        return;
    }
    ListedSample *kept = ARENA_LIST_PUSH(&emitter->samples.listed, emitter->arena);
    if (kept == NULL) {
        emitter->failed = true;
        return;
    }
    *kept = sample;
}

bool sample_take_list(Emitter *emitter, const JsonValue *list, EventPos pos)
{
    JsonItems items = json_items(list);
    JsonValue key, item;
    bool      any = false;
    while (list->kind == JSON_ARRAY && json_items_next(&items, &key, &item)) {
        EventPos item_pos = { pos.offset + (uint64_t)(item.at - list->at), ERR_NOWHERE };
        if (item.kind == JSON_OBJECT) {
            take_listed(emitter, &item, item_pos);
            any = true;
        } else {
            builder_warn(emitter->builder, "not-an-event", item_pos,
                         "an item of the list \"samples\" is not an object: left out");
        }
    }
    return any;
}

static void finish_listed(Emitter *emitter, const ListedSample *sample)
{
    TraceBuilder *builder = emitter->builder;
    Ident         tid = sample->tid.kind != IDENT_NONE ? sample->tid : ident_int(0);
    TrackId       thread = TRACK_NONE;
    if (sample->pid.kind == IDENT_NONE) thread = builder_find_thread(builder, tid);
    if (thread.index == 0) {
        Ident pid = sample->pid.kind == IDENT_NONE ? ident_int(0) : sample->pid;
        thread = builder_thread(builder, builder_process(builder, pid), tid);
    }
    if (builder_failed(builder)) return;
    keep_listed(emitter, sample, thread);
    if (!sample->has_time) return;
    builder_stack_sample(builder, builder_sampler(builder, thread, sample->name),
                         tick_of(emitter, sample->time, sample->pos), sample->stack, sample->weight);
}

/* ---- all ---- */

static bool is_named(const RawEvent *event, const char *name)
{
    return event_has(event, KEY_NAME) && json_is(&event->value[KEY_NAME], JSON_STRING, name);
}

bool sample_is_wanted(const RawEvent *event)
{
    return is_named(event, "CpuProfile") || is_named(event, "JitCodeAdded") ||
           is_named(event, "JitCodeMoved");
}

/* Adds a sample whose frame is `sf`, or else the event's name. */
static void plain_sample(Emitter *emitter, const RawEvent *event, FineTime time, EventPos pos)
{
    TraceBuilder *builder = emitter->builder;
    TrackId       thread = emitter_thread(emitter, event);
    StackId       stack = frames_of_event(emitter, event, KEY_SF, KEY_STACK, pos);
    if (stack.index == 0 && event_has(event, KEY_NAME)) {
        StackFrame frame = { .function = text_of(emitter, &event->value[KEY_NAME]) };
        if (event_has(event, KEY_CAT)) frame.module = text_of(emitter, &event->value[KEY_CAT]);
        stack = builder_stack(builder, STACK_NONE, builder_frame(builder, &frame));
    }
    builder_stack_sample(builder, builder_sampler(builder, thread, STRING_NONE), tick_of(emitter, time, pos),
                         stack, 1);
}

OtherClass sample_emit(Emitter *emitter, const RawEvent *event, const FineTime *time, EventPos pos)
{
    FineTime at = time == NULL ? (FineTime){ 0 } : *time;
    bool     is_single = false;
    if (is_named(event, "JitCodeAdded") || is_named(event, "JitCodeMoved"))
        v8_code_take(emitter, event, at, pos);
    else if (time == NULL)
        is_single = true;
    else if (is_named(event, "CpuProfile"))
        whole_profile(emitter, event, at, pos);
    else if (is_named(event, "Profile"))
        profile_begins(emitter, event, at);
    else if (is_named(event, "ProfileChunk"))
        profile_goes_on(emitter, event, at, pos);
    else {
        is_single = true;
        if (is_named(event, "V8Sample"))
            v8_code_take(emitter, event, at, pos);
        else
            plain_sample(emitter, event, at, pos);
    }
    return is_single ? OTHER_EVENT : OTHER_PART;
}

void sample_finish(Emitter *emitter)
{
    SampleLog *log = &emitter->samples;
    for (size_t i = 0; i < log->streams.count && !builder_failed(emitter->builder); i++)
        finish_stream(emitter, i);
    for (size_t i = 0; i < log->listed.count && !builder_failed(emitter->builder); i++)
        finish_listed(emitter, log->listed.items + i);
    v8_code_finish(emitter);
}
