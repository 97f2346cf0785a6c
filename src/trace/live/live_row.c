/* Rows of a growing trace: their places in the columns, and their index. */
#include "trace/live/live_state.h"
#include "trace/store/filter.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

/* ---- the columns ---- */

/* Items for which the columns have address space. They take no memory before they are used. */
enum { SLICE_BITS = 33, INSTANT_BITS = 31, SAMPLE_BITS = 31, LONG_BITS = 31 };
/* The nodes of a row begin at a sixteenth of its place. Rooms are multiples of 32 items, so this leaves two nodes for
 * each 32 items, which are enough for all levels. */
enum { NODE_SHARE = 16 };
enum { LONG_BLOCK = 512 }; /* long durations that are counted at once: a page */

typedef enum {
    SPACE_SLICES,
    SPACE_INSTANTS,
    SPACE_SAMPLES,
    SPACE_PROFILES,
    SPACE_COUNT,
    SPACE_LONG = SPACE_COUNT
} SpaceKind;

/* The condition under which a column is written. */
typedef enum {
    LIVE_ALWAYS,
    LIVE_WITH_LEVELS,
    LIVE_WITH_THREADS,
    LIVE_WITH_STACKS,
    LIVE_WITH_CPU,
    LIVE_WITH_END_SOURCES,
    LIVE_WITH_INSTANT_STACKS,
    LIVE_WITH_OBJECTS
} LivePresence;

/* A column: its space (SPACE_LONG: the long durations), the size of an item, and the offset of its address in LiveTrace. */
typedef struct LiveColumn {
    SpaceKind    space;
    LivePresence presence;
    size_t       item_bytes, address;
} LiveColumn;

#define COLUMN(space, presence, place)                                                                       \
    { SPACE_##space, LIVE_##presence, sizeof *((LiveTrace *)0)->place, offsetof(LiveTrace, place) }

static const LiveColumn COLUMNS[] = {
    COLUMN(SLICES, ALWAYS, trace.slices.begin_tick),
    COLUMN(SLICES, ALWAYS, trace.slices.duration),
    COLUMN(SLICES, ALWAYS, trace.slices.label),
    COLUMN(SLICES, ALWAYS, trace.slices.flags),
    COLUMN(SLICES, WITH_THREADS, trace.slices.async_thread),
    COLUMN(SLICES, WITH_OBJECTS, trace.objects.life_of_slice),
    COLUMN(SLICES, ALWAYS, places.source),
    COLUMN(SLICES, WITH_END_SOURCES, places.end_source),
    COLUMN(SLICES, WITH_STACKS, places.stacks[STACKS_OF_BEGINS]),
    COLUMN(SLICES, WITH_STACKS, places.stacks[STACKS_OF_ENDS]),
    COLUMN(SLICES, WITH_LEVELS, columns.levels),
    COLUMN(SLICES, WITH_CPU, trace.slices.cpu),
    COLUMN(INSTANTS, ALWAYS, trace.instants.tick),
    COLUMN(INSTANTS, ALWAYS, trace.instants.label),
    COLUMN(INSTANTS, ALWAYS, trace.instants.thread),
    COLUMN(INSTANTS, ALWAYS, trace.instants.scope),
    COLUMN(INSTANTS, ALWAYS, trace.instants.source),
    COLUMN(INSTANTS, WITH_OBJECTS, trace.objects.life_of_snapshot),
    COLUMN(INSTANTS, WITH_INSTANT_STACKS, places.stacks[STACKS_OF_INSTANTS]),
    COLUMN(SAMPLES, ALWAYS, trace.samples.tick),
    COLUMN(SAMPLES, ALWAYS, trace.samples.value),
    COLUMN(PROFILES, ALWAYS, trace.profile.tick),
    COLUMN(PROFILES, ALWAYS, trace.profile.stack),
    COLUMN(PROFILES, ALWAYS, columns.weights),
    COLUMN(PROFILES, ALWAYS, columns.given_stacks),
    COLUMN(LONG, ALWAYS, places.long_durations),
};
enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

static const unsigned SPACE_BITS[] = { [SPACE_SLICES] = SLICE_BITS,
                                       [SPACE_INSTANTS] = INSTANT_BITS,
                                       [SPACE_SAMPLES] = SAMPLE_BITS,
                                       [SPACE_PROFILES] = SAMPLE_BITS,
                                       [SPACE_LONG] = LONG_BITS };

static LiveSpace *space_of(LiveTrace *live, SpaceKind kind)
{
    LiveSpace *spaces[] = { &live->columns.slices, &live->columns.instants, &live->columns.samples,
                            &live->columns.profiles };
    assert(kind < SPACE_COUNT);
    return spaces[kind];
}

/* Returns the address space of a column. */
static uint64_t column_bytes(const LiveColumn *column)
{
    return (UINT64_C(1) << SPACE_BITS[column->space]) * column->item_bytes;
}

static bool is_present(const LiveTrace *live, LivePresence presence)
{
    switch (presence) {
    case LIVE_ALWAYS:
        return true;
    case LIVE_WITH_LEVELS:
        return live->columns.has_levels;
    case LIVE_WITH_THREADS:
        return live->columns.has_threads;
    case LIVE_WITH_STACKS:
        return live->columns.has_stacks;
    case LIVE_WITH_CPU:
        return live->trace.slices.has_cpu;
    case LIVE_WITH_END_SOURCES:
        return live->columns.has_end_sources;
    case LIVE_WITH_INSTANT_STACKS:
        return live->columns.has_instant_stacks;
    case LIVE_WITH_OBJECTS:
        return live->objects.tracks.size > 0;
    }
    return false;
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
    live->columns.bytes = (size_t)size;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        *column_address(live, &COLUMNS[i]) = pages + at;
        at += column_bytes(&COLUMNS[i]);
    }
    for (int kind = 0; kind < SPACE_COUNT; kind++)
        space_of(live, (SpaceKind)kind)->capacity = UINT64_C(1) << SPACE_BITS[kind];
    live->places.slice_capacity = live->columns.slices.capacity;
    live->places.instant_capacity = live->columns.instants.capacity;
    return live_columns_count(live) &&
           lod_reserve(&live->trace, live->columns.slices.capacity / NODE_SHARE) &&
           sample_index_reserve(&live->trace, live->columns.samples.capacity / SAMPLES_A_NODE);
}

