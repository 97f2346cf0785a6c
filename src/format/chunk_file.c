#include "format/chunk_file.h"

#include "base/cursor.h"
#include "codec/snappy.h"

#include <stdatomic.h>
#include <string.h>

enum { CACHED_CHUNKS = 4 };

typedef struct Chunk {
    uint64_t at;    /* of its block in the file */
    uint64_t plain; /* of its first byte in the stream */
    uint32_t packed_size, plain_size;
} Chunk;

typedef struct Slot { /* one of the chunks that are decoded at a time */
    Bytes  packed;
    size_t good;
    bool   failed; /* damaged, or no memory for it */
} Slot;

typedef struct CachedChunk {
    Bytes    plain;
    size_t   number_plus1; /* 0 = none */
    uint64_t last_use;
} CachedChunk;

struct ChunkFile {
    InputStore  raw;    /* owned */
    Bytes       chunks; /* Chunk[]: all that were found */
    uint64_t    next;   /* of the size field of the chunk behind them */
    uint64_t    plain_size;
    bool        ended, last_is_cut;
    bool        failed; /* err says why there is no more */
    Err         err;
    size_t      first, count; /* of those found last */
    Slot        slots[CHUNKS_AT_ONCE];
    atomic_flag cache_busy; /* whoever finds it so decodes for himself */
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
    if (file == NULL) {
        raw.close(raw.context);
        (void)err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    file->raw = raw;
    file->next = SNAPPY_MAGIC_BYTES;
    atomic_flag_clear(&file->cache_busy);
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

size_t chunk_file_find(ChunkFile *file, size_t room, size_t *needed)
{
    file->first = chunk_count(file);
    file->count = 0;
    *needed = 0;
    while (!file->ended && file->count < CHUNKS_AT_ONCE) {
        Chunk chunk;
        if (!find_next(file, &chunk)) break;
        if (chunk.plain_size > room) {
            *needed = chunk.plain_size;
            break;
        }
        bytes_append(&file->chunks, &chunk, sizeof chunk);
        if (file->chunks.failed) {
            (void)stop(file, ERR_MEMORY, file->next, "out of memory for the places of its chunks");
            break;
        }
        room -= chunk.plain_size;
        file->plain_size += chunk.plain_size;
        file->next = chunk.at + chunk.packed_size;
        file->count++;
    }
    return file->count;
}

/* Decodes a chunk, whole or as far as the file has it. */
static void decode(const ChunkFile *file, const Chunk *chunk, Slot *slot, uint8_t *out)
{
    bytes_clear(&slot->packed);
    slot->good = 0;
    void *room = bytes_reserve(&slot->packed, chunk->packed_size);
    slot->failed = room == NULL;
    if (slot->failed) return;
    size_t got = file->raw.read(file->raw.context, chunk->at, room, chunk->packed_size);
    if (got < chunk->packed_size) {
        slot->good = snappy_decode_part((const uint8_t *)room, got, out, chunk->plain_size);
        slot->failed = true;
    } else if (snappy_decode((const uint8_t *)room, got, out, chunk->plain_size)) {
        slot->good = chunk->plain_size;
    } else {
        slot->failed = true;
    }
    bytes_grow(&slot->packed, got);
}

void chunk_file_decode(ChunkFile *file, size_t i, uint8_t *out)
{
    const Chunk *chunk = chunk_at(file, file->first + i);
    decode(file, chunk, &file->slots[i], out + (chunk->plain - chunk_at(file, file->first)->plain));
}

size_t chunk_file_settle(ChunkFile *file)
{
    size_t good = 0;
    for (size_t i = 0; i < file->count; i++) {
        const Slot *slot = &file->slots[i];
        Chunk      *chunk = chunk_at(file, file->first + i);
        good += slot->good;
        if (!slot->failed) continue;
        bool     is_cut = slot->packed.size < chunk->packed_size;
        uint64_t at = chunk->at - SNAPPY_SIZE_BYTES;
        (void)stop(file,
                   slot->packed.failed ? ERR_MEMORY
                   : is_cut            ? ERR_TRUNCATED
                                       : ERR_CORRUPT,
                   at,
                   slot->packed.failed ? "out of memory for a chunk"
                   : is_cut            ? "the last chunk is cut short"
                                       : "a chunk is damaged: what follows is not read");
        chunk->plain_size = (uint32_t)slot->good;
        file->plain_size = chunk->plain + slot->good;
        file->chunks.size = (file->first + i + (slot->good > 0 ? 1 : 0)) * sizeof(Chunk);
        break;
    }
    return good;
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
    Slot slot = { .good = 0 };
    bytes_clear(plain);
    uint8_t *room = (uint8_t *)bytes_reserve(plain, chunk->plain_size);
    if (room != NULL) decode(file, chunk, &slot, room);
    bytes_release(&slot.packed);
    bytes_grow(plain, slot.good < chunk->plain_size ? 0 : chunk->plain_size);
    return plain->size > 0;
}

static const Bytes *cached(ChunkFile *file, size_t number)
{
    CachedChunk *oldest = &file->cache[0];
    for (size_t i = 0; i < CACHED_CHUNKS; i++) {
        CachedChunk *entry = &file->cache[i];
        if (entry->number_plus1 == number + 1) {
            entry->last_use = ++file->uses;
            return &entry->plain;
        }
        if (entry->last_use < oldest->last_use) oldest = entry;
    }
    oldest->number_plus1 = 0;
    if (!decode_again(file, chunk_at(file, number), &oldest->plain)) return NULL;
    oldest->number_plus1 = number + 1;
    oldest->last_use = ++file->uses;
    return &oldest->plain;
}

static size_t copy_from(const Bytes *plain, size_t at, uint8_t *out, size_t size)
{
    if (plain == NULL || at >= plain->size) return 0;
    if (size > plain->size - at) size = plain->size - at;
    memcpy(out, plain->data + at, size);
    return size;
}

size_t chunk_file_read(void *context, uint64_t offset, void *buffer, size_t size)
{
    ChunkFile *file = (ChunkFile *)context;
    bool       mine = !atomic_flag_test_and_set(&file->cache_busy);
    Bytes      own = { NULL, 0, 0, false };
    size_t     done = 0;
    while (done < size && offset + done < file->plain_size) {
        size_t       number = find_chunk(file, offset + done);
        const Chunk *chunk = chunk_at(file, number);
        const Bytes *plain = mine ? cached(file, number) : decode_again(file, chunk, &own) ? &own : NULL;
        size_t       got =
            copy_from(plain, (size_t)(offset + done - chunk->plain), (uint8_t *)buffer + done, size - done);
        if (got == 0) break;
        done += got;
    }
    if (mine) atomic_flag_clear(&file->cache_busy);
    bytes_release(&own);
    return done;
}

void chunk_file_close(void *context)
{
    ChunkFile *file = (ChunkFile *)context;
    file->raw.close(file->raw.context);
    bytes_release(&file->chunks);
    for (size_t i = 0; i < CHUNKS_AT_ONCE; i++)
        bytes_release(&file->slots[i].packed);
    for (size_t i = 0; i < CACHED_CHUNKS; i++)
        bytes_release(&file->cache[i].plain);
}
