#include "format/varve/remote.h"

#include "base/compare.h"
#include "base/cursor.h"
#include "base/lock.h"
#include "base/vec.h"
#include "format/varve/tiles.h"
#include "trace/wire/tile_cut.h"
#include "trace/wire/tile_layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAIL_BYTES = 128 << 10, /* of the first request */
    FRONT_MOST = 256 << 20, /* bytes of the answers */
    FETCH_MOST = 16 << 20,  /* bytes of a request for several blocks */
    GAP_BYTES = 256 << 10,  /* of unneeded bytes between two blocks of one request */
    CELL_BYTES = 2 << 20,   /* smaller cells are fetched as a whole */
    CACHE_BYTES = 96 << 20, /* of decoded blocks */
    CACHE_BLOCKS = 4096
};

typedef struct RemoteAnswer {
    char       request[TILES_REQUEST_BYTES + 1];
    VarveBlock block;
} RemoteAnswer;

/* A decoded block, or a page of the index. */
typedef struct HeldBlock {
    uint64_t offset; /* in the file; 0 = unused */
    Bytes    plain;
    uint64_t used; /* number of the request that used it last */
} HeldBlock;

typedef struct TrackRows {
    uint32_t track, rows;
} TrackRows;

struct RemoteFile {
    Arena         arena; /* holds this struct */
    RangeSource   source;
    Lock         *lock;  /* protects the members below `roots` */
    uint8_t      *front; /* answers and head: the bytes from front_at on */
    uint64_t      front_at, front_size;
    RemoteAnswer *answers;
    uint32_t      answer_count, root_count;
    uint32_t      base_level, root_level, idle_label;
    uint32_t      list_level; /* the base level, or UINT32_MAX: the file has only the coarsest levels */
    TileSpot     *roots;      /* of the pages of the index */
    Outline       outline;
    TrackRows    *rows; /* of each track, by id */
    HeldBlock     held[CACHE_BLOCKS];
    size_t        held_count;
    uint64_t      held_bytes, requests;
    Bytes         fetched, scratch;
};

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the tiles of the file");
}

static bool refuse(Err *err, uint64_t offset, const char *message)
{
    return err_set_at(err, ERR_CORRUPT, offset, ERR_NOWHERE, "%s", message);
}

static bool is_inside(uint64_t first, uint64_t count, uint64_t all)
{
    return first <= all && count <= all - first;
}

/* ---- opening ---- */

/* Decodes a block of which `stored` are the bytes. */
static bool decode(const VarveBlock *block, const uint8_t *stored, Bytes *plain, Bytes *scratch, Err *err)
{
    bytes_clear(plain);
    if (trace_file_checksum(stored, block->stored) != block->checksum)
        return refuse(err, block->offset, "a block is damaged: its checksum is wrong");
    if (block->plain == 0) return true;
    uint8_t *room = bytes_reserve(plain, block->plain);
    if (room == NULL) return no_memory(err);
    if (!trace_file_decode(ARRAY_U8, block, stored, room, scratch))
        return refuse(err, block->offset, "a block is damaged: it cannot be decoded");
    bytes_grow(plain, block->plain);
    return true;
}

/* True if the block is in [begin, end) of the file, and has a size and an encoding of bytes. */
static bool is_block(const VarveBlock *block, uint64_t begin, uint64_t end)
{
    const uint64_t most = (uint64_t)block->stored * 4096;
    return block->offset >= begin && is_inside(block->offset, block->stored, end) &&
           block->plain <= TILES_BLOCK_MOST && block->plain <= most && block->encoding <= VARVE_ZSTD &&
           (block->encoding != VARVE_RAW || block->plain == block->stored);
}

/* Reads the answers of the head. */
static bool read_answers(RemoteFile *file, ByteCursor *c, Err *err)
{
    const uint64_t end = c->origin;
    file->answers = ARENA_ARRAY(&file->arena, RemoteAnswer, (size_t)file->answer_count + 1);
    if (file->answers == NULL) return no_memory(err);
    for (uint32_t i = 0; i < file->answer_count; i++) {
        RemoteAnswer  *answer = &file->answers[i];
        const uint64_t place = cursor_offset(c);
        const uint8_t *request = cursor_take(c, TILES_REQUEST_BYTES + 1);
        answer->block.offset = cursor_u64le(c);
        answer->block.stored = cursor_u32le(c);
        answer->block.plain = cursor_u32le(c);
        answer->block.encoding = cursor_u32le(c);
        (void)cursor_u32le(c);
        answer->block.checksum = cursor_u64le(c);
        if (c->failed || request == NULL || !is_block(&answer->block, file->front_at, end))
            return refuse(err, place, "an answer is not inside the file");
        memcpy(answer->request, request, TILES_REQUEST_BYTES);
    }
    return true;
}

