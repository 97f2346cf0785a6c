#include "format/trace_event/read/property.h"

#include "format/trace_event/read/ftrace.h"

#include <string.h>

/* The meaning of top-level keys. */
typedef enum {
    PROPERTY_KNOWN,         /* only trace event files have it */
    PROPERTY_DISPLAY_UNIT,  /* "ns": durations are shown with nanoseconds. Does not scale times */
    PROPERTY_EPOCH_MICROS,  /* wall-clock time of the source's zero */
    PROPERTY_EPOCH_NANOS,   /* wall-clock time of the source's zero in ns */
    PROPERTY_SUB_TRACE,     /* another trace as text */
    PROPERTY_FTRACE,        /* another trace as text, usually of ftrace */
    PROPERTY_VIZTRACER,     /* has a flag for an overflow of the recorder's buffer */
    PROPERTY_FRAMES,        /* stacks of events and samples */
    PROPERTY_COMMON,        /* this and the following ones: other files have it, too */
    PROPERTY_SAMPLES,       /* samples beside the events */
    PROPERTY_PROFILE_NODES, /* of a V8 CPU profile */
    PROPERTY_PROFILE_DELTAS
} PropertyMeaning;

static const struct {
    const char     *name;
    PropertyMeaning meaning;
} PROPERTIES[] = {
    { "displayTimeUnit", PROPERTY_DISPLAY_UNIT },
    { "otherData", PROPERTY_KNOWN },
    { "metadata", PROPERTY_COMMON },
    { "stackFrames", PROPERTY_FRAMES },
    { "traceAnnotations", PROPERTY_KNOWN },
    { "controllerTraceDataKey", PROPERTY_KNOWN },
    { "beginningOfTime", PROPERTY_EPOCH_MICROS },
    { "baseTimeNanoseconds", PROPERTY_EPOCH_NANOS },
    { "systemTraceEvents", PROPERTY_FTRACE },
    { "powerTraceAsString", PROPERTY_FTRACE },
    { "androidProcessDump", PROPERTY_SUB_TRACE },
    { "atraceProcessDump", PROPERTY_SUB_TRACE },
    { "cgroupDump", PROPERTY_SUB_TRACE },
    { "viztracer_metadata", PROPERTY_VIZTRACER },
    { "samples", PROPERTY_SAMPLES },
    { "nodes", PROPERTY_PROFILE_NODES },
    { "timeDeltas", PROPERTY_PROFILE_DELTAS },
};

/* Keys of other JSON files that a user may take for a trace. */
static const struct {
    const char *name, *noun;
} OTHER_KEYS[] = {
    { "profiles", "a profile of speedscope" },
    { "head", "a V8 heap profile, or a CPU profile of an old version of V8" },
    { "snapshot", "a V8 heap snapshot" },
    { "libs", "a profile of Firefox" },
    { "log", "a network archive (HAR)" },
    { "resourceSpans", "spans of OpenTelemetry" },
    { "audits", "a report of Lighthouse" },
    { "recording", "a recording of Safari" },
    { "raw_timestamp_deltas", "a profile of stackprof" },
};

static const char *other_of_key(const JsonValue *key)
{
    for (size_t i = 0; i < sizeof OTHER_KEYS / sizeof OTHER_KEYS[0]; i++)
        if (json_is(key, JSON_STRING, OTHER_KEYS[i].name)) return OTHER_KEYS[i].noun;
    return NULL;
}

static void learn_epoch(Times *times, const JsonValue *value, bool is_nanos)
{
    FineTime time;
    if (json_micros(value, &time) > NUMBER_ODD) {
        /* a present-day epoch of 1.7e18 ns does not fit into FineTime as microseconds */
        bool     negative;
        uint64_t magnitude;
        if (!is_nanos || value->kind != JSON_NUMBER) return;
        if (number_integer(value->at, value->size, &negative, &magnitude) > NUMBER_ODD) return;
        if (magnitude > (uint64_t)INT64_MAX) return;
        time.ns = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    } else if (is_nanos) {
        time.ns /= 1000;
    }
    times->has_epoch = true;
    times->epoch_ns = time.ns;
}

static bool has_true_member(const JsonValue *object, const char *name)
{
    if (object->kind != JSON_OBJECT) return false;
    JsonItems items = json_items(object);
    JsonValue key, value;
    bool      is_true = false;
    while (json_items_next(&items, &key, &value))
        if (json_is(&key, JSON_STRING, name)) is_true = json_is(&value, JSON_WORD, "true");
    return is_true;
}

