/* Growing traces in the view: the picture, repeated requests, stable positions, following. */
#include "support/test.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"
#include "view_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Replaces the trace by a longer one, which is the same before `from`. */
static void host_grow(TestHost *host, uint32_t index, Trace *longer, uint64_t from)
{
    Bytes outline = { 0 };
    Err   err;
    trace_release(host->traces[index]);
    host->traces[index] = longer;
    outline_encode(longer, STRING_LITERAL("feed"), &outline);
    CHECK_DONE(view_update_outline(host->view, index, outline.data, outline.size, from, &err), err);
    bytes_release(&outline);
}

static TestHost host_with(const char *events)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events(events), "feed");
    host_rest(&host);
    return host;
}

static Bytes picture(TestHost *host)
{
    Bytes text = { 0 };
    draw_list_print(host_rest(host), &text);
    return text;
}

static void check_same_picture(TestHost *a, TestHost *b)
{
    Bytes of_a = picture(a), of_b = picture(b);
    CHECK_UINT(of_a.size, of_b.size);
    CHECK(memcmp(of_a.data, of_b.data, of_a.size) == 0);
    bytes_release(&of_a);
    bytes_release(&of_b);
}

/* Returns slices of `threads` threads that begin before `until`; the slices before any earlier time are the same. */
static Trace *trace_until(uint64_t seed, int threads, int64_t until)
{
    static const char names[] = "abcdefgh";
    TestRandom        random = { seed };
    EventFeed         feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (int64_t at = 0; at < until; at += 40) {
        feed_set_thread(&feed, 1, 1 + (int64_t)test_random_below(&random, (uint64_t)threads));
        int64_t  length = (int64_t)test_random_below(&random, 200);
        uint64_t name = test_random_below(&random, 8);
        LabelId  label = feed_label(&feed, names + name, 1);
        builder_complete(feed.builder, feed.thread, at, at + length, label, feed_next_pos(&feed), 0);
        if (name == 0)
            builder_instant(feed.builder, feed.thread, at, label, INSTANT_THREAD, feed_next_pos(&feed), 0);
    }
    return feed_finish(&feed, 1);
}

/* Grown in steps or loaded at once: the picture is the same at any position. */
TEST(what_has_grown_looks_like_what_was_there_at_once)
{
    enum { STEP = 7000, STEPS = 9 };
    static const int64_t ranges[][2] = { { 0, 63000 }, { 50000, 63000 }, { 60000, 62000 }, { 3000, 5000 } };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
            TestHost grown = host_create(), whole = host_create();
            host_add(&grown, trace_until(seed, 3, STEP), "feed");
            view_set_range(grown.view, 0, ranges[r][0], ranges[r][1], 0);
            host_rest(&grown);
            for (int i = 2; i <= STEPS; i++) {
                host_grow(&grown, 0, trace_until(seed, 3, STEP * i), STEP * (uint64_t)(i - 1));
                if (i % 2 == 0) host_rest(&grown);
            }
            host_add(&whole, trace_until(seed, 3, STEP * STEPS), "feed");
            host_rest(&whole);
            view_set_range(grown.view, 0, ranges[r][0], ranges[r][1], grown.now_ms);
            view_set_range(whole.view, 0, ranges[r][0], ranges[r][1], whole.now_ms);
            check_same_picture(&grown, &whole);
            host_destroy(&grown);
            host_destroy(&whole);
        }
    }
}

/* Returns the number of tile requests, without answering them, and the least index among those of the level of the
 * picture. */
static int count_tile_requests(TestHost *host, uint64_t *earliest)
{
    ViewRequest request;
    int         count = 0;
    *earliest = UINT64_MAX;
    while (view_next_request(host->view, &request)) {
        if (request.kind == VIEW_REQUEST_TILE) {
            uint64_t end = tile_window_end(request.tile);
            if (end < *earliest) *earliest = end;
            count++;
        }
        view_request_failed(host->view, &request);
    }
    return count;
}

TEST(only_what_has_changed_is_asked_for_again)
{
    TestHost host = host_create();
    uint64_t earliest;
    host_add(&host, trace_until(5, 2, 60000), "feed");
    view_set_range(host.view, 0, 1000, 3000, 0);
    host_rest(&host);
    host_grow(&host, 0, trace_until(5, 2, 64000), 60000);
    view_draw(host.view);
    CHECK_INT(count_tile_requests(&host, &earliest), 0);
    view_set_range(host.view, 0, 58000, 62000, host.now_ms);
    host_rest(&host);
    host_grow(&host, 0, trace_until(5, 2, 64500), 61500);
    view_draw(host.view);
    CHECK(count_tile_requests(&host, &earliest) > 0);
    CHECK(earliest > 61500);
    host_destroy(&host);
}

