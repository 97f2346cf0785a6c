/* Rows of slices: src/trace/make/nest.c. */
#include "support/test.h"
#include "trace/make/finish.h"
#include "trace_support.h"

TEST(completes_nest_whatever_their_order_in_the_file)
{
    CHECK_EVENTS("X30..31:c X20..35:b X32..34:d X10..40:a",
                 "0.0: a 10..40; 0.1: b 20..35; 0.2: c 30..31, d 32..34");
    CHECK_EVENTS("X10..30:parent X10..15:child", "0.0: parent 10..30; 0.1: child 10..15");
    CHECK_EVENTS("X10..15:child X10..30:parent", "0.0: parent 10..30; 0.1: child 10..15");
    CHECK_EVENTS("X10..30:a X10..30:b", "0.0: a 10..30; 0.1: b 10..30");
    CHECK_EVENTS("X10..30:parent X25..30:child", "0.0: parent 10..30; 0.1: child 25..30");
    CHECK_EVENTS("X10..20:a X20..30:b", "0.0: a 10..20, b 20..30");
}

TEST(begins_ends_and_completes_are_one_tree)
{
    CHECK_EVENTS("B10:p X12..16:x B13:q E15 E20", "0.0: p 10..20; 0.1: x 12..16; 0.2: q 13..15");
    CHECK_EVENTS("X10..20:x B10:p E15", "0.0: x 10..20; 0.1: p 10..15");
    CHECK_EVENTS("B10:p E15 X10..20:x", "0.0: x 10..20; 0.1: p 10..15");
    CHECK_EVENTS("B10:p E20 X10..20:x", "0.0: p 10..20; 0.1: x 10..20");
    CHECK_EVENTS("X10..20:x B10:p E20", "0.0: x 10..20; 0.1: p 10..20");
    CHECK_EVENTS("B10:p X15..25:x E20", "0.0: p 10..20; 1.0: x 15..25");
}

TEST(file_order_decides_ties_of_begins_and_ends)
{
    /* be_same_ts */
    CHECK_EVENTS("B10:p B10:q E10 B10:r E12 E12", "0.0: p 10..12; 0.1: q 10..10, r 10..12");
    CHECK_EVENTS("B10:p E10 B10:q E10", "0.0: p 10..10, q 10..10");
    CHECK_EVENTS("B10:p B10:q E10 E10", "0.0: p 10..10; 0.1: q 10..10");
    CHECK_EVENTS("B10:p B10:q E10 B10:r B10:s E10 E10 E10",
                 "0.0: p 10..10; 0.1: q 10..10, r 10..10; 0.2: s 10..10");
    CHECK_EVENTS("B10:p E20 B20:q E30", "0.0: p 10..20, q 20..30");
    CHECK_EVENTS("B10:p B20:q E20 E20", "0.0: p 10..20; 0.1: q 20..20");
    CHECK_EVENTS("B10:p E20 B20:q E20", "0.0: p 10..20, q 20..20");
    CHECK_EVENTS("B10:a E10 B10:p B10:q E15 E20", "0.0: a 10..10, p 10..20; 0.1: q 10..15");
    /* A complete between them is placed by its length. */
    CHECK_EVENTS("B10:p B10:q E10 B10:r E12 E12 X10..11:x X10..30:y",
                 "0.0: y 10..30; 0.1: p 10..12; 0.2: q 10..10, r 10..12; 0.3: x 10..11");
}

TEST(no_length_nests_where_it_begins)
{
    /* x_zero */
    CHECK_EVENTS("X10..10:z1 X10..10:z2 X10..15:p X15..15:z3 X12..12:z4",
                 "0.0: p 10..15, z3 15..15; 0.1: z1 10..10, z4 12..12; 0.2: z2 10..10");
    CHECK_EVENTS("X5..5:a X5..5:b X5..6:c X7..7:d", "0.0: c 5..6, d 7..7; 0.1: a 5..5; 0.2: b 5..5");
}

TEST(the_walk_back_refuses_more_slices_than_indices)
{
    TraceBuilder *builder = builder_create("test", 0);
    EventLog      completes = { .count = (uint64_t)MOST_INTERVALS + 1 };
    ThreadLog     thread = { .completes = &completes };
    Workspace     ws = { .builder = builder };
    TrackWork     work = { .thread = &thread };
    CHECK(builder != NULL);
    CHECK(!nest_track_back(&ws, &work));
    CHECK(!ws.failed && work.intervals == NULL); /* pair.c reports them */
    workspace_release(&ws);
    builder_destroy(builder);
}

