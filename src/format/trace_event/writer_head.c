#include "format/trace_event/writer_head.h"

#include "format/trace_event/writer_stacks.h"

#include <string.h>

/* -- processes and threads -- */

/* One metadata event whose only argument is `key`; its value follows. */
static void metadata_begin(JsonOut *out, JsonWriter *json, const char *name, uint32_t process, uint32_t track,
                           const char *key)
{
    bytes_append(&out->buffer, ",\n", out->lines.line_count++ > 0 ? 2 : 0);
    *json = json_writer_to(&out->buffer, 0);
    json_object_begin(json);
    json_put_string(json, "name", name);
    json_put_string(json, "ph", "M");
    line_put_pid(&out->lines, json, process);
    if (track != 0) line_put_tid(&out->lines, json, track);
    json_key(json, "args");
    json_object_begin(json);
    json_key(json, key);
}

static void metadata_text(JsonOut *out, const char *name, uint32_t process, uint32_t track, const char *key,
                          StringView view)
{
    JsonWriter json;
    if (view.size == 0) return; /* Perfetto counts an empty name as an error */
    metadata_begin(out, &json, name, process, track, key);
    json_string_bytes(&json, view);
    json_object_end(&json);
    json_object_end(&json);
}

static void metadata_index(JsonOut *out, const char *name, uint32_t process, uint32_t track, double index)
{
    JsonWriter json;
    metadata_begin(out, &json, name, process, track, "sort_index");
    json_double(&json, index);
    json_object_end(&json);
    json_object_end(&json);
}

/* 0 = it has none. Readers take a missing tid for another thread, that of the process's number. */
static uint32_t first_thread(const Trace *trace, const Process *process)
{
    for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
        if (trace->tracks[t].kind == TRACK_THREAD) return t;
    }
    return 0;
}

/* Whether a process or thread without a name needs one: its title, as it says more than viewers do by themselves. Where another
 * number stands for its id, it is named already. */
static bool needs_title(const char *word, const char *usual_word, Ident ident)
{
    return strcmp(word, usual_word) != 0 && !writer_replaces_id(ident);
}

static StringView title(const Bytes *text)
{
    return (StringView){ (const char *)text->data, text->size };
}

static StringView process_name(JsonOut *out, uint32_t process)
{
    const Trace   *trace = out->trace;
    const Process *p = &trace->processes[process];
    StringView     name = trace_string(trace, p->name);
    if (name.size > 0 || !needs_title(trace->process_word, TITLE_PROCESS, p->pid)) return name;
    bytes_clear(&out->title);
    trace_process_title(trace, process, &out->title);
    return title(&out->title);
}

static StringView thread_name(JsonOut *out, uint32_t track)
{
    const Trace *trace = out->trace;
    const Track *t = &trace->tracks[track];
    StringView   name = trace_string(trace, t->name);
    if (t->kind == TRACK_THREAD && (name.size > 0 || !needs_title(trace->thread_word, TITLE_THREAD, t->tid)))
        return name;
    bytes_clear(&out->title);
    trace_track_title(trace, track, &out->title);
    return title(&out->title);
}

/* What the numbers stand for that are no ids of the trace: with it, they are not lost. */
static void put_source_id(JsonOut *out, uint32_t process, uint32_t track)
{
    const Trace *trace = out->trace;
    bool         is_thread = track != 0;
    Ident        ident = is_thread ? trace->tracks[track].tid : trace->processes[process].pid;
    StringId     name = is_thread ? trace->tracks[track].name : trace->processes[process].name;
    JsonWriter   json;
    if (!writer_replaces_id(ident)) return;
    bytes_clear(&out->title);
    if (is_thread)
        trace_track_title(trace, track, &out->title);
    else
        trace_process_title(trace, process, &out->title);
    metadata_begin(out, &json, is_thread ? "thread_name" : "process_name", process,
                   is_thread ? track : first_thread(trace, &trace->processes[process]), "name");
    json_string_bytes(&json, title(&out->title));
    line_put_source_id(&json, trace, "source_id", ident, name);
    json_object_end(&json);
    json_object_end(&json);
}

