/* The events that a growing trace removes to limit its memory. */
#include "live_support.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* A day of one call a second on each of some threads, limited to an hour, or to a size: memory and rows are limited,
 * and the latest events remain. */
static void grow_a_day(const LiveOptions *options, uint64_t most_bytes)
{
    enum { HOURS = 24, CALLS = 3600, DAY_THREADS = 4 };
    const int64_t second = 1000000000;
    Err           err;
    LiveChange    change;
    uint64_t      event = 0, dropped = 0, peak = 0;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    const ProcessId process = builder_process(b, ident_int(1));
    const LabelId   label = builder_label(b, builder_string(b, "tick", 4), STRING_NONE);
    for (int64_t s = 0; s < (int64_t)HOURS * CALLS; s++) {
        for (int t = 0; t < DAY_THREADS; t++)
            begin_and_end(b, builder_thread(b, process, ident_int(t + 1)), label, s * second + t, &event);
        if (s % 600 != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        dropped += change.dropped;
        if (live_bytes(live) > peak) peak = live_bytes(live);
        if (s % 36000 == 0 && !trace_check(live_trace(live), &err)) fail_msg("%s", err.message);
    }
    CHECK(live_settle(live, &change, &err));
    const Trace *trace = live_trace(live);
    CHECK(dropped + change.dropped == live_dropped_count(live));
    CHECK(trace_slice_count(trace) + live_dropped_count(live) == live_event_count(live));
    CHECK(live_event_count(live) == (uint64_t)HOURS * CALLS * DAY_THREADS);
    CHECK(peak <= most_bytes);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        CHECK(row->slice_count >= 1000);
        CHECK(trace_slice_begin(trace, row->first_slice + row->slice_count - 1) >=
              (HOURS * CALLS - 1) * second);
    }
    if (!trace_check(trace, &err)) fail_msg("%s", err.message);
    live_destroy(live);
}

TEST(a_day_kept_to_an_hour)
{
    grow_a_day(&(LiveOptions){ .keep_ns = UINT64_C(3600000000000) }, 1 << 20);
}

TEST(a_day_kept_to_a_size)
{
    grow_a_day(&(LiveOptions){ .keep_bytes = 600000 }, 600000);
}

/* Each kind repeatedly, at increasing times: older events are removed, whatever their kind. */
static void grow_and_let_go(StreamKind kind, const LiveOptions *options, uint64_t most_bytes)
{
    enum { ROUNDS = 60, PART = 2000, SEED = 7 };
    static Op     ops[PART];
    Err           err;
    LiveChange    change;
    int64_t       begin = 0, latest = 0;
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    random_start(4242 + (uint64_t)kind);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const size_t count = stream_make(kind, SEED, ops, PART);
        for (size_t i = 0; i < count; i++) {
            Op op = ops[i];
            op.tick += begin;
            op.end += op.kind == OP_COMPLETE || op.kind == OP_FLOW_SLICE ? begin : 0;
            op.id += op.kind >= OP_ASYNC_BEGIN && op.kind <= OP_ASYNC_INSTANT ? (unsigned)round * 400 : 0;
            if (op.tick > latest) latest = op.tick;
            op_apply(b, &promises, &op, round * PART + i);
        }
        CHECK(live_absorb(live, &change, &err));
        if (!trace_check(live_trace(live), &err))
            fail_msg("kind %d, round %llu: %s", (int)kind, (unsigned long long)round, err.message);
        if (live_bytes(live) > most_bytes)
            fail_msg("round %llu: %llu bytes", (unsigned long long)round,
                     (unsigned long long)live_bytes(live));
        if (round == ROUNDS / 4) memory_watch();
        begin = latest + 1;
    }
    if (live_bytes(live) > most_bytes)
        fail_msg("kind %d: %llu bytes", (int)kind, (unsigned long long)live_bytes(live));
    if (memory_peak() > 8 * most_bytes)
        fail_msg("kind %d: %llu bytes of memory", (int)kind, (unsigned long long)memory_peak());
    CHECK(live_dropped_count(live) > 0);
    live_destroy(live);
}

TEST(every_kind_is_let_go)
{
    static const StreamKind KINDS[] = { STREAM_COMPLETES, STREAM_ASYNC,    STREAM_OBJECTS, STREAM_FLOWS,
                                        STREAM_SAMPLES,   STREAM_CONTEXTS, STREAM_KEPT };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
        grow_and_let_go(KINDS[i], &(LiveOptions){ .keep_bytes = 2000000 }, 2000000);
}

