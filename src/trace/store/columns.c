#include "trace/store/columns.h"

#include <stddef.h>

#define COLUMN(name, group, type, unit, presence, address, count)                                            \
    { name,                                                                                                  \
      COLUMNS_##group,                                                                                       \
      ARRAY_##type,                                                                                          \
      UNIT_##unit,                                                                                           \
      COLUMN_##presence,                                                                                     \
      offsetof(Trace, address),                                                                              \
      offsetof(Trace, count) }

/* The three columns of a StackColumn. */
#define STACK_COLUMNS(name, column)                                                                          \
    COLUMN(name "_bits", STACKS, U64, NONE, ALWAYS, column.bits, column.word_count),                         \
        COLUMN(name "_ranks", STACKS, U32, NONE, ALWAYS, column.ranks, column.word_count),                   \
        COLUMN(name, STACKS, U32, STACK, ALWAYS, column.stacks, column.count)

/* clang-format off */
const Column TRACE_COLUMNS[COLUMN_COUNT] = {
    COLUMN("slice.begin_tick", EVENTS, I64, TICK, WITH_PLAIN_BEGINS, slices.begin_tick, slices.count),
    COLUMN("slice.begin_block", PACKED, PAIR_I64, NONE, ALWAYS, slices.begin_blocks, slices.begin_block_count),
    COLUMN("slice.begin", PACKED, U32, DISTANCE, ALWAYS, slices.begin_words, slices.begin_word_count),
    COLUMN("slice.begin_high", PACKED, U32, DISTANCE, ALWAYS, slices.begin_high, slices.begin_high_count),
    COLUMN("slice.duration", EVENTS, U32, TICKS, ALWAYS, slices.duration, slices.count),
    COLUMN("slice.label", EVENTS, U16, LABEL, ALWAYS, slices.label, slices.count),
    COLUMN("slice.high_label", EVENTS, U16, LABEL, WITH_HIGH_LABELS, slices.high_label, slices.count),
    COLUMN("slice.flags", EVENTS, U8, NONE, ALWAYS, slices.flags, slices.count),
    COLUMN("slice.source", EVENTS, U32, OFFSET, WITH_NEAR_SOURCES, slices.source, slices.source_count),
    COLUMN("slice.far_source", EVENTS, U64, OFFSET, WITH_FAR_SOURCES, slices.far_source, slices.source_count),
    COLUMN("slice.source_rank", EVENTS, U64, NONE, ALWAYS, slices.source_rank, slices.source_rank_count),
    COLUMN("slice.async_thread", EVENTS, U32, TRACK, ALWAYS, slices.async_thread, slices.async_thread_count),
    COLUMN("slice.cpu", EVENTS, U64, NANOSECONDS, WITH_CPU, slices.cpu, slices.count),
    COLUMN("slice.end_source", SPARSE, PAIR_U64, OFFSET, ALWAYS, slices.end_source, slices.end_source_count),
    COLUMN("slice.long_duration", SPARSE, PAIR_U64, TICKS, ALWAYS, slices.long_durations, slices.long_count),
    STACK_COLUMNS("slice.stack", slices.stack),
    STACK_COLUMNS("slice.end_stack", slices.end_stack),
    COLUMN("instant.tick", EVENTS, I64, TICK, ALWAYS, instants.tick, instants.count),
    COLUMN("instant.label", EVENTS, U32, LABEL, ALWAYS, instants.label, instants.count),
    COLUMN("instant.thread", EVENTS, U32, TRACK, ALWAYS, instants.thread, instants.count),
    COLUMN("instant.scope", EVENTS, U8, NONE, ALWAYS, instants.scope, instants.count),
    COLUMN("instant.source", EVENTS, U64, OFFSET, ALWAYS, instants.source, instants.count),
    STACK_COLUMNS("instant.stack", instants.stack),
    COLUMN("counter.tick", EVENTS, I64, TICK, ALWAYS, samples.tick, samples.count),
    COLUMN("counter.value", EVENTS, F64, NONE, ALWAYS, samples.value, samples.count),
    COLUMN("sample.tick", EVENTS, I64, TICK, ALWAYS, profile.tick, profile.count),
    COLUMN("sample.stack", EVENTS, U32, STACK, ALWAYS, profile.stack, profile.count),
    COLUMN("sample.weight", EVENTS, F64, NONE, WITH_WEIGHTS, profile.weight, profile.count),
    COLUMN("flow.from", FLOWS, U32, NONE, ALWAYS, flows.from, flows.count),
    COLUMN("flow.to", FLOWS, U32, NONE, ALWAYS, flows.to, flows.count),
    COLUMN("flow.from_offset", FLOWS, U32, TICKS, ALWAYS, flows.from_offset, flows.count),
    COLUMN("flow.to_offset", FLOWS, U32, TICKS, ALWAYS, flows.to_offset, flows.count),
    COLUMN("flow.label", FLOWS, U32, LABEL, ALWAYS, flows.label, flows.count),
    COLUMN("flow.flags", FLOWS, U8, NONE, ALWAYS, flows.flags, flows.count),
    COLUMN("flow.by_to", FLOWS, U32, FLOW, ALWAYS, flows.by_to, flows.count),
    COLUMN("flow.from_reach", FLOWS, PAIR_I64, NONE, ALWAYS, flows.reach[0], flows.reach_count),
    COLUMN("flow.to_reach", FLOWS, PAIR_I64, NONE, ALWAYS, flows.reach[1], flows.reach_count),
};
/* clang-format on */