/* Returns the number of shapes in the rows. */
static uint32_t bars_of(TestHost *host)
{
    const DrawList *list = view_draw(host->view);
    uint32_t        count = 0;
    for (uint32_t i = 0; i < list->shape_count; i++)
        count +=
            (double)list->shapes[i].y > host->view->screen.geometry.rows_y && (double)list->shapes[i].w < 200;
    return count;
}

TEST(nothing_vanishes_while_what_is_new_is_on_its_way)
{
    TestHost host = host_create();
    host_add(&host, trace_until(6, 2, 20000), "feed");
    view_set_range(host.view, 0, 0, 40000, 0);
    host_rest(&host);
    uint32_t bars = bars_of(&host);
    CHECK(bars > 20);
    host_grow(&host, 0, trace_until(6, 2, 30000), 20000);
    CHECK_UINT(bars_of(&host), bars);
    CHECK(view_is_waiting(host.view));
    host_rest(&host);
    CHECK(bars_of(&host) > bars);
    host_destroy(&host);
}

/* The same if a thread was inserted before the others, and all are renumbered. */
TEST(nothing_vanishes_when_tracks_are_numbered_anew)
{
    TestHost host = host_with("@1/2 X0..1000:main X100..400:load X500..600:more");
    uint32_t bars = bars_of(&host);
    host_grow(&host, 0,
              trace_of_events("@1/2 X0..1000:main X100..400:load X500..600:more @0/1 X2000..2100:new"), 0);
    CHECK(bars > 2 && bars_of(&host) >= bars);
    host_destroy(&host);
}

static SlicePlace place_of(uint32_t track, uint32_t row, uint64_t begin, uint64_t extent)
{
    return (SlicePlace){ .track = track, .row = row, .begin = begin, .extent = extent, .label = 1 };
}

/* Moves the pointer to a slice of track 1 and waits for its tooltip. True: *request is the one for its lines. Other requests
 * get no answer. */
static bool point_at(TestHost *host, uint64_t begin, uint64_t extent, ViewRequest *request)
{
    const SlicePlace place = place_of(1, 0, begin, extent);
    Rect             bar;
    CHECK(view_place_rect(host->view, &place, &bar));
    host_move(host, bar.x + bar.w / 2, bar.y + bar.h / 2);
    view_step(host->view, host->now_ms += 100);
    bool has_asked = false;
    for (ViewRequest next; view_next_request(host->view, &next);) {
        has_asked |= next.kind == VIEW_REQUEST_DETAILS;
        if (next.kind == VIEW_REQUEST_DETAILS)
            *request = next;
        else
            view_request_failed(host->view, &next);
    }
    return has_asked;
}

/* A late slice gets the id of the one that was pointed at. */
TEST(lines_of_a_tooltip_belong_to_an_event_and_not_to_its_id)
{
    TestHost    host = host_with("@1/1 X0..400:a X1000..2000:b X2000..3000:c");
    ViewRequest request;
    CHECK(point_at(&host, 1000, 1000, &request));
    CHECK(request.event.id == 1 && request.event.begin == 1000);
    CHECK(request.event.track == 1 && request.event.row == 0);
    view_put_details(host.view, &request, "key\tof b\n", 9);
    host_grow(&host, 0, trace_of_events("@1/1 X0..400:a X500..900:late X1000..2000:b X2000..3000:c"), 0);
    CHECK(point_at(&host, 2000, 1000, &request)); /* the tile is the old one */
    CHECK(request.event.id == 2 && request.event.begin == 2000);
    host.now_ms += 5000; /* the view repeats failed requests */
    host_rest(&host);
    CHECK(point_at(&host, 500, 400, &request));
    CHECK(request.event.id == 1 && request.event.begin == 500);
    const ViewRequest late = request;
    CHECK(point_at(&host, 2000, 1000, &request));
    CHECK(request.event.id == 3);
    view_put_details(host.view, &late, "key\tof late\n", 12);
    CHECK(host.view->details.state != DATA_READY);
    host_destroy(&host);
}

#define TWO_THREADS "@1/2 X0..1000:main X100..400:load @1/3 X200..300:load X500..600:more"

