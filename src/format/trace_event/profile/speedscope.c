#include "format/trace_event/profile/speedscope.h"

#include "format/trace_event/common/text.h"
#include "format/trace_event/profile/json_profile.h"
#include "format/trace_event/profile/speedscope_profile.h"

#include <assert.h>
#include <string.h>

typedef enum {
    PLACE_FILE,     /* in the outermost object */
    PLACE_SHARED,   /* in the object `shared` */
    PLACE_PROFILES, /* in the list of profiles */
    PLACE_PROFILE,  /* in one of them */
    PLACE_LIST      /* in a list of frames, events, samples or weights */
} Place;

typedef struct Reader {
    JsonWalk       walk;
    Speedscope     file;
    Place          place;
    SpeedscopeList list; /* of PLACE_LIST */
    bool           has_profiles;
} Reader;

/* ---- probe ---- */

/* True if the first of the profiles at `at` is of speedscope. */
static bool has_profile(const uint8_t *at, const uint8_t *end)
{
    const size_t size = (size_t)(end - at);
    return head_holds(at, size, "\"unit\"") && head_holds(at, size, "\"type\"") &&
           (head_holds(at, size, "\"evented\"") || head_holds(at, size, "\"sampled\""));
}

/* Returns the confidence in a member of the outermost object, whose value is at `at`; -1: the file has another format. */
static int probe_member(const JsonValue *key, const uint8_t *at, const uint8_t *end)
{
    static const char SCHEMA[] = "https://www.speedscope.app/file-format-schema.json";
    if (json_is(key, JSON_STRING, "traceEvents")) return -1;
    if (json_is(key, JSON_STRING, "$schema") && *at == '"')
        return head_begins(at + 1, (size_t)(end - at - 1), SCHEMA) ? 98 : 0;
    if (json_is(key, JSON_STRING, "profiles") && *at == '[') return has_profile(at, end) ? 90 : 0;
    if (json_is(key, JSON_STRING, "shared"))
        return head_begins(at + head_first_key(at, (size_t)(end - at)),
                           (size_t)(end - at) - head_first_key(at, (size_t)(end - at)), "\"frames\"")
                   ? 85
                   : 0;
    return 0;
}

static int speedscope_probe(const uint8_t *head, size_t size)
{
    return json_profile_probe(head, size, probe_member);
}

/* ---- lists ---- */

static WalkPlace go_to(Reader *reader, Place place)
{
    reader->place = place;
    return place == PLACE_PROFILES || place == PLACE_LIST ? WALK_LIST : WALK_OBJECT;
}

static WalkPlace leave(JsonWalk *walk)
{
    Reader *reader = (Reader *)walk;
    switch (reader->place) {
    case PLACE_FILE:
        return WALK_END;
    case PLACE_PROFILE:
        speedscope_end_profile(&reader->file);
        return go_to(reader, PLACE_PROFILES);
    case PLACE_SHARED:
    case PLACE_PROFILES:
        return go_to(reader, PLACE_FILE);
    case PLACE_LIST:
        break;
    }
    if (reader->list != LIST_FRAMES) return go_to(reader, PLACE_PROFILE);
    reader->file.has_frames = true;
    return go_to(reader, PLACE_SHARED);
}

static void take_item(JsonWalk *walk, const JsonValue *value, uint64_t offset)
{
    Reader *reader = (Reader *)walk;
    if (reader->place == PLACE_LIST)
        speedscope_item(&reader->file, reader->list, value, offset);
    else
        json_walk_warn(walk, "bad-profile", offset, "a profile is not an object: left out");
}

/* Enters a profile, or reads the events of a usual spelling. */
static bool take_usual(JsonWalk *walk)
{
    Reader *const        reader = (Reader *)walk;
    const uint8_t *const begin = walk->at;
    if (reader->place == PLACE_PROFILES && *walk->at == '{') {
        speedscope_begin_profile(&reader->file, json_walk_offset(walk, walk->at++));
        walk->place = go_to(reader, PLACE_PROFILE);
        return true;
    }
    while (reader->place == PLACE_LIST && reader->list == LIST_EVENTS && walk->at < walk->end &&
           !reader->file.failed) {
        const uint8_t *stop =
            speedscope_usual_event(&reader->file, walk->at, walk->end, json_walk_offset(walk, walk->at));
        if (stop == NULL) break;
        walk->at = stop;
        while (walk->at < walk->end && (*walk->at == ',' || *walk->at <= ' '))
            walk->at++;
    }
    return walk->at != begin;
}

/* ---- objects ---- */

static WalkPlace enter_list(Reader *reader, SpeedscopeList list)
{
    reader->list = list;
    return go_to(reader, PLACE_LIST);
}

