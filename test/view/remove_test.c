/* Adding and removing one of several traces: the view and the history of the others stay. */
#include "support/test.h"
#include "trace/wire/tile_encode.h"
#include "view/notes.h"
#include "view_support.h"

static Trace *first_trace(void)
{
    return trace_of_events("@1/2 X0..1000000:a @1/3 X0..500000:b @1/4 X0..400000:c");
}

static Trace *second_trace(void)
{
    return trace_of_events("@7/8 X0..900000:d @7/9 X100..800000:e @8/2 X0..900000:f");
}

/* Removes a trace from the view and from the host, whose other traces keep their order. */
static void remove_trace(TestHost *host, uint32_t trace)
{
    ViewEvent event;
    while (view_next_event(host->view, &event)) {
    }
    view_remove_trace(host->view, trace);
    trace_release(host->traces[trace]);
    host->trace_count--;
    for (uint32_t t = trace; t < host->trace_count; t++)
        host->traces[t] = host->traces[t + 1];
    host_rest(host);
}

static TestHost host_with_two(void)
{
    TestHost host = host_create();
    host_add(&host, first_trace(), "first.json");
    host_add(&host, second_trace(), "second.json");
    host_rest(&host);
    return host;
}

static void undo(TestHost *host)
{
    host_key(host, "KeyZ", MOD_CTRL);
    host_rest(host);
}

static void redo(TestHost *host)
{
    host_key(host, "KeyY", MOD_CTRL);
    host_rest(host);
}

/* Sets or removes a flag of a track with the focus, as its key does. */
static void toggle(TestHost *host, uint32_t trace, uint32_t track, const char *command)
{
    shown_focus(host->view, (RowTarget){ ITEM_TRACK, trace, track });
    host->view->input.keys_lead = true;
    view_command(host->view, command, host->now_ms);
    host_rest(host);
}

static RowFlags flags_of(const TestHost *host, uint32_t trace, uint32_t track)
{
    return view_trace(host->view, trace)->track_flags[track];
}

static void check_range(const TestHost *host, uint32_t trace, int64_t begin, int64_t end)
{
    int64_t is_begin, is_end;
    view_get_range(host->view, trace, &is_begin, &is_end);
    CHECK_INT(is_begin, begin);
    CHECK_INT(is_end, end);
}

TEST(undo_and_redo_survive_the_end_of_another_trace)
{
    TestHost host = host_with_two();
    view_set_range(host.view, 1, 1000, 91000, host.now_ms);
    host_rest(&host);
    toggle(&host, 1, 1, "hide-track");
    toggle(&host, 1, 0, "pin-track");
    view_filter_tracks(host.view, "8");
    host_rest(&host);
    view_set_range(host.view, 1, 2000, 42000, host.now_ms);
    host_rest(&host);
    undo(&host); /* a step to redo */
    remove_trace(&host, 0);
    check_range(&host, 0, 1000, 91000);
    CHECK_UINT(flags_of(&host, 0, 0), TRACK_PINNED);
    CHECK_UINT(flags_of(&host, 0, 1), TRACK_HIDDEN);
    redo(&host);
    check_range(&host, 0, 2000, 42000);
    undo(&host);
    check_range(&host, 0, 1000, 91000);
    CHECK(strcmp(host.view->filter, "8") == 0);
    undo(&host);
    CHECK(host.view->filter[0] == 0);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 0), 0);
    CHECK_UINT(flags_of(&host, 0, 1), TRACK_HIDDEN);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 1), 0);
    check_range(&host, 0, 1000, 91000);
    undo(&host);
    int64_t begin, end;
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin < 0 && end > 900000);
    for (int i = 0; i < 5; i++)
        redo(&host);
    CHECK(strcmp(host.view->filter, "8") == 0);
    check_range(&host, 0, 2000, 42000);
    host_destroy(&host);
}