/* Reads the spots of the pages: ascending, before the answers. */
static bool read_roots(RemoteFile *file, ByteCursor *c, Err *err)
{
    file->roots = ARENA_ARRAY(&file->arena, TileSpot, (size_t)file->root_count + 1);
    if (file->roots == NULL) return no_memory(err);
    for (uint32_t i = 0; i < file->root_count; i++) {
        const uint64_t place = cursor_offset(c);
        const uint8_t *bytes = cursor_take(c, TILES_SPOT_BYTES);
        if (bytes == NULL) return refuse(err, place, "the head ends inside a page of the index");
        const TileSpot   spot = tile_spot_read(bytes);
        const VarveBlock block = spot.block;
        if (!is_block(&block, VARVE_HEADER_BYTES, file->front_at) || block.encoding != VARVE_RAW ||
            block.stored == 0 || block.stored % TILES_SPOT_BYTES != 0 ||
            block.stored > TILES_PAGE_SPOTS * TILES_SPOT_BYTES ||
            (i > 0 && tile_spot_compare(&file->roots[i - 1], &spot) > 0))
            return refuse(err, place, "a page of the index is not at its place");
        file->roots[i] = spot;
    }
    return true;
}

static bool read_head(RemoteFile *file, const uint8_t *head, uint64_t size, uint64_t at, Err *err)
{
    ByteCursor     c = cursor_over(head, (size_t)size, at);
    const uint32_t magic = cursor_u32le(&c), version = cursor_u32le(&c);
    file->base_level = cursor_u32le(&c);
    file->root_level = cursor_u32le(&c);
    file->idle_label = cursor_u32le(&c);
    file->answer_count = cursor_u32le(&c);
    file->root_count = cursor_u32le(&c);
    (void)cursor_u32le(&c);
    if (c.failed || magic != TILES_HEAD_MAGIC) return refuse(err, at, "no head where the trailer says");
    if (version != TILES_VERSION && version != TILES_COARSE_VERSION)
        return err_set_at(err, ERR_UNKNOWN, at, ERR_NOWHERE,
                          "tiles of version %u: this program reads versions %u and %u", version,
                          TILES_VERSION, TILES_COARSE_VERSION);
    file->list_level = version == TILES_VERSION ? file->base_level : UINT32_MAX;
    if (file->root_level > TILE_MAX_LEVEL || file->base_level > file->root_level ||
        cursor_left(&c) !=
            (uint64_t)file->answer_count * TILES_ANSWER_BYTES + (uint64_t)file->root_count * TILES_SPOT_BYTES)
        return refuse(err, at, "the head has another size than its parts");
    return read_answers(file, &c, err) && read_roots(file, &c, err);
}

static bool read_outline(RemoteFile *file, Err *err)
{
    bool  found;
    Bytes bytes = { 0 };
    bool  done = remote_answer(file, STRING_LITERAL("outline"), &bytes, &found, err);
    if (done && !(found && outline_open(bytes.data, bytes.size, &file->arena, &file->outline, err)))
        done = refuse(err, file->front_at, "the file has no valid outline");
    bytes_release(&bytes);
    if (!done) return false;
    const uint32_t count = file->outline.track_count;
    file->rows = ARENA_ARRAY(&file->arena, TrackRows, (size_t)count + 1);
    if (file->rows == NULL) return no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        file->rows[i] = (TrackRows){ file->outline.tracks[i].id, file->outline.tracks[i].row_count };
    qsort(file->rows, count, sizeof *file->rows, compare_first_u32);
    return (file->outline.lead == 0 && tiles_root_level(file->outline.span) == file->root_level) ||
           refuse(err, file->front_at, "the outline contradicts the head");
}

