/* format/chunk_file.h - a file of Snappy chunks (codec/snappy.h) as one plain stream: in order, or anywhere in what came
 * before. For src/format only.
 *
 * Every chunk stands for itself, so several are decoded at a time, and none is kept: 24 bytes a chunk say where it is. A last
 * chunk that the file's end cuts gives what is there of it; a damaged one ends the stream. */
#ifndef FORMAT_CHUNK_FILE_H
#define FORMAT_CHUNK_FILE_H
#include "format/load.h"

typedef struct ChunkFile ChunkFile;

enum { CHUNKS_AT_ONCE = 32 };

/* Over the bytes of the file, `raw`, which it owns from now on, also on failure. In `arena`; NULL when out of memory. */
ChunkFile *chunk_file_create(Arena *arena, InputStore raw, Err *err);

/* -- in order: find, decode each (on any threads), settle -- */

/* How many of the chunks that come next have room in `room` plain bytes; at most CHUNKS_AT_ONCE. 0: there are no more,
 * or the next one is too large: *needed is its size then. */
size_t chunk_file_find(ChunkFile *file, size_t room, size_t *needed);
/* Decodes the i-th of those found to its place behind the others in `out`, which has the room. */
void chunk_file_decode(ChunkFile *file, size_t i, uint8_t *out);
/* All were decoded: how many bytes of `out` are good. */
size_t chunk_file_settle(ChunkFile *file);
/* Where the file has been read to, and why not further: NULL at its proper end. */
uint64_t   chunk_file_at(const ChunkFile *file);
const Err *chunk_file_error(const ChunkFile *file);

/* -- anywhere: InputStore's functions; `context` is the ChunkFile -- */

size_t chunk_file_read(void *context, uint64_t offset, void *buffer, size_t size);
void   chunk_file_close(void *context);

#endif
