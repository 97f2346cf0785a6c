/* Rows of a growing trace: their places in the columns, and their index. */
#include "trace/live/live_state.h"
#include "trace/store/filter.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

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

/* Sets the references of the rows from `first` on to their extras, which have moved with them. */
static void refer_to_extras(LiveTrack *track, size_t first)
{
    for (size_t r = first; r < live_row_count(track); r++)
        live_rows(track)[r].row.extras = &live_rows(track)[r].extras;
}

LiveRow *live_row_get(LiveTrace *live, LiveTrack *track, uint32_t lane, uint32_t depth)
{
    LiveRow *rows = live_rows(track);
    uint32_t count = live_row_count(track), at;
    if (lane == 0 && depth < count && rows[depth].row.lane == 0) return &rows[depth]; /* lane 0 is first */
    at = row_place(rows, count, lane, depth);
    if (at < count && rows[at].row.lane == lane && rows[at].row.depth == depth) return &rows[at];
    LiveRow row = { .row = { .lane = lane, .depth = depth },
                    .changed_slice = UINT32_MAX,
                    .changed_sample = UINT32_MAX,
                    .changed_instant = UINT32_MAX };
    if (!live_append(live, &track->rows, &row, sizeof row)) return NULL;
    const bool have_moved = live_rows(track) != rows;
    rows = live_rows(track);
    memmove(rows + at + 1, rows + at, (count - at) * sizeof *rows);
    rows[at] = row;
    refer_to_extras(track, have_moved ? 0 : at);
    live->shape.is_stale = true;
    return &rows[at];
}

/* Returns the rows of `work`, created on first use, in scratch memory. NULL (and live->failed) when out of memory. */
static LiveRow **rows_for(LiveTrace *live, LiveTrack *track, const TrackWork *work)
{
    LiveRow **rows = ARENA_ARRAY(&live->scratch, LiveRow *, work->row_count);
    if (rows == NULL) live->failed = true;
    for (int pass = 0; rows != NULL && pass < 2; pass++) { /* a new row moves the others */
        for (uint32_t i = 0; i < work->row_count; i++) {
            const WorkRow row = work_row(work, i);
            rows[i] = live_row_get(live, track, row.lane, row.depth);
            if (rows[i] == NULL) return NULL;
        }
    }
    return rows;
}

/* Returns the size of the next room for a row that is full. */
static uint32_t grown_room(uint32_t count)
{
    return space_room_for(count > UINT32_MAX / 2 ? count + 1 : count + count / 2 + 1);
}

/* Returns a part of a row: SPACE_SLICES, _INSTANTS or _SAMPLES. */
static LivePart row_part(LiveRow *row, SpaceKind kind)
{
    RowExtras *extras = row->row.extras;
    switch (kind) {
    case SPACE_SLICES:
        return (LivePart){ kind,          NODE_SHARE,          &row->row.first_slice, &row->row.slice_count,
                           &extras->room, &row->changed_slice, &extras->first_node };
    case SPACE_INSTANTS:
        return (LivePart){ kind,
                           0,
                           &extras->first_instant,
                           &extras->instant_count,
                           &extras->instant_room,
                           &row->changed_instant,
                           NULL };
    case SPACE_SAMPLES:
    case SPACE_PROFILES:
    case SPACE_COUNT:
        break;
    }
    return (LivePart){ SPACE_SAMPLES, SAMPLES_A_NODE,       &extras->first_sample, &extras->sample_count,
                       &extras->room, &row->changed_sample, &extras->first_node };
}

/* Moves the items from `from` on to a new room. */
static bool part_move(LiveTrace *live, const LivePart *part, uint32_t from, uint32_t room)
{
    Trace         *trace = &live->trace;
    uint64_t      *counts[] = { &trace->slices.count, &trace->instants.count, &trace->samples.count,
                                &trace->profile.count };
    LiveSpace     *space = &live->columns.spaces[part->kind];
    const uint32_t count = *part->count - from;
    uint64_t       to;
    if (room == 0 || !space_take(space, room, &to)) {
        live->failed = true;
        return false;
    }
    *counts[part->kind] = space->used;
    live_items_move(live, part->kind, *part->first + from, to, count);
    space_give(space, *part->room, *part->first);
    *part->first = to;
    *part->room = room;
    *part->count = count;
    if (part->first_node != NULL) *part->first_node = (uint32_t)(to / part->node_share);
    if (part->changed != NULL) *part->changed = 0;
    live->shape.is_stale = true; /* ids have changed */
    return true;
}