TEST(overlaps_get_lanes_of_their_own)
{
    Trace *trace = trace_of_events("X10..20:a X15..25:b X18..19:c X24..30:d X24..26:e");
    CHECK_ROWS(trace, 1, "0.0: a 10..20, d 24..30; 0.1: c 18..19, e 24..26; 1.0: b 15..25");
    CHECK_WARNINGS(trace, "overlapping-slices 1 @100#1");
    CHECK_UINT(track_lane_count(trace, &trace->tracks[1]), 2);
    trace_release(trace);
    /* First fit: the first free lane, and slices nest there too. */
    trace = trace_of_events("X0..10:a X1..20:b X2..15:c X3..25:d X21..30:e X22..31:f");
    CHECK_ROWS(trace, 1, "0.0: a 0..10, e 21..30; 1.0: b 1..20, f 22..31; 1.1: c 2..15; 2.0: d 3..25");
    CHECK_WARNINGS(trace, "overlapping-slices 4 @100#1");
    trace_release(trace);
}

TEST(hundreds_of_lanes)
{
    enum { COUNT = 300, ROUNDS = 3, SEARCHED = 64 };
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId label = feed_label(&feed, "s", 1);
    for (int64_t round = 0; round < ROUNDS; round++) {
        for (int64_t i = 0; i < COUNT; i++) { /* steps: each overlaps all others of its round */
            int64_t tick = round * 10000 + i;
            builder_complete(feed.builder, feed.thread, tick, tick + 5000, label, feed_next_pos(&feed), 0);
        }
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(track_lane_count(trace, &trace->tracks[1]), COUNT);
    CHECK_UINT(trace->row_count, COUNT);
    for (uint32_t r = 0; r < COUNT; r++) {
        CHECK_UINT(trace->rows[r].slice_count, ROUNDS);
        CHECK_UINT(trace->rows[r].depth, 0);
        CHECK_UINT(trace->rows[r].lane, r);
    }
    CHECK_WARNINGS(trace, "overlapping-slices 897 @100#1");
    trace_release(trace);
}

/* Slices on lanes beyond the searched ones do not nest; a free lane is reused. */
TEST(far_lanes_are_used_again)
{
    TestRandom random = { 7 };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId label = feed_label(&feed, "s", 1);
    enum { COUNT = 20000 };
    int64_t most_open = 200, tick = 0;
    for (int64_t i = 0; i < COUNT; i++) { /* about 200 at a time, of any length */
        tick += (int64_t)test_random_below(&random, 3);
        int64_t length = (int64_t)test_random_below(&random, (uint64_t)(2 * most_open));
        builder_complete(feed.builder, feed.thread, tick, tick + length, label, feed_next_pos(&feed), 0);
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->slices.count, COUNT);
    CHECK(track_lane_count(trace, &trace->tracks[1]) > 64 &&
          track_lane_count(trace, &trace->tracks[1]) < 500);
    trace_release(trace);
}

TEST(three_thousand_deep)
{
    enum { DEEP = 3000 };
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId label = feed_label(&feed, "s", 1);
    for (int64_t i = 0; i < DEEP; i++)
        builder_begin(feed.builder, feed.thread, i, label, feed_next_pos(&feed), 0);
    builder_instant(feed.builder, feed.thread, DEEP, label, INSTANT_THREAD, feed_next_pos(&feed), 0);
    for (int64_t i = DEEP; i > 0; i--)
        builder_end(feed.builder, feed.thread, 2 * DEEP - i + 1, LABEL_NONE, feed_next_pos(&feed), 0);
    feed_set_thread(&feed, 1, 3); /* the same with completes, innermost first */
    for (int64_t i = DEEP; i-- > 0;)
        builder_complete(feed.builder, feed.thread, i, 2 * DEEP - i, label, feed_next_pos(&feed), 0);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->counts.max_depth, DEEP);
    CHECK_UINT(trace->row_count, 2 * DEEP + 1);
    for (uint32_t r = 0; r < DEEP; r++) {
        CHECK_UINT(trace->rows[r].depth, r);
        CHECK_INT(trace_slice_begin(trace, trace->rows[r].first_slice), r);
        CHECK_INT(trace_slice_end(trace, trace->rows[r].first_slice), 2 * DEEP - r);
    }
    CHECK_UINT(row_extras(&trace->rows[DEEP])->instant_count, 1);
    CHECK_UINT(trace->rows[DEEP].slice_count, 0);
    trace_release(trace);
}

