#include "trace/store/flows.h"
#include "writer_support.h"

#include "format/trace_event/write/time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "{\"traceEvents\":[\n"
#define TAIL "\n]}\n"

/* Checks the JSON that is written for `events`, an array. */
static void check_json(const char *events, const char *lines, WriterReport *report)
{
    Bytes out = { 0 }, expected = { 0 };
    bytes_printf(&expected, HEAD "%s" TAIL, lines);
    bytes_append(&expected, "", 1);
    CHECK_STRING(writer_convert_text(events, "json", report, &out), (const char *)expected.data);
    bytes_release(&expected);
    bytes_release(&out);
}

TEST(json_slices_are_complete_events_and_parents_come_first)
{
    check_json(
        "[{\"ph\":\"X\",\"name\":\"in\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"B\",\"name\":\"out\",\"cat\":\"c\",\"ts\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"E\",\"ts\":5.25,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"X\",\"ts\":0.5,\"dur\":0,\"pid\":1,\"tid\":3}]",
        "{\"name\":\"\",\"ph\":\"X\",\"ts\":0.500,\"dur\":0.000,\"pid\":1,\"tid\":3},\n"
        "{\"name\":\"out\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":1.000,\"dur\":4.250,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"in\",\"ph\":\"X\",\"ts\":2.000,\"dur\":1.000,\"pid\":1,\"tid\":2}",
        NULL);
}

TEST(json_arguments_fields_and_metadata_are_kept)
{
    check_json(
        "[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{\"a\":[1,\"\\n\"]},"
        "\"tts\":7,\"cname\":\"good\"},"
        "{\"ph\":\"C\",\"name\":\"m\",\"ts\":2,\"pid\":1,\"tid\":2,\"id\":3,\"args\":{\"v\":1e3}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"main\"}}]",
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"main\"}},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":1.000,\"dur\":1.000,\"pid\":1,\"tid\":2,\"tts\":7,\"cname\":"
        "\"good\","
        "\"args\":{\"a\":[1,\"\\n\"]}},\n"
        "{\"name\":\"m\",\"ph\":\"C\",\"ts\":2.000,\"pid\":1,\"tid\":2,\"id\":3,\"args\":{\"v\":1e3}}",
        NULL);
}

TEST(json_thread_times_that_are_not_numbers_are_left_out)
{
    WriterReport report = { .loss_count = 0 };
    check_json(
        "[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"tts\":\"soon\",\"tdur\":null}"
        ","
        "{\"ph\":\"X\",\"name\":\"g\",\"ts\":3,\"dur\":1,\"pid\":1,\"tid\":2,\"tts\":7,\"tdur\":0.5}]",
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":1.000,\"dur\":1.000,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"g\",\"ph\":\"X\",\"ts\":3.000,\"dur\":1.000,\"pid\":1,\"tid\":2,\"tts\":7,\"tdur\":0.5}",
        &report);
    CHECK_UINT(
        writer_lost(
            &report,
            "fields of events are left out: a repaired value replaces them, or viewers would refuse them"),
        2);
}

TEST(json_unfinished_slices_have_no_end)
{
    check_json("[{\"ph\":\"B\",\"name\":\"f\",\"ts\":1,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"i\",\"name\":\"now\",\"s\":\"p\",\"ts\":3,\"pid\":1,\"tid\":2}]",
               "{\"name\":\"f\",\"ph\":\"B\",\"ts\":1.000,\"pid\":1,\"tid\":2},\n"
               "{\"name\":\"now\",\"ph\":\"i\",\"ts\":3.000,\"pid\":1,\"tid\":2,\"s\":\"p\"}",
               NULL);
    /* an unmatched end would match the begin */
    check_json("[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"E\",\"name\":\"f\",\"ts\":3,\"pid\":1,\"tid\":2}]",
               "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,"
               "\"args\":{\"name\":\"Thread 2\",\"source_id\":2}},\n"
               "{\"name\":\"f\",\"ph\":\"X\",\"ts\":1.000,\"pid\":1,\"tid\":2},\n"
               "{\"name\":\"f\",\"ph\":\"E\",\"ts\":3.000,\"pid\":1,\"tid\":2}",
               NULL);
}

