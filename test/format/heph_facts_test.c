/* The facts of test/data/heph, counted by an independent decoder, and their golden files. */
#include "base/file.h"
#include "format/heph_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Facts {
    const char *file;
    unsigned    events, metadata, streams, threads, descriptions, largest;
    const char *first_tick, *last_tick, *epoch; /* NULL = none */
    unsigned    missing, skipped;
    const char *types;
} Facts;

/* The independent decoder drops a packet that it cannot decode completely. The reader keeps the decodable part, which
 * changes rows of heph_nested_bug, bad_sizes and bad_attributes. It subtracts late events from the missing ones
 * (syn_reordered_duplicated), places events after another epoch by that one (syn_two_epochs), and reads 8 of 12 bytes
 * as an epoch (syn_epoch_bad_length). */
/* clang-format off */
static const Facts FACTS[] = {
    /* file            events metadata streams threads names largest first last epoch missing skipped, types */
    { "heph_plain",                821, 1,   4,   4, 17,    132, "118490",              "6633640", "1795224894464303559",  0,   0,
      "\"0x01\":564,\"0x04\":92" },
    { "heph_substreams",           252, 1,   4,  16, 17,    132,  "91190",              "3535640", "1795229869460016866",  0,   0,
      "\"0x01\":172,\"0x04\":29" },
    { "heph_attrs",               1024, 1,   4,   4, 18,    335,  "43510",             "10319429", "1795229697547491803",  0,   0,
      "\"0x01\":1004,\"0x02\":200,\"0x03\":300,\"0x04\":415,\"0x81\":200,\"0x82\":100,\"0x83\":100,\"0x84\":100" },
    { "heph_large_packets",        335, 1,   3,   3, 18, 140063,  "34390",              "5729489", "1795229697565580592",  0,   0,
      "\"0x01\":213,\"0x04\":42,\"0x81\":3" },
    { "heph_nested_bug",           335, 1,   3,   3, 18,    132,  "45830",              "4614930", "1795229697559510622",  0,   0,
      "\"0x01\":213,\"0x04\":39,\"0x81\":3" },
    { "heph_old_layout",            75, 1,   3,   3,  2,     89, "249140",               "986580", "1795229744892857541",  0,   0,
      "\"0x01\":30,\"0x04\":30" },
    { "syn_spec_example",            1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,   0,
      "\"0x01\":1,\"0x83\":1" },
    { "syn_no_metadata",             1, 0,   1,   1,  1,     91,    "100",                  "200", NULL,  0,   0,
      "\"0x01\":1,\"0x83\":1" },
    { "syn_only_epoch",              0, 1,   0,   0,  0,      0,      "0",                    "0", "1610113734118010000",  0,   0,
      "" },
    { "syn_all_types",               4, 1,   1,   1,  4,    306,     "10",                   "80", "1610113734118010000",  0,   0,
      "\"0x01\":4,\"0x02\":3,\"0x03\":8,\"0x04\":6,\"0x81\":2,\"0x82\":2,\"0x83\":2,\"0x84\":2" },
    { "syn_lengths",                 3, 1,   1,   1,  3, 524337,     "10",                   "60", "1610113734118010000",  0,   0,
      "\"0x01\":3000,\"0x04\":1,\"0x81\":1" },
    { "syn_metadata_middle",         2, 1,   1,   1,  2,     58,   "1000",                 "4000", "1610113734118010000",  0,   0,
      "" },
    { "syn_metadata_end",            2, 1,   1,   1,  2,     43,   "1000",                 "4000", "1610113734118010000",  0,   0,
      "" },
    { "syn_two_epochs",              2, 2,   1,   1,  2,     43,   "1000",           "1000004000", "1610113734118010000",  0,   0,
      "" },
    { "syn_epoch_twice_equal",       1, 2,   1,   1,  1,     43,   "1000",                 "2000", "1610113734118010000",  0,   0,
      "" },
    { "syn_unknown_options",         1, 6,   1,   1,  1,     43,   "1000",                 "2000", "1610113734118010000",  0,   0,
      "" },
    { "syn_epoch_bad_length",        1, 3,   1,   1,  1,     43,   "1000",                 "2000", "1610113734118010000",  0,   0,
      "" },
    { "syn_epoch_zero_max",          2, 1,   1,   1,  2,     46,      "0", "18446744073709551615", "18446744073709551615",  0,   0,
      "" },
    { "syn_counter_gaps",           10, 1,   2,   2, 10,     45,      "0",                 "2050", "1610113734118010000", 15,   0,
      "" },
    { "syn_counter_wrap",            6, 1,   1,   1,  6,     44,      "0",                  "550", "1610113734118010000",  1,   0,
      "" },
    { "syn_counter_start",           3, 1,   2,   2,  3,     43,    "100",                  "250", "1610113734118010000",  0,   0,
      "" },
    { "syn_counter_constant",        5, 1,   1,   1,  5,     44,      "0",                  "450", "1610113734118010000",  0,   0,
      "" },
    { "syn_counter_restart",         6, 1,   1,   1,  6,     44,      "0",                  "550", "1610113734118010000",  0,   0,
      "" },
    { "syn_reordered_duplicated",    9, 1,   1,   1,  7,     44,      "0",                  "750", "1610113734118010000",  1,   0,
      "" },
    { "trunc_01",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,   1,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_03",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,   3,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_04",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,   4,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_07",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,   7,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_08",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,   8,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_20",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  20,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_39",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  39,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_40",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  40,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_41",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  41,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_45",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  45,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_50",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  50,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_56",                    1, 1,   1,   1,  1,     91,    "100",                  "200", "1610113734118010000",  0,  56,
      "\"0x01\":1,\"0x83\":1" },
    { "trunc_in_first",              0, 0,   0,   0,  0,      0,      "0",                    "0", NULL,  0,  15,
      "" },
    { "garbage_between",             3, 1,   1,   1,  3,     91,    "100",                  "600", "1610113734118010000",  0,  37,
      "\"0x01\":1,\"0x83\":1" },
    { "garbage_fake_magic",          4, 1,   1,   1,  4,     43,    "100",                  "800", "1610113734118010000",  0,  38,
      "" },
    { "magic_inside",                2, 1,   1,   1,  2,    136,    "100",                  "400", "1610113734118010000",  0,   0,
      "\"0x01\":1,\"0x04\":1" },
    { "bad_sizes",                   4, 1,   1,   1,  4,     60,    "100",                  "200", "1610113734118010000",  1, 149,
      "" },
    { "bad_attributes",             10, 1,   1,   1, 10,     97,      "0",                 "1050", "1610113734118010000",  0,   0,
      "\"0x01\":9" },
    { "bad_utf8",                    2, 1,   1,   1,  2,     65,    "100",                  "400", "1610113734118010000",  0,   0,
      "\"0x04\":1" },
    { "times_odd",                   4, 1,   1,   1,  4,     58,      "0",                  "300", "1610113734118010000",  0,   0,
      "" },
    { "nest_ties",                  11, 1,   1,   1, 11,     63,     "10",                  "130", "1610113734118010000",  0,   0,
      "" },
    { "nest_overlap",                6, 1,   2,   4,  6,     54,      "0",                  "100", "1610113734118010000",  0,   0,
      "" },
    { "ids_large",                   3, 1,   3,   3,  3,     54,     "10",                   "20", "1610113734118010000",  0,   0,
      "" },
    { "many_streams",             4000, 1, 400, 400,  1,     43,      "0",                "39995", "1610113734118010000",  0,   0,
      "" },
    { "bad_huge_size",               2, 1,   1,   1,  2,     91,    "100",                  "400", "1610113734118010000",  0, 108,
      "\"0x01\":1,\"0x83\":1" },
};
/* clang-format on */

