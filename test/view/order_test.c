/* The order of rows: sorted, without groups, moved by drag and by keys; undo, view files, many rows. */
#include "support/test.h"
#include "view/row_moves.h"
#include "view/row_order.h"
#include "view_support.h"

#include <stdio.h>

/* Two processes with five threads, whose names are not in the order of their ids. */
static TestHost host_with_rows(void)
{
    static const struct {
        int         process, thread;
        const char *process_name, *name, *events;
    } ROWS[] = { { 1, 1, "web", "io 10", "X500..600:a" },
                 { 1, 2, "web", "io 9", "X100..900:b" },
                 { 1, 3, "web", "main", "X0..50:c" },
                 { 2, 4, "db", "log", "X50..1000:d X60..900:e" },
                 { 2, 5, "db", "Cache", "X300..400:f" } };
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        feed_set_thread(&feed, ROWS[i].process, ROWS[i].thread);
        builder_name_process(
            feed.builder, builder_process(feed.builder, ident_int(ROWS[i].process)),
            builder_string(feed.builder, ROWS[i].process_name, strlen(ROWS[i].process_name)));
        builder_name_thread(feed.builder, feed.thread,
                            builder_string(feed.builder, ROWS[i].name, strlen(ROWS[i].name)));
        builder_sort_process(feed.builder, builder_process(feed.builder, ident_int(ROWS[i].process)),
                             ROWS[i].process);
        builder_sort_thread(feed.builder, feed.thread, ROWS[i].thread);
        feed_events(&feed, ROWS[i].events);
    }
    host_add(&host, feed_finish(&feed, 1), "rows");
    host_rest(&host);
    return host;
}

/* Writes the titles of the rows from top to bottom, pinned ones first. */
static const char *titles(TestHost *host, Bytes *out)
{
    bytes_clear(out);
    layout_build(host->view);
    for (uint32_t i = 0; i < host->view->layout.count; i++) {
        const LayoutItem *item = layout_item(host->view, i);
        const StringView title = shown_title(host->view, (RowTarget){ item->kind, item->trace, item->index });
        size_t           size = title.size; /* without the id at its end */
        while (size > 0 && title.bytes[size - 1] != ' ')
            size--;
        bytes_printf(out, "%s%.*s", i == 0 ? "" : ", ", (int)(size > 0 ? size - 1 : title.size), title.bytes);
    }
    bytes_append(out, "", 1);
    return (const char *)out->data;
}

static void run(TestHost *host, const char *command)
{
    CHECK(view_command(host->view, command, host->now_ms));
}

static const char INPUT[] = "web, io 10, io 9, main, db, log, Cache";

TEST(rows_are_sorted_in_their_groups)
{
    TestHost host = host_with_rows();
    Bytes    out = { 0 };
    CHECK_STRING(titles(&host, &out), INPUT);
    run(&host, "sort-name");
    CHECK_STRING(titles(&host, &out), "db, Cache, log, web, io 9, io 10, main");
    run(&host, "sort-first");
    CHECK_STRING(titles(&host, &out), "web, main, io 9, io 10, db, log, Cache");
    run(&host, "sort-busiest"); /* 1050 ticks in db, of which 950 in log: inner slices do not count */
    CHECK_STRING(titles(&host, &out), "db, log, Cache, web, io 9, io 10, main");
    run(&host, "sort-default");
    CHECK_STRING(titles(&host, &out), INPUT);
    bytes_release(&out);
    host_destroy(&host);
}

TEST(rows_without_groups_are_one_list)
{
    TestHost host = host_with_rows();
    Bytes    out = { 0 };
    run(&host, "group-flat");
    CHECK_STRING(titles(&host, &out), "io 10, io 9, main, log, Cache");
    run(&host, "sort-busiest");
    CHECK_STRING(titles(&host, &out), "log, io 9, io 10, Cache, main");
    shown_toggle(host.view, (RowTarget){ ITEM_PROCESS, 0, 1 }, TRACK_HIDDEN); /* also without its header */
    CHECK_STRING(titles(&host, &out), "io 9, io 10, main");
    double y;
    view_set_scroll(host.view, 5);
    CHECK_UINT(layout_sticky_header(host.view, LAYOUT_SCROLLED, &y), UINT32_MAX);
    host_rest(&host);
    host_key(&host, "KeyZ", MOD_CTRL);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(titles(&host, &out), "io 10, io 9, main, log, Cache");
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(titles(&host, &out), INPUT);
    host_key(&host, "KeyY", MOD_CTRL);
    host_key(&host, "KeyY", MOD_CTRL);
    CHECK_STRING(titles(&host, &out), "log, io 9, io 10, Cache, main");
    bytes_release(&out);
    host_destroy(&host);
}

