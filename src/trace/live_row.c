/* Rows that grow. */
#include "trace/filter.h"
#include "trace/live_internal.h"
#include "trace/lod.h"
#include "trace/sample_index.h"

/* ---- the columns ---- */

/* Items that the columns have addresses for: they take no memory before they are used. */
enum { SLICE_BITS = 33, INSTANT_BITS = 31, SAMPLE_BITS = 31, LONG_BITS = 31 };
/* Rooms of 32 items and their multiples begin at multiples of 32: the nodes of a row begin at a sixteenth of
 * its place, twice what its leaves need, which all levels together do not exceed. */
enum { NODE_SHARE = 16 };

static void *reserve(uint64_t count, size_t size, bool *failed)
{
    void *pages = count > SIZE_MAX / size ? NULL : memory_reserve((size_t)count * size);
    if (pages == NULL) *failed = true;
    return pages;
}

bool live_columns_reserve(LiveTrace *live)
{
    const uint64_t  slices = UINT64_C(1) << SLICE_BITS, instants = UINT64_C(1) << INSTANT_BITS;
    const uint64_t  samples = UINT64_C(1) << SAMPLE_BITS;
    Trace          *trace = &live->trace;
    SliceColumns   *s = &trace->slices;
    InstantColumns *t = &trace->instants;
    bool            failed = false;
    live->slices.capacity = slices;
    live->instants.capacity = instants;
    live->samples.capacity = samples;
    live->places.slice_capacity = slices;
    live->places.instant_capacity = instants;
    s->begin_tick = (int64_t *)reserve(slices, sizeof *s->begin_tick, &failed);
    s->duration = (uint32_t *)reserve(slices, sizeof *s->duration, &failed);
    s->label = (uint32_t *)reserve(slices, sizeof *s->label, &failed);
    s->flags = (uint8_t *)reserve(slices, sizeof *s->flags, &failed);
    live->places.source = (uint64_t *)reserve(slices, sizeof(uint64_t), &failed);
    live->places.end_source = (uint64_t *)reserve(slices, sizeof(uint64_t), &failed);
    live->places.long_durations = (uint64_t *)reserve(UINT64_C(1) << LONG_BITS, sizeof(uint64_t), &failed);
    live->levels = (uint16_t *)reserve(slices, sizeof(uint16_t), &failed);
    live->cpu = (uint64_t *)reserve(slices, sizeof(uint64_t), &failed);
    s->async_thread = (uint32_t *)reserve(slices, sizeof(uint32_t), &failed);
    live->places.stack = (uint32_t *)reserve(slices, sizeof(uint32_t), &failed);
    live->places.end_stack = (uint32_t *)reserve(slices, sizeof(uint32_t), &failed);
    live->places.instant_stack = (uint32_t *)reserve(instants, sizeof(uint32_t), &failed);
    trace->objects.life_of_slice = (uint32_t *)reserve(slices, sizeof(uint32_t), &failed);
    trace->objects.life_of_snapshot = (uint32_t *)reserve(instants, sizeof(uint32_t), &failed);
    t->tick = (int64_t *)reserve(instants, sizeof *t->tick, &failed);
    t->label = (uint32_t *)reserve(instants, sizeof *t->label, &failed);
    t->thread = (uint32_t *)reserve(instants, sizeof *t->thread, &failed);
    t->scope = (uint8_t *)reserve(instants, sizeof *t->scope, &failed);
    t->source = (uint64_t *)reserve(instants, sizeof *t->source, &failed);
    trace->samples.tick = (int64_t *)reserve(samples, sizeof(int64_t), &failed);
    trace->samples.value = (double *)reserve(samples, sizeof(double), &failed);
    trace->profile.tick = (int64_t *)reserve(samples, sizeof(int64_t), &failed);
    trace->profile.stack = (uint32_t *)reserve(samples, sizeof(uint32_t), &failed);
    live->weights = (double *)reserve(samples, sizeof(double), &failed);
    live->given_stacks = (uint32_t *)reserve(samples, sizeof(uint32_t), &failed);
    live->profiles.capacity = samples;
    return !failed && lod_reserve(trace, slices / NODE_SHARE) &&
           sample_index_reserve(trace, samples / SAMPLES_A_NODE);
}

