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

#endif
