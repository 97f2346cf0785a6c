/* format/go/bytes.h - bytes of the input that are kept, or read again when their turn comes. */
#ifndef FORMAT_GO_BYTES_H
#define FORMAT_GO_BYTES_H
#include "base/arena.h"
#include "format/reader.h"

/* In an arena; zeroed: none. */
typedef struct GoBytes {
    uint8_t *data;
    size_t   size, capacity;
} GoBytes;

/* Up to `size` bytes from `offset` of the input on; gives how many there were. */
size_t go_bytes_again(const ReadAgain *again, uint64_t offset, uint8_t *bytes, size_t size);
/* Makes room for `size` bytes in all. False when out of memory. */
bool go_bytes_reserve(Arena *arena, GoBytes *bytes, size_t size) WARN_UNUSED;
/* Appends `size` bytes from `offset` of the input on; what cannot be had any more is as if the input ended
 * there. False when out of memory. */
bool go_bytes_load(Arena *arena, GoBytes *bytes, const ReadAgain *again, uint64_t offset,
                   size_t size) WARN_UNUSED;

#endif
