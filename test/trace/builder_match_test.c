/* Ends find their begins: src/trace/make/pair.c. */
#include "support/test.h"
#include "trace_support.h"

#include <stdio.h>
#include <string.h>

TEST(begins_and_ends_nest)
{
    CHECK_EVENTS("B10:p B12:q E14 E20", "0.0: p 10..20; 0.1: q 12..14");
    CHECK_EVENTS("B10:p E12:p B12:q E15:q", "0.0: p 10..12, q 12..15");
}

TEST(a_named_end_closes_the_innermost_of_its_name)
{
    Trace *trace = trace_of_events("B10:p B11:q B12:p E13:p E14:q E15:p");
    CHECK_ROWS(trace, 1, "0.0: p 10..15; 0.1: q 11..14; 0.2: p 12..13");
    CHECK_WARNINGS(trace, "");
    trace_release(trace);
}

TEST(what_stands_above_a_closed_slice_gets_no_end)
{
    Trace *trace = trace_of_events("B10:p B11:q B12:r E14:p E20");
    CHECK_ROWS(trace, 1, "0.0: p 10..14; 0.1: q 11..14 n; 0.2: r 12..14 n");
    CHECK_WARNINGS(trace, "end-name-mismatch 1 @300#3, unmatched-end 1 @400#4");
    trace_release(trace);
}

/* be_name_mismatch: the ends of p and q are exchanged, as if the end closed the innermost whatever its name. */
TEST(two_exchanged_ends_are_put_right)
{
    Trace *trace = trace_of_events("B10:p B12:q E14:p E20:q");
    CHECK_ROWS(trace, 1, "0.0: p 10..20; 0.1: q 12..14");
    CHECK_WARNINGS(trace, "end-name-mismatch 1 @200#2");
    trace_release(trace);
    /* Also inside another slice, and with one more inside. */
    CHECK_EVENTS("B5:o B10:p B12:q E14:p E20:q E30:o", "0.0: o 5..30; 0.1: p 10..20; 0.2: q 12..14");
    CHECK_EVENTS("B10:p B11:q B12:r E14:p E20:r", "0.0: p 10..20; 0.1: q 11..14 n; 0.2: r 12..14");
}

TEST(an_exchange_holds_only_while_the_stack_is_the_same)
{
    /* q's end is after the end of the enclosing slice: no exchange. */
    Trace *trace = trace_of_events("B5:o B10:p B12:q E14:p E16:o E20:q");
    CHECK_ROWS(trace, 1, "0.0: o 5..16; 0.1: p 10..14; 0.2: q 12..14 n");
    CHECK_WARNINGS(trace, "end-name-mismatch 1 @300#3, unmatched-end 1 @500#5");
    trace_release(trace);
    /* It does not close a slice that is open then. */
    trace = trace_of_events("B10:p B12:q E14:p B15:r E20:q E30:r");
    CHECK_ROWS(trace, 1, "0.0: p 10..14, r 15..30; 0.1: q 12..14 n");
    CHECK_WARNINGS(trace, "end-name-mismatch 1 @200#2, unmatched-end 1 @400#4");
    trace_release(trace);
}

