/* Keys and gestures, and the events that the page receives. */
#include "support/test.h"
#include "view/live.h"
#include "view_support.h"

#include <math.h>
#include <stdlib.h>

static double span_of(TestHost *host)
{
    int64_t begin, end;
    view_get_range(host->view, 0, &begin, &end);
    return (double)(end - begin);
}

/* Returns a trace from 0 to 1000000 with the requested window; begin < 0: the whole trace. */
static Trace *part_of_trace(int64_t begin, int64_t end)
{
    Trace *trace = trace_of_events("@1/2 X0..1000000:main");
    trace->window.is_set = begin >= 0;
    trace->window.begin = begin;
    trace->window.end = end;
    return trace;
}

static void check_range(TestHost *host, int64_t begin, int64_t end)
{
    int64_t first, last;
    host_rest(host);
    view_get_range(host->view, 0, &first, &last);
    CHECK(llabs(first - begin) < 1000 && llabs(last - end) < 1000);
}

TEST(a_part_that_was_asked_for_is_shown_first)
{
    TestHost host = host_create();
    host_add(&host, part_of_trace(200000, 300000), "part");
    check_range(&host, 200000, 300000);
    host_add(&host, part_of_trace(600000, 700000), "another part");
    check_range(&host, 200000, 700000);
    host_key(&host, "Digit0", 0); /* the whole trace */
    check_range(&host, -10000, 1010000);
    host_destroy(&host);
    host = host_create();
    host_add(&host, part_of_trace(200000, 300000), "part");
    host_add(&host, part_of_trace(-1, 0), "whole");
    check_range(&host, -10000, 1010000);
    host_destroy(&host);
    host = host_create();
    host_add(&host, part_of_trace(400000, 400000), "a moment");
    check_range(&host, -10000, 1010000);
    host_destroy(&host);
}

TEST(no_key_means_two_things_at_once)
{
    TestHost           host = host_with_trace();
    const CommandKeys *keys = host.view->input.keys;
    for (size_t i = 0; view_command_at(i) != NULL; i++) {
        const Command *one = view_command_at(i);
        char           text[COMMAND_KEYS_TEXT];
        CHECK(one->group[0] != 0);
        CHECK(view_command_keys(host.view, i, text) == strlen(text) && strcmp(text, one->keys) == 0);
        for (size_t j = i + 1; view_command_at(j) != NULL; j++) {
            const Command *other = view_command_at(j);
            CHECK(strcmp(one->name, other->name) != 0);
            if (one->context != other->context && one->context != CONTEXT_ANY &&
                other->context != CONTEXT_ANY)
                continue;
            for (uint32_t a = 0; a < keys[i].count; a++)
                for (uint32_t b = 0; b < keys[j].count; b++)
                    CHECK(!key_equal(&keys[i].key[a], &keys[j].key[b]));
        }
    }
    host_destroy(&host);
}

/* Returns the number of a command. */
static size_t command_number(const char *name)
{
    size_t i = 0;
    while (strcmp(view_command_at(i)->name, name) != 0)
        i++;
    return i;
}

TEST(keys_are_read_as_they_are_written)
{
    static const char *const written[] = { "W",   "Ctrl+Shift+P",     "?",   "+",    "Ctrl+,",
                                           "F12", "Alt+\xE2\x86\x90", "Esc", "Space" };
    static const char *const other[][2] = { { "shift+ctrl+p", "Ctrl+Shift+P" },
                                            { "Shift+?", "?" },
                                            { "escape", "Esc" },
                                            { "alt+left", "Alt+\xE2\x86\x90" },
                                            { "Ctrl+W", NULL },
                                            { "Ctrl++", NULL },
                                            { "Ctrl+Shift+-", NULL },
                                            { "F13", NULL },
                                            { "F0", NULL },
                                            { "Ctrl+", NULL },
                                            { "Ctrl", NULL },
                                            { "Tab", NULL },
                                            { "KeyW", NULL },
                                            { "", NULL },
                                            { "\xC3\xA4", NULL } };
    Err                      err;
    Key                      key;
    char                     text[KEY_TEXT];
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        CHECK(key_read(written[i], strlen(written[i]), &key, &err));
        CHECK(key_write(&key, text) == strlen(written[i]) && strcmp(text, written[i]) == 0);
    }
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        const bool is_key = key_read(other[i][0], strlen(other[i][0]), &key, &err);
        CHECK(is_key == (other[i][1] != NULL));
        if (is_key) CHECK(key_write(&key, text) > 0 && strcmp(text, other[i][1]) == 0);
    }
    CHECK(!key_read("Ctrl+W", 6, &key, &err) && strcmp(err.message, "Ctrl+W belongs to the browser") == 0);
    CHECK(view_key_text("KeyP", MOD_META | MOD_SHIFT, (char[COMMAND_KEYS_TEXT]){ 0 }) ==
          strlen("Ctrl+Shift+P"));
    CHECK(view_key_text("AudioVolumeUpKey", 0, (char[COMMAND_KEYS_TEXT]){ 0 }) == 0);
    CHECK(view_key_text("Tab", 0, (char[COMMAND_KEYS_TEXT]){ 0 }) == 0);
}

