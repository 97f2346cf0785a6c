/* Flows: the events that make arrows, the slices to which these are bound, and finding them. */
#include "trace/store/flows.h"

#include "support/test.h"
#include "trace/wire/tile_encode.h"
#include "trace_support.h"

#include <stdlib.h>
#include <string.h>

static StringId text(EventFeed *feed, const char *name)
{
    return builder_string(feed->builder, name, strlen(name));
}

static FlowId flow(EventFeed *feed, const char *key)
{
    return builder_flow(feed->builder, PROCESS_NONE, text(feed, key), STRING_NONE);
}

static void put(EventFeed *feed, FlowId id, FlowRole role, FlowBinding binding, int64_t tick)
{
    builder_flow_event(feed->builder, id, role, binding,
                       &(EventHead){ .thread = feed->thread,
                                     .tick = tick,
                                     .label = feed_label(feed, "l", 1),
                                     .pos = feed_next_pos(feed) });
}

static EventFeed start(const char *events)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, events);
    return feed;
}

/* Checks one arrow from `a` 0..1 of thread 9 to the slice that `binding` finds at `tick` on thread 2. */
static void check_bound(const char *events, FlowBinding binding, int64_t tick, const char *expected)
{
    EventFeed feed = start(events);
    feed_events(&feed, "@1/9 X0..1:a");
    FlowId id = flow(&feed, "k");
    put(&feed, id, FLOW_START, FLOW_BIND_ENCLOSING, 0);
    feed_set_thread(&feed, 1, 2);
    put(&feed, id, FLOW_FINISH, binding, tick);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, expected);
    trace_release(trace);
}

TEST(enclosing_is_the_innermost_with_its_ends)
{
    const char *nested = "X10..90:p X20..40:q X25..30:r X50..60:s";
    check_bound(nested, FLOW_BIND_ENCLOSING, 27, "a@0 > r@27 l");
    check_bound(nested, FLOW_BIND_ENCLOSING, 22, "a@0 > q@22 l");
    check_bound(nested, FLOW_BIND_ENCLOSING, 10, "a@0 > p@10 l");
    check_bound(nested, FLOW_BIND_ENCLOSING, 30, "a@0 > r@30 l"); /* ends count ... */
    check_bound(nested, FLOW_BIND_ENCLOSING, 90, "a@0 > p@90 l");
    check_bound(nested, FLOW_BIND_ENCLOSING, 45, "a@0 > p@45 l");
    check_bound("X10..20:p X20..30:q", FLOW_BIND_ENCLOSING, 20, "a@0 > q@20 l"); /* ... less than begins */
    check_bound("X5..50:o X10..20:p X12..20:i X20..30:q", FLOW_BIND_ENCLOSING, 20, "a@0 > q@20 l");
    check_bound("X5..50:o X10..20:p X12..20:i", FLOW_BIND_ENCLOSING, 20, "a@0 > i@20 l");
    check_bound("X10..20:p X20..30:q X20..25:r", FLOW_BIND_ENCLOSING, 20, "a@0 > r@20 l");
    check_bound("X10..20:p X15..15:z", FLOW_BIND_ENCLOSING, 15, "a@0 > z@15 l");
    check_bound("X10..30:p X20..40:q", FLOW_BIND_ENCLOSING, 25, "a@0 > q@25 l"); /* lanes: begun later */
    check_bound("X10..30:p", FLOW_BIND_ENCLOSING, 31, "");
    check_bound("B10:p", FLOW_BIND_ENCLOSING, 40, "a@0 > p@40 l");
}

TEST(next_begins_at_or_after)
{
    check_bound("X20..25:p X40..45:q", FLOW_BIND_NEXT, 22, "a@0 > q@40 l");
    check_bound("X20..25:p X40..45:q", FLOW_BIND_NEXT, 20, "a@0 > p@20 l");
    check_bound("X20..60:p X40..45:q X70..80:r", FLOW_BIND_NEXT, 22,
                "a@0 > q@40 l"); /* inside an open slice */
    check_bound("X20..60:p X40..45:q X70..80:r", FLOW_BIND_NEXT, 46, "a@0 > r@70 l");
    check_bound("X20..90:p X30..60:q X31..32:r X62..63:s X95..99:t", FLOW_BIND_NEXT, 40, "a@0 > s@62 l");
    check_bound("X20..60:p X20..40:q", FLOW_BIND_NEXT, 15, "a@0 > p@20 l");           /* the outermost */
    check_bound("X10..30:p X20..40:q X25..26:r", FLOW_BIND_NEXT, 22, "a@0 > r@25 l"); /* on any lane */
    check_bound("X20..25:p", FLOW_BIND_NEXT, 21, "");
}

typedef struct FlowEvent {
    FlowRole role;
    int64_t  tick;
} FlowEvent;

