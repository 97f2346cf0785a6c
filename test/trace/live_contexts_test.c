/* Contexts and instants of a growing trace: removed and remaining ones, delayed ones, and ids that are reported
 * once. */
#include "live_support.h"
#include "support/test.h"
#include "trace/store/object_find.h"

#include <stdio.h>
#include <string.h>

/* ---- one thread, handwritten ---- */

typedef struct ContextFeed {
    TraceBuilder *b;
    LiveTrace    *live; /* NULL: it is built at once */
    TrackId       thread;
    LabelId       label;
    uint64_t      event;
} ContextFeed;

static ContextFeed feed_on_thread(TraceBuilder *b, int64_t tid)
{
    return (ContextFeed){ .b = b,
                          .thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(tid)),
                          .label = builder_label(b, builder_string(b, "c", 1), STRING_NONE) };
}

static ContextFeed grow_on(const LiveOptions *options)
{
    Err           err;
    TraceBuilder *b = op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE);
    LiveTrace    *live = live_create(b, options, &err);
    CHECK(live != NULL);
    ContextFeed feed = feed_on_thread(b, 2);
    feed.live = live;
    return feed;
}

static EventPos next_pos(ContextFeed *feed)
{
    const EventPos pos = { feed->event * 10, feed->event };
    feed->event++;
    return pos;
}

static EventPos keep(ContextFeed *feed, int64_t tick)
{
    const EventPos pos = next_pos(feed);
    builder_other(feed->b, OTHER_EVENT, builder_event_kind(feed->b, "o", 1),
                  &(EventHead){ .thread = feed->thread, .tick = tick, .label = feed->label, .pos = pos });
    return pos;
}

static void context(ContextFeed *feed, ContextEventKind kind, int64_t tick, const char *id)
{
    builder_context(
        feed->b, kind,
        &(EventHead){ .thread = feed->thread, .tick = tick, .label = feed->label, .pos = keep(feed, tick) },
        STRING_NONE, builder_string(feed->b, id, strlen(id)));
}

static void absorb(ContextFeed *feed)
{
    Err        err;
    LiveChange change;
    CHECK(live_absorb(feed->live, &change, &err));
}

static void settle(ContextFeed *feed)
{
    Err        err;
    LiveChange change;
    CHECK(live_settle(feed->live, &change, &err));
    if (!trace_check(live_trace(feed->live), &err)) fail_msg("%s", err.message);
}

static uint32_t thread_track(const Trace *trace, int64_t tid)
{
    for (uint32_t t = 1; t <= trace->track_count; t++)
        if (trace->tracks[t].kind == TRACK_THREAD && track_tid(&trace->tracks[t]).bits == (uint64_t)tid)
            return t;
    return 0;
}

/* Checks the ids that are active on the thread: "1 2". */
static void check_active(const Trace *trace, int64_t tick, const char *expected)
{
    Bytes          text = { .data = NULL };
    uint32_t       at = 0;
    const Context *active;
    while ((active = context_next(trace, thread_track(trace, 2), tick, &at)) != NULL)
        bytes_printf(&text, "%s%s", text.size == 0 ? "" : " ", trace_string(trace, active->id).bytes);
    bytes_append(&text, "", 1);
    CHECK_STRING((const char *)text.data, expected);
    bytes_release(&text);
}

static uint64_t warnings_of(const Trace *trace, const char *kind)
{
    for (uint32_t i = 0; i < trace->records.warning_count; i++)
        if (strcmp(trace->records.warnings[i].kind, kind) == 0) return trace->records.warnings[i].count;
    return 0;
}

TEST(late_events_change_contexts_and_are_reported_once)
{
    ContextFeed  feed = grow_on(&(LiveOptions){ 0 });
    const Trace *trace = live_trace(feed.live);
    context(&feed, CONTEXT_ENTERED, 10, "a");
    context(&feed, CONTEXT_LEFT, 30, "b"); /* it was not entered */
    absorb(&feed);
    check_active(trace, 20, "a");
    CHECK_UINT(warnings_of(trace, "unmatched-context"), 1);
    context(&feed, CONTEXT_ENTERED, 5, "a");
    context(&feed, CONTEXT_LEFT, 15, "a"); /* the one of 10, which is the innermost */
    absorb(&feed);
    check_active(trace, 7, "a");
    check_active(trace, 12, "a a");
    check_active(trace, 20, "a");
    context(&feed, CONTEXT_LEFT, 8, "a"); /* the one of 5 */
    settle(&feed);
    check_active(trace, 8, "");
    check_active(trace, 12, "a");
    check_active(trace, 20, "");
    CHECK_UINT(warnings_of(trace, "unmatched-context"), 1);
    live_destroy(feed.live);
}

