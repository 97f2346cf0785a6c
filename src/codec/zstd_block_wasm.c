#include "codec/zstd_block.h"

/* Implemented by the worker (web/src/wasm/zstd.ts). */
__attribute__((import_module("varve"), import_name("zstd_decode"))) bool
page_zstd_decode(const void *bytes, size_t size, void *out, size_t plain_size);

bool zstd_block_encode(const void *bytes, size_t size, Bytes *out)
{
    (void)bytes, (void)size;
    bytes_clear(out);
    return false;
}

bool zstd_block_decode(const void *bytes, size_t size, void *out, size_t plain_size)
{
    return page_zstd_decode(bytes, size, out, plain_size);
}
