/* Samples of a thread on the screen: a golden frame in each theme, and closed. */
#include "support/test.h"
#include "view_support.h"

static StackId stack_of(TraceBuilder *builder, const char *functions)
{
    StackId stack = STACK_NONE;
    for (; *functions != 0; functions++) { /* a letter each; i is idle */
        StackFrame frame = { .function = builder_string(builder, functions, 1),
                             .flags = *functions == 'i' ? (uint32_t)FRAME_IDLE : 0 };
        stack = builder_stack(builder, stack, builder_frame(builder, &frame));
    }
    return stack;
}

/* A thread with a slice, and below it the samples: nested, apart, idle, a single one. */
static Trace *sampled(void)
{
    static const char *const STACKS[] = { "mf", "mfg", "mfgh", "mk", "i", "i", "m", "g", "i", "mfg" };
    EventFeed                feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder            *builder = feed.builder;
    feed_events(&feed, "@1/1 X0..1000:task @1/2 X0..900:other @1/1");
    SamplerId sampler = builder_sampler(builder, feed.thread, builder_string(builder, "V8 samples", 10));
    for (size_t i = 0; i < sizeof STACKS / sizeof STACKS[0]; i++)
        builder_stack_sample(builder, sampler, 50 + 90 * (int64_t)i, stack_of(builder, STACKS[i]), 1);
    return feed_finish(&feed, 1);
}

TEST(samples_in_the_dark)
{
    TestHost host = host_create();
    host_add(&host, sampled(), "sampled.json");
    host_check_golden(&host, "golden_samples_dark");
    host_destroy(&host);
}

TEST(samples_in_a_light_picture_of_double_density)
{
    TestHost host = host_create();
    view_resize(host.view, 800, 300, 2);
    view_set_theme(host.view, THEME_LIGHT);
    view_set_options(host.view, VIEW_STATIC);
    host_add(&host, sampled(), "sampled.json");
    host_check_golden(&host, "golden_samples_light_static");
    host_destroy(&host);
}

TEST(a_track_of_samples_stands_below_its_thread_and_closes)
{
    TestHost host = host_create();
    host_add(&host, sampled(), "sampled.json");
    (void)host_rest(&host);
    layout_build(host.view);
    const Outline *outline = &view_trace(host.view, 0)->outline;
    uint32_t       found = UINT32_MAX;
    for (uint32_t i = 1; i < host.view->layout.count; i++) {
        const LayoutItem *item = layout_item(host.view, i), *above = layout_item(host.view, i - 1);
        if (item->kind != ITEM_TRACK || outline->tracks[item->index].kind != TRACK_SAMPLES) continue;
        CHECK(above->kind == ITEM_TRACK && above->index + 1 == item->index);
        CHECK_UINT(outline->tracks[above->index].kind, TRACK_THREAD);
        found = i;
    }
    CHECK(found != UINT32_MAX);
    LayoutItem item = *layout_item(host.view, found);
    layout_toggle(host.view, &item);
    layout_build(host.view);
    CHECK(layout_item(host.view, found)->height < item.height);
    host_destroy(&host);
}

TEST_MAIN("samples", TEST_CASE(samples_in_the_dark), TEST_CASE(samples_in_a_light_picture_of_double_density),
          TEST_CASE(a_track_of_samples_stands_below_its_thread_and_closes))
