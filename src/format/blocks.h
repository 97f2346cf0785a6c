/* format/blocks.h - an input in large blocks, the next of which is filled while there is work on those before it. For
 * src/format only.
 *
 * Three blocks go round: one is filled, the current one is read, and the one before it is still there for who works behind
 * the reader. What the reader leaves of a block stands before the next one. */
#ifndef FORMAT_BLOCKS_H
#define FORMAT_BLOCKS_H
#include "format/input.h"

enum { BLOCKS_RING = 3 };

typedef struct Block {
    Bytes    memory; /* owned */
    size_t   begin;  /* of what is in it, in memory.data */
    size_t   end;
    uint64_t offset; /* of data[begin], in the decompressed input */
} Block;

typedef struct Blocks {
    Input   *input; /* borrowed */
    unsigned threads;
    size_t   block_bytes;
    size_t   headroom; /* before a block, for what is left of the one before it */
    Block    ring[BLOCKS_RING];
    unsigned current;
    size_t   filled;  /* the last blocks_run got so many bytes */
    bool     refused; /* nothing of the current block was used: more is wanted at once */
    bool     ended;   /* the input has: no more follows the current block */
    bool     failed;  /* because of err */
    Err      err;
} Blocks;

/* An empty current block at the input's start. */
Blocks blocks_over(Input *input, unsigned threads);
void   blocks_release(Blocks *blocks);
/* Makes what was read from the input so far the current block; takes over its memory. More must follow it. */
void blocks_adopt(Blocks *blocks, Bytes *bytes);

static inline const Block *blocks_current(const Blocks *blocks)
{
    return &blocks->ring[blocks->current];
}

/* Does the jobs, and meanwhile fills the next block unless the input has ended. False: out of memory. */
bool blocks_run(Blocks *blocks, const InputJobs *jobs, Err *err) WARN_UNUSED;
/* Makes the next block the current one: the current one is used up to its first `used` bytes, the rest is copied. The one
 * that was current stays as it is until the turn after next. False: out of memory. */
bool blocks_turn(Blocks *blocks, size_t used, Err *err) WARN_UNUSED;

#endif
