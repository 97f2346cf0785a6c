/* export/flatbuffer.h - writes FlatBuffers, the encoding of Arrow's metadata: https://flatbuffers.dev/internals
 *
 * A buffer is written from front to back: a table first, then the objects that its fields refer to. Positions count from the
 * begin of the buffer, which must be aligned to 8 bytes where it is read. Out of memory sets out->failed. */
#ifndef EXPORT_FLATBUFFER_H
#define EXPORT_FLATBUFFER_H
#include "base/arena.h"

enum { FLATBUFFER_MOST_FIELDS = 8 };

/* A table that was written, with all fields 0. */
typedef struct FlatTable {
    size_t at;
    size_t fields[FLATBUFFER_MOST_FIELDS]; /* positions of the fields; of a field of size 0: unspecified */
} FlatTable;

/* Begins a buffer; `out` is empty. flat_refer(out, 0, ...) sets the root. */
void flat_begin(Bytes *out);
/* Appends a table whose field i takes sizes[i] bytes: 1, 2, 4 (also of a reference), 8, or 0 = absent. */
FlatTable flat_table(Bytes *out, const uint8_t *sizes, size_t count);
/* Sets a number of `size` bytes. */
void flat_set(Bytes *out, size_t at, uint64_t value, size_t size);
/* Sets the reference at `at` to the object at `to`. `to` > `at`. */
void flat_refer(Bytes *out, size_t at, size_t to);
/* Appends a string. Returns its position. */
size_t flat_string(Bytes *out, const char *text);
/* Appends a vector of `count` elements of 4 bytes (references), or of structs of whole 8 bytes, all 0. Returns its position;
 * its elements begin 4 bytes behind that. */
size_t flat_vector(Bytes *out, uint32_t count, size_t element_size);

#endif
