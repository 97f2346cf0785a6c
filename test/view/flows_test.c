/* Arrows on the screen: golden frames, arrows of the selected slice, and thousands of them. */
#include "support/test.h"
#include "view_support.h"

#include <math.h>
#include <string.h>

static TrackId thread_of(EventFeed *feed, int64_t pid, int64_t tid)
{
    return builder_thread(feed->builder, builder_process(feed->builder, ident_int(pid)), ident_int(tid));
}

static void arrow(EventFeed *feed, TrackId from, int64_t from_tick, TrackId to, int64_t to_tick)
{
    builder_arrow(feed->builder, (FlowPoint){ from, FLOW_BIND_ENCLOSING, from_tick },
                  (FlowPoint){ to, FLOW_BIND_ENCLOSING, to_tick }, feed_label(feed, "msg", 3));
}

/* send > hop > recv in three processes, hop also leads to note, note leads back in time. */
static Trace *chain(void)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(
        &feed,
        "@1/1 X0..300:send @2/1 X400..600:hop X420..500:inner @3/1 X700..900:recv @3/2 X650..800:note");
    TrackId a = thread_of(&feed, 1, 1), b = thread_of(&feed, 2, 1), c = thread_of(&feed, 3, 1),
            d = thread_of(&feed, 3, 2);
    arrow(&feed, a, 150, b, 450);
    arrow(&feed, b, 550, c, 700);
    arrow(&feed, b, 550, d, 660);
    arrow(&feed, d, 750, a, 250);
    return feed_finish(&feed, 1);
}

TEST(arrows_across_processes_in_the_dark)
{
    TestHost host = host_create();
    host_add(&host, chain(), "chain.json");
    host_check_golden(&host, "golden_flows_dark");
    host_destroy(&host);
}

/* Returns the number of the first batch with a text of these words; UINT32_MAX: not found. */
static uint32_t batch_of_text(const DrawList *list, const char *words)
{
    for (uint32_t b = 0; b < list->batch_count; b++) {
        const DrawBatch *batch = &list->batches[b];
        for (uint32_t i = batch->first; batch->kind == DRAW_TEXTS && i < batch->first + batch->count; i++)
            if (list->texts[i].length == strlen(words) &&
                memcmp(list->text + list->texts[i].offset, words, strlen(words)) == 0)
                return b;
    }
    return UINT32_MAX;
}

TEST(arrows_are_below_the_texts_of_rows_and_above_the_bars)
{
    TestHost host = host_create();
    host_add(&host, chain(), "chain.json");
    const DrawList *list = host_rest(&host);
    uint32_t        arrows = UINT32_MAX;
    for (uint32_t b = 0; b < list->batch_count; b++)
        if (list->batches[b].kind == DRAW_CURVES) arrows = b;
    CHECK(arrows != UINT32_MAX && arrows > 0);
    CHECK(batch_of_text(list, "send") != UINT32_MAX && batch_of_text(list, "send") > arrows);
    CHECK(batch_of_text(list, "process 2") == UINT32_MAX || batch_of_text(list, "process 2") > arrows);
    for (uint32_t b = arrows; b < list->batch_count; b++) /* no bar is above an arrow */
        for (uint32_t i = 0; list->batches[b].kind == DRAW_SHAPES && i < list->batches[b].count; i++) {
            const DrawShape *shape = &list->shapes[list->batches[b].first + i];
            CHECK((double)list->batches[b].clip_y < host.view->screen.geometry.pinned_y ||
                  (double)shape->w < 20 || (double)shape->h < 16);
        }
    view_resize(host.view, 1000, 160, 1);
    view_set_scroll(host.view, 30); /* the texts of rows do not cross the header at the top */
    list = host_rest(&host);
    double          y;
    const double    top = host.view->screen.geometry.rows_y;
    const DrawBatch rows = list->batches[batch_of_text(list, "hop")];
    CHECK(layout_sticky_header(host.view, LAYOUT_SCROLLED, &y) != UINT32_MAX);
    CHECK((double)rows.clip_y == y + HEADER_PX && (double)rows.clip_y > top);
    host_destroy(&host);
}

