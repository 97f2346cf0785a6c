/* Compares every fixture of test/data/strace with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "names", "odd_lines", "relative", "threads", "time_of_day" };

static const char *const WITHOUT_MEMORY[] = { "odd_lines" };

static uint64_t events_and_samples(const Trace *trace)
{
    return trace->records.other_count + trace->instants.count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "strace",
                                    .suffix = "strace",
                                    .kept = events_and_samples,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
