/* format/input.h - the raw bytes of an input, wherever they come from, as plain UTF-8. For src/format only.
 *
 * An Input has parts: one, or each trace of an archive. A part is filled into a buffer piece by piece and ends once.
 * Its store reads these bytes again: from the file itself when it is plain, else, after input_keep, from temporary files
 * (format/spool.h), which have the parts one after the other. */
#ifndef FORMAT_INPUT_H
#define FORMAT_INPUT_H
#include "format/chunk_file.h"

/* Each gives an Input in `arena`, or NULL. input_close afterwards, always. `raw_bytes` of a pipe is not known. */
Input *input_open_file(Arena *arena, const char *path, Err *err);
Input *input_open_bytes(Arena *arena, const void *bytes, size_t size, Err *err);
/* part_count 0: the store is one whole. Closed also on failure. */
Input *input_open_store(Arena *arena, InputStore store, uint64_t size, const InputPart *parts,
                        size_t part_count, Err *err);
/* Reads the bytes of a loaded trace again, as its reader got them. `loaded` must outlive the input. NULL, with ERR_IO,
 * also if they were not kept. */
Input *input_open_loaded(Arena *arena, const Loaded *loaded, Err *err);

/* On to the first part, then to each next one; before the first input_fill. *found false: there are no more. Of an
 * archive only the members that are traces are parts: those of `wanted`, or, when it is NULL, of any format. False: the
 * archive cannot be read further. */
bool input_begin_part(Input *input, const FormatReader *wanted, bool *found, Err *err) WARN_UNUSED;
/* Up to `size` (> 0) bytes of the part into `buffer`; *got 0 = its end. False: nothing more of it can be read; what
 * was given before stays good. */
bool input_fill(Input *input, void *buffer, size_t size, size_t *got, Err *err) WARN_UNUSED;

/* -- what comes next, made ahead of who reads it: format/blocks.h does so --
 *
 * Pieces are claimed and settled in order, each made in between, by any thread: several at a time
 * where input_makes_several, else one behind the other. Claiming and settling exclude each other.
 * Who claims does not fill. */
typedef struct InputPiece {
    size_t   most;      /* so much room it needs */
    size_t   size;      /* once it was made: bytes of it, 0 = the input's end */
    uint64_t raw_end;   /* likewise: as input_raw_read */
    bool     is_given;  /* it waited to be given, and is made of nothing else */
    ChunkRun run;       /* of a file of chunks */
    bool     failed;    /* nothing can be read behind it, because of err; of chunks, see input_settle */
    Err      err;
} InputPiece;

bool input_makes_several(const Input *input);
/* The next piece, of up to `size` bytes if it can be so small. False: there are no more. */
bool input_claim(Input *input, size_t size, InputPiece *piece);
/* `packed` is worked in; one thread, one buffer. */
void input_make(Input *input, InputPiece *piece, void *buffer, Bytes *packed);
/* Once it was made and all before it were settled. Behind a piece that failed none is good. */
void input_settle(Input *input, InputPiece *piece);
/* Why there are no more pieces: NULL at the proper end. */
const Err *input_claim_error(const Input *input);

/* Takes bytes back that the last fills gave, and their memory: input_fill gives them again. */
void input_give_back(Input *input, Bytes *bytes);

/* Keeps the bytes of an input whose source cannot be read again, for its store: `given`, which input_fill has returned so
 * far, and everything that it returns from now on. Without this call the store of such an input reads nothing. */
void input_keep(Input *input, const Bytes *given);

uint64_t  input_raw_size(const Input *input); /* of the source; 0 = not known */
uint64_t  input_raw_read(const Input *input); /* bytes of the source read so far */
CodecKind input_codec(const Input *input);
/* The name of the part as the archive has it; NULL when there is none. */
const char *input_part_name(const Input *input);
/* Whether the bytes of the part stand in the source as they are given. */
bool input_part_is_plain(const Input *input);
/* Why the store reads nothing, or NULL; the offset is that of the first byte that was not kept. */
const Err *input_store_error(const Input *input);

/* What was left out or replaced on the way, of each kind once; NULL behind the last. */
typedef struct InputNote {
    const char *kind; /* as of builder_warn */
    uint64_t    count;
    uint64_t    offset;       /* of the first, in the bytes that are read */
    char        message[192]; /* of the first */
} InputNote;
const InputNote *input_note(const Input *input, size_t i);

/* Returns access to the bytes that were given so far, while the input is open and after input_begin_part. Zeroed where
 * the source cannot be read again, or not without decompression. */
ReadAgain input_again(Input *input);
/* Gives away the store and closes the rest. Where nothing was kept, the store reads nothing, and *fault is the reason;
 * else its code is ERR_NONE. */
InputStore input_take_store(Input *input, Err *fault);
void       input_close(Input *input); /* what is left; NULL is allowed */

#endif
