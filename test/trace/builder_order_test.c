/* Processes, threads, raw events, warnings, clocks: builder.c, rescale.c and finish.c. */
#include "support/test.h"
#include "trace_support.h"

#include <stdio.h>
#include <string.h>

static EventFeed plain_feed(void)
{
    return feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
}

static StringId text(EventFeed *feed, const char *bytes)
{
    return builder_string(feed->builder, bytes, strlen(bytes));
}

/* Checks the titles of tracks (or processes) in their order, separated by "; ". */
static void check_titles(const Trace *trace, bool of_processes, const char *expected, int line)
{
    Bytes    titles = { NULL, 0, 0, false };
    uint32_t count = of_processes ? trace->process_count : trace->track_count;
    for (uint32_t i = 1; i <= count; i++) {
        if (i > 1) bytes_append_text(&titles, "; ");
        if (of_processes) {
            trace_process_title(trace, i, &titles);
        } else {
            trace_track_title(trace, i, &titles);
        }
    }
    test_check_text(&titles, expected, __FILE__, line);
}

#define CHECK_TRACKS(trace, expected) check_titles((trace), false, (expected), __LINE__)
#define CHECK_PROCESSES(trace, expected) check_titles((trace), true, (expected), __LINE__)

static TrackId thread_of_int(EventFeed *feed, int64_t pid, int64_t tid)
{
    feed_set_thread(feed, pid, tid);
    return feed->thread;
}

TEST(threads_stand_by_sort_index_name_and_id)
{
    EventFeed t = plain_feed();
    builder_name_thread(t.builder, thread_of_int(&t, 1, 20), text(&t, "worker 10"));
    builder_name_thread(t.builder, thread_of_int(&t, 1, 21), text(&t, "Worker 2"));
    thread_of_int(&t, 1, 30);
    thread_of_int(&t, 1, 4);
    thread_of_int(&t, 1, 1); /* the main thread: of several equal ones, the first */
    thread_of_int(&t, 1, -5);
    builder_sort_thread(t.builder, thread_of_int(&t, 1, 40), -1);
    builder_sort_thread(t.builder, thread_of_int(&t, 1, 41), 7);
    ProcessId process = builder_process(t.builder, ident_int(1));
    builder_thread(t.builder, process, ident_text(text(&t, "queue 10")));
    builder_thread(t.builder, process, ident_text(text(&t, "queue 9")));
    builder_thread(t.builder, process, ident_uint(UINT64_MAX));
    Trace *trace = feed_finish(&t, 1);
    CHECK_TRACKS(trace, "Thread 40; Worker 2 (21); worker 10 (20); Thread 1; Thread -5; Thread 4; Thread 30; "
                        "Thread 18446744073709551615; Thread queue 9; Thread queue 10; Thread 41");
    trace_release(trace);
}

TEST(the_main_thread_is_first_only_without_index_and_name)
{
    EventFeed t = plain_feed();
    thread_of_int(&t, 5, 3);
    builder_sort_thread(t.builder, thread_of_int(&t, 5, 5), 0);
    thread_of_int(&t, 6, 3);
    builder_name_thread(t.builder, thread_of_int(&t, 6, 6), text(&t, "z"));
    builder_name_thread(t.builder, thread_of_int(&t, 6, 7), text(&t, "a"));
    Trace *trace = feed_finish(&t, 1);
    CHECK_TRACKS(trace, "Thread 3; Thread 5; a (7); z (6); Thread 3");
    trace_release(trace);
}