/* The places that the trailer has. */
typedef struct Trailer {
    uint64_t front, head, head_size, head_checksum, file_size;
} Trailer;

/* Reads the trailer, of which the bytes and those of the footer are at `bytes`. */
static bool read_trailer(const RemoteFile *file, const uint8_t *bytes, Trailer *trailer, Err *err)
{
    const uint64_t end = file->source.size - TILES_TRAILER_BYTES - VARVE_FOOTER_BYTES;
    ByteCursor     c = cursor_over(bytes, TILES_TRAILER_BYTES, end);
    const uint8_t *magic = cursor_take(&c, sizeof TILES_TRAILER_MAGIC);
    if (memcmp(bytes + TILES_TRAILER_BYTES + VARVE_FOOTER_BYTES - sizeof VARVE_END_MAGIC, VARVE_END_MAGIC,
               sizeof VARVE_END_MAGIC) != 0)
        return err_set_at(err, ERR_TRUNCATED, file->source.size, ERR_NOWHERE,
                          "the file ends before its directory");
    if (memcmp(magic, TILES_TRAILER_MAGIC, sizeof TILES_TRAILER_MAGIC) != 0)
        return err_set(err, ERR_UNKNOWN, "the file has no tiles");
    trailer->front = cursor_u64le(&c);
    trailer->head = cursor_u64le(&c);
    trailer->head_size = cursor_u64le(&c);
    trailer->head_checksum = cursor_u64le(&c);
    trailer->file_size = cursor_u64le(&c);
    (void)cursor_u64le(&c);
    if (trace_file_checksum(bytes, TILES_TRAILER_BYTES - 8) != cursor_u64le(&c))
        return refuse(err, end, "the trailer is damaged: its checksum is wrong");
    if (trailer->file_size != file->source.size)
        return err_set(err, ERR_CORRUPT, "the file has %llu bytes, expected %llu",
                       (unsigned long long)file->source.size, (unsigned long long)trailer->file_size);
    return (trailer->front >= VARVE_HEADER_BYTES && trailer->front <= trailer->head && trailer->head <= end &&
            trailer->head_size == end - trailer->head) ||
           refuse(err, end, "the head is not inside the file");
}

/* Reads the answers, the head and the trailer. */
static bool read_front(RemoteFile *file, Err *err)
{
    const uint64_t size = file->source.size, least = TILES_TRAILER_BYTES + VARVE_FOOTER_BYTES;
    const uint64_t tail = size < TAIL_BYTES ? size : TAIL_BYTES;
    Trailer        trailer = { .front = 0 };
    if (size < least + VARVE_HEADER_BYTES)
        return err_set_at(err, ERR_TRUNCATED, size, ERR_NOWHERE, "the file ends before its directory");
    uint8_t *end = arena_push_raw(&file->arena, 1, (size_t)tail);
    if (end == NULL) return no_memory(err);
    if (!file->source.read(file->source.context, size - tail, end, (size_t)tail, err) ||
        !read_trailer(file, end + tail - least, &trailer, err))
        return false;
    file->front_at = trailer.front;
    file->front_size = size - least - trailer.front;
    if (file->front_size > FRONT_MOST) return refuse(err, trailer.front, "the answers are too large");
    if (file->front_at >= size - tail) {
        file->front = end + (file->front_at - (size - tail));
    } else {
        const uint64_t missing = size - tail - file->front_at;
        file->front = arena_push_raw(&file->arena, 1, (size_t)file->front_size);
        if (file->front == NULL) return no_memory(err);
        memcpy(file->front + missing, end, (size_t)(tail - least));
        if (!file->source.read(file->source.context, file->front_at, file->front, (size_t)missing, err))
            return false;
    }
    const uint8_t *head = file->front + (trailer.head - trailer.front);
    if (trace_file_checksum(head, (size_t)trailer.head_size) != trailer.head_checksum)
        return refuse(err, trailer.head, "the head is damaged: its checksum is wrong");
    return read_head(file, head, trailer.head_size, trailer.head, err) && read_outline(file, err);
}