static void check_matched(const FlowEvent *events, size_t count, const char *flows, const char *warnings)
{
    EventFeed feed = start("X0..1000:a");
    FlowId    id = flow(&feed, "k");
    for (size_t i = 0; i < count; i++)
        put(&feed, id, events[i].role, FLOW_BIND_ENCLOSING, events[i].tick);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, flows);
    CHECK_WARNINGS(trace, warnings);
    trace_release(trace);
}

#define CHECK_MATCHED(flows, warnings, ...)                                                                  \
    check_matched((const FlowEvent[]){ __VA_ARGS__ },                                                        \
                  sizeof(const FlowEvent[]){ __VA_ARGS__ } / sizeof(FlowEvent), flows, warnings)

TEST(events_of_an_id_join_in_order_of_time)
{
    const FlowRole S = FLOW_START, T = FLOW_STEP, F = FLOW_FINISH;
    CHECK_MATCHED("a@1 > a@2 l", "", { S, 1 }, { F, 2 });
    CHECK_MATCHED("a@1 > a@2 l", "", { F, 2 }, { S, 1 }); /* whatever the order in the file */
    CHECK_MATCHED("a@1 > a@2 l, a@2 > a@3 l, a@3 > a@4 l", "", { S, 1 }, { T, 2 }, { T, 3 }, { F, 4 });
    CHECK_MATCHED("a@1 > a@2 l, a@1 > a@3 l", "", { S, 1 }, { F, 2 }, { F, 3 }); /* fan-out */
    /* the id is reused */
    CHECK_MATCHED("a@1 > a@2 l, a@5 > a@6 l", "", { S, 1 }, { F, 2 }, { S, 5 }, { F, 6 });
    CHECK_MATCHED("a@9 > a@2 l backwards", "", { F, 2 }, { S, 9 });
    CHECK_MATCHED("a@9 > a@9 l", "", { F, 9 }, { S, 9 });
    CHECK_MATCHED("a@5 > a@6 l", "unmatched-flow 1 @100#1", { F, 2 }, { S, 5 }, { F, 6 });
    CHECK_MATCHED("", "unmatched-flow 1 @100#1", { S, 1 });
    CHECK_MATCHED("", "unmatched-flow 2 @100#1", { F, 4 }, { T, 3 });
    CHECK_MATCHED("a@1 > a@3 l", "flow-begun-twice 1 @200#2", { S, 1 }, { S, 2 }, { F, 3 });
}

TEST(ids_differ_by_process_and_agree_by_number)
{
    EventFeed feed = start("X0..100:a");
    ProcessId one = builder_process(feed.builder, ident_int(1)),
              two = builder_process(feed.builder, ident_int(2));
    StringId key = text(&feed, "k"), hex = text(&feed, "0x10"), decimal = text(&feed, "16"),
             number = text(&feed, "#16");
    put(&feed, builder_flow(feed.builder, one, key, STRING_NONE), FLOW_START, FLOW_BIND_ENCLOSING, 1);
    put(&feed, builder_flow(feed.builder, two, key, STRING_NONE), FLOW_FINISH, FLOW_BIND_ENCLOSING, 2);
    put(&feed, builder_flow(feed.builder, PROCESS_NONE, hex, number), FLOW_START, FLOW_BIND_ENCLOSING, 3);
    put(&feed, builder_flow(feed.builder, PROCESS_NONE, decimal, number), FLOW_FINISH, FLOW_BIND_ENCLOSING,
        4);
    put(&feed, builder_flow(feed.builder, one, decimal, number), FLOW_FINISH, FLOW_BIND_ENCLOSING, 5);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, "a@3 > a@4 l");
    CHECK_WARNINGS(trace, "unmatched-flow 3 @100#1");
    trace_release(trace);
}

TEST(an_alias_is_only_for_those_that_stay_alone)
{
    EventFeed feed = start("X0..100:a");
    StringId  number = text(&feed, "#16");
    FlowId    hex = builder_flow(feed.builder, PROCESS_NONE, text(&feed, "0x10"), number),
           decimal = builder_flow(feed.builder, PROCESS_NONE, text(&feed, "16"), number);
    put(&feed, hex, FLOW_START, FLOW_BIND_ENCLOSING, 1);
    put(&feed, decimal, FLOW_START, FLOW_BIND_ENCLOSING, 2);
    put(&feed, hex, FLOW_FINISH, FLOW_BIND_ENCLOSING, 3);
    put(&feed, decimal, FLOW_FINISH, FLOW_BIND_ENCLOSING, 4);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, "a@1 > a@3 l, a@2 > a@4 l");
    trace_release(trace);
}

