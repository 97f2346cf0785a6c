/* The contents of a frame: golden draw lists, and properties of every one. */
#include "support/test.h"
#include "view_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(a_small_trace_in_the_dark)
{
    TestHost host = host_create();
    host_add(&host, small_view_trace(), "small.json");
    host_check_golden(&host, "golden_small_dark");
    host_destroy(&host);
}

TEST(a_small_trace_as_a_light_picture_of_double_density)
{
    TestHost host = host_create();
    view_resize(host.view, 800, 300, 2);
    view_set_theme(host.view, THEME_LIGHT);
    view_set_options(host.view, VIEW_STATIC);
    host_add(&host, small_view_trace(), "small.json");
    host_check_golden(&host, "golden_small_light_static");
    host_destroy(&host);
}

/* Bars, aggregates and an instant with colours from the trace, and one without. */
static Trace *coloured_trace(void)
{
    static const uint32_t rgb[] = { 0x000000, 0xFFFFFF, 0xFFFF00, 0xB40000, 0x0000FF, 0x14161A };
    EventFeed             feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder         *b = feed.builder;
    feed_set_thread(&feed, 1, 2);
    LabelId plain = feed_label(&feed, "f", 1);
    for (int64_t i = 0; i < 7; i++) {
        LabelId label = i == 6 ? plain : builder_colour_label(b, plain, LABEL_COLOUR(rgb[i]));
        builder_complete(b, feed.thread, i * 1000, i * 1000 + 1000, label, feed_next_pos(&feed), 0);
        for (int64_t k = 0; k < 40; k++)
            builder_complete(b, feed.thread, i * 1000 + k, i * 1000 + k + 1, label, feed_next_pos(&feed), 0);
        builder_instant(b, feed.thread, i * 1000 + 500, label, INSTANT_THREAD, feed_next_pos(&feed), 0);
    }
    return feed_finish(&feed, 1);
}

TEST(colours_that_the_trace_asks_for)
{
    TestHost host = host_create();
    host_add(&host, coloured_trace(), "coloured.json");
    host_check_golden(&host, "golden_coloured_dark");
    view_set_theme(host.view, THEME_LIGHT);
    host_check_golden(&host, "golden_coloured_light");
    host_destroy(&host);
}

/* A capture's frames, wide and narrow, and calls: an order without times. */
static Trace *frames_trace(ClockKind clock)
{
    static const int64_t ends[] = { 400, 800, 1000, 1040, 1044, 1046 };
    EventFeed            feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder        *b = feed.builder;
    int64_t              begin = 0;
    builder_set_clock(b, (Clock){ .kind = clock, .ns_num = 1, .ns_den = 1 });
    feed_set_thread(&feed, 1, 2);
    builder_divide_by(b, feed.thread);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        builder_complete(b, feed.thread, begin, ends[i], feed_label(&feed, "Frame", 5), feed_next_pos(&feed),
                         0);
        begin = ends[i];
    }
    feed_set_thread(&feed, 1, 3);
    for (int64_t at = 0; at < 1000; at += 100)
        builder_complete(b, feed.thread, at, at + 60, feed_label(&feed, "draw", 4), feed_next_pos(&feed), 0);
    return feed_finish(&feed, 1);
}

TEST(frames_of_a_capture_divide_all_tracks)
{
    TestHost host = host_create();
    host_add(&host, frames_trace(CLOCK_EVENTS), "capture.trace");
    host_move(&host, 500, 120);
    host.now_ms += 1000;
    host_check_golden(&host, "golden_frames_of_events");
    host_destroy(&host);
    host = host_create();
    view_set_theme(host.view, THEME_LIGHT);
    view_set_options(host.view, VIEW_STATIC);
    host_add(&host, frames_trace(CLOCK_CALLS), "capture.trace");
    host_check_golden(&host, "golden_frames_of_calls");
    host_destroy(&host);
}

/* ---- names beside instants ---- */

static bool text_is(const DrawList *list, uint32_t text, const char *words)
{
    return list->texts[text].length == strlen(words) &&
           memcmp(list->text + list->texts[text].offset, words, strlen(words)) == 0;
}

/* Returns the number of texts with these words in a frame; *last: the index of the last of them. */
static int texts_saying(const DrawList *list, const char *words, uint32_t *last)
{
    int count = 0;
    for (uint32_t i = 0; i < list->text_count; i++) {
        if (!text_is(list, i, words)) continue;
        count++;
        *last = i;
    }
    return count;
}

