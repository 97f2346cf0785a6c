/* The order of a tile's bytes in a file. */
#include "trace/wire/tile_cut.h"
#include "trace/wire/tile_layout.h"

/* A member of a record of which the difference from the record before is stored; bytes 0 ends the list. */
typedef struct Ascending {
    size_t at, bytes;
} Ascending;

enum { MOST_ASCENDING = 4 };

typedef struct RecordKind {
    size_t    bytes;
    Ascending ascending[MOST_ASCENDING];
} RecordKind;

static const RecordKind ENTRIES = { TILE_ENTRY_BYTES, { { 0, 4 }, { 8, 8 } } };
static const RecordKind AGGREGATES = { TILE_AGGREGATE_BYTES, { { 16, 4 } } };
static const RecordKind INSTANTS = { TILE_INSTANT_BYTES, { { 0, 4 }, { 8, 8 } } };
static const RecordKind SAMPLES = { TILE_SAMPLE_BYTES, { { 0, 4 }, { 8, 8 } } };
static const RecordKind FLOWS = { TILE_FLOW_BYTES, { { 0, 4 }, { 8, 8 }, { 24, 8 } } };

typedef enum { SHUFFLE, UNSHUFFLE } Direction;

static void add(uint8_t *at, size_t bytes, const uint8_t *other, Direction direction)
{
    if (bytes == 4) {
        const uint32_t a = bits_load_u32(at), b = bits_load_u32(other);
        bits_store_u32(at, direction == SHUFFLE ? a - b : a + b);
    } else {
        const uint64_t a = bits_load_u64(at), b = bits_load_u64(other);
        bits_store_u64(at, direction == SHUFFLE ? a - b : a + b);
    }
}

/* Orders `count` records. `scratch` has room for them. */
static void order(const RecordKind *kind, uint8_t *records, size_t count, Direction direction,
                  uint8_t *scratch)
{
    const size_t bytes = kind->bytes;
    if (count == 0) return;
    memcpy(scratch, records, bytes * count);
    if (direction == UNSHUFFLE) {
        for (size_t b = 0; b < bytes; b++)
            for (size_t i = 0; i < count; i++)
                records[i * bytes + b] = scratch[b * count + i];
        for (size_t i = 1; i < count; i++)
            for (const Ascending *a = kind->ascending; a->bytes > 0; a++)
                add(records + i * bytes + a->at, a->bytes, records + (i - 1) * bytes + a->at, direction);
        return;
    }
    for (size_t i = count - 1; i > 0; i--)
        for (const Ascending *a = kind->ascending; a->bytes > 0; a++)
            add(scratch + i * bytes + a->at, a->bytes, scratch + (i - 1) * bytes + a->at, direction);
    for (size_t b = 0; b < bytes; b++)
        for (size_t i = 0; i < count; i++)
            records[b * count + i] = scratch[i * bytes + b];
}

/* Orders the array that the directory describes at `entry`; *at: its expected place, then that of the next one. */
static bool order_array(const RecordKind *kind, const uint8_t *entry, uint8_t *tile, size_t size, size_t *at,
                        Direction direction, uint8_t *scratch)
{
    const uint32_t place = bits_load_u32(entry), count = bits_load_u32(entry + 4);
    if (place != *at || count > (size - *at) / kind->bytes) return false;
    order(kind, tile + place, count, direction, scratch);
    *at += (size_t)count * kind->bytes;
    return true;
}

static bool order_tile(uint8_t *tile, size_t size, Direction direction, Bytes *scratch)
{
    if (size < TILE_HEADER_BYTES || size > UINT32_MAX) return false;
    bytes_clear(scratch);
    uint8_t       *room = bytes_reserve(scratch, size);
    const uint32_t rows = bits_load_u32(tile + 24), flows = bits_load_u32(tile + TILE_FLOW_COUNT_AT);
    size_t         at = TILE_HEADER_BYTES;
    if (room == NULL) return false;
    if (rows > (size - at) / TILE_ROW_BYTES) return false;
    at += (size_t)rows * TILE_ROW_BYTES;
    if (flows > 0 && (rows > 0 || flows > (size - at) / TILE_FLOW_BYTES)) return false;
    order(&FLOWS, tile + at, flows, direction, room);
    at += (size_t)flows * TILE_FLOW_BYTES;
    for (uint32_t r = 0; r < rows; r++) {
        const uint8_t *entry = tile + TILE_HEADER_BYTES + (size_t)r * TILE_ROW_BYTES;
        if (!order_array(&ENTRIES, entry, tile, size, &at, direction, room) ||
            !order_array(&AGGREGATES, entry + 8, tile, size, &at, direction, room) ||
            !order_array(&INSTANTS, entry + 16, tile, size, &at, direction, room) ||
            !order_array(&SAMPLES, entry + 40, tile, size, &at, direction, room))
            return false;
    }
    return at == size;
}

bool tile_shuffle(uint8_t *tile, size_t size, Bytes *scratch)
{
    return order_tile(tile, size, SHUFFLE, scratch);
}

bool tile_unshuffle(uint8_t *tile, size_t size, Bytes *scratch)
{
    return order_tile(tile, size, UNSHUFFLE, scratch);
}