TEST(processes_stand_by_sort_index_name_and_id)
{
    EventFeed t = plain_feed();
    builder_process(t.builder, ident_int(9));
    builder_process(t.builder, ident_int(10));
    builder_process(t.builder, ident_text(text(&t, "gpu")));
    builder_name_process(t.builder, builder_process(t.builder, ident_int(7)), text(&t, "srv"));
    ProcessId first = builder_process(t.builder, ident_int(99));
    builder_sort_process(t.builder, first, -1e300);
    builder_label_process(t.builder, first, text(&t, "renderer"));
    builder_name_process(t.builder, first, text(&t, "old"));
    builder_name_process(t.builder, first, text(&t, "new")); /* the last call is valid */
    thread_of_int(&t, 10, 1);
    Trace *trace = feed_finish(&t, 1);
    CHECK_PROCESSES(trace, "new (99); srv (7); Process 9; Process 10; Process gpu");
    CHECK_BYTES(trace_string(trace, trace->processes[1].labels).bytes, 8, "renderer");
    CHECK_UINT(trace->processes[4].track_count, 1);
    CHECK_UINT(trace->processes[3].track_count, 0);
    CHECK_UINT(trace->tracks[1].process.index, 4);
    trace_release(trace);
}

TEST(fractions_and_signs_of_sort_indices_count)
{
    static const double indices[] = { 1.5, -0.5, 1, -3, 2, 1.25, 0 };
    EventFeed           t = plain_feed();
    for (int64_t i = 0; i < 7; i++) {
        builder_sort_thread(t.builder, thread_of_int(&t, 1, 100 + i), indices[i]);
        builder_sort_process(t.builder, builder_process(t.builder, ident_int(200 + i)), indices[i]);
    }
    Trace *trace = feed_finish(&t, 1);
    CHECK_TRACKS(trace, "Thread 103; Thread 101; Thread 106; Thread 102; Thread 105; Thread 100; Thread 104");
    CHECK_PROCESSES(trace, "Process 203; Process 201; Process 1; Process 206; Process 202; Process 205; "
                           "Process 200; Process 204");
    trace_release(trace);
}

/* Index, name, labels, id: each decides if those before it are equal. */
TEST(labels_stand_between_name_and_id)
{
    EventFeed          t = plain_feed();
    static const char *labels[] = { "tab 10", "tab 9", NULL, "Tab 9" };
    for (int64_t i = 0; i < 4; i++) {
        ProcessId process = builder_process(t.builder, ident_int(1 + i));
        builder_name_process(t.builder, process, text(&t, "Renderer"));
        if (labels[i] != NULL) builder_label_process(t.builder, process, text(&t, labels[i]));
    }
    builder_name_process(t.builder, builder_process(t.builder, ident_int(9)), text(&t, "browser"));
    Trace *trace = feed_finish(&t, 1);
    CHECK_PROCESSES(trace, "browser (9); Renderer (3); Renderer (4); Renderer (2); Renderer (1)");
    trace_release(trace);
}

TEST(idents_are_distinguished)
{
    EventFeed t = plain_feed();
    StringId  digits = text(&t, "5");
    CHECK(builder_process(t.builder, ident_int(5)).index == builder_process(t.builder, ident_uint(5)).index);
    CHECK(builder_process(t.builder, ident_int(5)).index !=
          builder_process(t.builder, ident_text(digits)).index);
    CHECK(builder_process(t.builder, ident_int(-1)).index !=
          builder_process(t.builder, ident_uint(UINT64_MAX)).index);
    CHECK(builder_process(t.builder, ident_int(0)).index !=
          builder_process(t.builder, (Ident){ IDENT_NONE, 0 }).index);
    ProcessId one = builder_process(t.builder, ident_int(1)), two = builder_process(t.builder, ident_int(2));
    CHECK(builder_thread(t.builder, one, ident_int(3)).index !=
          builder_thread(t.builder, two, ident_int(3)).index);
    CHECK(builder_thread(t.builder, one, ident_int(3)).index ==
          builder_thread(t.builder, one, ident_int(3)).index);
    builder_destroy(t.builder);
}

