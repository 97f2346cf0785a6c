/* Counters on the screen: golden frames, and that no value is lost at any zoom. */
#include "support/test.h"
#include "view/counter.h"
#include "view_support.h"

#include <math.h>
#include <stdio.h>

static SeriesId series(TraceBuilder *builder, const char *counter, const char *name)
{
    ProcessId process = builder_process(builder, ident_int(1));
    StringId  title = builder_string(builder, counter, strlen(counter));
    return builder_series(builder, builder_counter(builder, process, title, STRING_NONE),
                          builder_string(builder, name, strlen(name)), 0);
}

/* A thread, a stack of two, one below 0 with a gap, one with a short peak, two overlaid. */
static Trace *small_trace(void)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId label = feed_label(&feed, "main", 4);
    builder_complete(feed.builder, feed.thread, 0, 4000000, label, feed_next_pos(&feed), 0);
    TraceBuilder *b = feed.builder;
    SeriesId      young = series(b, "heap", "young"), old = series(b, "heap", "old"),
             net = series(b, "net", "value");
    SeriesId queue = series(b, "queue", "value"), hot = series(b, "cpu", "hot"),
             cold = series(b, "cpu", "cold");
    for (int64_t i = 0; i < 8; i++) {
        builder_sample(b, young, i * 500000, (double)(i % 4) * 1.5e6);
        builder_sample(b, old, i * 500000, (double)(i / 4 + 1) * 2e6);
        builder_sample(b, net, i * 500000, i == 5 ? (double)NAN : (double)(i % 3) - 1);
        builder_sample(b, hot, i * 500000, (double)i);
        builder_sample(b, cold, i * 500000, (double)(i % 2) - 3);
    }
    builder_sample(b, queue, 0, 3);
    builder_sample(b, queue, 2000000, 90);
    builder_sample(b, queue, 2000001, 3);
    return feed_finish(&feed, 1);
}

/* Returns the item of the track of this title; UINT32_MAX if it is not shown. */
static uint32_t item_titled(const View *view, const char *title)
{
    const Outline *outline = &view_trace(view, 0)->outline;
    for (uint32_t i = 0; i < outline->track_count; i++)
        if (string_equal(outline->tracks[i].title, (StringView){ title, strlen(title) }))
            return layout_track_item(view, 0, i);
    return UINT32_MAX;
}

/* Returns the chart of an item, in device pixels. */
static Rect chart_of(const View *view, uint32_t item)
{
    CHECK(item != UINT32_MAX);
    Rect chart = { .x = view->screen.geometry.plot_x, .w = view->screen.geometry.plot_w };
    counter_chart(view, layout_item(view, item), layout_item_screen_y(view, item), &chart.y, &chart.h);
    return chart;
}

TEST(charts_in_the_dark)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    host_check_golden(&host, "golden_counters_dark");
    host_destroy(&host);
}

TEST(compact_charts_as_a_light_picture_one_closed)
{
    TestHost host = host_create();
    view_resize(host.view, 800, 300, 2);
    view_set_theme(host.view, THEME_LIGHT);
    view_set_options(host.view, VIEW_STATIC | VIEW_COMPACT);
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    layout_toggle(host.view, layout_item(host.view, item_titled(host.view, "heap")));
    host_check_golden(&host, "golden_counters_light_compact");
    host_destroy(&host);
}

TEST(the_values_under_the_pointer)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    Rect chart = chart_of(host.view, item_titled(host.view, "heap"));
    host_move(&host, chart.x + chart.w / 2, chart.y + 10);
    host_check_golden(&host, "golden_counters_tooltip");
    host_destroy(&host);
}

/* Returns the number of texts of this content in the plot. */
static int texts_in_plot(TestHost *host, const char *content)
{
    const DrawList *list = host_rest(host);
    int             count = 0;
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        bool            is_same =
            text->length == strlen(content) && memcmp(list->text + text->offset, content, text->length) == 0;
        count += is_same && (double)text->x >= host->view->screen.geometry.plot_x;
    }
    return count;
}

