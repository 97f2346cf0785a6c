/* base/wide.h - 128-bit products and quotients, so that time is converted exactly. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H
#include <stdbool.h>
#include <stdint.h>

/* round(value * num / den), halves away from zero, clamped to int64_t. den > 0. */
int64_t wide_mul_div_i64(int64_t value, uint64_t num, uint64_t den);
/* The same for an unsigned value, clamped to uint64_t. */
uint64_t wide_mul_div_u64(uint64_t value, uint64_t num, uint64_t den);
/* clamp(offset + round(value * num / den)) for an unsigned value: never wraps. */
int64_t wide_scale_add(uint64_t value, uint64_t num, uint64_t den, int64_t offset);
/* value * num / den = *quotient and *rest / den, exactly; false, and both 0, when the quotient
 * needs more than 64 bits. */
bool wide_mul_div_rest(uint64_t value, uint64_t num, uint64_t den, uint64_t *quotient, uint64_t *rest);
/* The greatest number that divides both; the other one when one is 0. */
uint64_t wide_common_divisor(uint64_t a, uint64_t b);
/* A finite double > 0 as num/den in lowest terms, exact when both fit 63 bits, else
 * the nearest that does. */
void wide_ratio_from_double(double value, uint64_t *num, uint64_t *den);

#endif
