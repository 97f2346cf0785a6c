/* All writers and tables: failures of memory and of the disk, and the look-up by name. */
#include "writer_support.h"

#include "export/tables.h"
#include "trace/file/arrays.h"

#include <string.h>

static const char SMALL[] =
    "{\"k\":[1],\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"ts\":1,\"dur\":9,\"pid\":\"p\",\"tid\":-2,"
    "\"args\":{\"a\":1}},{\"ph\":\"X\",\"name\":\"g\",\"ts\":5,\"dur\":9,\"pid\":\"p\",\"tid\":-2},"
    "{\"ph\":\"B\",\"name\":\"h\",\"ts\":6,\"pid\":1,\"tid\":1},{\"ph\":\"B\",\"name\":\"j\",\"ts\":6,"
    "\"pid\":1,"
    "\"tid\":1},{\"ph\":\"E\",\"name\":\"h\",\"ts\":7,\"pid\":1,\"tid\":1},{\"ph\":\"C\",\"name\":\"c\","
    "\"ts\":6,"
    "\"pid\":1,\"args\":{\"v\":1}},{\"ph\":\"b\",\"cat\":\"a\",\"id\":1,\"name\":\"x\",\"ts\":1,\"pid\":1,"
    "\"tid\":1},"
    "{\"ph\":\"e\",\"cat\":\"a\",\"id\":1,\"name\":\"x\",\"ts\":3,\"pid\":1,\"tid\":1}]}";

/* False for .varve on a big-endian machine: varve_damage_test.c checks that it is refused. */
static bool is_written(const FormatWriter *writer)
{
    return strcmp(writer->name, "varve") != 0 || arrays_host_is_supported();
}

TEST(every_writer_says_when_memory_is_out)
{
    Loaded loaded = writer_load(SMALL, sizeof SMALL - 1);
    for (size_t w = 0; writer_at(w) != NULL; w++) {
        if (!is_written(writer_at(w))) continue;
        bool done = false;
        for (uint64_t request = 0; !done && request < 10000; request++) {
            size_t       appends = SIZE_MAX;
            OutputSink   sink = writer_failing_sink(&appends);
            WriterReport report = { .loss_count = 0 };
            Err          err = { 0 };
            memory_fail_after(request);
            done = writer_at(w)->write(&loaded, &sink, &report, &err);
            memory_fail_after(UINT64_MAX);
            if (!done) CHECK_INT(err.code, ERR_MEMORY);
            CHECK(done || request < 9999);
            if (done) CHECK(request > 3);
        }
    }
    loaded_release(&loaded);
}

TEST(tables_say_when_memory_is_out)
{
    Loaded            loaded = writer_load(SMALL, sizeof SMALL - 1);
    const SchemaTrace trace = { .trace = loaded.trace, .name = "test" };
    for (uint32_t form = 0; form < TABLE_FORM_COUNT; form++) {
        for (size_t t = 0; schema_table(t) != NULL; t++) {
            Bytes whole = { 0 };
            bool  done = false;
            for (uint64_t request = 0; !done && request < 10000; request++) {
                Bytes      out = { 0 };
                OutputSink sink = output_to_bytes(&out);
                Err        err = { 0 };
                memory_fail_after(request);
                done = table_write((TableForm)form, &trace, schema_table(t), NULL, &sink, &err);
                memory_fail_after(UINT64_MAX);
                if (!done) CHECK_INT(err.code, ERR_MEMORY);
                if (done) whole = out;
                if (!done) bytes_release(&out);
            }
            Bytes      again = { 0 };
            OutputSink sink = output_to_bytes(&again);
            Err        err = { 0 };
            CHECK_DONE(table_write((TableForm)form, &trace, schema_table(t), NULL, &sink, &err), err);
            CHECK(done && again.size == whole.size &&
                  (whole.size == 0 || memcmp(again.data, whole.data, whole.size) == 0));
            bytes_release(&whole);
            bytes_release(&again);
        }
    }
    loaded_release(&loaded);
}

/* Appends an event of another form than a complete slice: each form in turn. Writers leave out some of them. */
static void append_others(Bytes *big, int i)
{
    static const char *const EVENTS[][2] = {
        { "\"ph\":\"b\",\"cat\":\"a\",\"name\":\"x\",\"id\":", "" },
        { "\"ph\":\"e\",\"cat\":\"a\",\"name\":\"x\",\"id\":", "" },
        { "\"ph\":\"C\",\"name\":\"c\",\"args\":{\"v\":", "}" },
        { "\"ph\":\"i\",\"name\":\"i\",\"s\":\"p\",\"args\":{\"v\":", "}" },
        { "\"ph\":\"s\",\"name\":\"s\",\"id\":", "" },
        { "\"ph\":\"f\",\"name\":\"s\",\"id\":", "" },
        { "\"ph\":\"E\",\"name\":\"stray\",\"args\":{\"v\":", "}" },
        { "\"ph\":\"Refused\",\"name\":\"r\",\"v\":", "" },
        { "\"ph\":\"S\",\"cat\":\"a\",\"name\":\"old\",\"id\":", "" },
        { "\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":[", "]}" },
        { "\"ph\":\"B\",\"name\":\"open\",\"args\":{\"v\":", "}" },
    };
    enum { COUNT = sizeof EVENTS / sizeof EVENTS[0] };
    bytes_printf(big, ",{%s%d%s,\"ts\":%d,\"pid\":1,\"tid\":%d}", EVENTS[i % COUNT][0], i / COUNT,
                 EVENTS[i % COUNT][1], 2 * i, 3 + i % COUNT);
}

