/* Compares every fixture of test/data/folded with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "crlf", "difference", "no_line_end", "odd", "perf" };

static const char *const WITHOUT_MEMORY[] = { "difference", "odd", "perf" };

static uint64_t samples(const Trace *trace)
{
    return trace->records.other_count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "folded",
                                    .suffix = "folded",
                                    .kept = samples,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
