/* The fast path: a thread whose slices are already in rows (trace/log/mark_rows.h), and instants.
 *
 * Labels, begins and durations are copied from the rows. Rare properties, and the positions of instants, come from the
 * sidecar, which is read only if they exist. The result equals that of pair.c and nest.c. */
#include "base/thread.h"
#include "base/vec.h"
#include "trace/make/finish.h"

#include <assert.h>
#include <stdlib.h>

typedef struct Direct {
    Workspace    *ws;
    TrackWork    *work;
    TrackColumns *columns;
    SliceColumns *slices; /* columns->slices */
    MarkRows     *marks;
    uint64_t     *first; /* by depth: the row's first slice */
} Direct;

static bool direct_prepare(Direct *d)
{
    const uint32_t count = d->marks->row_count;
    uint64_t       at = d->columns->place.first_slice;
    /* one for a track with only instants */
    WorkRow *rows = ARENA_ARRAY(&d->ws->scratch, WorkRow, (size_t)count + 1);
    d->first = ARENA_ARRAY(&d->ws->scratch, uint64_t, count);
    if (rows == NULL || d->first == NULL) return false;
    for (uint32_t depth = 0; depth < count; depth++) {
        rows[depth] = (WorkRow){ .depth = depth, .slice_count = mark_row_count(&d->marks->rows[depth]) };
        d->first[depth] = at;
        at += rows[depth].slice_count;
    }
    assert(at == d->columns->place.first_slice + d->columns->place.slice_count);
    d->work->rows = rows;
    d->work->row_count = count;
    return true;
}

/* ---- contents of the sidecar ---- */

/* A reader of the sidecar that finds the slice of each event. */
typedef struct SliceWalk {
    EventReader sidecar;
    /* by depth: one after the latest slice of that row; an open slice is the latest of its row */
    uint64_t *next;
    uint32_t  depth;
    uint64_t  slice; /* of the last begin or end; SLICE_LOST = an unmatched end */
} SliceWalk;

#define SLICE_LOST UINT64_MAX

/* `next` is NULL when out of memory. Returned by value, so that it can stay in registers. */
static SliceWalk walk_over(const Direct *d, EventReader sidecar)
{
    const uint32_t count = d->marks->row_count;
    SliceWalk      walk = { .sidecar = sidecar, .next = ARENA_ARRAY(&d->ws->scratch, uint64_t, count) };
    for (uint32_t depth = 0; walk.next != NULL && depth < count; depth++)
        walk.next[depth] = d->first[depth];
    return walk;
}

/* Steps to the next event. Branch-free, because begins and ends alternate unpredictably. */
static inline bool walk_next(SliceWalk *walk)
{
    if (!sidecar_next(&walk->sidecar)) return false;
    const uint32_t is_end = walk->sidecar.record.bits & PLACE_END;
    if (UNLIKELY(is_end > walk->depth)) {
        walk->slice = SLICE_LOST;
        return true;
    }
    walk->depth -= is_end;
    walk->slice = walk->next[walk->depth] - is_end;
    walk->next[walk->depth] = walk->slice + 1;
    walk->depth += is_end ^ 1;
    return true;
}

/* Steps over the following events without properties, as walk_next. Stops before any other record. */
static inline void walk_over_plain(SliceWalk *walk)
{
    enum { PROPERTIES = (1 << SIDECAR_SHIFT) - 1 - PLACE_END };
    const uint8_t *at = walk->sidecar.at, *const end = walk->sidecar.end;
    uint64_t *const next = walk->next;
    uint64_t        offset = walk->sidecar.record.offset;
    uint32_t        depth = walk->depth;
    for (; at < end; at += sizeof(uint16_t)) {
        uint16_t word;
        memcpy(&word, at, sizeof word);
        const uint32_t is_end = word & PLACE_END, is_begin = is_end ^ 1;
        if ((word & PROPERTIES) != 0 || word >> SIDECAR_SHIFT >= SIDECAR_CHANGES || is_end > depth) break;
        depth -= is_end;
        next[depth] += is_begin;
        depth += is_begin;
        offset += word >> SIDECAR_SHIFT;
    }
    walk->sidecar.record.event += (uint32_t)((size_t)(at - walk->sidecar.at) / sizeof(uint16_t));
    walk->sidecar.at = at;
    walk->sidecar.record.offset = offset;
    walk->depth = depth;
}

