/* trace/wire/flow_tile.h - makes tiles of arrows (trace/wire/tile.h). For src/trace only: tile_encode makes all tiles. */
#ifndef TRACE_WIRE_FLOW_TILE_H
#define TRACE_WIRE_FLOW_TILE_H
#include "trace/store/filter.h"
#include "trace/wire/tile.h"

/* Appends a tile of arrows; key.band has TILE_FLOWS. As tile_encode_filtered; reads a limited number of arrows for each
 * row. */
bool flow_tile_encode(const Trace *trace, const Filter *filter, TileKey key, Bytes *out,
                      Err *err) WARN_UNUSED;

#endif
