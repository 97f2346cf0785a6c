#include "format/blocks.h"

#include "base/thread.h"

#include <string.h>

enum { BLOCK_BYTES = 8 << 20, FIRST_HEADROOM = 64 << 10 };

Blocks blocks_over(Input *input, unsigned threads)
{
    return (
        Blocks){ .input = input, .threads = threads, .block_bytes = BLOCK_BYTES, .headroom = FIRST_HEADROOM };
}

void blocks_release(Blocks *blocks)
{
    for (unsigned i = 0; i < BLOCKS_RING; i++)
        bytes_release(&blocks->ring[i].memory);
}

void blocks_adopt(Blocks *blocks, Bytes *bytes)
{
    blocks->ring[blocks->current] = (Block){ .memory = *bytes, .end = bytes->size };
    *bytes = (Bytes){ NULL, 0, 0, false };
}

static Block *next_of(Blocks *blocks)
{
    return &blocks->ring[(blocks->current + 1) % BLOCKS_RING];
}

bool blocks_run(Blocks *blocks, const InputJobs *jobs, Err *err)
{
    const Block *current = blocks_current(blocks);
    Block       *next = next_of(blocks);
    size_t       room = blocks->block_bytes, size = current->end - current->begin;
    blocks->filled = 0;
    if (blocks->ended) {
        thread_run(blocks->threads, jobs->count, jobs->run, jobs->context);
        return true;
    }
    if (blocks->refused && size > room) room = size; /* so that a large record is not tried too often */
    next->memory.size = 0;
    uint8_t *data = (uint8_t *)bytes_reserve(&next->memory, blocks->headroom + room);
    if (data == NULL) return err_set(err, ERR_MEMORY, "out of memory for a block of %zu bytes", room);
    if (!input_fill_beside(blocks->input, data + blocks->headroom, room, blocks->threads, jobs,
                           &blocks->filled, &blocks->err))
        blocks->failed = true;
    blocks->ended = blocks->failed || blocks->filled == 0;
    next->begin = blocks->headroom;
    next->end = blocks->headroom + blocks->filled;
    return true;
}

bool blocks_turn(Blocks *blocks, size_t used, Err *err)
{
    const Block *current = blocks_current(blocks);
    Block       *next = next_of(blocks);
    size_t       left = current->end - current->begin - used;
    if (blocks->filled == 0) next->begin = next->end = 0; /* it may not even have been there */
    if (left > next->begin) {
        size_t size = next->end - next->begin;
        next->memory.size = next->end;
        uint8_t *data = (uint8_t *)bytes_reserve(&next->memory, left);
        if (data == NULL) return err_set(err, ERR_MEMORY, "out of memory for a record of %zu bytes", left);
        memmove(next->memory.data + left, next->memory.data + next->begin, size);
        next->begin = left;
        next->end = left + size;
        blocks->headroom = left < blocks->block_bytes ? left * 2 : left;
    }
    if (left > 0) {
        memcpy(next->memory.data + next->begin - left, current->memory.data + current->begin + used, left);
        next->begin -= left;
    }
    next->offset = current->offset + used;
    blocks->refused = used == 0;
    blocks->current = (blocks->current + 1) % BLOCKS_RING;
    blocks->filled = 0;
    return true;
}
