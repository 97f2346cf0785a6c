/* view/tile_cache.h - the tiles at hand, those on their way, and those a frame would like to have.
 *
 * A tile is in one of four states: wanted by the latest frame, under way (its wish was handed out), ready, or failed
 * (asked for again after a pause that doubles). Ready tiles are kept by use, up to a number of bytes; what the latest
 * frame used is never thrown away. */
#ifndef VIEW_TILE_CACHE_H
#define VIEW_TILE_CACHE_H
#include "base/arena.h"
#include "trace/tile.h"

typedef struct TileCache TileCache;

TileCache *tile_cache_create(size_t limit_bytes) WARN_UNUSED;
void       tile_cache_destroy(TileCache *cache);
void       tile_cache_clear(TileCache *cache);

/* Begins a frame: forgets wishes that were not taken. */
void tile_cache_begin_frame(TileCache *cache, double now_ms);
/* The tile if it is ready, else false. Marks it as used in this frame. Its bytes stay until the next put or clear. */
bool tile_cache_find(TileCache *cache, uint32_t trace, TileKey key, Tile *tile);
/* Asks for a tile that is not ready; wishes are taken in the order of these calls. */
void tile_cache_want(TileCache *cache, uint32_t trace, TileKey key);
/* False when there is none left. */
bool tile_cache_next_wish(TileCache *cache, uint32_t *trace, TileKey *key);
/* False when the bytes are not a tile, or memory ran out. Copies them. */
bool tile_cache_put(TileCache *cache, uint32_t trace, const void *bytes, size_t size);
void tile_cache_fail(TileCache *cache, uint32_t trace, TileKey key, double now_ms);
/* Tiles the latest frame asked for that may still come. */
uint32_t tile_cache_missing(const TileCache *cache);
size_t   tile_cache_bytes(const TileCache *cache);

#endif
