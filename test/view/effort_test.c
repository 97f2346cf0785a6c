/* The effort of a frame: every slice is painted and found, and the cost follows the pixels, not the slices; requests of tiles. */
#include "support/test.h"
#include "view_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the columns of a row that the shapes of a frame paint. */
static void painted_columns(const DrawList *list, Rect row, bool *columns, int count, double plot_x)
{
    memset(columns, 0, (size_t)count);
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        if ((shape->fill & 0xFF) == 0 || shape->kind != DRAW_RECT || (double)shape->w > count + 32) continue;
        if ((double)shape->y != row.y || (double)shape->h != row.h) continue;
        for (int x = (int)((double)shape->x - plot_x); x < (double)shape->x + (double)shape->w - plot_x; x++)
            if (x >= 0 && x < count) columns[x] = true;
    }
}

/* Checks that every column in which a slice begins, ends or runs is painted, and that a pointer there finds a slice. */
static void check_rows_are_whole(TestHost *host)
{
    const Trace    *trace = host->traces[0];
    const DrawList *list = host_rest(host);
    const Geometry *g = &host->view->screen.geometry;
    static bool     painted[4096], expected[4096];
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        SlicePlace place = { .track = row->track, .row = r - trace->tracks[row->track].first_row };
        Rect       bar;
        if (!view_place_rect(host->view, &place, &bar) || bar.y < g->rows_y || bar.y + bar.h > g->height)
            continue;
        memset(expected, 0, sizeof expected);
        for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
            uint64_t begin = (uint64_t)(trace_slice_begin(trace, s) - trace->begin_tick);
            int      x0 = host_column_of(host, begin),
                x1 = host_column_of(host, begin + trace_slice_duration(trace, s));
            for (int x = x0 < 0 ? 0 : x0; (x < x1 || x == x0) && x < g->plot_w; x++)
                expected[x] = true;
        }
        painted_columns(list, bar, painted, g->plot_w, g->plot_x);
        for (int x = 0; x < g->plot_w; x++) {
            CHECK(!expected[x] || painted[x]);
            Hit hit;
            if (x % 7 != 0) continue;
            view_hit(host->view, g->plot_x + x + 0.5, bar.y + 5, &hit);
            CHECK(!painted[x] || hit.has_run || hit.zone != ZONE_PLOT);
            CHECK(!hit.has_run || painted[x] || painted[x + 1] || (x > 0 && painted[x - 1]));
        }
    }
}

TEST(every_column_that_holds_a_slice_is_painted_and_found)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        TestHost   host = host_create();
        TestRandom random = { seed };
        int64_t    span = seed % 2 ? 100000 : INT64_C(1) << 50;
        host_add(&host, random_trace(seed, 3, 600, span), "random");
        check_rows_are_whole(&host);
        for (int i = 0; i < 6; i++) {
            int64_t begin = (int64_t)test_random_below(&random, (uint64_t)span);
            int64_t length = 20 + (int64_t)(test_random_below(&random, (uint64_t)span) >> (i * 3));
            view_set_range(host.view, 0, begin, begin + length, host.now_ms);
            check_rows_are_whole(&host);
        }
        host_destroy(&host);
    }
}

/* The same with only coarse tiles: the picture in the meantime hides nothing either. */
TEST(coarse_tiles_hide_nothing)
{
    TestHost host = host_create();
    host_add(&host, random_trace(11, 2, 400, 1000000), "random");
    host_rest(&host);
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    view_set_range(host.view, 0, 400000, 450000, host.now_ms);
    view_step(host.view, host.now_ms);
    const DrawList *list = view_draw(host.view);
    CHECK(view_is_waiting(host.view));
    const Trace    *trace = host.traces[0];
    const Geometry *g = &host.view->screen.geometry;
    static bool     painted[4096];
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        SlicePlace place = { .track = row->track, .row = r - trace->tracks[row->track].first_row };
        Rect       bar;
        if (!view_place_rect(host.view, &place, &bar) || bar.y + bar.h > g->height) continue;
        painted_columns(list, bar, painted, g->plot_w, g->plot_x);
        for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
            int x = host_column_of(&host, (uint64_t)(trace_slice_begin(trace, s) - trace->begin_tick));
            CHECK(x < 0 || x >= g->plot_w || painted[x]);
        }
    }
    host_rest(&host);
    CHECK(!view_is_waiting(host.view));
    host_destroy(&host);
}

