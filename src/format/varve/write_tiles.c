/* The tiles of a `.varve` file: format/varve/tiles.h. */
#include "base/bits.h"
#include "format/varve/tiles.h"
#include "format/varve/write_file.h"
#include "trace/store/lookup.h"
#include "trace/wire/tile_cut.h"
#include "trace/wire/tile_encode.h"

#include <string.h>

/* ---- blocks ---- */

typedef struct Blocks {
    WriteFile    *file;
    const Trace  *trace;
    const Filter *filter;
    uint32_t      list_level; /* UINT32_MAX: no level has lists */
    WriteBlock    blocks[WRITE_BATCH];
    Bytes         plain[WRITE_BATCH];
    TileSpot      keys[WRITE_BATCH];
    size_t        count; /* of the begun blocks */
    VEC(TileSpot) spots; /* of the written ones */
    Bytes tile, scratch;
} Blocks;

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the tiles");
}

static bool flush(Blocks *blocks, Err *err)
{
    static const TraceArray BYTES = { .name = "tiles", .type = ARRAY_U8 };
    for (size_t i = 0; i < blocks->count; i++) {
        WriteBlock *block = &blocks->blocks[i];
        if (blocks->plain[i].failed) return no_memory(err);
        block->array = &BYTES;
        block->packing = VARVE_PACKED;
        block->items = blocks->plain[i].data;
        block->size = blocks->plain[i].size;
    }
    write_encode(blocks->blocks, blocks->count, blocks->file->options->threads);
    for (size_t i = 0; i < blocks->count; i++) {
        TileSpot *spot = &blocks->keys[i];
        if (!write_block(blocks->file, &blocks->blocks[i], &spot->block, err)) return false;
        vec_push(&blocks->spots, *spot);
        bytes_clear(&blocks->plain[i]);
    }
    blocks->count = 0;
    return true;
}

/* Returns the bytes of the block that takes the next tile, at `spot`. NULL: err filled. */
static Bytes *block_for(Blocks *blocks, const TileSpot *spot, Err *err)
{
    if (blocks->count > 0) {
        const TileSpot *last = &blocks->keys[blocks->count - 1];
        Bytes          *plain = &blocks->plain[blocks->count - 1];
        if (last->level == spot->level && last->cell == spot->cell && plain->size < TILES_BLOCK) return plain;
    }
    if (blocks->count == WRITE_BATCH && !flush(blocks, err)) return NULL;
    blocks->keys[blocks->count] = *spot;
    return &blocks->plain[blocks->count++];
}

static bool is_empty(const Tile *tile)
{
    for (uint32_t r = 0; r < tile->row_count; r++) {
        const TileRow row = tile_row(tile, r);
        if (row.entry_count + row.instant_count + row.sample_count > 0) return false;
    }
    return tile->flow_count == 0;
}

/* Adds a tile, unless it has no events. */
static bool add_tile(Blocks *blocks, TileKey key, Err *err)
{
    Bytes *out = &blocks->tile;
    Tile   tile;
    bytes_clear(out);
    const bool is_list = key.level == blocks->list_level && (key.band & TILE_FLOWS) == 0;
    const bool done = is_list ? tile_encode_list(blocks->trace, blocks->filter, key, out, err)
                              : tile_encode_filtered(blocks->trace, blocks->filter, key, out, NULL, err);
    if (!done) return false;
    if (out->size > TILES_BLOCK_MOST - TILES_BLOCK || !tile_open(out->data, out->size, &tile))
        return err_set(err, ERR_LIMIT, "too many events of track %u at one time for tiles", key.track);
    if (is_empty(&tile)) return true;
    const TileSpot spot = tile_spot_of(key);
    Bytes         *plain = block_for(blocks, &spot, err);
    if (plain == NULL) return false;
    uint8_t size[4];
    bits_store_u32(size, (uint32_t)out->size);
    if (!tile_shuffle(out->data, out->size, &blocks->scratch)) return no_memory(err);
    bytes_append(plain, size, sizeof size);
    bytes_append(plain, out->data, out->size);
    return true;
}

