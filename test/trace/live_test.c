/* A trace that grows against the one that is built of the same events at once. */
#include "trace/live.h"

#include "support/test.h"
#include "trace/flows.h"
#include "trace/lod.h"
#include "trace/sample_index.h"
#include "trace/tile_encode.h"
#include "trace_describe.h"
#include "trace_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MOST_OPS = 4000 };

typedef enum {
    OP_BEGIN,
    OP_END,
    OP_COMPLETE,
    OP_ENDLESS,
    OP_INSTANT,
    OP_PROCESS_INSTANT,
    OP_GLOBAL_INSTANT,
    OP_SAMPLE,
    OP_NAME,
    OP_ASYNC_BEGIN,
    OP_ASYNC_END,
    OP_ASYNC_INSTANT,
    OP_OBJECT_CREATED,
    OP_OBJECT_SNAPSHOT,
    OP_OBJECT_DELETED,
    OP_STACK_SAMPLE,
    OP_SETTLE,
    OP_FLOW,      /* an event of its own */
    OP_FLOW_SLICE /* a slice that is one */
} OpKind;

typedef struct Op {
    OpKind   kind;
    int64_t  pid, tid, tick, end;
    unsigned name; /* 0 = none */
    unsigned flags;
    unsigned id; /* what asynchronous events go by */
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

static void apply_async(TraceBuilder *b, AsyncKind kind, const Op *op, TrackId thread, LabelId label,
                        EventPos pos)
{
    char           key[16];
    const int      size = snprintf(key, sizeof key, "%u", op->id);
    const StrandId strand = builder_strand(b, PROCESS_NONE, builder_string(b, key, (size_t)size));
    builder_async(b, kind, builder_event_kind(b, "n", 1), strand, thread, op->tick, label, pos, op->flags);
}

static void apply_object(TraceBuilder *b, ObjectEventKind kind, const Op *op, TrackId thread, LabelId label,
                         EventPos pos)
{
    char           key[16];
    const int      size = snprintf(key, sizeof key, "0x%x", op->id);
    const ObjectId object = builder_object(b, builder_process(b, ident_int(op->pid)), STRING_NONE,
                                           builder_string(b, key, (size_t)size));
    const StringId category = op->flags == 0 ? STRING_NONE : builder_string(b, "cc", 2);
    builder_other(b, OTHER_EVENT, builder_event_kind(b, "N", 1), thread, &op->tick, label, pos);
    builder_object_event(b, kind, object, thread, op->tick, label, (ObjectNote){ category, category }, pos);
}

/* Stacks that are promised before they are known, of the builder that is fed. */
enum { PROMISES = 4 };
typedef struct Promises {
    StackId later[PROMISES];
    bool    is_kept[PROMISES];
} Promises;
static Promises *promises;

/* As many frames as `id` has digits to the base of 3. */
static StackId stack_of(TraceBuilder *b, unsigned id)
{
    StackId stack = STACK_NONE;
    for (; id > 0; id /= 3) {
        char             name[16];
        const int        size = snprintf(name, sizeof name, "frame %u", id % 3);
        const bool       is_idle = id == 2;
        const StackFrame frame = { .function = builder_string(b, name, (size_t)size),
                                   .line = 7,
                                   .flags = is_idle ? FRAME_IDLE : 0 };
        stack = builder_stack(b, stack, builder_frame(b, &frame));
    }
    return stack;
}

static void apply_sample(TraceBuilder *b, const Op *op, TrackId thread, StringId name)
{
    StackId stack = stack_of(b, op->id);
    if (op->end > 0) { /* one that is promised */
        StackId *later = &promises->later[op->end - 1];
        if (later->index == 0) *later = builder_stack_later(b);
        stack = *later;
    }
    builder_stack_sample(b, builder_sampler(b, thread, op->flags == 0 ? STRING_NONE : name), op->tick, stack,
                         1 + op->name);
}

static void settle(TraceBuilder *b, const Op *op)
{
    const unsigned at = op->id % PROMISES;
    if (promises->later[at].index == 0 || promises->is_kept[at]) return;
    promises->is_kept[at] = true;
    builder_stack_settle(b, promises->later[at], stack_of(b, 3 + op->id));
}

static void apply_flow(TraceBuilder *b, const Op *op, FlowBinding binding, TrackId thread, LabelId label,
                       EventPos pos)
{
    char      key[16], alias[16];
    const int size = snprintf(key, sizeof key, "0x%x", op->id),
              alias_size = snprintf(alias, sizeof alias, "%u", op->id / 2);
    const FlowId   flow = builder_flow(b, PROCESS_NONE, builder_string(b, key, (size_t)size),
                                       builder_string(b, alias, (size_t)alias_size));
    const FlowRole role = op->flags == 0 ? FLOW_START : op->name == 1 ? FLOW_STEP : FLOW_FINISH;
    if (binding != FLOW_BIND_SLICE)
        builder_other(b, OTHER_EVENT, builder_event_kind(b, "s", 1), thread, &op->tick, label, pos);
    builder_flow_event(b, flow, role, binding, thread, op->tick, label, pos);
}

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
    case OP_ASYNC_BEGIN:
        apply_async(b, ASYNC_BEGIN, op, thread, label, pos);
        break;
    case OP_ASYNC_END:
        apply_async(b, ASYNC_END, op, thread, label, pos);
        break;
    case OP_ASYNC_INSTANT:
        apply_async(b, ASYNC_INSTANT, op, thread, label, pos);
        break;
    case OP_OBJECT_CREATED:
        apply_object(b, OBJECT_CREATED, op, thread, label, pos);
        break;
    case OP_OBJECT_SNAPSHOT:
        apply_object(b, OBJECT_SNAPSHOT, op, thread, label, pos);
        break;
    case OP_OBJECT_DELETED:
        apply_object(b, OBJECT_DELETED, op, thread, label, pos);
        break;
    case OP_STACK_SAMPLE:
        apply_sample(b, op, thread, builder_string(b, "sampler", 7));
        break;
    case OP_SETTLE:
        settle(b, op);
        break;
    case OP_FLOW:
        apply_flow(b, op,
                   op->end == 0   ? FLOW_BIND_ENCLOSING
                   : op->end == 1 ? FLOW_BIND_NEXT
                                  : FLOW_BIND_TRACK,
                   thread, label, pos);
        break;
    case OP_FLOW_SLICE:
        builder_complete(b, thread, op->tick, op->end, label, pos, EVENT_DETAILS);
        apply_flow(b, op, FLOW_BIND_SLICE, thread, label, pos);
        break;
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
    Promises     *others = promises, again = { .later = { { 0 } } };
    TraceBuilder *b = make_builder(match, ties);
    promises = &again;
    for (size_t i = 0; i < count; i++)
        apply(b, &ops[i], i);
    promises = others;
    Trace *whole = builder_finish(b, 1, NULL, &err);
    CHECK(whole != NULL);
    builder_destroy(b);
    if (!trace_check(live_trace(live), &err)) fail_msg("after %zu events: %s", count, err.message);
    Bytes expected = { 0 }, actual = { 0 };
    trace_describe(whole, &expected);
    trace_describe(live_trace(live), &actual);
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
    Promises      made = { .later = { { 0 } } };
    TraceBuilder *b = make_builder(match, ties);
    LiveTrace    *live = live_create(b, &options, &err);
    CHECK(live != NULL);
    promises = &made;
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

/* Asynchronous slices: some ids are used for one slice each, some over and over; now and then something comes late. */
static size_t tell_async(size_t most, unsigned ids, unsigned lateness)
{
    int64_t tick = 0;
    size_t  n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick += (int64_t)random_below(3) * (random_below(100) == 0 ? INT64_C(3000000000) : 1);
        int64_t      at = tick - (lateness > 0 && random_below(4) == 0 ? (int64_t)random_below(lateness) : 0);
        const OpKind kind = random_below(9) == 0   ? OP_ASYNC_INSTANT
                            : random_below(2) == 0 ? OP_ASYNC_END
                                                   : OP_ASYNC_BEGIN;
        Op           op = op_on(kind, t, at);
        op.id = (unsigned)random_below(ids);
        if (random_below(3) > 0) op.name = op.id % 4 + 1; /* mostly an end finds a begin */
        all_ops[n++] = op;
        if (random_below(10) == 0) add_extra(&n, t, tick);
    }
    return n;
}

