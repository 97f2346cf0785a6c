/* Tiles compared with a scan of every slice: src/trace/wire/tile.c, tile_encode.c. */
#include "trace/wire/tile_encode.h"

#include "support/test.h"
#include "trace_shapes.h"
#include "trace_support.h"

#include <string.h>

static uint64_t offset_of(const Trace *trace, int64_t tick)
{
    return (uint64_t)tick - (uint64_t)trace->begin_tick;
}

static uint64_t span_of(const Trace *trace)
{
    return offset_of(trace, trace->end_tick);
}

static void encode(const Trace *trace, TileKey key, Bytes *bytes, Tile *tile)
{
    Err err = { 0 };
    bytes_clear(bytes);
    CHECK_DONE(tile_encode(trace, key, bytes, NULL, &err), err);
    CHECK(tile_open(bytes->data, bytes->size, tile));
    CHECK(tile->key.track == key.track && tile->key.band == key.band);
    CHECK(tile->key.level == key.level && tile->key.index == key.index);
}

/* ---- the scan ---- */

typedef struct Scan {
    const Trace *trace;
    const Row   *row;
    TileKey      key;
    uint64_t     begin, end; /* of the window */
} Scan;

static uint64_t slice_begin(const Scan *scan, uint32_t i)
{
    return offset_of(scan->trace, trace_slice_begin(scan->trace, scan->row->first_slice + i));
}

static uint64_t slice_end(const Scan *scan, uint32_t i)
{
    return slice_begin(scan, i) + trace_slice_duration(scan->trace, scan->row->first_slice + i);
}

static void check_dominant(const Scan *scan, uint32_t first, uint32_t count, uint32_t reported)
{
    uint64_t weights[64] = { 0 }, total = 0, best = 0;
    CHECK(scan->trace->label_count < 64);
    for (uint32_t i = first; i < first + count; i++) {
        uint64_t slice = scan->row->first_slice + i, weight = trace_slice_duration(scan->trace, slice) + 1;
        weights[trace_slice_label(scan->trace, slice)] += weight;
        total += weight;
    }
    for (unsigned label = 0; label < 64; label++) {
        if (weights[label] > best) best = weights[label];
        if (weights[label] > total / 2) CHECK_UINT(reported, label);
    }
    CHECK(weights[reported] > 0); /* one of them, even if none dominates */
    CHECK(weights[reported] >= best - (best < total / 4 ? best : total / 4));
}

/* Compares an entry with slices [first, first + count) of the row. */
static void check_entry(const Scan *scan, const TileEntry *entry)
{
    enum { SHOWN = SLICE_UNFINISHED | SLICE_NO_END | SLICE_REPAIRED };
    uint32_t first = (uint32_t)(entry->slice - scan->row->first_slice);
    uint64_t covered = 0, longest_ticks = 0, longest = entry->slice;
    uint32_t flags = 0;
    for (uint32_t i = first; i < first + entry->count; i++) {
        uint64_t duration = trace_slice_duration(scan->trace, scan->row->first_slice + i);
        covered += duration;
        flags |= scan->trace->slices.flags[scan->row->first_slice + i] & SHOWN;
        if (duration <= longest_ticks) continue;
        longest_ticks = duration;
        longest = scan->row->first_slice + i;
    }
    if (slice_begin(scan, first) < scan->begin) flags |= TILE_CARRIED;
    CHECK_UINT(entry->begin, slice_begin(scan, first));
    CHECK_UINT(entry->extent, slice_end(scan, first + entry->count - 1) - slice_begin(scan, first));
    CHECK_UINT(entry->covered, covered);
    CHECK_UINT(entry->longest_ticks, longest_ticks);
    CHECK_UINT(entry->longest, longest);
    CHECK_UINT(entry->flags, flags);
    if (entry->count == 1) {
        CHECK_UINT(entry->label, trace_slice_label(scan->trace, entry->slice));
    } else {
        check_dominant(scan, first, entry->count, entry->label);
    }
}

