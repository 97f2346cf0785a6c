/* Matches of a search on the screen: lines under slices, ticks in the ruler; other slices are faint. */
#include "support/test.h"
#include "view/colour.h"
#include "view_support.h"

#include <string.h>

/* Returns the number of shapes in this colour in the last picture, in the ruler or below it. */
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
    Teller teller = teller_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    teller_tell(&teller, "@1/1 X0..1000:f X10..100:g X200..300:h X400..500:g X600..601:h @1/2 X100..900:k");
    return teller_finish(&teller, 1);
}

static FoundEvent event_of(TestHost *host, uint64_t slice)
{
    const Trace *trace = host->traces[0];
    uint32_t     row = trace_slice_row(trace, slice), track = trace->rows[row].track;
    return (FoundEvent){ .begin = (uint64_t)(trace->slices.begin_tick[slice] - trace->begin_tick),
                         .extent = trace_slice_duration(trace, slice),
                         .track = track,
                         .row = row - trace->tracks[track].first_row };
}

static uint64_t slice_at(const Trace *trace, int64_t begin)
{
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        if (trace->slices.begin_tick[i] == begin) return i;
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
    CHECK_UINT(shapes_in(&host, list, amber, true), 2);
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
    uint32_t     label = trace->slices.label[slice_at(trace, 10)], amber = colour_palette(THEME_DARK)->amber;
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
    uint32_t     label = trace->slices.label[k];
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
    const uint32_t   label = trace->slices.label[slice_at(trace, 10)],
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
    const NameColour f = view_label_look(host.view, 0, trace->slices.label[slice_at(trace, 0)]);
    const NameColour k = view_label_look(host.view, 0, trace->slices.label[slice_at(trace, 100)]);
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

TEST_MAIN("found", TEST_CASE(slices_that_were_found_are_underlined_and_have_ticks),
          TEST_CASE(slices_of_labels_that_were_found_are_underlined), TEST_CASE(what_was_not_found_recedes),
          TEST_CASE(highlighted_slices_stand_out_alone), TEST_CASE(slices_of_other_durations_recede))