size_t array_item_bytes(ArrayType type)
{
    static const size_t BYTES[ARRAY_TYPES_END] = {
        [ARRAY_U8] = 1,    [ARRAY_U32] = 4,       [ARRAY_U64] = 8,       [ARRAY_I64] = 8,
        [ARRAY_F64] = 8,   [ARRAY_PAIR_U64] = 16, [ARRAY_PAIR_I64] = 16, [ARRAY_PAIR_F64] = 16,
        [ARRAY_NODE] = 48, [ARRAY_U16] = 2
    };
    return BYTES[type];
}

static_assert(sizeof(SparseValue) == 16 && sizeof(FlowReach) == 16 && sizeof(BeginBlock) == 16, "pairs");

static bool is_present(const Trace *trace, ColumnPresence presence)
{
    switch (presence) {
    case COLUMN_ALWAYS:
        return true;
    case COLUMN_WITH_CPU:
        return trace->slices.has_cpu;
    case COLUMN_WITH_WEIGHTS:
        return trace->profile.has_weights;
    case COLUMN_WITH_NEAR_SOURCES:
        return !trace->slices.has_far_sources;
    case COLUMN_WITH_FAR_SOURCES:
        return trace->slices.has_far_sources;
    case COLUMN_WITH_PLAIN_BEGINS:
        return trace->slices.begin_blocks == NULL;
    case COLUMN_WITH_HIGH_LABELS:
        return trace->slices.has_high_labels;
    }
    return false;
}

/* Returns the place of the pointer to the items. */
static void **column_place(Trace *trace, const Column *column)
{
    return (void **)(void *)((char *)trace + column->address);
}

void *column_items(const Trace *trace, const Column *column)
{
    return *(void *const *)(const void *)((const char *)trace + column->address);
}

uint64_t column_item_count(const Trace *trace, const Column *column)
{
    if (!is_present(trace, column->presence)) return 0;
    return *(const uint64_t *)(const void *)((const char *)trace + column->count);
}

bool column_set(Trace *trace, const Column *column, void *items, uint64_t count)
{
    uint64_t *place = (uint64_t *)(void *)((char *)trace + column->count);
    if (*place == 0) *place = count;
    if (*place != count) return false;
    *column_place(trace, column) = items;
    return true;
}

bool columns_map(Trace *trace, ColumnGroup group)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const Column  *column = &TRACE_COLUMNS[i];
        const uint64_t count = column_item_count(trace, column);
        if (column->group != group || count == 0) continue;
        if (count > SIZE_MAX / array_item_bytes(column->type)) return false;
        void *pages = memory_map((size_t)count * array_item_bytes(column->type));
        if (pages == NULL) return false;
        *column_place(trace, column) = pages;
    }
    return true;
}

