/* Tracks in the view: groups open and close, tracks are hidden, pinned and isolated. */
#include "support/test.h"
#include "view_support.h"

TEST(groups_close_and_open_by_a_click)
{
    TestHost host = host_with_trace();
    uint32_t before = host.view->layout.count;
    double   y = layout_item_screen_y(host.view, 0) + 10;
    host_click(&host, 40, y);
    CHECK_UINT(host.view->layout.count, before - 2);
    host_click(&host, 40, y);
    CHECK_UINT(host.view->layout.count, before);
    double height = layout_item(host.view, 1)->height;
    host_click(&host, 40, layout_item_screen_y(host.view, 1) + 10);
    CHECK(layout_item(host.view, 1)->height < height);
    host_destroy(&host);
}

TEST(the_header_of_what_is_seen_stays_at_the_top)
{
    TestHost host = host_with_trace();
    view_resize(host.view, 1000, 150, 1);
    view_set_scroll(host.view, 60);
    host_rest(&host);
    double   y = 0, top = host.view->screen.geometry.rows_y;
    uint32_t before = host.view->layout.count;
    CHECK_UINT(layout_sticky_header(host.view, LAYOUT_SCROLLED, &y), 0);
    CHECK(y == top);
    Hit hit;
    view_hit(host.view, 500, top + 10, &hit);
    CHECK(hit.has_item && hit.item == 0 && !hit.has_run);
    host_click(&host, 40, top + 10);
    CHECK_UINT(host.view->layout.count, before - 2);
    CHECK_UINT(layout_sticky_header(host.view, LAYOUT_SCROLLED, &y), UINT32_MAX);
    host_destroy(&host);
}

TEST(the_selected_row_stays_in_sight_of_a_lower_canvas)
{
    TestHost host = host_with_trace();
    uint32_t last = host.view->layout.count - 1;
    double   y = layout_item_screen_y(host.view, last) + 10;
    host_rest(&host);
    Hit hit;
    for (double x = 224; x < 990; x++) {
        view_hit(host.view, x, y, &hit);
        if (!hit.has_run) continue;
        host_click(&host, x, y);
        break;
    }
    CHECK(host.view->selection.has_slice);
    CHECK(view_selection_is_in_sight(host.view));
    view_resize(host.view, 1000, 170, 1);
    host_rest(&host);
    CHECK(host.view->position.scroll_px > 0);
    CHECK(view_selection_is_in_sight(host.view));
    view_set_scroll(host.view, 0); /* chosen by the user: another size does not change it */
    view_resize(host.view, 1000, 160, 1);
    CHECK(host.view->position.target_px == 0);
    host_destroy(&host);
}

TEST(rows_have_three_heights)
{
    TestHost host = host_with_trace();
    Rect     normal = load_bar(&host);
    host_key(&host, "KeyC", MOD_SHIFT);
    Rect roomy = load_bar(&host);
    CHECK(normal.h == ROW_PX && roomy.h == ROW_ROOMY_PX);
    host_key(&host, "KeyC", 0);
    CHECK(load_bar(&host).h == ROW_COMPACT_PX);
    CHECK_UINT(view_options(host.view), VIEW_COMPACT);
    host_key(&host, "KeyC", MOD_SHIFT);
    CHECK_UINT(view_options(host.view), VIEW_ROOMY);
    host_key(&host, "KeyC", MOD_SHIFT);
    CHECK(load_bar(&host).h == ROW_PX);
    host_destroy(&host);
}

TEST(tracks_are_hidden_pinned_and_isolated_by_key)
{
    TestHost host = host_with_trace();
    double   y = load_bar(&host).y + 5;
    uint32_t all = host.view->layout.count;
    host_move(&host, 500, y);
    host_key(&host, "KeyP", 0);
    CHECK_UINT(host.view->layout.pinned, 1);
    host_rest(&host);
    host_move(&host, 500, host.view->screen.geometry.pinned_y + 10);
    host_key(&host, "KeyP", 0);
    CHECK_UINT(host.view->layout.pinned, 0);
    host_rest(&host);
    host_move(&host, 500, y);
    host_key(&host, "KeyH", 0);
    CHECK_UINT(host.view->layout.count, all - 1);
    host_key(&host, "KeyH", MOD_SHIFT);
    CHECK_UINT(host.view->layout.count, all);
    view_filter_tracks(host.view, "THREAD 4");
    CHECK_UINT(host.view->layout.count, 2);
    view_filter_tracks(host.view, "");
    CHECK_UINT(host.view->layout.count, all);
    host_destroy(&host);
}

