/* How long the tiles of a frame take. */
#include "bench.h"

#include "trace/wire/tile_encode.h"

#include <stdlib.h>

enum { VIEWPORT_ROWS = 40, POSITIONS = 21 };

static const double VIEWPORT_PX = 1920;

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

/* The tiles of a band of a track's rows over [begin, end). */
static bool encode_band(const Trace *trace, TileKey key, uint64_t begin, uint64_t end, Bytes *out,
                        LodReads *reads, Err *err)
{
    unsigned shift = key.level + TILE_BUCKET_BITS;
    uint64_t last = shift >= 64 ? 0 : (end - 1) >> shift;
    for (key.index = shift >= 64 ? 0 : begin >> shift; key.index <= last; key.index++) {
        if (!tile_encode(trace, key, out, reads, err)) return false;
    }
    return true;
}

/* All tiles of the first rows that have slices. */
static bool encode_frame(const Trace *trace, uint64_t begin, uint64_t end, Bytes *out, LodReads *reads,
                         Err *err)
{
    uint32_t level = tile_level_for((double)(end - begin) / VIEWPORT_PX);
    uint32_t rows = 0;
    for (uint32_t t = 1; t <= trace->track_count && rows < VIEWPORT_ROWS; t++) {
        const Track *track = &trace->tracks[t];
        for (uint32_t row = 0; row < track_row_count(track) && rows < VIEWPORT_ROWS; row += TILE_BAND_ROWS) {
            TileKey key = { .track = t, .band = row / TILE_BAND_ROWS, .level = level };
            if (!encode_band(trace, key, begin, end, out, reads, err)) return false;
            uint32_t here = track_row_count(track) - row;
            rows += here < TILE_BAND_ROWS ? here : TILE_BAND_ROWS;
        }
    }
    return true;
}

static bool measure_zoom(const Trace *trace, double share, FrameSample *frame, Err *err)
{
    uint64_t span = (uint64_t)trace->end_tick - (uint64_t)trace->begin_tick + 1;
    uint64_t width = (uint64_t)((double)span * share);
    double   seconds[POSITIONS];
    Bytes    out = { 0 };
    if (width == 0) width = 1;
    if (width > span) width = span;
    for (unsigned i = 0; i < POSITIONS; i++) {
        uint64_t begin = (span - width) / (POSITIONS - 1) * i;
        double   start = bench_now();
        bytes_clear(&out);
        LodReads reads = { 0 };
        if (!encode_frame(trace, begin, begin + width, &out, &reads, err)) {
            bytes_release(&out);
            return false;
        }
        seconds[i] = bench_now() - start;
        if (i == POSITIONS / 2) {
            frame->tile_bytes = out.size;
            frame->entry_reads = reads.slices + reads.nodes;
        }
    }
    frame->seconds = bench_median(seconds, POSITIONS);
    bytes_release(&out);
    return true;
}

bool bench_frames(const Trace *trace, FrameSample frames[BENCH_ZOOMS], Err *err)
{
    if (!trace->has_time || trace->slices.count == 0) return true;
    for (size_t i = 0; i < BENCH_ZOOMS; i++) {
        if (!measure_zoom(trace, BENCH_ZOOM_SHARE[i], &frames[i], err)) return false;
    }
    return true;
}