/* A few ids that are reused: older events are removed, although the id is still in use. */
static void grow_and_use_again(OpKind begin, OpKind end, const LiveOptions *options, uint64_t most_bytes)
{
    enum { EVENTS = 300000, IDS = 4, AN_ABSORB = 1000 };
    Err           err;
    LiveChange    change;
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    for (unsigned i = 0; i < EVENTS; i++) {
        const unsigned use = i / 2;
        const Op       op = {
                  .kind = i % 2 == 0 ? begin : end, .pid = 1, .tid = 2, .tick = 100 * i, .name = 1, .id = use % IDS
        };
        op_apply(b, &promises, &op, i);
        if (i % AN_ABSORB != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (live_bytes(live) > most_bytes)
            fail_msg("%llu bytes after %u events", (unsigned long long)live_bytes(live), i);
    }
    CHECK(live_settle(live, &change, &err));
    if (!trace_check(live_trace(live), &err)) fail_msg("%s", err.message);
    const uint64_t left = trace_slice_count(live_trace(live));
    CHECK(left >= 500 && left < EVENTS / 8);
    live_destroy(live);
}

TEST(ids_that_are_used_again_do_not_keep_what_was_before)
{
    const LiveOptions of_time = { .keep_ns = 200000 }, of_size = { .keep_bytes = 1 << 20 };
    grow_and_use_again(OP_ASYNC_BEGIN, OP_ASYNC_END, &of_time, 3 << 20);
    grow_and_use_again(OP_ASYNC_BEGIN, OP_ASYNC_END, &of_size, 1 << 20);
    grow_and_use_again(OP_OBJECT_CREATED, OP_OBJECT_DELETED, &of_time, 3 << 20);
    grow_and_use_again(OP_OBJECT_CREATED, OP_OBJECT_DELETED, &of_size, 1 << 20);
}

/* Adds an asynchronous slice. */
static void async_slice(TraceBuilder *b, unsigned id, int64_t begin, int64_t end, uint64_t *event)
{
    Promises promises = { .later = { { 0 } } };
    Op       op = { .kind = OP_ASYNC_BEGIN, .pid = 1, .tid = 2, .tick = begin, .name = 1, .id = id };
    op_apply(b, &promises, &op, ++*event);
    op.kind = OP_ASYNC_END;
    op.tick = end;
    op_apply(b, &promises, &op, ++*event);
}

/* The events of an id are removed before its slices, which are removed when they are many. A late slice of the id begins
 * among those slices. in_use: the id has later events, too. */
static void keep_slices_of_removed_events(unsigned in_use)
{
    enum { OTHERS = 60, KEPT = 250, ID = 1 };
    Err           err;
    LiveChange    change;
    uint64_t      event = 0;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ .keep_ns = KEPT }, &err);
    CHECK(live != NULL);
    async_slice(b, ID, 0, 10, &event);
    async_slice(b, ID, 20, 30, &event);
    for (unsigned i = 0; i < OTHERS; i++)
        async_slice(b, 2 + i, 40 + 4 * i, 43 + 4 * i, &event);
    for (unsigned i = 0; i < in_use; i++)
        async_slice(b, ID, 290 + 4 * i, 293 + 4 * i, &event);
    async_slice(b, 2 + OTHERS, 300, 320, &event);
    for (uint64_t late = 0; late < 3; late++) {
        CHECK(live_settle(live, &change, &err));
        if (!trace_check(live_trace(live), &err)) fail_msg("%s", err.message);
        CHECK_UINT(live_dropped_count(live), 0);
        CHECK_UINT(trace_slice_count(live_trace(live)), 3 + OTHERS + in_use + late);
        async_slice(b, ID, 15 - 2 * (int64_t)late, 17, &event);
    }
    live_destroy(live);
}

TEST(a_late_slice_of_an_id_does_not_remove_those_of_its_removed_events)
{
    keep_slices_of_removed_events(0);
    keep_slices_of_removed_events(2);
}

/* An item that is never ended and changed all the time: it stays, its older changes are removed. */
static void grow_and_speak_of(OpKind begin, OpKind speak)
{
    enum { EVENTS = 100000, AN_ABSORB = 1000, BOUND = 1 << 20 };
    Err           err;
    LiveChange    change;
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ .keep_bytes = BOUND }, &err);
    CHECK(live != NULL);
    for (int64_t i = 0; i < EVENTS; i++) {
        const Op op = { .kind = i == 0 ? begin : speak, .pid = 1, .tid = 2, .tick = 100 * i, .name = 1 };
        op_apply(b, &promises, &op, (uint64_t)i);
        if (i % AN_ABSORB != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (live_bytes(live) > BOUND)
            fail_msg("%llu bytes after %lld events", (unsigned long long)live_bytes(live), (long long)i);
    }
    CHECK(live_settle(live, &change, &err));
    const Trace *trace = live_trace(live);
    if (!trace_check(trace, &err)) fail_msg("%s", err.message);
    CHECK_UINT(trace_slice_count(trace), 1);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        if (row->slice_count == 0) continue;
        CHECK_INT(trace_slice_begin(trace, row->first_slice), 0);
        CHECK(row_extras(row)->instant_count >= 500);
        CHECK_INT(trace->instants.tick[row_extras(row)->first_instant + row_extras(row)->instant_count - 1],
                  100 * (EVENTS - 1));
    }
    live_destroy(live);
}

TEST(what_is_open_stays_though_ever_more_is_said_of_it)
{
    grow_and_speak_of(OP_OBJECT_CREATED, OP_OBJECT_SNAPSHOT);
}

