#include "format/blocks.h"

#include "base/lock.h"
#include "base/self_trace.h"
#include "base/thread.h"

#include <assert.h>
#include <string.h>

enum {
    CHUNKS_BYTES = 1 << 20,  /* block of a file of chunks: the size of apitrace's chunks */
    BLOCK_BYTES = 256 << 10, /* other blocks: still in the second-level cache when the reader gets them */
    FIRST_HEADROOM = 64 << 10,
    MOST_HEADROOM = 1 << 20,
    AHEAD = 10,      /* blocks decompressed ahead: enough for the time that a reader's page faults may take */
    PLAIN_AHEAD = 4, /* blocks of a plain input, which other threads only decode */
    MOST_HELPERS = 63
};

/* Memory of a block, from memory_map. */
typedef struct Room {
    uint8_t *data;           /* owned */
    size_t   size, capacity; /* the first `size` bytes are in use */
} Room;

/* An element of the ring. */
typedef struct Slot {
    Room       memory;   /* headroom, then the piece */
    size_t     headroom; /* bytes reserved for the unused rest of the previous block */
    InputPiece piece;
    Bytes      decoded; /* owned */
    bool       is_made; /* and decoded */
} Slot;

typedef struct Helper {
    Blocks *blocks;
    Thread *thread;
    Bytes   packed; /* owned */
    void   *state;  /* of AheadDecoding, in the arena */
} Helper;

struct Blocks {
    Input               *input; /* borrowed */
    size_t               block_bytes, slot_count, helper_count;
    Slot                *slots;   /* in the arena; piece n is in slots[n % slot_count] */
    Helper              *helpers; /* in the arena; the first is the reading thread and has no Thread */
    const AheadDecoding *ahead;   /* borrowed, NULL = pieces are not decoded */

    Lock     *lock;           /* guards the members up to `jobs_done`, and input_claim and input_settle */
    uint64_t  claimed, taken; /* number of pieces claimed by any thread, and taken by the reading thread */
    bool      is_busy;        /* a dependent piece is claimed but not made */
    size_t    held_bytes;     /* room of the pieces claimed but not taken */
    size_t    headroom;       /* of the next pieces */
    bool      ended;          /* no piece is left to claim */
    bool      quits;
    BlockJobs jobs;
    size_t    jobs_taken, jobs_done;

    /* of the reading thread alone */
    Room     held[2]; /* of the current block and of the previous one */
    unsigned at;      /* index of the current block's room */
    Block    current;
    Bytes    decoded;     /* Block.decoded */
    uint64_t taken_bytes; /* of the input, in the current block and before it */
    uint64_t decoded_offset;
    bool     over;   /* no further piece is taken */
    bool     failed; /* `over` is true because an error occurred: `err` */
    Err      err;
    bool     no_memory;
};

/* ---- memory ---- */

static void room_release(Room *room)
{
    memory_unmap(room->data, room->capacity);
    *room = (Room){ .data = NULL };
}

/* Grows the room to at least `capacity` bytes; the bytes in use are kept. False when out of memory. */
static bool room_reserve(Room *room, size_t capacity)
{
    if (capacity <= room->capacity) return true;
    uint8_t *data = room->data == NULL ? (uint8_t *)memory_map(capacity)
                                       : (uint8_t *)memory_remap(room->data, room->capacity, capacity);
    if (data == NULL) return false;
    room->data = data;
    room->capacity = capacity;
    return true;
}

static bool room_append(Room *room, const uint8_t *bytes, size_t size)
{
    assert(room->size <= room->capacity);
    const size_t need = room->size + size;
    if (need < size || (need > room->capacity && !room_reserve(room, need + need / 2))) return false;
    if (size > 0) memcpy(room->data + room->size, bytes, size);
    room->size = need;
    return true;
}

/* ---- work of helpers and of the reading thread. The caller holds the lock; it is released during the work ---- */

static bool can_claim(const Blocks *blocks)
{
    if (blocks->ended || blocks->claimed - blocks->taken >= blocks->slot_count) return false;
    /* large chunks fill the ring */
    if (blocks->held_bytes >= blocks->slot_count * blocks->block_bytes) return false;
    return !blocks->is_busy;
}

static void make_piece(Blocks *blocks, Slot *slot, Bytes *packed)
{
    SELF_SLICE("make a block");
    InputPiece  *piece = &slot->piece;
    const size_t most = piece->most > blocks->block_bytes ? piece->most : blocks->block_bytes;
    slot->memory.size = 0;
    if (!room_reserve(&slot->memory, slot->headroom + most)) {
        piece->failed = true;
        (void)err_set(&piece->err, ERR_MEMORY, "out of memory for a block of %zu bytes", piece->most);
        return;
    }
    input_make(blocks->input, piece, slot->memory.data + slot->headroom, packed);
    slot->memory.size = slot->headroom + piece->size;
    assert(slot->memory.size <= slot->memory.capacity);
}

