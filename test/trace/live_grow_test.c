/* A growing trace compared with the one that is built from the same events at once. */
#include "live_support.h"
#include "support/test.h"
#include "trace_describe.h"
#include "trace_support.h"

#include <stdlib.h>

enum { MOST_OPS = 4000 };

/* Streams of many seeds: short ones are also compared in between. */
static void grow(StreamKind kind, uint64_t prime, uint64_t seeds)
{
    static Op ops[MOST_OPS];
    for (uint64_t seed = 1; seed <= test_seeds(seeds); seed++) {
        random_start(seed * prime);
        const size_t    most = seed % 6 == 0 ? 3000 : 10 + (size_t)random_below(150);
        const bool      odd = seed % 2 == 1;
        const MatchRule match = odd ? MATCH_BY_TIME_AND_NAME : MATCH_IN_FILE_ORDER;
        const TieRule   ties = kind == STREAM_COMPLETES && !odd ? TIES_LATER_OUTSIDE : TIES_EARLIER_OUTSIDE;
        const size_t    count = stream_make(kind, seed, ops, most);
        ops_grow(ops, count, match, ties, seed % 6 == 0 ? 0 : 4);
    }
}

TEST(begins_and_ends_grow_as_they_are_built)
{
    grow(STREAM_BEGIN_END, 7919, 240);
}

TEST(completes_grow_as_they_are_built)
{
    grow(STREAM_COMPLETES, 104729, 60);
}

TEST(both_on_one_thread_grow_as_they_are_built)
{
    grow(STREAM_MIXED, 1299709, 120);
}

TEST(asynchronous_slices_grow_as_they_are_built)
{
    grow(STREAM_ASYNC, 15485863, 120);
}

/* So many of one id, and of one track, that new events wait for more. */
TEST(many_asynchronous_slices_grow_as_they_are_built)
{
    enum { MANY_OPS = 30000 };
    Op *ops = malloc(MANY_OPS * sizeof *ops);
    CHECK(ops != NULL);
    for (uint64_t seed = 1; seed <= test_seeds(3); seed++) {
        random_start(seed * 15487469);
        const size_t count = stream_make(STREAM_ASYNC, seed, ops, MANY_OPS);
        ops_grow_in_steps(ops, count, 20 + (size_t)random_below(200));
    }
    free(ops);
}

TEST(objects_grow_as_they_are_built)
{
    grow(STREAM_OBJECTS, 32452843, 120);
}

TEST(samples_grow_as_they_are_built)
{
    grow(STREAM_SAMPLES, 49979687, 120);
}

/* Among many samples the median of their intervals, which is how long the last one holds, waits for more of them. */
TEST(the_last_of_many_samples_holds_for_the_median_in_the_end)
{
    enum { SAMPLES = 20000, LATEST = 100 };
    Err           err;
    LiveChange    change;
    Promises      promises[2] = { { .later = { { 0 } } }, { .later = { { 0 } } } };
    TraceBuilder *once = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ 0 }, &err);
    CHECK(live != NULL);
    int64_t tick = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const Op op = { .kind = OP_STACK_SAMPLE, .pid = 1, .tid = 2, .tick = tick, .id = 1 };
        op_apply(once, &promises[0], &op, (uint64_t)i);
        op_apply(b, &promises[1], &op, (uint64_t)i);
        if (i >= SAMPLES - LATEST) CHECK(live_absorb(live, &change, &err));
        tick += i;
    }
    Trace *whole = builder_finish(once, 1, NULL, &err);
    CHECK(whole != NULL);
    builder_destroy(once);
    CHECK_INT(whole->end_tick, tick - (SAMPLES - 1) + SAMPLES / 2 - 1);
    CHECK(live_trace(live)->end_tick < whole->end_tick);
    CHECK(live_settle(live, &change, &err));
    CHECK(trace_is_same(whole, live_trace(live)));
    if (!trace_check(live_trace(live), &err)) fail_msg("%s", err.message);
    trace_release(whole);
    live_destroy(live);
}

static void add_deep_sample(TraceBuilder *b, const StackId deep[2], int i)
{
    const TrackId thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(2));
    builder_stack_sample(b, builder_sampler(b, thread, STRING_NONE), i, deep[i % 2], 1);
}

