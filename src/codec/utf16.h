/* codec/utf16.h - UTF-16 text as UTF-8, in any chunking. */
#ifndef CODEC_UTF16_H
#define CODEC_UTF16_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { TEXT_UTF8, TEXT_UTF16_LE, TEXT_UTF16_BE } TextEncoding;

/* From the first bytes (4 are enough): UTF-16 with a byte order mark, or, without one, JSON whose first two characters
 * are ASCII. Anything else counts as UTF-8. */
TextEncoding text_detect(const uint8_t *head, size_t size);

typedef struct Utf16Step {
    size_t in_used, out_used;
    uint64_t
           replaced; /* halves of surrogate pairs without their other half, and an odd byte at the very end */
    size_t first_replaced; /* where in `in` the first of them stands */
} Utf16Step;

/* Decodes whole characters from `in` into `out`; each replaced one becomes U+FFFD. A character that `in` cuts is left
 * in it, unless the text ends there (`is_last`). Nothing is kept from call to call. */
typedef enum { UTF16_CONTINUES, UTF16_ENDS } Utf16Input;
Utf16Step utf16_decode(TextEncoding encoding, Utf16Input input, const uint8_t *in, size_t in_size,
                       uint8_t *out, size_t out_size);

#endif
