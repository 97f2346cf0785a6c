/* Outlines, label pages and overviews: src/trace/wire/outline.c, outline_encode.c, overview_encode.c. */
#include "trace/wire/outline_encode.h"

#include "base/wide.h"
#include "support/test.h"
#include "trace_shapes.h"
#include "trace_support.h"

#include <stdio.h>
#include <string.h>

static bool view_is(StringView view, const Bytes *text)
{
    return view.size == text->size && (view.size == 0 || memcmp(view.bytes, text->data, view.size) == 0);
}

/* Compares the first event and the busy time with those of all events. */
static void check_order(const Trace *trace, const Track *track, const OutlineTrack *seen)
{
    int64_t  first = INT64_MAX;
    uint64_t busy = 0;
    for (uint32_t r = 0; r < track_row_count(track); r++) {
        const Row       *row = &trace->rows[track->first_row + r];
        const RowExtras *extras = row_extras(row);
        for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
            const bool is_idle = trace->labels[trace_slice_label(trace, s)].colour == LABEL_RECEDES;
            if (trace_slice_begin(trace, s) < first) first = trace_slice_begin(trace, s);
            if (row->depth == 0 && !is_idle) busy += trace_slice_duration(trace, s);
        }
        for (uint64_t i = extras->first_instant; i < extras->first_instant + extras->instant_count; i++)
            if (trace->instants.tick[i] < first) first = trace->instants.tick[i];
        for (uint64_t i = extras->first_sample; i < extras->first_sample + extras->sample_count; i++)
            if (trace->samples.tick[i] < first) first = trace->samples.tick[i];
    }
    CHECK_UINT(seen->busy_ticks, busy);
    CHECK_UINT(seen->first_tick,
               first == INT64_MAX ? UINT64_MAX : (uint64_t)first - (uint64_t)trace->begin_tick);
}

static void check_tracks(const Trace *trace, const Outline *outline)
{
    Bytes title = { NULL, 0, 0, false };
    CHECK_UINT(outline->track_count, trace->track_count);
    for (uint32_t i = 0; i < outline->track_count; i++) {
        const OutlineTrack *seen = &outline->tracks[i];
        const Track        *track = &trace->tracks[i + 1];
        bytes_clear(&title);
        trace_track_title(trace, i + 1, &title);
        CHECK(view_is(seen->title, &title));
        CHECK_UINT(seen->kind, track->kind);
        CHECK_UINT(seen->id, i + 1);
        CHECK_UINT(seen->process, track->process.index == 0 ? UINT32_MAX : track->process.index - 1);
        CHECK(seen->row_count == track_row_count(track) && seen->first_row == track->first_row);
        CHECK(seen->slice_count == track_slice_count(trace, track) &&
              seen->instant_count == track_instant_count(trace, track));
        check_order(trace, track, seen);
        CHECK(seen->has_events == track->has_events &&
              seen->counts_bytes == track_extras(track)->counts_bytes &&
              seen->shares_chart == track_extras(track)->shares_chart);
    }
    CHECK_UINT(outline->row_count, trace->row_count);
    for (uint32_t r = 0; r < outline->row_count; r++) {
        CHECK(outline->rows[r].lane == trace->rows[r].lane && outline->rows[r].depth == trace->rows[r].depth);
        CHECK_UINT(outline->rows[r].slice_count, trace->rows[r].slice_count);
    }
    bytes_release(&title);
}

static void check_processes(const Trace *trace, const Outline *outline)
{
    Bytes title = { NULL, 0, 0, false };
    CHECK_UINT(outline->process_count, trace->process_count);
    for (uint32_t i = 0; i < outline->process_count; i++) {
        const OutlineProcess *seen = &outline->processes[i];
        const Process        *process = &trace->processes[i + 1];
        bytes_clear(&title);
        trace_process_title(trace, i + 1, &title);
        CHECK(view_is(seen->title, &title));
        CHECK(string_equal(seen->labels, trace_string(trace, process->labels)));
        CHECK(string_equal(seen->thread_noun, trace_string(trace, process->thread_noun)));
        CHECK(seen->first_track + 1 == process->first_track && seen->track_count == process->track_count);
        CHECK(seen->has_events == process->has_events && seen->perspectives == process->perspectives);
    }
    bytes_release(&title);
    CHECK_UINT(outline->perspective_count, trace->perspectives.count);
    for (uint32_t i = 0; i < outline->perspective_count; i++) {
        StringView name = { trace->perspectives.names[i], strlen(trace->perspectives.names[i]) };
        CHECK(string_equal(outline->perspectives[i], name));
    }
}

