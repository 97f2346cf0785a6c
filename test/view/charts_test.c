/* Counters in one chart: as the trace asks, joined and separated by commands, with one scale; undo, view files, pictures. */
#include "support/test.h"
#include "view/chart_changes.h"
#include "view/counter.h"
#include "view_support.h"

/* Counters of a process: a and b, which share a chart if the trace says it, and c; values up to 90, 40 and 7. */
static TestHost host_with_counters(bool shares)
{
    static const struct {
        const char *name;
        double      most;
    } COUNTERS[] = { { "a", 90 }, { "b", 40 }, { "c", 7 } };
    TestHost      host = host_create();
    TraceBuilder *builder = builder_create("test", 0);
    for (int i = 0; i < 3; i++) {
        CounterId counter = builder_counter(builder, builder_process(builder, ident_int(1)),
                                            builder_string(builder, COUNTERS[i].name, 1), STRING_NONE);
        SeriesId  series = builder_series(builder, counter, builder_string(builder, "value", 5), 0);
        if (shares && i < 2) builder_share_chart(builder, counter);
        for (int64_t tick = 0; tick < 4; tick++)
            builder_sample(builder, series, tick * 1000, COUNTERS[i].most * (double)(tick + 1) / 4);
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK(trace != NULL);
    builder_destroy(builder);
    host_add(&host, trace, "c.json");
    host_rest(&host);
    return host;
}

/* Returns the layout's item of counter 0, 1 or 2. */
static uint32_t item_of(const TestHost *host, uint32_t counter)
{
    return layout_track_item(host->view, 0, counter);
}

/* Returns the greatest value at the axis of a counter's chart. */
static double top_of(const TestHost *host, uint32_t counter)
{
    CHECK(item_of(host, counter) != UINT32_MAX);
    return chart_scale(host->view, layout_item(host->view, item_of(host, counter))).greatest;
}

static void run_on(TestHost *host, uint32_t counter, const char *command)
{
    shown_focus(host->view, (RowTarget){ ITEM_TRACK, 0, counter });
    host->view->input.keys_lead = true;
    CHECK(view_command(host->view, command, host->now_ms));
    host_rest(host);
}

/* True if the picture has this text. */
static bool draws(TestHost *host, const char *text)
{
    const DrawList *list = host_rest(host);
    for (uint32_t i = 0; i < list->text_count; i++)
        if (list->texts[i].length == strlen(text) &&
            memcmp(list->text + list->texts[i].offset, text, strlen(text)) == 0)
            return true;
    return false;
}

TEST(counters_of_one_chart_by_the_trace)
{
    TestHost host = host_with_counters(true);
    CHECK(item_of(&host, 0) == item_of(&host, 1) && item_of(&host, 0) != item_of(&host, 2));
    CHECK(top_of(&host, 0) == 90 && top_of(&host, 2) == 7);
    CHECK(draws(&host, "a, b") && draws(&host, "b") && draws(&host, "c") && !draws(&host, "40"));
    host_check_golden(&host, "golden_charts_joined");
    run_on(&host, 0, "separate-counters");
    CHECK(item_of(&host, 0) != item_of(&host, 1));
    CHECK(top_of(&host, 1) == 40 && draws(&host, "40"));
    host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    CHECK(item_of(&host, 0) == item_of(&host, 1));
    host_destroy(&host);
}

TEST(a_counter_joins_the_chart_above_it)
{
    TestHost host = host_with_counters(false);
    CHECK(item_of(&host, 0) != item_of(&host, 1));
    run_on(&host, 0, "join-counter"); /* the first one: no chart is above it */
    CHECK(item_of(&host, 0) != item_of(&host, 1));
    run_on(&host, 2, "join-counter");
    CHECK(item_of(&host, 2) == item_of(&host, 1) && top_of(&host, 1) == 40);
    CHECK(host.view->selection.focus.index == 1); /* the focus is on the chart */
    run_on(&host, 1, "join-counter");
    CHECK(item_of(&host, 2) == item_of(&host, 0) && draws(&host, "a, b, c"));
    view_area_of_all(host.view); /* an area has all counters of a chart */
    CHECK_UINT(vec_count(&host.view->selection.area.tracks), 3);
    run_on(&host, 0, "hide-track");
    CHECK_UINT(host.view->layout.count, 0);
    for (int i = 0; i < 3; i++)
        host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    CHECK(item_of(&host, 0) != item_of(&host, 1) && item_of(&host, 1) != item_of(&host, 2));
    host_destroy(&host);
}

TEST(a_filter_that_excludes_the_first_counter_shows_the_others)
{
    TestHost host = host_with_counters(true);
    view_filter_tracks(host.view, "b");
    host_rest(&host);
    CHECK(item_of(&host, 0) == UINT32_MAX && item_of(&host, 1) != UINT32_MAX);
    CHECK(layout_item(host.view, item_of(&host, 1))->index == 1 && top_of(&host, 1) == 40);
    host_destroy(&host);
}

TEST(chosen_charts_have_one_scale)
{
    TestHost host = host_with_counters(false);
    run_on(&host, 1, "same-scale");
    CHECK(top_of(&host, 1) == 40);
    run_on(&host, 2, "same-scale");
    CHECK(top_of(&host, 1) == 40 && top_of(&host, 2) == 40 && top_of(&host, 0) == 90);
    run_on(&host, 0, "same-scale");
    CHECK(top_of(&host, 2) == 90);
    run_on(&host, 0, "same-scale");
    CHECK(top_of(&host, 2) == 40);
    host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    CHECK(top_of(&host, 2) == 90);
    host_destroy(&host);
}

/* Saves the view of one host and loads it into another. */
static void copy_view(TestHost *from, TestHost *to)
{
    Bytes      file = { 0 }, again = { 0 };
    ViewSaving saving = { .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES };
    ViewLoaded loaded;
    Err        err;
    view_save(from->view, &saving, &file);
    CHECK_DONE(view_load(to->view, (const char *)file.data, file.size, VIEW_FILE_OPENED, &loaded, &err), err);
    CHECK_UINT(loaded.unknown_members + loaded.missing_rows, 0);
    view_loaded_release(&loaded);
    host_rest(to);
    view_save(to->view, &saving, &again);
    CHECK_UINT(again.size, file.size);
    CHECK(memcmp(again.data, file.data, file.size) == 0);
    bytes_release(&file);
    bytes_release(&again);
}

TEST(a_view_file_has_the_charts)
{
    TestHost host = host_with_counters(true), other = host_with_counters(true);
    run_on(&host, 2, "join-counter");
    run_on(&host, 0, "same-scale");
    copy_view(&host, &other);
    CHECK(item_of(&other, 0) == item_of(&other, 2));
    run_on(&host, 0, "separate-counters");
    copy_view(&host, &other);
    CHECK(item_of(&other, 0) != item_of(&other, 1) && item_of(&other, 1) != item_of(&other, 2));
    host_key(&host, "KeyZ", MOD_CTRL);
    host_key(&host, "KeyZ", MOD_CTRL);
    host_key(&host, "KeyZ", MOD_CTRL);
    host_rest(&host);
    copy_view(&host, &other); /* as the trace asks */
    CHECK(item_of(&other, 0) == item_of(&other, 1) && item_of(&other, 1) != item_of(&other, 2));
    host_destroy(&host);
    host_destroy(&other);
}

TEST(counters_are_joined_by_their_names)
{
    TestHost host = host_with_counters(false);
    CHECK(!view_join_counters(host.view, "a,none"));
    CHECK(!view_join_counters(host.view, "none,a"));
    CHECK(view_join_counters(host.view, "a,c"));
    CHECK(item_of(&host, 0) == item_of(&host, 2) && item_of(&host, 0) != item_of(&host, 1));
    host_destroy(&host);
}

TEST_MAIN("view/charts", TEST_CASE(counters_of_one_chart_by_the_trace),
          TEST_CASE(a_counter_joins_the_chart_above_it),
          TEST_CASE(a_filter_that_excludes_the_first_counter_shows_the_others),
          TEST_CASE(chosen_charts_have_one_scale), TEST_CASE(a_view_file_has_the_charts),
          TEST_CASE(counters_are_joined_by_their_names))
