#include "format/apitrace/values.h"

#include "base/utf8.h"
#include "format/apitrace/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void write_text(JsonWriter *w, Bytes *text)
{
    json_string_bytes(w, (StringView){ text->size == 0 ? "" : (const char *)text->data, text->size });
    if (text->failed) w->out->failed = true;
    bytes_release(text);
}

static void write_hex(JsonWriter *w, const char *prefix, uint64_t value)
{
    Bytes text = { NULL, 0, 0, false };
    bytes_printf(&text, "%s%llx", prefix, (unsigned long long)value);
    write_text(w, &text);
}

/* UTF-16 from Windows, UTF-32 from elsewhere: pairs of surrogates occur in the former alone. */
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
    } else { /* JSON has no words for them */
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

static void write_blob(Grammar *g, ByteCursor *c, JsonWriter *w)
{
    StringView bytes = api_string(g, c);
    Bytes      hex = { NULL, 0, 0, false };
    json_object_begin(w);
    json_put_u64(w, "bytes", bytes.size);
    json_key(w, "hex");
    for (size_t i = 0; i < bytes.size && i < BLOB_PREVIEW; i++)
        bytes_printf(&hex, "%s%02x", i == 0 ? "" : " ", (unsigned)(uint8_t)bytes.bytes[i]);
    if (bytes.size > BLOB_PREVIEW) bytes_append_text(&hex, " ...");
    write_text(w, &hex);
    json_put_u64(w, "blob", g->blob_count++);
    if (g->blob_count == g->blob_wanted) g->blob = bytes;
    json_object_end(w);
}

static void write_enum(Grammar *g, ByteCursor *c, JsonWriter *w)
{
    const EnumSig *sig = (const EnumSig *)api_signature(g, c, SPACE_ENUM);
    if (sig == NULL) {
        json_null(w);
        return;
    }
    int64_t           value = api_enum_value(g, c, sig);
    const StringView *name = enum_name(sig, value);
    if (name != NULL) {
        json_string_bytes(w, *name);
    } else {
        json_i64(w, value);
    }
}

static void write_bitmask(Grammar *g, ByteCursor *c, JsonWriter *w)
{
    const BitmaskSig *sig = (const BitmaskSig *)api_signature(g, c, SPACE_BITMASK);
    Bytes             text = { NULL, 0, 0, false };
    if (sig != NULL) text_append_bitmask(&text, sig, api_uint(g, c));
    write_text(w, &text);
}

static void write_value(Grammar *g, ByteCursor *c, JsonWriter *w, unsigned depth);

static void write_members(Grammar *g, ByteCursor *c, const StructSig *sig, JsonWriter *w, unsigned depth)
{
    for (uint32_t i = 0; i < sig->member_count && !api_failed(g, c); i++) {
        ByteCursor       ahead = *c;
        bool             is_inner = sig->members[i].size == 0 && cursor_u8(&ahead) == VALUE_STRUCT;
        const StructSig *inner = is_inner ? (const StructSig *)api_signature(g, &ahead, SPACE_STRUCT) : NULL;
        if (inner != NULL && depth < API_DEPTH_MOST) {
            write_members(g, &ahead, inner, w, depth + 1);
            api_skip_value(g, c, depth);
        } else {
            json_key_bytes(w, sig->members[i]);
            write_value(g, c, w, depth + 1);
        }
    }
}

static void write_struct(Grammar *g, ByteCursor *c, JsonWriter *w, unsigned depth)
{
    const StructSig *sig = (const StructSig *)api_signature(g, c, SPACE_STRUCT);
    if (sig == NULL) {
        json_null(w);
        return;
    }
    Bytes guid = { NULL, 0, 0, false };
    if (sig->is_guid && text_append_guid(g, *c, &guid)) {
        write_text(w, &guid);
        for (uint32_t i = 0; i < sig->member_count; i++)
            api_skip_value(g, c, depth);
        return;
    }
    json_object_begin(w);
    write_members(g, c, sig, w, depth);
    json_object_end(w);
}

static void write_array(Grammar *g, ByteCursor *c, JsonWriter *w, unsigned depth)
{
    uint64_t count = api_uint(g, c);
    json_array_begin(w);
    for (uint64_t i = 0; i < count && !api_failed(g, c); i++)
        write_value(g, c, w, depth + 1);
    json_array_end(w);
}

static void write_text_value(Grammar *g, ByteCursor *c, JsonWriter *w)
{
    Bytes text = { NULL, 0, 0, false };
    (void)value_append_text(g, *c, &text);
    write_text(w, &text);
    api_skip_value(g, c, 0);
}

/* JSON is nested to a limit; what is deeper is told, not shown. */
static void write_value(Grammar *g, ByteCursor *c, JsonWriter *w, unsigned depth)
{
    if (w->depth + 4 >= JSON_MAX_DEPTH) {
        api_skip_value(g, c, depth);
        json_string(w, "(nested too deeply)");
        return;
    }
    uint8_t tag = c->at < c->size ? c->bytes[c->at] : 0;
    if (tag == VALUE_STRING || tag == VALUE_WSTRING) {
        write_text_value(g, c, w);
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
        write_blob(g, c, w);
        return;
    case VALUE_ENUM:
        write_enum(g, c, w);
        return;
    case VALUE_BITMASK:
        write_bitmask(g, c, w);
        return;
    case VALUE_ARRAY:
        write_array(g, c, w, depth);
        return;
    case VALUE_STRUCT:
        write_struct(g, c, w, depth);
        return;
    case VALUE_OPAQUE:
        write_hex(w, "0x", api_uint(g, c));
        return;
    case VALUE_REPR:
        json_object_begin(w);
        json_key(w, "text");
        write_value(g, c, w, depth + 1);
        json_key(w, "data");
        write_value(g, c, w, depth + 1);
        json_object_end(w);
        return;
    default:
        json_null(w);
        return;
    }
}

void value_write(Grammar *g, ByteCursor *c, JsonWriter *w)
{
    write_value(g, c, w, 0);
}
