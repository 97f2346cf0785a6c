/* base/checked.h - arithmetic on numbers from an input.
 *
 * Checked functions return false and leave *out unchanged if the result does not fit. Saturating functions return the
 * nearest value that fits. Sizes and counts are checked, because a wrong size is an error. Times and sums of times
 * saturate: a sum that is too large is shown as the maximum. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets *out to a * b. Returns false on overflow. */
static inline bool size_mul(size_t a, size_t b, size_t *out)
{
    if (a != 0 && b > SIZE_MAX / a) return false;
    *out = a * b;
    return true;
}

static inline bool size_add(size_t a, size_t b, size_t *out)
{
    if (b > SIZE_MAX - a) return false;
    *out = a + b;
    return true;
}

static inline bool u32_from_u64(uint64_t value, uint32_t *out)
{
    if (value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return true;
}

/* Returns a + b, saturated. Sets *clamped if the sum does not fit, else leaves it unchanged. */
static inline int64_t i64_add_clamped(int64_t a, int64_t b, bool *clamped)
{
    if (b > 0 && a > INT64_MAX - b) {
        *clamped = true;
        return INT64_MAX;
    }
    if (b < 0 && a < INT64_MIN - b) {
        *clamped = true;
        return INT64_MIN;
    }
    return a + b;
}

/* Returns a - b, saturated. Sets *clamped if the difference does not fit, else leaves it unchanged. */
static inline int64_t i64_sub_clamped(int64_t a, int64_t b, bool *clamped)
{
    if (b < 0 && a > INT64_MAX + b) {
        *clamped = true;
        return INT64_MAX;
    }
    if (b > 0 && a < INT64_MIN + b) {
        *clamped = true;
        return INT64_MIN;
    }
    return a - b;
}

/* Returns a + b, saturated. */
static inline int64_t i64_add_saturated(int64_t a, int64_t b)
{
    bool clamped = false;
    return i64_add_clamped(a, b, &clamped);
}

/* Returns a - b, saturated. */
static inline int64_t i64_sub_saturated(int64_t a, int64_t b)
{
    bool clamped = false;
    return i64_sub_clamped(a, b, &clamped);
}

/* Returns a + b, saturated. */
static inline uint64_t u64_add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Adds `value` to *sum, saturated. For totals of durations. */
static inline void i64_accumulate(int64_t *sum, int64_t value)
{
    *sum = i64_add_saturated(*sum, value);
}

static inline void u64_accumulate(uint64_t *sum, uint64_t value)
{
    *sum = u64_add_saturated(*sum, value);
}

#endif