bool live_part_insert(LiveTrace *live, const LivePart *part, uint32_t at)
{
    const uint32_t count = *part->count;
    if (count == *part->room && !part_move(live, part, 0, grown_room(count))) return false;
    live_items_move(live, part->kind, *part->first + at, *part->first + at + 1, count - at);
    if (part->changed != NULL && at < *part->changed) *part->changed = at;
    ++*part->count;
    return true;
}

bool live_part_drop(LiveTrace *live, const LivePart *part, uint32_t count)
{
    return count == 0 || part_move(live, part, count, space_room_for(*part->count - count + 1));
}

static void slice_changed(LiveRow *row, uint32_t i)
{
    if (i < row->changed_slice) row->changed_slice = i;
}

void live_slice_rewrite(LiveTrace *live, LiveRow *row, uint32_t i, const LiveSlice *slice)
{
    SliceColumns  *s = &live->trace.slices;
    LiveColumns   *columns = &live->columns;
    const uint64_t at = row->row.first_slice + i;
    const uint8_t  is_long = s->flags[at] & SLICE_LONG;
    if (slice->label > UINT16_MAX) s->has_high_labels = true;
    slice_set_label(s, at, slice->label);
    if (slice->thread != 0) columns->has_threads = true;
    if (slice->stack != 0 || slice->end_stack != 0) columns->has_stacks = true;
    if (slice->cpu != 0) s->has_cpu = true;
    if (columns->has_threads) s->async_thread[at] = slice->thread;
    if (columns->has_stacks) live->places.stacks[STACKS_OF_BEGINS][at] = slice->stack;
    if (columns->has_stacks) live->places.stacks[STACKS_OF_ENDS][at] = slice->end_stack;
    if (s->has_cpu) s->cpu[at] = slice->cpu;
    s->flags[at] = (uint8_t)(slice->flags | is_long);
    live_duration_set(live, at, (uint64_t)slice->end - (uint64_t)s->begin_tick[at]);
    if (slice->flags & SLICE_END_SOURCE) {
        columns->has_end_sources = true;
        live->places.end_source[at] = slice->end_offset;
    }
    slice_changed(row, i);
}

static bool append_slice(LiveTrace *live, LiveRow *row, const LiveSlice *slice)
{
    if (row->row.slice_count == row->row.extras->room) {
        const LivePart part = row_part(row, SPACE_SLICES);
        if (!part_move(live, &part, 0, grown_room(row->row.slice_count))) return false;
    }
    const uint64_t at = row->row.first_slice + row->row.slice_count;
    live->trace.slices.begin_tick[at] = slice->begin;
    live->trace.slices.flags[at] = 0;
    live->places.source[at] = slice->offset;
    if (slice->level != 0) live->columns.has_levels = true;
    if (live->columns.has_levels) live->columns.levels[at] = slice->level;
    if (live->columns.has_ids) live->columns.slice_ids[at] = slice->id;
    live_slice_rewrite(live, row, row->row.slice_count, slice);
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
                        .label = trace_slice_label(&live->trace, at),
                        .flags = s->flags[at] & (uint32_t)~SLICE_LONG,
                        .level = live->columns.levels[at],
                        .thread = s->async_thread[at],
                        .stack = live->places.stacks[STACKS_OF_BEGINS][at],
                        .end_stack = live->places.stacks[STACKS_OF_ENDS][at],
                        .cpu = s->cpu[at],
                        .id = live->columns.slice_ids[at] };
}

/* True if two slices have equal properties, without the ones that only serve to lay out a track. */
static bool are_equal(const LiveSlice *a, const LiveSlice *b)
{
    return a->begin == b->begin && a->offset == b->offset && a->end == b->end &&
           a->end_offset == b->end_offset && a->label == b->label && a->flags == b->flags &&
           a->thread == b->thread && a->stack == b->stack && a->end_stack == b->end_stack && a->cpu == b->cpu;
}