/* Writes the whole titles of the rows from top to bottom. */
static const char *whole_titles(TestHost *host, Bytes *out)
{
    bytes_clear(out);
    layout_build(host->view);
    for (uint32_t i = 0; i < host->view->layout.count; i++) {
        const LayoutItem *item = layout_item(host->view, i);
        const StringView title = shown_title(host->view, (RowTarget){ item->kind, item->trace, item->index });
        bytes_printf(out, "%s%.*s", i == 0 ? "" : ", ", (int)title.size, title.bytes);
    }
    bytes_append(out, "", 1);
    return (const char *)out->data;
}

/* Two processes with a pool of threads each, and a thread that only one of them has. */
static TestHost host_with_pools(void)
{
    static const struct {
        int         process, thread;
        const char *name, *events;
    } ROWS[] = { { 1, 1, "pool-1", "X0..900:a" },
                 { 1, 2, "main", "X100..500:b X110..300:b" },
                 { 1, 3, "pool-2", "X0..50:c" },
                 { 2, 4, "pool-7", "X50..1000:d" },
                 { 2, 5, "log", "X300..400:f" } };
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        feed_set_thread(&feed, ROWS[i].process, ROWS[i].thread);
        builder_name_thread(feed.builder, feed.thread,
                            builder_string(feed.builder, ROWS[i].name, strlen(ROWS[i].name)));
        builder_sort_thread(feed.builder, feed.thread, ROWS[i].thread);
        feed_events(&feed, ROWS[i].events);
    }
    host_add(&host, feed_finish(&feed, 1), "pools");
    host_rest(&host);
    return host;
}

static void run_on(TestHost *host, RowTarget row, const char *command)
{
    shown_focus(host->view, row);
    host->view->input.keys_lead = true;
    run(host, command);
    host_rest(host);
}

static const char POOLS[] = "pool-# (#), pool-1 (1), pool-2 (3), pool-7 (4), main (2), log (5)";

TEST(tracks_of_all_processes_are_grouped_by_name)
{
    TestHost        host = host_with_pools();
    Bytes           out = { 0 };
    const RowTarget pool = { ITEM_GROUP, 0, 0 };
    double          y;
    run(&host, "group-name");
    CHECK_STRING(whole_titles(&host, &out), POOLS);
    host_check_golden(&host, "golden_groups_by_name");
    run_on(&host, pool, "collapse-track");
    CHECK_STRING(whole_titles(&host, &out), "pool-# (#), main (2), log (5)");
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(whole_titles(&host, &out), POOLS);
    run_on(&host, pool, "hide-track");
    CHECK_STRING(whole_titles(&host, &out), "main (2), log (5)");
    host_key(&host, "KeyZ", MOD_CTRL);
    run_on(&host, pool, "isolate-track");
    CHECK_STRING(whole_titles(&host, &out), "pool-# (#), pool-1 (1), pool-2 (3), pool-7 (4)");
    host_key(&host, "KeyZ", MOD_CTRL);
    run_on(&host, pool, "pin-track");
    CHECK_UINT(host.view->layout.pinned, 3);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(whole_titles(&host, &out), POOLS);
    run_on(&host, pool, "track-compact");
    CHECK(layout_row_height(host.view, view_trace(host.view, 0), 3) == ROW_COMPACT_PX);
    CHECK(layout_row_height(host.view, view_trace(host.view, 0), 1) == ROW_PX);
    run(&host, "sort-busiest");
    CHECK_STRING(whole_titles(&host, &out),
                 "pool-# (#), pool-7 (4), pool-1 (1), pool-2 (3), main (2), log (5)");
    run_on(&host, pool, "move-row-down"); /* a group moves with its tracks */
    CHECK_STRING(whole_titles(&host, &out),
                 "main (2), pool-# (#), pool-7 (4), pool-1 (1), pool-2 (3), log (5)");
    view_resize(host.view, 1000, 160, 1); /* the header stays while its tracks are visible */
    host_rest(&host);
    view_set_scroll(host.view, 70);
    const uint32_t header = layout_sticky_header(host.view, LAYOUT_SCROLLED, &y);
    CHECK(header != UINT32_MAX && layout_item(host.view, header)->kind == ITEM_GROUP);
    bytes_release(&out);
    host_destroy(&host);
}