TEST(the_keys_of_a_command_can_be_changed)
{
    TestHost     host = host_with_trace();
    const double whole = span_of(&host);
    Err          err;
    char         text[COMMAND_KEYS_TEXT];
    CHECK(!view_set_command_keys(host.view, command_number("zoom-in"), "W  A  S  D  F", &err));
    CHECK(!view_set_command_keys(host.view, command_number("zoom-in"), "Ctrl+T", &err));
    CHECK(!view_set_command_keys(host.view, COMMANDS_MAX, "W", &err));
    view_command_keys(host.view, command_number("zoom-in"), text);
    CHECK(strcmp(text, "W  +") == 0); /* unchanged */
    CHECK(view_set_command_keys(host.view, command_number("zoom-in"), "J Ctrl+K", &err));
    view_command_keys(host.view, command_number("zoom-in"), text);
    CHECK(strcmp(text, "J  Ctrl+K") == 0);
    CHECK(!view_key(host.view, KEY_DOWN, "KeyW", 0, host.now_ms));
    host_key(&host, "KeyK", MOD_META);
    host_rest(&host);
    CHECK(span_of(&host) < whole * 0.85);
    view_command(host.view, "fit-all", host.now_ms);
    host_rest(&host);
    view_key(host.view, KEY_DOWN, "KeyJ", 0, host.now_ms); /* the new key can be held, too */
    for (int i = 0; i < 40; i++)
        view_step(host.view, host.now_ms += 16);
    CHECK(span_of(&host) < whole / 3);
    CHECK(view_key(host.view, KEY_UP, "KeyJ", 0, host.now_ms) && host.view->input.held == 0);
    CHECK(view_set_command_keys(host.view, command_number("zoom-in"), "", &err));
    CHECK(view_command_keys(host.view, command_number("zoom-in"), text) == 0);
    host_destroy(&host);
}

TEST(keys_of_the_browser_are_left_to_it)
{
    static const char *const keys[] = { "KeyW", "KeyT", "KeyN", "KeyL", "KeyR", "Tab", "Digit0", "+", "-" };
    TestHost                 host = host_with_trace();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        CHECK(!view_key(host.view, KEY_DOWN, keys[i], MOD_CTRL, host.now_ms));
    host_destroy(&host);
}

TEST(keys_zoom_at_the_pointer_and_move)
{
    TestHost host = host_with_trace();
    double   plot_x = host.view->screen.geometry.plot_x;
    host_move(&host, plot_x + 500, 300);
    int64_t under = view_axis_at(host.view, 500);
    double  before = span_of(&host);
    host_key(&host, "KeyW", 0);
    host_rest(&host);
    CHECK(span_of(&host) < before * 0.85);
    CHECK(llabs(view_axis_at(host.view, 500) - under) < (int64_t)(before / 1000));
    host_key(&host, "+", MOD_SHIFT);
    host_key(&host, "-", 0);
    host_key(&host, "KeyS", 0);
    host_rest(&host);
    CHECK(fabs(span_of(&host) - before) < before / 100);
    int64_t begin, end, moved, moved_end;
    view_get_range(host.view, 0, &begin, &end);
    host_key(&host, "KeyD", 0);
    host_rest(&host);
    view_get_range(host.view, 0, &moved, &moved_end);
    CHECK(moved > begin);
    host_key(&host, "Digit0", 0);
    host_rest(&host);
    CHECK(fabs(span_of(&host) - 1020000) < 3);
    host_destroy(&host);
}

TEST(a_held_key_goes_on_until_it_is_released)
{
    TestHost host = host_with_trace();
    view_key(host.view, KEY_DOWN, "KeyW", 0, host.now_ms);
    for (int i = 0; i < 40; i++)
        view_step(host.view, host.now_ms += 16);
    double after = span_of(&host);
    CHECK(after < 1020000 / 3.0 && view_is_moving(host.view));
    CHECK(view_key(host.view, KEY_UP, "KeyW", 0, host.now_ms));
    host_rest(&host);
    CHECK(span_of(&host) > after * 0.5);
    host_destroy(&host);
}

