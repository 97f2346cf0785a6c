#include "format/apitrace/values.h"

#include "base/utf8.h"
#include "format/apitrace/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void write_text(JsonWriter *w, Bytes *text)
{
    json_string_bytes(w, bytes_view(text));
    if (text->failed) w->out->failed = true;
    bytes_release(text);
}

static void write_hex(JsonWriter *w, const char *prefix, uint64_t value)
{
    Bytes text = { NULL, 0, 0, false };
    bytes_printf(&text, "%s%llx", prefix, (unsigned long long)value);
    write_text(w, &text);
}

/* Appends a wide string: UTF-16 from Windows, UTF-32 from other systems. Only UTF-16 has surrogate pairs. */
static void append_wide(Grammar *g, ByteCursor *c, Bytes *out)
{
    uint64_t units = api_uint(g, c);
    uint32_t high = 0;
    for (uint64_t i = 0; i < units && !api_failed(g, c); i++) {
        uint64_t unit = api_uint(g, c);
        uint32_t code_point = unit > 0x10ffff ? 0xfffd : (uint32_t)unit;
        char     text[4];
        bool     is_low = code_point >= 0xdc00 && code_point < 0xe000;
        if (high != 0 && is_low) {
            code_point = 0x10000 + ((high - 0xd800) << 10) + (code_point - 0xdc00);
        } else if (high != 0) {
            bytes_append(out, text, utf8_encode(0xfffd, text));
        }
        high = code_point >= 0xd800 && code_point < 0xdc00 ? code_point : 0;
        if (high == 0) bytes_append(out, text, utf8_encode(code_point, text));
    }
    char text[4];
    if (high != 0) bytes_append(out, text, utf8_encode(0xfffd, text));
}

bool value_append_text(Grammar *g, ByteCursor value, Bytes *out)
{
    uint8_t tag = cursor_u8(&value);
    if (tag == VALUE_STRING) {
        StringView text = api_string(g, &value);
        (void)utf8_append_repaired(out, text.bytes, text.size);
        return true;
    }
    if (tag != VALUE_WSTRING) return false;
    append_wide(g, &value, out);
    return true;
}

