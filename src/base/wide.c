#include "base/wide.h"

#include <assert.h>
#include <math.h>

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128          WideSigned;

static Wide mul_div_rounded(uint64_t value, uint64_t num, uint64_t den)
{
    assert(den > 0);
    Wide product = (Wide)value * num;
    if (den == 1) return product;
    Wide     quotient;
    uint64_t rest;
    if (product <= UINT64_MAX) { /* a 64-bit division is much faster than a 128-bit division */
        quotient = (uint64_t)product / den;
        rest = (uint64_t)product % den;
    } else {
        quotient = product / den;
        rest = (uint64_t)(product - quotient * den);
    }
    return rest >= den - rest ? quotient + 1 : quotient; /* den >= 2, so this cannot overflow */
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

int64_t wide_mul_div_i64(int64_t value, uint64_t num, uint64_t den)
{
    Wide quotient = mul_div_rounded(magnitude(value), num, den);
    if (value >= 0) return quotient > INT64_MAX ? INT64_MAX : (int64_t)quotient;
    return quotient > INT64_MAX ? INT64_MIN : -(int64_t)quotient;
}

uint64_t wide_mul_div_u64(uint64_t value, uint64_t num, uint64_t den)
{
    Wide quotient = mul_div_rounded(value, num, den);
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

int64_t wide_scale_add(uint64_t value, uint64_t num, uint64_t den, int64_t offset)
{
    Wide quotient = mul_div_rounded(value, num, den);
    if (quotient > UINT64_MAX) return INT64_MAX; /* no offset brings it into range: 2^64 - 2^63 > INT64_MAX */
    WideSigned sum = (WideSigned)quotient + offset;
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum; /* quotient >= 0: the sum is never below INT64_MIN */
}

bool wide_mul_div_rest(uint64_t value, uint64_t num, uint64_t den, uint64_t *quotient, uint64_t *rest)
{
    assert(den > 0);
    Wide product = (Wide)value * num, whole = product / den;
    bool fits = whole <= UINT64_MAX;
    *quotient = fits ? (uint64_t)whole : 0;
    *rest = fits ? (uint64_t)(product - whole * den) : 0;
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

static Wide distance(Wide a, Wide b)
{
    return a > b ? a - b : b - a;
}

/* Sets num/den to the fraction nearest to mantissa / 2^shift with a denominator up to RATIO_MAX, by continued
 * fractions. The value is between 2^-64 and 2^-9, so 2^shift < 2^117 and only the denominator can exceed its bound. */
static void ratio_nearest(uint64_t mantissa, unsigned shift, uint64_t *num, uint64_t *den)
{
    const Wide one = (Wide)1 << shift;
    Wide       a = mantissa, b = one;
    uint64_t   p0 = 0, q0 = 1, p1 = 1, q1 = 0; /* the two latest convergents */
    for (;;) {
        Wide part = a / b, rest = a % b;
        if (part > (q1 == 0 ? RATIO_MAX : (RATIO_MAX - q0) / q1)) break;
        uint64_t p2 = p0 + (uint64_t)part * p1, q2 = q0 + (uint64_t)part * q1;
        p0 = p1, q0 = q1, p1 = p2, q1 = q2;
        a = b, b = rest;
        assert(b != 0); /* else the fraction were exact, with a denominator of 2^shift > RATIO_MAX */
    }
    /* The nearest fraction is the last convergent or the largest semiconvergent after it. Each side of the comparison
     * is an error * 2^shift * both denominators. It is at most 2^shift, by the distance of consecutive convergents. */
    uint64_t steps = (RATIO_MAX - q0) / q1;
    uint64_t ps = p0 + steps * p1, qs = q0 + steps * q1;
    Wide error1 = distance((Wide)mantissa * q1, p1 * one), error_s = distance((Wide)mantissa * qs, ps * one);
    if (p1 == 0 || (ps != 0 && error_s * q1 < error1 * qs)) {
        *num = ps, *den = qs;
    } else {
        *num = p1, *den = q1;
    }
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
