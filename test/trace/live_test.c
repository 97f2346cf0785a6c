/* The properties of a growing trace, and its behaviour when memory runs out. */
#include "live_support.h"
#include "support/test.h"
#include "trace/live/live_state.h"
#include "trace/wire/outline_encode.h"

TEST(what_did_not_change_is_said)
{
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    uint64_t      event = 0;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    CHECK(live_absorb(live, &change, &err));
    CHECK(!change.any && !change.shape);
    const TrackId thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(2));
    const LabelId label = builder_label(b, builder_string(b, "a", 1), STRING_NONE);
    begin_and_end(b, thread, label, 100, &event);
    CHECK(live_absorb(live, &change, &err));
    CHECK(change.any && change.shape);
    begin_and_end(b, thread, label, 200, &event);
    CHECK(live_absorb(live, &change, &err));
    CHECK(change.any && !change.shape);
    CHECK(change.from_tick == 200);
    CHECK(live_absorb(live, &change, &err));
    CHECK(!change.any);
    builder_name_thread(b, thread, builder_string(b, "main", 4));
    CHECK(live_absorb(live, &change, &err));
    CHECK(change.any && change.shape);
    CHECK(live_event_count(live) == 2);
    live_destroy(live);
}

/* The builder's logs are empty after each absorb: it must also convert the time of a thread's last event. */
TEST(events_after_a_change_of_the_clock_are_not_late)
{
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    bool          rounded;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    const TrackId thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(2));
    const int64_t metadata_tick = 3000;
    builder_other(b, OTHER_METADATA, builder_event_kind(b, "M", 1),
                  &(EventHead){ .thread = thread, .tick = metadata_tick, .pos = (EventPos){ 0, 0 } });
    CHECK(live_absorb(live, &change, &err));
    CHECK(builder_change_clock(b, clock_ticks(10, 1), &rounded));
    CHECK(live_absorb(live, &change, &err));
    CHECK_INT(live_trace(live)->records.others[0].tick, 300);
    builder_begin(b, thread, 1000, LABEL_NONE, (EventPos){ 10, 1 }, 0);
    CHECK(live_absorb(live, &change, &err));
    CHECK(builder_change_clock(b, clock_ticks(1000, 1), &rounded));
    builder_end(b, thread, 11, LABEL_NONE, (EventPos){ 20, 2 }, 0);
    CHECK(live_absorb(live, &change, &err));
    CHECK_INT(live_trace(live)->records.others[0].tick, 3);
    CHECK_INT(live_trace(live)->begin_tick, 10);
    CHECK_INT(live_trace(live)->end_tick, 11);
    CHECK_UINT(live_trace(live)->records.warning_count, 0);
    live_destroy(live);
}

/* As in a loaded trace, the mark and the count of threads depend on the events of the thread. */
TEST(a_thread_divides_the_trace_once_it_has_events)
{
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    uint64_t      event = 0;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    const TrackId frames = builder_thread(b, builder_process(b, ident_int(1)), ident_int(2));
    builder_divide_by(b, frames);
    CHECK(live_absorb(live, &change, &err));
    CHECK_UINT(live_trace(live)->track_count, 1);
    CHECK(!live_trace(live)->tracks[1].divides);
    begin_and_end(b, frames, LABEL_NONE, 100, &event);
    CHECK(live_absorb(live, &change, &err));
    CHECK(live_trace(live)->tracks[1].divides);
    CHECK_UINT(live_trace(live)->counts.threads, 0);
    live_destroy(live);
}

/* Returns the number of steps for finding units again while `count` events of one asynchronous id arrive at one
 * tick. */
static uint64_t steps_for(uint64_t count, const AsyncKind kinds[2])
{
    enum { PIECE = 64 };
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    TraceBuilder *b = op_builder(MATCH_BY_TIME_AND_NAME, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    const TrackId  thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(2));
    const LabelId  label = builder_label(b, builder_string(b, "a", 1), STRING_NONE);
    const uint16_t kind = builder_event_kind(b, "b", 1);
    const AsyncId  id = builder_async_id(b, PROCESS_NONE, "7", 1);
    for (uint64_t i = 0; i < count; i++) {
        builder_async(
            b, kinds[i % 2], kind, id,
            &(EventHead){ .thread = thread, .tick = 5, .label = label, .pos = (EventPos){ i * 10, i } }, 0);
        if (i % PIECE == 0) CHECK(live_absorb(live, &change, &err));
    }
    CHECK(live_settle(live, &change, &err));
    const uint64_t steps = live->async.steps;
    live_destroy(live);
    return steps;
}

