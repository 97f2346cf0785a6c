/* Matches of a search on the screen: lines under slices, ticks in the ruler; other slices are faint. */
#include "support/test.h"
#include "view/colour.h"
#include "view_support.h"

#include <math.h>
#include <string.h>

/* Returns the number of shapes in this colour in the last picture, in ruler and minimap or below them. */
static uint32_t shapes_in(TestHost *host, const DrawList *list, uint32_t fill, bool in_ruler)
{
    const Geometry *g = &host->view->screen.geometry;
    uint32_t        count = 0;
    for (uint32_t i = 0; i < list->shape_count; i++) {
        const DrawShape *shape = &list->shapes[i];
        bool             is_above = shape->y + shape->h <= g->ruler_y + g->ruler_h;
        if (shape->fill == fill && is_above == in_ruler) count++;
    }
    return count;
}

static Trace *sample(void)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed, "@1/1 X0..1000:f X10..100:g X200..300:h X400..500:g X600..601:h @1/2 X100..900:k");
    return feed_finish(&feed, 1);
}

static FoundEvent event_of(TestHost *host, uint64_t slice)
{
    const Trace *trace = host->traces[0];
    uint32_t     row = trace_slice_row(trace, slice), track = trace->rows[row].track;
    return (FoundEvent){ .begin = (uint64_t)(trace_slice_begin(trace, slice) - trace->begin_tick),
                         .extent = trace_slice_duration(trace, slice),
                         .track = track,
                         .row = row - trace->tracks[track].first_row };
}

static uint64_t slice_at(const Trace *trace, int64_t begin)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        if (trace_slice_begin(trace, i) == begin) return i;
    }
    fail_msg("no slice begins at %d", (int)begin);
    return 0;
}

TEST(slices_that_were_found_are_underlined_and_have_ticks)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    uint32_t        amber = colour_palette(THEME_DARK)->amber;
    const DrawList *list = host_rest(&host);
    CHECK_UINT(shapes_in(&host, list, amber, true), 0);
    CHECK_UINT(shapes_in(&host, list, amber, false), 0);
    /* A wide slice, and one that is not wider than a column. */
    FoundEvent found[2] = { event_of(&host, slice_at(host.traces[0], 600)),
                            event_of(&host, slice_at(host.traces[0], 200)) };
    CHECK(view_set_found(host.view, 0, found, 2, NULL, 0));
    list = host_rest(&host);
    CHECK_UINT(shapes_in(&host, list, amber, true), 4); /* two in the minimap */
    CHECK_UINT(shapes_in(&host, list, amber, false), 2);
    CHECK(view_set_found(host.view, 0, NULL, 0, NULL, 0));
    list = host_rest(&host);
    CHECK_UINT(shapes_in(&host, list, amber, true) + shapes_in(&host, list, amber, false), 0);
    host_destroy(&host);
}

TEST(slices_of_labels_that_were_found_are_underlined)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    const Trace *trace = host.traces[0];
    uint32_t label = trace_slice_label(trace, slice_at(trace, 10)), amber = colour_palette(THEME_DARK)->amber;
    CHECK(view_set_found(host.view, 0, NULL, 0, &label, 1));
    CHECK_UINT(shapes_in(&host, host_rest(&host), amber, false), 2);
    CHECK(!view_set_found(host.view, 1, NULL, 0, &label, 1)); /* the view has no such trace */
    host_destroy(&host);
}

TEST(what_was_not_found_recedes)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    const Trace *trace = host.traces[0];
    uint64_t     k = slice_at(trace, 100);
    uint32_t     label = trace_slice_label(trace, k);
    (void)host_rest(&host);
    NameColour look = view_label_look(host.view, 0, label);
    CHECK_UINT(shapes_in(&host, host_rest(&host), look.fill, false), 1);
    FoundEvent found = event_of(&host, slice_at(trace, 200));
    CHECK(view_set_found(host.view, 0, &found, 1, NULL, 0));
    const DrawList *list = host_rest(&host);
    CHECK_UINT(shapes_in(&host, list, look.fill, false), 0);
    CHECK_UINT(shapes_in(&host, list, look.dim, false), 1);
    found = event_of(&host, k);
    CHECK(view_set_found(host.view, 0, &found, 1, NULL, 0));
    CHECK_UINT(shapes_in(&host, host_rest(&host), look.fill, false), 1);
    host_destroy(&host);
}

