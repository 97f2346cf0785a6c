#include "analysis/percentiles.h"

#include <assert.h>
#include <stdbool.h>
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

enum { GROUP_BITS = 5, GROUPS = 53 << GROUP_BITS, AT_ONCE = 128 };

/* Values below 2^30 are grouped as floats of 32 bits: twice as many fit into a vector. Values of 2^51 and more are divided by 2^13
 * before they are grouped, so that a double has all bits of them. */
static const uint64_t TINY_VALUE = UINT64_C(1) << 30, SMALL_VALUE = UINT64_C(1) << 51;
enum { LARGE_SHIFT = 13 };

/* How the groups of values are found. */
typedef struct Grouping {
    unsigned shift;
    bool     is_tiny;
    uint64_t bits; /* those of all values: no value is greater */
} Grouping;

/* As find_groups, for values below TINY_VALUE. The bits that a float does not have could round it up to the next group: the mask clears
 * the ninth bit and others behind it, so that no carry reaches the first eight. */
static inline void find_tiny_groups(const uint64_t *restrict values, size_t count, uint32_t *restrict groups)
{
    const uint32_t one_bits = UINT32_C(0x3F800000);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)values[i] + 1;
        bits &= ~(bits >> 8);
        const float number = (float)(int32_t)bits;
        memcpy(&bits, &number, sizeof bits);
        groups[i] = (bits - one_bits) >> (23 - GROUP_BITS);
    }
}

/* Sets the groups of up to AT_ONCE values. Groups are in the order of their values. The exponent and the first bits of value + 1 as a
 * double are the group; vector instructions make the double from the bits of 2^52. */
static inline void find_groups(const uint64_t *restrict values, size_t count, Grouping grouping,
                               uint32_t *restrict groups)
{
    const uint64_t base_bits = UINT64_C(0x4330000000000000), one_bits = UINT64_C(0x3FF0000000000000);
    if (grouping.is_tiny) {
        find_tiny_groups(values, count, groups);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = ((values[i] >> grouping.shift) + 1) | base_bits;
        double   number;
        memcpy(&number, &bits, sizeof number);
        number -= 0x1p52;
        memcpy(&bits, &number, sizeof bits);
        groups[i] = (uint32_t)((bits - one_bits) >> (52 - GROUP_BITS));
    }
}

/* A percentile: the value at `rank` of the values [least, least + 2^bits) of a group. */
typedef struct Place {
    uint32_t group;
    size_t   rank;
    uint64_t least;
    unsigned bits;
} Place;

/* Sets the values of the group of a place. */
static void settle_values(Place *place, unsigned shift)
{
    const unsigned highest_bit = place->group >> GROUP_BITS; /* of value + 1 */
    const uint64_t low = place->group & ((1u << GROUP_BITS) - 1), first = UINT64_C(1) << highest_bit;
    place->bits = highest_bit > GROUP_BITS ? highest_bit - GROUP_BITS : 0;
    place->least = (first + (low << highest_bit >> GROUP_BITS) - 1) << shift;
    place->bits += shift;
}

/* Returns the value at a place: the bits in which the values of its group differ are found digit by digit. */
static uint64_t value_at(const uint64_t *values, size_t count, Place place)
{
    while (place.bits > 0) {
        const unsigned bits = place.bits < DIGIT_BITS ? place.bits : DIGIT_BITS;
        const uint64_t most = ((UINT64_C(1) << (place.bits - 1)) - 1) * 2 + 1;
        size_t         counts[DIGITS] = { 0 }, digit = 0;
        place.bits -= bits;
        for (size_t i = 0; i < count; i++) {
            const uint64_t above = values[i] - place.least;
            if (values[i] >= place.least && above <= most) counts[above >> place.bits]++;
        }
        for (; place.rank >= counts[digit]; digit++)
            place.rank -= counts[digit];
        place.least += (uint64_t)digit << place.bits;
    }
    return place.least;
}

static size_t rank_of(size_t count, unsigned percent)
{
    assert(percent >= 1 && percent <= 100);
    return count / 100 * percent + (count % 100 * percent + 99) / 100 - 1;
}

/* Sets the place of each percentile. */
static void find_places(const uint64_t *values, size_t count, Grouping grouping, const unsigned *percents,
                        size_t percent_count, Place *places)
{
    size_t   counts[GROUPS], before = 0;
    uint32_t last_group;
    find_groups(&grouping.bits, 1, grouping, &last_group);
    memset(counts, 0, (last_group + 1) * sizeof counts[0]);
    for (size_t first = 0, part; first < count; first += part) {
        uint32_t groups[AT_ONCE];
        part = count - first < AT_ONCE ? count - first : AT_ONCE;
        find_groups(values + first, part, grouping, groups);
        for (size_t i = 0; i < part; i++)
            counts[groups[i]]++;
    }
    for (size_t i = 0, group = 0; i < percent_count; i++) {
        const size_t rank = rank_of(count, percents[i]);
        assert(rank >= before);
        while (rank - before >= counts[group])
            before += counts[group++];
        places[i] = (Place){ .group = (uint32_t)group, .rank = rank - before };
        settle_values(&places[i], grouping.shift);
    }
}

/* Moves the values of the groups of the places to the front. Returns their number. */
static size_t keep_groups(uint64_t *values, size_t count, Grouping grouping, const Place *places,
                          size_t place_count)
{
    uint8_t is_kept[GROUPS] = { 0 };
    size_t  kept = 0;
    for (size_t i = 0; i < place_count; i++)
        is_kept[places[i].group] = 1;
    for (size_t first = 0, part; first < count; first += part) {
        uint32_t groups[AT_ONCE];
        part = count - first < AT_ONCE ? count - first : AT_ONCE;
        find_groups(values + first, part, grouping, groups);
        /* without a branch: always write, advance only for kept values */
        for (size_t i = 0; i < part; i++) {
            values[kept] = values[first + i];
            kept += is_kept[groups[i]];
        }
    }
    return kept;
}

static Grouping grouping_for(const uint64_t *values, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= values[i];
    return (Grouping){ .shift = bits < SMALL_VALUE ? 0 : LARGE_SHIFT,
                       .is_tiny = bits < TINY_VALUE,
                       .bits = bits };
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
    const Grouping grouping = grouping_for(values, count);
    find_places(values, count, grouping, percents, percent_count, places);
    const size_t kept = keep_groups(values, count, grouping, places, percent_count);
    for (size_t i = 0; i < percent_count; i++)
        found[i] = value_at(values, kept, places[i]);
}