RemoteFile *remote_open(const RangeSource *source, VarveLevels levels, Err *err)
{
    Arena       arena = arena_create(0);
    RemoteFile *file = ARENA_NEW(&arena, RemoteFile);
    *err = (Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (file == NULL) {
        (void)no_memory(err);
        if (source->close != NULL) source->close(source->context);
        arena_release(&arena);
        return NULL;
    }
    file->arena = arena;
    file->source = *source;
    file->lock = lock_create(&file->arena);
    bool done = file->lock != NULL ? read_front(file, err) : no_memory(err);
    if (done && levels == VARVE_ALL_LEVELS && file->list_level != file->base_level)
        done = err_set(err, ERR_UNKNOWN, "the file has only the tiles of the whole trace");
    if (done) return file;
    remote_close(file);
    return NULL;
}

void remote_close(RemoteFile *file)
{
    if (file == NULL) return;
    for (size_t i = 0; i < file->held_count; i++)
        bytes_release(&file->held[i].plain);
    bytes_release(&file->fetched);
    bytes_release(&file->scratch);
    lock_destroy(file->lock);
    if (file->source.close != NULL) file->source.close(file->source.context);
    Arena arena = file->arena; /* the file lives in it */
    arena_release(&arena);
}

static bool has_level(const RemoteFile *file, uint32_t level)
{
    return level >= file->base_level || file->list_level == file->base_level;
}

bool remote_has_levels(const RemoteFile *file, const TileKey *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!has_level(file, keys[i].level)) return false;
    return true;
}

uint64_t remote_size(const RemoteFile *file)
{
    return file->source.size;
}

const Outline *remote_outline(const RemoteFile *file)
{
    return &file->outline;
}

bool remote_answer(RemoteFile *file, StringView request, Bytes *out, bool *found, Err *err)
{
    Bytes plain = { 0 }, scratch = { 0 };
    *found = false;
    for (uint32_t i = 0; i < file->answer_count && !*found; i++) {
        const RemoteAnswer *answer = &file->answers[i];
        if (!string_equal(request, c_string_view(answer->request))) continue;
        *found = true;
        const bool done = decode(&answer->block, file->front + (answer->block.offset - file->front_at),
                                 &plain, &scratch, err);
        if (done) bytes_append(out, plain.data, plain.size);
        bytes_release(&plain);
        bytes_release(&scratch);
        if (!done) return false;
    }
    return true;
}

/* ---- held blocks ---- */

static HeldBlock *find_held(RemoteFile *file, uint64_t offset)
{
    for (size_t i = 0; i < file->held_count; i++) {
        if (file->held[i].offset != offset) continue;
        file->held[i].used = file->requests;
        return &file->held[i];
    }
    return NULL;
}

static void drop(RemoteFile *file, size_t i)
{
    file->held_bytes -= file->held[i].plain.capacity;
    bytes_release(&file->held[i].plain);
    file->held[i] = file->held[--file->held_count];
}

/* Drops the least recently used blocks that this request does not need, until there is room. False: it needs all of them. */
static bool make_room(RemoteFile *file)
{
    while (file->held_count == CACHE_BLOCKS || file->held_bytes > CACHE_BYTES) {
        size_t oldest = 0;
        for (size_t i = 1; i < file->held_count; i++)
            if (file->held[i].used < file->held[oldest].used) oldest = i;
        if (file->held_count == 0 || file->held[oldest].used == file->requests)
            return file->held_count < CACHE_BLOCKS;
        drop(file, oldest);
    }
    return true;
}

/* Checks the tiles of a block and restores the order of their bytes. */
static bool restore_tiles(RemoteFile *file, const TileSpot *spot, Bytes *plain)
{
    for (size_t at = 0; at < plain->size;) {
        Tile tile;
        if (plain->size - at < 4) return false;
        const uint32_t size = bits_load_u32(plain->data + at);
        at += 4;
        if (size > plain->size - at) return false;
        if (!tile_unshuffle(plain->data + at, size, &file->scratch) ||
            !tile_open(plain->data + at, size, &tile))
            return false;
        const TileSpot of = tile_spot_of(tile.key);
        if (of.level != spot->level || of.cell != spot->cell) return false;
        at += size;
    }
    return true;
}

