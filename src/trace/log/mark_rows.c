#include "trace/log/mark_rows.h"

#include <assert.h>
#include <string.h>

/* Sizes of chunks: a trace may have very many threads whose rows have few slices. */
enum { FIRST_CHUNK_RECORDS = 2, FASTEST_GROWTH = 64, LARGEST_CHUNK_BYTES = 48 << 10 };
enum {
    SLAB_BYTES = MEMORY_HUGE_PAGE,
    /* taken at once, and later more: one of them begins with the arena's own page, and remains */
    FEWEST_SLABS = 4,
    MOST_SLABS = 32,
    LEAST_FOR_SLABS = SLAB_BYTES,
    LARGEST_SIDECAR_CHUNK_BYTES = 32 << 10,
    LEAST_TO_DISCARD = 16 << 10,
    MANY_BYTES = 2 * SLAB_BYTES,
    /* of rows and sidecar: above this size one more block is a small part */
    MUCH_SIDECAR_BYTES = 8 * SLAB_BYTES
};

static_assert(sizeof(void *) < 8 || sizeof(MarkRow) == 64, "one line each");

/* ---- memory ---- */

/* Returns a huge page, or the rest of the first one of an arena's block. NULL bytes when out of memory. */
static RowBlock take_slab(RowSpace *space)
{
    if (space->slabs_end - space->slab < SLAB_BYTES / 2) {
        size_t count = space->slab_count;
        if (count < FEWEST_SLABS) count = FEWEST_SLABS;
        if (count > MOST_SLABS) count = MOST_SLABS;
        const size_t size = count * SLAB_BYTES - ARENA_HEAD_BYTES;
        space->slab_count += count;
        space->slab = (uint8_t *)arena_push_own(space->arena, 1, size);
        if (space->slab == NULL) return (RowBlock){ .bytes = space->slabs_end = NULL };
        space->slabs_end = space->slab + size;
    }
    RowBlock     block = { space->slab, SLAB_BYTES - (uintptr_t)space->slab % SLAB_BYTES };
    const size_t left = (size_t)(space->slabs_end - space->slab);
    if (block.size < SLAB_BYTES / 2) block.size += SLAB_BYTES;
    if (block.size > left) block.size = left;
    space->slab += block.size;
    if (block.size == SLAB_BYTES && (uintptr_t)block.bytes % SLAB_BYTES == 0) memory_take_huge(block.bytes);
    return block;
}

static bool add_block(MarkRows *rows, RowSpace *space, RowRoom *room, size_t least)
{
    enum { BLOCKS_SHARE = 4 }; /* unused memory is at most this part of the used memory */
    RowBlock block = { .size = rows->held_bytes / BLOCKS_SHARE };
    if (block.size < least) block.size = least;
    if (rows->held_bytes >= LEAST_FOR_SLABS) {
        block = take_slab(space);
    } else {
        block.bytes = (uint8_t *)arena_push_raw(space->arena, 1, block.size);
    }
    if (block.bytes == NULL) return false;
    if (block.size >= LEAST_TO_DISCARD) {
        RowBlock *kept = ARENA_LIST_PUSH(&rows->blocks, space->arena);
        if (kept == NULL) return false;
        *kept = block;
    }
    rows->held_bytes += block.size;
    *room = (RowRoom){ block.bytes, block.bytes + block.size };
    return true;
}

/* Returns `size` bytes of the thread's blocks, less than half a slab. NULL when out of memory. */
static void *take_bytes(MarkRows *rows, RowSpace *space, RowRoom *room, size_t size)
{
    enum { ALIGNMENT = 16 };
    const size_t rest = (uintptr_t)room->at % ALIGNMENT, skipped = rest == 0 ? 0 : ALIGNMENT - rest;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    assert(size + ALIGNMENT <= SLAB_BYTES / 2); /* every slab has at least this room */
    if ((size_t)(room->end - room->at) < skipped + size) {
        if (!add_block(rows, space, room, size + ALIGNMENT)) return NULL;
        return take_bytes(rows, space, room, size);
    }
    void *taken = room->at + skipped;
    room->at += skipped + size;
    return taken;
}

/* Data that is read in another order than rows has its own pages, so that pages of rows can be released early. */
static RowRoom *sidecar_room(MarkRows *rows)
{
    return rows->held_bytes < MUCH_SIDECAR_BYTES ? &rows->room : &rows->sidecar_room;
}

