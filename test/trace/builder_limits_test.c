/* The builder with failed allocations, cancellation, and several threads. */
#include "support/test.h"
#include "trace/log/builder_log.h"
#include "trace_support.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Adds events of all kinds: threads of all shapes, sources, long durations, overlaps, instants, raw events,
 * warnings. */
static void add_events(TraceBuilder *b, uint64_t seed, unsigned events)
{
    TestRandom random = { seed };
    uint16_t   kind = builder_event_kind(b, "C", 1);
    for (unsigned i = 0; i < events && !builder_failed(b); i++) {
        char      name[16] = { 'n', (char)('a' + test_random_below(&random, 20)) };
        int64_t   tick = (int64_t)test_random_below(&random, 1000) + i;
        EventPos  pos = { 100 * (uint64_t)i, i };
        ProcessId process = builder_process(b, ident_int((int64_t)test_random_below(&random, 3)));
        TrackId   thread = builder_thread(b, process, ident_int((int64_t)test_random_below(&random, 5)));
        LabelId   label = builder_label(b, builder_string(b, name, 2), STRING_NONE);
        unsigned  flags = test_random_below(&random, 3) == 0 ? EVENT_DETAILS : 0;
        if (builder_failed(b)) return; /* handles have index 0: a reader checks this, too */
        switch (test_random_below(&random, 8)) {
        case 0:
        case 1:
            builder_begin(b, thread, tick, label, pos, flags);
            break;
        case 2:
        case 3:
            builder_end(b, thread, tick, label, pos, flags);
            break;
        case 4:
        case 5:
            builder_complete(b, thread, tick, tick + (int64_t)test_random(&random) % 4096 + 4096, label, pos,
                             flags);
            break;
        case 6:
            builder_instant(b, thread, tick, label, (InstantScope)test_random_below(&random, 3), pos, flags);
            break;
        default:
            builder_other(b, OTHER_EVENT, kind,
                          &(EventHead){ .thread = thread, .tick = tick, .label = label, .pos = pos });
            builder_complete(b, thread, tick, tick + (INT64_C(1) << 40), label, pos, flags);
        }
    }
    builder_property(b, builder_string(b, "key", 3), "[1,2]", 5);
    builder_warn(b, "odd", (EventPos){ 5, 0 }, "odd");
}

TEST(every_allocation_may_fail)
{
    uint64_t n = 0;
    for (;; n++) {
        memory_fail_after(n);
        Err           err = { 0 };
        TraceBuilder *builder = builder_create("test", 0);
        if (builder == NULL) continue;
        add_events(builder, 1, 1500);
        Trace *trace = builder_finish(builder, 1, NULL, &err);
        builder_destroy(builder);
        if (trace != NULL) {
            memory_fail_after(UINT64_MAX);
            CHECK_DONE(trace_check(trace, &err), err);
            trace_release(trace);
            break;
        }
        CHECK(err.code == ERR_MEMORY);
    }
    CHECK(n > 20); /* it has failed at least once */
}

TEST(failure_is_sticky)
{
    Err       err = { 0 };
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, "X1..2:x");
    memory_fail_after(0);
    for (unsigned i = 0; i < 1000000 && !builder_failed(feed.builder); i++)
        feed_events(&feed, "X1..2:x");
    memory_fail_after(UINT64_MAX);
    CHECK(builder_failed(feed.builder));
    builder_error(feed.builder, &err);
    CHECK(err.code == ERR_MEMORY);
    feed_events(&feed, "X3..4:x"); /* has no effect */
    CHECK(builder_failed(feed.builder));
    CHECK(builder_finish(feed.builder, 1, NULL, &err) == NULL);
    CHECK(err.code == ERR_MEMORY);
    builder_destroy(feed.builder);
}

