/* Perspectives: their contents, and choosing them by key, by name, by selection and in links. */
#include "support/test.h"
#include "trace/wire/outline_encode.h"
#include "view_support.h"

#include <string.h>

static void place(EventFeed *feed, int64_t pid, const char *perspective)
{
    TraceBuilder *builder = feed->builder;
    builder_place_process(builder, builder_process(builder, ident_int(pid)),
                          builder_perspective(builder, perspective));
}

/* Process 1 belongs to all perspectives, 2 to processors, 3 and 4 to goroutines. */
static Trace *perspective_trace(void)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_events(&feed,
                "@1/1 X0..900:mark @2/1 X0..300:g7 X300..800:g8 @3/7 X0..300:running X300..900:waiting "
                "@4/8 X0..300:runnable X300..800:running");
    place(&feed, 2, "Processors");
    place(&feed, 3, "Goroutines");
    place(&feed, 4, "Goroutines");
    return feed_finish(&feed, 1);
}

/* Returns the processes 1 to 4 that are laid out, as bits: 1 the first. */
static unsigned shown_processes(const View *view)
{
    unsigned shown = 0;
    for (uint32_t i = 0; i < 4; i++)
        shown |= (layout_process_item(view, 0, i) != UINT32_MAX ? 1U : 0U) << i;
    return shown;
}

static bool set(View *view, const char *name)
{
    return view_set_perspective(view, name, strlen(name));
}

/* True if this text is drawn. */
static bool draws(TestHost *host, const char *text)
{
    Bytes printed = { 0 };
    draw_list_print(host_rest(host), &printed);
    bytes_append(&printed, "", 1);
    bool found = strstr((const char *)printed.data, text) != NULL;
    bytes_release(&printed);
    return found;
}

TEST(headers_count_what_threads_are)
{
    EventFeed     feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    TraceBuilder *builder = feed.builder;
    feed_events(&feed,
                "@1/1 X0..300:g7 @1/2 X0..300:g8 @2/7 X0..300:assist @2/8 X5..6:log @3/1 X0..300:mark");
    StringId processor = builder_string(builder, "processor", 9);
    StringId goroutine = builder_string(builder, "goroutine", 9);
    builder_call_threads(builder, builder_process(builder, ident_int(1)), processor);
    ProcessId group = builder_process(builder, ident_int(2));
    builder_call_threads(builder, group, goroutine);
    for (int g = 7; g < 10; g++) { /* two with slices, one with states only */
        TrackId states = builder_states(builder, builder_thread(builder, group, ident_int(g)));
        LabelId running = builder_label(builder, builder_string(builder, "running", 7), STRING_NONE);
        builder_complete(builder, states, 0, 300, running, (EventPos){ 0, 0 }, 0);
    }
    TestHost host = host_create();
    host_add(&host, feed_finish(&feed, 1), "trace.json");
    CHECK(draws(&host, "2\xE2\x80\xAFprocessors"));
    CHECK(draws(&host, "3\xE2\x80\xAFgoroutines"));
    CHECK(draws(&host, "1\xE2\x80\xAFthread \xC2\xB7"));
    host_destroy(&host);
}

TEST(one_is_shown_alone)
{
    TestHost host = host_create();
    host_add(&host, perspective_trace(), "trace.json");
    (void)host_rest(&host);
    CHECK_STRING(view_perspective(host.view), "");
    CHECK_UINT(shown_processes(host.view), 15);
    CHECK(set(host.view, "goroutines"));
    CHECK_STRING(view_perspective(host.view), "Goroutines");
    CHECK_UINT(shown_processes(host.view), 1 + 4 + 8);
    host_check_golden(&host, "golden_perspective_goroutines");
    CHECK(set(host.view, "Processors"));
    CHECK_UINT(shown_processes(host.view), 1 + 2);
    host_check_golden(&host, "golden_perspective_processors");
    CHECK(!set(host.view, "Processor") && !set(host.view, "Processors\nGoroutines"));
    CHECK_STRING(view_perspective(host.view), "Processors");
    CHECK(set(host.view, ""));
    CHECK_UINT(shown_processes(host.view), 15);
    host_destroy(&host);
}

TEST(a_key_goes_round)
{
    TestHost  host = host_create();
    ViewEvent event;
    host_add(&host, perspective_trace(), "trace.json");
    (void)host_rest(&host);
    host_key(&host, "KeyV", 0);
    CHECK_STRING(view_perspective(host.view), "Processors");
    CHECK(host_event(&host, VIEW_EVENT_PERSPECTIVE, &event));
    host_key(&host, "KeyV", 0);
    CHECK_STRING(view_perspective(host.view), "Goroutines");
    host_key(&host, "KeyV", 0);
    CHECK_STRING(view_perspective(host.view), "");
    host_key(&host, "KeyV", MOD_SHIFT);
    CHECK_STRING(view_perspective(host.view), "Goroutines");
    host_destroy(&host);
}

