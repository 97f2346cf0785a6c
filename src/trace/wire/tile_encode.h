/* trace/wire/tile_encode.h - makes tiles (trace/wire/tile.h) and the overview from a trace. */
#ifndef TRACE_WIRE_TILE_ENCODE_H
#define TRACE_WIRE_TILE_ENCODE_H
#include "trace/store/filter.h"
#include "trace/wire/tile.h"

/* Appends the tile's bytes to `out`. False if the trace does not have the track, band, level or window, or when out of
 * memory. Reads O(buckets x log slices) entries of a row; their number is added to *reads, which may be NULL. */
bool tile_encode(const Trace *trace, TileKey key, Bytes *out, LodReads *reads, Err *err) WARN_UNUSED;
/* As tile_encode, of the events that a filter leaves visible (NULL = all). key.filter is copied into the tile for the
 * client. */
bool tile_encode_filtered(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, LodReads *reads,
                          Err *err) WARN_UNUSED;
typedef struct TilesRequest {
    const Trace   *trace;
    const Filter  *filter; /* NULL = all events */
    const TileKey *keys;
    size_t         count;
    unsigned       threads; /* most threads; 0 = default */
} TilesRequest;
/* Appends for each key the size of the tile (u32, little-endian; 0: there is no such tile) and the tile, as tile_encode_filtered
 * makes it. With enough work several threads share it; the bytes are the same. False when out of memory, or if a tile has 4 GiB. */
bool tiles_encode(const TilesRequest *request, Bytes *out, LodReads *reads, Err *err) WARN_UNUSED;
/* As tile_encode_filtered, with buckets of one tick whatever the level: every slice with a duration is an entry of its own, so
 * that tile_cut (trace/wire/tile_cut.h) can make all finer tiles of the window. Not for flows. Its size depends on the
 * number of events. */
bool tile_encode_list(const Trace *trace, const Filter *filter, TileKey key, Bytes *out,
                      Err *err) WARN_UNUSED;
/* Returns the level, at most `root`, for lists: about 1000 events of a row in a window around an average event, unless the tiles of
 * all coarser levels together would have more entries than the trace has events. */
uint32_t tile_list_level(const Trace *trace, uint32_t root);

#endif