/* Returns the middle of a track's or process's item on the screen, in CSS pixels. */
static double item_y(TestHost *host, uint32_t item)
{
    host_rest(host);
    return layout_item_screen_y(host->view, item) + HEADER_PX / 2;
}

TEST(an_area_takes_in_pinned_tracks)
{
    TestHost  host = host_with_trace(); /* tracks 1 and 2 of process 1, 3 of process 2 */
    ViewEvent event;
    host_move(&host, 500, load_bar(&host).y + 5);
    host_key(&host, "KeyP", 0);
    double pinned = item_y(&host, 0), below = item_y(&host, 2);
    host_drag(&host, 400, pinned, 600, pinned + 3, 0);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.track_count == 1 && event.tracks[0] == 1);
    host_drag(&host, 700, below, 800, pinned, 0); /* from the rows up to the pinned ones */
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.track_count == 2 && event.tracks[0] == 1 && event.tracks[1] == 2);
    view_resize(host.view, 1000, 190, 1);
    view_set_scroll(host.view,
                    1000); /* tracks scrolled out of sight between the two sections are not part of it */
    host_rest(&host);
    uint32_t first = layout_find(host.view, host.view->position.scroll_px, LAYOUT_SCROLLED);
    CHECK(first > 2);
    host_drag(&host, 400, item_y(&host, 0), 600, item_y(&host, host.view->layout.count - 1), 0);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK(event.track_count == 2 && event.tracks[0] == 1 && event.tracks[1] == 3);
    host_destroy(&host);
}

TEST(a_pinned_track_of_a_closed_group_counts_once)
{
    TestHost  host = host_with_trace();
    ViewEvent event;
    host_move(&host, 500, load_bar(&host).y + 5);
    host_key(&host, "KeyP", 0);
    host_move(&host, 500, item_y(&host, 1));
    host_key(&host, "KeyE", 0);
    host_key(&host, "KeyA", MOD_CTRL);
    CHECK(host_event(&host, VIEW_EVENT_AREA, &event));
    CHECK_UINT(event.track_count, 3);
    host_destroy(&host);
}

TEST(keys_act_on_the_group_whose_header_is_under_the_pointer)
{
    TestHost  host = host_with_trace();
    ViewEvent event;
    View     *view = host.view;
    uint32_t  all = view->layout.count;
    host_click(&host, 700, load_bar(&host).y + 40); /* another track has the focus */
    host_move(&host, 40, item_y(&host, 0));
    host_key(&host, "KeyE", 0);
    CHECK_UINT(view->layout.count, all - 2);
    host_key(&host, "KeyE", 0);
    CHECK_UINT(view->layout.count, all);
    host_key(&host, "KeyI", MOD_SHIFT);
    CHECK(host_event(&host, VIEW_EVENT_PROCESS, &event) && event.process == 0);
    host_key(&host, "KeyP", 0); /* all of its tracks */
    CHECK_UINT(view->layout.pinned, 2);
    host_move(&host, 40, item_y(&host, 2));
    host_key(&host, "KeyP", 0);
    CHECK_UINT(view->layout.pinned, 0);
    host_move(&host, 40, item_y(&host, 0));
    host_key(&host, "KeyI", 0);
    CHECK(view->layout.count == 3 && layout_item(view, 0)->index == 0);
    host_key(&host, "KeyI", 0);
    CHECK_UINT(view->layout.count, all);
    host_key(&host, "KeyH", 0);
    CHECK(view->layout.count == 2 && layout_item(view, 0)->index == 1);
    host_key(&host, "KeyH", MOD_SHIFT);
    CHECK_UINT(view->layout.count, all);
    host_destroy(&host);
}

TEST(what_is_hidden_stays_so_when_another_is_isolated_and_back)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    uint32_t all = view->layout.count;
    host_move(&host, 500, load_bar(&host).y + 5);
    host_key(&host, "KeyH", 0);
    CHECK_UINT(view->layout.count, all - 1);
    host_move(&host, 500, item_y(&host, 1));
    host_key(&host, "KeyI", 0);
    CHECK(view->layout.count == 2 && layout_item(view, 1)->index == 1);
    host_key(&host, "KeyI", 0);
    CHECK_UINT(view->layout.count, all - 1);
    host_destroy(&host);
}