/* Decodes a made piece, unless it is empty or damaged. */
static void decode_piece(const Blocks *blocks, Slot *slot, void *state)
{
    SELF_SLICE("decode a block");
    bytes_clear(&slot->decoded);
    if (blocks->ahead == NULL || slot->piece.failed || slot->piece.size == 0) return;
    blocks->ahead->decode(state, slot->memory.data + slot->headroom, slot->piece.size, &slot->decoded);
}

static bool claim_piece(Blocks *blocks, Helper *helper)
{
    Slot *slot = &blocks->slots[blocks->claimed % blocks->slot_count];
    assert(!blocks->ended && blocks->claimed - blocks->taken < blocks->slot_count);
    if (!input_claim(blocks->input, blocks->block_bytes, &slot->piece)) {
        blocks->ended = true;
        lock_wake(blocks->lock);
        return true;
    }
    slot->headroom = blocks->headroom;
    slot->is_made = false;
    blocks->held_bytes += slot->piece.most;
    blocks->claimed++;
    blocks->is_busy = slot->piece.kind == PIECE_SEQUENTIAL;
    lock_give(blocks->lock);
    make_piece(blocks, slot, &helper->packed);
    if (slot->piece.kind == PIECE_SEQUENTIAL) { /* now others may make the next piece */
        lock_take(blocks->lock);
        blocks->is_busy = false;
        blocks->ended |= slot->piece.size == 0;
        lock_wake(blocks->lock);
        lock_give(blocks->lock);
    }
    decode_piece(blocks, slot, helper->state);
    lock_take(blocks->lock);
    slot->is_made = true;
    lock_wake(blocks->lock);
    return true;
}

static bool do_job(Blocks *blocks)
{
    SELF_SLICE("decode a part");
    const BlockJobs *jobs = &blocks->jobs;
    const size_t     i = blocks->jobs_taken++;
    assert(i < jobs->count);
    lock_give(blocks->lock);
    jobs->run(jobs->context, i);
    lock_take(blocks->lock);
    assert(blocks->jobs_done < jobs->count);
    if (++blocks->jobs_done == jobs->count) lock_wake(blocks->lock);
    return true;
}

/* Runs one job or makes one piece. Returns false if there is no work now. */
static bool do_something(Blocks *blocks, Helper *helper)
{
    if (blocks->jobs_taken < blocks->jobs.count) return do_job(blocks);
    return can_claim(blocks) && claim_piece(blocks, helper);
}

static void help(void *context)
{
    Helper *helper = (Helper *)context;
    Blocks *blocks = helper->blocks;
    lock_take(blocks->lock);
    while (!blocks->quits) {
        if (!do_something(blocks, helper)) lock_wait(blocks->lock);
    }
    lock_give(blocks->lock);
}

/* ---- the reading thread ---- */

/* Returns the slot of the next piece after it is made; NULL if no piece follows. The caller holds the lock. */
static Slot *await_piece(Blocks *blocks)
{
    SELF_SLICE("wait for a block");
    Slot *slot = &blocks->slots[blocks->taken % blocks->slot_count];
    for (;;) {
        const bool is_claimed = blocks->claimed > blocks->taken;
        if (is_claimed && slot->is_made) break;
        if (!is_claimed && blocks->ended) return NULL;
        if (!do_something(blocks, &blocks->helpers[0])) lock_wait(blocks->lock);
    }
    input_settle(blocks->input, &slot->piece);
    return slot;
}

/* Makes the slot available for a new piece. */
static void free_slot(Blocks *blocks, const Slot *slot)
{
    assert(blocks->held_bytes >= slot->piece.most && blocks->taken < blocks->claimed);
    blocks->held_bytes -= slot->piece.most;
    blocks->taken++;
    lock_wake(blocks->lock);
}

/* Empties a room. Frees its memory if a large record has grown it. */
static void trim(Room *memory, const Blocks *blocks)
{
    if (memory->capacity > 2 * (blocks->block_bytes + MOST_HEADROOM)) room_release(memory);
    memory->size = 0;
}

/* Appends the next piece to `memory`. If `memory` is empty, swaps it with the slot's memory and sets *begin to the
 * offset of the piece. Returns false if no piece follows or memory is exhausted. */
