/* Objects with their snapshots, states of threads, memory dumps on the screen: golden frames, clicks, jumps. */
#include "support/test.h"
#include "view_support.h"

#include <string.h>

static LabelId label(EventFeed *feed, const char *name)
{
    return feed_label(feed, name, strlen(name));
}

static StringId text(EventFeed *feed, const char *name)
{
    return builder_string(feed->builder, name, strlen(name));
}

static void keep(EventFeed *feed, int64_t tick, LabelId name, EventPos pos)
{
    uint16_t kind = builder_event_kind(feed->builder, "other", 5);
    builder_other(feed->builder, OTHER_EVENT, kind,
                  &(EventHead){ .thread = feed->thread, .tick = tick, .label = name, .pos = pos });
}

static void add_object(EventFeed *feed, ObjectEventKind kind, const char *type, const char *id, int64_t tick)
{
    LabelId   name = label(feed, type);
    EventPos  pos = feed_next_pos(feed);
    ProcessId process = builder_process(feed->builder, ident_int(1));
    ObjectId  object = builder_object(feed->builder, process, text(feed, "ptr"), text(feed, id));
    builder_object_event(feed->builder, kind, object,
                         &(EventHead){ .thread = feed->thread, .tick = tick, .label = name, .pos = pos },
                         (ObjectNote){ 0 });
    keep(feed, tick, name, pos);
}

/* Layers that overlap, one with two lives, one with so many snapshots that notches touch; a host that lives throughout;
 * a thread with every kind of state and an unknown one; dumps, a clock comparison, an instant. */
static Trace *small_trace(void)
{
    static const char *const STATES[] = { "Running", "Runnable", "Sleeping",  "Uninterruptible Sleep",
                                          "IO wait", "GC mark",  "Teleported" };
    EventFeed                feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    builder_complete(feed.builder, feed.thread, 0, 4000000, label(&feed, "main"), feed_next_pos(&feed), 0);
    add_object(&feed, OBJECT_SNAPSHOT, "Host", "0x9", 0);
    add_object(&feed, OBJECT_CREATED, "Layer", "0x1", 200000);
    add_object(&feed, OBJECT_DELETED, "Layer", "0x1", 1500000);
    add_object(&feed, OBJECT_CREATED, "Layer", "0x1", 2500000);
    add_object(&feed, OBJECT_CREATED, "Layer", "0x2", 1000000);
    for (int64_t i = 0; i < 60; i++)
        add_object(&feed, OBJECT_SNAPSHOT, "Layer", "0x2", 1200000 + 4000 * i);
    for (int64_t i = 0; i < 4; i++)
        add_object(&feed, OBJECT_SNAPSHOT, "Layer", "0x1", 300000 + 1000000 * i);
    add_object(&feed, OBJECT_DELETED, "Layer", "0x2", 3000000);
    TrackId states = builder_states(feed.builder, feed.thread);
    for (int64_t i = 0; i < 7; i++)
        builder_complete(feed.builder, states, i * 500000, (i + 1) * 500000, label(&feed, STATES[i]),
                         feed_next_pos(&feed), 0);
    for (int64_t i = 1; i < 4; i++) {
        LabelId  name = label(&feed, "periodic");
        EventPos pos = feed_next_pos(&feed);
        builder_dump(feed.builder,
                     &(EventHead){ .thread = feed.thread, .tick = i * 1000000, .label = name, .pos = pos },
                     text(&feed, "0x1"));
        keep(&feed, i * 1000000, name, pos);
    }
    LabelId  sync = label(&feed, "clock_sync");
    EventPos pos = feed_next_pos(&feed);
    builder_clock_sync(feed.builder,
                       &(EventHead){ .thread = feed.thread, .tick = 700000, .label = sync, .pos = pos },
                       STRING_NONE, STRING_NONE);
    keep(&feed, 700000, sync, pos);
    builder_moment(feed.builder, &(EventHead){ .thread = feed.thread,
                                               .tick = 3300000,
                                               .label = label(&feed, "lost"),
                                               .pos = feed_next_pos(&feed) });
    return feed_finish(&feed, 1);
}

