#include "codec/zstd_block.h"

#include <zstd.h>

enum { LEVEL = 3 };

bool zstd_block_encode(const void *bytes, size_t size, Bytes *out)
{
    const size_t room = ZSTD_compressBound(size);
    bytes_clear(out);
    void *packed = bytes_reserve(out, room);
    if (packed == NULL) return false;
    const size_t packed_size = ZSTD_compress(packed, room, bytes, size, LEVEL);
    if (ZSTD_isError(packed_size) || packed_size >= size) return false;
    bytes_grow(out, packed_size);
    return true;
}

bool zstd_block_decode(const void *bytes, size_t size, void *out, size_t plain_size)
{
    return ZSTD_decompress(out, plain_size, bytes, size) == plain_size;
}
