/* Stacks: interned, and found at the slices and instants to which they were attached. */
#include "support/test.h"
#include "trace_support.h"

#include <string.h>

/* Returns a stack of one frame that identifies the event to which it was attached. */
static StackId stack_of_event(TraceBuilder *builder, uint64_t event)
{
    StackFrame frame = { .address = event + 1 };
    return builder_stack(builder, STACK_NONE, builder_frame(builder, &frame));
}

static StackFrame frame_named(TraceBuilder *builder, const char *function, uint32_t line)
{
    return (StackFrame){ .function = builder_string(builder, function, strlen(function)), .line = line };
}

TEST(equal_frames_and_stacks_are_one)
{
    EventFeed     feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder *builder = feed.builder;
    StackFrame    main_frame = frame_named(builder, "main", 1), read_frame = frame_named(builder, "read", 2);
    FrameId       a = builder_frame(builder, &main_frame), b = builder_frame(builder, &read_frame);
    CHECK(a.index != 0 && b.index != 0 && a.index != b.index);
    CHECK_UINT(builder_frame(builder, &main_frame).index, a.index);
    StackFrame other_line = main_frame;
    other_line.line = 9;
    CHECK(builder_frame(builder, &other_line).index != a.index);
    StackId outer = builder_stack(builder, STACK_NONE, a), inner = builder_stack(builder, outer, b);
    CHECK_UINT(builder_stack(builder, outer, b).index, inner.index);
    CHECK(builder_stack(builder, STACK_NONE, b).index != inner.index);
    CHECK_UINT(builder_stack(builder, outer, FRAME_NONE).index, outer.index);

    feed_events(&feed, "X10..20:p");
    builder_complete_stacks(builder, feed.thread, inner, outer);
    feed_events(&feed, "X12..14:q");
    Trace  *trace = feed_finish(&feed, 1);
    StackId at_begin = trace_slice_stack(trace, 0);
    CHECK_UINT(trace_stack_depth(trace, at_begin), 2);
    CHECK_UINT(trace_stack_frame(trace, at_begin)->line, 2);
    CHECK_UINT(trace_stack_parent(trace, at_begin).index, trace_slice_end_stack(trace, 0).index);
    CHECK_UINT(trace_slice_stack(trace, 1).index, 0);
    CHECK_UINT(trace_stack_depth(trace, STACK_NONE), 0);
    trace_release(trace);
}

TEST(a_stack_may_be_promised_before_it_is_known)
{
    EventFeed     feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder *builder = feed.builder;
    StackId       kept = builder_stack_later(builder), broken = builder_stack_later(builder);
    feed_events(&feed, "B10:p");
    builder_mark_stack(builder, feed.thread, kept);
    feed_events(&feed, "E12 i14:m");
    builder_instant_stack(builder, feed.thread, INSTANT_THREAD, broken);
    StackId known = stack_of_event(builder, 7);
    builder_stack_settle(builder, kept, known);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->stacks.stack_count, 1);
    CHECK_UINT(trace_stack_frame(trace, trace_slice_stack(trace, 0))->address, 8);
    CHECK_UINT(trace_instant_stack(trace, 0).index, 0);
    trace_release(trace);
}