static bool put_source_ids(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        put_source_id(out, p, 0);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            if (trace->tracks[t].kind == TRACK_THREAD) put_source_id(out, p, t);
        }
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* Where a thread and its states stand. Threads of samples say so in any case: chrome://tracing makes none for samples alone. */
static void put_thread_index(JsonOut *out, uint32_t process, uint32_t track)
{
    const Track *t = &out->trace->tracks[track];
    double       index = t->kind == TRACK_STATES ? out->trace->tracks[t->thread].sort_index : t->sort_index;
    if (index < 0 || index > 0 || out->lines.places.tracks[track].has_samples)
        metadata_index(out, "thread_sort_index", process, track, index);
}

/* Names and places of processes and threads, for a trace whose source has no metadata events of this kind. */
static bool put_names(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        uint32_t       main = first_thread(trace, process);
        metadata_text(out, "process_name", p, main, "name", process_name(out, p));
        metadata_text(out, "process_labels", p, main, "labels", trace_string(trace, process->labels));
        if (process->sort_index < 0 || process->sort_index > 0)
            metadata_index(out, "process_sort_index", p, main, process->sort_index);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            const Track *track = &trace->tracks[t];
            if (track->kind != TRACK_THREAD && track->kind != TRACK_STATES) continue;
            metadata_text(out, "thread_name", p, t, "name", thread_name(out, t));
            put_thread_index(out, p, t);
        }
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    return true;
}

/* -- facts about the whole -- */

/* By key (StringId.index), which property is its last; NULL when out of memory. */
static uint32_t *last_properties(JsonOut *out)
{
    size_t    keys = (size_t)string_table_count(out->trace->strings) + 1;
    uint32_t *last = ARENA_ARRAY(&out->arena, uint32_t, keys);
    for (uint32_t i = 0; last != NULL && i < out->trace->property_count; i++)
        last[out->trace->properties[i].key.index] = i;
    return last;
}

/* Lists of frames and of samples add up, where a file has several. */
static bool property_adds_up(StringView key)
{
    return string_equal(key, STRING_LITERAL("stackFrames")) || string_equal(key, STRING_LITERAL("samples"));
}

/* All values of the key in one: objects or lists, what is none of the last one's kind is left out. */
static void put_joined(JsonOut *out, uint32_t last)
{
    const Property *properties = out->trace->properties;
    const char      open = properties[last].json[0];
    bool            is_first = true;
    bytes_append(&out->buffer, &open, 1);
    for (uint32_t i = 0; i <= last; i++) {
        const Property *property = &properties[i];
        if (property->key.index != properties[last].key.index || property->size <= 2) continue;
        if (property->json[0] != open) {
            writer_report(out->report, 1, "top-level values with a later one of their key are left out");
            continue;
        }
        if (!is_first) bytes_append(&out->buffer, ",", 1);
        is_first = false;
        bytes_append(&out->buffer, property->json + 1, property->size - 2);
    }
    bytes_append(&out->buffer, open == '{' ? "}" : "]", 1);
}

/* False for what would break the document or a viewer: counted. */
static bool property_is_fit(JsonOut *out, uint32_t index, const uint32_t *last)
{
    const Property *property = &out->trace->properties[index];
    StringView      key = trace_string(out->trace, property->key), json = { property->json, property->size };
    if (string_equal(key, STRING_LITERAL("traceEvents"))) return false; /* no reader keeps it as a property */
    if (string_equal(key, STRING_LITERAL("displayTimeUnit")) &&
        !string_equal(json, STRING_LITERAL("\"ns\"")) && !string_equal(json, STRING_LITERAL("\"ms\""))) {
        writer_report(out->report, 1,
                      "displayTimeUnit other than ms or ns, which chrome://tracing refuses, is left out");
        return false;
    }
    if (last[property->key.index] == index) return true;
    char opens = out->trace->properties[last[property->key.index]].json[0];
    if (property_adds_up(key) && (opens == '{' || opens == '['))
        return false; /* it is written with the last one */
    writer_report(out->report, 1, "top-level values with a later one of their key are left out");
    return false;
}

