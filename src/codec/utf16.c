#include "codec/utf16.h"

#include "base/utf8.h"

#include <string.h>

static bool is_ascii_text(uint8_t c)
{
    return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\r' || c == '\n';
}

TextEncoding text_detect(const uint8_t *head, size_t size)
{
    if (size >= 2 && head[0] == 0xff && head[1] == 0xfe) return TEXT_UTF16_LE;
    if (size >= 2 && head[0] == 0xfe && head[1] == 0xff) return TEXT_UTF16_BE;
    if (size < 4) return TEXT_UTF8;
    bool little =
        head[1] == 0 && head[3] == 0 && (head[0] == '[' || head[0] == '{') && is_ascii_text(head[2]);
    bool big = head[0] == 0 && head[2] == 0 && (head[1] == '[' || head[1] == '{') && is_ascii_text(head[3]);
    if (little) return TEXT_UTF16_LE;
    return big ? TEXT_UTF16_BE : TEXT_UTF8;
}

static uint32_t unit_at(TextEncoding encoding, const uint8_t *at)
{
    return encoding == TEXT_UTF16_LE ? (uint32_t)(at[0] | at[1] << 8) : (uint32_t)(at[0] << 8 | at[1]);
}

/* Lengths that are not those of a character. */
enum {
    CODE_CUT = 0, /* the input ends inside the character */
    CODE_ODD = 1  /* the last byte of an input of odd length */
};

/* Returns the number of bytes of the character at `at`, or CODE_CUT or CODE_ODD. Sets *code to its code point, UINT32_MAX
 * for an invalid sequence. */
static size_t code_at(TextEncoding encoding, bool is_last, const uint8_t *at, size_t left, uint32_t *code)
{
    *code = UINT32_MAX;
    if (left < 2) return is_last ? CODE_ODD : CODE_CUT;
    uint32_t first = unit_at(encoding, at);
    if (first < 0xd800 || first > 0xdfff) {
        *code = first;
        return 2;
    }
    if (first >= 0xdc00) return 2;
    if (left < 4) return is_last ? 2 : CODE_CUT;
    uint32_t second = unit_at(encoding, at + 2);
    if (second < 0xdc00 || second > 0xdfff) return 2;
    *code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    return 4;
}

Utf16Step utf16_decode(TextEncoding encoding, Utf16Input input, const uint8_t *in, size_t in_size,
                       uint8_t *out, size_t out_size)
{
    Utf16Step step = { 0 };
    while (step.in_used < in_size) {
        uint32_t code;
        char     text[4];
        size_t   length =
            code_at(encoding, input == UTF16_ENDS, in + step.in_used, in_size - step.in_used, &code);
        if (length == CODE_CUT) break;
        size_t text_size = utf8_encode(code, text);
        if (text_size > out_size - step.out_used) break;
        memcpy(out + step.out_used, text, text_size);
        if (code == UINT32_MAX && step.replaced++ == 0) step.first_replaced = step.in_used;
        step.out_used += text_size;
        step.in_used += length;
    }
    return step;
}