void live_columns_release(LiveTrace *live)
{
    for (int kind = 0; kind < SPACE_COUNT; kind++)
        space_release(space_of(live, (SpaceKind)kind));
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
        if (COLUMNS[i].space == kind && is_present(live, COLUMNS[i].presence)) bytes += COLUMNS[i].item_bytes;
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
        if (!space_set_item_bytes(space_of(live, (SpaceKind)kind),
                                  item_bytes(live, (SpaceKind)kind) + of_nodes[kind]))
            return false;
    }
    return true;
}

uint64_t live_columns_taken(const LiveTrace *live)
{
    return live->columns.slices.taken * live->columns.slices.item_bytes +
           live->columns.instants.taken * live->columns.instants.item_bytes +
           live->columns.samples.taken * live->columns.samples.item_bytes +
           live->columns.profiles.taken * live->columns.profiles.item_bytes +
           (live->columns.long_used - live->columns.long_free.size / sizeof(uint32_t)) * sizeof(uint64_t);
}

uint64_t live_columns_held(const LiveTrace *live)
{
    return live->columns.slices.counted * live->columns.slices.item_bytes +
           live->columns.instants.counted * live->columns.instants.item_bytes +
           live->columns.samples.counted * live->columns.samples.item_bytes +
           live->columns.profiles.counted * live->columns.profiles.item_bytes +
           live->columns.long_used * sizeof(uint64_t);
}

/* ---- rows ---- */

/* Returns the index of the row of a lane and depth, or the index at which to insert it. */
static uint32_t row_place(const LiveRow *rows, uint32_t count, uint32_t lane, uint32_t depth)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, count, i,
                rows[i].row.lane < lane || (rows[i].row.lane == lane && rows[i].row.depth < depth));
    return low;
}