TEST(many_threads_processes_and_labels)
{
    enum { COUNT = 3000 };
    EventFeed t = plain_feed();
    TrackId   threads[COUNT];
    LabelId   labels[COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        threads[i] = thread_of_int(&t, i % 50, i);
        char name[24];
        int  size = snprintf(name, sizeof name, "n%d/c%d", (int)i / 10, (int)i % 10);
        labels[i] = feed_label(&t, name, (size_t)size);
        builder_instant(t.builder, threads[i], i, labels[i], INSTANT_THREAD, feed_next_pos(&t), 0);
    }
    for (int64_t i = 0; i < COUNT; i++) { /* all are found */
        CHECK_UINT(thread_of_int(&t, i % 50, i).index, threads[i].index);
        char name[24];
        int  size = snprintf(name, sizeof name, "n%d/c%d", (int)i / 10, (int)i % 10);
        CHECK_UINT(feed_label(&t, name, (size_t)size).index, labels[i].index);
    }
    Trace *trace = feed_finish(&t, 2);
    CHECK_UINT(trace->track_count, COUNT);
    CHECK_UINT(trace->process_count, 50);
    CHECK_UINT(trace->label_count, COUNT);
    CHECK_UINT(trace->counts.threads, COUNT);
    trace_release(trace);
}

TEST(instants_of_processes_and_of_the_trace_have_tracks)
{
    Trace *trace = trace_of_events("X0..100:x p30:b p20:a g50:g @2/7 g40:h p10:c i5:own @3/1 X1..2:y");
    CHECK_TRACKS(
        trace,
        "Global instants; Instants of the process; Thread 2; Instants of the process; Thread 7; Thread 1");
    CHECK_ROWS(trace, 1, "0.0: h@40, g@50");
    CHECK_ROWS(trace, 2, "0.0: a@20, b@30");
    CHECK_ROWS(trace, 3, "0.0: x 0..100");
    CHECK_ROWS(trace, 4, "0.0: c@10");
    CHECK_ROWS(trace, 5, "0.0: own@5");
    CHECK_UINT(trace->tracks[1].process.index, 0);
    CHECK_UINT(trace->instants.thread[0], 5); /* h: written by thread 7 */
    CHECK_UINT(trace->instants.scope[0], INSTANT_GLOBAL);
    CHECK_UINT(trace->instants.thread[2], 3);
    CHECK_UINT(trace->instants.scope[2], INSTANT_PROCESS);
    CHECK_UINT(trace->processes[1].first_track, 2);
    CHECK_UINT(trace->processes[1].track_count, 2);
    CHECK_UINT(trace->counts.threads, 3);
    CHECK_UINT(trace->counts.active_processes, 3);
    trace_release(trace);
}