TEST(arrows_of_a_slice_in_a_light_picture)
{
    TestHost host = host_create();
    view_resize(host.view, 800, 300, 2);
    view_set_theme(host.view, THEME_LIGHT);
    host_add(&host, chain(), "chain.json");
    (void)host_rest(&host);
    host_key(&host, "KeyL", 0); /* all ... */
    host_key(&host, "KeyL", 0); /* ... only those of the selection */
    CHECK_UINT(host_rest(&host)->curve_count, 0);
    SlicePlace place = { .track = 3, .row = 0, .slice = 1, .begin = 400, .extent = 200, .label = 1 };
    view_select(host.view, &place, host.now_ms);
    host_check_golden(&host, "golden_flows_selected");
    host_key(&host, "]", 0);
    ViewEvent event;
    CHECK(host_event(&host, VIEW_EVENT_NEAR, &event));
    CHECK_STRING(event.command, "flow-next");
    CHECK(event.has_place && event.place.slice == 1);
    host_key(&host, "[", 0);
    CHECK(host_event(&host, VIEW_EVENT_NEAR, &event));
    CHECK_STRING(event.command, "flow-previous");
    view_select(host.view, NULL, host.now_ms);
    CHECK_UINT(host_rest(&host)->curve_count, 0);
    host_destroy(&host);
}

TEST(arrows_into_a_closed_group_end_at_its_header)
{
    TestHost host = host_create();
    host_add(&host, chain(), "chain.json");
    CHECK_UINT(host_rest(&host)->curve_count, 8); /* each with its halo */
    layout_build(host.view);
    for (uint32_t i = 0; i < host.view->layout.count; i++) {
        const LayoutItem *item = layout_item(host.view, i);
        if (item->kind == ITEM_PROCESS && item->index == 2) {
            layout_toggle(host.view, item);
            break;
        }
    }
    const DrawList *list = host_rest(&host);
    CHECK_UINT(list->curve_count, 6); /* the rows of the closed group have no arrows of their own */
    uint32_t last = host.view->layout.count - 1;
    CHECK_INT(layout_item(host.view, last)->kind, ITEM_PROCESS);
    double header = layout_item_screen_y(host.view, last);
    for (uint32_t i = 2; i < 6; i++)
        CHECK((double)list->curves[i].y1 > header && (double)list->curves[i].y1 < header + HEADER_PX);
    host_destroy(&host);
}

static bool shows_text(const DrawList *list, const char *part)
{
    for (uint32_t i = 0; i < list->text_count; i++) {
        const char *text = list->text + list->texts[i].offset;
        size_t      size = strlen(part);
        for (uint32_t at = 0; at + size <= list->texts[i].length; at++)
            if (memcmp(text + at, part, size) == 0) return true;
    }
    return false;
}

/* Returns the middle of a curve. */
static void middle_of(const DrawCurve *curve, double *x, double *y)
{
    *x = (double)(curve->x0 + curve->x1) / 2;
    *y = (double)(curve->y0 + curve->y1) / 2;
}

