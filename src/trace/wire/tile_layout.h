/* trace/wire/tile_layout.h - sizes of a tile's records, and the making of their bytes, for src/trace/wire; the layout itself is described in
 * trace/wire/tile.h. */
#ifndef TRACE_WIRE_TILE_LAYOUT_H
#define TRACE_WIRE_TILE_LAYOUT_H
#include "trace/wire/tile.h"
#include "trace/wire/wire.h"

enum {
    TILE_HEADER_BYTES = 40,
    TILE_ROW_BYTES = 56,
    TILE_ENTRY_BYTES = 32,
    TILE_AGGREGATE_BYTES = 24,
    TILE_INSTANT_BYTES = 24,
    TILE_SAMPLE_BYTES = 40,
    TILE_FLOW_BYTES = 48,
    TILE_FLOW_COUNT_AT = 28,
    TILE_FILTER_AT = 32
};

#define TILE_MAGIC UINT32_C(0x314c5456) /* "VTL1" */

/* Appends the header of a tile, with `row_count` empty entries of its directory. */
void tile_put_header(TileKey key, uint32_t row_count, Bytes *out);

/* The records of one row of a tile that is being made. */
typedef struct TileRowRecords {
    Bytes    entries, aggregates, instants, samples;
    uint64_t first_slice, first_instant, first_sample;
} TileRowRecords;

/* Empties the records; their memory is reused. */
void tile_records_clear(TileRowRecords *records);
void tile_records_release(TileRowRecords *records);
/* Appends the records to the tile that begins at `tile_start` of `out`, and writes the row's entry of the directory. */
void tile_put_records(const TileRowRecords *records, size_t tile_start, uint32_t row, Bytes *out);

#endif