TEST(the_wheel_scrolls_and_with_ctrl_zooms_where_it_points)
{
    TestHost host = host_with_trace();
    view_resize(host.view, 1000, 160, 1);
    view_wheel(host.view, 600, 120, 0, 30, 0, host.now_ms);
    host_rest(&host);
    CHECK(view_scroll(host.view) == 30);
    double  plot_x = host.view->screen.geometry.plot_x;
    int64_t under = view_axis_at(host.view, 600 - plot_x);
    view_wheel(host.view, 600, 120, 0, -100, MOD_CTRL, host.now_ms);
    host_rest(&host);
    CHECK(span_of(&host) < 900000);
    CHECK(llabs(view_axis_at(host.view, 600 - plot_x) - under) < 1000);
    double span = span_of(&host);
    view_set_options(host.view, VIEW_WHEEL_ZOOMS);
    view_wheel(host.view, 600, 120, 0, 100, 0, host.now_ms);
    host_rest(&host);
    CHECK(span_of(&host) > span);
    view_wheel(host.view, 600, 120, 40, 0, 0, host.now_ms);
    host_destroy(&host);
}

TEST(dragging_selects_and_with_shift_pans_or_the_other_way_round)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        TestHost  host = host_with_trace();
        ViewEvent event;
        double    y = load_bar(&host).y + 5;
        view_set_options(host.view, VIEW_REDUCED_MOTION | (swapped ? VIEW_DRAG_PANS : 0));
        int64_t begin, end, after, after_end;
        view_get_range(host.view, 0, &begin, &end);
        host_drag(&host, 400, y, 600, y, swapped ? MOD_SHIFT : 0);
        view_get_range(host.view, 0, &after, &after_end);
        CHECK(begin == after && end == after_end);
        CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
        double per_px = (double)(end - begin) / host.view->position.camera.width_px;
        CHECK(fabs((double)(event.end - event.begin) - 200 * per_px) < per_px + 2);
        CHECK(event.track_count == 1 && event.tracks[0] == 1);
        host_key(&host, "Escape", 0);
        host_drag(&host, 400, y, 600, y, swapped ? 0 : MOD_SHIFT);
        view_get_range(host.view, 0, &after, &after_end);
        CHECK(fabs((double)(begin - after) - 200 * per_px) < per_px + 2);
        host_destroy(&host);
    }
}

TEST(an_area_over_two_traces_is_reported_for_each)
{
    TestHost  host = host_create();
    ViewEvent event, part;
    host_add(&host, trace_of_events("@1/2 X0..1000:a @1/3 X0..500:b"), "first.json");
    host_add(&host, trace_of_events("@1/2 X0..800:c"), "second.json");
    host_rest(&host);
    CHECK(!view_area_in(host.view, 0, &part));
    host_key(&host, "KeyA", MOD_CTRL);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.trace == 0 && event.track_count == 2);
    CHECK(view_area_in(host.view, 0, &part));
    CHECK(part.trace == 0 && part.track_count == 2 && part.begin == event.begin && part.end == event.end);
    CHECK(view_area_in(host.view, 1, &part));
    CHECK(part.trace == 1 && part.track_count == 1);
    CHECK_UINT(part.tracks[0], view_trace(host.view, 1)->outline.tracks[0].id);
    CHECK(part.begin == 0 && part.end >= 800);
    CHECK(!view_area_in(host.view, 2, &part));
    host_key(&host, "Escape", 0);
    CHECK(!view_area_in(host.view, 0, &part) && !view_area_in(host.view, 1, &part));
    host_destroy(&host);
}

TEST(a_kept_area_is_outlined_on_its_tracks)
{
    TestHost       host = host_with_trace();
    View          *view = host.view;
    const uint32_t track = load_place().track, tracks[] = { track, UINT32_MAX - 1 };
    const size_t   without = view_draw(view)->shape_count;
    CHECK(view_keep_area(view, 0, 1000, 5000, tracks, 2)); /* the second track does not exist */
    CHECK_UINT(view_draw(view)->shape_count, without + 1);
    layout_toggle(view, layout_item(view, 0)); /* a closed process */
    const size_t closed = view_draw(view)->shape_count;
    CHECK(view_keep_area(view, 0, 0, 0, NULL, 0));
    CHECK_UINT(view_draw(view)->shape_count, closed);
    layout_toggle(view, layout_item(view, 0));
    CHECK_UINT(view_draw(view)->shape_count, without);
    CHECK(view_keep_area(view, 7, 1000, 5000, tracks, 1)); /* no such trace */
    CHECK_UINT(view_draw(view)->shape_count, without);
    host_destroy(&host);
}