TEST(what_was_chosen_stays_when_tracks_are_numbered_anew)
{
    TestHost   host = host_with(TWO_THREADS);
    SlicePlace place = place_of(2, 0, 500, 100);
    ViewEvent  event;
    view_select(host.view, &place, host.now_ms);
    layout_toggle(host.view, layout_item(host.view, layout_track_item(host.view, 0, 0)));
    host_rest(&host);
    host_grow(&host, 0, trace_of_events("@0/1 X2000..2100:new " TWO_THREADS " @1/1 X2000..2100:new"), 2000);
    const TraceView *trace = view_trace(host.view, 0);
    CHECK(host.view->selection.has_slice);
    uint32_t index = view_track_index(trace, host.view->selection.slice.track);
    CHECK_UINT(index, 3); /* after process 0 and a new one of process 1 */
    CHECK_UINT(host.view->selection.slice.begin, 500);
    CHECK(trace->track_flags[2] & TRACK_CLOSED);
    CHECK(!(trace->track_flags[0] & TRACK_CLOSED) && !(trace->track_flags[1] & TRACK_CLOSED));
    CHECK(host.view->selection.has_focus && host.view->selection.focus.index == 3);
    ViewEvent moved = { .has_place = false };
    while (view_next_event(host.view, &event))
        if (event.kind == VIEW_EVENT_MOVED) moved = event;
    CHECK(moved.has_place && moved.place.track == trace->outline.tracks[3].id && moved.place.begin == 500);
    Rect bar;
    host_rest(&host);
    CHECK(view_place_rect(host.view, &host.view->selection.slice, &bar));
    host_click(&host, bar.x + bar.w / 2, bar.y + bar.h / 2);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event) && event.place.begin == 500);
    host_destroy(&host);
}

TEST(an_area_of_everything_grows_and_another_is_reported_anew)
{
    TestHost  host = host_with(TWO_THREADS);
    ViewEvent event;
    view_area_of_all(host.view);
    host_rest(&host);
    host_grow(&host, 0, trace_of_events("@0/1 X2000..2100:new " TWO_THREADS), 2000);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.begin == 0 && event.end == 2101 && event.track_count == 3);
    view_clear_area(host.view);
    SlicePlace place = place_of(view_trace(host.view, 0)->outline.tracks[1].id, 0, 0, 1000);
    view_select(host.view, &place, host.now_ms);
    view_area_from_selection(host.view);
    (void)host_event(&host, VIEW_EVENT_AREA, &event);
    host_grow(&host, 0, trace_of_events(TWO_THREADS " X2000..2100:last"), 2000);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.begin == 0 && event.end == 1000 && event.track_count == 1);
    CHECK_UINT(event.tracks[0], view_trace(host.view, 0)->outline.tracks[0].id);
    host_destroy(&host);
}

/* Replaces the begin of a trace by the whole of it. */
static void host_complete(TestHost *host, Trace *whole)
{
    Bytes outline = { 0 };
    Err   err;
    trace_release(host->traces[0]);
    host->traces[0] = whole;
    outline_encode(whole, STRING_LITERAL("feed"), &outline);
    CHECK_DONE(view_complete_trace(host->view, 0, outline.data, outline.size, &err), err);
    bytes_release(&outline);
}

TEST(the_begin_of_a_trace_becomes_the_whole)
{
    enum { BEGIN = 7000, END = 63000 };
    static const int64_t ranges[][2] = { { 0, 0 }, { 2000, 3000 }, { 0, BEGIN / 2 } };
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        TestHost      grown = host_create(), whole = host_create();
        int64_t       begin, end;
        const int64_t first = ranges[r][0], last = ranges[r][1];
        host_add(&grown, trace_until(3, 3, BEGIN), "feed");
        host_rest(&grown);
        if (last > 0) view_set_range(grown.view, 0, first, last, grown.now_ms);
        host_rest(&grown);
        host_complete(&grown, trace_until(3, 3, END));
        host_rest(&grown);
        view_get_range(grown.view, 0, &begin, &end);
        if (last > 0)
            CHECK(begin == first && end == last); /* the user's range stays */
        else
            CHECK(begin <= 0 && end >= END - 1); /* everything was visible and is */
        host_add(&whole, trace_until(3, 3, END), "feed");
        host_rest(&whole);
        if (last > 0) view_set_range(whole.view, 0, first, last, whole.now_ms);
        check_same_picture(&grown, &whole);
        host_destroy(&grown);
        host_destroy(&whole);
    }
}

