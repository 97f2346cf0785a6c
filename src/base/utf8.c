#include "base/utf8.h"

#include <string.h>

static const uint32_t REPLACEMENT = 0xfffd;

/* The valid sequences of a lead byte (Unicode 15, table 3-7). The range of the second byte excludes overlong forms,
 * surrogates and code points above U+10FFFF. */
typedef struct Lead {
    size_t  length; /* of the whole sequence; 0 = not a lead byte */
    uint8_t second_min, second_max;
} Lead;

static Lead lead_of(uint8_t byte)
{
    if (byte < 0x80) return (Lead){ 1, 0, 0 };
    if (byte < 0xc2) return (Lead){ 0, 0, 0 };
    if (byte < 0xe0) return (Lead){ 2, 0x80, 0xbf };
    if (byte == 0xe0) return (Lead){ 3, 0xa0, 0xbf };
    if (byte == 0xed) return (Lead){ 3, 0x80, 0x9f };
    if (byte < 0xf0) return (Lead){ 3, 0x80, 0xbf };
    if (byte == 0xf0) return (Lead){ 4, 0x90, 0xbf };
    if (byte < 0xf4) return (Lead){ 4, 0x80, 0xbf };
    if (byte == 0xf4) return (Lead){ 4, 0x80, 0x8f };
    return (Lead){ 0, 0, 0 };
}

typedef enum { SEQUENCE_INVALID, SEQUENCE_VALID } SequenceKind;

/* Measures the sequence at `bytes` (size > 0). Sets *used to its length. For an invalid sequence that is the length
 * of the maximal subpart, which Unicode recommends to replace, and at least 1. */
static SequenceKind sequence_measure(const uint8_t *bytes, size_t size, size_t *used)
{
    Lead lead = lead_of(bytes[0]);
    *used = 1;
    if (lead.length == 0) return SEQUENCE_INVALID;
    for (size_t i = 1; i < lead.length; i++) {
        if (i == size) return SEQUENCE_INVALID;
        uint8_t min = i == 1 ? lead.second_min : 0x80;
        uint8_t max = i == 1 ? lead.second_max : 0xbf;
        if (bytes[i] < min || bytes[i] > max) return SEQUENCE_INVALID;
        *used = i + 1;
    }
    return SEQUENCE_VALID;
}

size_t utf8_valid_prefix(const void *bytes, size_t size)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t         at = 0;
    while (at < size) {
        uint64_t eight;
        while (size - at >= sizeof eight) { /* fast path: most names are ASCII */
            memcpy(&eight, p + at, sizeof eight);
            if ((eight & 0x8080808080808080u) != 0) break;
            at += sizeof eight;
        }
        while (at < size && p[at] < 0x80)
            at++;
        if (at == size) break;
        size_t used;
        if (sequence_measure(p + at, size - at, &used) == SEQUENCE_INVALID) break;
        at += used;
    }
    return at;
}

size_t utf8_append_repaired(Bytes *out, const void *bytes, size_t size)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t         replaced = 0;
    for (size_t at = 0;;) {
        size_t valid = utf8_valid_prefix(p + at, size - at);
        bytes_append(out, p + at, valid);
        at += valid;
        if (at == size) return replaced;
        size_t used;
        (void)sequence_measure(p + at, size - at, &used);
        bytes_append(out, "\xef\xbf\xbd", 3);
        replaced++;
        at += used;
    }
}

size_t utf8_encode(uint32_t code_point, char out[4])
{
    if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point <= 0xdfff)) code_point = REPLACEMENT;
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xc0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xe0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code_point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code_point & 0x3f));
    return 4;
}

uint32_t utf8_decode(const void *bytes, size_t size, size_t *used)
{
    const uint8_t *p = (const uint8_t *)bytes;
    if (sequence_measure(p, size, used) == SEQUENCE_INVALID) return REPLACEMENT;
    if (*used == 1) return p[0];
    uint32_t code_point = p[0] & (0x7fu >> *used);
    for (size_t i = 1; i < *used; i++)
        code_point = code_point << 6 | (p[i] & 0x3fu);
    return code_point;
}

size_t utf8_cut(const void *bytes, size_t size, size_t max_size)
{
    const uint8_t *p = (const uint8_t *)bytes;
    if (max_size >= size) return size;
    size_t at = max_size;
    while (at > 0 && max_size - at < 3 && (p[at] & 0xc0) == 0x80)
        at--;
    size_t used;
    (void)sequence_measure(p + at, size - at, &used);
    return at + used > max_size ? at : max_size; /* stray continuation bytes may be split anywhere */
}

void text_append_plain(Bytes *out, StringView text)
{
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        bytes_append(out, byte < 0x20 || byte == 0x7f ? "?" : &text.bytes[i], 1);
    }
}
