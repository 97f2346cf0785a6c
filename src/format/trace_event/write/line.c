#include "format/trace_event/write/line.h"

#include "base/json_check.h"
#include "format/trace_event/write/fit.h"

#include <assert.h>
#include <string.h>

bool line_writer_open(LineWriter *w, const WriterPlaces *places, Arena *arena)
{
    const Trace *trace = places->trace;
    *w = (LineWriter){ .trace = trace, .places = places, .own_format = places->own_format };
    w->labels = ARENA_ARRAY(arena, LinePiece, (size_t)trace->label_count + 1);
    w->tracks = ARENA_ARRAY(arena, LinePiece, (size_t)trace->track_count + 1);
    return w->labels != NULL && w->tracks != NULL;
}

void line_writer_close(LineWriter *w)
{
    bytes_release(&w->texts);
}

/* -- pieces -- */

/* Sets the piece to the members of an object in `texts` from `at` on, without its braces. */
static void piece_end(LineWriter *w, LinePiece *piece, size_t at)
{
    piece->at = at + 1;
    piece->size = w->texts.failed ? 0 : w->texts.size - at - 2;
    if (piece->size == 0) w->texts.size = at; /* an empty piece is not cached */
}

/* Returns the begin of a line: `{"name":"f","cat":"c",`. */
static const LinePiece *label_piece(LineWriter *w, uint32_t label)
{
    LinePiece *piece = &w->labels[label];
    if (LIKELY(piece->size > 0)) return piece;
    const Label *names = &w->trace->labels[label];
    size_t       at = w->texts.size;
    JsonWriter   json = json_writer_to(&w->texts, 0);
    json_object_begin(&json);
    if (names->name.index != 0) json_put_view(&json, "name", trace_string(w->trace, names->name));
    if (names->category.index != 0) json_put_view(&json, "cat", trace_string(w->trace, names->category));
    json_object_end(&json);
    if (w->texts.failed) return piece;
    piece->at = at;
    piece->size = w->texts.size - at; /* if there is a member, a comma replaces the closing brace */
    assert(piece->size >= 2);
    if (piece->size == 2)
        piece->size = 1;
    else
        w->texts.data[w->texts.size - 1] = ',';
    return piece;
}

/* True if an id that is a text was a number in the source: the trace has numbers other than integers as texts. A text
 * id is also the name; a number is not. */
static bool was_number(StringView text, StringView name)
{
    if (text.size == 0 || string_equal(text, name)) return false;
    return (text.bytes[0] == '-' || (text.bytes[0] >= '0' && text.bytes[0] <= '9')) &&
           json_valid(text.bytes, text.size);
}

void line_put_source_id(JsonWriter *json, const Trace *trace, Ident ident, StringId name)
{
    StringView text;
    switch (ident.kind) {
    case IDENT_NONE:
        return;
    case IDENT_INT:
        json_put_i64(json, "source_id", (int64_t)ident.bits);
        return;
    case IDENT_UINT:
        json_put_u64(json, "source_id", ident.bits);
        return;
    case IDENT_TEXT:
        text = trace_string(trace, (StringId){ (uint32_t)ident.bits });
        if (was_number(text, trace_string(trace, name)))
            json_put_raw(json, "source_id", text.bytes, text.size);
        else
            json_put_view(json, "source_id", text);
        return;
    }
}

void line_put_pid(const WriterPlaces *places, JsonWriter *json, uint32_t process)
{
    bool is_missing = places->trace->processes[process].pid.kind == IDENT_NONE;
    if (!places->own_format || !is_missing) json_put_u64(json, "pid", places->pids[process]);
}

void line_put_tid(const WriterPlaces *places, JsonWriter *json, uint32_t track)
{
    bool is_missing = track_tid(&places->trace->tracks[track]).kind == IDENT_NONE;
    if (!places->own_format || !is_missing) json_put_u64(json, "tid", places->tracks[track].tid);
}

