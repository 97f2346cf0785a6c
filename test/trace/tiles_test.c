/* The tiles of a request by several threads: src/trace/wire/tiles_encode.c. */
#include "trace/wire/tile_encode.h"

#include "base/vec.h"
#include "support/test.h"
#include "trace/wire/wire.h"
#include "trace_shapes.h"
#include "trace_support.h"

#include <string.h>

typedef VEC(TileKey) Keys;

/* Adds all tiles of the trace with about `windows` windows, some that do not exist, and tiles of arrows. */
static Keys keys_of(const Trace *trace, uint32_t windows)
{
    Keys           keys = { 0 };
    const uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick + 1;
    const uint64_t buckets = (uint64_t)windows * TILE_BUCKETS;
    const uint32_t level = tile_level_for((double)span / (double)buckets);
    for (uint32_t track = 0; track <= trace->track_count; track++)
        for (uint32_t band = 0; band < 4; band++)
            for (uint64_t index = 0; index <= span >> (level + TILE_BUCKET_BITS); index++)
                vec_push(&keys, ((TileKey){ .track = track, .band = band, .level = level, .index = index }));
    vec_push(&keys, ((TileKey){ .track = 1, .band = TILE_FLOWS, .level = level }));
    vec_push(&keys, ((TileKey){ .track = 1, .level = TILE_MAX_LEVEL + 1 + 64 }));
    CHECK(!keys.bytes.failed);
    return keys;
}

/* Appends the tiles one by one. Returns the number of their entries. */
static uint64_t encode_singly(const Trace *trace, const Keys *keys, Bytes *out, LodReads *reads)
{
    uint64_t entries = 0;
    Bytes    bytes = { 0 };
    Tile     tile;
    for (size_t i = 0; i < vec_count(keys); i++) {
        Err err = { 0 };
        bytes_clear(&bytes);
        if (!tile_encode(trace, keys->items[i], &bytes, reads, &err)) bytes_clear(&bytes);
        wire_put_u32(out, (uint32_t)bytes.size);
        bytes_append(out, bytes.data, bytes.size);
        if (bytes.size == 0) continue;
        CHECK(tile_open(bytes.data, bytes.size, &tile));
        for (uint32_t r = 0; r < tile.row_count; r++)
            entries += tile_row(&tile, r).entry_count;
    }
    bytes_release(&bytes);
    return entries;
}

TEST(the_bytes_are_the_same_with_any_number_of_threads)
{
    enum { SHARED = 30000 }; /* so many entries are shared by threads */
    static const TraceShape shapes[] = { SHAPE_DENSE, SHAPE_NESTED, SHAPE_LANES, SHAPE_SPARSE, SHAPE_EMPTY };
    uint64_t                most = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        Trace *trace = shape_trace(shapes[s], 7, shapes[s] == SHAPE_NESTED ? 400000 : 20000);
        for (uint32_t windows = 1; windows <= 256; windows *= 16) {
            Keys           keys = keys_of(trace, windows);
            Bytes          expected = { 0 };
            LodReads       reads = { 0 };
            const uint64_t entries = encode_singly(trace, &keys, &expected, &reads);
            if (entries > most) most = entries;
            for (unsigned threads = 0; threads <= 5; threads++) {
                const TilesRequest request = { trace, NULL, keys.items, vec_count(&keys), threads };
                Bytes              out = { 0 };
                LodReads           read = { 0 };
                Err                err = { 0 };
                bytes_append_text(&out, "x"); /* it appends */
                CHECK_DONE(tiles_encode(&request, &out, &read, &err), err);
                CHECK_UINT(out.size, expected.size + 1);
                CHECK(memcmp(out.data + 1, expected.data, expected.size) == 0);
                CHECK(read.slices == reads.slices && read.nodes == reads.nodes);
                bytes_release(&out);
            }
            bytes_release(&expected);
            vec_release(&keys);
        }
        trace_release(trace);
    }
    CHECK(most > SHARED);
}

TEST_MAIN("tiles", TEST_CASE(the_bytes_are_the_same_with_any_number_of_threads))