static void write_double(JsonWriter *w, double value)
{
    if (isfinite(value)) {
        json_double(w, value);
    } else { /* JSON has no such numbers */
        json_string(w, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
    }
}

size_t value_print_float(uint32_t bits, char text[VALUE_FLOAT_TEXT])
{
    float value;
    int   size = 0;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) return 0;
    for (int digits = 6; digits <= 9; digits++) {
        size = snprintf(text, VALUE_FLOAT_TEXT, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    return (size_t)size;
}

static void write_float(JsonWriter *w, ByteCursor *c)
{
    const uint32_t bits = cursor_u32le(c);
    char           text[VALUE_FLOAT_TEXT];
    const size_t   size = value_print_float(bits, text);
    if (size > 0) {
        json_raw(w, text, size);
    } else {
        float value;
        memcpy(&value, &bits, sizeof value);
        write_double(w, (double)value);
    }
}

/* -- notes with facts that the JSON does not have, by the path of the value -- */

/* Appends a name to the path. Returns the path's size before. Of an overlong name only a part is copied, which makes
 * the path too long as well. */
static size_t path_enter(ValueWriter *v, const char *mark, StringView name)
{
    size_t before = v->path.size;
    bytes_append_text(&v->path, mark);
    bytes_append(&v->path, name.bytes, name.size <= VALUE_PATH_MOST ? name.size : VALUE_PATH_MOST + 1);
    return before;
}

static size_t path_enter_element(ValueWriter *v, uint64_t index)
{
    size_t before = v->path.size;
    bytes_printf(&v->path, "[%llu]", (unsigned long long)index);
    return before;
}

/* Writes the key of a note for the current value and returns its writer. NULL if the path is too long. */
static JsonWriter *note_begin(ValueWriter *v, ValueNotes *notes)
{
    if (v->path.size > VALUE_PATH_MOST) return NULL;
    if (notes->text.size == 0) {
        notes->writer = json_writer_to(&notes->text, 0);
        json_object_begin(&notes->writer);
    }
    json_key_bytes(&notes->writer, bytes_view(&v->path));
    return &notes->writer;
}

static void note_struct(ValueWriter *v, const StructSig *sig)
{
    JsonWriter *w = note_begin(v, &v->structs);
    if (w != NULL) json_string_bytes(w, sig->name);
}

/* True if a value of the kind at the cursor has a note, or may contain values with notes. */
static bool may_have_notes(const ByteCursor *c)
{
    switch (c->at < c->size ? c->bytes[c->at] : VALUE_NULL) {
    case VALUE_ENUM:
    case VALUE_BITMASK:
    case VALUE_ARRAY:
    case VALUE_STRUCT:
    case VALUE_REPR:
        return true;
    default:
        return false;
    }
}

/* -- values by their kinds -- */

/* Appends bytes as "00 7f ff". */
static void append_hex(Bytes *out, const char *bytes, size_t size)
{
    static const char DIGITS[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)bytes[i];
        const char    text[] = { ' ', DIGITS[byte >> 4], DIGITS[byte & 15] };
        bytes_append(out, i == 0 ? text + 1 : text, i == 0 ? 2 : 3);
    }
}

static void write_blob(ValueWriter *v, ByteCursor *c)
{
    StringView bytes = api_string(v->g, c);
    size_t     shown = v->blob_rule == BLOBS_WHOLE || bytes.size < BLOB_PREVIEW ? bytes.size : BLOB_PREVIEW;
    assert(shown <= bytes.size);
    Bytes hex = { NULL, 0, 0, false };
    json_object_begin(v->out);
    json_put_u64(v->out, "bytes", bytes.size);
    json_key(v->out, "hex");
    append_hex(&hex, bytes.bytes, shown);
    if (shown < bytes.size) bytes_append_text(&hex, " ...");
    write_text(v->out, &hex);
    json_put_u64(v->out, "blob", v->blob_count++);
    if (v->blob_count == v->blob_wanted) v->blob = bytes;
    json_object_end(v->out);
}

static void write_enum(ValueWriter *v, ByteCursor *c)
{
    const EnumSig *sig = (const EnumSig *)api_signature(v->g, c, SPACE_ENUM);
    if (sig == NULL) {
        json_null(v->out);
        return;
    }
    int64_t           value = api_enum_value(v->g, c, sig);
    const StringView *name = enum_name(sig, value);
    JsonWriter       *note = note_begin(v, &v->numbers);
    if (name != NULL) {
        json_string_bytes(v->out, *name);
    } else {
        json_i64(v->out, value);
    }
    if (note != NULL) json_i64(note, value);
}

static void write_bitmask(ValueWriter *v, ByteCursor *c)
{
    const BitmaskSig *sig = (const BitmaskSig *)api_signature(v->g, c, SPACE_BITMASK);
    Bytes             text = { NULL, 0, 0, false };
    if (sig != NULL) {
        uint64_t    value = api_uint(v->g, c);
        JsonWriter *note = note_begin(v, &v->numbers);
        text_append_bitmask(&text, sig, value);
        if (note != NULL) json_u64(note, value);
    }
    write_text(v->out, &text);
}

static void write_value(ValueWriter *v, ByteCursor *c, unsigned depth);

static void write_member(ValueWriter *v, ByteCursor *c, StringView name, unsigned depth)
{
    size_t before = may_have_notes(c) ? path_enter(v, ".", name) : v->path.size;
    json_key_bytes(v->out, name);
    write_value(v, c, depth + 1);
    v->path.size = before;
}

static void write_members(ValueWriter *v, ByteCursor *c, const StructSig *sig, unsigned depth)
{
    assert(depth <= API_DEPTH_MOST);
    Grammar *g = v->g;
    for (uint32_t i = 0; i < sig->member_count && !api_failed(g, c); i++) {
        ByteCursor       ahead = *c;
        bool             is_inner = sig->members[i].size == 0 && cursor_u8(&ahead) == VALUE_STRUCT;
        const StructSig *inner = is_inner ? (const StructSig *)api_signature(g, &ahead, SPACE_STRUCT) : NULL;
        if (inner != NULL && depth < API_DEPTH_MOST) {
            write_members(v, &ahead, inner, depth + 1);
            api_skip_value(g, c, depth);
        } else {
            write_member(v, c, sig->members[i], depth);
        }
    }
}

static void write_struct(ValueWriter *v, ByteCursor *c, unsigned depth)
{
    const StructSig *sig = (const StructSig *)api_signature(v->g, c, SPACE_STRUCT);
    if (sig == NULL) {
        json_null(v->out);
        return;
    }
    Bytes guid = { NULL, 0, 0, false };
    note_struct(v, sig);
    if (sig->is_guid && text_append_guid(v->g, *c, &guid)) {
        write_text(v->out, &guid);
        for (uint32_t i = 0; i < sig->member_count; i++)
            api_skip_value(v->g, c, depth);
        return;
    }
    json_object_begin(v->out);
    write_members(v, c, sig, depth);
    json_object_end(v->out);
}

static void write_array(ValueWriter *v, ByteCursor *c, unsigned depth)
{
    uint64_t count = api_uint(v->g, c);
    json_array_begin(v->out);
    for (uint64_t i = 0; i < count && !api_failed(v->g, c); i++) {
        size_t before = may_have_notes(c) ? path_enter_element(v, i) : v->path.size;
        write_value(v, c, depth + 1);
        v->path.size = before;
    }
    json_array_end(v->out);
}

static void write_text_value(ValueWriter *v, ByteCursor *c)
{
    Bytes text = { NULL, 0, 0, false };
    (void)value_append_text(v->g, *c, &text);
    write_text(v->out, &text);
    api_skip_value(v->g, c, 0);
}

static void write_repr(ValueWriter *v, ByteCursor *c, unsigned depth)
{
    static const char *const PARTS[] = { "text", "data" };
    json_object_begin(v->out);
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++)
        write_member(v, c, c_string_view(PARTS[i]), depth);
    json_object_end(v->out);
}

