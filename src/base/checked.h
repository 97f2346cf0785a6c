/* base/checked.h - arithmetic on numbers that come from an input. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False on overflow; *out is then untouched. */
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

static inline bool size_from_u64(uint64_t value, size_t *out)
{
    if (value > SIZE_MAX) return false;
    *out = (size_t)value;
    return true;
}

/* a + b held inside the range of int64_t; *clamped is set when it had to be. */
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

#endif
