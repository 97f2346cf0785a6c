/* trace/wire/tiles_apart.h - the tiles of a request by several threads, for tiles_encode. The browser build has tiles_apart_none.c
 * instead. */
#ifndef TRACE_WIRE_TILES_APART_H
#define TRACE_WIRE_TILES_APART_H
#include "trace/wire/tile_encode.h"

/* Appends the size and the bytes of a tile. If there is no such tile, the size is 0. */
bool tile_put_sized(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, LodReads *reads,
                    Err *err) WARN_UNUSED;

/* Returns the number of threads that have enough work to do. */
unsigned tiles_threads(const TilesRequest *request);
/* As tiles_encode, by `threads` > 1 threads. Each tile has memory of its own; they are joined in the order of the keys. */
bool tiles_encode_apart(const TilesRequest *request, unsigned threads, Bytes *out, LodReads *reads,
                        Err *err) WARN_UNUSED;

#endif
