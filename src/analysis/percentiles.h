/* analysis/percentiles.h - percentiles of unsorted numbers. */
#ifndef ANALYSIS_PERCENTILES_H
#define ANALYSIS_PERCENTILES_H
#include <stddef.h>
#include <stdint.h>

enum { PERCENTILES_MOST = 8 };

/* Sets, for each of up to PERCENTILES_MOST ascending percents (1 to 100), the smallest of the `count` (> 0) values that this
 * percentage of the values does not exceed ("nearest rank"). Takes linear time for any values. Overwrites the values. */
void percentiles_find(uint64_t *values, size_t count, const unsigned *percents, size_t percent_count,
                      uint64_t *found);

#endif
