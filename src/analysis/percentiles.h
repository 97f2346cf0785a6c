/* analysis/percentiles.h - which of many numbers stands where a hundredth of them ends. */
#ifndef ANALYSIS_PERCENTILES_H
#define ANALYSIS_PERCENTILES_H
#include <stddef.h>
#include <stdint.h>

/* For each percent (1 to 100) the smallest of the `count` (> 0) values that so many of a hundred do not
 * exceed: one of them, as "nearest rank" has it. Linear in them, whatever they are; they may stand in
 * another order afterwards. */
void percentiles_find(uint64_t *values, size_t count, const unsigned *percents, size_t percent_count,
                      uint64_t *found);

#endif
