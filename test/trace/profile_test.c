/* Samples of stacks become slices of frames, and are stored unchanged. */
#include "support/test.h"
#include "trace_support.h"

#include <string.h>

typedef struct Sampling {
    EventFeed feed;
    SamplerId sampler;
} Sampling;

static Sampling sampling_create(void)
{
    Sampling s = { .feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END) };
    feed_set_thread(&s.feed, 1, 2);
    s.sampler = builder_sampler(s.feed.builder, s.feed.thread, STRING_NONE);
    return s;
}

/* Makes a stack of "main;f;g": one letter or more for a frame, outermost first; '!' before a name: it is idle. */
static StackId stack_of_text(TraceBuilder *builder, const char *text)
{
    StackId stack = STACK_NONE;
    while (*text != 0) {
        size_t     size = strcspn(text, ";");
        bool       idle = *text == '!';
        StackFrame frame = { .function = builder_string(builder, text + idle, size - idle),
                             .flags = idle ? (uint32_t)FRAME_IDLE : 0 };
        stack = builder_stack(builder, stack, builder_frame(builder, &frame));
        text += size + (text[size] == ';');
    }
    return stack;
}

static void sample(Sampling *s, int64_t tick, const char *stack)
{
    builder_stack_sample(s->feed.builder, s->sampler, tick, stack_of_text(s->feed.builder, stack), 1);
}

TEST(what_consecutive_stacks_share_goes_on)
{
    Sampling s = sampling_create();
    sample(&s, 10, "main;f");
    sample(&s, 20, "main;f;g");
    sample(&s, 30, "main;h");
    sample(&s, 50, "other;f");
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_UINT(trace->track_count, 2);
    CHECK(trace->tracks[1].kind == TRACK_THREAD && trace->tracks[2].kind == TRACK_SAMPLES);
    CHECK_UINT(track_thread(trace, 2), 1);
    CHECK_ROWS(trace, 2, "0.0: main 10..50, other 50..60; 0.1: f 10..30, h 30..50, f 50..60; 0.2: g 20..30");
    CHECK_INT(trace->end_tick, 60); /* the last one lasts for the median: 10 */
    CHECK_UINT(trace->counts.sample_slices, trace->slices.count);
    CHECK_UINT(trace->profile.count, 4);
    CHECK(trace->profile.weight == NULL);
    CHECK_UINT(trace_stack_depth(trace, (StackId){ trace->profile.stack[1] }), 3);
    /* A slice's stack contains its own frame and the outer ones. */
    uint64_t g = trace->rows[2].first_slice;
    CHECK_UINT(trace_slice_stack(trace, g).index, trace->profile.stack[1]);
    CHECK_UINT(trace_slice_thread(trace, g), 1);
    trace_release(trace);
}

TEST(idle_samples_are_gaps_and_counted)
{
    Sampling s = sampling_create();
    sample(&s, 10, "f");
    sample(&s, 20, "!(idle)");
    sample(&s, 30, "");
    sample(&s, 40, "f");
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_ROWS(trace, 2, "0.0: f 10..20, f 40..50");
    CHECK_UINT(trace->profile.count, 4);
    CHECK(trace->profile.stack[1] != 0 && trace->profile.stack[2] == 0);
    trace_release(trace);
}

TEST(one_sample_alone_has_no_length)
{
    Sampling s = sampling_create();
    sample(&s, 10, "f");
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_ROWS(trace, 2, "0.0: f 10..10");
    trace_release(trace);
}

TEST(samples_are_sorted_by_time)
{
    Sampling s = sampling_create();
    sample(&s, 40, "b");
    sample(&s, -5, "a");
    sample(&s, 40, "c"); /* of two at one time the first in the file is first */
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_ROWS(trace, 2, "0.0: a -5..40, b 40..40, c 40..85");
    trace_release(trace);
}

TEST(the_last_sample_ends_where_time_does)
{
    Sampling s = sampling_create();
    sample(&s, INT64_MIN, "a");
    sample(&s, INT64_MAX - 1, "a");
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_INT(trace->end_tick, INT64_MAX);
    CHECK_UINT(trace->slices.count, 1);
    trace_release(trace);
}

