#include "base/base64.h"

/* Returns the value of a character; -1: it has none. */
static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '-') return 62;
    return c == '_' ? 63 : -1;
}

bool base64_url_append(StringView code, Bytes *out, size_t *fault)
{
    uint32_t bits = 0;
    unsigned count = 0; /* of valid low bits */
    for (size_t i = 0; i < code.size; i++) {
        const int value = value_of(code.bytes[i]);
        *fault = i;
        if (value < 0) return false;
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        const uint8_t byte = (uint8_t)(bits >> count);
        bytes_append(out, &byte, 1);
        bits &= (1U << count) - 1;
    }
    *fault = code.size;
    return count < 6 && bits == 0; /* the bits after the last byte are zeros */
}

void base64_append(const void *bytes, size_t size, Bytes *out)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t    *in = bytes;
    for (size_t i = 0; i < size; i += 3) {
        const size_t   left = size - i;
        const uint32_t bits =
            (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        const char code[4] = { DIGITS[bits >> 18], DIGITS[bits >> 12 & 63],
                               left > 1 ? DIGITS[bits >> 6 & 63] : '=', left > 2 ? DIGITS[bits & 63] : '=' };
        bytes_append(out, code, sizeof code);
    }
}