TEST(steps_lose_their_parts_about_the_trace)
{
    TestHost host = host_with_two();
    toggle(&host, 0, 0, "move-row-down"); /* steps about each trace, in turns */
    toggle(&host, 0, 1, "hide-track");
    toggle(&host, 1, 1, "hide-track");
    toggle(&host, 0, 2, "pin-track");
    toggle(&host, 1, 0, "pin-track");
    toggle(&host, 1, 0, "collapse-track");
    const int steps = host.view->position.history.count;
    remove_trace(&host, 0);
    CHECK_INT(host.view->position.history.count, steps - 3);
    CHECK_UINT(vec_count(&host.view->order.moves), 0);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 0), TRACK_PINNED);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 0), 0);
    CHECK_UINT(flags_of(&host, 0, 1), TRACK_HIDDEN);
    undo(&host); /* the two steps between are gone */
    CHECK_UINT(flags_of(&host, 0, 1), 0);
    for (int i = 0; i < 10; i++)
        undo(&host);
    for (int i = 0; i < 10; i++)
        redo(&host);
    CHECK_UINT(flags_of(&host, 0, 0), TRACK_PINNED | TRACK_CLOSED);
    CHECK_UINT(flags_of(&host, 0, 1), TRACK_HIDDEN);
    host_destroy(&host);
}

TEST(a_trace_before_or_behind_it_keeps_its_rows_and_moves)
{
    TestHost host = host_with_two();
    host_add(&host, first_trace(), "third.json");
    host_rest(&host);
    toggle(&host, 2, 0, "move-row-down");
    toggle(&host, 0, 1, "hide-track");
    toggle(&host, 2, 1, "hide-track");
    remove_trace(&host, 1);
    CHECK_UINT(flags_of(&host, 0, 1), TRACK_HIDDEN);
    CHECK_UINT(flags_of(&host, 1, 1), TRACK_HIDDEN);
    CHECK_UINT(view_trace(host.view, 1)->lists.tracks[0], 1);
    undo(&host);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 1), 0);
    CHECK_UINT(flags_of(&host, 1, 1), 0);
    CHECK_UINT(view_trace(host.view, 1)->lists.tracks[0], 1);
    undo(&host);
    CHECK_UINT(view_trace(host.view, 1)->lists.tracks[0], 0);
    CHECK_UINT(view_trace(host.view, 0)->lists.tracks[0], 0);
    redo(&host);
    CHECK_UINT(view_trace(host.view, 1)->lists.tracks[0], 1);
    host_destroy(&host);
}

TEST(notes_of_the_others_stay_and_are_undone)
{
    TestHost  host = host_with_two();
    ViewEvent event;
    for (uint32_t trace = 0; trace < 2; trace++) {
        for (int i = 0; i < 2; i++) {
            const SlicePlace place = { .trace = trace,
                                       .track = view_trace(host.view, trace)->outline.tracks[0].id,
                                       .begin = (uint64_t)(100 * i + 7) };
            view_select_instant(host.view, &place, host.now_ms);
            host_rest(&host);
            host_key(&host, "KeyM", 0);
        }
    }
    remove_trace(&host, 0);
    CHECK(host_event(&host, VIEW_EVENT_NOTES, &event));
    size_t          count;
    const ViewNote *notes = view_notes(host.view, &count);
    CHECK(count == 2 && notes[0].trace == 0 && notes[0].begin == 7 && notes[1].begin == 107);
    undo(&host);
    notes = view_notes(host.view, &count);
    CHECK(count == 1 && notes[0].trace == 0 && notes[0].begin == 7);
    undo(&host);
    (void)view_notes(host.view, &count);
    CHECK_UINT(count, 0);
    for (int i = 0; i < 4; i++)
        undo(&host);
    for (int i = 0; i < 6; i++)
        redo(&host);
    (void)view_notes(host.view, &count);
    CHECK_UINT(count, 2);
    host_destroy(&host);
}

