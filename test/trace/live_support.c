#include "live_support.h"

#include "support/test.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"
#include "trace_describe.h"

#include <stdio.h>
#include <string.h>

static TestRandom dice;

void random_start(uint64_t seed)
{
    dice.state = seed;
}

uint64_t random_below(uint64_t bound)
{
    return test_random_below(&dice, bound);
}

/* ---- events ---- */

static void apply_async(TraceBuilder *b, AsyncKind kind, const Op *op, TrackId thread, LabelId label,
                        EventPos pos)
{
    char          key[16];
    const int     size = snprintf(key, sizeof key, "%u", op->id);
    const AsyncId async_id = builder_async_id(b, PROCESS_NONE, key, (size_t)size);
    builder_async(b, kind, builder_event_kind(b, "n", 1), async_id,
                  &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos }, op->flags);
}

static void apply_object(TraceBuilder *b, ObjectEventKind kind, const Op *op, TrackId thread, LabelId label,
                         EventPos pos)
{
    char           key[16];
    const int      size = snprintf(key, sizeof key, "0x%x", op->id);
    const ObjectId object = builder_object(b, builder_process(b, ident_int(op->pid)), STRING_NONE,
                                           builder_string(b, key, (size_t)size));
    const StringId category = op->flags == 0 ? STRING_NONE : builder_string(b, "cc", 2);
    builder_other(b, OTHER_EVENT, builder_event_kind(b, "N", 1),
                  &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos });
    builder_object_event(b, kind, object,
                         &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos },
                         (ObjectNote){ category, category });
}

/* Returns a stack with as many frames as `id` has digits in base 3. */
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

static void apply_sample(TraceBuilder *b, Promises *promises, const Op *op, TrackId thread, StringId name)
{
    StackId stack = stack_of(b, op->id);
    if (op->end > 0) { /* a promised one */
        StackId *later = &promises->later[op->end - 1];
        if (later->index == 0) *later = builder_stack_later(b);
        stack = *later;
    }
    builder_stack_sample(b, builder_sampler(b, thread, op->flags == 0 ? STRING_NONE : name), op->tick, stack,
                         1 + op->name);
}

static void settle(TraceBuilder *b, Promises *promises, const Op *op)
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
        builder_other(b, OTHER_EVENT, builder_event_kind(b, "s", 1),
                      &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos });
    builder_flow_event(b, flow, role, binding,
                       &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos });
}

static void apply_context(TraceBuilder *b, const Op *op, TrackId thread, LabelId label, EventPos pos)
{
    char           id[16];
    const int      size = snprintf(id, sizeof id, "0x%x", op->id);
    const StringId scope = op->flags == 0 ? STRING_NONE : builder_string(b, "scope", 5);
    builder_other(b, OTHER_EVENT, builder_event_kind(b, "(", 1),
                  &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos });
    builder_context(b, op->kind == OP_CONTEXT_ENTERED ? CONTEXT_ENTERED : CONTEXT_LEFT,
                    &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos }, scope,
                    builder_string(b, id, (size_t)size));
}

/* Adds a raw event that is also shown as an instant. */
static void apply_kept(TraceBuilder *b, const Op *op, TrackId thread, LabelId label, EventPos pos)
{
    char           text[16];
    const int      size = snprintf(text, sizeof text, "0x%x", op->id);
    const StringId id = op->id == 0 ? STRING_NONE : builder_string(b, text, (size_t)size);
    const bool     is_moment = op->kind == OP_MOMENT;
    builder_other(
        b, is_moment ? OTHER_METADATA : OTHER_EVENT, builder_event_kind(b, "v", 1),
        &(EventHead){
            .thread = thread, .tick = op->tick, .label = label, .pos = pos, .is_timeless = is_moment });
    if (op->kind == OP_DUMP)
        builder_dump(b, &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos }, id);
    if (op->kind == OP_CLOCK_SYNC)
        builder_clock_sync(b, &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos },
                           id, STRING_NONE);
    if (is_moment)
        builder_moment(b, &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos });
}

static void apply_value(TraceBuilder *b, ProcessId process, const Op *op, StringId series)
{
    const CounterId counter = builder_counter(b, process, builder_string(b, "memory", 6), STRING_NONE);
    builder_sample(b, builder_series(b, counter, series, 0), op->tick, (double)op->end);
}

