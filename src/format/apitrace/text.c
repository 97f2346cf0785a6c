#include "format/apitrace/text.h"

#include "base/digits.h"
#include "base/file.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/guids_table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef TextWriter Text;

/* ANSI sequences; blue for literals, green for addresses. */
static const char NORMAL[] = "\033[0m", BOLD[] = "\033[1m", RED[] = "\033[31m", GREEN[] = "\033[32m",
                  BLUE[] = "\033[34m";

static inline void put_color(Text *t, const char *sequence)
{
    if (UNLIKELY(t->style->color)) bytes_append_text(t->out, sequence);
}

static inline void put_view(Text *t, StringView text)
{
    bytes_append(t->out, text.bytes, text.size);
}

static inline void put_name(Text *t, StringView name)
{
    put_view(t, text_before_nul(name));
}

#define PUT(t, literal) bytes_append((t)->out, "" literal, sizeof(literal) - 1)

/* -- numbers -- */

static void put_hex(Bytes *out, uint64_t value)
{
    char   digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    bytes_append(out, digits + at, sizeof digits - at);
}

static void put_i64(Bytes *out, int64_t value)
{
    if (value < 0) bytes_append(out, "-", 1);
    bytes_append_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void print_double(Bytes *out, int digits, double value)
{
    enum { ROOM = 40 };
    char *room = (char *)bytes_reserve(out, ROOM);
    if (room == NULL) return;
    bytes_grow(out, (size_t)snprintf(room, ROOM, "%.*g", digits, value));
}

/* Appends `scaled` / 10^decimals without trailing zeros. */
static void put_decimal(Bytes *out, uint64_t scaled, unsigned decimals)
{
    char digits[24] = ".";
    while (decimals > 0 && scaled % 10 == 0) {
        scaled /= 10;
        decimals--;
    }
    assert(decimals < 20);
    uint64_t rest = scaled;
    for (unsigned i = decimals; i > 0; i--, rest /= 10)
        digits[i] = (char)('0' + rest % 10);
    bytes_append_u64(out, rest);
    if (decimals > 0) bytes_append(out, digits, decimals + 1);
}

/* Appends a float like %.7g. Usual magnitudes do not need printf: a float has 24 bits, and 10^10 has the odd factor
 * 5^10 of 24 bits, so their product is exact in a double, and rounding it to an integer gives printf's result. */
static void put_float(Bytes *out, float value)
{
    enum { DIGITS = 7 };
    static const double POWERS[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10 };
    double              magnitude = fabs((double)value);
    if (value == 0 || !(magnitude >= 1e-3 && magnitude < 1e6)) {
        if (value == 0) {
            bytes_append_text(out, signbit(value) ? "-0" : "0");
            return;
        }
        print_double(out, DIGITS, (double)value);
        return;
    }
    unsigned decimals = DIGITS;
    for (double limit = 1; magnitude >= limit; limit *= 10)
        decimals--;
    for (double limit = 0.1; magnitude < limit && decimals < 10; limit /= 10)
        decimals++;
    uint64_t scaled = (uint64_t)nearbyint(magnitude * POWERS[decimals]);
    if (value < 0) bytes_append(out, "-", 1);
    put_decimal(out, scaled, decimals);
}

/* Appends a double like %.16g. */
static void put_double(Bytes *out, double value)
{
    enum { DIGITS = 16 };
    if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value && (value != 0 || !signbit(value))) {
        put_i64(out, (int64_t)value);
    } else {
        print_double(out, DIGITS, value);
    }
}

/* -- strings -- */

/* Appends apitrace's octal escape: the middle digit twice, unless it is 0, and no higher digits. */
static void put_octal(Text *t, uint32_t c)
{
    char   text[4] = "\\";
    size_t size = 1;
    char   middle = (char)('0' + (c >> 3 & 7)), low = (char)('0' + (c & 7));
    if (middle != '0') {
        text[size++] = middle;
        text[size++] = middle;
    }
    text[size++] = low;
    bytes_append(t->out, text, size);
}

static void put_unit(Text *t, uint32_t c)
{
    if (c == '"') {
        PUT(t, "\\\"");
    } else if (c == '\\') {
        PUT(t, "\\\\");
    } else if ((c >= 0x20 && c <= 0x7e) || c == '\t') {
        char plain = (char)c;
        bytes_append(t->out, &plain, 1);
    } else if (c == '\n' && t->style->one_line) {
        PUT(t, "\\n");
    } else if (c == '\n') {
        put_color(t, NORMAL);
        PUT(t, "\n");
        put_color(t, BLUE);
    } else if (c != '\r') {
        put_octal(t, c);
    }
}

