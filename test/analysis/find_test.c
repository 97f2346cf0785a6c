#include "analysis/find.h"
#include "analysis/find_moments.h"

#include "analysis/random_trace.h"

#include <string.h>

static int64_t tick_of(const Trace *trace, FindEvent event)
{
    return event.kind == ORDER_SLICE ? trace_slice_begin(trace, event.id) : trace->instants.tick[event.id];
}

static bool event_before(const Trace *trace, FindEvent a, FindEvent b)
{
    int64_t x = tick_of(trace, a), y = tick_of(trace, b);
    if (x != y) return x < y;
    return a.kind != b.kind ? a.kind == ORDER_SLICE : a.id < b.id;
}

static bool before(const Trace *trace, uint64_t a, uint64_t b)
{
    return event_before(trace, (FindEvent){ ORDER_SLICE, a }, (FindEvent){ ORDER_SLICE, b });
}

/* Event i of all: slices, then instants. */
static FindEvent event_at(const Trace *trace, uint64_t i)
{
    if (i < trace->slices.count) return (FindEvent){ ORDER_SLICE, i };
    return (FindEvent){ ORDER_INSTANT, i - trace->slices.count };
}

static uint64_t event_count(const Trace *trace)
{
    return trace->slices.count + trace->instants.count;
}

static bool has_name(const Trace *trace, FindEvent event, const char *name)
{
    const bool     is_slice = event.kind == ORDER_SLICE;
    const uint32_t label = is_slice ? trace_slice_label(trace, event.id) : trace->instants.label[event.id];
    StringView     view = trace_label_name(trace, label);
    return view.size == strlen(name) && memcmp(view.bytes, name, view.size) == 0;
}

/* A search in many steps has the same result. */
static void check_steps(const Trace *trace, const FindQuery *query, const FindResult *whole, Arena *arena)
{
    FindResult result;
    Err        err;
    double     share = 0, before = 0;
    FindCount *count = find_count_begin(trace, query, arena, &err);
    CHECK_DONE(count != NULL, err);
    for (; share < 1; before = share) {
        CHECK_DONE(find_count_step(count, 3, &share, &result, &err), err);
        CHECK(share >= before);
    }
    find_count_release(count);
    CHECK_INT(result.found, whole->found);
    CHECK_INT(result.wrapped, whole->wrapped);
    CHECK_UINT(result.count, whole->count);
    CHECK_UINT(result.index, whole->index);
    if (whole->found) CHECK(result.event.kind == whole->event.kind && result.event.id == whole->event.id);
}

/* Finds the next event of a search. `query` has all but the pattern. */
static FindResult find(const Trace *trace, const char *text, FindQuery query)
{
    FindPattern pattern;
    FindResult  result;
    Arena       arena = arena_create(0);
    Err         err;
    CHECK_DONE(find_pattern_parse(&pattern, (StringView){ text, strlen(text) }, &trace->clock, &arena, &err),
               err);
    query.pattern = &pattern;
    CHECK_DONE(find_text(trace, &query, &result, &err), err);
    check_steps(trace, &query, &result, &arena);
    find_pattern_release(&pattern);
    arena_release(&arena);
    return result;
}

/* Returns the count of events of that name before `event`; *all: of all with that name. */
static uint64_t count_before(const Trace *trace, const char *name, FindEvent event, uint64_t *all)
{
    uint64_t count = 0;
    *all = 0;
    for (uint64_t i = 0; i < event_count(trace); i++) {
        FindEvent other = event_at(trace, i);
        if (!has_name(trace, other, name)) continue;
        ++*all;
        if (event_before(trace, other, event)) count++;
    }
    return count;
}

