/* The visible events of a filter, compared with a scan of every slice and instant: src/trace/store/filter.c, categories.c and
 * the tiles, overview and counts under a filter. */
#include "trace/store/categories.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"

#include "support/test.h"
#include "trace_shapes.h"
#include "trace_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trace, its hidden labels, and the filter. */
typedef struct Case {
    Trace   *trace;
    uint8_t *hidden;
    Filter  *filter;
} Case;

/* Hides about `percent` of the labels. */
static Case case_make(Trace *trace, uint64_t seed, unsigned percent, unsigned threads)
{
    TestRandom random = { seed };
    Err        err;
    Case       c = { .trace = trace, .hidden = calloc((size_t)trace->label_count + 1, 1) };
    CHECK(c.hidden != NULL);
    for (uint32_t label = 0; label <= trace->label_count; label++)
        c.hidden[label] = test_random_below(&random, 100) < percent;
    c.filter = filter_build(trace, c.hidden, NULL, threads, NULL, &err);
    CHECK(c.filter != NULL);
    return c;
}

static void case_end(Case *c)
{
    filter_release(c->filter);
    free(c->hidden);
    trace_release(c->trace);
}

static bool slice_shows(const Case *c, uint64_t slice)
{
    return !c->hidden[trace_slice_label(c->trace, slice)];
}

static bool instant_shows(const Case *c, uint64_t instant)
{
    return !c->hidden[c->trace->instants.label[instant]];
}

static uint64_t offset_of(const Trace *trace, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)trace->begin_tick;
}

/* ---- counts ---- */

static void check_slice_range(const Case *c, uint64_t first, uint64_t last)
{
    uint64_t count = 0, next = last, final = last;
    for (uint64_t i = first; i < last; i++) {
        if (!slice_shows(c, i)) continue;
        if (count++ == 0) next = i;
        final = i;
    }
    LodReads reads = { 0 };
    CHECK_UINT(filter_count_slices(c->filter, first, last, &reads), count);
    CHECK_UINT(filter_next_slice(c->filter, first, last, &reads), next);
    CHECK_UINT(filter_last_slice(c->trace, c->filter, first, last, &reads), final);
    CHECK(reads.slices <= (uint64_t)3 * 128);
}

static void check_instant_range(const Case *c, uint64_t first, uint64_t last)
{
    uint64_t count = 0, next = last;
    for (uint64_t i = first; i < last; i++) {
        if (instant_shows(c, i) && count++ == 0) next = i;
    }
    CHECK_UINT(filter_count_instants(c->filter, first, last, NULL), count);
    CHECK_UINT(filter_next_instant(c->filter, first, last, NULL), next);
}

static void check_summary(const Case *c, const Row *row, uint32_t first, uint32_t last)
{
    LodSummary summary = { .count = 0 };
    uint64_t   count = 0, covered = 0, longest = 0;
    if (first < last)
        filter_summarise_parts(c->trace, c->filter, row, &(LodPart){ first, last }, 1, &summary, NULL);
    for (uint32_t i = first; i < last; i++) {
        uint64_t slice = row->first_slice + i, ticks = trace_slice_duration(c->trace, slice);
        if (!slice_shows(c, slice)) continue;
        count++;
        covered += ticks;
        if (ticks > longest) longest = ticks;
    }
    CHECK_UINT(summary.count, count);
    CHECK_UINT(summary.covered, covered);
    CHECK_UINT(summary.longest_ticks, longest);
    if (count == 0) return;
    uint64_t at = row->first_slice + summary.longest;
    CHECK(slice_shows(c, at) && trace_slice_duration(c->trace, at) == longest);
    CHECK(!c->hidden[lod_row_dominant(c->trace, row, &summary)]);
}

static void check_counts(const Case *c, TestRandom *random)
{
    const Trace *trace = c->trace;
    for (int n = 0; n < 200; n++) {
        uint64_t first = test_random_below(random, trace->slices.count + 1);
        check_slice_range(c, first, first + test_random_below(random, trace->slices.count + 1 - first));
        first = test_random_below(random, trace->instants.count + 1);
        check_instant_range(c, first, first + test_random_below(random, trace->instants.count + 1 - first));
        const Row *row = &trace->rows[test_random_below(random, trace->row_count)];
        uint32_t   begin = (uint32_t)test_random_below(random, (uint64_t)row->slice_count + 1);
        check_summary(c, row, begin,
                      begin + (uint32_t)test_random_below(random, (uint64_t)row->slice_count + 1 - begin));
    }
    check_slice_range(c, 0, trace->slices.count);
    check_instant_range(c, 0, trace->instants.count);
}

