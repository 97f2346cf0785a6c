/* format/chunk_file.h - a file of Snappy chunks (codec/snappy.h) as one plain stream: in order, or anywhere
 * in what came before. For src/format only.
 *
 * Every chunk stands for itself, so several are decoded at a time, and none is kept: 24 bytes a chunk say where
 * it is. A last chunk that the file's end cuts gives what is there of it; a damaged one ends the stream. */
#ifndef FORMAT_CHUNK_FILE_H
#define FORMAT_CHUNK_FILE_H
#include "format/load.h"

typedef struct ChunkFile ChunkFile;

/* Over the bytes of the file, `raw`, which it owns from now on, also on failure. In `arena`; NULL when out of
 * memory. */
ChunkFile *chunk_file_create(Arena *arena, InputStore raw, Err *err);

/* -- in order: each run of chunks is found, decoded (on any thread, several at a time) and settled -- */

enum { CHUNK_RUN_MOST = 32 };

typedef struct ChunkRun {
    uint64_t at;     /* of the first chunk's size field in the file */
    size_t   number; /* of that chunk */
    size_t   count;
    uint32_t packed_size[CHUNK_RUN_MOST], plain_size[CHUNK_RUN_MOST];
    size_t   plain_bytes; /* of all */
    size_t   good;        /* plain bytes that were decoded */
    size_t   good_count;  /* whole chunks: less than `count` because of */
    ErrCode  fault;
} ChunkRun;

/* The next chunks that fit into `room` plain bytes together; the first one in any case. False: there are no more, see
 * chunk_file_error. */
bool chunk_file_find(ChunkFile *file, size_t room, ChunkRun *run);
/* Decodes them to `out`, which has room for run->plain_bytes, up to the first that is damaged; `packed` is
 * worked in. Nothing of `file` is looked at that changes. */
void chunk_file_decode(const ChunkFile *file, ChunkRun *run, uint8_t *out, Bytes *packed);
/* Once for each run, in order: behind one with a fault nothing more is found, nor are those good that were already. */
void chunk_file_settle(ChunkFile *file, const ChunkRun *run);
/* Where the file has been looked through to, and why not further: NULL at its proper end. */
uint64_t   chunk_file_at(const ChunkFile *file);
const Err *chunk_file_error(const ChunkFile *file);

/* -- anywhere: InputStore's functions; `context` is the ChunkFile -- */

size_t chunk_file_read(void *context, uint64_t offset, void *buffer, size_t size);
void   chunk_file_close(void *context);

#endif