/* ---- the cost of a frame depends on pixels ---- */

static uint64_t entries_of(int slices)
{
    TestHost host = host_create();
    host_add(&host, random_trace(5, 4, slices, INT64_C(1) << 40), "big");
    host_rest(&host);
    uint64_t most = 0;
    for (int zoom = 0; zoom < 20; zoom++) {
        host_rest(&host);
        built_rows_release(&host.view->picture.built);
        view_draw(host.view);
        if (view_entries_drawn(host.view) > most) most = view_entries_drawn(host.view);
        view_set_range(host.view, 0, 1000, 1000 + ((INT64_C(1) << 40) >> zoom), host.now_ms);
    }
    /* at most two entries for each pixel and row, with tiles extending a little over the edges, without minimap and
     * hover */
    double rows = host.view->screen.geometry.rows_h / (ROW_PX + ROW_GAP_PX),
           columns = host.view->screen.geometry.plot_w;
    CHECK((double)most <= rows * (columns * 3 + 1024));
    host_destroy(&host);
    return most;
}

TEST(a_hundred_times_the_slices_cost_no_more_than_the_pixels)
{
    uint64_t small = entries_of(400), big = entries_of(40000);
    CHECK(small > 0 && big < 4 * 17 * 1000 * 3);
}

static uint64_t entries_at_scroll(TestHost *host, double scroll_px)
{
    view_set_scroll(host->view, scroll_px);
    view_step(host->view, host->now_ms);
    view_draw(host->view);
    return view_entries_drawn(host->view);
}

TEST(scrolling_builds_only_the_rows_that_come_into_sight)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId   label = feed_label(&feed, "work", 4);
    for (int64_t i = 0; i < 80000; i++) {
        feed_set_thread(&feed, 1, 1 + i % 80);
        builder_complete(feed.builder, feed.thread, i / 80 * 100, i / 80 * 100 + 50, label,
                         feed_next_pos(&feed), 0);
    }
    host_add(&host, feed_finish(&feed, 1), "many rows");
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    const double step = 2 * (ROW_PX + ROW_GAP_PX);
    for (int i = 0; i < 2; i++) { /* loads the tiles of both positions */
        view_set_scroll(host.view, 400 + i * step);
        host_rest(&host);
    }
    CHECK_UINT(entries_at_scroll(&host, 400 + step), 0);
    const uint64_t some = entries_at_scroll(&host, 400);
    Bytes          kept = { 0 }, built = { 0 };
    draw_list_print(view_draw(host.view), &kept);
    built_rows_release(&host.view->picture.built);
    draw_list_print(view_draw(host.view), &built);
    CHECK(some > 0 && some * 4 < view_entries_drawn(host.view));
    CHECK(kept.size == built.size && memcmp(kept.data, built.data, kept.size) == 0);
    bytes_release(&kept);
    bytes_release(&built);
    host_destroy(&host);
}

TEST(the_rows_of_a_hundred_thousand_tracks_are_found_at_once)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId   label = feed_label(&feed, "work", 4);
    for (int64_t t = 0; t < 100000; t++) {
        feed_set_thread(&feed, t / 100, t + 1);
        builder_complete(feed.builder, feed.thread, t, t + 50, label, feed_next_pos(&feed), 0);
    }
    host_add(&host, feed_finish(&feed, 1), "wide");
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    host_rest(&host);
    double height = view_content_height(host.view);
    CHECK(height > 100000.0 * HEADER_PX);
    view_set_scroll(host.view, height / 2);
    const DrawList *list = host_rest(&host);
    CHECK(list->text_count > 10 && list->shape_count < 4000);
    Hit hit;
    view_hit(host.view, 100, 400, &hit);
    CHECK(hit.has_item && hit.item > 10000);
    Bytes rows = { 0 };
    view_rows_json(host.view, &rows);
    CHECK(!rows.failed && rows.size < 100000);
    bytes_release(&rows);
    host_destroy(&host);
}

