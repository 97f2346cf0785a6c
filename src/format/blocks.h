/* format/blocks.h - reads and decompresses an input in blocks, ahead of the reading thread. For src/format only.
 *
 * Helper threads read and decompress the next pieces of the input into a ring of buffers, and decode them if the format can
 * (AheadDecoding). The ring bounds the memory, and reuse keeps it in the cache. The reading thread takes the blocks in order. While the next block is not ready, it
 * reads pieces and runs posted jobs like a helper, and waits only if there is no such work. Without helpers it
 * does all the work; the blocks then have the same bytes.
 *
 * A block begins with the bytes of the previous block that the reader did not use. */
#ifndef FORMAT_BLOCKS_H
#define FORMAT_BLOCKS_H
#include "format/input.h"
#include "format/reader.h"

typedef struct Block {
    const uint8_t *bytes;
    size_t         size;
    uint64_t       offset;   /* of bytes[0] in the decompressed input */
    uint64_t       raw_read; /* bytes of the source up to the block's end, as input_raw_read */
    const Bytes   *decoded;  /* the result of AheadDecoding for the last piece in the block; NULL = none */
    uint64_t       decoded_offset; /* of that piece in the decompressed input */
    bool           is_last;        /* the block has only bytes of the previous block */
    bool           failed;         /* the block is the last one because of err */
    Err            err;
} Block;

/* Background work: run(context, i) is called for every i below count, in any order, on any thread. */
typedef struct BlockJobs {
    size_t count;
    void (*run)(void *context, size_t i);
    void *context;
} BlockJobs;

typedef struct Blocks Blocks;

/* Creates the blocks in `arena` and starts the helpers; NULL when out of memory. The current block is `first`, the
 * bytes read from the input so far, which it releases; or an empty block if `first` is NULL. `threads` as in
 * thread_run. A part of the input must have begun. No other code may read the input until blocks_release. With helpers, pieces are
 * decoded by `ahead` unless it is NULL. */
Blocks *blocks_create(Arena *arena, Input *input, unsigned threads, const AheadDecoding *ahead,
                      Bytes *first) WARN_UNUSED;
void    blocks_release(Blocks *blocks); /* accepts NULL; completes the posted jobs first */

const Block *blocks_current(const Blocks *blocks);
/* Goes to the next block; the current one must not be the last. The caller has used the first `used` bytes of the
 * current block. The next block begins with the other bytes and has at least `least` bytes if the input has so many.
 * If `used` is not 0, the current block's bytes stay valid until the next call. Returns false when out of memory. */
bool blocks_next(Blocks *blocks, size_t used, size_t least, Err *err) WARN_UNUSED;

/* Starts jobs in the background. Earlier jobs must have been joined. */
void blocks_post(Blocks *blocks, const BlockJobs *jobs);
/* Returns after all posted jobs are done. */
void blocks_join(Blocks *blocks);

#endif
