#include "analysis/ranks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct Ranked {
    double  value;
    uint8_t is_b;
} Ranked;

static int compare_ranked(const void *left, const void *right)
{
    const Ranked *a = (const Ranked *)left, *b = (const Ranked *)right;
    if (a->value < b->value) return -1;
    return a->value > b->value ? 1 : 0;
}

/* U of sample b and the sum of t^3 - t over the groups of t equal values. */
typedef struct RankSums {
    double u, ties;
} RankSums;

static RankSums sum_ranks(const Ranked *values, uint32_t count, double b_count)
{
    RankSums sums = { 0, 0 };
    for (uint32_t first = 0, end; first < count; first = end) {
        double of_b = 0;
        for (end = first; end < count && values[end].value <= values[first].value; end++)
            of_b += values[end].is_b;
        const double equal = end - first, rank = first + (equal + 1) / 2;
        sums.u += of_b * rank;
        sums.ties += equal * equal * equal - equal;
    }
    sums.u -= b_count * (b_count + 1) / 2;
    return sums;
}

RankTest rank_test(const double *a, uint32_t a_count, const double *b, uint32_t b_count)
{
    Ranked         values[2 * RANK_MOST];
    const uint32_t count = a_count + b_count;
    const double   na = a_count, nb = b_count, n = count;
    assert(a_count >= RANK_LEAST && a_count <= RANK_MOST && b_count >= RANK_LEAST && b_count <= RANK_MOST);
    for (uint32_t i = 0; i < a_count; i++)
        values[i] = (Ranked){ a[i], 0 };
    for (uint32_t i = 0; i < b_count; i++)
        values[a_count + i] = (Ranked){ b[i], 1 };
    qsort(values, count, sizeof values[0], compare_ranked);
    const RankSums sums = sum_ranks(values, count, nb);
    const double   variance = na * nb / 12 * (n + 1 - sums.ties / (n * (n - 1)));
    const double   distance = fabs(sums.u - na * nb / 2) - 0.5;
    const double   z = variance > 0 && distance > 0 ? distance / sqrt(variance) : 0;
    return (RankTest){ .p = erfc(z / sqrt(2)), .b_is_above = sums.u / (na * nb) };
}

void rank_adjust(double *p, uint32_t count)
{
    double least = 1;
    for (uint32_t i = count; i-- > 0;) {
        const double rate = p[i] * ((double)count / (i + 1)); /* not below p, also when rounded */
        if (rate < least) least = rate;
        p[i] = least;
    }
}