/* Overwrites the layout and the tracks that are not near the screen and are not drawn over others. */
static void spoil_far_tracks(View *view)
{
    const TraceView *trace = view_trace(view, 0);
    const uint32_t   first = layout_find(view, view->position.scroll_px, LAYOUT_SCROLLED);
    for (uint32_t i = 0; i < trace->outline.track_count; i++) {
        OutlineTrack  *track = &trace->outline.tracks[i];
        const uint32_t item = trace->track_items[i];
        if (item == UINT32_MAX || item + 200 > first) continue;
        track->kind = TRACK_KIND_GLOBAL_INSTANTS;
        track->slice_count = track->instant_count = 1;
        track->divides = true;
        view->layout.items.items[item].kind = ITEM_PROCESS;
    }
}

TEST(a_frame_reads_only_the_tracks_in_sight)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId   label = feed_label(&feed, "work", 4);
    for (int64_t t = 0; t < 2000; t++) {
        feed_set_thread(&feed, 1, t + 1);
        builder_complete(feed.builder, feed.thread, t, t + 50, label, feed_next_pos(&feed), 0);
    }
    builder_instant(feed.builder, feed.thread, 700, label, INSTANT_PROCESS, feed_next_pos(&feed), 0);
    builder_instant(feed.builder, feed.thread, 900, label, INSTANT_GLOBAL, feed_next_pos(&feed), 0);
    host_add(&host, feed_finish(&feed, 1), "one process");
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    host_rest(&host);
    view_set_scroll(host.view, view_content_height(host.view) / 2);
    Bytes pictures[2] = { { 0 }, { 0 } }, rows[2] = { { 0 }, { 0 } };
    for (int i = 0; i < 2; i++) {
        draw_list_print(host_rest(&host), &pictures[i]);
        view_rows_json(host.view, &rows[i]);
        if (i == 0) spoil_far_tracks(host.view);
        host.view->picture.is_stale = true;
    }
    CHECK(pictures[0].size == pictures[1].size);
    CHECK(memcmp(pictures[0].data, pictures[1].data, pictures[0].size) == 0);
    CHECK(rows[0].size > 0 && rows[0].size == rows[1].size);
    for (int i = 0; i < 2; i++) {
        bytes_release(&pictures[i]);
        bytes_release(&rows[i]);
    }
    host_destroy(&host);
}

TEST(the_accessible_rows_of_a_deep_track_are_those_in_sight)
{
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId   label = feed_label(&feed, "work", 4);
    feed_set_thread(&feed, 1, 1);
    for (int64_t i = 0; i < 2000; i++)
        builder_complete(feed.builder, feed.thread, i, 20000 - i, label, feed_next_pos(&feed), 0);
    host_add(&host, feed_finish(&feed, 1), "deep");
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    host_rest(&host);
    view_set_scroll(host.view, 1000 * (ROW_PX + ROW_GAP_PX));
    host_rest(&host);
    Bytes    rows = { 0 };
    unsigned count = 0;
    view_rows_json(host.view, &rows);
    bytes_append(&rows, "", 1);
    for (const char *at = (const char *)rows.data; (at = strstr(at, "\"id\"")) != NULL; at++)
        count++;
    CHECK(strstr((const char *)rows.data, ".r1005\"") != NULL);
    CHECK(strstr((const char *)rows.data, ".r0\"") == NULL);
    CHECK(count < 600 / (ROW_PX + ROW_GAP_PX) + 2);
    bytes_release(&rows);
    host_destroy(&host);
}

/* ---- other properties ---- */

TEST(the_same_input_gives_the_same_frame)
{
    Bytes texts[2] = { { 0 }, { 0 } };
    for (int i = 0; i < 2; i++) {
        TestHost host = host_create();
        host_add(&host, random_trace(3, 3, 300, 123456), "random");
        host_rest(&host);
        host_key(&host, "KeyW", 0);
        host_move(&host, 600, 200);
        draw_list_print(host_rest(&host), &texts[i]);
        host_destroy(&host);
    }
    CHECK(texts[0].size == texts[1].size && memcmp(texts[0].data, texts[1].data, texts[0].size) == 0);
    bytes_release(&texts[0]);
    bytes_release(&texts[1]);
}