/* On both paths, with any number of threads: the end's colour, otherwise the begin's. */
TEST(an_end_colours_its_slice)
{
    static const MatchRule rules[] = { MATCH_BY_TIME_AND_NAME, MATCH_IN_FILE_ORDER };
    for (size_t r = 0; r < 2; r++) {
        EventFeed      feed = feed_create(rules[r], UNFINISHED_TO_TRACE_END);
        TraceBuilder  *b = feed.builder;
        const uint32_t red = LABEL_COLOUR(0xFF0000), blue = LABEL_COLOUR(0x0000FF);
        for (int64_t thread = 0; thread < 9; thread++) {
            feed_set_thread(&feed, 1, thread);
            LabelId plain = feed_label(&feed, "p", 1), in_red = builder_colour_label(b, plain, red);
            LabelId no_name = builder_label(b, STRING_NONE, STRING_NONE);
            CHECK_UINT(builder_colour_label(b, in_red, 0).index, plain.index);
            builder_begin(b, feed.thread, 0, in_red, feed_next_pos(&feed), 0);
            builder_begin(b, feed.thread, 10, plain, feed_next_pos(&feed), 0);
            builder_end(b, feed.thread, 20, builder_colour_label(b, plain, blue), feed_next_pos(&feed), 0);
            builder_begin(b, feed.thread, 30, in_red, feed_next_pos(&feed), 0);
            builder_end(b, feed.thread, 40, builder_colour_label(b, no_name, blue), feed_next_pos(&feed), 0);
            builder_end(b, feed.thread, 50, LABEL_NONE, feed_next_pos(&feed), 0);
            if (thread % 2 == 0) builder_complete(b, feed.thread, 60, 70, in_red, feed_next_pos(&feed), 0);
        }
        Trace *trace = feed_finish(&feed, r == 0 ? 1 : 4);
        for (uint64_t i = 0; i < trace->slices.count; i++) {
            const Label *label = &trace->labels[trace_slice_label(trace, i)];
            bool         is_inner = trace_slice_begin(trace, i) == 10 || trace_slice_begin(trace, i) == 30;
            CHECK_UINT(label->colour, is_inner ? blue : red);
            CHECK(string_equal(trace_string(trace, label->name), STRING_LITERAL("p")));
        }
        CHECK_UINT(trace->slices.count, 9 * 3 + 5);
        trace_release(trace);
    }
}

TEST(categories_matter_only_where_both_have_one)
{
    CHECK_EVENTS("B10:p/a B11:p/b E12:p/a E13:p/b", "0.0: p/a 10..13; 0.1: p/b 11..12");
    CHECK_EVENTS("B10:p/a B11:p E12:p/a E13:p/a", "0.0: p/a 10..13; 0.1: p 11..12");
    CHECK_EVENTS("B10:p/a E12:p", "0.0: p/a 10..12");
    Trace *trace = trace_of_events("B10:p/a E12:p/b X20..30:x");
    CHECK_ROWS(trace, 1, "0.0: p/a 10..30 u; 0.1: x 20..30");
    CHECK_WARNINGS(trace, "unfinished-slice 1 @0#0, unmatched-end 1 @100#1");
    trace_release(trace);
}

TEST(one_constant_name_of_all_ends_is_no_name)
{
    Trace *trace = trace_of_events("B10:p B12:q E14:end E20:end");
    CHECK_ROWS(trace, 1, "0.0: p 10..20; 0.1: q 12..14");
    CHECK_WARNINGS(trace, "");
    trace_release(trace);
    /* Ends without a name do not change that, with or without a category. */
    CHECK_EVENTS("B10:p B12:q B13:r E14:end E16:/c E20:end", "0.0: p 10..20; 0.1: q 12..16; 0.2: r 13..14");
    CHECK_EVENTS("B10:p B12:q B13:r E14 E16:end E20:end", "0.0: p 10..20; 0.1: q 12..16; 0.2: r 13..14");
    /* Two names, or a begin of that name: then the name is valid. */
    trace = trace_of_events("B10:p E14:end E20:fin");
    CHECK_ROWS(trace, 1, "0.0: p 10..20 u");
    CHECK_WARNINGS(trace, "unfinished-slice 1 @0#0, unmatched-end 2 @100#1");
    trace_release(trace);
    trace = trace_of_events("B10:p E14:end B15:end E16:end E20:p");
    CHECK_ROWS(trace, 1, "0.0: p 10..20; 0.1: end 15..16");
    CHECK_WARNINGS(trace, "unmatched-end 1 @100#1");
    trace_release(trace);
}

