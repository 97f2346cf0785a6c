#include "format/spall/ahead.h"

#include "format/spall/block.h"

#include <assert.h>
#include <math.h>

static_assert(sizeof(AheadRun) % sizeof(int64_t) == 0, "ticks follow it");
static_assert((MARK_END | EVENT_DETAILS) <= AHEAD_NUMBER_FLAGS, "room for the flags of a mark");

/* The begin of a result, before its runs. */
typedef struct AheadHead {
    SpallAhead *state;
} AheadHead;

/* A piece while it is decoded. */
typedef struct Piece {
    SpallAhead    *ahead;
    SpallTime      time; /* the scale of the clock */
    const uint8_t *bytes;
    size_t         size, at;
    size_t         frame_end; /* of the buffer; SIZE_MAX = not known, or the layout has no buffers */
    size_t         begin_count, unnumbered; /* of Begins, and of Begins without a number of the name */
    size_t         steps_left; /* of searches: they take no longer than the decoding of all records */
    Bytes         *out;
} Piece;

static RecordKind kind_at(const Piece *piece, size_t at)
{
    const unsigned type = piece->bytes[at];
    return type < LAYOUT_TYPES ? (RecordKind)piece->ahead->layout->kinds[type] : RECORD_NONE;
}

/* Returns the size of a record, without the filler of a Pad_Skip that contains records; 0 = no record is there, or its head is not in the
 * piece. */
static uint64_t record_size(const Piece *piece, size_t at)
{
    const RecordKind   kind = kind_at(piece, at);
    const RecordShape *shape = &piece->ahead->layout->shapes[kind];
    const uint8_t     *head = piece->bytes + at;
    if (kind == RECORD_NONE || piece->size - at < LAYOUT_MAX_RECORD) return 0;
    uint64_t size = shape->size;
    if (shape->name_length != 0) size += head[shape->name_length];
    if (shape->args_length != 0) size += head[shape->args_length];
    if (kind == RECORD_ARGUMENTS) size += bits_load_u16(head + shape->number);
    if (kind != RECORD_PAD_SKIP) return size;
    const uint32_t filler = bits_load_u32(head + shape->number);
    const bool     has_records = piece->ahead->layout == &SPALL_V3 && filler >= sizeof(uint32_t) &&
                             bits_load_u32(head + shape->size) == SPALL_RECORDS_MAGIC;
    return size + (has_records ? sizeof(uint32_t) : filler);
}

/* Goes to a place from `from` on at which records follow one another. False: no such place. */
static bool search(Piece *piece, size_t from)
{
    enum { PROOF = 8, PASSED = 4 }; /* records; the first ones may be a wrong way to the others */
    piece->frame_end = SIZE_MAX;
    for (size_t at = from; at < piece->size; at++) {
        const RecordKind kind = kind_at(piece, at);
        if (kind != RECORD_BEGIN && kind != RECORD_END) continue;
        size_t place = at;
        for (int i = 0; i < PROOF && place < piece->size; i++) {
            const uint64_t size = record_size(piece, place);
            if (piece->steps_left-- == 0) return false;
            if (size == 0 || size > piece->size - place) break;
            place += (size_t)size;
            if (i == PASSED - 1) piece->at = place;
            if (i == PROOF - 1) return true;
        }
    }
    return false;
}

/* Goes to the first record of the buffer whose header is at piece->at. False: the piece ends there. */
static bool pass_header(Piece *piece)
{
    const size_t header = piece->ahead->layout->frame_size;
    if (piece->size - piece->at < header) return false;
    piece->frame_end = piece->at + header + bits_load_u32(piece->bytes + piece->at);
    piece->at += header;
    return piece->at < piece->size;
}

/* True if a buffer's header may be at piece->at, where no record is. */
static bool is_header(const Piece *piece)
{
    const size_t header = piece->ahead->layout->frame_size;
    return header != 0 && piece->frame_end == SIZE_MAX && piece->size - piece->at > header &&
           kind_at(piece, piece->at + header) != RECORD_NONE;
}

/* Goes on at a place from which no run could be decoded. False: at the end of the piece. */
static bool pass_other(Piece *piece)
{
    const RecordKind kind = kind_at(piece, piece->at);
    if (piece->at == piece->frame_end) return pass_header(piece);
    if (piece->size - piece->at < BLOCK_READABLE) return false;
    const bool     is_mark = kind == RECORD_BEGIN || kind == RECORD_END;
    const uint64_t size = record_size(piece, piece->at);
    if (size > piece->size - piece->at) return false;
    if (size == 0 && is_header(piece)) return pass_header(piece);
    if (size == 0 || is_mark || size > piece->frame_end - piece->at) return search(piece, piece->at + 1);
    piece->at += (size_t)size;
    return piece->at < piece->size;
}

/* Returns the number of a name without one in the cache. */
static NOINLINE uint32_t number_of(SpallAhead *ahead, const uint8_t *name, size_t size)
{
    LabelCache *const    numbers = ahead->names.labels;
    const LabelId        next = { ahead->name_count + 1 };
    const LabelId *const known = label_cache_find(numbers, (const char *)name, size, NULL, 0);
    if (known != NULL) return known->index;
    ahead->text_bytes += size;
    if (next.index > AHEAD_NAMES || ahead->text_bytes > AHEAD_NAME_BYTES ||
        !label_cache_put(numbers, (const char *)name, size, NULL, 0, next))
        return AHEAD_UNNUMBERED;
    return ahead->name_count = next.index;
}

