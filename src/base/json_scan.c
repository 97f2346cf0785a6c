#include "base/json_scan.h"

#include "base/bits.h"
#include "base/block16.h"

#include <string.h>

/* The compiler can make functions for AVX2. The processor is asked at run time. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2
#include <immintrin.h>
#endif

/* -- strings -- */

JsonScan json_scan_string(const uint8_t *at, const uint8_t *end, const uint8_t **stop, bool *escaped)
{
    *escaped = false;
    for (;;) {
        at = block_find_quote(at, end);
        if (at == end) return JSON_SCAN_MORE;
        if (*at == '"') {
            *stop = at;
            return JSON_SCAN_DONE;
        }
        *escaped = true;
        if (end - at < 2) return JSON_SCAN_MORE;
        at += 2;
    }
}

/* -- containers -- */

/* The positions of characters in 64 bytes, one bit per byte. */
typedef struct BlockMasks {
    uint64_t quote, backslash, open, close;
    uint64_t follower; /* characters that may follow a string: , : } ] / and white space */
} BlockMasks;

static inline void masks_add(BlockMasks *masks, const uint8_t *at, unsigned shift)
{
    Block16 block = block_load(at);
    Block16 folded = block_fold_case(block);
    Block16 close = block_equal(folded, '}');
    Block16 follower = block_or(
        block_or(close, block_at_most(block, ' ')),
        block_or(block_or(block_equal(block, ','), block_equal(block, ':')), block_equal(block, '/')));
    masks->quote |= block_mask(block_equal(block, '"')) << shift;
    masks->backslash |= block_mask(block_equal(block, '\\')) << shift;
    masks->open |= block_mask(block_equal(folded, '{')) << shift;
    masks->close |= block_mask(close) << shift;
    masks->follower |= block_mask(follower) << shift;
}

static inline BlockMasks masks_of_16(const uint8_t *at)
{
    BlockMasks masks = { 0 };
    masks_add(&masks, at, 0);
    masks_add(&masks, at + 16, 16);
    masks_add(&masks, at + 32, 32);
    masks_add(&masks, at + 48, 48);
    return masks;
}

/* The instructions for the masks. */
typedef enum { BY_16_BYTES, BY_32_BYTES } MaskWidth;

#ifdef HAS_AVX2
__attribute__((target("avx2"))) static inline uint64_t mask_of_32(__m256i matches)
{
    return (uint32_t)_mm256_movemask_epi8(matches);
}

__attribute__((target("avx2"))) static inline void masks_add_32(BlockMasks *masks, const uint8_t *at,
                                                                unsigned shift)
{
    const __m256i block = _mm256_loadu_si256((const __m256i *)(const void *)at);
    const __m256i folded = _mm256_or_si256(block, _mm256_set1_epi8(0x20));
    const __m256i close = _mm256_cmpeq_epi8(folded, _mm256_set1_epi8('}'));
    const __m256i space = _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(' ')), block);
    const __m256i comma = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(','));
    const __m256i colon = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(':'));
    const __m256i slash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8('/'));
    const __m256i follower =
        _mm256_or_si256(_mm256_or_si256(close, space), _mm256_or_si256(_mm256_or_si256(comma, colon), slash));
    masks->quote |= mask_of_32(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('"'))) << shift;
    masks->backslash |= mask_of_32(_mm256_cmpeq_epi8(block, _mm256_set1_epi8('\\'))) << shift;
    masks->open |= mask_of_32(_mm256_cmpeq_epi8(folded, _mm256_set1_epi8('{'))) << shift;
    masks->close |= mask_of_32(close) << shift;
    masks->follower |= mask_of_32(follower) << shift;
}

__attribute__((target("avx2"))) static inline BlockMasks masks_of_32(const uint8_t *at)
{
    BlockMasks masks = { 0 };
    masks_add_32(&masks, at, 0);
    masks_add_32(&masks, at + 32, 32);
    return masks;
}
#endif

static ALWAYS_INLINE BlockMasks masks_of(const uint8_t *at, MaskWidth width)
{
#ifdef HAS_AVX2
    if (width == BY_32_BYTES) return masks_of_32(at);
#endif
    (void)width;
    return masks_of_16(at);
}

/* Returns a word whose bit i is the xor of bits 0..i: the bits from an odd to the next even quote are set. */
static inline uint64_t prefix_xor(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

/* The state between blocks. */
typedef struct ContainerScan {
    uint64_t depth;       /* number of open brackets */
    uint64_t in_string;   /* all ones inside a string */
    uint64_t escaped;     /* 1 if the next byte follows a backslash */
    uint64_t ended_quote; /* 1 if the last byte closed a string */
} ContainerScan;

/* Returns the bytes of the block that follow an odd number of backslashes. They are rare, so it works byte by byte. */
static uint64_t escaped_bytes(uint64_t backslash, uint64_t *carry)
{
    uint64_t escaped = 0;
    bool     next = *carry != 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t bit = (uint64_t)1 << i;
        if (next) {
            escaped |= bit;
            next = false;
        } else {
            next = (backslash & bit) != 0;
        }
    }
    *carry = next ? 1 : 0;
    return escaped;
}

