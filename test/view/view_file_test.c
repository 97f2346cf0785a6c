/* View files: everything that they hold comes back, by names, and damaged ones change nothing. */
#include "support/test.h"
#include "view_support.h"

#include <stdio.h>

static const ViewSaving WHOLE = { .parts = VIEW_FILE_STATE | VIEW_FILE_MARKS, .trace = VIEW_ALL_TRACES };

/* Returns the view file with a zero byte behind it. */
static const char *save(TestHost *host, Bytes *out)
{
    bytes_clear(out);
    view_save(host->view, &WHOLE, out);
    bytes_append(out, "", 1);
    CHECK(!out->failed);
    out->size--;
    return (const char *)out->data;
}

/* Loads a file and selects its event, as a host does. The slice is that of load_place(). */
static ViewLoaded load(TestHost *host, const char *text)
{
    ViewLoaded loaded;
    Err        err;
    CHECK_DONE(view_load(host->view, text, strlen(text), VIEW_FILE_OPENED, &loaded, &err), err);
    if (loaded.has_selection && loaded.selects_instant) {
        view_restore_instant(host->view, &loaded.selection);
    } else if (loaded.has_selection) {
        SlicePlace place = load_place();
        CHECK(loaded.selection.track == place.track && loaded.selection.row == place.row &&
              loaded.selection.begin == place.begin);
        view_restore_slice(host->view, &place);
    }
    return loaded;
}

static void load_quietly(TestHost *host, const char *text)
{
    ViewLoaded loaded = load(host, text);
    view_loaded_release(&loaded);
}

/* Sets everything that a view file has. */
static void change_everything(TestHost *host)
{
    View      *view = host->view;
    SlicePlace place = load_place();
    host_rest(host);
    view_select(view, &place, host->now_ms);
    host_key(host, "KeyM", 0);
    view_area_from_selection(view);
    shown_toggle(view, (RowTarget){ ITEM_TRACK, 0, 1 }, TRACK_PINNED);
    shown_toggle(view, (RowTarget){ ITEM_PROCESS, 0, 1 }, TRACK_HIDDEN);
    shown_toggle(view, (RowTarget){ ITEM_PROCESS, 0, 0 }, TRACK_ISOLATED);
    layout_toggle(view, layout_item(view, view->layout.pinned));
    view_filter_tracks(view, "a");
    view_set_options(view, VIEW_ROOMY | VIEW_REDUCED_MOTION);
    (void)view_command(view, "flows", host->now_ms);
    view_set_range(view, 0, -50, 123456, host->now_ms);
    view_set_identity(view, 0, "0123456789abcdef", 16);
    host_rest(host);
}

TEST(everything_comes_back_and_gives_the_same_bytes)
{
    TestHost host = host_with_trace(), other = host_with_trace();
    Bytes    first = { 0 }, again = { 0 };
    change_everything(&host);
    view_set_identity(other.view, 0, "0123456789abcdef", 16);
    view_set_options(other.view, VIEW_REDUCED_MOTION);
    host_rest(&other);
    const char *text = save(&host, &first);
    ViewLoaded  loaded = load(&other, text);
    CHECK(loaded.has_state && loaded.has_selection && loaded.other_traces == 0 &&
          loaded.unknown_traces == 0 && loaded.missing_rows == 0 && loaded.unknown_members == 0);
    view_loaded_release(&loaded);
    host_rest(&other);
    CHECK_STRING(save(&other, &again), text);
    CHECK(other.view->screen.flow_mode == FLOWS_ALL && (other.view->screen.options & VIEW_ROOMY) != 0);
    CHECK_STRING(other.view->filter, "a");
    CHECK(other.view->layout.pinned == 1 && other.view->layout.isolates && other.view->selection.area.is_set);
    load_quietly(&other, text); /* a second time: marks are not doubled */
    CHECK_STRING(save(&other, &again), text);
    bytes_release(&first);
    bytes_release(&again);
    host_destroy(&host);
    host_destroy(&other);
}