void mark_rows_release(MarkRows *rows, PagePool *pool)
{
    const RowBlock *blocks = rows->blocks.items;
    for (size_t i = 0; i < rows->blocks.count; i++) {
        if (pool != NULL)
            page_pool_give(pool, blocks[i].bytes, blocks[i].size);
        else
            memory_discard(blocks[i].bytes, blocks[i].size);
    }
    *rows = (MarkRows){ .rows = NULL };
}

/* ---- adding ---- */

MarkRows *mark_rows_create(RowSpace *space)
{
    enum { FIRST_ROWS = 8 }; /* a thread with rows has more than FIRST_EVENTS_MOST events */
    MarkRows *rows = ARENA_NEW(space->arena, MarkRows);
    if (rows == NULL) return NULL;
    *rows = (MarkRows){ .rows = ARENA_ARRAY(space->arena, MarkRow, FIRST_ROWS), .row_capacity = FIRST_ROWS };
    return rows->rows == NULL ? NULL : rows;
}

/* Adds a row: the empty row at the end becomes one, and a new empty row follows it. */
static bool add_row(MarkRows *rows, RowSpace *space)
{
    if (rows->row_count + 2 > rows->row_capacity) {
        uint32_t capacity = rows->row_capacity * 2;
        MarkRow *larger =
            capacity <= rows->row_capacity ? NULL : ARENA_ARRAY(space->arena, MarkRow, capacity);
        if (larger == NULL) return false;
        memcpy(larger, rows->rows, rows->row_capacity * sizeof *larger);
        rows->rows = larger;
        rows->row_capacity = capacity;
    }
    rows->row_count++;
    return true;
}

static size_t chunk_records(const RowChunk *chunk, const uint32_t *end)
{
    return (size_t)(end - chunk->words) / ROW_RECORD_WORDS;
}

static bool add_chunk(MarkRows *rows, RowSpace *space, MarkRow *row, int64_t tick)
{
    size_t before = row->last == NULL ? 0 : chunk_records(row->last, row->at);
    size_t records = before == 0               ? FIRST_CHUNK_RECORDS
                     : before < FASTEST_GROWTH ? before * 4
                                               : before + before / 2;
    size_t bytes = sizeof(RowChunk) + records * ROW_RECORD_WORDS * sizeof(uint32_t);
    if (bytes > LARGEST_CHUNK_BYTES) {
        bytes = LARGEST_CHUNK_BYTES;
        records = (bytes - sizeof(RowChunk)) / (ROW_RECORD_WORDS * sizeof(uint32_t));
    }
    RowChunk *chunk = (RowChunk *)take_bytes(rows, space, &rows->room, bytes);
    if (chunk == NULL) return false;
    *chunk = (RowChunk){ .tick = tick };
    if (row->last == NULL) {
        row->first = chunk;
    } else {
        row->last->end = row->at;
        row->last->next = chunk;
    }
    row->last = chunk;
    row->at = chunk->words;
    row->limit = row->at + records * ROW_RECORD_WORDS;
    row->tick = tick;
    return true;
}

/* Adds a distance or duration, in its word or in `longs`. False when out of memory. */
static bool put_length(MarkRow *row, Arena *arena, uint32_t *word, uint64_t length)
{
    *word = ROW_LONG;
    if (length < ROW_LONG) {
        *word = (uint32_t)length;
        return true;
    }
    uint64_t *item = ARENA_LIST_PUSH(&row->longs, arena);
    if (item != NULL) *item = length;
    return item != NULL;
}

static bool add_begin(MarkRows *rows, RowSpace *space, const EventRecord *mark)
{
    if (rows->open_depth == rows->row_count && !add_row(rows, space)) return false;
    MarkRow       *row = &rows->rows[rows->open_depth];
    const uint64_t passed = (uint64_t)mark->tick - (uint64_t)row->tick;
    if (row->at >= row->limit) {
        if (!add_chunk(rows, space, row, mark->tick)) return false;
    } else if (!put_length(row, space->arena, row->at, passed)) {
        return false;
    }
    row->at[1] = mark->label;
    row->at += ROW_RECORD_WORDS;
    row->tick = mark->tick;
    rows->open_depth++;
    return true;
}

