/* view/tile_cache.h - the loaded tiles, the requested tiles, and the needs of the last frame.
 *
 * A tile is in one of four states: wanted by the last frame; requested; ready; or failed, and requested again after a
 * pause that doubles. Ready tiles are evicted by last use, above a limit in bytes, but never a tile that the last frame
 * used. In a growing trace a tile may be stale: it is still found until its replacement arrives, so that the picture
 * does not flicker. */
#ifndef VIEW_TILE_CACHE_H
#define VIEW_TILE_CACHE_H
#include "base/arena.h"
#include "trace/wire/tile.h"

typedef struct TileCache TileCache;

TileCache *tile_cache_create(size_t limit_bytes) WARN_UNUSED;
void       tile_cache_destroy(TileCache *cache);
void       tile_cache_clear(TileCache *cache);

/* Begins a frame: drops tile requests that were not taken. */
void tile_cache_begin_frame(TileCache *cache, double now_ms);
/* Finds a loaded tile, which may be stale, and marks it as used in this frame. Its bytes are valid until the next put or
 * clear; `load` tells them from those of every other tile of the cache. Its lead must be added to the trace's for these
 * bytes: 0 unless the grid has moved since. False if not loaded. */
bool tile_cache_find(TileCache *cache, uint32_t trace, TileKey key, Tile *tile);
/* Adds a tile request, unless the tile is loaded and not stale. Requests are taken in the order of these calls. */
void tile_cache_want(TileCache *cache, uint32_t trace, TileKey key);
/* Takes the next tile request. False if no request is left. */
bool tile_cache_next_request(TileCache *cache, uint32_t *trace, TileKey *key);
/* Takes the bytes of a tile, which become empty; *tile is valid until the next call. False, without effect, if they are not a
 * tile, or memory is out. */
bool tile_cache_take(TileCache *cache, uint32_t trace, Bytes *bytes, Tile *tile) WARN_UNUSED;
void tile_cache_fail(TileCache *cache, uint32_t trace, TileKey key, double now_ms);
/* The new state of a track: its number, 0 = removed, and whether its content is unchanged. */
typedef struct TileTrack {
    uint32_t id;
    bool     is_same;
} TileTrack;
typedef TileTrack TrackNow(const void *context, uint32_t track);
/* Marks the tiles beyond `from` as stale, loaded or requested. `from` is in ticks from the begin of the grid. Of
 * unchanged tracks only the tiles with arrows become stale. */
void tile_cache_expire(TileCache *cache, uint32_t trace, uint64_t from, TrackNow *now, const void *context);
/* Renumbers the tracks of a trace. Tiles become stale, except those of unchanged tracks. Tiles with arrows and
 * requested tiles are dropped, because they have the old numbers. */
void tile_cache_renumber(TileCache *cache, uint32_t trace, TrackNow *now, const void *context);
/* Moves the begin of the grid `by` ticks earlier (modulo 2^64). Tiles stay, with new indices, on levels where `by` is a
 * multiple of a tile's width. Others are dropped, and so are requested ones. */
void tile_cache_move(TileCache *cache, uint32_t trace, uint64_t by);
/* Drops the tiles and requests of a trace. The traces after it move by one number, and their tiles stay. */
void tile_cache_remove_trace(TileCache *cache, uint32_t trace);
/* Returns the number of tiles that the last frame needs and that may still arrive. */
uint32_t tile_cache_missing(const TileCache *cache);
size_t   tile_cache_bytes(const TileCache *cache);

#endif
