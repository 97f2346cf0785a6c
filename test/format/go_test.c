/* Results of reading Go traces: text like that of Go's tools, and the trace; and small functions. */
#include "base/id_map.h"
#include "format/go/common/quote.h"
#include "format/go/common/varint.h"
#include "format/go/v1/spec.h"
#include "format/go/v2/spec.h"
#include "format/go/v2/text.h"
#include "format/go_support.h"
#include "format/load.h"
#include "format/text.h"
#include "trace/store/flows.h"

#include <stdio.h>
#include <string.h>

/* -- small functions -- */

static uint64_t varint_of(const char *bytes, size_t size, UlebRule rule, bool *failed)
{
    ByteCursor c = cursor_over(bytes, size, 0);
    uint64_t   value = cursor_varint(&c, rule);
    *failed = c.failed;
    return value;
}

TEST(numbers_may_be_longer_than_they_need)
{
    bool failed;
    CHECK_UINT(varint_of("\x05", 1, ULEB_REFUSE_EXCESS, &failed), 5);
    CHECK_UINT(varint_of("\x97\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, ULEB_REFUSE_EXCESS, &failed), 23);
    CHECK(!failed);
    CHECK_UINT(varint_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, ULEB_REFUSE_EXCESS, &failed),
               UINT64_MAX);
    CHECK(!failed);
}

TEST(bits_beyond_64_are_refused_or_dropped)
{
    bool failed;
    CHECK_UINT(varint_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 10, ULEB_DROP_EXCESS, &failed),
               UINT64_MAX);
    CHECK(!failed);
    (void)varint_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", 10, ULEB_REFUSE_EXCESS, &failed);
    CHECK(failed);
    (void)varint_of("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, ULEB_DROP_EXCESS, &failed);
    CHECK(failed);
    (void)varint_of("\x80\x80", 2, ULEB_DROP_EXCESS, &failed);
    CHECK(failed);
}

TEST(any_id_finds_its_place)
{
    Arena arena = arena_create(0);
    IdMap map = { .arena = &arena };
    CHECK_UINT(id_map_find(&map, 0), 0);
    for (uint32_t i = 1; i <= 5000; i++)
        CHECK(id_map_put(&map, (uint64_t)i * UINT64_C(0x100000001) - 1, i));
    for (uint32_t i = 1; i <= 5000; i++)
        CHECK_UINT(id_map_find(&map, (uint64_t)i * UINT64_C(0x100000001) - 1), i);
    CHECK_UINT(id_map_find(&map, UINT64_MAX), 0);
    arena_release(&arena);
}

TEST(headers_have_the_version)
{
    static const struct {
        const char *header;
        unsigned    written, read_as; /* 0 = refused */
    } HEADERS[] = {
        { "go 1.5 trace\0\0\0\0", 1005, GO_1_5 }, { "go 1.26 trace\0\0\0", 1026, GO_1_26 },
        { "go 1.6 trace\0\0\0\0", 1006, GO_1_5 }, { "go 1.20 trace\0\0\0", 1020, GO_1_19 },
        { "go 1.24 trace\0\0\0", 1024, GO_1_23 }, { "go 1.100 trace\0\0", 1100, GO_1_26 },
        { "go 1.4 trace\0\0\0\0", 0, 0 },         { "go 1.05 trace\0\0\0", 0, 0 },
        { "go 2.5 trace\0\0\0\0", 0, 0 },         { "go 1.26 trace\0\0x", 0, 0 },
        { "go 1. trace\0\0\0\0\0", 0, 0 },        { "go 1.1000 trace\0", 0, 0 },
    };
    for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
        GoVersion version;
        bool      is_known = go_version_parse((const uint8_t *)HEADERS[i].header, GO_HEADER_BYTES, &version);
        CHECK(is_known == (HEADERS[i].read_as != 0));
        if (!is_known) continue;
        CHECK_UINT(version.written, HEADERS[i].written);
        CHECK_UINT(version.read_as, HEADERS[i].read_as);
    }
    GoVersion version;
    CHECK(!go_version_parse((const uint8_t *)"go 1.26 trace\0\0", 15, &version));
}

static void check_quoted(StringView text, const char *expected)
{
    Bytes out = { 0 };
    go_quoted_append(text, &out);
    bytes_append(&out, "", 1);
    CHECK_STRING((const char *)out.data, expected);
    bytes_release(&out);
}