TEST(many_contexts_are_not_made_again_for_few_until_settling)
{
    enum { EVENTS = 40000 };
    ContextFeed  feed = grow_on(&(LiveOptions){ 0 });
    const Trace *trace = live_trace(feed.live);
    context(&feed, CONTEXT_ENTERED, 0, "all");
    for (int i = 1; i < EVENTS; i++)
        context(&feed, i % 2 == 1 ? CONTEXT_ENTERED : CONTEXT_LEFT, 10 * i, "one");
    absorb(&feed);
    check_active(trace, 15, "all one");
    context(&feed, CONTEXT_ENTERED, 1, "late");
    absorb(&feed);
    check_active(trace, 15, "all one");
    context(&feed, CONTEXT_ENTERED, 10 * EVENTS, "then"); /* waits with it */
    absorb(&feed);
    check_active(trace, 10 * EVENTS, "all one");
    settle(&feed);
    check_active(trace, 15, "all late one");
    check_active(trace, 10 * EVENTS, "all late one then");
    live_destroy(feed.live);
}

/* Enters contexts of different ids inside each other, from tick 0 on, and leaves the outermost first. */
static void cross(ContextFeed *feed, int count)
{
    char id[16];
    for (int i = 0; i < 2 * count; i++) {
        snprintf(id, sizeof id, "%d", i % count);
        context(feed, i < count ? CONTEXT_ENTERED : CONTEXT_LEFT, i, id);
        if (feed->live != NULL && i % 1000 == 0) absorb(feed);
    }
}

static void check_crossed(const Trace *trace, uint32_t count)
{
    const ContextList list = trace_contexts(trace, thread_track(trace, 2));
    CHECK_UINT(list.count, count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_INT(list.contexts[i].end_tick, (int64_t)count + i);
    CHECK_UINT(warnings_of(trace, "unmatched-context"), 0);
}

TEST(an_end_finds_its_context_below_thousands_of_others)
{
    enum { CONTEXTS = 10000 };
    Err         err;
    ContextFeed once = feed_on_thread(op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE), 2);
    ContextFeed grown = grow_on(&(LiveOptions){ 0 });
    cross(&once, CONTEXTS);
    cross(&grown, CONTEXTS);
    Trace *whole = builder_finish(once.b, 1, NULL, &err);
    CHECK(whole != NULL);
    builder_destroy(once.b);
    settle(&grown);
    check_crossed(whole, CONTEXTS);
    check_crossed(live_trace(grown.live), CONTEXTS);
    trace_release(whole);
    live_destroy(grown.live);
}

/* ---- removal of old events ---- */

enum { FEEDS = 3 };

/* Contexts of three threads, entered and left at random, with slices beside them. */
static void add_random(ContextFeed feeds[FEEDS], int64_t tick, unsigned lateness, uint64_t *event)
{
    char           id[16];
    ContextFeed   *feed = &feeds[random_below(FEEDS)];
    const unsigned what = (unsigned)random_below(8);
    const int64_t  late = (int64_t)random_below(1 + lateness);
    snprintf(id, sizeof id, "%u", (unsigned)random_below(12));
    feed->event = *event;
    if (what == 0) {
        begin_and_end(feed->b, feed->thread, feed->label, tick, &feed->event);
    } else {
        context(feed, what < 4 ? CONTEXT_ENTERED : CONTEXT_LEFT, tick - late, id);
    }
    *event = feed->event;
}

static bool is_same(const Trace *one, const Context *a, const Trace *other, const Context *b)
{
    return a->begin_tick == b->begin_tick && a->end_tick == b->end_tick &&
           string_equal(trace_string(one, a->id), trace_string(other, b->id));
}

/* Checks that the growing trace has, in their order, at least those contexts of the whole that were not left before
 * `from`. */
static size_t check_kept(const Trace *whole, const Trace *grown, int64_t tid, int64_t from)
{
    const ContextList all = trace_contexts(whole, thread_track(whole, tid)),
                      kept = trace_contexts(grown, thread_track(grown, tid));
    uint32_t at = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        if (at < kept.count && is_same(whole, &all.contexts[i], grown, &kept.contexts[at])) {
            at++;
        } else if (all.contexts[i].end_tick >= from) {
            fail_msg("the context of %lld to %lld is not there", (long long)all.contexts[i].begin_tick,
                     (long long)all.contexts[i].end_tick);
        }
    }
    CHECK_UINT(at, kept.count);
    return all.count - kept.count;
}

