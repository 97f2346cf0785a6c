/* The facts of test/data/spall, counted by an independent decoder, and their golden files. */
#include "format/spall_support.h"

#include <stdio.h>
#include <string.h>

typedef struct Facts {
    const char *file, *version, *layout;
    unsigned    begin, end, complete, cache_hit, pad_skip, name_process, name_thread;
    unsigned    threads, names, with_args;
    const char *first_tick, *last_tick;
    unsigned    depth, unfinished, unmatched;
} Facts;

/* clang-format off */
static const Facts FACTS[] = {
    /* file                   version layout  B    E    X   hit  pad np nt thr names args  first            last           depth unf unm */
    { "v3_threads",             "3", NULL, 365, 363,  0,   0, 0, 1, 3, 3, 13, 307, "1542395533699", "1542395828189", 9, 2, 0 },
    { "v3_one_buffer",          "3", NULL, 466, 466,  0,   0, 0, 1, 1, 1, 11, 402, "1542526927502", "1542527113951", 9, 0, 0 },
    { "v3_tiny_buffers",        "3", NULL, 114, 114,  0,   0, 0, 1, 2, 2, 11,  88, "1542540948721", "1542541157611", 8, 0, 0 },
    { "v1_threads",             "1", NULL, 364, 363,  0,   0, 0, 0, 0, 3, 12, 306, "1542563065020", "1542563869359", 9, 1, 0 },
    { "v1_long_name_args_bug",  "1", NULL, 115, 114,  0,   0, 0, 0, 0, 2, 12,  90, "5826550089164", "5826550136654", 8, 1, 0 },
    { "v1_buffer_profiling",    "1", NULL, 488, 487,  0,   0, 0, 0, 0, 4, 13, 404, "1543004937643", "1543005460103", 9, 1, 0 },
    { "v0_0C_flint",            "0", "0C", 188, 188,  0,   0, 0, 0, 0, 2, 11,   0, "1543213810121", "1543213903601", 9, 0, 0 },
    { "v0_0D_flint",            "0", "0D", 188, 188,  0,   0, 0, 0, 0, 2, 11,   0, "5626356782306", "5626356943026", 9, 0, 0 },
    { "v0_0E_flint",            "0", "0E", 188, 188,  0,   0, 0, 0, 0, 2, 11,   0, "5627207949496", "5627208150765", 9, 0, 0 },
    { "v0_0F_complete",         "0", "0F", 242, 242, 42,   0, 0, 0, 0, 2, 13,   0, "1543070515649", "1543070699479", 9, 0, 0 },
    { "v0_0G_last",             "0", "0F", 188, 188,  0,   0, 0, 0, 0, 2, 11,   0, "3472220610833", "3472220712128", 9, 0, 0 },
    { "bad_must_be_0",          "3", NULL, 365, 363,  0,   0, 0, 1, 3, 3, 13, 307, "1542395533699", "1542395828189", 9, 2, 0 },
    { "bad_unit_nan",           "3", NULL, 365, 363,  0,   0, 0, 1, 3, 3, 13, 307, "1542395533699", "1542395828189", 9, 2, 0 },
    { "bad_unit_zero",          "3", NULL, 365, 363,  0,   0, 0, 1, 3, 3, 13, 307, "1542395533699", "1542395828189", 9, 2, 0 },
    { "bad_unit_negative",      "1", NULL, 364, 363,  0,   0, 0, 0, 0, 3, 12, 306, "1542563065020", "1542563869359", 9, 1, 0 },
    { "bad_v1_cut",             "1", NULL, 364, 362,  0,   0, 0, 0, 0, 3, 12, 306, "1542563065020", "1542563869289", 9, 2, 0 },
    { "bad_v1_unknown_type",    "1", NULL,   1,   0,  0,   0, 0, 0, 0, 1,  1,   0, "1542563498889", "1542563498889", 1, 1, 0 },
    { "bad_v3_cut_in_buffer",   "3", NULL, 362, 360,  0,   0, 0, 1, 3, 3, 11, 305, "1542395533699", "1542395817849", 9, 2, 0 },
    { "bad_v3_cut_in_buffer_header", "3", NULL, 120, 118, 0, 0, 0, 1, 1, 1, 10, 101, "1542395533699", "1542395577069", 9, 2, 0 },
    { "bad_v3_huge_size",       "3", NULL, 120, 118,  0,   0, 0, 1, 1, 1, 10, 101, "1542395533699", "1542395577069", 9, 2, 0 },
    /* 0.5 and 2.75 in 2^-20 */
    { "syn_v1_pad_skip",        "1", NULL,   1,   1,  0,   0, 2, 0, 0, 1,  1,   1, "524288", "2883584", 1, 0, 0 },
    { "syn_v1_interleaved",     "1", NULL,   4,   4,  0,   0, 0, 0, 0, 3,  4,   0, "0", "8000", 2, 0, 0 },
    { "syn_v2",                 "2", NULL,   1,   1,  0,   0, 0, 0, 0, 1,  1,   1, "10", "20", 1, 0, 0 },
    { "syn_v3_odd_times",       "3", NULL,   7,   7,  0,   0, 0, 0, 0, 1,  7,   1, "100", "160", 2, 1, 1 },
    { "syn_v3_all_records",     "3", NULL,   2,   2,  0,   0, 1, 1, 2, 2,  2,   1, "4", "18446744073709551615", 1, 0, 0 },
    /* Each hit opens a slice too. Its name is not in the file; "name in slot N" represents it. */
    { "v0_0C_cache_forced",     "0", "0C",  22, 188,  0, 166, 0, 0, 0, 2,  0,   0, "1543218539400", "1543218637120", 9, 0, 0 },
};
/* clang-format on */

