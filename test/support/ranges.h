/* A file with tiles in memory, read by ranges: counts requests and bytes. */
#ifndef TEST_SUPPORT_RANGES_H
#define TEST_SUPPORT_RANGES_H
#include "base/bits.h"
#include "format/ranges.h"
#include "format/varve/tiles.h"
#include "format/varve/writer.h"
#include "trace/wire/outline_encode.h"

#include <string.h>

typedef struct MemoryRanges {
    const uint8_t *bytes;
    uint64_t       size;
    uint64_t       requests, received;
} MemoryRanges;

static inline bool memory_ranges_read(void *context, uint64_t offset, void *buffer, size_t size, Err *err)
{
    MemoryRanges *ranges = context;
    if (size == 0 || offset > ranges->size || size > ranges->size - offset)
        return err_set(err, ERR_USAGE, "a range outside of the file was requested");
    memcpy(buffer, ranges->bytes + offset, size);
    ranges->requests++;
    ranges->received += size;
    return true;
}

static inline RangeSource memory_ranges_source(MemoryRanges *ranges)
{
    return (RangeSource){ .read = memory_ranges_read, .context = ranges, .size = ranges->size };
}

/* Makes the checksums of a changed file with tiles match again, as far as the places of its parts are sound. */
static inline void ranges_repair(uint8_t *bytes, uint64_t size)
{
    if (size < TILES_TRAILER_BYTES + VARVE_FOOTER_BYTES) return;
    uint8_t       *trailer = bytes + size - VARVE_FOOTER_BYTES - TILES_TRAILER_BYTES;
    const uint64_t end = (uint64_t)(trailer - bytes), head = bits_load_u64(trailer + 16);
    if (head > end || end - head < TILES_HEAD_BYTES) return;
    const uint64_t answers = bits_load_u64(bytes + head + 20) & UINT32_MAX;
    for (uint64_t at = head + TILES_HEAD_BYTES, i = 0; i < answers && at + TILES_ANSWER_BYTES <= end; i++) {
        const uint64_t offset = bits_load_u64(bytes + at + 32),
                       stored = bits_load_u64(bytes + at + 40) & UINT32_MAX;
        if (offset <= size && stored <= size - offset)
            bits_store_u64(bytes + at + 56, trace_file_checksum(bytes + offset, (size_t)stored));
        at += TILES_ANSWER_BYTES;
    }
    for (uint64_t at = head + TILES_HEAD_BYTES + answers * TILES_ANSWER_BYTES; at + TILES_SPOT_BYTES <= end;
         at += TILES_SPOT_BYTES) {
        const VarveBlock page = tile_spot_read(bytes + at).block;
        if (page.offset > size || page.stored > size - page.offset) continue;
        for (uint64_t spot = page.offset; spot + TILES_SPOT_BYTES <= page.offset + page.stored;
             spot += TILES_SPOT_BYTES) {
            const VarveBlock block = tile_spot_read(bytes + spot).block;
            if (block.offset <= size && block.stored <= size - block.offset)
                bits_store_u64(bytes + spot + 40, trace_file_checksum(bytes + block.offset, block.stored));
        }
        bits_store_u64(bytes + at + 40, trace_file_checksum(bytes + page.offset, page.stored));
    }
    bits_store_u64(trailer + 32, trace_file_checksum(bytes + head, (size_t)(end - head)));
    bits_store_u64(trailer + 56, trace_file_checksum(trailer, TILES_TRAILER_BYTES - 8));
}

/* Writes the trace with tiles and the answers that a reader needs. Returns an empty file and fills err on failure. */
static inline Bytes make_tiles_file(const Loaded *loaded, VarveLevels levels, Err *err)
{
    Bytes outline = { 0 }, labels = { 0 }, file = { 0 };
    outline_encode(loaded->trace, (StringView){ "file", 4 }, &outline);
    label_page_encode(loaded->trace, 0, &labels);
    const VarveAnswer      answers[] = { { "outline", bytes_view(&outline) },
                                         { "labels?page=0", bytes_view(&labels) } };
    const VarveTiles       tiles = { answers, 2, NULL, levels };
    const VarveFileOptions options = {
        .packing = VARVE_PACKED, .details = VARVE_DETAILS_STORED, .threads = 1, .tiles = &tiles
    };
    WriterReport     report = { .loss_count = 0 };
    const OutputSink sink = output_to_bytes(&file);
    const bool       done =
        !outline.failed && !labels.failed && trace_file_write(loaded, &options, &sink, &report, err);
    bytes_release(&outline);
    bytes_release(&labels);
    if (!done) bytes_release(&file);
    return file;
}

#endif