static bool take_piece(Blocks *blocks, Room *memory, size_t *begin)
{
    bool took = false;
    lock_take(blocks->lock);
    while (!took && !blocks->over) {
        Slot       *slot = await_piece(blocks);
        InputPiece *piece = slot == NULL ? NULL : &slot->piece;
        const Err  *why = piece == NULL   ? input_claim_error(blocks->input)
                          : piece->failed ? &piece->err
                                          : NULL;
        blocks->failed = why != NULL;
        if (why != NULL) blocks->err = *why;
        if (piece == NULL || piece->failed) blocks->over = blocks->ended = true;
        if (piece == NULL) break;
        took = piece->size > 0;
        blocks->current.raw_read = piece->raw_end;
        if (took && memory->size == 0) {
            const Room emptied = *memory;
            *memory = slot->memory;
            slot->memory = emptied;
            *begin = slot->headroom;
        } else if (took && !room_append(memory, slot->memory.data + slot->headroom, piece->size)) {
            blocks->no_memory = blocks->over = true;
        }
        if (took) {
            const Bytes emptied = blocks->decoded;
            blocks->decoded = slot->decoded;
            slot->decoded = emptied;
            blocks->decoded_offset = blocks->taken_bytes;
            blocks->taken_bytes += piece->size;
        }
        free_slot(blocks, slot);
    }
    lock_give(blocks->lock);
    return took && !blocks->no_memory;
}

/* Copies the unused rest of the previous block before the bytes of `memory`, which begin at *begin. Sets *begin. */
static void put_before(Blocks *blocks, Room *memory, size_t *begin, const uint8_t *left, size_t size)
{
    if (size > *begin) {
        const size_t behind = memory->size - *begin;
        if (!room_reserve(memory, memory->size + size)) {
            blocks->no_memory = true;
            return;
        }
        memmove(memory->data + size, memory->data + *begin, behind);
        memory->size = size + behind;
        *begin = size;
        lock_take(blocks->lock);
        blocks->headroom = size < MOST_HEADROOM / 2 ? size * 2 : MOST_HEADROOM;
        lock_give(blocks->lock);
    }
    assert(size <= *begin && *begin <= memory->size);
    *begin -= size;
    if (size > 0) memcpy(memory->data + *begin, left, size);
}

/* Makes the next block in the other room, from the unused bytes of the current block and the next piece. Sets *begin to
 * the block's offset in the room. Returns false if no piece follows. */
static bool begin_block(Blocks *blocks, size_t used, size_t *begin)
{
    const Block *before = &blocks->current;
    assert(used <= before->size);
    const size_t   left_size = before->size - used;
    const uint8_t *left = left_size == 0 ? NULL : before->bytes + used;
    blocks->at = 1 - blocks->at;
    Room *memory = &blocks->held[blocks->at];
    trim(memory, blocks);
    *begin = 0;
    if (take_piece(blocks, memory, begin)) {
        put_before(blocks, memory, begin, left, left_size);
        return true;
    }
    blocks->no_memory |= !room_append(memory, left, left_size);
    return false;
}

/* Makes the next block in the same room, from the whole current block and the next piece. Returns and sets *begin as
 * begin_block. */
static bool extend_block(Blocks *blocks, size_t least, size_t *begin)
{
    Room *memory = &blocks->held[blocks->at];
    *begin = (size_t)(blocks->current.bytes - memory->data);
    assert(*begin + blocks->current.size == memory->size);
    trim(&blocks->held[1 - blocks->at], blocks);
    if (!room_reserve(memory, *begin + least + blocks->block_bytes)) blocks->no_memory = true;
    return !blocks->no_memory && take_piece(blocks, memory, begin);
}

bool blocks_next(Blocks *blocks, size_t used, size_t least, Err *err)
{
    const Block    before = blocks->current;
    const bool     extends = used == 0 && before.size > 0;
    const uint64_t taken_before = blocks->taken_bytes;
    size_t         begin;
    assert(!before.is_last);
    bool        more = extends ? extend_block(blocks, least, &begin) : begin_block(blocks, used, &begin);
    const bool  is_last = !more;
    Room *const memory = &blocks->held[blocks->at];
    while (more && !blocks->no_memory && memory->size - begin < least)
        more = take_piece(blocks, memory, &begin);
    if (blocks->no_memory)
        return err_set(err, ERR_MEMORY, "out of memory for a record of %zu bytes", before.size - used);
    assert(begin <= memory->size);
    blocks->current = (Block){ .bytes = memory->size == begin ? NULL : memory->data + begin,
                               .size = memory->size - begin,
                               .offset = before.offset + used,
                               .raw_read = blocks->current.raw_read,
                               .decoded_offset = blocks->decoded_offset,
                               .is_last = is_last,
                               .failed = is_last && blocks->failed };
    if (blocks->ahead != NULL && blocks->taken_bytes != taken_before)
        blocks->current.decoded = &blocks->decoded;
    if (blocks->current.failed) blocks->current.err = blocks->err;
    return true;
}

