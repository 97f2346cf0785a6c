/* The columns of a growing trace: reserved address space, of which the memory in use is counted. */
#include "trace/live/live_state.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

/* ---- the columns ---- */

/* Items for which the columns have address space. They take no memory before they are used. */
enum { SLICE_BITS = 33, INSTANT_BITS = 31, SAMPLE_BITS = 31, LONG_BITS = 31 };
enum { LONG_BLOCK = 512 }; /* long durations that are counted at once: a page */

/* A column: its space (SPACE_LONG: the long durations), the size of an item, and the offset of its address in LiveTrace,
 * and of a flag: it is written only if this is set. */
typedef struct LiveColumn {
    SpaceKind space;
    size_t    item_bytes, address, flag;
} LiveColumn;

#define OPTIONAL(space, place, flag)                                                                         \
    { SPACE_##space, sizeof *((LiveTrace *)0)->place, offsetof(LiveTrace, place), offsetof(LiveTrace, flag) }
#define COLUMN(space, place) OPTIONAL(space, place, columns.has_rows)

static const LiveColumn COLUMNS[] = {
    COLUMN(SLICES, trace.slices.begin_tick),
    COLUMN(SLICES, trace.slices.duration),
    COLUMN(SLICES, trace.slices.label),
    OPTIONAL(SLICES, trace.slices.high_label, trace.slices.has_high_labels),
    COLUMN(SLICES, trace.slices.flags),
    OPTIONAL(SLICES, trace.slices.async_thread, columns.has_threads),
    OPTIONAL(SLICES, trace.objects.life_of_slice, columns.has_objects),
    COLUMN(SLICES, places.source),
    OPTIONAL(SLICES, places.end_source, columns.has_end_sources),
    OPTIONAL(SLICES, places.stacks[STACKS_OF_BEGINS], columns.has_stacks),
    OPTIONAL(SLICES, places.stacks[STACKS_OF_ENDS], columns.has_stacks),
    OPTIONAL(SLICES, columns.levels, columns.has_levels),
    OPTIONAL(SLICES, columns.slice_ids, columns.has_ids),
    OPTIONAL(SLICES, trace.slices.cpu, trace.slices.has_cpu),
    COLUMN(INSTANTS, trace.instants.tick),
    COLUMN(INSTANTS, trace.instants.label),
    COLUMN(INSTANTS, trace.instants.thread),
    COLUMN(INSTANTS, trace.instants.scope),
    COLUMN(INSTANTS, trace.instants.source),
    OPTIONAL(INSTANTS, trace.objects.life_of_snapshot, columns.has_objects),
    OPTIONAL(INSTANTS, columns.instant_ids, columns.has_ids),
    OPTIONAL(INSTANTS, places.stacks[STACKS_OF_INSTANTS], columns.has_instant_stacks),
    COLUMN(SAMPLES, trace.samples.tick),
    COLUMN(SAMPLES, trace.samples.value),
    COLUMN(PROFILES, trace.profile.tick),
    COLUMN(PROFILES, trace.profile.stack),
    COLUMN(PROFILES, columns.weights),
    COLUMN(PROFILES, columns.given_stacks),
    COLUMN(LONG, places.long_durations),
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

static const unsigned SPACE_BITS[] = { [SPACE_SLICES] = SLICE_BITS,
                                       [SPACE_INSTANTS] = INSTANT_BITS,
                                       [SPACE_SAMPLES] = SAMPLE_BITS,
                                       [SPACE_PROFILES] = SAMPLE_BITS,
                                       [SPACE_LONG] = LONG_BITS };

/* Returns the address space of a column. */
static uint64_t column_bytes(const LiveColumn *column)
{
    return (UINT64_C(1) << SPACE_BITS[column->space]) * column->item_bytes;
}

static bool is_present(const LiveTrace *live, const LiveColumn *column)
{
    return *((const bool *)(const void *)live + column->flag);
}

static void **column_address(LiveTrace *live, const LiveColumn *column)
{
    return (void **)(void *)((char *)live + column->address);
}

/* Reserves one range of addresses for all columns: two dozen system calls would take most of the time of a short trace. */
bool live_columns_reserve(LiveTrace *live)
{
    uint64_t size = 0, at = 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        size += column_bytes(&COLUMNS[i]);
    char *pages = size > SIZE_MAX ? NULL : (char *)memory_reserve((size_t)size);
    if (pages == NULL) return false;
    live->columns.memory = pages;
    live->columns.has_rows = true;
    live->columns.bytes = (size_t)size;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        *column_address(live, &COLUMNS[i]) = pages + at;
        at += column_bytes(&COLUMNS[i]);
    }
    for (int kind = 0; kind < SPACE_COUNT; kind++)
        live->columns.spaces[kind].capacity = UINT64_C(1) << SPACE_BITS[kind];
    live->places.slice_capacity = live->columns.spaces[SPACE_SLICES].capacity;
    live->places.instant_capacity = live->columns.spaces[SPACE_INSTANTS].capacity;
    return live_columns_count(live) &&
           lod_reserve(&live->trace, live->columns.spaces[SPACE_SLICES].capacity / NODE_SHARE) &&
           sample_index_reserve(&live->trace, live->columns.spaces[SPACE_SAMPLES].capacity / SAMPLES_A_NODE);
}

void live_columns_release(LiveTrace *live)
{
    for (int kind = 0; kind < SPACE_COUNT; kind++)
        space_release(&live->columns.spaces[kind]);
    memory_uncount((size_t)(live->columns.long_used + LONG_BLOCK - 1) / LONG_BLOCK * LONG_BLOCK *
                   sizeof(uint64_t));
    memory_unreserve(live->columns.memory, live->columns.bytes);
    lod_release(live->trace.index.lod);
    sample_index_release(&live->trace);
}

/* ---- their memory ---- */

/* Returns the bytes of an item in all its columns that are present. */
static uint32_t item_bytes(const LiveTrace *live, SpaceKind kind)
{
    size_t bytes = 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (COLUMNS[i].space == kind && is_present(live, &COLUMNS[i])) bytes += COLUMNS[i].item_bytes;
    }
    return (uint32_t)bytes;
}

