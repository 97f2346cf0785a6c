/* analysis/ranks.h - Mann-Whitney U test of two samples, and the Benjamini-Hochberg procedure for many tests.
 *
 * The U test compares ranks, so it needs no assumption about the distribution of durations, and one slow call weighs no
 * more than any other call. Pure functions of their arguments: any thread. */
#ifndef ANALYSIS_RANKS_H
#define ANALYSIS_RANKS_H
#include <stdint.h>

/* Fewest and most values of a sample. From 8 values on the distribution of U is close to normal (Mann and Whitney 1947,
 * section 5). */
enum { RANK_LEAST = 8, RANK_MOST = 64 };

typedef struct RankTest {
    double p;          /* two-sided p-value, 0 to 1; 1 where all values are equal */
    double b_is_above; /* share of the pairs (a, b) with b > a; pairs of equal values count half */
} RankTest;

/* Compares two samples of RANK_LEAST to RANK_MOST values by the normal approximation of U, corrected for ties and for
 * continuity. */
RankTest rank_test(const double *a, uint32_t a_count, const double *b, uint32_t b_count);

/* Replaces p-values, sorted ascending, by the least false discovery rates at which each test counts as a discovery
 * (Benjamini and Hochberg 1995). */
void rank_adjust(double *p, uint32_t count);

#endif
