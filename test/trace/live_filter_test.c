/* Filters of a growing trace: updated at the changes, compared with newly built ones. */
#include "support/test.h"
#include "trace/live/live.h"
#include "trace/store/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };

static TestRandom dice;

static uint64_t random_below(uint64_t bound)
{
    return test_random_below(&dice, bound);
}

typedef struct Feed {
    TraceBuilder *builder;
    LiveTrace    *live;
    uint64_t      number; /* of the next event */
    int64_t       tick;
    unsigned      depth[THREADS];
} Feed;

static Feed feed_open(const LiveOptions *options)
{
    Err  err;
    Feed feed = { .builder = builder_create("test", 0) };
    CHECK(feed.builder != NULL);
    builder_set_rules(feed.builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_TRACE_END);
    feed.live = live_create(feed.builder, options, &err);
    CHECK(feed.live != NULL);
    return feed;
}

/* The number of names increases with time. */
static LabelId random_label(Feed *feed)
{
    char      name[16];
    const int size = snprintf(name, sizeof name, "n%u", (unsigned)random_below(2 + feed->number / 50));
    return builder_label(feed->builder, builder_string(feed->builder, name, (size_t)size), STRING_NONE);
}

static void feed_event(Feed *feed, bool completes_too)
{
    TraceBuilder  *b = feed->builder;
    const EventPos pos = { 10 * feed->number, feed->number };
    const unsigned t = (unsigned)random_below(THREADS);
    const TrackId  thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(t));
    const uint64_t which = random_below(10);
    const LabelId  label = random_label(feed);
    feed->tick += (int64_t)random_below(3);
    feed->number++;
    if (which < 3) {
        const InstantScope scope = random_below(2) == 0 ? INSTANT_THREAD : INSTANT_PROCESS;
        builder_instant(b, thread, feed->tick, label, scope, pos, 0);
    } else if (which < 5 && completes_too) {
        const int64_t late = (int64_t)random_below(20);
        const int64_t begin = feed->tick > late ? feed->tick - late : 0;
        builder_complete(b, thread, begin, feed->tick, label, pos, 0);
    } else if (feed->depth[t] > 0 && random_below(2) == 0) {
        builder_end(b, thread, feed->tick, LABEL_NONE, pos, 0);
        feed->depth[t]--;
    } else if (feed->depth[t] < 5) {
        builder_begin(b, thread, feed->tick, label, pos, 0);
        feed->depth[t]++;
    }
}

/* Every other name is hidden, however many there are; and events without a name. */
static uint8_t *hidden_labels(const Trace *trace)
{
    uint8_t *hidden = (uint8_t *)calloc((size_t)trace->label_count + 1, 1);
    CHECK(hidden != NULL);
    for (uint32_t i = 1; i <= trace->label_count; i++) {
        const StringView name = trace_label_name(trace, i);
        hidden[i] = name.size == 0 || (name.bytes[name.size - 1] - '0') % 2 == 1;
    }
    return hidden;
}

static Filter *build(const Trace *trace)
{
    Err      err;
    uint8_t *hidden = hidden_labels(trace);
    Filter  *filter = filter_build(trace, hidden, NULL, 1, NULL, &err);
    CHECK(filter != NULL);
    free(hidden);
    return filter;
}

static void catch_up(Filter *filter, const Trace *trace, LodReads *reads)
{
    uint8_t *hidden = hidden_labels(trace);
    CHECK(filter_catch_up(filter, trace, hidden, NULL, reads));
    free(hidden);
}

/* Checks the functions about slices, or instants, from first to last, one by one. */
static void check_range(const Trace *trace, const Filter *filter, uint64_t first, uint64_t last,
                        bool instants)
{
    uint64_t count = 0, next = last, final = last;
    for (uint64_t i = first; i < last; i++) {
        if (filter_hides_label(filter, instants ? trace->instants.label[i] : trace_slice_label(trace, i)))
            continue;
        if (count++ == 0) next = i;
        final = i;
    }
    if (instants) {
        CHECK(filter_count_instants(filter, first, last, NULL) == count);
        CHECK(filter_next_instant(filter, first, last, NULL) == next);
        return;
    }
    LodReads reads = { 0 };
    CHECK(filter_count_slices(filter, first, last, &reads) == count);
    CHECK(reads.slices <= 128);
    CHECK(filter_next_slice(filter, first, last, NULL) == next);
    CHECK(filter_last_slice(trace, filter, first, last, NULL) == final);
}