TEST(text_is_quoted_as_go_does)
{
    check_quoted(STRING_LITERAL(""), "\"\"");
    check_quoted(STRING_LITERAL("a\"b\\c\n\t\x01\x7f"), "\"a\\\"b\\\\c\\n\\t\\x01\\x7f\"");
    check_quoted(STRING_LITERAL("\xd0\xb4\xe2\x80\x8b\xf3\xb0\x80\x80"), "\"\xd0\xb4\\u200b\\U000f0000\"");
    check_quoted(STRING_LITERAL("\xff\xc3"), "\"\\xff\\xc3\"");
    check_quoted(STRING_LITERAL("\xef\xbf\xbd"), "\"\xef\xbf\xbd\"");
}

TEST(tables_are_whole)
{
    for (unsigned type = 1; type < V1_TYPE_COUNT; type++)
        CHECK(V1_SPECS[type].name != NULL);
    unsigned named = 0;
    for (unsigned type = 0; type < V2_TYPE_COUNT; type++) {
        const V2Spec *spec = &V2_SPECS[type];
        named += spec->name != NULL;
        CHECK(spec->arg_count <= GO_MOST_ARGS);
        for (unsigned i = 0; i < spec->arg_count; i++)
            CHECK(spec->args[i] != NULL);
        CHECK(!spec->is_timed || spec->kind != GO_BAD);
    }
    CHECK_UINT(named, 61);
    /* numbers in a record: GoCreate of 1.19 and of 1.5 */
    CHECK_UINT(v1_number_count(GO_1_19, V1_GO_CREATE), 4);
    CHECK_UINT(v1_number_count(GO_1_5, V1_GO_CREATE), 5);
    CHECK_UINT(v1_number_count(GO_1_5, V1_GO_START), 3);
    CHECK_UINT(v1_number_count(GO_1_8, V1_GC_SWEEP_DONE), 1);
    CHECK_UINT(v1_number_count(GO_1_9, V1_STW_START), 1);
    CHECK_UINT(v1_number_count(GO_1_10, V1_STW_START), 2);
}

/* -- files -- */

typedef struct Dump {
    const char *like;
    Bytes       text;
} Dump;

static const char *dump_option(const void *context, const char *name)
{
    return strcmp(name, "like") == 0 ? ((const Dump *)context)->like : NULL;
}

static bool keep_text(void *context, const Bytes *text)
{
    Dump *dump = context;
    bytes_append(&dump->text, text->data, text->size);
    return true;
}

static void expect_complete(void *context, const TextResult *result)
{
    (void)context;
    CHECK(result->complete);
}

static void dump_file(const char *name, Dump *dump)
{
    char         path[512], fixture[128];
    Err          err;
    TextRequest  request = { .option = dump_option, .write = keep_text, .context = dump };
    LoadObserver observer = { .text = &request, .text_end = expect_complete, .context = dump };
    snprintf(fixture, sizeof fixture, "go/%s", name);
    fixture_path(fixture, path, sizeof path);
    CHECK_DONE(load_observe(path, NULL, &observer, &err), err);
}

/* For version 1.19 and before the golden files are the output of Go 1.19's `go tool trace -d` (STWStart and STWDone
 * renamed as they are since 1.21); for the others the output of Go 1.26.10's `go tool trace -d=parsed`, in UTC. */
TEST(text_is_that_of_gos_tools)
{
    static const char *const FILES[] = { "go119_chans",
                                         "go119_annot_cpuprofile",
                                         "canned_http_1_9_good",
                                         "canned_stress_start_stop_1_7_good",
                                         "go126_annot_cpuprofile",
                                         "go126_types",
                                         "go123_iter" };
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Dump dump = { .like = "go" };
        char trace[64], golden[64];
        snprintf(trace, sizeof trace, "%s.trace", FILES[i]);
        snprintf(golden, sizeof golden, "go/%s.like", FILES[i]);
        dump_file(trace, &dump);
        golden_check(golden, dump.text.data, dump.text.size);
        bytes_release(&dump.text);
    }
}

TEST(without_likeness_each_event_is_one_line)
{
    Dump dump = { .like = NULL };
    dump_file("go126_annot_cpuprofile.trace", &dump);
    size_t lines = 0;
    for (size_t i = 0; i < dump.text.size; i++)
        lines += dump.text.data[i] == '\n';
    CHECK_UINT(lines, 239); /* reader_events in its facts */
    bytes_release(&dump.text);
}

static bool contains(const Bytes *text, const char *part)
{
    return text->data != NULL && strstr((const char *)text->data, part) != NULL;
}

