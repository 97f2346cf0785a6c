#include "analysis/percentiles.h"

#include <assert.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 64 };

static void sort_few(uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t value = values[i];
        size_t         at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

/* Returns the value at `rank` of the sorted values: its digits are found one by one, the highest first. */
static uint64_t value_at(const uint64_t *values, size_t count, size_t rank, unsigned highest_shift)
{
    uint64_t known = 0, known_bits = 0;
    for (unsigned shift = highest_shift + DIGIT_BITS; shift > 0;) {
        size_t counts[DIGITS];
        shift -= DIGIT_BITS;
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < count; i++) {
            if ((values[i] & known_bits) == known) counts[values[i] >> shift & (DIGITS - 1)]++;
        }
        size_t digit = 0;
        for (; rank >= counts[digit]; digit++)
            rank -= counts[digit];
        known |= (uint64_t)digit << shift;
        known_bits |= (uint64_t)(DIGITS - 1) << shift;
    }
    return known;
}

void percentiles_find(uint64_t *values, size_t count, const unsigned *percents, size_t percent_count,
                      uint64_t *found)
{
    uint64_t all_bits = 0;
    unsigned highest_shift = 0;
    assert(count > 0);
    if (count <= FEW) sort_few(values, count);
    for (size_t i = 0; i < count; i++)
        all_bits |= values[i];
    while (highest_shift + DIGIT_BITS < 64 && all_bits >> (highest_shift + DIGIT_BITS) != 0)
        highest_shift += DIGIT_BITS;
    for (size_t i = 0; i < percent_count; i++) {
        assert(percents[i] >= 1 && percents[i] <= 100);
        const size_t rank = count / 100 * percents[i] + (count % 100 * percents[i] + 99) / 100 - 1;
        found[i] = count <= FEW ? values[rank] : value_at(values, count, rank, highest_shift);
    }
}