/* As on the page: frames are drawn after answers alone. */
TEST(the_whole_trace_is_complete_without_a_pause)
{
    TestHost host = host_create();
    host_add(&host, trace_until(3, 3, 7000), "feed");
    host_rest(&host);
    host_complete(&host, trace_until(3, 3, 63000));
    do {
        host.now_ms += 1;
        if (view_step(host.view, host.now_ms)) (void)view_draw(host.view);
    } while (host_answer(&host) > 0);
    CHECK(!view_is_waiting(host.view));
    host_destroy(&host);
}

/* The ids of slices change although tracks and rows stay. */
TEST(a_selection_in_the_begin_stays_in_the_whole)
{
    TestHost       host = host_with(TWO_THREADS);
    SlicePlace     place = place_of(view_trace(host.view, 0)->outline.tracks[1].id, 0, 0, 1000);
    ViewEvent      event;
    const uint32_t numbering = view_numbering(host.view, 0);
    view_select(host.view, &place, host.now_ms);
    host_rest(&host);
    host_complete(&host, trace_of_events(TWO_THREADS " X2000..2100:last"));
    CHECK(view_numbering(host.view, 0) != numbering);
    CHECK(host_event(&host, VIEW_EVENT_MOVED, &event) && event.place.begin == 0);
    CHECK_UINT(event.place.track, place.track);
    host_rest(&host);
    host_destroy(&host);
}

TEST(a_track_that_is_gone_takes_its_selection_along)
{
    TestHost   host = host_with(TWO_THREADS);
    SlicePlace place = place_of(2, 0, 500, 100);
    ViewEvent  event;
    view_select(host.view, &place, host.now_ms);
    host_rest(&host);
    (void)host_event(&host, VIEW_EVENT_SELECT, &event);
    host_grow(&host, 0, trace_of_events("@1/2 X0..1000:main X100..400:load"), 0);
    CHECK(!host.view->selection.has_slice && !host.view->selection.has_focus);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event) && !event.has_place);
    host_rest(&host);
    host_destroy(&host);
}

TEST(a_selected_row_is_identified_by_its_lane_and_depth)
{
    TestHost   host = host_with("@1/2 X0..1000:a X500..1500:overlaps X1600..1700:b");
    SlicePlace place = place_of(1, 1, 500, 1000);
    view_select(host.view, &place, host.now_ms);
    host_rest(&host);
    host_grow(&host, 0,
              trace_of_events("@1/2 X0..1000:a X500..1500:overlaps X1600..1700:b X1610..1620:inner"), 1610);
    CHECK_UINT(host.view->selection.slice.row, 2); /* the first lane has two rows now */
    host_destroy(&host);
}

TEST(the_same_rows_stay_under_the_eye)
{
    char     few[4096] = "", many[8192];
    TestHost host;
    for (int i = 10; i < 60; i++)
        (void)snprintf(few + strlen(few), sizeof few - strlen(few), "@%d/1 X0..100:f ", i);
    (void)snprintf(many, sizeof many, "@1/1 X100..200:f @2/1 X100..200:f %s", few);
    host = host_with(few);
    view_set_scroll(host.view, 700);
    uint32_t item = layout_process_item(host.view, 0, 20);
    double   y = layout_item_screen_y(host.view, item);
    host_grow(&host, 0, trace_of_events(many), 100);
    item = layout_process_item(host.view, 0, 21); /* process 1 existed, without events */
    CHECK(fabs(layout_item_screen_y(host.view, item) - y) < 0.01);
    view_set_scroll(host.view, 0);
    host_grow(&host, 0, trace_of_events(few), 0);
    CHECK(view_scroll(host.view) == 0); /* the top stays at the top */
    host_destroy(&host);
}

/* Events before the previous begin of the trace arrive late. */
TEST(time_stands_still_when_something_earlier_comes)
{
    TestHost   host = host_with("@1/2 X1000..2000:main X1100..1400:load");
    SlicePlace place = place_of(1, 1, 100, 300);
    int64_t    begin, end;
    view_set_range(host.view, 0, 50, 550, host.now_ms);
    view_select(host.view, &place, host.now_ms);
    view_area_from_selection(host.view);
    host_rest(&host);
    Rect before, after;
    CHECK(view_place_rect(host.view, &host.view->selection.slice, &before));
    host_grow(&host, 0, trace_of_events("@1/2 X1000..2000:main X1100..1400:load @1/3 X400..500:late"), 0);
    view_get_range(host.view, 0, &begin, &end);
    CHECK_INT(begin, 650);
    CHECK_INT(end, 1150);
    CHECK_UINT(host.view->selection.slice.begin, 700);
    CHECK_INT(host.view->selection.area.begin, 700);
    CHECK_INT(host.view->selection.area.end, 1000);
    host_rest(&host);
    CHECK(view_place_rect(host.view, &host.view->selection.slice, &after));
    CHECK(before.x == after.x && before.w == after.w);
    host_destroy(&host);
}