/* The axis has the unit and the begin of the removed trace, and each step its own alignment. */
TEST(ranges_stay_when_the_axis_changes)
{
    const uint64_t moments[] = { 400000, 500 };
    TestHost       host = host_create();
    Trace         *slow = trace_of_events("@7/8 X1000..3000:d");
    slow->clock = clock_ticks(1000, 1); /* its ticks are 1,000 times as long */
    host_add(&host, trace_of_events("@1/2 X200000..2000000:a"), "fast.json");
    host_add(&host, slow, "slow.json");
    view_set_range(host.view, 1, 100, 900, host.now_ms);
    host_rest(&host);
    CHECK(view_align(host.view, moments, host.now_ms));
    host_rest(&host);
    view_set_range(host.view, 1, 250, 350, host.now_ms);
    host_rest(&host);
    CHECK(view_trace(host.view, 1)->map.den != view_trace(host.view, 1)->map.num);
    remove_trace(&host, 0);
    CHECK_UINT(view_trace(host.view, 0)->map.den, view_trace(host.view, 0)->map.num);
    CHECK_UINT(host.view->extent, 2000);
    check_range(&host, 0, 250, 350);
    undo(&host);
    undo(&host);
    check_range(&host, 0, 100, 900);
    redo(&host);
    redo(&host);
    check_range(&host, 0, 250, 350);
    host_destroy(&host);
}

/* Scrolls a low window so that the second track of the second trace is on top. Returns its place on the screen. */
static double scroll_to_last_track(TestHost *host)
{
    view_resize(host->view, 1000, 150, 1);
    host_rest(host);
    const uint32_t item = layout_track_item(host->view, 1, 1);
    view_set_scroll(host->view, layout_item(host->view, item)->y + 3);
    host_rest(host);
    return layout_item_screen_y(host->view, item);
}

TEST(the_top_row_stays)
{
    TestHost     host = host_with_two();
    const double y = scroll_to_last_track(&host);
    view_set_range(host.view, 1, 1000, 2000, host.now_ms);
    host_rest(&host);
    view_set_scroll(host.view, 0);
    host_rest(&host);
    remove_trace(&host, 0);
    CHECK(view_scroll(host.view) == 0);
    undo(&host);
    CHECK(layout_item_screen_y(host.view, layout_track_item(host.view, 0, 1)) == y);
    host_destroy(&host);
}

/* The rows of a step are not the present ones. */
TEST(the_top_row_of_a_step_stays)
{
    TestHost     host = host_with_two();
    const double y = scroll_to_last_track(&host);
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 1, 0 }, TRACK_HIDDEN);
    host_rest(&host);
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 1, 1 }, TRACK_HIDDEN);
    host_rest(&host);
    remove_trace(&host, 0);
    undo(&host);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 0), 0);
    CHECK_UINT(flags_of(&host, 0, 1), 0);
    CHECK(layout_item_screen_y(host.view, layout_track_item(host.view, 0, 1)) == y);
    host_destroy(&host);
}

/* The axis begins with the added trace, and the rows have a header of each trace. */
TEST(undo_survives_another_trace)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X10000..20000:a @1/3 X11000..12000:b @1/4 X11000..12000:c"),
             "first.json");
    view_resize(host.view, 1000, 130, 1);
    host_rest(&host);
    view_set_range(host.view, 0, 100, 900, host.now_ms);
    host_rest(&host);
    view_set_scroll(host.view, layout_item(host.view, layout_track_item(host.view, 0, 1))->y + 3);
    host_rest(&host);
    const double y = layout_item_screen_y(host.view, layout_track_item(host.view, 0, 1));
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 0, 2 }, TRACK_HIDDEN);
    host_rest(&host);
    view_set_range(host.view, 0, 300, 500, host.now_ms);
    host_rest(&host);
    host_add(&host, trace_of_events("@7/8 X9000..13000:d @7/9 X9100..9200:e"), "second.json");
    host_rest(&host);
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 1, 1 }, TRACK_PINNED);
    host_rest(&host);
    check_range(&host, 0, 300, 500);
    undo(&host);
    CHECK_UINT(flags_of(&host, 1, 1), 0);
    CHECK_UINT(flags_of(&host, 0, 2), TRACK_HIDDEN);
    undo(&host);
    check_range(&host, 0, 100, 900);
    undo(&host);
    CHECK_UINT(flags_of(&host, 0, 2), 0);
    CHECK(layout_item_screen_y(host.view, layout_track_item(host.view, 0, 1)) == y);
    check_range(&host, 0, 100, 900);
    for (int i = 0; i < 5; i++)
        redo(&host);
    check_range(&host, 0, 300, 500);
    CHECK_UINT(flags_of(&host, 1, 1), TRACK_PINNED);
    host_destroy(&host);
}

