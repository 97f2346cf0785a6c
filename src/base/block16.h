/* base/block16.h - compares sixteen bytes at a time, with SSE2, NEON or WebAssembly's simd128 if the compiler has them, else byte
 * by byte. Only for loops over the bytes of an input. */
#ifndef BASE_BLOCK16_H
#define BASE_BLOCK16_H
#include "base/bits.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

/* Bit i of a mask is for byte i of a block. */
#if defined(__SSE2__)

typedef __m128i Block16;

static inline Block16 block_load(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline Block16 block_equal(Block16 block, uint8_t byte)
{
    return _mm_cmpeq_epi8(block, _mm_set1_epi8((char)byte));
}

static inline Block16 block_same(Block16 a, Block16 b)
{
    return _mm_cmpeq_epi8(a, b);
}

static inline Block16 block_or(Block16 a, Block16 b)
{
    return _mm_or_si128(a, b);
}

static inline Block16 block_and(Block16 a, Block16 b)
{
    return _mm_and_si128(a, b);
}

static inline Block16 block_fold_case(Block16 block) /* '[' and '{' differ only by this bit */
{
    return _mm_or_si128(block, _mm_set1_epi8(0x20));
}

static inline Block16 block_at_most(Block16 block, uint8_t byte)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8((char)byte)), block);
}

static inline uint64_t block_mask(Block16 matches)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(matches);
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

typedef uint8x16_t Block16;

static inline Block16 block_load(const uint8_t *at)
{
    return vld1q_u8(at);
}

static inline Block16 block_equal(Block16 block, uint8_t byte)
{
    return vceqq_u8(block, vdupq_n_u8(byte));
}

static inline Block16 block_same(Block16 a, Block16 b)
{
    return vceqq_u8(a, b);
}

static inline Block16 block_or(Block16 a, Block16 b)
{
    return vorrq_u8(a, b);
}

static inline Block16 block_and(Block16 a, Block16 b)
{
    return vandq_u8(a, b);
}

static inline Block16 block_fold_case(Block16 block)
{
    return vorrq_u8(block, vdupq_n_u8(0x20));
}

static inline Block16 block_at_most(Block16 block, uint8_t byte)
{
    return vcleq_u8(block, vdupq_n_u8(byte));
}

static inline uint64_t block_mask(Block16 matches)
{
    static const uint8_t BITS[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t           bits = vandq_u8(matches, vld1q_u8(BITS));
    return (uint64_t)vaddv_u8(vget_low_u8(bits)) | (uint64_t)vaddv_u8(vget_high_u8(bits)) << 8;
}

#elif defined(__wasm_simd128__)

typedef v128_t Block16;

static inline Block16 block_load(const uint8_t *at)
{
    return wasm_v128_load(at);
}

static inline Block16 block_equal(Block16 block, uint8_t byte)
{
    return wasm_i8x16_eq(block, wasm_u8x16_splat(byte));
}

static inline Block16 block_same(Block16 a, Block16 b)
{
    return wasm_i8x16_eq(a, b);
}

static inline Block16 block_or(Block16 a, Block16 b)
{
    return wasm_v128_or(a, b);
}

static inline Block16 block_and(Block16 a, Block16 b)
{
    return wasm_v128_and(a, b);
}

static inline Block16 block_fold_case(Block16 block)
{
    return wasm_v128_or(block, wasm_u8x16_splat(0x20));
}

static inline Block16 block_at_most(Block16 block, uint8_t byte)
{
    return wasm_u8x16_le(block, wasm_u8x16_splat(byte));
}

static inline uint64_t block_mask(Block16 matches)
{
    return (uint64_t)wasm_i8x16_bitmask(matches);
}

#else

typedef struct Block16 {
    uint8_t byte[16];
} Block16;

static inline Block16 block_load(const uint8_t *at)
{
    Block16 block;
    memcpy(block.byte, at, sizeof block.byte);
    return block;
}

static inline Block16 block_equal(Block16 block, uint8_t byte)
{
    for (int i = 0; i < 16; i++)
        block.byte[i] = block.byte[i] == byte ? 0xff : 0;
    return block;
}

static inline Block16 block_same(Block16 a, Block16 b)
{
    for (int i = 0; i < 16; i++)
        a.byte[i] = a.byte[i] == b.byte[i] ? 0xff : 0;
    return a;
}

static inline Block16 block_or(Block16 a, Block16 b)
{
    for (int i = 0; i < 16; i++)
        a.byte[i] |= b.byte[i];
    return a;
}

static inline Block16 block_and(Block16 a, Block16 b)
{
    for (int i = 0; i < 16; i++)
        a.byte[i] &= b.byte[i];
    return a;
}

static inline Block16 block_fold_case(Block16 block)
{
    for (int i = 0; i < 16; i++)
        block.byte[i] |= 0x20;
    return block;
}

static inline Block16 block_at_most(Block16 block, uint8_t byte)
{
    for (int i = 0; i < 16; i++)
        block.byte[i] = block.byte[i] <= byte ? 0xff : 0;
    return block;
}

static inline uint64_t block_mask(Block16 matches)
{
    uint64_t mask = 0;
    for (int i = 0; i < 16; i++)
        mask |= (uint64_t)(matches.byte[i] & 1) << i;
    return mask;
}

#endif

/* Returns the first quote or backslash in [at, end), or `end`. */
static inline const uint8_t *block_find_quote(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 16) {
        Block16  block = block_load(at);
        uint64_t mask = block_mask(block_or(block_equal(block, '"'), block_equal(block, '\\')));
        if (mask != 0) return at + bits_lowest_u64(mask);
        at += 16;
    }
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

#endif