static uint32_t count_of(const Bytes *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = (const char *)text->data; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* The program made 20 each of main.leaf (56 bytes) and main.pair. */
TEST(memory_has_addresses_and_types)
{
    Dump dump = { .like = NULL };
    dump_file("go126_types.trace", &dump);
    bytes_append(&dump.text, "", 1);
    CHECK(contains(&dump.text,
                   "ExperimentalBatch Experiment=AllocFree Info MinAddress=0x3a9e09800000 PageSize=8192 "
                   "MinObjectSize=8 MinStackSize=2048\n"));
    CHECK(contains(&dump.text, "ExperimentalBatch Experiment=AllocFree Type ID=15 Address=0x535be0 Size=56 "
                               "PointerBytes=8 Name=\"main.leaf\"\n"));
    CHECK(contains(&dump.text, "Name=HeapObjectAlloc Args=[id=Value{Uint64(524304)}, type=Value{Uint64(15)}] "
                               "Address=0x3a9e09c00080 Type=\"main.leaf\"\n"));
    CHECK(contains(&dump.text, "Name=Span Args=[id=Value{Uint64(464)}, npages_value=Value{Uint64(1)}, "
                               "kindclass=Value{Uint64(72)}] Address=0x3a9e09ba0000 Size=8192 Class=36\n"));
    CHECK(contains(&dump.text,
                   "Name=GoroutineStackAlloc Args=[id=Value{Uint64(1983)}, order=Value{Uint64(12)}] "
                   "Address=0x3a9e09bdf800 Size=2048\n"));
    CHECK_UINT(count_of(&dump.text, " Type=\"main.pair\"\n"), 20);
    bytes_release(&dump.text);
}

static bool append_line(void *context, GoTrace *trace, const GoEvent *event)
{
    Bytes *out = context;
    v2_text_append(trace->is_ended ? NULL : &trace->generation, trace->texts, event, V2_TEXT_LINE, out);
    return true;
}

static void begin_lines(void *context, const GoTrace *trace)
{
    (void)context;
    (void)trace;
}

static bool end_lines(void *context, GoTrace *trace)
{
    (void)context;
    (void)trace;
    return true;
}

PRINTF_LIKE(4, 0)
static void hear_nothing(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    (void)context, (void)kind, (void)offset, (void)format, (void)args;
}

TEST(damaged_experiments_do_no_harm)
{
    Bytes      file = { 0 }, lines = { 0 };
    Err        err;
    GoSink     sink = { .begin = begin_lines,
                        .event = append_line,
                        .end = end_lines,
                        .report = { hear_nothing, NULL },
                        .context = &lines };
    TestRandom random = { 7 };
    fixture_read("go/go126_types.trace", &file);
    for (size_t size = 16; size < file.size; size += 37) {
        bytes_clear(&lines);
        (void)go_events(&file, size, 0, &sink, &err);
    }
    for (unsigned round = 0; round < 300; round++) {
        size_t  at = 16 + test_random_size(&random, file.size - 16);
        uint8_t kept = file.data[at];
        file.data[at] = (uint8_t)test_random(&random);
        bytes_clear(&lines);
        (void)go_events(&file, file.size, 0, &sink, &err);
        file.data[at] = kept;
    }
    bytes_clear(&lines);
    CHECK_DONE(go_events(&file, file.size, 0, &sink, &err), err);
    bytes_append(&lines, "", 1);
    CHECK(contains(&lines, "Name=\"main.leaf\"\n"));
    bytes_release(&lines);
    bytes_release(&file);
}

TEST(what_is_drawn)
{
    static const char *const FILES[] = {
        "go126_annot_cpuprofile", "go119_annot_cpuprofile", "go126_cgo",
        "go119_cgo_noorder",      "go119_syscalls",         "canned_stress_1_5_unordered"
    };
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Bytes file = { 0 }, text = { 0 };
        char  trace[64], golden[64];
        Err   err;
        snprintf(trace, sizeof trace, "%s.trace", FILES[i]);
        snprintf(golden, sizeof golden, "go/%s.txt", FILES[i]);
        go_file_read(trace, &file);
        Built built = go_built(file.data, file.size, 0);
        CHECK_DONE(built.trace != NULL, built.err);
        CHECK_DONE(trace_check(built.trace, &err), err);
        go_built_text(&built, &text);
        golden_check(golden, text.data, text.size);
        trace_release(built.trace);
        bytes_release(&file);
        bytes_release(&text);
    }
}