/* Adds a slice that is itself a flow event: begun, given its role, ended. */
static void put_slice(EventFeed *feed, FlowId id, FlowRole role, int64_t begin, int64_t end, const char *name)
{
    EventPos pos = feed_next_pos(feed);
    LabelId  label = feed_label(feed, name, strlen(name));
    builder_complete(feed->builder, feed->thread, begin, end, label, pos, EVENT_DETAILS);
    builder_flow_event(feed->builder, id, role, FLOW_BIND_SLICE,
                       &(EventHead){ .thread = feed->thread, .tick = begin, .pos = pos });
}

TEST(slices_join_from_end_to_begin)
{
    EventFeed feed = start("@1/2");
    FlowId    id = flow(&feed, "k");
    put_slice(&feed, id, FLOW_START, 10, 50, "p");
    put_slice(&feed, id, FLOW_STEP, 60, 70, "q"); /* its own slice, although another one ... */
    feed_events(&feed, "+d X60..70:q X60..65:q -");
    feed_set_thread(&feed, 2, 1);
    put_slice(&feed, id, FLOW_FINISH, 65, 90, "r");
    put_slice(&feed, id, FLOW_FINISH, 95, 96, "s");
    Trace *trace = feed_finish(&feed, 2);
    CHECK_FLOWS(trace, "p@50 > q@60, q@70 > r@65 backwards, q@70 > s@95");
    uint64_t q = trace_flow_end(trace, 0, FLOW_TO).slice, offset;
    CHECK(trace_slice_source(trace, q, &offset) && offset == 100);
    trace_release(trace);
}

TEST(asynchronous_slices_join_too)
{
    EventFeed feed = start("X0..1:a");
    AsyncId   async_id = builder_async_id(feed.builder, PROCESS_NONE, "id", 2);
    uint16_t  kind = builder_event_kind(feed.builder, "b", 1);
    FlowId    id = flow(&feed, "k");
    LabelId   label = feed_label(&feed, "w", 1);
    EventPos  pos = feed_next_pos(&feed);
    put(&feed, id, FLOW_START, FLOW_BIND_ENCLOSING, 0);
    builder_async(feed.builder, ASYNC_BEGIN, kind, async_id,
                  &(EventHead){ .thread = feed.thread, .tick = 5, .label = label, .pos = pos },
                  EVENT_DETAILS);
    builder_flow_event(feed.builder, id, FLOW_FINISH, FLOW_BIND_SLICE,
                       &(EventHead){ .thread = feed.thread, .tick = 5, .pos = pos });
    builder_async(
        feed.builder, ASYNC_END, kind, async_id,
        &(EventHead){ .thread = feed.thread, .tick = 9, .label = label, .pos = feed_next_pos(&feed) }, 0);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, "a@0 > w@5 l");
    CHECK_INT(trace->tracks[trace_flow_end(trace, 0, FLOW_TO).track].kind, TRACK_ASYNC);
    trace_release(trace);
}

TEST(an_event_without_a_slice_is_reported)
{
    EventFeed feed = start("X0..10:a");
    FlowId    id = flow(&feed, "k"), other = flow(&feed, "m");
    put(&feed, id, FLOW_START, FLOW_BIND_ENCLOSING, 20);
    put(&feed, id, FLOW_FINISH, FLOW_BIND_ENCLOSING, 5 + 20);
    put(&feed, id, FLOW_FINISH, FLOW_BIND_ENCLOSING, 26);
    put(&feed, other, FLOW_START, FLOW_BIND_ENCLOSING, 5);
    put(&feed, other, FLOW_FINISH, FLOW_BIND_TRACK, 30);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, "a@5 > #1@30 l");
    CHECK_WARNINGS(trace, "flow-without-slice 3 @100#1");
    CHECK_INT(trace->end_tick, 30);
    trace_release(trace);
}

TEST(arrows_of_a_reader_fall_back_to_the_track)
{
    EventFeed feed = start("X0..10:a @1/3 X20..30:b @1/4");
    TrackId   two = builder_thread(feed.builder, builder_process(feed.builder, ident_int(1)), ident_int(2)),
            three = builder_thread(feed.builder, builder_process(feed.builder, ident_int(1)), ident_int(3));
    LabelId label = feed_label(&feed, "go", 2);
    builder_arrow(feed.builder, (FlowPoint){ two, FLOW_BIND_ENCLOSING, 5 },
                  (FlowPoint){ three, FLOW_BIND_NEXT, 6 }, label);
    builder_arrow(feed.builder, (FlowPoint){ two, FLOW_BIND_ENCLOSING, 15 },
                  (FlowPoint){ three, FLOW_BIND_TRACK, 25 }, label);
    builder_arrow(feed.builder, (FlowPoint){ feed.thread, FLOW_BIND_NEXT, 40 },
                  (FlowPoint){ two, FLOW_BIND_ENCLOSING, 2 }, LABEL_NONE);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace, "a@5 > b@20 go, #1@15 > #2@25 go, #3@40 > a@2 backwards");
    CHECK_INT(trace->end_tick, 40);
    trace_release(trace);
}