TEST(a_view_file_has_the_groups_by_name)
{
    TestHost   host = host_with_pools(), other = host_with_pools();
    Bytes      first = { 0 }, again = { 0 }, out = { 0 };
    ViewSaving saving = { .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES };
    ViewLoaded loaded;
    Err        err;
    run(&host, "group-name");
    run_on(&host, (RowTarget){ ITEM_GROUP, 0, 0 }, "move-row-down");
    run_on(&host, (RowTarget){ ITEM_GROUP, 0, 0 }, "collapse-track");
    view_save(host.view, &saving, &first);
    CHECK_DONE(view_load(other.view, (const char *)first.data, first.size, VIEW_FILE_OPENED, &loaded, &err),
               err);
    CHECK_UINT(loaded.unknown_members + loaded.missing_rows, 0);
    view_loaded_release(&loaded);
    host_rest(&other);
    CHECK_STRING(whole_titles(&other, &out), "main (2), pool-# (#), log (5)");
    view_save(other.view, &saving, &again);
    CHECK(again.size == first.size && memcmp(again.data, first.data, first.size) == 0);
    bytes_release(&first);
    bytes_release(&again);
    bytes_release(&out);
    host_destroy(&host);
    host_destroy(&other);
}

static double middle_y(TestHost *host, uint32_t item)
{
    return layout_item_screen_y(host->view, item) + 10;
}

TEST(rows_are_moved_by_drag)
{
    TestHost host = host_with_rows();
    Bytes    out = { 0 };
    uint32_t count = host.view->layout.count;
    host_drag(&host, 40, middle_y(&host, 3), 40, middle_y(&host, 1), 0);
    CHECK_STRING(titles(&host, &out), "web, main, io 10, io 9, db, log, Cache");
    host_drag(&host, 40, middle_y(&host, 1), 60, 590, 0); /* below its process: the last one of it */
    CHECK_STRING(titles(&host, &out), "web, io 10, io 9, main, db, log, Cache");
    host_drag(&host, 40, middle_y(&host, 4), 40, middle_y(&host, 2), 0); /* a process moves with its tracks */
    CHECK_STRING(titles(&host, &out), "db, log, Cache, web, io 10, io 9, main");
    CHECK_UINT(host.view->layout.count, count); /* nothing was closed by a click */
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(titles(&host, &out), INPUT);
    host_move(&host, 40, middle_y(&host, 1));
    host_down(&host, 40, middle_y(&host, 1), 0);
    host_move(&host, 40, middle_y(&host, 3));
    size_t shapes = view_draw(host.view)->shape_count;
    CHECK(host.view->input.row_drag.has_target);
    CHECK(row_drag_y(host.view) == layout_item_screen_y(host.view, 4)); /* a line at the destination */
    host_key(&host, "Escape", 0);
    CHECK(view_draw(host.view)->shape_count < shapes);
    host_up(&host, 40, middle_y(&host, 3));
    CHECK_STRING(titles(&host, &out), INPUT); /* cancelled */
    bytes_release(&out);
    host_destroy(&host);
}

TEST(rows_are_moved_by_keys)
{
    TestHost host = host_with_rows();
    Bytes    out = { 0 };
    host_move(&host, 500, middle_y(&host, 1));
    host_key(&host, "ArrowDown", MOD_ALT);
    host_key(&host, "ArrowDown", MOD_ALT); /* the same row, wherever the pointer is */
    CHECK_STRING(titles(&host, &out), "web, io 9, main, io 10, db, log, Cache");
    CHECK_UINT(vec_count(&host.view->order.moves), 1);
    host_key(&host, "ArrowDown", MOD_ALT); /* the last one of its process */
    CHECK_UINT(vec_count(&host.view->order.moves), 1);
    host_key(&host, "ArrowUp", MOD_ALT);
    CHECK_STRING(titles(&host, &out), "web, io 9, io 10, main, db, log, Cache");
    host_move(&host, 500, middle_y(&host, 4));
    host_key(&host, "ArrowUp", MOD_ALT);
    CHECK_STRING(titles(&host, &out), "db, log, Cache, web, io 9, io 10, main");
    run(&host, "unmove-rows");
    CHECK_STRING(titles(&host, &out), INPUT);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(titles(&host, &out), "db, log, Cache, web, io 9, io 10, main");
    bytes_release(&out);
    host_destroy(&host);
}

