/* Decodes blocks of Begin and End records, nearly all records of a file.
 *
 * The processor cannot predict whether a Begin or an End comes next, nor the length of a name, so a loop that
 * branches on them pays a misprediction at each record. So a block of records is processed in several passes without
 * such branches: the first finds the bounds and times of the records, the second the cache lines of the Begins'
 * names, the third their labels. The result is a batch of one thread for the builder. If a time is unusual or goes
 * back, the block is processed again, record by record.
 *
 * One comparison per record checks that its fixed part is complete, so its fields need no checks. The sizes of its
 * texts are compared with the remaining bytes. */
#include "format/spall/records.h"

#include <assert.h>
#include <string.h>

/* Bytes readable from the start of a record: the largest fixed part of a Begin, and the part of its name that is
 * cached. */
enum { BLOCK_READABLE = 20 + NAME_CACHE_BYTES };

typedef struct Block {
    size_t    size; /* bytes of its records */
    MarkBatch marks;
    uint32_t  begin[MARK_BATCH + 1]; /* indices of the marks that are Begins */
    size_t    begin_count;
    uint64_t  pid, tid; /* of its thread, in layouts without buffers */
    bool      is_plain; /* the times are usual */
    bool      is_named; /* all labels are known */
} Block;

/* The part of a layout that blocks use: the offset of each field in an End, and the distance of the same field in a
 * Begin. */
typedef struct BlockShape {
    TimeField kind;
    size_t    end_type, end_size, more_size;
    size_t    pid, more_pid, time, more_time;
    size_t    name_size, args_size, category; /* offsets in a Begin; 0 = the layout has no such field */
} BlockShape;

static inline BlockShape block_shape(TimeField kind, size_t end_type, const RecordShape *begin,
                                     const RecordShape *end)
{
    return (BlockShape){ .kind = kind,
                         .end_type = end_type,
                         .end_size = end->size,
                         .more_size = (size_t)begin->size - end->size,
                         .pid = end->pid,
                         .more_pid = (size_t)begin->pid - end->pid,
                         .time = end->time,
                         .more_time = (size_t)begin->time - end->time,
                         .name_size = begin->name_length,
                         .args_size = begin->args_length,
                         .category = begin->category };
}

void spall_prepare_blocks(SpallReader *reader)
{
    const SpallLayout *layout = reader->layout;
    for (unsigned type = 1; type < LAYOUT_TYPES; type++) {
        if (layout->kinds[type] == RECORD_END && layout->kinds[type - 1] == RECORD_BEGIN)
            reader->end_type = (uint8_t)type;
    }
    /* A Begin of type 0 may be part of a tail of zeros. No file with 0A's wide types is known. */
    reader->has_blocks = reader->end_type > 1 && layout->id_size == 4;
    assert(!reader->has_blocks || layout->shapes[RECORD_BEGIN].size + NAME_CACHE_BYTES <= BLOCK_READABLE);
}

/* Finds the records of `bytes` up to `limit`, at most a batch, and their times. Stops before any record other than
 * Begin and End, and before another thread. In all layouts End's type is Begin's type plus 1: their difference is a
 * mask that selects the fields which only a Begin has. The offset of a record depends on all earlier records; the times
 * are read while it is computed. */
static ALWAYS_INLINE void block_find_records(const SpallTime time, const uint8_t *bytes, size_t size,
                                             size_t limit, Block *block, const BlockShape shape)
{
    const size_t args_at = shape.args_size == 0 ? shape.name_size : shape.args_size;
    const size_t args_mask = shape.args_size == 0 ? 0 : 0xFF;
    size_t       at = 0, count = 0, begin_count = 0;
    uint64_t     time_bits = 0;
    static_assert(EVENT_DETAILS == 1 && LAYOUT_MAX_TEXT == 0xFF, "the flag is computed without a branch");
    if (limit > UINT32_MAX) limit = UINT32_MAX;
    const size_t most = size < BLOCK_READABLE ? 0 : MARK_BATCH;
    const size_t last = size - BLOCK_READABLE; /* the last place of a record */
    uint64_t     thread = 0; /* pid and tid of the first record; tid follows pid in all layouts */
    if (shape.pid != 0 && most > 0)
        thread = bits_load_u64(bytes + shape.pid + (shape.more_pid & (bytes[0] - shape.end_type)));
    while (count < most && at <= last) {
        const uint8_t *head = bytes + at;
        const size_t   is_end = head[0] - (shape.end_type - 1), is_begin = is_end - 1; /* all ones, or 0 */
        const size_t   name_size = head[shape.name_size], args_size = head[args_at] & args_mask;
        const size_t   category = shape.category == 0 ? 0 : head[shape.category];
        const bool     has_details = ((args_size | category | (name_size + 1) >> 8) & is_begin) != 0;
        const size_t   next = at + shape.end_size + ((shape.more_size + name_size + args_size) & is_begin);
        const uint8_t *ids = head + shape.pid + (shape.more_pid & is_begin);
        if (UNLIKELY(is_end > 1 || next > limit)) break;
        if (shape.pid != 0 && UNLIKELY(bits_load_u64(ids) != thread)) break;
        time_bits |= spall_time_read(&time, shape.kind, head + shape.time + (shape.more_time & is_begin),
                                     &block->marks.tick[count]);
        block->marks.at[count] = (uint32_t)at;
        block->marks.flags[count] = (uint32_t)is_end * (uint32_t)MARK_END + has_details;
        block->begin[begin_count] = (uint32_t)count;
        begin_count -= is_begin;
        count++;
        at = next;
    }
    block->marks.count = count;
    block->begin_count = begin_count;
    block->size = at;
    block->pid = thread & UINT32_MAX;
    block->tid = thread >> 32;
    block->is_plain = spall_times_are_usual(&time, shape.kind, time_bits);
}

