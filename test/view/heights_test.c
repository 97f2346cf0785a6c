/* Heights of single tracks and groups, and tracks that show only their first rows. */
#include "support/test.h"
#include "view/row_heights.h"
#include "view/row_sizes.h"
#include "view_support.h"

#include <math.h>

/* Two processes: one thread of 7 rows and one of 1 row; a thread of 5 rows. */
static TestHost host_with_deep_rows(void)
{
    TestHost host = host_create();
    host_add(
        &host,
        trace_of_events("@1/2 X0..1000:a X10..990:b X20..980:c X30..970:d X40..960:e X50..950:f X60..940:g "
                        "@1/3 X0..1000:h @2/4 X0..900:i X10..890:j X20..880:k X30..870:l X40..860:m"),
        "x.json");
    host_rest(&host);
    return host;
}

static double item_height(const TestHost *host, uint32_t track)
{
    const uint32_t item = layout_track_item(host->view, 0, track);
    CHECK(item != UINT32_MAX);
    return layout_item(host->view, item)->height;
}

/* The height of an open track with rows of `row` pixels. */
static double open_height(double row, int rows)
{
    return fmax(2 * TRACK_PAD_PX + rows * (row + ROW_GAP_PX), HEADER_PX + TRACK_PAD_PX);
}

/* Runs a command on a row, as its menu does. */
static void run_on(TestHost *host, RowTarget row, const char *command)
{
    shown_focus(host->view, row);
    host->view->input.keys_lead = true;
    CHECK(view_command(host->view, command, host->now_ms));
    host_rest(host);
}

static const RowTarget TRACK_0 = { ITEM_TRACK, 0, 0 }, PROCESS_0 = { ITEM_PROCESS, 0, 0 },
                       TRACE_0 = { ITEM_TRACE, 0, 0 };

TEST(a_track_and_a_group_have_heights_of_their_own)
{
    TestHost host = host_with_deep_rows();
    run_on(&host, TRACK_0, "track-compact");
    CHECK(item_height(&host, 0) == open_height(ROW_COMPACT_PX, 7));
    CHECK(item_height(&host, 2) == open_height(ROW_PX, 5));
    run_on(&host, TRACK_0, "compact"); /* all rows: its own height stays */
    CHECK(item_height(&host, 2) == open_height(ROW_COMPACT_PX, 5));
    run_on(&host, TRACK_0, "track-roomy");
    CHECK(item_height(&host, 0) == open_height(ROW_ROOMY_PX, 7));
    run_on(&host, TRACK_0, "track-roomy"); /* again: as all rows */
    CHECK(item_height(&host, 0) == open_height(ROW_COMPACT_PX, 7));
    run_on(&host, PROCESS_0, "track-normal");
    CHECK(item_height(&host, 0) == open_height(ROW_PX, 7));
    CHECK(item_height(&host, 1) == open_height(ROW_PX, 1));
    CHECK(item_height(&host, 2) == open_height(ROW_COMPACT_PX, 5));
    run_on(&host, TRACK_0, "track-roomy"); /* a track of the group goes before it */
    CHECK(item_height(&host, 0) == open_height(ROW_ROOMY_PX, 7));
    run_on(&host, PROCESS_0, "track-compact"); /* the group again: also that track */
    CHECK(item_height(&host, 0) == open_height(ROW_COMPACT_PX, 7));
    run_on(&host, TRACE_0, "track-roomy");
    CHECK(item_height(&host, 0) == open_height(ROW_ROOMY_PX, 7));
    CHECK(item_height(&host, 2) == open_height(ROW_ROOMY_PX, 5));
    host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    CHECK(item_height(&host, 0) == open_height(ROW_COMPACT_PX, 7));
    CHECK(item_height(&host, 2) == open_height(ROW_COMPACT_PX, 5));
    host_destroy(&host);
}