const Block *blocks_current(const Blocks *blocks)
{
    return &blocks->current;
}

/* ---- jobs ---- */

void blocks_post(Blocks *blocks, const BlockJobs *jobs)
{
    lock_take(blocks->lock);
    assert(blocks->jobs_done == blocks->jobs.count);
    blocks->jobs = *jobs;
    blocks->jobs_taken = blocks->jobs_done = 0;
    lock_wake(blocks->lock);
    lock_give(blocks->lock);
}

void blocks_join(Blocks *blocks)
{
    lock_take(blocks->lock);
    while (blocks->jobs_done < blocks->jobs.count) {
        if (!do_something(blocks, &blocks->helpers[0])) lock_wait(blocks->lock);
    }
    lock_give(blocks->lock);
}

/* ---- creating and releasing ---- */

/* Starts the helpers. False when out of memory. */
static bool start_helpers(Blocks *blocks, Arena *arena, unsigned threads, const AheadDecoding *ahead)
{
    const Block *first = &blocks->current;
    const bool   begins = ahead != NULL && ahead->begin != NULL;
    if (begins && !ahead->begin(NULL, first->bytes, first->size)) ahead = NULL;
    for (unsigned i = 0; i < threads && ahead != NULL; i++) {
        blocks->helpers[i].state = arena_push(arena, 1, ahead->state_bytes);
        if (blocks->helpers[i].state == NULL) return false;
        if (begins) (void)ahead->begin(blocks->helpers[i].state, first->bytes, first->size);
    }
    blocks->ahead = ahead;
    for (blocks->helper_count = 1; blocks->helper_count < threads; blocks->helper_count++) {
        Helper *helper = &blocks->helpers[blocks->helper_count];
        helper->blocks = blocks;
        helper->thread = thread_start(arena, help, helper);
        if (helper->thread == NULL) break;
    }
    if (blocks->helper_count == 1) blocks->ahead = NULL; /* the reader itself decodes in less time */
    return true;
}

Blocks *blocks_create(Arena *arena, Input *input, unsigned threads, const AheadDecoding *ahead, Bytes *first)
{
    if (threads == 0) threads = thread_count_default();
    if (threads > MOST_HELPERS + 1) threads = MOST_HELPERS + 1;
    const size_t slot_count = (input_codec(input) == CODEC_NONE ? PLAIN_AHEAD : AHEAD) + (size_t)threads;
    Blocks      *blocks = ARENA_NEW(arena, Blocks);
    if (blocks == NULL) return NULL;
    *blocks = (Blocks){ .input = input,
                        .block_bytes = input_is_chunked(input) ? CHUNKS_BYTES : BLOCK_BYTES,
                        .slots = ARENA_ARRAY(arena, Slot, slot_count),
                        .slot_count = slot_count,
                        .helpers = ARENA_ARRAY(arena, Helper, threads),
                        .helper_count = 1,
                        .headroom = FIRST_HEADROOM,
                        .lock = lock_create(arena) };
    bool done = blocks->slots != NULL && blocks->helpers != NULL && blocks->lock != NULL;
    if (done && first != NULL && first->size > 0) {
        done = room_append(&blocks->held[0], first->data, first->size);
        blocks->current = (Block){ .bytes = blocks->held[0].data, .size = first->size };
        blocks->taken_bytes = first->size;
    }
    if (!done || !start_helpers(blocks, arena, threads, ahead)) {
        room_release(&blocks->held[0]);
        lock_destroy(blocks->lock);
        return NULL;
    }
    if (first != NULL) bytes_release(first);
    return blocks;
}

void blocks_release(Blocks *blocks)
{
    if (blocks == NULL) return;
    blocks_join(blocks);
    lock_take(blocks->lock);
    blocks->quits = true;
    lock_wake(blocks->lock);
    lock_give(blocks->lock);
    for (size_t i = 0; i < blocks->helper_count; i++) {
        thread_join(blocks->helpers[i].thread);
        assert(blocks->helpers[i].blocks == blocks || i == 0);
        bytes_release(&blocks->helpers[i].packed);
        if (blocks->ahead != NULL) blocks->ahead->release(blocks->helpers[i].state);
    }
    assert(!blocks->is_busy);
    for (size_t i = 0; i < blocks->slot_count; i++) {
        room_release(&blocks->slots[i].memory);
        bytes_release(&blocks->slots[i].decoded);
    }
    bytes_release(&blocks->decoded);
    room_release(&blocks->held[0]);
    room_release(&blocks->held[1]);
    lock_destroy(blocks->lock);
}
