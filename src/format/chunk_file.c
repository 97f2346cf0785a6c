#include "format/chunk_file.h"

#include "base/cursor.h"
#include "base/lock.h"
#include "base/lru.h"
#include "base/search.h"
#include "base/vec.h"
#include "codec/snappy.h"

#include <assert.h>
#include <string.h>

enum { CACHED_CHUNKS = 4 };

typedef struct Chunk {
    uint64_t at;    /* offset of its block in the file */
    uint64_t plain; /* offset of its first byte in the decompressed stream */
    uint32_t packed_size, plain_size;
} Chunk;

typedef struct CachedChunk {
    Bytes    plain;
    size_t   number_plus1; /* index of the chunk + 1; 0 = empty */
    uint64_t last_use;
    unsigned users;   /* number of threads that copy from it */
    bool     is_made; /* false while a thread decodes it */
} CachedChunk;

struct ChunkFile {
    InputStore raw;    /* owned */
    VEC(Chunk) chunks; /* all chunks found so far */
    uint64_t    next;  /* offset of the size field of the next chunk */
    uint64_t    plain_size;
    bool        ended;
    bool        failed; /* the stream ended because of err */
    Err         err;
    Lock       *lock; /* guards the members below, except the bytes of a decoded chunk */
    CachedChunk cache[CACHED_CHUNKS];
    uint64_t    uses;
};

static Chunk *chunk_at(const ChunkFile *file, size_t i)
{
    return &file->chunks.items[i];
}

static size_t chunk_count(const ChunkFile *file)
{
    return vec_count(&file->chunks);
}

