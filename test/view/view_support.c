#include "view_support.h"

#include "analysis/find_moments.h"

#include "support/golden.h"
#include "support/test.h"
#include "trace/store/categories.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"

#include <math.h>
#include <stdio.h>

TestHost host_create(void)
{
    TestHost host = { .view = view_create(0) };
    CHECK(host.view != NULL);
    view_resize(host.view, 1000, 600, 1);
    return host;
}

void host_destroy(TestHost *host)
{
    view_destroy(host->view);
    for (uint32_t i = 0; i < host->trace_count; i++)
        trace_release(host->traces[i]);
}

void host_add(TestHost *host, Trace *trace, const char *file_name)
{
    Bytes outline = { 0 };
    Err   err;
    host->traces[host->trace_count++] = trace;
    outline_encode(trace, (StringView){ file_name, strlen(file_name) }, &outline);
    CHECK_DONE(view_add_trace(host->view, outline.data, outline.size, &err), err);
    bytes_release(&outline);
}

/* Returns NULL for a request without a filter. */
static Filter *filter_of(TestHost *host, const ViewRequest *request)
{
    Arena      arena = arena_create(0);
    Categories categories;
    Err        err;
    StringView set = view_filter_text(host->view, request->trace, request->filter);
    CHECK(categories_list(host->traces[request->trace], &arena, &categories));
    CHECK((set.size == 0) == (request->filter == 0));
    Filter *filter = set.size == 0 ? NULL : categories_filter(&categories, set, 1, NULL, &err);
    CHECK((filter == NULL) == (set.size == 0));
    arena_release(&arena);
    return filter;
}

/* Answers with the events of a name; of a search (view_mark_search): with those of the label of its number. */
static void answer_moments(TestHost *host, const Filter *filter, const ViewRequest *request)
{
    const MomentsRequest  *of = &request->moments;
    const FindMomentsQuery query = { .name = of->kind == MOMENTS_NAMED ? of->label : of->version,
                                     .filter = filter,
                                     .begin = of->begin,
                                     .level = of->level,
                                     .buckets = of->buckets };
    Arena                  arena = arena_create(0);
    Bytes                  bytes = { 0 };
    double                 share;
    Err                    err;
    FindMoments           *moments = find_moments_begin(host->traces[request->trace], &query, &arena, &err);
    CHECK(moments != NULL && find_moments_step(moments, UINT64_MAX, &share, &err));
    moments_encode(find_moments_result(moments), &bytes);
    CHECK(view_put_moments(host->view, request, bytes.data, bytes.size));
    find_moments_release(moments);
    bytes_release(&bytes);
    arena_release(&arena);
}

static void answer(TestHost *host, const ViewRequest *request)
{
    const Trace *trace = host->traces[request->trace];
    Filter      *filter = filter_of(host, request);
    Bytes        bytes = { 0 };
    Err          err;
    switch (request->kind) {
    case VIEW_REQUEST_OVERVIEW:
        overview_encode(trace, filter, request->filter, request->page, &bytes);
        CHECK(view_put_overview(host->view, request->trace, bytes.data, bytes.size));
        break;
    case VIEW_REQUEST_LABELS:
        label_page_encode(trace, request->page, &bytes);
        CHECK(view_put_labels(host->view, request->trace, request->page, bytes.data, bytes.size));
        break;
    case VIEW_REQUEST_TILE:
        CHECK_DONE(tile_encode_filtered(trace, filter, request->tile, &bytes, NULL, &err), err);
        CHECK(view_put_tile(host->view, request->trace, bytes.data, bytes.size));
        break;
    case VIEW_REQUEST_VISIBLE:
        visible_encode(trace, filter, request->filter, &bytes);
        CHECK(view_put_visible(host->view, request->trace, bytes.data, bytes.size));
        break;
    case VIEW_REQUEST_MOMENTS:
        answer_moments(host, filter, request);
        break;
    case VIEW_REQUEST_FLOW_DETAILS:
    case VIEW_REQUEST_INSTANT_DETAILS:
        view_put_details(host->view, request, "id\t0x1f\n", 9);
        break;
    case VIEW_REQUEST_DETAILS:
        view_put_details(host->view, request, "self\t100\nid\t7\n", 14);
        break;
    }
    bytes_release(&bytes);
    filter_release(filter);
}

int host_answer(TestHost *host)
{
    ViewRequest request;
    int         count = 0;
    for (; view_next_request(host->view, &request); count++)
        answer(host, &request);
    return count;
}

const DrawList *host_rest(TestHost *host)
{
    for (int turn = 0; turn < 500; turn++) {
        host->now_ms += 16;
        view_step(host->view, host->now_ms);
        const DrawList *list = view_draw(host->view);
        CHECK(list != NULL);
        int answered = host_answer(host);
        if (answered == 0 && !view_is_waiting(host->view) && !view_is_moving(host->view)) return list;
    }
    bool came_to_rest = false;
    CHECK(came_to_rest);
    return NULL;
}

