#include "format/trace_event/write/stacks.h"

#include "base/json_scan.h"
#include "format/trace_event/common/text.h"
#include "format/trace_event/write/fit.h"

#include <inttypes.h>
#include <string.h>

void writer_put_frame(const Trace *trace, uint32_t stack, Bytes *out)
{
    const StackFrame *frame = trace_stack_frame(trace, (StackId){ stack });
    StringView        name = trace_string(trace, frame->function);
    JsonWriter        json = json_writer_to(out, 0);
    bytes_printf(out, "\"%lu\":", (unsigned long)stack);
    json_object_begin(&json);
    json_put_view(&json, "category", trace_string(trace, frame->module));
    json_key(&json, "name");
    if (name.size > 0)
        json_string_bytes(&json, name);
    else if (frame->address != 0)
        json_string_printf(&json, "0x%" PRIx64, frame->address);
    else
        json_string(&json, "(anonymous)");
    const uint32_t parent = trace->stacks.stacks[stack].parent;
    if (parent != 0) json_put_printf(&json, "parent", "%" PRIu32, parent);
    if (frame->file.index != 0) json_put_view(&json, "file", trace_string(trace, frame->file));
    if (frame->line != 0) json_put_u64(&json, "line", frame->line);
    if (frame->column != 0) json_put_u64(&json, "column", frame->column);
    if (frame->address != 0) json_put_printf(&json, "address", "0x%" PRIx64, frame->address);
    if (frame->flags & FRAME_IDLE) json_put_bool(&json, "idle", true);
    json_object_end(&json);
}

void writer_put_sample(const WriterPlaces *places, const Clock *clock, const WriterSample *sample, Bytes *out)
{
    const Trace *trace = places->trace;
    const Track *t = &trace->tracks[sample->track];
    StringView   name = trace_string(trace, t->name);
    JsonWriter   json = json_writer_to(out, 0);
    WriterTime   time = writer_time_of(clock, sample->tick);
    char         text[WRITER_TIME_TEXT];
    json_object_begin(&json);
    json_put_u64(&json, "cpu", 0);
    line_put_pid(places, &json, t->process.index);
    line_put_tid(places, &json, track_thread(trace, sample->track));
    json_put_raw(&json, "ts", text, (size_t)(writer_time_put(text, &time) - text));
    if (name.size > 0)
        json_put_view(&json, "name", name);
    else
        json_put_string(&json, "name", "samples");
    if (sample->stack != 0) json_put_printf(&json, "sf", "%" PRIu32, sample->stack);
    json_put_double(&json, "weight", sample->weight);
    json_object_end(&json);
}

void writer_put_stacks(StackId begin, StackId end, Bytes *out)
{
    if (begin.index != 0) bytes_printf(out, "\"sf\":\"%lu\"", (unsigned long)begin.index);
    if (begin.index != 0 && end.index != 0) bytes_append(out, ",", 1);
    if (end.index != 0) bytes_printf(out, "\"esf\":\"%lu\"", (unsigned long)end.index);
}

/* Finds the member "end" of an object if its value is an object. Sets *key and *end. */
static bool find_end(const Bytes *other, JsonValue *key, JsonValue *end)
{
    const uint8_t *stop;
    JsonValue      object;
    if (other->size == 0 ||
        json_scan_value(other->data, other->data + other->size, &object, &stop) != JSON_SCAN_DONE)
        return false;
    JsonItems items = json_items(&object);
    while (json_items_next(&items, key, end)) {
        if (json_is(key, JSON_STRING, "end") && end->kind == JSON_OBJECT) return true;
    }
    return false;
}

void writer_put_end_members(const Bytes *other, Bytes *out)
{
    JsonValue key, end;
    if (!find_end(other, &key, &end)) return;
    JsonItems items = json_items(&end);
    JsonValue value;
    Bytes     members = { 0 };
    while (json_items_next(&items, &key, &value))
        writer_member_append(&key, &value, &members);
    bytes_append(out, members.data, members.size);
    out->failed |= members.failed;
    bytes_release(&members);
}

/* Removes a member of the object in `other`, with one comma. `key` and `value` point into `other`. */
static void cut_member(Bytes *other, const JsonValue *key, const JsonValue *value)
{
    size_t from = (size_t)(key->at - 1 - other->data), to = (size_t)(value->at + value->size - other->data);
    if (value->kind == JSON_STRING) to++; /* the closing quote */
    if (other->data[from - 1] == ',')
        from--;
    else if (other->data[to] == ',')
        to++;
    memmove(other->data + from, other->data + to, other->size - to);
    other->size -= to - from;
}

void writer_cut_end_members(Bytes *other)
{
    JsonValue key, end;
    if (find_end(other, &key, &end)) cut_member(other, &key, &end);
}

void writer_cut_scope(Bytes *other, Bytes *text)
{
    if (other->size <= 2) return;
    JsonItems items = json_members_of(other);
    JsonValue key, value;
    while (json_items_next(&items, &key, &value)) {
        if (event_key(&key) != KEY_SCOPE) continue;
        text_append(&value, text, &(TextDamage){ 0 });
        cut_member(other, &key, &value);
        return;
    }
}

/* Finds the member with this EventKey; of several the last, like json_find. */
static bool find_field(const JsonValue *object, EventKey field, JsonValue *value)
{
    JsonItems items = json_items(object);
    JsonValue key, member;
    bool      any = false;
    while (json_items_next(&items, &key, &member)) {
        if (event_key(&key) != field) continue;
        *value = member;
        any = true;
    }
    return any;
}

void writer_put_end_stack(const Bytes *other, Bytes *out)
{
    static const struct {
        EventKey    key;
        const char *name;
    } FIELDS[] = { /* the first one present is used, as in the reader */
                   { KEY_STACK, "inline_estack" },
                   { KEY_SF, "esf" },
                   { KEY_ESTACK, "inline_estack" },
                   { KEY_ESF, "esf" }
    };
    JsonValue key, end, value;
    if (!find_end(other, &key, &end)) return;
    for (size_t i = 0; i < sizeof FIELDS / sizeof FIELDS[0]; i++) {
        if (!find_field(&end, FIELDS[i].key, &value)) continue;
        bytes_printf(out, "\"%s\":", FIELDS[i].name);
        bool is_string = value.kind == JSON_STRING; /* the extent is without the quotes */
        bytes_append(out, is_string ? value.at - 1 : value.at, value.size + (is_string ? 2 : 0));
        return;
    }
}