TEST(asynchronous_slices_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        random_state = seed * 15485863;
        const size_t   most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        const unsigned ids = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 30 : 400, late = seed % 2 == 0 ? 0 : 40;
        grow(all_ops, tell_async(most, ids, late), MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE,
             seed % 6 == 0 ? 0 : 4);
    }
}

/* Objects: created, shown, deleted, some of them without a creation or a deletion, some used again. */
static size_t tell_objects(size_t most, unsigned ids, unsigned lateness)
{
    static const OpKind KINDS[] = { OP_OBJECT_CREATED, OP_OBJECT_SNAPSHOT, OP_OBJECT_SNAPSHOT,
                                    OP_OBJECT_SNAPSHOT, OP_OBJECT_DELETED };
    int64_t             tick = 0;
    size_t              n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick += (int64_t)random_below(3);
        int64_t at = tick - (lateness > 0 && random_below(4) == 0 ? (int64_t)random_below(lateness) : 0);
        Op      op = op_on(KINDS[random_below(5)], t, at);
        op.id = (unsigned)random_below(ids);
        if (random_below(5) > 0) op.name = 1 + op.id % 3; /* mostly an object keeps its type */
        all_ops[n++] = op;
        if (random_below(10) == 0) add_extra(&n, t, tick);
    }
    return n;
}