static void read_file(const char *name, Bytes *file)
{
    char relative[128], path[512];
    (void)snprintf(relative, sizeof relative, "heph/%s.bin", name);
    fixture_path(relative, path, sizeof path);
    if (!file_is_regular(path)) (void)snprintf(relative, sizeof relative, "heph/large/%s.bin", name);
    fixture_read(relative, file);
}

static const char *property(const Trace *trace, const char *key)
{
    StringView wanted = { key, strlen(key) };
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        if (string_equal(trace_string(trace, trace->records.properties[i].key), wanted))
            return trace->records.properties[i].json;
    }
    return NULL;
}

static uint64_t number_in(const char *json, const char *key)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(json, wanted);
    uint64_t    value = 0, sum = 0;
    for (; at != NULL; at = strstr(at + 1, wanted)) {
        CHECK_INT(sscanf(at + strlen(wanted), "%" SCNu64, &value), 1);
        sum += value;
    }
    return sum;
}

static void check_facts(const Facts *facts, const Trace *trace)
{
    char        tick[CLOCK_TICK_TEXT], types[256];
    const char *statistics = property(trace, "statistics");
    CHECK(statistics != NULL);
    CHECK_UINT(event_count(trace, "event"), facts->events);
    CHECK_UINT(event_count(trace, "metadata"), facts->metadata);
    CHECK_UINT(trace->records.other_count, facts->metadata);
    CHECK_UINT(trace->slices.count + number_in(statistics, "duplicates"), facts->events);
    CHECK_UINT(number_in(statistics, "events"), trace->slices.count);
    CHECK_UINT(trace->counts.active_processes, facts->streams);
    CHECK_UINT(trace->counts.threads, facts->threads);
    CHECK_UINT(number_in(statistics, "descriptions"), facts->descriptions);
    CHECK_UINT(number_in(statistics, "largest_event"), facts->largest);
    CHECK_UINT(number_in(statistics, "missing"), facts->missing);
    CHECK_UINT(number_in(statistics, "skipped_bytes"), facts->skipped);
    snprintf(types, sizeof types, "\"attribute_types\":{%s}", facts->types);
    CHECK(strstr(statistics, types) != NULL);
    clock_format_tick(&trace->clock, trace->begin_tick, tick);
    CHECK_STRING(tick, facts->first_tick);
    clock_format_tick(&trace->clock, trace->end_tick, tick);
    CHECK_STRING(tick, facts->last_tick);
    CHECK_STRING(property(trace, "epoch"), facts->epoch);
    CHECK(trace->source.complete ==
          (facts->skipped == 0 && warning_count(trace, "bad-attribute", NULL) == 0));
}