TEST(every_chart_shows_its_values_at_the_pointer)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    const Geometry *g = &host.view->screen.geometry;
    Rect            below = { .x = g->plot_x, .y = g->rows_y + g->rows_h - 4, .w = g->plot_w };
    CHECK_INT(texts_in_plot(&host, "90"), 0);
    double x = tick_scale_x(&view_trace(host.view, 0)->scale, 1000000) + 2;
    host_move(&host, below.x + x, below.y);         /* after the third sample of each */
    CHECK_INT(texts_in_plot(&host, "3\u202fM"), 1); /* young */
    CHECK_INT(texts_in_plot(&host, "2\u202fM"), 1); /* old */
    CHECK_INT(texts_in_plot(&host, "3"), 1);        /* queue */
    CHECK_INT(texts_in_plot(&host, "2"), 1);        /* hot */
    CHECK_INT(texts_in_plot(&host, "-3"), 1);       /* cold */
    Rect heap = chart_of(host.view, item_titled(host.view, "heap"));
    host_move(&host, heap.x + x, heap.y + 4); /* its tooltip has its values */
    CHECK_INT(texts_in_plot(&host, "3\u202fM"), 0);
    CHECK_INT(texts_in_plot(&host, "-3"), 1);
    view_set_options(host.view, VIEW_STATIC);
    CHECK_INT(texts_in_plot(&host, "-3"), 0);
    host_destroy(&host);
}

TEST(an_axis_has_its_ends_and_round_values_between)
{
    static const struct {
        ValueScale scale;
        double     height;
        uint32_t   count;
        double     value[6];
    } cases[] = {
        { { 0, 90 }, 44, 3, { 90, 0, 50 } },
        { { 0, 1.5e6 }, 64, 4, { 1.5e6, 0, 5e5, 1e6 } },
        { { -3, 7 }, 64, 4, { 7, -3, 0, 2 } },
        { { 0, 100 }, 130, 5, { 100, 0, 20, 30, 40 } },
        { { 0, 1 }, 24, 2, { 1, 0 } },
        { { 0, 8 }, 17, 1, { 8 } },
        { { 0, 8 }, 5, 0, { 0 } },
        { { -1e308, 1.7e308 }, 44, 2, { 1.7e308, -1e308 } }, /* the range exceeds a double */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const AxisTicks ticks = counter_ticks(&cases[i].scale, cases[i].height, 12);
        CHECK(ticks.count >= cases[i].count);
        for (uint32_t k = 0; k < cases[i].count; k++)
            CHECK(ticks.value[k] == cases[i].value[k]);
        if (cases[i].height <= 44) CHECK_INT(ticks.count, cases[i].count);
    }
    for (double range = 1e-300; range < 1e300; range *= 3.7) { /* texts never touch */
        const ValueScale scale = { -range / 3, range };
        const AxisTicks  ticks = counter_ticks(&scale, 96, 12);
        CHECK(ticks.count > 2);
        for (uint32_t k = 0; k < ticks.count; k++)
            for (uint32_t m = 0; m < k; m++)
                CHECK(fabs(counter_y(&scale, ticks.value[k], 96) - counter_y(&scale, ticks.value[m], 96)) >
                      5);
    }
}

/* ---- no value is lost ---- */

/* Returns the painted pixels of a chart. */
static bool *painted_pixels(const DrawList *list, Rect chart)
{
    static bool pixels[4096 * 128];
    int         w = (int)chart.w, h = (int)chart.h;
    CHECK(w <= 4096 && h <= 128);
    memset(pixels, 0, sizeof pixels);
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *s = &list->shapes[i];
        int              x0 = (int)((double)s->x - chart.x), y0 = (int)((double)s->y - chart.y);
        int              x1 = x0 + (int)s->w, y1 = y0 + (int)s->h;
        bool             is_inside = y0 >= 0 && y1 <= h && x0 >= 0 && x1 <= w;
        if (s->kind != DRAW_RECT || !is_inside || (s->fill & 0xFF) < 60)
            continue; /* grid and zero line are faint */
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++)
                pixels[y * w + x] = true;
    }
    return pixels;
}