static void make_deep_stacks(TraceBuilder *b, StackId deep[2], uint32_t depth)
{
    for (uint32_t i = 0; i < 2 * depth; i++) {
        const StackFrame frame = { .line = i + 1 };
        deep[i % 2] = builder_stack(b, deep[i % 2], builder_frame(b, &frame));
    }
}

/* Their outer frames are drawn from the same sample on. */
TEST(too_many_deep_stacks_grow_as_they_are_built)
{
    enum { DEPTH = 12000, SAMPLES = 100 };
    Err           err;
    LiveChange    change;
    StackId       deep[2][2] = { { STACK_NONE, STACK_NONE }, { STACK_NONE, STACK_NONE } };
    TraceBuilder *once = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ 0 }, &err);
    CHECK(live != NULL);
    make_deep_stacks(once, deep[0], DEPTH);
    make_deep_stacks(b, deep[1], DEPTH);
    for (int i = 0; i < SAMPLES; i++) {
        add_deep_sample(once, deep[0], i);
        add_deep_sample(b, deep[1], i);
        if (i % 9 == 0) CHECK(live_absorb(live, &change, &err));
    }
    CHECK(live_settle(live, &change, &err));
    Trace *whole = builder_finish(once, 1, NULL, &err);
    CHECK(whole != NULL);
    builder_destroy(once);
    CHECK_UINT(whole->slices.count, 87 * DEPTH + 64 * (SAMPLES - 87));
    CHECK_UINT(trace_slice_count(live_trace(live)), whole->slices.count);
    CHECK_UINT(live_trace(live)->row_count, whole->row_count);
    for (uint32_t r = 0; r < whole->row_count; r++)
        CHECK_UINT(live_trace(live)->rows[r].slice_count, whole->rows[r].slice_count);
    trace_release(whole);
    live_destroy(live);
}

TEST(arrows_grow_as_they_are_built)
{
    grow(STREAM_FLOWS, 86028121, 120);
}

TEST(contexts_grow_as_they_are_built)
{
    grow(STREAM_CONTEXTS, 67867967, 120);
}

TEST(dumps_and_what_is_marked_grow_as_they_are_built)
{
    grow(STREAM_KEPT, 982451653, 120);
}

/* Merges the events of all stories: each stays in its order. */
static size_t make_all(uint64_t seed, Op *ops, size_t most)
{
    enum { PART = 40 };
    Op     parts[STREAM_KINDS][PART];
    size_t counts[STREAM_KINDS], taken[STREAM_KINDS] = { 0 }, left = 0, count = 0;
    for (int kind = 0; kind < STREAM_KINDS; kind++) {
        counts[kind] = stream_make((StreamKind)kind, seed + (uint64_t)kind, parts[kind], PART);
        left += counts[kind];
    }
    CHECK(left <= most);
    while (count < left) {
        const size_t kind = (size_t)random_below(STREAM_KINDS);
        if (taken[kind] < counts[kind]) ops[count++] = parts[kind][taken[kind]++];
    }
    return count;
}

/* Compared after every step. */
TEST(events_of_every_kind_grow_together_as_they_are_built)
{
    static Op ops[MOST_OPS];
    for (uint64_t seed = 1; seed <= test_seeds(45); seed++) {
        random_start(seed * 179424673);
        const size_t    count = make_all(seed, ops, MOST_OPS);
        const MatchRule match = seed % 3 == 0 ? MATCH_IN_FILE_ORDER : MATCH_BY_TIME_AND_NAME;
        ops_grow(ops, count, match, seed % 2 == 0 ? TIES_EARLIER_OUTSIDE : TIES_LATER_OUTSIDE, 1);
    }
}

/* Reads the ops of "B10:p E14 X10..14:x i12", on one thread; a name is a letter. */
static size_t read_ops(const char *events, Op *ops)
{
    size_t n = 0;
    for (const char *at = events; *at != '\0'; n++) {
        const char kind = *at++;
        Op         op = { .pid = 1, .tid = 1 };
        char      *behind;
        op.kind = kind == 'B' ? OP_BEGIN : kind == 'E' ? OP_END : kind == 'X' ? OP_COMPLETE : OP_INSTANT;
        op.tick = strtol(at, &behind, 10);
        at = behind;
        if (kind == 'X') op.end = strtol(at + 2, &behind, 10);
        at = behind;
        if (*at == ':') {
            op.name = (unsigned)(at[1] - 'a' + 1);
            at += 2;
        }
        ops[n] = op;
        while (*at == ' ')
            at++;
    }
    return n;
}