TEST(contexts_that_were_left_are_let_go_and_all_others_stay)
{
    enum { EVENTS = 30000, KEEP_NS = 2000 };
    for (uint64_t seed = 1; seed <= 8; seed++) {
        ContextFeed    once[FEEDS], grown[FEEDS] = { grow_on(&(LiveOptions){ .keep_ns = KEEP_NS }) };
        const unsigned lateness = seed % 2 == 0 ? 0 : 20;
        uint64_t       event = 0, same = 0;
        Err            err;
        once[0] = feed_on_thread(op_builder(MATCH_IN_FILE_ORDER, TIES_EARLIER_OUTSIDE), 2);
        for (int i = 1; i < FEEDS; i++) {
            once[i] = feed_on_thread(once[0].b, 2 + i);
            grown[i] = feed_on_thread(grown[0].b, 2 + i);
        }
        for (int i = 0; i < EVENTS; i++) {
            random_start(seed * 1000003 + (uint64_t)i * 7919);
            add_random(once, i, lateness, &event);
            random_start(seed * 1000003 + (uint64_t)i * 7919);
            add_random(grown, i, lateness, &same);
            if (i % (100 * (int)seed) == 0) absorb(&grown[0]);
        }
        settle(&grown[0]);
        Trace *whole = builder_finish(once[0].b, 1, NULL, &err);
        CHECK(whole != NULL);
        builder_destroy(once[0].b);
        for (int i = 0; i < FEEDS; i++)
            CHECK(check_kept(whole, live_trace(grown[0].live), 2 + i, whole->end_tick - KEEP_NS) > 1000);
        if (lateness == 0)
            CHECK_UINT(warnings_of(live_trace(grown[0].live), "unmatched-context"),
                       warnings_of(whole, "unmatched-context"));
        trace_release(whole);
        live_destroy(grown[0].live);
    }
}

/* A context that is entered at the beginning is still active, and is left at the end, whatever was removed in
 * between. */
static void outlive(const LiveOptions *options)
{
    enum { CALLS = 60000 };
    ContextFeed  feed = grow_on(options);
    const Trace *trace = live_trace(feed.live);
    context(&feed, CONTEXT_ENTERED, 0, "all");
    for (int64_t i = 1; i < CALLS; i++) {
        context(&feed, CONTEXT_ENTERED, 100 * i, "one");
        begin_and_end(feed.b, feed.thread, feed.label, 100 * i, &feed.event);
        context(&feed, CONTEXT_LEFT, 100 * i + 50, "one");
        if (i % 500 == 0) absorb(&feed);
    }
    settle(&feed);
    CHECK(live_dropped_count(feed.live) > CALLS / 4);
    check_active(trace, 100 * (CALLS - 1) + 20, "all one");
    CHECK(trace_contexts(trace, thread_track(trace, 2)).count < CALLS / 2);
    context(&feed, CONTEXT_LEFT, 100 * CALLS, "all");
    settle(&feed);
    check_active(trace, 100 * (CALLS - 1) + 20, "all one");
    check_active(trace, 100 * CALLS, "");
    CHECK_UINT(trace->records.warning_count, 0);
    live_destroy(feed.live);
}

TEST(an_open_context_outlives_what_is_let_go)
{
    outlive(&(LiveOptions){ .keep_ns = 200000 });
    outlive(&(LiveOptions){ .keep_bytes = 3 << 20 });
}

TEST(contexts_that_are_never_left_have_a_bound)
{
    enum { CONTEXTS = 200000, BOUND = 1 << 20 };
    ContextFeed  feed = grow_on(&(LiveOptions){ .keep_bytes = BOUND });
    const Trace *trace = live_trace(feed.live);
    memory_watch();
    for (int64_t i = 0; i < CONTEXTS; i++) {
        context(&feed, CONTEXT_ENTERED, 10 * i, i + 1 == CONTEXTS ? "last" : "one");
        if (i % 1000 != 0) continue;
        absorb(&feed);
        CHECK(live_bytes(feed.live) <= BOUND);
    }
    settle(&feed);
    if (memory_peak() > 8 * BOUND) fail_msg("%llu bytes", (unsigned long long)memory_peak());
    const ContextList left = trace_contexts(trace, thread_track(trace, 2));
    CHECK(left.count > 500 && left.count < BOUND / 76);
    CHECK(string_equal(trace_string(trace, left.contexts[left.count - 1].id), STRING_LITERAL("last")));
    live_destroy(feed.live);
}