TEST(a_constant_name_is_judged_thread_by_thread)
{
    Trace *trace = trace_of_events("B10:p E14:end @1/3 B10:end B11:q E12:end E13:x");
    CHECK_ROWS(trace, 1, "0.0: p 10..14");
    CHECK_ROWS(trace, 2, "0.0: end 10..12; 0.1: q 11..12 n");
    trace_release(trace);
}

TEST(ends_without_begins_are_counted_and_ignored)
{
    Trace *trace = trace_of_events("E5 B10:p E20 E25:q");
    CHECK_ROWS(trace, 1, "0.0: p 10..20");
    CHECK_WARNINGS(trace, "unmatched-end 2 @0#0");
    CHECK_INT(trace->begin_tick, 5);
    CHECK_INT(trace->end_tick, 25);
    trace_release(trace);
}

TEST(times_are_sorted_first)
{
    Trace *trace = trace_of_events("E20 B10:p B12:q E14");
    CHECK_ROWS(trace, 1, "0.0: p 10..20; 0.1: q 12..14");
    CHECK_WARNINGS(trace, "unsorted-thread 1 @100#1");
    trace_release(trace);
    trace = trace_of_events("B10:p E8 X20..30:x");
    CHECK_ROWS(trace, 1, "0.0: p 10..30 u; 0.1: x 20..30");
    CHECK_WARNINGS(trace, "unfinished-slice 1 @0#0, unmatched-end 1 @100#1, unsorted-thread 1 @100#1");
    trace_release(trace);
    /* Stably: equal times stay in file order. */
    CHECK_EVENTS("B10:p E30 B20:a E20 B20:b E20 B5:o E40",
                 "0.0: o 5..40; 0.1: p 10..30; 0.2: a 20..20, b 20..20");
}

TEST(long_unsorted_threads_are_sorted_too)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    enum { COUNT = 5000 };
    for (int64_t i = COUNT; i-- > 0;) { /* the last is first; times that differ in many digits */
        int64_t tick = (i - COUNT / 2) * INT64_C(0x123456789a);
        builder_begin(feed.builder, feed.thread, tick, feed_label(&feed, "s", 1), feed_next_pos(&feed), 0);
        builder_end(feed.builder, feed.thread, tick + i, LABEL_NONE, feed_next_pos(&feed), 0);
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->row_count, 1);
    for (uint64_t i = 0; i < COUNT; i++) {
        CHECK_INT(trace_slice_begin(trace, i), ((int64_t)i - COUNT / 2) * INT64_C(0x123456789a));
        CHECK_UINT(trace->slices.duration[i], i);
    }
    trace_release(trace);
}

TEST(the_unfinished_last_to_the_end_of_the_trace_or_thread)
{
    static const char EVENTS[] = "B10:p B12:q E14 B16:r i18:m X17..?:x @1/3 X50..60:z";
    EventFeed         feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, EVENTS);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: p 10..60 u; 0.1: q 12..14, r 16..60 u; 0.2: x 17..60 u; 0.3: m@18");
    CHECK_UINT(trace->counts.unfinished, 3);
    trace_release(trace);

    feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_THREAD_END);
    feed_events(&feed, EVENTS);
    trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: p 10..18 u; 0.1: q 12..14, r 16..18 u; 0.2: x 17..18 u; 0.3: m@18");
    CHECK_INT(trace->end_tick, 60);
    trace_release(trace);
}

TEST(file_order_rules_where_it_should)
{
    EventFeed feed = feed_create(MATCH_IN_FILE_ORDER, UNFINISHED_TO_THREAD_END);
    feed_events(&feed, "B10:p B12:q E14:p E20:nonsense E21 X5..6:x");
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: x 5..6, p 10..20; 0.1: q 12..14");
    CHECK_WARNINGS(trace, "unmatched-end 1 @400#4");
    trace_release(trace);
}

