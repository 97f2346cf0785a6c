/* A trace that grows against the one that is built of the same events at once. */
#include "trace/live.h"

#include "support/test.h"
#include "trace/lod.h"
#include "trace/sample_index.h"
#include "trace/tile_encode.h"
#include "trace_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    OP_BEGIN,
    OP_END,
    OP_COMPLETE,
    OP_ENDLESS,
    OP_INSTANT,
    OP_PROCESS_INSTANT,
    OP_GLOBAL_INSTANT,
    OP_SAMPLE,
    OP_NAME
} OpKind;

typedef struct Op {
    OpKind   kind;
    int64_t  pid, tid, tick, end;
    unsigned name; /* 0 = none */
    unsigned flags;
} Op;

static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % bound;
}

/* ---- events ---- */

static void apply(TraceBuilder *b, const Op *op, uint64_t number)
{
    char           name[16];
    const EventPos pos = { number * 100, number };
    snprintf(name, sizeof name, "n%u", op->name);
    const ProcessId process = builder_process(b, ident_int(op->pid));
    const TrackId   thread = builder_thread(b, process, ident_int(op->tid));
    const StringId  text = builder_string(b, name, strlen(name));
    const LabelId   label = op->name == 0 ? LABEL_NONE : builder_label(b, text, STRING_NONE);
    switch (op->kind) {
    case OP_BEGIN:
        builder_begin(b, thread, op->tick, label, pos, op->flags);
        break;
    case OP_END:
        builder_end(b, thread, op->tick, label, pos, op->flags);
        break;
    case OP_COMPLETE:
        builder_complete(b, thread, op->tick, op->end, label, pos, op->flags);
        break;
    case OP_ENDLESS:
        builder_complete(b, thread, op->tick, op->tick, label, pos, op->flags | EVENT_NO_END);
        break;
    case OP_INSTANT:
        builder_instant(b, thread, op->tick, label, INSTANT_THREAD, pos, op->flags);
        break;
    case OP_PROCESS_INSTANT:
        builder_instant(b, thread, op->tick, label, INSTANT_PROCESS, pos, op->flags);
        break;
    case OP_GLOBAL_INSTANT:
        builder_instant(b, thread, op->tick, label, INSTANT_GLOBAL, pos, op->flags);
        break;
    case OP_SAMPLE: {
        const CounterId counter = builder_counter(b, process, builder_string(b, "memory", 6), STRING_NONE);
        builder_sample(b, builder_series(b, counter, text, 0), op->tick, (double)op->end);
        break;
    }
    case OP_NAME:
        builder_name_thread(b, thread, text);
        break;
    }
}

static TraceBuilder *make_builder(MatchRule match, TieRule ties)
{
    TraceBuilder *b = builder_create("test", 0);
    CHECK(b != NULL);
    builder_set_rules(b, match, UNFINISHED_TO_TRACE_END);
    builder_set_ties(b, ties);
    return b;
}

/* What both must agree on: tracks and rows with all they hold, and where in the input it stands. */
static void describe(const Trace *trace, Bytes *out)
{
    bytes_printf(out, "%lld..%lld, %llu slices, %llu instants, %u threads, %llu open, depth %u\n",
                 (long long)trace->begin_tick, (long long)trace->end_tick,
                 (unsigned long long)trace_slice_count(trace), (unsigned long long)trace_instant_count(trace),
                 trace->thread_count, (unsigned long long)trace->unfinished_count, trace->max_depth);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        trace_track_title(trace, t, out);
        bytes_printf(out, " of process %u, kind %d, %llu samples, %g to %g:\n  ", track->process.index,
                     (int)track->kind, (unsigned long long)track->sample_count, track->least,
                     track->greatest);
        rows_append(trace, t, out);
        for (uint32_t r = track->first_row; r < track->first_row + track->row_count; r++) {
            const Row *row = &trace->rows[r];
            for (uint32_t i = 0; i < row->slice_count; i++) {
                uint64_t begin = 0, end = 0;
                bool     has = trace_slice_source(trace, row->first_slice + i, &begin);
                bool     has_end = trace_slice_end_source(trace, row->first_slice + i, &end);
                if (has || has_end)
                    bytes_printf(out, " %llu-%llu", (unsigned long long)begin, (unsigned long long)end);
            }
            for (uint32_t i = 0; i < row->instant_count; i++) {
                StringView title;
                Bytes      text = { 0 };
                trace_track_title(trace, trace_instant_thread(trace, row->first_instant + i), &text);
                title = (StringView){ (const char *)text.data, text.size };
                bytes_printf(out, " by %.*s", (int)title.size, title.bytes);
                bytes_release(&text);
            }
            for (uint32_t i = 0; i < row->sample_count; i++)
                bytes_printf(out, " %lld=%g", (long long)trace->samples.tick[row->first_sample + i],
                             trace->samples.value[row->first_sample + i]);
        }
        bytes_append_text(out, "\n");
    }
}