TEST(instants_of_every_scope_and_asynchronous_slices_have_stacks)
{
    EventFeed     feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder *builder = feed.builder;
    AsyncId       async_id = builder_async_id(builder, PROCESS_NONE, "1", 1);
    LabelId       label = feed_label(&feed, "a", 1);
    feed_events(&feed, "g1:g");
    builder_instant_stack(builder, feed.thread, INSTANT_GLOBAL, stack_of_event(builder, 1));
    feed_events(&feed, "p2:p");
    builder_instant_stack(builder, feed.thread, INSTANT_PROCESS, stack_of_event(builder, 2));
    builder_async(
        builder, ASYNC_BEGIN, 0, async_id,
        &(EventHead){ .thread = feed.thread, .tick = 3, .label = label, .pos = feed_next_pos(&feed) }, 0);
    builder_async_stack(builder, stack_of_event(builder, 3));
    builder_async(
        builder, ASYNC_INSTANT, 0, async_id,
        &(EventHead){ .thread = feed.thread, .tick = 4, .label = label, .pos = feed_next_pos(&feed) }, 0);
    builder_async_stack(builder, stack_of_event(builder, 4));
    builder_async(
        builder, ASYNC_BEGIN, 0, async_id,
        &(EventHead){ .thread = feed.thread, .tick = 5, .label = label, .pos = feed_next_pos(&feed) }, 0);
    builder_async(
        builder, ASYNC_END, 0, async_id,
        &(EventHead){ .thread = feed.thread, .tick = 6, .label = label, .pos = feed_next_pos(&feed) }, 0);
    builder_async_stack(builder, stack_of_event(builder, 6));
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->slices.count, 2);
    CHECK_UINT(trace->instants.count, 3);
    for (uint64_t i = 0; i < 3; i++) {
        StackId stack = trace_instant_stack(trace, i);
        CHECK_INT((int64_t)trace_stack_frame(trace, stack)->address - 1, trace->instants.tick[i]);
    }
    CHECK_UINT(trace_stack_frame(trace, trace_slice_stack(trace, 0))->address, 4);
    CHECK_UINT(trace_slice_end_stack(trace, 0).index, 0);
    CHECK_UINT(trace_slice_stack(trace, 1).index, 0);
    CHECK_UINT(trace_stack_frame(trace, trace_slice_end_stack(trace, 1))->address, 7);
    trace_release(trace);
}

/* Kinds of events that are hard for the fast path. */
enum { HAS_COMPLETES = 1, HAS_INSTANTS = 2, HAS_UNSORTED = 4, HAS_NAMES = 8 };

/* Adds a random event and, often or rarely, its stack. */
static void add_random_event(EventFeed *feed, TestRandom *random, int64_t tick, unsigned kinds,
                             unsigned one_in)
{
    TraceBuilder *builder = feed->builder;
    LabelId       label = feed_label(feed, test_random_below(random, 2) ? "a" : "b", 1);
    uint64_t      event = feed->event;
    EventPos      pos = feed_next_pos(feed);
    StackId  stack = test_random_below(random, one_in) == 0 ? stack_of_event(builder, event) : STACK_NONE;
    uint64_t what = test_random_below(random, 8);
    if (what == 0 && (kinds & HAS_COMPLETES)) {
        builder_complete(builder, feed->thread, tick, tick + (int64_t)test_random_below(random, 40), label,
                         pos, EVENT_DETAILS);
        builder_complete_stacks(builder, feed->thread, stack, stack);
    } else if (what == 1 && (kinds & HAS_INSTANTS)) {
        builder_instant(builder, feed->thread, tick, label, INSTANT_THREAD, pos, EVENT_DETAILS);
        builder_instant_stack(builder, feed->thread, INSTANT_THREAD, stack);
    } else if (what % 2 == 0) {
        builder_begin(builder, feed->thread, tick, label, pos, EVENT_DETAILS);
        builder_mark_stack(builder, feed->thread, stack);
    } else {
        builder_end(builder, feed->thread, tick, kinds & HAS_NAMES ? label : LABEL_NONE, pos, EVENT_DETAILS);
        builder_mark_stack(builder, feed->thread, stack);
    }
}

/* Returns the event to which a stack was attached, or -1. */
static int64_t event_of(const Trace *trace, StackId stack)
{
    return stack.index == 0 ? -1 : (int64_t)trace_stack_frame(trace, stack)->address - 1;
}

/* Checks that every stack is at its event. Returns the number of stacks. */
static uint64_t check_places(const Trace *trace, unsigned one_in)
{
    uint64_t found = 0, offset;
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        int64_t begin = event_of(trace, trace_slice_stack(trace, i));
        int64_t end = event_of(trace, trace_slice_end_stack(trace, i));
        CHECK(trace_slice_source(trace, i, &offset));
        int64_t source = (int64_t)offset / 100;
        CHECK(begin == source || (begin == -1 && one_in > 1));
        bool has_end = trace_slice_end_source(trace, i, &offset);
        if (has_end) {
            CHECK(end == (int64_t)offset / 100 || (end == -1 && one_in > 1));
        } else {
            CHECK(end == -1 || end == begin); /* a complete has both */
        }
        found += (uint64_t)(begin != -1) + (uint64_t)(end != -1);
    }
    for (uint64_t i = 0; i < trace->instants.count; i++) {
        int64_t event = event_of(trace, trace_instant_stack(trace, i));
        CHECK(event == (int64_t)(trace->instants.source[i] - 1) / 100 || (event == -1 && one_in > 1));
        found += event != -1;
    }
    return found;
}