static void set_versions(Trace *trace, uint32_t count)
{
    for (uint32_t t = 1; t <= count; t++)
        track_add_extras(&trace->tracks[t], &trace->arena)->version = 7;
}

/* The grid of tiles moves by whole windows, and then stays. */
TEST(something_earlier_leaves_other_tracks_alone)
{
    static const char *const LATER[] = {
        "@1/2 X1000..2000:main X1100..1400:load @1/3 X1200..1300:work @1/4 X400..500:late",
        "@1/2 X1000..2000:main X1100..1400:load @1/3 X1200..1300:work @1/4 X400..500:late X200..300:later"
    };
    static const uint64_t LEADS[] = { 1024 - 600, 1024 - 800 };
    TestHost              host = host_create();
    Trace *first = trace_of_events("@1/2 X1000..2000:main X1100..1400:load @1/3 X1200..1300:work");
    set_versions(first, 2);
    host_add(&host, first, "feed");
    view_set_growing(host.view, 0, VIEW_GROWS);
    for (int i = 0; i < 2; i++) {
        Trace      *later = trace_of_events(LATER[i]);
        uint32_t    requests = 0;
        ViewRequest request;
        view_set_range(host.view, 0, 0, 1000, host.now_ms);
        host_rest(&host);
        const uint32_t bars = bars_of(&host);
        set_versions(later, 2);
        track_add_extras(&later->tracks[3], &later->arena)->version = 1 + (uint64_t)i;
        later->lead = LEADS[i];
        host_grow(&host, 0, later, 0);
        CHECK(bars_of(&host) >= bars); /* no slice has disappeared; the new track has a place */
        while (view_next_request(host.view, &request)) {
            if (request.kind == VIEW_REQUEST_TILE) CHECK_UINT(request.tile.track, 3);
            requests += request.kind == VIEW_REQUEST_TILE;
            view_request_failed(host.view, &request);
        }
        CHECK(requests > 0);
        TestHost other = host_create();
        host_add(&other, trace_of_events(LATER[i]), "feed");
        view_set_range(host.view, 0, 0, 1800, host.now_ms);
        view_set_range(other.view, 0, 0, 1800, other.now_ms);
        host.now_ms += 5000; /* failed requests are repeated */
        check_same_picture(&host, &other);
        host_destroy(&other);
    }
    host_destroy(&host);
}

TEST(names_that_come_late_are_asked_for)
{
    TestHost host = host_with("@1/2 X0..100:first");
    CHECK_UINT(view_trace(host.view, 0)->pages[0].count, 2);
    host_grow(&host, 0, trace_of_events("@1/2 X0..100:first X200..300:second"), 200);
    StringView first = view_label_name(host.view, 0, 1); /* it is available all the time */
    CHECK(string_equal(first, STRING_LITERAL("first")));
    host_rest(&host);
    CHECK(string_equal(view_label_name(host.view, 0, 2), STRING_LITERAL("second")));
    host_destroy(&host);
}

/* A tile that was requested before a change is drawn, and requested again. */
TEST(answers_that_come_late_are_not_the_last_word)
{
    TestHost    host = host_create();
    ViewRequest request;
    Bytes       old = { 0 };
    Err         err;
    host_add(&host, trace_of_events("@1/2 X0..100:first"), "feed");
    view_draw(host.view);
    while (view_next_request(host.view, &request) && request.kind != VIEW_REQUEST_TILE)
        view_request_failed(host.view, &request);
    CHECK_INT(request.kind, VIEW_REQUEST_TILE);
    CHECK_DONE(tile_encode(host.traces[0], request.tile, &old, NULL, &err), err);
    host_grow(&host, 0, trace_of_events("@1/2 X0..100:first X50..100:inner X100..100:last"), 50);
    CHECK(view_put_tile(host.view, 0, old.data, old.size));
    uint32_t bars = bars_of(&host);
    CHECK(bars > 0);
    CHECK(view_is_waiting(host.view));
    host_rest(&host);
    CHECK(bars_of(&host) > bars);
    bytes_release(&old);
    host_destroy(&host);
}