/* Checks the spots of a page: each is a block before the page, in order. */
static bool check_page(const TileSpot *root, const Bytes *plain)
{
    TileSpot before = *root;
    for (size_t at = 0; at < plain->size; at += TILES_SPOT_BYTES) {
        const TileSpot spot = tile_spot_read(plain->data + at);
        if (!is_block(&spot.block, VARVE_HEADER_BYTES, root->block.offset) ||
            spot.block.stored > FETCH_MOST || tile_spot_compare(&before, &spot) > 0)
            return false;
        before = spot;
    }
    return true;
}

typedef enum { SPOT_PAGE, SPOT_TILES } SpotKind;

static bool hold(RemoteFile *file, const TileSpot *spot, SpotKind kind, const uint8_t *stored, Err *err)
{
    Bytes plain = { 0 };
    bool  done = decode(&spot->block, stored, &plain, &file->scratch, err);
    if (done && !(kind == SPOT_PAGE ? check_page(spot, &plain) : restore_tiles(file, spot, &plain)))
        done = refuse(err, spot->block.offset,
                      kind == SPOT_PAGE ? "a page of the index is damaged" : "a block of tiles is damaged");
    if (done && !make_room(file))
        done = err_set(err, ERR_LIMIT, "the tiles are in more than %d blocks: request fewer of them",
                       (int)CACHE_BLOCKS);
    if (!done) {
        bytes_release(&plain);
        return false;
    }
    file->held[file->held_count++] =
        (HeldBlock){ .offset = spot->block.offset, .plain = plain, .used = file->requests };
    file->held_bytes += plain.capacity;
    return true;
}

/* ---- fetching ---- */

typedef VEC(TileSpot) Spots;

static int by_offset(const void *a, const void *b)
{
    const uint64_t x = ((const TileSpot *)a)->block.offset, y = ((const TileSpot *)b)->block.offset;
    return x < y ? -1 : x > y;
}

static uint64_t end_of(const TileSpot *spot)
{
    return spot->block.offset + spot->block.stored;
}

/* Fetches blocks [first, last) of the sorted ones with one request, and holds them. */
static bool fetch_run(RemoteFile *file, const Spots *spots, size_t first, size_t last, SpotKind kind,
                      Err *err)
{
    const uint64_t begin = spots->items[first].block.offset, end = end_of(&spots->items[last - 1]);
    bytes_clear(&file->fetched);
    uint8_t *room = bytes_reserve(&file->fetched, (size_t)(end - begin));
    if (room == NULL) return no_memory(err);
    if (!file->source.read(file->source.context, begin, room, (size_t)(end - begin), err)) return false;
    for (size_t i = first; i < last; i++)
        if (!hold(file, &spots->items[i], kind, room + (spots->items[i].block.offset - begin), err))
            return false;
    return true;
}

/* Fetches the blocks that are not held. Near blocks share a request. Empties the list. */
static bool fetch(RemoteFile *file, Spots *spots, SpotKind kind, Err *err)
{
    const size_t count = vec_count(spots);
    size_t       kept = 0;
    if (spots->bytes.failed) return no_memory(err);
    if (count > 0) qsort(spots->items, count, sizeof *spots->items, by_offset);
    for (size_t i = 0; i < count; i++) {
        const uint64_t offset = spots->items[i].block.offset;
        const bool     is_twice = kept > 0 && spots->items[kept - 1].block.offset == offset;
        if (!is_twice && find_held(file, offset) == NULL) spots->items[kept++] = spots->items[i];
    }
    for (size_t first = 0, last; first < kept; first = last) {
        const uint64_t begin = spots->items[first].block.offset;
        for (last = first + 1; last < kept; last++) {
            const TileSpot *spot = &spots->items[last];
            if (spot->block.offset < end_of(&spots->items[last - 1]))
                return refuse(err, spot->block.offset, "two blocks overlap");
            if (spot->block.offset - end_of(&spots->items[last - 1]) > GAP_BYTES ||
                end_of(spot) - begin > FETCH_MOST)
                break;
        }
        if (!fetch_run(file, spots, first, last, kind, err)) return false;
    }
    vec_clear(spots);
    return true;
}

/* ---- tiles ---- */

/* Returns the key of the stored tile of which this one is a part. */
static TileKey stored_key(const RemoteFile *file, TileKey key)
{
    key.filter = 0;
    if (key.level >= file->base_level) return key;
    key.index >>= file->base_level - key.level;
    key.level = file->base_level;
    return key;
}