static inline bool is_plain(uint8_t c)
{
    return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\';
}

static void put_quoted(Text *t, StringView text)
{
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    size_t         at = 0;
    put_color(t, BLUE);
    PUT(t, "\"");
    while (at < text.size && bytes[at] != 0) {
        size_t from = at;
        while (at < text.size && is_plain(bytes[at]))
            at++;
        bytes_append(t->out, bytes + from, at - from);
        if (at < text.size && bytes[at] != 0) put_unit(t, bytes[at++]);
    }
    PUT(t, "\"");
    put_color(t, NORMAL);
}

static void put_wide_string(Text *t, ByteCursor *c)
{
    uint64_t units = api_uint(t->g, c);
    bool     ended = false;
    put_color(t, BLUE);
    PUT(t, "L");
    put_color(t, BLUE);
    PUT(t, "\"");
    for (uint64_t i = 0; i < units && !c->failed; i++) {
        uint64_t unit = api_uint(t->g, c);
        if (unit == 0) ended = true;
        if (!ended) put_unit(t, (uint32_t)unit);
    }
    PUT(t, "\"");
    put_color(t, NORMAL);
}

/* -- values -- */

static void put_value(Text *t, ByteCursor *c, unsigned depth);

void text_append_bitmask(Bytes *out, const BitmaskSig *sig, uint64_t value)
{
    bool first = true;
    for (uint32_t i = 0; i < sig->count; i++) {
        uint64_t flag = sig->entries[i].value;
        bool     matches = flag == 0 ? value == 0 : (value & flag) == flag;
        if (matches) {
            StringView name = text_before_nul(sig->entries[i].name);
            if (!first) bytes_append(out, " | ", 3);
            bytes_append(out, name.bytes, name.size);
            value &= ~flag;
            first = false;
        }
        if (value == 0) break;
    }
    if (value == 0 && !first) return;
    bytes_append(out, first ? "0x" : " | 0x", first ? 2 : 5);
    put_hex(out, value);
}

/* Appends a bitmask with colours around each part. */
static void put_bitmask(Text *t, const BitmaskSig *sig, uint64_t value)
{
    if (!t->style->color) {
        text_append_bitmask(t->out, sig, value);
        return;
    }
    Bytes  plain = { NULL, 0, 0, false };
    size_t at = 0;
    text_append_bitmask(&plain, sig, value);
    while (at < plain.size) {
        const char *rest = (const char *)plain.data + at;
        size_t      size = 0, left = plain.size - at;
        while (size < left && !(left - size >= 3 && memcmp(rest + size, " | ", 3) == 0))
            size++;
        put_color(t, BLUE);
        bytes_append(t->out, rest, size);
        put_color(t, NORMAL);
        if (size < left) PUT(t, " | ");
        at += size + (size < left ? 3 : 0);
    }
    bytes_release(&plain);
}

static void put_array(Text *t, ByteCursor *c, unsigned depth)
{
    uint64_t count = api_uint(t->g, c);
    if (count == 1) {
        PUT(t, "&");
        put_value(t, c, depth + 1);
        return;
    }
    PUT(t, "{");
    for (uint64_t i = 0; i < count && !api_failed(t->g, c); i++) {
        if (i > 0) PUT(t, ", ");
        put_value(t, c, depth + 1);
    }
    PUT(t, "}");
}

/* Appends members with ", " between them; *first: before the first one. The members of an unnamed struct replace it. */
static void put_members(Text *t, ByteCursor *c, const StructSig *sig, unsigned depth, bool *first)
{
    for (uint32_t i = 0; i < sig->member_count && !api_failed(t->g, c); i++) {
        StringView name = text_before_nul(sig->members[i]);
        if (name.size == 0) {
            ByteCursor       ahead = *c;
            const StructSig *inner = cursor_u8(&ahead) == VALUE_STRUCT
                                         ? (const StructSig *)api_signature(t->g, &ahead, SPACE_STRUCT)
                                         : NULL;
            if (inner != NULL && depth < API_DEPTH_MOST) put_members(t, &ahead, inner, depth + 1, first);
            api_skip_value(t->g, c, depth);
            continue;
        }
        if (!*first) PUT(t, ", ");
        *first = false;
        put_view(t, name);
        put_color(t, NORMAL);
        PUT(t, " = ");
        put_value(t, c, depth + 1);
    }
}