static void check_outline(const Trace *trace)
{
    Bytes   bytes = { NULL, 0, 0, false };
    Arena   arena = arena_create(0);
    Outline outline;
    Err     err;
    outline_encode(trace, STRING_LITERAL("a trace.json"), &bytes);
    CHECK(outline_open(bytes.data, bytes.size, &arena, &outline, &err));
    CHECK(string_equal(outline.name, STRING_LITERAL("a trace.json")));
    CHECK_INT(outline.begin_tick, trace->begin_tick);
    CHECK_UINT(outline.span, (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick);
    CHECK_UINT(outline.slice_count, trace->slices.count);
    CHECK_UINT(outline.label_count, trace->label_count);
    CHECK_UINT(outline.warning_count, trace->records.warning_count);
    CHECK(outline.complete == trace->source.complete && outline.has_time == trace->has_time);
    CHECK(outline.has_window == trace->window.is_set);
    CHECK_INT((int64_t)outline.window_begin,
              trace->window.is_set ? trace->window.begin - trace->begin_tick : 0);
    CHECK_INT((int64_t)outline.window_end, trace->window.is_set ? trace->window.end - trace->begin_tick : 0);
    check_processes(trace, &outline);
    check_tracks(trace, &outline);
    arena_release(&arena);
    bytes_release(&bytes);
}

TEST(outlines_say_what_the_trace_says)
{
    for (TraceShape shape = SHAPE_DENSE; shape < SHAPE_COUNT; shape++) {
        Trace *trace = shape_trace(shape, 41, 300);
        check_outline(trace);
        trace_release(trace);
    }
    Trace *empty = trace_of_events("");
    check_outline(empty);
    trace_release(empty);
    Trace *part = trace_of_events("@1/2 X100..900:main");
    part->window.is_set = true;
    part->window.begin = 300;
    part->window.end = 450;
    check_outline(part);
    trace_release(part);
}

TEST(outlines_carry_the_clock)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    Clock     clock = clock_ticks(1000, 24);
    clock.origin_ns = -77;
    clock.is_unsigned = true;
    clock.has_epoch = clock.shows_ns = true;
    clock.epoch_unix_ns = INT64_C(1700000000123456789);
    builder_set_clock(feed.builder, clock);
    builder_set_incomplete(feed.builder);
    feed_events(&feed, "X-5..5:a");
    ProcessId process = builder_process(feed.builder, ident_int(1));
    builder_label_process(feed.builder, process, builder_string(feed.builder, "tab", 3));
    builder_call_threads(feed.builder, process, builder_string(feed.builder, "worker", 6));
    CHECK_UINT(builder_perspective(feed.builder, "By thread"), 1);
    builder_place_process(feed.builder, process, builder_perspective(feed.builder, "By task"));
    CHECK_UINT(builder_perspective(feed.builder, "By task"), 2);
    Trace  *trace = feed_finish(&feed, 1);
    Bytes   bytes = { NULL, 0, 0, false };
    Arena   arena = arena_create(0);
    Outline outline;
    Err     err;
    outline_encode_received(trace, STRING_LITERAL(""), INT64_C(1700000000000000007), &bytes);
    CHECK(outline_open(bytes.data, bytes.size, &arena, &outline, &err));
    CHECK_INT(outline.begin_unix_ns, INT64_C(1700000000000000007));
    CHECK(outline.clock.kind == CLOCK_TICKS && outline.clock.ns_num == 125 && outline.clock.ns_den == 3);
    CHECK(outline.clock.origin_ns == -77 && outline.clock.is_unsigned && outline.clock.has_epoch);
    CHECK(outline.clock.shows_ns);
    CHECK_INT(outline.clock.epoch_unix_ns, INT64_C(1700000000123456789));
    CHECK(!outline.complete && outline.has_time);
    CHECK(string_equal(outline.processes[0].labels, STRING_LITERAL("tab")));
    CHECK(string_equal(outline.processes[0].thread_noun, STRING_LITERAL("worker")));
    CHECK_UINT(outline.perspective_count, 2);
    CHECK(string_equal(outline.perspectives[1], STRING_LITERAL("By task")));
    CHECK_UINT(outline.processes[0].perspectives, 2);
    arena_release(&arena);
    bytes_release(&bytes);
    trace_release(trace);
}