static bool add_end(MarkRows *rows, RowSpace *space, const EventRecord *mark)
{
    if (rows->open_depth > 0) {
        MarkRow *row = &rows->rows[--rows->open_depth];
        return put_length(row, space->arena, row->at - 1, (uint64_t)mark->tick - (uint64_t)row->tick);
    }
    LostEnd *lost = ARENA_NEW(space->arena, LostEnd);
    if (lost == NULL) return false;
    *lost = (LostEnd){ .mark = *mark };
    if (rows->last_lost == NULL) {
        rows->first_lost = lost;
    } else {
        rows->last_lost->next = lost;
    }
    rows->last_lost = lost;
    return true;
}

void mark_rows_note_changes(MarkRows *rows, uint32_t count)
{
    EventLog *const sidecar = &rows->sidecar;
    sidecar->count += 2 * (uint64_t)count;
    sidecar->event += 2 * count;
    rows->all_bits |= PLACE_END;
    while (count > 0) {
        uint16_t *const words = (uint16_t *)(void *)sidecar->at; /* words are at even addresses */
        if (rows->changes != words - 1 || *rows->changes == SIDECAR_MOST_PAIRS) {
            words[0] = (uint16_t)(PLACE_END | SIDECAR_CHANGES << SIDECAR_SHIFT);
            words[1] = 0;
            rows->changes = words + 1;
            sidecar->at += 2 * sizeof *words;
        }
        const uint32_t room = SIDECAR_MOST_PAIRS - *rows->changes, taken = count < room ? count : room;
        *rows->changes = (uint16_t)(*rows->changes + taken);
        count -= taken;
    }
}

static uint8_t *put_word(uint8_t *at, uint32_t bits, uint32_t distance)
{
    const uint16_t word = (uint16_t)(bits | distance << SIDECAR_SHIFT);
    memcpy(at, &word, sizeof word);
    return at + sizeof word;
}

static bool grow_sidecar(MarkRows *rows, RowSpace *space)
{
    size_t bytes = event_log_chunk_bytes(&rows->sidecar, LARGEST_SIDECAR_CHUNK_BYTES - sizeof(LogChunk));
    void  *memory = take_bytes(rows, space, sidecar_room(rows), bytes);
    if (memory == NULL) return false;
    event_log_add_chunk(&rows->sidecar, memory, bytes);
    return true;
}

static bool add_to_sidecar(MarkRows *rows, RowSpace *space, const EventRecord *mark)
{
    EventLog *sidecar = &rows->sidecar;
    if (sidecar->at >= sidecar->limit && !grow_sidecar(rows, space)) return false;
    const uint64_t skipped = mark->offset - sidecar->offset;
    const uint32_t events = mark->event - sidecar->event;
    const uint32_t label = mark->bits & PLACE_END ? mark->label : 0;
    if (skipped < SIDECAR_CHANGES && events == 1 && label == 0) {
        sidecar->at = put_word(sidecar->at, mark->bits, (uint32_t)skipped);
    } else if ((skipped | events | label) >> 16 == 0) {
        sidecar->at = put_word(sidecar->at, mark->bits, SIDECAR_MEDIUM);
        bits_store_u64(sidecar->at, skipped | (uint64_t)events << 16 | (uint64_t)label << 32);
        sidecar->at += 6;
    } else {
        sidecar->at = put_word(sidecar->at, mark->bits, SIDECAR_LONG);
        bits_store_u64(sidecar->at, skipped);
        bits_store_u64(sidecar->at + 8, events | (uint64_t)label << 32);
        sidecar->at += 16;
    }
    sidecar->count++;
    sidecar->offset = mark->offset;
    sidecar->event = mark->event;
    return true;
}

bool mark_rows_add(MarkRows *rows, RowSpace *space, const EventRecord *mark)
{
    if (mark_rows_put(rows, mark)) return true;
    if (!add_to_sidecar(rows, space, mark)) return false;
    rows->all_bits |= mark->bits;
    return mark->bits & PLACE_END ? add_end(rows, space, mark) : add_begin(rows, space, mark);
}

/* ---- walking ---- */

EventReader sidecar_read(const MarkRows *rows)
{
    return event_log_read(&rows->sidecar);
}

EventReader sidecar_read_last(const MarkRows *rows)
{
    EventReader reader = sidecar_read(rows);
    reader.remap = rows->remap;
    return reader;
}

/* A begin and an end, SIDECAR_MOST_PAIRS times, and a begin. */
static const uint16_t PAIRS[2 * SIDECAR_MOST_PAIRS + 1] = {
    0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END,
    0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END,
    0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END,
    0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END,
    0, PLACE_END, 0, PLACE_END, 0, PLACE_END, 0, PLACE_END,
};