void host_check_golden(TestHost *host, const char *name)
{
    const DrawList *list = host_rest(host);
    Bytes           text = { 0 };
    char            path[128];
    (void)snprintf(path, sizeof path, "view/%s.txt", name);
    draw_list_print(list, &text);
    golden_check(path, text.data, text.size);
    bytes_release(&text);
}

static void pointer(TestHost *host, PointerKind kind, double x, double y, unsigned modifiers)
{
    host->now_ms += 8;
    view_pointer(host->view,
                 &(PointerInput){
                     .kind = kind, .x = x, .y = y, .clicks = kind == POINTER_DOWN, .modifiers = modifiers },
                 host->now_ms);
}

void host_move(TestHost *host, double x, double y)
{
    pointer(host, POINTER_MOVE, x, y, 0);
}

void host_down(TestHost *host, double x, double y, unsigned modifiers)
{
    pointer(host, POINTER_DOWN, x, y, modifiers);
}

void host_up(TestHost *host, double x, double y)
{
    pointer(host, POINTER_UP, x, y, 0);
}

void host_drag(TestHost *host, double x0, double y0, double x1, double y1, unsigned modifiers)
{
    host_move(host, x0, y0);
    host_down(host, x0, y0, modifiers);
    for (int i = 1; i <= 4; i++)
        host_move(host, x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4);
    host->now_ms += 100; /* the button is held before its release, so that the view does not glide */
    host_up(host, x1, y1);
}

void host_click(TestHost *host, double x, double y)
{
    host_move(host, x, y);
    host_down(host, x, y, 0);
    host_up(host, x, y);
}

void host_key(TestHost *host, const char *key, unsigned modifiers)
{
    host->now_ms += 8;
    view_key(host->view, KEY_DOWN, key, modifiers, host->now_ms);
    view_key(host->view, KEY_UP, key, modifiers, host->now_ms);
}

bool host_event(TestHost *host, ViewEventKind kind, ViewEvent *event)
{
    ViewEvent next;
    bool      found = false;
    while (view_next_event(host->view, &next)) {
        if (next.kind != kind) continue;
        found = true;
        *event = next;
    }
    return found;
}

static void random_children(EventFeed *feed, TestRandom *random, int64_t begin, int64_t end, int depth)
{
    static const char names[] = "abcdefgh";
    if (depth == 4 || end - begin < 4) return;
    int64_t at = begin;
    for (int i = 0; i < 3 && at < end; i++) {
        int64_t from = at + (int64_t)test_random_below(random, (uint64_t)(end - at) / 2 + 1);
        int64_t to = from + (int64_t)test_random_below(random, (uint64_t)(end - from) / 2 + 1);
        LabelId label = feed_label(feed, names + test_random_below(random, 8), 1);
        builder_complete(feed->builder, feed->thread, from, to, label, feed_next_pos(feed), 0);
        if (test_random_below(random, 8) == 0)
            builder_instant(feed->builder, feed->thread, from, label, INSTANT_THREAD, feed_next_pos(feed), 0);
        random_children(feed, random, from, to, depth + 1);
        at = to + 1;
    }
}

Trace *random_trace(uint64_t seed, int threads, int slices, int64_t span)
{
    TestRandom random = { seed };
    EventFeed  feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    for (int t = 0; t < threads; t++) {
        feed_set_thread(&feed, 1, t + 1);
        int64_t step = span / (slices / threads + 1) + 1;
        for (int64_t at = 0; at < span; at += step)
            random_children(&feed, &random, at, at + step, 0);
    }
    return feed_finish(&feed, 1);
}

TestHost host_with_trace(void)
{
    TestHost host = host_create();
    host_add(&host,
             trace_of_events(
                 "@1/2 X0..1000000:main X100000..400000:load X120000..130000:read X500000..900000:wait "
                 "@1/3 X200000..300000:load @2/4 X0..1000:idle"),
             "hands");
    host_rest(&host);
    return host;
}

SlicePlace load_place(void)
{
    return (SlicePlace){ .track = 1, .row = 1, .slice = 1, .begin = 100000, .extent = 300000, .label = 2 };
}

Rect load_bar(TestHost *host)
{
    Rect       bar;
    SlicePlace place = load_place();
    host_rest(host);
    CHECK(view_place_rect(host->view, &place, &bar));
    return bar;
}

Trace *small_view_trace(void)
{
    return trace_of_events("@1/2 X0..1000:main X100..400:ns::load<int> X120..130:read X500..?:wait i450:tick "
                           "@1/3 X200..201:req_17 +r X300..350:req_18 - p600:frame g700:mark");
}

int host_column_of(const TestHost *host, uint64_t offset)
{
    double x = floor(tick_scale_x(&view_trace(host->view, 0)->scale, offset));
    return x < -1 ? -1 : x > 1e6 ? 1000000 : (int)x;
}