bool live_columns_count(LiveTrace *live)
{
    enum {
        NODE_BYTES = 49,
        SAMPLE_NODE_BYTES = 1
    }; /* bytes of a node of the index, and of the index for each sample */
    const uint32_t of_nodes[SPACE_COUNT] = {
        [SPACE_SLICES] = (NODE_BYTES + NODE_SHARE - 1) / NODE_SHARE, [SPACE_SAMPLES] = SAMPLE_NODE_BYTES
    };
    for (int kind = 0; kind < SPACE_COUNT; kind++) {
        if (!space_set_item_bytes(&live->columns.spaces[kind],
                                  item_bytes(live, (SpaceKind)kind) + of_nodes[kind]))
            return false;
    }
    return true;
}

uint64_t live_columns_taken(const LiveTrace *live)
{
    const LiveColumns *columns = &live->columns;
    uint64_t bytes = (columns->long_used - columns->long_free.size / sizeof(uint32_t)) * sizeof(uint64_t);
    for (int kind = 0; kind < SPACE_COUNT; kind++)
        bytes += columns->spaces[kind].taken * columns->spaces[kind].item_bytes;
    return bytes;
}

uint64_t live_columns_held(const LiveTrace *live)
{
    uint64_t bytes = live->columns.long_used * sizeof(uint64_t);
    for (int kind = 0; kind < SPACE_COUNT; kind++)
        bytes += live->columns.spaces[kind].counted * live->columns.spaces[kind].item_bytes;
    return bytes;
}

/* Returns the memory of long free runs to the system. A growing row leaves free rooms that are together larger than
 * itself. */
void live_columns_trim(LiveTrace *live)
{
    for (int kind = 0; kind < SPACE_COUNT; kind++) {
        LiveSpace *space = &live->columns.spaces[kind];
        Bytes      runs = { .data = NULL };
        if (!space_is_trim_due(space)) continue;
        space_trim(space, &runs);
        for (size_t r = 0; !runs.failed && r < VECTOR_COUNT(runs, SpaceRun); r++) {
            const SpaceRun *run = &VECTOR(runs, const SpaceRun)[r];
            for (size_t i = 0; i < COLUMN_COUNT; i++) {
                const LiveColumn *column = &COLUMNS[i];
                if (column->space != (SpaceKind)kind) continue;
                memory_discard((char *)*column_address(live, column) + run->first * column->item_bytes,
                               (size_t)run->count * column->item_bytes);
            }
            if (kind == SPACE_SLICES)
                lod_discard(&live->trace, run->first / NODE_SHARE, run->count / NODE_SHARE);
        }
        bytes_release(&runs);
    }
}