/* The ids of dumps are removed with their instants, and so are comparisons of clocks. */
TEST(ids_of_dumps_go_with_their_marks)
{
    enum { DUMPS = 20000, KEEP = 1000 };
    ContextFeed  feed = grow_on(&(LiveOptions){ .keep_ns = KEEP });
    const Trace *trace = live_trace(feed.live);
    for (int64_t i = 0; i < DUMPS; i++) {
        builder_dump(
            feed.b,
            &(EventHead){ .thread = feed.thread, .tick = i, .label = feed.label, .pos = keep(&feed, i) },
            builder_string(feed.b, "id", 2));
        builder_clock_sync(
            feed.b,
            &(EventHead){ .thread = feed.thread, .tick = i, .label = feed.label, .pos = keep(&feed, i) },
            STRING_NONE, STRING_NONE);
        if (i % 100 == 0) absorb(&feed);
    }
    settle(&feed);
    CHECK(trace->records.dump_count >= KEEP && trace->records.dump_count < 3 * KEEP);
    CHECK(trace->records.clock_sync_count >= KEEP && trace->records.clock_sync_count < 3 * KEEP);
    uint64_t marks = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (uint32_t i = 0;
             trace->tracks[row->track].kind == TRACK_DUMPS && i < row_extras(row)->instant_count; i++) {
            const uint64_t source = trace->instants.source[row_extras(row)->first_instant + i];
            CHECK(string_equal(trace_string(trace, dump_id_at(trace, source - 1)), STRING_LITERAL("id")));
            marks++;
        }
    }
    CHECK(marks >= KEEP && marks <= trace->records.dump_count);
    CHECK_UINT(trace_instant_count(trace), trace->counts.derived_instants);
    live_destroy(feed.live);
}

/* ---- moments, other ticks ---- */

static uint64_t moments_of(const Trace *trace)
{
    for (uint32_t t = 1; t <= trace->track_count; t++)
        if (trace->tracks[t].kind == TRACK_GLOBAL_INSTANTS)
            return track_instant_count(trace, &trace->tracks[t]);
    return 0;
}

TEST(a_moment_waits_until_the_trace_reaches_it)
{
    ContextFeed  feed = grow_on(&(LiveOptions){ 0 });
    const Trace *trace = live_trace(feed.live);
    for (int64_t tick = 5; tick <= 25; tick += 10)
        builder_moment(
            feed.b,
            &(EventHead){ .thread = feed.thread, .tick = tick, .label = feed.label, .pos = next_pos(&feed) });
    absorb(&feed);
    CHECK_UINT(moments_of(trace), 0);
    begin_and_end(feed.b, feed.thread, feed.label, 12, &feed.event);
    absorb(&feed);
    CHECK_UINT(moments_of(trace), 1);
    begin_and_end(feed.b, feed.thread, feed.label, 20, &feed.event);
    absorb(&feed);
    CHECK_UINT(moments_of(trace), 2);
    keep(&feed, 1);
    settle(&feed);
    CHECK_UINT(moments_of(trace), 3);
    live_destroy(feed.live);
}

TEST(all_of_them_follow_a_change_of_clock)
{
    ContextFeed  feed = grow_on(&(LiveOptions){ 0 });
    const Trace *trace = live_trace(feed.live);
    context(&feed, CONTEXT_ENTERED, 10, "a");
    context(&feed, CONTEXT_LEFT, 20, "a");
    context(&feed, CONTEXT_ENTERED, 22, "b");
    builder_dump(
        feed.b,
        &(EventHead){ .thread = feed.thread, .tick = 13, .label = feed.label, .pos = keep(&feed, 13) },
        builder_string(feed.b, "id", 2));
    builder_clock_sync(
        feed.b,
        &(EventHead){ .thread = feed.thread, .tick = 14, .label = feed.label, .pos = keep(&feed, 14) },
        STRING_NONE, STRING_NONE);
    builder_moment(
        feed.b,
        &(EventHead){ .thread = feed.thread, .tick = 30, .label = feed.label, .pos = next_pos(&feed) });
    absorb(&feed);
    Clock finer = clock_ns();
    bool  rounded;
    finer.ns_den = 1000;
    CHECK(builder_change_clock(feed.b, finer, &rounded) && !rounded);
    context(&feed, CONTEXT_ENTERED, 5000, "c");
    absorb(&feed);
    check_active(trace, 4999, "");
    check_active(trace, 10000, "c a");
    check_active(trace, 20000, "c");
    check_active(trace, 22000, "c b");
    CHECK_INT(trace->records.clock_syncs[0].tick, 14000);
    CHECK_UINT(moments_of(trace), 0);
    context(&feed, CONTEXT_LEFT, 40000, "b");
    settle(&feed);
    check_active(trace, 40000, "c");
    CHECK_UINT(moments_of(trace), 1);
    live_destroy(feed.live);
}

TEST_MAIN("live_contexts", TEST_CASE(late_events_change_contexts_and_are_reported_once),
          TEST_CASE(many_contexts_are_not_made_again_for_few_until_settling),
          TEST_CASE(an_end_finds_its_context_below_thousands_of_others),
          TEST_CASE(contexts_that_were_left_are_let_go_and_all_others_stay),
          TEST_CASE(an_open_context_outlives_what_is_let_go),
          TEST_CASE(contexts_that_are_never_left_have_a_bound), TEST_CASE(ids_of_dumps_go_with_their_marks),
          TEST_CASE(a_moment_waits_until_the_trace_reaches_it),
          TEST_CASE(all_of_them_follow_a_change_of_clock))
