#include "base/wide.h"

#include "base/uint128.h"

#include <assert.h>
#include <math.h>

/* Returns value * num / den, rounded half up and clamped to uint64_t. */
static uint64_t mul_div_rounded(uint64_t value, uint64_t num, uint64_t den)
{
    assert(den > 0);
    const Uint128 product = uint128_product(value, num);
    uint64_t      quotient, rest;
    if (den == 1) return product.high == 0 ? product.low : UINT64_MAX;
    if (product.high == 0) { /* a 64-bit division is much faster than a 128-bit division */
        quotient = product.low / den;
        rest = product.low % den;
    } else {
        if (product.high >= den) return UINT64_MAX;
        quotient = uint128_divide(product, den, &rest);
    }
    return rest >= den - rest && quotient < UINT64_MAX ? quotient + 1 : quotient;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int64_t wide_mul_div_i64(int64_t value, uint64_t num, uint64_t den)
{
    const uint64_t quotient = mul_div_rounded(magnitude(value), num, den);
    if (value >= 0) return quotient > INT64_MAX ? INT64_MAX : (int64_t)quotient;
    return quotient > INT64_MAX ? INT64_MIN : -(int64_t)quotient;
}

uint64_t wide_mul_div_u64(uint64_t value, uint64_t num, uint64_t den)
{
    return mul_div_rounded(value, num, den);
}

int64_t wide_scale_add(uint64_t value, uint64_t num, uint64_t den, int64_t offset)
{
    const uint64_t quotient = mul_div_rounded(value, num, den);
    if (offset >= 0)
        return quotient > (uint64_t)(INT64_MAX - offset) ? INT64_MAX : (int64_t)quotient + offset;
    const uint64_t back = magnitude(offset);
    if (quotient < back) return -(int64_t)(back - quotient - 1) - 1; /* back - quotient can be 2^63 */
    return quotient - back > INT64_MAX ? INT64_MAX : (int64_t)(quotient - back);
}

bool wide_mul_div_rest(uint64_t value, uint64_t num, uint64_t den, uint64_t *quotient, uint64_t *rest)
{
    assert(den > 0);
    const Uint128 product = uint128_product(value, num);
    const bool    fits = product.high < den;
    *quotient = *rest = 0;
    if (fits) *quotient = uint128_divide(product, den, rest);
    return fits;
}

uint64_t wide_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static const uint64_t RATIO_MAX = INT64_MAX;

static Uint128 distance(Uint128 a, Uint128 b)
{
    return uint128_less(b, a) ? uint128_subtract(a, b) : uint128_subtract(b, a);
}

/* Sets num/den to the fraction nearest to mantissa / 2^shift with a denominator up to RATIO_MAX, by continued
 * fractions. The value is between 2^-63 and 2^-9, so 2^shift < 2^117 and only the denominator can exceed its bound. */
static void ratio_nearest(uint64_t mantissa, unsigned shift, uint64_t *num, uint64_t *den)
{
    const Uint128 one = uint128_power(shift);
    uint64_t      a = mantissa, b;                   /* the terms of the fraction of the next part */
    uint64_t      part = uint128_divide(one, a, &b); /* fits: the value is above 2^-63 */
    uint64_t      p0 = 1, q0 = 0, p1 = 0, q1 = 1;    /* the two latest convergents; the first part is 0 */
    while (part <= (RATIO_MAX - q0) / q1) {
        const uint64_t p2 = p0 + part * p1, q2 = q0 + part * q1;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        assert(b != 0); /* else the fraction were exact, with a denominator of 2^shift > RATIO_MAX */
        const uint64_t rest = a % b;
        part = a / b;
        a = b, b = rest;
    }
    /* The nearest fraction is the last convergent or the largest semiconvergent after it. Each side of the comparison
     * is an error * 2^shift * both denominators. It is at most 2^shift, by the distance of consecutive convergents. */
    const uint64_t steps = (RATIO_MAX - q0) / q1, ps = p0 + steps * p1, qs = q0 + steps * q1;
    const Uint128  error1 = distance(uint128_product(mantissa, q1), uint128_multiply(one, p1));
    const Uint128  error_s = distance(uint128_product(mantissa, qs), uint128_multiply(one, ps));
    const bool     is_later = uint128_less(uint128_multiply(error_s, q1), uint128_multiply(error1, qs));
    *num = p1 == 0 || (ps != 0 && is_later) ? ps : p1;
    *den = p1 == 0 || (ps != 0 && is_later) ? qs : q1;
}

void wide_ratio_from_double(double value, uint64_t *num, uint64_t *den)
{
    assert(isfinite(value) && value > 0);
    int      exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    exponent -= 53; /* value == mantissa * 2^exponent */
    while ((mantissa & 1) == 0)
        mantissa >>= 1, exponent++;

    if (exponent >= 0) {
        *num = exponent < 63 && mantissa <= RATIO_MAX >> exponent ? mantissa << exponent : RATIO_MAX;
        *den = 1;
    } else if (exponent >= -62) {
        *num = mantissa;
        *den = (uint64_t)1 << -exponent;
    } else if (value <= 0x1p-63) { /* 1 / RATIO_MAX is the smallest positive ratio */
        *num = 1;
        *den = RATIO_MAX;
    } else {
        ratio_nearest(mantissa, (unsigned)-exponent, num, den);
    }
}
