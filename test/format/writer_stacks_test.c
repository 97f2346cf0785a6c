/* Stacks and samples, written and read again. */
#include "support/golden.h"
#include "writer_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void stack_append(const Trace *trace, const char *what, StackId stack, Bytes *out)
{
    if (stack.index != 0) bytes_printf(out, " %s", what);
    for (; stack.index != 0; stack = trace_stack_parent(trace, stack)) {
        const StackFrame *frame = trace_stack_frame(trace, stack);
        bytes_printf(out, " %s@%s:%" PRIu32 ":%" PRIu32 "/%s/%" PRIx64 "/%" PRIu32,
                     trace_string(trace, frame->function).bytes, trace_string(trace, frame->file).bytes,
                     frame->line, frame->column, trace_string(trace, frame->module).bytes, frame->address,
                     frame->flags);
    }
}

/* Writes every slice, instant and sample with its stacks, one line each. */
static void stacks_text(const Trace *trace, Bytes *out)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        trace_track_title(trace, trace->rows[trace_slice_row(trace, i)].track, out);
        bytes_printf(out, " %s %" PRId64 "..%" PRId64,
                     trace_label_name(trace, trace_slice_label(trace, i)).bytes, trace_slice_begin(trace, i),
                     trace_slice_end(trace, i));
        stack_append(trace, "begins", trace_slice_stack(trace, i), out);
        stack_append(trace, "ends", trace_slice_end_stack(trace, i), out);
        bytes_append_text(out, "\n");
    }
    for (uint64_t i = 0; i < trace->instants.count; i++) {
        bytes_printf(out, "%s %" PRId64, trace_label_name(trace, trace->instants.label[i]).bytes,
                     trace->instants.tick[i]);
        stack_append(trace, "stack", trace_instant_stack(trace, i), out);
        bytes_append_text(out, "\n");
    }
    for (uint64_t i = 0; i < trace->profile.count; i++) {
        bytes_printf(out, "sample %" PRId64 " weight %g", trace->profile.tick[i],
                     trace->profile.weight == NULL ? 1 : trace->profile.weight[i]);
        stack_append(trace, "stack", (StackId){ trace->profile.stack[i] }, out);
        bytes_append_text(out, "\n");
    }
    bytes_append(out, "", 1);
}

static void check_through_json(const char *fixture)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        input = { 0 }, json = { 0 }, again = { 0 }, expected = { 0 }, actual = { 0 };
    fixture_read(fixture, &input);
    Loaded source = writer_load(input.data, input.size);
    writer_convert(input.data, input.size, "json", &report, &json);
    Loaded result = writer_load(json.data, json.size);
    stacks_text(source.trace, &expected);
    stacks_text(result.trace, &actual);
    print_message("# %s\n", fixture);
    CHECK(source.trace->stacks.stack_count > 0);
    CHECK_STRING((const char *)actual.data, (const char *)expected.data);
    CHECK_UINT(writer_lost(&report, "events that have no form in this format are left out"), 0);
    if (strcmp(source.trace->source.format_name, "trace-event") == 0) {
        writer_convert(json.data, json.size, "json", &report, &again);
        CHECK(again.size == json.size && memcmp(again.data, json.data, json.size) == 0);
    }
    loaded_release(&source);
    loaded_release(&result);
    bytes_release(&input);
    bytes_release(&json);
    bytes_release(&again);
    bytes_release(&expected);
    bytes_release(&actual);
}

TEST(json_keeps_stacks_and_samples_of_its_own)
{
    static const char *const FIXTURES[] = { "stacks_on_events", "stack_frames",    "samples",
                                            "samples_list",     "samples_generic", "profile_old",
                                            "profile_whole",    "profile_chunks",  "v8_chromium" };
    for (size_t i = 0; i < sizeof FIXTURES / sizeof FIXTURES[0]; i++) {
        char path[256];
        (void)snprintf(path, sizeof path, "trace_event/%s.json", FIXTURES[i]);
        check_through_json(path);
    }
}

TEST(json_has_the_samples_of_cpu_profiles)
{
    check_through_json("cpuprofile/node_fib.cpuprofile");
    check_through_json("cpuprofile/order_any.cpuprofile");
    check_through_json("cpuprofile/hits_only.cpuprofile");
}

/* A trace of another format: begins and ends, completes, instants and asynchronous slices with stacks, and frames with
 * few properties. */
