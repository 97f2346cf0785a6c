#include "json_fixtures.h"

#include "support/golden.h"

#include <stdio.h>
#include <stdlib.h>

static const JsonFixtures *the_set; /* a case receives only its fixture */

static void input_path(const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s.%s", the_set->folder, name, the_set->suffix);
}

static void reads_as_expected(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 }, text = { 0 };
    input_path(name, path, sizeof path);
    fixture_read(path, &input);
    trace_event_print_input(input.data, input.size, (Cuts){ 0 }, &text);
    CHECK(!text.failed);
    (void)snprintf(path, sizeof path, "%s/expected/%s.txt", the_set->folder, name);
    golden_check(path, text.data, text.size);
    bytes_release(&input);
    bytes_release(&text);
}

/* Any division of the input gives the same trace. */
static void reads_the_same_in_any_pieces(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 }, whole = { 0 };
    input_path(name, path, sizeof path);
    fixture_read(path, &input);
    trace_event_print_input(input.data, input.size, (Cuts){ 0 }, &whole);
    static const size_t PIECES[] = { 1, 3, 17, 100 };
    for (size_t i = 0; i < sizeof PIECES / sizeof PIECES[0]; i++) {
        Bytes pieces = { 0 };
        trace_event_print_input(input.data, input.size, (Cuts){ { i }, PIECES[i] }, &pieces);
        bytes_append(&whole, "", 1);
        bytes_append(&pieces, "", 1);
        CHECK(!whole.failed && !pieces.failed);
        CHECK_STRING((const char *)pieces.data, (const char *)whole.data);
        whole.size--;
        bytes_release(&pieces);
    }
    bytes_release(&input);
    bytes_release(&whole);
}

/* Every prefix is read without a crash, and contains the complete events before the cut. */
static void reads_every_prefix(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 };
    uint64_t    most = 0;
    input_path(name, path, sizeof path);
    fixture_read(path, &input);
    for (size_t size = 0; size <= input.size; size++) {
        Err    err = { 0 };
        Trace *trace = trace_event_load(input.data, size, (Cuts){ 0 }, &err);
        if (trace == NULL) continue;
        Err broken = { 0 };
        CHECK_DONE(trace_check(trace, &broken), broken);
        uint64_t shown = the_set->kept(trace);
        CHECK(shown >= most);
        most = shown;
        trace_release(trace);
    }
    bytes_release(&input);
}

/* Fails the n-th allocation for every n until a whole load succeeds. */
static void fails_cleanly_without_memory(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 };
    input_path(name, path, sizeof path);
    fixture_read(path, &input);
    for (uint64_t n = 0;; n++) {
        CHECK(n < 10000);
        Err err = { 0 };
        memory_fail_after(n);
        Trace *trace = trace_event_load(input.data, input.size, (Cuts){ 0 }, &err);
        memory_fail_after(UINT64_MAX);
        if (trace != NULL) {
            trace_release(trace);
            break;
        }
        CHECK_INT(err.code, ERR_MEMORY);
    }
    bytes_release(&input);
}

static struct CMUnitTest case_of(const char *title, CMUnitTestFunction run, const char *fixture, char *name,
                                 size_t size)
{
    (void)snprintf(name, size, "%s: %s", fixture, title);
    return (struct CMUnitTest){ name, run, NULL, test_case_end, (void *)(uintptr_t)fixture };
}

static size_t list_count(const char *const *names)
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    return count;
}

int json_fixtures_run(const JsonFixtures *fixtures)
{
    enum { NAME_BYTES = 128 };
    const struct {
        const char        *title;
        CMUnitTestFunction run;
    } EACH[] = { { "reads as expected", reads_as_expected },
                 { "reads the same in any pieces", reads_the_same_in_any_pieces },
                 { "reads every prefix", reads_every_prefix } };
    enum { EACH_COUNT = sizeof EACH / sizeof EACH[0] };
    const size_t name_count = list_count(fixtures->names),
                 without_count = list_count(fixtures->without_memory);
    const size_t       count = EACH_COUNT * name_count + without_count;
    size_t             n = 0;
    struct CMUnitTest *cases = (struct CMUnitTest *)calloc(count, sizeof *cases);
    char              *names = (char *)calloc(count, NAME_BYTES);
    the_set = fixtures;
    trace_event_use_reader(fixtures->format == NULL ? fixtures->folder : fixtures->format);
    if (cases == NULL || names == NULL) return 1;
    for (size_t i = 0; i < name_count; i++) {
        for (size_t c = 0; c < EACH_COUNT; c++, n++)
            cases[n] =
                case_of(EACH[c].title, EACH[c].run, fixtures->names[i], names + n * NAME_BYTES, NAME_BYTES);
    }
    for (size_t i = 0; i < without_count; i++, n++) {
        cases[n] = case_of("fails cleanly without memory", fails_cleanly_without_memory,
                           fixtures->without_memory[i], names + n * NAME_BYTES, NAME_BYTES);
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = _cmocka_run_group_tests(fixtures->folder, cases, count, NULL, NULL);
    free(cases);
    free(names);
    return failed;
}
