/* base/wide.h - products and quotients with 128-bit intermediate results, for exact conversions of time. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H
#include <stdbool.h>
#include <stdint.h>

/* Returns value * num / den, rounded half away from zero and clamped to int64_t. den > 0. */
int64_t wide_mul_div_i64(int64_t value, uint64_t num, uint64_t den);
/* Returns value * num / den, rounded half up and clamped to uint64_t. den > 0. */
uint64_t wide_mul_div_u64(uint64_t value, uint64_t num, uint64_t den);
/* Returns offset + value * num / den, the quotient rounded half up, the sum clamped to int64_t. den > 0. */
int64_t wide_scale_add(uint64_t value, uint64_t num, uint64_t den, int64_t offset);
/* Divides value * num by den exactly into *quotient and *rest. Returns false and sets both to 0 if the quotient needs
 * more than 64 bits. den > 0. */
bool wide_mul_div_rest(uint64_t value, uint64_t num, uint64_t den, uint64_t *quotient, uint64_t *rest);
/* Returns the greatest common divisor; the other number if one is 0. */
uint64_t wide_common_divisor(uint64_t a, uint64_t b);
/* Sets num/den to a finite double > 0: in lowest terms and exact if both fit into 63 bits, else the nearest such
 * fraction. */
void wide_ratio_from_double(double value, uint64_t *num, uint64_t *den);

#endif
