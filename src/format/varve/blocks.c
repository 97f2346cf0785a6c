#include "format/varve/layout.h"

#include "base/bits.h"
#include "codec/zstd_block.h"

#include <string.h>

const uint8_t VARVE_MAGIC[8] = { 0x89, 'V', 'A', 'R', 'V', 'E', '\r', '\n' };
const uint8_t VARVE_END_MAGIC[8] = { 'V', 'A', 'R', 'V', 'E', 'E', 'N', 'D' };

/* ---- checksum ---- */

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b185ebca87);
    return hash << 31 | hash >> 33;
}

uint64_t trace_file_checksum(const void *bytes, size_t size)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint64_t       lanes[4] = { 1, 2, 3, 4 }, hash = size;
    size_t         left = size;
    for (; left >= 32; at += 32, left -= 32)
        for (size_t i = 0; i < 4; i++)
            lanes[i] = mixed(lanes[i], bits_load_u64(at + 8 * i));
    if (left > 0) {
        uint8_t rest[32] = { 0 };
        memcpy(rest, at, left);
        for (size_t i = 0; i < 4; i++)
            lanes[i] = mixed(lanes[i], bits_load_u64(rest + 8 * i));
    }
    for (size_t i = 0; i < 4; i++)
        hash = mixed(hash, lanes[i]);
    return hash ^ hash >> 32;
}

/* ---- byte planes and differences ---- */

/* Returns the size of the numbers of which items consist. */
static size_t word_bytes(ArrayType type)
{
    return type == ARRAY_U8 ? 1 : type == ARRAY_U16 ? 2 : type == ARRAY_U32 || type == ARRAY_NODE ? 4 : 8;
}

static void to_planes(const uint8_t *items, size_t item_bytes, size_t count, uint8_t *planes)
{
    for (size_t b = 0; b < item_bytes; b++)
        for (size_t i = 0; i < count; i++)
            planes[b * count + i] = items[i * item_bytes + b];
}

static void from_planes(const uint8_t *planes, size_t item_bytes, size_t count, uint8_t *items)
{
    for (size_t b = 0; b < item_bytes; b++)
        for (size_t i = 0; i < count; i++)
            items[i * item_bytes + b] = planes[b * count + i];
}

/* Replaces each number by its difference to the one `step` numbers before it. */
static void differences_u32(uint32_t *words, size_t count)
{
    for (size_t i = count; i-- > 1;)
        words[i] -= words[i - 1];
}

static void differences_u64(uint64_t *words, size_t count, size_t step)
{
    for (size_t i = count; i-- > step;)
        words[i] -= words[i - step];
}

static void sums_u32(uint32_t *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        words[i] += words[i - 1];
}

static void sums_u64(uint64_t *words, size_t count, size_t step)
{
    for (size_t i = step; i < count; i++)
        words[i] += words[i - step];
}

static VarveEncoding encoding_for(const TraceArray *array)
{
    if (array->type == ARRAY_U8) return VARVE_ZSTD;
    return array->order == ARRAY_ASCENDING && array->type != ARRAY_NODE ? VARVE_ZSTD_DISTANCES
                                                                        : VARVE_ZSTD_PLANES;
}

bool trace_file_encode(const TraceArray *array, const void *items, size_t size, Bytes *out, Bytes *scratch,
                       VarveEncoding *encoding)
{
    const size_t item_bytes = array_item_bytes(array->type), count = size / item_bytes;
    *encoding = encoding_for(array);
    if (*encoding == VARVE_ZSTD) {
        if (!zstd_block_encode(items, size, out)) *encoding = VARVE_RAW;
        return !out->failed;
    }
    bytes_clear(scratch);
    uint8_t *room = (uint8_t *)bytes_reserve(scratch, 2 * size);
    if (room == NULL) return false;
    memcpy(room, items, size);
    if (*encoding == VARVE_ZSTD_DISTANCES && word_bytes(array->type) == 4)
        differences_u32((uint32_t *)(void *)room, count);
    else if (*encoding == VARVE_ZSTD_DISTANCES)
        differences_u64((uint64_t *)(void *)room, size / 8, item_bytes / 8);
    to_planes(room, item_bytes, count, room + size);
    if (!zstd_block_encode(room + size, size, out)) *encoding = VARVE_RAW;
    return !out->failed;
}

bool trace_file_decode(ArrayType type, const VarveBlock *block, const uint8_t *stored, void *items,
                       Bytes *scratch)
{
    const size_t item_bytes = array_item_bytes(type), size = block->plain;
    if (block->encoding == VARVE_RAW) {
        if (block->stored != size) return false;
        memcpy(items, stored, size);
        return true;
    }
    if (block->encoding == VARVE_ZSTD) return zstd_block_decode(stored, block->stored, items, size);
    if (block->encoding > VARVE_ZSTD_DISTANCES) return false;
    bytes_clear(scratch);
    uint8_t *planes = (uint8_t *)bytes_reserve(scratch, size);
    if (planes == NULL || !zstd_block_decode(stored, block->stored, planes, size)) return false;
    from_planes(planes, item_bytes, size / item_bytes, (uint8_t *)items);
    if (block->encoding == VARVE_ZSTD_PLANES) return true;
    if (word_bytes(type) == 8)
        sums_u64((uint64_t *)items, size / 8, item_bytes / 8);
    else if (type == ARRAY_U32)
        sums_u32((uint32_t *)items, size / 4);
    else
        return false;
    return true;
}
