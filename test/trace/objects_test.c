/* Objects, states of threads, contexts, memory dumps, moments: drawn events besides slices and instants. */
#include "support/test.h"
#include "trace/store/event_order.h"
#include "trace/store/object_find.h"
#include "trace_support.h"

#include <string.h>

static StringId text(EventFeed *feed, const char *name)
{
    return builder_string(feed->builder, name, strlen(name));
}

static LabelId label(EventFeed *feed, const char *name)
{
    return feed_label(feed, name, strlen(name));
}

static ProcessId process(EventFeed *feed, int64_t pid)
{
    return builder_process(feed->builder, ident_int(pid));
}

/* Adds the event as readers do: as a raw event, and drawn. */
static EventPos keep(EventFeed *feed, int64_t tick, LabelId name)
{
    EventPos pos = feed_next_pos(feed);
    uint16_t kind = builder_event_kind(feed->builder, "other", 5);
    builder_other(feed->builder, OTHER_EVENT, kind,
                  &(EventHead){ .thread = feed->thread, .tick = tick, .label = name, .pos = pos });
    return pos;
}

typedef struct ObjectEvent {
    char        kind; /* N O D */
    int64_t     tick;
    const char *label, *id;
} ObjectEvent;

static void add_objects(EventFeed *feed, int64_t pid, const ObjectEvent *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        LabelId  name = label(feed, events[i].label);
        EventPos pos = keep(feed, events[i].tick, name);
        ObjectId object =
            builder_object(feed->builder, process(feed, pid), text(feed, "ptr"), text(feed, events[i].id));
        ObjectEventKind kind = events[i].kind == 'N'   ? OBJECT_CREATED
                               : events[i].kind == 'O' ? OBJECT_SNAPSHOT
                                                       : OBJECT_DELETED;
        builder_object_event(
            feed->builder, kind, object,
            &(EventHead){ .thread = feed->thread, .tick = events[i].tick, .label = name, .pos = pos },
            (ObjectNote){ 0 });
    }
}

#define ADD_OBJECTS(feed, ...)                                                                               \
    do {                                                                                                     \
        static const ObjectEvent object_events[] = { __VA_ARGS__ };                                          \
        add_objects((feed), 1, object_events, sizeof object_events / sizeof object_events[0]);               \
    } while (0)

static EventFeed start(void)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    return feed;
}

static uint32_t track_of_kind(const Trace *trace, TrackKind kind, uint32_t nth)
{
    uint32_t track = 1;
    for (; track <= trace->track_count; track++) {
        if (trace->tracks[track].kind == kind && nth-- == 0) break;
    }
    CHECK(track <= trace->track_count);
    return track;
}

static const Object *find(const Trace *trace, const char *scope, const char *id)
{
    return object_find(trace, 1, string_table_find(trace->strings, scope, strlen(scope)),
                       string_table_find(trace->strings, id, strlen(id)));
}

/* Returns the tick of the snapshot that shows the object at `tick`; -1 = none. */
static int64_t snapshot_tick(const Trace *trace, const char *id, int64_t tick)
{
    const Object *object = find(trace, "ptr", id);
    uint32_t      life = object == NULL ? LIFE_NONE : object_life_at(trace, object, tick);
    uint64_t      instant = life == LIFE_NONE ? SNAPSHOT_NONE : object_snapshot_at(trace, life, tick);
    return instant == SNAPSHOT_NONE ? -1 : trace->instants.tick[instant];
}