/* ---- hostile bytes ---- */

typedef bool (*Opener)(const void *bytes, size_t size);

static uint32_t text_sum; /* so that texts are read */

static void look_at(StringView view)
{
    for (size_t i = 0; i < view.size; i++)
        text_sum += (uint8_t)view.bytes[i];
}

static bool open_outline(const void *bytes, size_t size)
{
    Arena   arena = arena_create(0);
    Outline outline;
    Err     err;
    bool    opened = outline_open(bytes, size, &arena, &outline, &err);
    for (uint32_t i = 0; opened && i < outline.track_count; i++) {
        look_at(outline.tracks[i].title);
        uint32_t last = outline.tracks[i].first_row + outline.tracks[i].row_count;
        for (uint32_t r = outline.tracks[i].first_row; r < last; r++)
            text_sum += outline.rows[r].depth;
        if (outline.tracks[i].process != UINT32_MAX)
            look_at(outline.processes[outline.tracks[i].process].labels);
    }
    for (uint32_t i = 0; opened && i < outline.process_count; i++) {
        const OutlineProcess *process = &outline.processes[i];
        look_at(process->title);
        for (uint32_t t = process->first_track; t < process->first_track + process->track_count; t++)
            text_sum += outline.tracks[t].id;
    }
    if (opened) look_at(outline.name);
    arena_release(&arena);
    return opened;
}

static bool open_labels(const void *bytes, size_t size)
{
    static LabelText labels[OUTLINE_LABEL_PAGE];
    uint32_t         count = label_page_open(bytes, size, labels);
    for (uint32_t i = 0; i < count; i++) {
        look_at(labels[i].name);
        look_at(labels[i].category);
    }
    return count > 0;
}

static bool open_overview(const void *bytes, size_t size)
{
    OverviewBucket buckets[100];
    uint32_t       filter;
    return overview_open(bytes, size, buckets, 100, &filter) > 0;
}

/* Opens the bytes at the very end of their memory. */
static bool open_at_end(Opener open, const uint8_t *bytes, size_t size)
{
    Bytes copy = { NULL, 0, 0, false };
    CHECK(bytes_reserve(&copy, size < 16 ? 16 : size) != NULL);
    uint8_t *at = copy.data + copy.capacity - size;
    memcpy(at, bytes, size);
    bool opened = open(at, size);
    bytes_release(&copy);
    return opened;
}

static void check_hostile(Opener open, Bytes *bytes, uint64_t seed)
{
    TestRandom random = { seed };
    CHECK(open_at_end(open, bytes->data, bytes->size));
    for (size_t size = 0; size < bytes->size; size++)
        CHECK(!open_at_end(open, bytes->data, size));
    for (unsigned round = 0; round < 20000; round++) {
        size_t  at = test_random_size(&random, bytes->size);
        uint8_t kept = bytes->data[at];
        bytes->data[at] =
            (uint8_t)(round % 2 == 0 ? test_random(&random) : kept ^ 1U << test_random_below(&random, 8));
        (void)open_at_end(open, bytes->data, bytes->size);
        bytes->data[at] = kept;
    }
    bytes_release(bytes);
}

TEST(hostile_bytes_do_no_harm)
{
    Bytes  bytes = { NULL, 0, 0, false };
    Trace *trace = shape_trace(SHAPE_NESTED, 42, 200);
    outline_encode(trace, STRING_LITERAL("name"), &bytes);
    check_hostile(open_outline, &bytes, 1);
    label_page_encode(trace, 0, &bytes);
    check_hostile(open_labels, &bytes, 2);
    overview_encode(trace, NULL, 0, 50, &bytes);
    check_hostile(open_overview, &bytes, 3);
    trace_release(trace);
}

/* ---- labels ---- */

