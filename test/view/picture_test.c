/* The contents of a frame: golden draw lists, and properties of every one. */
#include "support/test.h"
#include "view_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static Trace *small_trace(void)
{
    return trace_told("@1/2 X0..1000:main X100..400:ns::load<int> X120..130:read X500..?:wait i450:tick "
                      "@1/3 X200..201:req_17 +r X300..350:req_18 - p600:frame g700:mark");
}

TEST(a_small_trace_in_the_dark)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    host_check_golden(&host, "golden_small_dark");
    host_destroy(&host);
}

TEST(a_small_trace_as_a_light_picture_of_double_density)
{
    TestHost host = host_create();
    view_resize(host.view, 800, 300, 2);
    view_set_theme(host.view, THEME_LIGHT);
    view_set_options(host.view, VIEW_STATIC);
    host_add(&host, small_trace(), "small.json");
    host_check_golden(&host, "golden_small_light_static");
    host_destroy(&host);
}

/* Bars, aggregates and an instant with colours from the trace, and one without. */
static Trace *coloured_trace(void)
{
    static const uint32_t rgb[] = { 0x000000, 0xFFFFFF, 0xFFFF00, 0xB40000, 0x0000FF, 0x14161A };
    Teller                teller = teller_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder         *b = teller.builder;
    teller_on(&teller, 1, 2);
    LabelId plain = teller_label(&teller, "f", 1);
    for (int64_t i = 0; i < 7; i++) {
        LabelId label = i == 6 ? plain : builder_colour_label(b, plain, LABEL_COLOUR(rgb[i]));
        builder_complete(b, teller.thread, i * 1000, i * 1000 + 1000, label, teller_pos(&teller), 0);
        for (int64_t k = 0; k < 40; k++)
            builder_complete(b, teller.thread, i * 1000 + k, i * 1000 + k + 1, label, teller_pos(&teller), 0);
        builder_instant(b, teller.thread, i * 1000 + 500, label, INSTANT_THREAD, teller_pos(&teller), 0);
    }
    return teller_finish(&teller, 1);
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
    Teller               teller = teller_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder        *b = teller.builder;
    int64_t              begin = 0;
    builder_set_clock(b, (Clock){ .kind = clock, .ns_num = 1, .ns_den = 1 });
    teller_on(&teller, 1, 2);
    builder_divide_by(b, teller.thread);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        builder_complete(b, teller.thread, begin, ends[i], teller_label(&teller, "Frame", 5),
                         teller_pos(&teller), 0);
        begin = ends[i];
    }
    teller_on(&teller, 1, 3);
    for (int64_t at = 0; at < 1000; at += 100)
        builder_complete(b, teller.thread, at, at + 60, teller_label(&teller, "draw", 4), teller_pos(&teller),
                         0);
    return teller_finish(&teller, 1);
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