TEST(an_area_is_dragged_by_its_edges_and_dropped_by_escape)
{
    TestHost  host = host_with_trace();
    ViewEvent first, event;
    double    y = load_bar(&host).y + 5;
    host_drag(&host, 400, y, 600, y + 60, 0);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &first));
    CHECK(first.track_count == 2);
    host_drag(&host, 600, y, 700, y, 0);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.begin == first.begin && event.end > first.end);
    host_key(&host, "Escape", 0);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.begin == event.end && event.track_count == 0);
    host_key(&host, "KeyA", MOD_CTRL);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.begin == 0 && event.end == 1000001 && event.track_count == 3);
    host_destroy(&host);
}

TEST(a_click_selects_and_notifies_the_page)
{
    TestHost  host = host_with_trace();
    ViewEvent event;
    Rect      bar = load_bar(&host);
    host_click(&host, bar.x + 20, bar.y + 5);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event));
    CHECK(event.has_place && event.exact && event.place.track == 1 && event.place.row == 1);
    CHECK(event.place.begin == 100000 && event.place.extent == 300000);
    host_key(&host, "ArrowUp", 0);
    CHECK(host_event(&host, VIEW_EVENT_NEAR, &event));
    CHECK_STRING(event.command, "parent");
    CHECK(event.has_place && event.place.begin == 100000);
    host_click(&host, bar.x + 20, bar.y + 200);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event) && !event.has_place);
    host_destroy(&host);
}

TEST(selecting_from_outside_brings_the_slice_into_sight)
{
    TestHost host = host_with_trace();
    view_set_range(host.view, 0, 900000, 990000, host.now_ms);
    layout_toggle(host.view, layout_item(host.view, 0));
    host_rest(&host);
    SlicePlace place = load_place();
    view_select(host.view, &place, host.now_ms);
    Rect bar = load_bar(&host);
    CHECK(bar.x + bar.w > host.view->screen.geometry.plot_x && bar.x < 900 && bar.y > 80);
    ViewEvent event;
    CHECK(!host_event(&host, VIEW_EVENT_SELECT, &event)); /* the host knows already */
    host_key(&host, "KeyF", MOD_SHIFT);
    host_rest(&host);
    CHECK(fabs(span_of(&host) - 360000) < 3);
    host_destroy(&host);
}

TEST(selecting_the_first_or_last_slice_leaves_the_whole_trace_in_sight)
{
    TestHost   host = host_with_trace();
    SlicePlace place = load_place();
    int64_t    begin, end, now, now_end;
    host_key(&host, "Digit0", 0);
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin < 0 && end > 1000000); /* the margins */
    for (int i = 0; i < 2; i++) {
        place.begin = i == 0 ? 0 : 1000000;
        place.extent = 0;
        view_select(host.view, &place, host.now_ms);
        host_rest(&host);
        view_get_range(host.view, 0, &now, &now_end);
        CHECK(now == begin && now_end == end);
    }
    host_destroy(&host);
}

TEST(views_can_be_undone_and_redone)
{
    TestHost host = host_with_trace();
    int64_t  begin[3], end[3], now, now_end;
    for (int i = 0; i < 3; i++) {
        view_set_range(host.view, 0, i * 1000, i * 1000 + 5000, host.now_ms);
        host_rest(&host);
        view_get_range(host.view, 0, &begin[i], &end[i]);
        CHECK(begin[i] == i * 1000 && end[i] == i * 1000 + 5000);
    }
    host_key(&host, "KeyZ", MOD_CTRL);
    host_key(&host, "ArrowLeft", MOD_ALT);
    host_rest(&host);
    view_get_range(host.view, 0, &now, &now_end);
    CHECK(now == begin[0] && now_end == end[0]);
    host_key(&host, "KeyY", MOD_CTRL);
    host_rest(&host);
    view_get_range(host.view, 0, &now, &now_end);
    CHECK(now == begin[1] && now_end == end[1]);
    host_destroy(&host);
}

/* Returns the axis position of the begin of the second trace, from that of the first. */
static int64_t second_begin(const TestHost *host)
{
    return view_trace(host->view, 1)->map.begin - view_trace(host->view, 0)->map.begin;
}

TEST(an_alignment_of_traces_can_be_undone_and_redone)
{
    const uint64_t starts[] = { 0, 0 }, moments[] = { 700, 100 };
    TestHost       host = host_create();
    int64_t        begin, end;
    host_add(&host, trace_of_events("@1/2 X1000..2000:a"), "first.json");
    host_add(&host, trace_of_events("@1/2 X1500..1900:b"), "second.json");
    view_set_range(host.view, 0, 100, 900, host.now_ms);
    host_rest(&host);
    CHECK_INT(second_begin(&host), 500);
    CHECK(view_align(host.view, starts, host.now_ms));
    CHECK_INT(second_begin(&host), 0);
    CHECK(view_align(host.view, moments, host.now_ms));
    CHECK_INT(second_begin(&host), 600);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin == 100 && end == 900);
    host_rest(&host);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_INT(second_begin(&host), 0);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_INT(second_begin(&host), 500);
    host_key(&host, "KeyY", MOD_CTRL);
    CHECK_INT(second_begin(&host), 0);
    CHECK(view_align(host.view, NULL, host.now_ms));
    CHECK_INT(second_begin(&host), 500);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin == 100 && end == 900);
    host_destroy(&host);
}

