/* format/pieces.h - a reader that is fed piece by piece, what it makes of it, and what must hold for every reader. */
#ifndef TEST_FORMAT_PIECES_H
#define TEST_FORMAT_PIECES_H
#include "format/reader.h"
#include "support/test.h"

/* How a reader gets its input: pieces of `fixed` bytes, or of random sizes up to `most`, or all at once (zeroed). */
typedef struct Pieces {
    size_t      fixed, most;
    TestRandom *random;
} Pieces;

/* FormatReader.read, or what works like it. */
typedef bool (*ReadPiece)(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                          Err *err);

/* Hands each piece over in memory of its own size, so that a byte read too much is found. False as soon as
 * `read` is. */
bool read_pieces(void *state, ReadPiece read, const void *bytes, size_t size, Pieces pieces, Err *err);

typedef struct Built {
    Trace *trace; /* NULL: refused with err */
    Err    err;
} Built;

/* Made for one perspective, NULL = all (builder_want_perspective). */
Built built_by(const FormatReader *reader, const char *perspective, const void *bytes, size_t size,
               Pieces pieces);
/* In one piece, checked by trace_check; fails the case when it is refused. Clears `bytes`. */
Trace *built_whole_by(const FormatReader *reader, Bytes *bytes);

/* ---- what is in a trace ---- */

/* A warning's count, 0 when there is none; its first in *first, which may be NULL. */
uint64_t warning_count(const Trace *trace, const char *kind, const Warning **first);
/* Of source events. */
uint64_t event_count(const Trace *trace, const char *kind);

/* As text, a line each but for the first. */
void text_tick(const Trace *trace, int64_t tick, Bytes *out);
void text_properties(const Trace *trace, Bytes *out);
void text_event_kinds(const Trace *trace, Bytes *out);
void text_warnings(const Trace *trace, Bytes *out);
void text_refusal(const Err *err, Bytes *out);

/* ---- what must hold for every reader ---- */

/* Clears `out`, then says there what the reader makes of the first `size` bytes of a file; checks the trace. */
typedef void (*TextOf)(const Bytes *file, size_t size, Pieces pieces, Bytes *out);
/* Pieces of one byte and of random sizes give the same. */
void check_any_pieces(TextOf text_of, const Bytes *file);
/* With one byte after the other wrong, pieces give the same as the whole; those before `first` stay. */
void check_any_byte(TextOf text_of, Bytes *file, size_t first, TestRandom *random);

typedef Built (*Build)(const Bytes *file);
/* Whichever allocation fails, that is an error and nothing worse. */
void check_every_allocation(Build build, const Bytes *file);

#endif