/* ---- tiles ---- */

typedef struct Visible {
    uint64_t begin, end, slice;
} Visible;

/* Lists the visible slices of a row that touch the window, in order. */
static uint32_t list_visible(const Case *c, const Row *row, TileKey key, Visible *list)
{
    uint64_t window_begin = tile_window_begin(key), window_end = tile_window_end(key);
    uint32_t count = 0;
    for (uint64_t s = row->first_slice; s < row->first_slice + row->slice_count; s++) {
        uint64_t begin = offset_of(c->trace, trace_slice_begin(c->trace, s));
        uint64_t end = begin + trace_slice_duration(c->trace, s);
        bool     touches = begin < window_begin ? end > window_begin : begin < window_end;
        if (touches && slice_shows(c, s)) list[count++] = (Visible){ begin, end, s };
    }
    return count;
}

static void check_slices(const Case *c, TileKey key, const Visible *list, uint32_t count, const TileRow *row)
{
    uint64_t   bucket = UINT64_C(1) << key.level, window = tile_window_begin(key);
    TileCursor cursor = { 0 };
    TileEntry  entry;
    for (uint32_t i = 0; i < count;) {
        uint32_t together = 1;
        bool     is_short = list[i].begin >= window && list[i].end - list[i].begin < bucket;
        while (is_short && i + together < count &&
               list[i + together].end - list[i + together].begin < bucket &&
               list[i + together].begin >> key.level == list[i].begin >> key.level)
            together++;
        uint64_t covered = 0, longest = 0;
        for (uint32_t k = i; k < i + together; k++) {
            covered += list[k].end - list[k].begin;
            if (list[k].end - list[k].begin > longest) longest = list[k].end - list[k].begin;
        }
        CHECK(tile_next(row, &cursor, &entry));
        CHECK_UINT(entry.slice, list[i].slice);
        CHECK_UINT(entry.count, together);
        CHECK_UINT(entry.begin, list[i].begin);
        CHECK_UINT(entry.extent, list[i + together - 1].end - list[i].begin);
        CHECK_UINT(entry.covered, covered);
        CHECK_UINT(entry.longest_ticks, longest);
        CHECK(!c->hidden[entry.label] && slice_shows(c, entry.longest));
        CHECK_UINT((entry.flags & TILE_CARRIED) != 0, list[i].begin < window);
        i += together;
    }
    CHECK(!tile_next(row, &cursor, &entry));
}

static void check_instants(const Case *c, TileKey key, const Row *row, const TileRow *tile)
{
    const InstantColumns *instants = &c->trace->instants;
    uint64_t              begin = tile_window_begin(key), end = tile_window_end(key), bucket = UINT64_MAX;
    uint32_t              next = 0, count = 0;
    for (uint64_t i = row_extras(row)->first_instant;
         i < row_extras(row)->first_instant + row_extras(row)->instant_count; i++) {
        uint64_t tick = offset_of(c->trace, instants->tick[i]);
        if (tick < begin || tick >= end || !instant_shows(c, i)) continue;
        if (tick >> key.level != bucket) {
            if (next > 0) CHECK_UINT(tile_instant(tile, next - 1).count, count);
            CHECK(next < tile->instant_count);
            TileInstant instant = tile_instant(tile, next++);
            CHECK_UINT(instant.instant, i);
            CHECK_UINT(instant.tick, tick);
            CHECK_UINT(instant.label, instants->label[i]);
            bucket = tick >> key.level;
            count = 0;
        }
        count++;
    }
    if (next > 0) CHECK_UINT(tile_instant(tile, next - 1).count, count);
    CHECK_UINT(tile->instant_count, next);
}