static bool has_details(const Direct *d)
{
    return (d->marks->all_bits & (PLACE_DETAILS | PLACE_REPAIRED)) != 0;
}

static size_t source_size(const SourcePlaces *sources)
{
    return sources->near != NULL ? sizeof *sources->near : sizeof *sources->far;
}

/* Touches the pages for the offsets of slices once, in order; `reached` is by depth. */
static ALWAYS_INLINE void reach_source(const Direct *d, size_t size, size_t *reached, const SliceWalk *walk)
{
    const size_t at = (size_t)(walk->slice - d->columns->place.first_slice) * size;
    size_t      *to = &reached[walk->depth - 1];
    if (d->marks->remap != NULL && UNLIKELY(at >= *to))
        *to = page_remap_reach(d->marks->remap, DESTINATION_SOURCES, at);
}

/* Sets rare properties: details, and repaired times. This is the last pass over the sidecar. */
static bool direct_details(Direct *d)
{
    const SourcePlaces *const sources = &d->columns->sources;
    uint8_t *const            flags = d->slices->flags;
    if (!has_details(d)) return true;
    size_t   *reached = ARENA_ARRAY(&d->ws->scratch, size_t, d->marks->row_count);
    SliceWalk walk = walk_over(d, sidecar_read_last(d->marks));
    if (walk.next == NULL || reached == NULL) return false;
    for (;;) {
        const uint32_t pairs = sidecar_skip_pairs(&walk.sidecar, SIDECAR_PAIRS);
        if (pairs > 0) {
            walk.next[walk.depth] += pairs;
            continue;
        }
        walk_over_plain(&walk);
        if (!walk_next(&walk)) break;
        const uint32_t bits = walk.sidecar.record.bits;
        const uint64_t offset = walk.sidecar.record.offset;
        if (bits <= PLACE_END || walk.slice == SLICE_LOST) continue;
        if (bits & PLACE_REPAIRED) flags[walk.slice] |= SLICE_REPAIRED;
        if (!(bits & PLACE_DETAILS)) continue;
        if (bits & PLACE_END) {
            const SparseValue source = { walk.slice, offset };
            vec_push(&d->columns->sparse.end_sources, source);
            flags[walk.slice] |= SLICE_END_SOURCE;
        } else {
            reach_source(d, source_size(sources), reached, &walk);
            source_put(sources, walk.slice - d->columns->place.first_slice, offset);
            flags[walk.slice] |= SLICE_SOURCE;
        }
    }
    return true;
}

/* Sets the stack at the begin or the end of a slice of the track. */
static inline void set_stack(const Direct *d, uint64_t slice, bool at_end, uint32_t stack)
{
    const TrackStacks *const stacks = &d->columns->stacks;
    if (stacks->begins == NULL) {
        stacks_pack_put(&d->work->stacks[at_end ? STACKS_OF_ENDS : STACKS_OF_BEGINS], slice, stack);
    } else {
        (at_end ? stacks->ends : stacks->begins)[slice] = stack;
    }
}

/* Sets the stacks of adjacent pairs of an end and a begin, from event number n on; the first end is that of `slice`. */
static void take_changes(const Direct *d, StackCursor *cursor, uint64_t n, uint32_t pairs, uint64_t slice)
{
    while (cursor->next < n + 2 * (uint64_t)pairs) {
        const uint64_t passed = cursor->next - n;
        set_stack(d, slice + (passed + 1) / 2, passed % 2 == 0, cursor->stack);
        stack_cursor_step(cursor);
    }
}

/* Sets the stacks of all slices. */
static bool walk_stacks(Direct *d)
{
    StackCursor cursor = stack_cursor_over(d->ws->builder, d->work->thread->mark_stacks);
    SliceWalk   walk = walk_over(d, sidecar_read(d->marks));
    if (walk.next == NULL) return false;
    for (uint64_t n = 0;; n++) {
        uint32_t pairs;
        while (walk.depth > 0 && (pairs = sidecar_skip_pairs(&walk.sidecar, SIDECAR_CHANGES)) > 0) {
            uint64_t *const next = &walk.next[walk.depth - 1];
            take_changes(d, &cursor, n, pairs, *next - 1 - d->columns->place.first_slice);
            *next += pairs;
            n += 2 * (uint64_t)pairs;
        }
        if (!walk_next(&walk)) break;
        const uint32_t stack = stack_cursor_take(&cursor, n);
        const bool     is_end = (walk.sidecar.record.bits & PLACE_END) != 0;
        if (walk.slice != SLICE_LOST) set_stack(d, walk.slice - d->columns->place.first_slice, is_end, stack);
    }
    return true;
}