/* Summaries of many ranges against what is added up one by one. */
static void check_index(const Trace *trace)
{
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (int n = 0; n < 4 && row->slice_count > 0; n++) {
            uint32_t   first = (uint32_t)random_below(row->slice_count);
            uint32_t   last = first + (uint32_t)random_below(row->slice_count - first + 1);
            LodSummary summary = lod_summarise(trace, row, first, last, NULL);
            uint64_t   covered = 0;
            for (uint32_t i = first; i < last; i++)
                covered += trace_slice_duration(trace, row->first_slice + i);
            CHECK(summary.count == last - first);
            CHECK(summary.covered == covered);
        }
        for (int n = 0; n < 4 && row->sample_count > 0; n++) {
            uint32_t    first = (uint32_t)random_below(row->sample_count);
            uint32_t    last = first + 1 + (uint32_t)random_below(row->sample_count - first);
            SampleRange range = sample_range(trace, row, first, last, NULL);
            double      greatest = -1e300;
            for (uint32_t i = first; i < last; i++)
                if (trace->samples.value[row->first_sample + i] > greatest)
                    greatest = trace->samples.value[row->first_sample + i];
            CHECK(range.greatest == greatest);
        }
    }
}

static void check_equal(LiveTrace *live, const Op *ops, size_t count, MatchRule match, TieRule ties)
{
    Err           err;
    TraceBuilder *b = make_builder(match, ties);
    for (size_t i = 0; i < count; i++)
        apply(b, &ops[i], i);
    Trace *whole = builder_finish(b, 1, NULL, &err);
    CHECK(whole != NULL);
    builder_destroy(b);
    if (!trace_check(live_trace(live), &err)) fail_msg("after %zu events: %s", count, err.message);
    Bytes expected = { 0 }, actual = { 0 };
    describe(whole, &expected);
    describe(live_trace(live), &actual);
    size_t same = 0;
    while (same < expected.size && same < actual.size && expected.data[same] == actual.data[same])
        same++;
    if (same < expected.size || same < actual.size) {
        const size_t from = same < 120 ? 0 : same - 120;
        const int    most = 300;
        bytes_append(&expected, "", 1);
        bytes_append(&actual, "", 1);
        fail_msg("after %zu events, from character %zu of what there is\nat once: %.*s\ngrown:   %.*s", count,
                 from, most, (const char *)expected.data + from, most, (const char *)actual.data + from);
    }
    check_index(live_trace(live));
    bytes_release(&expected);
    bytes_release(&actual);
    trace_release(whole);
}