TEST(a_long_slice_is_one_bar_across_all_its_tiles)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X0..1000000:long X10..20:a X999980..999990:b"), "long");
    host_rest(&host);
    view_set_range(host.view, 0, 500000, 500800, host.now_ms);
    host_rest(&host);
    runs_find_sources(host.view, 0, &view_trace(host.view, 0)->outline.tracks[0], 0);
    runs_build(host.view, 0, 0);
    CHECK_UINT(vec_count(&host.view->picture.scratch.row->runs), 1);
    const Run *run = host.view->picture.scratch.row->runs.items;
    CHECK(run->x0 == 0 && run->x1 == host.view->screen.geometry.plot_w && run->extent == 1000000);
    host_destroy(&host);
}

TEST(the_first_names_are_requested_with_the_first_tiles)
{
    TestHost host = host_create();
    host_add(&host, small_view_trace(), "small");
    view_step(host.view, 0);
    view_draw(host.view);
    ViewRequest request;
    bool        labels = false, tile = false;
    while (view_next_request(host.view, &request)) {
        labels |= request.kind == VIEW_REQUEST_LABELS && request.page == 0;
        tile |= request.kind == VIEW_REQUEST_TILE;
    }
    CHECK(labels && tile);
    host_destroy(&host);
}

TEST(a_failed_tile_is_asked_for_again_but_not_at_once)
{
    TestHost host = host_create();
    host_add(&host, small_view_trace(), "small");
    view_step(host.view, 0);
    view_draw(host.view);
    ViewRequest request;
    int         tiles = 0;
    while (view_next_request(host.view, &request)) {
        tiles += request.kind == VIEW_REQUEST_TILE;
        view_request_failed(host.view, &request);
    }
    CHECK(tiles > 0);
    view_step(host.view, 10);
    view_draw(host.view);
    CHECK(!view_next_request(host.view, &request) && !view_is_waiting(host.view));
    view_step(host.view, 2000);
    view_draw(host.view);
    CHECK(view_next_request(host.view, &request) && request.kind == VIEW_REQUEST_TILE);
    host_destroy(&host);
}

TEST(bytes_that_are_nothing_change_nothing)
{
    TestHost host = host_create();
    Err      err;
    CHECK(!view_add_trace(host.view, "no outline", 10, &err));
    CHECK(err.code == ERR_CORRUPT);
    host_add(&host, small_view_trace(), "small");
    CHECK(!view_put_tile(host.view, 0, "VTL1", 4) && !view_put_labels(host.view, 0, 0, "x", 1));
    CHECK(!view_put_overview(host.view, 0, "", 0) && !view_put_tile(host.view, 9, "VTL1", 4));
    host_rest(&host);
    host_destroy(&host);
}

TEST(the_cache_keeps_to_its_bytes)
{
    TestHost host = host_create();
    view_destroy(host.view);
    host.view = view_create(200000);
    view_resize(host.view, 1000, 600, 1);
    host_add(&host, random_trace(9, 4, 8000, INT64_C(1) << 40), "big");
    for (int i = 0; i < 30; i++) {
        view_set_range(host.view, 0, INT64_C(1) << (10 + i), INT64_C(3) << (10 + i), host.now_ms);
        host_rest(&host);
    }
    CHECK(tile_cache_bytes(host.view->tiles) < 4000000);
    host_destroy(&host);
}

TEST_MAIN("view/effort", TEST_CASE(every_column_that_holds_a_slice_is_painted_and_found),
          TEST_CASE(coarse_tiles_hide_nothing),
          TEST_CASE(a_hundred_times_the_slices_cost_no_more_than_the_pixels),
          TEST_CASE(scrolling_builds_only_the_rows_that_come_into_sight),
          TEST_CASE(the_rows_of_a_hundred_thousand_tracks_are_found_at_once),
          TEST_CASE(a_frame_reads_only_the_tracks_in_sight),
          TEST_CASE(the_accessible_rows_of_a_deep_track_are_those_in_sight),
          TEST_CASE(the_same_input_gives_the_same_frame),
          TEST_CASE(a_long_slice_is_one_bar_across_all_its_tiles),
          TEST_CASE(the_first_names_are_requested_with_the_first_tiles),
          TEST_CASE(a_failed_tile_is_asked_for_again_but_not_at_once),
          TEST_CASE(bytes_that_are_nothing_change_nothing), TEST_CASE(the_cache_keeps_to_its_bytes))