void live_slice_update(LiveTrace *live, LiveTrack *track, LiveRow *row, uint32_t i, const LiveSlice *slice)
{
    const LiveSlice was = live_slice_at(live, row, i);
    if (are_equal(&was, slice)) return;
    const bool    only_longer = (was.flags & slice->flags & SLICE_UNFINISHED) != 0;
    const int64_t earlier = was.end < slice->end ? was.end : slice->end;
    live_note_change(live, track, only_longer ? earlier : was.begin);
    live_slice_rewrite(live, row, i, slice);
}

void live_slices_cut(LiveTrace *live, LiveRow *row, uint32_t count)
{
    for (uint32_t i = count; i < row->row.slice_count; i++)
        live_duration_give(live, row->row.first_slice + i);
    if (count == row->row.slice_count) return;
    row->row.slice_count = count;
    slice_changed(row, count);
}

void live_rows_stretch(LiveTrace *live, LiveTrack *track, int64_t tick, int64_t end)
{
    bool grows = false;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        LiveRow       *row = &live_rows(track)[r];
        const uint32_t count = row_lower_bound(&live->trace, &row->row, tick);
        LiveSlice      last = count == 0 ? (LiveSlice){ .flags = 0 } : live_slice_at(live, row, count - 1);
        grows = (row->row.depth == 0 || grows) && (last.flags & SLICE_UNFINISHED);
        last.end = end;
        if (grows) live_slice_update(live, track, row, count - 1, &last);
    }
}

/* ---- instants ---- */

bool live_instant_add(LiveTrace *live, LiveRow *r, const LiveInstant *instant)
{
    const Row         *row = &r->row;
    const InstantMark *mark = &instant->mark;
    const LivePart     part = row_part(r, SPACE_INSTANTS);
    InstantColumns    *t = &live->trace.instants;
    const uint32_t     i = mark->tick == INT64_MAX ? row->extras->instant_count
                                                   : row_instant_bound(&live->trace, row, mark->tick + 1);
    if (instant->stack != 0) live->columns.has_instant_stacks = true;
    if (!live_part_insert(live, &part, i)) return false;
    const uint64_t at = row->extras->first_instant + i;
    if (live->columns.has_instant_stacks) live->places.stacks[STACKS_OF_INSTANTS][at] = instant->stack;
    if (live->columns.has_ids) live->columns.instant_ids[at] = instant->id;
    t->tick[at] = mark->tick;
    t->label[at] = mark->label;
    t->thread[at] = mark->thread; /* the builder's thread: trace_instant_thread() maps it */
    t->scope[at] = (uint8_t)(mark->place >> PLACE_SCOPE_SHIFT & 3);
    t->source[at] = mark->place & PLACE_DETAILS ? place_offset(mark->place) + 1 : 0;
    return true;
}

LiveInstant live_instant_at(const LiveTrace *live, const LiveRow *row, uint32_t i)
{
    const InstantColumns *t = &live->trace.instants;
    uint64_t              at = row->row.extras->first_instant + i;
    uint64_t              place = (uint64_t)t->scope[at] << PLACE_SCOPE_SHIFT;
    if (t->source[at] != 0) place |= (t->source[at] - 1) << PLACE_BITS | PLACE_DETAILS;
    return (LiveInstant){ .mark = { t->tick[at], place, t->label[at], t->thread[at] },
                          .stack = live->places.stacks[STACKS_OF_INSTANTS][at],
                          .id = live->columns.instant_ids[at] };
}

void live_instants_cut(LiveRow *row, uint32_t count)
{
    if (count < row->row.extras->instant_count && count < row->changed_instant) row->changed_instant = count;
    row->row.extras->instant_count = count;
}

/* ---- both ---- */