LiveRow *live_row_find(const LiveTrack *track, uint32_t lane, uint32_t depth)
{
    LiveRow       *rows = live_rows(track);
    const uint32_t count = live_row_count(track), at = row_place(rows, count, lane, depth);
    return at < count && rows[at].row.lane == lane && rows[at].row.depth == depth ? &rows[at] : NULL;
}

/* Returns zeroed extras for a new row, those of a removed row if possible. NULL when out of memory. */
static RowExtras *take_extras(LiveTrace *live)
{
    RowExtras *extras;
    if (live->free_extras.size == 0) return ARENA_NEW(&live->own, RowExtras);
    live->free_extras.size -= sizeof extras; /* NOLINT(bugprone-sizeof-expression): it holds pointers */
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): likewise */
    memcpy(&extras, live->free_extras.data + live->free_extras.size, sizeof extras);
    *extras = (RowExtras){ .room = 0 };
    return extras;
}

LiveRow *live_row_get(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth)
{
    LiveRow *rows = live_rows(track);
    uint32_t count = live_row_count(track), at;
    if (lane == 0 && depth < count && rows[depth].row.lane == 0) return &rows[depth]; /* lane 0 is first */
    at = row_place(rows, count, lane, depth);
    if (at < count && rows[at].row.lane == lane && rows[at].row.depth == depth) return &rows[at];
    LiveRow row = { .row = { .lane = lane, .depth = depth, .extras = take_extras(live) },
                    .changed_slice = UINT32_MAX,
                    .changed_sample = UINT32_MAX,
                    .changed_instant = UINT32_MAX };
    if (row.row.extras != NULL) bytes_append(&track->rows, &row, sizeof row);
    if (row.row.extras == NULL || track->rows.failed) {
        live->failed = true;
        return NULL;
    }
    rows = live_rows(track);
    memmove(rows + at + 1, rows + at, (count - at) * sizeof *rows);
    rows[at] = row;
    live->shape.is_stale = true;
    return &rows[at];
}

/* Returns the memory of long free runs to the system. A growing row leaves free rooms that are together larger than
 * itself. */