ChunkFile *chunk_file_create(Arena *arena, InputStore raw, Err *err)
{
    ChunkFile *file = ARENA_NEW(arena, ChunkFile);
    Lock      *lock = file == NULL ? NULL : lock_create(arena);
    if (lock == NULL) {
        raw.close(raw.context);
        (void)err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    file->raw = raw;
    file->next = SNAPPY_MAGIC_BYTES;
    file->lock = lock;
    return file;
}

/* -- in order -- */

static bool stop(ChunkFile *file, ErrCode code, uint64_t offset, const char *message)
{
    file->ended = file->failed = true;
    return err_set_at(&file->err, code, offset, ERR_NOWHERE, "%s", message);
}

/* Sets *chunk to the chunk at file->next. Returns false at the end and at an invalid chunk. */
static bool find_next(ChunkFile *file, Chunk *chunk)
{
    uint8_t    head[SNAPPY_SIZE_BYTES + SNAPPY_VARINT_MOST];
    size_t     got = file->raw.read(file->raw.context, file->next, head, sizeof head), plain_size = 0;
    ByteCursor c = cursor_over(head, got, file->next);
    uint32_t   packed_size = cursor_u32le(&c);
    if (c.failed && got > 0) return stop(file, ERR_TRUNCATED, file->next, "it ends inside a chunk's size");
    if (packed_size == 0) {
        file->ended = true;
        return false;
    }
    if (packed_size > SNAPPY_PACKED_MOST)
        return stop(file, ERR_CORRUPT, file->next, "a chunk is larger than any can be");
    size_t block_size = packed_size < cursor_left(&c) ? packed_size : cursor_left(&c);
    if (!snappy_plain_size(head + SNAPPY_SIZE_BYTES, block_size, &plain_size)) {
        bool cut = block_size < packed_size && block_size < SNAPPY_VARINT_MOST;
        return stop(file, cut ? ERR_TRUNCATED : ERR_CORRUPT, file->next,
                    cut ? "the last chunk is cut short" : "a chunk does not begin with its size");
    }
    if (plain_size > SNAPPY_PLAIN_MOST)
        return stop(file, ERR_LIMIT, file->next, "a chunk would become larger than 64 MiB");
    *chunk = (Chunk){ .at = file->next + SNAPPY_SIZE_BYTES,
                      .plain = file->plain_size,
                      .packed_size = packed_size,
                      .plain_size = (uint32_t)plain_size };
    return true;
}

static bool add_to_run(ChunkFile *file, ChunkRun *run, const Chunk *chunk)
{
    assert(run->count < CHUNK_RUN_MOST);
    vec_push(&file->chunks, *chunk);
    if (file->chunks.bytes.failed)
        return stop(file, ERR_MEMORY, file->next, "out of memory for the places of its chunks");
    run->packed_size[run->count] = chunk->packed_size;
    run->plain_size[run->count] = chunk->plain_size;
    run->plain_bytes += chunk->plain_size;
    run->count++;
    file->plain_size += chunk->plain_size;
    file->next = chunk->at + chunk->packed_size;
    return true;
}

bool chunk_file_find(ChunkFile *file, size_t room, ChunkRun *run)
{
    Chunk chunk;
    *run = (ChunkRun){ .at = file->next, .number = chunk_count(file) };
    while (!file->ended && run->count < CHUNK_RUN_MOST && find_next(file, &chunk)) {
        bool fits = run->plain_bytes < room && chunk.plain_size <= room - run->plain_bytes;
        if (run->count > 0 && !fits) break; /* the next call finds it again */
        if (!add_to_run(file, run, &chunk)) break;
    }
    return run->count > 0;
}

/* Decodes a chunk, or the part of it before the end of the file. Returns the number of valid bytes. */
static size_t decode(const ChunkFile *file, const Chunk *chunk, uint8_t *out, Bytes *packed, ErrCode *fault)
{
    const size_t packed_size = chunk->packed_size, plain_size = chunk->plain_size;
    bytes_clear(packed);
    assert(packed_size <= SNAPPY_PACKED_MOST && plain_size <= SNAPPY_PLAIN_MOST);
    void *room = bytes_reserve(packed, packed_size);
    if (room == NULL) {
        *fault = ERR_MEMORY;
        return 0;
    }
    size_t got = file->raw.read(file->raw.context, chunk->at, room, packed_size);
    if (got < packed_size) {
        *fault = ERR_TRUNCATED;
        return snappy_decode_part((const uint8_t *)room, got, out, plain_size);
    }
    if (snappy_decode((const uint8_t *)room, got, out, plain_size)) return plain_size;
    *fault = ERR_CORRUPT;
    return 0;
}

void chunk_file_decode(const ChunkFile *file, ChunkRun *run, uint8_t *out, Bytes *packed)
{
    uint64_t at = run->at;
    for (size_t i = 0; i < run->count; i++) {
        at += SNAPPY_SIZE_BYTES;
        const Chunk chunk = { .at = at,
                              .packed_size = run->packed_size[i],
                              .plain_size = run->plain_size[i] };
        run->good += decode(file, &chunk, out + run->good, packed, &run->fault);
        if (run->fault != ERR_NONE) return;
        run->good_count++;
        assert(run->good <= run->plain_bytes);
        at += run->packed_size[i];
    }
}

void chunk_file_settle(ChunkFile *file, const ChunkRun *run)
{
    if (run->fault == ERR_NONE) return;
    assert(run->good_count < run->count && run->number + run->good_count < chunk_count(file));
    Chunk *chunk = chunk_at(file, run->number + run->good_count);
    size_t good_here = run->good;
    for (size_t i = 0; i < run->good_count; i++)
        good_here -= run->plain_size[i];
    assert(good_here <= chunk->plain_size);
    (void)stop(file, run->fault, chunk->at - SNAPPY_SIZE_BYTES,
               run->fault == ERR_MEMORY      ? "out of memory for a chunk"
               : run->fault == ERR_TRUNCATED ? "the last chunk is cut short"
                                             : "a chunk is damaged: the rest of the file is not read");
    chunk->plain_size = (uint32_t)good_here;
    file->plain_size = chunk->plain + good_here;
    vec_cut(&file->chunks, run->number + run->good_count + (good_here > 0 ? 1 : 0));
}

uint64_t chunk_file_at(const ChunkFile *file)
{
    return file->next;
}

const Err *chunk_file_error(const ChunkFile *file)
{
    return file->failed ? &file->err : NULL;
}

/* -- reading at any offset -- */

/* Returns the index of the chunk that contains `offset` (< plain_size). */
static size_t find_chunk(const ChunkFile *file, uint64_t offset)
{
    assert(offset < file->plain_size && chunk_count(file) > 0);
    size_t low = 1;
    LOWER_BOUND(size_t, low, chunk_count(file), i, chunk_at(file, i)->plain <= offset);
    return low - 1;
}

static bool decode_again(const ChunkFile *file, const Chunk *chunk, Bytes *plain)
{
    Bytes   packed = { NULL, 0, 0, false };
    ErrCode fault = ERR_NONE;
    bytes_clear(plain);
    uint8_t *room = (uint8_t *)bytes_reserve(plain, chunk->plain_size);
    size_t   good = 0;
    if (room != NULL) good = decode(file, chunk, room, &packed, &fault);
    bytes_release(&packed);
    bytes_grow(plain, good < chunk->plain_size ? 0 : chunk->plain_size);
    return plain->size > 0;
}

/* Returns the cache entry of a chunk. If it has none, returns the least recently used entry without users; NULL if all
 * entries have users. */
static CachedChunk *choose_place(ChunkFile *file, size_t number)
{
    const CachedChunk *cache = file->cache;
    size_t             place;
    LRU_CHOOSE(place, CACHED_CHUNKS, i, cache[i].number_plus1 == number + 1, cache[i].users == 0,
               cache[i].last_use);
    return place == CACHED_CHUNKS ? NULL : &file->cache[place];
}

/* Returns the cache entry of a decoded chunk and counts the caller as a user. Waits if another thread decodes the
 * chunk. Returns NULL if the chunk cannot be decoded or no entry is free. The caller holds the lock; it is released
 * during decoding. */
static CachedChunk *use_cached(ChunkFile *file, size_t number)
{
    CachedChunk *entry;
    while ((entry = choose_place(file, number)) != NULL && entry->number_plus1 == number + 1 &&
           !entry->is_made)
        lock_wait(file->lock);
    if (entry == NULL) return NULL;
    assert(entry->users == 0 || entry->number_plus1 == number + 1);
    entry->users++;
    entry->last_use = ++file->uses;
    if (entry->number_plus1 == number + 1) return entry;
    entry->number_plus1 = number + 1;
    entry->is_made = false;
    lock_give(file->lock);
    const bool done = decode_again(file, chunk_at(file, number), &entry->plain);
    lock_take(file->lock);
    entry->is_made = done;
    if (!done) entry->number_plus1 = entry->users = 0; /* waiting threads try again themselves */
    lock_wake(file->lock);
    return done ? entry : NULL;
}

static size_t copy_from(const Bytes *plain, size_t at, uint8_t *out, size_t size)
{
    if (at >= plain->size) return 0;
    if (size > plain->size - at) size = plain->size - at;
    memcpy(out, plain->data + at, size);
    return size;
}

/* Copies up to `size` bytes from offset `at` of a chunk. Returns their number. */
static size_t read_chunk(ChunkFile *file, size_t number, size_t at, uint8_t *out, size_t size)
{
    size_t got = 0;
    lock_take(file->lock);
    CachedChunk *entry = use_cached(file, number);
    lock_give(file->lock);
    if (entry != NULL) {
        got = copy_from(&entry->plain, at, out, size);
        lock_take(file->lock);
        assert(entry->users > 0 && entry->is_made);
        entry->users--;
        lock_give(file->lock);
    } else {
        Bytes own = { NULL, 0, 0, false };
        if (decode_again(file, chunk_at(file, number), &own)) got = copy_from(&own, at, out, size);
        bytes_release(&own);
    }
    return got;
}

size_t chunk_file_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    ChunkFile *file = (ChunkFile *)context;
    size_t     done = 0;
    while (done < size && offset + done < file->plain_size) {
        size_t number = find_chunk(file, offset + done);
        size_t at = (size_t)(offset + done - chunk_at(file, number)->plain);
        size_t got = read_chunk(file, number, at, (uint8_t *)buffer + done, size - done);
        if (got == 0) break;
        done += got;
    }
    return done;
}

void chunk_file_close(void *context)
{
    ChunkFile *file = (ChunkFile *)context;
    file->raw.close(file->raw.context);
    vec_release(&file->chunks);
    for (size_t i = 0; i < CACHED_CHUNKS; i++)
        bytes_release(&file->cache[i].plain);
    lock_destroy(file->lock);
}
