/* trace/tile_encode.h - makes tiles (trace/tile.h) and the overview from a trace. */
#ifndef TRACE_TILE_ENCODE_H
#define TRACE_TILE_ENCODE_H
#include "trace/filter.h"
#include "trace/tile.h"

/* Appends the tile's bytes to `out`. False for a track, band, level or window the trace does not have, or when
 * out of memory. Reads O(buckets x log slices) entries a row; they are added to *reads, which may be NULL. */
bool tile_encode(const Trace *trace, TileKey key, Bytes *out, LodReads *reads, Err *err) WARN_UNUSED;
/* The same of what a filter leaves visible (NULL = everything). key.filter is only copied: it tells the asker which. */
bool tile_encode_filtered(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, LodReads *reads,
                          Err *err) WARN_UNUSED;

#endif