static bool has_track(const Trace *trace, const char *title)
{
    bool found = false;
    for (uint32_t t = 1; t <= trace->track_count && !found; t++) {
        Bytes text = { .data = NULL };
        trace_track_title(trace, t, &text);
        bytes_append(&text, "", 1);
        found = strcmp((const char *)text.data, title) == 0;
        bytes_release(&text);
    }
    return found;
}

/* A new thread for each event, and a new process for each thousand: memory is limited, and empty ones are removed. */
static void grow_ever_new(const LiveOptions *options, uint64_t most_bytes)
{
    enum { EVENTS = 400000, AN_ABSORB = 2000, IN_A_PROCESS = 1000 };
    Err           err;
    LiveChange    change;
    uint64_t      event = 0;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    const LabelId label = builder_label(b, builder_string(b, "once", 4), STRING_NONE);
    memory_watch();
    for (int i = 0; i < EVENTS; i++) {
        const ProcessId process = builder_process(b, ident_int(i / IN_A_PROCESS));
        begin_and_end(b, builder_thread(b, process, ident_int(i)), label, (int64_t)i * 1000000, &event);
        if (i == EVENTS / 2) CHECK(!has_track(live_trace(live), "Thread 0")); /* it is old */
        if (i % AN_ABSORB != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (i % (20 * AN_ABSORB) == 0 && !trace_check(live_trace(live), &err)) fail_msg("%s", err.message);
    }
    const TrackId back = builder_thread(b, builder_process(b, ident_int(0)), ident_int(0));
    begin_and_end(b, back, label, (int64_t)EVENTS * 1000000, &event);
    CHECK(live_settle(live, &change, &err));
    if (memory_peak() > most_bytes) fail_msg("%llu bytes", (unsigned long long)memory_peak());
    const Trace *trace = live_trace(live);
    CHECK(has_track(trace, "Thread 0")); /* and was added again */
    CHECK(has_track(trace, "Thread " BUILDER_REST_ID));
    CHECK(trace_slice_count(trace) + live_dropped_count(live) == EVENTS + 1);
    CHECK_UINT(trace->records.warning_count, 1);
    CHECK(strcmp(trace->records.warnings[0].kind, "threads-not-kept") == 0);
    if (!trace_check(trace, &err)) fail_msg("%s", err.message);
    live_destroy(live);
}

TEST(threads_that_are_ever_new_have_a_bound)
{
    grow_ever_new(&(LiveOptions){ .keep_bytes = 1 << 20 }, 12 << 20);
    grow_ever_new(&(LiveOptions){ .keep_ns = UINT64_C(10000000000) }, 160 << 20);
}

/* New names are not stored when they exceed their share; existing ones stay known. */
TEST(names_that_are_ever_new_have_a_bound)
{
    enum { NAMES = 200000, ROOM = 1 << 20 };
    Err           err;
    LiveChange    change;
    uint64_t      event = 0;
    char          name[64];
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ .keep_bytes = 1 << 20 }, &err);
    CHECK(live != NULL);
    const TrackId thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(1));
    for (int i = 0; i < NAMES; i++) {
        const int     size = snprintf(name, sizeof name, "request %d", i % 2 == 0 ? 0 : i);
        const LabelId label = builder_label(b, builder_string(b, name, (size_t)size), STRING_NONE);
        begin_and_end(b, thread, label, (int64_t)i * 1000, &event);
        if (i % 1000 == 0) CHECK(live_absorb(live, &change, &err));
    }
    CHECK(live_settle(live, &change, &err));
    const Trace *trace = live_trace(live);
    CHECK(string_table_bytes(trace->strings) < ROOM + ROOM / 2);
    CHECK(trace->label_count < NAMES / 8);
    const Row     *row = &trace->rows[0];
    const uint64_t last = row->first_slice + row->slice_count - 1;
    CHECK(string_equal(trace_label_name(trace, trace_slice_label(trace, last - 1)),
                       STRING_LITERAL("request 0")));
    CHECK(string_equal(trace_label_name(trace, trace_slice_label(trace, last)),
                       STRING_LITERAL(BUILDER_OTHER_NAME)));
    CHECK_UINT(trace->records.warning_count, 1);
    CHECK(strcmp(trace->records.warnings[0].kind, "names-not-kept") == 0);
    if (!trace_check(trace, &err)) fail_msg("%s", err.message);
    live_destroy(live);
}

TEST_MAIN("live_keep", TEST_CASE(a_day_kept_to_an_hour), TEST_CASE(a_day_kept_to_a_size),
          TEST_CASE(every_kind_is_let_go), TEST_CASE(ids_that_are_used_again_do_not_keep_what_was_before),
          TEST_CASE(a_late_slice_of_an_id_does_not_remove_those_of_its_removed_events),
          TEST_CASE(what_is_open_stays_though_ever_more_is_said_of_it),
          TEST_CASE(threads_that_are_ever_new_have_a_bound), TEST_CASE(names_that_are_ever_new_have_a_bound))