TEST(labels_come_in_pages)
{
    enum { COUNT = 10000 };
    static LabelText labels[OUTLINE_LABEL_PAGE];
    EventFeed        feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    for (unsigned i = 1; i <= COUNT; i++) {
        char name[24];
        int  size = snprintf(name, sizeof name, "n%u/c%u", i, i % 3);
        CHECK_UINT(feed_label(&feed, name, (size_t)size).index, i);
    }
    Trace   *trace = feed_finish(&feed, 1);
    Bytes    bytes = { NULL, 0, 0, false };
    uint32_t id = 0;
    for (uint32_t page = 0; page < 3; page++) {
        bytes_clear(&bytes);
        label_page_encode(trace, page, &bytes);
        uint32_t count = label_page_open(bytes.data, bytes.size, labels);
        CHECK_UINT(count, page < 2 ? OUTLINE_LABEL_PAGE : COUNT + 1 - 2 * OUTLINE_LABEL_PAGE);
        for (uint32_t i = 0; i < count; i++, id++) {
            CHECK(string_equal(labels[i].name, trace_label_name(trace, id)));
            CHECK(string_equal(labels[i].category, trace_label_category(trace, id)));
        }
    }
    bytes_clear(&bytes);
    label_page_encode(trace, 3, &bytes); /* a page that does not exist */
    CHECK_UINT(label_page_open(bytes.data, bytes.size, labels), 0);
    bytes_clear(&bytes);
    label_page_encode(trace, UINT32_MAX, &bytes);
    CHECK_UINT(label_page_open(bytes.data, bytes.size, labels), 0);
    bytes_release(&bytes);
    trace_release(trace);
}

/* ---- the overview ---- */

static uint64_t offset_of(const Trace *trace, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)trace->begin_tick;
}

static void check_overview(const Trace *trace, uint32_t count)
{
    Bytes          bytes = { NULL, 0, 0, false };
    OverviewBucket buckets[600];
    double         covered[600], fullest = 0;
    uint64_t       span = offset_of(trace, trace->end_tick);
    uint32_t       filter;
    overview_encode(trace, NULL, 0, count, &bytes);
    CHECK_UINT(overview_open(bytes.data, bytes.size, buckets, 600, &filter), count);
    CHECK_UINT(overview_open(bytes.data, bytes.size, buckets, count - 1, &filter), 0);
    for (uint32_t b = 0; b < count; b++) {
        uint64_t begin = wide_mul_div_u64(span, b, count), end = wide_mul_div_u64(span, b + 1, count),
                 sum = 0;
        bool label_seen = buckets[b].label == 0;
        for (uint64_t i = 0; i < trace->slices.count; i++) {
            uint64_t from = offset_of(trace, trace_slice_begin(trace, i)),
                     to = from + trace_slice_duration(trace, i);
            if (trace_slice_label(trace, i) == buckets[b].label && to >= begin && from <= end)
                label_seen = true;
            if (from < begin) from = begin;
            if (to > end) to = end;
            if (to > from) sum += to - from;
        }
        CHECK(label_seen);
        CHECK(buckets[b].label != 0 || sum == 0);
        covered[b] = end > begin ? (double)sum / (double)(end - begin) : 0;
        if (covered[b] > fullest) fullest = covered[b];
    }
    for (uint32_t b = 0; b < count; b++) {
        double busy = fullest > 0 ? covered[b] / fullest * 65535 : 0;
        CHECK(buckets[b].busy >= busy - 1 && buckets[b].busy <= busy + 1);
        CHECK((buckets[b].busy > 0) == (covered[b] > 0));
    }
    bytes_release(&bytes);
}

TEST(overviews_are_sums_for_each_tick)
{
    for (TraceShape shape = SHAPE_DENSE; shape < SHAPE_COUNT; shape++) {
        for (unsigned events = 3; events <= 1200; events *= 20) {
            Trace *trace = shape_trace(shape, 43 + events, events);
            check_overview(trace, 1);
            check_overview(trace, 7);
            check_overview(trace, 512);
            trace_release(trace);
        }
    }
}

TEST(the_overview_of_next_to_nothing)
{
    static const char *const STORIES[] = { "", "X5..5:a", "i7:m", "X5..6:a", "X5..7:a X5..6:b" };
    for (unsigned i = 0; i < sizeof STORIES / sizeof STORIES[0]; i++) {
        Trace *trace = trace_of_events(STORIES[i]);
        check_overview(trace, 4);
        check_overview(trace, 512);
        trace_release(trace);
    }
}