/* Events that make a viewer refuse the whole file. */
TEST(json_leaves_out_what_viewers_refuse)
{
    WriterReport report = { .loss_count = 0 };
    check_json(
        "[{\"ph\":\"XX\",\"name\":\"a\",\"ts\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"i\",\"name\":\"b\",\"s\":\"global\",\"ts\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"X\",\"dur\":1,\"ts\":2,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"X\",\"name\":\"f\",\"ts\":4,\"dur\":1,\"pid\":1,\"tid\":2,\"stack\":[\"0x1\"],\"estack\":["
        "]},"
        "{\"ph\":\"C\",\"name\":\"d\",\"ts\":3,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"X\",\"name\":\"e\",\"ts\":\"soon\",\"dur\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":[]}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"x\":1,\"name\":7}}]",
        "{\"name\":\"e\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"dur\":1},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"7\",\"x\":1}},\n"
        "{\"name\":\"b\",\"ph\":\"i\",\"ts\":1.000,\"pid\":1,\"tid\":2,\"s\":\"t\"},\n"
        "{\"name\":\"\",\"ph\":\"X\",\"ts\":2.000,\"dur\":1.000,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"d\",\"ph\":\"C\",\"ts\":3.000,\"pid\":1,\"tid\":2,\"args\":{}},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":4.000,\"dur\":1.000,\"pid\":1,\"tid\":2,\"inline_stack\":["
        "\"0x1\"],\"inline_estack\":[]}",
        &report);
    CHECK_UINT(writer_lost(&report, "fields of events are left out: a repaired value replaces them, or "
                                    "viewers would refuse them"),
               2);
    CHECK_UINT(
        writer_lost(&report,
                    "names of processes and threads that are not texts, which Spall rejects, are left out"),
        1);
    CHECK_UINT(writer_lost(&report, "events are left out whose phase is not one letter, which Spall refuses"),
               1);
}

TEST(json_what_ended_with_another_still_does)
{
    check_json("[{\"ph\":\"B\",\"name\":\"f\",\"ts\":1,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"B\",\"name\":\"g\",\"ts\":2,\"pid\":1,\"tid\":2},"
               "{\"ph\":\"E\",\"name\":\"f\",\"ts\":3,\"pid\":1,\"tid\":2}]",
               "{\"name\":\"f\",\"ph\":\"B\",\"ts\":1.000,\"pid\":1,\"tid\":2},\n"
               "{\"name\":\"g\",\"ph\":\"B\",\"ts\":2.000,\"pid\":1,\"tid\":2},\n"
               "{\"name\":\"f\",\"ph\":\"E\",\"ts\":3.000,\"pid\":1,\"tid\":2}",
               NULL);
}

TEST(json_properties_are_top_level_keys_once_each)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        out = { 0 };
    CHECK_STRING(
        writer_convert_text("{\"a\":{\"b\":1},\"displayTimeUnit\":\"ms\",\"a\":2,\"traceEvents\":[]}", "json",
                            &report, &out),
        HEAD "\n],\n\"displayTimeUnit\":\"ms\",\n\"a\":2}\n");
    CHECK_UINT(writer_lost(&report, "top-level values with a later one of their key are left out"), 1);
    CHECK_STRING(writer_convert_text("{\"displayTimeUnit\":\"h\",\"traceEvents\":[]}", "json", &report, &out),
                 HEAD TAIL);
    CHECK_UINT(
        writer_lost(&report,
                    "displayTimeUnit other than ms or ns, which chrome://tracing refuses, is left out"),
        1);
    bytes_release(&out);
}

static void check_time(Clock clock, int64_t tick, const char *text, bool rounded)
{
    WriterTime time = writer_time_of(&clock, tick);
    char       out[WRITER_TIME_TEXT + 1];
    *writer_time_put(out, &time) = '\0';
    CHECK_STRING(out, text);
    CHECK_INT(time.rounded, rounded);
}

TEST(json_times_are_exact_decimals)
{
    Clock far = clock_ticks(1, 1000), source = clock_ticks(1, 1),
          calls = { .kind = CLOCK_CALLS, .ns_num = 1, .ns_den = 1 };
    far.origin_ns = 1700000000000000000;
    source.is_unsigned = true;
    check_time(clock_ns(), 0, "0.000", false);
    check_time(clock_ns(), -1, "-0.001", false);
    check_time(clock_ns(), INT64_MIN, "-9223372036854775.808", false);
    check_time(clock_ns(), INT64_MAX, "9223372036854775.807", false);
    check_time(clock_ticks(1, 4), 5, "0.001250", false);
    check_time(clock_ticks(1, 4), -5, "-0.001250", false);
    check_time(clock_ticks(1, 3), 1, "0.000333", true);
    check_time(clock_ticks(1, 3), 2, "0.000667", true);
    check_time(clock_ticks(1, 3), 3, "0.001", false);
    check_time(clock_ticks(1, 3000), 2999, "0.001", true); /* rounded up to a whole nanosecond */
    check_time(far, -1, "1699999999999999.999999", false);
    check_time(source, INT64_MAX, "18446744073709551.615", false);
    check_time(calls, 3, "3.000", false);
}

TEST(json_spans_end_where_the_next_begins)
{
    Clock clock = clock_ticks(1, 3);
    for (int64_t tick = -4; tick < 4; tick++) {
        WriterTime begin = writer_time_of(&clock, tick), end = writer_time_of(&clock, tick + 1);
        WriterTime span = writer_time_span(&begin, &end);
        CHECK(span.ps == 333 || span.ps == 334);
        CHECK_UINT(span.ns, 0);
        CHECK_UINT((begin.ns * 1000 + begin.ps + span.ps) % 1000000, (end.ns * 1000 + end.ps) % 1000000);
    }
}