static int column_of(const TestHost *host, const Trace *trace, uint64_t sample)
{
    uint64_t offset = (uint64_t)(trace->samples.tick[sample] - trace->begin_tick);
    double   x = floor(tick_scale_x(&view_trace(host->view, 0)->scale, offset));
    return x < -1 ? -1 : x > 1e6 ? 1000000 : (int)x;
}

/* Two series in one chart from -300 to 700, with gaps, and with times far apart and close together. */
static Trace *random_counters(uint64_t seed, unsigned count, bool stacked)
{
    TestRandom    random = { seed };
    TraceBuilder *builder = builder_create("test", 0);
    SeriesId      all[] = { series(builder, "c", "a"), series(builder, "c", "b") };
    int64_t       tick = -1000;
    for (unsigned i = 0; i < count; i++) {
        tick += (int64_t)test_random_below(&random, test_random_below(&random, 10) == 0 ? 5000 : 4);
        double value = (double)test_random_below(&random, 1000) - (stacked ? 0 : 300);
        if (test_random_below(&random, 8) != 0) value = floor(value / 20);
        if (test_random_below(&random, 20) == 0) value = (double)NAN;
        builder_sample(builder, all[test_random_below(&random, 2)], tick, value);
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK(trace != NULL);
    builder_destroy(builder);
    return trace;
}

/* Checks that every visible sample is within the bright or faint pixels of its column, or of the one before, where its
 * bucket begins: at its own height, or, in a stack, at least as high. */
static void check_samples_show(TestHost *host, const DrawList *list, int reach)
{
    const Trace *trace = host->traces[0];
    Rect         chart = chart_of(host->view, item_titled(host->view, "c"));
    const Track *track = &trace->tracks[1];
    ValueScale   scale = counter_scale(&view_trace(host->view, 0)->outline.tracks[0]);
    const bool  *pixels = painted_pixels(list, chart);
    int          w = (int)chart.w, h = (int)chart.h;
    for (uint64_t s = track_extras(track)->first_sample;
         s < track_extras(track)->first_sample + track_extras(track)->sample_count; s++) {
        int    column = column_of(host, trace, s);
        double value = trace->samples.value[s];
        if (column < reach || column >= w - reach || isnan(value)) continue;
        int y = (int)counter_y(&scale, value, h), found = 0;
        if (y >= h) y = h - 1;
        for (int x = column - reach; x <= column + (reach > 1 ? reach : 0); x++)
            for (int at = track_extras(track)->is_stacked ? 0 : y > 0 ? y - 1 : 0; at <= y; at++)
                found += pixels[at * w + x];
        CHECK(found > 0);
    }
}

TEST(every_sample_shows_at_its_height_at_every_zoom)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        TestHost   host = host_create();
        TestRandom random = { seed };
        host_add(&host, random_counters(seed, 3000, seed % 2 == 0), "random");
        check_samples_show(&host, host_rest(&host), 1);
        uint64_t span = view_trace(host.view, 0)->outline.span;
        for (int i = 0; i < 8; i++) {
            int64_t begin = (int64_t)test_random_below(&random, span);
            view_set_range(host.view, 0, begin, begin + 20 + (int64_t)(span >> (i * 2)), host.now_ms);
            check_samples_show(&host, host_rest(&host), 1);
        }
        host_destroy(&host);
    }
}

/* With only the first tile a sample's bucket is four columns wide; the sample shows in all of them. */
TEST(coarse_tiles_lose_no_peak)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        TestHost host = host_create();
        host_add(&host, random_counters(seed, 3000, seed % 2 == 0), "random");
        host_rest(&host);
        view_set_options(host.view, VIEW_REDUCED_MOTION);
        int64_t span = (int64_t)view_trace(host.view, 0)->outline.span;
        view_set_range(host.view, 0, span / 3, span / 3 + span / 4, host.now_ms);
        view_step(host.view, host.now_ms);
        const DrawList *list = view_draw(host.view);
        CHECK(view_is_waiting(host.view));
        check_samples_show(&host, list, 6);
        check_samples_show(&host, host_rest(&host), 1);
        CHECK(!view_is_waiting(host.view));
        host_destroy(&host);
    }
}