TEST(objects_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        random_state = seed * 32452843;
        const size_t   most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        const unsigned ids = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 15 : 64, late = seed % 2 == 0 ? 0 : 40;
        grow(all_ops, tell_objects(most, ids, late), MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE,
             seed % 6 == 0 ? 0 : 4);
    }
}

/* Samples of three threads by up to two samplers each. */
static size_t tell_samples(size_t most, unsigned lateness, bool promise)
{
    int64_t tick = 0;
    size_t  n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick += (int64_t)random_below(4);
        int64_t at = tick - (lateness > 0 && random_below(4) == 0 ? (int64_t)random_below(lateness) : 0);
        Op      op = op_on(promise && random_below(20) == 0 ? OP_SETTLE : OP_STACK_SAMPLE, t, at);
        op.id = (unsigned)random_below(random_below(2) == 0 ? 9 : 300);
        if (op.kind == OP_STACK_SAMPLE && promise && random_below(5) == 0)
            op.end = 1 + (int64_t)random_below(PROMISES);
        if (random_below(3) > 0) op.name = 0;
        all_ops[n++] = op;
        if (random_below(10) == 0) add_extra(&n, t, tick);
    }
    return n;
}

TEST(samples_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        random_state = seed * 49979687;
        const size_t most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        grow(all_ops, tell_samples(most, seed % 2 == 0 ? 0 : 40, seed % 3 == 0), MATCH_IN_FILE_ORDER,
             TIES_EARLIER_OUTSIDE, seed % 6 == 0 ? 0 : 4);
    }
}

/* Arrows between slices of three threads, told before and after the slices they belong to. */
static size_t tell_flows(size_t most, unsigned ids, bool marks)
{
    int64_t  tick = 0;
    unsigned depth[THREADS] = { 0 };
    size_t   n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick += (int64_t)random_below(3);
        Op op = op_on(OP_FLOW, t, tick - (int64_t)random_below(8));
        op.id = (unsigned)random_below(ids);
        op.end = (int64_t)random_below(3);
        const bool is_slice = random_below(2) == 0;
        if (is_slice && marks) {
            const bool ends = depth[t] > 0 && random_below(2) == 0;
            op = op_on(ends ? OP_END : OP_BEGIN, t, tick);
            if (ends) op.name = 0;
            depth[t] += ends ? -1u : 1u;
        } else if (is_slice) {
            op.kind = random_below(3) == 0 ? OP_FLOW_SLICE : OP_COMPLETE;
            op.end = op.tick + (int64_t)random_below(12);
        }
        all_ops[n++] = op;
        if (random_below(20) == 0) add_extra(&n, t, tick);
    }
    return n;
}

TEST(arrows_grow_as_they_are_built)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        random_state = seed * 86028121;
        const size_t most = seed % 6 == 0 ? 3000 : 10 + random_below(150);
        grow(all_ops, tell_flows(most, seed % 3 == 0 ? 3 : 40, seed % 2 == 0), MATCH_IN_FILE_ORDER,
             TIES_EARLIER_OUTSIDE, seed % 6 == 0 ? 0 : 4);
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

enum { KINDS = 5 };
static size_t tell_kind(int kind, size_t most)
{
    return kind == 0   ? tell_completes(most)
           : kind == 1 ? tell_async(most, 300, 30)
           : kind == 2 ? tell_objects(most, 64, 30)
           : kind == 3 ? tell_flows(most, 200, false)
                       : tell_samples(most, 30, false);
}

/* Each kind over and over, at ever later times: what is older goes, whatever it was made of. */
static void grow_and_let_go(int kind, const LiveOptions *options, uint64_t most_bytes)
{
    enum { ROUNDS = 60, PART = 2000 };
    Err           err;
    LiveChange    change;
    int64_t       begin = 0, latest = 0;
    Promises      made = { .later = { { 0 } } };
    TraceBuilder *b = make_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    promises = &made;
    random_state = 4242 + (uint64_t)kind;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const size_t count = tell_kind(kind, PART);
        for (size_t i = 0; i < count; i++) {
            Op op = all_ops[i];
            op.tick += begin;
            op.end += op.kind == OP_COMPLETE || op.kind == OP_FLOW_SLICE ? begin : 0;
            op.id += op.kind >= OP_ASYNC_BEGIN && op.kind <= OP_ASYNC_INSTANT ? (unsigned)round * 300 : 0;
            if (op.tick > latest) latest = op.tick;
            apply(b, &op, round * PART + i);
        }
        CHECK(live_absorb(live, &change, &err));
        if (!trace_check(live_trace(live), &err))
            fail_msg("kind %d, round %llu: %s", kind, (unsigned long long)round, err.message);
        if (round == ROUNDS / 4) memory_watch();
        begin = latest + 1;
    }
    if (live_bytes(live) > most_bytes)
        fail_msg("kind %d: %llu bytes", kind, (unsigned long long)live_bytes(live));
    if (memory_peak() > 8 * most_bytes)
        fail_msg("kind %d: %llu bytes of memory", kind, (unsigned long long)memory_peak());
    CHECK(live_dropped_count(live) > 0);
    live_destroy(live);
}