TEST(other_events_widen_the_range_and_metadata_does_not)
{
    EventFeed t = plain_feed();
    TrackId   thread = thread_of_int(&t, 1, 2), silent = thread_of_int(&t, 1, 3),
            known = thread_of_int(&t, 1, 4);
    t.thread = thread;
    uint16_t counter = builder_event_kind(t.builder, "C", 1), meta = builder_event_kind(t.builder, "M", 1);
    CHECK_UINT(builder_event_kind(t.builder, "C", 1), counter);
    builder_count_events(t.builder, counter, 5);
    builder_count_events(t.builder, counter, 2);
    builder_count_events(t.builder, meta, 1);
    feed_events(&t, "X10..20:x");
    builder_other(
        t.builder, OTHER_EVENT, counter,
        &(EventHead){
            .thread = thread, .tick = -7, .label = feed_label(&t, "ctr", 3), .pos = (EventPos){ 900, 9 } });
    builder_other(t.builder, OTHER_EVENT, counter,
                  &(EventHead){ .thread = silent, .pos = (EventPos){ 1000, 10 }, .is_timeless = true });
    builder_other(t.builder, OTHER_METADATA, meta,
                  &(EventHead){ .thread = known, .tick = 999, .pos = (EventPos){ 1100, 11 } });
    builder_other(t.builder, OTHER_EVENT, counter, &(EventHead){ .tick = 77, .pos = (EventPos){ 1200, 12 } });
    StringId key = text(&t, "otherData");
    builder_property(t.builder, key, "{\"a\":1}", 7);
    Trace *trace = feed_finish(&t, 1);
    CHECK_INT(trace->begin_tick, -7);
    CHECK_INT(trace->end_tick, 77);
    CHECK_UINT(trace->records.other_count, 4);
    CHECK(trace->records.others[0].has_tick && trace->records.others[0].tick == -7 &&
          trace->records.others[0].thread == 1);
    CHECK(!trace->records.others[1].has_tick && trace->records.others[1].thread == 2 &&
          !trace->records.others[1].is_metadata);
    CHECK(trace->records.others[2].is_metadata && trace->records.others[2].offset == 1100);
    CHECK_UINT(trace->records.others[3].thread, 0);
    CHECK(trace->tracks[1].has_events && trace->tracks[2].has_events && !trace->tracks[3].has_events);
    CHECK_UINT(trace->counts.threads, 2);
    CHECK_UINT(trace->records.event_kind_count, 2);
    CHECK_UINT(trace->records.event_kinds[counter].count, 7);
    CHECK_UINT(trace->records.property_count, 1);
    CHECK_STRING(trace->records.properties[0].json, "{\"a\":1}");
    trace_release(trace);
}

TEST(only_metadata_has_no_time)
{
    EventFeed t = plain_feed();
    TrackId   thread = thread_of_int(&t, 1, 2);
    builder_name_thread(t.builder, thread, text(&t, "main"));
    uint16_t meta = builder_event_kind(t.builder, "M", 1);
    builder_other(t.builder, OTHER_METADATA, meta,
                  &(EventHead){ .thread = thread, .tick = 5, .pos = (EventPos){ 0, 0 } });
    Trace *trace = feed_finish(&t, 1);
    CHECK(!trace->has_time && trace->begin_tick == 0 && trace->end_tick == 0);
    CHECK_UINT(trace->track_count, 1);
    CHECK_UINT(trace->counts.threads, 0);
    CHECK_UINT(trace->counts.active_processes, 0);
    trace_release(trace);
}

TEST(kinds_beyond_the_limit_share_the_last)
{
    EventFeed t = plain_feed();
    for (unsigned i = 0; i < 5000; i++) {
        char     name[16];
        int      size = snprintf(name, sizeof name, "k%u", i);
        uint16_t kind = builder_event_kind(t.builder, name, (size_t)size);
        CHECK_UINT(kind, i < 4096 ? i : 4095);
        builder_count_events(t.builder, kind, 1);
    }
    Trace *trace = feed_finish(&t, 1);
    CHECK_UINT(trace->records.event_kind_count, 4096);
    CHECK_UINT(trace->records.event_kinds[4095].count, 905);
    trace_release(trace);
}

TEST(warnings_count_and_keep_their_first)
{
    EventFeed t = plain_feed();
    builder_warn(t.builder, "late", (EventPos){ 500, 5 }, "value %d", 1);
    builder_warn(t.builder, "late", (EventPos){ 600, 6 }, "value %d", 2);
    builder_warn(t.builder, "nowhere", (EventPos){ ERR_NOWHERE, ERR_NOWHERE }, "of the whole file");
    builder_warn(t.builder, "early", (EventPos){ 100, 1 }, "100%%");
    feed_events(&t, "E3 E4 @1/3 E5"); /* found when the trace is made */
    builder_set_incomplete(t.builder);
    builder_set_version(t.builder, "7");
    Trace *trace = feed_finish(&t, 1);
    CHECK_WARNINGS(trace, "unmatched-end 3 @0#0, early 1 @100#1, late 2 @500#5, nowhere 1");
    CHECK_STRING(trace->records.warnings[1].first.message, "100%");
    CHECK_STRING(trace->records.warnings[2].first.message, "value 1");
    CHECK(!trace->source.complete);
    CHECK_STRING(trace->source.format_version, "7");
    CHECK_STRING(trace->source.format_name, "test");
    trace_release(trace);
}