/* Short traces do not contain the heap goal, cut ones not even the number of processors. */
/* The string at byte 226 of the file, 15 bytes, is repeated after itself. */
TEST(an_id_that_is_taken_is_reported_with_an_offset)
{
    enum { STRING_AT = 226, STRING_END = 241 };
    Bytes       file = { 0 }, twice = { 0 };
    Loaded      loaded;
    Err         err;
    LoadOptions options = { .threads = 1 };
    go_file_read("go119_tiny.trace", &file);
    bytes_append(&twice, file.data, STRING_END);
    bytes_append(&twice, file.data + STRING_AT, file.size - STRING_AT);
    CHECK_DONE(load_bytes(twice.data, twice.size, "twice.trace", &options, &loaded, &err), err);
    const Warning *found = NULL;
    for (uint32_t i = 0; i < loaded.trace->records.warning_count; i++)
        if (strcmp(loaded.trace->records.warnings[i].kind, "duplicate-id") == 0)
            found = &loaded.trace->records.warnings[i];
    CHECK(found != NULL && found->first.offset > 0 && found->first.offset <= STRING_AT);
    loaded_release(&loaded);
    bytes_release(&twice);
    bytes_release(&file);
}

TEST(counters_without_values_have_no_lane)
{
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 };
        go_file_read(GO_FILES[i], &file);
        const size_t sizes[] = { file.size, file.size / 2, file.size / 16 };
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            Built built = go_built(file.data, sizes[k], 0);
            if (built.trace == NULL) continue;
            for (uint32_t t = 1; t <= built.trace->track_count; t++) {
                const Track *track = &built.trace->tracks[t];
                if (track->kind == TRACK_COUNTER) CHECK(track_extras(track)->sample_count > 0);
            }
            trace_release(built.trace);
        }
        bytes_release(&file);
    }
}

/* A trace loaded for one perspective equals that perspective of the whole. */
TEST(perspectives_are_made_apart)
{
    static const char *const NAMES[] = { "processors", "Goroutines", "THREADS" };
    for (size_t i = 0; GO_FILES[i] != NULL; i++) {
        Bytes file = { 0 }, whole = { 0 }, apart = { 0 };
        go_file_read(GO_FILES[i], &file);
        Built    all = go_built(file.data, file.size, 0);
        uint64_t flows = 0;
        for (size_t k = 0; all.trace != NULL && k < sizeof NAMES / sizeof NAMES[0]; k++) {
            Built one = go_built_for(NAMES[k], file.data, file.size, 0);
            Err   err;
            CHECK_DONE(one.trace != NULL, one.err);
            CHECK_DONE(trace_check(one.trace, &err), err);
            CHECK_UINT(one.trace->perspectives.count, 3);
            CHECK_UINT(one.trace->perspectives.made, 1U << k);
            bytes_clear(&whole);
            bytes_clear(&apart);
            go_built_text_from(&all, (uint8_t)(1U << k), &whole);
            go_built_text(&one, &apart);
            bytes_append(&whole, "", 1);
            bytes_append(&apart, "", 1);
            CHECK_STRING((const char *)apart.data, (const char *)whole.data);
            flows += one.trace->flows.count;
            trace_release(one.trace);
        }
        if (all.trace != NULL) {
            CHECK_UINT(all.trace->perspectives.made, 7);
            CHECK_UINT(flows, all.trace->flows.count);
            trace_release(all.trace);
        }
        bytes_release(&file);
        bytes_release(&whole);
        bytes_release(&apart);
    }
}

/* Checks that an arrow leaves a running goroutine and ends at the begin of the state that it causes; following works in
 * both directions. */
static void check_states_arrow(const Trace *trace, FlowEnd from, FlowEnd to)
{
    uint64_t found;
    CHECK(trace->tracks[to.track].kind == TRACK_STATES && from.tick == to.tick);
    CHECK(string_equal(trace_label_name(trace, trace_slice_label(trace, from.slice)),
                       STRING_LITERAL("running")));
    CHECK(flows_follow(trace, to.slice, FLOW_FROM, &found) && found == from.slice);
    CHECK(flows_follow(trace, from.slice, FLOW_TO, &found));
}

/* On processors and threads it ends at the goroutine's next run, on a lane of the same kind. */
static void check_lanes_arrow(const Trace *trace, FlowEnd from, FlowEnd to)
{
    uint64_t found;
    CHECK(trace->tracks[to.track].kind == TRACK_THREAD && from.tick <= to.tick);
    CHECK(trace->tracks[to.track].process.index == trace->tracks[from.track].process.index);
    CHECK(from.row == 0 && to.row == 0);
    FlowEnd ends[] = { from, to };
    for (size_t i = 0; i < 2; i++) {
        LabelId label = { trace_slice_label(trace, ends[i].slice) };
        CHECK(string_equal(trace_label_category(trace, label.index), STRING_LITERAL("goroutine")));
    }
    CHECK(flows_follow(trace, to.slice, FLOW_FROM, &found) && found == from.slice);
    CHECK(flows_follow(trace, from.slice, FLOW_TO, &found));
}