/* Returns the bit at which the container ends, or 64. Steps from bracket to bracket, because most blocks have few of them and
 * counting the bits of a word takes as long as three steps. */
static inline unsigned container_end_bit(ContainerScan *scan, uint64_t open, uint64_t close)
{
    for (; close != 0; close &= close - 1) {
        const uint64_t up_to = close ^ (close - 1);
        for (uint64_t before = open & up_to; before != 0; before &= before - 1)
            scan->depth++;
        open &= ~up_to;
        if (--scan->depth == 0) return bits_lowest_u64(close);
    }
    for (; open != 0; open &= open - 1)
        scan->depth++;
    return 64;
}

/* Scans 64 bytes. JSON_SCAN_MORE: the container continues after them. */
static ALWAYS_INLINE JsonScan container_step(ContainerScan *scan, const uint8_t *at, unsigned *bit,
                                             MaskWidth width)
{
    BlockMasks masks = masks_of(at, width);
    uint64_t   quote = masks.quote;
    if (UNLIKELY((masks.backslash | scan->escaped) != 0))
        quote &= ~escaped_bytes(masks.backslash, &scan->escaped);
    uint64_t in_string =
        prefix_xor(quote) ^ scan->in_string; /* includes the opening quote, not the closing one */
    uint64_t closing = quote & ~in_string;
    uint64_t bad = (closing << 1 | scan->ended_quote) & ~masks.follower;
    scan->in_string = (uint64_t)0 - (in_string >> 63);
    scan->ended_quote = closing >> 63;
    unsigned end_bit = container_end_bit(scan, masks.open & ~in_string, masks.close & ~in_string);
    if (UNLIKELY(bad != 0) && bits_lowest_u64(bad) < end_bit) {
        *bit = bits_lowest_u64(bad);
        return JSON_SCAN_BROKEN;
    }
    *bit = end_bit;
    return end_bit == 64 ? JSON_SCAN_MORE : JSON_SCAN_DONE;
}

static ALWAYS_INLINE JsonScan scan_container(const uint8_t *at, const uint8_t *end, const uint8_t **stop,
                                             MaskWidth width)
{
    ContainerScan scan = { .depth = 1 };
    unsigned      bit;
    at++;                                         /* its own bracket */
    if (at < end && (*at == '}' || *at == ']')) { /* `"args":{}` is frequent */
        *stop = at + 1;
        return JSON_SCAN_DONE;
    }
    while (end - at >= 64) {
        JsonScan result = container_step(&scan, at, &bit, width);
        if (result != JSON_SCAN_MORE) {
            *stop = at + bit + (result == JSON_SCAN_DONE ? 1 : 0);
            return result;
        }
        at += 64;
    }
    uint8_t tail[64]; /* padded with spaces, which do not change the result */
    memset(tail, ' ', sizeof tail);
    memcpy(tail, at, (size_t)(end - at));
    JsonScan result = container_step(&scan, tail, &bit, width);
    if (result != JSON_SCAN_MORE) *stop = at + bit + (result == JSON_SCAN_DONE ? 1 : 0);
    return result;
}

JsonScan json_scan_container_by_16(const uint8_t *at, const uint8_t *end, const uint8_t **stop)
{
    return scan_container(at, end, stop, BY_16_BYTES);
}

#ifdef HAS_AVX2
__attribute__((target("avx2"))) static JsonScan scan_container_by_32(const uint8_t *at, const uint8_t *end,
                                                                     const uint8_t **stop)
{
    return scan_container(at, end, stop, BY_32_BYTES);
}
#endif

JsonScan json_scan_container(const uint8_t *at, const uint8_t *end, const uint8_t **stop)
{
#ifdef HAS_AVX2
    if (LIKELY(__builtin_cpu_supports("avx2") != 0)) return scan_container_by_32(at, end, stop);
#endif
    return json_scan_container_by_16(at, end, stop);
}

/* -- anything -- */

static bool is_token_byte(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.' || c == '_';
}

static JsonScan scan_token(const uint8_t *at, const uint8_t *end, JsonValue *value, const uint8_t **stop)
{
    const uint8_t *from = at;
    while (at < end && is_token_byte(*at))
        at++;
    if (at == end) return JSON_SCAN_MORE;
    *stop = at;
    if (at == from) return JSON_SCAN_BROKEN;
    bool is_number = (*from >= '0' && *from <= '9') || *from == '-' || *from == '+' || *from == '.';
    *value = (JsonValue){ from, (size_t)(at - from), is_number ? JSON_NUMBER : JSON_WORD, false };
    return JSON_SCAN_DONE;
}