TEST(an_id_lives_more_than_once_and_snapshots_stand_in_its_lives)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'N', 10, "Obj/c", "0x1" }, { 'O', 20, "Obj/c", "0x1" }, { 'O', 30, "Obj/c", "0x1" },
                { 'D', 40, "Obj/c", "0x1" }, { 'N', 50, "Obj/c", "0x1" }, { 'O', 60, "Other/c", "0x2" });
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: Obj 0x1/c 10..40 se, Obj/c@20, Obj/c@30, Obj 0x1/c 50..60 us");
    CHECK_ROWS(trace, 2, "0.0: Other 0x2/c 60..60 u, Other/c@60");
    CHECK_WARNINGS(trace, "");
    CHECK_UINT(trace->objects.object_count, 2);
    CHECK_UINT(trace->objects.life_count, 3);
    CHECK_UINT(trace->objects.snapshot_count, 3);
    CHECK(trace->tracks[1].kind == TRACK_OBJECTS && trace->tracks[1].is_derived);
    CHECK_UINT(trace_thread_slice_count(trace), 0);
    CHECK_UINT(trace_plain_instant_count(trace), 0);
    CHECK_INT(snapshot_tick(trace, "0x1", 9), -1);
    CHECK_INT(snapshot_tick(trace, "0x1", 10), 20); /* the first, if none is older */
    CHECK_INT(snapshot_tick(trace, "0x1", 29), 20);
    CHECK_INT(snapshot_tick(trace, "0x1", 39), 30);
    CHECK_INT(snapshot_tick(trace, "0x1", 40), -1); /* deleted: a life is half-open */
    CHECK_INT(snapshot_tick(trace, "0x1", 55), -1); /* it is alive, but has no snapshot */
    CHECK_INT(snapshot_tick(trace, "0x2", 60), 60); /* an unfinished life includes the trace's end */
    CHECK_INT(snapshot_tick(trace, "0x3", 60), -1);
    const Object *object = find(trace, "ptr", "0x1");
    CHECK_UINT(object->life_count, 2);
    CHECK(trace->objects.lives[object->first_life].is_created);
    CHECK(!trace->objects.lives[find(trace, "ptr", "0x2")->first_life].is_created);
    trace_release(trace);
}

TEST(objects_of_one_type_that_live_together_have_lanes)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'N', 10, "T", "a" }, { 'N', 20, "T", "b" }, { 'O', 25, "T", "b" },
                { 'D', 30, "T", "a" }, { 'N', 30, "T", "c" }, { 'D', 40, "T", "b" }, { 'D', 50, "T", "c" },
                { 'D', 60, "T", "d" });
    Trace *trace = feed_finish(&feed, 1);
    /* only the deletion of d is known */
    CHECK_ROWS(trace, 1, "0.0: T a 10..30 se, T c 30..50 se, T d 60..60 e; 1.0: T b 20..40 se, T@25");
    CHECK_UINT(track_lane_count(trace, &trace->tracks[1]), 2);
    trace_release(trace);
}

TEST(events_of_objects_come_in_any_order)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'D', 40, "T", "a" }, { 'O', 30, "T", "a" }, { 'N', 10, "T", "a" },
                { 'O', 20, "T", "a" });
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: T a 10..40 se, T@20, T@30");
    trace_release(trace);
}

TEST(at_one_time_the_file_decides)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'N', 10, "T", "a" }, { 'O', 20, "T", "a" }, { 'D', 20, "T", "a" },
                { 'N', 20, "T", "a" }, { 'O', 20, "T", "a" }, { 'D', 30, "T", "a" });
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: T a 10..20 se, T a 20..30 se, T@20, T@20");
    const Object     *object = find(trace, "ptr", "a");
    const ObjectLife *lives = trace->objects.lives + object->first_life;
    CHECK_UINT(object->life_count, 2);
    CHECK_UINT(lives[0].snapshot_count, 1);
    CHECK_UINT(lives[1].snapshot_count, 1);
    CHECK_UINT(object_life_of_instant(trace, trace->objects.snapshots[lives[0].first_snapshot]),
               object->first_life);
    CHECK_UINT(object_life_at(trace, object, 20), object->first_life + 1);
    trace_release(trace);
}

TEST(a_second_creation_ends_the_life_before_it)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'N', 10, "T", "a" }, { 'N', 20, "U", "a" }, { 'D', 30, "T", "a" });
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: T a 10..20 ns");
    CHECK_ROWS(trace, 2, "0.0: U a 20..30 se");
    CHECK_WARNINGS(trace, "object-created-twice 1 @100#1");
    trace_release(trace);
}

TEST(scopes_and_processes_distinguish_ids)
{
    EventFeed feed = start();
    LabelId   name = label(&feed, "T");
    for (int64_t i = 0; i < 3; i++) {
        ProcessId in = process(&feed, i == 2 ? 2 : 1);
        StringId  scope = text(&feed, i == 1 ? "other" : "ptr");
        EventPos  pos = keep(&feed, 10 * i, name);
        builder_object_event(feed.builder, OBJECT_CREATED,
                             builder_object(feed.builder, in, scope, text(&feed, "a")),
                             &(EventHead){ .thread = feed.thread, .tick = 10 * i, .label = name, .pos = pos },
                             (ObjectNote){ 0 });
    }
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->objects.object_count, 3);
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_OBJECTS, 0), "0.0: T a 0..20 us; 1.0: T a 10..20 us");
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_OBJECTS, 1), "0.0: T a 20..20 us");
    CHECK(find(trace, "other", "a") != NULL && find(trace, "other", "a") != find(trace, "ptr", "a"));
    trace_release(trace);
}