/* Writes all slices, instants and raw events of a trace. */
static void trace_text(const Trace *trace, Bytes *out)
{
    bytes_clear(out);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        bytes_printf(out, "row %u.%u of %u\n", row->lane, row->depth,
                     (unsigned)trace->tracks[row->track].tid_bits);
        for (uint64_t i = row->first_slice; i < row->first_slice + row->slice_count; i++) {
            bytes_printf(out, "  %s %lld..%lld %x\n",
                         trace_label_name(trace, trace_slice_label(trace, i)).bytes,
                         (long long)trace_slice_begin(trace, i), (long long)trace_slice_end(trace, i),
                         trace->slices.flags[i] & (SLICE_UNFINISHED | SLICE_NO_END));
        }
        for (uint64_t i = row_extras(row)->first_instant;
             i < row_extras(row)->first_instant + row_extras(row)->instant_count; i++) {
            bytes_printf(out, "  %s %lld %d\n", trace_label_name(trace, trace->instants.label[i]).bytes,
                         (long long)trace->instants.tick[i], trace->instants.scope[i]);
        }
    }
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        FlowEnd from = trace_flow_end(trace, i, FLOW_FROM), to = trace_flow_end(trace, i, FLOW_TO);
        bytes_printf(out, "flow %s %lld %lld > %lld %lld\n",
                     trace_label_name(trace, trace->flows.label[i]).bytes, (long long)from.slice,
                     (long long)from.tick, (long long)to.slice, (long long)to.tick);
    }
    for (uint32_t i = 0; i < trace->objects.life_count; i++) {
        const ObjectLife *life = &trace->objects.lives[i];
        const Object     *object = &trace->objects.objects[life->object];
        bytes_printf(out, "other life %u %s %s in %llu:", object->process,
                     trace_string(trace, object->id).bytes, trace_string(trace, life->base_type).bytes,
                     (unsigned long long)life->slice);
        for (uint64_t s = 0; s < life->snapshot_count; s++)
            bytes_printf(out, " %llu",
                         (unsigned long long)trace->objects.snapshots[life->first_snapshot + s]);
        bytes_append_text(out, "\n");
    }
    for (uint32_t i = 0; i < trace->records.context_count; i++) {
        const Context *context = &trace->records.contexts[i];
        bytes_printf(out, "other context %u %s %lld..%lld\n", context->thread,
                     trace_string(trace, context->id).bytes, (long long)context->begin_tick,
                     (long long)context->end_tick);
    }
    for (uint64_t i = 0; i < trace->samples.count; i++)
        bytes_printf(out, "other sample %lld %g\n", (long long)trace->samples.tick[i],
                     trace->samples.value[i]);
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        bytes_printf(out, "other %s %s %lld\n",
                     trace_string(trace, trace->records.event_kinds[other->kind].name).bytes,
                     trace_label_name(trace, other->label).bytes, (long long)other->tick);
    }
    bytes_append(out, "", 1);
}

