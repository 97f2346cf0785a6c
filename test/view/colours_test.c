/* The colours of bars by each property, and the palette for colour-blind people. */
#include "support/test.h"
#include "view/colour_mode.h"
#include "view/option_names.h"
#include "view_support.h"

#include <math.h>
#include <string.h>

enum { LEAST_TEXT_CONTRAST = 450 };

static Trace *sample(void)
{
    return trace_of_events(
        "@1/1 X0..2000000:f/gpu X2500000..2500500:g/net @1/2 X0..1000000:f/net X1500000..1505000:h/gpu "
        "@2/1 X0..900000:f/gpu");
}

/* Returns the fill of the bar of a slice that begins at `begin` in a track; the bars are wide or one column. */
static uint32_t fill_of(TestHost *host, uint32_t trace_index, uint32_t track, int64_t begin)
{
    const DrawList *list = host_rest(host);
    const Trace    *trace = host->traces[trace_index];
    const Geometry *g = &host->view->screen.geometry;
    const uint32_t  index = view_track_index(view_trace(host->view, trace_index), track);
    const uint32_t  item = layout_track_item(host->view, trace_index, index);
    const double    top = layout_item_screen_y(host->view, item),
                 bottom = top + layout_item(host->view, item)->height;
    const double x = g->plot_x + floor(tick_scale_x(&view_trace(host->view, trace_index)->scale,
                                                    (uint64_t)(begin - trace->begin_tick)));
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *s = &list->shapes[i];
        if (s->kind == DRAW_RECT && (double)s->y >= top && (double)s->y + (double)s->h <= bottom &&
            s->h > 10 && (double)s->x <= x && x < (double)(s->x + s->w))
            return s->fill | 0xFF;
    }
    fail_msg("no bar at %d", (int)begin);
    return 0;
}

TEST(each_property_has_colours_of_its_own)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    view_set_options(host.view, 0);
    const uint32_t f = fill_of(&host, 0, 1, 0), k = fill_of(&host, 0, 2, 0);
    CHECK_UINT(f, k); /* one name */
    CHECK(f != (fill_of(&host, 0, 2, 1500000) | 0xFF));
    view_set_options(host.view, VIEW_BY_CATEGORY);
    CHECK(fill_of(&host, 0, 1, 0) != fill_of(&host, 0, 2, 0));
    CHECK_UINT(fill_of(&host, 0, 1, 0), colour_look(THEME_DARK, colour_of_name("gpu", 3)).fill);
    view_set_options(host.view, VIEW_BY_THREAD);
    CHECK(fill_of(&host, 0, 1, 0) != fill_of(&host, 0, 2, 0));
    view_set_options(host.view, VIEW_BY_PROCESS);
    CHECK_UINT(fill_of(&host, 0, 1, 0), fill_of(&host, 0, 2, 0));
    CHECK(fill_of(&host, 0, 1, 0) != fill_of(&host, 0, 3, 0));
    view_set_options(host.view, VIEW_BY_DURATION);
    CHECK_UINT(fill_of(&host, 0, 1, 0), colour_mode_duration(host.view, 0, 2000000).fill);
    CHECK(fill_of(&host, 0, 1, 0) != fill_of(&host, 0, 2, 1500000)); /* 2 ms and 5 us */
    view_set_options(host.view, VIEW_COLOUR_BY);                     /* no mode: by name */
    CHECK_UINT(fill_of(&host, 0, 1, 0), f);
    host_add(&host, sample(), "other.json");
    CHECK_UINT(fill_of(&host, 0, 1, 0), fill_of(&host, 1, 1, 0));
    view_set_options(host.view, VIEW_BY_FILE);
    CHECK(fill_of(&host, 0, 1, 0) != fill_of(&host, 1, 1, 0));
    CHECK_UINT(fill_of(&host, 0, 1, 0), fill_of(&host, 0, 1, 2500000));
    host_destroy(&host);
}

/* True if the narrow bars at the two begins have different colours. */
static bool differ(TestHost *host)
{
    return fill_of(host, 0, 1, 500000) != fill_of(host, 0, 1, 1500000);
}

/* Narrow bars of one name and one track have the same colour, unless more than the name decides about it. */
TEST(narrow_bars_of_a_name_have_colours_of_their_own)
{
    TestHost        host = host_create();
    const Geometry *g = &host.view->screen.geometry;
    host_add(&host, trace_of_events("@1/1 X0..1:g X500000..500500:f X1500000..1501900:f X2000000..2000001:g"),
             "narrow.json");
    const Trace     *trace = host.traces[0];
    const FoundEvent first = { .track = 1, .begin = 500000, .extent = 500 };
    CHECK(!differ(&host));
    const uint32_t plain = fill_of(&host, 0, 1, 1500000);
    view_set_options(host.view, VIEW_BY_DURATION);
    CHECK(differ(&host));
    view_set_options(host.view, 0);
    view_filter_durations(host.view, 0, 1000, 5000);
    CHECK(differ(&host));
    view_filter_no_durations(host.view);
    CHECK(view_highlight_slices(host.view, 0, trace_slice_label(trace, 1), &first, 1));
    CHECK(differ(&host));
    view_highlight_name(host.view, 0, 0);
    CHECK(!differ(&host));
    const uint32_t item = layout_track_item(host.view, 0, view_track_index(view_trace(host.view, 0), 1));
    const double   y = layout_item_screen_y(host.view, item) + 8;
    host_move(&host, g->plot_x + host_column_of(&host, 1500000), y);
    CHECK(host.view->input.hover.has_slice && differ(&host));
    host_move(&host, 1, 1);
    CHECK(!differ(&host));
    host_drag(&host, g->plot_x + host_column_of(&host, 300000), y, g->plot_x + host_column_of(&host, 700000),
              y, 0);
    host_move(&host, 1, 1);
    CHECK(host.view->selection.area.is_set && fill_of(&host, 0, 1, 1500000) != plain);
    host_destroy(&host);
}