JsonScan json_scan_value(const uint8_t *at, const uint8_t *end, JsonValue *value, const uint8_t **stop)
{
    if (at == end) return JSON_SCAN_MORE;
    if (*at == '"') {
        bool     escaped;
        JsonScan result = json_scan_string(at + 1, end, stop, &escaped);
        if (result != JSON_SCAN_DONE) return result;
        *value = (JsonValue){ at + 1, (size_t)(*stop - at - 1), JSON_STRING, escaped };
        (*stop)++;
        return JSON_SCAN_DONE;
    }
    if (*at == '{' || *at == '[') {
        JsonScan result = json_scan_container(at, end, stop);
        if (result != JSON_SCAN_DONE) return result;
        *value = (JsonValue){ at, (size_t)(*stop - at), *at == '{' ? JSON_OBJECT : JSON_ARRAY, false };
        return JSON_SCAN_DONE;
    }
    return scan_token(at, end, value, stop);
}

JsonScan json_scan_comment(const uint8_t *at, const uint8_t *end, const uint8_t **stop)
{
    *stop = at;
    if (end - at < 2) return JSON_SCAN_MORE;
    if (at[1] == '/') {
        const uint8_t *line_end = (const uint8_t *)memchr(at, '\n', (size_t)(end - at));
        if (line_end == NULL) return JSON_SCAN_MORE;
        *stop = line_end; /* the line break is white space */
        return JSON_SCAN_DONE;
    }
    if (at[1] != '*') return JSON_SCAN_BROKEN;
    for (const uint8_t *star = at + 2; end - star >= 2; star++) {
        if (star[0] != '*' || star[1] != '/') continue;
        *stop = star + 2;
        return JSON_SCAN_DONE;
    }
    return JSON_SCAN_MORE;
}

JsonScan json_scan_space(const uint8_t *at, const uint8_t *end, const uint8_t **stop, bool *comments)
{
    for (;;) {
        while (at < end && *at <= ' ')
            at++;
        *stop = at;
        if (at == end || *at != '/') return JSON_SCAN_DONE;
        JsonScan result = json_scan_comment(at, end, stop);
        if (result == JSON_SCAN_BROKEN) return JSON_SCAN_DONE; /* the caller rejects a single slash */
        if (result == JSON_SCAN_MORE) return JSON_SCAN_MORE;
        *comments = true;
        at = *stop;
    }
}

JsonScan json_scan_key(const uint8_t *at, const uint8_t *end, JsonValue *key, const uint8_t **stop)
{
    bool     comments = false;
    JsonScan result = json_scan_value(at, end, key, stop);
    if (result == JSON_SCAN_DONE) result = json_scan_space(*stop, end, stop, &comments);
    if (result != JSON_SCAN_DONE) return result;
    if (*stop == end) return JSON_SCAN_MORE;
    if (**stop != ':') return JSON_SCAN_BROKEN;
    result = json_scan_space(*stop + 1, end, stop, &comments);
    return result == JSON_SCAN_DONE && *stop == end ? JSON_SCAN_MORE : result;
}

/* -- members and items -- */

JsonItems json_items(const JsonValue *container)
{
    JsonItems items = { .at = container->at,
                        .end = container->at,
                        .is_object = container->kind == JSON_OBJECT };
    if (container->kind != JSON_OBJECT && container->kind != JSON_ARRAY) return items;
    items.at = container->at + 1;
    items.end = container->at + container->size; /* with the closing bracket, which ends a last token */
    return items;
}

/* Skips white space, comments and the character `also`. False at the end of the container. */
static bool items_skip(JsonItems *items, uint8_t also)
{
    bool comments = false;
    for (;;) {
        const bool is_at_value = items->at < items->end && *items->at > ' ' && *items->at != '/';
        if (!is_at_value && json_scan_space(items->at, items->end, &items->at, &comments) != JSON_SCAN_DONE)
            return false;
        if (items->at == items->end) return false;
        if (*items->at == '}' || *items->at == ']') return false;
        if (*items->at != also) return true;
        items->at++;
    }
}

bool json_items_next(JsonItems *items, JsonValue *key, JsonValue *value)
{
    *key = *value = (JsonValue){ 0 };
    if (items->failed || !items_skip(items, ',')) return false;
    const uint8_t *from = items->at;
    if (items->is_object) {
        if (json_scan_value(items->at, items->end, key, &items->at) != JSON_SCAN_DONE ||
            !items_skip(items, ':'))
            items->failed = true;
    }
    if (!items->failed && json_scan_value(items->at, items->end, value, &items->at) != JSON_SCAN_DONE)
        items->failed = true;
    if (items->failed) items->at = from; /* the caller may show the rest */
    return !items->failed;
}

bool json_find(const JsonValue *object, const char *name, JsonValue *found)
{
    JsonItems items = json_items(object);
    JsonValue key, value;
    bool      any = false;
    if (object->kind != JSON_OBJECT) return false;
    while (json_items_next(&items, &key, &value)) {
        if (!json_is(&key, JSON_STRING, name)) continue;
        *found = value;
        any = true;
    }
    return any;
}
