/* Compares every fixture of test/data/perfetto with the expected text: expected/NAME.txt. */
#include "json_fixtures.h"

static const char *const FIXTURES[] = { "arguments", "bad_ftrace", "bad_middle", "chrome", "clock_units",
                                        "compact",   "compressed", "flows",      "legacy", "lost",
                                        "samples",   "system",     "threads",    "tracks" };

static const char *const WITHOUT_MEMORY[] = { "arguments", "clock_units", "compact", "compressed",
                                              "flows",     "system",      "tracks" };

static uint64_t all_events(const Trace *trace)
{
    return trace->slices.count + trace->instants.count + trace->records.other_count;
}

int main(void)
{
    const JsonFixtures fixtures = { .folder = "perfetto",
                                    .suffix = "pftrace",
                                    .kept = all_events,
                                    .names = FIXTURES,
                                    .count = sizeof FIXTURES / sizeof FIXTURES[0],
                                    .without_memory = WITHOUT_MEMORY,
                                    .without_memory_count =
                                        sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0] };
    return json_fixtures_run(&fixtures);
}