TEST(long_slices_and_distant_times_keep_their_ticks)
{
    EventFeed     feed = start("X0..9000000000000:a");
    const int64_t far = INT64_C(8999999999999);
    builder_arrow(feed.builder, (FlowPoint){ feed.thread, FLOW_BIND_ENCLOSING, far },
                  (FlowPoint){ feed.thread, FLOW_BIND_TRACK, far + 1 }, LABEL_NONE);
    builder_arrow(feed.builder, (FlowPoint){ feed.thread, FLOW_BIND_ENCLOSING, 4294967295 },
                  (FlowPoint){ feed.thread, FLOW_BIND_TRACK, 4294967294 }, LABEL_NONE);
    bool rounded;
    CHECK(builder_change_clock(feed.builder, clock_ticks(1, 1000), &rounded));
    Trace *trace = feed_finish(&feed, 1);
    CHECK_FLOWS(trace,
                "a@4294967295000 > #1@4294967294000 backwards, a@8999999999999000 > #1@9000000000000000");
    trace_release(trace);
}

/* ---- finding arrows, compared with a scan ---- */

static Trace *random_arrows(uint64_t seed, unsigned threads_used)
{
    TestRandom random = { seed };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TrackId    threads[4];
    for (int t = 0; t < 4; t++) {
        feed_set_thread(&feed, 1, t + 1);
        threads[t] = feed.thread;
        for (int64_t at = 0; at < 400;) {
            int64_t begin = at + (int64_t)test_random_below(&random, 5),
                    end = begin + (int64_t)test_random_below(&random, 20);
            LabelId label = feed_label(&feed, "x", 1);
            builder_complete(feed.builder, feed.thread, begin, end, label, feed_next_pos(&feed), 0);
            if (end - begin > 4)
                builder_complete(feed.builder, feed.thread, begin + 1, end - 2, label, feed_next_pos(&feed),
                                 0);
            at = end;
        }
    }
    for (int i = 0; i < 300; i++) {
        FlowPoint ends[2];
        for (int e = 0; e < 2; e++)
            ends[e] = (FlowPoint){ threads[test_random_below(&random, 4)],
                                   (FlowBinding[]){ FLOW_BIND_ENCLOSING, FLOW_BIND_NEXT,
                                                    FLOW_BIND_TRACK }[test_random_below(&random, 3)],
                                   (int64_t)test_random_below(&random, 400) };
        builder_arrow(feed.builder, ends[0], ends[1], LABEL_NONE);
    }
    return feed_finish(&feed, threads_used);
}

static uint64_t count_ends(const Trace *trace, FlowSide side, uint64_t slice, uint32_t row, uint32_t track,
                           int64_t begin, int64_t end)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        FlowEnd at = trace_flow_end(trace, i, side);
        if (at.tick < begin || at.tick >= end) continue;
        if (track != 0) {
            count += at.slice == FLOW_NO_SLICE && at.track == track;
        } else if (at.slice != FLOW_NO_SLICE) {
            count += slice != FLOW_NO_SLICE ? at.slice == slice
                                            : trace->tracks[at.track].first_row + at.row == row;
        }
    }
    return count;
}

TEST(what_is_found_is_what_there_is)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Trace *trace = random_arrows(seed, 1);
        CHECK_UINT(trace->flows.count, 300);
        for (int s = 0; s < 2; s++) {
            FlowSide side = s == 0 ? FLOW_FROM : FLOW_TO;
            for (uint64_t slice = 0; slice < trace->slices.count; slice++)
                CHECK_UINT(flows_of_slice(trace, slice, side).count,
                           count_ends(trace, side, slice, 0, 0, INT64_MIN, INT64_MAX));
            for (uint32_t row = 0; row < trace->row_count; row++)
                for (uint64_t begin = 0; begin < 400; begin += 37)
                    CHECK_UINT(flows_of_row(trace, row, side, begin, begin + 50).count,
                               count_ends(trace, side, FLOW_NO_SLICE, row, 0,
                                          (int64_t)begin + trace->begin_tick,
                                          (int64_t)begin + 50 + trace->begin_tick));
            for (uint32_t track = 1; track <= trace->track_count; track++)
                CHECK_UINT(flows_of_track(trace, track, side, 100, 200).count,
                           count_ends(trace, side, FLOW_NO_SLICE, 0, track, 100 + trace->begin_tick,
                                      200 + trace->begin_tick));
        }
        trace_release(trace);
    }
}

