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

/* A tile while its arrays are ordered. */
typedef struct TileOrder {
    uint8_t  *tile, *scratch; /* the latter with room for the former */
    size_t    size, at;       /* the place of the next array */
    Direction direction;
} TileOrder;

/* Orders the next array, which has `count` records. */
static void order_next(TileOrder *o, const RecordKind *kind, size_t count)
{
    order(kind, o->tile + o->at, count, o->direction, o->scratch);
    o->at += count * kind->bytes;
}

/* Orders the next array, which the directory describes at `entry`. False: it is elsewhere, or beyond the end. */
static bool order_array(TileOrder *o, const RecordKind *kind, const uint8_t *entry)
{
    const uint32_t place = bits_load_u32(entry), count = bits_load_u32(entry + 4);
    if (place != o->at || count > (o->size - o->at) / kind->bytes) return false;
    order_next(o, kind, count);
    return true;
}

static bool order_tile(uint8_t *tile, size_t size, Direction direction, Bytes *scratch)
{
    if (size < TILE_HEADER_BYTES || size > UINT32_MAX) return false;
    bytes_clear(scratch);
    TileOrder      o = { .tile = tile,
                         .scratch = bytes_reserve(scratch, size),
                         .size = size,
                         .at = TILE_HEADER_BYTES,
                         .direction = direction };
    const uint32_t rows = bits_load_u32(tile + 24), flows = bits_load_u32(tile + TILE_FLOW_COUNT_AT);
    if (o.scratch == NULL) return false;
    if (rows > (size - o.at) / TILE_ROW_BYTES) return false;
    o.at += (size_t)rows * TILE_ROW_BYTES;
    if (flows > 0 && (rows > 0 || flows > (size - o.at) / TILE_FLOW_BYTES)) return false;
    order_next(&o, &FLOWS, flows);
    for (uint32_t r = 0; r < rows; r++) {
        const uint8_t *entry = tile + TILE_HEADER_BYTES + (size_t)r * TILE_ROW_BYTES;
        if (!order_array(&o, &ENTRIES, entry) || !order_array(&o, &AGGREGATES, entry + 8) ||
            !order_array(&o, &INSTANTS, entry + 16) || !order_array(&o, &SAMPLES, entry + 40))
            return false;
    }
    return o.at == size;
}

bool tile_shuffle(uint8_t *tile, size_t size, Bytes *scratch)
{
    return order_tile(tile, size, SHUFFLE, scratch);
}

bool tile_unshuffle(uint8_t *tile, size_t size, Bytes *scratch)
{
    return order_tile(tile, size, UNSHUFFLE, scratch);
}