static void unreserve(void *pages, unsigned bits, size_t size)
{
    memory_unreserve(pages, (size_t)(UINT64_C(1) << bits) * size);
}

void live_columns_release(LiveTrace *live)
{
    Trace                *trace = &live->trace;
    const SliceColumns   *s = &trace->slices;
    const InstantColumns *t = &trace->instants;
    unreserve(s->begin_tick, SLICE_BITS, sizeof *s->begin_tick);
    unreserve(s->duration, SLICE_BITS, sizeof *s->duration);
    unreserve(s->label, SLICE_BITS, sizeof *s->label);
    unreserve(s->flags, SLICE_BITS, sizeof *s->flags);
    unreserve(live->places.source, SLICE_BITS, sizeof(uint64_t));
    unreserve(live->places.end_source, SLICE_BITS, sizeof(uint64_t));
    unreserve(live->places.long_durations, LONG_BITS, sizeof(uint64_t));
    unreserve(live->levels, SLICE_BITS, sizeof(uint16_t));
    unreserve(live->cpu, SLICE_BITS, sizeof(uint64_t));
    unreserve(s->async_thread, SLICE_BITS, sizeof(uint32_t));
    unreserve(live->places.stack, SLICE_BITS, sizeof(uint32_t));
    unreserve(live->places.end_stack, SLICE_BITS, sizeof(uint32_t));
    unreserve(live->places.instant_stack, INSTANT_BITS, sizeof(uint32_t));
    unreserve(trace->objects.life_of_slice, SLICE_BITS, sizeof(uint32_t));
    unreserve(trace->objects.life_of_snapshot, INSTANT_BITS, sizeof(uint32_t));
    unreserve(t->tick, INSTANT_BITS, sizeof *t->tick);
    unreserve(t->label, INSTANT_BITS, sizeof *t->label);
    unreserve(t->thread, INSTANT_BITS, sizeof *t->thread);
    unreserve(t->scope, INSTANT_BITS, sizeof *t->scope);
    unreserve(t->source, INSTANT_BITS, sizeof *t->source);
    unreserve(trace->profile.tick, SAMPLE_BITS, sizeof(int64_t));
    unreserve(trace->profile.stack, SAMPLE_BITS, sizeof(uint32_t));
    unreserve(live->given_stacks, SAMPLE_BITS, sizeof(uint32_t));
    unreserve(live->weights, SAMPLE_BITS, sizeof(double));
    unreserve(trace->samples.tick, SAMPLE_BITS, sizeof(int64_t));
    unreserve(trace->samples.value, SAMPLE_BITS, sizeof(double));
    lod_release(trace->lod);
    sample_index_release(trace);
}

/* ---- rows ---- */