TEST(each_sampler_has_a_track_below_its_thread)
{
    Sampling      s = sampling_create();
    TraceBuilder *builder = s.feed.builder;
    TrackId       first = s.feed.thread;
    SamplerId     late = builder_sampler(builder, first, builder_string(builder, "cycles 10", 9));
    SamplerId     early = builder_sampler(builder, first, builder_string(builder, "cycles 9", 8));
    CHECK_UINT(builder_sampler(builder, first, builder_string(builder, "cycles 9", 8)).index, early.index);
    feed_set_thread(&s.feed, 1, 7);
    feed_events(&s.feed, "X0..100:p");
    builder_stack_sample(builder, late, 10, stack_of_text(builder, "a"), 1);
    builder_stack_sample(builder, early, 10, stack_of_text(builder, "b"), 2.5);
    builder_name_thread(builder, first, builder_string(builder, "main", 4));
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_UINT(trace->track_count, 4);
    CHECK_UINT(trace->counts.sample_tracks, 2); /* the sampler without samples has none */
    CHECK_UINT(track_thread(trace, 2), 1);
    CHECK_UINT(track_thread(trace, 3), 1);
    Bytes title = { 0 };
    trace_track_title(trace, 2, &title);
    bytes_append_text(&title, "; ");
    trace_track_title(trace, 3, &title);
    test_check_text(&title, "cycles 9 of main (2); cycles 10 of main (2)", __FILE__, __LINE__);
    CHECK(trace->profile.weight[track_extras(&trace->tracks[2])->first_profile] == 2.5);
    CHECK(trace->profile.weight[track_extras(&trace->tracks[3])->first_profile] == 1);
    CHECK_UINT(trace->counts.threads, 2);
    trace_release(trace);
}

TEST(frames_without_a_name_are_shown_by_address)
{
    Sampling      s = sampling_create();
    TraceBuilder *builder = s.feed.builder;
    StackFrame    at = { .address = 0xbeef, .module = builder_string(builder, "libc", 4) },
               nothing = { .line = 3 };
    StackId outer = builder_stack(builder, STACK_NONE, builder_frame(builder, &at));
    builder_stack_sample(builder, s.sampler, 1,
                         builder_stack(builder, outer, builder_frame(builder, &nothing)), 1);
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_ROWS(trace, 2, "0.0: 0xbeef/libc 1..1; 0.1: (anonymous) 1..1");
    trace_release(trace);
}

TEST(a_promised_stack_of_a_sample_is_kept_and_a_new_clock_moves_samples)
{
    Sampling      s = sampling_create();
    TraceBuilder *builder = s.feed.builder;
    StackId       later = builder_stack_later(builder);
    bool          rounded;
    builder_stack_sample(builder, s.sampler, 10, later, 1);
    sample(&s, 20, "g");
    builder_stack_settle(builder, later, stack_of_text(builder, "f"));
    CHECK(builder_change_clock(builder, clock_ticks(1, 1000), &rounded));
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK_ROWS(trace, 2, "0.0: f 10000..20000, g 20000..30000");
    trace_release(trace);
}

/* ---- compared with a simple model ---- */

enum { LONGEST = 6 };

typedef struct ModelSample {
    int64_t  tick;
    uint32_t depth;
    uint32_t frame[LONGEST];
} ModelSample;

/* Writes the slices of one depth, in the form of rows_append. */
static void expect_row(const ModelSample *samples, size_t count, uint32_t depth, int64_t end, Bytes *out)
{
    bool any = false;
    for (size_t i = 0; i < count;) {
        size_t next = i + 1;
        if (samples[i].depth > depth) {
            while (next < count && samples[next].depth > depth &&
                   memcmp(samples[i].frame, samples[next].frame, (depth + 1) * sizeof samples->frame[0]) == 0)
                next++;
            if (!any) bytes_printf(out, "%s0.%u: ", depth > 0 ? "; " : "", depth);
            bytes_printf(out, "%s%c %lld..%lld", any ? ", " : "", (char)('a' + samples[i].frame[depth]),
                         (long long)samples[i].tick, (long long)(next < count ? samples[next].tick : end));
            any = true;
        }
        i = next;
    }
}

