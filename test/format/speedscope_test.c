/* Compares every fixture of test/data/speedscope with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "bad_middle",  "empty",     "evented", "odd_events",
                                        "odd_samples", "order_any", "py_spy",  "units" };

static const char *const WITHOUT_MEMORY[] = { "evented", "odd_events", "odd_samples", "order_any" };

static uint64_t frames_and_samples(const Trace *trace)
{
    return trace->records.other_count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "speedscope",
                                    .suffix = "speedscope.json",
                                    .kept = frames_and_samples,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