/* A thread's first warning is the trace's first only if it is first in the file. */
TEST(warnings_of_threads_are_merged_by_offset)
{
    Trace *trace = trace_of_events("@1/9 X0..1:a @1/1 X0..1:b @1/9 E5 @1/1 E6 E7");
    CHECK_WARNINGS(trace, "unmatched-end 3 @200#2");
    trace_release(trace);
}

/* ---- clocks ---- */

TEST(a_finer_clock_keeps_every_time)
{
    EventFeed t = plain_feed();
    feed_events(&t, "B10:p E20 X12..15:x i13:m p14:m g16:m");
    uint16_t kind = builder_event_kind(t.builder, "C", 1);
    builder_other(t.builder, OTHER_EVENT, kind,
                  &(EventHead){ .thread = t.thread, .tick = 5, .pos = (EventPos){ 900, 9 } });
    Clock ps = clock_ticks(1, 1000);
    ps.origin_ns = 10;
    bool rounded = true;
    CHECK(builder_change_clock(t.builder, ps, &rounded) && !rounded);
    feed_events(&t, "X5500..6500:y"); /* in the new clock */
    Trace *trace = feed_finish(&t, 1);
    CHECK_ROWS(trace, 3, "0.0: p 0..10000; 0.1: x 2000..5000, y 5500..6500; 0.2: m@3000");
    CHECK_ROWS(trace, 2, "0.0: m@4000");
    CHECK_ROWS(trace, 1, "0.0: m@6000");
    CHECK_INT(trace->records.others[0].tick, -5000);
    CHECK_INT(trace->begin_tick, -5000);
    CHECK_INT(trace->end_tick, 10000);
    CHECK_INT(clock_to_ns(&trace->clock, 0), 10);
    CHECK_WARNINGS(trace, ""); /* still in order */
    trace_release(trace);
}

TEST(a_coarser_clock_says_when_it_rounds)
{
    Clock ps = clock_ticks(1, 1000);
    ps.origin_ns = 100;
    bool      rounded = true;
    EventFeed t = plain_feed();
    builder_set_clock(t.builder, ps);
    feed_events(&t, "X-2000..5000:x");
    CHECK(builder_change_clock(t.builder, clock_ns(), &rounded) && !rounded);
    CHECK_STRING(clock_kind_name(builder_clock(t.builder)->kind), "ns");
    Trace *trace = feed_finish(&t, 1);
    CHECK_ROWS(trace, 1, "0.0: x 98..105");
    trace_release(trace);

    t = plain_feed();
    builder_set_clock(t.builder, ps);
    feed_events(&t, "X1499..5500:x");
    CHECK(builder_change_clock(t.builder, clock_ns(), &rounded) && rounded);
    trace = feed_finish(&t, 1);
    CHECK_ROWS(trace, 1, "0.0: x 101..106");
    trace_release(trace);
}

TEST(a_clock_that_fits_no_whole_tick_says_that_it_rounds)
{
    EventFeed t = plain_feed();
    builder_set_clock(t.builder, clock_ticks(3, 1));
    feed_events(&t, "X2..4:x");
    bool rounded = true;
    CHECK(builder_change_clock(t.builder, clock_ticks(2, 1), &rounded) && !rounded); /* 6 and 12 ns */
    feed_events(&t, "X7..7:y");
    CHECK(builder_change_clock(t.builder, clock_ticks(3, 1), &rounded) &&
          rounded); /* 14 ns is not a multiple of 3 */
    Trace *trace = feed_finish(&t, 1);
    CHECK_ROWS(trace, 1, "0.0: x 2..4, y 5..5");
    trace_release(trace);
    t = plain_feed();
    builder_set_clock(t.builder, clock_ticks(3, 1));
    feed_events(&t, "X1..2:x");
    CHECK(builder_change_clock(t.builder, clock_ticks(2, 1), &rounded) && rounded); /* 3 ns is 1.5 ticks */
    builder_destroy(t.builder);
}