TEST(many_events_of_one_asynchronous_id_at_one_tick_take_linear_time)
{
    static const AsyncKind KINDS[][2] = { { ASYNC_INSTANT, ASYNC_INSTANT },
                                          { ASYNC_BEGIN, ASYNC_END },
                                          { ASYNC_BEGIN, ASYNC_BEGIN } };
    for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
        const uint64_t some = steps_for(10000, KINDS[k]), more = steps_for(40000, KINDS[k]);
        if (more > 6 * (some + 10000))
            fail_msg("%zu: %llu steps, then %llu", k, (unsigned long long)some, (unsigned long long)more);
    }
}

/* After an event before all others, where the grid of tiles begins early, a very late one: viewers still accept the
 * outline. */
TEST(time_that_grows_both_ways_has_an_outline)
{
    static const int64_t TICKS[] = { INT64_C(1700000000000000000), 5, INT64_C(9200000000000000000) };
    Err                  err;
    LiveChange           change;
    LiveOptions          options = { 0 };
    uint64_t             event = 0;
    TraceBuilder        *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace           *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    for (unsigned i = 0; i < 3; i++) {
        Arena         arena = arena_create(0);
        Bytes         bytes = { 0 };
        Outline       outline;
        const TrackId thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(i));
        begin_and_end(b, thread, builder_label(b, builder_string(b, "a", 1), STRING_NONE), TICKS[i], &event);
        CHECK(live_absorb(live, &change, &err));
        CHECK(trace_check(live_trace(live), &err));
        CHECK((live_trace(live)->lead > 0) == (i == 1));
        outline_encode(live_trace(live), (StringView){ "a", 1 }, &bytes);
        CHECK(outline_open(bytes.data, bytes.size, &arena, &outline, &err));
        bytes_release(&bytes);
        arena_release(&arena);
    }
    live_destroy(live);
}

/* Adds some events of every kind, one after the other. */
static size_t make_all(Op *ops, size_t most)
{
    size_t count = 0;
    for (int kind = 0; kind < STREAM_KINDS; kind++)
        count += stream_make((StreamKind)kind, 5, ops + count, most / STREAM_KINDS);
    return count;
}

/* Fails each allocation in turn, until none fails. */
static void run_out(const Op *ops, size_t count, MatchRule match, const LiveOptions *options)
{
    bool done = false;
    for (uint64_t requests = 0; !done && requests < 8000; requests++) {
        Err        err = { 0 };
        LiveChange change;
        Promises   promises = { .later = { { 0 } } };
        memory_fail_after(UINT64_MAX);
        TraceBuilder *b = op_builder(match, TIES_EARLIER_OUTSIDE);
        memory_fail_after(requests);
        LiveTrace *live = live_create(b, options, &err);
        done = live != NULL;
        for (size_t i = 0; i < count && live != NULL; i++) {
            op_apply(b, &promises, &ops[i], i);
            if (i % 40 != 0) continue;
            done = done && live_absorb(live, &change, &err);
        }
        memory_fail_after(UINT64_MAX);
        if (done && options->keep_bytes > 0) CHECK(live_dropped_count(live) > 0);
        live_destroy(live);
        CHECK(done || err.code == ERR_MEMORY);
    }
    CHECK(done);
}

TEST(memory_that_runs_out_leaves_what_was_there)
{
    Op ops[360];
    random_start(99);
    const size_t count = make_all(ops, sizeof ops / sizeof ops[0]);
    run_out(ops, count, MATCH_IN_FILE_ORDER, &(LiveOptions){ 0 });
    run_out(ops, count, MATCH_BY_TIME_AND_NAME, &(LiveOptions){ 0 });
    run_out(ops, count, MATCH_IN_FILE_ORDER, &(LiveOptions){ .keep_bytes = 40000 });
}

TEST_MAIN("live", TEST_CASE(what_did_not_change_is_said),
          TEST_CASE(a_thread_divides_the_trace_once_it_has_events),
          TEST_CASE(many_events_of_one_asynchronous_id_at_one_tick_take_linear_time),
          TEST_CASE(events_after_a_change_of_the_clock_are_not_late),
          TEST_CASE(time_that_grows_both_ways_has_an_outline),
          TEST_CASE(memory_that_runs_out_leaves_what_was_there))