bool direct_packs_stacks(const ThreadLog *thread)
{
    return direct_is_possible(thread) && thread->rows != NULL && thread->rows->row_count == 1;
}

static bool direct_stacks(Direct *d)
{
    const EventLog *const notes = d->work->thread->mark_stacks;
    PackedStacks *const   packed = d->work->stacks;
    if (notes == NULL) return true;
    if (d->columns->stacks.begins != NULL) return walk_stacks(d);
    const uint64_t count = d->columns->place.slice_count, most = notes->count < count ? notes->count : count;
    for (int kind = STACKS_OF_BEGINS; kind <= STACKS_OF_ENDS; kind++)
        packed[kind] = stacks_pack_open(d->ws, count, most);
    if (d->ws->failed || !walk_stacks(d)) return false;
    for (int kind = STACKS_OF_BEGINS; kind <= STACKS_OF_ENDS; kind++)
        stacks_pack_close(&packed[kind]);
    return true;
}

/* Warns of the begins that are open at the end, with their positions. */
static bool direct_warn(Direct *d)
{
    const uint32_t open_depth = d->marks->open_depth;
    EventRecord   *open = ARENA_ARRAY(&d->ws->scratch, EventRecord, d->marks->row_count);
    uint32_t       depth = 0;
    EventReader    sidecar = sidecar_read(d->marks);
    for (const LostEnd *lost = d->marks->first_lost; lost != NULL; lost = lost->next)
        workspace_add_unmatched_end(d->ws, d->work, &lost->mark);
    if (open_depth == 0 || d->ws->builder->rules.endless == ENDLESS_EXPECTED) return true;
    if (open == NULL) return false;
    while (sidecar_next(&sidecar)) {
        if (!(sidecar.record.bits & PLACE_END)) {
            open[depth++] = sidecar.record;
        } else if (depth > 0) {
            depth--;
        }
    }
    assert(depth == open_depth);
    for (uint32_t i = 0; i < depth; i++)
        workspace_warn_unfinished(d->ws, d->work, open[i].offset, open[i].event);
    return true;
}

/* ---- the slices ---- */

static void note_long(Direct *d, uint64_t slice, uint64_t duration)
{
    vec_push(&d->columns->sparse.longs, (SparseValue){ slice, duration });
    d->slices->flags[slice] |= SLICE_LONG;
    d->slices->duration[slice] = UINT32_MAX;
}

/* Reuses pages of other tracks' rows for the columns. */
static void direct_lay_pages(Direct *d)
{
    const uint64_t first = d->columns->place.first_slice;
    const size_t   count = (size_t)d->columns->place.slice_count;
    PagePool      *pool = &d->ws->spare_pages;
    if (count == 0) return;
    (void)(page_pool_lay(pool, d->slices->begin_tick + first, count * sizeof d->slices->begin_tick[0]) &&
           page_pool_lay(pool, d->slices->label + first, count * sizeof d->slices->label[0]) &&
           page_pool_lay(pool, d->slices->duration + first, count * sizeof d->slices->duration[0]));
    page_pool_release(pool); /* keeps the pages for the next track only, to limit the peak of memory */
}

/* The columns, filled by several threads if they are large: from the sidecar, and from pieces of the rows. */
typedef struct Filling {
    Direct   *d;
    RowPieces pieces; /* row by row */
    /* of the pieces: by time, because equal times are close together in memory */
    uint32_t *order;
    PageRemap remap;
    bool      done; /* the part from the sidecar */
} Filling;