/* Returns the position of the value of a member whose key begins at `pos`. */
static EventPos value_pos(const JsonValue *key, const JsonValue *value, EventPos pos)
{
    const uint8_t *quote = key->at - 1;
    return (EventPos){ pos.offset + (uint64_t)(value->at - quote), pos.event };
}

static void learn(Emitter *emitter, DocumentFacts *facts, PropertyMeaning meaning, const JsonValue *key,
                  const JsonValue *value, EventPos pos)
{
    switch (meaning) {
    case PROPERTY_KNOWN:
    case PROPERTY_COMMON:
        return;
    case PROPERTY_DISPLAY_UNIT:
        emitter->times.shows_ns = json_is(value, JSON_STRING, "ns");
        return;
    case PROPERTY_EPOCH_MICROS:
    case PROPERTY_EPOCH_NANOS:
        learn_epoch(&emitter->times, value, meaning == PROPERTY_EPOCH_NANOS);
        return;
    case PROPERTY_FTRACE: /* property_take handles texts of ftrace */
    case PROPERTY_SUB_TRACE:
        builder_warn(emitter->builder, "sub-trace-not-shown", pos,
                     "\"%.*s\" holds another trace as text: kept, but not drawn", (int)key->size,
                     (const char *)key->at);
        return;
    case PROPERTY_VIZTRACER:
        if (has_true_member(value, "overflow")) {
            builder_warn(emitter->builder, "buffer-overflowed", pos,
                         "VizTracer ran out of buffer: the events before those in the file are missing");
        }
        return;
    case PROPERTY_SAMPLES:
        facts->has_samples |= sample_take_list(emitter, value, value_pos(key, value, pos));
        facts->has_known_key |= facts->has_samples;
        return;
    case PROPERTY_FRAMES:
        frames_describe(emitter, 0, value, value_pos(key, value, pos));
        return;
    case PROPERTY_PROFILE_NODES:
        facts->has_profile_nodes = true;
        return;
    case PROPERTY_PROFILE_DELTAS:
        facts->has_profile_deltas = true;
        return;
    }
}

/* Passes a text of ftrace to the builder and keeps only its comments as the property. */
static FtraceTaken take_ftrace(Emitter *emitter, const char *name, const JsonValue *value, EventPos pos)
{
    Bytes       comments = { 0 }, json = { 0 };
    FtraceTaken taken = ftrace_take_text(emitter, value, pos, &comments);
    if (taken == FTRACE_LINES && comments.size > 0) {
        JsonWriter writer = json_writer_to(&json, 0);
        json_string_bytes(&writer, bytes_view(&comments));
        emitter->failed |= comments.failed || json.failed;
        StringId id = builder_string(emitter->builder, name, strlen(name));
        if (!emitter->failed) builder_property(emitter->builder, id, (const char *)json.data, json.size);
    }
    bytes_release(&comments);
    bytes_release(&json);
    return taken;
}

/* Returns the name of a key whose text may be ftrace's; NULL for any other key. */
static const char *ftrace_key(const JsonValue *key)
{
    if (json_is(key, JSON_STRING, "systemTraceEvents")) return "systemTraceEvents";
    return json_is(key, JSON_STRING, "powerTraceAsString") ? "powerTraceAsString" : NULL;
}

void property_take(Emitter *emitter, DocumentFacts *facts, const JsonValue *key, const JsonValue *value,
                   EventPos pos)
{
    const char *name = ftrace_key(key);
    FtraceTaken taken = FTRACE_NONE;
    if (name != NULL) taken = take_ftrace(emitter, name, value, value_pos(key, value, pos));
    if (taken == FTRACE_LINES) {
        facts->has_known_key = facts->has_ftrace = true;
        return;
    }
    facts->has_known_key |= taken == FTRACE_COMMENTS;
    for (size_t i = 0; i < sizeof PROPERTIES / sizeof PROPERTIES[0] && taken != FTRACE_COMMENTS; i++) {
        if (!json_is(key, JSON_STRING, PROPERTIES[i].name)) continue;
        facts->has_known_key |= PROPERTIES[i].meaning < PROPERTY_COMMON;
        learn(emitter, facts, PROPERTIES[i].meaning, key, value, pos);
    }
    if (facts->other == NULL) facts->other = other_of_key(key);
    TextDamage damage = { 0 };
    bytes_clear(&emitter->text);
    bytes_clear(&emitter->more_text);
    text_append(key, &emitter->text, &damage);
    JsonWriter writer = json_writer_to(&emitter->more_text, 0);
    text_write_json(&writer, value);
    emitter->failed |= emitter->more_text.failed;
    StringId id = emitter_intern_text(emitter);
    if (emitter->failed) return;
    builder_property(emitter->builder, id, (const char *)emitter->more_text.data, emitter->more_text.size);
}