static ALWAYS_INLINE void block_find_labels(const NameCache names, const uint8_t *bytes, Block *block,
                                            const BlockShape shape)
{
    const size_t name_at = shape.end_size + shape.more_size;
    MarkBatch   *marks = &block->marks;
    uint32_t     missing = 0; /* negative: a label is 0 */
    CachedName  *places[MARK_BATCH];
    memset(marks->label, 0, marks->count * sizeof marks->label[0]); /* of the Ends */
    for (size_t i = 0; i < block->begin_count; i++) {
        const uint8_t *record = bytes + marks->at[block->begin[i]];
        places[i] = name_cache_place(&names, record + name_at, record[shape.name_size]);
        PREFETCH(places[i]);
    }
    for (size_t i = 0; i < block->begin_count; i++) {
        const uint8_t *record = bytes + marks->at[block->begin[i]];
        const uint32_t label = name_cache_find(&names, places[i], record + name_at, record[shape.name_size]);
        marks->label[block->begin[i]] = label;
        missing |= label - 1;
    }
    block->is_named = missing >> 31 == 0; /* a label of 2^31 or more looks like a missing one: slower */
}

/* Finds the labels of names without one, in the order of the records. */
static NOINLINE void block_make_labels(SpallReader *reader, const uint8_t *bytes, uint64_t offset,
                                       Block *block)
{
    const RecordShape *shape = &reader->layout->shapes[RECORD_BEGIN];
    for (size_t i = 0; i < block->begin_count; i++) {
        const size_t   index = block->begin[i], at = block->marks.at[index];
        const EventPos pos = { offset + at, reader->event + index };
        if (block->marks.label[index] != 0) continue;
        block->marks.label[index] =
            spall_find_label(reader, bytes + at + shape->size, bytes[at + shape->name_length], pos).index;
    }
}

/* True if the times of a block are in order. */
static ALWAYS_INLINE bool block_in_order(const SpallReader *reader, const MarkBatch *marks)
{
    uint64_t back = 0;
    for (size_t i = 1; i < marks->count; i++) { /* the distance is negative, or the sign changes */
        const uint64_t tick = (uint64_t)marks->tick[i], before = (uint64_t)marks->tick[i - 1];
        back |= (tick - before) | (tick ^ before);
    }
    return back >> 63 == 0 && reader->track.index != 0 && marks->tick[0] >= *reader->last_tick;
}

static void flush_marks(SpallReader *reader, MarkBatch *marks)
{
    if (marks->count > 0) builder_add_marks(reader->builder, reader->track, marks);
    marks->count = 0;
}

static EventTime mark_time(SpallReader *reader, MarkBatch *marks, const uint8_t *field, EventPos pos)
{
    EventTime time = { 0, 0 };
    if (!spall_time_usual(&reader->time, reader->time.field, field, &time.tick)) {
        flush_marks(reader, marks); /* the clock may change: the builder must have all times so far */
        return ordered_time(reader, field, pos);
    }
    return time_in_order(reader, time);
}

