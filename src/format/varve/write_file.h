/* format/varve/write_file.h - a `.varve` file while it is written: its place, its buffer, the encoding of blocks. For
 * src/format/varve only. */
#ifndef FORMAT_VARVE_WRITE_FILE_H
#define FORMAT_VARVE_WRITE_FILE_H
#include "base/vec.h"
#include "format/varve/writer.h"

enum { WRITE_BATCH = 16 /* blocks that are encoded at once */ };

typedef struct WriteFile {
    const VarveFileOptions *options;
    const OutputSink       *sink;
    const Loaded           *loaded;
    uint64_t                at;     /* bytes written */
    Bytes                   buffer; /* the last of them */
} WriteFile;

/* A block while it is encoded. Release `packed` and `scratch`. */
typedef struct WriteBlock {
    const TraceArray *array;
    const uint8_t    *items;
    size_t            size;
    VarveEncoding     encoding;
    Bytes             packed, scratch;
    VarvePacking      packing;
    uint64_t          checksum;
    bool              failed; /* out of memory */
} WriteBlock;

bool write_bytes(WriteFile *file, const void *bytes, size_t size, Err *err) WARN_UNUSED;
/* Appends zero bytes up to a multiple of `alignment`, at most VARVE_ALIGNMENT. */
bool write_align(WriteFile *file, size_t alignment, Err *err) WARN_UNUSED;
/* Encodes `count` blocks with the given number of threads. */
void write_encode(WriteBlock *blocks, size_t count, unsigned threads);
/* Appends the stored bytes of an encoded block; *entry: its place. */
bool write_block(WriteFile *file, const WriteBlock *block, VarveBlock *entry, Err *err) WARN_UNUSED;
void write_blocks_release(WriteBlock *blocks, size_t count);

/* The parts of a file that can be read by ranges (format/varve/tiles.h), for options->tiles. */
typedef struct WriteTiles {
    Bytes    roots; /* TileSpot of each page of the index, as in the file; release it */
    uint32_t base_level, root_level;
} WriteTiles;
/* Appends the tiles and the pages of their index. */
bool write_tiles(WriteFile *file, WriteTiles *tiles, Err *err) WARN_UNUSED;
/* Appends the answers, the head and the trailer: directly before the footer. */
bool write_tiles_head(WriteFile *file, const WriteTiles *tiles, Err *err) WARN_UNUSED;

#endif