/* Checks that every slice that touches the window is in exactly one entry, and that no two entries should be one. */
static void check_slices(const Scan *scan, const TileRow *row)
{
    uint64_t   bucket = UINT64_C(1) << scan->key.level;
    TileCursor cursor = { 0 };
    TileEntry  entry;
    bool       more = tile_next(row, &cursor, &entry);
    for (uint32_t i = 0; i < scan->row->slice_count;) {
        uint64_t begin = slice_begin(scan, i), end = slice_end(scan, i);
        bool     touches = begin < scan->begin ? end > scan->begin : begin < scan->end;
        if (!touches) {
            i++;
            continue;
        }
        uint32_t count = 1;
        if (begin >= scan->begin && end - begin < bucket) {
            while (i + count < scan->row->slice_count && slice_begin(scan, i + count) < scan->end &&
                   slice_begin(scan, i + count) >> scan->key.level == begin >> scan->key.level &&
                   slice_end(scan, i + count) - slice_begin(scan, i + count) < bucket) {
                count++;
            }
        }
        CHECK(more);
        CHECK_UINT(entry.slice, scan->row->first_slice + i);
        CHECK_UINT(entry.count, count);
        check_entry(scan, &entry);
        more = tile_next(row, &cursor, &entry);
        i += count;
    }
    CHECK(!more);
}

static void check_instants(const Scan *scan, const TileRow *row)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < row_extras(scan->row)->instant_count;) {
        const int64_t *ticks = scan->trace->instants.tick + row_extras(scan->row)->first_instant;
        uint64_t       tick = offset_of(scan->trace, ticks[i]);
        if (tick < scan->begin || tick >= scan->end) {
            i++;
            continue;
        }
        uint32_t count = 1;
        while (i + count < row_extras(scan->row)->instant_count &&
               offset_of(scan->trace, ticks[i + count]) >> scan->key.level == tick >> scan->key.level) {
            count++;
        }
        CHECK(next < row->instant_count);
        TileInstant instant = tile_instant(row, next++);
        CHECK_UINT(instant.instant, row_extras(scan->row)->first_instant + i);
        CHECK_UINT(instant.tick, tick);
        CHECK_UINT(instant.count, count);
        CHECK_UINT(instant.label, scan->trace->instants.label[instant.instant]);
        i += count;
    }
    CHECK_UINT(row->instant_count, next);
}

static void check_tile(const Trace *trace, TileKey key, Bytes *bytes)
{
    Tile         tile;
    const Track *track = &trace->tracks[key.track];
    encode(trace, key, bytes, &tile);
    uint32_t first = key.band * TILE_BAND_ROWS, left = track_row_count(track) - first;
    CHECK_UINT(tile.row_count, left < TILE_BAND_ROWS ? left : TILE_BAND_ROWS);
    for (uint32_t r = 0; r < tile.row_count; r++) {
        Scan    scan = { trace, &trace->rows[track->first_row + first + r], key, tile_window_begin(key),
                         tile_window_end(key) };
        TileRow row = tile_row(&tile, r);
        check_slices(&scan, &row);
        check_instants(&scan, &row);
    }
}

/* Checks all tiles of a level, or several of many windows. */
static void check_level(const Trace *trace, uint32_t level, TestRandom *random, Bytes *bytes)
{
    enum { MOST_WINDOWS = 6 };
    uint64_t last = span_of(trace) >> (level + TILE_BUCKET_BITS);
    for (uint32_t track = 1; track <= trace->track_count; track++) {
        uint32_t bands = (track_row_count(&trace->tracks[track]) + TILE_BAND_ROWS - 1) / TILE_BAND_ROWS;
        for (uint32_t band = 0; band < bands; band++) {
            for (uint64_t n = 0; n <= last && n < MOST_WINDOWS; n++) {
                uint64_t index = n;
                if (last >= MOST_WINDOWS) {
                    index = n == 0 ? 0 : n == 1 ? last : test_random_below(random, last + 1);
                    if (n > 2 && track_slice_count(trace, &trace->tracks[track]) > 0) { /* with slices */
                        uint64_t slice =
                            track_first_slice(trace, &trace->tracks[track]) +
                            test_random_below(random, track_slice_count(trace, &trace->tracks[track]));
                        index =
                            offset_of(trace, trace_slice_begin(trace, slice)) >> (level + TILE_BUCKET_BITS);
                    }
                }
                check_tile(trace, (TileKey){ track, band, level, index, 0 }, bytes);
            }
        }
    }
}

static void check_shape(TraceShape shape, uint64_t seed, unsigned events)
{
    TestRandom random = { seed + 1000 };
    Bytes      bytes = { NULL, 0, 0, false };
    Trace     *trace = shape_trace(shape, seed, events);
    for (uint32_t level = 0; level <= TILE_MAX_LEVEL; level++) {
        check_level(trace, level, &random, &bytes);
        if (span_of(trace) >> level == 0 && level % 8 != 7) level += 6; /* they are all alike now */
    }
    bytes_release(&bytes);
    trace_release(trace);
}

