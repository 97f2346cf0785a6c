#include "format/trace_event/profile/speedscope.h"

#include "format/trace_event/common/text.h"
#include "format/trace_event/profile/json_profile.h"
#include "format/trace_event/profile/speedscope_profile.h"

#include <assert.h>
#include <string.h>

typedef enum {
    PLACE_START,
    PLACE_FILE,     /* in the outermost object */
    PLACE_SHARED,   /* in the object `shared` */
    PLACE_PROFILES, /* in the list of profiles */
    PLACE_PROFILE,  /* in one of them */
    PLACE_LIST,     /* in a list of frames, events, samples or weights */
    PLACE_END
} Place;

typedef struct Reader {
    Speedscope     file;
    Place          place;
    SpeedscopeList list; /* of PLACE_LIST */
    uint64_t       base; /* offset of the current bytes in the input */
    bool           has_profiles, is_broken, told_trailing;
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

/* Looks at the members of the outermost object, up to the one in which the head ends. */
static int speedscope_probe(const uint8_t *head, size_t size)
{
    const uint8_t *at = head + head_first_key(head, size), *const end = head + size;
    int best = 0;
    while (at < end && *at == '"') {
        JsonValue key, value;
        bool      comments;
        if (json_scan_key(at, end, &key, &at) != JSON_SCAN_DONE) break;
        const int sure = probe_member(&key, at, end);
        if (sure < 0) return 0;
        if (sure > best) best = sure;
        if (json_scan_value(at, end, &value, &at) != JSON_SCAN_DONE ||
            json_scan_space(at, end, &at, &comments) != JSON_SCAN_DONE || at == end || *at != ',' ||
            json_scan_space(at + 1, end, &at, &comments) != JSON_SCAN_DONE)
            break;
    }
    return best;
}

static void *speedscope_reader_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL || !speedscope_open(&reader->file, arena, builder)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    return reader;
}

/* ---- bytes ---- */

typedef struct Chunk {
    const uint8_t *begin, *at, *end;
} Chunk;

static uint64_t offset_at(const Reader *reader, const Chunk *chunk, const uint8_t *at)
{
    assert(at >= chunk->begin && at <= chunk->end);
    return reader->base + (uint64_t)(at - chunk->begin);
}

static void warn_at(Reader *reader, const char *kind, uint64_t offset, const char *what)
{
    builder_warn(reader->file.builder, kind, (EventPos){ offset, reader->file.event_count }, "%s", what);
}

static void report_broken(Reader *reader, Chunk *chunk, const uint8_t *stop)
{
    warn_at(reader, "broken", offset_at(reader, chunk, stop), "not JSON: the rest is not read");
    builder_set_incomplete(reader->file.builder);
    reader->place = PLACE_END;
    reader->is_broken = true;
    chunk->at = chunk->end;
}

/* ---- lists ---- */

static void leave_list(Reader *reader)
{
    if (reader->place == PLACE_PROFILES) {
        reader->place = PLACE_FILE;
    } else if (reader->list == LIST_FRAMES) {
        reader->file.has_frames = true;
        reader->place = PLACE_SHARED;
    } else {
        reader->place = PLACE_PROFILE;
    }
}

static void take_item(Reader *reader, const JsonValue *value, uint64_t offset)
{
    if (reader->place == PLACE_LIST)
        speedscope_item(&reader->file, reader->list, value, offset);
    else
        warn_at(reader, "bad-profile", offset, "a profile is not an object: left out");
}

/* Reads the events of a usual spelling, and the commas after them. False: the next one has another spelling. */
static bool take_usual_events(Reader *reader, Chunk *chunk)
{
    const uint8_t *const begin = chunk->at;
    while (chunk->at < chunk->end && !reader->file.failed) {
        const uint8_t *stop =
            speedscope_usual_event(&reader->file, chunk->at, chunk->end, offset_at(reader, chunk, chunk->at));
        if (stop == NULL) break;
        chunk->at = stop;
        while (chunk->at < chunk->end && (*chunk->at == ',' || *chunk->at <= ' '))
            chunk->at++;
    }
    return chunk->at != begin;
}