static void check_tile(const Case *c, TileKey key)
{
    const Track *track = &c->trace->tracks[key.track];
    Bytes        bytes = { NULL, 0, 0, false };
    Tile         tile;
    Err          err;
    Visible     *list = malloc((size_t)c->trace->slices.count * sizeof *list + 1);
    CHECK(list != NULL);
    key.filter = 77;
    CHECK_DONE(tile_encode_filtered(c->trace, c->filter, key, &bytes, NULL, &err), err);
    CHECK(tile_open(bytes.data, bytes.size, &tile));
    CHECK_UINT(tile.key.filter, 77);
    for (uint32_t r = 0; r < tile.row_count; r++) {
        const Row *row = &c->trace->rows[track->first_row + key.band * TILE_BAND_ROWS + r];
        TileRow    of_tile = tile_row(&tile, r);
        check_slices(c, key, list, list_visible(c, row, key, list), &of_tile);
        check_instants(c, key, row, &of_tile);
    }
    free(list);
    bytes_release(&bytes);
}

static void check_tiles(const Case *c, TestRandom *random)
{
    uint64_t span = offset_of(c->trace, c->trace->end_tick);
    for (uint32_t level = 0; level <= TILE_MAX_LEVEL; level += 1 + (uint32_t)test_random_below(random, 3)) {
        uint64_t last = span >> (level + TILE_BUCKET_BITS);
        for (int n = 0; n < 3; n++) {
            uint32_t track = 1 + (uint32_t)test_random_below(random, c->trace->track_count);
            uint32_t rows = track_row_count(&c->trace->tracks[track]);
            if (rows == 0) continue;
            uint64_t index = n == 0 ? 0 : test_random_below(random, last + 1);
            check_tile(c, (TileKey){ track, (uint32_t)test_random_below(random, rows) / TILE_BAND_ROWS, level,
                                     index, 0 });
        }
    }
}

TEST(what_is_left_is_exact_at_every_zoom)
{
    static const unsigned percents[] = { 0, 10, 50, 90, 99, 100 };
    for (int shape = 0; shape < SHAPE_COUNT; shape++) {
        for (unsigned p = 0; p < 6; p++) {
            uint64_t   seed = (uint64_t)shape * 100 + p;
            TestRandom random = { seed };
            Case c = case_make(shape_trace((TraceShape)shape, seed, 1500), seed, percents[p], 1 + p % 3);
            check_counts(&c, &random);
            check_tiles(&c, &random);
            case_end(&c);
        }
    }
}

/* A long hidden part costs no more than a missing one. */
TEST(what_is_hidden_is_not_read)
{
    EventFeed feed = feed_create(MATCH_BY_TIME_AND_NAME, UNFINISHED_TO_TRACE_END);
    feed_set_thread(&feed, 1, 2);
    LabelId hidden = feed_label(&feed, "hidden", 6), shown = feed_label(&feed, "shown", 5);
    enum { SLICES = 300000 };
    for (int64_t i = 0; i < SLICES; i++) {
        LabelId label = i % 100000 == 5 ? shown : hidden;
        builder_complete(feed.builder, feed.thread, i * 10, i * 10 + 9, label, feed_next_pos(&feed), 0);
    }
    Trace  *trace = feed_finish(&feed, 1);
    uint8_t hides[8] = { 0 };
    Bytes   bytes = { NULL, 0, 0, false };
    Err     err;
    CHECK(trace->label_count < 8);
    hides[hidden.index] = 1;
    const uint64_t before = memory_held();
    Filter        *filter = filter_build(trace, hides, NULL, 2, NULL, &err);
    CHECK(filter != NULL);
    CHECK(memory_held() - before < SLICES * 3);
    for (uint32_t level = 0; level < 24; level++) {
        LodReads reads = { 0 };
        bytes_clear(&bytes);
        CHECK_DONE(tile_encode_filtered(trace, filter, (TileKey){ 1, 0, level, 0, 0 }, &bytes, &reads, &err),
                   err);
        CHECK(reads.slices + reads.nodes < 4000);
    }
    filter_release(filter);
    bytes_release(&bytes);
    trace_release(trace);
}

/* ---- overview and counts ---- */

static void encode_overview(const Trace *trace, const Filter *filter, OverviewBucket *buckets)
{
    Bytes    bytes = { NULL, 0, 0, false };
    uint32_t number = 0;
    overview_encode(trace, filter, 9, 64, &bytes);
    CHECK_UINT(overview_open(bytes.data, bytes.size, buckets, 64, &number), 64);
    CHECK_UINT(number, 9);
    bytes_release(&bytes);
}