TEST(highlighted_slices_stand_out_alone)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    const Trace     *trace = host.traces[0];
    const FoundEvent first = event_of(&host, slice_at(trace, 10));
    const uint32_t   label = trace_slice_label(trace, slice_at(trace, 10)),
                   amber = colour_palette(THEME_DARK)->amber;
    view_highlight_name(host.view, 0, label);
    CHECK_UINT(shapes_in(&host, host_rest(&host), amber, false), 2);
    CHECK(view_highlight_slices(host.view, 0, label, &first, 1));
    CHECK_UINT(shapes_in(&host, host_rest(&host), amber, false), 1);
    CHECK(view_highlight_slices(host.view, 0, label, NULL, 0));
    CHECK_UINT(shapes_in(&host, host_rest(&host), amber, false), 0);
    view_highlight_name(host.view, 0, label);
    CHECK_UINT(shapes_in(&host, host_rest(&host), amber, false), 2);
    CHECK(!view_highlight_slices(host.view, 1, label, &first, 1)); /* the view has no such trace */
    host_destroy(&host);
}

TEST(slices_of_other_durations_recede)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    const Trace *trace = host.traces[0];
    (void)host_rest(&host);
    const NameColour f = view_label_look(host.view, 0, trace_slice_label(trace, slice_at(trace, 0)));
    const NameColour k = view_label_look(host.view, 0, trace_slice_label(trace, slice_at(trace, 100)));
    view_filter_durations(host.view, 0, 101, 800);
    const DrawList *list = host_rest(&host);
    CHECK_UINT(shapes_in(&host, list, f.dim, false), 1);
    CHECK_UINT(shapes_in(&host, list, k.fill, false), 1);
    view_filter_durations(host.view, 0, 801, 1000);
    list = host_rest(&host);
    CHECK_UINT(shapes_in(&host, list, f.fill, false), 1);
    CHECK_UINT(shapes_in(&host, list, k.dim, false), 1);
    host_key(&host, "Escape", 0);
    ViewEvent event;
    CHECK(host_event(&host, VIEW_EVENT_DURATIONS, &event));
    CHECK_UINT(shapes_in(&host, host_rest(&host), k.fill, false), 1);
    host_key(&host, "Escape", 0);
    CHECK(!host_event(&host, VIEW_EVENT_DURATIONS, &event));
    host_destroy(&host);
}

/* Returns the columns of the plot that shapes of this colour cover in [top, bottom). */
static uint32_t columns_in(TestHost *host, const DrawList *list, uint32_t fill, double top, double bottom)
{
    const Geometry *g = &host->view->screen.geometry;
    uint32_t        count = 0;
    for (int32_t x = 0; x < g->plot_w; x++) {
        bool is_marked = false;
        for (uint32_t i = 0; i < list->shape_count; i++) {
            const DrawShape *s = &list->shapes[i];
            const double     left = (double)s->x - g->plot_x;
            is_marked |= s->fill == fill && (double)s->y >= top && (double)s->y < bottom && left <= x &&
                         x < left + (double)s->w;
        }
        count += is_marked;
    }
    return count;
}

/* Returns the marked columns of the ruler; *minimap: of the minimap. */
static uint32_t marked_columns(TestHost *host, uint32_t fill, uint32_t *minimap)
{
    const DrawList *list = host_rest(host);
    const Geometry *g = &host->view->screen.geometry;
    *minimap =
        columns_in(host, list, fill, 0, 3) + columns_in(host, list, fill, g->minimap_h - 4, g->minimap_h);
    return columns_in(host, list, fill, g->ruler_y + g->ruler_h - 11, g->ruler_y + g->ruler_h);
}

static uint32_t label_of(const Trace *trace, const char *name)
{
    uint32_t label = 1;
    while (label <= trace->label_count &&
           !string_equal(trace_label_name(trace, label), (StringView){ name, strlen(name) }))
        label++;
    return label;
}