void live_columns_trim(LiveTrace *live)
{
    for (int kind = 0; kind < SPACE_COUNT; kind++) {
        LiveSpace *space = space_of(live, (SpaceKind)kind);
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

/* Returns the size of the next room for a row that is full. */
static uint32_t grown_room(uint32_t count)
{
    return space_room_for(count > UINT32_MAX / 2 ? count + 1 : count + count / 2 + 1);
}

/* Moves `count` items in all present columns. The two ranges may overlap within one room. */
static void move_items(LiveTrace *live, SpaceKind kind, uint64_t from, uint64_t to, uint32_t count)
{
    if (count == 0) return;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const LiveColumn *column = &COLUMNS[i];
        if (column->space != kind || !is_present(live, column->presence)) continue;
        char *items = (char *)*column_address(live, column);
        memmove(items + to * column->item_bytes, items + from * column->item_bytes,
                (size_t)count * column->item_bytes);
    }
}

/* Moves the row's slices from `from` on to a new room. */
static bool slices_move(LiveTrace *live, LiveRow *r, uint32_t from, uint32_t room)
{
    Row     *row = &r->row;
    uint64_t to, at = row->first_slice + from;
    uint32_t count = row->slice_count - from;
    if (room == 0 || !space_take(&live->columns.slices, room, &to)) {
        live->failed = true;
        return false;
    }
    live->trace.slices.count = live->columns.slices.used;
    move_items(live, SPACE_SLICES, at, to, count);
    space_give(&live->columns.slices, row->extras->room, row->first_slice);
    row->first_slice = to;
    row->extras->room = room;
    row->slice_count = count;
    row->extras->first_node = (uint32_t)(to / NODE_SHARE);
    r->changed_slice = 0;
    live->shape.is_stale = true; /* ids have changed */
    return true;
}

static void give_long(LiveTrace *live, uint64_t slice)
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

static void set_duration(LiveTrace *live, uint64_t slice, uint64_t duration)
{
    SliceColumns *s = &live->trace.slices;
    if (duration < UINT32_MAX) {
        give_long(live, slice);
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

/* Sets the columns that exist only if any slice has a value for them. */
static void set_details(LiveTrace *live, uint64_t at, const LiveSlice *slice)
{
    if (slice->stack != 0 || slice->end_stack != 0) live->columns.has_stacks = true;
    if (live->columns.has_stacks) live->places.stacks[STACKS_OF_BEGINS][at] = slice->stack;
    if (live->columns.has_stacks) live->places.stacks[STACKS_OF_ENDS][at] = slice->end_stack;
    if (slice->cpu != 0) live->trace.slices.has_cpu = true;
    if (live->trace.slices.has_cpu) live->trace.slices.cpu[at] = slice->cpu;
}

static void slice_changed(LiveRow *row, uint32_t i)
{
    if (i < row->changed_slice) row->changed_slice = i;
}

bool live_slice_append(LiveTrace *live, LiveRow *row, const LiveSlice *slice)
{
    if (row->row.slice_count == row->row.extras->room &&
        !slices_move(live, row, 0, grown_room(row->row.slice_count)))
        return false;
    SliceColumns *s = &live->trace.slices;
    uint64_t      at = row->row.first_slice + row->row.slice_count;
    s->begin_tick[at] = slice->begin;
    s->label[at] = slice->label;
    s->flags[at] = (uint8_t)slice->flags;
    set_duration(live, at, (uint64_t)slice->end - (uint64_t)slice->begin);
    live->places.source[at] = slice->offset;
    if (slice->flags & SLICE_END_SOURCE) live->columns.has_end_sources = true;
    if (live->columns.has_end_sources) live->places.end_source[at] = slice->end_offset;
    if (slice->level != 0) live->columns.has_levels = true;
    if (live->columns.has_levels) live->columns.levels[at] = slice->level;
    if (slice->thread != 0) live->columns.has_threads = true;
    if (live->columns.has_threads) s->async_thread[at] = slice->thread;
    set_details(live, at, slice);
    slice_changed(row, row->row.slice_count);
    row->row.slice_count++;
    return !live->failed;
}

LiveSlice live_slice_at(const LiveTrace *live, const LiveRow *row, uint32_t i)
{
    const SliceColumns *s = &live->trace.slices;
    uint64_t            at = row->row.first_slice + i;
    return (LiveSlice){ .begin = s->begin_tick[at],
                        .end = trace_slice_end(&live->trace, at),
                        .offset = live->places.source[at],
                        .end_offset = s->flags[at] & SLICE_END_SOURCE ? live->places.end_source[at] : 0,
                        .label = s->label[at],
                        .flags = s->flags[at] & (uint32_t)~SLICE_LONG,
                        .level = live->columns.levels[at],
                        .thread = s->async_thread[at],
                        .stack = live->places.stacks[STACKS_OF_BEGINS][at],
                        .end_stack = live->places.stacks[STACKS_OF_ENDS][at],
                        .cpu = s->cpu[at] };
}

void live_slice_set_end(LiveTrace *live, LiveRow *row, uint32_t i, int64_t end, uint32_t flags,
                        uint64_t end_offset)
{
    uint64_t at = row->row.first_slice + i;
    uint8_t  is_long = live->trace.slices.flags[at] & SLICE_LONG;
    live->trace.slices.flags[at] = (uint8_t)(flags | is_long);
    set_duration(live, at, (uint64_t)end - (uint64_t)live->trace.slices.begin_tick[at]);
    if (flags & SLICE_END_SOURCE) {
        live->columns.has_end_sources = true;
        live->places.end_source[at] = end_offset;
    }
    slice_changed(row, i);
}

void live_slice_set_details(LiveTrace *live, const LiveRow *row, uint32_t i, const LiveSlice *slice)
{
    live->trace.slices.label[row->row.first_slice + i] = slice->label;
    set_details(live, row->row.first_slice + i, slice);
}

void live_slice_rewrite(LiveTrace *live, LiveRow *row, uint32_t i, const LiveSlice *slice)
{
    if (live->columns.has_threads) live->trace.slices.async_thread[row->row.first_slice + i] = slice->thread;
    live_slice_set_details(live, row, i, slice);
    live_slice_set_end(live, row, i, slice->end, slice->flags, slice->end_offset);
}

void live_slices_cut(LiveTrace *live, LiveRow *row, uint32_t count)
{
    for (uint32_t i = count; i < row->row.slice_count; i++)
        give_long(live, row->row.first_slice + i);
    if (count == row->row.slice_count) return;
    row->row.slice_count = count;
    slice_changed(row, count);
}

/* ---- instants ---- */

static bool instants_move(LiveTrace *live, LiveRow *r, uint32_t from, uint32_t room)
{
    Row     *row = &r->row;
    uint64_t to, at = row->extras->first_instant + from;
    uint32_t count = row->extras->instant_count - from;
    if (room == 0 || !space_take(&live->columns.instants, room, &to)) {
        live->failed = true;
        return false;
    }
    live->trace.instants.count = live->columns.instants.used;
    move_items(live, SPACE_INSTANTS, at, to, count);
    space_give(&live->columns.instants, row->extras->instant_room, row->extras->first_instant);
    row->extras->first_instant = to;
    row->extras->instant_room = room;
    row->extras->instant_count = count;
    r->changed_instant = 0;
    live->shape.is_stale = true;
    return true;
}

bool live_instant_add(LiveTrace *live, LiveRow *r, const InstantMark *mark, uint32_t stack)
{
    Row *row = &r->row;
    if (row->extras->instant_count == row->extras->instant_room &&
        !instants_move(live, r, 0, grown_room(row->extras->instant_count)))
        return false;
    InstantColumns *t = &live->trace.instants;
    uint32_t        i = mark->tick == INT64_MAX ? row->extras->instant_count
                                                : row_instant_bound(&live->trace, row, mark->tick + 1);
    uint64_t        at = row->extras->first_instant + i;
    uint32_t        behind = row->extras->instant_count - i;
    if (stack != 0) live->columns.has_instant_stacks = true;
    move_items(live, SPACE_INSTANTS, at, at + 1, behind);
    if (live->columns.has_instant_stacks) live->places.stacks[STACKS_OF_INSTANTS][at] = stack;
    t->tick[at] = mark->tick;
    t->label[at] = mark->label;
    t->thread[at] = mark->thread; /* the builder's thread: trace_instant_thread() maps it */
    t->scope[at] = (uint8_t)(mark->place >> PLACE_SCOPE_SHIFT & 3);
    t->source[at] = mark->place & PLACE_DETAILS ? place_offset(mark->place) + 1 : 0;
    row->extras->instant_count++;
    if (i < r->changed_instant) r->changed_instant = i;
    return true;
}

LiveInstant live_instant_at(const LiveTrace *live, const LiveRow *row, uint32_t i)
{
    const InstantColumns *t = &live->trace.instants;
    uint64_t              at = row->row.extras->first_instant + i;
    uint64_t              place = (uint64_t)t->scope[at] << PLACE_SCOPE_SHIFT;
    if (t->source[at] != 0) place |= (t->source[at] - 1) << PLACE_BITS | PLACE_DETAILS;
    return (LiveInstant){ .mark = { t->tick[at], place, t->label[at], t->thread[at] },
                          .stack = live->places.stacks[STACKS_OF_INSTANTS][at] };
}

void live_instants_cut(LiveRow *row, uint32_t count)
{
    if (count < row->row.extras->instant_count && count < row->changed_instant) row->changed_instant = count;
    row->row.extras->instant_count = count;
}

/* ---- samples of counters ---- */

static bool samples_move(LiveTrace *live, LiveRow *r, uint32_t from, uint32_t room)
{
    Row     *row = &r->row;
    uint64_t to, at = row->extras->first_sample + from;
    uint32_t count = row->extras->sample_count - from;
    if (room == 0 || !space_take(&live->columns.samples, room, &to)) {
        live->failed = true;
        return false;
    }
    live->trace.samples.count = live->columns.samples.used;
    move_items(live, SPACE_SAMPLES, at, to, count);
    space_give(&live->columns.samples, row->extras->room, row->extras->first_sample);
    row->extras->first_sample = to;
    row->extras->room = room;
    row->extras->sample_count = count;
    row->extras->first_node = (uint32_t)(to / SAMPLES_A_NODE);
    r->changed_sample = 0;
    live->shape.is_stale = true;
    return true;
}

bool live_sample_add(LiveTrace *live, LiveRow *r, int64_t tick, double value)
{
    Row *row = &r->row;
    if (row->extras->sample_count == row->extras->room &&
        !samples_move(live, r, 0, grown_room(row->extras->sample_count)))
        return false;
    SampleColumns *v = &live->trace.samples;
    uint32_t       i =
        tick == INT64_MAX ? row->extras->sample_count : row_sample_bound(&live->trace, row, tick + 1);
    uint64_t at = row->extras->first_sample + i;
    move_items(live, SPACE_SAMPLES, at, at + 1, row->extras->sample_count - i);
    v->tick[at] = tick;
    v->value[at] = value;
    row->extras->sample_count++;
    if (i < r->changed_sample) r->changed_sample = i;
    return true;
}

/* ---- removal, the index ---- */

bool live_row_drop(LiveTrace *live, LiveRow *r, uint32_t slices, uint32_t instants, uint32_t samples)
{
    Row *row = &r->row;
    for (uint32_t i = 0; i < slices; i++)
        give_long(live, row->first_slice + i);
    if (slices > 0 && !slices_move(live, r, slices, space_room_for(row->slice_count - slices + 1)))
        return false;
    if (instants > 0 &&
        !instants_move(live, r, instants, space_room_for(row->extras->instant_count - instants + 1)))
        return false;
    return samples == 0 ||
           samples_move(live, r, samples, space_room_for(row->extras->sample_count - samples + 1));
}

void live_rows_tidy(LiveTrace *live, LiveTrack *track)
{
    LiveRow *rows = live_rows(track);
    uint32_t kept = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &rows[r].row;
        if (row->slice_count + row->extras->instant_count + row->extras->sample_count > 0) {
            rows[kept++] = rows[r];
            continue;
        }
        if (row->extras->series == 0) space_give(&live->columns.slices, row->extras->room, row->first_slice);
        space_give(&live->columns.instants, row->extras->instant_room, row->extras->first_instant);
        if (row->extras->series != 0)
            space_give(&live->columns.samples, row->extras->room, row->extras->first_sample);
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): it holds pointers */
        bytes_append(&live->free_extras, &row->extras, sizeof row->extras);
        live->free_extras.failed = false; /* out of memory: these extras are not used again */
        live->shape.is_stale = true;
    }
    track->rows.size = kept * sizeof *rows;
}

void live_row_convert(LiveTrace *live, LiveRow *r, ClockConversion *conversion)
{
    const Row *row = &r->row;
    Trace     *trace = &live->trace;
    for (uint64_t at = row->first_slice; at < row->first_slice + row->slice_count; at++) {
        int64_t end = trace_slice_end(trace, at);
        clock_convert(conversion, &trace->slices.begin_tick[at]);
        clock_convert(conversion, &end);
        set_duration(live, at, (uint64_t)end - (uint64_t)trace->slices.begin_tick[at]);
    }
    for (uint32_t i = 0; i < row->extras->instant_count; i++)
        clock_convert(conversion, &trace->instants.tick[row->extras->first_instant + i]);
    for (uint32_t i = 0; i < row->extras->sample_count; i++)
        clock_convert(conversion, &trace->samples.tick[row->extras->first_sample + i]);
    if (row->slice_count > 0) r->changed_slice = 0;
}

void live_row_index(LiveTrace *live, LiveRow *row)
{
    filters_note(live->followers, &row->row, row->changed_slice, row->changed_instant);
    if (row->changed_slice != UINT32_MAX) lod_update(&live->trace, &row->row, row->changed_slice);
    if (row->changed_sample != UINT32_MAX) sample_index_update(&live->trace, &row->row, row->changed_sample);
    row->changed_slice = row->changed_sample = row->changed_instant = UINT32_MAX;
}