TEST(threads_make_no_difference)
{
    Trace *one = random_arrows(9, 1), *two = random_arrows(9, 2);
    Bytes  expected = { 0 };
    trace_append(one, &expected);
    bytes_append(&expected, "", 1);
    Bytes actual = { 0 };
    trace_append(two, &actual);
    test_check_text(&actual, (const char *)expected.data, __FILE__, __LINE__);
    bytes_release(&expected);
    trace_release(one);
    trace_release(two);
}

TEST(following_leads_to_the_earliest)
{
    EventFeed feed = start("X0..10:a X50..60:late X20..30:early");
    TrackId   t = feed.thread;
    builder_arrow(feed.builder, (FlowPoint){ t, FLOW_BIND_ENCLOSING, 1 },
                  (FlowPoint){ t, FLOW_BIND_ENCLOSING, 55 }, LABEL_NONE);
    builder_arrow(feed.builder, (FlowPoint){ t, FLOW_BIND_ENCLOSING, 2 },
                  (FlowPoint){ t, FLOW_BIND_ENCLOSING, 25 }, LABEL_NONE);
    builder_arrow(feed.builder, (FlowPoint){ t, FLOW_BIND_ENCLOSING, 3 },
                  (FlowPoint){ t, FLOW_BIND_TRACK, 15 }, LABEL_NONE);
    Trace   *trace = feed_finish(&feed, 1);
    uint64_t a = trace_flow_end(trace, 0, FLOW_FROM).slice, found;
    CHECK(flows_follow(trace, a, FLOW_TO, &found));
    CHECK_INT(trace_slice_begin(trace, found), 20);
    CHECK(flows_follow(trace, found, FLOW_FROM, &found) && found == a);
    CHECK(!flows_follow(trace, a, FLOW_FROM, &found));
    trace_release(trace);
}

static uint64_t slice_at(const Trace *trace, uint32_t track, int64_t tick)
{
    uint64_t slice = track_first_slice(trace, &trace->tracks[track]);
    while (trace_slice_begin(trace, slice) != tick)
        slice++;
    return slice;
}

static uint64_t slice_named(const Trace *trace, const char *name)
{
    for (uint64_t i = 0; i < trace->slices.count; i++)
        if (strcmp(trace_label_name(trace, trace_slice_label(trace, i)).bytes, name) == 0) return i;
    fail_msg("no slice %s", name);
    return 0;
}

/* Makes a step from the slice; returns its target, "" = none. */
static const char *step(const Trace *trace, const Filter *filter, const char *from, FlowSide towards,
                        FlowWalk *walk)
{
    uint64_t found;
    if (!flows_step(trace, filter, slice_named(trace, from), towards, walk, &found)) return "";
    return trace_label_name(trace, trace_slice_label(trace, found)).bytes;
}

/* a leads to x, y and z (first added: y), b also to y, and y further to w. */
static Trace *fan(void)
{
    EventFeed            feed = start("X0..9:a X12..18:b X20..30:x X40..50:y X60..70:z X80..90:w");
    TraceBuilder        *builder = feed.builder;
    static const int64_t ARROWS[][2] = { { 1, 65 }, { 2, 45 }, { 3, 25 }, { 15, 44 }, { 48, 85 }, { 4, 46 } };
    for (size_t i = 0; i < sizeof ARROWS / sizeof ARROWS[0]; i++)
        builder_arrow(builder, (FlowPoint){ feed.thread, FLOW_BIND_ENCLOSING, ARROWS[i][0] },
                      (FlowPoint){ feed.thread, FLOW_BIND_ENCLOSING, ARROWS[i][1] }, LABEL_NONE);
    return feed_finish(&feed, 1);
}

TEST(each_of_several_arrows_has_its_turn)
{
    Trace   *trace = fan();
    FlowWalk walk = { 0 };
    CHECK_STRING(step(trace, NULL, "a", FLOW_TO, &walk), "x");
    CHECK_STRING(step(trace, NULL, "x", FLOW_FROM, &walk), "a");
    CHECK_STRING(step(trace, NULL, "a", FLOW_TO, &walk), "y");
    CHECK_STRING(step(trace, NULL, "y", FLOW_FROM, &walk), "a"); /* back, although b also leads there */
    CHECK_STRING(step(trace, NULL, "a", FLOW_TO, &walk), "z");
    CHECK_STRING(step(trace, NULL, "z", FLOW_TO, &walk), "x"); /* no further arrow: the first again */
    CHECK_STRING(step(trace, NULL, "x", FLOW_TO, &walk), "y");
    CHECK_STRING(step(trace, NULL, "y", FLOW_TO, &walk), "w"); /* a further arrow: on */
    CHECK_STRING(step(trace, NULL, "w", FLOW_TO, &walk), "");
    CHECK_STRING(step(trace, NULL, "w", FLOW_FROM, &walk), "y");
    FlowWalk against = { 0 };
    CHECK_STRING(step(trace, NULL, "y", FLOW_FROM, &against), "a");
    CHECK_STRING(step(trace, NULL, "a", FLOW_TO, &against), "y");
    CHECK_STRING(step(trace, NULL, "y", FLOW_FROM, &against), "b");
    CHECK_STRING(step(trace, NULL, "b", FLOW_FROM, &against), "a"); /* no arrow leads to b */
    FlowWalk only = { 0 }; /* z has one arrow: back at a, each arrow of a is used in rotation */
    CHECK_STRING(step(trace, NULL, "z", FLOW_FROM, &only), "a");
    CHECK_STRING(step(trace, NULL, "a", FLOW_TO, &only), "z");
    CHECK_STRING(step(trace, NULL, "z", FLOW_FROM, &only), "a");
    CHECK_STRING(step(trace, NULL, "a", FLOW_TO, &only), "x");
    FlowWalk elsewhere = { .is_set = true, .towards = FLOW_TO, .hub = slice_named(trace, "w"), .last = 0 };
    CHECK_STRING(step(trace, NULL, "x", FLOW_TO, &elsewhere), ""); /* x has no arrows */
    trace_release(trace);
}