uint64_t columns_bytes(const Trace *trace, unsigned groups)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (TRACE_COLUMNS[i].group & groups)
            bytes += column_item_count(trace, &TRACE_COLUMNS[i]) * array_item_bytes(TRACE_COLUMNS[i].type);
    }
    return bytes;
}

void columns_release(Trace *trace, unsigned groups)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const Column *column = &TRACE_COLUMNS[i];
        void        **place = column_place(trace, column);
        if (!(column->group & groups) || *place == NULL) continue;
        mapping_unmap(&trace->mapping, *place,
                      (size_t)column_item_count(trace, column) * array_item_bytes(column->type));
        *place = NULL;
    }
}

/* ---- the check ---- */

/* Returns the greatest id of a unit, UINT64_MAX for units that are not ids. */
static uint64_t greatest_id(const Trace *trace, ColumnUnit unit)
{
    switch (unit) {
    case UNIT_LABEL:
        return trace->label_count;
    case UNIT_TRACK:
        return trace->track_count;
    case UNIT_STACK:
        return trace->stacks.stack_count;
    case UNIT_FLOW:
        return trace->flows.count;
    case UNIT_NONE:
    case UNIT_TICK:
    case UNIT_DISTANCE:
    case UNIT_TICKS:
    case UNIT_NANOSECONDS:
    case UNIT_OFFSET:
        break;
    }
    return UINT64_MAX;
}

/* Returns the index of the first id above `greatest`, `count` if all are at most that. */
static uint64_t first_unknown_id(const uint32_t *ids, uint64_t count, uint64_t greatest)
{
    uint32_t highest = 0;
    uint64_t i = 0;
    for (uint64_t at = 0; at < count; at++) /* without a branch, because nearly always all are known */
        highest = ids[at] > highest ? ids[at] : highest;
    if (highest <= greatest) return count;
    while (i < count && ids[i] <= greatest)
        i++;
    return i;
}

/* Returns the index of the first tick outside of the trace, `count` if all are inside. */
static uint64_t first_tick_outside(const Trace *trace, const int64_t *ticks, uint64_t count)
{
    const uint64_t begin = (uint64_t)trace->begin_tick, time = (uint64_t)trace->end_tick - begin;
    bool           are_inside = true;
    uint64_t       i = 0;
    for (uint64_t at = 0; at < count; at++)
        are_inside &= (uint64_t)ticks[at] - begin <= time;
    if (are_inside) return count;
    while (i < count && (uint64_t)ticks[i] - begin <= time)
        i++;
    return i;
}

/* Returns the index of the first slice with an unknown label, the number of slices if all are known. */
static uint64_t first_unknown_label(const Trace *trace)
{
    const uint64_t count = trace->slices.count;
    uint32_t       highest = 0;
    uint64_t       i = 0;
    for (uint64_t at = 0; at < count; at++) {
        const uint32_t label = trace_slice_label(trace, at);
        highest = label > highest ? label : highest;
    }
    if (highest <= trace->label_count) return count;
    while (i < count && trace_slice_label(trace, i) <= trace->label_count)
        i++;
    return i;
}

bool columns_check(const Trace *trace, Err *err)
{
    const uint64_t unknown = first_unknown_label(trace);
    if (unknown < trace->slices.count)
        return err_set(err, ERR_CORRUPT, "trace_check: slice.label out of range (%llu)",
                       (unsigned long long)unknown);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        const Column  *column = &TRACE_COLUMNS[c];
        const void    *items = column_items(trace, column);
        const uint64_t count = column_item_count(trace, column), greatest = greatest_id(trace, column->unit);
        uint64_t       wrong = count;
        if (greatest != UINT64_MAX && column->type == ARRAY_U32)
            wrong = first_unknown_id((const uint32_t *)items, count, greatest);
        /* the check of the rows, which are sorted, includes the begins of slices */
        if (column->unit == UNIT_TICK && column->address != offsetof(Trace, slices.begin_tick))
            wrong = first_tick_outside(trace, (const int64_t *)items, count);
        if (wrong < count)
            return err_set(err, ERR_CORRUPT, "trace_check: %s out of range (%llu)", column->name,
                           (unsigned long long)wrong);
    }
    return true;
}