TEST(instants_stand_inside_what_is_open)
{
    CHECK_EVENTS("i5:a B10:p i10:b B12:q i13:c E14 i14:d E20 i20:e",
                 "0.0: a@5, p 10..20, e@20; 0.1: b@10, q 12..14, d@14; 0.2: c@13");
    CHECK_EVENTS("i10:z X10..20:p i10:y", "0.0: p 10..20; 0.1: z@10, y@10");
    CHECK_EVENTS("i3:b i1:a i2:c i1:d", "0.0: a@1, d@1, c@2, b@3");
    CHECK_EVENTS("i5:a X5..5:z", "0.0: z 5..5, a@5");
    /* Overlapping slices do not contain them. */
    CHECK_EVENTS("X10..20:a X15..30:b i25:m", "0.0: a 10..20, m@25; 1.0: b 15..30");
}

TEST(relations_of_slices)
{
    Trace *trace = trace_of_events("B0:a B10:b B12:c E14 B15:d E18 E20 B30:e E40 E50 X60..70:f");
    CHECK_ROWS(trace, 1, "0.0: a 0..50, f 60..70; 0.1: b 10..20, e 30..40; 0.2: c 12..14, d 15..18");
    uint64_t parent, first;
    CHECK(!trace_slice_parent(trace, 0, 0, &parent));
    CHECK(trace_slice_parent(trace, 1, 3, &parent) && parent == 0);
    CHECK(trace_slice_parent(trace, 2, 5, &parent) && parent == 2);
    CHECK_UINT(trace_slice_children(trace, 0, 0, &first), 2);
    CHECK_UINT(first, 2);
    CHECK_UINT(trace_slice_children(trace, 0, 1, &first), 0);
    CHECK_UINT(trace_slice_children(trace, 1, 2, &first), 2);
    CHECK_UINT(first, 4);
    CHECK_UINT(trace_slice_children(trace, 1, 3, &first), 0);
    CHECK_UINT(trace_slice_children(trace, 2, 5, &first), 0);
    for (uint32_t from = 0; from < 4; from++) { /* right and wrong ones */
        uint32_t at = from;
        CHECK_UINT(trace_slice_children_from(trace, 0, 0, &at, &first), 2);
        CHECK_UINT(first, 2);
        CHECK_UINT(at, 2);
        at = from;
        CHECK_UINT(trace_slice_children_from(trace, 1, 2, &at, &first), 2);
        CHECK_UINT(first, 4);
        CHECK_UINT(trace_slice_self_from(trace, 1, 3, &at), 10);
    }
    CHECK_UINT(trace_slice_self(trace, 0, 0), 30);
    CHECK_UINT(trace_slice_self(trace, 1, 2), 5);
    CHECK_UINT(trace_slice_self(trace, 0, 1), 10);
    for (uint64_t slice = 0; slice < 6; slice++)
        CHECK_UINT(trace_slice_row(trace, slice), slice / 2);
    CHECK_UINT(trace_find_row(trace, 1, 0, 2), 2);
    CHECK_UINT(trace_find_row(trace, 1, 0, 3), UINT32_MAX);
    CHECK_UINT(trace_find_row(trace, 1, 1, 0), UINT32_MAX);
    const Row *row = &trace->rows[1];
    CHECK_UINT(row_lower_bound(trace, row, 10), 0);
    CHECK_UINT(row_lower_bound(trace, row, 11), 1);
    CHECK_UINT(row_lower_bound(trace, row, 31), 2);
    CHECK_UINT(row_slice_at(trace, row, 9), UINT32_MAX);
    CHECK_UINT(row_slice_at(trace, row, 10), 0);
    CHECK_UINT(row_slice_at(trace, row, 19), 0);
    CHECK_UINT(row_slice_at(trace, row, 20), UINT32_MAX);
    CHECK_UINT(row_slice_at(trace, row, INT64_MAX), UINT32_MAX);
    trace_release(trace);
}

TEST(a_trace_without_events)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    Trace    *trace = feed_finish(&feed, 1);
    CHECK(!trace->has_time && trace->begin_tick == 0 && trace->end_tick == 0);
    CHECK_UINT(trace->track_count, 0);
    CHECK_UINT(trace->row_count, 0);
    trace_release(trace);
    CHECK_EVENTS("E5", "");
}

