/* format/varve/layout.h - the parts of a `.varve` file; docs/formats/varve.md describes them byte by byte.
 *
 *   header       64 bytes
 *   input blocks the bytes of the input, each block with a header of its own, so that they can be found without
 *                the directory; only if the arguments are stored
 *   arrays       of trace/file/arrays.h, in blocks
 *   directory    where each array and each block is
 *   footer       32 bytes: where the directory is
 *
 * All numbers are little-endian. A file is written from its begin to its end. The functions are named trace_file_*: varve_* is
 * the prefix of the C library. */
#ifndef FORMAT_VARVE_LAYOUT_H
#define FORMAT_VARVE_LAYOUT_H
#include "trace/file/arrays.h"

enum {
    VARVE_FILE_VERSION = 2,
    VARVE_HEADER_BYTES = 64,
    VARVE_INPUT_HEADER_BYTES = 32,
    VARVE_DIRECTORY_HEADER_BYTES = 32,
    VARVE_ARRAY_BYTES = 64,
    VARVE_BLOCK_BYTES = 32,
    VARVE_FOOTER_BYTES = 32,
    VARVE_ALIGNMENT = 64,         /* of the first block of an array */
    VARVE_BLOCK_ITEMS = 65536,    /* of an array */
    VARVE_INPUT_BLOCK = 256 << 10 /* bytes of the input in a block */
};

extern const uint8_t VARVE_MAGIC[8], VARVE_END_MAGIC[8];
#define VARVE_INPUT_MAGIC UINT32_C(0x4b4c4256)     /* "VBLK" */
#define VARVE_DIRECTORY_MAGIC UINT32_C(0x52494456) /* "VDIR" */

/* The form of a block's bytes. */
typedef enum {
    VARVE_RAW,           /* the items */
    VARVE_ZSTD,          /* a zstd frame of the items */
    VARVE_ZSTD_PLANES,   /* a zstd frame of the first bytes of all items, then of the second bytes, ... */
    VARVE_ZSTD_DISTANCES /* as VARVE_ZSTD_PLANES, of the differences between each item and the item before it */
} VarveEncoding;

typedef struct VarveBlock {
    uint64_t offset;   /* of its bytes in the file */
    uint32_t stored;   /* their number */
    uint32_t plain;    /* bytes of its items */
    uint32_t encoding; /* VarveEncoding */
    uint64_t checksum; /* trace_file_checksum of the stored bytes */
} VarveBlock;

/* Returns the checksum of bytes: see docs/formats/varve.md. */
uint64_t trace_file_checksum(const void *bytes, size_t size);

/* Encodes items and sets *encoding; `out` holds the bytes, `scratch` is work memory. VARVE_RAW: `out` is unused. False when
 * out of memory. */
bool trace_file_encode(const TraceArray *array, const void *items, size_t size, Bytes *out, Bytes *scratch,
                       VarveEncoding *encoding) WARN_UNUSED;
/* Decodes a block with this item size, and lanes of numbers of `word` bytes. False: damaged, or out of memory. */
bool trace_file_decode(ArrayType type, const VarveBlock *block, const uint8_t *stored, void *items,
                       Bytes *scratch) WARN_UNUSED;

/* The facts about the input, an array "file.facts" of u64. */
typedef enum {
    FACT_DETAILS, /* VarveDetails */
    FACT_IS_READ, /* 1: the trace is not in the file; it is made of the input */
    FACT_BYTES,   /* size of the input before decompression */
    FACT_CODEC,   /* CodecKind */
    FACT_IS_PLAIN,
    FACT_INPUT_SIZE, /* after decompression; 0 = not stored */
    FACT_CUT,        /* 1 + offset at which the input ended early; 0 = it did not. The message is TEXT_CUT */
    FACT_IDENTITY,   /* of the decompressed input: format/identity.h */
    FACT_COUNT
} VarveFact;

/* "file.texts": the name and the path of the input, the reader, a message, the names of the parts: each followed by a zero
 * byte. */
typedef enum { TEXT_NAME, TEXT_PATH, TEXT_READER, TEXT_CUT, TEXT_FIRST_PART } VarveFileText;

/* Where the arguments of events are. */
typedef enum { VARVE_DETAILS_NONE, VARVE_DETAILS_STORED, VARVE_DETAILS_SOURCE } VarveDetails;

#endif