TEST(find_walks_every_match_once_in_order_and_goes_round)
{
    uint64_t instants = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom random = { seed };
        Trace     *trace = random_trace_with_instants(&random, 80, 40, 150);
        FindResult at = find(trace, "N3", (FindQuery){ .move = FIND_NEXT });
        uint64_t   all = at.count;
        for (uint64_t i = 1; i <= all; i++) {
            uint64_t total;
            CHECK(at.found);
            CHECK(!at.wrapped);
            CHECK_UINT(at.index, i);
            CHECK_UINT(at.count, all);
            CHECK(has_name(trace, at.event, "n3"));
            instants += at.event.kind == ORDER_INSTANT;
            CHECK_UINT(count_before(trace, "n3", at.event, &total), i - 1);
            CHECK_UINT(total, all);
            FindResult back =
                find(trace, "n3", (FindQuery){ .move = FIND_PREVIOUS, .has_from = true, .from = at.event });
            CHECK_UINT(back.index, i == 1 ? all : i - 1);
            CHECK(back.wrapped == (i == 1));
            at = find(trace, "n3", (FindQuery){ .has_from = true, .from = at.event });
        }
        CHECK(all == 0 || (at.wrapped && at.index == 1));
        trace_release(trace);
    }
    CHECK(instants > 20);
}

TEST(find_looks_into_names_and_categories_whatever_their_case)
{
    TestRandom random = { 5 };
    Trace     *trace = random_trace_with_instants(&random, 60, 40, 100);
    FindResult red = find(trace, "RED", (FindQuery){ .move = FIND_NEXT });
    FindResult blue = find(trace, "lu", (FindQuery){ .move = FIND_NEXT });
    CHECK(red.count > 0);
    CHECK(blue.count > 0);
    CHECK_UINT(red.count + blue.count, event_count(trace));
    CHECK(!find(trace, "n10", (FindQuery){ .move = FIND_NEXT }).found);
    CHECK(!find(trace, "", (FindQuery){ .move = FIND_NEXT }).found);
    trace_release(trace);
}

TEST(find_starts_at_the_first_or_last_of_all)
{
    TestRandom random = { 6 };
    Trace     *trace = random_trace_with_instants(&random, 60, 40, 100);
    FindResult first = find(trace, "n", (FindQuery){ .move = FIND_NEXT });
    FindResult last = find(trace, "n", (FindQuery){ .move = FIND_PREVIOUS });
    for (uint64_t i = 0; i < event_count(trace); i++) {
        CHECK(!event_before(trace, event_at(trace, i), first.event));
        CHECK(!event_before(trace, last.event, event_at(trace, i)));
    }
    CHECK_UINT(first.index, 1);
    CHECK_UINT(last.index, event_count(trace));
    CHECK(!first.wrapped && !last.wrapped);
    trace_release(trace);
}

/* The nearest of the same name in the track, by looking at every slice. */
static bool same_by_scan(const Trace *trace, uint64_t slice, FindMove move, uint64_t *found)
{
    bool     has = false;
    uint32_t track = trace->rows[trace_slice_row(trace, slice)].track;
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        uint32_t name = trace->labels[trace_slice_label(trace, i)].name.index;
        bool     beyond = move == FIND_NEXT ? before(trace, slice, i) : before(trace, i, slice);
        if (!beyond || name != trace->labels[trace_slice_label(trace, slice)].name.index) continue;
        if (trace->rows[trace_slice_row(trace, i)].track != track) continue;
        if (has && (move == FIND_NEXT ? before(trace, *found, i) : before(trace, i, *found))) continue;
        has = true;
        *found = i;
    }
    return has;
}

TEST(find_same_name_equals_a_scan)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom random = { seed };
        Trace     *trace = random_trace(&random, 90, 120);
        for (uint64_t slice = 0; slice < trace->slices.count; slice++) {
            for (int move = FIND_NEXT; move <= FIND_PREVIOUS; move++) {
                uint64_t found = 0, expected = 0;
                bool     has = same_by_scan(trace, slice, (FindMove)move, &expected);
                CHECK(find_same_name(trace, NULL, slice, (FindMove)move, &found) == has);
                if (has) CHECK_UINT(found, expected);
            }
        }
        trace_release(trace);
    }
}

/* Marks the buckets of all events that begin in the range and have the name, or that the search finds in no arguments. */
static void moments_by_scan(const Trace *trace, const FindMomentsQuery *query, const char *name,
                            uint8_t *bits)
{
    for (uint64_t i = 0; i < event_count(trace); i++) {
        const FindEvent event = event_at(trace, i);
        const uint64_t  offset = (uint64_t)(tick_of(trace, event) - trace->begin_tick);
        if (!has_name(trace, event, name) || offset < query->begin) continue;
        const uint64_t bucket = (offset - query->begin) >> query->level;
        if (bucket < query->buckets) bits[bucket / 8] |= (uint8_t)(1u << bucket % 8);
    }
}