/* Reads the first event of the pairs; the others are read from PAIRS. first: of the pairs there. */
static void begin_pairs(EventReader *reader, const uint16_t *first)
{
    uint16_t count;
    memcpy(&count, reader->at, sizeof count);
    reader->back = reader->at + sizeof count;
    reader->back_end = reader->end;
    reader->at = (const uint8_t *)(first + 1);
    reader->end = (const uint8_t *)(first + (size_t)2 * count);
    reader->record.event++;
    reader->record.label = 0;
}

void sidecar_get_far(EventReader *reader, uint32_t distance)
{
    EventRecord *r = &reader->record;
    if (distance == SIDECAR_PAIRS || distance == SIDECAR_CHANGES) {
        begin_pairs(reader, PAIRS + (distance == SIDECAR_CHANGES));
        return;
    }
    const uint64_t first = bits_load_u64(reader->at);
    if (distance == SIDECAR_LONG) {
        const uint64_t second = bits_load_u64(reader->at + 8);
        r->offset += first;
        r->event += (uint32_t)second;
        r->label = (uint32_t)(second >> 32);
        reader->at += 16;
    } else {
        r->offset += first & 0xffff;
        r->event += (uint32_t)(first >> 16 & 0xffff);
        r->label = (uint32_t)(first >> 32 & 0xffff);
        reader->at += 6;
    }
}

bool mark_reader_open(MarkReader *reader, const MarkRows *rows, Arena *arena)
{
    *reader = (MarkReader){ .rows = rows,
                            .sidecar = sidecar_read(rows),
                            .cursors = ARENA_ARRAY(arena, RowCursor, rows->row_count),
                            .lost = rows->first_lost };
    return reader->cursors != NULL;
}

static uint64_t take_length(const MarkRow *row, RowCursor *cursor, uint32_t word)
{
    return word == ROW_LONG ? row->longs.items[cursor->longs_used++] : word;
}

/* Moves to the next slice. */
static void cursor_begin(RowCursor *cursor, const MarkRow *row)
{
    if (cursor->chunk != NULL) cursor->at += ROW_RECORD_WORDS;
    if (cursor->at != cursor->end) {
        cursor->tick = (int64_t)((uint64_t)cursor->tick + take_length(row, cursor, cursor->at[0]));
        return;
    }
    cursor->chunk = cursor->chunk == NULL ? row->first : cursor->chunk->next;
    cursor->at = cursor->chunk->words;
    cursor->end = cursor->chunk == row->last ? row->at : cursor->chunk->end;
    cursor->tick = cursor->chunk->tick;
}

bool mark_reader_next(MarkReader *reader)
{
    EventRecord *r = &reader->record;
    if (!sidecar_next(&reader->sidecar)) return false;
    *r = reader->sidecar.record;
    if (!(r->bits & PLACE_END)) {
        RowCursor *cursor = &reader->cursors[reader->depth];
        cursor_begin(cursor, &reader->rows->rows[reader->depth++]);
        r->tick = cursor->tick;
        r->label = cursor->at[1];
    } else if (reader->depth > 0) {
        RowCursor     *cursor = &reader->cursors[--reader->depth];
        const MarkRow *row = &reader->rows->rows[reader->depth];
        r->tick = (int64_t)((uint64_t)cursor->tick + take_length(row, cursor, cursor->at[2]));
    } else {
        *r = reader->lost->mark;
        reader->lost = reader->lost->next;
    }
    return true;
}

/* ---- into the columns ---- */

uint64_t mark_row_count(const MarkRow *row)
{
    uint64_t count = 0;
    for (const RowChunk *chunk = row->first; chunk != NULL; chunk = chunk->next)
        count += chunk_records(chunk, chunk == row->last ? row->at : chunk->end);
    return count;
}

bool mark_rows_are_large(const MarkRows *rows)
{
    return rows->held_bytes > MANY_BYTES;
}

static const uint32_t *chunk_end(const MarkRow *row, const RowChunk *chunk)
{
    return chunk == row->last ? row->at : chunk->end;
}