TEST(time_travel_is_moved_up_and_reported)
{
    EventFeed feed = feed_create(MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, "B10:p B4:q E3 B12:r E11 E20 @1/3 B5:a E1");
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: p 10..20; 0.1: q 10..10 r, r 12..12 r");
    CHECK_ROWS(trace, 2, "0.0: a 5..5 r");
    CHECK_WARNINGS(trace, "time-travel 4 @100#1");
    CHECK_INT(trace->begin_tick, 5); /* not at a raw event */
    trace_release(trace);
}

TEST(what_the_reader_repaired_says_so)
{
    CHECK_EVENTS("B10:p +r B11:q E12:q - E20:p +r X15..16:x - B17:y +r E18:y",
                 "0.0: p 10..20; 0.1: q 11..12 r, x 15..16 r, y 17..18 r");
}

TEST(sources_follow_their_slices)
{
    Trace *trace = trace_of_events("B10:p +d B12:q - E14:q +d E20:p - X30..40:x +d X32..33:y B34:z E35:z");
    CHECK_ROWS(trace, 1, "0.0: p 10..20 e, x 30..40; 0.1: q 12..14 s, y 32..33 s, z 34..35 se");
    uint64_t offset;
    CHECK(!trace_slice_source(trace, 0, &offset) && trace_slice_end_source(trace, 0, &offset));
    CHECK_UINT(offset, 300);
    CHECK(!trace_slice_source(trace, 1, &offset) && !trace_slice_end_source(trace, 1, &offset));
    CHECK(trace_slice_source(trace, 2, &offset) && !trace_slice_end_source(trace, 2, &offset));
    trace_slice_source(trace, 2, &offset);
    CHECK_UINT(offset, 100);
    CHECK(trace_slice_source(trace, 3, &offset));
    CHECK_UINT(offset, 500);
    CHECK(trace_slice_end_source(trace, 4, &offset));
    CHECK_UINT(offset, 700);
    CHECK(trace_slice_source(trace, 4, &offset));
    CHECK_UINT(offset, 600);
    trace_release(trace);
}

/* The details of an end belong to the slice that it closes by name, not to the slices inside it. */
TEST(an_end_s_source_goes_to_one_slice)
{
    CHECK_EVENTS("B10:p B11:q +d E14:p", "0.0: p 10..14 e; 0.1: q 11..14 n");
}

TEST(sources_of_many_slices_on_several_threads)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    enum { COUNT = 1000, THREADS = 3 };
    for (int64_t i = 0; i < COUNT; i++) {
        for (int64_t t = 0; t < THREADS; t++) {
            bool details = t != 1 && (i * 7 + t) % 3 == 0; /* the second thread has no details */
            feed_set_thread(&feed, 9, t);
            builder_complete(feed.builder, feed.thread, i * 10, i * 10 + (i % 5 == 0 ? 35 : 5),
                             feed_label(&feed, "s", 1), feed_next_pos(&feed), details ? EVENT_DETAILS : 0);
        }
    }
    Trace *trace = feed_finish(&feed, 2);
    for (uint64_t slice = 0; slice < trace->slices.count; slice++) {
        int64_t  t = (int64_t)(trace->rows[trace_slice_row(trace, slice)].track - 1);
        int64_t  i = trace_slice_begin(trace, slice) / 10;
        uint64_t offset = 0;
        CHECK(trace_slice_source(trace, slice, &offset) == (t != 1 && (i * 7 + t) % 3 == 0));
        if (offset != 0) CHECK_UINT(offset, (uint64_t)(i * THREADS + t) * 100);
    }
    trace_release(trace);
}

