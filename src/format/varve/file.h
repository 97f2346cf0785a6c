/* format/varve/file.h - the directory of a `.varve` file in memory, checked, and access to its arrays. */
#ifndef FORMAT_VARVE_FILE_H
#define FORMAT_VARVE_FILE_H
#include "format/varve/layout.h"

typedef struct VarveArray {
    char      name[ARRAY_NAME_BYTES + 1];
    ArrayType type;
    uint32_t  items_per_block;
    uint64_t  count;
    uint64_t  first_block;
    uint64_t  place; /* offset of the entry in the file, for errors */
} VarveArray;

typedef struct VarveFile {
    const uint8_t *bytes; /* borrowed, aligned to 8 */
    uint64_t       size;
    VarveArray    *arrays; /* in the arena */
    uint32_t       array_count;
    VarveBlock    *blocks; /* in the arena */
    uint64_t       block_count;
    uint64_t       facts[FACT_COUNT];
    const char    *texts; /* in the arena, ends with a zero byte */
    size_t         texts_size;
    Arena         *arena;
    Err            fault; /* of the array that was read last and is damaged */
} VarveFile;

/* Reads the directory of the file in `bytes`, which outlive it. Every block is inside the file. False: *err has the offset. */
bool trace_file_open(VarveFile *file, const uint8_t *bytes, uint64_t size, Arena *arena,
                     Err *err) WARN_UNUSED;
/* As trace_file_open, for a file without a directory: finds the blocks of its input. False: it has no whole block. */
bool trace_file_recover(VarveFile *file, const uint8_t *bytes, uint64_t size, Arena *arena,
                        Err *err) WARN_UNUSED;
/* Returns the array with this name, or NULL. */
const VarveArray *trace_file_array(const VarveFile *file, const char *name);
/* Returns a text of "file.texts", "" beyond the last. */
const char *trace_file_text(const VarveFile *file, size_t index);
/* Makes the trace. NULL: err filled. */
Trace *trace_file_trace(VarveFile *file, Err *err) WARN_UNUSED;

#endif