/* Compares with the trace that is built at once after each event, and after several. */
static void grow_events(const char *events)
{
    enum { MOST = 64 };
    Op           ops[MOST];
    const size_t count = read_ops(events, ops);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        random_start(seed);
        ops_grow(ops, count, MATCH_BY_TIME_AND_NAME, TIES_EARLIER_OUTSIDE, seed % 2 == 0 ? 2 : UINT32_MAX);
    }
}

TEST(exchanged_ends_are_put_right)
{
    grow_events("B10:p B12:q E14:p E20:q");
    grow_events("B5:o B10:p B12:q E14:p E20:q E30:o");
    grow_events("B10:p B11:q B12:r E14:p E20:r");
    grow_events("B10:p B12:q E14:p i16 B17:s E18:s i19 E20:q B21:t E22:t");
    grow_events("B1:o B10:p B12:q E14:p B15:s E16:s E20:q B21:s E22:s E30:o");
    grow_events("B5:o B10:p B12:q E14:p E16:o E20:q");
    grow_events("B10:p B12:q E14:p X15..16:x E20:q X9..30:y");
    grow_events("B10:p B11:q B12:r B13:s E14:p E15:q B15:t E15:t E15:r E15:s");
}

TEST(ends_with_a_name_that_means_nothing_end_the_innermost)
{
    grow_events("B10:p B12:q E14:e E20:e");
    grow_events("B10:p B12:q B13:r E14 E16:e E20:e");
    grow_events("B10:p B12:q E14:x E15:q E20:p");
    grow_events("B10:p E14:e E20:f");
    grow_events("B10:p E14:e B15:e E16:e E20:p");
    grow_events("E5:e B10:p B12:q E14:e E15 B16:r E17:e E18:e i19 E20:q E21:p");
    grow_events("B9:o E10:e B10:p E11 E12 E13 E14:e B15:q i15 B16:r E16:e E18:r E19:q E20:p");
    grow_events("B10:p X11..12:x B12:q E14:x E15:q E20:p");
}

