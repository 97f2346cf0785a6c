#include "base/checked.h"

#include "support/test.h"

TEST(sums_saturate_at_both_ends)
{
    CHECK_INT(i64_add_saturated(INT64_MAX, 1), INT64_MAX);
    CHECK_INT(i64_add_saturated(INT64_MIN, -1), INT64_MIN);
    CHECK_INT(i64_add_saturated(INT64_MAX, INT64_MIN), -1);
    CHECK_INT(i64_sub_saturated(0, INT64_MIN), INT64_MAX);
    CHECK_INT(i64_sub_saturated(-1, INT64_MIN), INT64_MAX);
    CHECK_INT(i64_sub_saturated(-2, INT64_MAX), INT64_MIN);
    CHECK_INT(i64_sub_saturated(INT64_MIN, INT64_MIN), 0);
    CHECK_UINT(u64_add_saturated(UINT64_MAX - 1, 1), UINT64_MAX);
    CHECK_UINT(u64_add_saturated(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

TEST(clamped_is_set_only_by_a_result_that_does_not_fit)
{
    bool clamped = false;
    CHECK_INT(i64_add_clamped(INT64_MAX - 1, 1, &clamped), INT64_MAX);
    CHECK_INT(i64_sub_clamped(INT64_MIN + 1, 1, &clamped), INT64_MIN);
    CHECK(!clamped);
    CHECK_INT(i64_sub_clamped(INT64_MIN, 1, &clamped), INT64_MIN);
    CHECK(clamped);
    CHECK_INT(i64_add_clamped(1, 1, &clamped), 2);
    CHECK(clamped); /* the flag is sticky: one test serves a chain of sums */
}

TEST(totals_do_not_wrap)
{
    int64_t  time = INT64_MAX - 5;
    uint64_t bytes = UINT64_MAX - 5;
    for (int i = 0; i < 3; i++) {
        i64_accumulate(&time, 4);
        u64_accumulate(&bytes, 4);
    }
    CHECK_INT(time, INT64_MAX);
    CHECK_UINT(bytes, UINT64_MAX);
}

TEST_MAIN("checked", TEST_CASE(sums_saturate_at_both_ends),
          TEST_CASE(clamped_is_set_only_by_a_result_that_does_not_fit), TEST_CASE(totals_do_not_wrap))
