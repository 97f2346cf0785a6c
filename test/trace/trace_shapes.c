#include "trace_shapes.h"

#include "support/test.h"
#include "trace_support.h"

static uint64_t any_magnitude(TestRandom *random, unsigned bits)
{
    return test_random(random) >> (63 - test_random_below(random, bits));
}

/* Returns a name: one is frequent, some are not. */
static LabelId draw_label(EventFeed *feed, TestRandom *random)
{
    unsigned n = (unsigned)test_random_below(random, 30);
    char     name = (char)(n < 14 ? 'A' : n < 20 ? 'B' : 'a' + n - 20);
    return feed_label(feed, &name, 1);
}

static void add_slice(EventFeed *t, TestRandom *random, TraceShape shape, int64_t *tick, unsigned *depth)
{
    LabelId  label = draw_label(t, random);
    EventPos pos = feed_next_pos(t);
    unsigned flags = test_random_below(random, 4) == 0 ? EVENT_REPAIRED : 0;
    int64_t  gap = 0, length = 0;
    switch (shape) {
    case SHAPE_DENSE:
        gap = (int64_t)test_random_below(random, 3);
        length = (int64_t)test_random_below(random, 6);
        break;
    case SHAPE_SPARSE:
        gap = (int64_t)any_magnitude(random, 36);
        length = (int64_t)any_magnitude(random, 20);
        break;
    case SHAPE_EMPTY:
        gap = test_random_below(random, 3) == 0 ? (int64_t)test_random_below(random, 40) : 0;
        break;
    case SHAPE_VAST:
        gap = (int64_t)any_magnitude(random, 52);
        length = (int64_t)any_magnitude(random, 53);
        break;
    case SHAPE_BURSTS:
        gap = test_random_below(random, 300) == 0 ? INT64_C(1) << 34 : (int64_t)test_random_below(random, 3);
        length = (int64_t)test_random_below(random, 6);
        break;
    case SHAPE_NESTED: /* one begin or end for each call */
        *tick += (int64_t)any_magnitude(random, 8) - 1;
        if (*depth < 80 && test_random_below(random, 100) < 55) {
            builder_begin(t->builder, t->thread, *tick, label, pos, flags);
            ++*depth;
        } else {
            builder_end(t->builder, t->thread, *tick, test_random_below(random, 9) == 0 ? label : LABEL_NONE,
                        pos, 0);
            if (*depth > 0) --*depth;
        }
        return;
    case SHAPE_LANES:
        gap = (int64_t)test_random_below(random, 4);
        builder_complete(t->builder, t->thread, *tick, *tick + (int64_t)any_magnitude(random, 9), label, pos,
                         flags);
        *tick += gap;
        return;
    case SHAPE_COUNT:
        return;
    }
    builder_complete(t->builder, t->thread, *tick + gap, *tick + gap + length, label, pos, flags);
    *tick += gap + length;
}

Trace *shape_trace(TraceShape shape, uint64_t seed, unsigned events)
{
    TestRandom random = { seed };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    int64_t    tick =
        shape == SHAPE_VAST ? -(INT64_C(1) << 62) : (int64_t)test_random_below(&random, 2000) - 1000;
    unsigned depth = 0;
    feed_set_thread(&feed, 1, 2);
    for (unsigned i = 0; i < events; i++) {
        add_slice(&feed, &random, shape, &tick, &depth);
        if (test_random_below(&random, 5) != 0) continue;
        InstantScope scope = (InstantScope)(test_random_below(&random, 6) / 2);
        unsigned     many = test_random_below(&random, 10) == 0 ? 20 : 1;
        for (unsigned k = 0; k < many; k++) {
            builder_instant(feed.builder, feed.thread, tick + k / 4, draw_label(&feed, &random), scope,
                            feed_next_pos(&feed), 0);
        }
    }
    feed_set_thread(&feed, 1, 3); /* another one, with few events */
    builder_begin(feed.builder, feed.thread, tick / 2, draw_label(&feed, &random), feed_next_pos(&feed), 0);
    feed_set_thread(&feed, 4, 4);
    builder_complete(feed.builder, feed.thread, tick, tick, draw_label(&feed, &random), feed_next_pos(&feed),
                     0);
    return feed_finish(&feed, 1);
}