TEST(a_view_of_everything_shows_everything_after_an_alignment)
{
    const uint64_t starts[] = { 0, 0 };
    TestHost       host = host_create();
    host_add(&host, trace_of_events("@1/2 X1000..2000:a"), "first.json");
    host_add(&host, trace_of_events("@1/2 X7000..8000:b"), "second.json");
    host_rest(&host);
    CHECK(camera_shows_all(&host.view->position.camera));
    const double far = host.view->position.camera.target.px_per_tick;
    CHECK(view_align(host.view, starts, host.now_ms));
    CHECK(camera_shows_all(&host.view->position.camera));
    CHECK(host.view->position.camera.target.px_per_tick > 6 * far);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK(camera_shows_all(&host.view->position.camera));
    CHECK(host.view->position.camera.target.px_per_tick == far);
    host_destroy(&host);
}

/* Returns the y of the head of the second trace, in CSS pixels. */
static double second_head(const TestHost *host)
{
    for (uint32_t i = 0; i < host->view->layout.count; i++) {
        const LayoutItem *item = layout_item(host->view, i);
        if (item->kind == ITEM_TRACE && item->trace == 1)
            return layout_item_screen_y(host->view, i) + item->height / 2;
    }
    CHECK(false);
    return 0;
}

TEST(a_trace_is_dragged_by_its_head_against_the_others)
{
    TestHost host = host_create();
    int64_t  begin, end, range;
    host_add(&host, trace_of_events("@1/2 X1000..2000:a"), "first.json");
    host_add(&host, trace_of_events("@1/2 X1500..1900:b"), "second.json");
    view_set_range(host.view, 0, 100, 900, host.now_ms);
    host_rest(&host);
    const double  px_per_tick = host.view->position.camera.target.px_per_tick;
    const double  y = second_head(&host);
    const int64_t ticks = llround(30 / px_per_tick);
    host_drag(&host, 50, y, 80, y + 5, 0);
    CHECK(llabs(second_begin(&host) - 500 - ticks) <= 1);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin == 100 && end == 900);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_INT(second_begin(&host), 500);
    host_key(&host, "KeyY", MOD_CTRL);
    CHECK(llabs(second_begin(&host) - 500 - ticks) <= 1);
    host_rest(&host);
    host_down(&host, 50, y, 0);
    host_move(&host, 20, y);
    host_move(&host, 50 - 1000 * px_per_tick, y); /* before the first trace */
    CHECK(llabs(second_begin(&host) + 500 - ticks) <= 2);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin == 100 && end == 900);
    host_key(&host, "Escape", 0);
    CHECK(llabs(second_begin(&host) - 500 - ticks) <= 1);
    host_up(&host, 20, y);
    /* the first trace: the other one keeps its place */
    view_get_range(host.view, 1, &range, &end);
    const double top = layout_item_screen_y(host.view, 0) + layout_item(host.view, 0)->height / 2;
    host_drag(&host, 50, top, 80, top, 0);
    CHECK(llabs(second_begin(&host) - 500) <= 2);
    view_get_range(host.view, 1, &begin, &end);
    CHECK_INT(begin, range);
    host_destroy(&host);
}

TEST(undo_goes_back_to_where_it_was_scrolled)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    view_resize(view, 1000, 130, 1);
    host_rest(&host);
    view_wheel(view, 600, 110, 0, 30, 0, host.now_ms);
    host_rest(&host);
    view_wheel(view, 600, 110, 0, 25, 0, host.now_ms);
    host_rest(&host);
    CHECK(view_scroll(view) == 55);
    host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    CHECK(view_scroll(view) == 30);
    host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    CHECK(view_scroll(view) == 0);
    host_key(&host, "KeyY", MOD_CTRL);
    host_key(&host, "KeyY", MOD_CTRL);
    host_rest(&host);
    CHECK(view_scroll(view) == 55);
    host_destroy(&host);
}