TEST(narrow_bars_carry_the_begin_of_the_last_part_of_their_names)
{
    TestHost host = host_create();
    uint32_t at = 0;
    host_add(&host,
             trace_of_events("@1/2 X0..30:net::Socket::transmit X100..165:net::Socket::transmit "
                             "X500..1000:net::Socket::transmit"),
             "narrow.json");
    view_set_range(host.view, 0, 0, (int64_t)(host.view->screen.geometry.plot_w), 0);
    const DrawList *list = host_rest(&host);
    CHECK_INT(texts_saying(list, "tr\xE2\x80\xA6", &at), 1);
    CHECK_INT(texts_saying(list, "transmit", &at), 1);
    CHECK_INT(texts_saying(list, "net::Socket::transmit", &at), 1);
    host_destroy(&host);
}

TEST(instants_of_every_scope_are_named_where_there_is_room)
{
    TestHost host = host_create();
    uint32_t at = 0;
    host_add(&host,
             trace_of_events(
                 "@1/2 X0..100:bar i150:alone X500..600:bar i620:shut X640..800:bar i900:left i910:right "
                 "p300:loaded g400:suspend g405:hurry g700:resume @1/3 X0..1000:all"),
             "instants.json");
    const DrawList *list = host_rest(&host);
    const Geometry *g = &host.view->screen.geometry;
    CHECK_INT(texts_saying(list, "alone", &at), 1);
    CHECK((double)list->texts[at].x > g->plot_x + host_column_of(&host, 150));
    CHECK((double)list->texts[at].x < g->plot_x + host_column_of(&host, 150) + 12);
    CHECK_INT(texts_saying(list, "right", &at), 1);
    CHECK_INT(texts_saying(list, "shut", &at), 1); /* in the strip, over the bar after it */
    CHECK_INT(texts_saying(list, "left", &at), 0);
    CHECK_INT(texts_saying(list, "loaded", &at), 1); /* in the header of its process ... */
    CHECK((double)list->texts[at].baseline <
          view_px(host.view, layout_item_screen_y(host.view, 0) + HEADER_PX));
    CHECK_INT(texts_saying(list, "hurry", &at), 1); /* ... and in the ruler */
    CHECK((double)list->texts[at].baseline < g->ruler_y + g->ruler_h);
    CHECK_INT(texts_saying(list, "resume", &at), 1);
    CHECK_INT(texts_saying(list, "suspend", &at), 0); /* the next one is too near */
    view_set_options(host.view, VIEW_COMPACT);
    list = host_rest(&host);
    CHECK_INT(texts_saying(list, "alone", &at), 0);
    host_destroy(&host);
}

/* Checks that no diamond is over the bars of the first rows of a track. Returns the number of diamonds. */
static int diamonds_beside_bars(const TestHost *host, const DrawList *list, uint32_t track, uint32_t rows)
{
    int  diamonds = 0;
    Rect bar;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *diamond = &list->shapes[i];
        if (diamond->kind != DRAW_DIAMOND) continue;
        diamonds++;
        for (uint32_t row = 0; row < rows; row++) {
            CHECK(view_place_rect(host->view, &(SlicePlace){ .track = track, .row = row }, &bar));
            CHECK((double)(diamond->y + diamond->h) <= bar.y || (double)diamond->y >= bar.y + bar.h);
        }
    }
    return diamonds;
}

TEST(instants_have_a_strip_above_the_bars_of_their_row)
{
    static const unsigned heights[] = { 0, VIEW_COMPACT, VIEW_ROOMY };
    TestHost              host = host_create();
    host_add(
        &host,
        trace_of_events("@1/2 X0..900:main X100..300:load i50:first i100:second i200:third X250..300:read "
                        "i400:fourth @1/3 i500:alone @1/4 X0..1000:other"),
        "strips.json");
    for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++) {
        Rect bar, mark;
        Hit  hit;
        view_set_options(host.view, heights[h]);
        const DrawList *list = host_rest(&host);
        const uint32_t  track = view_trace(host.view, 0)->outline.tracks[layout_item(host.view, 1)->index].id;
        const SlicePlace place = { .track = track, .row = 1, .begin = 100 };
        CHECK_INT(diamonds_beside_bars(&host, list, track, 3), 5);
        /* The instant at 100 is above the bar that begins there; each is hit in its own place. */
        CHECK(view_place_rect(host.view, &place, &bar) && view_instant_rect(host.view, &place, &mark));
        CHECK(mark.y + mark.h == bar.y && mark.h == (heights[h] == VIEW_COMPACT ? 6.0 : 11.0));
        view_hit(host.view, bar.x + 2, bar.y + 1, &hit);
        CHECK(!hit.has_mark && hit.has_run && hit.row == 1 && hit.run.begin == 100);
        view_hit(host.view, bar.x + 2, mark.y + mark.h / 2, &hit);
        CHECK(!hit.has_run);
        /* A row with only instants or only slices has no strip. */
        const double row = layout_common_height(host.view) + ROW_GAP_PX + 2 * TRACK_PAD_PX;
        for (uint32_t i = 2; i < 4; i++)
            CHECK(layout_item(host.view, i)->height == fmax(row, HEADER_PX + TRACK_PAD_PX));
    }
    host_destroy(&host);
}