/* Passes a block with unusual times to the builder, record by record. */
static NOINLINE void hand_over_with_care(SpallReader *reader, const uint8_t *bytes, uint64_t offset,
                                         const Block *block)
{
    const SpallLayout *layout = reader->layout;
    MarkBatch          out;
    out.count = 0;
    for (size_t i = 0; i < block->marks.count; i++) {
        const uint8_t     *record = bytes + block->marks.at[i];
        const bool         is_end = (block->marks.flags[i] & MARK_END) != 0;
        const RecordShape *shape = &layout->shapes[is_end ? RECORD_END : RECORD_BEGIN];
        const EventPos     pos = { offset + block->marks.at[i], reader->event + i };
        EventTime          time = mark_time(reader, &out, record + shape->time, pos);
        uint32_t           label = block->marks.label[i];
        if (!is_end && label == 0)
            label = spall_find_label(reader, record + shape->size, record[shape->name_length], pos).index;
        mark_batch_add(&out, time.tick, (LabelId){ label }, pos, time.flags | block->marks.flags[i]);
    }
    flush_marks(reader, &out);
}

static ALWAYS_INLINE void hand_over(SpallReader *reader, const uint8_t *bytes, uint64_t offset, Block *block)
{
    MarkBatch *const marks = &block->marks;
    if (marks->count == 0) return;
    assert(marks->count <= MARK_BATCH && block->begin_count <= marks->count);
    if (reader->layout->shapes[RECORD_END].pid != 0) spall_select_thread(reader, block->pid, block->tid);
    if (LIKELY(block->is_plain && block_in_order(reader, marks))) {
        if (UNLIKELY(!block->is_named)) block_make_labels(reader, bytes, offset, block);
        marks->base = (EventPos){ offset, reader->event };
        *reader->last_tick = marks->tick[marks->count - 1];
        builder_add_marks(reader->builder, reader->track, marks);
    } else {
        hand_over_with_care(reader, bytes, offset, block);
    }
    reader->event += marks->count;
    reader->counts[RECORD_BEGIN] += block->begin_count;
    reader->counts[RECORD_END] += marks->count - block->begin_count;
}

static ALWAYS_INLINE size_t read_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                                        uint64_t offset, const BlockShape shape)
{
    Block  block;
    size_t at = 0;
    do {
        block_find_records(reader->time, bytes + at, size - at, limit - at, &block, shape);
        block_find_labels(reader->names, bytes + at, &block, shape);
        hand_over(reader, bytes + at, offset + at, &block);
        at += block.size;
        assert(at <= size);
    } while (block.marks.count > 0);
    return at;
}

/* Instances for the versions that recorders write: with a constant shape the compiler needs fewer registers. */
static ALWAYS_INLINE size_t read_blocks_1(SpallReader *reader, const uint8_t *bytes, size_t size,
                                          size_t limit, uint64_t offset)
{
    static const RecordShape BEGIN = SHAPE_BEGIN_1, END = SHAPE_END_0B;
    return read_blocks(reader, bytes, size, limit, offset, block_shape(TIME_F64, 4, &BEGIN, &END));
}

static ALWAYS_INLINE size_t read_blocks_3(SpallReader *reader, const uint8_t *bytes, size_t size,
                                          size_t limit, uint64_t offset)
{
    static const RecordShape BEGIN = SHAPE_BEGIN_3, END = SHAPE_END_2;
    return read_blocks(reader, bytes, size, limit, offset, block_shape(TIME_U64, 4, &BEGIN, &END));
}

static size_t read_any_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                              uint64_t offset)
{
    const SpallLayout *layout = reader->layout;
    if (layout == &SPALL_V3) return read_blocks_3(reader, bytes, size, limit, offset);
    if (layout == &SPALL_V1) return read_blocks_1(reader, bytes, size, limit, offset);
    return read_blocks(reader, bytes, size, limit, offset,
                       block_shape(layout->time, reader->end_type, &layout->shapes[RECORD_BEGIN],
                                   &layout->shapes[RECORD_END]));
}

/* The same for processors with AVX2, which is asked at run time. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2
__attribute__((target("avx2,bmi,bmi2"))) static size_t
read_blocks_avx2(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit, uint64_t offset)
{
    if (reader->layout == &SPALL_V3) return read_blocks_3(reader, bytes, size, limit, offset);
    return read_blocks_1(reader, bytes, size, limit, offset);
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
}
#endif

size_t spall_read_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                         uint64_t offset)
{
    if (!reader->has_blocks) return 0;
#ifdef HAS_AVX2
    if ((reader->layout == &SPALL_V3 || reader->layout == &SPALL_V1) && has_avx2())
        return read_blocks_avx2(reader, bytes, size, limit, offset);
#endif
    return read_any_blocks(reader, bytes, size, limit, offset);
}