/* Writes a value. Nesting is limited: a deeper value is skipped, and a text replaces it. */
static void write_value(ValueWriter *v, ByteCursor *c, unsigned depth)
{
    Grammar    *g = v->g;
    JsonWriter *w = v->out;
    if (w->depth + 4 >= JSON_MAX_DEPTH) {
        api_skip_value(g, c, depth);
        json_string(w, "(nested too deeply)");
        return;
    }
    uint8_t tag = c->at < c->size ? c->bytes[c->at] : 0;
    if (tag == VALUE_STRING || tag == VALUE_WSTRING) {
        write_text_value(v, c);
        return;
    }
    switch (cursor_u8(c)) {
    case VALUE_FALSE:
        json_bool(w, false);
        return;
    case VALUE_TRUE:
        json_bool(w, true);
        return;
    case VALUE_SINT:
        json_i64(w, (int64_t)(0 - api_uint(g, c)));
        return;
    case VALUE_UINT:
        json_u64(w, api_uint(g, c));
        return;
    case VALUE_FLOAT:
        write_float(w, c);
        return;
    case VALUE_DOUBLE:
        write_double(w, cursor_f64le(c));
        return;
    case VALUE_BLOB:
        write_blob(v, c);
        return;
    case VALUE_ENUM:
        write_enum(v, c);
        return;
    case VALUE_BITMASK:
        write_bitmask(v, c);
        return;
    case VALUE_ARRAY:
        write_array(v, c, depth);
        return;
    case VALUE_STRUCT:
        write_struct(v, c, depth);
        return;
    case VALUE_OPAQUE:
        write_hex(w, "0x", api_uint(g, c));
        return;
    case VALUE_REPR:
        write_repr(v, c, depth);
        return;
    default:
        json_null(w);
        return;
    }
}

void value_write(ValueWriter *v, StringView name, ByteCursor value)
{
    bytes_clear(&v->path);
    (void)path_enter(v, "", name);
    json_key_bytes(v->out, name);
    write_value(v, &value, 0);
    if (v->path.failed || v->numbers.text.failed || v->structs.text.failed) v->out->out->failed = true;
}

static void notes_put(ValueNotes *notes, const char *key, JsonWriter *w)
{
    if (notes->text.size == 0) return;
    json_object_end(&notes->writer);
    json_put_raw(w, key, (const char *)notes->text.data, notes->text.size);
    if (notes->text.failed) w->out->failed = true;
}

void value_notes_put(ValueWriter *v, JsonWriter *w)
{
    notes_put(&v->numbers, "numbers", w);
    notes_put(&v->structs, "structs", w);
}

void value_writer_release(ValueWriter *v)
{
    bytes_release(&v->path);
    bytes_release(&v->numbers.text);
    bytes_release(&v->structs.text);
}