/* Finds the `wanted`-th line in the frame at a time's column; false if there are fewer. */
static bool line_at(const TestHost *host, const DrawList *list, uint64_t offset, int wanted, float *top,
                    float *bottom)
{
    float x = (float)(host->view->screen.geometry.plot_x + host_column_of(host, offset));
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        if (shape->x != x || shape->w != 1 || (shape->fill & 0xFF) != 110 || wanted-- > 0) continue;
        *top = shape->y;
        *bottom = shape->y + shape->h;
        return true;
    }
    return false;
}

/* Over the rows of the thread, the tracks of the process, or everything. */
TEST(lines_of_instants_reach_as_far_as_their_scope)
{
    TestHost host = host_create();
    float    top = 0, bottom = 0;
    Rect     first, last;
    host_add(&host,
             trace_of_events(
                 "@1/2 X0..1000:main X100..400:load X200..300:read i250:tick i260:tock @1/3 X0..1000:other "
                 "p600:frame g700:mark @2/4 X0..1000:third"),
             "scopes.json");
    const DrawList *list = host_rest(&host);
    const Geometry *g = &host.view->screen.geometry;
    uint32_t        index = layout_item(host.view, 1)->index;
    uint32_t        id = view_trace(host.view, 0)->outline.tracks[index].id;
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = id }, &first));
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = id, .row = 3 }, &last));
    CHECK(line_at(&host, list, 250, 0, &top, &bottom));
    CHECK((double)top == first.y && (double)bottom == last.y + last.h);
    CHECK(!line_at(&host, list, 250, 1, &top, &bottom));
    CHECK(!line_at(&host, list, 260, 0, &top, &bottom)); /* 8 pixels from the line before it */
    CHECK(line_at(&host, list, 600, 0, &top, &bottom));
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = id + 1 }, &last));
    CHECK((double)top < first.y && (double)top > first.y - 2 * TRACK_PAD_PX);
    CHECK((double)bottom > last.y + last.h && (double)bottom < last.y + last.h + 2 * HEADER_PX);
    CHECK(line_at(&host, list, 700, 0, &top, &bottom));
    CHECK((double)top == g->pinned_y && (double)bottom == g->rows_y + g->rows_h);
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 0, index }, TRACK_PINNED);
    list = host_rest(&host);
    CHECK(line_at(&host, list, 600, 0, &top, &bottom)); /* over the pinned track, then over the other one */
    CHECK((double)top >= g->pinned_y && (double)bottom <= g->rows_y);
    CHECK(line_at(&host, list, 600, 1, &top, &bottom));
    CHECK((double)top >= g->rows_y);
    host_destroy(&host);
}

/* Checks that the area of a name has no bars and no other instants: at any zoom, for any trace. */
static void check_names_cover_nothing(TestHost *host)
{
    const DrawList *list = host_rest(host);
    uint32_t        muted = colour_palette(host->view->screen.theme)->muted;
    for (uint32_t t = 0; t < list->text_count; t++) {
        const DrawText *text = &list->texts[t];
        if (text->colour != muted || (double)text->x < host->view->screen.geometry.plot_x ||
            (double)text->baseline < host->view->screen.geometry.rows_y)
            continue;
        double end = (double)text->x + text_width((FontFace)text->face, (double)text->size_px,
                                                  list->text + text->offset, text->length);
        for (double x = (double)text->x; x < end; x += 1) {
            Hit hit;
            view_hit(host->view, x, (double)text->baseline - 3, &hit);
            CHECK(!hit.has_run);
        }
    }
}

