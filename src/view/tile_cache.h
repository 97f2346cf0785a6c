/* view/tile_cache.h - the tiles at hand, those on their way, and those a frame would like to have.
 *
 * A tile is in one of four states: wanted by the latest frame, under way (its wish was handed out), ready, or
 * failed (asked for again after a pause that doubles). Ready tiles are kept by use, up to a number of bytes;
 * what the latest frame used is never thrown away. Of a trace that grows, a tile may be stale: it goes on
 * being found until the one that a frame then wants in its place has come, so that nothing flickers. */
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
/* The tile if it is at hand, be it stale, else false. Marks it as used in this frame. Its bytes stay
 * until the next put or clear. Its lead is what must be added to that of the trace for these bytes: 0
 * unless the grid has moved since. */
bool tile_cache_find(TileCache *cache, uint32_t trace, TileKey key, Tile *tile);
/* Asks for a tile unless it is at hand and not stale; wishes are taken in the order of these calls. */
void tile_cache_want(TileCache *cache, uint32_t trace, TileKey key);
/* False when there is none left. */
bool tile_cache_next_wish(TileCache *cache, uint32_t *trace, TileKey *key);
/* False when the bytes are not a tile, or memory ran out. Copies them. */
bool tile_cache_put(TileCache *cache, uint32_t trace, const void *bytes, size_t size);
void tile_cache_fail(TileCache *cache, uint32_t trace, TileKey key, double now_ms);
/* What became of a track: its number now, 0 = it is gone, and whether nothing in it has changed. */
typedef struct TileTrack {
    uint32_t id;
    bool     is_same;
} TileTrack;
typedef TileTrack TrackNow(const void *context, uint32_t track);
/* What reaches beyond `from`, ticks from where the grid begins, has changed: tiles there are stale, and so
 * are those that are under way. But for tracks that are the same: there only arrows are. */
void tile_cache_expire(TileCache *cache, uint32_t trace, uint64_t from, TrackNow *now, const void *context);
/* The trace numbers its tracks anew. Tiles are stale but for those of tracks that are the same; those of
 * arrows are forgotten, and so is what is under way: it would answer to the old numbers. */
void tile_cache_renumber(TileCache *cache, uint32_t trace, TrackNow *now, const void *context);
/* The trace begins earlier, and the grid of its tiles `by` ticks earlier (modulo 2^64): tiles of levels of which
 * these are whole windows stay, under other indices; others are forgotten, and so is what is under way. */
void tile_cache_move(TileCache *cache, uint32_t trace, uint64_t by);
/* Tiles the latest frame asked for that may still come. */
uint32_t tile_cache_missing(const TileCache *cache);
size_t   tile_cache_bytes(const TileCache *cache);

#endif
