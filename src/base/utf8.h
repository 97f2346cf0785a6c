/* base/utf8.h - validates, repairs, encodes and decodes UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H
#include "base/string_view.h"

/* True if all bytes are ASCII. */
static inline bool utf8_is_ascii(const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t       eight, all = 0;
    if (size < sizeof eight) {
        for (size_t i = 0; i < size; i++)
            all |= at[i];
        return all < 0x80;
    }
    for (size_t i = 0; i < size - sizeof eight; i += sizeof eight) {
        memcpy(&eight, at + i, sizeof eight);
        all |= eight;
    }
    memcpy(&eight, at + size - sizeof eight, sizeof eight); /* may begin before the end of the bytes above */
    return ((all | eight) & 0x8080808080808080u) == 0;
}

/* Returns the number of bytes of valid UTF-8 at the start. Surrogates and overlong forms are invalid. */
size_t utf8_valid_prefix(const void *bytes, size_t size);
/* Appends the text with every maximal invalid part replaced by U+FFFD. Returns the number of replacements. */
size_t utf8_append_repaired(Bytes *out, const void *bytes, size_t size);
/* Encodes a code point, or U+FFFD if it is not a valid one. Returns the number of bytes, 1 to 4. */
size_t utf8_encode(uint32_t code_point, char out[4]);
/* Returns the code point at `bytes` (size > 0), U+FFFD for an invalid part. Sets *used to its length, >= 1. */
uint32_t utf8_decode(const void *bytes, size_t size, size_t *used);
/* Returns the largest n <= max_size that does not split a code point of `bytes`; `size` if it is <= max_size. */
size_t utf8_cut(const void *bytes, size_t size, size_t max_size);
/* Appends a text of a trace for a terminal: control characters become '?'. */
void text_append_plain(Bytes *out, StringView text);

#endif
