#include "format/writer_pieces.h"

#include "base/lock.h"
#include "base/thread.h"

enum { ENCODERS_MOST = 8 };

/* The result of encoding a piece. */
typedef struct PieceSlot {
    void *piece;
    bool  is_done, is_good;
    Err   err; /* if it is done and not good */
} PieceSlot;

typedef struct Helper {
    WriterPieces *pieces;
    size_t        encoder;
    Thread       *thread;
} Helper;

struct WriterPieces {
    PieceWork  work;
    PieceSlot *slots; /* piece number n is in slot n % slot_count */
    size_t     slot_count;
    Helper     helpers[ENCODERS_MOST - 1];
    size_t     helper_count;
    Lock      *lock;                       /* of all below, and of the results in the slots */
    uint64_t   submitted, claimed, passed; /* numbers of pieces; passed <= claimed <= submitted */
    bool       is_stopping;
};

size_t writer_encoder_count(unsigned threads)
{
    return threads < 1 ? 1 : threads < ENCODERS_MOST ? threads : ENCODERS_MOST;
}

static PieceSlot *slot_of(const WriterPieces *pieces, uint64_t number)
{
    return &pieces->slots[number % pieces->slot_count];
}

/* Encodes the next piece. The caller holds the lock, which is released meanwhile. */
static void encode_next(WriterPieces *pieces, size_t encoder)
{
    PieceSlot *slot = slot_of(pieces, pieces->claimed++);
    lock_give(pieces->lock);
    const bool is_good = pieces->work.encode(pieces->work.context, encoder, slot->piece, &slot->err);
    lock_take(pieces->lock);
    slot->is_good = is_good;
    slot->is_done = true;
    lock_wake(pieces->lock);
}

static void help(void *context)
{
    const Helper *helper = context;
    WriterPieces *pieces = helper->pieces;
    lock_take(pieces->lock);
    while (!pieces->is_stopping) {
        if (pieces->claimed < pieces->submitted)
            encode_next(pieces, helper->encoder);
        else
            lock_wait(pieces->lock);
    }
    lock_give(pieces->lock);
}

WriterPieces *writer_pieces_start(Arena *arena, const PieceWork *work, size_t piece_size, unsigned threads)
{
    WriterPieces *pieces = ARENA_NEW(arena, WriterPieces);
    const size_t  encoders = writer_encoder_count(threads);
    if (pieces == NULL) return NULL;
    *pieces = (WriterPieces){ .work = *work,
                              .slot_count = encoders == 1 ? 1 : 2 * encoders + 2,
                              .lock = lock_create(arena) };
    pieces->slots = ARENA_ARRAY(arena, PieceSlot, pieces->slot_count);
    bool done = pieces->lock != NULL && pieces->slots != NULL;
    for (size_t i = 0; done && i < pieces->slot_count; i++) {
        pieces->slots[i].piece = arena_push(arena, 1, piece_size);
        done = pieces->slots[i].piece != NULL;
    }
    if (!done) {
        lock_destroy(pieces->lock);
        return NULL;
    }
    for (size_t i = 0; i + 1 < encoders; i++) {
        Helper *helper = &pieces->helpers[i];
        *helper = (Helper){ .pieces = pieces, .encoder = i + 1 };
        helper->thread = thread_start(arena, help, helper);
        if (helper->thread == NULL) break; /* continues with fewer */
        pieces->helper_count++;
    }
    return pieces;
}

void *writer_pieces_current(WriterPieces *pieces)
{
    return slot_of(pieces, pieces->submitted)->piece;
}

/* Passes the next piece on. The caller holds the lock, which is released meanwhile. */
static bool pass_next(WriterPieces *pieces, Err *err)
{
    PieceSlot *slot = slot_of(pieces, pieces->passed);
    if (!slot->is_good) {
        *err = slot->err;
        return false;
    }
    lock_give(pieces->lock);
    const bool is_passed = pieces->work.pass(pieces->work.context, slot->piece, err);
    lock_take(pieces->lock);
    slot->is_done = false;
    pieces->passed++;
    return is_passed;
}

/* Submits the current piece, then encodes and passes pieces until at most `most` of them are left. */
static bool submit(WriterPieces *pieces, uint64_t most, Err *err)
{
    bool done = true;
    lock_take(pieces->lock);
    pieces->submitted++;
    lock_wake(pieces->lock);
    while (done && pieces->submitted - pieces->passed > most) {
        if (slot_of(pieces, pieces->passed)->is_done)
            done = pass_next(pieces, err);
        else if (pieces->claimed < pieces->submitted)
            encode_next(pieces, 0);
        else
            lock_wait(pieces->lock);
    }
    lock_give(pieces->lock);
    return done;
}

void *writer_pieces_next(WriterPieces *pieces, Err *err)
{
    return submit(pieces, pieces->slot_count - 1, err) ? writer_pieces_current(pieces) : NULL;
}

bool writer_pieces_finish(WriterPieces *pieces, Err *err)
{
    return submit(pieces, 0, err);
}

void writer_pieces_close(WriterPieces *pieces, void (*release)(void *piece))
{
    if (pieces == NULL) return;
    lock_take(pieces->lock);
    pieces->is_stopping = true;
    lock_wake(pieces->lock);
    lock_give(pieces->lock);
    for (size_t i = 0; i < pieces->helper_count; i++)
        thread_join(pieces->helpers[i].thread);
    for (size_t i = 0; i < pieces->slot_count; i++)
        release(pieces->slots[i].piece);
    lock_destroy(pieces->lock);
}