static uint64_t take_uint_value(Grammar *g, ByteCursor *c, bool *good)
{
    if (cursor_u8(c) != VALUE_UINT) *good = false;
    return *good ? api_uint(g, c) : 0;
}

static int compare_guid(const void *key, const void *item)
{
    return strcmp((const char *)key, ((const NamedGuid *)item)->guid);
}

bool text_append_guid(Grammar *g, ByteCursor c, Bytes *out)
{
    enum { TAIL = 8 };
    uint64_t head[3], tail[TAIL];
    bool     good = true;
    for (size_t i = 0; i < 3; i++)
        head[i] = take_uint_value(g, &c, &good);
    if (!good || cursor_u8(&c) != VALUE_ARRAY || api_uint(g, &c) != TAIL) return false;
    for (size_t i = 0; i < TAIL; i++)
        tail[i] = take_uint_value(g, &c, &good);
    if (!good || c.failed) return false;
    char text[160];
    int  size = snprintf(text, sizeof text, "%08x-%04x-%04x-%02x%02x-", (unsigned)head[0], (unsigned)head[1],
                         (unsigned)head[2], (unsigned)tail[0], (unsigned)tail[1]);
    for (size_t i = 2; i < TAIL; i++)
        size += snprintf(text + size, sizeof text - (size_t)size, "%02x", (unsigned)tail[i]);
    const NamedGuid *named = (const NamedGuid *)bsearch(
        text, NAMED_GUIDS, sizeof NAMED_GUIDS / sizeof NAMED_GUIDS[0], sizeof NAMED_GUIDS[0], compare_guid);
    if (named != NULL) {
        bytes_append_text(out, named->name);
    } else {
        bytes_append_text(out, "uuid(");
        bytes_append(out, text, (size_t)size);
        bytes_append_text(out, ")");
    }
    return true;
}

static void put_struct(Text *t, ByteCursor *c, unsigned depth)
{
    const StructSig *sig = (const StructSig *)api_signature(t->g, c, SPACE_STRUCT);
    if (sig == NULL) return;
    ByteCursor members = *c;
    if (sig->is_guid) {
        size_t before = t->out->size;
        put_color(t, BLUE);
        if (text_append_guid(t->g, members, t->out)) {
            put_color(t, NORMAL);
            for (uint32_t i = 0; i < sig->member_count; i++)
                api_skip_value(t->g, c, depth);
            return;
        }
        if (!t->out->failed) t->out->size = before;
    }
    bool first = true;
    PUT(t, "{");
    put_members(t, c, sig, depth, &first);
    PUT(t, "}");
}

static void put_blob(Text *t, ByteCursor *c)
{
    uint64_t       size = api_uint(t->g, c);
    const uint8_t *bytes = size <= API_BYTES_MOST ? cursor_take(c, (size_t)size) : NULL;
    put_color(t, GREEN);
    PUT(t, "blob(");
    if (t->style->blobs && t->call != NULL) {
        char name[64];
        if (t->blob_count == 0) {
            (void)snprintf(name, sizeof name, "blob_call%" PRIu64 ".bin", t->call->number);
        } else {
            (void)snprintf(name, sizeof name, "blob_call%" PRIu64 "_%" PRIu32 ".bin", t->call->number,
                           t->blob_count);
        }
        t->blob_count++;
        PUT(t, "\"");
        bytes_append_text(t->out, name);
        PUT(t, "\"");
        if (!t->failed && bytes != NULL && !file_write_whole(name, bytes, (size_t)size, &t->err))
            t->failed = true;
    } else {
        bytes_append_u64(t->out, size);
    }
    PUT(t, ")");
    put_color(t, NORMAL);
}

/* Appends the representation for humans, or the one for machines if blobs are wanted. */
static void put_repr(Text *t, ByteCursor *c, unsigned depth)
{
    if (t->style->blobs) {
        api_skip_value(t->g, c, depth);
        put_value(t, c, depth + 1);
    } else {
        put_value(t, c, depth + 1);
        api_skip_value(t->g, c, depth);
    }
}