static bool find_rows(const RemoteFile *file, uint32_t track, uint32_t *rows)
{
    const TrackRows  wanted = { .track = track };
    const TrackRows *found =
        file->outline.track_count == 0
            ? NULL
            : bsearch(&wanted, file->rows, file->outline.track_count, sizeof wanted, compare_first_u32);
    if (found != NULL) *rows = found->rows;
    return found != NULL;
}

/* True if the trace has the tile, maybe without events; *rows: the number of rows of its band. */
static bool is_tile(const RemoteFile *file, TileKey key, uint32_t *rows)
{
    uint32_t       all;
    const uint32_t band = key.band & ~TILE_FLOWS;
    if (key.level > file->root_level || !has_level(file, key.level) || !find_rows(file, key.track, &all))
        return false;
    if (tile_window_begin(key) > file->outline.span) return false;
    if ((key.band & TILE_FLOWS) != 0) {
        *rows = 0;
        return band == 0 || (uint64_t)band * TILE_BAND_ROWS < all;
    }
    if ((uint64_t)band * TILE_BAND_ROWS >= all) return false;
    *rows = all - band * TILE_BAND_ROWS < TILE_BAND_ROWS ? all - band * TILE_BAND_ROWS : TILE_BAND_ROWS;
    return true;
}

/* Adds the pages that have the spots of the tile. */
static void add_pages(const RemoteFile *file, const TileSpot *spot, Spots *pages)
{
    uint32_t low = 0, high = file->root_count;
    while (low < high) { /* the first page that begins at the spot or after it */
        const uint32_t middle = low + (high - low) / 2;
        if (tile_spot_compare(&file->roots[middle], spot) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0) vec_push(pages, file->roots[low - 1]);
    for (; low < file->root_count && tile_spot_compare(&file->roots[low], spot) == 0; low++)
        vec_push(pages, file->roots[low]);
}

/* The blocks of a page of the index that are asked for. */
typedef enum { BLOCKS_OF_TILE, BLOCKS_OF_CELL } BlockChoice;

/* Adds the blocks of a held page that may have the tile `wanted`, or all of its cell. Returns the stored bytes of the cell in
 * the page. */
static uint64_t add_blocks(RemoteFile *file, const TileSpot *page, const TileSpot *wanted, BlockChoice choice,
                           Spots *blocks)
{
    const HeldBlock *held = find_held(file, page->block.offset);
    const size_t     count = held == NULL ? 0 : held->plain.size / TILES_SPOT_BYTES;
    uint64_t         bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = held->plain.data + i * TILES_SPOT_BYTES;
        const TileSpot spot = tile_spot_read(at);
        if (spot.level != wanted->level || spot.cell != wanted->cell) continue;
        bool is_wanted = choice == BLOCKS_OF_CELL;
        if (!is_wanted && tile_spot_compare(&spot, wanted) <= 0) {
            /* The tiles of a band may be in several blocks, and begin in the block before. */
            const TileSpot next = i + 1 < count ? tile_spot_read(at + TILES_SPOT_BYTES) : *wanted;
            is_wanted = tile_spot_compare(&spot, wanted) == 0 || tile_spot_compare(&next, wanted) >= 0;
        }
        if (is_wanted) vec_push(blocks, spot);
        bytes += spot.block.stored;
    }
    return bytes;
}

/* Adds the blocks of the tile. With `choice` BLOCKS_OF_CELL those of a small cell. */
static void add_tile_blocks(RemoteFile *file, const TileSpot *spot, BlockChoice choice, Spots *blocks)
{
    Spots    pages = VEC_EMPTY, counted = VEC_EMPTY;
    uint64_t bytes = 0;
    add_pages(file, spot, &pages);
    if (pages.bytes.failed) blocks->bytes.failed = true;
    for (size_t i = 0; choice == BLOCKS_OF_CELL && i < vec_count(&pages); i++) {
        vec_clear(&counted);
        bytes += add_blocks(file, &pages.items[i], spot, BLOCKS_OF_TILE, &counted);
    }
    if (bytes > CELL_BYTES) choice = BLOCKS_OF_TILE;
    for (size_t i = 0; i < vec_count(&pages); i++)
        (void)add_blocks(file, &pages.items[i], spot, choice, blocks);
    vec_release(&pages);
    vec_release(&counted);
}

