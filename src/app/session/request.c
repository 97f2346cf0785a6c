#include "app/session/request.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

/* Decodes %XX and '+' into `out`, which has room for text.size + 1 bytes. False for a broken escape or a NUL. */
static bool percent_decode(StringView text, char *out, size_t *size)
{
    size_t length = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        if (c == '+') c = ' ';
        if (c == '%') {
            if (text.size - i < 3) return false;
            const unsigned high = ascii_hex_value(text.bytes[i + 1]),
                           low = ascii_hex_value(text.bytes[i + 2]);
            if (high == 16 || low == 16) return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (c == '\0') return false;
        out[length++] = c;
    }
    assert(length <= text.size);
    out[length] = '\0';
    *size = length;
    return true;
}

static bool decode_into(StringView text, Arena *arena, StringView *out, const char **problem)
{
    char *bytes = arena_push_raw(arena, text.size + 1, 1);
    if (bytes == NULL) {
        *problem = "out of memory";
        return false;
    }
    size_t size;
    if (!percent_decode(text, bytes, &size) || utf8_valid_prefix(bytes, size) != size) {
        *problem = "the request is not percent-encoded UTF-8";
        return false;
    }
    *out = (StringView){ bytes, size };
    return true;
}

static bool param_parse(StringView text, Arena *arena, RequestParam *param, const char **problem)
{
    StringView rest = text, key, value = { "", 0 };
    if (!text_next_part(&rest, '=', &key)) return false;
    if (rest.bytes != NULL) value = rest; /* a value may contain '=' */
    return decode_into(key, arena, &param->key, problem) && decode_into(value, arena, &param->value, problem);
}

bool request_parse(const char *text, Arena *arena, Request *request, const char **problem)
{
    *request = (Request){ 0 };
    StringView rest = { text, strlen(text) }, part;
    if (rest.size > REQUEST_MAX_BYTES) {
        *problem = "the request is too long";
        return false;
    }
    if (!text_next_part(&rest, '?', &part) || !decode_into(part, arena, &request->name, problem))
        return false;
    while (text_next_part(&rest, '&', &part)) {
        if (part.size == 0) continue;
        if (request->param_count == REQUEST_MAX_PARAMS) {
            *problem = "the request has too many parameters";
            return false;
        }
        if (!param_parse(part, arena, &request->params[request->param_count], problem)) return false;
        request->param_count++;
    }
    return true;
}

const StringView *request_param(const Request *request, const char *key)
{
    assert(request->param_count <= REQUEST_MAX_PARAMS);
    StringView wanted = c_string_view(key);
    for (uint32_t i = request->param_count; i-- > 0;) {
        if (string_equal(request->params[i].key, wanted)) return &request->params[i].value;
    }
    return NULL;
}