TEST(stacks_stay_with_their_events_whatever_happens_to_these)
{
    TestRandom random = { 7 };
    uint64_t   found = 0;
    for (unsigned round = 0; round < 160; round++) {
        unsigned  kinds = round % 16, one_in = round / 16 % 2 ? 1 : 9;
        MatchRule match = round / 32 % 2 ? MATCH_BY_TIME_AND_NAME : MATCH_IN_FILE_ORDER;
        EventFeed feed = feed_create(match, UNFINISHED_TO_TRACE_END);
        int64_t   tick = 100;
        for (unsigned i = 0; i < 300; i++) {
            if (i % 100 == 0) feed_set_thread(&feed, 1, (int64_t)test_random_below(&random, 2));
            tick += (int64_t)test_random_below(&random, 20) - (kinds & HAS_UNSORTED ? 8 : 0);
            add_random_event(&feed, &random, tick, kinds, one_in);
        }
        Trace *trace = feed_finish(&feed, 1 + round % 3);
        found += check_places(trace, one_in);
        trace_release(trace);
    }
    CHECK(found > 10000);
}

TEST(notes_far_apart_and_ids_beyond_16_bits_are_kept)
{
    EventFeed feed = feed_create(MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 1);
    for (uint64_t i = 0; i < 70000; i++) /* so that the stack has a large id */
        (void)stack_of_event(feed.builder, 1000000 + i);
    LabelId label = feed_label(&feed, "a", 1);
    for (int64_t i = 0; i < 200000; i++) {
        uint64_t event = feed.event;
        builder_begin(feed.builder, feed.thread, 2 * i, label, feed_next_pos(&feed), 0);
        if (i == 3 || i == 199999)
            builder_mark_stack(feed.builder, feed.thread, stack_of_event(feed.builder, event));
        builder_end(feed.builder, feed.thread, 2 * i + 1, LABEL_NONE, feed_next_pos(&feed), 0);
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->slices.stack.count, 2);
    CHECK_UINT(trace->slices.end_stack.count, 0);
    CHECK_INT(event_of(trace, trace_slice_stack(trace, 3)), 6);
    CHECK_INT(event_of(trace, trace_slice_stack(trace, 199999)), 399998);
    CHECK_INT(event_of(trace, trace_slice_stack(trace, 4)), -1);
    trace_release(trace);
}

/* How changes are fed: many at once, or each as an end and a begin. */
typedef enum { CHANGES_AT_ONCE, CHANGE_IN_TWO } ChangeWay;

typedef struct ChangeFeed {
    EventFeed   feed;
    ChangeWay   way;
    bool        is_flat; /* no slice is in another one */
    uint32_t    depth;
    SliceChange changes[MOST_SLICE_CHANGES];
    size_t      count;
} ChangeFeed;

static void add_changes(ChangeFeed *f, EventPos pos)
{
    builder_add_changes(f->feed.builder, f->feed.thread, f->changes, f->count, pos);
    f->count = 0;
}

/* Adds a random begin, end or change. */
static void add_change(ChangeFeed *f, TestRandom *random, int64_t tick)
{
    TraceBuilder *const builder = f->feed.builder;
    const TrackId       thread = f->feed.thread;
    const LabelId       label = feed_label(&f->feed, test_random_below(random, 2) ? "a" : "b", 1);
    const uint64_t      event = test_random_below(random, 300), what = test_random_below(random, 512);
    const StackId       stack = event < 100 ? STACK_NONE : stack_of_event(builder, event);
    const EventPos      pos = feed_next_pos(&f->feed);
    const bool          is_change = f->depth > 0 && (f->is_flat ? what > 0 : what > 15);
    if (is_change && f->way == CHANGES_AT_ONCE) {
        f->changes[f->count++] = (SliceChange){ tick, label, stack };
        if (f->count == MOST_SLICE_CHANGES) add_changes(f, pos);
        return;
    }
    add_changes(f, pos);
    if (is_change || what < 8) {
        f->depth -= f->depth > 0;
        builder_end(builder, thread, tick, LABEL_NONE, pos, EVENT_ANYWHERE);
        builder_mark_stack(builder, thread, stack);
    }
    if (what > 7 || is_change) {
        f->depth++;
        builder_begin(builder, thread, tick, label, pos, EVENT_ANYWHERE);
        builder_mark_stack(builder, thread, stack);
    }
}