static void put_enum(Text *t, ByteCursor *c)
{
    const EnumSig *sig = (const EnumSig *)api_signature(t->g, c, SPACE_ENUM);
    if (sig == NULL) return;
    int64_t           value = api_enum_value(t->g, c, sig);
    const StringView *name = enum_name(sig, value);
    put_color(t, BLUE);
    if (name != NULL) {
        put_name(t, *name);
    } else {
        put_i64(t->out, value);
    }
    put_color(t, NORMAL);
}

static void put_address(Text *t, uint64_t address)
{
    put_color(t, GREEN);
    PUT(t, "0x");
    if (t->style->no_addresses) {
        PUT(t, "...");
    } else {
        put_hex(t->out, address);
    }
    put_color(t, NORMAL);
}

static void put_number(Text *t, ByteCursor *c, uint8_t tag)
{
    put_color(t, BLUE);
    if (tag == VALUE_FLOAT) {
        uint32_t bits = cursor_u32le(c);
        float    value;
        memcpy(&value, &bits, sizeof value);
        put_float(t->out, value);
    } else if (tag == VALUE_DOUBLE) {
        put_double(t->out, cursor_f64le(c));
    } else {
        uint64_t value = api_uint(t->g, c);
        if (tag == VALUE_SINT) {
            put_i64(t->out, (int64_t)(0 - value));
        } else {
            bytes_append_u64(t->out, value);
        }
    }
    put_color(t, NORMAL);
}

static void put_word(Text *t, const char *word)
{
    put_color(t, BLUE);
    bytes_append_text(t->out, word);
    put_color(t, NORMAL);
}

static void put_value(Text *t, ByteCursor *c, unsigned depth)
{
    if (depth > API_DEPTH_MOST) return; /* unreachable: the value was skipped before */
    uint8_t tag = cursor_u8(c);
    switch (tag) {
    case VALUE_NULL:
        put_word(t, "NULL");
        return;
    case VALUE_FALSE:
        put_word(t, "false");
        return;
    case VALUE_TRUE:
        put_word(t, "true");
        return;
    case VALUE_SINT:
    case VALUE_UINT:
    case VALUE_FLOAT:
    case VALUE_DOUBLE:
        put_number(t, c, tag);
        return;
    case VALUE_STRING:
        put_quoted(t, api_string(t->g, c));
        return;
    case VALUE_BLOB:
        put_blob(t, c);
        return;
    case VALUE_ENUM:
        put_enum(t, c);
        return;
    case VALUE_BITMASK: {
        const BitmaskSig *sig = (const BitmaskSig *)api_signature(t->g, c, SPACE_BITMASK);
        if (sig != NULL) put_bitmask(t, sig, api_uint(t->g, c));
        return;
    }
    case VALUE_ARRAY:
        put_array(t, c, depth);
        return;
    case VALUE_STRUCT:
        put_struct(t, c, depth);
        return;
    case VALUE_OPAQUE:
        put_address(t, api_uint(t->g, c));
        return;
    case VALUE_REPR:
        put_repr(t, c, depth);
        return;
    case VALUE_WSTRING:
        put_wide_string(t, c);
        return;
    }
}

/* -- calls -- */

static void put_arguments(Text *t, const FunctionSig *function)
{
    const CallParts *parts = &t->parts;
    for (uint32_t i = 0; i < parts->arg_count; i++) {
        ByteCursor value = parts->args[i];
        if (i >= function->arg_count && value.bytes == NULL) continue; /* a gap in undeclared arguments */
        if (i > 0) PUT(t, ", ");
        if (!t->style->no_arg_names) {
            if (i < function->arg_count) {
                put_name(t, function->args[i]);
            } else {
                PUT(t, "arg");
                bytes_append_u64(t->out, i);
            }
            put_color(t, NORMAL);
            PUT(t, " = ");
        }
        if (value.bytes == NULL) {
            PUT(t, "?");
        } else {
            put_value(t, &value, 0);
        }
    }
}

void text_append_signature(Text *writer, const CallEvents *call, uint32_t flags)
{
    writer->call = call;
    writer->blob_count = 0;
    put_color(writer, flags & CALL_NO_SIDE_EFFECTS ? NORMAL : BOLD);
    put_name(writer, call->function->name);
    put_color(writer, NORMAL);
    PUT(writer, "(");
    put_arguments(writer, call->function);
    PUT(writer, ")");
    if (writer->parts.result.bytes == NULL) return;
    ByteCursor result = writer->parts.result;
    PUT(writer, " = ");
    put_value(writer, &result, 0);
}

