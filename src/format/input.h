/* format/input.h - reads the bytes of an input from any source, decompressed and as UTF-8. For src/format only.
 *
 * An Input has one part, or a part for each trace of an archive. input_fill reads a part piece by piece. The Input's
 * store reads these bytes again: from the file itself if it is plain, else, after input_keep, from temporary files
 * (format/spool.h), which hold the parts one after the other. */
#ifndef FORMAT_INPUT_H
#define FORMAT_INPUT_H
#include "format/chunk_file.h"

/* These functions return an Input in `arena`, or NULL on failure. Close it with input_close or input_take_store. */
/* `path`: also an address, or "-". `progress` may be NULL: it cancels the wait for a server, and must outlive the input. */
Input *input_open_file(Arena *arena, const char *path, const Progress *progress, Err *err);
Input *input_open_bytes(Arena *arena, const void *bytes, size_t size, Err *err);
/* Takes ownership of the store, also on failure. part_count 0: the store is one input. */
Input *input_open_store(Arena *arena, InputStore store, uint64_t size, const InputPart *parts,
                        size_t part_count, Err *err);
/* Opens the bytes of a loaded trace, as its reader got them. `loaded` must outlive the input. Returns NULL with
 * ERR_IO if they were not kept. */
Input *input_open_loaded(Arena *arena, const Loaded *loaded, Err *err);

/* Goes to the first part, and at each later call to the next part. Call it before the first input_fill. *found false:
 * no part follows. The parts of an archive are the members that are traces of the format `wanted`, or of any format
 * if it is NULL. Returns false if the rest of the archive cannot be read. */
bool input_begin_part(Input *input, const FormatReader *wanted, bool *found, Err *err) WARN_UNUSED;
/* Reads up to `size` (> 0) bytes of the part into `buffer`; *got == 0: the end of the part. Returns false if the rest
 * of the part cannot be read; the bytes returned before are valid. */
bool input_fill(Input *input, void *buffer, size_t size, size_t *got, Err *err) WARN_UNUSED;

/* -- reading ahead, for format/blocks.h --
 *
 * Alternative to input_fill. A piece is claimed, made, then settled. Pieces are claimed and settled in order, by one
 * thread at a time. Any thread may make a piece, and several pieces at a time. But a dependent piece is made before the next
 * one is claimed. */
typedef enum {
    PIECE_SEQUENTIAL, /* of any other input: dependent */
    PIECE_PLAIN,      /* of a plain file */
    PIECE_CHUNKS,     /* a run of chunks */
    PIECE_WAITING     /* of a file of chunks: bytes of input_give_back and of a large chunk only */
} PieceKind;

typedef struct InputPiece {
    PieceKind kind;
    size_t    most;    /* bytes of room that the piece needs */
    size_t    size;    /* set by input_make: bytes of the piece, 0 = the input's end */
    uint64_t  raw_end; /* set by input_make: input_raw_read at the end of the piece */
    uint64_t  at;      /* of PIECE_PLAIN: its offset in the file */
    ChunkRun  run;     /* of PIECE_CHUNKS */
    /* the input cannot be read after this piece, because of err; for chunks see input_settle */
    bool failed;
    Err  err;
} InputPiece;

/* True for a file of chunks. */
bool input_is_chunked(const Input *input);
/* Claims the next piece, of up to `size` bytes if the input allows so small a piece. Returns false if no piece
 * follows. */
bool input_claim(Input *input, size_t size, InputPiece *piece);
/* Reads and decompresses the piece into `buffer`. `packed` is scratch memory of the calling thread. */
void input_make(Input *input, InputPiece *piece, void *buffer, Bytes *packed);
/* Settles a made piece after all earlier pieces. The pieces after a failed one are invalid. */
void input_settle(Input *input, InputPiece *piece);
/* Returns the error after which no piece follows; NULL at the regular end. */
const Err *input_claim_error(const Input *input);

/* Takes the bytes that the last calls of input_fill returned, with their memory. input_fill returns them again. */
void input_give_back(Input *input, Bytes *bytes);

/* Returns all bytes of the current part, aligned to 8: the mapped file, the borrowed bytes, or a copy. `given`: the bytes that
 * input_fill has returned so far. Call it once, in place of further calls of input_fill. */
bool input_take_bytes(Input *input, const Bytes *given, TraceMapping *out, Err *err) WARN_UNUSED;
/* As input_take_bytes, but always a copy, on pages that grow. */
bool input_copy_bytes(Input *input, const Bytes *given, TraceMapping *out, Err *err) WARN_UNUSED;

/* Keeps the bytes of an input whose source cannot be read again, for its store: `given`, the bytes that input_fill has
 * returned so far, and all bytes that it returns later. Without this call the store of such an input returns no
 * bytes. */
void input_keep(Input *input, const Bytes *given);

uint64_t  input_raw_size(const Input *input); /* bytes of the source; 0 = not known, as for a pipe */
uint64_t  input_raw_read(const Input *input); /* bytes of the source read so far */
CodecKind input_codec(const Input *input);
/* Returns the codec of the bytes that the offset of an error of input_fill counts. */
CodecKind input_error_codec(const Input *input);
/* Returns the name of the current part in the archive; NULL if the input is not an archive. */
const char *input_part_name(const Input *input);
/* True if input_fill returns the bytes of the source unchanged. */
bool input_part_is_plain(const Input *input);
/* Returns the reason why the store returns no bytes, or NULL. The offset is that of the first byte that was not kept.
 * */
const Err *input_store_error(const Input *input);

/* A kind of data that was left out or replaced. input_note returns the i-th kind, NULL after the last. */
typedef struct InputNote {
    const char *kind; /* as of builder_warn */
    uint64_t    count;
    uint64_t    offset;       /* of the first occurrence in the decompressed input */
    char        message[192]; /* about the first occurrence */
} InputNote;
const InputNote *input_note(const Input *input, size_t i);

/* Returns access to the bytes that input_fill has returned, valid while the input is open. Call it after
 * input_begin_part. Returns a zeroed ReadAgain if the source cannot be read again, or is compressed. */
ReadAgain input_again(Input *input);
/* Closes the input and returns its store, owned by the caller. If the bytes were not kept, the store returns no bytes
 * and *fault is the reason; else fault->code is ERR_NONE. */
InputStore input_take_store(Input *input, Err *fault);
void       input_close(Input *input); /* accepts NULL */

#endif
