/* codec/snappy.h - raw Snappy blocks, the unit of apitrace's container.
 *
 * A block is a varint (its plain size) followed by elements. libsnappy compresses. A block that is cut off at the end of
 * the input is decoded up to there, so that the calls in its first part are not lost. Source: Snappy's
 * format_description.txt (2011). All functions are thread-safe. */
#ifndef CODEC_SNAPPY_H
#define CODEC_SNAPPY_H
#include "base/arena.h"

/* apitrace's container: "at", then chunks. A chunk is a 32-bit little-endian size and a block of that many bytes. */
enum { SNAPPY_MAGIC_BYTES = 2, SNAPPY_SIZE_BYTES = 4, SNAPPY_VARINT_MOST = 5 };
/* Limits of a chunk's plain and compressed size. apitrace writes at most 1 MiB; the size field allows 4 GiB. */
enum { SNAPPY_PLAIN_MOST = 64 << 20, SNAPPY_PACKED_MOST = 32 + SNAPPY_PLAIN_MOST + SNAPPY_PLAIN_MOST / 6 };

/* Sets *plain_size to the plain size of the block that begins with these bytes. False if they do not begin with a
 * varint of at most 32 bits. */
bool snappy_plain_size(const uint8_t *block, size_t size, size_t *plain_size) WARN_UNUSED;
/* Decodes a whole block into `out`, which has room for plain_size bytes. False if the block is damaged. */
bool snappy_decode(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size) WARN_UNUSED;
/* Decodes the first `size` bytes of a block. Returns the number of plain bytes written. The available bytes of a
 * literal that is cut off are written too. */
size_t snappy_decode_part(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size);
/* Compresses `size` bytes into one block and appends it. Failure: out->failed. */
void snappy_encode(Bytes *out, const uint8_t *plain, size_t size);

#endif
