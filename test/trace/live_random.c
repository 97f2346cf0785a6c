/* Streams of random events. */
#include "live_support.h"

enum { THREADS = 3 };

static Op op_on(OpKind kind, unsigned thread, int64_t tick)
{
    return (Op){ .kind = kind,
                 .pid = 1 + thread % 2,
                 .tid = 10 + thread,
                 .tick = tick,
                 .name = (unsigned)random_below(5),
                 .flags = random_below(3) == 0 ? EVENT_DETAILS : 0 };
}

static void add_extra(Op *ops, size_t *n, unsigned thread, int64_t tick)
{
    static const OpKind KINDS[] = { OP_INSTANT, OP_PROCESS_INSTANT, OP_GLOBAL_INSTANT, OP_SAMPLE, OP_NAME };
    Op                  op = op_on(KINDS[random_below(5)], thread, tick);
    if (op.kind == OP_SAMPLE) op.end = (int64_t)random_below(100) - (random_below(3) == 0 ? 50 : 0);
    if (op.kind == OP_NAME && op.name == 0) op.name = 1;
    if (op.name == 0 && op.kind == OP_SAMPLE) op.name = 2;
    ops[(*n)++] = op;
}

/* Returns the name of an end: usually that of its begin or none; otherwise, by `manner`, any, or the same for all
 * ends. */
static unsigned end_name(unsigned begin, unsigned manner)
{
    enum { CONSTANT_NAME = 9 };
    switch (manner % 4) {
    case 0: /* right ones */
        return random_below(2) == 0 ? 0 : begin;
    case 1: /* some wrong ones */
        return random_below(8) == 0 ? (unsigned)random_below(5) : random_below(2) == 0 ? 0 : begin;
    case 2: /* often wrong ones, including names without a begin */
        return random_below(2) == 0 ? (unsigned)random_below(7) : begin;
    default: /* one without meaning, or whose meaning an end or a begin shows later */
        return random_below(30) == 0 ? begin : random_below(3) == 0 ? 0 : CONSTANT_NAME;
    }
}

/* Adds begins and ends of each thread: names as above; `lateness` > 0: some begins and ends arrive late. */
static size_t make_begins_and_ends(Op *ops, size_t most, unsigned manner, unsigned lateness)
{
    int64_t  tick[THREADS] = { 0 };
    unsigned names[THREADS][64], depth[THREADS] = { 0 };
    size_t   n = 0;
    ops[n++] = op_on(OP_INSTANT, 0, 0); /* the trace begins at 0, so that all events are after its begin */
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick[t] += (int64_t)random_below(4) * (random_below(50) == 0 ? INT64_C(3000000000) : 1);
        int64_t late = lateness > 0 && random_below(6) == 0 ? (int64_t)random_below(lateness) : 0;
        if (late > tick[t]) late = tick[t];
        if (random_below(8) == 0) {
            add_extra(ops, &n, t, tick[t]);
        } else if (depth[t] < 60 && (depth[t] == 0 || random_below(2) == 0)) {
            Op op = op_on(OP_BEGIN, t, tick[t] - late);
            if (manner % 4 == 3 && random_below(300) == 0) op.name = 9;
            names[t][depth[t]++] = op.name;
            ops[n++] = op;
        } else {
            Op op = op_on(OP_END, t, tick[t] - late);
            op.name = end_name(names[t][depth[t] - 1], manner);
            depth[t]--;
            ops[n++] = op;
            /* one more than begins */
            if (manner % 4 != 0 && depth[t] == 0 && random_below(3) == 0 && n + 1 < most) {
                op.name = end_name(op.name, manner);
                ops[n++] = op;
            }
        }
    }
    return n;
}

/* Adds completes at their ends: inner ones before outer ones. */
static void add_call(Op *ops, size_t *n, size_t most, unsigned thread, int64_t *tick, int level)
{
    const int64_t begin = *tick;
    unsigned      children = level == 0 ? 0 : (unsigned)random_below(4);
    for (unsigned i = 0; i < children && *n < most; i++) {
        *tick += (int64_t)random_below(3);
        add_call(ops, n, most, thread, tick, level - 1);
    }
    *tick += (int64_t)random_below(4) * (random_below(40) == 0 ? INT64_C(2000000000) : 1);
    if (*n >= most) return;
    Op op = op_on(random_below(60) == 0 && level == 0 ? OP_INSTANT : OP_COMPLETE, thread, begin);
    op.end = *tick;
    if (random_below(30) == 0) op.end += 3; /* overlaps the next one */
    ops[(*n)++] = op;
    if (*n < most && random_below(20) == 0) add_extra(ops, n, thread, begin);
}

static size_t make_completes(Op *ops, size_t most)
{
    int64_t tick[THREADS] = { 0 };
    size_t  n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        add_call(ops, &n, most, t, &tick[t], 4);
        if (n + 1 < most && random_below(200) == 0) ops[n++] = op_on(OP_ENDLESS, t, tick[t]);
    }
    return n;
}

