/* Very many arrows of a reader, of all kinds: their log, their order. Each is compared with the result of a plain
 * search and a plain sort. */
#include "trace/store/flows.h"

#include "support/test.h"
#include "trace_support.h"

#include <stdlib.h>

enum { THREADS = 5, MOST_ARROWS = 30000, SLICES = 300 };

typedef struct FedArrow {
    uint32_t    thread[2]; /* by FlowSide */
    FlowBinding binding[2];
    int64_t     tick[2];
    uint32_t    label;
} FedArrow;

/* Its expected place. */
typedef struct Expected {
    uint64_t place[2]; /* slices, then tracks */
    int64_t  tick[2];
    uint32_t label;
    size_t   order;
} Expected;

typedef struct Scene {
    EventFeed  feed;
    TestRandom random;
    TrackId    threads[THREADS];
    int64_t    end; /* of all slices */
    FedArrow  *fed;
    size_t     count;
} Scene;

static uint64_t below(Scene *scene, uint64_t limit)
{
    return test_random_below(&scene->random, limit);
}

/* Adds consecutive slices, some with a gap between them; those of the last thread are long. */
static void add_slices(Scene *scene)
{
    LabelId label = feed_label(&scene->feed, "x", 1);
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint64_t length = t + 1 == THREADS ? UINT64_C(9000000000) : 900;
        const int      count = t + 1 == THREADS ? 2 : SLICES;
        int64_t        at = 0;
        feed_set_thread(&scene->feed, 1, (int64_t)t + 1);
        scene->threads[t] = scene->feed.thread;
        for (int i = 0; i < count; i++) {
            const int64_t begin = at + (int64_t)(below(scene, 3) == 0 ? below(scene, 200) : 0);
            at = begin + 1 + (int64_t)below(scene, length);
            builder_complete(scene->feed.builder, scene->feed.thread, begin, at, label,
                             feed_next_pos(&scene->feed), 0);
        }
        if (at > scene->end) scene->end = at;
    }
}

/* `far_ones`: of this number of arrows one is long, or far from the others; 0 = none. */
static void add_arrow(Scene *scene, int64_t time, uint64_t far_ones)
{
    static const FlowBinding BINDINGS[] = { FLOW_BIND_OUTERMOST, FLOW_BIND_OUTERMOST, FLOW_BIND_ENCLOSING,
                                            FLOW_BIND_NEXT, FLOW_BIND_TRACK };
    FedArrow                *arrow = &scene->fed[scene->count++];
    const bool               is_far = far_ones != 0 && below(scene, far_ones) == 0;
    FlowPoint                points[2];
    arrow->label = below(scene, 4) == 0 ? 0 : feed_label(&scene->feed, &"abc"[below(scene, 3)], 1).index;
    arrow->tick[FLOW_TO] = time - (int64_t)below(scene, 50);
    arrow->tick[FLOW_FROM] = arrow->tick[FLOW_TO] - (int64_t)below(scene, 120);
    if (below(scene, 20) == 0) arrow->tick[FLOW_FROM] = arrow->tick[FLOW_TO] + 7;
    if (is_far) arrow->tick[below(scene, 2)] = (int64_t)below(scene, (uint64_t)scene->end);
    for (size_t side = 0; side < 2; side++) {
        arrow->thread[side] = (uint32_t)below(scene, THREADS);
        arrow->binding[side] = BINDINGS[below(scene, below(scene, 8) == 0 ? 5 : 3)];
        if (arrow->tick[side] < 0) arrow->tick[side] = 0;
        points[side] =
            (FlowPoint){ scene->threads[arrow->thread[side]], arrow->binding[side], arrow->tick[side] };
    }
    builder_arrow(scene->feed.builder, points[FLOW_FROM], points[FLOW_TO], (LabelId){ arrow->label });
}

static void thin(Scene *scene)
{
    size_t kept = 0;
    for (size_t i = 0; i < scene->count; i += 2)
        scene->fed[kept++] = scene->fed[i];
    scene->count = kept;
    builder_thin_arrows(scene->feed.builder);
}

static Scene begin_scene(uint64_t seed)
{
    Scene scene = { .feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END),
                    .random = { seed },
                    .fed = calloc(MOST_ARROWS, sizeof(FedArrow)) };
    CHECK(scene.fed != NULL);
    add_slices(&scene);
    return scene;
}

static uint32_t track_of_tid(const Trace *trace, int64_t tid)
{
    for (uint32_t t = 1; t <= trace->track_count; t++)
        if (trace->tracks[t].kind == TRACK_THREAD && track_tid(&trace->tracks[t]).bits == ident_int(tid).bits)
            return t;
    return 0;
}

/* Returns the slice of an end; UINT64_MAX = none. Rows have no slices at the same time. */
static uint64_t find_slice(const Trace *trace, uint32_t track, FlowBinding binding, int64_t tick)
{
    const Row *row = &trace->rows[trace->tracks[track].first_row];
    uint64_t   found = UINT64_MAX;
    for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
        const int64_t begin = trace_slice_begin(trace, s);
        if (binding == FLOW_BIND_NEXT && begin >= tick) return s;
        if (binding != FLOW_BIND_NEXT && binding != FLOW_BIND_TRACK && begin <= tick)
            found = trace_slice_end(trace, s) >= tick ? s : UINT64_MAX;
    }
    return found;
}