/* Only the finished trace sorts the begins and ends of a thread. */
TEST(a_late_end_is_shown_at_the_time_of_the_event_before_it)
{
    Op            ops[8];
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    Promises      promises = { .later = { { 0 } } };
    Bytes         rows = { .data = NULL }, warnings = { .data = NULL };
    const char   *events = "B10:p B14:q E12:q B13:r E16:r E20:p";
    const size_t  count = read_ops(events, ops);
    TraceBuilder *b = op_builder(MATCH_BY_TIME_AND_NAME, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    for (size_t i = 0; i < count; i++) {
        op_apply(b, &promises, &ops[i], i);
        CHECK(live_absorb(live, &change, &err));
    }
    rows_append(live_trace(live), 1, &rows);
    warnings_append(live_trace(live), &warnings);
    bytes_append(&rows, "", 1);
    bytes_append(&warnings, "", 1);
    CHECK_STRING((const char *)rows.data, "0.0: n16 10..20; 0.1: n17 14..14 r, n18 14..16 r");
    CHECK_STRING((const char *)warnings.data, "late-event 2 @200#2");
    bytes_release(&rows);
    bytes_release(&warnings);
    live_destroy(live);
    grow_events(events);
}

/* It is inside an open slice whose end was not later than its own so far. */
TEST(an_empty_slice_at_the_end_of_all_lies_inside_what_goes_on)
{
    const Op ops[] = {
        { .kind = OP_BEGIN, .pid = 1, .tid = 1, .tick = 4, .name = 1 },
        { .kind = OP_COMPLETE, .pid = 1, .tid = 1, .tick = 5, .end = 5, .name = 2 },
        { .kind = OP_BEGIN, .pid = 1, .tid = 2, .tick = 7, .name = 3 },
    };
    random_start(1);
    ops_grow(ops, sizeof ops / sizeof ops[0], MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE, 1);
}

/* The last sample of stacks is idle: the trace ends before the tick to which the sample before it lasted so far. */
TEST(unfinished_slices_become_shorter_with_the_trace)
{
    static const Op COMPLETES[] = {
        { .kind = OP_COMPLETE,
          .pid = 1,
          .tid = 1,
          .tick = 2,
          .end = 30,
          .name = 2 }, /* the begin is inside */
        { .kind = OP_COMPLETE, .pid = 1, .tid = 1, .tick = 1, .end = 30, .name = 2 }, /* overlaps so far */
        { .kind = OP_INSTANT, .pid = 1, .tid = 1, .tick = 23, .name = 2 },            /* inside so far */
    };
    for (size_t i = 0; i < sizeof COMPLETES / sizeof COMPLETES[0]; i++) {
        const Op ops[] = {
            { .kind = OP_STACK_SAMPLE, .pid = 1, .tid = 2, .tick = 9, .id = 1 },
            { .kind = OP_BEGIN, .pid = 1, .tid = 1, .tick = 2, .name = 1 },
            COMPLETES[i],
            { .kind = OP_STACK_SAMPLE, .pid = 1, .tid = 2, .tick = 22, .id = 1 },
            { .kind = OP_STACK_SAMPLE, .pid = 1, .tid = 2, .tick = 23, .id = 2 },
        };
        for (uint64_t seed = 1; seed <= 8; seed++) {
            random_start(seed);
            ops_grow(ops, sizeof ops / sizeof ops[0], MATCH_BY_TIME_AND_NAME,
                     seed % 2 == 0 ? TIES_EARLIER_OUTSIDE : TIES_LATER_OUTSIDE, 1);
        }
    }
}

/* The row of one of them is never requested. */
TEST(instants_of_one_time_stay_in_order)
{
    const Op ops[] = {
        { .kind = OP_INSTANT, .pid = 1, .tid = 12, .tick = 10, .name = 2, .flags = EVENT_DETAILS },
        { .kind = OP_COMPLETE, .pid = 1, .tid = 12, .tick = 10, .end = 61, .name = 1 },
        { .kind = OP_INSTANT, .pid = 1, .tid = 12, .tick = 10 },
        { .kind = OP_COMPLETE, .pid = 1, .tid = 12, .tick = 61, .end = 86, .name = 3 },
    };
    random_start(1);
    ops_grow(ops, sizeof ops / sizeof ops[0], MATCH_IN_FILE_ORDER, TIES_LATER_OUTSIDE, 1);
}

/* Times below zero: an instant precedes the first begin of its thread in the input, and lies in its slice. */
TEST(a_late_begin_encloses_an_instant_before_it)
{
    grow_events("i-10 B-20:p E-5:p");
    grow_events("i-10 i-8 B-20:p B-9:q E-5:q");
    grow_events("i10 B5:p E20:p");
}

/* If an end is bound to no slice, only its thread is known. */
TEST(arrows_follow_threads_that_stand_elsewhere_now)
{
    const Op ops[] = {
        { .kind = OP_FLOW,
          .pid = 1,
          .tid = 12,
          .tick = -1,
          .end = 2,
          .name = 4,
          .flags = EVENT_DETAILS,
          .id = 25 },
        { .kind = OP_BEGIN, .pid = 1, .tid = 12, .tick = 45, .name = 3 },
        { .kind = OP_BEGIN, .pid = 1, .tid = 10, .tick = 45, .name = 4 },
        { .kind = OP_FLOW, .pid = 1, .tid = 12, .tick = 56, .name = 1, .id = 25 },
        { .kind = OP_NAME, .pid = 1, .tid = 12, .tick = 57, .name = 1 },
    };
    random_start(1);
    ops_grow(ops, sizeof ops / sizeof ops[0], MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE, 1);
}

/* Threads have values of one counter, each in its own order. */
TEST(sums_of_values_that_come_late_are_those_of_their_time)
{
    enum { SAMPLES = 3000 };
    static Op ops[SAMPLES];
    for (unsigned i = 0; i < SAMPLES; i++) {
        const bool is_late = i % 3 == 2;
        ops[i] = (Op){ .kind = OP_SAMPLE,
                       .pid = 1,
                       .tid = 1,
                       .tick = is_late ? (int64_t)i - 60 : (int64_t)i,
                       .end = is_late ? (int64_t)(i * 7919 % 100) : (int64_t)(i * 104729 % 100),
                       .name = 1 + i % 3 };
    }
    for (size_t seed = 1; seed <= 4; seed++) {
        random_start(seed);
        ops_grow(ops, seed == 1 ? SAMPLES : 30 * seed, MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE, 4);
    }
}

/* Too little for a new layout of its row, until the input pauses. */
TEST(what_was_put_off_is_there_in_the_end)
{
    enum { SLICES = 20000 };
    const Op      first = { .kind = OP_BEGIN, .pid = 1, .tid = 1, .tick = 0, .name = 1 };
    const Op      last = { .kind = OP_BEGIN, .pid = 1, .tid = 1, .tick = 3 * SLICES, .name = 2 };
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    op_apply(b, &promises, &first, 0);
    for (int64_t i = 1; i <= SLICES; i++) {
        const Op inside = {
            .kind = OP_COMPLETE, .pid = 1, .tid = 1, .tick = 2 * i, .end = 2 * i + 1, .name = 3
        };
        op_apply(b, &promises, &inside, (uint64_t)i);
    }
    CHECK(live_absorb(live, &change, &err));
    CHECK(trace_slice_count(live_trace(live)) == SLICES + 1);
    op_apply(b, &promises, &last, SLICES + 1);
    CHECK(live_absorb(live, &change, &err));
    CHECK(live_settle(live, &change, &err));
    CHECK(trace_slice_count(live_trace(live)) == SLICES + 2);
    live_destroy(live);
}

TEST(a_copy_without_memory_is_none)
{
    static Op     ops[MOST_OPS];
    Err           err;
    LiveChange    change;
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(MATCH_BY_TIME_AND_NAME, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ 0 }, &err);
    LiveCopy     *copy = NULL;
    CHECK(live != NULL);
    const size_t count = make_all(1, ops, MOST_OPS);
    for (size_t i = 0; i < count; i++)
        op_apply(b, &promises, &ops[i], i);
    CHECK(live_settle(live, &change, &err));
    const uint64_t held = memory_held();
    for (uint64_t n = 0; copy == NULL; n++) {
        CHECK(n < 1000);
        memory_fail_after(n);
        copy = live_copy(live);
        memory_fail_after(UINT64_MAX);
        if (copy == NULL) CHECK_UINT(memory_held(), held);
    }
    CHECK_UINT(trace_slice_count(live_copy_trace(copy)), trace_slice_count(live_trace(live)));
    live_copy_release(copy);
    CHECK_UINT(memory_held(), held);
    live_destroy(live);
}