TEST(pinned_rows_follow_the_order)
{
    TestHost host = host_with_rows();
    Bytes    out = { 0 };
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 0, 1 }, TRACK_PINNED);
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 0, 0 }, TRACK_PINNED);
    CHECK_STRING(titles(&host, &out), "io 10, io 9, web, main, db, log, Cache");
    host_drag(&host, 40, middle_y(&host, 1), 40, middle_y(&host, 0), 0);
    CHECK_STRING(titles(&host, &out), "io 9, io 10, web, main, db, log, Cache");
    bytes_release(&out);
    host_destroy(&host);
}

/* The instant belongs to the process of the scrolled tracks; the pinned track is of another one. */
TEST(lines_of_scrolled_tracks_are_not_over_pinned_ones)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId   label = feed_label(&feed, "work", 4);
    for (int64_t t = 0; t < 100; t++) {
        feed_set_thread(&feed, t == 0 ? 2 : 1, t + 1);
        builder_complete(feed.builder, feed.thread, 0, 50, label, feed_next_pos(&feed), 0);
    }
    builder_complete(feed.builder, feed.thread, 900, 1000, label, feed_next_pos(&feed), 0);
    builder_instant(feed.builder, feed.thread, 637, label, INSTANT_PROCESS, feed_next_pos(&feed), 0);
    host_add(&host, feed_finish(&feed, 1), "lines");
    run(&host, "group-flat");
    const uint32_t last = view_trace(host.view, 0)->outline.track_count - 1;
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 0, last }, TRACK_PINNED);
    host_rest(&host);
    view_set_scroll(host.view, 5 * ROW_PX + ROW_PX / 2);
    const DrawList *list = host_rest(&host);
    const Geometry *g = &host.view->screen.geometry;
    const float     x = (float)(g->plot_x + host_column_of(&host, 637));
    unsigned        lines = 0;
    CHECK_UINT(host.view->layout.pinned, 1);
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        if (shape->w != 1 || shape->x != x || shape->y < (float)g->pinned_y) continue;
        CHECK(shape->y >= (float)g->rows_y);
        lines++;
    }
    CHECK(lines > 0);
    host_destroy(&host);
}

TEST(a_view_file_has_the_order)
{
    TestHost   host = host_with_rows();
    Bytes      out = { 0 }, file = { 0 }, again = { 0 };
    ViewSaving saving = { .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES };
    ViewLoaded loaded;
    Err        err;
    run(&host, "sort-name");
    host_drag(&host, 40, middle_y(&host, 6), 40, middle_y(&host, 4), 0);
    host_rest(&host);
    view_save(host.view, &saving, &file);
    bytes_append(&file, "", 1); /* for strstr */
    file.size--;
    CHECK(strstr((const char *)file.data, "\"sort\": \"name\"") != NULL);
    run(&host, "group-flat");
    view_save(host.view, &saving, &again);
    bytes_append(&again, "", 1);
    again.size--;
    CHECK(strstr((const char *)again.data, "\"groups\": \"flat\"") != NULL);
    CHECK(strstr((const char *)again.data, "moved") == NULL); /* another grouping begins without moves */
    CHECK_DONE(view_load(host.view, (const char *)file.data, file.size, VIEW_FILE_OPENED, &loaded, &err),
               err);
    view_loaded_release(&loaded);
    CHECK_STRING(titles(&host, &out), "db, Cache, log, web, main, io 9, io 10");
    bytes_clear(&again);
    view_save(host.view, &saving, &again);
    CHECK(again.size == file.size && memcmp(again.data, file.data, file.size) == 0);
    static const char UNKNOWN[] = "{\"varve_view\":1,\"sort\":\"size\",\"traces\":[]}";
    CHECK(!view_load(host.view, UNKNOWN, strlen(UNKNOWN), VIEW_FILE_OPENED, &loaded, &err));
    CHECK_UINT(err.offset, 23);
    view_loaded_release(&loaded);
    bytes_release(&out);
    bytes_release(&file);
    bytes_release(&again);
    host_destroy(&host);
}