TEST(a_member_is_a_line_in_a_fixed_order)
{
    TestHost host = host_create();
    Bytes    file = { 0 };
    host_add(&host, trace_of_events("@1/2 X1000..2000:a @1/3 X1000..1500:b"), "x.json");
    view_set_options(host.view, VIEW_REDUCED_MOTION);
    view_set_range(host.view, 0, 0, 1000, host.now_ms);
    shown_toggle(host.view, (RowTarget){ ITEM_TRACK, 0, 1 }, TRACK_PINNED);
    ViewSaving saving = { .parts = VIEW_FILE_STATE, .trace = VIEW_ALL_TRACES };
    saving.page.panel = STRING_LITERAL("sql");
    saving.page.query = STRING_LITERAL("SELECT 1");
    view_save(host.view, &saving, &file);
    CHECK_BYTES(file.data, file.size,
                "{\n  \"varve_view\": 1,\n  \"rows\": \"normal\",\n  \"flows\": \"few\",\n  \"scroll\": 0,\n"
                "  \"panel\": \"sql\",\n  \"query\": \"SELECT 1\",\n  \"traces\": [\n    {\n      \"name\": "
                "\"x.json\",\n"
                "      \"identity\": \"\",\n      \"range\": {\n        \"begin\": 0,\n        \"end\": "
                "1000\n      },\n"
                "      \"pinned\": [\n        {\n          \"process\": \"Process 1\",\n          \"track\": "
                "\"Thread 3\"\n"
                "        }\n      ]\n    }\n  ]\n}\n");
    ViewLoaded loaded;
    Err        err;
    CHECK_DONE(view_load(host.view, (const char *)file.data, file.size, VIEW_FILE_OPENED, &loaded, &err),
               err);
    CHECK_BYTES(loaded.page.panel.bytes, loaded.page.panel.size, "sql");
    CHECK_BYTES(loaded.page.query.bytes, loaded.page.query.size, "SELECT 1");
    CHECK_UINT(loaded.page.search.size, 0);
    view_loaded_release(&loaded);
    bytes_release(&file);
    host_destroy(&host);
}

#define STATE "\"range\":{\"begin\":0,\"end\":900}"

TEST(a_file_without_a_range_has_marks_only)
{
    TestHost host = host_with_trace();
    Bytes    before = { 0 }, after = { 0 };
    change_everything(&host);
    (void)save(&host, &before);
    load_quietly(&host, "{\"varve_view\":1,\"rows\":\"compact\",\"traces\":[{\"pinned\":[]}]}");
    CHECK_STRING(save(&host, &after), (const char *)before.data);
    load_quietly(&host, "{\"varve_view\":1,\"traces\":[{" STATE "}]}"); /* absent members are the defaults */
    CHECK(host.view->layout.pinned == 0 && !host.view->layout.isolates && !host.view->selection.area.is_set &&
          !host.view->selection.has_slice && host.view->filter[0] == 0);
    bytes_release(&before);
    bytes_release(&after);
    host_destroy(&host);
}

TEST(rows_are_found_by_their_titles)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X0..9:a @1/3 X0..9:a @2/2 X0..9:a"), "x.json");
    const Outline *outline = &view_trace(host.view, 0)->outline;
    CHECK_UINT(outline->track_count, 3);
    for (uint32_t i = 0; i < outline->track_count; i++) {
        char             text[256];
        const StringView process = outline->processes[outline->tracks[i].process].title,
                         track = outline->tracks[i].title;
        (void)snprintf(text, sizeof text,
                       "{\"varve_view\":1,\"traces\":[{" STATE
                       ",\"pinned\":[{\"track\":\"%.*s\",\"process\":\"%.*s\"}]}]}",
                       (int)track.size, track.bytes, (int)process.size, process.bytes);
        load_quietly(&host, text);
        for (uint32_t k = 0; k < outline->track_count; k++)
            CHECK(((view_trace(host.view, 0)->track_flags[k] & TRACK_PINNED) != 0) == (k == i));
    }
    ViewLoaded loaded = load(
        &host,
        "{\"varve_view\":1,\"odd\":1,\"traces\":[{" STATE ",\"hidden\":[{\"process\":\"Process 1\","
        "\"track\":\"none\"},{\"process\":\"Process 1\",\"nth\":2},{\"process\":\"Process 1\",\"nth\":0},"
        "{},{\"process\":\"Process 1\",\"even\":0}]}]}");
    CHECK_UINT(loaded.missing_rows, 4);
    CHECK_UINT(loaded.unknown_members, 2);
    CHECK_BYTES(loaded.first_unknown.bytes, loaded.first_unknown.size, "odd");
    CHECK((view_trace(host.view, 0)->process_flags[0] & TRACK_HIDDEN) != 0);
    view_loaded_release(&loaded);
    host_destroy(&host);
}