/* Appends JSON of 60,000 slices of three threads, and 15,000 other events. */
static void append_big(Bytes *big)
{
    bytes_append_text(big, "[");
    for (int i = 0; i < 60000; i++) {
        bytes_printf(
            big,
            "%s{\"ph\":\"X\",\"name\":\"f%d\",\"cat\":\"%s\",\"ts\":%d,\"dur\":%d,\"pid\":1,\"tid\":%d,"
            "\"args\":{\"v\":%s}}",
            i == 0 ? "" : ",", i, i % 3 == 0 ? "c" : "", 2 * i, 1 + i % 4, i % 3,
            i % 5 == 0 ? "[true]" : "\"text\"");
        if (i % 4 == 0) append_others(big, i / 4);
    }
    bytes_append_text(big, "]");
}

/* Returns a trace of another format with slices, states, arrows and the values of counters. */
static Loaded foreign_trace(void)
{
    TraceBuilder *builder = builder_create("other", 0);
    ProcessId     process = builder_process(builder, ident_int(1));
    TrackId thread = builder_thread(builder, process, ident_int(1)), states = builder_states(builder, thread);
    LabelId label = builder_label(builder, builder_string(builder, "f", 1), STRING_NONE);
    CounterId counter = builder_counter(builder, process, builder_string(builder, "c", 1), STRING_NONE);
    SeriesId  series[2] = { builder_series(builder, counter, builder_string(builder, "a", 1), 0),
                            builder_series(builder, counter, STRING_NONE, 0) };
    Err       err = { 0 };
    for (int i = 0; i < 20000; i++) {
        EventPos pos = { 0, (uint64_t)i };
        builder_complete(builder, thread, 10 * i, 10 * i + 5, label, pos, 0);
        builder_complete(builder, states, 10 * i, 10 * i + 10, label, pos, 0);
        builder_sample(builder, series[i % 2], 10 * i, i / 4.0);
        builder_arrow(builder, (FlowPoint){ thread, FLOW_BIND_ENCLOSING, 10 * i },
                      (FlowPoint){ states, FLOW_BIND_ENCLOSING, 10 * i + 7 }, label);
    }
    Loaded loaded = { .trace = builder_finish(builder, 1, NULL, &err), .name = "x" };
    CHECK(loaded.trace != NULL);
    builder_destroy(builder);
    return loaded;
}

/* Checks that the writer's output and its report are the same for 0, 1 and 4 threads. */
static void check_threads(const FormatWriter *writer, const Loaded *loaded)
{
    Bytes        outs[3] = { { 0 } };
    WriterReport reports[3] = { { .loss_count = 0 } };
    for (unsigned i = 0; i < 3; i++) {
        OutputSink sink = output_to_bytes(&outs[i]);
        Err        err = { 0 };
        sink.threads = i * i; /* 0, 1, 4 */
        CHECK_DONE(writer->write(loaded, &sink, &reports[i], &err), err);
        CHECK(outs[i].size == outs[0].size && memcmp(outs[i].data, outs[0].data, outs[0].size) == 0);
        CHECK(memcmp(&reports[i], &reports[0], sizeof reports[0]) == 0);
    }
    for (unsigned i = 0; i < 3; i++)
        bytes_release(&outs[i]);
}

TEST(the_output_does_not_depend_on_the_threads)
{
    Bytes big = { 0 };
    append_big(&big);
    Loaded loaded = writer_load(big.data, big.size), foreign = foreign_trace();
    for (size_t w = 0; writer_at(w) != NULL; w++) {
        if (!is_written(writer_at(w))) continue;
        check_threads(writer_at(w), &loaded);
        if (strcmp(writer_at(w)->name, "varve") == 0) continue; /* it needs an input */
        check_threads(writer_at(w), &foreign);
    }
    loaded_release(&loaded);
    trace_release(foreign.trace);
    bytes_release(&big);
}

TEST(every_writer_passes_on_that_the_disk_is_full)
{
    Bytes big = { 0 };
    append_big(&big);
    Loaded loaded = writer_load(big.data, big.size);
    for (size_t w = 0; writer_at(w) != NULL; w++) {
        if (!is_written(writer_at(w))) continue;
        size_t appends = 0, needed = 0;
        for (bool done = false; !done; appends = ++needed) {
            OutputSink   sink = writer_failing_sink(&appends);
            WriterReport report = { .loss_count = 0 };
            Err          err = { 0 };
            sink.threads = needed % 2 == 0 ? 1 : 3;
            done = writer_at(w)->write(&loaded, &sink, &report, &err);
            if (!done) CHECK_STRING(err.message, "the disk is full");
        }
        CHECK(needed > 3); /* it is written in pieces: memory does not grow with the trace */
    }
    loaded_release(&loaded);
    bytes_release(&big);
}

TEST(writers_are_found_by_name_and_suffix)
{
    CHECK(writer_find("json") == writer_for_path("a.b/c.json"));
    CHECK(writer_find("spall") == writer_for_path("c.spall"));
    CHECK(writer_find("spall1") != NULL && writer_find("spall1") != writer_find("spall"));
    CHECK(writer_for_path("json") == NULL && writer_for_path("a.json/b") == NULL &&
          writer_for_path("") == NULL);
    CHECK(writer_find("xml") == NULL);
}

TEST_MAIN("writers", TEST_CASE(every_writer_says_when_memory_is_out),
          TEST_CASE(tables_say_when_memory_is_out), TEST_CASE(the_output_does_not_depend_on_the_threads),
          TEST_CASE(every_writer_passes_on_that_the_disk_is_full),
          TEST_CASE(writers_are_found_by_name_and_suffix))