TEST(hidden_categories_stay_hidden)
{
    TestHost host = host_with("@1/2 X0..1000:a/one X100..400:b/two X110..120:c/one");
    CHECK(view_set_hidden(host.view, 0, "2", 1));
    host_rest(&host);
    uint32_t rows = view_trace(host.view, 0)->outline.tracks[0].row_count;
    host_grow(&host, 0,
              trace_of_events("@1/2 X0..1000:a/one X100..400:b/two X110..120:c/one X500..600:d/two"), 500);
    CHECK(string_equal(view_hidden(host.view, 0), STRING_LITERAL("2")));
    CHECK_UINT(view_trace(host.view, 0)->outline.tracks[0].row_count, rows);
    host_rest(&host);
    CHECK_UINT(view_trace(host.view, 0)->outline.tracks[0].slice_count, 2);
    host_destroy(&host);
}

/* ---- following ---- */

static double latest_part(const TestHost *host)
{
    return live_latest_x(host->view, &host->view->position.camera.target) /
           host->view->position.camera.width_px;
}

static TestHost host_growing(void)
{
    TestHost host = host_with("@1/2 X0..1000:main");
    view_set_growing(host.view, 0, VIEW_GROWS);
    host_rest(&host);
    return host;
}

/* Returns a slice until `seconds`. */
static Trace *long_trace(int seconds)
{
    char events[64];
    (void)snprintf(events, sizeof events, "@1/2 X0..%d000000000:main", seconds);
    return trace_of_events(events);
}

TEST(the_latest_time_stays_in_sight)
{
    TestHost  host = host_growing();
    ViewEvent event;
    int64_t   begin, end;
    CHECK(view_follows(host.view) && host_event(&host, VIEW_EVENT_FOLLOW, &event));
    host_grow(&host, 0, long_trace(4), 1000);
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin <= 0 && end > INT64_C(4000000000)); /* the whole trace, as long as it is short */
    host_grow(&host, 0, long_trace(60), 1000);
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    CHECK_INT(end - begin, INT64_C(10000000000));
    CHECK(fabs(latest_part(&host) - 0.99) < 1e-6);
    host_grow(&host, 0, long_trace(61), 1000);
    CHECK(camera_is_moving(&host.view->position.camera)); /* it moves smoothly */
    host_rest(&host);
    CHECK(fabs(latest_part(&host) - 0.99) < 1e-6);
    host_destroy(&host);
}

/* If a moving camera gets a frame only every 60 ms it jumps, both when following and when the user moves it: each frame
 * of an animation would delay the response to input. */
TEST(the_camera_jumps_where_frames_are_slow_and_glides_again_after_a_while)
{
    enum { TRIES = 500 };
    const double slow_ms = 60;
    TestHost     host = host_growing();
    host_grow(&host, 0, long_trace(60), 1000);
    host_rest(&host);
    for (int i = 0; i < 20; i++) {
        host_grow(&host, 0, long_trace(61 + i), 1000);
        while (view_is_moving(host.view))
            (void)view_step(host.view, host.now_ms += slow_ms);
    }
    host_grow(&host, 0, long_trace(90), 1000);
    CHECK(!camera_is_moving(&host.view->position.camera));
    CHECK(fabs(latest_part(&host) - 0.99) < 1e-6);
    host_key(&host, "KeyA", 0);
    CHECK(!camera_is_moving(&host.view->position.camera));
    int tries = 0;
    for (; tries < TRIES && !camera_is_moving(&host.view->position.camera); tries++) {
        host_key(&host, tries % 2 == 0 ? "KeyD" : "KeyA", 0);
        (void)view_step(host.view, host.now_ms += slow_ms);
    }
    CHECK(tries > 5 && tries < TRIES);
    host_destroy(&host);
}