/* Times that go far, and sometimes back, are not for the fast path; nor is a thread whose events go to a log. */
static Trace *trace_of_changes(uint64_t seed, ChangeWay way)
{
    enum { EVENTS = 5000 };
    TestRandom random = { seed };
    ChangeFeed f = { .feed = feed_create(MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END), .way = way };
    int64_t    tick = 0;
    const bool goes_back = test_random_below(&random, 2) == 0;
    f.is_flat = test_random_below(&random, 2) == 0;
    feed_set_thread(&f.feed, 1, 1);
    for (unsigned i = 0; i < EVENTS; i++) {
        const uint64_t far = test_random_below(&random, 500);
        tick += far == 0 ? INT64_C(5000000000) : (int64_t)test_random_below(&random, 9);
        if (far == 1 && goes_back) tick -= 20;
        add_change(&f, &random, tick);
    }
    add_changes(&f, feed_next_pos(&f.feed));
    return feed_finish(&f.feed, 1);
}

TEST(a_change_is_an_end_and_a_begin)
{
    for (uint64_t seed = 1; seed <= 24; seed++) {
        Trace *once = trace_of_changes(seed, CHANGES_AT_ONCE), *two = trace_of_changes(seed, CHANGE_IN_TWO);
        CHECK_UINT(once->slices.count, two->slices.count);
        CHECK_UINT(once->row_count, two->row_count);
        CHECK(once->slices.stack.count > 1000);
        for (uint64_t i = 0; i < once->slices.count; i++) {
            CHECK_INT(trace_slice_begin(once, i), trace_slice_begin(two, i));
            CHECK_UINT(trace_slice_duration(once, i), trace_slice_duration(two, i));
            CHECK_UINT(trace_slice_label(once, i), trace_slice_label(two, i));
            CHECK_UINT(trace_slice_stack(once, i).index, trace_slice_stack(two, i).index);
            CHECK_UINT(trace_slice_end_stack(once, i).index, trace_slice_end_stack(two, i).index);
        }
        trace_release(once);
        trace_release(two);
    }
}

TEST(a_trace_with_stacks_survives_every_failing_allocation)
{
    for (uint64_t n = 0;; n++) {
        memory_fail_after(n);
        TraceBuilder *builder = builder_create("test", 0);
        Trace        *trace = NULL;
        Err           err;
        if (builder != NULL) {
            TrackId thread = builder_thread(builder, builder_process(builder, ident_int(1)), ident_int(1));
            LabelId label = builder_label(builder, builder_string(builder, "a", 1), STRING_NONE);
            for (uint64_t i = 0; i < 40 && !builder_failed(builder); i++) {
                builder_begin(builder, thread, (int64_t)i, label, (EventPos){ i, i }, 0);
                builder_mark_stack(builder, thread, stack_of_event(builder, i));
                builder_complete(builder, thread, (int64_t)i, 50, label, (EventPos){ i, i }, 0);
                builder_complete_stacks(builder, thread, stack_of_event(builder, i),
                                        builder_stack_later(builder));
                builder_instant(builder, thread, (int64_t)i, label, INSTANT_PROCESS, (EventPos){ i, i }, 0);
                builder_instant_stack(builder, thread, INSTANT_PROCESS, stack_of_event(builder, 1));
            }
            trace = builder_finish(builder, 1, NULL, &err);
            builder_destroy(builder);
        }
        memory_fail_after(UINT64_MAX);
        if (trace == NULL) continue;
        CHECK_DONE(trace_check(trace, &err), err);
        CHECK_UINT(trace->slices.stack.count, 80);
        trace_release(trace);
        return;
    }
}

TEST_MAIN("stacks", TEST_CASE(equal_frames_and_stacks_are_one),
          TEST_CASE(a_stack_may_be_promised_before_it_is_known),
          TEST_CASE(instants_of_every_scope_and_asynchronous_slices_have_stacks),
          TEST_CASE(stacks_stay_with_their_events_whatever_happens_to_these),
          TEST_CASE(a_change_is_an_end_and_a_begin),
          TEST_CASE(notes_far_apart_and_ids_beyond_16_bits_are_kept),
          TEST_CASE(a_trace_with_stacks_survives_every_failing_allocation))
