/* base/high_bits.h - collects the high bits of 64 bytes into one word, to find the ends of many varints at once. */
#ifndef BASE_HIGH_BITS_H
#define BASE_HIGH_BITS_H
#include "base/bits.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

enum { HIGH_BITS_BYTES = 64 };

/* Returns a word whose bit i is bit 7 of byte i. Reads HIGH_BITS_BYTES bytes. */
static inline uint64_t high_bits_by_words(const uint8_t *bytes)
{
    uint64_t bits = 0;
    /* The multiplication moves bit 8 * i of the masked word to bit 56 + i, without carries. */
    for (unsigned i = 0; i < HIGH_BITS_BYTES; i += 8)
        bits |= ((bits_load_u64(bytes + i) >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;
    return bits;
}

/* As high_bits_by_words, with vector instructions where the processor has them. */
static inline uint64_t high_bits(const uint8_t *bytes)
{
#if defined(__SSE2__)
    uint64_t bits = 0;
    for (unsigned i = 0; i < HIGH_BITS_BYTES; i += 16) {
        const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(block) << i;
    }
    return bits;
#elif defined(__wasm_simd128__)
    uint64_t bits = 0;
    for (unsigned i = 0; i < HIGH_BITS_BYTES; i += 16)
        bits |= (uint64_t)wasm_i8x16_bitmask(wasm_v128_load(bytes + i)) << i;
    return bits;
#else
    return high_bits_by_words(bytes);
#endif
}

#endif
