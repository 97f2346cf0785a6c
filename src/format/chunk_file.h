/* format/chunk_file.h - reads a file of Snappy chunks (codec/snappy.h) as one decompressed stream, in order, or at any
 * offset before the current position. For src/format only.
 *
 * Chunks are independent, so several are decoded at a time. Decoded chunks are not kept; a list has the position of
 * each chunk, 24 bytes per chunk. A last chunk that is cut off at the end of the file is decoded as far as possible.
 * A damaged chunk ends the stream. */
#ifndef FORMAT_CHUNK_FILE_H
#define FORMAT_CHUNK_FILE_H
#include "format/load.h"

typedef struct ChunkFile ChunkFile;

/* Creates a ChunkFile in `arena` over the bytes of the file, `raw`. Takes ownership of `raw`, also on failure.
 * Returns NULL when out of memory. */
ChunkFile *chunk_file_create(Arena *arena, InputStore raw, Err *err);

/* -- reading in order: a run of chunks is found, decoded (on any thread, several runs at a time) and settled -- */

enum { CHUNK_RUN_MOST = 32 };

typedef struct ChunkRun {
    uint64_t at;     /* offset of the first chunk's size field in the file */
    size_t   number; /* index of that chunk */
    size_t   count;
    uint32_t packed_size[CHUNK_RUN_MOST], plain_size[CHUNK_RUN_MOST];
    size_t   plain_bytes; /* sum of plain_size */
    size_t   good;        /* plain bytes decoded */
    size_t   good_count;  /* whole chunks decoded; less than `count` if there is a fault */
    ErrCode  fault;
} ChunkRun;

/* Sets *run to the next chunks whose plain sizes fit into `room` together; the first chunk is included in any case.
 * Returns false if no chunk follows; see chunk_file_error. */
bool chunk_file_find(ChunkFile *file, size_t room, ChunkRun *run);
/* Decodes the run to `out`, which has room for run->plain_bytes, up to the first damaged chunk. `packed` is scratch
 * memory. Thread-safe: reads only constant members of `file`. */
void chunk_file_decode(const ChunkFile *file, ChunkRun *run, uint8_t *out, Bytes *packed);
/* Records the result of a run. Call it once for each run, in order. After a run with a fault no chunk is found, and
 * later runs that were already found are invalid. */
void chunk_file_settle(ChunkFile *file, const ChunkRun *run);
/* chunk_file_at returns the file offset of the next chunk to find. chunk_file_error returns the error that ended the
 * stream; NULL at its regular end. */
uint64_t   chunk_file_at(const ChunkFile *file);
const Err *chunk_file_error(const ChunkFile *file);

/* -- reading at any offset: the functions of an InputStore; `context` is the ChunkFile -- */

size_t chunk_file_read(void *context, uint64_t offset, void *buffer, size_t size);
void   chunk_file_close(void *context);

#endif
