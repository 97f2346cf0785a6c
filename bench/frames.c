/* How long the tiles of a frame take. */
#include "bench.h"

#include "base/vec.h"
#include "trace/wire/tile_encode.h"

#include <stdlib.h>

enum { VIEWPORT_ROWS = 40, POSITIONS = 21 };

static const double VIEWPORT_PX = 1920;

typedef VEC(TileKey) TileKeys;

const double BENCH_ZOOM_SHARE[BENCH_ZOOMS] = { 1, 0.1, 0.01, 0.001, 0.0001 };

double bench_median(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) { /* few values */
        double value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Adds the keys of the tiles of a band of a track's rows over [begin, end). */
static void add_band(TileKey key, uint64_t begin, uint64_t end, TileKeys *keys)
{
    unsigned shift = key.level + TILE_BUCKET_BITS;
    uint64_t last = shift >= 64 ? 0 : (end - 1) >> shift;
    for (key.index = shift >= 64 ? 0 : begin >> shift; key.index <= last; key.index++)
        vec_push(keys, key);
}

/* Finds all tiles of the first rows that have slices. */
static void find_tiles(const Trace *trace, uint64_t begin, uint64_t end, TileKeys *keys)
{
    uint32_t level = tile_level_for((double)(end - begin) / VIEWPORT_PX);
    uint32_t rows = 0;
    for (uint32_t t = 1; t <= trace->track_count && rows < VIEWPORT_ROWS; t++) {
        const Track *track = &trace->tracks[t];
        for (uint32_t row = 0; row < track_row_count(track) && rows < VIEWPORT_ROWS; row += TILE_BAND_ROWS) {
            add_band((TileKey){ .track = t, .band = row / TILE_BAND_ROWS, .level = level }, begin, end, keys);
            uint32_t here = track_row_count(track) - row;
            rows += here < TILE_BAND_ROWS ? here : TILE_BAND_ROWS;
        }
    }
}

static bool measure_zoom(const Trace *trace, unsigned threads, double share, FrameSample *frame, Err *err)
{
    uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick + 1;
    uint64_t width = (uint64_t)((double)span * share);
    double   seconds[POSITIONS];
    Bytes    out = { 0 };
    TileKeys keys = { 0 };
    bool     done = true;
    if (width == 0) width = 1;
    if (width > span) width = span;
    for (unsigned i = 0; done && i < POSITIONS; i++) {
        uint64_t begin = (span - width) / (POSITIONS - 1) * i;
        LodReads reads = { 0 };
        vec_clear(&keys);
        find_tiles(trace, begin, begin + width, &keys);
        const TilesRequest request = { trace, NULL, keys.items, vec_count(&keys), threads };
        double             start = bench_now();
        bytes_clear(&out);
        done = tiles_encode(&request, &out, &reads, err);
        seconds[i] = bench_now() - start;
        if (i == POSITIONS / 2) {
            frame->tile_bytes = out.size;
            frame->entry_reads = reads.slices + reads.nodes;
        }
    }
    if (done) frame->seconds = bench_median(seconds, POSITIONS);
    vec_release(&keys);
    bytes_release(&out);
    return done;
}

bool bench_frames(const Trace *trace, unsigned threads, FrameSample frames[BENCH_ZOOMS], Err *err)
{
    if (!trace->has_time || trace->slices.count == 0) return true;
    for (size_t i = 0; i < BENCH_ZOOMS; i++) {
        if (!measure_zoom(trace, threads, BENCH_ZOOM_SHARE[i], &frames[i], err)) return false;
    }
    return true;
}