LiveSlice live_put_slice(LiveTrace *live, const PutItems *items, const Interval *interval, uint32_t id)
{
    if (items->slices != NULL) return items->slices[interval->extra - 1];
    CpuCursor cpu = { .count = 0 };
    if (items->ids != NULL) cpu = live_async_cpu(live, id);
    LiveSlice slice = live_slice_of(live, interval,
                                    interval->extra == 0 ? NULL : &items->extras[interval->extra - 1], &cpu);
    slice.thread = interval->event;
    slice.level = 0;
    slice.id = id;
    return slice;
}

static LiveSlice slice_to_put(LiveTrace *live, const TrackWork *work, const PutItems *items, size_t i)
{
    return live_put_slice(live, items, work_interval(work, i), items->ids == NULL ? 0 : items->ids[i]);
}

static LiveInstant instant_to_put(const TrackWork *work, const PutItems *items, size_t i)
{
    return (LiveInstant){ .mark = work->instants[i].mark,
                          .stack = work->instants[i].stack,
                          .id = items->instant_ids == NULL ? 0 : items->instant_ids[i] };
}

bool live_rows_put(LiveTrace *live, LiveTrack *track, const TrackWork *work, const PutItems *items)
{
    LiveRow **rows = rows_for(live, track, work);
    if (rows == NULL) return false;
    for (size_t i = 0; i < work->interval_count; i++) {
        const Interval *interval = work_interval(work, i);
        if (interval->begin < items->from) continue;
        const LiveSlice slice = slice_to_put(live, work, items, i);
        if (!append_slice(live, rows[interval->row], &slice)) return false;
        track->slice_count++;
    }
    for (size_t i = 0; i < work->instant_count; i++) {
        if (work->instants[i].mark.tick < items->from) continue;
        const LiveInstant instant = instant_to_put(work, items, i);
        if (!live_instant_add(live, rows[work->instants[i].row], &instant)) return false;
        track->instant_count++;
    }
    return true;
}

/* ---- replacement ---- */

/* The numbers of slices and instants of a row that have not changed so far. */
typedef struct Unchanged {
    uint32_t slices, instants;
} Unchanged;

static void note_earlier(int64_t *from, int64_t a, int64_t b)
{
    const int64_t tick = a < b ? a : b;
    if (tick < *from) *from = tick;
}

/* True if an instant of a row is equal to one that is put. The row has the offset only of one with details. */
static bool is_as_before(const LiveInstant *was, const LiveInstant *made)
{
    const uint64_t place = was->mark.place ^ made->mark.place;
    const bool     has_details = (made->mark.place & PLACE_DETAILS) != 0;
    return was->mark.tick == made->mark.tick && (has_details ? place : place << (64 - PLACE_BITS)) == 0 &&
           was->mark.label == made->mark.label && was->mark.thread == made->mark.thread &&
           was->stack == made->stack && was->id == made->id;
}

/* Compares the items with those of the rows. Updates slices that begin alike. Returns the tick from which on they differ otherwise;
 * INT64_MAX if they do not. */
static int64_t find_change(LiveTrace *live, LiveTrack *track, const TrackWork *work, const PutItems *items,
                           LiveRow *const *rows, Unchanged *unchanged)
{
    LiveRow *const first = live_rows(track);
    int64_t        from = INT64_MAX;
    for (size_t i = 0; i < work->interval_count; i++) {
        LiveRow        *row = rows[work_interval(work, i)->row];
        const uint32_t  n = unchanged[row - first].slices++;
        const LiveSlice made = slice_to_put(live, work, items, i);
        const LiveSlice was =
            n < row->row.slice_count ? live_slice_at(live, row, n) : (LiveSlice){ .begin = INT64_MAX };
        if (was.begin != made.begin || was.offset != made.offset || was.id != made.id) {
            note_earlier(&from, was.begin, made.begin);
        } else if (made.begin < from) {
            live_slice_update(live, track, row, n, &made);
        }
    }
    for (size_t i = 0; i < work->instant_count; i++) {
        const LiveRow    *row = rows[work->instants[i].row];
        const uint32_t    n = unchanged[row - first].instants++;
        const LiveInstant made = instant_to_put(work, items, i);
        const LiveInstant was = n < row->row.extras->instant_count
                                    ? live_instant_at(live, row, n)
                                    : (LiveInstant){ .mark = { .tick = INT64_MAX } };
        if (!is_as_before(&was, &made)) note_earlier(&from, was.mark.tick, made.mark.tick);
    }
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &first[r].row;
        if (unchanged[r].slices < row->slice_count)
            note_earlier(&from, live_slice_at(live, &first[r], unchanged[r].slices).begin, INT64_MAX);
        if (unchanged[r].instants < row->extras->instant_count)
            note_earlier(&from, live_instant_at(live, &first[r], unchanged[r].instants).mark.tick, INT64_MAX);
    }
    return from;
}