TEST(durations_beyond_32_bits)
{
    Trace *trace =
        trace_of_events("X0..4294967294:a X4294967294..8589934589:b X8589934590..9223372036854775807:c "
                        "X-9223372036854775808..-1:d");
    CHECK_ROWS(trace, 1,
               "0.0: d -9223372036854775808..-1 l, a 0..4294967294, b 4294967294..8589934589 l, "
               "c 8589934590..9223372036854775807 l");
    CHECK_UINT(trace_slice_duration(trace, 0), UINT64_C(9223372036854775807));
    CHECK_UINT(trace_slice_duration(trace, 1), UINT64_C(4294967294));
    CHECK_UINT(trace_slice_duration(trace, 2), UINT64_C(4294967295));
    trace_release(trace);
    trace = trace_of_events("X-9223372036854775808..9223372036854775807:all X0..1:one");
    CHECK_UINT(trace_slice_duration(trace, 0), UINT64_MAX);
    trace_release(trace);
}

TEST(events_numbered_beyond_32_bits)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    builder_begin(feed.builder, feed.thread, 1, LABEL_NONE, (EventPos){ 10, 3 }, 0);
    builder_end(feed.builder, feed.thread, 2, LABEL_NONE, (EventPos){ 20, UINT32_MAX }, 0);
    builder_begin(feed.builder, feed.thread, 3, LABEL_NONE, (EventPos){ 30, UINT64_C(1) << 32 }, 0);
    builder_end(feed.builder, feed.thread, 4, LABEL_NONE, (EventPos){ 40, (UINT64_C(2) << 32) + 6 }, 0);
    builder_end(feed.builder, feed.thread, 5, LABEL_NONE, (EventPos){ 50, (UINT64_C(2) << 32) + 7 }, 0);
    builder_begin(feed.builder, feed.thread, 6, LABEL_NONE, (EventPos){ 60, (UINT64_C(2) << 32) + 8 }, 0);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_WARNINGS(trace, "unmatched-end 1 @50#8589934599, unfinished-slice 1 @60#8589934600");
    trace_release(trace);
}

/* The slice for an end is found at any depth of the stack. */
TEST(ends_of_deep_stacks)
{
    enum { DEEP = 5000 };
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId outer = feed_label(&feed, "outer", 5), inner = feed_label(&feed, "inner", 5);
    builder_begin(feed.builder, feed.thread, 0, outer, feed_next_pos(&feed), 0);
    for (int64_t i = 1; i < DEEP; i++)
        builder_begin(feed.builder, feed.thread, i, inner, feed_next_pos(&feed), 0);
    builder_end(feed.builder, feed.thread, DEEP, outer, feed_next_pos(&feed), 0);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_WARNINGS(trace, "end-name-mismatch 1 @500000#5000");
    CHECK_UINT(trace->row_count, DEEP);
    CHECK_UINT(trace->counts.max_depth, DEEP);
    CHECK_UINT(trace->slices.flags[0], 0);
    for (uint64_t i = 1; i < DEEP; i++)
        CHECK_UINT(trace->slices.flags[i], SLICE_NO_END);
    trace_release(trace);
}

/* Returns a number of any magnitude below 2^bits. */
static uint64_t any_magnitude(TestRandom *random, unsigned bits)
{
    return test_random(random) >> (64 - 1 - test_random_below(random, bits));
}

