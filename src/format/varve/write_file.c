#include "format/varve/write_file.h"

#include "base/thread.h"

enum { BUFFER_BYTES = 64 << 10 };

bool write_bytes(WriteFile *file, const void *bytes, size_t size, Err *err)
{
    file->at += size;
    bytes_append(&file->buffer, bytes, size);
    return writer_flush(file->sink, &file->buffer, BUFFER_BYTES, err);
}

bool write_align(WriteFile *file, size_t alignment, Err *err)
{
    static const uint8_t ZEROS[VARVE_ALIGNMENT] = { 0 };
    return write_bytes(file, ZEROS, (size_t)((alignment - file->at % alignment) % alignment), err);
}

static void encode_block(void *context, size_t i)
{
    WriteBlock *block = &((WriteBlock *)context)[i];
    block->encoding = VARVE_RAW;
    if (block->packing == VARVE_PACKED)
        block->failed = !trace_file_encode(block->array, block->items, block->size, &block->packed,
                                           &block->scratch, &block->encoding);
    block->checksum = block->encoding == VARVE_RAW
                          ? trace_file_checksum(block->items, block->size)
                          : trace_file_checksum(block->packed.data, block->packed.size);
}

void write_encode(WriteBlock *blocks, size_t count, unsigned threads)
{
    thread_run(count == 1 ? 1 : threads, count, encode_block, blocks);
}

bool write_block(WriteFile *file, const WriteBlock *block, VarveBlock *entry, Err *err)
{
    const bool is_raw = block->encoding == VARVE_RAW;
    *entry = (VarveBlock){ .offset = file->at,
                           .stored = (uint32_t)(is_raw ? block->size : block->packed.size),
                           .plain = (uint32_t)block->size,
                           .encoding = block->encoding,
                           .checksum = block->checksum };
    if (block->failed) return err_set(err, ERR_MEMORY, "out of memory for the file");
    return write_bytes(file, is_raw ? block->items : block->packed.data, entry->stored, err);
}

void write_blocks_release(WriteBlock *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes_release(&blocks[i].packed);
        bytes_release(&blocks[i].scratch);
    }
}
