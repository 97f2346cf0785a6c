#include "format/apitrace/search.h"

#include "base/utf8.h"
#include "format/apitrace/call_flags.h"
#include "format/apitrace/text.h"
#include "format/apitrace/values.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct ValueSearch {
    Grammar          *g;
    const DetailTest *test;
} ValueSearch;

static bool finds(const ValueSearch *s, const StringView *key, StringView value)
{
    return s->test->finds(s->test->context, key, value);
}

/* True if the text may match. Invalid UTF-8 is replaced in the output, so it may match anything. */
static bool finds_text(const ValueSearch *s, const StringView *key, StringView text)
{
    return utf8_valid_prefix(text.bytes, text.size) < text.size || finds(s, key, text);
}

static bool finds_any_number(const ValueSearch *s, const StringView *key)
{
    return finds(s, key, (StringView){ NULL, 0 });
}

static PRINTF_LIKE(3, 4) bool finds_printed(const ValueSearch *s, const StringView *key, const char *format,
                                            ...)
{
    char    text[32];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return finds(s, key, (StringView){ text, (size_t)size });
}

static bool finds_float(const ValueSearch *s, const StringView *key, uint32_t bits)
{
    char text[VALUE_FLOAT_TEXT];
    if (!finds_any_number(s, key)) return false;
    size_t size = value_print_float(bits, text);
    return size == 0 || finds(s, key, (StringView){ text, size });
}

static bool may_hold(const ValueSearch *s, ByteCursor *c, const StringView *key, unsigned depth);

static bool members_may_hold(const ValueSearch *s, ByteCursor *c, unsigned depth)
{
    const StructSig *sig = (const StructSig *)api_signature(s->g, c, SPACE_STRUCT);
    if (sig == NULL || sig->is_guid || finds_text(s, NULL, sig->name)) return true;
    for (uint32_t i = 0; i < sig->member_count; i++) {
        /* under any name, because an unnamed member has no key */
        if (may_hold(s, c, NULL, depth + 1)) return true;
    }
    return false;
}

static bool elements_may_hold(const ValueSearch *s, ByteCursor *c, const StringView *key, unsigned depth)
{
    uint64_t count = api_uint(s->g, c);
    for (uint64_t i = 0; i < count; i++) {
        if (may_hold(s, c, key, depth + 1)) return true;
    }
    return false;
}

static bool enum_may_hold(const ValueSearch *s, ByteCursor *c, const StringView *key)
{
    const EnumSig *sig = (const EnumSig *)api_signature(s->g, c, SPACE_ENUM);
    if (sig == NULL) return true;
    const StringView *name = enum_name(sig, api_enum_value(s->g, c, sig));
    return name != NULL ? finds_text(s, key, *name) : finds_any_number(s, key);
}

static bool bitmask_may_hold(const ValueSearch *s, ByteCursor *c, const StringView *key)
{
    const BitmaskSig *sig = (const BitmaskSig *)api_signature(s->g, c, SPACE_BITMASK);
    Bytes             text = { NULL, 0, 0, false };
    if (sig == NULL) return true;
    text_append_bitmask(&text, sig, api_uint(s->g, c));
    bool held = text.failed || finds_text(s, key, bytes_view(&text));
    bytes_release(&text);
    return held;
}

/* True if the JSON of the value at the cursor may match. If false, the cursor is after the value. */
static bool may_hold(const ValueSearch *s, ByteCursor *c, const StringView *key, unsigned depth)
{
    Grammar *g = s->g;
    enum { DEPTH_MOST = 16 }; /* deeper values have another output */
    if (depth >= DEPTH_MOST || api_failed(g, c)) return true;
    switch (cursor_u8(c)) {
    case VALUE_NULL:
    case VALUE_FALSE:
    case VALUE_TRUE:
        return finds_any_number(s, key);
    case VALUE_FLOAT:
        return finds_float(s, key, cursor_u32le(c));
    case VALUE_DOUBLE:
        (void)cursor_take(c, sizeof(double));
        return finds_any_number(s, key);
    case VALUE_SINT: {
        uint64_t value = api_uint(g, c);
        return finds_any_number(s, key) && finds_printed(s, key, "%" PRId64, (int64_t)(0 - value));
    }
    case VALUE_UINT: {
        uint64_t value = api_uint(g, c);
        return finds_any_number(s, key) && finds_printed(s, key, "%" PRIu64, value);
    }
    case VALUE_OPAQUE: {
        uint64_t value = api_uint(g, c);
        return finds_any_number(s, key) && finds_printed(s, key, "0x%" PRIx64, value);
    }
    case VALUE_STRING:
        return finds_text(s, key, api_string(g, c));
    case VALUE_BLOB:
        (void)api_string(g, c);
        return finds_any_number(s, NULL); /* its size, bytes and number */
    case VALUE_ENUM:
        return enum_may_hold(s, c, key);
    case VALUE_BITMASK:
        return bitmask_may_hold(s, c, key);
    case VALUE_ARRAY:
        return elements_may_hold(s, c, key, depth);
    case VALUE_STRUCT:
        return members_may_hold(s, c, depth);
    default: /* wide strings, two representations and unknown kinds are rare */
        return true;
    }
}

static bool value_may_hold(const ValueSearch *s, ByteCursor value, StringView key)
{
    if (value.bytes == NULL) return finds(s, &key, STRING_LITERAL("?"));
    return may_hold(s, &value, &key, 0) || api_failed(s->g, &value);
}

static bool flags_may_hold(const ValueSearch *s, uint32_t flags)
{
    const StringView key = STRING_LITERAL("flags");
    const char      *name;
    uint32_t         flag;
    for (size_t i = 0; flags != 0 && (name = call_flag_name(i, &flag)) != NULL; i++) {
        if ((flags & flag) != 0 && finds(s, &key, c_string_view(name))) return true;
    }
    return false;
}

bool call_may_hold(Grammar *g, const CallEvents *call, const CallParts *parts, const DetailTest *test)
{
    const ValueSearch search = { g, test };
    if (parts->backtrace.bytes != NULL || parts->arg_count > call->function->arg_count) return true;
    for (uint32_t i = 0; i < parts->arg_count; i++) {
        if (value_may_hold(&search, parts->args[i], call->function->args[i])) return true;
    }
    if (parts->result.bytes != NULL && value_may_hold(&search, parts->result, STRING_LITERAL("return")))
        return true;
    return flags_may_hold(&search, call_flags(g, call, parts));
}