/* On the fast path (begins, ends and instants only) and on the slow one, which a complete selects. */
TEST(instants_stand_the_same_both_ways)
{
    CHECK_EVENTS("i5:a B10:p i10:b i15:c B20:q i20:d E30 i30:e E40 i40:f",
                 "0.0: a@5, p 10..40, f@40; 0.1: b@10, c@15, q 20..30, e@30; 0.2: d@20");
    CHECK_EVENTS("i5:a B10:p i10:b i15:c B20:q i20:d E30 i30:e E40 i40:f X90..91:x",
                 "0.0: a@5, p 10..40, f@40, x 90..91; 0.1: b@10, c@15, q 20..30, e@30; 0.2: d@20");
    CHECK_EVENTS("B10:p B10:q E10 i10:a E10 i10:b", "0.0: p 10..10, a@10, b@10; 0.1: q 10..10");
    CHECK_EVENTS("i30:c i10:a B10:p i20:b", "0.0: p 10..30 u; 0.1: a@10, b@20, c@30");
    CHECK_EVENTS("i30:c i10:a B10:p i20:b X1..2:x", "0.0: x 1..2, p 10..30 u; 0.1: a@10, b@20, c@30");
    CHECK_EVENTS("i2:b i1:a", "0.0: a@1, b@2");
}

/* A slice that has not ended goes on after the last event: the events at that time are inside it. */
TEST(the_last_event_is_inside_unfinished_slices)
{
    CHECK_EVENTS("B3:p i5:a", "0.0: p 3..5 u; 0.1: a@5");
    CHECK_EVENTS("B3:p i5:a E5", "0.0: p 3..5, a@5");
    CHECK_EVENTS("B3:p X5..5:x i5:a", "0.0: p 3..5 u; 0.1: x 5..5, a@5");
    CHECK_EVENTS("X3..5:p X5..5:x i5:a", "0.0: p 3..5, x 5..5, a@5");
    CHECK_EVENTS("X3..?:p i5:a", "0.0: p 3..5 u; 0.1: a@5");
    CHECK_EVENTS("B3:p B4:q E5 i5:a", "0.0: p 3..5 u; 0.1: q 4..5, a@5");
}

/* Logs of several chunks, interleaved in memory. */
TEST(logs_of_many_chunks)
{
    enum { CALLS = 120000, THREADS = 3 };
    EventFeed feed = feed_create(MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    for (int64_t i = 0; i < CALLS; i++) {
        for (int64_t thread = 1; thread <= THREADS; thread++) {
            unsigned flags = thread == 2 ? EVENT_DETAILS : thread == 3 && i % 3 == 0 ? EVENT_DETAILS : 0;
            feed_set_thread(&feed, 1, thread);
            builder_begin(feed.builder, feed.thread, 10 * i, feed_label(&feed, "call", 4),
                          feed_next_pos(&feed), flags);
            if (i + 1 < CALLS || thread != 1)
                builder_end(feed.builder, feed.thread, 10 * i + 5, LABEL_NONE, feed_next_pos(&feed), 0);
        }
    }
    Trace *trace = feed_finish(&feed, 2);
    CHECK_UINT(trace->slices.count, CALLS * THREADS);
    CHECK_WARNINGS(trace, "unfinished-slice 1 @71999400#719994");
    for (uint32_t track = 1; track <= THREADS; track++) {
        for (uint64_t i = 0; i < CALLS; i++) {
            uint64_t slice = track_first_slice(trace, &trace->tracks[track]) + i, offset = 0;
            CHECK_INT(trace_slice_begin(trace, slice), (int64_t)(10 * i));
            CHECK_UINT(trace->slices.duration[slice], 5);
            bool has = track == 2 || (track == 3 && i % 3 == 0);
            CHECK(trace_slice_source(trace, slice, &offset) == has);
            uint64_t number = 6 * i + 2 * (track - 1) - (i + 1 == CALLS && track > 1 ? 1 : 0);
            if (has) CHECK_UINT(offset, 100 * number);
        }
    }
    trace_release(trace);
}

TEST_MAIN("builder_nest", TEST_CASE(completes_nest_whatever_their_order_in_the_file),
          TEST_CASE(begins_ends_and_completes_are_one_tree),
          TEST_CASE(file_order_decides_ties_of_begins_and_ends), TEST_CASE(no_length_nests_where_it_begins),
          TEST_CASE(the_walk_back_refuses_more_slices_than_indices),
          TEST_CASE(overlaps_get_lanes_of_their_own), TEST_CASE(hundreds_of_lanes),
          TEST_CASE(far_lanes_are_used_again), TEST_CASE(three_thousand_deep),
          TEST_CASE(instants_stand_inside_what_is_open), TEST_CASE(instants_stand_the_same_both_ways),
          TEST_CASE(the_last_event_is_inside_unfinished_slices), TEST_CASE(logs_of_many_chunks),
          TEST_CASE(relations_of_slices), TEST_CASE(a_trace_without_events))