static int compare_lines(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorts raw events and their tracks, which are in file order; writing changes this to the order of time. */
static void sort_others(Bytes *text)
{
    char  *others = strstr((char *)text->data, "other "), *lines[256];
    size_t count = 0, size = others == NULL ? 0 : strlen(others);
    if (size == 0) return;
    char *copy = test_malloc(size + 1);
    memcpy(copy, others, size + 1);
    for (char *line = strtok(copy, "\n"); line != NULL && count < 256; line = strtok(NULL, "\n"))
        lines[count++] = line;
    qsort(lines, count, sizeof lines[0], compare_lines);
    char *at = others;
    for (size_t i = 0; i < count; i++)
        at += snprintf(at, (size_t)(others + size + 1 - at), "%s\n", lines[i]);
    test_free(copy);
}

static void text_of(const Bytes *json, Bytes *text)
{
    Loaded loaded = writer_load(json->data, json->size);
    trace_text(loaded.trace, text);
    loaded_release(&loaded);
    sort_others(text);
}

TEST(json_of_a_trace_is_that_trace_again)
{
    TestRandom random = { 77 };
    Bytes      source = { 0 }, first = { 0 }, second = { 0 }, expected = { 0 }, actual = { 0 };
    uint64_t   kept = 0;
    for (int round = 0; round < 4000; round++) {
        WriterReport report = { .loss_count = 0 };
        bytes_clear(&source);
        bytes_clear(&first);
        bytes_clear(&second);
        writer_random_json(&random, &source);
        writer_convert(source.data, source.size, "json", &report, &first);
        if (report.loss_count > 0) continue; /* events reported as lost may differ */
        kept++;
        text_of(&source, &expected);
        text_of(&first, &actual);
        if (strcmp((char *)expected.data, (char *)actual.data) != 0) {
            bytes_append(&source, "", 1);
            bytes_append(&first, "", 1);
            print_message("# %s\n# becomes\n# %s\n", source.data, first.data);
        }
        CHECK_STRING((const char *)actual.data, (const char *)expected.data);
        writer_convert(first.data, first.size, "json", &report, &second);
        CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    }
    CHECK(kept > 3000);
    bytes_release(&source);
    bytes_release(&first);
    bytes_release(&second);
    bytes_release(&expected);
    bytes_release(&actual);
}

/* Writes objects that are created, shown and deleted on any thread, states, contexts, dumps: with equal times, in any
 * order. */
static void random_kept_json(TestRandom *random, Bytes *out)
{
    static const char *const PHASES[] = { "N", "O", "O", "D", "(", ")", "T", "v", "c" };
    bytes_append_text(out, "[");
    for (uint64_t i = 0, count = test_random_below(random, 30); i < count; i++) {
        const char *phase = PHASES[test_random_below(random, sizeof PHASES / sizeof PHASES[0])];
        bytes_printf(out, "%s{\"ph\":\"%s\",\"name\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%d",
                     i > 0 ? ",\n" : "", phase, 'p' + (int)test_random_below(random, 2),
                     1 + (int)test_random_below(random, 2), 1 + (int)test_random_below(random, 3),
                     (int)test_random_below(random, 12));
        if (*phase == 'T')
            bytes_printf(out, ",\"dur\":%d}", (int)test_random_below(random, 5));
        else if (*phase == 'v')
            bytes_append_text(
                out, ",\"id\":7,\"args\":{\"dumps\":{\"process_totals\":{\"resident_set_bytes\":\"1f\"}}}}");
        else
            bytes_printf(out, ",\"id\":\"0x%d\",\"args\":{\"snapshot\":{\"base_type\":\"B%d\"}}}",
                         (int)test_random_below(random, 2), (int)test_random_below(random, 3));
    }
    bytes_append_text(out, "]");
}

/* Two operations have the same category and id, and overlap; the steps at the very end of the second stay inside it. */
TEST(json_keeps_old_style_slices_of_one_id_apart)
{
    static const char EVENTS[] =
        "[{\"ph\":\"S\",\"name\":\"read\",\"cat\":\"io\",\"id\":1,\"ts\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"S\",\"name\":\"write\",\"cat\":\"io\",\"id\":1,\"scope\":\"s\",\"ts\":2,\"pid\":1,\"tid\":"
        "2},"
        "{\"ph\":\"F\",\"name\":\"read\",\"cat\":\"io\",\"id\":1,\"ts\":3,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"T\",\"name\":\"write\",\"cat\":\"io\",\"id\":1,\"scope\":\"s\",\"ts\":4,\"pid\":1,\"tid\":"
        "2,"
        "\"args\":{\"step\":\"sync\"}},"
        "{\"ph\":\"p\",\"name\":\"write\",\"cat\":\"io\",\"id\":1,\"scope\":\"s\",\"ts\":4,\"pid\":1,\"tid\":"
        "2},"
        "{\"ph\":\"F\",\"name\":\"write\",\"cat\":\"io\",\"id\":1,\"scope\":\"s\",\"ts\":4,\"pid\":1,\"tid\":"
        "2}]";
    WriterReport report = { .loss_count = 0 };
    Bytes        out = { 0 };
    CHECK_STRING(writer_convert_text(EVENTS, "json", &report, &out),
                 HEAD "{\"name\":\"read\",\"cat\":\"io\",\"ph\":\"b\",\"ts\":1.000,\"pid\":1,\"tid\":2,"
                      "\"scope\":\"read\",\"id\":1},\n"
                      "{\"name\":\"write\",\"cat\":\"io\",\"ph\":\"b\",\"ts\":2.000,\"pid\":1,\"tid\":2,"
                      "\"scope\":\"s/write\",\"id\":1},\n"
                      "{\"name\":\"read\",\"cat\":\"io\",\"ph\":\"e\",\"ts\":3.000,\"pid\":1,\"tid\":2,"
                      "\"id\":1,\"scope\":\"read\"},\n"
                      "{\"name\":\"sync\",\"ph\":\"b\",\"ts\":4.000,\"pid\":1,\"tid\":2,\"scope\":\"s/"
                      "write\",\"cat\":\"io\",\"id\":1,"
                      "\"args\":{\"step\":\"sync\"}},\n"
                      "{\"name\":\"write\",\"cat\":\"io\",\"ph\":\"n\",\"ts\":4.000,\"pid\":1,\"tid\":2,"
                      "\"scope\":\"s/write\",\"id\":1},\n"
                      "{\"name\":\"sync\",\"ph\":\"e\",\"ts\":4.000,\"pid\":1,\"tid\":2,\"id\":1,\"scope\":"
                      "\"s/write\",\"cat\":\"io\"},\n"
                      "{\"name\":\"write\",\"cat\":\"io\",\"ph\":\"e\",\"ts\":4.000,\"pid\":1,\"tid\":2,"
                      "\"id\":1,\"scope\":\"s/write\"}" TAIL);
    CHECK_UINT(writer_lost(&report, "events of old-style asynchronous slices become nestable ones"), 6);
    Loaded loaded = writer_load(out.data, out.size - 1);
    CHECK_UINT(loaded.trace->counts.async_slices, 3);
    CHECK_UINT(loaded.trace->records.warning_count, 0);
    loaded_release(&loaded);
    bytes_release(&out);
}

TEST(json_keeps_objects_states_contexts_and_dumps)
{
    TestRandom random = { 3 };
    Bytes      source = { 0 }, first = { 0 }, second = { 0 }, expected = { 0 }, actual = { 0 };
    for (int round = 0; round < 3000; round++) {
        WriterReport report = { .loss_count = 0 };
        bytes_clear(&source);
        random_kept_json(&random, &source);
        bytes_clear(&first);
        writer_convert(source.data, source.size, "json", &report, &first);
        text_of(&source, &expected);
        text_of(&first, &actual);
        if (strcmp((const char *)expected.data, (const char *)actual.data) != 0)
            print_message("# %.*s\n# %.*s\n", (int)source.size, (char *)source.data, (int)first.size,
                          (char *)first.data);
        CHECK_STRING((const char *)actual.data, (const char *)expected.data);
        CHECK_UINT(report.loss_count, 0);
        bytes_clear(&second);
        writer_convert(first.data, first.size, "json", &report, &second);
        CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    }
    bytes_release(&source);
    bytes_release(&first);
    bytes_release(&second);
    bytes_release(&expected);
    bytes_release(&actual);
}

/* A trace of another format with an arrow between two processes and one without a label, written and read. */
TEST(json_has_the_arrows_of_other_formats)
{
    TraceBuilder *builder = builder_create("other", 0);
    TrackId       threads[2];
    LabelId       label = builder_label(builder, builder_string(builder, "msg", 3), STRING_NONE);
    for (int i = 0; i < 2; i++) {
        threads[i] = builder_thread(builder, builder_process(builder, ident_int(i + 1)), ident_int(7));
        builder_complete(builder, threads[i], 1000 * (i + 1), 1000 * (i + 1) + 500, label,
                         (EventPos){ 0, (uint64_t)i }, 0);
    }
    builder_arrow(builder, (FlowPoint){ threads[0], FLOW_BIND_ENCLOSING, 1200 },
                  (FlowPoint){ threads[1], FLOW_BIND_NEXT, 1900 }, label);
    builder_arrow(builder, (FlowPoint){ threads[1], FLOW_BIND_ENCLOSING, 2500 },
                  (FlowPoint){ threads[0], FLOW_BIND_ENCLOSING, 1500 }, LABEL_NONE);
    Err          err = { 0 };
    Bytes        out = { 0 };
    WriterReport report = { .loss_count = 0 };
    Loaded       loaded = { .trace = builder_finish(builder, 1, NULL, &err), .name = "x" };
    OutputSink   sink = output_to_bytes(&out);
    CHECK(loaded.trace != NULL);
    builder_destroy(builder);
    CHECK_DONE(writer_find("json")->write(&loaded, &sink, &report, &err), err);
    CHECK_UINT(report.loss_count, 0);
    Loaded       again = writer_load(out.data, out.size);
    const Trace *trace = again.trace;
    CHECK_UINT(trace->flows.count, 2);
    CHECK_INT(trace_flow_tick(trace, 0, FLOW_FROM), 1200);
    CHECK_INT(trace_flow_tick(trace, 0, FLOW_TO), 2000);
    CHECK_STRING(trace_label_name(trace, trace->flows.label[0]).bytes, "msg");
    CHECK_INT(trace_flow_tick(trace, 1, FLOW_TO), 1500);
    CHECK_UINT(trace->flows.flags[1], FLOW_BACKWARDS);
    CHECK_STRING(trace_label_name(trace, trace->flows.label[1]).bytes, "flow");
    CHECK_UINT(trace->records.warning_count, 0);
    bytes_clear(&out);
    report = (WriterReport){ .loss_count = 0 };
    CHECK_DONE(writer_find("spall")->write(&loaded, &sink, &report, &err), err);
    CHECK_UINT(writer_lost(&report, "arrows between slices are left out"), 2);
    bytes_release(&out);
    loaded_release(&again);
    trace_release(loaded.trace);
}

/* Checks a trace of another format as JSON, between its first line and "]}". */
static void check_foreign(TraceBuilder *builder, const char *lines, WriterReport *report)
{
    static const char FACTS[] =
        "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"source_format\":\"other\","
        "\"source_version\":\"\",\"ns_per_tick\":[1,1]}}\n";
    Err        err = { 0 };
    Bytes      out = { 0 }, expected = { 0 };
    Loaded     loaded = { .trace = builder_finish(builder, 1, NULL, &err), .name = "x" };
    OutputSink sink = output_to_bytes(&out);
    CHECK(loaded.trace != NULL);
    builder_destroy(builder);
    CHECK_DONE(writer_find("json")->write(&loaded, &sink, report, &err), err);
    bytes_printf(&expected, HEAD "%s%s", lines, FACTS);
    bytes_append(&expected, "", 1);
    bytes_append(&out, "", 1);
    CHECK_STRING((const char *)out.data, (const char *)expected.data);
    bytes_release(&out);
    bytes_release(&expected);
    trace_release(loaded.trace);
}

static LabelId label_named(TraceBuilder *builder, const char *name)
{
    return builder_label(builder, builder_string(builder, name, strlen(name)), STRING_NONE);
}

static Ident ident_named(TraceBuilder *builder, const char *name)
{
    return ident_text(builder_string(builder, name, strlen(name)));
}

TEST(json_has_numbers_for_all_ids_of_other_formats)
{
    TraceBuilder *builder = builder_create("other", 0);
    WriterReport  report = { .loss_count = 0 };
    LabelId       label = label_named(builder, "f");
    ProcessId     nameless = builder_process(builder, (Ident){ IDENT_NONE, 0 }),
              texts = builder_process(builder, ident_named(builder, "P")),
              numbers = builder_process(builder, ident_int(1));
    TrackId threads[] = { builder_thread(builder, nameless, ident_int(0)),
                          builder_thread(builder, texts, ident_named(builder, "T")),
                          builder_thread(builder, texts, ident_int(5)),
                          builder_thread(builder, numbers, ident_uint(UINT64_MAX)),
                          builder_thread(builder, numbers, ident_int(-1)) };
    builder_name_process(builder, texts, builder_string(builder, "P", 1));
    builder_name_thread(builder, threads[1], builder_string(builder, "thread", 6));
    for (int i = 0; i < 5; i++)
        builder_complete(builder, threads[i], 1000 * i, 1000 * i + 500, label, (EventPos){ 0, (uint64_t)i },
                         0);
    check_foreign(
        builder,
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"tid\":6,\"args\":{\"name\":\"P\",\"source_id\":"
        "\"P\"}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":6,"
        "\"args\":{\"name\":\"thread (T)\",\"source_id\":\"T\"}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
        "\"args\":{\"name\":\"Thread -1\",\"source_id\":-1}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,"
        "\"args\":{\"name\":\"Thread 18446744073709551615\",\"source_id\":18446744073709551615}},\n"
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"tid\":6,\"args\":{\"name\":\"P\"}},\n"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":2,\"tid\":6,\"args\":{\"name\":\"thread\"}},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":0.000,\"dur\":0.500,\"pid\":0,\"tid\":0},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":1.000,\"dur\":0.500,\"pid\":2,\"tid\":6},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":2.000,\"dur\":0.500,\"pid\":2,\"tid\":5},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":3.000,\"dur\":0.500,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":4.000,\"dur\":0.500,\"pid\":1,\"tid\":1}",
        &report);
    CHECK_UINT(report.loss_count, 0);
}

TEST(json_shows_states_of_other_formats_beside_their_threads)
{
    TraceBuilder *builder = builder_create("other", 0);
    ProcessId     process = builder_process(builder, ident_int(1));
    TrackId thread = builder_thread(builder, process, ident_int(1)), states = builder_states(builder, thread);
    LabelId running = label_named(builder, "running"), waiting = label_named(builder, "waiting");
    WriterReport report = { .loss_count = 0 };
    builder_complete(builder, states, 1000, 2500, running, (EventPos){ 0, 0 }, 0);
    builder_complete(builder, states, 2500, 2500, waiting, (EventPos){ 0, 1 }, 0);
    builder_complete(builder, states, 2500, 4000, waiting, (EventPos){ 0, 2 }, 0);
    builder_begin(builder, states, 4000, running, (EventPos){ 0, 3 }, 0);
    builder_arrow(builder, (FlowPoint){ states, FLOW_BIND_ENCLOSING, 2000 },
                  (FlowPoint){ states, FLOW_BIND_ENCLOSING, 3000 }, label_named(builder, "wake"));
    check_foreign(
        builder,
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"Thread 1 "
        "state\"}},\n"
        "{\"name\":\"running\",\"ph\":\"B\",\"ts\":1.000,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"running\",\"ph\":\"E\",\"ts\":2.500,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"waiting\",\"ph\":\"B\",\"ts\":2.500,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"waiting\",\"ph\":\"X\",\"ts\":2.500,\"dur\":0.000,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"waiting\",\"ph\":\"E\",\"ts\":4.000,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"running\",\"ph\":\"B\",\"ts\":4.000,\"pid\":1,\"tid\":2},\n"
        "{\"name\":\"wake\",\"ph\":\"s\",\"ts\":2.000,\"pid\":1,\"tid\":2,\"id\":0,\"cat\":\"flow\"},\n"
        "{\"name\":\"wake\",\"ph\":\"f\",\"ts\":3.000,\"pid\":1,\"tid\":2,\"id\":0,\"cat\":\"flow\",\"bp\":"
        "\"e\"}",
        &report);
    CHECK_UINT(report.loss_count, 0);
}

TEST(json_has_the_counters_of_other_formats)
{
    TraceBuilder *builder = builder_create("other", 0);
    ProcessId     process = builder_process(builder, ident_int(1));
    WriterReport  report = { .loss_count = 0 };
    CounterId     heap = builder_counter(builder, process, builder_string(builder, "Heap", 4), STRING_NONE);
    SeriesId      used = builder_series(builder, heap, builder_string(builder, "used", 4), 0),
             goal = builder_series(builder, heap, STRING_NONE, 0);
    builder_sample(builder, used, 1000, 1.5);
    builder_sample(builder, goal, 2000, 8);
    builder_sample(builder, used, 2000, 3);
    builder_sample(builder, used, 2000, 4);
    builder_sample(builder, used, 3000, NAN);
    builder_complete(builder, builder_thread(builder, process, ident_int(7)), 0, 9, label_named(builder, "f"),
                     (EventPos){ 0, 0 }, 0);
    check_foreign(
        builder,
        "{\"name\":\"f\",\"ph\":\"X\",\"ts\":0.000,\"dur\":0.009,\"pid\":1,\"tid\":7},\n"
        "{\"ph\":\"C\",\"ts\":1.000,\"name\":\"Heap\",\"args\":{\"used\":1.5,\"value\":0},\"pid\":1},\n"
        "{\"ph\":\"C\",\"ts\":2.000,\"name\":\"Heap\",\"args\":{\"used\":4,\"value\":8},\"pid\":1},\n"
        "{\"ph\":\"C\",\"ts\":3.000,\"name\":\"Heap\",\"args\":{\"value\":8},\"pid\":1}",
        &report);
    CHECK_UINT(writer_lost(&report, "gaps in counters are left out"), 1);
}

/* speedscope adds ts and dur as doubles, and loses a slice that ends at the begin or end of another. */
TEST(json_slices_of_other_formats_that_touch_are_pairs)
{
    TraceBuilder *builder = builder_create("other", 0);
    TrackId       thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
    static const struct {
        int64_t     begin, end;
        const char *name;
    } SLICES[] = {
        { 0, 100, "outer" }, { 10, 40, "a" },     { 40, 60, "b" },
        { 70, 100, "last" }, { 80, 90, "inner" }, { 100, 130, "next" },
    };
    WriterReport report = { .loss_count = 0 };
    for (size_t i = 0; i < sizeof SLICES / sizeof SLICES[0]; i++)
        builder_complete(builder, thread, SLICES[i].begin, SLICES[i].end,
                         label_named(builder, SLICES[i].name), (EventPos){ 0, i }, 0);
    check_foreign(builder,
                  "{\"name\":\"outer\",\"ph\":\"B\",\"ts\":0.000,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"a\",\"ph\":\"B\",\"ts\":0.010,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"a\",\"ph\":\"E\",\"ts\":0.040,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"b\",\"ph\":\"X\",\"ts\":0.040,\"dur\":0.020,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"last\",\"ph\":\"B\",\"ts\":0.070,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"inner\",\"ph\":\"X\",\"ts\":0.080,\"dur\":0.010,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"last\",\"ph\":\"E\",\"ts\":0.100,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"outer\",\"ph\":\"E\",\"ts\":0.100,\"pid\":1,\"tid\":1},\n"
                  "{\"name\":\"next\",\"ph\":\"X\",\"ts\":0.100,\"dur\":0.030,\"pid\":1,\"tid\":1}",
                  &report);
    CHECK_UINT(report.loss_count, 0);
}

TEST(json_says_what_its_numbers_stand_for)
{
    WriterReport report = { .loss_count = 0 };
    check_json("[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":1,\"pid\":\"p\",\"tid\":-2}]",
               "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"p\","
               "\"source_id\":\"p\"}},\n"
               "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,"
               "\"args\":{\"name\":\"Thread -2\",\"source_id\":-2}},\n"
               "{\"name\":\"f\",\"ph\":\"X\",\"ts\":1.000,\"dur\":1.000,\"pid\":1,\"tid\":1}",
               &report);
    CHECK_UINT(report.loss_count, 0);
}

/* Writes processes and threads with their ids and names, then the rest. */
static void whose_text(const Bytes *json, Bytes *text)
{
    Loaded       loaded = writer_load(json->data, json->size);
    const Trace *trace = loaded.trace;
    Bytes        places = { 0 };
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        bytes_printf(&places, "process %d ", process->pid.kind);
        trace_ident_append(trace, process->pid, &places);
        bytes_printf(&places, " %s\n", trace_string(trace, process->name).bytes);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++) {
            bytes_printf(&places, "  track %d %d ", trace->tracks[t].kind, trace->tracks[t].tid_kind);
            trace_ident_append(trace, track_tid(&trace->tracks[t]), &places);
            bytes_printf(&places, " %s: %llu\n", trace_string(trace, trace->tracks[t].name).bytes,
                         (unsigned long long)trace->tracks[t].has_events);
        }
    }
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        if (strcmp(trace_string(trace, trace->records.event_kinds[i].name).bytes, "M") == 0)
            bytes_printf(&places, "M %llu\n", (unsigned long long)trace->records.event_kinds[i].count);
    }
    loaded_release(&loaded);
    bytes_clear(text);
    bytes_append(text, places.data, places.size);
    bytes_append(text, "", 1);
    bytes_release(&places);
}