TEST(names_of_instants_cover_no_bar)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        TestHost   host = host_create();
        TestRandom random = { seed };
        host_add(&host, random_trace(seed, 2, 300, 100000), "random");
        for (int i = 0; i < 5; i++) {
            int64_t begin = (int64_t)test_random_below(&random, 90000);
            view_set_range(host.view, 0, begin, begin + (10000 >> i), host.now_ms);
            check_names_cover_nothing(&host);
        }
        host_destroy(&host);
    }
}

TEST(the_ruler_cuts_no_text_in_two)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X0..4000000000:all"), "ruler.json");
    for (int64_t end = 1000000000; end < 1100000000; end += 3000000) {
        view_set_range(host.view, 0, 0, end, host.now_ms);
        const DrawList *list = host_rest(&host);
        const Geometry *g = &host.view->screen.geometry;
        for (uint32_t i = 0; i < list->text_count; i++) {
            const DrawText *text = &list->texts[i];
            if ((double)text->baseline < g->ruler_y || (double)text->baseline > g->ruler_y + g->ruler_h)
                continue;
            double width = text_width((FontFace)text->face, (double)text->size_px, list->text + text->offset,
                                      text->length);
            CHECK((double)text->x + width <= g->plot_x + g->plot_w);
        }
    }
    host_destroy(&host);
}

static double text_end(const DrawList *list, const DrawText *text)
{
    return (double)text->x +
           text_width((FontFace)text->face, (double)text->size_px, list->text + text->offset, text->length);
}

/* Copies the stamps of the ruler, in the order in which they were drawn. Returns their number. */
static uint32_t ruler_stamps(const TestHost *host, const DrawList *list, DrawText *stamps, uint32_t most)
{
    const Geometry *g = &host->view->screen.geometry;
    const double    bottom = g->ruler_y + 18 * host->view->screen.scale; /* of the line of stamps */
    uint32_t        count = 0;
    for (uint32_t i = 0; i < list->text_count && count < most; i++) {
        const DrawText *text = &list->texts[i];
        const bool      is_in_line = (double)text->baseline > g->ruler_y && (double)text->baseline < bottom;
        if (is_in_line && text_end(list, text) > g->plot_x) stamps[count++] = *text;
    }
    return count;
}

/* The range moves by a tenth of a millisecond for each picture, across two whole milliseconds. */
TEST(the_stamp_of_the_left_edge_stays_until_the_next_one_displaces_it)
{
    enum { MOST = 64 };
    DrawText stamps[MOST];
    uint32_t displaced = 0;
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X0..4000000000:all"), "ruler.json");
    for (int64_t begin = 5030000; begin < 7000000; begin += 100000) {
        view_set_range(host.view, 0, begin, begin + 2500000, host.now_ms);
        const DrawList *list = host_rest(&host);
        const uint32_t  count = ruler_stamps(&host, list, stamps, MOST);
        char            wanted[32];
        CHECK(count >= 2);
        /* The stamp of the left edge is drawn last. */
        const DrawText *held = &stamps[count - 1];
        const int       size = snprintf(wanted, sizeof wanted, "%lld ms", (long long)(begin / 1000000));
        CHECK(held->length >= (uint32_t)size && memcmp(list->text + held->offset, wanted, (size_t)size) == 0);
        CHECK(text_end(list, held) <= (double)stamps[0].x);
        if ((double)held->x < host.view->screen.geometry.plot_x) displaced++;
        for (uint32_t i = 1; i + 1 < count; i++)
            CHECK(text_end(list, &stamps[i - 1]) <= (double)stamps[i].x);
    }
    CHECK(displaced > 0);
    host_destroy(&host);
}

TEST(a_line_parts_lanes_of_slices_that_overlap)
{
    TestHost host = host_create();
    uint32_t rule = colour_palette(host.view->screen.theme)->rule;
    host_add(&host, trace_of_events("@1/2 X0..100:a X10..50:b X60..160:c @1/3 X0..100:a X10..50:b"),
             "lanes.json");
    const DrawList *list = host_rest(&host);
    const Geometry *g = &host.view->screen.geometry;
    int             lines = 0;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        bool is_in_rows = (double)shape->y > g->rows_y + 2 * HEADER_PX && (double)shape->x == g->plot_x;
        if (is_in_rows && shape->fill == rule && shape->h == 1 && (double)shape->w == g->plot_w) lines++;
    }
    CHECK_INT(lines, 1);
    host_destroy(&host);
}