bool live_group_put(LiveTrace *live, LiveTrack *track, const SliceGroup *group, const PutItems *items)
{
    const TrackWork work = { .intervals = group->intervals,
                             .interval_count = group->interval_count,
                             .instants = group->instants,
                             .instant_count = group->instant_count,
                             .rows = group->rows,
                             .row_count = group->row_count };
    LiveRow **const rows = rows_for(live, track, &work);
    Unchanged      *unchanged = ARENA_ARRAY(&live->scratch, Unchanged, live_row_count(track));
    PutItems        changed = *items;
    if (rows == NULL || unchanged == NULL) return false;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const Row *row = &live_rows(track)[r].row;
        unchanged[r] = (Unchanged){ row_lower_bound(&live->trace, row, items->from),
                                    row_instant_bound(&live->trace, row, items->from) };
    }
    changed.from = find_change(live, track, &work, items, rows, unchanged);
    if (changed.from == INT64_MAX) return true;
    live_note_change(live, track, changed.from);
    live_track_cut(live, track, changed.from);
    return live_rows_put(live, track, &work, &changed);
}

/* ---- samples of counters ---- */

bool live_sample_add(LiveTrace *live, LiveRow *r, int64_t tick, double value)
{
    const Row     *row = &r->row;
    const LivePart part = row_part(r, SPACE_SAMPLES);
    const uint32_t i =
        tick == INT64_MAX ? row->extras->sample_count : row_sample_bound(&live->trace, row, tick + 1);
    if (!live_part_insert(live, &part, i)) return false;
    live->trace.samples.tick[row->extras->first_sample + i] = tick;
    live->trace.samples.value[row->extras->first_sample + i] = value;
    return true;
}

/* ---- removal, the index ---- */

bool live_row_drop(LiveTrace *live, LiveRow *row, uint32_t slices, uint32_t instants, uint32_t samples)
{
    const uint32_t counts[] = {
        [SPACE_SLICES] = slices, [SPACE_INSTANTS] = instants, [SPACE_SAMPLES] = samples
    };
    for (uint32_t i = 0; i < slices; i++)
        live_duration_give(live, row->row.first_slice + i);
    for (int kind = 0; kind <= SPACE_SAMPLES; kind++) {
        const LivePart part = row_part(row, (SpaceKind)kind);
        if (!live_part_drop(live, &part, counts[kind])) return false;
    }
    return true;
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
        if (row->extras->series == 0)
            space_give(&live->columns.spaces[SPACE_SLICES], row->extras->room, row->first_slice);
        space_give(&live->columns.spaces[SPACE_INSTANTS], row->extras->instant_room,
                   row->extras->first_instant);
        if (row->extras->series != 0)
            space_give(&live->columns.spaces[SPACE_SAMPLES], row->extras->room, row->extras->first_sample);
        live->shape.is_stale = true;
    }
    track->rows.size = kept * sizeof *rows;
    refer_to_extras(track, 0);
}

void live_row_convert(LiveTrace *live, LiveRow *r, ClockConversion *conversion)
{
    const Row *row = &r->row;
    Trace     *trace = &live->trace;
    for (uint64_t at = row->first_slice; at < row->first_slice + row->slice_count; at++) {
        int64_t end = trace_slice_end(trace, at);
        clock_convert(conversion, &trace->slices.begin_tick[at]);
        clock_convert(conversion, &end);
        live_duration_set(live, at, (uint64_t)end - (uint64_t)trace->slices.begin_tick[at]);
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
