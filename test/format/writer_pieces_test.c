/* Pieces of an output that several threads encode: src/format/writer_pieces.c. */
#include "format/writer_pieces.h"

#include "support/test.h"

#include <stdlib.h>

enum { NEVER = UINT32_MAX };

typedef struct Piece {
    uint32_t  number;
    uint32_t *square; /* owned: made by `encode` */
} Piece;

typedef struct Work {
    uint32_t passed;               /* pieces passed on so far */
    uint32_t bad_encode, bad_pass; /* numbers of the pieces that fail; NEVER = none */
} Work;

static bool encode(void *context, size_t encoder, void *piece, Err *err)
{
    const Work *work = (const Work *)context;
    Piece      *made = (Piece *)piece;
    CHECK(encoder < 8);
    if (made->number == work->bad_encode) return err_set(err, ERR_LIMIT, "piece %u", made->number);
    CHECK(made->square == NULL);
    made->square = (uint32_t *)malloc(sizeof *made->square);
    CHECK(made->square != NULL);
    *made->square = made->number * made->number;
    return true;
}

static void release(void *piece)
{
    free(((Piece *)piece)->square);
    ((Piece *)piece)->square = NULL;
}

static bool pass(void *context, void *piece, Err *err)
{
    Work        *work = (Work *)context;
    const Piece *made = (const Piece *)piece;
    if (made->number == work->bad_pass) return err_set(err, ERR_IO, "piece %u", made->number);
    CHECK_UINT(made->number, work->passed);
    CHECK_UINT(*made->square, made->number * made->number);
    work->passed++;
    release(piece);
    return true;
}

/* Submits pieces 0 to count - 1. Returns true if all are passed on. */
static bool run(Work *work, uint32_t count, unsigned threads, Err *err)
{
    Arena         arena = arena_create(0);
    WriterPieces *pieces =
        writer_pieces_start(&arena, &(PieceWork){ encode, pass, work }, sizeof(Piece), threads);
    CHECK(pieces != NULL);
    Piece *piece = (Piece *)writer_pieces_current(pieces);
    for (uint32_t i = 0; i < count && piece != NULL; i++) {
        CHECK(piece->square == NULL);
        piece->number = i;
        if (i + 1 < count) piece = (Piece *)writer_pieces_next(pieces, err);
    }
    const bool done = piece != NULL && writer_pieces_finish(pieces, err);
    writer_pieces_close(pieces, release);
    arena_release(&arena);
    return done;
}

TEST(pieces_are_passed_on_in_their_order)
{
    for (unsigned threads = 0; threads <= 10; threads++) {
        for (uint32_t count = 1; count <= 1000; count *= 10) {
            Work work = { .bad_encode = NEVER, .bad_pass = NEVER };
            Err  err = { 0 };
            CHECK_DONE(run(&work, count, threads, &err), err);
            CHECK_UINT(work.passed, count);
        }
    }
}

TEST(a_failure_ends_the_output_after_the_pieces_before_it)
{
    for (unsigned threads = 0; threads <= 4; threads++) {
        for (uint32_t bad = 0; bad < 40; bad += 13) {
            Work work = { .bad_encode = bad, .bad_pass = NEVER };
            Err  err = { 0 };
            CHECK(!run(&work, 40, threads, &err));
            CHECK_UINT(work.passed, bad);
            CHECK_INT(err.code, ERR_LIMIT);
            work = (Work){ .bad_encode = NEVER, .bad_pass = bad };
            CHECK(!run(&work, 40, threads, &err));
            CHECK_UINT(work.passed, bad);
            CHECK_INT(err.code, ERR_IO);
        }
    }
}

TEST_MAIN("writer_pieces", TEST_CASE(pieces_are_passed_on_in_their_order),
          TEST_CASE(a_failure_ends_the_output_after_the_pieces_before_it))
