/* codec/utf16.h - converts UTF-16 to UTF-8, in chunks of any size. */
#ifndef CODEC_UTF16_H
#define CODEC_UTF16_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { TEXT_UTF8, TEXT_UTF16_LE, TEXT_UTF16_BE } TextEncoding;

/* Returns the encoding of a text from its first bytes; 4 are enough. Recognises UTF-16 by a byte order mark, or, without
 * one, by the first two characters of JSON in ASCII. Returns TEXT_UTF8 for all other bytes. */
TextEncoding text_detect(const uint8_t *head, size_t size);

typedef struct Utf16Step {
    size_t   in_used, out_used; /* bytes */
    uint64_t replaced;          /* unpaired surrogates, and an odd byte at the end of the text */
    size_t   first_replaced;    /* offset in `in` of the first of them */
} Utf16Step;

/* Decodes whole characters from `in` into `out` until one of them is used up. An invalid sequence becomes U+FFFD. A
 * character that is cut off at the end of `in` is left in `in` with UTF16_CONTINUES and replaced with UTF16_ENDS. */
typedef enum { UTF16_CONTINUES, UTF16_ENDS } Utf16Input;
Utf16Step utf16_decode(TextEncoding encoding, Utf16Input input, const uint8_t *in, size_t in_size,
                       uint8_t *out, size_t out_size);

#endif