/* Adds the tiles of a band of a track in a cell. */
static bool add_band(Blocks *blocks, TileKey key, uint64_t window_end, Err *err)
{
    const uint64_t cell_end = key.index + (1 << TILES_CELL_BITS);
    for (; key.index < cell_end && key.index < window_end; key.index++)
        if (!add_tile(blocks, key, err)) return false;
    return true;
}

static bool add_track(Blocks *blocks, TileKey key, uint64_t window_end, Err *err)
{
    const uint32_t rows = track_row_count(&blocks->trace->tracks[key.track]);
    const uint32_t bands = (rows + TILE_BAND_ROWS - 1) / TILE_BAND_ROWS;
    for (key.band = 0; key.band < bands; key.band++)
        if (!add_band(blocks, key, window_end, err)) return false;
    if (trace_flow_count(blocks->trace) == 0) return true;
    for (key.band = TILE_FLOWS; key.band < TILE_FLOWS + (bands > 0 ? bands : 1); key.band++)
        if (!add_band(blocks, key, window_end, err)) return false;
    return true;
}

static bool add_level(Blocks *blocks, uint32_t level, uint64_t span, Err *err)
{
    const uint64_t windows = (span >> (level + TILE_BUCKET_BITS)) + 1;
    TileKey        key = { .level = level };
    for (; key.index < windows; key.index += 1 << TILES_CELL_BITS)
        for (key.track = 1; key.track <= blocks->trace->track_count; key.track++)
            if (!add_track(blocks, key, windows, err)) return false;
    return true;
}

/* ---- index and head ---- */

static bool write_index(Blocks *blocks, Bytes *roots, Err *err)
{
    const size_t count = vec_count(&blocks->spots);
    Bytes        page = { 0 };
    bool         done = !blocks->spots.bytes.failed || no_memory(err);
    for (size_t i = 0; done && i < count;) {
        TileSpot root = blocks->spots.items[i];
        bytes_clear(&page);
        for (size_t end = i + TILES_PAGE_SPOTS; i < end && i < count; i++)
            tile_spot_put(&blocks->spots.items[i], &page);
        if (page.failed) {
            done = no_memory(err);
            break;
        }
        root.block = (VarveBlock){ .offset = blocks->file->at,
                                   .stored = (uint32_t)page.size,
                                   .plain = (uint32_t)page.size,
                                   .encoding = VARVE_RAW,
                                   .checksum = trace_file_checksum(page.data, page.size) };
        tile_spot_put(&root, roots);
        done = write_bytes(blocks->file, page.data, page.size, err);
    }
    bytes_release(&page);
    return done;
}

/* Returns the finest level of a file with only the coarsest levels. They have no more entries than the trace has events, as those
 * above the level of the lists. */
static uint32_t coarse_level(uint32_t root, uint32_t list_level)
{
    const uint32_t least = root < TILES_COARSE_LEVELS ? 0 : root - TILES_COARSE_LEVELS + 1;
    if (list_level == root) return root;
    return list_level + 1 > least ? list_level + 1 : least;
}

bool write_tiles(WriteFile *file, WriteTiles *tiles, Err *err)
{
    const Trace   *trace = file->loaded->trace;
    const uint64_t span = trace_span(trace);
    Blocks         blocks = { .file = file, .trace = trace, .filter = file->options->tiles->filter };
    tiles->root_level = tiles_root_level(span);
    tiles->base_level = blocks.list_level = tile_list_level(trace, tiles->root_level);
    if (file->options->tiles->levels == VARVE_COARSE_LEVELS) {
        tiles->base_level = coarse_level(tiles->root_level, blocks.list_level);
        blocks.list_level = UINT32_MAX;
    }
    bool done = trace->lead == 0 || err_set(err, ERR_USAGE, "varve: a growing trace has no tiles");
    for (uint32_t level = tiles->root_level + 1; done && level > tiles->base_level; level--)
        done = add_level(&blocks, level - 1, span, err);
    done = done && flush(&blocks, err) && write_index(&blocks, &tiles->roots, err);
    write_blocks_release(blocks.blocks, WRITE_BATCH);
    for (size_t i = 0; i < WRITE_BATCH; i++)
        bytes_release(&blocks.plain[i]);
    vec_release(&blocks.spots);
    bytes_release(&blocks.tile);
    bytes_release(&blocks.scratch);
    return done;
}

