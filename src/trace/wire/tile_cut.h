/* trace/wire/tile_cut.h - makes the tiles of a window from the list of its events, without a Trace.
 *
 * A list is a tile with buckets of one tick (tile_encode_list). It has every event of its window, so that all tiles of the
 * same level and of finer levels inside the window can be made of it. They are as from tile_encode, except for the label
 * of an aggregate when several labels have about the same part of it. */
#ifndef TRACE_WIRE_TILE_CUT_H
#define TRACE_WIRE_TILE_CUT_H
#include "base/arena.h"
#include "trace/wire/tile.h"

/* Appends the tile `key` to `out`: of the list's track and band, of its level or a finer one, inside its window.
 * idle_label: as Trace.idle_label. Of a tile of flows: the flows that begin or end in the window, or pass over it. False: not such a
 * key, or out of memory. */
bool tile_cut(const Tile *list, TileKey key, uint32_t idle_label, Bytes *out) WARN_UNUSED;

/* Orders the bytes of a tile for compression: of the records of each array the first bytes, then the second bytes, and so on;
 * ids and times as differences from the record before. The size stays the same. The tile is as tile_encode makes it: the
 * arrays follow the directory in its order. tile_unshuffle restores it; false: the bytes are not of such a tile. */
bool tile_shuffle(uint8_t *tile, size_t size, Bytes *scratch) WARN_UNUSED;
bool tile_unshuffle(uint8_t *tile, size_t size, Bytes *scratch) WARN_UNUSED;

#endif