/* Feeds the events, absorbs now and then, and compares at the end and, `often`, on the way. */
static void grow(const Op *ops, size_t count, MatchRule match, TieRule ties, unsigned often)
{
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    TraceBuilder *b = make_builder(match, ties);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    const uint64_t step = 1 + random_below(1 + count / 4);
    for (size_t i = 0; i < count; i++) {
        apply(b, &ops[i], i);
        if (random_below(step) != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (often == 0 || random_below(often) != 0) continue;
        CHECK(live_settle(live, &change, &err));
        check_equal(live, ops, i + 1, match, ties);
    }
    CHECK(live_settle(live, &change, &err));
    check_equal(live, ops, count, match, ties);
    live_destroy(live);
}

enum { THREADS = 3, MOST_OPS = 4000 };
static Op all_ops[MOST_OPS];

static Op op_on(OpKind kind, unsigned thread, int64_t tick)
{
    return (Op){ .kind = kind,
                 .pid = 1 + thread % 2,
                 .tid = 10 + thread,
                 .tick = tick,
                 .name = (unsigned)random_below(5),
                 .flags = random_below(3) == 0 ? EVENT_DETAILS : 0 };
}

static void add_extra(size_t *n, unsigned thread, int64_t tick)
{
    static const OpKind KINDS[] = { OP_INSTANT, OP_PROCESS_INSTANT, OP_GLOBAL_INSTANT, OP_SAMPLE, OP_NAME };
    Op                  op = op_on(KINDS[random_below(5)], thread, tick);
    if (op.kind == OP_SAMPLE) op.end = (int64_t)random_below(100) - (random_below(3) == 0 ? 50 : 0);
    if (op.kind == OP_NAME && op.name == 0) op.name = 1;
    if (op.name == 0 && op.kind == OP_SAMPLE) op.name = 2;
    all_ops[(*n)++] = op;
}

/* Begins and ends in order of each thread's time, some of the ends without a name. */
static size_t tell_marks(size_t most, bool ends_match)
{
    int64_t  tick[THREADS] = { 0 };
    unsigned names[THREADS][64], depth[THREADS] = { 0 };
    size_t   n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick[t] += (int64_t)random_below(4) * (random_below(50) == 0 ? INT64_C(3000000000) : 1);
        if (random_below(8) == 0) {
            add_extra(&n, t, tick[t]);
        } else if (depth[t] < 60 && (depth[t] == 0 || random_below(2) == 0)) {
            Op op = op_on(OP_BEGIN, t, tick[t]);
            names[t][depth[t]++] = op.name;
            all_ops[n++] = op;
        } else {
            Op op = op_on(OP_END, t, tick[t]);
            op.name = random_below(2) == 0 ? 0 : names[t][depth[t] - 1];
            if (!ends_match && random_below(10) == 0) op.name = 0;
            depth[t]--;
            all_ops[n++] = op;
        }
    }
    return n;
}

/* Completes as they end: those inside before those around them. */
static void tell_call(size_t *n, size_t most, unsigned thread, int64_t *tick, int level)
{
    const int64_t begin = *tick;
    unsigned      children = level == 0 ? 0 : (unsigned)random_below(4);
    for (unsigned i = 0; i < children && *n < most; i++) {
        *tick += (int64_t)random_below(3);
        tell_call(n, most, thread, tick, level - 1);
    }
    *tick += (int64_t)random_below(4) * (random_below(40) == 0 ? INT64_C(2000000000) : 1);
    if (*n >= most) return;
    Op op = op_on(random_below(60) == 0 && level == 0 ? OP_INSTANT : OP_COMPLETE, thread, begin);
    op.end = *tick;
    if (random_below(30) == 0) op.end += 3; /* overlaps what comes next */
    all_ops[(*n)++] = op;
    if (*n < most && random_below(20) == 0) add_extra(n, thread, begin);
}

static size_t tell_completes(size_t most)
{
    int64_t tick[THREADS] = { 0 };
    size_t  n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tell_call(&n, most, t, &tick[t], 4);
        if (n + 1 < most && random_below(200) == 0) all_ops[n++] = op_on(OP_ENDLESS, t, tick[t]);
    }
    return n;
}

/* Both on the same threads. */
static size_t tell_mixed(size_t most)
{
    int64_t  tick[THREADS] = { 0 };
    unsigned depth[THREADS] = { 0 };
    size_t   n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick[t] += (int64_t)random_below(3);
        if (random_below(3) == 0) {
            Op op = op_on(OP_COMPLETE, t, tick[t]);
            op.end = op.tick + (int64_t)random_below(5);
            all_ops[n++] = op;
        } else if (depth[t] < 6 && (depth[t] == 0 || random_below(2) == 0)) {
            depth[t]++;
            all_ops[n++] = op_on(OP_BEGIN, t, tick[t]);
        } else {
            depth[t]--;
            Op op = op_on(OP_END, t, tick[t]);
            op.name = 0;
            all_ops[n++] = op;
        }
    }
    return n;
}

TEST(begins_and_ends_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_state = seed * 7919;
        const size_t    most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        const MatchRule match = seed % 2 == 0 ? MATCH_IN_FILE_ORDER : MATCH_BY_TIME_AND_NAME;
        grow(all_ops, tell_marks(most, match == MATCH_BY_TIME_AND_NAME), match, TIES_EARLIER_OUTSIDE,
             seed % 6 == 0 ? 0 : 4);
    }
}