/* Both on the same threads. */
static size_t make_mixed(Op *ops, size_t most, unsigned manner)
{
    int64_t  tick[THREADS] = { 0 };
    unsigned names[THREADS][6], depth[THREADS] = { 0 };
    size_t   n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick[t] += (int64_t)random_below(3);
        if (random_below(3) == 0) {
            Op op = op_on(OP_COMPLETE, t, tick[t]);
            op.end = op.tick + (int64_t)random_below(5);
            ops[n++] = op;
        } else if (depth[t] < 6 && (depth[t] == 0 || random_below(2) == 0)) {
            const Op op = op_on(OP_BEGIN, t, tick[t]);
            names[t][depth[t]++] = op.name;
            ops[n++] = op;
        } else {
            Op op = op_on(OP_END, t, tick[t]);
            op.name = end_name(names[t][--depth[t]], manner);
            ops[n++] = op;
        }
    }
    return n;
}

/* Adds asynchronous slices: some ids are used for one slice each, some repeatedly; sometimes an event is late. */
static size_t make_async(Op *ops, size_t most, unsigned ids, unsigned lateness)
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
        if (random_below(3) > 0) op.name = op.id % 4 + 1; /* usually an end has a begin */
        ops[n++] = op;
        if (random_below(10) == 0) add_extra(ops, &n, t, tick);
    }
    return n;
}

/* Adds objects: created, shown, deleted, some without a creation or a deletion, some reused. */
static size_t add_objects(Op *ops, size_t most, unsigned ids, unsigned lateness)
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
        if (random_below(5) > 0) op.name = 1 + op.id % 3; /* usually an object keeps its type */
        ops[n++] = op;
        if (random_below(10) == 0) add_extra(ops, &n, t, tick);
    }
    return n;
}

/* Adds samples of three threads by up to two samplers each. */
static size_t make_samples(Op *ops, size_t most, unsigned lateness, bool promise)
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
        ops[n++] = op;
        if (random_below(10) == 0) add_extra(ops, &n, t, tick);
    }
    return n;
}

/* Adds arrows between slices of three threads, before and after their slices. */
static size_t make_flows(Op *ops, size_t most, unsigned ids, bool marks)
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
        ops[n++] = op;
        if (random_below(20) == 0) add_extra(ops, &n, t, tick);
    }
    return n;
}

/* Enters and leaves contexts on threads; some are never left, some never were entered. */
static size_t make_contexts(Op *ops, size_t most, unsigned ids, unsigned lateness)
{
    int64_t  tick = 0;
    unsigned depth[THREADS] = { 0 };
    size_t   n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick += (int64_t)random_below(3);
        int64_t    at = tick - (lateness > 0 && random_below(4) == 0 ? (int64_t)random_below(lateness) : 0);
        const bool leaves = random_below(depth[t] > 4 ? 4 : 2) > 0;
        Op         op = op_on(leaves ? OP_CONTEXT_LEFT : OP_CONTEXT_ENTERED, t, at);
        op.id = (unsigned)random_below(ids);
        op.name = op.id % 3;
        if (random_below(4) > 0) op.flags = 0;
        depth[t] += leaves ? (depth[t] > 0 ? -1u : 0) : 1u;
        ops[n++] = op;
        if (random_below(10) == 0) add_extra(ops, &n, t, tick);
    }
    return n;
}

/* Adds dumps, comparisons of clocks, and moments, some of them outside the range so far. */
static size_t make_kept(Op *ops, size_t most, unsigned lateness)
{
    static const OpKind KINDS[] = { OP_DUMP, OP_DUMP, OP_CLOCK_SYNC, OP_MOMENT };
    int64_t             tick = 0;
    size_t              n = 0;
    while (n + 1 < most) {
        unsigned t = (unsigned)random_below(THREADS);
        tick += (int64_t)random_below(3);
        Op op = op_on(KINDS[random_below(4)], t, tick - (int64_t)random_below(1 + lateness));
        op.id = (unsigned)random_below(20);
        if (op.kind == OP_MOMENT) op.tick = tick - 100 + (int64_t)random_below(300);
        ops[n++] = op;
        if (random_below(3) == 0) add_extra(ops, &n, t, tick);
    }
    return n;
}

size_t stream_make(StreamKind kind, uint64_t seed, Op *ops, size_t most)
{
    const bool     even = seed % 2 == 0;
    const unsigned late = even ? 0 : 40;
    const unsigned manner = (unsigned)(seed / 2 % 4);
    switch (kind) {
    case STREAM_BEGIN_END:
        return make_begins_and_ends(ops, most, manner, seed % 3 == 0 ? 6 : 0);
    case STREAM_COMPLETES:
        return make_completes(ops, most);
    case STREAM_MIXED:
        return make_mixed(ops, most, manner);
    case STREAM_ASYNC:
        return make_async(ops, most, seed % 3 == 0 ? 4 : seed % 3 == 1 ? 30 : 400, late);
    case STREAM_OBJECTS:
        return add_objects(ops, most, seed % 3 == 0 ? 4 : seed % 3 == 1 ? 15 : 64, late);
    case STREAM_SAMPLES:
        return make_samples(ops, most, late, seed % 3 == 0);
    case STREAM_FLOWS:
        return make_flows(ops, most, seed % 3 == 0 ? 3 : 40, even);
    case STREAM_CONTEXTS:
        return make_contexts(ops, most, seed % 3 == 0 ? 3 : seed % 3 == 1 ? 12 : 100, late);
    case STREAM_KEPT:
        break;
    }
    return make_kept(ops, most, late);
}
