#include "format/chunk_file.h"

#include "base/cursor.h"
#include "base/lock.h"
#include "codec/snappy.h"

#include <string.h>

enum { CACHED_CHUNKS = 4 };

typedef struct Chunk {
    uint64_t at;    /* of its block in the file */
    uint64_t plain; /* of its first byte in the stream */
    uint32_t packed_size, plain_size;
} Chunk;

typedef struct CachedChunk {
    Bytes    plain;
    size_t   number_plus1; /* 0 = none */
    uint64_t last_use;
    unsigned users;   /* who copy from it */
    bool     is_made; /* else it is being decoded */
} CachedChunk;

struct ChunkFile {
    InputStore  raw;    /* owned */
    Bytes       chunks; /* Chunk[]: all that were found */
    uint64_t    next;   /* of the size field of the chunk behind them */
    uint64_t    plain_size;
    bool        ended, last_is_cut;
    bool        failed; /* err says why there is no more */
    Err         err;
    Lock       *lock; /* over what follows, but not the bytes of a chunk that is made */
    CachedChunk cache[CACHED_CHUNKS];
    uint64_t    uses;
};

static Chunk *chunk_at(const ChunkFile *file, size_t i)
{
    return (Chunk *)(void *)file->chunks.data + i;
}

static size_t chunk_count(const ChunkFile *file)
{
    return file->chunks.size / sizeof(Chunk);
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

static bool stop(ChunkFile *file, ErrCode code, uint64_t offset, const char *what)
{
    file->ended = file->failed = true;
    return err_set_at(&file->err, code, offset, ERR_NOWHERE, "%s", what);
}

/* The chunk at file->next, if there is a good one. */
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
    bytes_append(&file->chunks, chunk, sizeof *chunk);
    if (file->chunks.failed)
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
        if (run->count > 0 && !fits) break; /* it is found again */
        if (!add_to_run(file, run, &chunk)) break;
    }
    return run->count > 0;
}

/* Decodes a chunk, whole or as far as the file has it: how many bytes are good. */
static size_t decode(const ChunkFile *file, uint64_t at, size_t packed_size, size_t plain_size, uint8_t *out,
                     Bytes *packed, ErrCode *fault)
{
    bytes_clear(packed);
    void *room = bytes_reserve(packed, packed_size);
    if (room == NULL) {
        *fault = ERR_MEMORY;
        return 0;
    }
    size_t got = file->raw.read(file->raw.context, at, room, packed_size);
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
        run->good +=
            decode(file, at, run->packed_size[i], run->plain_size[i], out + run->good, packed, &run->fault);
        if (run->fault != ERR_NONE) return;
        run->good_count++;
        at += run->packed_size[i];
    }
}

void chunk_file_settle(ChunkFile *file, const ChunkRun *run)
{
    if (run->fault == ERR_NONE) return;
    Chunk *chunk = chunk_at(file, run->number + run->good_count);
    size_t good_here = run->good;
    for (size_t i = 0; i < run->good_count; i++)
        good_here -= run->plain_size[i];
    (void)stop(file, run->fault, chunk->at - SNAPPY_SIZE_BYTES,
               run->fault == ERR_MEMORY      ? "out of memory for a chunk"
               : run->fault == ERR_TRUNCATED ? "the last chunk is cut short"
                                             : "a chunk is damaged: what follows is not read");
    chunk->plain_size = (uint32_t)good_here;
    file->plain_size = chunk->plain + good_here;
    file->chunks.size = (run->number + run->good_count + (good_here > 0 ? 1 : 0)) * sizeof(Chunk);
}

uint64_t chunk_file_at(const ChunkFile *file)
{
    return file->next;
}

const Err *chunk_file_error(const ChunkFile *file)
{
    return file->failed ? &file->err : NULL;
}

/* -- anywhere -- */

/* The chunk that holds `offset` (< plain_size). */
static size_t find_chunk(const ChunkFile *file, uint64_t offset)
{
    size_t low = 0, high = chunk_count(file);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (chunk_at(file, middle)->plain <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool decode_again(const ChunkFile *file, const Chunk *chunk, Bytes *plain)
{
    Bytes   packed = { NULL, 0, 0, false };
    ErrCode fault = ERR_NONE;
    bytes_clear(plain);
    uint8_t *room = (uint8_t *)bytes_reserve(plain, chunk->plain_size);
    size_t   good = 0;
    if (room != NULL)
        good = decode(file, chunk->at, chunk->packed_size, chunk->plain_size, room, &packed, &fault);
    bytes_release(&packed);
    bytes_grow(plain, good < chunk->plain_size ? 0 : chunk->plain_size);
    return plain->size > 0;
}

/* The place of a chunk in the cache, or that which was not used for longest and nobody uses; NULL = all are used. */
static CachedChunk *choose_place(ChunkFile *file, size_t number)
{
    CachedChunk *oldest = NULL;
    for (size_t i = 0; i < CACHED_CHUNKS; i++) {
        CachedChunk *entry = &file->cache[i];
        if (entry->number_plus1 == number + 1) return entry;
        if (entry->users == 0 && (oldest == NULL || entry->last_use < oldest->last_use)) oldest = entry;
    }
    return oldest;
}

/* A chunk for use until it is let go; who comes while somebody decodes it waits for him. NULL: it cannot be
 * had, or no place is free. With the lock, which is let go meanwhile. */
static CachedChunk *use_cached(ChunkFile *file, size_t number)
{
    CachedChunk *entry;
    while ((entry = choose_place(file, number)) != NULL && entry->number_plus1 == number + 1 &&
           !entry->is_made)
        lock_wait(file->lock);
    if (entry == NULL) return NULL;
    entry->users++;
    entry->last_use = ++file->uses;
    if (entry->number_plus1 == number + 1) return entry;
    entry->number_plus1 = number + 1;
    entry->is_made = false;
    lock_give(file->lock);
    const bool done = decode_again(file, chunk_at(file, number), &entry->plain);
    lock_take(file->lock);
    entry->is_made = done;
    if (!done) entry->number_plus1 = entry->users = 0; /* who waits tries for himself */
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

/* Up to `size` bytes from `at` of a chunk on. */
static size_t read_chunk(ChunkFile *file, size_t number, size_t at, uint8_t *out, size_t size)
{
    size_t got = 0;
    lock_take(file->lock);
    CachedChunk *entry = use_cached(file, number);
    lock_give(file->lock);
    if (entry != NULL) {
        got = copy_from(&entry->plain, at, out, size);
        lock_take(file->lock);
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
    bytes_release(&file->chunks);
    for (size_t i = 0; i < CACHED_CHUNKS; i++)
        bytes_release(&file->cache[i].plain);
    lock_destroy(file->lock);
}