TEST(every_kind_is_let_go)
{
    for (int kind = 0; kind < KINDS; kind++)
        grow_and_let_go(kind, &(LiveOptions){ .keep_bytes = 2000000 }, 2000000);
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

/* A thread of its own for each event, and a process for each thousand: memory stays bounded, and what has nothing left goes. */
static void grow_ever_new(const LiveOptions *options, uint64_t most_bytes)
{
    enum { EVENTS = 400000, AN_ABSORB = 2000, IN_A_PROCESS = 1000 };
    Err           err;
    LiveChange    change;
    uint64_t      event = 0;
    TraceBuilder *b = make_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    const LabelId label = builder_label(b, builder_string(b, "once", 4), STRING_NONE);
    memory_watch();
    for (int i = 0; i < EVENTS; i++) {
        const ProcessId process = builder_process(b, ident_int(i / IN_A_PROCESS));
        begin_and_end(b, builder_thread(b, process, ident_int(i)), label, (int64_t)i * 1000000, &event);
        if (i == EVENTS / 2) CHECK(!has_track(live_trace(live), "Thread 0")); /* it is long ago */
        if (i % AN_ABSORB != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (i % (20 * AN_ABSORB) == 0 && !trace_check(live_trace(live), &err)) fail_msg("%s", err.message);
    }
    const TrackId back = builder_thread(b, builder_process(b, ident_int(0)), ident_int(0));
    begin_and_end(b, back, label, (int64_t)EVENTS * 1000000, &event);
    CHECK(live_settle(live, &change, &err));
    if (memory_peak() > most_bytes) fail_msg("%llu bytes", (unsigned long long)memory_peak());
    const Trace *trace = live_trace(live);
    CHECK(has_track(trace, "Thread 0")); /* and has come back */
    CHECK(has_track(trace, "Thread " BUILDER_REST_ID));
    CHECK(trace_slice_count(trace) + live_dropped_count(live) == EVENTS + 1);
    CHECK_UINT(trace->warning_count, 1);
    CHECK(strcmp(trace->warnings[0].kind, "threads-not-kept") == 0);
    if (!trace_check(trace, &err)) fail_msg("%s", err.message);
    live_destroy(live);
}

TEST(threads_that_are_ever_new_have_a_bound)
{
    grow_ever_new(&(LiveOptions){ .keep_bytes = 1 << 20 }, 12 << 20);
    grow_ever_new(&(LiveOptions){ .keep_ns = UINT64_C(10000000000) }, 160 << 20);
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

/* Some of every kind, one after the other. */
static size_t tell_everything(Op *ops, size_t most)
{
    size_t count = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        const size_t part = tell_kind(kind, most / KINDS);
        memcpy(ops + count, all_ops, part * sizeof *ops);
        count += part;
    }
    return count;
}

TEST(memory_that_runs_out_leaves_what_was_there)
{
    Op failing[200];
    random_state = 99;
    const size_t count = tell_everything(failing, sizeof failing / sizeof failing[0]);
    bool         done = false;
    for (uint64_t requests = 0; !done && requests < 4000; requests++) {
        Err         err = { 0 };
        LiveChange  change;
        LiveOptions options = { 0 };
        Promises    made = { .later = { { 0 } } };
        promises = &made;
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
          TEST_CASE(asynchronous_slices_grow_as_they_are_built), TEST_CASE(objects_grow_as_they_are_built),
          TEST_CASE(samples_grow_as_they_are_built), TEST_CASE(arrows_grow_as_they_are_built),
          TEST_CASE(what_did_not_change_is_said), TEST_CASE(a_day_kept_to_an_hour),
          TEST_CASE(a_day_kept_to_a_size), TEST_CASE(every_kind_is_let_go),
          TEST_CASE(threads_that_are_ever_new_have_a_bound), TEST_CASE(names_that_are_ever_new_have_a_bound),
          TEST_CASE(memory_that_runs_out_leaves_what_was_there))
