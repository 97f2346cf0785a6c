/* Logs whose chunks leave the memory: base/external_store.c and trace/log/event_log.c. */
#include "base/external_store.h"
#include "base/vec.h"
#include "support/test.h"
#include "trace_support.h"

#include <stdlib.h>
#include <string.h>

typedef struct Stored {
    void  *bytes;
    size_t size;
} Stored;

typedef struct Store {
    VEC(Stored) stored;
    size_t most;  /* further bytes have no room */
    size_t fails; /* the number of the read that fails, from 1 on; 0 = none */
    size_t reads;
} Store;

static bool store_put(void *context, const void *bytes, size_t size, uint64_t *place)
{
    Store *store = context;
    if (vec_count(&store->stored) == store->most) return false;
    const Stored stored = { malloc(size), size };
    memcpy(stored.bytes, bytes, size);
    *place = vec_count(&store->stored);
    vec_push(&store->stored, stored);
    return true;
}

static bool store_get(void *context, uint64_t place, void *bytes, size_t size)
{
    Store *store = context;
    if (++store->reads == store->fails) return false;
    CHECK(place < vec_count(&store->stored) && store->stored.items[place].size == size);
    memcpy(bytes, store->stored.items[place].bytes, size);
    return true;
}

static void store_clear(Store *store)
{
    external_store_set(NULL);
    for (size_t i = 0; i < vec_count(&store->stored); i++)
        free(store->stored.items[i].bytes);
    vec_release(&store->stored);
}

/* How the events of the trace reach the logs. */
typedef enum { IN_ORDER, UNSORTED, WITH_STACKS, NAMELESS_ENDS, OTHER_CLOCK, MANNERS } Manner;

enum { ROUNDS = 60000 }; /* more than a chunk of the largest size for each log */

static void add_round(EventFeed *t, Manner manner, int round, const LabelId labels[3], StackId stack)
{
    const int64_t at = manner == UNSORTED && round % 100 == 50 ? 10 * (round - 30) + 5 : 10 * round;
    const LabelId end = manner == NAMELESS_ENDS ? labels[2] : (LabelId){ 0 };
    feed_set_thread(t, 1, 2);
    builder_begin(t->builder, t->thread, at, labels[round % 2], feed_next_pos(t),
                  round % 7 == 0 ? (unsigned)EVENT_DETAILS : 0);
    builder_end(t->builder, t->thread, at + 3, end, feed_next_pos(t), 0);
    feed_set_thread(t, 1, 3);
    builder_complete(t->builder, t->thread, at, at + 8, labels[round % 3], feed_next_pos(t), 0);
    if (manner == WITH_STACKS) builder_complete_stacks(t->builder, t->thread, stack, stack);
}

/* Makes a trace with logs of about 1 MB for two threads. NULL: it failed. */
static Trace *make_trace(Manner manner)
{
    EventFeed        t = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId          labels[3] = { feed_label(&t, "a", 1), feed_label(&t, "b", 1), feed_label(&t, "c", 1) };
    const StackFrame frame = { .function = builder_string(t.builder, "f", 1) };
    const StackId    stack = builder_stack(t.builder, STACK_NONE, builder_frame(t.builder, &frame));
    feed_events(&t, "@1/2 X1..2:a"); /* a complete event: the thread has logs */
    for (int i = 0; i < ROUNDS; i++)
        add_round(&t, manner, i, labels, stack);
    bool rounded = false, changed = true;
    if (manner == OTHER_CLOCK) changed = builder_change_clock(t.builder, clock_ticks(1, 1000), &rounded);
    Err    err;
    Trace *trace = builder_finish(t.builder, 1, NULL, &err);
    builder_destroy(t.builder);
    CHECK(changed || trace == NULL);
    return trace;
}

static void check_manner(Manner manner)
{
    Bytes  expected = { 0 }, got = { 0 };
    Trace *trace = make_trace(manner);
    CHECK(trace != NULL);
    trace_append(trace, &expected);
    trace_release(trace);
    for (size_t most = 3; most < SIZE_MAX / 2; most = SIZE_MAX - 1) {
        Store               store = { .most = most };
        const ExternalStore functions = { .put = store_put, .get = store_get, .context = &store };
        external_store_set(&functions);
        trace = make_trace(manner);
        CHECK(trace != NULL);
        CHECK(vec_count(&store.stored) == 3 || (most > 3 && vec_count(&store.stored) > 4));
        CHECK(store.reads >= vec_count(&store.stored));
        store_clear(&store);
        bytes_clear(&got);
        trace_append(trace, &got);
        CHECK(got.size == expected.size && memcmp(got.data, expected.data, got.size) == 0);
        trace_release(trace);
    }
    bytes_release(&expected);
    bytes_release(&got);
}

TEST(trace_is_the_same)
{
    for (int manner = 0; manner < MANNERS; manner++)
        check_manner((Manner)manner);
}

TEST(bytes_that_cannot_be_read_are_a_failure)
{
    for (int manner = 0; manner < MANNERS; manner++) {
        size_t reads = 1;
        for (size_t fails = 1; fails <= reads; fails++) {
            Store               store = { .most = SIZE_MAX, .fails = fails };
            const ExternalStore functions = { .put = store_put, .get = store_get, .context = &store };
            external_store_set(&functions);
            Trace *trace = make_trace((Manner)manner);
            if (store.reads > reads) reads = store.reads;
            CHECK((trace == NULL) == (store.reads >= fails));
            store_clear(&store);
            if (trace != NULL) trace_release(trace);
        }
    }
}

TEST(little_memory_keeps_all_bytes)
{
    Store               store = { .most = SIZE_MAX };
    const ExternalStore functions = {
        .put = store_put, .get = store_get, .context = &store, .from_bytes = UINT64_MAX
    };
    external_store_set(&functions);
    trace_release(make_trace(IN_ORDER));
    CHECK_UINT(vec_count(&store.stored), 0);
    store_clear(&store);
}

TEST_MAIN("external_store", TEST_CASE(trace_is_the_same), TEST_CASE(bytes_that_cannot_be_read_are_a_failure),
          TEST_CASE(little_memory_keeps_all_bytes))
