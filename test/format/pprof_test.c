/* Compares every fixture of test/data/pprof with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "bad_message", "bad_middle", "empty",     "go_block",
                                        "inline",      "odd",        "order_any", "units" };

static const char *const WITHOUT_MEMORY[] = { "inline", "odd", "order_any", "units" };

static uint64_t samples(const Trace *trace)
{
    return trace->records.other_count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "pprof",
                                    .suffix = "pprof",
                                    .kept = samples,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
