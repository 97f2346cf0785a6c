/* Arrows on the screen: golden frames, the selected slice's, and thousands. */
#include "support/golden.h"
#include "support/test.h"
#include "view_support.h"

#include <stdio.h>
#include <string.h>

static void check_golden(TestHost *host, const char *name)
{
    const DrawList *list = host_rest(host);
    Bytes           text = { 0 };
    char            path[128];
    (void)snprintf(path, sizeof path, "view/%s.txt", name);
    draw_list_print(list, &text);
    golden_check(path, text.data, text.size);
    bytes_release(&text);
}

static TrackId thread_of(Teller *teller, int64_t pid, int64_t tid)
{
    return builder_thread(teller->builder, builder_process(teller->builder, ident_int(pid)), ident_int(tid));
}

static void arrow(Teller *teller, TrackId from, int64_t from_tick, TrackId to, int64_t to_tick)
{
    builder_arrow(teller->builder, (FlowPoint){ from, FLOW_BIND_ENCLOSING, from_tick },
                  (FlowPoint){ to, FLOW_BIND_ENCLOSING, to_tick }, teller_label(teller, "msg", 3));
}

/* send > hop > recv in three processes, hop fans out to note, note answers backwards. */
static Trace *chain(void)
{
    Teller teller = teller_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    teller_tell(
        &teller,
        "@1/1 X0..300:send @2/1 X400..600:hop X420..500:inner @3/1 X700..900:recv @3/2 X650..800:note");
    TrackId a = thread_of(&teller, 1, 1), b = thread_of(&teller, 2, 1), c = thread_of(&teller, 3, 1),
            d = thread_of(&teller, 3, 2);
    arrow(&teller, a, 150, b, 450);
    arrow(&teller, b, 550, c, 700);
    arrow(&teller, b, 550, d, 660);
    arrow(&teller, d, 750, a, 250);
    return teller_finish(&teller, 1);
}

TEST(arrows_across_processes_in_the_dark)
{
    TestHost host = host_create();
    host_add(&host, chain(), "chain.json");
    check_golden(&host, "golden_flows_dark");
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
    host_key(&host, "KeyL", 0); /* ... those of the selection alone */
    CHECK_UINT(host_rest(&host)->curve_count, 0);
    SlicePlace place = { .track = 3, .row = 0, .slice = 1, .begin = 400, .extent = 200, .label = 1 };
    view_select(host.view, &place, host.now_ms);
    check_golden(&host, "golden_flows_selected");
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
            layout_close(host.view, item, true);
            break;
        }
    }
    const DrawList *list = host_rest(&host);
    CHECK_UINT(list->curve_count, 6); /* the closed group's rows tell nothing of their own */
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

TEST(thousands_are_counted_and_thinned)
{
    TestHost   host = host_create();
    TestRandom random = { 5 };
    Teller     teller = teller_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TrackId    threads[8];
    for (int t = 0; t < 8; t++) {
        teller_on(&teller, 1, t + 1);
        threads[t] = teller.thread;
        for (int64_t i = 0; i < 500; i++)
            builder_complete(teller.builder, teller.thread, i * 2000, i * 2000 + 1500,
                             teller_label(&teller, "x", 1), teller_pos(&teller), 0);
    }
    for (int i = 0; i < 20000; i++) {
        int64_t tick = (int64_t)test_random_below(&random, 990000);
        arrow(&teller, threads[test_random_below(&random, 8)], tick, threads[test_random_below(&random, 8)],
              tick + (int64_t)test_random_below(&random, 9000));
    }
    Trace *trace = teller_finish(&teller, 2);
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
    CHECK(shows_text(list, "\xC3\x97")); /* thick ones say how many they are */
    CHECK(view_entries_drawn(host.view) < 60000);
    view_set_range(host.view, 0, 100000, 101000, host.now_ms); /* near by each is told */
    list = host_rest(&host);
    CHECK(list->curve_count > 10 && !shows_text(list, " flows in "));
    host_destroy(&host);
}

TEST_MAIN("flows", TEST_CASE(arrows_across_processes_in_the_dark),
          TEST_CASE(arrows_of_a_slice_in_a_light_picture),
          TEST_CASE(arrows_into_a_closed_group_end_at_its_header),
          TEST_CASE(thousands_are_counted_and_thinned))