static void random_ids_json(TestRandom *random, Bytes *out)
{
    static const char *const IDS[] = { "1",
                                       "2",
                                       "-3",
                                       "\"a\"",
                                       "\"a\\\"b\"",
                                       "\"12\"",
                                       "5000000000",
                                       "1.5",
                                       "1e30",
                                       "null",
                                       "\"4294967296\"",
                                       "true",
                                       "{}",
                                       "-9223372036854775808",
                                       "\"\"",
                                       "18446744073709551615" };
    static const char *const LINES[] = {
        "\"ph\":\"X\",\"name\":\"f\",\"dur\":1",
        "\"ph\":\"i\",\"name\":\"g\"",
        "\"ph\":\"C\",\"name\":\"c\",\"args\":{\"v\":1}",
        "\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":\"t\"}",
        "\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":\"p\"}",
        "\"ph\":\"b\",\"name\":\"n\",\"cat\":\"k\",\"id\":1",
    };
    const size_t ids = sizeof IDS / sizeof IDS[0], lines = sizeof LINES / sizeof LINES[0];
    bytes_append_text(out, "[");
    for (uint64_t i = 0, count = 1 + test_random_below(random, 12); i < count; i++) {
        bytes_printf(out, "%s{%s,\"ts\":%u", i > 0 ? ",\n" : "", LINES[test_random_below(random, lines)],
                     (unsigned)i);
        if (test_random_below(random, 8) > 0)
            bytes_printf(out, ",\"pid\":%s", IDS[test_random_below(random, ids)]);
        if (test_random_below(random, 8) > 0)
            bytes_printf(out, ",\"tid\":%s", IDS[test_random_below(random, ids)]);
        bytes_append_text(out, "}");
    }
    bytes_append_text(out, "]");
}

