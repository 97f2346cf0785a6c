/* format/go/common/buffer.h - bytes of the input that are copied, or read again when needed. */
#ifndef FORMAT_GO_COMMON_BUFFER_H
#define FORMAT_GO_COMMON_BUFFER_H
#include "base/arena.h"
#include "format/reader.h"

/* A buffer in an arena; zeroed: empty. */
typedef struct GoBuffer {
    uint8_t *data;
    size_t   size, capacity;
} GoBuffer;

/* Reads up to `size` bytes at `offset` of the input. Returns the bytes read. */
size_t go_input_read(const ReadAgain *again, uint64_t offset, uint8_t *bytes, size_t size);
/* Makes room for `size` bytes in total. False when out of memory. */
bool go_buffer_reserve(Arena *arena, GoBuffer *bytes, size_t size) WARN_UNUSED;
/* Appends `size` bytes at `offset` of the input, or fewer if they cannot be read any more. False when out of memory. */
bool go_buffer_load(Arena *arena, GoBuffer *bytes, const ReadAgain *again, uint64_t offset,
                    size_t size) WARN_UNUSED;

#endif