TEST(snapshots_say_the_category_and_base_type_of_a_life)
{
    EventFeed feed = start();
    LabelId   name = label(&feed, "T/c");
    ObjectId  object = builder_object(feed.builder, process(&feed, 1), STRING_NONE, text(&feed, "a"));
    builder_object_event(
        feed.builder, OBJECT_CREATED, object,
        &(EventHead){ .thread = feed.thread, .tick = 10, .label = name, .pos = keep(&feed, 10, name) },
        (ObjectNote){ 0 });
    builder_object_event(
        feed.builder, OBJECT_SNAPSHOT, object,
        &(EventHead){ .thread = feed.thread, .tick = 20, .label = name, .pos = keep(&feed, 20, name) },
        (ObjectNote){ text(&feed, "d"), text(&feed, "Base") });
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: T a/d 10..20 us, T/c@20");
    CHECK(string_equal(trace_string(trace, trace->objects.lives[0].base_type), STRING_LITERAL("Base")));
    trace_release(trace);
}

TEST(what_is_derived_is_no_event_of_its_own)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'N', 10, "T", "a" }, { 'O', 20, "T", "a" });
    feed_events(&feed, "X5..6:p");
    Trace       *trace = feed_finish(&feed, 1);
    Arena        arena = arena_create(0);
    EventOrder  *order = event_order_create(trace, &arena);
    OrderedEvent event;
    unsigned     counts[3] = { 0 };
    while (event_order_next(order, &event))
        counts[event.kind]++;
    CHECK_UINT(counts[ORDER_SLICE], 1);
    CHECK_UINT(counts[ORDER_INSTANT], 0);
    CHECK_UINT(counts[ORDER_OTHER], 2);
    arena_release(&arena);
    trace_release(trace);
}

/* A simple model: the state of each object, event by event. */
TEST(random_objects_have_the_lives_of_the_model)
{
    TestRandom random = { 11 };
    for (int round = 0; round < 50; round++) {
        EventFeed feed = start();
        unsigned  lives = 0, snapshots = 0;
        bool      alive[5] = { false };
        int64_t   tick = 0;
        for (int i = 0; i < 300; i++) {
            char     id[2] = { (char)('a' + test_random_below(&random, 5)), 0 };
            unsigned which = (unsigned)(id[0] - 'a'), what = (unsigned)(test_random_below(&random, 4));
            tick += (int64_t)(test_random_below(&random, 3));
            ObjectEvent event = { what == 0 ? 'N' : what == 1 ? 'D' : 'O', tick, which % 2 ? "T" : "U", id };
            add_objects(&feed, 1, &event, 1);
            lives += !alive[which] || what == 0;
            alive[which] = what != 1;
            snapshots += what > 1;
        }
        Trace *trace = feed_finish(&feed, round % 2 == 0 ? 1 : 2); /* trace_check checks the rest */
        CHECK_UINT(trace->objects.life_count, lives);
        CHECK_UINT(trace->objects.snapshot_count, snapshots);
        trace_release(trace);
    }
}

TEST(states_stand_above_their_thread)
{
    EventFeed feed = start();
    TrackId   thread = feed.thread, states = builder_states(feed.builder, thread);
    CHECK_UINT(builder_states(feed.builder, thread).index, states.index);
    builder_name_thread(feed.builder, thread, text(&feed, "main"));
    feed_events(&feed, "X10..20:p");
    builder_complete(feed.builder, states, 5, 15, label(&feed, "Running"), feed_next_pos(&feed),
                     EVENT_DETAILS);
    builder_complete(feed.builder, states, 15, 30, label(&feed, "Sleeping"), feed_next_pos(&feed), 0);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->track_count, 2);
    CHECK(trace->tracks[1].kind == TRACK_STATES && trace->tracks[2].kind == TRACK_THREAD);
    CHECK_ROWS(trace, 1, "0.0: Running 5..15 s, Sleeping 15..30");
    CHECK_ROWS(trace, 2, "0.0: p 10..20");
    CHECK_UINT(track_thread(trace, 1), 2);
    CHECK_UINT(trace_slice_thread(trace, 0), 2);
    CHECK_UINT(trace->counts.states, 2);
    CHECK_UINT(trace_thread_slice_count(trace), 1);
    CHECK_UINT(trace->counts.threads, 1);
    CHECK(!trace->tracks[1].is_derived);
    Bytes title = { 0 };
    trace_track_title(trace, 1, &title);
    test_check_text(&title, "main (2) state", __FILE__, __LINE__);
    trace_release(trace);
}