TEST(a_pinned_track_can_be_hidden)
{
    TestHost host = host_with_trace();
    host_move(&host, 500, load_bar(&host).y + 5);
    host_key(&host, "KeyP", 0);
    host_move(&host, 500, item_y(&host, 0));
    host_key(&host, "KeyH", 0);
    CHECK_UINT(host.view->layout.pinned, 0);
    host_key(&host, "KeyH", MOD_SHIFT);
    CHECK_UINT(host.view->layout.pinned, 1);
    host_destroy(&host);
}

static bool shown_has(View *view, const char *part)
{
    Bytes text = { 0 };
    view_shown_json(view, &text);
    bytes_append(&text, "", 1);
    bool has = strstr((const char *)text.data, part) != NULL;
    bytes_release(&text);
    return has;
}

TEST(the_page_knows_which_rows_are_hidden_pinned_and_isolated)
{
    TestHost  host = host_with_trace();
    View     *view = host.view;
    ViewEvent event;
    uint32_t  all = view->layout.count;
    CHECK(shown_has(view, "{\"filter\":\"\",\"tracks\":3,\"rows\":5,\"has_events\":true,\"sort\":\"default\","
                          "\"groups\":\"process\",\"column\":220,\"moved\":0,\"marks\":[]}"));
    while (view_next_event(view, &event)) {
    }
    host_move(&host, 500, load_bar(&host).y + 5);
    host_key(&host, "KeyH", 0);
    CHECK(host_event(&host, VIEW_EVENT_ROWS, &event));
    CHECK(shown_has(view, "\"marks\":[{\"mark\":\"hidden\",\"count\":1,\"rows\":[{\"trace\":0,"
                          "\"is_process\":false,\"index\":0,\"title\":\"Thread 2\"}]}]"));
    view_unmark_track(view, "hidden", 0, 0);
    CHECK(view->layout.count == all && shown_has(view, "\"marks\":[]"));
    host_move(&host, 500, item_y(&host, 0));
    host_key(&host, "KeyI", 0);
    CHECK(
        shown_has(view, "\"isolated\",\"count\":1,\"rows\":[{\"trace\":0,\"is_process\":true,\"index\":0,"));
    view_unmark_process(view, "isolated", 0, 0);
    CHECK_UINT(view->layout.count, all);
    host_key(&host, "KeyP", 0);
    CHECK(shown_has(view, "\"pinned\",\"count\":2"));
    view_unmark_all(view, "pinned");
    CHECK_UINT(view->layout.pinned, 0);
    view_filter_tracks(view, "no such track");
    CHECK(shown_has(view, "{\"filter\":\"no such track\",\"tracks\":0,\"rows\":0,"));
    view_unmark_track(view, "hidden", 0, 99); /* rows that do not exist are ignored */
    view_unmark_process(view, "nothing", 7, 0);
    host_destroy(&host);
}

TEST(undo_covers_hidden_pinned_isolated_closed_and_filtered_rows)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    uint32_t all = view->layout.count;
    host_move(&host, 500, item_y(&host, 1));
    host_key(&host, "KeyH", 0);
    host_key(&host, "KeyP", 0); /* the row that is now under the pointer */
    host_move(&host, 500, item_y(&host, 2));
    host_key(&host, "KeyI", 0);
    host_move(&host, 500, item_y(&host, 1));
    host_key(&host, "KeyE", 0);
    const uint32_t last = view->layout.count;
    view_filter_tracks(view, "T");
    view_filter_tracks(view, "Th"); /* two letters are one step */
    view_filter_tracks(view, "");
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_STRING(view->filter, "Th");
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK(view->filter[0] == 0 && view->layout.count == last);
    const TraceView *trace = view_trace(view, 0);
    CHECK_UINT(trace->process_flags[1], TRACK_ISOLATED | TRACK_CLOSED);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_UINT(trace->process_flags[1], TRACK_ISOLATED);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK(trace->process_flags[1] == 0 && trace->track_flags[1] == TRACK_PINNED);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK(trace->track_flags[1] == 0 && trace->track_flags[0] == TRACK_HIDDEN);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_UINT(view->layout.count, all);
    for (int i = 0; i < 6; i++)
        host_key(&host, "KeyY", MOD_CTRL);
    CHECK(view->filter[0] == 0 && view->layout.count == last && view->layout.pinned == 1);
    host_destroy(&host);
}

