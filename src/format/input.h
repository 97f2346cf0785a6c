/* format/input.h - the raw bytes of an input, wherever they come from, decompressed. For src/format only.
 *
 * An Input is filled into a buffer piece by piece and ends once. What it gives can be read again through its
 * store: the file itself when it is plain, else a temporary file that is written on the way. */
#ifndef FORMAT_INPUT_H
#define FORMAT_INPUT_H
#include "format/load.h"

typedef struct Input Input;

/* Each gives an Input in `arena`, or NULL. input_close afterwards, always. `raw_bytes` of a pipe is not known. */
Input *input_open_file(Arena *arena, const char *path, Err *err);
Input *input_open_bytes(Arena *arena, const void *bytes, size_t size, Err *err);
Input *input_open_store(Arena *arena, InputStore store, uint64_t size, Err *err);

/* Up to `size` (> 0) decompressed bytes into `buffer`; *got 0 = the end. False: nothing more can be read; what
 * was given before stays good. */
bool input_fill(Input *input, void *buffer, size_t size, size_t *got, Err *err) WARN_UNUSED;

/* For who will not read again: nothing is kept. Before the first input_fill; input_take_store is out of bounds then. */
void input_drop_store(Input *input);

uint64_t  input_raw_size(const Input *input); /* of the source; 0 = not known */
uint64_t  input_raw_read(const Input *input); /* bytes of the source read so far */
CodecKind input_codec(const Input *input);
/* Why the bytes cannot be read again, or NULL: no temporary file could be written. */
const Err *input_store_error(const Input *input);

/* Gives away the store (a store that reads nothing if there is none) and closes the rest. */
InputStore input_take_store(Input *input);
void       input_close(Input *input); /* what is left; NULL is allowed */

#endif
