/* Blocks of Begin and End: nearly all of a file.
 *
 * Whether a Begin or an End comes next is a toss-up, and so is a name's length: a loop that branches on them waits
 * for the branch's outcome at each record. So a block of records is walked three times. First their bounds, found by
 * arithmetic alone; then the labels of the Begins; then what the builder gets, in file order, again by arithmetic.
 *
 * One comparison a record finds that its fixed part is there, and none of its fields needs its own; its texts are
 * compared with what is left. */
#include "format/spall/records.h"

#include <assert.h>

enum { BLOCK_RECORDS = 256 };

typedef struct Block {
    size_t   count, size; /* records, and all their bytes */
    uint32_t at[BLOCK_RECORDS];
    uint32_t begin_at[BLOCK_RECORDS + 1]; /* of the Begins alone */
    size_t   begin_count;
    uint32_t label[BLOCK_RECORDS + 1]; /* of the Begins, in their order; 0 = new: to be made in file order */
} Block;

void spall_prepare_blocks(SpallReader *reader)
{
    const SpallLayout *layout = reader->layout;
    for (unsigned type = 1; type < LAYOUT_TYPES; type++) {
        if (layout->kinds[type] == RECORD_END && layout->kinds[type - 1] == RECORD_BEGIN)
            reader->end_type = (uint8_t)type;
    }
    /* A Begin of type 0 may be a zero-filled tail, and 0A's wide types are in no file known. */
    reader->has_blocks = reader->end_type > 1 && layout->id_size == 4;
}

/* Bounds of up to BLOCK_RECORDS records of `bytes` up to `limit`; stops in front of anything but Begin and End. In
 * all layouts End's type follows Begin's: their difference is the mask of what Begin has and End has not. */
static void block_find_records(const SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                               Block *block)
{
    const RecordShape *begin = &reader->layout->shapes[RECORD_BEGIN];
    const size_t       end_size = reader->layout->shapes[RECORD_END].size, more = begin->size - end_size;
    const size_t       name_at = begin->name_length;
    const size_t       args_at = begin->args_length == 0 ? name_at : begin->args_length;
    const size_t       args_mask = begin->args_length == 0 ? 0 : 0xFF;
    const size_t       end_type = reader->end_type;
    size_t             at = 0, count = 0, begin_count = 0;
    if (limit > UINT32_MAX) limit = UINT32_MAX;
    while (count < BLOCK_RECORDS && size - at >= LAYOUT_MAX_RECORD) {
        const uint8_t *head = bytes + at;
        size_t         is_begin = head[0] - end_type; /* all ones, or 0 */
        size_t         texts = more + head[name_at] + (head[args_at] & args_mask);
        size_t         next = at + end_size + (texts & is_begin);
        if (UNLIKELY(is_begin + 1 > 1 || next > limit)) break;
        block->at[count++] = (uint32_t)at;
        block->begin_at[begin_count] = (uint32_t)at;
        begin_count -= is_begin;
        at = next;
    }
    block->count = count;
    block->begin_count = begin_count;
    block->size = at;
}

static void block_find_labels(SpallReader *reader, const uint8_t *bytes, Block *block)
{
    const RecordShape *shape = &reader->layout->shapes[RECORD_BEGIN];
    static_assert(LAYOUT_MAX_RECORD - 20 >= NAME_CACHE_READABLE, "a name's first bytes can be read");
    for (size_t i = 0; i < block->begin_count; i++) {
        const uint8_t *record = bytes + block->begin_at[i];
        block->label[i] = name_cache_find(&reader->names, record + shape->size, record[shape->name_length]);
    }
    block->label[block->begin_count] = 1; /* of no Begin: never looked up */
}

/* Marks of one thread on their way to the builder. */
typedef struct Marks {
    size_t    count;
    MarkInput marks[BLOCK_RECORDS];
} Marks;

static void flush_marks(SpallReader *reader, Marks *marks)
{
    if (marks->count > 0) builder_add_marks(reader->builder, reader->track, marks->marks, marks->count);
    marks->count = 0;
}

/* Where the fields of an End stand, and how much further those of a Begin. */
typedef struct MarkFields {
    TimeField kind;
    size_t    end_type, begin_size;
    size_t    pid, more_pid, time, more_time;
    size_t    name_length, args_length, category;
    unsigned  args_mask, category_mask; /* 0 where the layout has none */
} MarkFields;

