/* format/go/common/bytes.h - bytes of the input that are copied, or read again when needed. */
#ifndef FORMAT_GO_COMMON_BYTES_H
#define FORMAT_GO_COMMON_BYTES_H
#include "base/arena.h"
#include "format/reader.h"

/* A buffer in an arena; zeroed: empty. */
typedef struct GoBytes {
    uint8_t *data;
    size_t   size, capacity;
} GoBytes;

/* Reads up to `size` bytes at `offset` of the input. Returns the bytes read. */
size_t go_bytes_again(const ReadAgain *again, uint64_t offset, uint8_t *bytes, size_t size);
/* Makes room for `size` bytes in total. False when out of memory. */
bool go_bytes_reserve(Arena *arena, GoBytes *bytes, size_t size) WARN_UNUSED;
/* Appends `size` bytes at `offset` of the input, or fewer if they cannot be read any more. False when out of memory. */
bool go_bytes_load(Arena *arena, GoBytes *bytes, const ReadAgain *again, uint64_t offset,
                   size_t size) WARN_UNUSED;

#endif