TEST(a_thread_of_states_alone_has_events)
{
    EventFeed feed = start();
    TrackId   states = builder_states(feed.builder, feed.thread);
    builder_begin(feed.builder, states, 1, label(&feed, "R"), feed_next_pos(&feed), 0);
    builder_end(feed.builder, states, 4, LABEL_NONE, feed_next_pos(&feed), 0);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, 1, "0.0: R 1..4");
    CHECK_UINT(trace->counts.threads, 1);
    CHECK_UINT(trace->counts.active_processes, 1);
    CHECK(trace->tracks[2].has_events);
    CHECK_UINT(trace->counts.max_depth, 0);
    trace_release(trace);
}

static size_t contexts_at(const Trace *trace, uint32_t thread, int64_t tick)
{
    uint32_t at = 0;
    size_t   count = 0;
    while (context_next(trace, thread, tick, &at) != NULL)
        count++;
    return count;
}

TEST(contexts_are_active_from_entering_to_leaving)
{
    EventFeed feed = start();
    static const struct {
        ContextEventKind kind;
        int64_t          tick;
        const char      *name, *id;
    } EVENTS[] = { { CONTEXT_ENTERED, 10, "c", "1" }, { CONTEXT_ENTERED, 20, "d", "1" },
                   { CONTEXT_LEFT, 30, "c", "1" },    { CONTEXT_LEFT, 31, "c", "1" },
                   { CONTEXT_LEFT, 32, "d", "2" },    { CONTEXT_ENTERED, 5, "e", "9" },
                   { CONTEXT_LEFT, 7, "e", "9" } };
    for (size_t i = 0; i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        LabelId name = label(&feed, EVENTS[i].name);
        builder_context(feed.builder, EVENTS[i].kind,
                        &(EventHead){ .thread = feed.thread,
                                      .tick = EVENTS[i].tick,
                                      .label = name,
                                      .pos = keep(&feed, EVENTS[i].tick, name) },
                        STRING_NONE, text(&feed, EVENTS[i].id));
    }
    feed_events(&feed, "@1/3 i50:m");
    Trace *trace = feed_finish(&feed, 1);
    CHECK_UINT(trace->records.context_count, 3);
    CHECK_UINT(contexts_at(trace, 1, 4), 0);
    CHECK_UINT(contexts_at(trace, 1, 5), 1);
    CHECK_UINT(contexts_at(trace, 1, 7), 0);
    CHECK_UINT(contexts_at(trace, 1, 25), 2);
    CHECK_UINT(contexts_at(trace, 1, 30), 1); /* c is left, d is not */
    CHECK_UINT(contexts_at(trace, 1, 1000), 1);
    CHECK_UINT(contexts_at(trace, 2, 25), 0);
    CHECK_WARNINGS(trace, "unmatched-context 2 @300#3");
    trace_release(trace);
}

TEST(dumps_and_clock_syncs_are_marks_of_their_process)
{
    EventFeed feed = start();
    for (int64_t pid = 1; pid <= 2; pid++) {
        feed_set_thread(&feed, pid, 2);
        LabelId name = label(&feed, "dump");
        builder_dump(
            feed.builder,
            &(EventHead){
                .thread = feed.thread, .tick = 10 * pid, .label = name, .pos = keep(&feed, 10 * pid, name) },
            text(&feed, "0x7"));
    }
    LabelId name = label(&feed, "clock_sync");
    builder_clock_sync(
        feed.builder,
        &(EventHead){ .thread = feed.thread, .tick = 30, .label = name, .pos = keep(&feed, 30, name) },
        text(&feed, "g"), STRING_NONE);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_DUMPS, 0), "0.0: dump@10");
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_DUMPS, 1), "0.0: dump@20");
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_PROCESS_INSTANTS, 0), "0.0: clock_sync@30");
    CHECK_UINT(trace->records.dump_count, 2);
    CHECK(dump_id_at(trace, 0).index != 0);
    CHECK_UINT(dump_id_at(trace, 0).index, dump_id_at(trace, 100).index);
    CHECK_UINT(dump_id_at(trace, 200).index, 0);
    CHECK_UINT(trace->records.clock_sync_count, 1);
    CHECK_INT(trace->records.clock_syncs[0].tick, 30);
    CHECK_UINT(trace_plain_instant_count(trace), 0);
    CHECK_UINT(trace->counts.derived_instants, 3);
    trace_release(trace);
}

