/* base/uint128.h - unsigned 128-bit integers, of two halves: 32-bit compilers have no such type. */
#ifndef BASE_UINT128_H
#define BASE_UINT128_H
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Uint128 {
    uint64_t high, low;
} Uint128;

/* Returns a * b. */
static inline Uint128 uint128_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;
    return (Uint128){ .high = (uint64_t)(product >> 64), .low = (uint64_t)product };
#else
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX),
                   middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
    return (Uint128){ .high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32),
                      .low = other << 32 | (low & UINT32_MAX) };
#endif
}

/* Returns value / by and sets *rest. by > value.high: the quotient has 64 bits. */
static inline uint64_t uint128_divide(Uint128 value, uint64_t by, uint64_t *rest)
{
    assert(value.high < by);
#ifdef __SIZEOF_INT128__
    __extension__ const unsigned __int128 whole = (unsigned __int128)value.high << 64 | value.low;
    const uint64_t                        quotient = (uint64_t)(whole / by);
    *rest = value.low - quotient * by;
    return quotient;
#else
    uint64_t high = value.high, low = value.low; /* the rest; the bits to come, then those of the quotient */
    for (int bit = 0; bit < 64; bit++) {
        const uint64_t carry = high >> 63;
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry != 0 || high >= by) {
            high -= by;
            low |= 1;
        }
    }
    *rest = high;
    return low;
#endif
}

/* Return the result modulo 2^128. */
static inline Uint128 uint128_subtract(Uint128 a, Uint128 b)
{
    return (Uint128){ .high = a.high - b.high - (a.low < b.low), .low = a.low - b.low };
}

static inline Uint128 uint128_multiply(Uint128 a, uint64_t b)
{
    const Uint128 product = uint128_product(a.low, b);
    return (Uint128){ .high = product.high + a.high * b, .low = product.low };
}

/* Returns 2^bit. bit < 128. */
static inline Uint128 uint128_power(unsigned bit)
{
    const uint64_t half = UINT64_C(1) << bit % 64;
    return (Uint128){ .high = bit < 64 ? 0 : half, .low = bit < 64 ? half : 0 };
}

static inline bool uint128_less(Uint128 a, Uint128 b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

#endif