static Expected expect(const Trace *trace, const FedArrow *fed, size_t order, int64_t scale)
{
    Expected expected = { .label = fed->label, .order = order };
    for (size_t side = 0; side < 2; side++) {
        const int64_t  tick = fed->tick[side] * scale;
        const uint32_t track = track_of_tid(trace, (int64_t)fed->thread[side] + 1);
        const uint64_t slice = find_slice(trace, track, fed->binding[side], tick);
        const bool is_bound = slice != UINT64_MAX, moves = is_bound && fed->binding[side] == FLOW_BIND_NEXT;
        expected.place[side] = is_bound ? slice : trace->slices.count + track;
        expected.tick[side] = moves ? trace_slice_begin(trace, slice) : tick;
    }
    return expected;
}

static int sign_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_begin(const void *left, const void *right)
{
    const Expected *a = left, *b = right;
    int             sign = sign_of((int64_t)a->place[0], (int64_t)b->place[0]);
    if (sign == 0) sign = sign_of(a->tick[0], b->tick[0]);
    if (sign == 0) sign = sign_of((int64_t)a->place[1], (int64_t)b->place[1]);
    if (sign == 0) sign = sign_of(a->tick[1], b->tick[1]);
    return sign != 0 ? sign : sign_of((int64_t)a->order, (int64_t)b->order);
}

static int by_end(const void *left, const void *right)
{
    const Expected *a = left, *b = right;
    int             sign = sign_of((int64_t)a->place[1], (int64_t)b->place[1]);
    if (sign == 0) sign = sign_of(a->tick[1], b->tick[1]);
    return sign != 0 ? sign : sign_of((int64_t)a->order, (int64_t)b->order);
}

static void check_arrow(const Trace *trace, uint64_t flow, const Expected *expected)
{
    for (int s = 0; s < 2; s++) {
        const FlowEnd end = trace_flow_end(trace, flow, (FlowSide)s);
        CHECK_INT(end.tick, expected->tick[s]);
        CHECK_UINT(end.slice == FLOW_NO_SLICE ? trace->slices.count + end.track : end.slice,
                   expected->place[s]);
    }
    CHECK_UINT(trace->flows.label[flow], expected->label);
}

/* Finishes the trace and compares all arrows. */
static void end_scene(Scene *scene, int64_t scale, unsigned threads)
{
    Trace    *trace = feed_finish(&scene->feed, threads);
    Expected *expected = calloc(scene->count + 1, sizeof *expected);
    CHECK(expected != NULL);
    CHECK_UINT(trace->flows.count, scene->count);
    for (size_t i = 0; i < scene->count; i++)
        expected[i] = expect(trace, &scene->fed[i], i, scale);
    qsort(expected, scene->count, sizeof *expected, by_begin);
    for (size_t i = 0; i < scene->count; i++) {
        check_arrow(trace, i, &expected[i]);
        expected[i].order = i;
    }
    qsort(expected, scene->count, sizeof *expected, by_end);
    for (size_t i = 0; i < scene->count; i++)
        CHECK_UINT(trace->flows.by_to[i], expected[i].order);
    free(expected);
    free(scene->fed);
    trace_release(trace);
}

TEST(arrows_that_come_in_order_of_time)
{
    Scene scene = begin_scene(1);
    for (int64_t i = 0; i < 9000; i++)
        add_arrow(&scene, i * 15, 0);
    end_scene(&scene, 1, 2);
}

TEST(arrows_of_any_length_at_any_time)
{
    for (uint64_t far_ones = 1; far_ones <= 5000; far_ones *= 7) {
        Scene scene = begin_scene(far_ones + 10);
        for (int64_t i = 0; i < 6000; i++)
            add_arrow(&scene, i * 20, far_ones);
        end_scene(&scene, 1, 1 + far_ones % 2);
    }
}

/* Narrow pieces that end after a while, because later flows are too far from their base. */
TEST(arrows_over_a_long_time)
{
    Scene scene = begin_scene(5);
    for (int64_t i = 0; i < 12000; i++)
        add_arrow(&scene, i * (i < 6000 ? 3000000 : 1200000), 500);
    end_scene(&scene, 1, 1);
}

TEST(arrows_are_thinned_whatever_they_are)
{
    Scene scene = begin_scene(6);
    for (int64_t i = 0; i < 20000; i++) {
        add_arrow(&scene, i * (i / 5000 % 2 == 0 ? 10 : 1000000), i / 3000 % 2 == 0 ? 0 : 40);
        if (i % 7001 == 7000) thin(&scene);
    }
    thin(&scene);
    end_scene(&scene, 1, 1);
}

TEST(arrows_follow_a_clock_that_changes)
{
    Scene scene = begin_scene(7);
    bool  rounded;
    for (int64_t i = 0; i < 5000; i++)
        add_arrow(&scene, i * 20, 100);
    CHECK(builder_change_clock(scene.feed.builder, clock_ticks(1, 1000), &rounded) && !rounded);
    end_scene(&scene, 1000, 1);
}

/* All in one slice, and all at one time: only their input order distinguishes them. */
TEST(arrows_of_one_slice)
{
    Scene scene = begin_scene(8);
    for (int64_t i = 0; i < 3000; i++)
        add_arrow(&scene, scene.end / 2 - (i < 2000 ? i * 3000 : 0), 0);
    end_scene(&scene, 1, 1);
}

TEST_MAIN("arrow", TEST_CASE(arrows_that_come_in_order_of_time), TEST_CASE(arrows_of_any_length_at_any_time),
          TEST_CASE(arrows_over_a_long_time), TEST_CASE(arrows_are_thinned_whatever_they_are),
          TEST_CASE(arrows_follow_a_clock_that_changes), TEST_CASE(arrows_of_one_slice))
