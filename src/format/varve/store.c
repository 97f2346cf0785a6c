#include "format/varve/store.h"

#include "base/file.h"
#include "base/lock.h"
#include "base/lru.h"
#include "format/identity.h"

#include <stdio.h>
#include <string.h>

/* Writers of whole traces read events in order of time, and so at many places of the input in turn: those of the begins
 * and of the complete events, which are written at their ends. Writers of one lane after another read all of it for each lane,
 * which takes one decompression if it fits. */
enum { LEAST_CACHED = 4, MOST_CACHED = 512 };

typedef struct CachedBlock {
    uint8_t *bytes; /* owned; NULL until it is needed */
    size_t   size;
    uint64_t number_plus1, last_use;
} CachedBlock;

typedef struct VarveStore {
    TraceMapping      mapping; /* owned */
    VarveFile         file;
    const VarveArray *input;  /* NULL: the bytes are in the source */
    FileReader        source; /* closed, or the source file */
    Lock             *lock;   /* of the cache */
    CachedBlock       blocks[MOST_CACHED];
    size_t            cached; /* the number of `blocks` that may be used; the first ones have memory */
    uint64_t          uses;
    Bytes             scratch;
} VarveStore;

/* Returns the cached block, else one whose content may be replaced; it has memory. NULL: out of memory. */
static CachedBlock *choose_block(VarveStore *store, uint64_t number)
{
    for (;;) {
        size_t place;
        LRU_CHOOSE(place, store->cached, i, store->blocks[i].number_plus1 == number + 1, true,
                   store->blocks[i].last_use);
        CachedBlock *block = &store->blocks[place];
        if (block->bytes == NULL) block->bytes = (uint8_t *)memory_map(VARVE_INPUT_BLOCK);
        if (block->bytes != NULL) return block;
        if (place == 0) return NULL;
        store->cached = place; /* the blocks before it have memory */
    }
}

static bool decode(VarveStore *store, uint64_t number, CachedBlock *cached)
{
    const VarveBlock *block = &store->file.blocks[store->input->first_block + number];
    const uint8_t    *stored = store->file.bytes + block->offset;
    cached->number_plus1 = 0;
    if (trace_file_checksum(stored, block->stored) != block->checksum ||
        !trace_file_decode(ARRAY_U8, block, stored, cached->bytes, &store->scratch))
        return false;
    cached->number_plus1 = number + 1;
    cached->size = block->plain;
    return true;
}

/* Copies bytes of one block. Returns their number. */
static size_t read_from_block(VarveStore *store, uint64_t offset, uint8_t *buffer, size_t size)
{
    const uint64_t number = offset / store->input->items_per_block;
    const size_t   at = (size_t)(offset % store->input->items_per_block);
    CachedBlock   *cached = choose_block(store, number);
    if (cached == NULL || (cached->number_plus1 != number + 1 && !decode(store, number, cached))) return 0;
    cached->last_use = ++store->uses;
    if (at >= cached->size) return 0;
    if (size > cached->size - at) size = cached->size - at;
    memcpy(buffer, cached->bytes + at, size);
    return size;
}

static size_t read_blocks(void *context, uint64_t offset, void *buffer, size_t size)
{
    VarveStore *store = context;
    size_t      done = 0;
    lock_take(store->lock);
    while (done < size && offset + done < store->input->count) {
        const size_t more = read_from_block(store, offset + done, (uint8_t *)buffer + done, size - done);
        if (more == 0) break;
        done += more;
    }
    lock_give(store->lock);
    return done;
}

static size_t read_source(void *context, uint64_t offset, void *buffer, size_t size)
{
    const VarveStore *store = context;
    const int64_t     got =
        store->source.handle_plus_one == 0 ? 0 : file_reader_read(&store->source, offset, buffer, size);
    return got < 0 ? 0 : (size_t)got;
}

static void close_store(void *context)
{
    VarveStore *store = context;
    if (store->source.handle_plus_one != 0) file_reader_close(&store->source);
    mapping_release(&store->mapping);
    bytes_release(&store->scratch);
    for (size_t i = 0; i < MOST_CACHED; i++)
        memory_unmap(store->blocks[i].bytes, VARVE_INPUT_BLOCK);
    lock_destroy(store->lock);
    store->lock = NULL;
}

/* True if the source is open and has the recorded content. */
static bool is_the_source(VarveStore *store)
{
    const Loaded probe = { .store = { read_source, close_store, store } };
    char         identity[IDENTITY_TEXT + 1];
    return store->source.size == store->file.facts[FACT_BYTES] && load_identity(&probe, identity) &&
           identity_number(identity) == store->file.facts[FACT_IDENTITY];
}

static bool try_source(VarveStore *store, const char *path)
{
    Err err;
    if (path[0] == '\0' || !file_reader_open(path, &store->source, &err)) return false;
    if (is_the_source(store)) return true;
    file_reader_close(&store->source);
    return false;
}

/* Opens the source under the requested path, or else under its recorded path or its name beside the file. */
static void open_source(VarveStore *store, const UnpackRequest *request, Err *fault)
{
    const char *wanted = request->source, *path = request->path;
    const char *recorded = wanted != NULL ? wanted : trace_file_text(&store->file, TEXT_PATH),
               *name = trace_file_text(&store->file, TEXT_NAME);
    char beside[FILE_PATH_BYTES];
    if (try_source(store, recorded)) return;
    if (wanted == NULL && path != NULL && strchr(name, '/') == NULL) {
        const size_t folder = (size_t)(file_name_of(path) - path);
        const int    size = snprintf(beside, sizeof beside, "%.*s%s", (int)folder, path, name);
        if (size > 0 && (size_t)size < sizeof beside && try_source(store, beside)) return;
    }
    (void)err_set(fault, ERR_IO, "the arguments are in %.80s, which is not there or has changed", recorded);
}

/* Returns the number of blocks to keep: at most a 64th of the free memory. */
static size_t blocks_to_cache(void)
{
    const uint64_t fitting = memory_left() / 64 / VARVE_INPUT_BLOCK;
    return fitting < LEAST_CACHED ? LEAST_CACHED : fitting < MOST_CACHED ? (size_t)fitting : MOST_CACHED;
}

InputStore trace_file_store(VarveFile *file, TraceMapping mapping, const UnpackRequest *request, Err *fault)
{
    VarveStore *store = ARENA_NEW(file->arena, VarveStore);
    *fault = (Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (store != NULL) {
        store->file = *file;
        store->lock = lock_create(file->arena);
    }
    if (store == NULL || store->lock == NULL) {
        mapping_release(&mapping);
        (void)err_set(fault, ERR_MEMORY, "out of memory");
        return (InputStore){ NULL, NULL, NULL };
    }
    store->mapping = mapping;
    store->cached = blocks_to_cache();
    store->file.arena = NULL; /* the arena may move: it is part of a Loaded */
    const bool is_stored = file->facts[FACT_DETAILS] == VARVE_DETAILS_STORED;
    store->input = is_stored ? trace_file_array(file, "input") : NULL;
    if (store->input != NULL && store->input->type == ARRAY_U8 &&
        store->input->items_per_block <= VARVE_INPUT_BLOCK)
        return (InputStore){ read_blocks, close_store, store };
    store->input = NULL;
    if (file->facts[FACT_DETAILS] == VARVE_DETAILS_SOURCE)
        open_source(store, request, fault);
    else
        (void)err_set(fault, ERR_IO, "the file was written without the bytes of its input");
    return (InputStore){ read_source, close_store, store };
}