TEST(an_undo_takes_back_one_change)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    int64_t  begin, end, now_begin, now_end;
    view_get_range(view, 0, &begin, &end);
    host_move(&host, 500, item_y(&host, 1));
    host_key(&host, "KeyH", 0);
    host_key(&host, "KeyH", MOD_SHIFT);
    host_key(&host, "KeyH", MOD_SHIFT); /* nothing to show: no step */
    host_key(&host, "Equal", 0);        /* zooms, and is recorded when the camera rests */
    host_key(&host, "+", 0);
    host_key(&host, "KeyP", 0);
    host_key(&host, "KeyZ", MOD_CTRL); /* the pin */
    host_rest(&host);
    CHECK_UINT(view->layout.pinned, 0);
    view_get_range(view, 0, &now_begin, &now_end);
    CHECK(now_end - now_begin < end - begin);
    host_key(&host, "KeyZ", MOD_CTRL); /* the zoom */
    host_rest(&host);
    view_get_range(view, 0, &now_begin, &now_end);
    CHECK(now_begin == begin && now_end == end);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_UINT(view_trace(view, 0)->track_flags[0], TRACK_HIDDEN);
    host_destroy(&host);
}

/* Returns the JSON of the row with the buttons in *out. */
static const char *head_json(View *view, Bytes *out)
{
    bytes_clear(out);
    view_head_json(view, out);
    bytes_append(out, "", 1);
    return (const char *)out->data;
}

TEST(the_title_under_the_pointer_has_a_head)
{
    TestHost  host = host_with_trace();
    View     *view = host.view;
    Bytes     json = { 0 };
    ViewEvent event;
    host_move(&host, 500, 300);
    host_rest(&host);
    CHECK_STRING(head_json(view, &json), "{}");
    (void)host_event(&host, VIEW_EVENT_HEAD, &event);
    host_move(&host, 60, item_y(&host, 1));
    host_rest(&host);
    CHECK(host_event(&host, VIEW_EVENT_HEAD, &event));
    CHECK(strstr(head_json(view, &json),
                 "{\"kind\":\"track\",\"title\":\"Thread 2\",\"closed\":false,\"pinned\":false,"
                 "\"isolates\":false,") != NULL);
    CHECK(strstr((char *)json.data, "\"place\":{\"x\":0,\"y\":102,\"width\":219,\"height\":22}") != NULL);
    view_focus_head(view);
    host_key(&host, "KeyP", 0);
    host_rest(&host);
    CHECK(host_event(&host, VIEW_EVENT_HEAD, &event)); /* the focused row has moved to the top */
    CHECK(strstr(head_json(view, &json), "\"title\":\"Thread 2\",\"closed\":false,\"pinned\":true,") != NULL);
    bytes_release(&json);
    host_destroy(&host);
}

/* Returns the right end of the text of the label column that begins with `head`, and that is beside a y, in pixels; 0: no such text. */
static double title_end(const DrawList *list, double y, const char *head)
{
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        const char     *bytes = list->text + text->offset;
        if (text->baseline > y - 11 && text->baseline < y + 11 && strncmp(bytes, head, strlen(head)) == 0)
            return text->x + text_width((FontFace)text->face, text->size_px, bytes, text->length);
    }
    return 0;
}

TEST(a_title_ends_before_the_buttons_of_its_head)
{
    static const char NAME[] = "a process with a long name that fills the column of the titles";
    enum { COLUMN_PX = 220, BUTTONS_PX = 94 };
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 1);
    feed_events(&feed, "X0..1:a");
    builder_name_process(feed.builder, builder_process(feed.builder, ident_int(1)),
                         builder_string(feed.builder, NAME, sizeof NAME - 1));
    host_add(&host, feed_finish(&feed, 1), "named");
    host_move(&host, 500, 300);
    (void)host_rest(&host);
    const double y = layout_item_screen_y(host.view, 0) + 10;
    CHECK(title_end(host_rest(&host), y, "a process") > (double)COLUMN_PX);
    const double summary = title_end(view_draw(host.view), y, "1");
    host_move(&host, 60, y);
    const double end = title_end(host_rest(&host), y, "a p");
    CHECK(end > COLUMN_PX - BUTTONS_PX - 30 && end <= COLUMN_PX - BUTTONS_PX);
    CHECK(title_end(view_draw(host.view), y, "1") == summary && summary > (double)COLUMN_PX);
    host_destroy(&host);
    host = host_with_trace(); /* a short title */
    host_move(&host, 500, 300);
    (void)host_rest(&host);
    const double short_y = layout_item_screen_y(host.view, 0) + 10;
    const double beside = title_end(view_draw(host.view), short_y, "2");
    host_move(&host, 60, short_y);
    CHECK(title_end(host_rest(&host), short_y, "2") == beside && beside > (double)COLUMN_PX);
    host_destroy(&host);
}

