#include "analysis/ranks.h"

#include "support/test.h"

#include <math.h>

static bool is_near(double found, double wanted)
{
    return fabs(found - wanted) < 1e-7;
}

TEST(samples_that_do_not_overlap_differ_most)
{
    const double   low[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, high[] = { 9, 10, 11, 12, 13, 14, 15, 16 };
    const RankTest up = rank_test(low, 8, high, 8), down = rank_test(high, 8, low, 8);
    CHECK(up.b_is_above == 1 && down.b_is_above == 0);
    CHECK(is_near(up.p, 0.000939056) && up.p == down.p); /* wilcox.test(exact = FALSE) of R */
}

TEST(equal_values_are_no_difference)
{
    const double   same[] = { 5, 5, 5, 5, 5, 5, 5, 5 };
    const RankTest test = rank_test(same, 8, same, 8);
    CHECK(test.p == 1 && test.b_is_above == 0.5);
}

/* U by counting pairs, and the ties of t equal values as t^3 - t. */
TEST(ties_count_half)
{
    const double a[] = { 1, 1, 2, 2, 3, 3, 4, 4, 4 }, b[] = { 2, 2, 3, 3, 4, 4, 5, 5 };
    double       u = 0;
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 8; k++)
            u += b[k] > a[i] ? 1 : b[k] < a[i] ? 0 : 0.5;
    const double   ties = 6 + 60 + 60 + 120 + 6, variance = 9.0 * 8 / 12 * (18 - ties / (17.0 * 16));
    const RankTest test = rank_test(a, 9, b, 8);
    CHECK(is_near(test.b_is_above, u / 72));
    CHECK(is_near(test.p, erfc((fabs(u - 36) - 0.5) / sqrt(variance) / sqrt(2))));
}

/* The 15 p-values of section 3.2 of Benjamini and Hochberg 1995: four are discoveries at a rate of 5 %. */
TEST(adjusted_values_are_those_of_the_paper)
{
    double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                   0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0 };
    rank_adjust(p, 15);
    int discoveries = 0;
    for (int i = 0; i < 15; i++)
        discoveries += p[i] < 0.05;
    CHECK(discoveries == 4);
    CHECK(is_near(p[0], 0.0015) && is_near(p[3], 0.035625) && is_near(p[5], 0.0298 * 15 / 7) && p[14] == 1);
    for (int i = 1; i < 15; i++)
        CHECK(p[i - 1] <= p[i]);
}

/* 0.0533 * 5 / 5 is less than 0.0533 in floating-point numbers. */
TEST(an_adjusted_value_is_not_less_than_the_value)
{
    const double value = 0.0532779953140362;
    double       p[] = { value, value, value, value, value };
    rank_adjust(p, 5);
    for (int i = 0; i < 5; i++)
        CHECK(p[i] >= value);
}

TEST_MAIN("ranks", TEST_CASE(samples_that_do_not_overlap_differ_most),
          TEST_CASE(equal_values_are_no_difference), TEST_CASE(ties_count_half),
          TEST_CASE(adjusted_values_are_those_of_the_paper),
          TEST_CASE(an_adjusted_value_is_not_less_than_the_value))