/* Returns the fill of the topmost bar at a point; 0 = no bar. */
static uint32_t fill_at(const DrawList *list, float x, float y)
{
    uint32_t fill = 0;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        bool holds = x >= shape->x && x < shape->x + shape->w && y >= shape->y && y < shape->y + shape->h;
        if (holds && shape->edge_px > 0 && (shape->fill & 0xFF) == 0xFF) fill = shape->fill;
    }
    return fill;
}

TEST(durations_in_bars_are_as_readable_as_names)
{
    for (int theme = 0; theme < COLOUR_THEMES; theme++) {
        TestHost host = host_create();
        uint32_t text = 0;
        host_add(&host, trace_of_events("@1/2 X0..1000000:main X100000..900000:load"), "durations");
        view_set_theme(host.view, (Theme)theme);
        const DrawList *list = host_rest(&host);
        CHECK_INT(texts_saying(list, "800 \xC2\xB5s", &text), 1);
        const DrawText *duration = &list->texts[text];
        uint32_t        fill = fill_at(list, duration->x, duration->baseline);
        CHECK(fill != 0 && (duration->colour & 0xFF) == 0xFF);
        CHECK(colour_contrast(duration->colour, fill) >= 700);
        host_destroy(&host);
    }
}

TEST(bars_outside_an_area_lose_chroma)
{
    TestHost host = host_create();
    Rect     inside, right_of, below;
    host_add(&host, trace_of_events("@1/2 X0..1000:one X2000..3000:two @1/3 X0..1000:one @2/4 X0..1000:one"),
             "area");
    host_rest(&host);
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = 1, .begin = 0, .extent = 1000 }, &inside));
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = 1, .begin = 2000, .extent = 1000 }, &right_of));
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = 2, .begin = 0, .extent = 1000 }, &below));
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    host_drag(&host, inside.x + 20, inside.y + 5, inside.x + 200, inside.y + 8, 0);
    host_move(&host, 5, 5);
    const DrawList *list = host_rest(&host);
    NameColour      one = colour_look(THEME_DARK, colour_of_name("one", 3));
    NameColour      two = colour_look(THEME_DARK, colour_of_name("two", 3));
    CHECK_UINT(fill_at(list, (float)inside.x + 9, (float)inside.y + 9), one.fill);
    CHECK_UINT(fill_at(list, (float)right_of.x + 9, (float)right_of.y + 9), two.dim);
    CHECK_UINT(fill_at(list, (float)below.x + 9, (float)below.y + 9), one.dim);
    host_destroy(&host);
}

/* Tracks of a closed group are part of an area, but have no rows: tracks after them are part of it, too. */
TEST(only_alt_dims_the_bars_that_are_not_hovered)
{
    TestHost host = host_create();
    Rect     one_at, two_at;
    host_add(&host, trace_of_events("@1/2 X0..1000:one X2000..3000:two"), "hover");
    host_rest(&host);
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = 1, .begin = 0, .extent = 1000 }, &one_at));
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = 1, .begin = 2000, .extent = 1000 }, &two_at));
    NameColour one = colour_look(THEME_DARK, colour_of_name("one", 3));
    NameColour two = colour_look(THEME_DARK, colour_of_name("two", 3));
    host_move(&host, one_at.x + 20, one_at.y + 5);
    host_rest(&host);
    const DrawList *list = host_rest(&host);
    CHECK(host.view->input.hover.tooltip);
    CHECK_UINT(fill_at(list, (float)one_at.x + 9, (float)one_at.y + 9), one.hover);
    CHECK_UINT(fill_at(list, (float)two_at.x + 9, (float)two_at.y + 9), two.fill);
    CHECK(view_key(host.view, KEY_DOWN, "AltLeft", MOD_ALT, host.now_ms));
    list = host_rest(&host);
    CHECK_UINT(fill_at(list, (float)two_at.x + 9, (float)two_at.y + 9), two.dim);
    CHECK(view_key(host.view, KEY_UP, "AltLeft", 0, host.now_ms));
    list = host_rest(&host);
    CHECK_UINT(fill_at(list, (float)two_at.x + 9, (float)two_at.y + 9), two.fill);
    host_destroy(&host);
}

