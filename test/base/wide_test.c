#include "base/wide.h"

#include "base/uint128.h"

#include "support/test.h"

#include <float.h>
#include <math.h>

/* A second opinion without 128-bit types: numbers as 5 limbs of 32 bits, long division bit by bit. */
enum { LIMBS = 5 };

typedef struct Big {
    uint32_t limb[LIMBS]; /* little end first */
} Big;

static Big big_of(uint64_t value)
{
    return (Big){ { (uint32_t)value, (uint32_t)(value >> 32), 0, 0, 0 } };
}

static Big big_add(Big a, Big b)
{
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

static Big big_sub(Big a, Big b)
{
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        borrow += (int64_t)a.limb[i] - (int64_t)b.limb[i];
        a.limb[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    return a;
}

static bool big_less(Big a, Big b)
{
    for (int i = LIMBS - 1; i >= 0; i--) {
        if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
    }
    return false;
}

static Big big_mul(uint64_t a, uint64_t b)
{
    Big sum = { { 0 } }, shifted = big_of(a);
    for (; b != 0; b >>= 1) {
        if ((b & 1) != 0) sum = big_add(sum, shifted);
        shifted = big_add(shifted, shifted);
    }
    return sum;
}

/* round(value * num / den), halves up; false if it needs more than 64 bits. */
static bool big_mul_div(uint64_t value, uint64_t num, uint64_t den, uint64_t *out)
{
    Big product = big_mul(value, num), rest = { { 0 } }, quotient = { { 0 } };
    for (int bit = LIMBS * 32 - 1; bit >= 0; bit--) {
        rest = big_add(rest, rest);
        rest.limb[0] |= product.limb[bit / 32] >> (bit % 32) & 1;
        if (big_less(rest, big_of(den))) continue;
        rest = big_sub(rest, big_of(den));
        quotient.limb[bit / 32] |= 1u << (bit % 32);
    }
    if (!big_less(big_add(rest, rest), big_of(den))) quotient = big_add(quotient, big_of(1));
    *out = quotient.limb[0] | (uint64_t)quotient.limb[1] << 32;
    return quotient.limb[2] == 0 && quotient.limb[3] == 0 && quotient.limb[4] == 0;
}

/* Numbers of every length, often at a power of two or beside it. */
static uint64_t random_number(TestRandom *random)
{
    uint64_t shift = test_random_below(random, 64);
    switch (test_random_below(random, 3)) {
    case 0:
        return test_random(random) >> shift;
    case 1:
        return ((uint64_t)1 << shift) - test_random_below(random, 2);
    default:
        return UINT64_MAX - (test_random(random) >> shift);
    }
}

TEST(wide_mul_div_agrees_with_long_division)
{
    TestRandom random = { 21 };
    for (int i = 0; i < 20000; i++) {
        uint64_t value = random_number(&random), num = random_number(&random), den = random_number(&random);
        if (den == 0) den = 1;
        uint64_t quotient;
        bool     fits = big_mul_div(value, num, den, &quotient);
        CHECK_UINT(wide_mul_div_u64(value, num, den), fits ? quotient : UINT64_MAX);

        int64_t up = value > INT64_MAX ? INT64_MAX : (int64_t)value;
        fits = big_mul_div((uint64_t)up, num, den, &quotient) && quotient <= INT64_MAX;
        CHECK_INT(wide_mul_div_i64(up, num, den), fits ? (int64_t)quotient : INT64_MAX);
        CHECK_INT(wide_mul_div_i64(-up, num, den), fits ? -(int64_t)quotient : INT64_MIN);
    }
}

TEST(wide_mul_div_rest_puts_together_what_it_took_apart)
{
    TestRandom random = { 22 };
    for (int i = 0; i < 20000; i++) {
        uint64_t value = random_number(&random), num = random_number(&random), den = random_number(&random);
        if (den == 0) den = 1;
        uint64_t rounded, quotient, rest;
        bool     fits = big_mul_div(value, num, den, &rounded);
        if (!wide_mul_div_rest(value, num, den, &quotient, &rest)) {
            CHECK(!fits && quotient == 0 && rest == 0);
            continue;
        }
        CHECK(rest < den);
        CHECK_UINT(quotient * den + rest, value * num); /* modulo 2^64 */
        if (fits) CHECK_UINT(rounded, quotient + (rest >= den - rest && den > 1));
    }
}

TEST(wide_mul_div_rounds_halves_away_from_zero)
{
    CHECK_INT(wide_mul_div_i64(5, 1, 2), 3);
    CHECK_INT(wide_mul_div_i64(-5, 1, 2), -3);
    CHECK_INT(wide_mul_div_i64(1, 1, 3), 0);
    CHECK_INT(wide_mul_div_i64(2, 1, 3), 1);
    CHECK_INT(wide_mul_div_i64(-1, 1, UINT64_MAX), 0);
    CHECK_INT(wide_mul_div_i64(INT64_MIN, 1, 1), INT64_MIN);
    CHECK_INT(wide_mul_div_i64(INT64_MIN, 1, 2), INT64_MIN / 2);
    CHECK_INT(wide_mul_div_i64(INT64_MIN, UINT64_MAX, 1), INT64_MIN);
    CHECK_INT(wide_mul_div_i64(INT64_MAX, UINT64_MAX, UINT64_MAX), INT64_MAX);
    CHECK_UINT(wide_mul_div_u64(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX);
    CHECK_UINT(wide_mul_div_u64(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
    CHECK_UINT(wide_mul_div_u64(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX), UINT64_MAX - 1);
    CHECK_UINT(wide_mul_div_u64(0, UINT64_MAX, 1), 0);
}

TEST(wide_scale_add_never_wraps)
{
    CHECK_INT(wide_scale_add(10, 3, 2, -20), -5);
    CHECK_INT(wide_scale_add(UINT64_MAX, 1, 1, INT64_MIN), INT64_MAX); /* exactly 2^63 - 1 */
    CHECK_INT(wide_scale_add(UINT64_MAX - 5, 1, 1, INT64_MIN), INT64_MAX - 5);
    CHECK_INT(wide_scale_add(UINT64_MAX, 1, 1, INT64_MIN + 1), INT64_MAX);
    CHECK_INT(wide_scale_add(UINT64_MAX, UINT64_MAX, 1, INT64_MIN), INT64_MAX);
    CHECK_INT(wide_scale_add(UINT64_MAX, 2, 2, -1), INT64_MAX);
    CHECK_INT(wide_scale_add(1, 1, 1, INT64_MAX), INT64_MAX);
    CHECK_INT(wide_scale_add(0, 1, 1, INT64_MIN), INT64_MIN);
    CHECK_INT(wide_scale_add((uint64_t)1 << 63, 1, 1, -1), INT64_MAX);

    TestRandom random = { 22 };
    for (int i = 0; i < 20000; i++) {
        uint64_t value = random_number(&random), num = random_number(&random),
                 den = random_number(&random) | 1;
        int64_t  offset = (int64_t)test_random(&random);
        uint64_t scaled;
        bool     fits = big_mul_div(value, num, den, &scaled);
        uint64_t room = (uint64_t)INT64_MAX - (uint64_t)offset; /* INT64_MAX - offset, in [0, 2^64) */
        int64_t  expected = fits && scaled <= room ? (int64_t)((uint64_t)offset + scaled) : INT64_MAX;
        CHECK_INT(wide_scale_add(value, num, den, offset), expected);
    }
}

static void check_ratio(double value, uint64_t num, uint64_t den)
{
    uint64_t n, d;
    wide_ratio_from_double(value, &n, &d);
    CHECK_UINT(n, num);
    CHECK_UINT(d, den);
}

TEST(wide_ratio_is_exact_where_it_can_be)
{
    check_ratio(1, 1, 1);
    check_ratio(0.25, 1, 4);
    check_ratio(2.5, 5, 2);
    check_ratio(1000, 1000, 1);
    check_ratio(0.001, 1152921504606847, (uint64_t)1 << 60); /* the value of the double, not 1/1000 */
    check_ratio(0x1p-62, 1, (uint64_t)1 << 62);
    check_ratio(0x1p62, (uint64_t)1 << 62, 1);
    check_ratio(0x1.fffffffffffffp62, 0x7ffffffffffffc00, 1);
    TestRandom random = { 23 };
    for (int i = 0; i < 100000; i++) {
        uint64_t mantissa = test_random(&random) >> 11 | 1;
        int      exponent = -(int)test_random_below(&random, 63);
        double   value = ldexp((double)mantissa, exponent);
        uint64_t num, den;
        wide_ratio_from_double(value, &num, &den);
        CHECK(num == mantissa && den == (uint64_t)1 << -exponent);
    }
}

TEST(wide_ratio_is_clamped_at_the_ends)
{
    check_ratio(0x1p63, INT64_MAX, 1);
    check_ratio(1e300, INT64_MAX, 1);
    check_ratio(DBL_MAX, INT64_MAX, 1);
    check_ratio(5e-324, 1, INT64_MAX);
    check_ratio(DBL_MIN, 1, INT64_MAX);
    check_ratio(0x1p-63, 1, INT64_MAX);
    check_ratio(0x1.0000000000001p-64, 1, INT64_MAX);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* |mantissa / 2^shift - num / den| * 2^shift */
static double ratio_error(uint64_t mantissa, unsigned shift, uint64_t num, uint64_t den)
{
    const Uint128 a = uint128_product(mantissa, den), b = uint128_multiply(uint128_power(shift), num);
    const Uint128 error = uint128_less(b, a) ? uint128_subtract(a, b) : uint128_subtract(b, a);
    return (ldexp((double)error.high, 64) + (double)error.low) / (double)den;
}

/* A fraction n/d with d <= N is a best one if both its neighbours among all such fractions are farther:
 * those are (n * i + 1) / d-like, found from the inverse of n modulo d. */
static void check_nearest(uint64_t mantissa, unsigned shift, uint64_t num, uint64_t den)
{
    const uint64_t limit = INT64_MAX;
    uint64_t       s0 = 0, s1 = 1;
    uint64_t       a = den, b = num % den; /* extended Euclid: inverse of num modulo den */
    bool           odd = false;
    for (; b > 1; odd = !odd) {
        uint64_t part = a / b, rest = a % b, s2 = s0 + part * s1;
        s0 = s1, s1 = s2, a = b, b = rest;
    }
    uint64_t inverse = odd ? den - s1 : s1;
    uint64_t below_den = inverse == 0 ? den : inverse; /* num * q - p * den = 1 */
    uint64_t above_den = den - inverse;                /* p * den - num * q = 1 */
    below_den += (limit - below_den) / den * den;
    above_den += (limit - above_den) / den * den;
    uint64_t rest;
    uint64_t below_num = uint128_divide(uint128_product(num, below_den), den, &rest); /* rest == 1 */
    uint64_t above_num = uint128_divide(uint128_product(num, above_den), den, &rest) + 1;

    /* Compared as doubles of relative size: the errors differ by far more than their rounding, or are ties. */
    double own = ratio_error(mantissa, shift, num, den);
    double below = ratio_error(mantissa, shift, below_num, below_den);
    double above = ratio_error(mantissa, shift, above_num, above_den);
    CHECK(own <= below * (1 + 1e-9) && own <= above * (1 + 1e-9));
}

TEST(wide_ratio_is_the_nearest_in_between)
{
    TestRandom random = { 24 };
    for (int i = 0; i < 100000; i++) {
        uint64_t mantissa = (test_random(&random) >> 11 | 1) | (uint64_t)1 << 52;
        unsigned shift = 63 + (unsigned)test_random_below(&random, 52); /* values in 2^-62 .. 2^-10 */
        uint64_t num, den;
        wide_ratio_from_double(ldexp((double)mantissa, -(int)shift), &num, &den);
        CHECK(num > 0 && num <= INT64_MAX && den > 1 && den <= INT64_MAX && gcd(num, den) == 1);
        check_nearest(mantissa, shift, num, den);
    }
    check_ratio(0x1.8p-63, 1, 6148914691236517205); /* 2^63 * 2 / 3, rounded */
}

TEST_MAIN("base/wide", TEST_CASE(wide_mul_div_agrees_with_long_division),
          TEST_CASE(wide_mul_div_rest_puts_together_what_it_took_apart),
          TEST_CASE(wide_mul_div_rounds_halves_away_from_zero), TEST_CASE(wide_scale_add_never_wraps),
          TEST_CASE(wide_ratio_is_exact_where_it_can_be), TEST_CASE(wide_ratio_is_clamped_at_the_ends),
          TEST_CASE(wide_ratio_is_the_nearest_in_between))