TEST(data_and_requests_of_the_others_stay)
{
    TestHost    host = host_with_two();
    ViewRequest request;
    view_set_range(host.view, 0, 100, 5000, host.now_ms);
    view_step(host.view, host.now_ms + 1000);
    view_draw(host.view);
    bool    has_second = false;
    Bytes   tile = { 0 };
    TileKey key = { 0 };
    while (view_next_request(host.view, &request)) { /* on their way during the removal */
        if (request.kind != VIEW_REQUEST_TILE || request.trace != 1 || has_second) continue;
        Err err;
        has_second = true;
        key = request.tile;
        CHECK_DONE(tile_encode_filtered(host.traces[1], NULL, key, &tile, NULL, &err), err);
    }
    CHECK(has_second);
    view_remove_trace(host.view, 0);
    Tile found;
    CHECK(!tile_cache_find(host.view->tiles, 0, key, &found));
    CHECK(view_put_tile(host.view, 0, tile.data, tile.size));
    CHECK(tile_cache_find(host.view->tiles, 0, key, &found));
    CHECK(!view_put_tile(host.view, 1, tile.data, tile.size));
    CHECK(!view_take_tile(host.view, 1, &tile) && tile.size > 0);
    CHECK(view_take_tile(host.view, 0, &tile) && tile.data == NULL);
    CHECK(tile_cache_find(host.view->tiles, 0, key, &found));
    trace_release(host.traces[0]);
    host.traces[0] = host.traces[1];
    host.trace_count = 1;
    bytes_release(&tile);
    for (int i = 0; i < 3; i++)
        host_answer(&host);
    view_remove_trace(host.view, 3); /* no effect */
    CHECK_UINT(host.view->trace_count, 1);
    view_remove_trace(host.view, 0); /* the last one: as view_clear */
    CHECK_UINT(host.view->trace_count, 0);
    CHECK_INT(host.view->position.history.count, 0);
    host_destroy(&host);
}

TEST(selection_and_area_are_renumbered_or_end)
{
    TestHost         host = host_with_two();
    ViewEvent        event;
    const SlicePlace place = {
        .trace = 1, .track = view_trace(host.view, 1)->outline.tracks[1].id, .begin = 100, .extent = 799900
    };
    view_select(host.view, &place, host.now_ms);
    view_area_of_all(host.view);
    host_rest(&host);
    remove_trace(&host, 0);
    CHECK(host.view->selection.has_slice && host.view->selection.slice.trace == 0);
    CHECK(host.view->selection.has_focus && host.view->selection.focus.trace == 0);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event) && event.trace == 0 && event.track_count == 3);
    CHECK_INT(event.begin, 0);
    CHECK(view_area_is_all(host.view));
    host_add(&host, first_trace(), "first.json");
    host_rest(&host);
    CHECK(view_area_in(host.view, 0, &event));
    remove_trace(&host, 0);
    CHECK(!host.view->selection.has_slice && !host.view->selection.has_focus);
    CHECK(!host.view->selection.area.is_set);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event) && !event.has_place);
    host_destroy(&host);
}

TEST_MAIN("view/remove", TEST_CASE(undo_and_redo_survive_the_end_of_another_trace),
          TEST_CASE(steps_lose_their_parts_about_the_trace),
          TEST_CASE(a_trace_before_or_behind_it_keeps_its_rows_and_moves),
          TEST_CASE(notes_of_the_others_stay_and_are_undone), TEST_CASE(ranges_stay_when_the_axis_changes),
          TEST_CASE(the_top_row_stays), TEST_CASE(the_top_row_of_a_step_stays),
          TEST_CASE(undo_survives_another_trace), TEST_CASE(data_and_requests_of_the_others_stay),
          TEST_CASE(selection_and_area_are_renumbered_or_end))