TEST(times_have_all_their_digits)
{
    TestHost host = host_create();
    char     text[VIEW_TIME_TEXT];
    host_add(&host, trace_of_events("@1/2 X0..2000001203:main"), "digits");
    CHECK_UINT(view_span(host.view, 0), 2000001203);
    view_time_text(host.view, 0, 10486123, text);
    CHECK_STRING(text, "10.486\xE2\x80\xAF"
                       "123 ms");
    view_length_text(host.view, 0, 2000001203, text);
    CHECK_STRING(text, "2.000\xE2\x80\xAF"
                       "001\xE2\x80\xAF"
                       "203 s");
    view_length_text(host.view, 0, 211096290123, text);
    CHECK_STRING(text, "3 min 31.096\xE2\x80\xAF"
                       "290\xE2\x80\xAF"
                       "123 s");
    view_length_text(host.view, 0, UINT64_C(90000000000500), text);
    CHECK_STRING(text, "1 d 1 h 0 min 500 ns");
    CHECK(view_length_text(host.view, 1, 5, text) == 0 && view_span(host.view, 1) == 0);
    host_destroy(&host);
}

TEST(the_ruler_zooms_and_the_minimap_moves)
{
    TestHost host = host_with_trace();
    double   plot_x = host.view->screen.geometry.plot_x, ruler_y = host.view->screen.geometry.ruler_y + 8;
    int64_t  from = view_axis_at(host.view, 200), to = view_axis_at(host.view, 400), begin, end;
    host_drag(&host, plot_x + 200, ruler_y, plot_x + 400, ruler_y, 0);
    host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    CHECK(llabs(begin - from) < 2 && llabs(end - to) < 2);
    Rect   window = view_minimap_window(host.view);
    double span = span_of(&host);
    host_drag(&host, window.x + 20, 20, window.x + 120, 20, 0);
    host_rest(&host);
    CHECK(fabs(view_minimap_window(host.view).x - window.x - 100) <= 1 && fabs(span_of(&host) - span) < 3);
    window = view_minimap_window(host.view);
    host_drag(&host, window.x + window.w, 20, window.x + window.w + 50, 20, 0);
    host_rest(&host);
    CHECK(span_of(&host) > span * 1.2);
    host_drag(&host, plot_x + 600, 20, plot_x + 700, 20, 0);
    host_rest(&host);
    CHECK(fabs(view_minimap_window(host.view).x - plot_x - 600) <= 1);
    host_destroy(&host);
}

TEST(the_arrow_keys_move_the_focus_and_enter_selects)
{
    TestHost  host = host_with_trace();
    View     *view = host.view;
    ViewEvent event;
    host_key(&host, "ArrowDown", 0);
    CHECK(view->selection.has_focus && view->selection.focus.kind == ITEM_PROCESS &&
          view->selection.focus.index == 0);
    host_key(&host, "Enter", 0);
    CHECK(layout_item(view, 0)->closed);
    host_key(&host, "Enter", 0);
    CHECK(!layout_item(view, 0)->closed);
    host_key(&host, "ArrowUp", 0); /* no slice above */
    host_key(&host, "ArrowDown", 0);
    host_key(&host, "ArrowDown", 0);
    CHECK(view->selection.focus.kind == ITEM_TRACK && view->selection.focus.index == 1);
    host_rest(&host);
    host_key(&host, "Enter", 0);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event));
    CHECK(event.has_place && event.place.track == 2 && event.place.begin == 200000);
    host_key(&host, "ArrowRight", 0); /* moves the selection now */
    CHECK(host_event(&host, VIEW_EVENT_NEAR, &event));
    host_key(&host, "Escape", 0);
    view_set_range(view, 0, 500000, 600000, host.now_ms);
    host_rest(&host);
    host_key(&host, "Enter", 0); /* its slices are not visible there */
    CHECK(host_event(&host, VIEW_EVENT_COMMAND, &event));
    CHECK_STRING(event.command, "nothing-in-sight");
    host_destroy(&host);
}

TEST(keys_act_on_the_focused_row_until_the_pointer_moves)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    host_move(&host, 500, load_bar(&host).y + 5); /* over the first track */
    host_key(&host, "ArrowDown", 0);
    host_key(&host, "ArrowDown", 0);
    host_key(&host, "ArrowDown", 0);
    CHECK(view->selection.focus.kind == ITEM_TRACK && view->selection.focus.index == 1);
    host_key(&host, "KeyH", 0);
    CHECK(layout_track_item(view, 0, 1) == UINT32_MAX && layout_track_item(view, 0, 0) != UINT32_MAX);
    host_move(&host, 501, load_bar(&host).y + 5);
    host_key(&host, "KeyH", 0);
    CHECK(layout_track_item(view, 0, 0) == UINT32_MAX);
    host_destroy(&host);
}