/* Stored events are packed: their numbers must be restored exactly. */
static void check_packing(uint64_t seed, unsigned tick_bits, unsigned offset_step_bits)
{
    enum { COUNT = 70000 };
    static struct {
        int64_t  tick, end;
        uint64_t offset;
        bool     has_source;
    } events[COUNT + 1];
    TestRandom random = { seed };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    EventPos   pos = { 0, 0 };
    feed_set_thread(&feed, 1, 2);
    for (uint32_t i = 1; i <= COUNT; i++) {
        char name[16];
        int  size = snprintf(name, sizeof name, "%u", i);
        CHECK_UINT(feed_label(&feed, name, (size_t)size).index, i);
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        uint32_t label = (i * 7919U) % COUNT + 1;
        int64_t  tick = (int64_t)any_magnitude(&random, tick_bits);
        if (test_random_below(&random, 2) == 0) tick = -tick;
        bool details = test_random_below(&random, 3) != 0;
        events[label].tick = tick;
        events[label].end = tick + (int64_t)any_magnitude(&random, tick_bits - 1) / 2;
        if (events[label].end < tick) events[label].end = tick;
        events[label].offset = pos.offset;
        events[label].has_source = details;
        builder_complete(feed.builder, feed.thread, tick, events[label].end, (LabelId){ label }, pos,
                         details ? EVENT_DETAILS : 0);
        pos.offset += 1 + any_magnitude(&random, offset_step_bits);
        pos.event += 1 + (test_random_below(&random, 10) == 0 ? any_magnitude(&random, 20) : 0);
    }
    Trace *trace = feed_finish(&feed, 1);
    for (uint64_t slice = 0; slice < COUNT; slice++) {
        uint32_t label = trace_slice_label(trace, slice);
        uint64_t offset = 0;
        CHECK_INT(trace_slice_begin(trace, slice), events[label].tick);
        CHECK_INT(trace_slice_end(trace, slice), events[label].end);
        CHECK(trace_slice_source(trace, slice, &offset) == events[label].has_source);
        if (events[label].has_source) CHECK_UINT(offset, events[label].offset);
    }
    trace_release(trace);
}

TEST(events_of_any_magnitude)
{
    check_packing(1, 62, 30);
    check_packing(2, 23, 4);
    check_packing(3, 40, 16);
}

/* The same for begins, ends and instants: large numbers, nested slices. */
TEST(begins_and_ends_of_any_magnitude)
{
    enum { DEEP = 400 };
    TestRandom random = { 4 };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    int64_t    begins[DEEP], ends[DEEP], tick = INT64_MIN;
    feed_set_thread(&feed, 1, 2);
    for (unsigned i = 0; i < DEEP; i++) {
        begins[i] = tick;
        builder_begin(feed.builder, feed.thread, tick, LABEL_NONE, feed_next_pos(&feed), 0);
        tick += (int64_t)any_magnitude(&random, 53);
    }
    for (unsigned i = DEEP; i-- > 0;) {
        ends[i] = tick;
        builder_end(feed.builder, feed.thread, tick, LABEL_NONE, feed_next_pos(&feed), 0);
        tick += (int64_t)any_magnitude(&random, 53);
    }
    Trace *trace = feed_finish(&feed, 1);
    for (unsigned i = 0; i < DEEP; i++) {
        CHECK_INT(trace_slice_begin(trace, i), begins[i]);
        CHECK_INT(trace_slice_end(trace, i), ends[i]);
    }
    trace_release(trace);
}

typedef struct Mark {
    int64_t  tick;
    EventPos pos;
    uint32_t label, flags;
} Mark;

static void add_batch(EventFeed *feed, const Mark *marks, size_t count)
{
    MarkBatch batch = { .count = count, .base = marks[0].pos };
    for (size_t i = 0; i < count; i++) {
        batch.at[i] = (uint32_t)(marks[i].pos.offset - marks[0].pos.offset);
        batch.flags[i] = marks[i].flags;
        batch.label[i] = marks[i].label;
        batch.tick[i] = marks[i].tick;
    }
    builder_add_marks(feed->builder, feed->thread, &batch);
}

