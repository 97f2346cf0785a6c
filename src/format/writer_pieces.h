/* format/writer_pieces.h - encodes an output in pieces, by several threads.
 *
 *     pieces = writer_pieces_start(...);
 *     piece = writer_pieces_current(pieces);
 *     while (more) {
 *         ... fill *piece with events
 *         piece = writer_pieces_next(pieces, err);
 *     }
 *     writer_pieces_finish(pieces, err);
 *     writer_pieces_close(pieces);
 *
 * The thread of the caller chooses the events, which needs their order. Helper threads encode the pieces; if all pieces are
 * full, the caller encodes, too. It passes the encoded pieces on in their order, so the output does not depend on the number of
 * threads. Without helpers, as in the browser build, there is one piece and the caller does all the work. */
#ifndef FORMAT_WRITER_PIECES_H
#define FORMAT_WRITER_PIECES_H
#include "base/arena.h"
#include "base/err.h"

/* The work on a piece. On failure the functions return false and fill err. */
typedef struct PieceWork {
    /* Encodes a piece. Calls with different encoders run at the same time. */
    bool (*encode)(void *context, size_t encoder, void *piece, Err *err);
    /* Writes an encoded piece and empties it. Called by the caller's thread. */
    bool (*pass)(void *context, void *piece, Err *err);
    void *context;
} PieceWork;

typedef struct WriterPieces WriterPieces;

/* Returns the number of encoders for this number of threads: at least 1. */
size_t writer_encoder_count(unsigned threads);
/* Starts the helpers. Pieces have `piece_size` bytes and are zeroed. Lives in `arena`. NULL when out of memory. */
WriterPieces *writer_pieces_start(Arena *arena, const PieceWork *work, size_t piece_size,
                                  unsigned threads) WARN_UNUSED;
/* Returns the piece to fill: an empty one. */
void *writer_pieces_current(WriterPieces *pieces);
/* Submits the current piece. Returns the next one to fill; NULL on failure. */
void *writer_pieces_next(WriterPieces *pieces, Err *err) WARN_UNUSED;
/* Submits the current piece, and passes all pieces on. */
bool writer_pieces_finish(WriterPieces *pieces, Err *err) WARN_UNUSED;
/* Stops the helpers, also after a failure, and calls release(piece) for every piece. Accepts NULL. */
void writer_pieces_close(WriterPieces *pieces, void (*release)(void *piece));

#endif
