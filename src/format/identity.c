#include "format/identity.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 4096 };

/* Reads the block at an offset. Returns its size: less than BLOCK_BYTES at the end of the input. */
static size_t read_block(const InputStore *store, uint64_t offset, uint8_t block[BLOCK_BYTES])
{
    size_t size = 0;
    while (size < BLOCK_BYTES) {
        const size_t more = store->read(store->context, offset + size, block + size, BLOCK_BYTES - size);
        if (more == 0) break;
        size += more;
    }
    return size;
}

bool load_identity(const Loaded *loaded, char identity[IDENTITY_TEXT + 1])
{
    uint8_t  block[BLOCK_BYTES];
    uint64_t hash = FNV1A_EMPTY;
    if (loaded->store.read == NULL || loaded->store_fault.code != ERR_NONE) return false;
    size_t size = read_block(&loaded->store, 0, block);
    if (size == 0) return false;
    for (uint64_t offset = BLOCK_BYTES; size > 0 && offset < UINT64_MAX / 2; offset *= 2) {
        for (size_t i = 0; i < size; i++)
            hash = fnv1a_add(hash, block[i]);
        size = read_block(&loaded->store, offset, block);
    }
    (void)snprintf(identity, IDENTITY_TEXT + 1, "%016" PRIx64, hash);
    return true;
}

uint64_t identity_number(const char identity[IDENTITY_TEXT + 1])
{
    return strtoull(identity, NULL, 16);
}