/* At one tick or less a column the columns are the values themselves: each is valid until the next, and gaps are
 * gaps. */
TEST(a_value_holds_until_the_next)
{
    TestHost host = host_create();
    host_add(&host, random_counters(3, 2000, false), "random");
    const Trace *trace = host.traces[0];
    host_rest(&host);
    uint64_t first = trace->tracks[1].extras->first_sample,
             end = first + row_extras(&trace->rows[trace->tracks[1].first_row])->sample_count;
    uint64_t known = 0, gaps = 0;
    for (int64_t begin = 0; begin < 40000; begin += 700) {
        view_set_range(host.view, 0, begin, begin + 700, host.now_ms);
        host_rest(&host);
        runs_find_sources(host.view, 0, &view_trace(host.view, 0)->outline.tracks[0], 0);
        const ValueColumn *columns =
            counter_columns(host.view, 0, &view_trace(host.view, 0)->outline.tracks[0], 0);
        CHECK(columns != NULL);
        uint64_t next = first;
        double   value = (double)NAN;
        for (int x = 0; x < host.view->screen.geometry.plot_w; x++) {
            while (next < end && column_of(&host, trace, next) <= x)
                value = trace->samples.value[next++];
            CHECK(isnan(value) ? isnan(columns[x].last) : columns[x].last == value);
            known += isnan(value) ? 0 : 1;
            gaps += isnan(value) && next > first;
        }
    }
    CHECK(known > 1000 && gaps > 100);
    host_destroy(&host);
}

static uint64_t entries_of(unsigned samples)
{
    TestHost host = host_create();
    host_add(&host, random_counters(5, samples, true), "big");
    uint64_t most = 0;
    for (int zoom = 0; zoom < 12; zoom++) {
        host_rest(&host);
        view_draw(host.view);
        if (view_entries_drawn(host.view) > most) most = view_entries_drawn(host.view);
        view_set_range(host.view, 0, 100, 120 + (int64_t)(view_trace(host.view, 0)->outline.span >> zoom),
                       host.now_ms);
    }
    host_destroy(&host);
    return most;
}

TEST(a_frame_costs_pixels_and_not_samples)
{
    uint64_t few = entries_of(300), many = entries_of(100000);
    CHECK(few > 0 && many > 500);
    CHECK(many < 2 * 2 * 1000 * 3); /* two series, each walked twice */
}

/* Names that differ only in digits usually have one colour; in the same chart they must differ. */
TEST(series_of_one_chart_differ_in_colour)
{
    TestHost      host = host_create();
    TraceBuilder *builder = builder_create("test", 0);
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "core %d", i);
        SeriesId core = series(builder, "cores", name);
        for (int64_t tick = 0; tick < 1000; tick += 100)
            builder_sample(builder, core, tick, 1 + i);
    }
    Err    err;
    Trace *trace = builder_finish(builder, 1, NULL, &err);
    CHECK(trace != NULL);
    builder_destroy(builder);
    host_add(&host, trace, "cores");
    const DrawList *list = host_rest(&host);
    Rect            chart = chart_of(host.view, item_titled(host.view, "cores"));
    uint32_t        seen[64], count = 0;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *s = &list->shapes[i];
        bool is_inside = (double)s->y >= chart.y && (double)(s->y + s->h) <= chart.y + chart.h && s->w > 100;
        uint32_t at = 0;
        if (!is_inside || (s->fill & 0xFF) != 0xFF || (double)s->x < chart.x) continue;
        while (at < count && seen[at] != s->fill)
            at++;
        CHECK(at < 64);
        seen[at] = s->fill;
        if (at == count) count++;
    }
    CHECK_UINT(count, 6);
    host_destroy(&host);
}

/* ---- input ---- */