TEST(a_right_click_opens_the_menu_of_a_row)
{
    TestHost     host = host_with_trace();
    View        *view = host.view;
    Bytes        json = { 0 };
    ViewEvent    event;
    PointerInput right = {
        .kind = POINTER_DOWN, .x = 300, .y = item_y(&host, 3), .button = BUTTON_RIGHT, .clicks = 1
    };
    (void)host_event(&host, VIEW_EVENT_COMMAND, &event);
    view_pointer(view, &right, host.now_ms);
    right.kind = POINTER_UP;
    view_pointer(view, &right, host.now_ms);
    CHECK(host_event(&host, VIEW_EVENT_COMMAND, &event));
    CHECK_STRING(event.command, "row-menu");
    CHECK(strstr(head_json(view, &json), "{\"kind\":\"process\",\"title\":\"Process 2\",") != NULL);
    CHECK(strstr((char *)json.data, "\"menu_x\":300,") != NULL);
    host_key(&host, "ContextMenu", 0); /* below the title of the focused row */
    CHECK(host_event(&host, VIEW_EVENT_COMMAND, &event));
    CHECK(strstr(head_json(view, &json), "\"menu_x\":20,") != NULL);
    bytes_release(&json);
    host_destroy(&host);
}

/* Searches all rows. Returns the JSON in *out. */
static void find_rows(View *view, const char *pattern, Bytes *out)
{
    view_find_rows(view, pattern);
    while (view_find_rows_step(view))
        ;
    bytes_clear(out);
    view_found_rows_json(view, out);
    bytes_append(out, "", 1);
}

TEST(rows_are_found_by_words_of_their_titles)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    Bytes    json = { 0 };
    find_rows(view, "", &json);
    CHECK(strstr((char *)json.data,
                 "{\"count\":5,\"rows\":[{\"kind\":\"process\",\"trace\":0,\"index\":0,") != NULL);
    find_rows(view, "THREAD  4", &json);
    CHECK_STRING((char *)json.data,
                 "{\"count\":1,\"rows\":[{\"kind\":\"track\",\"trace\":0,\"index\":2,\"title\":"
                 "\"Thread 4\",\"group\":\"Process 2\",\"noun\":\"thread\"}]}");
    find_rows(view, "proc 2 4", &json); /* two words in the title of the process */
    CHECK(strstr((char *)json.data, "{\"count\":1,\"rows\":[{\"kind\":\"track\",\"trace\":0,\"index\":2,") !=
          NULL);
    find_rows(view, "thread 5", &json);
    CHECK_STRING((char *)json.data, "{\"count\":0,\"rows\":[]}");
    view_go_to_row(view, 0, host.now_ms); /* no such row: no effect */
    CHECK(!view->selection.has_focus);
    bytes_release(&json);
    host_destroy(&host);
}

/* Returns the colour of the last shape before the scrollbar's: the flash. */
static uint32_t flash_tint(View *view)
{
    const DrawList *list = view_draw(view);
    const uint32_t  accent = colour_palette(view->screen.theme)->accent;
    for (uint32_t i = list->shape_count; i > 0; i--)
        if (list->shapes[i - 1].x == 0 && (list->shapes[i - 1].fill & 0xFFFFFF00U) == (accent & 0xFFFFFF00U))
            return list->shapes[i - 1].fill;
    return 0;
}

TEST(a_jump_shows_a_row_and_lets_it_flash)
{
    TestHost host = host_with_trace();
    View    *view = host.view;
    Bytes    json = { 0 };
    uint32_t all = view->layout.count;
    host_move(&host, 500, item_y(&host, 3)); /* the second process */
    host_key(&host, "KeyH", 0);
    host_move(&host, 500, item_y(&host, 0));
    host_key(&host, "KeyE", 0);
    view_filter_tracks(view, "Thread 2");
    find_rows(view, "thread 4", &json);
    view_go_to_row(view, 0, host.now_ms);
    CHECK(view->filter[0] == 0 && layout_track_item(view, 0, 2) != UINT32_MAX);
    CHECK(shown_is_focus(view, layout_item(view, layout_track_item(view, 0, 2))));
    CHECK(view->selection.flashes);
    view_set_options(view, VIEW_REDUCED_MOTION);
    uint32_t tint = flash_tint(view);
    host.now_ms += 500;
    CHECK(view_step(view, host.now_ms) && flash_tint(view) == tint);
    view_set_options(view, 0);
    CHECK(flash_tint(view) != tint); /* it fades */
    size_t shapes = view_draw(view)->shape_count;
    host.now_ms += 2000;
    CHECK(view_step(view, host.now_ms) && !view->selection.flashes);
    CHECK_UINT(view_draw(view)->shape_count, shapes - 1);
    find_rows(view, "process 1", &json); /* a group stays closed */
    view_go_to_row(view, 0, host.now_ms);
    CHECK_UINT(view->layout.count, all - 2);
    view_go_to_track(view, 0, view_trace(view, 0)->outline.tracks[1].id, host.now_ms);
    CHECK(shown_is_focus(view, layout_item(view, layout_track_item(view, 0, 1))) && view->selection.flashes);
    view_go_to_track(view, 0, UINT32_MAX - 1, host.now_ms); /* no such track: no effect */
    view_go_to_track(view, 7, 1, host.now_ms);              /* no such trace */
    CHECK(shown_is_focus(view, layout_item(view, layout_track_item(view, 0, 1))));
    bytes_release(&json);
    host_destroy(&host);
}

