/* Compares every fixture of test/data/firefox with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "bad_middle", "bytes", "empty", "gecko", "odd", "shared", "threads" };

static const char *const WITHOUT_MEMORY[] = { "bytes", "gecko", "odd", "shared", "threads" };

static uint64_t samples_and_counts(const Trace *trace)
{
    return trace->records.other_count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "firefox",
                                    .suffix = "firefox.json",
                                    .kept = samples_and_counts,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