/* Appends the texts of the label column below the first header, joined by "|". */
static void legend_texts(TestHost *host, Bytes *out)
{
    const DrawList *list = host_rest(host);
    const Geometry *g = &host->view->screen.geometry;
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        if ((double)text->x >= g->plot_x || (double)text->baseline < g->rows_y + HEADER_PX * g->scale)
            continue;
        if (out->size > 0) bytes_append_text(out, "|");
        bytes_append(out, list->text + text->offset, text->length);
    }
    bytes_append(out, "", 1);
}

static void check_legend(const char *const *names, size_t count, double column_px, unsigned options,
                         const char *expected)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (size_t i = 0; i < count; i++) {
        SeriesId id = series(feed.builder, "memory", names[i]);
        for (int64_t tick = 0; tick < 3; tick++)
            builder_sample(feed.builder, id, tick * 1000, 1);
    }
    TestHost host = host_create();
    Bytes    texts = { 0 };
    host_add(&host, feed_finish(&feed, 1), "c.json");
    view_set_options(host.view, options | VIEW_STATIC);
    view_set_column(host.view, column_px);
    legend_texts(&host, &texts);
    CHECK_STRING((const char *)texts.data, expected);
    bytes_release(&texts);
    host_destroy(&host);
}

TEST(a_legend_names_the_series_and_counts_those_without_room)
{
    static const char *const TWO[] = { "heap", "stacks" };
    static const char *const MANY[] = { "alpha", "bravo",   "charlie", "delta",
                                        "echo",  "foxtrot", "golf",    "hotel" };
    static const char *const LONG[] = { "bytes allocated by the second generation", "free" };
    static const char *const PLAIN[] = { "value" }, *const SAME[] = { "memory" }, *const ONE[] = { "pages" };
    check_legend(TWO, 2, 220, 0, "2|0|1|memory|heap|stacks");
    check_legend(MANY, 8, 220, 0, "8|0|4|memory|alpha|bravo|charlie|delta|+4");
    check_legend(LONG, 2, 220, 0, "2|0|1|memory|bytes allocated by the\xE2\x80\xA6|free");
    check_legend(ONE, 1, 220, 0, "1|0|0.5|memory|pages");
    check_legend(PLAIN, 1, 220, 0, "1|0|0.5|memory");
    check_legend(SAME, 1, 220, 0, "1|0|0.5|memory");
    check_legend(TWO, 2, 220, VIEW_COMPACT, "2|0|memory"); /* no room below the title */
}

TEST(a_legend_has_the_colours_of_the_chart)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    const DrawList *list = host_rest(&host);
    Rect            chart = chart_of(host.view, item_titled(host.view, "heap"));
    int             swatches = 0;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *swatch = &list->shapes[i];
        bool             is_beside = (double)swatch->y > chart.y && (double)swatch->y < chart.y + chart.h;
        if (!is_beside || swatch->kind != DRAW_RECT || swatch->w != 7 || (double)swatch->x > chart.x)
            continue;
        bool drawn = false; /* the same colour, except for its opacity */
        for (uint32_t k = 0; k < list->shape_count; k++) {
            const DrawShape *area = &list->shapes[k];
            drawn |= (double)area->x >= chart.x && (double)area->y >= chart.y &&
                     (double)area->y < chart.y + chart.h && area->fill >> 8 == swatch->fill >> 8;
        }
        CHECK(drawn);
        swatches++;
    }
    CHECK_INT(swatches, 2);
    host_destroy(&host);
}

TEST(a_click_on_a_chart_selects_no_slice)
{
    TestHost  host = host_create();
    ViewEvent event;
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    Rect chart = chart_of(host.view, item_titled(host.view, "queue"));
    host_click(&host, chart.x + 300, chart.y + 10);
    host_rest(&host);
    CHECK(!host.view->selection.has_slice && host.view->input.hover.tooltip);
    CHECK(!host_event(&host, VIEW_EVENT_SELECT, &event));
    host_move(&host, chart.x + 2, chart.y + 10); /* before the trace's begin */
    host_rest(&host);
    CHECK(!host.view->input.hover.has_counter);
    host_destroy(&host);
}