TEST(equal_titles_are_numbered)
{
    TestHost host = host_create();
    Bytes    file = { 0 };
    host_add(&host, trace_of_events("@1/2 X0..9:a @1/3 X0..9:a @1/4 X0..9:a"), "x.json");
    for (uint32_t i = 0; i < 3; i++)
        view_trace(host.view, 0)->outline.tracks[i].title = STRING_LITERAL("worker");
    view_trace(host.view, 0)->track_flags[1] = TRACK_HIDDEN;
    view_trace(host.view, 0)->track_flags[2] = TRACK_PINNED;
    const char *text = save(&host, &file);
    CHECK(strstr(text, "\"nth\": 2") != NULL && strstr(text, "\"nth\": 3") != NULL);
    memset(view_trace(host.view, 0)->track_flags, 0, 3);
    load_quietly(&host, text);
    CHECK(view_trace(host.view, 0)->track_flags[0] == 0 &&
          view_trace(host.view, 0)->track_flags[1] == TRACK_HIDDEN &&
          view_trace(host.view, 0)->track_flags[2] == TRACK_PINNED);
    bytes_release(&file);
    host_destroy(&host);
}

TEST(another_trace_gets_the_parts_that_fit)
{
    TestHost host = host_with_trace();
    int64_t  begin, end, begin_before, end_before;
    host_rest(&host);
    view_set_identity(host.view, 0, "0123456789abcdef", 16);
    view_get_range(host.view, 0, &begin_before, &end_before);
    ViewLoaded loaded = load(
        &host, "{\"varve_view\":1,\"filter\":\"q\",\"traces\":[{\"name\":\"old.json\",\"identity\":\"f\","
               "\"range\":{\"begin\":1000000000000,\"end\":1000000000001}}]}");
    CHECK(loaded.other_traces == 1 && loaded.has_state);
    CHECK_BYTES(loaded.name.bytes, loaded.name.size, "old.json");
    CHECK_STRING(host.view->filter, "q");
    view_get_range(host.view, 0, &begin, &end); /* outside of this trace */
    CHECK(begin == begin_before && end == end_before);
    view_loaded_release(&loaded);
    loaded = load(&host,
                  "{\"varve_view\":1,\"traces\":[{\"identity\":\"f\",\"range\":{\"begin\":5,\"end\":900}}]}");
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin == 5 && end == 900);
    view_loaded_release(&loaded);
    host_destroy(&host);
}

TEST(traces_are_found_by_identity_then_by_name)
{
    TestHost host = host_create();
    host_add(&host, trace_of_events("@1/2 X1000..2000:a"), "first.json");
    host_add(&host, trace_of_events("@1/2 X1500..1900:b"), "second.json");
    view_set_identity(host.view, 0, "aa", 2);
    view_set_identity(host.view, 1, "bb", 2);
    ViewLoaded loaded =
        load(&host, "{\"varve_view\":1,\"traces\":[{\"name\":\"first.json\",\"identity\":\"bb\","
                    "\"hidden\":[{\"process\":\"Process 1\"}]},{\"identity\":\"cc\",\"name\":\"first.json\"},"
                    "{\"name\":\"first.json\",\"range\":{\"begin\":5,\"end\":900}}]}");
    CHECK_UINT(loaded.unknown_traces, 1);
    CHECK(view_trace(host.view, 1)->process_flags[0] == TRACK_HIDDEN);
    int64_t begin, end;
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin == 5 && end == 900);
    view_loaded_release(&loaded);
    host_destroy(&host);
}

/* Returns the axis position of the begin of the second trace, from that of the first. */
static int64_t second_begin(const TestHost *host)
{
    return view_trace(host->view, 1)->map.begin - view_trace(host->view, 0)->map.begin;
}

TEST(an_alignment_is_kept)
{
    const uint64_t moments[] = { 700, 100 };
    TestHost       host = host_create();
    Bytes          file = { 0 }, again = { 0 };
    host_add(&host, trace_of_events("@1/2 X1000..2000:a"), "first.json");
    host_add(&host, trace_of_events("@1/2 X1500..1900:b"), "second.json");
    view_set_range(host.view, 0, 100, 900, host.now_ms);
    CHECK(view_align(host.view, moments, host.now_ms));
    const char *text = save(&host, &file);
    CHECK(view_align(host.view, NULL, host.now_ms));
    CHECK_INT(second_begin(&host), 500);
    load_quietly(&host, text);
    CHECK_INT(second_begin(&host), 600);
    CHECK_STRING(save(&host, &again), text);
    load_quietly(&host, "{\"varve_view\":1,\"traces\":[{\"name\":\"first.json\",\"anchor\":5," STATE "}]}");
    CHECK_INT(second_begin(&host), 600); /* an anchor for one of two traces */
    load_quietly(&host, "{\"varve_view\":1,\"traces\":[{\"name\":\"first.json\"," STATE "}]}");
    CHECK_INT(second_begin(&host), 500);
    bytes_release(&file);
    bytes_release(&again);
    host_destroy(&host);
}