/* Appends an answer to the file, and its entry to the head. */
static bool write_answer(WriteFile *file, const VarveAnswer *answer, Bytes *head, Err *err)
{
    static const TraceArray BYTES = { .name = "answer", .type = ARRAY_U8 };
    uint8_t                 entry[TILES_ANSWER_BYTES] = { 0 };
    VarveBlock              place;
    const size_t            name = strlen(answer->request);
    WriteBlock              block = { .array = &BYTES,
                                      .packing = VARVE_PACKED,
                                      .items = (const uint8_t *)answer->body.bytes,
                                      .size = answer->body.size };
    if (name > TILES_REQUEST_BYTES || answer->body.size > TILES_BLOCK_MOST)
        return err_set(err, ERR_LIMIT, "the answer to %.40s is too large for tiles", answer->request);
    write_encode(&block, 1, 1);
    const bool done = write_block(file, &block, &place, err);
    write_blocks_release(&block, 1);
    if (!done) return false;
    memcpy(entry, answer->request, name);
    bits_store_u64(entry + 32, place.offset);
    bits_store_u32(entry + 40, place.stored);
    bits_store_u32(entry + 44, place.plain);
    bits_store_u32(entry + 48, place.encoding);
    bits_store_u64(entry + 56, place.checksum);
    bytes_append(head, entry, sizeof entry);
    return true;
}

bool write_tiles_head(WriteFile *file, const WriteTiles *tiles, Err *err)
{
    const VarveTiles *options = file->options->tiles;
    const uint64_t    front = file->at;
    uint8_t           start[TILES_HEAD_BYTES] = { 0 }, trailer[TILES_TRAILER_BYTES] = { 0 };
    Bytes             head = { 0 };
    bits_store_u32(start, TILES_HEAD_MAGIC);
    bits_store_u32(start + 4, options->levels == VARVE_COARSE_LEVELS ? TILES_COARSE_VERSION : TILES_VERSION);
    bits_store_u32(start + 8, tiles->base_level);
    bits_store_u32(start + 12, tiles->root_level);
    bits_store_u32(start + 16, file->loaded->trace->idle_label);
    bits_store_u32(start + 20, (uint32_t)options->answer_count);
    bits_store_u32(start + 24, (uint32_t)(tiles->roots.size / TILES_SPOT_BYTES));
    bytes_append(&head, start, sizeof start);
    bool done = true;
    for (size_t i = 0; done && i < options->answer_count; i++)
        done = write_answer(file, &options->answers[i], &head, err);
    bytes_append(&head, tiles->roots.data, tiles->roots.size);
    done = done && ((!head.failed && !tiles->roots.failed) || no_memory(err));
    if (done) {
        memcpy(trailer, TILES_TRAILER_MAGIC, sizeof TILES_TRAILER_MAGIC);
        bits_store_u64(trailer + 8, front);
        bits_store_u64(trailer + 16, file->at);
        bits_store_u64(trailer + 24, head.size);
        bits_store_u64(trailer + 32, trace_file_checksum(head.data, head.size));
        bits_store_u64(trailer + 40, file->at + head.size + TILES_TRAILER_BYTES + VARVE_FOOTER_BYTES);
        bits_store_u64(trailer + 56, trace_file_checksum(trailer, 56));
        done =
            write_bytes(file, head.data, head.size, err) && write_bytes(file, trailer, sizeof trailer, err);
    }
    bytes_release(&head);
    return done;
}