TEST(charts_are_filtered_pinned_hidden_and_closed_like_threads)
{
    TestHost host = host_create();
    View    *view = host.view;
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    uint32_t heap = item_titled(view, "heap");
    Rect     chart = chart_of(view, heap);
    CHECK(chart.h == COUNTER_PX && view_trace(view, 0)->process_counts[0].tracks == 1);
    host_move(&host, chart.x + 300, chart.y + 10);
    host_key(&host, "KeyE", 0);
    host_rest(&host);
    CHECK(layout_item(view, item_titled(view, "heap"))->closed);
    CHECK(chart_of(view, item_titled(view, "heap")).h < COUNTER_COMPACT_PX);
    host_key(&host, "KeyP", 0);
    host_rest(&host);
    CHECK_UINT(view->layout.pinned, 1);
    view_filter_tracks(view, "QUEUE");
    CHECK(item_titled(view, "queue") != UINT32_MAX && item_titled(view, "net") == UINT32_MAX);
    chart = chart_of(view, item_titled(view, "queue"));
    host_move(&host, chart.x + 300, chart.y + 10);
    host_key(&host, "KeyH", 0);
    CHECK(item_titled(view, "queue") == UINT32_MAX);
    host_destroy(&host);
}

TEST(rows_say_what_is_seen_of_each_series)
{
    TestHost host = host_create();
    Bytes    rows = { 0 };
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    view_rows_json(host.view, &rows);
    bytes_append(&rows, "", 1);
    const char *text = (const char *)rows.data;
    CHECK(strstr(text, "\"young: 0 to 4\u202f500\u202f000, at last 4\u202f500\u202f000\"") != NULL);
    CHECK(strstr(text, "\"value: 3 to 90, at last 3\"") != NULL);
    CHECK(strstr(text, "\"value: -1 to 1, at last 0\"") != NULL);
    bytes_release(&rows);
    host_destroy(&host);
}

TEST(numbers_are_short_where_room_is)
{
    static const struct {
        double      value;
        CounterUnit unit;
        const char *brief, *whole;
    } cases[] = {
        { 0, UNIT_NONE, "0", "0" },
        { 12500, UNIT_NONE, "12.5\u202fk", "12\u202f500" },
        { 3200000, UNIT_NONE, "3.2\u202fM", "3\u202f200\u202f000" },
        { 999.7, UNIT_NONE, "1\u202fk", "999.7" },
        { -1234.5, UNIT_NONE, "-1.23\u202fk", "-1\u202f234.5" },
        { -123, UNIT_NONE, "-123", "-123" },
        { 0.25, UNIT_NONE, "0.25", "0.25" },
        { 1e300, UNIT_NONE, "1e+282\u202fE", "1e+300" },
        { 999999999999999, UNIT_NONE, "1\u202fP", "999\u202f999\u202f999\u202f999\u202f999" },
        { 512, UNIT_BYTES, "512\u202fB", "512\u202fB" },
        { 7940123, UNIT_BYTES, "7.94\u202fMB", "7\u202f940\u202f123\u202fB" },
        { -999999999999999, UNIT_BYTES, "-1\u202fPB", "-999\u202f999\u202f999\u202f999\u202f999\u202fB" },
        { NAN, UNIT_BYTES, "none", "none" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[COUNTER_TEXT];
        CHECK_UINT(counter_format_short(cases[i].value, cases[i].unit, text), strlen(cases[i].brief));
        CHECK_STRING(text, cases[i].brief);
        CHECK_UINT(counter_format(cases[i].value, cases[i].unit, text), strlen(cases[i].whole));
        CHECK_STRING(text, cases[i].whole);
    }
}

/* The counter's process ends at 1000, the trace at 4000. */
static Trace *ending_counters(void)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    builder_end_counters(feed.builder);
    builder_sample(feed.builder, series(feed.builder, "heap", "value"), 0, 7);
    LabelId label = feed_label(&feed, "main", 4);
    feed_set_thread(&feed, 1, 2);
    builder_complete(feed.builder, feed.thread, 0, 500, label, feed_next_pos(&feed), 0);
    builder_other(
        feed.builder, OTHER_EVENT, builder_event_kind(feed.builder, "C", 1),
        &(EventHead){ .thread = feed.thread, .tick = 1000, .label = label, .pos = feed_next_pos(&feed) });
    feed_set_thread(&feed, 3, 4);
    builder_complete(feed.builder, feed.thread, 0, 4000, label, feed_next_pos(&feed), 0);
    return feed_finish(&feed, 1);
}

