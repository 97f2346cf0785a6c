/* format/apitrace/quick.h - skips the usual values without a branch for each byte.
 *
 * Most of a stream is skipped, in values of a few bytes. These functions read eight bytes at once where as many are
 * left. They do not handle rare cases: definitions, structs, long numbers, the end of the bytes, faults. grammar.c
 * handles these with all checks. So these functions cannot fail. */
#ifndef FORMAT_APITRACE_QUICK_H
#define FORMAT_APITRACE_QUICK_H
#include "base/bits.h"
#include "format/apitrace/grammar.h"

/* Bytes that must be readable for a value: two tags, the number of a detail, an id of a byte, a number of eight,
 * rounded up. */
enum { QUICK_ROOM = 16 };

/* Returns the size of the number at `b`; 0 = more than eight bytes. */
static inline unsigned quick_number_size(const uint8_t *b)
{
    const uint64_t ends = ~bits_load_u64(b) & UINT64_C(0x8080808080808080);
    return ends == 0 ? 0 : bits_lowest_u64(ends) / 8 + 1;
}

/* Returns the number at `b`, of up to four bytes. */
static inline uint32_t quick_number(const uint8_t *b, unsigned size)
{
    const uint32_t word = bits_load_u32(b);
    const uint32_t bits =
        (word & 0x7f) | (word >> 1 & 0x3f80) | (word >> 2 & 0x1fc000) | (word >> 3 & 0xfe00000);
    return bits & (uint32_t)((UINT64_C(1) << 7 * size) - 1);
}

typedef enum { QUICK_NONE, QUICK_FIXED, QUICK_NUMBER, QUICK_BYTES, QUICK_NAMED, QUICK_ARRAY } QuickKind;

/* By ValueTag; `size`: of the tag and its fixed part. */
typedef struct QuickTag {
    uint8_t kind, size;
} QuickTag;

static const QuickTag QUICK_TAGS[256] = {
    [VALUE_NULL] = { QUICK_FIXED, 1 },   [VALUE_FALSE] = { QUICK_FIXED, 1 },
    [VALUE_TRUE] = { QUICK_FIXED, 1 },   [VALUE_FLOAT] = { QUICK_FIXED, 1 + 4 },
    [VALUE_DOUBLE] = { QUICK_FIXED, 9 }, [VALUE_SINT] = { QUICK_NUMBER, 1 },
    [VALUE_UINT] = { QUICK_NUMBER, 1 },  [VALUE_OPAQUE] = { QUICK_NUMBER, 1 },
    [VALUE_STRING] = { QUICK_BYTES, 1 }, [VALUE_BLOB] = { QUICK_BYTES, 1 },
    [VALUE_ENUM] = { QUICK_NAMED, 3 },   [VALUE_BITMASK] = { QUICK_NAMED, 2 },
    [VALUE_ARRAY] = { QUICK_ARRAY, 2 },
};

/* Returns the end of the scalar at `v`, with QUICK_ROOM readable bytes. NULL = not a scalar. */
static ALWAYS_INLINE const uint8_t *quick_scalar(const uint8_t *v)
{
    const QuickTag tag = QUICK_TAGS[v[0]];
    if (LIKELY(tag.kind == QUICK_FIXED)) return v + tag.size;
    const unsigned size = quick_number_size(v + 1);
    return LIKELY(tag.kind == QUICK_NUMBER && size > 0) ? v + 1 + size : NULL;
}

/* Returns the end of the enum or bitmask value at `v`, if its signature is known and not defined here. NULL = another
 * case. */
static ALWAYS_INLINE const uint8_t *quick_named(const Grammar *g, const ByteCursor *c, const uint8_t *v,
                                                unsigned before)
{
    const SigSpace  space = v[0] == VALUE_ENUM ? SPACE_ENUM : SPACE_BITMASK;
    const SigEntry *entry = v[1] < 0x80 ? signature_find(g->sigs, space, v[1]) : NULL;
    if (UNLIKELY(entry == NULL || entry->id_end == c->origin + (uint64_t)(v + 2 - c->bytes))) return NULL;
    if (v[0] == VALUE_ENUM && (g->version < 3 || (v[2] != VALUE_UINT && v[2] != VALUE_SINT))) return NULL;
    const unsigned size = quick_number_size(v + before);
    return size == 0 ? NULL : v + before + size;
}

/* Returns the end of the value at `v` in the bytes of `c`. NULL = not a usual value. */
static ALWAYS_INLINE const uint8_t *quick_value(const Grammar *g, const ByteCursor *c, const uint8_t *v)
{
    const uint8_t *const end = c->bytes + c->size;
    if (UNLIKELY(end - v < QUICK_ROOM)) return NULL;
    const QuickTag tag = QUICK_TAGS[v[0]];
    switch ((QuickKind)tag.kind) {
    case QUICK_NONE:
        return NULL;
    case QUICK_FIXED:
        return v + tag.size;
    case QUICK_NUMBER: {
        const unsigned size = quick_number_size(v + 1);
        return size == 0 ? NULL : v + 1 + size;
    }
    case QUICK_BYTES: {
        const unsigned size = quick_number_size(v + 1);
        if (size == 0 || size > 4) return NULL;
        const uint32_t count = quick_number(v + 1, size);
        v += 1 + size;
        return count > (size_t)(end - v) ? NULL : v + count;
    }
    case QUICK_NAMED:
        return quick_named(g, c, v, tag.size);
    case QUICK_ARRAY: {
        const unsigned count = v[1];
        if (count >= 0x80) return NULL;
        v += tag.size;
        for (unsigned i = 0; i < count && v != NULL; i++)
            v = end - v < QUICK_ROOM ? NULL : quick_scalar(v);
        return v;
    }
    }
    return NULL;
}

/* Advances the cursor over usual arguments and results, up to the first other detail. */
static ALWAYS_INLINE void quick_details(const Grammar *g, ByteCursor *c)
{
    const uint8_t *const begin = c->bytes + c->at, *const end = c->bytes + c->size;
    const uint8_t *at = begin;
    while (end - at >= QUICK_ROOM) {
        const uint8_t *next = NULL;
        if (LIKELY(at[0] == DETAIL_ARGUMENT && at[1] < 0x80)) {
            next = quick_value(g, c, at + 2);
        } else if (at[0] == DETAIL_RETURN) {
            next = quick_value(g, c, at + 1);
        }
        if (next == NULL) break;
        at = next;
    }
    c->at += (size_t)(at - begin);
}

#endif