/* A row of 20 threads is of one category, one of two threads of another. */
TEST(a_view_file_scrolls_when_the_hidden_categories_are_known)
{
    TestHost   host = host_create();
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    ViewSaving saving = { .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES };
    ViewLoaded loaded;
    Bytes      file = { 0 };
    Err        err;
    for (int i = 0; i < 22; i++) {
        feed_set_thread(&feed, 1, i);
        feed_events(&feed, i < 20 ? "X0..100:many/x" : "X0..100:few/y");
    }
    host_add(&host, feed_finish(&feed, 1), "categories");
    view_resize(host.view, 1000, 200, 1);
    host_rest(&host);
    CHECK(view_set_hidden(host.view, 0, "2", 1)); /* y */
    host_rest(&host);
    view_set_scroll(host.view, 150);
    host_rest(&host);
    CHECK(view_scroll(host.view) == 150);
    view_save(host.view, &saving, &file);
    CHECK(view_set_hidden(host.view, 0, "1", 1));
    host_rest(&host);
    CHECK(view_scroll(host.view) == 0);
    CHECK_DONE(view_load(host.view, (const char *)file.data, file.size, VIEW_FILE_OPENED, &loaded, &err),
               err);
    view_loaded_release(&loaded);
    host_rest(&host);
    CHECK(view_scroll(host.view) == 150);
    bytes_release(&file);
    host_destroy(&host);
}

/* Returns true if the frame has the text. */
static bool draws(TestHost *host, const char *text)
{
    const DrawList *list = host_rest(host);
    for (size_t i = 0; i < list->text_count; i++)
        if (list->texts[i].length == strlen(text) &&
            memcmp(list->text + list->texts[i].offset, text, strlen(text)) == 0)
            return true;
    return false;
}

TEST(the_area_of_everything_is_as_long_as_the_trace)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/1 X0..1234:a"), "area");
    host_rest(&host);
    host_key(&host, "KeyA", MOD_CTRL);
    CHECK(draws(&host, "1.234 \xC2\xB5s"));
    CHECK(!draws(&host, "1.235 \xC2\xB5s"));
    host_destroy(&host);
}

TEST(many_rows_are_sorted_in_steps)
{
    enum { THREADS = 70000 };
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (int i = 0; i < THREADS; i++) {
        feed_set_thread(&feed, 1, (i * 7919) % THREADS);
        feed_events(&feed, "X0..1:a");
    }
    host_add(&host, feed_finish(&feed, 1), "many");
    host_rest(&host);
    run(&host, "sort-name");
    CHECK(row_order_is_working(host.view) && view_is_moving(host.view)); /* the rows are usable meanwhile */
    host_rest(&host);
    const TraceView *trace = view_trace(host.view, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        char      text[32];
        const int size = snprintf(text, sizeof text, "Thread %u", i);
        CHECK(string_equal(trace->outline.tracks[trace->lists.tracks[i]].title,
                           (StringView){ text, (size_t)size }));
    }
    host_destroy(&host);
}

TEST_MAIN("view/order", TEST_CASE(rows_are_sorted_in_their_groups),
          TEST_CASE(rows_without_groups_are_one_list), TEST_CASE(tracks_of_all_processes_are_grouped_by_name),
          TEST_CASE(a_view_file_has_the_groups_by_name), TEST_CASE(rows_are_moved_by_drag),
          TEST_CASE(rows_are_moved_by_keys), TEST_CASE(pinned_rows_follow_the_order),
          TEST_CASE(lines_of_scrolled_tracks_are_not_over_pinned_ones), TEST_CASE(a_view_file_has_the_order),
          TEST_CASE(a_view_file_scrolls_when_the_hidden_categories_are_known),
          TEST_CASE(the_area_of_everything_is_as_long_as_the_trace), TEST_CASE(many_rows_are_sorted_in_steps))
