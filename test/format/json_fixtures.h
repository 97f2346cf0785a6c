/* json_fixtures.h - tests for every fixture of a format of text, mostly JSON: the expected text, any division, any prefix, and for some
 * every failed allocation. */
#ifndef TEST_FORMAT_JSON_FIXTURES_H
#define TEST_FORMAT_JSON_FIXTURES_H
#include "trace_event_support.h"

/* A list of names, which ends with NULL. */
#define FIXTURES(...) ((const char *const[]){ __VA_ARGS__, NULL })

typedef struct JsonFixtures {
    const char *folder; /* of test/data; the expected text of NAME is in its expected/NAME.txt */
    const char *format; /* NULL = it has the name of the folder */
    const char *suffix; /* of the files, without the point */
    uint64_t (*kept)(const Trace *trace); /* counts that only increase with the length of a prefix */
    const char *const *names;             /* FIXTURES(...) */
    const char *const *without_memory; /* the fixtures that are read with every allocation failing in turn */
} JsonFixtures;

/* Runs the tests; returns the exit status. */
int json_fixtures_run(const JsonFixtures *fixtures);

#endif