TEST(files_have_the_facts_of_their_readme)
{
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i++) {
        Bytes file = { 0 };
        read_file(FACTS[i].file, &file);
        print_message("# %s\n", FACTS[i].file);
        Trace *trace = built_whole(&file);
        check_facts(&FACTS[i], trace);
        trace_release(trace);
    }
}

static const char *const GOLDEN[] = {
    "bad_attributes",
    "bad_huge_size",
    "bad_sizes",
    "bad_utf8",
    "garbage_between",
    "garbage_fake_magic",
    "heph_nested_bug",
    "heph_old_layout",
    "heph_substreams",
    "ids_large",
    "magic_inside",
    "nest_overlap",
    "nest_ties",
    "syn_all_types",
    "syn_counter_constant",
    "syn_counter_gaps",
    "syn_counter_restart",
    "syn_counter_start",
    "syn_counter_wrap",
    "syn_epoch_bad_length",
    "syn_epoch_twice_equal",
    "syn_epoch_zero_max",
    "syn_metadata_end",
    "syn_metadata_middle",
    "syn_no_metadata",
    "syn_only_epoch",
    "syn_reordered_duplicated",
    "syn_spec_example",
    "syn_two_epochs",
    "syn_unknown_options",
    "times_odd",
    "trunc_01",
    "trunc_07",
    "trunc_20",
    "trunc_56",
    "trunc_in_first",
};

TEST(files_become_what_their_golden_files_say)
{
    check_golden_files(text_of, "heph", "bin", GOLDEN, sizeof GOLDEN / sizeof GOLDEN[0]);
}

TEST_MAIN("heph_facts", TEST_CASE(files_have_the_facts_of_their_readme),
          TEST_CASE(files_become_what_their_golden_files_say))