/* Reads the next item of a list, or its end. False: more bytes are needed. */
static bool step_list(Reader *reader, Chunk *chunk)
{
    JsonValue      value;
    const uint8_t *stop = chunk->at;
    if (*chunk->at == ']' || *chunk->at == ',') {
        if (*chunk->at++ == ']') leave_list(reader);
        return true;
    }
    if (reader->place == PLACE_PROFILES && *chunk->at == '{') {
        speedscope_begin_profile(&reader->file, offset_at(reader, chunk, chunk->at++));
        reader->place = PLACE_PROFILE;
        return true;
    }
    if (reader->place == PLACE_LIST && reader->list == LIST_EVENTS && take_usual_events(reader, chunk))
        return true;
    JsonScan result = json_scan_value(chunk->at, chunk->end, &value, &stop);
    if (result == JSON_SCAN_MORE) return false;
    if (result == JSON_SCAN_BROKEN) {
        report_broken(reader, chunk, stop);
        return true;
    }
    take_item(reader, &value, offset_at(reader, chunk, chunk->at));
    chunk->at = stop;
    return true;
}

/* ---- objects ---- */

static bool enter(Reader *reader, Place place)
{
    reader->place = place;
    return true;
}

static bool enter_list(Reader *reader, SpeedscopeList list)
{
    reader->list = list;
    return enter(reader, PLACE_LIST);
}

/* Enters the object or list of a member that is read piece by piece. False: the member is read as one value. */
static bool enters_value(Reader *reader, const JsonValue *key, uint8_t bracket)
{
    if (reader->place == PLACE_FILE) {
        if (bracket == '{' && json_is(key, JSON_STRING, "shared")) return enter(reader, PLACE_SHARED);
        if (bracket != '[' || !json_is(key, JSON_STRING, "profiles")) return false;
        reader->has_profiles = true;
        return enter(reader, PLACE_PROFILES);
    }
    if (bracket != '[') return false;
    if (reader->place == PLACE_SHARED) {
        return json_is(key, JSON_STRING, "frames") && !reader->file.has_frames &&
               enter_list(reader, LIST_FRAMES);
    }
    return (json_is(key, JSON_STRING, "events") && enter_list(reader, LIST_EVENTS)) ||
           (json_is(key, JSON_STRING, "samples") && enter_list(reader, LIST_SAMPLES)) ||
           (json_is(key, JSON_STRING, "weights") && enter_list(reader, LIST_WEIGHTS));
}