static void check_shapes(TraceShape shape)
{
    check_shape(shape, 1, 3);
    check_shape(shape, 2, 40);
    check_shape(shape, 3, 300);
    check_shape(shape, 4, 2000);
}

TEST(dense_traces)
{
    check_shapes(SHAPE_DENSE);
}

TEST(sparse_traces)
{
    check_shapes(SHAPE_SPARSE);
}

TEST(slices_of_no_length)
{
    check_shapes(SHAPE_EMPTY);
}

TEST(vast_spans)
{
    check_shapes(SHAPE_VAST);
}

TEST(bursts_far_apart)
{
    check_shapes(SHAPE_BURSTS);
}

TEST(nested_traces_in_several_bands)
{
    check_shapes(SHAPE_NESTED);
}

TEST(overlapping_traces)
{
    check_shapes(SHAPE_LANES);
}

/* A span of 64 bits: events on its last tick are also shown. (Offset 2^64-1 has no window.) */
TEST(the_widest_span_there_is)
{
    Bytes  bytes = { NULL, 0, 0, false };
    Trace *trace = trace_of_events("X-9223372036854775808..-9223372036854775800:a X0..9223372036854775806:b "
                                   "X9223372036854775806..9223372036854775806:z i9223372036854775806:m");
    CHECK_UINT(span_of(trace), UINT64_MAX - 1);
    for (uint32_t level = 0; level <= TILE_MAX_LEVEL; level++) {
        uint64_t slices = 0, instants = 0, last = UINT64_MAX >> (level + TILE_BUCKET_BITS);
        uint64_t windows[] = { 0, last / 2 + 1, last };
        for (unsigned n = 0; n < 3 - (last == 1); n++) {
            Tile tile;
            encode(trace, (TileKey){ 1, 0, level, windows[n], 0 }, &bytes, &tile);
            TileRow    row = tile_row(&tile, 0);
            TileCursor cursor = { 0 };
            TileEntry  entry;
            while (tile_next(&row, &cursor, &entry))
                slices += (entry.flags & TILE_CARRIED) != 0 ? 0 : entry.count;
            for (uint32_t i = 0; i < row.instant_count; i++)
                instants += tile_instant(&row, i).count;
        }
        CHECK_UINT(slices, 3);
        CHECK_UINT(instants, 1);
    }
    bytes_release(&bytes);
    trace_release(trace);
}

TEST(tiles_that_do_not_exist)
{
    Err           err = { 0 };
    Bytes         bytes = { NULL, 0, 0, false };
    Trace        *trace = trace_of_events("X0..10000:a");
    const TileKey bad[] = { { 0, 0, 0, 0, 0 },
                            { 2, 0, 0, 0, 0 },
                            { UINT32_MAX, 0, 0, 0, 0 },
                            { 1, 1, 0, 0, 0 },
                            { 1, ~TILE_FLOWS, 0, 0, 0 },
                            { 1, 0, TILE_MAX_LEVEL + 1, 0, 0 },
                            { 1, 0, UINT32_MAX, 0, 0 },
                            { 1, 0, 0, 20, 0 },
                            { 1, 0, 0, UINT64_MAX, 0 },
                            { 1, 0, TILE_MAX_LEVEL, 1, 0 },
                            { 1, TILE_FLOWS | 1, 0, 0, 0 },
                            { 1, TILE_FLOWS, 0, 20, 0 },
                            { 1, TILE_SLICE_FLOWS, 0, 1, 0 },
                            { 1, TILE_SLICE_FLOWS, 1, 0, 0 } };
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(!tile_encode(trace, bad[i], &bytes, NULL, &err));
        CHECK(err.code == ERR_USAGE);
    }
    CHECK(tile_encode(trace, (TileKey){ 1, 0, 0, 19, 0 }, &bytes, NULL, &err)); /* the last one */
    bytes_release(&bytes);
    trace_release(trace);
}