/* Along an arrow, or from a search: a selected slice must be visible. */
TEST(what_is_selected_brings_its_perspective)
{
    TestHost  host = host_create();
    ViewEvent event;
    host_add(&host, perspective_trace(), "trace.json");
    (void)host_rest(&host);
    CHECK(set(host.view, "Processors"));
    const Trace *trace = host.traces[0];
    uint32_t     track = trace->processes[4].first_track;
    SlicePlace   slice = {
          .track = track, .slice = track_first_slice(trace, &trace->tracks[track]), .extent = 300, .label = 1
    };
    Rect bar;
    CHECK(!view_place_rect(host.view, &slice, &bar));
    view_select(host.view, &slice, host.now_ms);
    CHECK_STRING(view_perspective(host.view), "Goroutines");
    CHECK(host_event(&host, VIEW_EVENT_PERSPECTIVE, &event));
    CHECK(view_place_rect(host.view, &slice, &bar));
    slice.track = trace->processes[1].first_track; /* is visible from here, too */
    slice.slice = track_first_slice(trace, &trace->tracks[slice.track]);
    view_select(host.view, &slice, host.now_ms);
    CHECK_STRING(view_perspective(host.view), "Goroutines");
    host_destroy(&host);
}

TEST(traces_without_it_are_shown_whole)
{
    TestHost host = host_create();
    Bytes    names = { 0 };
    host_add(&host, trace_of_events("@1/1 X0..5:plain"), "plain.json");
    (void)host_rest(&host);
    host_key(&host, "KeyV", 0);
    CHECK_STRING(view_perspective(host.view), "");
    CHECK(!set(host.view, "Processors"));
    host_add(&host, perspective_trace(), "trace.json");
    host_add(&host, perspective_trace(), "again.json");
    view_perspectives(host.view, &names);
    CHECK(names.size == 21 && memcmp(names.data, "Processors\nGoroutines", 21) == 0);
    CHECK(set(host.view, "Processors"));
    (void)host_rest(&host);
    CHECK(layout_process_item(host.view, 0, 0) != UINT32_MAX);
    for (uint32_t t = 1; t < 3; t++) {
        CHECK(layout_process_item(host.view, t, 1) != UINT32_MAX);
        CHECK(layout_process_item(host.view, t, 2) == UINT32_MAX);
    }
    bytes_release(&names);
    host_destroy(&host);
}

/* Loads a view file. */
static void load_file(TestHost *host, const char *text, size_t size)
{
    ViewLoaded loaded;
    Err        err;
    CHECK_DONE(view_load(host->view, text, size, VIEW_FILE_OPENED, &loaded, &err), err);
    view_loaded_release(&loaded);
}

TEST(a_view_file_holds_it)
{
    static const char NOTHING[] =
        "{\"varve_view\":1,\"perspective\":\"Nothing\",\"traces\":[{\"range\":{\"begin\":0,\"end\":1}}]}";
    TestHost host = host_create(), other = host_create();
    Bytes    file = { 0 };
    host_add(&host, perspective_trace(), "trace.json");
    host_add(&other, perspective_trace(), "trace.json");
    CHECK(set(host.view, "Goroutines"));
    view_save(host.view, &(ViewSaving){ .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES }, &file);
    load_file(&other, (const char *)file.data, file.size);
    CHECK_STRING(view_perspective(other.view), "Goroutines");
    load_file(&other, NOTHING, sizeof NOTHING - 1);
    CHECK_STRING(view_perspective(other.view), "Goroutines");
    CHECK(set(host.view, ""));
    bytes_clear(&file);
    view_save(host.view, &(ViewSaving){ .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES }, &file);
    load_file(&other, (const char *)file.data, file.size);
    CHECK_STRING(view_perspective(other.view), "");
    bytes_release(&file);
    host_destroy(&host);
    host_destroy(&other);
}

/* Returns a trace loaded for one perspective: process 1 and those of that one. */
static Trace *trace_of_perspective(const char *perspective, const char *slices)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    builder_want_perspective(feed.builder, perspective);
    (void)builder_perspective(feed.builder, "Processors");
    (void)builder_perspective(feed.builder, "Goroutines");
    feed_events(&feed, slices);
    if (builder_makes(feed.builder, 1)) place(&feed, 2, "Processors");
    if (builder_makes(feed.builder, 2)) place(&feed, 3, "Goroutines");
    return feed_finish(&feed, 1);
}

static void replace(TestHost *host, Trace *trace)
{
    Bytes outline = { 0 };
    Err   err;
    trace_release(host->traces[0]);
    host->traces[0] = trace;
    outline_encode(trace, STRING_LITERAL("trace.json"), &outline);
    CHECK(!view_replace_trace(host->view, 0, "no outline", 10, &err));
    CHECK_DONE(view_replace_trace(host->view, 0, outline.data, outline.size, &err), err);
    bytes_release(&outline);
}

