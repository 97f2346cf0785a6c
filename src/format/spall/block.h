/* format/spall/block.h - decodes blocks of Begin and End records, nearly all records of a file. For format/spall only.
 *
 * The processor cannot predict whether a Begin or an End comes next, nor the length of a name, so a loop that
 * branches on them pays a misprediction at each record. So a block of records is processed in several passes without
 * such branches: the first finds the bounds and times of the records, the second the cache lines of the Begins'
 * names, the third their labels. The result is a batch of one thread for the builder.
 *
 * One comparison per record checks that its fixed part is complete, so its fields need no checks. The sizes of its
 * texts are compared with the remaining bytes. */
#ifndef FORMAT_SPALL_BLOCK_H
#define FORMAT_SPALL_BLOCK_H
#include "format/spall/names.h"
#include "format/spall/time.h"

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

/* True if each time of a batch is at or after the one before it. */
static ALWAYS_INLINE bool block_ascends(const MarkBatch *marks)
{
    uint64_t back = 0;
    for (size_t i = 1; i < marks->count; i++) { /* the distance is negative, or the sign changes */
        const uint64_t tick = (uint64_t)marks->tick[i], before = (uint64_t)marks->tick[i - 1];
        back |= (tick - before) | (tick ^ before);
    }
    return back >> 63 == 0;
}

/* The versions that recorders write: with a constant shape the compiler needs fewer registers. */
static ALWAYS_INLINE BlockShape block_shape_1(void)
{
    static const RecordShape BEGIN = SHAPE_BEGIN_1, END = SHAPE_END_0B;
    return block_shape(TIME_F64, 4, &BEGIN, &END);
}

static ALWAYS_INLINE BlockShape block_shape_3(void)
{
    static const RecordShape BEGIN = SHAPE_BEGIN_3, END = SHAPE_END_2;
    return block_shape(TIME_U64, 4, &BEGIN, &END);
}

/* True if the processor has the instructions of BLOCK_AVX2 functions; asked at run time. */
#if defined(__x86_64__) && defined(__GNUC__)
#define BLOCK_AVX2 __attribute__((target("avx2,bmi,bmi2")))
static inline bool block_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
           __builtin_cpu_supports("bmi2") != 0;
}
#endif

#endif
