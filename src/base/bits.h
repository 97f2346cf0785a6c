/* base/bits.h - loads and stores words, and counts their bits, with the processor's instruction where the compiler has it. */
#ifndef BASE_BITS_H
#define BASE_BITS_H
#include <stdint.h>
#include <string.h>

/* Convert a word of memory from or to little-endian. */
static inline uint32_t bits_little_u32(uint32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(word);
#else
    return word;
#endif
}

static inline uint64_t bits_little_u64(uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

/* Load a little-endian number at any address. base/cursor.h reads untrusted bytes. */
static inline uint16_t bits_load_u16(const void *bytes)
{
    const uint8_t *b = (const uint8_t *)bytes;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t bits_load_u32(const void *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return bits_little_u32(word);
}

static inline uint64_t bits_load_u64(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return bits_little_u64(word);
}

static inline double bits_load_f64(const void *bytes)
{
    const uint64_t word = bits_load_u64(bytes);
    double         value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Store a number, the lowest byte first, at any address. */
static inline void bits_store_u32(void *bytes, uint32_t word)
{
    word = bits_little_u32(word);
    memcpy(bytes, &word, sizeof word);
}

static inline void bits_store_u64(void *bytes, uint64_t word)
{
    word = bits_little_u64(word);
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