/* One thread wakes another, with the states: running, waiting, runnable, running, runnable, running; a gap; running. */
TEST(following_goes_by_states)
{
    EventFeed     feed = start("@1/2 X12..45:region X60..70:later");
    TraceBuilder *builder = feed.builder;
    TrackId       states = builder_states(builder, feed.thread), waker;
    int64_t       times[] = { 0, 10, 20, 30, 40, 50, 55, 60, 80 };
    for (int i = 0; i < 8; i++) {
        if (i == 6) continue;
        builder_complete(builder, states, times[i], times[i + 1],
                         feed_label(&feed, i % 2 == 0 ? "a" : "b", 1), feed_next_pos(&feed), 0);
    }
    feed_events(&feed, "@1/3 X0..90:waker");
    waker = feed.thread;
    builder_arrow(builder, (FlowPoint){ waker, FLOW_BIND_ENCLOSING, 20 },
                  (FlowPoint){ states, FLOW_BIND_ENCLOSING, 20 }, LABEL_NONE);
    Trace   *trace = feed_finish(&feed, 1);
    uint64_t found;
    uint32_t above = 0;
    for (uint32_t t = 1; t <= trace->track_count; t++)
        if (trace->tracks[t].kind == TRACK_STATES) above = t;
    for (int i = 1; i < 6; i++) { /* from the wait on, all are caused by it */
        CHECK(flows_follow(trace, slice_at(trace, above, times[i]), FLOW_FROM, &found));
        CHECK_INT(trace_slice_end(trace, found), 90);
    }
    CHECK(!flows_follow(trace, slice_at(trace, above, 0), FLOW_FROM, &found));
    CHECK(!flows_follow(trace, slice_at(trace, above, 60), FLOW_FROM, &found)); /* after the gap */
    CHECK(!flows_follow(trace, slice_at(trace, above, 10), FLOW_TO, &found));
    CHECK(flows_follow(trace, slice_at(trace, above + 1, 12), FLOW_FROM, &found)); /* the region */
    CHECK_INT(trace_slice_end(trace, found), 90);
    CHECK(!flows_follow(trace, slice_at(trace, above + 1, 60), FLOW_FROM, &found));
    CHECK(flows_follow(trace, found, FLOW_TO, &found) && found == slice_at(trace, above, 20));
    trace_release(trace);
}

/* Every arrow once at each end, at any level: the counts of all tiles of a level add up. */
TEST(tiles_have_every_end)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        Trace   *trace = random_arrows(seed, 1);
        uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick;
        for (uint32_t level = 0; level < 4; level++) {
            uint64_t ends[2] = { 0, 0 };
            for (uint32_t track = 1; track <= trace->track_count; track++) {
                for (uint64_t index = 0; index <= span >> (level + TILE_BUCKET_BITS); index++) {
                    Bytes bytes = { 0 };
                    Tile  tile;
                    Err   err;
                    CHECK_DONE(tile_encode(trace, (TileKey){ track, TILE_FLOWS, level, index, 0 }, &bytes,
                                           NULL, &err),
                               err);
                    CHECK(tile_open(bytes.data, bytes.size, &tile));
                    for (uint32_t i = 0; i < tile.flow_count; i++) {
                        TileFlow flow = tile_flow(&tile, i);
                        bool     is_in = (flow.flags & TILE_FLOW_IN) != 0;
                        CHECK_UINT(is_in ? flow.to.track : flow.from.track, track);
                        ends[is_in] += flow.count;
                    }
                    for (size_t size = 0; size < bytes.size; size += 7)
                        CHECK(!tile_open(bytes.data, size, &tile));
                    bytes_release(&bytes);
                }
            }
            CHECK_UINT(ends[0], trace->flows.count);
            CHECK_UINT(ends[1], trace->flows.count);
        }
        trace_release(trace);
    }
}

