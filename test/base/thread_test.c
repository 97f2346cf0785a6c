#include "base/thread.h"

#include "support/test.h"

#include <stdatomic.h>

enum { JOBS = 10000 };

typedef struct Work {
    _Atomic uint32_t ran[JOBS];
    _Atomic uint64_t sum;
} Work;

static void job_count(void *context, size_t i)
{
    Work *work = (Work *)context;
    atomic_fetch_add(&work->ran[i], 1);
    atomic_fetch_add(&work->sum, i);
}

TEST(thread_run_does_each_job_once)
{
    static const unsigned THREADS[] = { 0, 1, 2, 3, 16, 255, 256, 100000 };
    static Work           work;
    for (unsigned t = 0; t < sizeof THREADS / sizeof THREADS[0]; t++) {
        thread_run(THREADS[t], JOBS, job_count, &work);
        for (size_t i = 0; i < JOBS; i++)
            CHECK_UINT(work.ran[i], t + 1);
        CHECK_UINT(work.sum, (uint64_t)(t + 1) * JOBS * (JOBS - 1) / 2);
    }
}

TEST(thread_run_of_nothing_returns)
{
    static Work work;
    thread_run(0, 0, job_count, &work);
    thread_run(8, 1, job_count, &work);
    CHECK_UINT(work.ran[0], 1);
    CHECK_UINT(work.ran[1], 0);
}

typedef struct Order {
    size_t next;
    bool   in_order;
} Order;

static void job_order(void *context, size_t i)
{
    Order *order = (Order *)context;
    if (i != order->next++) order->in_order = false;
}

TEST(thread_run_on_one_thread_is_a_loop)
{
    Order order = { .in_order = true };
    thread_run(1, 1000, job_order, &order);
    CHECK(order.in_order && order.next == 1000);
}

static void job_nested(void *context, size_t i)
{
    (void)i;
    thread_run(2, 10, job_count, context);
}

TEST(thread_run_may_be_nested)
{
    static Work work;
    thread_run(3, 20, job_nested, &work);
    CHECK_UINT(work.ran[9], 20);
}

TEST(thread_count_default_is_at_least_one)
{
    CHECK(thread_count_default() >= 1);
}

TEST_MAIN("base/thread", TEST_CASE(thread_run_does_each_job_once), TEST_CASE(thread_run_of_nothing_returns),
          TEST_CASE(thread_run_on_one_thread_is_a_loop), TEST_CASE(thread_run_may_be_nested),
          TEST_CASE(thread_count_default_is_at_least_one))