/* Fetches the index and the blocks of all tiles. */
static bool fetch_tiles(RemoteFile *file, const TileKey *keys, size_t count, Err *err)
{
    Spots    spots = VEC_EMPTY;
    uint32_t rows;
    bool     done = true;
    for (size_t i = 0; i < count; i++) {
        const TileSpot spot = tile_spot_of(stored_key(file, keys[i]));
        if (is_tile(file, keys[i], &rows)) add_pages(file, &spot, &spots);
    }
    done = fetch(file, &spots, SPOT_PAGE, err);
    TileSpot before = { .level = UINT32_MAX };
    for (size_t i = 0; done && i < count; i++) {
        const TileSpot spot = tile_spot_of(stored_key(file, keys[i]));
        if (!is_tile(file, keys[i], &rows) || tile_spot_compare(&spot, &before) == 0) continue;
        const bool is_cell = spot.level != before.level || spot.cell != before.cell;
        add_tile_blocks(file, &spot, is_cell ? BLOCKS_OF_CELL : BLOCKS_OF_TILE, &spots);
        before = spot;
    }
    done = done && fetch(file, &spots, SPOT_TILES, err);
    vec_release(&spots);
    return done;
}

/* Finds a stored tile in a held block. */
static bool find_in(const HeldBlock *held, TileKey key, Tile *tile)
{
    for (size_t at = 0; at < held->plain.size;) { /* the sizes are checked: restore_tiles */
        const uint32_t size = bits_load_u32(held->plain.data + at);
        const uint8_t *bytes = held->plain.data + at + 4;
        const TileKey  found = { .track = bits_load_u32(bytes + 4),
                                 .band = bits_load_u32(bytes + 8),
                                 .level = bits_load_u32(bytes + 12),
                                 .index = bits_load_u64(bytes + 16) };
        if (tile_key_equal(found, key)) return tile_open(bytes, size, tile);
        at += 4 + (size_t)size;
    }
    return false;
}

/* Finds a stored tile in the held blocks. False: it has no events. */
static bool find_tile(RemoteFile *file, TileKey key, Tile *tile)
{
    const TileSpot spot = tile_spot_of(key);
    Spots          blocks = VEC_EMPTY;
    bool           found = false;
    add_tile_blocks(file, &spot, BLOCKS_OF_TILE, &blocks);
    for (size_t i = 0; i < vec_count(&blocks) && !found; i++) {
        const HeldBlock *held = find_held(file, blocks.items[i].block.offset);
        found = held != NULL && find_in(held, key, tile);
    }
    vec_release(&blocks);
    return found;
}

/* Appends a tile of the band's `rows` rows. */
static bool put_tile(RemoteFile *file, TileKey key, uint32_t rows, Bytes *out, Err *err)
{
    const TileKey stored = stored_key(file, key);
    Tile          tile;
    if (!find_tile(file, stored, &tile)) {
        tile_put_header(key, rows, out);
    } else if (tile.row_count != rows) {
        return err_set(err, ERR_CORRUPT, "a tile of track %u has another number of rows than the outline",
                       key.track);
    } else if (stored.level != file->list_level ||
               (key.level == file->list_level && (key.band & TILE_FLOWS) != 0)) {
        const size_t start = out->size;
        bytes_append(out, tile.bytes, tile.size);
        if (!out->failed) bits_store_u32(out->data + start + TILE_FILTER_AT, key.filter);
    } else if (!tile_cut(&tile, key, file->idle_label, out)) {
        return no_memory(err);
    }
    return !out->failed || no_memory(err);
}

bool remote_tiles(RemoteFile *file, const TileKey *keys, size_t count, Bytes *out, Err *err)
{
    *err = (Err){ .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    lock_take(file->lock);
    file->requests++;
    bool done = fetch_tiles(file, keys, count, err);
    for (size_t i = 0; done && i < count; i++) {
        const size_t start = out->size;
        uint32_t     rows;
        wire_put_u32(out, 0);
        if (!is_tile(file, keys[i], &rows)) continue;
        done = put_tile(file, keys[i], rows, out, err);
        if (done) bits_store_u32(out->data + start, (uint32_t)(out->size - start - 4));
    }
    lock_give(file->lock);
    return done;
}