/* Returns `"pid":1,"tid":2` of a track; empty for a track without a process. */
static const LinePiece *track_piece(LineWriter *w, uint32_t track)
{
    LinePiece *piece = &w->tracks[track];
    if (LIKELY(piece->size > 0) || track == 0) return piece;
    size_t     at = w->texts.size;
    JsonWriter json = json_writer_to(&w->texts, 0);
    json_object_begin(&json);
    line_put_pid(w->places, &json, w->trace->tracks[track].process.index);
    piece->tid_at = w->texts.size;
    line_put_tid(w->places, &json, track);
    json_object_end(&json);
    piece_end(w, piece, at);
    return piece;
}

/* -- fields that have no column -- */

/* The keys that a line writes itself. */
enum {
    HAS_PH = 1 << KEY_PH,
    HAS_TS = 1 << KEY_TS,
    HAS_PID = 1 << KEY_PID,
    HAS_TID = 1 << KEY_TID,
    HAS_DUR = 1 << KEY_DUR,
    HAS_S = 1 << KEY_S,
    HAS_STACKS = 1 << KEY_STACK | 1 << KEY_ESTACK, /* keys that are renamed */
    YIELDS = HAS_S /* keys for which the source's value is used instead of the line's */
};

static unsigned line_keys(const Line *line)
{
    unsigned keys = 0;
    if (line->phase.size > 0) keys |= HAS_PH;
    if (line->time != NULL) keys |= HAS_TS;
    if (line->duration != NULL) keys |= HAS_DUR;
    if (line->scope.size > 0) keys |= HAS_S;
    return line->track != 0 ? keys | HAS_PID | HAS_TID : keys;
}

/* Appends a comma, unless it would be the first character of the line's object. */
static void comma_append(Bytes *out)
{
    if (out->size > 0 && out->data[out->size - 1] != '{') bytes_append(out, ",", 1);
}

/* Appends the members of `other`, whose keys are `has`, except those with the keys of `without`. */
static void members_append(LineWriter *w, const Bytes *other, MemberKeys has, unsigned without)
{
    assert(other->size >= 2);
    if (without == 0 && (has.all & HAS_STACKS) == 0) {
        comma_append(w->out);
        bytes_append(w->out, other->data + 1, other->size - 2);
        return;
    }
    JsonItems items = json_members_of(other);
    JsonValue key, value;
    while (json_items_next(&items, &key, &value)) {
        EventKey which = event_key(&key);
        if (which < KEY_COUNT && (without >> which & 1) != 0)
            w->dropped_count++;
        else
            writer_member_append(&key, &value, w->out);
    }
}

void line_id_append(const Bytes *other, Bytes *out)
{
    static const char *const IDS[] = { "id", "id2", "scope" };
    if (other->size <= 2) return;
    JsonItems items = json_members_of(other);
    JsonValue key, value;
    Bytes     found = { 0 };
    while (json_items_next(&items, &key, &value)) {
        for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
            if (json_is(&key, JSON_STRING, IDS[i])) json_member_append(&key, &value, &found);
        }
    }
    bytes_append(out, found.data, found.size);
    out->failed |= found.failed;
    bytes_release(&found);
}

/* Appends the details of another format under "args" and "other", because their keys may have a meaning in this
 * format. */
static void foreign_details_append(Bytes *out, const EventDetails *details)
{
    const Bytes *args = &details->args, *other = &details->other;
    if (other->size > 2) {
        comma_append(out);
        bytes_append_text(out, "\"other\":");
        bytes_append(out, other->data, other->size);
    }
    if (args->size <= 2) return; /* {} */
    bool is_object = args->data[0] == '{';
    comma_append(out);
    bytes_append_text(out, is_object ? "\"args\":" : "\"args\":{\"args\":");
    bytes_append(out, args->data, args->size);
    if (!is_object) bytes_append(out, "}", 1);
}