TEST(moments_outside_the_trace_are_left_out)
{
    EventFeed feed = start();
    feed_events(&feed, "X10..20:p");
    for (int64_t tick = 5; tick <= 25; tick += 5)
        builder_moment(feed.builder, &(EventHead){ .thread = feed.thread,
                                                   .tick = tick,
                                                   .label = label(&feed, "lost"),
                                                   .pos = feed_next_pos(&feed) });
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_GLOBAL_INSTANTS, 0), "0.0: lost@10, lost@15, lost@20");
    CHECK_INT(trace->begin_tick, 10);
    CHECK_INT(trace->end_tick, 20);
    trace_release(trace);
}

TEST(a_change_of_clock_takes_all_of_them_along)
{
    EventFeed feed = start();
    ADD_OBJECTS(&feed, { 'N', 10, "T", "a" }, { 'O', 20, "T", "a" }, { 'D', 30, "T", "a" });
    LabelId name = label(&feed, "c");
    builder_context(
        feed.builder, CONTEXT_ENTERED,
        &(EventHead){ .thread = feed.thread, .tick = 12, .label = name, .pos = keep(&feed, 12, name) },
        STRING_NONE, STRING_NONE);
    builder_dump(
        feed.builder,
        &(EventHead){ .thread = feed.thread, .tick = 13, .label = name, .pos = keep(&feed, 13, name) },
        STRING_NONE);
    builder_clock_sync(
        feed.builder,
        &(EventHead){ .thread = feed.thread, .tick = 14, .label = name, .pos = keep(&feed, 14, name) },
        STRING_NONE, STRING_NONE);
    builder_moment(
        feed.builder,
        &(EventHead){ .thread = feed.thread, .tick = 15, .label = name, .pos = feed_next_pos(&feed) });
    Clock finer = clock_ns();
    bool  rounded;
    finer.ns_den = 1000;
    CHECK(builder_change_clock(feed.builder, finer, &rounded) && !rounded);
    Trace *trace = feed_finish(&feed, 1);
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_OBJECTS, 0), "0.0: T a 10000..30000 se, T@20000");
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_DUMPS, 0), "0.0: c@13000");
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_PROCESS_INSTANTS, 0), "0.0: c@14000");
    CHECK_ROWS(trace, track_of_kind(trace, TRACK_GLOBAL_INSTANTS, 0), "0.0: c@15000");
    CHECK_INT(trace->records.contexts[0].begin_tick, 12000);
    CHECK_INT(trace->records.clock_syncs[0].tick, 14000);
    trace_release(trace);
}

TEST_MAIN("objects", TEST_CASE(an_id_lives_more_than_once_and_snapshots_stand_in_its_lives),
          TEST_CASE(objects_of_one_type_that_live_together_have_lanes),
          TEST_CASE(events_of_objects_come_in_any_order), TEST_CASE(at_one_time_the_file_decides),
          TEST_CASE(a_second_creation_ends_the_life_before_it),
          TEST_CASE(scopes_and_processes_distinguish_ids),
          TEST_CASE(snapshots_say_the_category_and_base_type_of_a_life),
          TEST_CASE(what_is_derived_is_no_event_of_its_own),
          TEST_CASE(random_objects_have_the_lives_of_the_model), TEST_CASE(states_stand_above_their_thread),
          TEST_CASE(a_thread_of_states_alone_has_events),
          TEST_CASE(contexts_are_active_from_entering_to_leaving),
          TEST_CASE(dumps_and_clock_syncs_are_marks_of_their_process),
          TEST_CASE(moments_outside_the_trace_are_left_out),
          TEST_CASE(a_change_of_clock_takes_all_of_them_along))