/* What the trace was before: with the length of its tick it can become that again, to the tick. */
static void put_source(JsonOut *out)
{
    const Trace *trace = out->trace;
    JsonWriter   json = json_writer_to(&out->buffer, 0);
    bytes_append_text(&out->buffer, "\"otherData\":");
    json_object_begin(&json);
    json_put_string(&json, "source_format", trace->format_name);
    json_put_string(&json, "source_version", trace->format_version);
    if (clock_has_time(&trace->clock)) {
        json_key(&json, "ns_per_tick");
        json_array_begin(&json);
        json_u64(&json, trace->clock.ns_num);
        json_u64(&json, trace->clock.ns_den);
        json_array_end(&json);
    }
    json_object_end(&json);
    bytes_append_text(&out->buffer, ",\n");
}

/* What stacks are made of, and the samples. */
static bool put_profile(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t i = 1; i <= trace->stacks.stack_count; i++) {
        bytes_append_text(&out->buffer, i == 1 ? "\"stackFrames\":{\n" : ",\n");
        writer_put_frame(trace, i, &out->buffer);
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    if (trace->stacks.stack_count > 0) bytes_append_text(&out->buffer, "\n},\n");
    bool is_first = true;
    for (uint32_t track = 1; track <= trace->track_count; track++) {
        const Track *t = &trace->tracks[track];
        for (uint64_t i = t->first_profile; i < t->first_profile + t->profile_count; i++) {
            bytes_append_text(&out->buffer, is_first ? "\"samples\":[\n" : ",\n");
            is_first = false;
            writer_put_sample(&out->lines, &out->clock, track, i, &out->buffer);
            if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
        }
    }
    if (!is_first) bytes_append_text(&out->buffer, "\n],\n");
    return true;
}

static bool put_properties(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    const Clock *clock = &out->clock;
    bool         has_unit = out->own_format, has_other = out->own_format;
    bool         has_epoch = out->own_format || !clock->has_epoch;
    JsonWriter   json = json_writer_to(&out->buffer, 0);
    uint32_t    *last = last_properties(out);
    if (last == NULL) return err_set(err, ERR_MEMORY, "out of memory for the output");
    bytes_append_text(&out->buffer, "{");
    for (uint32_t i = 0; i < trace->property_count; i++) {
        StringView key = trace_string(trace, trace->properties[i].key);
        if (!property_is_fit(out, i, last)) continue;
        has_unit |= string_equal(key, STRING_LITERAL("displayTimeUnit"));
        has_epoch |= string_equal(key, STRING_LITERAL("baseTimeNanoseconds"));
        has_other |= string_equal(key, STRING_LITERAL("otherData"));
        json_string_bytes(&json, key);
        bytes_append_text(&out->buffer, ":");
        char opens = trace->properties[i].json[0];
        if (property_adds_up(key) && (opens == '{' || opens == '['))
            put_joined(out, i);
        else
            bytes_append(&out->buffer, trace->properties[i].json, trace->properties[i].size);
        bytes_append_text(&out->buffer, ",\n");
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    if (!has_unit) bytes_append_text(&out->buffer, "\"displayTimeUnit\":\"ns\",\n");
    if (!has_epoch)
        bytes_printf(&out->buffer, "\"baseTimeNanoseconds\":%lld,\n", (long long)clock->epoch_unix_ns);
    if (!has_other) put_source(out);
    if (!out->own_format && !put_profile(out, err)) return false;
    bytes_append_text(&out->buffer, "\"traceEvents\":[\n");
    return true;
}

bool writer_head_put(JsonOut *out, Err *err)
{
    return put_properties(out, err) && put_source_ids(out, err) && (out->own_format || put_names(out, err));
}
