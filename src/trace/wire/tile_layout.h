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
    uint64_t first_slice, first_instant, first_sample; /* of the row */
} TileRowRecords;

/* Empties the records; their memory is reused. */
void tile_records_clear(TileRowRecords *records);
void tile_records_release(TileRowRecords *records);
/* Makes room for some entries and aggregates. False when out of memory: `entries` or `aggregates` has failed. */
static inline bool tile_records_reserve(TileRowRecords *records, uint32_t entries, uint32_t aggregates)
{
    return bytes_reserve(&records->entries, (size_t)entries * TILE_ENTRY_BYTES) != NULL &&
           bytes_reserve(&records->aggregates, (size_t)aggregates * TILE_AGGREGATE_BYTES) != NULL;
}

/* Appends an entry, for which there is room; of several slices also its aggregate. Begins and ticks here are from the begin of
 * the grid. */
static inline void tile_records_put_entry(TileRowRecords *records, const TileEntry *entry)
{
    uint8_t *room = records->entries.data + records->entries.size;
    bits_store_u32(room, (uint32_t)(entry->slice - records->first_slice));
    bits_store_u32(room + 4, entry->count);
    bits_store_u64(room + 8, entry->begin);
    bits_store_u64(room + 16, entry->extent);
    bits_store_u32(room + 24, entry->label);
    bits_store_u32(room + 28, entry->flags);
    records->entries.size += TILE_ENTRY_BYTES;
    if (entry->count == 1) return;
    room = records->aggregates.data + records->aggregates.size;
    bits_store_u64(room, entry->covered);
    bits_store_u64(room + 8, entry->longest_ticks);
    bits_store_u32(room + 16, (uint32_t)(entry->longest - records->first_slice));
    bits_store_u32(room + 20, 0);
    records->aggregates.size += TILE_AGGREGATE_BYTES;
}

void tile_records_put_instant(TileRowRecords *records, const TileInstant *instant);
void tile_records_put_sample(TileRowRecords *records, const TileSample *sample);
/* Appends the records to the tile that begins at `tile_start` of `out`, and writes the row's entry of the directory. */
void tile_put_records(const TileRowRecords *records, size_t tile_start, uint32_t row, Bytes *out);

#endif