/* Where the row of a lane and depth stands among them, or would. */
static uint32_t row_place(const LiveRow *rows, uint32_t count, uint32_t lane, uint32_t depth)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const Row     *row = &rows[middle].row;
        if (row->lane < lane || (row->lane == lane && row->depth < depth)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

LiveRow *live_row_find(const LiveTrack *track, uint32_t lane, uint32_t depth)
{
    LiveRow       *rows = live_rows(track);
    const uint32_t count = live_row_count(track), at = row_place(rows, count, lane, depth);
    return at < count && rows[at].row.lane == lane && rows[at].row.depth == depth ? &rows[at] : NULL;
}

LiveRow *live_row_get(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth)
{
    LiveRow *rows = live_rows(track);
    uint32_t count = live_row_count(track), at;
    if (lane == 0 && depth < count && rows[depth].row.lane == 0)
        return &rows[depth]; /* lane 0 stands first */
    at = row_place(rows, count, lane, depth);
    if (at < count && rows[at].row.lane == lane && rows[at].row.depth == depth) return &rows[at];
    LiveRow row = { .row = { .lane = lane, .depth = depth },
                    .changed_slice = UINT32_MAX,
                    .changed_sample = UINT32_MAX,
                    .changed_instant = UINT32_MAX };
    bytes_append(&track->rows, &row, sizeof row);
    if (track->rows.failed) {
        live->failed = true;
        return NULL;
    }
    rows = live_rows(track);
    memmove(rows + at + 1, rows + at, (count - at) * sizeof *rows);
    rows[at] = row;
    live->reshape = true;
    return &rows[at];
}

/* Gives back the pages of a column's items that no row uses. */
static void discard(const Bytes *runs, void *column, size_t size)
{
    enum { WORTH_IT = 16 << 10 }; /* bytes: four pages */
    for (size_t i = 0; i < VECTOR_COUNT(*runs, SpaceRun); i++) {
        const SpaceRun *run = &VECTOR(*runs, const SpaceRun)[i];
        if (run->count * size >= WORTH_IT)
            memory_discard((char *)column + run->first * size, (size_t)run->count * size);
    }
}

static void trim_slices(LiveTrace *live, const Bytes *runs)
{
    const SliceColumns *s = &live->trace.slices;
    discard(runs, s->begin_tick, sizeof *s->begin_tick);
    discard(runs, s->duration, sizeof *s->duration);
    discard(runs, s->label, sizeof *s->label);
    discard(runs, s->flags, sizeof *s->flags);
    discard(runs, live->places.source, sizeof(uint64_t));
    discard(runs, live->places.end_source, sizeof(uint64_t));
    discard(runs, live->levels, sizeof(uint16_t));
    discard(runs, live->cpu, sizeof(uint64_t));
    discard(runs, s->async_thread, sizeof(uint32_t));
    discard(runs, live->places.stack, sizeof(uint32_t));
    discard(runs, live->places.end_stack, sizeof(uint32_t));
    discard(runs, live->trace.objects.life_of_slice, sizeof(uint32_t));
    for (size_t i = 0; i < VECTOR_COUNT(*runs, SpaceRun); i++) {
        enum { WORTH_IT = 8192 }; /* slices: six pages of nodes */
        const SpaceRun *run = &VECTOR(*runs, const SpaceRun)[i];
        if (run->count >= WORTH_IT)
            lod_discard(&live->trace, run->first / NODE_SHARE, run->count / NODE_SHARE);
    }
}

static void trim_instants(LiveTrace *live, const Bytes *runs)
{
    const InstantColumns *t = &live->trace.instants;
    discard(runs, t->tick, sizeof *t->tick);
    discard(runs, t->label, sizeof *t->label);
    discard(runs, t->thread, sizeof *t->thread);
    discard(runs, t->scope, sizeof *t->scope);
    discard(runs, t->source, sizeof *t->source);
    discard(runs, live->places.instant_stack, sizeof(uint32_t));
    discard(runs, live->trace.objects.life_of_snapshot, sizeof(uint32_t));
}

static void trim_samples(LiveTrace *live, const Bytes *runs)
{
    discard(runs, live->trace.samples.tick, sizeof(int64_t));
    discard(runs, live->trace.samples.value, sizeof(double));
}

static void trim_profiles(LiveTrace *live, const Bytes *runs)
{
    discard(runs, live->trace.profile.tick, sizeof(int64_t));
    discard(runs, live->trace.profile.stack, sizeof(uint32_t));
    discard(runs, live->weights, sizeof(double));
    discard(runs, live->given_stacks, sizeof(uint32_t));
}

/* A row that grows leaves rooms of every size behind, together larger than the row, and a row that goes leaves its room.
 * Both are used again only for rows of the same size. */
void live_columns_trim(LiveTrace *live)
{
    const struct {
        LiveSpace *space;
        void (*trim)(LiveTrace *live, const Bytes *runs);
    } KINDS[] = { { &live->slices, trim_slices },
                  { &live->instants, trim_instants },
                  { &live->samples, trim_samples },
                  { &live->profiles, trim_profiles } };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        Bytes runs = { .data = NULL };
        if (!space_is_trim_due(KINDS[i].space)) continue;
        space_free_runs(KINDS[i].space, &runs);
        if (!runs.failed) KINDS[i].trim(live, &runs);
        bytes_release(&runs);
    }
}