/* Checks that ids have a form that every viewer accepts. */
static void check_ids_are_numbers(const char *json)
{
    for (const char *at = json; (at = strstr(at, "id\":")) != NULL; at++) {
        if (at[-1] != 'p' && at[-1] != 't') continue;
        char              *end;
        unsigned long long id = strtoull(at + 4, &end, 10);
        CHECK(at[4] >= '0' && at[4] <= '9');
        CHECK(id <= UINT32_MAX && (*end == ',' || *end == '}'));
    }
}

TEST(json_brings_back_all_ids_from_numbers)
{
    TestRandom random = { 11 };
    Bytes      source = { 0 }, first = { 0 }, second = { 0 }, expected = { 0 }, actual = { 0 };
    for (int round = 0; round < 3000; round++) {
        bytes_clear(&source);
        bytes_clear(&first);
        bytes_clear(&second);
        random_ids_json(&random, &source);
        writer_convert(source.data, source.size, "json", NULL, &first);
        whose_text(&source, &expected);
        whose_text(&first, &actual);
        if (strcmp((char *)expected.data, (char *)actual.data) != 0)
            print_message("# %.*s\n# becomes\n# %.*s\n", (int)source.size, (char *)source.data,
                          (int)first.size, (char *)first.data);
        CHECK_STRING((const char *)actual.data, (const char *)expected.data);
        writer_convert(first.data, first.size, "json", NULL, &second);
        CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        bytes_append(&first, "", 1);
        check_ids_are_numbers((const char *)first.data);
    }
    bytes_release(&source);
    bytes_release(&first);
    bytes_release(&second);
    bytes_release(&expected);
    bytes_release(&actual);
}