/* For adjacent slices: the overview of the visible ones equals that of a trace without the others. */
TEST(the_overview_is_that_of_what_is_left)
{
    Bytes      whole = { NULL, 0, 0, false }, left = whole;
    TestRandom random = { 5 };
    int64_t    tick = 0;
    for (int i = 0; i < 400; i++) {
        char    word[64];
        int64_t length = (int64_t)test_random_below(&random, 90);
        bool    hide = test_random_below(&random, 3) == 0 && i > 0 && i < 399;
        snprintf(word, sizeof word, "X%lld..%lld:%s%llu ", (long long)tick, (long long)(tick + length),
                 hide ? "hidden" : "shown", (unsigned long long)test_random_below(&random, 3));
        bytes_append_text(&whole, word);
        if (!hide) bytes_append_text(&left, word);
        tick += length + (int64_t)test_random_below(&random, 20);
    }
    bytes_append(&whole, "", 1);
    bytes_append(&left, "", 1);
    Trace *trace = trace_of_events((const char *)whole.data),
          *other = trace_of_events((const char *)left.data);
    OverviewBucket ours[64], theirs[64];
    uint8_t        hidden[16] = { 0 };
    Err            err;
    CHECK(trace->label_count < 16);
    for (uint32_t label = 1; label <= trace->label_count; label++)
        hidden[label] = trace_label_name(trace, label).bytes[0] == 'h';
    Filter *filter = filter_build(trace, hidden, NULL, 1, NULL, &err);
    CHECK(filter != NULL);
    encode_overview(trace, filter, ours);
    encode_overview(other, NULL, theirs);
    for (int b = 0; b < 64; b++) {
        CHECK_UINT(ours[b].busy, theirs[b].busy);
        CHECK(string_equal(trace_label_name(trace, ours[b].label), trace_label_name(other, theirs[b].label)));
    }
    memset(hidden, 1, sizeof hidden);
    filter_release(filter);
    filter = filter_build(trace, hidden, NULL, 1, NULL, &err);
    CHECK(filter != NULL);
    encode_overview(trace, filter, ours);
    for (int b = 0; b < 64; b++)
        CHECK(ours[b].busy == 0 && ours[b].label == 0);
    filter_release(filter);
    trace_release(trace);
    trace_release(other);
    bytes_release(&whole);
    bytes_release(&left);
}

TEST(tracks_are_counted_up_to_their_last_visible_row)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        Case         c = case_make(shape_trace(SHAPE_NESTED, seed, 900), seed, 85, 1);
        Bytes        bytes = { NULL, 0, 0, false };
        VisibleTrack tracks[16];
        uint32_t     number;
        CHECK(c.trace->track_count <= 16);
        visible_encode(c.trace, c.filter, 3, &bytes);
        CHECK(!visible_open(bytes.data, bytes.size - 1, tracks, c.trace->track_count, &number));
        CHECK(!visible_open(bytes.data, bytes.size, tracks, c.trace->track_count - 1, &number));
        CHECK(visible_open(bytes.data, bytes.size, tracks, c.trace->track_count, &number));
        CHECK_UINT(number, 3);
        for (uint32_t t = 1; t <= c.trace->track_count; t++) {
            const Track *track = &c.trace->tracks[t];
            uint64_t     slices = 0, instants = 0;
            uint32_t     rows = 0;
            for (uint32_t r = 0; r < track_row_count(track); r++) {
                const Row *row = &c.trace->rows[track->first_row + r];
                uint64_t   before = slices + instants;
                for (uint32_t i = 0; i < row->slice_count; i++)
                    slices += slice_shows(&c, row->first_slice + i);
                for (uint32_t i = 0; i < row_extras(row)->instant_count; i++)
                    instants += instant_shows(&c, row_extras(row)->first_instant + i);
                if (slices + instants > before) rows = r + 1;
            }
            CHECK_UINT(tracks[t - 1].row_count, rows);
            CHECK_UINT(tracks[t - 1].slice_count, slices);
            CHECK_UINT(tracks[t - 1].instant_count, instants);
        }
        bytes_release(&bytes);
        case_end(&c);
    }
}

/* ---- categories ---- */

