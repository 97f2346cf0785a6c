/* format/varve/tiles.h - the parts of a `.varve` file that make it readable by ranges; docs/formats/varve.md describes them
 * byte by byte.
 *
 *   tiles    in blocks, between the arrays and the directory
 *   index    pages of TILES_PAGE_SPOTS spots: where each block is
 *   answers  between the directory and the head: the outline, the names and others, ready for the view
 *   head     where the answers and the pages of the index are
 *   trailer  64 bytes directly before the footer: where the head is
 *
 * The tiles are those of all levels from the root level, whose first window has the whole trace, down to the base level. At the
 * base level they are lists (trace/wire/tile_cut.h), of which all finer tiles are cut. The blocks are in the order of their
 * spots: coarser levels first; 2^TILES_CELL_BITS adjacent windows of a level are a cell, and in a cell the tiles of a track are
 * together. So the picture of a place is in one or two ranges.
 *
 * A file of the cache has only the coarsest levels: the picture of the whole trace. Its base level is the finest of them, and has
 * no lists. */
#ifndef FORMAT_VARVE_TILES_H
#define FORMAT_VARVE_TILES_H
#include "format/varve/layout.h"
#include "trace/wire/tile.h"

enum {
    TILES_VERSION = 1,
    TILES_COARSE_VERSION = 2, /* of a file with only the coarsest levels */
    TILES_COARSE_LEVELS = 4,  /* their number at most: the whole trace in 4096 buckets */
    TILES_CELL_BITS = 3,
    TILES_SPOT_BYTES = 48,
    TILES_PAGE_SPOTS = 256,
    TILES_BLOCK = 128 << 10,    /* a block has at least this number of decoded bytes, unless its cell ends */
    TILES_BLOCK_MOST = 1 << 28, /* a block with a single large tile */
    TILES_HEAD_BYTES = 32,
    TILES_ANSWER_BYTES = 64,
    TILES_REQUEST_BYTES = 31, /* of the request of an answer */
    TILES_TRAILER_BYTES = 64
};

extern const uint8_t TILES_TRAILER_MAGIC[8];  /* "VARVETIL" */
#define TILES_HEAD_MAGIC UINT32_C(0x4c495456) /* "VTIL" */

/* A block of tiles, or a page of the index, with the key of its first tile. */
typedef struct TileSpot {
    uint32_t   level, track, band;
    uint64_t   cell;
    VarveBlock block;
} TileSpot;

/* Compares the order of two keys in a file. */
int tile_spot_compare(const TileSpot *a, const TileSpot *b);
/* Append and read the bytes of a spot. tile_spot_read: `at` has TILES_SPOT_BYTES. */
void     tile_spot_put(const TileSpot *spot, Bytes *out);
TileSpot tile_spot_read(const uint8_t *at);
/* Returns the spot of a tile, without its block. */
TileSpot tile_spot_of(TileKey key);
/* Returns the level whose first window has the whole trace. */
uint32_t tiles_root_level(uint64_t span);

#endif