void live_items_move(LiveTrace *live, SpaceKind kind, uint64_t from, uint64_t to, uint32_t count)
{
    if (count == 0) return;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const LiveColumn *column = &COLUMNS[i];
        if (column->space != kind || !is_present(live, column)) continue;
        char *items = (char *)*column_address(live, column);
        memmove(items + to * column->item_bytes, items + from * column->item_bytes,
                (size_t)count * column->item_bytes);
    }
}

/* ---- durations ---- */

void live_duration_give(LiveTrace *live, uint64_t slice)
{
    SliceColumns *s = &live->trace.slices;
    if (!(s->flags[slice] & SLICE_LONG)) return;
    bytes_append(&live->columns.long_free, &s->duration[slice], sizeof(uint32_t));
    live->columns.long_free.failed = false; /* out of memory: the place is not used again */
    s->flags[slice] &= (uint8_t)~SLICE_LONG;
}

/* Takes a new place for a long duration. The memory of places is kept, and places are reused. */
static bool take_long(LiveTrace *live)
{
    const bool is_full = live->columns.long_used >> LONG_BITS != 0;
    if (is_full ||
        (live->columns.long_used % LONG_BLOCK == 0 && !memory_count(LONG_BLOCK * sizeof(uint64_t)))) {
        live->failed = true;
        return false;
    }
    live->columns.long_used++;
    return true;
}

void live_duration_set(LiveTrace *live, uint64_t slice, uint64_t duration)
{
    SliceColumns *s = &live->trace.slices;
    if (duration < UINT32_MAX) {
        live_duration_give(live, slice);
        s->duration[slice] = (uint32_t)duration;
        return;
    }
    if (!(s->flags[slice] & SLICE_LONG)) {
        uint32_t place = live->columns.long_used;
        if (live->columns.long_free.size > 0) {
            live->columns.long_free.size -= sizeof place;
            memcpy(&place, live->columns.long_free.data + live->columns.long_free.size, sizeof place);
        } else if (!take_long(live)) {
            return;
        }
        s->flags[slice] |= SLICE_LONG;
        s->duration[slice] = place;
    }
    live->places.long_durations[s->duration[slice]] = duration;
}

/* ---- a copy ---- */

/* Returns the bytes of the items of a column that are in use. */
static size_t bytes_used(const LiveTrace *live, const LiveColumn *column)
{
    const uint64_t items =
        column->space == SPACE_LONG ? live->columns.long_used : live->columns.spaces[column->space].used;
    return (size_t)items * column->item_bytes;
}

static const void *items_of(const LiveTrace *live, const LiveColumn *column)
{
    return *(void *const *)(const void *)((const char *)live + column->address);
}

bool live_columns_copy(const LiveTrace *live, LiveTrace *to, ColumnsCopy *copy)
{
    size_t size = 1, zeros = 1;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const size_t bytes = bytes_used(live, &COLUMNS[i]);
        if (is_present(live, &COLUMNS[i]))
            size += bytes;
        else if (bytes > zeros)
            zeros = bytes;
    }
    if (!memory_count(size)) return false;
    *copy = (ColumnsCopy){ memory_reserve(size), memory_reserve(zeros), size, zeros };
    if (copy->items == NULL || copy->zeros == NULL) return false;
    char *items = (char *)copy->items;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const LiveColumn *column = &COLUMNS[i];
        const size_t      bytes = bytes_used(live, column);
        *column_address(to, column) = is_present(live, column) ? items : copy->zeros;
        if (!is_present(live, column) || bytes == 0) continue;
        memcpy(items, items_of(live, column), bytes);
        items += bytes;
    }
    return true;
}

void live_columns_copy_release(ColumnsCopy *copy)
{
    memory_unreserve(copy->items, copy->size);
    memory_unreserve(copy->zeros, copy->zeros_size);
    memory_uncount(copy->size);
}
