#include "trace/wire/tile.h"

#include "trace/wire/tile_layout.h"

#include <assert.h>

uint64_t tile_window_begin(TileKey key)
{
    unsigned shift = key.level + TILE_BUCKET_BITS;
    return key.index > UINT64_MAX >> shift ? UINT64_MAX : key.index << shift;
}

uint64_t tile_window_end(TileKey key)
{
    key.index++;
    return tile_window_begin(key);
}

static uint64_t behind_lead(uint64_t offset, uint64_t lead)
{
    if (offset == UINT64_MAX) return offset; /* it is not the end of a window */
    return offset < lead ? 0 : offset - lead;
}

uint64_t tile_begin(TileKey key, uint64_t lead)
{
    return behind_lead(tile_window_begin(key), lead);
}

uint64_t tile_end(TileKey key, uint64_t lead)
{
    return behind_lead(tile_window_end(key), lead);
}

uint32_t tile_level_for(double ticks_per_px)
{
    uint32_t level = 0;
    double   bucket = 2;
    while (bucket <= ticks_per_px && level < TILE_MAX_LEVEL) {
        bucket *= 2;
        level++;
    }
    return level;
}

/* True if `count` records of `size` bytes are in the tile at `offset`. */
static bool fits(const Tile *tile, uint32_t offset, uint32_t count, size_t size)
{
    return offset <= tile->size && count <= (tile->size - offset) / size;
}

static bool check_row(const Tile *tile, const TileRow *row, uint64_t window_end)
{
    uint32_t aggregates = 0;
    uint64_t last = 0;
    for (uint32_t i = 0; i < row->entry_count; i++) {
        const uint8_t *e = row->entries + (size_t)i * TILE_ENTRY_BYTES;
        uint64_t       begin = bits_load_u64(e + 8), extent = bits_load_u64(e + 16);
        if (bits_load_u32(e + 4) == 0 || begin >= window_end || begin < last || extent > UINT64_MAX - begin)
            return false;
        if (bits_load_u32(e + 4) > 1) aggregates++;
        last = begin;
    }
    last = tile_window_begin(tile->key);
    for (uint32_t i = 0; i < row->instant_count; i++) {
        const uint8_t *t = row->instants + (size_t)i * TILE_INSTANT_BYTES;
        uint64_t       tick = bits_load_u64(t + 8);
        if (bits_load_u32(t + 4) == 0 || tick < last || tick >= window_end) return false;
        last = tick;
    }
    last = 0;
    for (uint32_t i = 0; i < row->sample_count; i++) {
        const uint8_t *s = row->samples + (size_t)i * TILE_SAMPLE_BYTES;
        uint64_t       tick = bits_load_u64(s + 8);
        if (bits_load_u32(s + 4) == 0 || tick < last || tick >= window_end) return false;
        last = tick;
    }
    return aggregates == row->aggregate_count;
}

static bool open_flows(Tile *tile)
{
    tile->flow_count = bits_load_u32(tile->bytes + TILE_FLOW_COUNT_AT);
    if (tile->row_count != 0 || !fits(tile, TILE_HEADER_BYTES, tile->flow_count, TILE_FLOW_BYTES))
        return false;
    for (uint32_t i = 0; i < tile->flow_count; i++)
        if (tile_flow(tile, i).count == 0) return false;
    return true;
}

bool tile_open(const void *bytes, size_t size, Tile *tile)
{
    const uint8_t *b = (const uint8_t *)bytes;
    *tile = (Tile){ .bytes = b, .size = size };
    if (size < TILE_HEADER_BYTES || size > UINT32_MAX || bits_load_u32(b) != TILE_MAGIC) return false;
    tile->key = (TileKey){ bits_load_u32(b + 4), bits_load_u32(b + 8), bits_load_u32(b + 12),
                           bits_load_u64(b + 16), bits_load_u32(b + 32) };
    tile->row_count = bits_load_u32(b + 24);
    if (tile->key.track == 0 || tile->key.level > TILE_MAX_LEVEL || tile->row_count > TILE_BAND_ROWS)
        return false;
    if (tile->key.band & TILE_FLOWS) return open_flows(tile);
    if (!fits(tile, TILE_HEADER_BYTES, tile->row_count, TILE_ROW_BYTES)) return false;
    for (uint32_t r = 0; r < tile->row_count; r++) {
        const uint8_t *d = b + TILE_HEADER_BYTES + (size_t)r * TILE_ROW_BYTES;
        if (!fits(tile, bits_load_u32(d), bits_load_u32(d + 4), TILE_ENTRY_BYTES) ||
            !fits(tile, bits_load_u32(d + 8), bits_load_u32(d + 12), TILE_AGGREGATE_BYTES) ||
            !fits(tile, bits_load_u32(d + 16), bits_load_u32(d + 20), TILE_INSTANT_BYTES) ||
            !fits(tile, bits_load_u32(d + 40), bits_load_u32(d + 44), TILE_SAMPLE_BYTES)) {
            return false;
        }
        TileRow row = tile_row(tile, r);
        if (!check_row(tile, &row, tile_window_end(tile->key))) return false;
    }
    return true;
}