TEST(the_inner_name_shows)
{
    Bytes          bytes = { NULL, 0, 0, false };
    OverviewBucket buckets[4];
    Trace         *trace = trace_of_events("B0:main B0:work E50:work B60:rest E100:rest E100:main");
    overview_encode(trace, NULL, 0, 4, &bytes);
    CHECK_UINT(overview_open(bytes.data, bytes.size, buckets, 4, &(uint32_t){ 0 }), 4);
    CHECK(string_equal(trace_label_name(trace, buckets[0].label), STRING_LITERAL("work")));
    CHECK(string_equal(trace_label_name(trace, buckets[1].label), STRING_LITERAL("work")));
    CHECK(string_equal(trace_label_name(trace, buckets[3].label), STRING_LITERAL("rest")));
    CHECK_UINT(buckets[0].busy, 65535);
    bytes_release(&bytes);
    trace_release(trace);
}

/* Only an asynchronous slice: the overview shows it. With a slice of a thread it shows threads. */
TEST(what_is_idle_covers_nothing)
{
    EventFeed      feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    LabelId        idle = builder_colour_label(feed.builder, feed_label(&feed, "idle", 4), LABEL_RECEDES);
    Bytes          bytes = { NULL, 0, 0, false };
    OverviewBucket buckets[4];
    feed_events(&feed, "X0..25:a X75..100:a");
    builder_complete(feed.builder, feed.thread, 25, 75, idle, feed_next_pos(&feed), 0);
    Trace     *trace = feed_finish(&feed, 1);
    LodSummary all = lod_summarise(trace, &trace->rows[0], 0, 3, NULL);
    CHECK_UINT(all.covered, 50);
    CHECK_UINT(all.count, 3);
    CHECK_UINT(lod_row_dominant(trace, &trace->rows[0], &all), trace_slice_label(trace, 0));
    overview_encode(trace, NULL, 0, 4, &bytes);
    CHECK_UINT(overview_open(bytes.data, bytes.size, buckets, 4, &(uint32_t){ 0 }), 4);
    CHECK(buckets[0].busy == 65535 && buckets[1].busy == 0 && buckets[2].busy == 0 &&
          buckets[3].busy == 65535);
    bytes_release(&bytes);
    trace_release(trace);
}

TEST(without_slices_of_threads_the_overview_is_of_others)
{
    for (int has_slice = 0; has_slice < 2; has_slice++) {
        EventFeed      feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
        TraceBuilder  *builder = feed.builder;
        AsyncId        async_id = builder_async_id(builder, PROCESS_NONE, "1", 1);
        LabelId        label = feed_label(&feed, "a", 1);
        Bytes          bytes = { NULL, 0, 0, false };
        OverviewBucket buckets[4];
        feed_set_thread(&feed, 1, 2);
        builder_async(builder, ASYNC_BEGIN, 0, async_id,
                      &(EventHead){ .thread = feed.thread, .label = label, .pos = feed_next_pos(&feed) }, 0);
        builder_async(
            builder, ASYNC_END, 0, async_id,
            &(EventHead){ .thread = feed.thread, .tick = 50, .label = label, .pos = feed_next_pos(&feed) },
            0);
        feed_events(&feed, has_slice ? "i100:m X75..100:x" : "i100:m");
        Trace *trace = feed_finish(&feed, 1);
        overview_encode(trace, NULL, 0, 4, &bytes);
        CHECK_UINT(overview_open(bytes.data, bytes.size, buckets, 4, &(uint32_t){ 0 }), 4);
        CHECK_UINT(buckets[0].busy, has_slice ? 0 : 65535);
        CHECK_UINT(buckets[1].busy, has_slice ? 0 : 65535);
        CHECK_UINT(buckets[2].busy, 0);
        CHECK_UINT(buckets[3].busy, has_slice ? 65535 : 0);
        bytes_release(&bytes);
        trace_release(trace);
    }
}

TEST_MAIN("outline", TEST_CASE(outlines_say_what_the_trace_says), TEST_CASE(outlines_carry_the_clock),
          TEST_CASE(hostile_bytes_do_no_harm), TEST_CASE(labels_come_in_pages),
          TEST_CASE(overviews_are_sums_for_each_tick), TEST_CASE(the_overview_of_next_to_nothing),
          TEST_CASE(the_inner_name_shows), TEST_CASE(what_is_idle_covers_nothing),
          TEST_CASE(without_slices_of_threads_the_overview_is_of_others))