TEST(a_memory_limit_is_an_error_of_its_own)
{
    Err           err = { 0 };
    TraceBuilder *builder = builder_create("test", 2 << 20);
    CHECK(builder != NULL);
    add_events(builder, 2, 1000000);
    CHECK(builder_finish(builder, 1, NULL, &err) == NULL);
    CHECK(err.code == ERR_MEMORY);
    CHECK(strstr(err.message, "2 MiB") != NULL);
    builder_destroy(builder);

    builder = builder_create("test", 64 << 20); /* a sufficient limit */
    CHECK(builder != NULL);
    add_events(builder, 2, 10000);
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(builder);
    trace_release(trace);
}

/* The columns alone would exceed the limit. */
TEST(the_limit_counts_columns)
{
    Err           err = { 0 };
    TraceBuilder *builder = builder_create("test", 4 << 20);
    CHECK(builder != NULL);
    ProcessId process = builder_process(builder, ident_int(1));
    TrackId   thread = builder_thread(builder, process, ident_int(1));
    for (uint64_t i = 0; i < 300000; i++)
        builder_instant(builder, thread, 5, LABEL_NONE, INSTANT_THREAD, (EventPos){ i, i }, 0);
    CHECK(builder_finish(builder, 1, NULL, &err) == NULL);
    CHECK(err.code == ERR_MEMORY);
    builder_destroy(builder);
}

TEST(the_same_trace_on_any_number_of_threads)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Bytes first = { NULL, 0, 0, false };
        for (unsigned threads = 1; threads <= 8; threads *= 2) {
            Err           err = { 0 };
            Bytes         text = { NULL, 0, 0, false };
            TraceBuilder *builder = builder_create("test", 0);
            CHECK(builder != NULL);
            add_events(builder, seed, 6000);
            Trace *trace = builder_finish(builder, threads, NULL, &err);
            CHECK_DONE(trace != NULL, err);
            builder_destroy(builder);
            CHECK_DONE(trace_check(trace, &err), err);
            trace_append(trace, &text);
            trace_release(trace);
            CHECK(!text.failed);
            if (threads == 1) {
                first = text;
                continue;
            }
            CHECK(text.size == first.size && memcmp(text.data, first.data, text.size) == 0);
            bytes_release(&text);
        }
        bytes_release(&first);
    }
}

TEST(it_can_be_cancelled)
{
    Progress progress = { .done = 0 };
    atomic_store(&progress.cancelled, true);
    Err           err = { 0 };
    TraceBuilder *builder = builder_create("test", 0);
    CHECK(builder != NULL);
    add_events(builder, 1, 1000);
    CHECK(builder_finish(builder, 2, &progress, &err) == NULL);
    CHECK(err.code == ERR_CANCELLED);
    builder_destroy(builder);
}

TEST(progress_reaches_the_end)
{
    Progress      progress = { .done = 0 };
    Err           err = { 0 };
    TraceBuilder *builder = builder_create("test", 0);
    CHECK(builder != NULL);
    add_events(builder, 1, 5000);
    Trace *trace = builder_finish(builder, 2, &progress, &err);
    CHECK_DONE(trace != NULL, err);
    CHECK_INT(atomic_load(&progress.phase), PROGRESS_INDEXING);
    CHECK_UINT(atomic_load(&progress.total), trace->slices.count);
    builder_destroy(builder);
    trace_release(trace);
}

/* The offset of the event of thread `i`: many are close together, some are GiB apart, some come back. */
static uint64_t far_offset(uint64_t i)
{
    return i % 101 == 100 ? i : i * 60 + i / 50 * (UINT64_C(5) << 30);
}

static uint64_t far_event(uint64_t i)
{
    return i % 103 == 102 ? i : i + i / 37 * 100000;
}

