#include "format/varve/tiles.h"

#include "base/bits.h"
#include "base/cursor.h"

const uint8_t TILES_TRAILER_MAGIC[8] = { 'V', 'A', 'R', 'V', 'E', 'T', 'I', 'L' };

int tile_spot_compare(const TileSpot *a, const TileSpot *b)
{
    if (a->level != b->level) return a->level > b->level ? -1 : 1; /* coarser levels come first */
    if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
    if (a->track != b->track) return a->track < b->track ? -1 : 1;
    if (a->band != b->band) return a->band < b->band ? -1 : 1;
    return 0;
}

void tile_spot_put(const TileSpot *spot, Bytes *out)
{
    uint8_t bytes[TILES_SPOT_BYTES];
    bits_store_u32(bytes, spot->level);
    bits_store_u32(bytes + 4, spot->track);
    bits_store_u32(bytes + 8, spot->band);
    bits_store_u32(bytes + 12, spot->block.encoding);
    bits_store_u64(bytes + 16, spot->cell);
    bits_store_u64(bytes + 24, spot->block.offset);
    bits_store_u32(bytes + 32, spot->block.stored);
    bits_store_u32(bytes + 36, spot->block.plain);
    bits_store_u64(bytes + 40, spot->block.checksum);
    bytes_append(out, bytes, sizeof bytes);
}

TileSpot tile_spot_read(const uint8_t *at)
{
    ByteCursor c = cursor_over(at, TILES_SPOT_BYTES, 0);
    TileSpot   spot;
    spot.level = cursor_u32le(&c);
    spot.track = cursor_u32le(&c);
    spot.band = cursor_u32le(&c);
    spot.block.encoding = cursor_u32le(&c);
    spot.cell = cursor_u64le(&c);
    spot.block.offset = cursor_u64le(&c);
    spot.block.stored = cursor_u32le(&c);
    spot.block.plain = cursor_u32le(&c);
    spot.block.checksum = cursor_u64le(&c);
    return spot;
}

TileSpot tile_spot_of(TileKey key)
{
    return (TileSpot){
        .level = key.level, .track = key.track, .band = key.band, .cell = key.index >> TILES_CELL_BITS
    };
}

uint32_t tiles_root_level(uint64_t span)
{
    uint32_t level = 0;
    while (level < TILE_MAX_LEVEL && span >> level >= TILE_BUCKETS)
        level++;
    return level;
}
