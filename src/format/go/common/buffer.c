#include "format/go/common/buffer.h"

#include <assert.h>

size_t go_input_read(const ReadAgain *again, uint64_t offset, uint8_t *bytes, size_t size)
{
    size_t got = 0;
    for (size_t more = 1; got < size && more > 0; got += more)
        more = again->read(again->context, offset + got, bytes + got, size - got);
    assert(got <= size);
    return got;
}

bool go_buffer_reserve(Arena *arena, GoBuffer *bytes, size_t size)
{
    if (size <= bytes->capacity) return true;
    /* only twice the size, because batches have similar sizes, and a small file can name many processors */
    const size_t capacity = size > SIZE_MAX / 2 ? size : size * 2;
    uint8_t     *data = arena_push_raw(arena, capacity, 1);
    if (data == NULL) return false;
    if (bytes->size > 0) memcpy(data, bytes->data, bytes->size);
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

bool go_buffer_load(Arena *arena, GoBuffer *bytes, const ReadAgain *again, uint64_t offset, size_t size)
{
    if (size > SIZE_MAX - bytes->size || !go_buffer_reserve(arena, bytes, bytes->size + size)) return false;
    if (size > 0) bytes->size += go_input_read(again, offset, bytes->data + bytes->size, size);
    assert(bytes->size <= bytes->capacity);
    return true;
}
