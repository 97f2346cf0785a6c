/* trace/wire/tile_layout.h - sizes of a tile's records, shared by tile.c and tile_encode.c; the layout itself is
 * described in trace/wire/tile.h. */
#ifndef TRACE_WIRE_TILE_LAYOUT_H
#define TRACE_WIRE_TILE_LAYOUT_H
#include "trace/wire/wire.h"

enum {
    TILE_HEADER_BYTES = 40,
    TILE_ROW_BYTES = 56,
    TILE_ENTRY_BYTES = 32,
    TILE_AGGREGATE_BYTES = 24,
    TILE_INSTANT_BYTES = 24,
    TILE_SAMPLE_BYTES = 40,
    TILE_FLOW_BYTES = 48,
    TILE_FLOW_COUNT_AT = 28
};

#define TILE_MAGIC UINT32_C(0x314c5456) /* "VTL1" */

#endif