bool mark_rows_divide(const MarkRows *rows, RowPieces *pieces)
{
    enum { PIECE_RECORDS = 1 << 17 };
    for (uint32_t depth = 0; depth < rows->row_count; depth++) {
        const MarkRow *row = &rows->rows[depth];
        uint64_t       index = 0;
        RowPiece       piece = { .depth = depth, .first = row->first };
        for (RowChunk *chunk = row->first; chunk != NULL; chunk = chunk->next) {
            index += chunk_records(chunk, chunk_end(row, chunk));
            const bool is_enough = index - piece.index >= PIECE_RECORDS && row->longs.count == 0;
            if (!is_enough && chunk->next != NULL) continue;
            piece.behind = chunk->next;
            vec_push(pieces, piece);
            piece = (RowPiece){ .depth = depth, .first = chunk->next, .index = index };
        }
    }
    return !pieces->bytes.failed;
}

static size_t bytes_to(const void *begin, const void *end)
{
    return (size_t)((const uint8_t *)end - (const uint8_t *)begin);
}

void mark_rows_remap(MarkRows *rows, PageRemap *remap, RowsToRead what)
{
    const RowBlock *blocks = rows->blocks.items;
    for (size_t i = 0; i < rows->blocks.count; i++)
        page_remap_name(remap, blocks[i].bytes, blocks[i].size);
    for (uint32_t depth = 0; depth < rows->row_count; depth++) {
        const MarkRow *row = &rows->rows[depth];
        for (const RowChunk *chunk = row->first; chunk != NULL; chunk = chunk->next)
            page_remap_expect(remap, chunk, bytes_to(chunk, chunk_end(row, chunk)));
    }
    const EventLog *sidecar = &rows->sidecar;
    for (const LogChunk *chunk = sidecar->first; chunk != NULL && what == ROWS_AND_SIDECAR;
         chunk = chunk->next)
        page_remap_expect(remap, chunk, bytes_to(chunk, chunk == sidecar->last ? sidecar->at : chunk->end));
    rows->remap = remap;
}

void mark_rows_remapped(MarkRows *rows)
{
    const RowBlock *blocks = rows->blocks.items;
    for (size_t i = 0; i < rows->blocks.count; i++)
        page_run_discard_edges(blocks[i].bytes, blocks[i].size);
    *rows = (MarkRows){ .rows = NULL };
}

/* Prepares slices [begin, end) of the columns for writing. */
static void reach_places(PageRemap *remap, size_t begin, size_t end)
{
    page_remap_reach_all(remap, DESTINATION_BEGINS, begin * sizeof(int64_t), end * sizeof(int64_t));
    page_remap_reach_all(remap, DESTINATION_LABELS, begin * sizeof(uint16_t), end * sizeof(uint16_t));
    page_remap_reach_all(remap, DESTINATION_DURATIONS, begin * sizeof(uint32_t), end * sizeof(uint32_t));
}

/* Writes the upper halves of the labels of some records. */
static void put_high_labels(uint16_t *high_labels, const uint32_t *words, const uint32_t *end)
{
    for (; words != end; words += ROW_RECORD_WORDS)
        *high_labels++ = (uint16_t)(words[1] >> 16);
}

void mark_rows_take(const MarkRows *rows, RowPiece *piece, const RowPlaces *to)
{
    const MarkRow *row = &rows->rows[piece->depth];
    RowCursor      cursor = { .chunk = NULL };
    size_t         place = to->first + (size_t)piece->index;
    if (piece->behind == NULL && piece->depth < rows->open_depth) row->at[-1] = 0;
    for (RowChunk *chunk = piece->first, *next; chunk != piece->behind; chunk = next) {
        const uint32_t *end = chunk_end(row, chunk);
        uint64_t        tick = (uint64_t)chunk->tick;
        reach_places(rows->remap, place, place + chunk_records(chunk, end));
        chunk->words[0] = 0;
        for (const uint32_t *at = chunk->words; at != end; at += ROW_RECORD_WORDS, place++) {
            const uint32_t passed = at[0], duration = at[2];
            tick += LIKELY(passed != ROW_LONG) ? passed : take_length(row, &cursor, passed);
            to->begin_ticks[place] = (int64_t)tick;
            to->labels[place] = (uint16_t)at[1];
            to->durations[place] = duration;
            if (LIKELY(duration != ROW_LONG)) continue;
            const LongSlice slice = { place - to->first, take_length(row, &cursor, duration) };
            vec_push(&piece->longs, slice);
        }
        if (to->high_labels != NULL)
            put_high_labels(to->high_labels + place - chunk_records(chunk, end), chunk->words, end);
        next = chunk->next;
        page_remap_done(rows->remap, chunk, bytes_to(chunk, end));
    }
}