void op_apply(TraceBuilder *b, Promises *promises, const Op *op, uint64_t number)
{
    static const FlowBinding BINDINGS[] = { FLOW_BIND_ENCLOSING, FLOW_BIND_NEXT, FLOW_BIND_TRACK };
    char                     name[16];
    const EventPos           pos = { number * 100, number };
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
    case OP_SAMPLE:
        apply_value(b, process, op, text);
        break;
    case OP_ASYNC_BEGIN:
    case OP_ASYNC_END:
    case OP_ASYNC_INSTANT:
        apply_async(b, (AsyncKind)(ASYNC_BEGIN + (op->kind - OP_ASYNC_BEGIN)), op, thread, label, pos);
        break;
    case OP_OBJECT_CREATED:
    case OP_OBJECT_SNAPSHOT:
    case OP_OBJECT_DELETED:
        apply_object(b, (ObjectEventKind)(OBJECT_CREATED + (op->kind - OP_OBJECT_CREATED)), op, thread, label,
                     pos);
        break;
    case OP_STACK_SAMPLE:
        apply_sample(b, promises, op, thread, builder_string(b, "sampler", 7));
        break;
    case OP_SETTLE:
        settle(b, promises, op);
        break;
    case OP_FLOW:
        apply_flow(b, op, BINDINGS[op->end], thread, label, pos);
        break;
    case OP_FLOW_SLICE:
        if (op->name == 4) {
            builder_async(b, ASYNC_BEGIN, builder_event_kind(b, "b", 1),
                          builder_async_id(b, PROCESS_NONE, name, strlen(name)),
                          &(EventHead){ .thread = thread, .tick = op->tick, .label = label, .pos = pos },
                          EVENT_DETAILS);
        } else {
            builder_complete(b, thread, op->tick, op->end, label, pos, EVENT_DETAILS);
        }
        apply_flow(b, op, FLOW_BIND_SLICE, thread, label, pos);
        break;
    case OP_CONTEXT_ENTERED:
    case OP_CONTEXT_LEFT:
        apply_context(b, op, thread, label, pos);
        break;
    case OP_DUMP:
    case OP_CLOCK_SYNC:
    case OP_MOMENT:
        apply_kept(b, op, thread, label, pos);
        break;
    case OP_NAME:
        builder_name_thread(b, thread, text);
        break;
    }
}

/* ---- growing ---- */

TraceBuilder *op_builder(MatchRule match, TieRule ties)
{
    TraceBuilder *b = builder_create("test", 0);
    CHECK(b != NULL);
    builder_set_rules(b, match, UNFINISHED_TO_TRACE_END);
    builder_set_ties(b, ties);
    return b;
}

void begin_and_end(TraceBuilder *b, TrackId thread, LabelId label, int64_t tick, uint64_t *event)
{
    builder_begin(b, thread, tick, label, (EventPos){ *event * 10, *event }, 0);
    ++*event;
    builder_end(b, thread, tick + 5, label, (EventPos){ *event * 10, *event }, 0);
    ++*event;
}

/* Compares summaries of many ranges with sums over single slices. */
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
        for (int n = 0; n < 4 && row_extras(row)->sample_count > 0; n++) {
            uint32_t    first = (uint32_t)random_below(row_extras(row)->sample_count);
            uint32_t    last = first + 1 + (uint32_t)random_below(row_extras(row)->sample_count - first);
            SampleRange range = sample_range(trace, row, first, last, NULL);
            double      greatest = -1e300;
            for (uint32_t i = first; i < last; i++)
                if (trace->samples.value[row_extras(row)->first_sample + i] > greatest)
                    greatest = trace->samples.value[row_extras(row)->first_sample + i];
            CHECK(range.greatest == greatest);
        }
    }
}

/* Adds the events as the growing trace shows them: a late begin or end has the time of the one before it on its thread.
 * Returns the number of late ones. With MATCH_IN_FILE_ORDER the builder itself does so. */