TEST(the_scroll_position_is_reached_when_the_rows_get_less_height)
{
    static const char SCROLLED[] = "{\"varve_view\":1,\"scroll\":30,\"traces\":[{" STATE "}]}";
    for (int acts = 0; acts < 2; acts++) {
        TestHost host = host_with_trace();
        view_resize(host.view, 1000, 700, 1); /* all rows fit */
        host_rest(&host);
        load_quietly(&host, SCROLLED);
        host_rest(&host);
        CHECK(view_scroll(host.view) == 0);
        if (acts) host_key(&host, "KeyW", 0);
        view_resize(host.view, 1000, 160, 1); /* the host opens a panel */
        CHECK(view_scroll(host.view) == (acts ? 0 : 30));
        view_resize(host.view, 1000, 700, 1);
        view_resize(host.view, 1000, 160, 1);
        CHECK(view_scroll(host.view) == 0); /* it was reached once */
        host_destroy(&host);
    }
}

TEST(a_wrong_file_changes_nothing_and_is_refused_with_its_place)
{
#define TRACE "{\"varve_view\":1,\"traces\":[{\"range\":{\"begin\":0,\"end\":9},"
    static const struct {
        const char *text;
        uint64_t    offset;
    } FILES[] = {
        { "{\"varve_view\":1,\"rows\":\"tall\"}", 23 },
        { "{\"varve_view\":1,\"flows\":\"many\"}", 24 },
        { "{\"varve_view\":1,\"filter\":7}", 25 },
        { "{\"varve_view\":1,\"scroll\":1.5}", 25 },
        { "{\"varve_view\":1,\"query\":[]}", 24 },
        { "{\"varve_view\":1,\"traces\":[{\"range\":{\"begin\":0}}]}", 35 },
        { "{\"varve_view\":1,\"traces\":[{\"range\":{\"begin\":9,\"end\":0}}]}", 35 },
        { "{\"varve_view\":1,\"traces\":[{\"range\":{\"begin\":0,\"end\":9223372036854775808}}]}", 52 },
        { TRACE "\"hidden\":{}}]}", 64 },
        { TRACE "\"hidden\":[7]}]}", 65 },
        { TRACE "\"pinned\":[{\"nth\":-1}]}]}", 72 },
        { TRACE "\"slice\":{\"track\":\"t\"}}]}", 63 },
        { TRACE "\"slice\":{\"begin\":-1}}]}", 72 },
        { TRACE "\"area\":{\"begin\":5,\"end\":4}}]}", 62 },
        { TRACE "\"area\":{\"begin\":4,\"end\":5,\"tracks\":[5]}}]}", 91 },
        { TRACE "\"anchor\":-1}]}", 64 },
        { TRACE "\"pinned\":[{\"process\":\"Process 1\"}],\"marks\":[{\"begin\":1,\"text\":5}]}]}", 117 },
    };
    TestHost host = host_with_trace();
    Bytes    before = { 0 }, after = { 0 };
    change_everything(&host);
    (void)save(&host, &before);
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Err        err = { .offset = ERR_NOWHERE };
        ViewLoaded loaded;
        CHECK(!view_load(host.view, FILES[i].text, strlen(FILES[i].text), VIEW_FILE_OPENED, &loaded, &err));
        CHECK_UINT(err.offset, FILES[i].offset);
        CHECK_STRING(save(&host, &after), (const char *)before.data);
        view_loaded_release(&loaded);
    }
    bytes_release(&before);
    bytes_release(&after);
    host_destroy(&host);
}

TEST(every_prefix_of_a_file_is_refused)
{
    TestHost host = host_with_trace();
    Bytes    file = { 0 };
    change_everything(&host);
    const char *text = save(&host, &file);
    for (size_t size = 0; size + 2 < file.size; size++) {
        Err        err;
        ViewLoaded loaded;
        CHECK(!view_load(host.view, text, size, VIEW_FILE_OPENED, &loaded, &err));
        view_loaded_release(&loaded);
    }
    bytes_release(&file);
    host_destroy(&host);
}

TEST_MAIN("view/view_file", TEST_CASE(everything_comes_back_and_gives_the_same_bytes),
          TEST_CASE(a_member_is_a_line_in_a_fixed_order), TEST_CASE(a_file_without_a_range_has_marks_only),
          TEST_CASE(rows_are_found_by_their_titles), TEST_CASE(equal_titles_are_numbered),
          TEST_CASE(another_trace_gets_the_parts_that_fit),
          TEST_CASE(traces_are_found_by_identity_then_by_name), TEST_CASE(an_alignment_is_kept),
          TEST_CASE(the_scroll_position_is_reached_when_the_rows_get_less_height),
          TEST_CASE(a_wrong_file_changes_nothing_and_is_refused_with_its_place),
          TEST_CASE(every_prefix_of_a_file_is_refused))