TEST(what_does_not_fit_leaves_all_as_it_was)
{
    EventFeed t = plain_feed();
    feed_events(&t, "X1..2:x X9223372036854775..9223372036854776:y B3:z");
    bool rounded;
    CHECK(!builder_change_clock(t.builder, clock_ticks(1, 1000), &rounded));
    CHECK(builder_clock(t.builder)->kind == CLOCK_NS);
    Trace *trace = feed_finish(&t, 1);
    CHECK_ROWS(trace, 1, "0.0: x 1..2, z 3..9223372036854776 ul; 0.1: y 9223372036854775..9223372036854776");
    trace_release(trace);
}

TEST(signed_and_unsigned_clocks)
{
    Clock as_unsigned = clock_ns();
    as_unsigned.is_unsigned = true;
    bool      rounded;
    EventFeed t = plain_feed();
    feed_events(&t, "X0..9223372036854775807:x");
    CHECK(builder_change_clock(t.builder, as_unsigned, &rounded));
    Trace *trace = feed_finish(&t, 1);
    char   tick[CLOCK_TICK_TEXT];
    clock_format_tick(&trace->clock, trace->begin_tick, tick);
    CHECK_STRING(tick, "0");
    clock_format_tick(&trace->clock, trace->end_tick, tick);
    CHECK_STRING(tick, "9223372036854775807");
    trace_release(trace);
    /* A time before zero has no unsigned tick; the upper half has no signed one. */
    t = plain_feed();
    feed_events(&t, "X-1..5:x");
    CHECK(!builder_change_clock(t.builder, as_unsigned, &rounded));
    builder_destroy(t.builder);
    t = plain_feed();
    builder_set_clock(t.builder, as_unsigned);
    feed_events(&t, "X-9223372036854775808..-9223372036854775800:x"); /* 0..8 */
    CHECK(builder_change_clock(t.builder, clock_ns(), &rounded));
    trace = feed_finish(&t, 1);
    CHECK_ROWS(trace, 1, "0.0: x 0..8");
    trace_release(trace);
    t = plain_feed();
    builder_set_clock(t.builder, as_unsigned);
    feed_events(&t, "X5..9:x"); /* 2^63 + 5 */
    CHECK(!builder_change_clock(t.builder, clock_ns(), &rounded));
    builder_destroy(t.builder);
}

TEST_MAIN("builder_order", TEST_CASE(threads_stand_by_sort_index_name_and_id),
          TEST_CASE(the_main_thread_is_first_only_without_index_and_name),
          TEST_CASE(processes_stand_by_sort_index_name_and_id), TEST_CASE(idents_are_distinguished),
          TEST_CASE(fractions_and_signs_of_sort_indices_count), TEST_CASE(labels_stand_between_name_and_id),
          TEST_CASE(many_threads_processes_and_labels),
          TEST_CASE(instants_of_processes_and_of_the_trace_have_tracks),
          TEST_CASE(other_events_widen_the_range_and_metadata_does_not), TEST_CASE(only_metadata_has_no_time),
          TEST_CASE(kinds_beyond_the_limit_share_the_last), TEST_CASE(warnings_count_and_keep_their_first),
          TEST_CASE(warnings_of_threads_are_merged_by_offset), TEST_CASE(a_finer_clock_keeps_every_time),
          TEST_CASE(a_coarser_clock_says_when_it_rounds),
          TEST_CASE(a_clock_that_fits_no_whole_tick_says_that_it_rounds),
          TEST_CASE(what_does_not_fit_leaves_all_as_it_was), TEST_CASE(signed_and_unsigned_clocks))
