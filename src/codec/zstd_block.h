/* codec/zstd_block.h - compresses and decompresses single blocks with zstd (RFC 8878), each a frame of its own.
 *
 * In the browser build the page decompresses (zstd_block_wasm.c), and nothing is compressed. */
#ifndef CODEC_ZSTD_BLOCK_H
#define CODEC_ZSTD_BLOCK_H
#include "base/arena.h"

/* Replaces the content of `out` by the compressed bytes. Returns false if they would not be smaller than `size`, or when out
 * of memory. Thread-safe. */
bool zstd_block_encode(const void *bytes, size_t size, Bytes *out) WARN_UNUSED;
/* Decompresses a frame to exactly `plain_size` bytes. Returns false if the frame is damaged or has another size. Never
 * writes beyond `plain_size`. Thread-safe. */
bool zstd_block_decode(const void *bytes, size_t size, void *out, size_t plain_size) WARN_UNUSED;

#endif