static void take_value(Reader *reader, const JsonValue *key, const JsonValue *value)
{
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

/* Reads a key, and its value or the opening bracket of its value. False: more bytes are needed. */
static bool take_member(Reader *reader, Chunk *chunk)
{
    JsonValue      key, value;
    const uint8_t *stop = chunk->at;
    JsonScan       result = json_scan_key(chunk->at, chunk->end, &key, &stop);
    if (result == JSON_SCAN_DONE && enters_value(reader, &key, *stop)) {
        chunk->at = stop + 1;
        return true;
    }
    if (result == JSON_SCAN_DONE) result = json_scan_value(stop, chunk->end, &value, &stop);
    if (result == JSON_SCAN_MORE) return false;
    if (result == JSON_SCAN_BROKEN) {
        report_broken(reader, chunk, stop);
        return true;
    }
    take_value(reader, &key, &value);
    chunk->at = stop;
    return true;
}

static void leave_object(Reader *reader)
{
    if (reader->place == PLACE_PROFILE) speedscope_end_profile(&reader->file);
    reader->place = reader->place == PLACE_PROFILE  ? PLACE_PROFILES
                    : reader->place == PLACE_SHARED ? PLACE_FILE
                                                    : PLACE_END;
}

static bool step_object(Reader *reader, Chunk *chunk)
{
    switch (*chunk->at) {
    case '}':
        leave_object(reader);
        chunk->at++;
        return true;
    case ',':
        chunk->at++;
        return true;
    case '"':
        return take_member(reader, chunk);
    default:
        report_broken(reader, chunk, chunk->at);
        return true;
    }
}

/* ---- the file ---- */

/* Reads the complete items of the chunk. */
static bool walk(Reader *reader, Chunk *chunk, Err *err)
{
    bool comments = false, more = true;
    while (more && chunk->at < chunk->end && !reader->file.failed) {
        if (json_scan_space(chunk->at, chunk->end, &chunk->at, &comments) != JSON_SCAN_DONE ||
            chunk->at == chunk->end)
            return true;
        switch (reader->place) {
        case PLACE_START:
            if (*chunk->at != '{')
                return err_set_at(err, ERR_UNKNOWN, offset_at(reader, chunk, chunk->at), ERR_NOWHERE,
                                  "not a file of speedscope: expected '{'");
            chunk->at++;
            reader->place = PLACE_FILE;
            break;
        case PLACE_FILE:
        case PLACE_SHARED:
        case PLACE_PROFILE:
            more = step_object(reader, chunk);
            break;
        case PLACE_PROFILES:
        case PLACE_LIST:
            more = step_list(reader, chunk);
            break;
        case PLACE_END:
            if (!reader->is_broken && !reader->told_trailing) {
                warn_at(reader, "text-after-end", offset_at(reader, chunk, chunk->at),
                        "text after the end of the file's object: not read");
            }
            reader->told_trailing = true;
            chunk->at = chunk->end;
            break;
        }
    }
    return true;
}

static bool finish(Reader *reader, const Chunk *chunk, Err *err)
{
    if (!reader->has_profiles)
        return err_set(err, ERR_UNKNOWN, "not a file of speedscope: expected \"profiles\"");
    if (reader->place != PLACE_END) {
        warn_at(reader, "truncated", offset_at(reader, chunk, chunk->at), "the input ends inside the file");
        builder_set_incomplete(reader->file.builder);
    }
    speedscope_finish(&reader->file);
    return true;
}

static bool speedscope_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                            Err *err)
{
    static const uint8_t EMPTY[1] = { 0 };
    Reader              *reader = (Reader *)state;
    if (size == 0) bytes = EMPTY; /* pointer arithmetic on NULL is undefined */
    Chunk chunk = { bytes, bytes, bytes + size };
    bool  done = true;
    *used = 0;
    if (reader->place == PLACE_START && reader->base == 0) {
        if (size < 3 && input == INPUT_CONTINUES) return true;
        if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) chunk.at += 3;
    }
    if (!walk(reader, &chunk, err)) return false;
    if (input == INPUT_ENDS) done = finish(reader, &chunk, err);
    *used = input == INPUT_ENDS ? size : (size_t)(chunk.at - bytes);
    reader->base += *used;
    if (builder_failed(reader->file.builder)) {
        builder_error(reader->file.builder, err);
        return false;
    }
    if (reader->file.failed) return err_set(err, ERR_MEMORY, "out of memory");
    return done;
}

/* ---- details: the JSON of a frame, the frames of a sample, or the other members of an event ---- */

static bool scan_details(const EventBytes *from, JsonValue *value, Err *err)
{
    const uint8_t *stop;
    JsonScan       result = json_scan_value(from->bytes, from->bytes + from->size, value, &stop);
    if (result == JSON_SCAN_MORE)
        return err_set_at(err, ERR_TRUNCATED, from->offset, ERR_NOWHERE, "the input ends inside an item");
    return result == JSON_SCAN_DONE ||
           err_set_at(err, ERR_CORRUPT, from->offset, ERR_NOWHERE, "this is not a JSON value");
}

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
    if ((begin->bytes != NULL && !scan_details(begin, &value, err)) ||
        (end->bytes != NULL && !scan_details(end, &of_end, err)))
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
    .read = speedscope_read,
    .details = speedscope_details,
};
