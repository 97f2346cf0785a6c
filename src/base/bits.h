/* base/bits.h - loads words and counts their bits, with the processor's instruction where the compiler has it. */
#ifndef BASE_BITS_H
#define BASE_BITS_H
#include <stdint.h>
#include <string.h>

/* Returns eight bytes as a little-endian number. */
static inline uint64_t bits_load_u64(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Stores a number as eight bytes, the lowest first. */
static inline void bits_store_u64(void *bytes, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(bytes, &word, sizeof word);
}

/* Returns the number of set bits. */
static inline unsigned bits_count_u64(uint64_t bits)
{
#if defined(__POPCNT__) ||                                                                                   \
    ((defined(__GNUC__) || defined(__clang__)) && !defined(__x86_64__) && !defined(__i386__))
    return (unsigned)__builtin_popcountll(bits);
#else /* also x86 without popcnt, where the built-in is a function call */
    bits = bits - (bits >> 1 & 0x5555555555555555u);
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (unsigned)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#endif
}

/* Returns the index of the lowest set bit; `bits` is not 0. */
static inline unsigned bits_lowest_u64(uint64_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)__builtin_ctzll(bits);
#else
    return bits_count_u64((bits & (~bits + 1)) - 1);
#endif
}

/* Returns the index of the highest set bit; `bits` is not 0. */
static inline unsigned bits_highest_u64(uint64_t bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return 63 - (unsigned)__builtin_clzll(bits);
#else
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits |= bits >> shift;
    return bits_count_u64(bits) - 1;
#endif
}

#endif