TEST(a_selected_event_is_shown_beside_isolated_rows)
{
    TestHost   host = host_with_trace();
    View      *view = host.view;
    SlicePlace place = { .track = 2, .slice = 4, .begin = 200000, .extent = 100000, .label = 2 };
    shown_toggle(view, (RowTarget){ ITEM_PROCESS, 0, 1 }, TRACK_HIDDEN);
    shown_toggle(view, (RowTarget){ ITEM_TRACK, 0, 0 }, TRACK_ISOLATED);
    CHECK(layout_track_item(view, 0, 1) == UINT32_MAX);
    view_select(view, &place, host.now_ms);
    CHECK(layout_track_item(view, 0, 0) != UINT32_MAX && layout_track_item(view, 0, 1) != UINT32_MAX);
    CHECK(layout_process_item(view, 0, 1) == UINT32_MAX); /* it stays hidden */
    CHECK(view->layout.isolates);
    host_destroy(&host);
}

TEST(the_best_rows_of_many_are_found_in_steps)
{
    enum { THREADS = 70000 };
    TestHost  host = host_create();
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    Bytes     json = { 0 };
    for (int i = 0; i < THREADS; i++) {
        feed_set_thread(&feed, 1, i);
        feed_events(&feed, "X0..1:a");
    }
    host_add(&host, feed_finish(&feed, 1), "many");
    view_find_rows(host.view, "thread 69");
    CHECK(view_find_rows_step(host.view)); /* a step does not examine all rows */
    find_rows(host.view, "thread 69", &json);
    CHECK(strstr((char *)json.data,
                 "{\"count\":3073,\"rows\":[{\"kind\":\"track\",\"trace\":0,\"index\":69,") != NULL);
    CHECK_UINT(host.view->jumps.kept, JUMP_ROWS);
    bytes_release(&json);
    host_destroy(&host);
}

TEST_MAIN("view/tracks", TEST_CASE(groups_close_and_open_by_a_click),
          TEST_CASE(the_header_of_what_is_seen_stays_at_the_top),
          TEST_CASE(the_selected_row_stays_in_sight_of_a_lower_canvas), TEST_CASE(rows_have_three_heights),
          TEST_CASE(tracks_are_hidden_pinned_and_isolated_by_key), TEST_CASE(an_area_takes_in_pinned_tracks),
          TEST_CASE(a_pinned_track_of_a_closed_group_counts_once),
          TEST_CASE(keys_act_on_the_group_whose_header_is_under_the_pointer),
          TEST_CASE(what_is_hidden_stays_so_when_another_is_isolated_and_back),
          TEST_CASE(a_pinned_track_can_be_hidden),
          TEST_CASE(the_page_knows_which_rows_are_hidden_pinned_and_isolated),
          TEST_CASE(undo_covers_hidden_pinned_isolated_closed_and_filtered_rows),
          TEST_CASE(an_undo_takes_back_one_change), TEST_CASE(the_title_under_the_pointer_has_a_head),
          TEST_CASE(a_title_ends_before_the_buttons_of_its_head),
          TEST_CASE(a_right_click_opens_the_menu_of_a_row),
          TEST_CASE(rows_are_found_by_words_of_their_titles), TEST_CASE(a_jump_shows_a_row_and_lets_it_flash),
          TEST_CASE(a_selected_event_is_shown_beside_isolated_rows),
          TEST_CASE(the_best_rows_of_many_are_found_in_steps))
