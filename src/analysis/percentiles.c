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

/* ---- groups: values with the same highest bit and the same GROUP_BITS bits below it ---- */

enum { GROUP_BITS = 5, GROUPS = (64 - GROUP_BITS + 1) << GROUP_BITS };

/* Returns the group of a value. Groups are in the order of their values. */
static inline uint32_t group_of(uint64_t value)
{
    const uint32_t highest_bit = 63u ^ (uint32_t)__builtin_clzll(value | (UINT64_C(1) << GROUP_BITS));
    const uint32_t low_bits = highest_bit - GROUP_BITS;
    return (low_bits << GROUP_BITS) + (uint32_t)(value >> low_bits);
}

/* A percentile: the value at `rank` of a group. */
typedef struct Place {
    uint32_t group;
    size_t   rank;
} Place;

/* Returns the value at a place: the bits that the values of its group do not share are found digit by digit. */
static uint64_t value_at(const uint64_t *values, size_t count, Place place)
{
    unsigned shift = place.group < 2 << GROUP_BITS ? 0 : (place.group >> GROUP_BITS) - 1;
    uint64_t known = (uint64_t)(place.group - (shift << GROUP_BITS)) << shift;
    while (shift > 0) {
        const unsigned bits = shift < DIGIT_BITS ? shift : DIGIT_BITS;
        const uint64_t known_bits = UINT64_MAX << shift;
        size_t         counts[DIGITS] = { 0 }, digit = 0;
        shift -= bits;
        for (size_t i = 0; i < count; i++) {
            if ((values[i] & known_bits) == known) counts[values[i] >> shift & ((1u << bits) - 1)]++;
        }
        for (; place.rank >= counts[digit]; digit++)
            place.rank -= counts[digit];
        known |= (uint64_t)digit << shift;
    }
    return known;
}

static size_t rank_of(size_t count, unsigned percent)
{
    assert(percent >= 1 && percent <= 100);
    return count / 100 * percent + (count % 100 * percent + 99) / 100 - 1;
}

/* Sets the place of each percentile. */
static void find_places(const uint64_t *values, size_t count, const unsigned *percents, size_t percent_count,
                        Place *places)
{
    size_t counts[GROUPS] = { 0 }, before = 0;
    for (size_t i = 0; i < count; i++)
        counts[group_of(values[i])]++;
    for (size_t i = 0, group = 0; i < percent_count; i++) {
        const size_t rank = rank_of(count, percents[i]);
        assert(rank >= before);
        while (rank - before >= counts[group])
            before += counts[group++];
        places[i] = (Place){ (uint32_t)group, rank - before };
    }
}

/* Moves the values of the groups of the places to the front. Returns their number. */
static size_t keep_groups(uint64_t *values, size_t count, const Place *places, size_t place_count)
{
    uint8_t is_kept[GROUPS] = { 0 };
    size_t  kept = 0;
    for (size_t i = 0; i < place_count; i++)
        is_kept[places[i].group] = 1;
    /* without a branch: always write, advance only for kept values */
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = values[i];
        values[kept] = value;
        kept += is_kept[group_of(value)];
    }
    return kept;
}

void percentiles_find(uint64_t *values, size_t count, const unsigned *percents, size_t percent_count,
                      uint64_t *found)
{
    Place places[PERCENTILES_MOST];
    assert(count > 0 && percent_count <= PERCENTILES_MOST);
    if (count <= FEW) {
        sort_few(values, count);
        for (size_t i = 0; i < percent_count; i++)
            found[i] = values[rank_of(count, percents[i])];
        return;
    }
    find_places(values, count, percents, percent_count, places);
    const size_t kept = keep_groups(values, count, places, percent_count);
    for (size_t i = 0; i < percent_count; i++)
        found[i] = value_at(values, kept, places[i]);
}