static unsigned count_names(const Trace *trace)
{
    unsigned count = 0;
    for (uint32_t label = 1; label <= trace->label_count; label++) {
        uint64_t i = 0;
        while (i < trace->slices.count && trace_slice_label(trace, i) != label)
            i++;
        count += i < trace->slices.count;
    }
    return count;
}

static unsigned count_with_args(const Trace *trace, const Bytes *file)
{
    unsigned count = 0;
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        Bytes text = { 0 };
        slice_details(trace, i, file->data, file->size, &text);
        count += text.size > 0 && text.data[0] == '{';
        bytes_release(&text);
    }
    return count;
}

static void check_facts(const Facts *facts, const Trace *trace, const Bytes *file)
{
    char tick[CLOCK_TICK_TEXT];
    CHECK_STRING(trace->source.format_version, facts->version);
    CHECK_UINT(event_count(trace, "Begin"), facts->begin);
    CHECK_UINT(event_count(trace, "End"), facts->end);
    CHECK_UINT(event_count(trace, "Complete"), facts->complete);
    CHECK_UINT(event_count(trace, "BeginCacheHit"), facts->cache_hit);
    CHECK_UINT(event_count(trace, "Pad_Skip"), facts->pad_skip);
    CHECK_UINT(event_count(trace, "Name_Process"), facts->name_process);
    CHECK_UINT(event_count(trace, "Name_Thread"), facts->name_thread);
    CHECK_UINT(trace->counts.threads, facts->threads);
    CHECK_UINT(trace->slices.count, facts->begin + facts->complete + facts->cache_hit);
    CHECK_UINT(count_with_args(trace, file), facts->with_args);
    clock_format_tick(&trace->clock, trace->begin_tick, tick);
    CHECK_STRING(tick, facts->first_tick);
    clock_format_tick(&trace->clock, trace->end_tick, tick);
    CHECK_STRING(tick, facts->last_tick);
    CHECK_UINT(trace->counts.max_depth, facts->depth);
    CHECK_UINT(trace->counts.unfinished, facts->unfinished);
    CHECK_UINT(warning_count(trace, "unmatched-end", NULL), facts->unmatched);
    if (facts->names > 0) CHECK_UINT(count_names(trace), facts->names);
    if (facts->layout != NULL) {
        const Property *layout = &trace->records.properties[1];
        CHECK(string_equal(trace_string(trace, layout->key), STRING_LITERAL("layout")));
        CHECK(strncmp(layout->json + 1, facts->layout, 2) == 0);
    }
}

TEST(files_have_the_facts_of_their_readme)
{
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i++) {
        char  path[128];
        Bytes file = { 0 }, copy = { 0 };
        snprintf(path, sizeof path, "spall/%s.spall", FACTS[i].file);
        print_message("# %s\n", path);
        fixture_read(path, &file);
        bytes_append(&copy, file.data, file.size);
        Trace *trace = built_whole(&copy);
        check_facts(&FACTS[i], trace, &file);
        trace_release(trace);
        bytes_release(&file);
    }
}

static const char *const GOLDEN[] = {
    "auto_v3",
    "bad_auto_v2_layout",
    "bad_auto_v3_tag",
    "bad_fuzz_step_back_of_64_bits",
    "bad_must_be_0",
    "bad_short_header",
    "bad_unit_nan",
    "bad_unit_negative",
    "bad_unit_zero",
    "bad_v1_cut",
    "bad_v1_unknown_type",
    "bad_v3_cut_in_buffer",
    "bad_v3_cut_in_buffer_header",
    "bad_v3_flipped_byte",
    "bad_v3_header_only",
    "bad_v3_huge_size",
    "bad_v4",
    "syn_auto_v1",
    "syn_auto_v2",
    "syn_auto_v3_records",
    "syn_v1_interleaved",
    "syn_v1_odd_doubles",
    "syn_v1_pad_skip",
    "syn_v2",
    "syn_v3_all_records",
    "syn_v3_arguments",
    "syn_v3_odd_times",
    "syn_v3_recorder",
    "v0_0C_cache_forced",
    "v0_0C_flint",
    "v0_0F_complete",
    "v0_0G_last",
    "v1_buffer_profiling",
    "v1_long_name_args_bug",
    "v3_threads",
    "v3_tiny_buffers",
};

TEST(files_become_what_their_golden_files_say)
{
    check_golden_files(text_of, "spall", "spall", GOLDEN, sizeof GOLDEN / sizeof GOLDEN[0]);
}

/* The damaged byte affects the rest of its buffer, not the ones after it. */
TEST(a_flipped_byte_costs_at_most_its_buffer)
{
    Bytes file = { 0 };
    fixture_read("spall/bad_v3_flipped_byte.spall", &file);
    Trace *trace = built_whole(&file);
    CHECK_UINT(event_count(trace, "Begin"), 317);
    CHECK_UINT(event_count(trace, "End"), 315);
    CHECK_UINT(trace->counts.threads, 3);
    CHECK(!trace->source.complete);
    CHECK_UINT(warning_count(trace, "invalid-record", NULL), 1);
    trace_release(trace);
}

TEST_MAIN("spall_facts", TEST_CASE(files_have_the_facts_of_their_readme),
          TEST_CASE(files_become_what_their_golden_files_say),
          TEST_CASE(a_flipped_byte_costs_at_most_its_buffer))