/* Arrows over a long time, forwards and backwards, some only to tracks. */
static Trace *long_arrows(uint64_t seed)
{
    TestRandom    random = { seed };
    EventFeed     feed = start("X0..40000:a @1/3 X0..40000:b @1/4 X0..40000:c");
    TraceBuilder *builder = feed.builder;
    ProcessId     process = builder_process(builder, ident_int(1));
    for (int i = 0; i < 2500; i++) {
        TrackId from =
            builder_thread(builder, process, ident_int(2 + (int64_t)test_random_below(&random, 3)));
        TrackId to = builder_thread(builder, process, ident_int(2 + (int64_t)test_random_below(&random, 3)));
        int64_t begin = (int64_t)test_random_below(&random, 40000);
        int64_t reach =
            (int64_t)test_random_below(&random, i % 3 == 0 ? 30000 : 900) - (i % 5 == 0 ? 400 : 0);
        int64_t     end = begin + reach < 0 ? 0 : begin + reach > 40000 ? 40000 : begin + reach;
        FlowBinding binding = i % 7 == 0 ? FLOW_BIND_TRACK : FLOW_BIND_ENCLOSING;
        builder_arrow(builder, (FlowPoint){ from, binding, begin },
                      (FlowPoint){ to, FLOW_BIND_ENCLOSING, end }, LABEL_NONE);
    }
    return feed_finish(&feed, 1);
}

/* Returns the number of arrows that leave (or enter) a track and pass over [begin, end). */
static uint64_t count_over(const Trace *trace, uint32_t track, FlowSide side, int64_t begin, int64_t end)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < trace->flows.count; i++) {
        int64_t from = trace_flow_tick(trace, i, FLOW_FROM), to = trace_flow_tick(trace, i, FLOW_TO);
        if (trace_flow_end(trace, i, side).track != track) continue;
        count += (from < begin && to >= end) || (to < begin && from >= end);
    }
    return count;
}

TEST(tiles_have_flows_that_pass_over_them)
{
    uint64_t thinned = 0, listed = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Trace *trace = long_arrows(seed);
        Err    err;
        CHECK_DONE(trace_check(trace, &err), err);
        for (uint32_t level = 0; level < 4; level += 3)
            for (uint32_t track = 1; track <= trace->track_count; track++)
                for (uint64_t index = 0; index <= UINT64_C(40000) >> (level + TILE_BUCKET_BITS); index++) {
                    TileKey  key = { track, TILE_FLOWS, level, index, 0 };
                    Bytes    bytes = { 0 };
                    Tile     tile;
                    uint64_t over[2] = { 0, 0 };
                    CHECK_DONE(tile_encode(trace, key, &bytes, NULL, &err), err);
                    CHECK(tile_open(bytes.data, bytes.size, &tile));
                    int64_t begin = (int64_t)tile_window_begin(key), end = (int64_t)tile_window_end(key);
                    for (uint32_t i = 0; i < tile.flow_count; i++) {
                        TileFlow flow = tile_flow(&tile, i);
                        if (!(flow.flags & TILE_FLOW_OVER)) continue;
                        int64_t from = (int64_t)flow.from.tick, to = (int64_t)flow.to.tick;
                        CHECK((from < begin && to >= end) || (to < begin && from >= end));
                        over[(flow.flags & TILE_FLOW_IN) != 0] += flow.count;
                        thinned += flow.count > 1;
                        listed++;
                    }
                    CHECK_UINT(over[0], count_over(trace, track, FLOW_FROM, begin, end));
                    CHECK_UINT(over[1], count_over(trace, track, FLOW_TO, begin, end));
                    bytes_release(&bytes);
                }
        trace_release(trace);
    }
    CHECK(thinned > 0 && listed > thinned);
}