TEST(an_arrow_has_details_and_leads_to_its_far_end)
{
    TestHost host = host_create();
    host_add(&host, chain(), "chain.json");
    const DrawCurve curve = host_rest(&host)->curves[1];
    ViewEvent       event;
    double          x, y;
    middle_of(&curve, &x, &y);
    host_move(&host, x, y + 1);
    CHECK(host.view->input.hover.has_flow && !host.view->input.hover.has_slice);
    const DrawList *list = host_rest(&host);
    CHECK(shows_text(list, "msg") && shows_text(list, "delay") && shows_text(list, "0x1f"));
    host_click(&host, (double)curve.x0, (double)curve.y0);
    CHECK(host_event(&host, VIEW_EVENT_FLOW, &event));
    CHECK_STRING(event.command, "to");
    uint64_t flow = event.flow;
    host_click(&host, (double)curve.x1, (double)curve.y1);
    CHECK(host_event(&host, VIEW_EVENT_FLOW, &event));
    CHECK_STRING(event.command, "from");
    CHECK_UINT(event.flow, flow);
    CHECK(!host.view->selection.has_slice);
    host_key(&host, "KeyL", 0);
    host_key(&host, "KeyL", 0); /* no arrows are drawn, so the pointer hits none */
    (void)host_rest(&host);
    host_click(&host, x, y + 1);
    CHECK(!host_event(&host, VIEW_EVENT_FLOW, &event));
    host_destroy(&host);
}

TEST(beside_an_arrow_is_the_slice_below_it)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, "@1/1 X0..1000:a @1/2 X0..1000:b @1/3 X0..1000:c");
    arrow(&feed, thread_of(&feed, 1, 1), 500, thread_of(&feed, 1, 3), 500);
    host_add(&host, feed_finish(&feed, 1), "through.json");
    const DrawCurve curve = host_rest(&host)->curves[1];
    double          x, y;
    middle_of(&curve, &x, &y); /* in the middle of b */
    host_move(&host, x, y);
    CHECK(host.view->input.hover.has_flow);
    host_move(&host, x + 12, y);
    CHECK(!host.view->input.hover.has_flow && host.view->input.hover.has_slice);
    host_destroy(&host);
}

/* Returns a trace with `count` arrows from near the begin of one thread to near the end of another, and a short one in
 * the middle. */
static Trace *over(int count)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, "@1/1 X0..100000:a @1/2 X0..100000:b");
    TrackId a = thread_of(&feed, 1, 1), b = thread_of(&feed, 1, 2);
    for (int i = 0; i < count; i++)
        arrow(&feed, a, 100 + i, b, 99000 + i % 500);
    arrow(&feed, b, 50002, a, 50006);
    return feed_finish(&feed, 1);
}

TEST(arrows_pass_over_what_is_seen)
{
    TestHost host = host_create();
    host_add(&host, over(1), "over.json");
    CHECK_UINT(host_rest(&host)->curve_count, 4);
    view_set_range(host.view, 0, 50000, 50010, host.now_ms);
    const DrawList *list = host_rest(&host);
    CHECK_UINT(list->curve_count, 4);
    bool crosses = false;
    for (uint32_t i = 0; i < list->curve_count; i++)
        crosses |= list->curves[i].x0 < 220 && list->curves[i].x1 > 1000;
    CHECK(crosses);
    view_set_range(host.view, 0, 99700, 99710, host.now_ms); /* both have ended */
    CHECK_UINT(host_rest(&host)->curve_count, 0);
    host_destroy(&host);
}

TEST(thousands_that_pass_are_counted)
{
    TestHost host = host_create();
    host_add(&host, over(5000), "over.json");
    (void)host_rest(&host);
    view_set_range(host.view, 0, 50000, 50010, host.now_ms);
    const DrawList *list = host_rest(&host);
    CHECK_UINT(list->curve_count, 0);
    CHECK(shows_text(list, "5\xE2\x80\xAF"
                           "001 flows here: L shows them"));
    host_key(&host, "KeyL", 0);
    list = host_rest(&host);
    CHECK(list->curve_count >= 4 && list->curve_count <= 2 * 400);
    CHECK(shows_text(list, "5\xE2\x80\xAF"
                           "001 flows in "));
    host_destroy(&host);
}