TEST(a_hand_that_moves_away_ends_following_and_end_begins_it)
{
    TestHost  host = host_growing();
    ViewEvent event;
    int64_t   begin, end, later;
    host_grow(&host, 0, long_trace(60), 1000);
    host_rest(&host);
    (void)host_event(&host, VIEW_EVENT_FOLLOW, &event);
    host_key(&host, "KeyA", 0);
    CHECK(!view_follows(host.view) && host_event(&host, VIEW_EVENT_FOLLOW, &event));
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    host_grow(&host, 0, long_trace(70), 1000);
    host_rest(&host);
    view_get_range(host.view, 0, &later, &end);
    CHECK_INT(later, begin);
    host_key(&host, "End", 0);
    CHECK(view_follows(host.view) && host_event(&host, VIEW_EVENT_FOLLOW, &event));
    host_grow(&host, 0, long_trace(80), 1000);
    host_rest(&host);
    CHECK(fabs(latest_part(&host) - 0.99) < 1e-6);
    host_destroy(&host);
}

TEST(a_zoom_that_keeps_the_latest_time_in_sight_is_kept)
{
    TestHost host = host_growing();
    int64_t  begin, end, span;
    host_grow(&host, 0, long_trace(60), 1000);
    host_rest(&host);
    host_key(&host, "KeyW", 0); /* with the pointer elsewhere it zooms at the latest time */
    host_rest(&host);
    CHECK(view_follows(host.view));
    view_get_range(host.view, 0, &begin, &end);
    span = end - begin;
    CHECK(span < INT64_C(9000000000));
    host_grow(&host, 0, long_trace(70), 1000);
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(llabs(end - begin - span) < 10);
    CHECK(fabs(latest_part(&host) - 0.99) < 1e-6);
    double plot_x = host.view->screen.geometry.plot_x;
    view_wheel(host.view, plot_x + 100, 300, 0, -60, MOD_CTRL, host.now_ms); /* elsewhere it does not stay */
    CHECK(!view_follows(host.view));
    host_destroy(&host);
}

TEST(nothing_moves_under_a_hand_that_draws_an_area)
{
    TestHost host = host_growing();
    int64_t  begin, end, now;
    host_grow(&host, 0, long_trace(60), 1000);
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    host_move(&host, 400, 300);
    host_down(&host, 400, 300, 0);
    host_move(&host, 500, 320);
    host_grow(&host, 0, long_trace(62), 1000);
    view_get_range(host.view, 0, &now, &end);
    CHECK_INT(now, begin);
    host_up(&host, 500, 320);
    host_grow(&host, 0, long_trace(63), 1000);
    host_rest(&host);
    CHECK(fabs(latest_part(&host) - 0.99) < 1e-6);
    host_destroy(&host);
}

TEST(what_is_whole_is_not_followed)
{
    TestHost host = host_growing();
    view_set_growing(host.view, 0, VIEW_IS_WHOLE);
    CHECK(!view_follows(host.view));
    host_key(&host, "End", 0);
    CHECK(!view_follows(host.view));
    host_destroy(&host);
}

/* A tap on the space bar pauses the picture; holding it for a drag does not. */
TEST(space_alone_pauses_what_grows)
{
    TestHost  host = host_growing();
    ViewEvent event;
    host_key(&host, "Space", 0);
    CHECK(host_event(&host, VIEW_EVENT_COMMAND, &event) && strcmp(event.command, "pause") == 0);
    view_key(host.view, KEY_DOWN, "Space", 0, host.now_ms);
    host_drag(&host, 400, 300, 500, 300, 0);
    view_key(host.view, KEY_UP, "Space", 0, host.now_ms);
    CHECK(!host_event(&host, VIEW_EVENT_COMMAND, &event));
    view_set_growing(host.view, 0, VIEW_IS_WHOLE);
    host_key(&host, "Space", 0);
    CHECK(!host_event(&host, VIEW_EVENT_COMMAND, &event));
    host_destroy(&host);
}

/* ---- several, and failures ---- */

TEST(one_of_several_grows_and_the_others_stay)
{
    TestHost host = host_with("@1/2 X5000..9000:main");
    int64_t  begin, end;
    host_add(&host, trace_of_events("@1/2 X6000..7000:other"), "other");
    view_set_range(host.view, 0, 100, 900, host.now_ms);
    host_rest(&host);
    host_grow(&host, 1, trace_of_events("@1/2 X6000..7000:other @1/3 X1000..1500:earlier"), 0);
    view_get_range(host.view, 0, &begin, &end);
    CHECK_INT(begin, 100);
    CHECK_INT(end, 900);
    host_grow(&host, 0, trace_of_events("@1/2 X5000..9000:main X9500..9900:later"), 4500);
    view_get_range(host.view, 0, &begin, &end);
    CHECK_INT(begin, 100);
    host_rest(&host);
    CHECK(view_trace(host.view, 0)->map.begin - view_trace(host.view, 1)->map.begin == 4000);
    host_destroy(&host);
}