TEST(the_focused_row_is_scrolled_into_sight)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    view_resize(view, 1000, 160, 1);
    host_rest(&host);
    for (int i = 0; i < 10; i++)
        host_key(&host, "ArrowDown", 0);
    host_rest(&host);
    CHECK(view->selection.focus.kind == ITEM_TRACK && view->selection.focus.index == 2);
    double y = layout_item_screen_y(view, view->layout.count - 1);
    CHECK(y >= 82 && y + HEADER_PX <= 160);
    for (int i = 0; i < 10; i++)
        host_key(&host, "ArrowUp", 0);
    host_rest(&host);
    CHECK(view->selection.focus.kind == ITEM_PROCESS && view_scroll(view) == 0);
    host_destroy(&host);
}

TEST(the_label_column_is_resized_and_shut)
{
    TestHost host = host_with_trace();
    double   width = host.view->screen.column_px;
    host_drag(&host, width, 300, width + 100, 300, 0);
    CHECK(host.view->screen.column_px == width + 100);
    host_drag(&host, width + 100, 300, 20, 300, 0);
    CHECK(host.view->screen.column_px == COLUMN_RAIL_PX);
    host_rest(&host);
    view_command(host.view, "toggle-column", host.now_ms);
    CHECK(host.view->screen.column_px == width + 100 || host.view->screen.column_px == COLUMN_MIN_PX);
    host_destroy(&host);
}

TEST(the_label_column_gives_way_to_a_narrow_window_and_comes_back)
{
    TestHost  host = host_with_trace();
    double    width = host.view->screen.column_px;
    ViewEvent event;
    (void)host_event(&host, VIEW_EVENT_ROWS, &event);
    view_resize(host.view, 400, 600, 1);
    CHECK(host.view->screen.column_px == 133);
    view_command(host.view, "toggle-column", host.now_ms);
    view_command(host.view, "toggle-column", host.now_ms);
    CHECK(host.view->screen.column_px == 133);
    host_drag(&host, 133, 300, 180, 300, 0); /* a width of the user */
    view_resize(host.view, 390, 600, 1);
    CHECK(host.view->screen.column_px == 180);
    view_resize(host.view, 1000, 600, 1);
    host_drag(&host, 180, 300, width, 300, 0);
    (void)host_event(&host, VIEW_EVENT_ROWS, &event);
    view_resize(host.view, 600, 600, 1);
    CHECK(host.view->screen.column_px == 200);
    CHECK(host_event(&host, VIEW_EVENT_ROWS, &event)); /* the host has a button at the end of the column */
    view_resize(host.view, 1000, 600, 1);
    CHECK(host.view->screen.column_px == width);
    CHECK(host_event(&host, VIEW_EVENT_ROWS, &event));
    view_resize(host.view, 900, 600, 1);
    CHECK(!host_event(&host, VIEW_EVENT_ROWS, &event));
    host_destroy(&host);
}

TEST(the_accessible_rows_name_what_is_seen)
{
    TestHost host = host_with_trace();
    Bytes    json = { 0 };
    view_rows_json(host.view, &json);
    bytes_append(&json, "", 1);
    const char *text = (const char *)json.data;
    CHECK(strstr(text, "{\"id\":\"t0.p0\",\"level\":1,\"title\":\"") != NULL);
    CHECK(strstr(text, "\"id\":\"t0.k1.r1\",\"level\":3") != NULL);
    CHECK(strstr(text, "\"name\":\"load\",\"begin\":\"100 \xC2\xB5s\",\"duration\":\"300 ") != NULL);
    size_t rows = 0;
    for (const char *at = text; (at = strstr(at, "{\"id\"")) != NULL; at++)
        rows++;
    CHECK_UINT(rows, 2 + 3 + 3 + 1 + 1);
    bytes_release(&json);
    host_destroy(&host);
}

TEST(hovering_asks_for_details_once_and_names_the_cursor)
{
    TestHost    host = host_with_trace();
    Rect        bar = load_bar(&host);
    ViewEvent   event;
    ViewRequest request;
    host_move(&host, bar.x + 30, bar.y + 5);
    CHECK(host_event(&host, VIEW_EVENT_CURSOR, &event));
    CHECK_STRING(event.command, "pointer");
    view_step(host.view, host.now_ms += 100);
    view_draw(host.view);
    CHECK(view_next_request(host.view, &request) && request.kind == VIEW_REQUEST_DETAILS);
    CHECK(!view_next_request(host.view, &request));
    view_put_details(host.view, &request, "self\t100\nid\t7\n", 14);
    view_draw(host.view);
    CHECK(!view_next_request(host.view, &request));
    view_forget_events(host.view, 0); /* the next event with this id is another one */
    host_move(&host, bar.x + 31, bar.y + 5);
    view_step(host.view, host.now_ms += 100);
    CHECK(view_next_request(host.view, &request) && request.kind == VIEW_REQUEST_DETAILS);
    host_destroy(&host);
}