TEST(a_search_and_a_name_are_marked_in_ruler_and_minimap)
{
    TestHost host = host_create();
    host_add(&host, sample(), "sample.json");
    const uint32_t amber = colour_palette(THEME_DARK)->amber, accent = colour_palette(THEME_DARK)->accent;
    uint32_t       minimap, g = label_of(host.traces[0], "g"), h = label_of(host.traces[0], "h"),
                      f = label_of(host.traces[0], "f");
    CHECK_UINT(marked_columns(&host, amber, &minimap), 0);
    view_mark_search(host.view, 0,
                     h); /* the host answers with the label of this number: 2 slices, 2 columns each */
    CHECK_UINT(marked_columns(&host, amber, &minimap), 4);
    CHECK_UINT(minimap, 4);
    view_mark_search(host.view, 0, 0);
    CHECK_UINT(marked_columns(&host, amber, &minimap), 0);
    view_point_name(host.view, 0, g);
    CHECK_UINT(marked_columns(&host, accent, &minimap), 4);
    view_point_name(host.view, 0, 0);
    CHECK_UINT(marked_columns(&host, accent, &minimap), 0);
    SlicePlace place = {
        .track = 1, .slice = slice_at(host.traces[0], 200), .begin = 200, .extent = 100, .label = h
    };
    view_point_name(host.view, 0, f);
    CHECK_UINT(marked_columns(&host, accent, &minimap), 2);
    view_point_name(host.view, 0, 0);
    view_select(host.view, &place, host.now_ms);
    CHECK_UINT(marked_columns(&host, accent, &minimap), 4);
    view_highlight_name(host.view, 0, g); /* comes before the selected slice */
    CHECK_UINT(marked_columns(&host, accent, &minimap), 4);
    const FoundEvent one = event_of(&host, slice_at(host.traces[0], 10));
    CHECK(view_highlight_slices(host.view, 0, h, &one, 1));
    CHECK_UINT(marked_columns(&host, accent, &minimap), 2);
    host_destroy(&host);
}

/* A long trace needs a finer map than that of the whole trace where the view is deep inside. */
TEST(marks_are_exact_where_the_view_is_deep_inside)
{
    enum { SPAN = 40000000 };
    TestHost host = host_create();
    host_add(&host, random_trace(3, 2, 40000, SPAN), "random.json");
    const Trace   *trace = host.traces[0];
    const uint32_t amber = colour_palette(THEME_DARK)->amber;
    for (int i = 0; i < 6; i++) {
        const int64_t  begin = SPAN / 3 + i * 1000003, length = SPAN >> 3 * i;
        const uint32_t label = trace_slice_label(trace, trace->slices.count / 2);
        uint32_t       minimap, expected = 0;
        view_set_range(host.view, 0, begin, begin + length, host.now_ms);
        view_mark_search(host.view, 0, label);
        const uint32_t   marked = marked_columns(&host, amber, &minimap);
        const TickScale *scale = &view_trace(host.view, 0)->scale;
        const int32_t    columns = host.view->screen.geometry.plot_w;
        bool             has[4096] = { false };
        CHECK(columns < 4095);
        for (uint64_t s = 0; s < trace->slices.count; s++) {
            if (trace->labels[trace_slice_label(trace, s)].name.index != trace->labels[label].name.index)
                continue;
            const double x =
                floor(tick_scale_x(scale, (uint64_t)(trace_slice_begin(trace, s) - trace->begin_tick)));
            if (x >= 0 && x < columns) has[(int)x] = has[(int)x + 1] = true; /* a mark is two columns wide */
        }
        for (int32_t x = 0; x < columns; x++)
            expected += has[x];
        /* Buckets of up to two columns: the first and the last column of a mark may differ by one. */
        CHECK(marked * 10 >= expected * 9 && marked * 9 <= expected * 10 + 18);
        CHECK(minimap > 0);
        CHECK(vec_count(&host.view->picture.frame.shapes) < 30000);
    }
    host_destroy(&host);
}

TEST_MAIN("found", TEST_CASE(slices_that_were_found_are_underlined_and_have_ticks),
          TEST_CASE(slices_of_labels_that_were_found_are_underlined), TEST_CASE(what_was_not_found_recedes),
          TEST_CASE(highlighted_slices_stand_out_alone), TEST_CASE(slices_of_other_durations_recede),
          TEST_CASE(a_search_and_a_name_are_marked_in_ruler_and_minimap),
          TEST_CASE(marks_are_exact_where_the_view_is_deep_inside))