TileRow tile_row(const Tile *tile, uint32_t row)
{
    assert(row < tile->row_count);
    const uint8_t *d = tile->bytes + TILE_HEADER_BYTES + (size_t)row * TILE_ROW_BYTES;
    return (TileRow){ .entries = tile->bytes + bits_load_u32(d),
                      .entry_count = bits_load_u32(d + 4),
                      .aggregates = tile->bytes + bits_load_u32(d + 8),
                      .aggregate_count = bits_load_u32(d + 12),
                      .instants = tile->bytes + bits_load_u32(d + 16),
                      .instant_count = bits_load_u32(d + 20),
                      .samples = tile->bytes + bits_load_u32(d + 40),
                      .sample_count = bits_load_u32(d + 44),
                      .first_slice = bits_load_u64(d + 24),
                      .first_instant = bits_load_u64(d + 32),
                      .first_sample = bits_load_u64(d + 48),
                      .lead = tile->lead };
}

/* Returns an offset from the trace's begin. With a lead, times in a tile are at most 2^63 ticks after the trace's
 * begin, and not before it. */
static uint64_t offset_at(const uint8_t *at, uint64_t lead)
{
    const uint64_t offset = bits_load_u64(at) - lead;
    return lead != 0 && offset > INT64_MAX ? 0 : offset;
}

bool tile_next(const TileRow *row, TileCursor *cursor, TileEntry *entry)
{
    if (cursor->entry >= row->entry_count) return false;
    const uint8_t *e = row->entries + (size_t)cursor->entry++ * TILE_ENTRY_BYTES;
    uint64_t       extent = bits_load_u64(e + 16), slice = row->first_slice + bits_load_u32(e);
    *entry = (TileEntry){ .slice = slice,
                          .count = bits_load_u32(e + 4),
                          .begin = offset_at(e + 8, row->lead),
                          .extent = extent,
                          .covered = extent,
                          .longest = slice,
                          .longest_ticks = extent,
                          .label = bits_load_u32(e + 24),
                          .flags = bits_load_u32(e + 28) };
    if (entry->count == 1) return true;
    const uint8_t *a = row->aggregates + (size_t)cursor->aggregate++ * TILE_AGGREGATE_BYTES;
    entry->covered = bits_load_u64(a);
    entry->longest_ticks = bits_load_u64(a + 8);
    entry->longest = row->first_slice + bits_load_u32(a + 16);
    return true;
}

TileInstant tile_instant(const TileRow *row, uint32_t i)
{
    assert(i < row->instant_count);
    const uint8_t *t = row->instants + (size_t)i * TILE_INSTANT_BYTES;
    return (TileInstant){ .instant = row->first_instant + bits_load_u32(t),
                          .count = bits_load_u32(t + 4),
                          .tick = offset_at(t + 8, row->lead),
                          .label = bits_load_u32(t + 16) };
}

TileSample tile_sample(const TileRow *row, uint32_t i)
{
    assert(i < row->sample_count);
    const uint8_t *s = row->samples + (size_t)i * TILE_SAMPLE_BYTES;
    return (TileSample){ .sample = row->first_sample + bits_load_u32(s),
                         .count = bits_load_u32(s + 4),
                         .tick = offset_at(s + 8, row->lead),
                         .least = bits_load_f64(s + 16),
                         .greatest = bits_load_f64(s + 24),
                         .last = bits_load_f64(s + 32) };
}

TileFlow tile_flow(const Tile *tile, uint32_t i)
{
    assert(i < tile->flow_count);
    const uint8_t *f = tile->bytes + TILE_HEADER_BYTES + (size_t)i * TILE_FLOW_BYTES;
    return (TileFlow){ .flow = bits_load_u32(f),
                       .count = bits_load_u32(f + 4),
                       .from = { offset_at(f + 8, tile->lead), bits_load_u32(f + 16), bits_load_u32(f + 20) },
                       .to = { offset_at(f + 24, tile->lead), bits_load_u32(f + 32), bits_load_u32(f + 36) },
                       .label = bits_load_u32(f + 40),
                       .flags = bits_load_u32(f + 44) };
}