/* Hides or shows the first track of a process with the focus, as its key does. */
static void hide(TestHost *host, uint32_t process)
{
    shown_focus(host->view, (RowTarget){ ITEM_TRACK, 0,
                                         view_trace(host->view, 0)->outline.processes[process].first_track });
    host->view->input.keys_lead = true;
    view_command(host->view, "hide-track", host->now_ms);
    (void)host_rest(host);
}

static bool is_hidden(const TestHost *host, uint32_t process)
{
    const TraceView *trace = view_trace(host->view, 0);
    return (trace->track_flags[trace->outline.processes[process].first_track] & TRACK_HIDDEN) != 0;
}

TEST(undo_survives_the_load_for_another_perspective)
{
    TestHost host = host_create();
    host_add(&host, trace_of_perspective("", "@1/1 X0..900:mark @2/1 X0..300:g7"), "trace.json");
    (void)host_rest(&host);
    view_set_range(host.view, 0, 100, 200, host.now_ms);
    (void)host_rest(&host);
    hide(&host, 1); /* only in this perspective */
    hide(&host, 0);
    CHECK(is_hidden(&host, 0) && is_hidden(&host, 1));
    const int steps = host.view->position.history.count;
    host_key(&host, "KeyV", 0);
    replace(&host, trace_of_perspective("goroutines", "@1/1 X0..900:mark @3/7 X0..900:running"));
    (void)host_rest(&host);
    CHECK(is_hidden(&host, 0) && !is_hidden(&host, 1));
    CHECK_INT(host.view->position.history.count, steps - 1); /* hiding the processor is not a step any more */
    host_key(&host, "KeyZ", MOD_CTRL);
    (void)host_rest(&host);
    CHECK(!is_hidden(&host, 0));
    host_key(&host, "KeyY", MOD_CTRL);
    (void)host_rest(&host);
    CHECK(is_hidden(&host, 0));
    host_key(&host, "KeyZ", MOD_CTRL);
    host_key(&host, "KeyZ", MOD_CTRL);
    (void)host_rest(&host);
    int64_t begin, end;
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin < 0 && end > 900);
    host_destroy(&host);
}

TEST(what_a_trace_lacks_can_take_its_place)
{
    TestHost  host = host_create();
    ViewEvent event;
    int64_t   begin, end;
    host_add(&host, trace_of_perspective("", "@1/1 X0..900:mark @2/1 X0..300:g7"), "trace.json");
    (void)host_rest(&host);
    CHECK_STRING(view_perspective(host.view), "Processors"); /* the only one for which it was loaded */
    CHECK_UINT(host.traces[0]->perspectives.made, 1);
    CHECK(!view_lacks(host.view, 0));
    view_set_range(host.view, 0, 100, 200, 0);
    view_select(host.view, &(SlicePlace){ .track = 1, .slice = 0, .begin = 0, .extent = 900 }, 0);
    (void)host_rest(&host);
    view_get_range(host.view, 0, &begin, &end);
    while (host_event(&host, VIEW_EVENT_SELECT, &event))
        continue;
    host_key(&host, "KeyV", 0);
    CHECK_STRING(view_perspective(host.view), "Goroutines");
    CHECK(view_lacks(host.view, 0));
    CHECK_UINT(shown_processes(host.view) & 3, 1);
    replace(&host, trace_of_perspective("goroutines", "@1/1 X0..900:mark @3/7 X0..900:running"));
    CHECK(!view_lacks(host.view, 0));
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event) && !event.has_place);
    (void)host_rest(&host);
    CHECK_UINT(layout_process_item(host.view, 0, 1) != UINT32_MAX, 1);
    int64_t begin_now, end_now;
    view_get_range(host.view, 0, &begin_now, &end_now);
    CHECK(begin_now == begin && end_now == end);
    CHECK(set(host.view, "") && view_lacks(host.view, 0));
    const SlicePlace mark = { .track = 1, .slice = 0, .begin = 0, .extent = 900 };
    view_select(host.view, &mark, 0);
    replace(&host, trace_of_perspective(NULL, "@1/1 X0..900:mark @2/1 X0..300:g7 @3/7 X0..900:running"));
    view_select(host.view, &mark, 0); /* at once: the end of the selection is no longer reported */
    CHECK(!host_event(&host, VIEW_EVENT_SELECT, &event));
    CHECK(!view_lacks(host.view, 0));
    (void)host_rest(&host);
    CHECK_UINT(layout_process_item(host.view, 0, 2) != UINT32_MAX, 1);
    host_destroy(&host);
}

TEST_MAIN("perspectives", TEST_CASE(headers_count_what_threads_are), TEST_CASE(one_is_shown_alone),
          TEST_CASE(a_key_goes_round), TEST_CASE(what_is_selected_brings_its_perspective),
          TEST_CASE(traces_without_it_are_shown_whole), TEST_CASE(a_view_file_holds_it),
          TEST_CASE(undo_survives_the_load_for_another_perspective),
          TEST_CASE(what_a_trace_lacks_can_take_its_place))