TEST_MAIN("writer", TEST_CASE(json_slices_are_complete_events_and_parents_come_first),
          TEST_CASE(json_arguments_fields_and_metadata_are_kept),
          TEST_CASE(json_thread_times_that_are_not_numbers_are_left_out),
          TEST_CASE(json_unfinished_slices_have_no_end), TEST_CASE(json_leaves_out_what_viewers_refuse),
          TEST_CASE(json_what_ended_with_another_still_does),
          TEST_CASE(json_properties_are_top_level_keys_once_each), TEST_CASE(json_times_are_exact_decimals),
          TEST_CASE(json_spans_end_where_the_next_begins), TEST_CASE(json_of_a_trace_is_that_trace_again),
          TEST_CASE(json_keeps_old_style_slices_of_one_id_apart),
          TEST_CASE(json_keeps_objects_states_contexts_and_dumps),
          TEST_CASE(json_has_the_arrows_of_other_formats),
          TEST_CASE(json_has_numbers_for_all_ids_of_other_formats),
          TEST_CASE(json_shows_states_of_other_formats_beside_their_threads),
          TEST_CASE(json_has_the_counters_of_other_formats),
          TEST_CASE(json_slices_of_other_formats_that_touch_are_pairs),
          TEST_CASE(json_says_what_its_numbers_stand_for), TEST_CASE(json_brings_back_all_ids_from_numbers))