static Trace *categorised(void)
{
    return trace_of_events(
        "X0..9:a X10..19:b/gc X20..29:c/gc,v8 X30..39:d/v8,,gc i40:e/,x,net X50..59:f/trace_event_overhead "
        "X60..69:g/, X70..79:h/v8");
}

TEST(categories_are_split_and_numbered)
{
    Trace     *trace = categorised();
    Arena      arena = arena_create(0);
    Categories categories;
    CHECK(categories_list(trace, &arena, &categories));
    static const char *names[] = { "", "gc", "v8", "x", "net", "trace_event_overhead" };
    CHECK_UINT(categories.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        StringView name = { names[i], strlen(names[i]) };
        CHECK(string_equal(category_name(&categories, i), name));
        CHECK_UINT(category_find(&categories, name), i);
    }
    CHECK_UINT(category_find(&categories, STRING_LITERAL("gc,v8")), UINT32_MAX);
    Bytes text = { NULL, 0, 0, false };
    categories_print_hidden_at_first(&categories, &text);
    CHECK_BYTES((const char *)text.data, text.size, "5");
    bytes_release(&text);
    arena_release(&arena);
    trace_release(trace);
}

/* Checks the names of the visible slices, in order. */
static void check_shown(const Trace *trace, const char *set, const char *expected)
{
    Arena      arena = arena_create(0);
    Categories categories;
    Err        err;
    char       shown[32];
    size_t     count = 0;
    CHECK(categories_list(trace, &arena, &categories));
    Filter *filter = categories_filter(&categories, (StringView){ set, strlen(set) }, 1, NULL, &err);
    CHECK(filter != NULL);
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        uint32_t label = trace_slice_label(trace, i);
        if (!filter_hides_label(filter, label)) shown[count++] = trace_label_name(trace, label).bytes[0];
    }
    shown[count] = 0;
    CHECK_STRING(shown, expected);
    filter_release(filter);
    arena_release(&arena);
}

TEST(an_event_shows_as_long_as_one_of_its_categories_does)
{
    Trace *trace = categorised();
    check_shown(trace, "0", "bcdfh");
    check_shown(trace, "1", "acdfgh");
    check_shown(trace, "1,2", "afg");
    check_shown(trace, "2", "abcdfg");
    check_shown(trace, "1-5", "ag");
    check_shown(trace, "0-5", "");
    check_shown(trace, "5,90-99", "abcdgh");
    trace_release(trace);
}

TEST(sets_are_read_and_written)
{
    Trace     *trace = categorised();
    Arena      arena = arena_create(0);
    Categories categories;
    CHECK(categories_list(trace, &arena, &categories));
    static const struct {
        const char *text, *printed;
    } good[] = { { "", "" },
                 { "3", "3" },
                 { "0-2", "0-2" },
                 { "1,2", "1-2" },
                 { "0,2-3,5", "0,2-3,5" },
                 { "5,0", "0,5" },
                 { "4-99999999999999999999", "4-5" },
                 { "77", "" } };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint8_t set[6] = { 0 };
        Bytes   text = { NULL, 0, 0, false };
        CHECK(categories_parse(&categories, (StringView){ good[i].text, strlen(good[i].text) }, set));
        categories_print(&categories, set, &text);
        bytes_append(&text, "", 1);
        CHECK_STRING((const char *)text.data, good[i].printed);
        bytes_release(&text);
    }
    static const char *bad[] = { ",", "1,", "a", "1-", "-1", "3-2", "1 2", "1,,2", "1-2-3" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t set[6] = { 0 };
        CHECK(!categories_parse(&categories, (StringView){ bad[i], strlen(bad[i]) }, set));
        Err err;
        CHECK(categories_filter(&categories, (StringView){ bad[i], strlen(bad[i]) }, 1, NULL, &err) == NULL);
        CHECK(err.code == ERR_USAGE);
    }
    arena_release(&arena);
    trace_release(trace);
}

TEST_MAIN("trace/filter", TEST_CASE(what_is_left_is_exact_at_every_zoom),
          TEST_CASE(what_is_hidden_is_not_read), TEST_CASE(the_overview_is_that_of_what_is_left),
          TEST_CASE(tracks_are_counted_up_to_their_last_visible_row),
          TEST_CASE(categories_are_split_and_numbered),
          TEST_CASE(an_event_shows_as_long_as_one_of_its_categories_does),
          TEST_CASE(sets_are_read_and_written))