/* For one more, and those that will follow it. */
static uint32_t grown_room(uint32_t count)
{
    return space_room_for(count > UINT32_MAX / 2 ? count + 1 : count + count / 2 + 1);
}

/* Moves items [from, to) of a column. Two rooms never overlap, a room and itself may. */
#define MOVE(column, from, to, count)                                                                        \
    memmove((column) + (to), (column) + (from), (size_t)(count) * sizeof *(column))

/* The row's slices from `from` on into a room for `room` of them. */
static bool slices_move(LiveTrace *live, LiveRow *r, uint32_t from, uint32_t room)
{
    Row          *row = &r->row;
    SliceColumns *s = &live->trace.slices;
    uint64_t      to, at = row->first_slice + from;
    uint32_t      count = row->slice_count - from;
    if (room == 0 || !space_take(&live->slices, room, &to)) {
        live->failed = true;
        return false;
    }
    live->trace.slices.count = live->slices.used;
    if (count > 0) {
        MOVE(s->begin_tick, at, to, count);
        MOVE(s->duration, at, to, count);
        MOVE(s->label, at, to, count);
        MOVE(s->flags, at, to, count);
        MOVE(live->places.source, at, to, count);
        if (live->has_end_sources) MOVE(live->places.end_source, at, to, count);
        if (live->has_levels) MOVE(live->levels, at, to, count);
        if (live->has_threads) MOVE(s->async_thread, at, to, count);
        if (live->has_stacks) MOVE(live->places.stack, at, to, count);
        if (live->has_stacks) MOVE(live->places.end_stack, at, to, count);
        if (live->has_cpu) MOVE(live->cpu, at, to, count);
    }
    space_give(&live->slices, row->room, row->first_slice);
    row->first_slice = to;
    row->room = room;
    row->slice_count = count;
    row->first_node = (uint32_t)(to / NODE_SHARE);
    r->changed_slice = 0;
    live->reshape = true; /* ids have changed */
    return true;
}

static void give_long(LiveTrace *live, uint64_t slice)
{
    SliceColumns *s = &live->trace.slices;
    if (!(s->flags[slice] & SLICE_LONG)) return;
    bytes_append(&live->long_free, &s->duration[slice], sizeof(uint32_t));
    live->long_free.failed = false; /* then the place is lost: no more */
    s->flags[slice] &= (uint8_t)~SLICE_LONG;
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
        uint32_t place = live->long_used;
        if (live->long_free.size > 0) {
            live->long_free.size -= sizeof place;
            memcpy(&place, live->long_free.data + live->long_free.size, sizeof place);
        } else if (live->long_used >> LONG_BITS != 0) {
            live->failed = true;
            return;
        } else {
            live->long_used++;
        }
        s->flags[slice] |= SLICE_LONG;
        s->duration[slice] = place;
    }
    live->places.long_durations[s->duration[slice]] = duration;
}

/* Columns that are written once any slice has something for them. */
static void set_details(LiveTrace *live, uint64_t at, const LiveSlice *slice)
{
    if (slice->stack != 0 || slice->end_stack != 0) live->has_stacks = true;
    if (live->has_stacks) live->places.stack[at] = slice->stack;
    if (live->has_stacks) live->places.end_stack[at] = slice->end_stack;
    if (slice->cpu != 0) {
        live->has_cpu = true;
        live->trace.slices.cpu = live->cpu;
    }
    if (live->has_cpu) live->cpu[at] = slice->cpu;
}

static void slice_changed(LiveRow *row, uint32_t i)
{
    if (i < row->changed_slice) row->changed_slice = i;
}