TEST(values_hold_to_the_last_event_of_the_process)
{
    TestHost host = host_create();
    host_add(&host, ending_counters(), "ending");
    CHECK_INT(host.traces[0]->tracks[1].extras->held_to, 1000);
    view_set_range(host.view, 0, 0, 4000, host.now_ms);
    host_rest(&host);
    const OutlineTrack *track = &view_trace(host.view, 0)->outline.tracks[0];
    runs_find_sources(host.view, 0, track, 0);
    const ValueColumn *columns = counter_columns(host.view, 0, track, 0);
    CHECK(columns != NULL);
    int width = host.view->screen.geometry.plot_w;
    CHECK(columns[0].last == 7 && columns[width / 4 - 2].last == 7);
    for (int x = width / 4 + 2; x < width; x++)
        CHECK(isnan(columns[x].last));
    host_destroy(&host);
}

TEST(a_click_requests_a_sample_and_its_outline_covers_its_time)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    View      *view = host.view;
    const Rect chart = chart_of(view, item_titled(view, "queue"));
    ViewEvent  event;
    host_click(&host, chart.x + chart.w * 0.25, chart.y + chart.h / 2);
    CHECK(host_event(&host, VIEW_EVENT_SAMPLE, &event) && event.has_place);
    const SlicePlace clicked = event.place;
    const TraceView *trace = view_trace(view, 0);
    const uint32_t   track = view_track_index(trace, clicked.track);
    CHECK(string_equal(trace->outline.tracks[track].title, STRING_LITERAL("queue")));
    CHECK(clicked.begin > 500000 && clicked.begin < 1500000);
    SlicePlace sample = clicked;
    sample.begin = 0;
    sample.extent = 2000000;
    view_select_instant(view, &sample, host.now_ms);
    Rect bar;
    CHECK(view->selection.has_instant && view_instant_rect(view, &view->selection.instant, &bar));
    CHECK(bar.y == chart.y && bar.h == chart.h);
    CHECK(fabs(bar.w - chart.w / 2) < chart.w * 0.05); /* half of the trace, which has margins */
    view_command(view, "deselect", host.now_ms);
    view->selection.focus = (RowTarget){ ITEM_TRACK, 0, track };
    view->selection.has_focus = true;
    view_command(view, "enter-row", host.now_ms);
    CHECK(host_event(&host, VIEW_EVENT_SAMPLE, &event) && event.place.track == clicked.track);
    CHECK_UINT(event.place.begin, 0);
    host_destroy(&host);
}

TEST_MAIN("view/counters", TEST_CASE(a_click_requests_a_sample_and_its_outline_covers_its_time),
          TEST_CASE(charts_in_the_dark), TEST_CASE(compact_charts_as_a_light_picture_one_closed),
          TEST_CASE(the_values_under_the_pointer), TEST_CASE(every_chart_shows_its_values_at_the_pointer),
          TEST_CASE(an_axis_has_its_ends_and_round_values_between),
          TEST_CASE(every_sample_shows_at_its_height_at_every_zoom), TEST_CASE(coarse_tiles_lose_no_peak),
          TEST_CASE(a_value_holds_until_the_next), TEST_CASE(values_hold_to_the_last_event_of_the_process),
          TEST_CASE(a_frame_costs_pixels_and_not_samples), TEST_CASE(series_of_one_chart_differ_in_colour),
          TEST_CASE(a_legend_names_the_series_and_counts_those_without_room),
          TEST_CASE(a_legend_has_the_colours_of_the_chart), TEST_CASE(a_click_on_a_chart_selects_no_slice),
          TEST_CASE(charts_are_filtered_pinned_hidden_and_closed_like_threads),
          TEST_CASE(rows_say_what_is_seen_of_each_series), TEST_CASE(numbers_are_short_where_room_is))
