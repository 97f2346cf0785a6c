/* Passes blocks of Begin and End records to the builder: decoded here, or ahead by other threads. If a time
 * is unusual or goes back, the block is processed again, record by record. */
#include "format/spall/block.h"
#include "format/spall/records.h"

#include <assert.h>
#include <string.h>

void spall_prepare_blocks(SpallReader *reader)
{
    const SpallLayout *layout = reader->layout;
    for (unsigned type = 1; type < LAYOUT_TYPES; type++) {
        if (layout->kinds[type] == RECORD_END && layout->kinds[type - 1] == RECORD_BEGIN)
            reader->end_type = (uint8_t)type;
    }
    /* A Begin of type 0 may be part of a tail of zeros. No file with 0A's wide types is known. */
    if (reader->end_type <= 1 || layout->id_size != 4) reader->end_type = 0;
    assert(reader->end_type == 0 || layout->shapes[RECORD_BEGIN].size + NAME_CACHE_BYTES <= BLOCK_READABLE);
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

/* True if the times of a block, which ascend, are in order on its thread. */
static ALWAYS_INLINE bool continues_thread(const SpallReader *reader, const MarkBatch *marks)
{
    return reader->track.index != 0 && marks->tick[0] >= *reader->last_tick;
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
    if (LIKELY(block->is_plain && block_ascends(marks) && continues_thread(reader, marks))) {
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

static size_t read_any_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                              uint64_t offset)
{
    const SpallLayout *layout = reader->layout;
    if (layout == &SPALL_V3) return read_blocks(reader, bytes, size, limit, offset, block_shape_3());
    if (layout == &SPALL_V1) return read_blocks(reader, bytes, size, limit, offset, block_shape_1());
    return read_blocks(reader, bytes, size, limit, offset,
                       block_shape(layout->time, reader->end_type, &layout->shapes[RECORD_BEGIN],
                                   &layout->shapes[RECORD_END]));
}

#ifdef BLOCK_AVX2
BLOCK_AVX2 static size_t read_blocks_avx2(SpallReader *reader, const uint8_t *bytes, size_t size,
                                          size_t limit, uint64_t offset)
{
    if (reader->layout == &SPALL_V3) return read_blocks(reader, bytes, size, limit, offset, block_shape_3());
    return read_blocks(reader, bytes, size, limit, offset, block_shape_1());
}
#endif

/* Copies a run to a batch, with the labels that are known by their numbers. False: one is not known. */
static ALWAYS_INLINE bool take_marks(const SpallAhead *state, const AheadRun *run, MarkBatch *marks)
{
    const size_t          count = run->count;
    const int64_t *const  ticks = (const int64_t *)(const void *)(run + 1);
    const uint32_t *const at = (const uint32_t *)(const void *)(ticks + count), *const numbers = at + count;
    uint32_t missing = 0; /* negative: a label is 0, but not the number */
    assert(count > 0 && count <= MARK_BATCH);
    marks->count = count;
    memcpy(marks->tick, ticks, count * sizeof *ticks);
    memcpy(marks->at, at, count * sizeof *at);
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = numbers[i] >> AHEAD_NUMBER_SHIFT, label = state->labels[number].index;
        marks->flags[i] = numbers[i] & AHEAD_NUMBER_FLAGS;
        marks->label[i] = label;
        missing |= (label - 1) & (0 - number);
    }
    return missing >> 31 == 0;
}

/* Finds the labels that the batch of a run does not have, in the order of the records. `bytes` has the run's records. */
static NOINLINE void make_labels_of_run(SpallReader *reader, const uint8_t *bytes, const AheadRun *run,
                                        MarkBatch *marks)
{
    const RecordShape    *shape = &reader->layout->shapes[RECORD_BEGIN];
    const uint32_t *const words = (const uint32_t *)(const void *)(run + 1);
    const uint32_t *const numbers = words + 3 * (size_t)run->count; /* behind ticks and offsets */
    for (size_t i = 0; i < marks->count; i++) {
        const uint32_t       number = numbers[i] >> AHEAD_NUMBER_SHIFT;
        const uint8_t *const record = bytes + marks->at[i];
        const EventPos       pos = { marks->base.offset + marks->at[i], marks->base.event + i };
        LabelId *const       known = &reader->ahead.state->labels[number];
        if (number == 0) continue;
        LabelId label = *known; /* perhaps of an earlier record of the run */
        if (label.index == LABEL_NONE.index)
            label = spall_find_label(reader, record + shape->size, record[shape->name_length], pos);
        if (number != AHEAD_UNNUMBERED) *known = label;
        marks->label[i] = label.index;
    }
}

/* Passes a run to the builder. False: `read_blocks` must decode its records. */
static bool take_run(SpallReader *reader, const uint8_t *bytes, size_t limit, uint64_t offset,
                     const AheadRun *run)
{
    MarkBatch         marks;
    SpallAhead *const state = reader->ahead.state;
    if (run->size > limit || !run->is_usual || reader->time.bias != 0) return false;
    if (run->sub_bits != reader->time.sub_bits) {
        atomic_store_explicit(&state->sub_bits, reader->time.sub_bits, memory_order_relaxed);
        return false;
    }
    if (reader->layout->shapes[RECORD_END].pid != 0) spall_select_thread(reader, run->pid, run->tid);
    const bool has_labels = take_marks(state, run, &marks);
    if (!continues_thread(reader, &marks)) return false;
    marks.base = (EventPos){ offset, reader->event };
    if (UNLIKELY(!has_labels)) make_labels_of_run(reader, bytes, run, &marks);
    *reader->last_tick = marks.tick[marks.count - 1];
    builder_add_marks(reader->builder, reader->track, &marks);
    reader->event += marks.count;
    reader->counts[RECORD_BEGIN] += run->begin_count;
    reader->counts[RECORD_END] += (size_t)run->count - run->begin_count;
    return true;
}

size_t spall_take_ahead(SpallReader *reader, const uint8_t *bytes, size_t limit, uint64_t offset)
{
    AheadRuns *const runs = &reader->ahead;
    const AheadRun  *run;
    size_t           at = 0;
    while ((run = ahead_run(runs)) != NULL && runs->begin + run->at <= offset + at) {
        const bool is_next = runs->begin + run->at == offset + at;
        ahead_pass(runs, run);
        if (!is_next) continue;
        if (!take_run(reader, bytes + at, limit - at, offset + at, run)) break;
        at += run->size;
    }
    return at;
}

size_t spall_read_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                         uint64_t offset)
{
    if (reader->end_type == 0) return 0;
#ifdef BLOCK_AVX2
    if ((reader->layout == &SPALL_V3 || reader->layout == &SPALL_V1) && block_has_avx2())
        return read_blocks_avx2(reader, bytes, size, limit, offset);
#endif
    return read_any_blocks(reader, bytes, size, limit, offset);
}