static WalkPlace enter(JsonWalk *walk, const JsonValue *key, const uint8_t *bracket)
{
    Reader *reader = (Reader *)walk;
    if (reader->place == PLACE_FILE) {
        if (*bracket == '{' && json_is(key, JSON_STRING, "shared")) return go_to(reader, PLACE_SHARED);
        if (*bracket == '{' || !json_is(key, JSON_STRING, "profiles")) return WALK_START;
        reader->has_profiles = true;
        return go_to(reader, PLACE_PROFILES);
    }
    if (*bracket == '{') return WALK_START;
    if (reader->place == PLACE_SHARED) {
        const bool are_frames = json_is(key, JSON_STRING, "frames") && !reader->file.has_frames;
        return are_frames ? enter_list(reader, LIST_FRAMES) : WALK_START;
    }
    if (json_is(key, JSON_STRING, "events")) return enter_list(reader, LIST_EVENTS);
    if (json_is(key, JSON_STRING, "samples")) return enter_list(reader, LIST_SAMPLES);
    return json_is(key, JSON_STRING, "weights") ? enter_list(reader, LIST_WEIGHTS) : WALK_START;
}

static void take_member(JsonWalk *walk, const JsonValue *key, const JsonValue *value)
{
    Reader     *reader = (Reader *)walk;
    Speedscope *file = &reader->file;
    if (reader->place == PLACE_PROFILE) {
        speedscope_profile_member(file, key, value);
        return;
    }
    if (reader->place == PLACE_FILE && json_is(key, JSON_STRING, "name")) {
        const StringId name = profile_string(file->builder, value, "");
        if (name.index != 0) builder_name_process(file->builder, file->process, name);
    }
    file->failed |=
        !profile_property(file->builder, reader->place == PLACE_SHARED ? "shared." : "", key, value);
}

/* ---- the file ---- */

static bool is_speedscope(const JsonWalk *walk)
{
    return ((const Reader *)walk)->has_profiles;
}

static void finish(JsonWalk *walk)
{
    speedscope_finish(&((Reader *)walk)->file);
}

static const JsonWalkRules RULES = {
    .no_object = "not a file of speedscope: expected '{'",
    .no_format = "not a file of speedscope: expected \"profiles\"",
    .truncated = "the input ends inside the file",
    .after_end = "text after the end of the file's object: not read",
    .enter = enter,
    .take_member = take_member,
    .take_usual = take_usual,
    .take_item = take_item,
    .leave = leave,
    .is_format = is_speedscope,
    .finish = finish,
};

static void *speedscope_reader_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL || !speedscope_open(&reader->file, arena, builder)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->walk = (JsonWalk){ .rules = &RULES,
                               .builder = builder,
                               .event_count = &reader->file.event_count,
                               .failed = &reader->file.failed };
    return reader;
}

/* ---- details: the JSON of a frame, the frames of a sample, or the other members of an event ---- */

/* Writes the members of an event that are not in the slice. */
static void write_more(JsonWriter *writer, const JsonValue *event)
{
    JsonItems items = json_items(event);
    JsonValue key, value;
    while (event->kind == JSON_OBJECT && json_items_next(&items, &key, &value)) {
        if (json_is(&key, JSON_STRING, "type") || json_is(&key, JSON_STRING, "frame") ||
            json_is(&key, JSON_STRING, "at"))
            continue;
        Bytes      name = { .data = NULL };
        TextDamage damage = { 0 };
        text_append(&key, &name, &damage);
        json_key_bytes(writer, bytes_view(&name));
        text_write_json(writer, &value);
        writer->out->failed |= name.failed;
        bytes_release(&name);
    }
}

static void write_events(JsonWriter *writer, const JsonValue *begin, const JsonValue *end)
{
    json_object_begin(writer);
    write_more(writer, begin);
    if (speedscope_event(end).has_more) {
        json_put_object(writer, "end");
        write_more(writer, end);
        json_object_end(writer);
    }
    json_object_end(writer);
}

static void write_sample(JsonWriter *writer, const JsonValue *frames)
{
    json_object_begin(writer);
    json_key(writer, "frames");
    text_write_json(writer, frames);
    json_object_end(writer);
}

static bool speedscope_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                               EventDetails *details, Err *err)
{
    JsonValue  value = { .at = NULL }, of_end = { .at = NULL };
    JsonWriter writer = json_writer_to(&details->other, 0);
    (void)trace;
    if (begin->bytes == NULL && end->bytes == NULL) return true;
    if ((begin->bytes != NULL && !profile_value(begin, &value, err)) ||
        (end->bytes != NULL && !profile_value(end, &of_end, err)))
        return false;
    const SpeedscopeEvent event = speedscope_event(&value);
    const bool            is_event = event.type.kind != JSON_NOTHING || event.at.kind != JSON_NOTHING;
    if (value.kind == JSON_OBJECT && !is_event)
        text_write_json(&writer, &value);
    else if (event.has_more || speedscope_event(&of_end).has_more)
        write_events(&writer, &value, &of_end);
    else if (value.kind != JSON_OBJECT && value.kind != JSON_NOTHING)
        write_sample(&writer, &value);
    return !details->other.failed || err_set(err, ERR_MEMORY, "out of memory");
}

const FormatReader SPEEDSCOPE_READER = {
    .name = "speedscope",
    .spec = "https://www.speedscope.app/file-format-schema.json, and files of speedscope 0.0.1 to 1.25",
    .about = "Files of speedscope, also written by py-spy, rbspy and others. Usual name: *.speedscope.json.",
    .probe = speedscope_probe,
    .open = speedscope_reader_open,
    .read = json_walk_read,
    .details = speedscope_details,
};