TEST(random_stacks_give_the_slices_that_a_scan_finds)
{
    enum { SAMPLES = 60 };
    TestRandom random = { 3 };
    for (unsigned round = 0; round < 100; round++) {
        Sampling    s = sampling_create();
        ModelSample samples[SAMPLES] = { 0 };
        int64_t     tick = 0;
        Bytes       expected = { 0 };
        for (size_t i = 0; i < SAMPLES; i++) {
            char text[2 * LONGEST + 1] = "";
            tick += 1 + (int64_t)test_random_below(&random, 3);
            if (i > 0) samples[i] = samples[i - 1];
            samples[i].tick = tick;
            uint32_t kept = (uint32_t)test_random_below(&random, samples[i].depth + 1);
            samples[i].depth = kept;
            while (samples[i].depth < LONGEST && test_random_below(&random, 3) > 0)
                samples[i].frame[samples[i].depth++] = (uint32_t)test_random_below(&random, 3);
            for (uint32_t d = 0; d < samples[i].depth; d++) {
                char frame[] = { (char)('a' + samples[i].frame[d]), ';', 0 };
                strcat(text, frame);
            }
            sample(&s, tick, text);
        }
        Trace *trace = feed_finish(&s.feed, 1);
        for (uint32_t depth = 0; depth < LONGEST; depth++)
            expect_row(samples, SAMPLES, depth, trace->end_tick, &expected);
        bytes_append(&expected, "", 1);
        CHECK_ROWS(trace, 2, (const char *)expected.data);
        bytes_release(&expected);
        trace_release(trace);
    }
}

TEST(too_many_deep_stacks_are_drawn_in_part)
{
    enum { DEPTH = 12000, SAMPLES = 100 };
    Sampling s = sampling_create();
    StackId  deep[2] = { STACK_NONE, STACK_NONE };
    for (uint32_t i = 0; i < DEPTH; i++) {
        for (uint32_t which = 0; which < 2; which++) {
            StackFrame frame = { .line = 2 * i + which + 1 };
            deep[which] = builder_stack(s.feed.builder, deep[which], builder_frame(s.feed.builder, &frame));
        }
    }
    for (int64_t i = 0; i < SAMPLES; i++)
        builder_stack_sample(s.feed.builder, s.sampler, i, deep[i % 2], 1);
    Trace *trace = feed_finish(&s.feed, 1);
    CHECK(trace->slices.count > 1000000 && trace->slices.count < (1 << 20) + 64 * SAMPLES + 1);
    CHECK_WARNINGS(trace, "deep-stacks 1");
    CHECK_UINT(trace_stack_depth(trace, (StackId){ trace->profile.stack[0] }), DEPTH);
    trace_release(trace);
}

TEST(samples_survive_every_failing_allocation)
{
    for (uint64_t n = 0;; n++) {
        memory_fail_after(n);
        TraceBuilder *builder = builder_create("test", 0);
        Trace        *trace = NULL;
        Err           err;
        if (builder != NULL) {
            TrackId   thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
            SamplerId sampler = builder_sampler(builder, thread, STRING_NONE);
            for (int64_t i = 0; i < 40 && !builder_failed(builder); i++)
                builder_stack_sample(builder, sampler, 40 - i, stack_of_text(builder, i % 3 ? "a;b" : "a;c"),
                                     2);
            trace = builder_finish(builder, 1, NULL, &err);
            builder_destroy(builder);
        }
        memory_fail_after(UINT64_MAX);
        if (trace == NULL) continue;
        CHECK_DONE(trace_check(trace, &err), err);
        CHECK_UINT(trace->profile.count, 40);
        trace_release(trace);
        return;
    }
}

TEST_MAIN("profile", TEST_CASE(what_consecutive_stacks_share_goes_on),
          TEST_CASE(idle_samples_are_gaps_and_counted), TEST_CASE(one_sample_alone_has_no_length),
          TEST_CASE(samples_are_sorted_by_time), TEST_CASE(the_last_sample_ends_where_time_does),
          TEST_CASE(each_sampler_has_a_track_below_its_thread),
          TEST_CASE(frames_without_a_name_are_shown_by_address),
          TEST_CASE(a_promised_stack_of_a_sample_is_kept_and_a_new_clock_moves_samples),
          TEST_CASE(random_stacks_give_the_slices_that_a_scan_finds),
          TEST_CASE(too_many_deep_stacks_are_drawn_in_part),
          TEST_CASE(samples_survive_every_failing_allocation))