TEST(windows_and_levels)
{
    CHECK_UINT(tile_window_begin((TileKey){ 1, 0, 3, 5, 0 }), 5U << 12);
    CHECK_UINT(tile_window_end((TileKey){ 1, 0, 3, 5, 0 }), 6U << 12);
    CHECK_UINT(tile_window_begin((TileKey){ 1, 0, TILE_MAX_LEVEL, 1, 0 }), UINT64_C(1) << 63);
    CHECK_UINT(tile_window_end((TileKey){ 1, 0, TILE_MAX_LEVEL, 1, 0 }), UINT64_MAX);
    CHECK_UINT(tile_window_begin((TileKey){ 1, 0, 10, UINT64_MAX, 0 }), UINT64_MAX);
    CHECK_UINT(tile_level_for(0), 0);
    CHECK_UINT(tile_level_for(1.99), 0);
    CHECK_UINT(tile_level_for(2), 1);
    CHECK_UINT(tile_level_for(4), 2);
    CHECK_UINT(tile_level_for(7.9), 2);
    CHECK_UINT(tile_level_for(1e300), TILE_MAX_LEVEL);
}

/* ---- hostile bytes ---- */

/* Reads all of a tile, so that a sanitizer finds wrong reads. */
static uint64_t walk(const Tile *tile)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < tile->row_count; r++) {
        TileRow    row = tile_row(tile, r);
        TileCursor cursor = { 0 };
        TileEntry  entry;
        while (tile_next(&row, &cursor, &entry))
            sum += entry.begin + entry.covered + entry.longest;
        for (uint32_t i = 0; i < row.instant_count; i++)
            sum += tile_instant(&row, i).tick;
    }
    return sum;
}

/* Opens the bytes in memory of their exact size. */
static bool open_copy(const uint8_t *bytes, size_t size)
{
    Bytes copy = { NULL, 0, 0, false };
    Tile  tile;
    void *room = bytes_reserve(&copy, size < 16 ? 16 : size);
    CHECK(room != NULL);
    uint8_t *end_aligned = copy.data + copy.capacity - size; /* at the very end of the allocation */
    memcpy(end_aligned, bytes, size);
    bool opened = tile_open(end_aligned, size, &tile);
    if (opened) (void)walk(&tile);
    bytes_release(&copy);
    return opened;
}

TEST(truncated_tiles_are_refused)
{
    for (TraceShape shape = SHAPE_DENSE; shape < SHAPE_COUNT; shape++) {
        Bytes  bytes = { NULL, 0, 0, false };
        Tile   tile;
        Trace *trace = shape_trace(shape, 5, 60);
        for (uint32_t level = 0; level < 30; level += 6) {
            for (uint32_t track = 1; track <= trace->track_count; track++) {
                encode(trace, (TileKey){ track, 0, level, 0, 0 }, &bytes, &tile);
                CHECK(open_copy(bytes.data, bytes.size));
                for (size_t size = 0; size < bytes.size; size++)
                    CHECK(!open_copy(bytes.data, size));
            }
        }
        bytes_release(&bytes);
        trace_release(trace);
    }
}

TEST(corrupted_tiles_do_no_harm)
{
    TestRandom random = { 99 };
    for (TraceShape shape = SHAPE_DENSE; shape < SHAPE_COUNT; shape++) {
        Bytes  bytes = { NULL, 0, 0, false };
        Tile   tile;
        Trace *trace = shape_trace(shape, 6, 200);
        encode(trace, (TileKey){ 2, 0, 4, 0, 0 }, &bytes, &tile);
        for (unsigned round = 0; round < 4000; round++) {
            uint8_t  kept[4];
            size_t   at[4];
            unsigned changes = 1 + (unsigned)test_random_below(&random, 4);
            for (unsigned i = 0; i < changes; i++) { /* usually at the numbers that matter */
                at[i] = test_random_size(&random, test_random_below(&random, 2) == 0 ? bytes.size : 112);
                kept[i] = bytes.data[at[i]];
                bytes.data[at[i]] = (uint8_t)test_random(&random);
            }
            (void)open_copy(bytes.data, bytes.size);
            for (unsigned i = changes; i-- > 0;)
                bytes.data[at[i]] = kept[i];
        }
        CHECK(open_copy(bytes.data, bytes.size));
        bytes_release(&bytes);
        trace_release(trace);
    }
}

TEST_MAIN("tile", TEST_CASE(dense_traces), TEST_CASE(sparse_traces), TEST_CASE(slices_of_no_length),
          TEST_CASE(vast_spans), TEST_CASE(bursts_far_apart), TEST_CASE(nested_traces_in_several_bands),
          TEST_CASE(overlapping_traces), TEST_CASE(the_widest_span_there_is),
          TEST_CASE(tiles_that_do_not_exist), TEST_CASE(windows_and_levels),
          TEST_CASE(truncated_tiles_are_refused), TEST_CASE(corrupted_tiles_do_no_harm))
