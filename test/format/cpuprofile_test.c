/* Compares every fixture of test/data/cpuprofile with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "bad_middle",  "empty",     "hits_only", "node_fib",
                                        "odd_samples", "order_any", "protocol" };

static const char *const WITHOUT_MEMORY[] = { "hits_only", "odd_samples", "order_any" };

static uint64_t nodes_and_samples(const Trace *trace)
{
    return trace->records.other_count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "cpuprofile",
                                    .suffix = "cpuprofile",
                                    .kept = nodes_and_samples,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