static uint64_t apply_in_order(TraceBuilder *b, const Op *ops, size_t count, MatchRule match)
{
    enum { TIDS = 16 };
    int64_t  last[TIDS];
    uint64_t late = 0;
    Promises promises = { .later = { { 0 } } };
    for (size_t t = 0; t < TIDS; t++)
        last[t] = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        Op op = ops[i];
        if (match == MATCH_BY_TIME_AND_NAME && (op.kind == OP_BEGIN || op.kind == OP_END)) {
            CHECK(op.tid >= 0 && op.tid < TIDS); /* of one process each */
            if (op.tick < last[op.tid]) {
                op.tick = last[op.tid];
                op.flags |= EVENT_REPAIRED;
                late++;
            }
            last[op.tid] = op.tick;
        }
        op_apply(b, &promises, &op, i);
    }
    return late;
}

static void check_late_events(const Trace *trace, uint64_t expected)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        if (strcmp(trace->records.warnings[i].kind, "late-event") == 0)
            count = trace->records.warnings[i].count;
    CHECK_UINT(count, expected);
}

static void check_equal(LiveTrace *live, const Op *ops, size_t count, MatchRule match, TieRule ties)
{
    Err            err;
    TraceBuilder  *b = op_builder(match, ties);
    const uint64_t late = apply_in_order(b, ops, count, match);
    Trace         *whole = builder_finish(b, 1, NULL, &err), *grown = live_trace(live);
    CHECK(whole != NULL);
    builder_destroy(b);
    if (!trace_check(grown, &err)) fail_msg("after %zu events: %s", count, err.message);
    if (!trace_is_same(whole, grown)) fail_msg("after %zu events the grown trace is another one", count);
    check_late_events(grown, late);
    check_index(grown);
    trace_release(whole);
}

/* A copy of a growing trace, and the description of the trace at that time. */
typedef struct CheckedCopy {
    LiveCopy *copy; /* NULL = none */
    Bytes     text;
} CheckedCopy;

static void copy_begin(CheckedCopy *checked, LiveTrace *live)
{
    checked->copy = live_copy(live);
    CHECK(checked->copy != NULL);
    bytes_clear(&checked->text);
    trace_describe_data(live_trace(live), &checked->text);
}

/* Checks that the copy is as the trace was, after that has grown. */
static void copy_end(CheckedCopy *checked)
{
    Bytes text = { .data = NULL };
    if (checked->copy == NULL) return;
    trace_describe_data(live_copy_trace(checked->copy), &text);
    CHECK_UINT(text.size, checked->text.size);
    CHECK(memcmp(text.data, checked->text.data, text.size) == 0);
    bytes_release(&text);
    live_copy_release(checked->copy);
    checked->copy = NULL;
}

void ops_grow(const Op *ops, size_t count, MatchRule match, TieRule ties, unsigned often)
{
    Err           err;
    LiveChange    change;
    LiveOptions   options = { 0 };
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(match, ties);
    LiveTrace    *live = live_create(b, &options, &err);
    CheckedCopy   checked = { .copy = NULL };
    CHECK(live != NULL);
    const uint64_t step = 1 + random_below(1 + count / 4);
    for (size_t i = 0; i < count; i++) {
        op_apply(b, &promises, &ops[i], i);
        if (random_below(step) != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (often == 0 || random_below(often) != 0) continue;
        CHECK(live_settle(live, &change, &err));
        check_equal(live, ops, i + 1, match, ties);
        copy_end(&checked);
        copy_begin(&checked, live);
    }
    CHECK(live_settle(live, &change, &err));
    check_equal(live, ops, count, match, ties);
    copy_end(&checked);
    bytes_release(&checked.text);
    live_destroy(live);
}

void ops_grow_in_steps(const Op *ops, size_t count, size_t step)
{
    enum { CHECKED = 64 };
    Err           err;
    LiveChange    change;
    Promises      promises = { .later = { { 0 } } };
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, &(LiveOptions){ 0 }, &err);
    CHECK(live != NULL);
    for (size_t i = 0; i < count; i++) {
        op_apply(b, &promises, &ops[i], i);
        if (i % step != 0) continue;
        CHECK(live_absorb(live, &change, &err));
        if (i / step % CHECKED == 0 && !trace_check(live_trace(live), &err))
            fail_msg("after %zu events: %s", i + 1, err.message);
    }
    CHECK(live_settle(live, &change, &err));
    check_equal(live, ops, count, MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    live_destroy(live);
}