TEST(wakers_are_found)
{
    static const char *const FILES[] = { "go119_chans.trace", "go126_chans.trace", "go119_net.trace",
                                         "go123_iter.trace" };
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Bytes    file = { 0 };
        uint64_t creations = 0, on_lanes = 0;
        go_file_read(FILES[i], &file);
        Built built = go_built(file.data, file.size, 0);
        CHECK_DONE(built.trace != NULL, built.err);
        const Trace *trace = built.trace;
        CHECK(trace->flows.count > 0);
        for (uint64_t flow = 0; flow < trace->flows.count; flow++) {
            FlowEnd from = trace_flow_end(trace, flow, FLOW_FROM), to = trace_flow_end(trace, flow, FLOW_TO);
            CHECK(from.slice != FLOW_NO_SLICE && to.slice != FLOW_NO_SLICE);
            CHECK_INT(trace_slice_begin(trace, to.slice), to.tick);
            if (trace->tracks[from.track].kind != TRACK_STATES) {
                check_lanes_arrow(trace, from, to);
                on_lanes++;
                continue;
            }
            check_states_arrow(trace, from, to);
            if (!string_equal(trace_label_name(trace, trace->flows.label[flow]), STRING_LITERAL("create")))
                continue;
            creations++;
            CHECK_UINT(to.slice, track_first_slice(trace, &trace->tracks[to.track])); /* it is the first */
        }
        CHECK(creations > 0 && on_lanes > 0);
        trace_release(built.trace);
        bytes_release(&file);
    }
}

/* Returns the duration of slices of this name on a processor's lane, at a depth. */
static uint64_t time_on_lanes(const Trace *trace, const char *name, uint32_t depth)
{
    uint64_t   ticks = 0;
    StringView wanted = { name, strlen(name) };
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row->depth != depth) continue;
        for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++)
            if (string_equal(trace_label_name(trace, trace_slice_label(trace, s)), wanted))
                ticks += trace_slice_duration(trace, s);
    }
    return ticks;
}

/* 4 processors of a program with garbage collection; the second file has 2 of them at first, so that the others are not
 * idle then. */
TEST(lanes_show_idleness_and_the_collector)
{
    static const char *const FILES[] = { "go119_gc_cpuprofile.trace", "go126_mixed.trace" };
    for (size_t i = 0; i < 2; i++) {
        Bytes file = { 0 };
        go_file_read(FILES[i], &file);
        Built built = go_built_for("processors", file.data, file.size, 0);
        CHECK_DONE(built.trace != NULL, built.err);
        const Trace *trace = built.trace;
        CHECK(time_on_lanes(trace, "idle", 0) > 0 && time_on_lanes(trace, "idle", 1) == 0);
        CHECK(time_on_lanes(trace, "GC (fractional)", 1) > 0 &&
              time_on_lanes(trace, "GC (fractional)", 0) == 0);
        CHECK(time_on_lanes(trace, "GC (idle)", 1) > 0 && time_on_lanes(trace, "GC mark assist", 1) > 0);
        CHECK(time_on_lanes(trace, i == 0 ? "STW (sweep termination)" : "STW (GC sweep termination)", 1) > 0);
        for (uint32_t r = 0; i == 1 && r < trace->row_count; r++) {
            const Row *row = &trace->rows[r];
            StringView lane = trace_string(trace, trace->tracks[row->track].name);
            if (row->depth == 0 && string_equal(lane, STRING_LITERAL("P 3")))
                CHECK(trace_slice_begin(trace, row->first_slice) > trace->begin_tick + 50000000);
        }
        trace_release(built.trace);
        bytes_release(&file);
    }
}

TEST_MAIN("go", TEST_CASE(lanes_show_idleness_and_the_collector),
          TEST_CASE(numbers_may_be_longer_than_they_need), TEST_CASE(bits_beyond_64_are_refused_or_dropped),
          TEST_CASE(any_id_finds_its_place), TEST_CASE(headers_have_the_version),
          TEST_CASE(text_is_quoted_as_go_does), TEST_CASE(tables_are_whole),
          TEST_CASE(text_is_that_of_gos_tools), TEST_CASE(without_likeness_each_event_is_one_line),
          TEST_CASE(memory_has_addresses_and_types), TEST_CASE(damaged_experiments_do_no_harm),
          TEST_CASE(what_is_drawn), TEST_CASE(an_id_that_is_taken_is_reported_with_an_offset),
          TEST_CASE(counters_without_values_have_no_lane), TEST_CASE(perspectives_are_made_apart),
          TEST_CASE(wakers_are_found))