/* One call for many begins and ends has the same effect as single calls. */
TEST(marks_may_come_many_at_once)
{
    enum { COUNT = 5000 };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        TestRandom random = { seed };
        Mark       marks[COUNT];
        /* seeds 5 and 6: their numbers exceed 2^32 in the middle */
        const uint64_t first = seed < 5 ? 0 : (UINT64_C(1) << 32) - COUNT / 2;
        Bytes          texts[2] = { { NULL, 0, 0, false }, { NULL, 0, 0, false } };
        int64_t        tick = 0;
        for (unsigned i = 0; i < COUNT; i++) {
            tick += (int64_t)any_magnitude(&random, seed % 2 == 0 ? 10 : 40) - (seed % 3 == 0 ? 100 : 0);
            marks[i] = (Mark){ .tick = tick,
                               .pos = { 100 * (uint64_t)i, first + i },
                               .label = (uint32_t)test_random_below(&random, 3),
                               .flags = (uint32_t)test_random_below(&random, 2) * MARK_END };
            if (test_random_below(&random, 3) == 0) marks[i].flags |= EVENT_DETAILS;
            if (test_random_below(&random, 50) == 0) marks[i].flags |= EVENT_REPAIRED;
        }
        for (unsigned way = 0; way < 2; way++) {
            EventFeed feed = feed_create(seed % 4 < 2 ? MATCH_IN_FILE_ORDER : MATCH_BY_TIME_AND_NAME,
                                         UNFINISHED_TO_TRACE_END);
            feed_set_thread(&feed, 1, 2);
            CHECK_UINT(feed_label(&feed, "a", 1).index, 1);
            CHECK_UINT(feed_label(&feed, "b", 1).index, 2);
            for (unsigned i = 0; i < COUNT;) {
                unsigned most = COUNT - i < MARK_BATCH ? COUNT - i : MARK_BATCH;
                unsigned count = way == 0 ? 1 : 1 + (unsigned)test_random_below(&random, most);
                if (way == 1) {
                    add_batch(&feed, marks + i, count);
                } else if (marks[i].flags & MARK_END) {
                    builder_end(feed.builder, feed.thread, marks[i].tick, (LabelId){ marks[i].label },
                                marks[i].pos, marks[i].flags & ~(unsigned)MARK_END);
                } else {
                    builder_begin(feed.builder, feed.thread, marks[i].tick, (LabelId){ marks[i].label },
                                  marks[i].pos, marks[i].flags);
                }
                i += count;
            }
            Trace *trace = feed_finish(&feed, 1);
            trace_append(trace, &texts[way]);
            trace_release(trace);
        }
        CHECK(texts[0].size == texts[1].size && memcmp(texts[0].data, texts[1].data, texts[0].size) == 0);
        bytes_release(&texts[0]);
        bytes_release(&texts[1]);
    }
}

TEST_MAIN("builder_match", TEST_CASE(begins_and_ends_nest),
          TEST_CASE(a_named_end_closes_the_innermost_of_its_name),
          TEST_CASE(what_stands_above_a_closed_slice_gets_no_end),
          TEST_CASE(two_exchanged_ends_are_put_right),
          TEST_CASE(an_exchange_holds_only_while_the_stack_is_the_same), TEST_CASE(an_end_colours_its_slice),
          TEST_CASE(categories_matter_only_where_both_have_one),
          TEST_CASE(one_constant_name_of_all_ends_is_no_name),
          TEST_CASE(a_constant_name_is_judged_thread_by_thread),
          TEST_CASE(ends_without_begins_are_counted_and_ignored), TEST_CASE(times_are_sorted_first),
          TEST_CASE(long_unsorted_threads_are_sorted_too),
          TEST_CASE(the_unfinished_last_to_the_end_of_the_trace_or_thread),
          TEST_CASE(file_order_rules_where_it_should), TEST_CASE(time_travel_is_moved_up_and_reported),
          TEST_CASE(what_the_reader_repaired_says_so), TEST_CASE(sources_follow_their_slices),
          TEST_CASE(an_end_s_source_goes_to_one_slice), TEST_CASE(sources_of_many_slices_on_several_threads),
          TEST_CASE(durations_beyond_32_bits), TEST_CASE(events_numbered_beyond_32_bits),
          TEST_CASE(ends_of_deep_stacks), TEST_CASE(events_of_any_magnitude),
          TEST_CASE(begins_and_ends_of_any_magnitude), TEST_CASE(marks_may_come_many_at_once))