/* Returns the number of texts of the picture that begin with `start`. */
static int texts_with(TestHost *host, const char *start)
{
    const DrawList *list = host_rest(host);
    int             count = 0;
    for (uint32_t i = 0; i < list->text_count; i++)
        count += list->texts[i].length >= strlen(start) &&
                 memcmp(list->text + list->texts[i].offset, start, strlen(start)) == 0;
    return count;
}

TEST(a_limited_track_shows_its_first_rows_and_a_click_shows_the_rest)
{
    TestHost host = host_with_deep_rows();
    Hit      hit;
    run_on(&host, PROCESS_0, "track-limit");
    CHECK(item_height(&host, 0) == open_height(ROW_PX, 4) + MORE_ROWS_PX);
    CHECK(item_height(&host, 1) == open_height(ROW_PX, 1)); /* it has no more rows */
    CHECK_INT(texts_with(&host, "3 more rows"), 1);
    CHECK_INT(texts_with(&host, "d"), 1);
    CHECK_INT(texts_with(&host, "e"), 0);
    const uint32_t item = layout_track_item(host.view, 0, 0);
    const double   y = layout_item_screen_y(host.view, item) + item_height(&host, 0) - TRACK_PAD_PX - 4;
    view_hit(host.view, 500, y, &hit);
    CHECK(hit.has_more && !hit.has_run && !hit.has_row);
    host_click(&host, 500, y);
    CHECK(item_height(&host, 0) == open_height(ROW_PX, 7));
    CHECK(texts_with(&host, "e") > 0);
    host_key(&host, "KeyZ", MOD_CTRL);
    CHECK_INT(texts_with(&host, "3 more rows"), 1);
    SlicePlace deep = { .track = view_trace(host.view, 0)->outline.tracks[0].id, .row = 6, .begin = 60 };
    view_select(host.view, &deep, host.now_ms); /* a selected slice is shown */
    CHECK(item_height(&host, 0) == open_height(ROW_PX, 7));
    run_on(&host, TRACE_0, "track-limit");
    CHECK_INT(texts_with(&host, "3 more rows"), 1);
    CHECK_INT(texts_with(&host, "1 more row"), 1);
    run_on(&host, TRACE_0, "track-limit");
    CHECK_INT(texts_with(&host, "3 more rows"), 0);
    host_destroy(&host);
}

TEST(a_view_file_has_the_heights)
{
    TestHost   host = host_with_deep_rows(), other = host_with_deep_rows();
    Bytes      file = { 0 }, again = { 0 };
    ViewSaving saving = { .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES };
    ViewLoaded loaded;
    Err        err;
    run_on(&host, (RowTarget){ ITEM_PROCESS, 0, 1 }, "track-roomy");
    run_on(&host, TRACK_0, "track-compact");
    run_on(&host, (RowTarget){ ITEM_TRACK, 0, 1 }, "track-normal");
    run_on(&host, (RowTarget){ ITEM_TRACK, 0, 2 }, "track-limit");
    view_save(host.view, &saving, &file);
    run_on(&other, TRACE_0, "track-normal"); /* the file replaces it */
    CHECK_DONE(view_load(other.view, (const char *)file.data, file.size, VIEW_FILE_OPENED, &loaded, &err),
               err);
    CHECK_UINT(loaded.unknown_members + loaded.missing_rows, 0);
    view_loaded_release(&loaded);
    host_rest(&other);
    CHECK(item_height(&other, 0) == open_height(ROW_COMPACT_PX, 7));
    CHECK(item_height(&other, 2) == open_height(ROW_ROOMY_PX, 4) + MORE_ROWS_PX);
    view_save(other.view, &saving, &again);
    CHECK_UINT(again.size, file.size);
    CHECK(memcmp(again.data, file.data, file.size) == 0);
    bytes_release(&file);
    bytes_release(&again);
    host_destroy(&host);
    host_destroy(&other);
}

TEST_MAIN("view/heights", TEST_CASE(a_track_and_a_group_have_heights_of_their_own),
          TEST_CASE(a_limited_track_shows_its_first_rows_and_a_click_shows_the_rest),
          TEST_CASE(a_view_file_has_the_heights))
