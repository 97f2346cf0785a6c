#include "codec/snappy.h"

#include <assert.h>
#include <snappy-c.h>

bool snappy_plain_size(const uint8_t *block, size_t size, size_t *plain_size)
{
    return snappy_uncompressed_length((const char *)block, size, plain_size) == SNAPPY_OK;
}

void snappy_encode(Bytes *out, const uint8_t *plain, size_t size)
{
    size_t written = snappy_max_compressed_length(size);
    void  *room = bytes_reserve(out, written);
    if (room == NULL) return;
    snappy_status status = snappy_compress((const char *)plain, size, (char *)room, &written);
    assert(status == SNAPPY_OK);
    (void)status;
    bytes_grow(out, written);
}
