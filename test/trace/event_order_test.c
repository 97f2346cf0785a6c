#include "trace/store/event_order.h"

#include "support/test.h"
#include "trace/log/builder.h"

/* Returns slices, instants of every scope and raw events, on 3 threads, many at the same time. */
static Trace *random_events(TestRandom *random, uint32_t count)
{
    TraceBuilder *builder = builder_create("test", 0);
    builder_set_clock(builder, clock_ns());
    TrackId  threads[3];
    LabelId  label = builder_label(builder, builder_string(builder, "n", 1), STRING_NONE);
    uint16_t kind = builder_event_kind(builder, "other", 5);
    for (uint32_t i = 0; i < 3; i++)
        threads[i] = builder_thread(builder, builder_process(builder, ident_int(i / 2)), ident_int(i));
    for (uint32_t i = 0; i < count; i++) {
        TrackId  thread = threads[test_random_below(random, 3)];
        int64_t  tick = (int64_t)test_random_below(random, 40);
        EventPos pos = { .offset = i, .event = i };
        switch (test_random_below(random, 4)) {
        case 0:
            builder_instant(builder, thread, tick, label, (InstantScope)test_random_below(random, 3), pos, 0);
            break;
        case 1:
            builder_other(builder, OTHER_EVENT, kind,
                          &(EventHead){ .thread = thread,
                                        .tick = tick,
                                        .label = label,
                                        .pos = pos,
                                        .is_timeless = test_random_below(random, 3) == 0 });
            break;
        default:
            builder_complete(builder, thread, tick, tick + (int64_t)test_random_below(random, 9), label, pos,
                             0);
            break;
        }
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK_DONE(trace != NULL, err);
    builder_destroy(builder);
    return trace;
}

/* The sort key of an event. */
typedef struct Place {
    bool     has_tick;
    int64_t  tick;
    uint32_t track, depth;
} Place;

static Place place_of(const Trace *trace, const OrderedEvent *event)
{
    if (event->kind == ORDER_OTHER) {
        const OtherEvent *other = &trace->records.others[event->id];
        return (Place){ other->has_tick, other->has_tick ? other->tick : 0,
                        other->has_tick ? other->thread : 0, 0 };
    }
    const Row *row = &trace->rows[event->row];
    int64_t    tick =
        event->kind == ORDER_SLICE ? trace_slice_begin(trace, event->id) : trace->instants.tick[event->id];
    return (Place){ true, tick, row->track, row->depth };
}

static bool in_order(Place a, Place b)
{
    if (a.has_tick != b.has_tick) return b.has_tick;
    if (a.tick != b.tick) return a.tick < b.tick;
    if (a.track != b.track) return a.track < b.track;
    return a.depth <= b.depth;
}

static void check_order(const Trace *trace)
{
    Arena       arena = { 0 };
    uint64_t    counts[3] = { trace->slices.count, trace->instants.count, trace->records.other_count };
    uint8_t    *seen[3];
    EventOrder *order = event_order_create(trace, &arena);
    CHECK(order != NULL);
    for (int kind = 0; kind < 3; kind++)
        seen[kind] = ARENA_ARRAY(&arena, uint8_t, (size_t)counts[kind] + 1);
    OrderedEvent event;
    Place        last = { 0 };
    uint64_t     total = 0;
    for (; event_order_next(order, &event); total++) {
        CHECK(event.id < counts[event.kind]);
        CHECK(seen[event.kind][event.id]++ == 0);
        Place place = place_of(trace, &event);
        if (total > 0) CHECK(in_order(last, place));
        last = place;
    }
    CHECK_UINT(total, counts[0] + counts[1] + counts[2]);
    CHECK(!event_order_next(order, &event));
    arena_release(&arena);
}

TEST(event_order_gives_every_event_once_by_time_track_and_depth)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TestRandom random = { seed };
        Trace     *trace = random_events(&random, (uint32_t)test_random_below(&random, 150));
        check_order(trace);
        trace_release(trace);
    }
}

/* Starting after every event: the same drawn events as in one pass. */
static void check_behind(const Trace *trace)
{
    Arena         arena = { 0 };
    EventOrder   *order = event_order_create_behind(trace, NULL, DERIVED_LEFT_OUT, &arena);
    uint64_t      total = trace->slices.count + trace->instants.count, count = 0;
    OrderedEvent *all = ARENA_ARRAY(&arena, OrderedEvent, (size_t)total + 1), event;
    while (event_order_next(order, &event)) {
        CHECK(event.kind != ORDER_OTHER && count < total);
        if (count > 0) CHECK(in_order(place_of(trace, &all[count - 1]), place_of(trace, &event)));
        all[count++] = event;
    }
    CHECK_UINT(count, total);
    for (uint64_t from = 0; from < total; from++) {
        order = event_order_create_behind(trace, &all[from], DERIVED_LEFT_OUT, &arena);
        for (uint64_t i = from + 1; i < total; i++) {
            CHECK(event_order_next(order, &event));
            CHECK(event.kind == all[i].kind && event.id == all[i].id && event.row == all[i].row);
        }
        CHECK(!event_order_next(order, &event));
    }
    arena_release(&arena);
}

TEST(event_order_goes_on_behind_any_event)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom random = { seed };
        Trace     *trace = random_events(&random, (uint32_t)test_random_below(&random, 90));
        check_behind(trace);
        trace->window.is_set = true; /* a search covers the whole trace */
        trace->window.begin = trace->window.end = trace->begin_tick;
        check_behind(trace);
        trace_release(trace);
    }
}

TEST(event_order_says_when_memory_is_out)
{
    TestRandom random = { 1 };
    Trace     *trace = random_events(&random, 50);
    for (uint64_t n = 0; n < 100; n++) {
        Arena arena = { 0 };
        memory_fail_after(n);
        EventOrder *order = event_order_create(trace, &arena);
        memory_fail_after(UINT64_MAX);
        arena_release(&arena);
        if (order != NULL) break;
        CHECK(n < 50);
    }
    trace_release(trace);
}

TEST_MAIN("event_order", TEST_CASE(event_order_gives_every_event_once_by_time_track_and_depth),
          TEST_CASE(event_order_goes_on_behind_any_event), TEST_CASE(event_order_says_when_memory_is_out))