TEST(completes_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_state = seed * 104729;
        const size_t  most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        const TieRule ties = seed % 2 == 0 ? TIES_LATER_OUTSIDE : TIES_EARLIER_OUTSIDE;
        grow(all_ops, tell_completes(most), MATCH_IN_FILE_ORDER, ties, seed % 6 == 0 ? 0 : 4);
    }
}

TEST(both_on_one_thread_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        random_state = seed * 1299709;
        const size_t most = seed % 6 == 0 ? 2000 : 10 + random_below(100);
        grow(all_ops, tell_mixed(most), MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE, seed % 6 == 0 ? 0 : 4);
    }
}

static void begin_and_end(TraceBuilder *b, TrackId thread, LabelId label, int64_t tick, uint64_t *event)
{
    builder_begin(b, thread, tick, label, (EventPos){ *event * 10, *event }, 0);
    ++*event;
    builder_end(b, thread, tick + 5, label, (EventPos){ *event * 10, *event }, 0);
    ++*event;
}

TEST(what_did_not_change_is_said)
{
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    uint64_t      event = 0;
    TraceBuilder *b = make_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
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

/* A day of one call a second of each of some threads, kept to an hour, or to a size: memory and rows stay bounded, and what is
 * left is the latest. */
static void grow_a_day(const LiveOptions *options, uint64_t most_bytes)
{
    enum { HOURS = 24, CALLS = 3600, DAY_THREADS = 4 };
    const int64_t second = 1000000000;
    Err           err;
    LiveChange    change;
    uint64_t      event = 0, dropped = 0, peak = 0;
    TraceBuilder *b = make_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
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
        CHECK(trace->slices.begin_tick[row->first_slice + row->slice_count - 1] >=
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

/* Names that are ever new stop being kept when they fill their share; those there are go on being known. */
TEST(names_that_are_ever_new_have_a_bound)
{
    enum { NAMES = 200000, ROOM = 1 << 20 };
    Err           err;
    LiveChange    change;
    uint64_t      event = 0;
    char          name[64];
    TraceBuilder *b = make_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
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
    CHECK(string_equal(trace_label_name(trace, trace->slices.label[last - 1]), STRING_LITERAL("request 0")));
    CHECK(
        string_equal(trace_label_name(trace, trace->slices.label[last]), STRING_LITERAL(BUILDER_OTHER_NAME)));
    CHECK_UINT(trace->warning_count, 1);
    CHECK(strcmp(trace->warnings[0].kind, "names-not-kept") == 0);
    if (!trace_check(trace, &err)) fail_msg("%s", err.message);
    live_destroy(live);
}

TEST(memory_that_runs_out_leaves_what_was_there)
{
    Op failing[200];
    random_state = 99;
    const size_t count = tell_completes(sizeof failing / sizeof failing[0]);
    memcpy(failing, all_ops, count * sizeof failing[0]);
    bool done = false;
    for (uint64_t requests = 0; !done && requests < 2000; requests++) {
        Err         err = { 0 };
        LiveChange  change;
        LiveOptions options = { 0 };
        memory_fail_after(UINT64_MAX);
        TraceBuilder *b = make_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
        memory_fail_after(requests);
        LiveTrace *live = live_create(b, &options, &err);
        done = live != NULL;
        for (size_t i = 0; i < count && live != NULL; i++) {
            apply(b, &failing[i], i);
            if (i % 40 != 0) continue;
            done = done && live_absorb(live, &change, &err);
        }
        memory_fail_after(UINT64_MAX);
        live_destroy(live);
        CHECK(done || err.code == ERR_MEMORY);
    }
    CHECK(done);
}

TEST_MAIN("live", TEST_CASE(begins_and_ends_grow_as_they_are_built),
          TEST_CASE(completes_grow_as_they_are_built), TEST_CASE(both_on_one_thread_grow_as_they_are_built),
          TEST_CASE(what_did_not_change_is_said), TEST_CASE(a_day_kept_to_an_hour),
          TEST_CASE(a_day_kept_to_a_size), TEST_CASE(names_that_are_ever_new_have_a_bound),
          TEST_CASE(memory_that_runs_out_leaves_what_was_there))