TEST(durations_have_a_step_for_each_power_of_ten)
{
    static const uint64_t LIMITS[] = { 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
    TestHost              host = host_create();
    host_add(&host, sample(), "sample.json");
    for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++) {
        CHECK_UINT(colour_mode_duration(host.view, 0, LIMITS[i] - 1).fill, host.view->screen.ramp[i].fill);
        CHECK_UINT(colour_mode_duration(host.view, 0, LIMITS[i]).fill, host.view->screen.ramp[i + 1].fill);
    }
    CHECK_UINT(colour_mode_duration(host.view, 0, UINT64_MAX).fill,
               host.view->screen.ramp[RAMP_COLOURS - 1].fill);
    host_destroy(&host);
}

/* Luminances of the ramp ascend, so that it reads without hue; text is readable on each colour. */
TEST(the_safe_colours_differ_and_carry_text)
{
    TestHost host = host_create();
    for (int theme = 0; theme < COLOUR_THEMES; theme++) {
        view_set_theme(host.view, (Theme)theme);
        const NameColour *safe = host.view->screen.safe, *ramp = host.view->screen.ramp;
        for (int i = 0; i < SAFE_COLOURS; i++) {
            CHECK(colour_contrast(safe[i].fill, safe[i].text) >= LEAST_TEXT_CONTRAST);
            for (int j = 0; j < i; j++)
                CHECK(safe[i].fill != safe[j].fill);
        }
        for (int i = 0; i < RAMP_COLOURS; i++) {
            CHECK(colour_contrast(ramp[i].fill, ramp[i].text) >= LEAST_TEXT_CONTRAST);
            CHECK(i == 0 || colour_luminance(ramp[i].fill) > colour_luminance(ramp[i - 1].fill));
        }
    }
    view_set_options(host.view, VIEW_SAFE_COLOURS);
    for (uint32_t colour = 0; colour < COLOUR_COUNT; colour++)
        CHECK_UINT(colour_mode_look(host.view, colour).fill, host.view->screen.safe[colour / 9].fill);
    CHECK_UINT(colour_mode_name(host.view, THEME_LIGHT, "main", 4).fill, host.view->screen.safe[57 / 9].fill);
    view_set_options(host.view, 0);
    CHECK_UINT(colour_mode_name(host.view, THEME_LIGHT, "main", 4).fill, colour_look(THEME_LIGHT, 57).fill);
    host_destroy(&host);
}

TEST(commands_choose_colours_and_view_files_hold_them)
{
    TestHost host = host_create();
    Bytes    text = { 0 };
    host_add(&host, sample(), "sample.json");
    (void)host_rest(&host);
    for (int i = COLOUR_MODES - 1; i >= 0; i--) {
        char command[32] = "colour-";
        (void)strcat(command, COLOUR_MODE_NAMES[i]);
        CHECK(view_command(host.view, command, host.now_ms) &&
              view_command(host.view, "palette-safe", host.now_ms));
        CHECK_UINT(view_options(host.view), COLOUR_MODE_OPTIONS[i] | (unsigned)VIEW_SAFE_COLOURS);
        bytes_clear(&text);
        view_save(host.view, &(ViewSaving){ .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES }, &text);
        CHECK(view_command(host.view, "colour-name", host.now_ms) &&
              view_command(host.view, "palette-standard", host.now_ms));
        CHECK_UINT(view_options(host.view), 0);
        ViewLoaded loaded;
        Err        err;
        CHECK_DONE(view_load(host.view, (const char *)text.data, text.size, VIEW_FILE_OPENED, &loaded, &err),
                   err);
        view_loaded_release(&loaded);
        CHECK_UINT(view_options(host.view), COLOUR_MODE_OPTIONS[i] | (unsigned)VIEW_SAFE_COLOURS);
    }
    static const char *const WRONG[] = { "{\"varve_view\":1,\"colours\":\"depth\",\"traces\":[]}",
                                         "{\"varve_view\":1,\"palette\":\"\\u0000\",\"traces\":[]}" };
    for (size_t i = 0; i < 2; i++) {
        ViewLoaded loaded;
        Err        err;
        CHECK(!view_load(host.view, WRONG[i], strlen(WRONG[i]), VIEW_FILE_OPENED, &loaded, &err));
        view_loaded_release(&loaded);
    }
    bytes_release(&text);
    host_destroy(&host);
}

TEST_MAIN("colours", TEST_CASE(each_property_has_colours_of_its_own),
          TEST_CASE(narrow_bars_of_a_name_have_colours_of_their_own),
          TEST_CASE(durations_have_a_step_for_each_power_of_ten),
          TEST_CASE(the_safe_colours_differ_and_carry_text),
          TEST_CASE(commands_choose_colours_and_view_files_hold_them))
