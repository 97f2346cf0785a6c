/* format/pieces.h - feeds a reader piece by piece, and checks properties that hold for every reader. */
#ifndef TEST_FORMAT_PIECES_H
#define TEST_FORMAT_PIECES_H
#include "format/reader.h"
#include "support/test.h"

/* The division of a reader's input: pieces of `fixed` bytes, or of random sizes up to `most`, or all at once
 * (zeroed). */
typedef struct Pieces {
    size_t      fixed, most;
    TestRandom *random;
} Pieces;

/* FormatReader.read, or a function with the same contract. */
typedef bool (*ReadPiece)(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                          Err *err);

/* Passes each piece in memory of its exact size, so that a read beyond it is found. False as soon as `read` returns
 * false. */
bool read_pieces(void *state, ReadPiece read, const void *bytes, size_t size, Pieces pieces, Err *err);

typedef struct Built {
    Trace *trace; /* NULL: refused, err filled */
    Err    err;
} Built;

/* Builds a trace for one perspective, NULL = all (builder_want_perspective). */
Built built_by(const FormatReader *reader, const char *perspective, const void *bytes, size_t size,
               Pieces pieces);
/* Builds a trace in one piece and runs trace_check; fails the case if it is refused. Clears `bytes`. */
Trace *built_whole_by(const FormatReader *reader, Bytes *bytes);

/* ---- contents of a trace ---- */

/* Returns a warning's count, 0 without one; its first in *first, which may be NULL. */
uint64_t warning_count(const Trace *trace, const char *kind, const Warning **first);
/* Returns the number of events of a kind. */
uint64_t event_count(const Trace *trace, const char *kind);

/* Append text, one line each except the first function. */
void text_tick(const Trace *trace, int64_t tick, Bytes *out);
void text_properties(const Trace *trace, Bytes *out);
void text_event_kinds(const Trace *trace, Bytes *out);
void text_warnings(const Trace *trace, Bytes *out);

/* Appends the whole trace of a file of these bytes as text. */
typedef void (*TextTrace)(const Trace *trace, const void *bytes, size_t size, Bytes *out);
/* Writes a checked trace, or the error, as text into `out`, in the place of its content. Releases the trace. */
void text_built(Built built, TextTrace text_trace, const void *bytes, size_t size, Bytes *out);

/* ---- properties of every reader ---- */

/* Clears `out` and writes the reader's result for the first `size` bytes of a file as text; checks the trace. */
typedef void (*TextOf)(const Bytes *file, size_t size, Pieces pieces, Bytes *out);
/* Compares the text of a file with `expected`. Releases `file`. */
void check_text_of(TextOf text_of, Bytes *file, const char *expected);
/* Compares the texts of the files FOLDER/NAME.SUFFIX with the golden files FOLDER/NAME.txt. */
void check_golden_files(TextOf text_of, const char *folder, const char *suffix, const char *const *names,
                        size_t count);
/* Checks that pieces of one byte and of random sizes give the same. */
void check_any_pieces(TextOf text_of, const Bytes *file);
/* Changes one byte after the other: pieces give the same as the whole; the bytes before `first` are unchanged. */
void check_any_byte(TextOf text_of, Bytes *file, size_t first, TestRandom *random);

typedef Built (*Build)(const Bytes *file);
/* Checks that every failed allocation gives an error. */
void check_every_allocation(Build build, const Bytes *file);

#endif