static void details_append(LineWriter *w, const EventDetails *details, MemberKeys has, unsigned without)
{
    if (w->own_format) {
        if (details->other.size > 2) members_append(w, &details->other, has, without);
        if (details->args.size == 0) return;
        comma_append(w->out);
        bytes_append_text(w->out, "\"args\":");
        bytes_append(w->out, details->args.data, details->args.size);
    } else {
        foreign_details_append(w->out, details);
    }
}

/* -- lines -- */

static char *text_put(char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

/* Writes key, value and a comma; does nothing for an empty value. */
static char *member_put(char *at, const char *key, StringView value)
{
    if (value.size == 0) return at;
    at = text_put(at, key, strlen(key));
    at = text_put(at, value.bytes, value.size);
    *at++ = ',';
    return at;
}

static char *time_put(LineWriter *w, char *at, const char *key, const WriterTime *time)
{
    at = text_put(at, key, strlen(key));
    w->rounded_count += time->rounded;
    at = writer_time_put(at, time);
    *at++ = ',';
    return at;
}

/* Returns the part of "pid" and "tid" that the line writes. */
static StringView track_text(LineWriter *w, uint32_t track, unsigned keys)
{
    const LinePiece *piece = track_piece(w, track);
    const char      *text = (const char *)w->texts.data;
    size_t           pid_size = piece->tid_at - piece->at;
    if (piece->size == 0) return STRING_LITERAL("");
    if ((keys & HAS_PID) && (keys & HAS_TID)) return (StringView){ text + piece->at, piece->size };
    if (keys & HAS_PID) return (StringView){ text + piece->at, pid_size };
    if (!(keys & HAS_TID) || pid_size == piece->size) return STRING_LITERAL("");
    size_t comma = pid_size > 0 ? 1 : 0;
    return (StringView){ text + piece->tid_at + comma, piece->size - pid_size - comma };
}

/* True if the line needs an empty name, because chrome://tracing rejects slices and instants without one. */
static bool needs_name(const LineWriter *w, const Line *line)
{
    return w->trace->labels[line->label].name.index == 0 && line->phase.size == 3 &&
           strchr("XBi", line->phase.bytes[1]) != NULL;
}

/* Writes the line except for the details, with one reservation and then copies. Each piece ends with a comma; the
 * last comma is removed. */
static void head_put(LineWriter *w, const Line *line, unsigned keys)
{
    enum { FIXED_BYTES = 64 + 2 * WRITER_TIME_TEXT };
    const LinePiece *label = label_piece(w, line->label);
    StringView       ids = track_text(w, line->track, keys);
    size_t           size = label->size + ids.size + line->phase.size + line->scope.size + line->members.size;
    char            *start = (char *)bytes_reserve(w->out, size + FIXED_BYTES), *at = start;
    if (start == NULL || w->texts.failed) {
        w->out->failed = true;
        return;
    }
    at = text_put(at, ",\n{", 3);
    if (needs_name(w, line)) at = member_put(at, "\"name\":", STRING_LITERAL("\"\""));
    at = text_put(at, w->texts.data + label->at + 1, label->size - 1);
    if (line->phase.size > 0) at = member_put(at, "\"ph\":", line->phase);
    if (line->time != NULL) at = time_put(w, at, "\"ts\":", line->time);
    if (line->duration != NULL) at = time_put(w, at, "\"dur\":", line->duration);
    at = member_put(at, "", ids);
    if (keys & HAS_S) at = member_put(at, "\"s\":", line->scope);
    at = member_put(at, "", line->members);
    if (at[-1] == ',') at--;
    bytes_grow(w->out, (size_t)(at - start));
}

void line_put(LineWriter *w, const Line *line)
{
    const unsigned keys = line_keys(line);
    MemberKeys     has = { 0, 0 };
    if (line->details != NULL && w->own_format && line->details->other.size > 2)
        has = writer_member_keys(&line->details->other);
    const unsigned shared = has.all & keys & ~has.odd;
    head_put(w, line, keys & ~(shared & YIELDS));
    if (line->details != NULL) details_append(w, line->details, has, (shared & ~(unsigned)YIELDS) | has.odd);
    bytes_append(w->out, "}", 1);
}
