/* base/utf8.h - UTF-8 in and out. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H
#include "base/arena.h"

/* Bytes of valid UTF-8 at the start of `bytes` (surrogates and overlong forms are invalid). */
size_t utf8_valid_prefix(const void *bytes, size_t size);
/* Appends the text with every maximal invalid part replaced by U+FFFD. Returns how many were replaced. */
size_t utf8_append_repaired(Bytes *out, const void *bytes, size_t size);
/* Encodes one code point (U+FFFD for what is none) in 1..4 bytes. */
size_t utf8_encode(uint32_t code_point, char out[4]);
/* The code point at `bytes` (size > 0) and its length in *used (>= 1); U+FFFD for a maximal invalid part. */
uint32_t utf8_decode(const void *bytes, size_t size, size_t *used);
/* The largest n <= max_size at which `bytes` can be cut without splitting a code point; `size` if all fits. */
size_t utf8_cut(const void *bytes, size_t size, size_t max_size);

#endif