static TestHost host_of_small(void)
{
    TestHost host = host_create();
    host_add(&host, small_trace(), "small.json");
    host_rest(&host);
    return host;
}

static uint32_t track_titled(const View *view, const char *title)
{
    const Outline *outline = &view_trace(view, 0)->outline;
    for (uint32_t i = 0; i < outline->track_count; i++)
        if (string_equal(outline->tracks[i].title, (StringView){ title, strlen(title) })) return i;
    fail_msg("no track is titled %s", title);
    return 0;
}

/* Returns the middle of a row of a track, in CSS pixels. */
static double row_y(const View *view, const char *title, uint32_t row)
{
    uint32_t item = layout_track_item(view, 0, track_titled(view, title));
    CHECK(item != UINT32_MAX);
    return layout_item_screen_y(view, item) + layout_rows_top(view) + row * (ROW_PX + ROW_GAP_PX) +
           ROW_PX / 2;
}

static double x_at(const View *view, uint64_t tick)
{
    const TraceView *trace = view_trace(view, 0);
    return (view->screen.geometry.plot_x + tick_scale_x(&trace->scale, tick)) / view->screen.scale;
}

TEST(objects_states_and_dumps_in_the_dark)
{
    TestHost host = host_of_small();
    host_check_golden(&host, "golden_objects_dark");
    host_destroy(&host);
}

TEST(objects_states_and_dumps_as_a_light_picture)
{
    TestHost host = host_create();
    view_set_theme(host.view, THEME_LIGHT);
    view_set_options(host.view, VIEW_STATIC);
    host_add(&host, small_trace(), "small.json");
    host_check_golden(&host, "golden_objects_light");
    host_destroy(&host);
}

TEST(a_click_on_a_notch_is_for_the_snapshot_beside_it_for_the_life)
{
    TestHost  host = host_of_small();
    ViewEvent event;
    double    y = row_y(host.view, "Layer", 0);
    host_click(&host, x_at(host.view, 300000), y);
    CHECK(host_event(&host, VIEW_EVENT_INSTANT, &event));
    const Trace *trace = host.traces[0];
    CHECK_INT(trace->instants.tick[event.instant], 300000);
    CHECK(host.view->selection.has_instant && !host.view->selection.has_slice);
    CHECK_UINT(host.view->selection.instant.begin, 300000);
    host_click(&host, x_at(host.view, 600000), y);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event));
    CHECK(event.has_place && trace_slice_begin(trace, event.place.slice) == 200000);
    CHECK(!host.view->selection.has_instant && host.view->selection.has_slice);
    host_destroy(&host);
}

TEST(escape_ends_the_selection_of_an_instant)
{
    TestHost  host = host_of_small();
    ViewEvent event;
    host_click(&host, x_at(host.view, 300000), row_y(host.view, "Layer", 0));
    host_key(&host, "Escape", 0);
    CHECK(!host.view->selection.has_instant);
    CHECK(host_event(&host, VIEW_EVENT_SELECT, &event) && !event.has_place);
    host_destroy(&host);
}

TEST(a_jump_to_an_instant_brings_it_into_view)
{
    TestHost host = host_of_small();
    uint32_t track = track_titled(host.view, "Layer");
    view_trace(host.view, 0)->process_flags[0] = TRACK_CLOSED;
    host.view->layout.stale = true;
    view_set_range(host.view, 0, 0, 1000, host.now_ms);
    host_rest(&host);
    SlicePlace place = { .trace = 0,
                         .track = view_trace(host.view, 0)->outline.tracks[track].id,
                         .begin = 3300000 };
    view_select_instant(host.view, &place, host.now_ms);
    host_rest(&host);
    int64_t begin, end;
    view_get_range(host.view, 0, &begin, &end);
    CHECK(begin < 3300000 && end > 3300000);
    CHECK(layout_track_item(host.view, 0, track) != UINT32_MAX);
    CHECK(host.view->selection.has_focus && host.view->selection.focus.index == track);
    host_check_golden(&host, "golden_objects_selected");
    place.track = 99; /* not a track */
    view_select_instant(host.view, &place, host.now_ms);
    CHECK_UINT(host.view->selection.instant.track, view_trace(host.view, 0)->outline.tracks[track].id);
    host_destroy(&host);
}

