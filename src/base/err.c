#include "base/err.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies text into a message as one line of valid UTF-8; messages may quote strings of the input. A text that does not
 * fit is truncated at a code point and ends in "...". */
static void message_fill(char *message, size_t message_size, const char *text, size_t text_size)
{
    size_t length = 0, cut = 0; /* cut: the longest prefix that leaves room for the dots */
    for (size_t at = 0, used; at < text_size; at += used) {
        uint32_t code_point = utf8_decode(text + at, text_size - at, &used);
        if (code_point < 0x20 || code_point == 0x7f) code_point = ' ';
        char   encoded[4];
        size_t encoded_size = utf8_encode(code_point, encoded);
        if (length + encoded_size >= message_size) {
            memcpy(message + cut, "...", 4);
            return;
        }
        memcpy(message + length, encoded, encoded_size);
        length += encoded_size;
        if (length + 4 <= message_size) cut = length;
    }
    message[length] = '\0';
}

static void err_fill(Err *err, ErrCode code, uint64_t offset, uint64_t event, const char *format,
                     va_list args) PRINTF_LIKE(5, 0);

static void err_fill(Err *err, ErrCode code, uint64_t offset, uint64_t event, const char *format,
                     va_list args)
{
    char text[2 * sizeof err->message];
    int  length = vsnprintf(text, sizeof text, format, args);
    if (length < 0) length = 0;
    size_t size = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    err->code = code;
    err->offset = offset;
    err->event = event;
    message_fill(err->message, sizeof err->message, text, size);
}

bool err_set(Err *err, ErrCode code, const char *format, ...)
{
    if (err == NULL) return false;
    va_list args;
    va_start(args, format);
    err_fill(err, code, ERR_NOWHERE, ERR_NOWHERE, format, args);
    va_end(args);
    return false;
}

bool err_set_at(Err *err, ErrCode code, uint64_t offset, uint64_t event, const char *format, ...)
{
    if (err == NULL) return false;
    va_list args;
    va_start(args, format);
    err_fill(err, code, offset, event, format, args);
    va_end(args);
    return false;
}

size_t err_format(const Err *err, char *out, size_t size)
{
    if (size == 0) return 0;
    char where[64] = "";
    if (err->offset != ERR_NOWHERE && err->event != ERR_NOWHERE) {
        (void)snprintf(where, sizeof where, " (byte %" PRIu64 ", event %" PRIu64 ")", err->offset,
                       err->event);
    } else if (err->offset != ERR_NOWHERE) {
        (void)snprintf(where, sizeof where, " (byte %" PRIu64 ")", err->offset);
    } else if (err->event != ERR_NOWHERE) {
        (void)snprintf(where, sizeof where, " (event %" PRIu64 ")", err->event);
    }
    char   text[sizeof err->message + sizeof where];
    int    length = snprintf(text, sizeof text, "%s%s", err->message, where);
    size_t kept = utf8_cut(text, (size_t)length, size - 1);
    memcpy(out, text, kept);
    out[kept] = '\0';
    return kept;
}

const char *err_code_name(ErrCode code)
{
    switch (code) {
    case ERR_NONE:
        return "none";
    case ERR_IO:
        return "io";
    case ERR_OUTPUT:
        return "output";
    case ERR_MEMORY:
        return "memory";
    case ERR_TRUNCATED:
        return "truncated";
    case ERR_CORRUPT:
        return "corrupt";
    case ERR_VERSION:
        return "version";
    case ERR_LIMIT:
        return "limit";
    case ERR_UNKNOWN:
        return "unknown";
    case ERR_CANCELLED:
        return "cancelled";
    case ERR_USAGE:
        return "usage";
    }
    return "unknown";
}