static NOINLINE void number_names(Piece *piece, Block *block)
{
    const RecordShape *shape = &piece->ahead->layout->shapes[RECORD_BEGIN];
    for (size_t i = 0; i < block->begin_count; i++) {
        uint32_t      *number = &block->marks.label[block->begin[i]];
        const uint8_t *record = piece->bytes + piece->at + block->marks.at[block->begin[i]];
        if (*number == 0) *number = number_of(piece->ahead, record + shape->size, record[shape->name_length]);
        piece->unnumbered += *number == AHEAD_UNNUMBERED;
    }
}

/* Appends a block at piece->at to the result. */
static ALWAYS_INLINE void store_run(Piece *piece, const Block *block)
{
    const MarkBatch *marks = &block->marks;
    const size_t     count = marks->count, bytes = sizeof(AheadRun) + count * AHEAD_MARK_BYTES;
    AheadRun *const  run = (AheadRun *)bytes_reserve(piece->out, bytes);
    if (run == NULL) return;
    *run = (AheadRun){ .at = (uint32_t)piece->at,
                       .size = (uint32_t)block->size,
                       .count = (uint16_t)count,
                       .begin_count = (uint16_t)block->begin_count,
                       .sub_bits = (uint8_t)piece->time.sub_bits,
                       .is_usual = block->is_plain && block_ascends(marks),
                       .pid = (uint32_t)block->pid,
                       .tid = (uint32_t)block->tid };
    int64_t *const  ticks = (int64_t *)(void *)(run + 1);
    uint32_t *const at = (uint32_t *)(void *)(ticks + count), *const numbers = at + count;
    memcpy(ticks, marks->tick, count * sizeof *ticks);
    memcpy(at, marks->at, count * sizeof *at);
    for (size_t i = 0; i < count; i++)
        numbers[i] = marks->label[i] << AHEAD_NUMBER_SHIFT | marks->flags[i];
    bytes_grow(piece->out, bytes);
}

static ALWAYS_INLINE void take_runs(Piece *piece, const BlockShape shape)
{
    Block block;
    for (;;) {
        const size_t   limit = piece->frame_end < piece->size ? piece->frame_end : piece->size;
        const uint8_t *bytes = piece->bytes + piece->at;
        assert(piece->at <= limit);
        block_find_records(piece->time, bytes, piece->size - piece->at, limit - piece->at, &block, shape);
        if (block.marks.count == 0) return;
        block_find_labels(piece->ahead->names, bytes, &block, shape);
        if (UNLIKELY(!block.is_named)) number_names(piece, &block);
        store_run(piece, &block);
        piece->at += block.size;
        piece->begin_count += block.begin_count;
    }
}

static void take_any_runs(Piece *piece)
{
    if (piece->ahead->layout == &SPALL_V3)
        take_runs(piece, block_shape_3());
    else
        take_runs(piece, block_shape_1());
}

#ifdef BLOCK_AVX2
BLOCK_AVX2 static void take_runs_avx2(Piece *piece)
{
    if (piece->ahead->layout == &SPALL_V3)
        take_runs(piece, block_shape_3());
    else
        take_runs(piece, block_shape_1());
}
#endif

static void take_runs_of_layout(Piece *piece)
{
#ifdef BLOCK_AVX2
    if (block_has_avx2()) {
        take_runs_avx2(piece);
        return;
    }
#endif
    take_any_runs(piece);
}

bool spall_ahead_begin(void *state, const uint8_t *head, size_t size)
{
    SpallAhead *const  ahead = (SpallAhead *)state;
    const uint64_t     version = size < LAYOUT_FULL_HEADER ? 0 : bits_load_u64(head + 8);
    const SpallLayout *layout = layout_of_version(version);
    if (layout != &SPALL_V1 && layout != &SPALL_V3) return false;
    if (bits_load_u64(head) != SPALL_MAGIC) return false;
    if (ahead != NULL) ahead->layout = layout;
    return true;
}

/* Allocates the cache of names. False when out of memory. */
static bool open_names(SpallAhead *ahead)
{
    if (ahead->names.places != NULL) return true;
    LabelCache *numbers = label_cache_create(&ahead->arena);
    return numbers != NULL && name_cache_open(&ahead->names, numbers, &ahead->arena);
}

void spall_ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out)
{
    SpallAhead *const ahead = (SpallAhead *)state;
    const AheadHead   head = { ahead };
    Piece piece = { .ahead = ahead, .bytes = bytes, .size = size, .steps_left = size / 4, .out = out };
    bytes_clear(out);
    if (ahead->layout == NULL || size > UINT32_MAX || !open_names(ahead)) return;
    piece.time.sub_bits = atomic_load_explicit(&ahead->sub_bits, memory_order_relaxed);
    piece.time.scale = ldexp(1, (int)piece.time.sub_bits);
    bytes_append(out, &head, sizeof head);
    if (!search(&piece, 0)) return;
    do {
        take_runs_of_layout(&piece);
    } while (piece.at < size && pass_other(&piece));
    /* the reader would find most labels by their bytes: then it is faster alone */
    if (piece.unnumbered > piece.begin_count / 2) ahead->layout = NULL;
}

void spall_ahead_release(void *state)
{
    SpallAhead *const ahead = (SpallAhead *)state;
    arena_release(&ahead->arena);
}

AheadRuns spall_ahead_runs(uint64_t offset, const Bytes *decoded)
{
    AheadRuns runs = { .begin = offset };
    AheadHead head;
    if (decoded->failed || decoded->size < sizeof head) return runs;
    memcpy(&head, decoded->data, sizeof head);
    runs.state = head.state;
    runs.next = decoded->data + sizeof head;
    runs.end = decoded->data + decoded->size;
    return runs;
}