TEST(an_area_past_a_closed_group_is_whole)
{
    TestHost host = host_create();
    Rect     last;
    host_add(&host, trace_of_events("@1/2 X0..1000:one @2/4 X0..1000:one"), "area");
    host_rest(&host);
    layout_toggle(host.view, layout_item(host.view, 0));
    host_key(&host, "KeyA", MOD_CTRL);
    const DrawList *list = host_rest(&host);
    CHECK(view_place_rect(host.view, &(SlicePlace){ .track = 2, .begin = 0, .extent = 1000 }, &last));
    NameColour one = colour_look(THEME_DARK, colour_of_name("one", 3));
    CHECK_UINT(fill_at(list, (float)last.x + 9, (float)last.y + 9), one.fill);
    CHECK(layout_item(host.view, layout_track_item(host.view, 0, 1))->in_area);
    host_destroy(&host);
}

static bool has_text(const DrawList *list, const char *begin)
{
    const size_t size = strlen(begin);
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        if (text->length >= size && memcmp(list->text + text->offset, begin, size) == 0) return true;
    }
    return false;
}

TEST(the_scale_of_calls_is_a_whole_number)
{
    TestHost host = host_create();
    host_add(&host, frames_trace(CLOCK_CALLS), "calls");
    view_set_range(host.view, 0, 2, 5, host.now_ms);
    const DrawList *list = host_rest(&host);
    CHECK(has_text(list, "1 call = "));
    CHECK(!has_text(list, "1 px = "));
    host_destroy(&host);
}

TEST(the_scale_of_a_moment_counts_pixels)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X0..1000:one"), "times");
    view_set_range(host.view, 0, 2, 1000, host.now_ms);
    CHECK(has_text(host_rest(&host), "1 px = 1."));
    view_set_range(host.view, 0, 2, 4, host.now_ms);
    const DrawList *list = host_rest(&host);
    CHECK(has_text(list, "1 ns = "));
    CHECK(!has_text(list, "1 px = "));
    host_destroy(&host);
}

TEST(two_traces_in_compact_rows)
{
    TestHost host = host_create();
    view_set_options(host.view, VIEW_COMPACT);
    host_add(&host, small_view_trace(), "first.json");
    host_add(&host, trace_of_events("@7/8 X0..500:other"), "second.json");
    host_check_golden(&host, "golden_two_compact");
    host_destroy(&host);
}

TEST(an_area_a_selection_and_a_tooltip)
{
    TestHost host = host_create();
    host_add(&host, small_view_trace(), "small.json");
    host_rest(&host);
    Rect       bar;
    SlicePlace place = { .row = 1, .begin = 100, .extent = 300 };
    place.track = view_trace(host.view, 0)->outline.tracks[layout_item(host.view, 1)->index].id;
    CHECK(view_place_rect(host.view, &place, &bar));
    host_drag(&host, bar.x - 40, bar.y - 4, bar.x + bar.w + 60, bar.y + 40, 0);
    host_click(&host, bar.x + 50, bar.y + 5);
    host_check_golden(&host, "golden_hands");
    host_destroy(&host);
}

TEST(nothing_open_is_an_empty_frame)
{
    TestHost host = host_create();
    CHECK(!view_is_waiting(host.view));
    host_check_golden(&host, "golden_empty");
    host_destroy(&host);
}

TEST_MAIN("view/picture", TEST_CASE(a_small_trace_in_the_dark),
          TEST_CASE(a_small_trace_as_a_light_picture_of_double_density),
          TEST_CASE(colours_that_the_trace_asks_for), TEST_CASE(frames_of_a_capture_divide_all_tracks),
          TEST_CASE(narrow_bars_carry_the_begin_of_the_last_part_of_their_names),
          TEST_CASE(instants_of_every_scope_are_named_where_there_is_room),
          TEST_CASE(instants_have_a_strip_above_the_bars_of_their_row),
          TEST_CASE(lines_of_instants_reach_as_far_as_their_scope), TEST_CASE(names_of_instants_cover_no_bar),
          TEST_CASE(the_ruler_cuts_no_text_in_two),
          TEST_CASE(the_stamp_of_the_left_edge_stays_until_the_next_one_displaces_it),
          TEST_CASE(a_line_parts_lanes_of_slices_that_overlap),
          TEST_CASE(durations_in_bars_are_as_readable_as_names),
          TEST_CASE(the_scale_of_calls_is_a_whole_number), TEST_CASE(the_scale_of_a_moment_counts_pixels),
          TEST_CASE(bars_outside_an_area_lose_chroma), TEST_CASE(only_alt_dims_the_bars_that_are_not_hovered),
          TEST_CASE(an_area_past_a_closed_group_is_whole), TEST_CASE(two_traces_in_compact_rows),
          TEST_CASE(an_area_a_selection_and_a_tooltip), TEST_CASE(nothing_open_is_an_empty_frame))
