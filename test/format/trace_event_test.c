/* Every edge case of test/data/trace_event against what is expected of it: expected/NAME.txt. */
#include "support/golden.h"
#include "trace_event_support.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const FIXTURES[] = {
    "args_duplicate_keys",
    "args_not_object",
    "args_strip_marker",
    "args_types",
    "array",
    "array_missing_bracket",
    "array_missing_bracket_comma",
    "array_trailing_comma",
    "async_legacy",
    "async_nestable",
    "async_overlap",
    "async_scope_ids",
    "async_unmatched",
    "bad_metadata_key",
    "be_args_merge",
    "be_basic",
    "be_end_before_begin",
    "be_name_mismatch",
    "be_same_ts",
    "be_two_threads",
    "be_unfinished",
    "be_unmatched_end",
    "be_unsorted",
    "be_x_mixed",
    "bom",
    "cat_list",
    "cname",
    "cname_reserved",
    "comments",
    "contexts_and_dumps",
    "counters",
    "counters_odd",
    "double_comma",
    "duplicate_keys",
    "dur_huge",
    "dur_negative_missing",
    "element_types",
    "empty_array",
    "empty_file",
    "empty_object",
    "flows",
    "flows_binding",
    "flows_rules",
    "flows_unmatched",
    "flows_v2",
    "flows_v2_kinds",
    "garbage_after_end",
    "ids_as_strings",
    "ids_missing",
    "ids_negative_large",
    "ids_null",
    "instants",
    "key_order",
    "keys_escaped",
    "keys_unknown",
    "leading_comma",
    "leading_space",
    "metadata",
    "metadata_bad_args",
    "metadata_late_twice",
    "metadata_only",
    "metadata_without_ts",
    "missing_comma",
    "names_bad_escape",
    "names_invalid_utf8",
    "names_lone_surrogates",
    "names_raw_control",
    "names_unescaped_quote",
    "names_unicode",
    "ndjson",
    "ndjson_crlf_trailing_comma",
    "nested_array",
    "no_trace_events",
    "object",
    "object_metadata_after",
    "object_metadata_before",
    "object_missing_end",
    "object_two_lists",
    "objects",
    "odd_comments_in_a_row",
    "only_open_bracket",
    "only_space",
    "ph_unknown",
    "samples",
    "stack_frames",
    "trace_events_null",
    "trace_events_object",
    "truncated_in_escape",
    "truncated_in_event",
    "truncated_in_number",
    "truncated_in_string",
    "truncated_in_utf8",
    "ts_decimals",
    "ts_exponent",
    "ts_invalid",
    "ts_missing",
    "ts_negative",
    "ts_string",
    "two_documents",
    "x_equal_both",
    "x_equal_child_first",
    "x_equal_parent_first",
    "x_overlap",
    "x_same_end",
    "x_touching",
    "x_unsorted",
    "x_with_end_only_thread_time",
    "x_zero",
};

enum { FIXTURE_COUNT = sizeof FIXTURES / sizeof FIXTURES[0] };

static void reads_as_expected(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 }, text = { 0 };
    (void)snprintf(path, sizeof path, "trace_event/%s.json", name);
    fixture_read(path, &input);
    trace_event_print_input(input.data, input.size, (Cuts){ 0 }, &text);
    CHECK(!text.failed);
    (void)snprintf(path, sizeof path, "trace_event/expected/%s.txt", name);
    golden_check(path, text.data, text.size);
    bytes_release(&input);
    bytes_release(&text);
}

/* Any cutting of the input gives the same trace. */
static void reads_the_same_in_any_pieces(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 }, whole = { 0 };
    (void)snprintf(path, sizeof path, "trace_event/%s.json", name);
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

/* What is cut off anywhere reads without a crash, and what was whole before the cut is there. */
static void reads_every_prefix(void **state)
{
    const char *name = (const char *)*state;
    char        path[256];
    Bytes       input = { 0 };
    uint64_t    most = 0;
    (void)snprintf(path, sizeof path, "trace_event/%s.json", name);
    fixture_read(path, &input);
    for (size_t size = 0; size <= input.size; size++) {
        Err    err = { 0 };
        Trace *trace = trace_event_load(input.data, size, (Cuts){ 0 }, &err);
        if (trace == NULL) continue;
        Err broken = { 0 };
        CHECK_DONE(trace_check(trace, &broken), broken);
        uint64_t shown = trace->slices.count + trace->instants.count;
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
    (void)snprintf(path, sizeof path, "trace_event/%s.json", name);
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

int main(void)
{
    static const char *const WITHOUT_MEMORY[] = { "metadata", "ts_decimals", "ids_as_strings",
                                                  "object_metadata_after", "ph_unknown" };
    enum {
        MEMORY_COUNT = sizeof WITHOUT_MEMORY / sizeof WITHOUT_MEMORY[0],
        COUNT = 3 * FIXTURE_COUNT + MEMORY_COUNT
    };
    static struct CMUnitTest cases[COUNT];
    static char              names[COUNT][128];
    size_t                   n = 0;
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        cases[n] = case_of("reads as expected", reads_as_expected, FIXTURES[i], names[n], sizeof names[n]);
        n++;
        cases[n] = case_of("reads the same in any pieces", reads_the_same_in_any_pieces, FIXTURES[i],
                           names[n], sizeof names[n]);
        n++;
        cases[n] = case_of("reads every prefix", reads_every_prefix, FIXTURES[i], names[n], sizeof names[n]);
        n++;
    }
    for (size_t i = 0; i < MEMORY_COUNT; i++) {
        cases[n] = case_of("fails cleanly without memory", fails_cleanly_without_memory, WITHOUT_MEMORY[i],
                           names[n], sizeof names[n]);
        n++;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("trace_event", cases, NULL, NULL);
}