TEST(json_has_the_stacks_of_other_formats)
{
    TraceBuilder *builder = builder_create("other", 0);
    TrackId       thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(2));
    LabelId       label = builder_label(builder, builder_string(builder, "f", 1), STRING_NONE);
    AsyncId       async_id = builder_async_id(builder, PROCESS_NONE, "1", 1);
    StackFrame    full = { .function = builder_string(builder, "main", 4),
                           .file = builder_string(builder, "a.c", 3),
                           .module = builder_string(builder, "app", 3),
                           .line = 3,
                           .column = 4,
                           .address = 0x1234 };
    StackFrame    idle = { .function = builder_string(builder, "sleep", 5), .flags = FRAME_IDLE };
    StackId       outer = builder_stack(builder, STACK_NONE, builder_frame(builder, &full));
    StackId       inner = builder_stack(builder, outer, builder_frame(builder, &idle));
    builder_begin(builder, thread, 1, label, (EventPos){ 1, 1 }, 0);
    builder_mark_stack(builder, thread, outer);
    builder_end(builder, thread, 9, label, (EventPos){ 2, 2 }, 0);
    builder_mark_stack(builder, thread, inner);
    builder_complete(builder, thread, 10, 12, label, (EventPos){ 3, 3 }, 0);
    builder_complete_stacks(builder, thread, STACK_NONE, outer);
    builder_begin(builder, thread, 14, label, (EventPos){ 4, 4 }, 0); /* without an end: a B */
    builder_mark_stack(builder, thread, inner);
    builder_instant(builder, thread, 11, label, INSTANT_PROCESS, (EventPos){ 5, 5 }, 0);
    builder_instant_stack(builder, thread, INSTANT_PROCESS, outer);
    builder_async(builder, ASYNC_BEGIN, 0, async_id,
                  &(EventHead){ .thread = thread, .tick = 3, .label = label, .pos = (EventPos){ 6, 6 } }, 0);
    builder_async_stack(builder, outer);
    builder_async(builder, ASYNC_END, 0, async_id,
                  &(EventHead){ .thread = thread, .tick = 5, .label = label, .pos = (EventPos){ 7, 7 } }, 0);
    builder_async_stack(builder, inner);
    builder_stack_sample(builder, builder_sampler(builder, thread, builder_string(builder, "cpu", 3)), 2,
                         outer, 2.5);
    Err    err;
    Loaded loaded = { .trace = builder_finish(builder, 1, NULL, &err) };
    builder_destroy(builder);
    CHECK(loaded.trace != NULL);
    WriterReport report = { .loss_count = 0 };
    Bytes        json = { 0 }, expected = { 0 }, actual = { 0 };
    OutputSink   sink = output_to_bytes(&json);
    CHECK_DONE(writer_find("json")->write(&loaded, &sink, &report, &err), err);
    Loaded result = writer_load(json.data, json.size);
    stacks_text(loaded.trace, &expected);
    stacks_text(result.trace, &actual);
    CHECK_STRING((const char *)actual.data, (const char *)expected.data);
    trace_release(loaded.trace);
    loaded_release(&result);
    bytes_release(&json);
    bytes_release(&expected);
    bytes_release(&actual);
}

TEST(spall_has_slices_of_samples_and_lists_the_rest)
{
    WriterReport report = { .loss_count = 0 };
    Bytes        input = { 0 }, out = { 0 };
    fixture_read("cpuprofile/node_fib.cpuprofile", &input);
    writer_convert(input.data, input.size, "spall", &report, &out);
    CHECK_UINT(writer_lost(&report, "samples become slices on separate threads, without file and line"), 90);
    CHECK_UINT(writer_lost(&report, "events that are not slices are left out"), 0);
    Loaded loaded = writer_load(out.data, out.size), source = writer_load(input.data, input.size);
    CHECK_UINT(loaded.trace->slices.count, source.trace->counts.sample_slices);
    loaded_release(&loaded);
    loaded_release(&source);
    bytes_clear(&out);
    bytes_clear(&input);
    fixture_read("trace_event/stack_frames.json", &input);
    writer_convert(input.data, input.size, "spall", &report, &out);
    CHECK_UINT(writer_lost(&report, "stacks of slices and instants are left out"), 3);
    bytes_release(&input);
    bytes_release(&out);
}

TEST_MAIN("writer_stacks", TEST_CASE(json_keeps_stacks_and_samples_of_its_own),
          TEST_CASE(json_has_the_samples_of_cpu_profiles), TEST_CASE(json_has_the_stacks_of_other_formats),
          TEST_CASE(spall_has_slices_of_samples_and_lists_the_rest))
