/* json_fixtures.h - what every fixture of a format in JSON is put through: read as expected, the same in any
 * pieces, cut off anywhere, and some without memory. */
#ifndef TEST_FORMAT_JSON_FIXTURES_H
#define TEST_FORMAT_JSON_FIXTURES_H
#include "trace_event_support.h"

typedef struct JsonFixtures {
    const char *folder; /* of test/data; what is made of NAME stands in its expected/NAME.txt */
    uint64_t (*kept)(const Trace *trace); /* what can only be more when a file is cut off later */
    const char        *suffix;            /* of the files, without the point */
    const char *const *names;
    size_t             count;
    const char *const *without_memory; /* those of them that are read with every allocation failing in turn */
    size_t             without_memory_count;
} JsonFixtures;

/* For main: the exit status. */
int json_fixtures_run(const JsonFixtures *fixtures);

#endif