static void check_filter(const Trace *trace, const Filter *filter)
{
    Filter *fresh = build(trace);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const Row *row = &trace->rows[r];
        for (int n = 0; n < 6; n++) {
            const uint32_t first = (uint32_t)random_below((uint64_t)row->slice_count + 1);
            const uint32_t last = first + (uint32_t)random_below(row->slice_count - first + UINT64_C(1));
            const uint32_t from = (uint32_t)random_below((uint64_t)row_extras(row)->instant_count + 1);
            const uint32_t to =
                from + (uint32_t)random_below(row_extras(row)->instant_count - from + UINT64_C(1));
            check_range(trace, filter, row->first_slice + first, row->first_slice + last, false);
            check_range(trace, filter, row_extras(row)->first_instant + from,
                        row_extras(row)->first_instant + to, true);
            if (first == last) continue;
            LodSummary a, b;
            filter_summarise_parts(trace, filter, row, &(LodPart){ first, last }, 1, &a, NULL);
            filter_summarise_parts(trace, fresh, row, &(LodPart){ first, last }, 1, &b, NULL);
            CHECK(a.count == b.count && a.covered == b.covered && a.longest == b.longest);
            CHECK(a.flags == b.flags && a.longest_ticks == b.longest_ticks);
            CHECK(memcmp(a.label, b.label, sizeof a.label) == 0);
            CHECK(memcmp(a.weight, b.weight, sizeof a.weight) == 0);
        }
    }
    filter_release(fresh);
}

static void grow(uint64_t seed, const LiveOptions *options, uint64_t events)
{
    Err        err;
    LiveChange change;
    Filter    *filters[2] = { NULL, NULL };
    dice.state = seed * 7919;
    Feed           feed = feed_open(options);
    const Trace   *trace = live_trace(feed.live);
    const bool     completes_too = seed % 2 == 0;
    const unsigned step = 1 + (unsigned)random_below(events / 8);
    for (uint64_t i = 0; i < events; i++) {
        feed_event(&feed, completes_too);
        if (random_below(step) != 0) continue;
        CHECK(live_absorb(feed.live, &change, &err));
        for (int f = 0; f < 2; f++) { /* one is updated each time, one is not */
            if (f == 1 && random_below(4) > 0) continue;
            if (filters[f] == NULL) {
                filters[f] = build(trace);
            } else {
                catch_up(filters[f], trace, NULL);
            }
            check_filter(trace, filters[f]);
        }
        if (random_below(10) > 0) continue;
        filter_release(filters[0]); /* and another one replaces it */
        filters[0] = NULL;
    }
    filter_release(filters[0]);
    filter_release(filters[1]);
    live_destroy(feed.live);
}

TEST(filters_keep_up_with_what_grows)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        grow(seed, &(LiveOptions){ 0 }, seed % 10 == 0 ? 6000 : 20 + seed * 10);
}

TEST(filters_keep_up_with_what_is_let_go)
{
    for (uint64_t seed = 1; seed <= 8; seed++)
        grow(seed, &(LiveOptions){ .keep_bytes = 20000 }, 6000);
}

/* So many changes are recorded that all are checked again. */
TEST(a_filter_that_nobody_asked_for_in_long)
{
    Err          err;
    LiveChange   change;
    Feed         feed = feed_open(&(LiveOptions){ 0 });
    const Trace *trace = live_trace(feed.live);
    dice.state = 5;
    feed_event(&feed, false);
    CHECK(live_absorb(feed.live, &change, &err));
    Filter *filter = build(trace);
    for (int i = 0; i < 20000; i++) {
        feed_event(&feed, false);
        CHECK(live_absorb(feed.live, &change, &err));
    }
    catch_up(filter, trace, NULL);
    check_filter(trace, filter);
    filter_release(filter);
    live_destroy(feed.live);
}

/* The cost of appending depends on the appended events only. */
TEST(an_append_touches_the_last_blocks_alone)
{
    enum { SLICES = 400000, APPENDED = 200 };
    Err           err;
    LiveChange    change;
    Feed          feed = feed_open(&(LiveOptions){ 0 });
    TraceBuilder *b = feed.builder;
    const Trace  *trace = live_trace(feed.live);
    const TrackId thread = builder_thread(b, builder_process(b, ident_int(1)), ident_int(1));
    const LabelId labels[] = { random_label(&feed),
                               builder_label(b, builder_string(b, "n1", 2), STRING_NONE) };
    Filter       *filter = NULL;
    LodReads      reads = { 0 };
    for (uint32_t i = 0; i < SLICES + APPENDED; i++) {
        const EventPos pos = { 10 * (uint64_t)i, i };
        if (i == SLICES) {
            CHECK(live_absorb(feed.live, &change, &err));
            filter = build(trace);
        }
        builder_begin(b, thread, (int64_t)i * 2, labels[i % 2], pos, 0);
        builder_end(b, thread, (int64_t)i * 2 + 1, LABEL_NONE, pos, 0);
    }
    const uint64_t room = row_extras(&trace->rows[0])->room;
    CHECK(live_absorb(feed.live, &change, &err));
    CHECK(row_extras(&trace->rows[0])->room == room); /* the row has not moved */
    catch_up(filter, trace, &reads);
    CHECK(reads.slices < 2 * (APPENDED + 64));
    CHECK(reads.nodes < 100);
    check_filter(trace, filter);
    filter_release(filter);
    live_destroy(feed.live);
}

TEST_MAIN("live_filter", TEST_CASE(filters_keep_up_with_what_grows),
          TEST_CASE(filters_keep_up_with_what_is_let_go), TEST_CASE(a_filter_that_nobody_asked_for_in_long),
          TEST_CASE(an_append_touches_the_last_blocks_alone))