static inline MarkFields mark_fields(TimeField kind, size_t end_type, const RecordShape *begin,
                                     const RecordShape *end)
{
    return (MarkFields){ .kind = kind,
                         .end_type = end_type,
                         .begin_size = begin->size,
                         .pid = end->pid,
                         .more_pid = (size_t)begin->pid - end->pid,
                         .time = end->time,
                         .more_time = (size_t)begin->time - end->time,
                         .name_length = begin->name_length,
                         .args_length = begin->args_length,
                         .category = begin->category,
                         .args_mask = begin->args_length == 0 ? 0 : 0xFF,
                         .category_mask = begin->category == 0 ? 0 : 0xFF };
}

/* The thread of a record that names one; tid stands behind pid in all layouts. */
static inline void mark_thread(SpallReader *reader, Marks *marks, const uint8_t *ids)
{
    uint64_t pid = record_u32(ids), tid = record_u32(ids + 4);
    if (UNLIKELY(pid != reader->pid || tid != reader->tid || reader->track.index == 0)) {
        flush_marks(reader, marks);
        spall_enter_thread(reader, pid, tid);
    }
}

static inline EventTime mark_time(SpallReader *reader, TimeField kind, Marks *marks, const uint8_t *field,
                                  EventPos pos)
{
    EventTime time = { 0, 0 };
    if (UNLIKELY(!spall_time_usual(&reader->time, kind, field, &time.tick))) {
        flush_marks(reader, marks); /* the clock may change: all times so far must be the builder's */
        return ordered_time(reader, field, pos);
    }
    return time_in_order(reader, time);
}

/* Free of branches on what a record is: see the top. */
static ALWAYS_INLINE void hand_over(SpallReader *reader, const uint8_t *bytes, uint64_t offset,
                                    const Block *block, const MarkFields fields)
{
    size_t begin_count = 0;
    Marks  marks;
    marks.count = 0;
    for (size_t i = 0; i < block->count; i++) {
        const uint8_t *record = bytes + block->at[i];
        const size_t   is_begin = record[0] - fields.end_type; /* all ones, or 0 */
        EventPos       pos = { offset + block->at[i], reader->event + i };
        if (fields.pid != 0) mark_thread(reader, &marks, record + fields.pid + (fields.more_pid & is_begin));
        EventTime time =
            mark_time(reader, fields.kind, &marks, record + fields.time + (fields.more_time & is_begin), pos);
        unsigned name_size = record[fields.name_length];
        unsigned more = (name_size == LAYOUT_MAX_TEXT) |
                        ((record[fields.args_length] & fields.args_mask) != 0) |
                        ((record[fields.category] & fields.category_mask) != 0);
        uint32_t label = block->label[begin_count]; /* behind the last one for Ends: any value */
        begin_count -= is_begin;
        if (UNLIKELY(label == 0 && is_begin != 0)) {
            label = spall_find_label(reader, record + fields.begin_size, name_size, pos).index;
        }
        uint32_t flags =
            time.flags | (more * EVENT_DETAILS & (uint32_t)is_begin) | (MARK_END & ~(uint32_t)is_begin);
        marks.marks[marks.count++] = (MarkInput){ time.tick, pos, label & (uint32_t)is_begin, flags };
    }
    flush_marks(reader, &marks);
    reader->event += block->count;
    reader->counts[RECORD_BEGIN] += begin_count;
    reader->counts[RECORD_END] += block->count - begin_count;
}

/* The versions that recorders write are compiled for themselves: constants need no registers. */
static void block_hand_over(SpallReader *reader, const uint8_t *bytes, uint64_t offset, const Block *block)
{
    static const RecordShape BEGIN_1 = SHAPE_BEGIN_1, END_1 = SHAPE_END_0B;
    static const RecordShape BEGIN_3 = SHAPE_BEGIN_3, END_3 = SHAPE_END_2;
    const SpallLayout       *layout = reader->layout;
    if (layout == &SPALL_V3) {
        hand_over(reader, bytes, offset, block, mark_fields(TIME_U64, 4, &BEGIN_3, &END_3));
    } else if (layout == &SPALL_V1) {
        hand_over(reader, bytes, offset, block, mark_fields(TIME_F64, 4, &BEGIN_1, &END_1));
    } else {
        hand_over(reader, bytes, offset, block,
                  mark_fields(layout->time, reader->end_type, &layout->shapes[RECORD_BEGIN],
                              &layout->shapes[RECORD_END]));
    }
}

size_t spall_read_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                         uint64_t offset)
{
    Block  block;
    size_t at = 0;
    if (!reader->has_blocks) return 0;
    do {
        block_find_records(reader, bytes + at, size - at, limit - at, &block);
        block_find_labels(reader, bytes + at, &block);
        block_hand_over(reader, bytes + at, offset + at, &block);
        at += block.size;
    } while (block.count == BLOCK_RECORDS);
    return at;
}