/* Returns the axis position of a tick offset of a trace. */
static int64_t on_axis(const TestHost *host, uint32_t trace, uint64_t offset)
{
    return axis_from_offset(&view_trace(host->view, trace)->map, offset);
}

TEST(an_alignment_follows_an_earlier_begin)
{
    const uint64_t anchors[] = { 1000, 300 };
    TestHost       host = host_with("@1/2 X5000..9000:main");
    host_add(&host, trace_of_events("@1/2 X6000..7000:other"), "other");
    CHECK(view_align(host.view, anchors, host.now_ms));
    CHECK_INT(on_axis(&host, 0, 1000), on_axis(&host, 1, 300));
    host_grow(&host, 1, trace_of_events("@1/2 X6000..7000:other @1/3 X1000..1500:earlier"), 0);
    CHECK_INT(on_axis(&host, 0, 1000), on_axis(&host, 1, 5300));
    host_rest(&host);
    host_destroy(&host);
}

TEST(without_memory_all_is_as_before)
{
    TestHost host = host_with(TWO_THREADS);
    Bytes    outline = { 0 }, before = picture(&host);
    Err      err;
    Trace   *longer = trace_of_events("@0/1 X2000..2100:new " TWO_THREADS);
    bool     done = false;
    uint64_t requests = 0;
    outline_encode(longer, STRING_LITERAL("feed"), &outline);
    for (; !done; requests++) {
        memory_fail_after(requests);
        done = view_update_outline(host.view, 0, outline.data, outline.size, 0, &err);
        memory_fail_after(UINT64_MAX);
        if (done) break;
        CHECK_INT(err.code, ERR_MEMORY);
        Bytes after = picture(&host);
        CHECK(after.size == before.size && memcmp(after.data, before.data, after.size) == 0);
        bytes_release(&after);
    }
    CHECK(requests > 0);
    CHECK(!view_update_outline(host.view, 0, "junk", 4, 0, &err));
    CHECK(!view_update_outline(host.view, 7, outline.data, outline.size, 0, &err));
    trace_release(host.traces[0]);
    host.traces[0] = longer;
    host_rest(&host);
    bytes_release(&before);
    bytes_release(&outline);
    host_destroy(&host);
}

TEST_MAIN("live", TEST_CASE(what_has_grown_looks_like_what_was_there_at_once),
          TEST_CASE(only_what_has_changed_is_asked_for_again),
          TEST_CASE(nothing_vanishes_while_what_is_new_is_on_its_way),
          TEST_CASE(nothing_vanishes_when_tracks_are_numbered_anew),
          TEST_CASE(lines_of_a_tooltip_belong_to_an_event_and_not_to_its_id),
          TEST_CASE(what_was_chosen_stays_when_tracks_are_numbered_anew),
          TEST_CASE(an_area_of_everything_grows_and_another_is_reported_anew),
          TEST_CASE(the_begin_of_a_trace_becomes_the_whole),
          TEST_CASE(the_whole_trace_is_complete_without_a_pause),
          TEST_CASE(a_selection_in_the_begin_stays_in_the_whole),
          TEST_CASE(a_track_that_is_gone_takes_its_selection_along),
          TEST_CASE(a_selected_row_is_identified_by_its_lane_and_depth),
          TEST_CASE(the_same_rows_stay_under_the_eye),
          TEST_CASE(time_stands_still_when_something_earlier_comes),
          TEST_CASE(something_earlier_leaves_other_tracks_alone),
          TEST_CASE(names_that_come_late_are_asked_for),
          TEST_CASE(answers_that_come_late_are_not_the_last_word), TEST_CASE(hidden_categories_stay_hidden),
          TEST_CASE(the_latest_time_stays_in_sight),
          TEST_CASE(the_camera_jumps_where_frames_are_slow_and_glides_again_after_a_while),
          TEST_CASE(a_hand_that_moves_away_ends_following_and_end_begins_it),
          TEST_CASE(a_zoom_that_keeps_the_latest_time_in_sight_is_kept),
          TEST_CASE(nothing_moves_under_a_hand_that_draws_an_area), TEST_CASE(what_is_whole_is_not_followed),
          TEST_CASE(space_alone_pauses_what_grows), TEST_CASE(one_of_several_grows_and_the_others_stay),
          TEST_CASE(an_alignment_follows_an_earlier_begin), TEST_CASE(without_memory_all_is_as_before))