/* From a thread above the visible part to one below it. */
TEST(arrows_pass_by_from_row_to_row)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (int t = 1; t <= 60; t++) {
        feed_set_thread(&feed, 1, t);
        builder_complete(feed.builder, feed.thread, 0, 1000, feed_label(&feed, "x", 1), feed_next_pos(&feed),
                         0);
    }
    arrow(&feed, thread_of(&feed, 1, 2), 400, thread_of(&feed, 1, 59), 600);
    host_add(&host, feed_finish(&feed, 1), "rows.json");
    (void)host_rest(&host);
    view_set_scroll(host.view, 400);
    const DrawList *list = host_rest(&host);
    CHECK_UINT(list->curve_count, 2);
    CHECK(list->curves[1].y0 < 82 && list->curves[1].y1 > 600);
    host_destroy(&host);
}

/* True if the number of arrows in thick lines is shown at least once, in the plot, and no number covers another one. */
static bool shows_counts_apart(const TestHost *host, const DrawList *list)
{
    const Geometry *g = &host->view->screen.geometry;
    unsigned        counts = 0;
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        if (strncmp(list->text + text->offset, "\xC3\x97", 2) != 0) continue;
        counts++;
        if ((double)text->x < g->plot_x || (double)text->x + (double)text->max_w > g->plot_x + g->plot_w + 1)
            return false;
        for (uint32_t j = 0; j < i; j++) {
            const DrawText *other = &list->texts[j];
            if (strncmp(list->text + other->offset, "\xC3\x97", 2) == 0 &&
                fabsf(other->baseline - text->baseline) < text->size_px && other->x < text->x + text->max_w &&
                text->x < other->x + other->max_w)
                return false;
        }
    }
    return counts > 0;
}

TEST(thousands_are_counted_and_thinned)
{
    TestHost   host = host_create();
    TestRandom random = { 5 };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TrackId    threads[8];
    for (int t = 0; t < 8; t++) {
        feed_set_thread(&feed, 1, t + 1);
        threads[t] = feed.thread;
        for (int64_t i = 0; i < 500; i++)
            builder_complete(feed.builder, feed.thread, i * 2000, i * 2000 + 1500, feed_label(&feed, "x", 1),
                             feed_next_pos(&feed), 0);
    }
    for (int i = 0; i < 20000; i++) {
        int64_t tick = (int64_t)test_random_below(&random, 990000);
        arrow(&feed, threads[test_random_below(&random, 8)], tick, threads[test_random_below(&random, 8)],
              tick + (int64_t)test_random_below(&random, 9000));
    }
    Trace *trace = feed_finish(&feed, 2);
    CHECK_UINT(trace->flows.count, 20000);
    host_add(&host, trace, "many.json");
    const DrawList *list = host_rest(&host);
    CHECK_UINT(list->curve_count, 0);
    CHECK(shows_text(list, "20\xE2\x80\xAF"
                           "000 flows here: L shows them"));
    host_key(&host, "KeyL", 0);
    list = host_rest(&host);
    CHECK(list->curve_count > 100 && list->curve_count <= 2 * 400);
    CHECK(shows_text(list, "20\xE2\x80\xAF"
                           "000 flows in "));
    CHECK(shows_counts_apart(&host, list));
    CHECK(view_entries_drawn(host.view) < 60000);
    view_set_range(host.view, 0, 100000, 101000, host.now_ms); /* at a closer zoom each is drawn */
    list = host_rest(&host);
    CHECK(list->curve_count > 10 && !shows_text(list, " flows in "));
    host_destroy(&host);
}

TEST_MAIN("flows", TEST_CASE(arrows_across_processes_in_the_dark),
          TEST_CASE(arrows_are_below_the_texts_of_rows_and_above_the_bars),
          TEST_CASE(arrows_of_a_slice_in_a_light_picture),
          TEST_CASE(arrows_into_a_closed_group_end_at_its_header),
          TEST_CASE(an_arrow_has_details_and_leads_to_its_far_end),
          TEST_CASE(beside_an_arrow_is_the_slice_below_it), TEST_CASE(arrows_pass_over_what_is_seen),
          TEST_CASE(thousands_that_pass_are_counted), TEST_CASE(arrows_pass_by_from_row_to_row),
          TEST_CASE(thousands_are_counted_and_thinned))