void text_append_argument(Text *writer, uint32_t index)
{
    ByteCursor value = writer->parts.args[index];
    PUT(writer, " ");
    if (value.bytes != NULL) put_value(writer, &value, 0);
}

static void text_append_frame(Bytes *out, const FrameSig *frame)
{
    bytes_append_text(out, frame->module.bytes == NULL ? "?" : "");
    StringView module = text_before_nul(frame->module), function = text_before_nul(frame->function),
               file = text_before_nul(frame->file);
    bytes_append(out, module.bytes, module.size);
    if (frame->function.bytes != NULL) {
        bytes_append_text(out, ": ");
        bytes_append(out, function.bytes, function.size);
    }
    if (frame->has_offset) {
        bytes_append_text(out, "+0x");
        put_hex(out, frame->offset);
    }
    if (frame->file.bytes == NULL) return;
    bytes_append_text(out, ": ");
    bytes_append(out, file.bytes, file.size);
    if (!frame->has_line) return;
    bytes_append_text(out, ":");
    bytes_append_u64(out, frame->line);
}

static void put_backtrace(Text *t)
{
    ByteCursor c = t->parts.backtrace;
    uint64_t   count = api_uint(t->g, &c);
    put_color(t, BOLD);
    put_color(t, RED);
    PUT(t, "Backtrace:\n");
    put_color(t, NORMAL);
    for (uint64_t i = 0; i < count && !api_failed(t->g, &c); i++) {
        const FrameSig *frame = (const FrameSig *)api_signature(t->g, &c, SPACE_FRAME);
        if (frame != NULL) text_append_frame(t->out, frame);
        PUT(t, "\n");
    }
}

bool text_append_call(Text *t, const CallEvents *call)
{
    if (!call_parts_of(t->g, call, &t->parts)) return false;
    uint32_t flags = call_flags(t->g, call, &t->parts);
    if ((flags & CALL_VERBOSE) && !t->style->verbose) return true;
    if (!t->style->no_call_numbers) {
        bytes_append_u64(t->out, call->number);
        PUT(t, " ");
    }
    if (t->style->thread_ids) {
        PUT(t, "@");
        put_hex(t->out, call->thread);
        PUT(t, " ");
    }
    text_append_signature(t, call, flags);
    if (call->fake || call->incomplete) {
        PUT(t, " //");
        if (call->fake) PUT(t, " fake");
        if (call->incomplete) {
            PUT(t, " ");
            put_color(t, RED);
            PUT(t, "incomplete");
            put_color(t, NORMAL);
        }
    }
    PUT(t, "\n");
    if (t->style->one_line) return !t->failed;
    if (t->parts.backtrace.bytes != NULL) put_backtrace(t);
    if (flags & CALL_END_FRAME) PUT(t, "\n");
    return !t->failed;
}

typedef struct PropertyText {
    StringView name, value;
    size_t     position;
} PropertyText;

static int compare_properties(const void *a, const void *b)
{
    const PropertyText *x = (const PropertyText *)a, *y = (const PropertyText *)b;
    int                 order = string_compare(x->name, y->name);
    return order != 0 ? order : (x->position > y->position) - (x->position < y->position);
}

bool text_append_properties(Text *t, const CallStream *stream, Arena *scratch)
{
    StringView name, value;
    size_t     count = 0, at = 0;
    ByteCursor c = cursor_over(stream->properties.data, stream->properties.size, stream->header.properties);
    if (stream->properties.size == 0) return true;
    for (ByteCursor counted = c; api_property(t->g, &counted, &name, &value);)
        count++;
    PropertyText *all = ARENA_ARRAY(scratch, PropertyText, count);
    if (all == NULL) return false;
    while (api_property(t->g, &c, &name, &value)) {
        all[at] = (PropertyText){ text_before_nul(name), value, at };
        at++;
    }
    qsort(all, count, sizeof *all, compare_properties);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && string_compare(all[i].name, all[i + 1].name) == 0) continue;
        PUT(t, "// ");
        put_view(t, all[i].name);
        PUT(t, " = ");
        put_quoted(t, all[i].value);
        PUT(t, "\n");
    }
    return true;
}

void text_writer_release(Text *writer)
{
    bytes_release(&writer->parts.memory);
}