static int column_of(const TestHost *host, uint64_t offset)
{
    double x = floor(tick_scale_x(&view_trace(host->view, 0)->scale, offset));
    return x < -1 ? -1 : x > 1e6 ? 1000000 : (int)x;
}

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
             trace_told("@1/2 X0..30:net::Socket::transmit X100..165:net::Socket::transmit "
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
    host_add(
        &host,
        trace_told("@1/2 X0..100:bar i150:alone X500..600:bar i620:shut X640..800:bar i900:left i910:right "
                   "p300:loaded g400:suspend g405:hurry g700:resume @1/3 X0..1000:all"),
        "instants.json");
    const DrawList *list = host_rest(&host);
    const Geometry *g = &host.view->screen.geometry;
    CHECK_INT(texts_saying(list, "alone", &at), 1);
    CHECK((double)list->texts[at].x > g->plot_x + column_of(&host, 150));
    CHECK((double)list->texts[at].x < g->plot_x + column_of(&host, 150) + 12);
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
    host_add(&host,
             trace_told("@1/2 X0..900:main X100..300:load i50:first i100:second i200:third X250..300:read "
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
    float x = (float)(host->view->screen.geometry.plot_x + column_of(host, offset));
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
    float    top, bottom;
    Rect     first, last;
    host_add(
        &host,
        trace_told("@1/2 X0..1000:main X100..400:load X200..300:read i250:tick i260:tock @1/3 X0..1000:other "
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
    host_add(&host, trace_told("@1/2 X0..4000000000:all"), "ruler.json");
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
    host_add(&host, trace_told("@1/2 X0..4000000000:all"), "ruler.json");
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
    host_add(&host, trace_told("@1/2 X0..100:a X10..50:b X60..160:c @1/3 X0..100:a X10..50:b"), "lanes.json");
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
        host_add(&host, trace_told("@1/2 X0..1000000:main X100000..900000:load"), "durations");
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
    host_add(&host, trace_told("@1/2 X0..1000:one X2000..3000:two @1/3 X0..1000:one @2/4 X0..1000:one"),
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
    host_add(&host, trace_told("@1/2 X0..1000:one X2000..3000:two"), "hover");
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
    host_add(&host, trace_told("@1/2 X0..1000:one @2/4 X0..1000:one"), "area");
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

TEST(the_scale_of_calls_is_a_whole_number)
{
    TestHost host = host_create();
    bool     found = false;
    host_add(&host, frames_trace(CLOCK_CALLS), "calls");
    view_set_range(host.view, 0, 2, 5, host.now_ms);
    const DrawList *list = host_rest(&host);
    for (uint32_t i = 0; i < list->text_count; i++) {
        const DrawText *text = &list->texts[i];
        found |= text->length > 9 && memcmp(list->text + text->offset, "1 call = ", 9) == 0;
        CHECK(text->length < 7 || memcmp(list->text + text->offset, "1 px = ", 7) != 0);
    }
    CHECK(found);
    host_destroy(&host);
}

TEST(two_traces_in_compact_rows)
{
    TestHost host = host_create();
    view_set_options(host.view, VIEW_COMPACT);
    host_add(&host, small_trace(), "first.json");
    host_add(&host, trace_told("@7/8 X0..500:other"), "second.json");
    host_check_golden(&host, "golden_two_compact");
    host_destroy(&host);
}

TEST(an_area_a_selection_and_a_tooltip)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
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

/* ---- every slice is visible ---- */

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
            uint64_t begin = (uint64_t)(trace->slices.begin_tick[s] - trace->begin_tick);
            int x0 = column_of(host, begin), x1 = column_of(host, begin + trace_slice_duration(trace, s));
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
            int x = column_of(&host, (uint64_t)(trace->slices.begin_tick[s] - trace->begin_tick));
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

TEST(the_rows_of_a_hundred_thousand_tracks_are_found_at_once)
{
    TestHost host = host_create();
    Teller   teller = teller_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId  label = teller_label(&teller, "work", 4);
    for (int64_t t = 0; t < 100000; t++) {
        teller_on(&teller, t / 100, t + 1);
        builder_complete(teller.builder, teller.thread, t, t + 50, label, teller_pos(&teller), 0);
    }
    host_add(&host, teller_finish(&teller, 1), "wide");
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
    host_add(&host, trace_told("@1/2 X0..1000000:long X10..20:a X999980..999990:b"), "long");
    host_rest(&host);
    view_set_range(host.view, 0, 500000, 500800, host.now_ms);
    host_rest(&host);
    runs_find_sources(host.view, 0, &view_trace(host.view, 0)->outline.tracks[0], 0);
    runs_build(host.view, 0, 0);
    CHECK_UINT(vec_count(&host.view->picture.scratch.runs), 1);
    const Run *run = host.view->picture.scratch.runs.items;
    CHECK(run->x0 == 0 && run->x1 == host.view->screen.geometry.plot_w && run->extent == 1000000);
    host_destroy(&host);
}

TEST(the_first_names_are_requested_with_the_first_tiles)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small");
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
    host_add(&host, small_trace(), "small");
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
    host_add(&host, small_trace(), "small");
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
          TEST_CASE(the_scale_of_calls_is_a_whole_number), TEST_CASE(bars_outside_an_area_lose_chroma),
          TEST_CASE(only_alt_dims_the_bars_that_are_not_hovered),
          TEST_CASE(an_area_past_a_closed_group_is_whole), TEST_CASE(two_traces_in_compact_rows),
          TEST_CASE(an_area_a_selection_and_a_tooltip), TEST_CASE(nothing_open_is_an_empty_frame),
          TEST_CASE(every_column_that_holds_a_slice_is_painted_and_found),
          TEST_CASE(coarse_tiles_hide_nothing),
          TEST_CASE(a_hundred_times_the_slices_cost_no_more_than_the_pixels),
          TEST_CASE(the_rows_of_a_hundred_thousand_tracks_are_found_at_once),
          TEST_CASE(the_same_input_gives_the_same_frame),
          TEST_CASE(a_long_slice_is_one_bar_across_all_its_tiles),
          TEST_CASE(the_first_names_are_requested_with_the_first_tiles),
          TEST_CASE(a_failed_tile_is_asked_for_again_but_not_at_once),
          TEST_CASE(bytes_that_are_nothing_change_nothing), TEST_CASE(the_cache_keeps_to_its_bytes))