/* Two threads; all of the second is of one category, and half of the first. */
TEST(hidden_categories_take_their_rows_along_and_come_back)
{
    TestHost host = host_create();
    host_add(
        &host,
        trace_of_events("@1/2 X0..100:a/x X110..200:b/y @1/3 X0..90:c/y @1/4 X0..10:d/trace_event_overhead"),
        "f");
    host_rest(&host);
    uint32_t all = host.view->layout.count;
    CHECK_BYTES(view_hidden(host.view, 0).bytes, view_hidden(host.view, 0).size, "3");
    CHECK(!view_set_hidden(host.view, 0, "1;2", 3) && !view_set_hidden(host.view, 1, "1", 1));
    CHECK(view_set_hidden(host.view, 0, "2-3", 3));
    CHECK(view_is_waiting(host.view));
    host_rest(&host);
    CHECK_UINT(host.view->layout.count, all - 1);
    CHECK_UINT(view_trace(host.view, 0)->outline.tracks[0].slice_count, 1);
    Bytes saved = { 0 };
    Err   err;
    view_save(host.view, &(ViewSaving){ .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES }, &saved);
    CHECK(view_set_hidden(host.view, 0, "", 0));
    host_rest(&host);
    CHECK_UINT(host.view->layout.count, all + 1); /* including the initially hidden one */
    ViewLoaded loaded;
    CHECK_DONE(view_load(host.view, (const char *)saved.data, saved.size, VIEW_FILE_OPENED, &loaded, &err),
               err);
    view_loaded_release(&loaded);
    host_rest(&host);
    CHECK_UINT(host.view->layout.count, all - 1);
    bytes_release(&saved);
    host_destroy(&host);
}

TEST(a_picture_takes_no_part_in_input)
{
    TestHost host = host_with_trace();
    view_set_options(host.view, VIEW_STATIC);
    host_rest(&host);
    host_click(&host, 500, 150);
    host_key(&host, "KeyW", 0);
    ViewEvent event;
    CHECK(!host_event(&host, VIEW_EVENT_SELECT, &event) && !view_step(host.view, host.now_ms + 1000));
    CHECK(host.view->screen.geometry.scrollbar_w == 0);
    host_destroy(&host);
}

TEST_MAIN("view/input", TEST_CASE(a_part_that_was_asked_for_is_shown_first),
          TEST_CASE(no_key_means_two_things_at_once), TEST_CASE(keys_are_read_as_they_are_written),
          TEST_CASE(the_keys_of_a_command_can_be_changed), TEST_CASE(keys_of_the_browser_are_left_to_it),
          TEST_CASE(keys_zoom_at_the_pointer_and_move), TEST_CASE(a_held_key_goes_on_until_it_is_released),
          TEST_CASE(the_wheel_scrolls_and_with_ctrl_zooms_where_it_points),
          TEST_CASE(dragging_selects_and_with_shift_pans_or_the_other_way_round),
          TEST_CASE(an_area_over_two_traces_is_reported_for_each),
          TEST_CASE(a_kept_area_is_outlined_on_its_tracks),
          TEST_CASE(an_area_is_dragged_by_its_edges_and_dropped_by_escape),
          TEST_CASE(a_click_selects_and_notifies_the_page),
          TEST_CASE(selecting_from_outside_brings_the_slice_into_sight),
          TEST_CASE(selecting_the_first_or_last_slice_leaves_the_whole_trace_in_sight),
          TEST_CASE(views_can_be_undone_and_redone),
          TEST_CASE(an_alignment_of_traces_can_be_undone_and_redone),
          TEST_CASE(a_view_of_everything_shows_everything_after_an_alignment),
          TEST_CASE(a_trace_is_dragged_by_its_head_against_the_others),
          TEST_CASE(undo_goes_back_to_where_it_was_scrolled), TEST_CASE(times_have_all_their_digits),
          TEST_CASE(the_ruler_zooms_and_the_minimap_moves),
          TEST_CASE(the_arrow_keys_move_the_focus_and_enter_selects),
          TEST_CASE(keys_act_on_the_focused_row_until_the_pointer_moves),
          TEST_CASE(the_focused_row_is_scrolled_into_sight), TEST_CASE(the_label_column_is_resized_and_shut),
          TEST_CASE(the_label_column_gives_way_to_a_narrow_window_and_comes_back),
          TEST_CASE(the_accessible_rows_name_what_is_seen),
          TEST_CASE(hovering_asks_for_details_once_and_names_the_cursor),
          TEST_CASE(hidden_categories_take_their_rows_along_and_come_back),
          TEST_CASE(a_picture_takes_no_part_in_input))