TEST(titles_and_headers_show_the_request)
{
    TestHost  host = host_of_small();
    ViewEvent event;
    host_click(&host, 60, row_y(host.view, "Layer", 0));
    CHECK(host_event(&host, VIEW_EVENT_TRACK, &event));
    uint32_t track = track_titled(host.view, "Layer");
    CHECK_UINT(event.track, view_trace(host.view, 0)->outline.tracks[track].id);
    host_click(&host, 60, layout_item_screen_y(host.view, 0) + HEADER_PX / 2);
    CHECK(host_event(&host, VIEW_EVENT_PROCESS, &event));
    CHECK_UINT(event.process, 0);
    host_key(&host, "KeyI", MOD_SHIFT); /* of the header below the pointer */
    CHECK(!host_event(&host, VIEW_EVENT_TRACK, &event));
    host_key(&host, "KeyI", MOD_SHIFT);
    CHECK(host_event(&host, VIEW_EVENT_PROCESS, &event));
    CHECK_UINT(event.process, 0);
    host_destroy(&host);
}

TEST(states_are_known_by_how_their_names_begin)
{
    static const struct {
        const char *name;
        ThreadState state;
    } NAMES[] = { { "Running", STATE_RUNNING },
                  { "running (user)", STATE_RUNNING },
                  { "Runnable (Preempted)", STATE_RUNNABLE },
                  { "R", STATE_RUNNABLE },
                  { "R+", STATE_RUNNABLE },
                  { "Rendering", STATE_COUNT },
                  { "S", STATE_SLEEPING },
                  { "Sleeping", STATE_SLEEPING },
                  { "waiting", STATE_SLEEPING },
                  { "D", STATE_BLOCKED },
                  { "Delivered", STATE_COUNT },
                  { "Uninterruptible Sleep", STATE_BLOCKED },
                  { "Uninterruptible Sleep (IO)", STATE_WAITS_IO },
                  { "Uninterruptible Sleep (non-IO)", STATE_BLOCKED },
                  { "GC", STATE_COLLECTING },
                  { "GC mark", STATE_COLLECTING },
                  { "gcc", STATE_COUNT },
                  { "", STATE_COUNT } };
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        ThreadState found = colour_state_of(NAMES[i].name, strlen(NAMES[i].name));
        if (found != NAMES[i].state) print_message("# %s\n", NAMES[i].name);
        CHECK_UINT(found, NAMES[i].state);
    }
}

TEST(text_upon_states_is_readable)
{
    for (int theme = 0; theme < COLOUR_THEMES; theme++) {
        for (unsigned state = 0; state < STATE_COUNT; state++) {
            NameColour look = colour_state_look((Theme)theme, (ThreadState)state);
            uint32_t   least = state == STATE_SLEEPING ? 550 : 600; /* faint slices have less contrast */
            if (colour_contrast(look.fill, look.text) < least)
                print_message("# theme %d, state %u: %u\n", theme, state,
                              colour_contrast(look.fill, look.text));
            CHECK(colour_contrast(look.fill, look.text) >= least);
        }
    }
}

TEST_MAIN("objects", TEST_CASE(objects_states_and_dumps_in_the_dark),
          TEST_CASE(objects_states_and_dumps_as_a_light_picture),
          TEST_CASE(a_click_on_a_notch_is_for_the_snapshot_beside_it_for_the_life),
          TEST_CASE(escape_ends_the_selection_of_an_instant),
          TEST_CASE(a_jump_to_an_instant_brings_it_into_view), TEST_CASE(titles_and_headers_show_the_request),
          TEST_CASE(states_are_known_by_how_their_names_begin), TEST_CASE(text_upon_states_is_readable))
