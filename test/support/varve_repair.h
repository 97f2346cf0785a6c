/* Makes the checksums of a changed `.varve` file match again, so that the changes reach the checks behind them. */
#ifndef TEST_SUPPORT_VARVE_REPAIR_H
#define TEST_SUPPORT_VARVE_REPAIR_H
#include "base/bits.h"
#include "format/varve/layout.h"

/* Corrects the checksums of the blocks and of the directory, as far as the places of both are sound. */
static inline void varve_repair(uint8_t *bytes, size_t size)
{
    if (size < VARVE_HEADER_BYTES + VARVE_FOOTER_BYTES) return;
    uint8_t       *footer = bytes + size - VARVE_FOOTER_BYTES;
    const uint64_t at = bits_load_u64(footer), directory = bits_load_u64(footer + 8);
    if (at > size || directory > size - at || directory < VARVE_DIRECTORY_HEADER_BYTES) return;
    const uint64_t arrays = bits_load_u64(bytes + at) >> 32, blocks = bits_load_u64(bytes + at + 8);
    const uint64_t first = VARVE_DIRECTORY_HEADER_BYTES + arrays * VARVE_ARRAY_BYTES;
    for (uint64_t b = 0; b < blocks && first + (b + 1) * VARVE_BLOCK_BYTES <= directory; b++) {
        uint8_t       *block = bytes + at + first + b * VARVE_BLOCK_BYTES;
        const uint64_t offset = bits_load_u64(block), stored = bits_load_u64(block + 8) & UINT32_MAX;
        if (offset <= size && stored <= size - offset)
            bits_store_u64(block + 24, trace_file_checksum(bytes + offset, (size_t)stored));
    }
    bits_store_u64(footer + 16, trace_file_checksum(bytes + at, (size_t)directory));
}

#endif