/* Very many arrows between two rows: few represent all. */
TEST(tiles_of_many_are_small_and_count_all)
{
    EventFeed feed = start("X0..1000000:a @1/3 X0..1000000:b");
    TrackId   a = builder_thread(feed.builder, builder_process(feed.builder, ident_int(1)), ident_int(2));
    for (int64_t i = 0; i < 50000; i++)
        builder_arrow(feed.builder, (FlowPoint){ a, FLOW_BIND_ENCLOSING, i * 20 },
                      (FlowPoint){ feed.thread, FLOW_BIND_ENCLOSING, i * 20 + 5 }, LABEL_NONE);
    Trace *trace = feed_finish(&feed, 1);
    Bytes  bytes = { 0 };
    Tile   tile;
    Err    err;
    CHECK_DONE(tile_encode(trace, (TileKey){ 1, TILE_FLOWS, 11, 0, 0 }, &bytes, NULL, &err), err);
    CHECK(tile_open(bytes.data, bytes.size, &tile));
    uint64_t count = 0;
    for (uint32_t i = 0; i < tile.flow_count; i++)
        count += tile_flow(&tile, i).count;
    CHECK_UINT(count, 50000);
    CHECK(tile.flow_count <= 32 * 4);
    bytes_clear(&bytes);
    CHECK_DONE(tile_encode(trace, (TileKey){ 1, TILE_SLICE_FLOWS, 0, 0, 0 }, &bytes, NULL, &err), err);
    CHECK(tile_open(bytes.data, bytes.size, &tile));
    CHECK_UINT(tile.flow_count, 256);
    CHECK_UINT(tile_flow(&tile, 255).count, 50000 - 255); /* the last one represents the rest */
    CHECK(!tile_encode(trace, (TileKey){ 1, TILE_FLOWS | 1, 0, 0, 0 }, &bytes, NULL, &err));
    CHECK(!tile_encode(trace, (TileKey){ 1, TILE_SLICE_FLOWS, 0, 2, 0 }, &bytes, NULL, &err));
    bytes_release(&bytes);
    trace_release(trace);
}

TEST(outermost_is_of_the_first_row)
{
    EventFeed feed = start("@1/1 X0..9:a X2..5:b X20..30:c X20..25:d");
    const struct {
        int64_t     tick;
        const char *name;
    } ENDS[] = { { 3, "a" }, { 9, "a" }, { 20, "c" }, { 30, "c" } };
    for (size_t i = 0; i < 4; i++)
        builder_arrow(feed.builder, (FlowPoint){ feed.thread, FLOW_BIND_OUTERMOST, ENDS[i].tick },
                      (FlowPoint){ feed.thread, FLOW_BIND_OUTERMOST, 12 }, LABEL_NONE);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->flows.count, 4);
    for (uint64_t i = 0; i < 4; i++) {
        FlowEnd from = trace_flow_end(trace, i, FLOW_FROM);
        CHECK(from.slice != FLOW_NO_SLICE && from.row == 0 && from.tick == ENDS[i].tick);
        CHECK(string_equal(trace_label_name(trace, trace_slice_label(trace, from.slice)),
                           (StringView){ ENDS[i].name, 1 }));
        CHECK(trace_flow_end(trace, i, FLOW_TO).slice == FLOW_NO_SLICE); /* no slice is there */
    }
    trace_release(trace);
}

TEST(every_other_arrow_is_left_when_they_are_thinned)
{
    EventFeed feed = start("@1/1 X0..9:a");
    for (int64_t tick = 0; tick < 9; tick++) {
        FlowPoint point = { feed.thread, FLOW_BIND_ENCLOSING, tick };
        builder_arrow(feed.builder, point, point, LABEL_NONE);
        if (tick == 6) builder_thin_arrows(feed.builder); /* leaves 0, 2, 4, 6 */
    }
    builder_thin_arrows(feed.builder); /* of 0, 2, 4, 6, 7, 8 */
    Trace        *trace = feed_finish(&feed, 1);
    const int64_t LEFT[] = { 0, 4, 7 };
    CHECK_UINT(trace->flows.count, 3);
    for (uint64_t i = 0; i < 3; i++)
        CHECK_INT(trace_flow_tick(trace, i, FLOW_FROM), LEFT[i]);
    trace_release(trace);
}

TEST_MAIN("flow", TEST_CASE(outermost_is_of_the_first_row),
          TEST_CASE(every_other_arrow_is_left_when_they_are_thinned),
          TEST_CASE(enclosing_is_the_innermost_with_its_ends), TEST_CASE(next_begins_at_or_after),
          TEST_CASE(events_of_an_id_join_in_order_of_time),
          TEST_CASE(ids_differ_by_process_and_agree_by_number),
          TEST_CASE(an_alias_is_only_for_those_that_stay_alone), TEST_CASE(slices_join_from_end_to_begin),
          TEST_CASE(asynchronous_slices_join_too), TEST_CASE(an_event_without_a_slice_is_reported),
          TEST_CASE(arrows_of_a_reader_fall_back_to_the_track),
          TEST_CASE(long_slices_and_distant_times_keep_their_ticks),
          TEST_CASE(what_is_found_is_what_there_is), TEST_CASE(threads_make_no_difference),
          TEST_CASE(following_leads_to_the_earliest), TEST_CASE(following_goes_by_states),
          TEST_CASE(each_of_several_arrows_has_its_turn), TEST_CASE(tiles_have_flows_that_pass_over_them),
          TEST_CASE(tiles_have_every_end), TEST_CASE(tiles_of_many_are_small_and_count_all))
