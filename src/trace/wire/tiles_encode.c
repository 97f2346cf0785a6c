/* The tiles of a request: trace/wire/tile_encode.h. */
#include "trace/wire/tiles_apart.h"
#include "trace/wire/wire.h"

enum { SIZE_BYTES = 4 }; /* before each tile */

bool tile_put_sized(const Trace *trace, const Filter *filter, TileKey key, Bytes *out, LodReads *reads,
                    Err *err)
{
    const size_t at = out->size;
    wire_put_u32(out, 0);
    if (!tile_encode_filtered(trace, filter, key, out, reads, err)) {
        if (err->code == ERR_MEMORY) return false;
        out->size = at + SIZE_BYTES;
        return true;
    }
    if (out->failed) return err_set(err, ERR_MEMORY, "out of memory for a tile");
    const size_t size = out->size - at - SIZE_BYTES;
    if (size > UINT32_MAX) return err_set(err, ERR_LIMIT, "a tile is too large");
    bits_store_u32(out->data + at, (uint32_t)size);
    return true;
}

bool tiles_encode(const TilesRequest *request, Bytes *out, LodReads *reads, Err *err)
{
    const unsigned threads = tiles_threads(request);
    if (threads > 1) return tiles_encode_apart(request, threads, out, reads, err);
    for (size_t i = 0; i < request->count; i++)
        if (!tile_put_sized(request->trace, request->filter, request->keys[i], out, reads, err)) return false;
    return true;
}