bool live_slice_append(LiveTrace *live, LiveRow *row, const LiveSlice *slice)
{
    if (row->row.slice_count == row->row.room &&
        !slices_move(live, row, 0, grown_room(row->row.slice_count)))
        return false;
    SliceColumns *s = &live->trace.slices;
    uint64_t      at = row->row.first_slice + row->row.slice_count;
    s->begin_tick[at] = slice->begin;
    s->label[at] = slice->label;
    s->flags[at] = (uint8_t)slice->flags;
    set_duration(live, at, (uint64_t)slice->end - (uint64_t)slice->begin);
    live->places.source[at] = slice->offset;
    if (slice->flags & SLICE_END_SOURCE) live->has_end_sources = true;
    if (live->has_end_sources) live->places.end_source[at] = slice->end_offset;
    if (slice->level != 0) live->has_levels = true;
    if (live->has_levels) live->levels[at] = slice->level;
    if (slice->thread != 0) live->has_threads = true;
    if (live->has_threads) s->async_thread[at] = slice->thread;
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
                        .level = live->levels[at],
                        .thread = s->async_thread[at],
                        .stack = live->places.stack[at],
                        .end_stack = live->places.end_stack[at],
                        .cpu = live->cpu[at] };
}

void live_slice_set_end(LiveTrace *live, LiveRow *row, uint32_t i, int64_t end, uint32_t flags,
                        uint64_t end_offset)
{
    uint64_t at = row->row.first_slice + i;
    uint8_t  is_long = live->trace.slices.flags[at] & SLICE_LONG;
    live->trace.slices.flags[at] = (uint8_t)(flags | is_long);
    set_duration(live, at, (uint64_t)end - (uint64_t)live->trace.slices.begin_tick[at]);
    if (flags & SLICE_END_SOURCE) {
        live->has_end_sources = true;
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
    if (live->has_threads) live->trace.slices.async_thread[row->row.first_slice + i] = slice->thread;
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
    Row            *row = &r->row;
    InstantColumns *t = &live->trace.instants;
    uint64_t        to, at = row->first_instant + from;
    uint32_t        count = row->instant_count - from;
    if (room == 0 || !space_take(&live->instants, room, &to)) {
        live->failed = true;
        return false;
    }
    live->trace.instants.count = live->instants.used;
    if (count > 0) {
        MOVE(t->tick, at, to, count);
        MOVE(t->label, at, to, count);
        MOVE(t->thread, at, to, count);
        MOVE(t->scope, at, to, count);
        MOVE(t->source, at, to, count);
        if (live->has_instant_stacks) MOVE(live->places.instant_stack, at, to, count);
    }
    space_give(&live->instants, row->instant_room, row->first_instant);
    row->first_instant = to;
    row->instant_room = room;
    row->instant_count = count;
    r->changed_instant = 0;
    live->reshape = true;
    return true;
}

bool live_instant_add(LiveTrace *live, LiveRow *r, const InstantMark *mark, uint32_t stack)
{
    Row *row = &r->row;
    if (row->instant_count == row->instant_room && !instants_move(live, r, 0, grown_room(row->instant_count)))
        return false;
    InstantColumns *t = &live->trace.instants;
    uint32_t        i =
        mark->tick == INT64_MAX ? row->instant_count : row_instant_bound(&live->trace, row, mark->tick + 1);
    uint64_t at = row->first_instant + i;
    uint32_t behind = row->instant_count - i;
    MOVE(t->tick, at, at + 1, behind);
    MOVE(t->label, at, at + 1, behind);
    MOVE(t->thread, at, at + 1, behind);
    MOVE(t->scope, at, at + 1, behind);
    MOVE(t->source, at, at + 1, behind);
    if (stack != 0) live->has_instant_stacks = true;
    if (live->has_instant_stacks) MOVE(live->places.instant_stack, at, at + 1, behind);
    if (live->has_instant_stacks) live->places.instant_stack[at] = stack;
    t->tick[at] = mark->tick;
    t->label[at] = mark->label;
    t->thread[at] = mark->thread; /* the builder's: trace_instant_thread() makes it the trace's */
    t->scope[at] = (uint8_t)(mark->place >> PLACE_SCOPE_SHIFT & 3);
    t->source[at] = mark->place & PLACE_DETAILS ? place_offset(mark->place) + 1 : 0;
    row->instant_count++;
    if (i < r->changed_instant) r->changed_instant = i;
    return true;
}

LiveInstant live_instant_at(const LiveTrace *live, const LiveRow *row, uint32_t i)
{
    const InstantColumns *t = &live->trace.instants;
    uint64_t              at = row->row.first_instant + i;
    uint64_t              place = (uint64_t)t->scope[at] << PLACE_SCOPE_SHIFT;
    if (t->source[at] != 0) place |= (t->source[at] - 1) << PLACE_BITS | PLACE_DETAILS;
    return (LiveInstant){ .mark = { t->tick[at], place, t->label[at], t->thread[at] },
                          .stack = live->places.instant_stack[at] };
}

void live_instants_cut(LiveRow *row, uint32_t count)
{
    if (count < row->row.instant_count && count < row->changed_instant) row->changed_instant = count;
    row->row.instant_count = count;
}

/* ---- samples of counters ---- */

static bool samples_move(LiveTrace *live, LiveRow *r, uint32_t from, uint32_t room)
{
    Row           *row = &r->row;
    SampleColumns *v = &live->trace.samples;
    uint64_t       to, at = row->first_sample + from;
    uint32_t       count = row->sample_count - from;
    if (room == 0 || !space_take(&live->samples, room, &to)) {
        live->failed = true;
        return false;
    }
    live->trace.samples.count = live->samples.used;
    if (count > 0) {
        MOVE(v->tick, at, to, count);
        MOVE(v->value, at, to, count);
    }
    space_give(&live->samples, row->room, row->first_sample);
    row->first_sample = to;
    row->room = room;
    row->sample_count = count;
    r->changed_sample = 0;
    live->reshape = true;
    return true;
}

bool live_sample_add(LiveTrace *live, LiveRow *r, int64_t tick, double value)
{
    Row *row = &r->row;
    if (row->sample_count == row->room && !samples_move(live, r, 0, grown_room(row->sample_count)))
        return false;
    SampleColumns *v = &live->trace.samples;
    uint32_t       i = tick == INT64_MAX ? row->sample_count : row_sample_bound(&live->trace, row, tick + 1);
    uint64_t       at = row->first_sample + i;
    MOVE(v->tick, at, at + 1, row->sample_count - i);
    MOVE(v->value, at, at + 1, row->sample_count - i);
    v->tick[at] = tick;
    v->value[at] = value;
    row->sample_count++;
    if (i < r->changed_sample) r->changed_sample = i;
    return true;
}

/* ---- letting go, the index ---- */

bool live_row_drop(LiveTrace *live, LiveRow *r, uint32_t slices, uint32_t instants, uint32_t samples)
{
    Row *row = &r->row;
    for (uint32_t i = 0; i < slices; i++)
        give_long(live, row->first_slice + i);
    if (slices > 0 && !slices_move(live, r, slices, space_room_for(row->slice_count - slices + 1)))
        return false;
    if (instants > 0 && !instants_move(live, r, instants, space_room_for(row->instant_count - instants + 1)))
        return false;
    return samples == 0 || samples_move(live, r, samples, space_room_for(row->sample_count - samples + 1));
}

void live_rows_tidy(LiveTrace *live, LiveTrack *track)
{
    LiveRow *rows = live_rows(track);
    uint32_t kept = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &rows[r].row;
        if (row->slice_count + row->instant_count + row->sample_count > 0) {
            rows[kept++] = rows[r];
            continue;
        }
        if (row->series == 0) space_give(&live->slices, row->room, row->first_slice);
        space_give(&live->instants, row->instant_room, row->first_instant);
        if (row->series != 0) space_give(&live->samples, row->room, row->first_sample);
        live->reshape = true;
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
    for (uint32_t i = 0; i < row->instant_count; i++)
        clock_convert(conversion, &trace->instants.tick[row->first_instant + i]);
    for (uint32_t i = 0; i < row->sample_count; i++)
        clock_convert(conversion, &trace->samples.tick[row->first_sample + i]);
    if (row->slice_count > 0) r->changed_slice = 0;
}

void live_row_index(LiveTrace *live, LiveRow *row)
{
    filters_note(live->followers, &row->row, row->changed_slice, row->changed_instant);
    if (row->changed_slice != UINT32_MAX) lod_update(&live->trace, &row->row, row->changed_slice);
    if (row->changed_sample != UINT32_MAX) sample_index_update(&live->trace, &row->row, row->changed_sample);
    row->changed_slice = row->changed_sample = row->changed_instant = UINT32_MAX;
}