TEST(events_of_many_threads_keep_their_places)
{
    enum { THREADS = 1000, LOST = 777 };
    Err           err = { 0 };
    TraceBuilder *builder = builder_create("test", 0);
    CHECK(builder != NULL);
    const LabelId label = builder_label(builder, builder_string(builder, "s", 1), STRING_NONE);
    for (uint64_t i = 0; i < THREADS; i++) {
        const int64_t tick = (int64_t)(i * i % 1009) - 500;
        const TrackId thread =
            builder_thread(builder, builder_process(builder, ident_int(-1)), ident_int((int64_t)i));
        const EventPos pos = { far_offset(i), far_event(i) };
        if (i == LOST) builder_end(builder, thread, tick, LABEL_NONE, pos, 0);
        builder_complete(builder, thread, tick, tick + 1, label, pos, EVENT_DETAILS);
    }
    Trace *trace = builder_finish(builder, 2, NULL, &err);
    builder_destroy(builder);
    CHECK_DONE(trace != NULL && trace_check(trace, &err), err);
    CHECK_UINT(trace->slices.count, THREADS);
    for (uint64_t i = 0; i < THREADS; i++) {
        uint64_t offset = 0;
        CHECK(trace_slice_source(trace, i, &offset));
        CHECK_UINT(offset, far_offset(i));
        CHECK_INT(trace_slice_begin(trace, i), (int64_t)(i * i % 1009) - 500);
    }
    CHECK_UINT(trace->records.warning_count, 1);
    CHECK_UINT(trace->records.warnings[0].first.event, far_event(LOST));
    CHECK_UINT(trace->records.warnings[0].first.offset, far_offset(LOST));
    trace_release(trace);
}

/* Returns the factor that undoes a multiplication by an odd number. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* Returns the a for which hash_mix(a, b) is `hash`: ids that share the low bits of an unkeyed hash. */
static uint64_t unmix(uint64_t hash, uint64_t b)
{
    uint64_t h = (hash ^ hash >> 32) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
    h ^= b * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 29 ^ h >> 58;
    return h * inverse(UINT64_C(0xbf58476d1ce4e5b9)) - UINT64_C(0x9e3779b97f4a7c15);
}

TEST(chosen_ids_do_not_collide)
{
    enum { COUNT = 100000, LONGEST = 200 };
    TraceBuilder *b = builder_create("test", 0);
    const Ident   first = ident_uint(unmix((uint64_t)1 << 40, ident_uint(0).kind));
    CHECK_UINT(hash_mix(first.bits, first.kind), (uint64_t)1 << 40);
    for (uint64_t i = 1; i <= COUNT; i++) {
        const uint64_t hash = i << 32; /* the low half is the same for all of them */
        builder_process(b, ident_uint(unmix(hash, ident_uint(0).kind)));
        const Ident tid = ident_uint(unmix(unmix(hash, 0), ident_uint(0).kind));
        builder_thread(b, PROCESS_NONE, tid);
        CHECK_UINT(builder_find_thread(b, tid).index, i);
        char key[24];
        (void)snprintf(key, sizeof key, "%" PRIu64, i);
        builder_async_id(b, PROCESS_NONE, key, strlen(key));
    }
    CHECK(!builder_failed(b));
    CHECK_UINT(b->processes.map.count, COUNT);
    CHECK_UINT(b->threads.map.count, COUNT);
    CHECK(hash_index_longest_run(&b->processes.map) < LONGEST);
    CHECK(hash_index_longest_run(&b->threads.map) < LONGEST);
    CHECK(hash_index_longest_run(&b->threads.tid_map) < LONGEST);
    CHECK(hash_index_longest_run(&b->async.map) < LONGEST);
    builder_destroy(b);
}

TEST_MAIN("builder_limits", TEST_CASE(every_allocation_may_fail), TEST_CASE(failure_is_sticky),
          TEST_CASE(a_memory_limit_is_an_error_of_its_own), TEST_CASE(the_limit_counts_columns),
          TEST_CASE(the_same_trace_on_any_number_of_threads), TEST_CASE(it_can_be_cancelled),
          TEST_CASE(progress_reaches_the_end), TEST_CASE(events_of_many_threads_keep_their_places),
          TEST_CASE(chosen_ids_do_not_collide))