static void fill_job(void *context, size_t i)
{
    Filling *filling = (Filling *)context;
    Direct  *d = filling->d;
    if (i == 0) {
        filling->done = direct_details(d);
    } else {
        const SliceColumns *slices = d->slices;
        const uint64_t      first = d->columns->place.first_slice;
        RowPiece           *piece = &filling->pieces.items[filling->order[i - 1]];
        const RowPlaces     places = { .begin_ticks = slices->begin_tick + first,
                                       .labels = slices->label + first,
                                       .high_labels = slices->has_high_labels ? slices->high_label + first : NULL,
                                       .durations = slices->duration + first,
                                       .first = (size_t)(d->first[piece->depth] - first) };
        mark_rows_take(d->marks, piece, &places);
    }
}

typedef struct TimedPiece {
    int64_t  tick;
    uint32_t index;
} TimedPiece;

static int compare_timed(const void *left, const void *right)
{
    const TimedPiece *a = (const TimedPiece *)left, *b = (const TimedPiece *)right;
    if (a->tick != b->tick) return a->tick < b->tick ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool order_pieces(Filling *filling)
{
    Arena          *scratch = &filling->d->ws->scratch;
    const RowPiece *pieces = filling->pieces.items;
    const size_t    count = vec_count(&filling->pieces);
    TimedPiece     *timed = ARENA_ARRAY(scratch, TimedPiece, count);
    filling->order = ARENA_ARRAY(scratch, uint32_t, count);
    if (timed == NULL || filling->order == NULL) return false;
    for (size_t i = 0; i < count; i++)
        timed[i] = (TimedPiece){ pieces[i].first->tick, (uint32_t)i };
    if (count > 0) qsort(timed, count, sizeof *timed, compare_timed);
    for (size_t i = 0; i < count; i++)
        filling->order[i] = timed[i].index;
    return true;
}

/* Moves pages from these rows to their columns. */
static bool remap_pages(Filling *filling)
{
    Direct             *d = filling->d;
    SliceColumns       *slices = d->slices;
    PageRemap          *remap = &filling->remap;
    const uint64_t      first = d->columns->place.first_slice;
    const size_t        count = (size_t)d->columns->place.slice_count;
    const SourcePlaces *sources = &d->columns->sources;
    page_remap_open(remap, &d->ws->scratch, &d->ws->spare_pages);
    page_remap_destination(remap, DESTINATION_BEGINS, slices->begin_tick + first,
                           count * sizeof slices->begin_tick[0]);
    page_remap_destination(remap, DESTINATION_LABELS, slices->label + first, count * sizeof slices->label[0]);
    page_remap_destination(remap, DESTINATION_DURATIONS, slices->duration + first,
                           count * sizeof slices->duration[0]);
    if (sources->near != NULL && sources->are_columns)
        page_remap_destination(remap, DESTINATION_SOURCES, sources->near, count * sizeof sources->near[0]);
    if (sources->far != NULL && sources->are_columns)
        page_remap_destination(remap, DESTINATION_SOURCES, sources->far, count * sizeof sources->far[0]);
    mark_rows_remap(d->marks, remap, has_details(d) ? ROWS_AND_SIDECAR : ROWS_ALONE);
    return !remap->failed;
}

/* Sets long durations, which also have flags, after the sidecar, which sets flags itself. */
static bool note_longs(Direct *d, RowPiece *piece)
{
    const LongSlice *items = piece->longs.items;
    const bool       failed = piece->longs.bytes.failed;
    for (size_t i = 0; i < vec_count(&piece->longs); i++)
        note_long(d, d->first[piece->depth] + items[i].index, items[i].duration);
    vec_release(&piece->longs);
    return !failed;
}

static bool direct_fill(Direct *d, unsigned threads)
{
    static_assert(ROW_LONG == UINT32_MAX, "as the column has it");
    Filling      filling = { .d = d };
    const bool   is_large = mark_rows_are_large(d->marks);
    bool         done = mark_rows_divide(d->marks, &filling.pieces) && order_pieces(&filling);
    const size_t count = vec_count(&filling.pieces);
    if (!is_large) direct_lay_pages(d);
    if (is_large && !remap_pages(&filling)) done = false;
    if (done) {
        thread_run(is_large ? threads : 1, 1 + count, fill_job, &filling);
        for (size_t i = 0; i < count; i++)
            done &= note_longs(d, &filling.pieces.items[i]);
        done &= filling.done;
    }
    if (is_large) page_remap_close(&filling.remap);
    vec_release(&filling.pieces);
    return done;
}

static void direct_unfinished(Direct *d)
{
    for (uint32_t depth = 0; depth < d->marks->open_depth; depth++) {
        const uint64_t slice = d->first[depth] + d->work->rows[depth].slice_count - 1;
        const uint64_t duration = (uint64_t)d->work->unfinished_end - (uint64_t)d->slices->begin_tick[slice];
        d->slices->flags[slice] |= SLICE_UNFINISHED;
        d->slices->duration[slice] = (uint32_t)duration;
        if (duration >= UINT32_MAX) note_long(d, slice, duration);
        d->work->unfinished_count++;
    }
}

/* ---- instants among them ---- */

/* Returns the first index from `at` on after `tick`; it is usually near. */
static uint64_t first_behind(const int64_t *ticks, uint64_t at, uint64_t count, int64_t tick)
{
    for (uint64_t step = 1; at < count && ticks[at] <= tick; step *= 2) {
        if (count - at > step && ticks[at + step] <= tick) {
            at += step;
        } else {
            at++;
            step = 1;
        }
    }
    return at;
}

/* True if a slice of the row at this depth ends after `tick`, or is unfinished. `longs`: the long durations of this track, by slice. */
static bool goes_on(const Direct *d, const SparseValue *longs, size_t long_count, uint32_t depth,
                    uint64_t slice, int64_t tick)
{
    const uint64_t row_end = d->first[depth] + d->work->rows[depth].slice_count;
    const uint64_t passed = (uint64_t)tick - (uint64_t)d->slices->begin_tick[slice];
    if (depth < d->marks->open_depth && slice + 1 == row_end) return true;
    if (LIKELY(d->slices->duration[slice] != UINT32_MAX)) return d->slices->duration[slice] > passed;
    const SparseValue *found = trace_find_sparse(longs, long_count, slice);
    return found != NULL && found->value > passed; /* it exists unless memory ran out */
}

/* Places instants as nest.c does: inside the slices that begin at their time or earlier and end later, or are unfinished. Call
 * before the open slices get their durations. */
static bool direct_instants(Direct *d)
{
    TrackWork         *work = d->work;
    const uint32_t     row_count = d->marks->row_count;
    const size_t       long_count = vec_count(&d->columns->sparse.longs);
    const SparseValue *longs = d->columns->sparse.longs.items;
    if (work->thread->instants.count == 0) return true;
    order_instants(d->ws, work);
    uint64_t *behind = ARENA_ARRAY(&d->ws->scratch, uint64_t, row_count); /* by depth: the next slice */
    if (behind == NULL) return false;
    for (size_t i = 0; i < work->instant_count && !d->ws->failed; i++) {
        InstantPlace *instant = &work->instants[i];
        const int64_t tick = instant->mark.tick;
        uint32_t      depth = 0;
        for (; depth < row_count; depth++) {
            behind[depth] = first_behind(d->slices->begin_tick + d->first[depth], behind[depth],
                                         work->rows[depth].slice_count, tick);
            if (behind[depth] == 0 ||
                !goes_on(d, longs, long_count, depth, d->first[depth] + behind[depth] - 1, tick))
                break;
        }
        instant->row = depth;
        work->rows[depth].instant_count++;
        if (depth == work->row_count) {
            work->rows[depth].depth = depth;
            work->row_count++;
        }
    }
    return true;
}

bool direct_is_possible(const ThreadLog *thread)
{
    return !thread->logs_marks;
}

void direct_track(Workspace *ws, TrackWork *work, TrackColumns *columns, unsigned threads)
{
    MarkRows none = { .rows = NULL };
    Direct   d = { .ws = ws,
                   .work = work,
                   .columns = columns,
                   .slices = columns->slices,
                   .marks = work->thread->rows == NULL ? &none : work->thread->rows };
    if (direct_prepare(&d) && direct_warn(&d) && direct_stacks(&d) && direct_fill(&d, threads) &&
        direct_instants(&d)) {
        direct_unfinished(&d);
    } else {
        ws->failed = true;
    }
    if (d.marks->remap != NULL) {
        mark_rows_remapped(d.marks);
    } else {
        mark_rows_release(d.marks, &ws->spare_pages);
    }
}