TEST_MAIN("live_grow", TEST_CASE(begins_and_ends_grow_as_they_are_built),
          TEST_CASE(completes_grow_as_they_are_built), TEST_CASE(both_on_one_thread_grow_as_they_are_built),
          TEST_CASE(asynchronous_slices_grow_as_they_are_built),
          TEST_CASE(many_asynchronous_slices_grow_as_they_are_built),
          TEST_CASE(objects_grow_as_they_are_built), TEST_CASE(samples_grow_as_they_are_built),
          TEST_CASE(the_last_of_many_samples_holds_for_the_median_in_the_end),
          TEST_CASE(too_many_deep_stacks_grow_as_they_are_built), TEST_CASE(arrows_grow_as_they_are_built),
          TEST_CASE(contexts_grow_as_they_are_built),
          TEST_CASE(dumps_and_what_is_marked_grow_as_they_are_built),
          TEST_CASE(events_of_every_kind_grow_together_as_they_are_built),
          TEST_CASE(exchanged_ends_are_put_right),
          TEST_CASE(ends_with_a_name_that_means_nothing_end_the_innermost),
          TEST_CASE(a_late_end_is_shown_at_the_time_of_the_event_before_it),
          TEST_CASE(an_empty_slice_at_the_end_of_all_lies_inside_what_goes_on),
          TEST_CASE(unfinished_slices_become_shorter_with_the_trace),
          TEST_CASE(instants_of_one_time_stay_in_order),
          TEST_CASE(a_late_begin_encloses_an_instant_before_it),
          TEST_CASE(arrows_follow_threads_that_stand_elsewhere_now),
          TEST_CASE(sums_of_values_that_come_late_are_those_of_their_time),
          TEST_CASE(what_was_put_off_is_there_in_the_end), TEST_CASE(a_copy_without_memory_is_none))
