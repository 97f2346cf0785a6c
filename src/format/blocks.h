/* format/blocks.h - an input in blocks, which are decompressed ahead of who reads them. For src/format only.
 *
 * Helpers, threads of their own, make what comes next into a ring of buffers that are used again and again, so
 * there is an end to it and their memory stays warm. Who reads takes the blocks in order, each as soon as it
 * is there. While the next one is not, nobody waits as long as there is anything to do: the reader, too, makes
 * blocks and does jobs that were posted. Without helpers it does all of it, and what is read is the same.
 *
 * The part of a block that the reader did not use is the begin of the next one. */
#ifndef FORMAT_BLOCKS_H
#define FORMAT_BLOCKS_H
#include "format/input.h"

typedef struct Block {
    const uint8_t *bytes;
    size_t         size;
    uint64_t       offset;   /* of the first, in the decompressed input */
    uint64_t       raw_read; /* as input_raw_read: where in the source its end comes from */
    bool           is_last;  /* what was left of the one before, and nothing new */
    bool           failed;   /* it is, because of err */
    Err            err;
} Block;

/* Work that goes on beside: run(context, i) for every i below count, in any order, on any thread. */
typedef struct BlockJobs {
    size_t count;
    void (*run)(void *context, size_t i);
    void *context;
} BlockJobs;

typedef struct Blocks Blocks;

/* The current block is `first`, the bytes that were read from the input so far, which are released; or, NULL, an empty
 * one at its begin. `threads` as in thread_run. Lives in `arena`; NULL when out of memory. Nothing else may read the
 * input, whose part has begun, until blocks_release. */
Blocks *blocks_create(Arena *arena, Input *input, unsigned threads, Bytes *first) WARN_UNUSED;
void    blocks_release(Blocks *blocks); /* NULL is allowed; jobs that were posted are done first */

const Block *blocks_current(const Blocks *blocks);
/* Goes to the next block, unless this is the last one. The first `used` bytes of this one are used; the next one begins
 * with the others, and has at least `least` bytes if so many follow. A block of which something was used stays as it is
 * until the turn after this. False: out of memory. */
bool blocks_turn(Blocks *blocks, size_t used, size_t least, Err *err) WARN_UNUSED;

/* Has these done, beside all else; none may be posted that were not joined. */
void blocks_post(Blocks *blocks, const BlockJobs *jobs);
/* Comes back when they are. */
void blocks_join(Blocks *blocks);

#endif
