/* codec/snappy.h - raw Snappy blocks, as apitrace's containers hold them one behind the other.
 *
 * A block is a varint (its plain size) and elements. Whole ones go through libsnappy; what is left of one
 * that the input's end cuts is decoded element by element, because every call in it counts. Facts: Snappy's
 * format_description.txt (2011). Any thread. */
#ifndef CODEC_SNAPPY_H
#define CODEC_SNAPPY_H
#include "base/arena.h"

/* "at", then chunks: a 32-bit little-endian size and a block of so many bytes. */
enum { SNAPPY_MAGIC_BYTES = 2, SNAPPY_SIZE_BYTES = 4, SNAPPY_VARINT_MOST = 5 };
/* What a chunk may hold: apitrace writes 1 MiB at most, its size field allows much more. */
enum { SNAPPY_PLAIN_MOST = 64 << 20, SNAPPY_PACKED_MOST = 32 + SNAPPY_PLAIN_MOST + SNAPPY_PLAIN_MOST / 6 };

/* The plain size of the block that begins with these bytes; false when they are no varint of 32 bits. */
bool snappy_plain_size(const uint8_t *block, size_t size, size_t *plain_size) WARN_UNUSED;
/* `out` has room for plain_size bytes. False for a block that is damaged. */
bool snappy_decode(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size) WARN_UNUSED;
/* The same for the first bytes of a block: how many plain bytes they gave. A literal that is cut counts as far as it
 * goes. */
size_t snappy_decode_part(const uint8_t *block, size_t size, uint8_t *out, size_t plain_size);
/* Appends the block of these bytes. */
void snappy_encode(Bytes *out, const uint8_t *plain, size_t size);

#endif