static void check_moments(const Trace *trace, const FindMomentsQuery *query, const char *name)
{
    uint8_t      expected[64] = { 0 };
    Arena        arena = arena_create(0);
    Bytes        bytes = { 0 };
    Moments      read;
    double       share = 0;
    Err          err;
    FindMoments *moments = find_moments_begin(trace, query, &arena, &err);
    CHECK_DONE(moments != NULL, err);
    while (share < 1)
        CHECK_DONE(find_moments_step(moments, 7, &share, &err), err);
    moments_encode(find_moments_result(moments), &bytes);
    CHECK(moments_open(bytes.data, bytes.size, &read));
    CHECK_UINT(read.begin, query->begin);
    CHECK_UINT(read.level, query->level);
    CHECK_UINT(read.buckets, query->buckets);
    CHECK(moments_bytes(read.buckets) <= sizeof expected);
    moments_by_scan(trace, query, name, expected);
    CHECK(memcmp(read.bits, expected, moments_bytes(read.buckets)) == 0);
    for (size_t size = 0; size < bytes.size; size++)
        CHECK(!moments_open(bytes.data, size, &read));
    find_moments_release(moments);
    bytes_release(&bytes);
    arena_release(&arena);
}

TEST(moments_are_the_begins_of_all_matches)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        TestRandom  random = { seed };
        Trace      *trace = random_trace_with_instants(&random, 80, 40, 3000);
        FindPattern pattern;
        Arena       arena = arena_create(0);
        Err         err;
        uint32_t    label = 1;
        while (label < trace->label_count &&
               !string_equal(trace_label_name(trace, label), STRING_LITERAL("n3")))
            label++;
        CHECK_DONE(find_pattern_parse(&pattern, STRING_LITERAL("name:=n3"), &trace->clock, &arena, &err),
                   err);
        for (uint32_t i = 0; i < 6; i++) {
            FindMomentsQuery query = { .begin = i * 300, .level = i % 5, .buckets = 1 + 83 * i };
            query.pattern = &pattern;
            check_moments(trace, &query, "n3");
            query.pattern = NULL;
            query.name = label;
            if (string_equal(trace_label_name(trace, label), STRING_LITERAL("n3")))
                check_moments(trace, &query, "n3");
        }
        const FindMomentsQuery far = {
            .name = label, .begin = UINT64_MAX - 1, .level = 63, .buckets = 65536
        };
        FindMoments *moments = find_moments_begin(trace, &far, &arena, &err);
        double       share;
        CHECK_DONE(moments != NULL && find_moments_step(moments, UINT64_MAX, &share, &err), err);
        find_moments_release(moments);
        find_pattern_release(&pattern);
        arena_release(&arena);
        trace_release(trace);
    }
}

TEST(find_fails_when_memory_is_out)
{
    TestRandom  random = { 8 };
    Trace      *trace = random_trace(&random, 10, 100);
    Arena       arena = arena_create(0);
    FindPattern pattern;
    FindQuery   query = { .pattern = &pattern };
    FindResult  result;
    Err         err;
    CHECK_DONE(find_pattern_parse(&pattern, STRING_LITERAL("n"), &trace->clock, &arena, &err), err);
    memory_fail_after(0);
    CHECK(!find_text(trace, &query, &result, &err));
    CHECK_INT(err.code, ERR_MEMORY);
    find_pattern_release(&pattern);
    arena_release(&arena);
    trace_release(trace);
}

TEST_MAIN("find", TEST_CASE(find_walks_every_match_once_in_order_and_goes_round),
          TEST_CASE(find_looks_into_names_and_categories_whatever_their_case),
          TEST_CASE(find_starts_at_the_first_or_last_of_all), TEST_CASE(find_same_name_equals_a_scan),
          TEST_CASE(moments_are_the_begins_of_all_matches), TEST_CASE(find_fails_when_memory_is_out))
