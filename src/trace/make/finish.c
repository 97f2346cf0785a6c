/* Makes the trace from the builder's logs: layout, the work of every thread, columns. */
#include "trace/make/finish.h"
#include "trace/store/columns.h"

#include "base/self_trace.h"
#include "base/thread.h"
#include "trace/make/contexts.h"
#include "trace/make/counters.h"
#include "trace/make/cpu_time.h"
#include "trace/make/flow_log.h"
#include "trace/make/objects.h"
#include "trace/make/profile.h"
#include "trace/store/begins.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- one thread's part of the columns ---- */

/* Returns the start of item `i` of a block. */
static inline TrackStart block_start(const StartsBlock *block, uint32_t i)
{
    if (block->far != NULL) return block->far[i];
    return (TrackStart){ .slice = block->base.slice + block->near[i].slice,
                         .instant = block->base.instant + block->near[i].instant,
                         .source = block->base.source + block->near[i].source };
}

/* Returns the place of a track; valid after layout_trace. */
static TrackPlace track_place(const Finish *finish, uint32_t track)
{
    const StartsBlock *block = &finish->starts[track / STARTS_BLOCK];
    const uint32_t     i = track % STARTS_BLOCK;
    const TrackStart   start = block_start(block, i);
    const TrackStart   next = i + 1 < STARTS_BLOCK ? block_start(block, i + 1) : block[1].base;
    return (TrackPlace){ .first_slice = start.slice,
                         .slice_count = next.slice - start.slice,
                         .first_instant = start.instant,
                         .instant_count = next.instant - start.instant,
                         .first_source = start.source,
                         .source_count = next.source - start.source };
}

typedef enum { ROW_SLICES, ROW_INSTANTS } RowContent;

/* Returns the index in the trace of the next slice or instant of each row; NULL and ws->failed when out of memory. */
static uint64_t *row_cursors(Workspace *ws, const TrackWork *work, const TrackPlace *place,
                             RowContent content)
{
    uint64_t *next = ARENA_ARRAY(&ws->scratch, uint64_t, work->row_count);
    if (next == NULL) {
        ws->failed = true;
        return NULL;
    }
    uint64_t at = content == ROW_INSTANTS ? place->first_instant : place->first_slice;
    for (uint32_t i = 0; i < work->row_count; i++) {
        const WorkRow row = work_row(work, i);
        next[i] = at;
        at += content == ROW_INSTANTS ? row.instant_count : row.slice_count;
    }
    return next;
}

/* Sorts values by slice. False (and failed) when out of memory. */
static bool sort_sparse(Workspace *ws, SparseValue *values, size_t count)
{
    SortKey *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    for (size_t i = 0; keys != NULL && i < count; i++)
        keys[i] = (SortKey){ values[i].slice, values[i].value };
    const SortKey *sorted = keys == NULL ? NULL : workspace_sort(ws, keys, count);
    for (size_t i = 0; sorted != NULL && i < count; i++)
        values[i] = (SparseValue){ sorted[i].key, sorted[i].index };
    return sorted != NULL;
}

/* Copies the collected values, in order of slices, to the results arena. */
static SparseValue *keep_sparse(Workspace *ws, const SparseValues *from, uint64_t *count)
{
    *count = vec_count(from);
    if (from->bytes.failed) ws->failed = true;
    if (*count == 0 || ws->failed) return NULL;
    SparseValue *values = vec_copy(from, &ws->results);
    if (values == NULL) {
        ws->failed = true;
        return NULL;
    }
    return sort_sparse(ws, values, (size_t)*count) ? values : NULL;
}

/* Moves the collected values to the results and clears them. */
static void keep_all_sparse(Workspace *ws, TrackWork *work, SparseColumns *sparse)
{
    enum { MANY_BYTES = 1 << 20 };
    /* The columns have the intervals now. Their memory makes room for the copy of many values. */
    if (sparse->longs.bytes.size >= MANY_BYTES) memory_discard(ws->intervals.data, ws->intervals.size);
    work->long_durations = keep_sparse(ws, &sparse->longs, &work->long_count);
    work->end_sources = keep_sparse(ws, &sparse->end_sources, &work->end_source_count);
    work->colours = keep_sparse(ws, &sparse->colours, &work->colour_count);
    vec_release(&sparse->longs);
    vec_release(&sparse->end_sources);
    vec_release(&sparse->colours);
}

static void fill_slices(Workspace *ws, const TrackWork *work, TrackColumns *columns,
                        const IntervalExtra *extras)
{
    SliceColumns *const       slices = columns->slices;
    const TrackPlace *const   place = &columns->place;
    const SourcePlaces *const sources = &columns->sources;
    const TrackStacks *const  stacks = &columns->stacks;
    SparseColumns *const      sparse = &columns->sparse;
    uint64_t                 *next = row_cursors(ws, work, place, ROW_SLICES);
    CpuCursor                 cpu = cpu_cursor_over(ws->builder);
    for (size_t i = 0; next != NULL && i < work->interval_count; i++) {
        const Interval *interval = work_interval(work, i);
        uint64_t        slice = next[interval->row]++;
        uint64_t        duration = (uint64_t)interval->end - (uint64_t)interval->begin;
        uint8_t         flags = (uint8_t)(interval->place & 0xff);
        if (UNLIKELY(duration >= UINT32_MAX)) {
            vec_push(&sparse->longs, (SparseValue){ slice, duration });
            duration = UINT32_MAX;
            flags |= SLICE_LONG;
        }
        if (interval->extra != 0) {
            const IntervalExtra *extra = &extras[interval->extra - 1];
            if (flags & SLICE_END_SOURCE)
                vec_push(&sparse->end_sources, (SparseValue){ slice, extra->end_offset });
            if (extra->colour != 0) vec_push(&sparse->colours, (SparseValue){ slice, extra->colour });
            if (stacks->begins != NULL) stacks->begins[slice - place->first_slice] = extra->stack;
            if (stacks->ends != NULL) stacks->ends[slice - place->first_slice] = extra->end_stack;
        }
        if (UNLIKELY(slices->has_cpu)) {
            uint64_t end_offset = interval->extra == 0 ? 0 : extras[interval->extra - 1].end_offset;
            slices->cpu[slice] = cpu_of_interval(&cpu, interval, end_offset);
        }
        source_put(sources, slice - place->first_slice, place_offset(interval->place));
        slices->begin_tick[slice] = interval->begin;
        slices->duration[slice] = (uint32_t)duration;
        slice_set_label(slices, slice, interval->label);
        slices->flags[slice] = flags;
    }
}

/* Fills the threads on which asynchronous slices began. */
static void fill_async_threads(Finish *finish, Workspace *ws, const TrackWork *work, uint32_t track_index,
                               const TrackPlace *place)
{
    const uint64_t first_async = track_extras(&finish->trace->tracks[track_index])->first_async;
    uint64_t      *next = row_cursors(ws, work, place, ROW_SLICES);
    for (size_t i = 0; next != NULL && i < work->interval_count; i++) {
        const Interval *interval = work_interval(work, i);
        uint64_t        local = next[interval->row]++ - place->first_slice;
        finish->trace->slices.async_thread[first_async + local] = finish->track_of[interval->event];
    }
}

/* Copies the offsets of the slices with details among the eight from `local` of the track on to the column from `at`
 * on; returns their number. Tests eight flags at once, because few slices have details in most tracks. */
static size_t take_sources(SliceColumns *slices, uint64_t at, const uint8_t *flags, const SourcePlaces *from,
                           uint64_t local, size_t count)
{
    uint64_t word = 0;
    size_t   taken = 0;
    memcpy(&word, flags + local, count);
    if ((word & UINT64_C(0x0101010101010101) * SLICE_SOURCE) == 0) return 0;
    for (uint64_t i = local; i < local + count; i++) {
        if (!(flags[i] & SLICE_SOURCE)) continue;
        if (from->near != NULL) {
            slices->source[at + taken++] = from->near[i];
        } else {
            slices->far_source[at + taken++] = from->far[i];
        }
    }
    return taken;
}

/* Copies the offsets of all slices with details, without gaps. */
static void fill_sources(const TrackColumns *columns)
{
    const SourcePlaces *const from = &columns->sources;
    const TrackPlace *const   place = &columns->place;
    if (from->are_columns || (from->near == NULL && from->far == NULL)) return;
    const uint8_t *flags = columns->slices->flags + place->first_slice;
    uint64_t       count = 0;
    for (uint64_t i = 0; i < place->slice_count && count < place->source_count; i += 8) {
        size_t group = place->slice_count - i < 8 ? (size_t)(place->slice_count - i) : 8;
        count += take_sources(columns->slices, place->first_source + count, flags, from, i, group);
    }
}

/* Fills SliceColumns.source_rank once the flags of all slices are known. */
static void fill_source_ranks(SliceColumns *slices)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t       count = 0;
    static_assert(SLICE_SOURCE == 1 << 3, "the shift below");
    for (uint64_t i = 0; slices->source_rank_count > 0 && i < slices->count; i += 8) {
        if (i % 64 == 0) slices->source_rank[i / 64] = count;
        uint64_t flags = 0;
        memcpy(&flags, slices->flags + i, slices->count - i < 8 ? (size_t)(slices->count - i) : 8);
        count += (flags >> 3 & each) * each >> 56; /* the sum of eight bytes of 0 or 1 */
    }
}

static void fill_instant(Finish *finish, uint64_t at, const InstantMark *mark)
{
    InstantColumns *instants = &finish->trace->instants;
    instants->tick[at] = mark->tick;
    instants->label[at] = mark->label;
    instants->thread[at] = finish->track_of[mark->thread];
    instants->scope[at] = (uint8_t)(mark->place >> PLACE_SCOPE_SHIFT & 3);
    instants->source[at] = mark->place & PLACE_DETAILS ? place_offset(mark->place) + 1 : 0;
}

static void fill_instants(Finish *finish, Workspace *ws, const TrackWork *work, const TrackColumns *columns)
{
    if (work->instant_count == 0) return;
    uint32_t *const stacks = columns->stacks.instants;
    uint64_t       *next = row_cursors(ws, work, &columns->place, ROW_INSTANTS);
    if (next == NULL) return;
    for (size_t i = 0; i < work->instant_count; i++) {
        uint64_t instant = next[work->instants[i].row]++;
        fill_instant(finish, instant, &work->instants[i].mark);
        if (stacks != NULL) stacks[instant - columns->place.first_instant] = work->instants[i].stack;
    }
}

/* The items of a track that may have stacks. */
enum { SLICES_HAVE_STACKS = 1 << 0, INSTANTS_HAVE_STACKS = 1 << 1 };

static uint32_t *stack_pages(Workspace *ws, Pages *pages, uint64_t count)
{
    uint32_t *items = (uint32_t *)workspace_pages(ws, pages, (size_t)count, sizeof *items);
    if (items != NULL) memset(items, 0, (size_t)count * sizeof *items);
    return items;
}

static TrackStacks stacks_prepare(Workspace *ws, const TrackPlace *place, unsigned which)
{
    TrackStacks stacks = { .begins = NULL };
    if (which & SLICES_HAVE_STACKS) {
        stacks.begins = stack_pages(ws, &ws->begin_stacks, place->slice_count);
        stacks.ends = stack_pages(ws, &ws->end_stacks, place->slice_count);
    }
    if (which & INSTANTS_HAVE_STACKS)
        stacks.instants = stack_pages(ws, &ws->instant_stacks, place->instant_count);
    return stacks;
}

static SourcePlaces source_places(const SliceColumns *slices, Workspace *ws, const TrackPlace *place)
{
    const size_t count = (size_t)place->slice_count;
    const bool   any = place->source_count > 0;
    SourcePlaces places = { .are_columns = any && place->source_count == place->slice_count };
    if (places.are_columns && slices->has_far_sources) {
        places.far = slices->far_source + place->first_source;
    } else if (places.are_columns) {
        places.near = slices->source + place->first_source;
    } else if (any && slices->has_far_sources) {
        places.far = (uint64_t *)workspace_pages(ws, &ws->offsets, count, sizeof *places.far);
    } else if (any) {
        places.near = (uint32_t *)workspace_pages(ws, &ws->offsets, count, sizeof *places.near);
    }
    return places;
}

/* Prepares the columns of a track, whose items may have stacks: `which`. When out of memory ws->failed is set. */
static TrackColumns track_columns_open(const Finish *finish, Workspace *ws, uint32_t track_index,
                                       unsigned which)
{
    SliceColumns *const slices = &finish->trace->slices;
    const TrackPlace    place = track_place(finish, track_index);
    return (TrackColumns){ .place = place,
                           .slices = slices,
                           .sources = source_places(slices, ws, &place),
                           .stacks = stacks_prepare(ws, &place, which) };
}

/* Completes the columns of a track, and moves the collected values to its results. */
static void track_columns_close(Workspace *ws, TrackWork *work, TrackColumns *columns)
{
    if (columns->stacks.begins != NULL) {
        work->stacks[0] = stacks_pack(ws, columns->stacks.begins, columns->place.slice_count);
        work->stacks[1] = stacks_pack(ws, columns->stacks.ends, columns->place.slice_count);
    }
    work->stacks[2] = stacks_pack(ws, columns->stacks.instants, columns->place.instant_count);
    if (!ws->failed) fill_sources(columns);
    keep_all_sparse(ws, work, &columns->sparse);
}

static void finish_thread(Finish *finish, Workspace *ws, TrackWork *work, uint32_t track_index)
{
    TraceBuilder  *builder = finish->builder;
    ThreadLog      made;
    const uint32_t thread_index = finish->source_index[track_index];
    const bool     is_few = few_track(ws, work, thread_index, &made);
    if (!is_few) work->thread = thread_log_read(builder, thread_index, &made, &ws->scratch);
    if (work->thread == NULL || ws->failed) {
        ws->failed = true;
        return;
    }
    const ThreadLog *thread = work->thread;
    work->unfinished_end =
        builder->rules.unfinished == UNFINISHED_TO_TRACE_END ? finish->trace->end_tick : thread->max_tick;
    const bool   have_stacks = thread->mark_stacks != NULL || thread->complete_stacks != NULL;
    TrackColumns columns =
        track_columns_open(finish, ws, track_index,
                           (have_stacks && !direct_packs_stacks(thread) ? (unsigned)SLICES_HAVE_STACKS : 0) |
                               (thread->instants.stacks != NULL ? (unsigned)INSTANTS_HAVE_STACKS : 0));
    if (!ws->failed && direct_is_possible(thread)) {
        direct_track(ws, work, &columns, finish->workers);
    } else if (!ws->failed) {
        if (!is_few && !nest_track_back(ws, work)) {
            pair_track(ws, work);
            if (!ws->failed) nest_track(ws, work);
        }
        if (!ws->failed) fill_slices(ws, work, &columns, ws->extras.items);
    }
    if (!ws->failed) fill_instants(finish, ws, work, &columns);
    track_columns_close(ws, work, &columns);
}

/* Returns the instants of a track that consists of one row of instants. */
static const InstantLog *instants_of(const Finish *finish, uint32_t track_index)
{
    const Track           *track = &finish->trace->tracks[track_index];
    const ProcessInstants *process =
        process_instants(&finish->builder->processes.all.items[finish->source_index[track_index]]);
    if (track->kind == TRACK_GLOBAL_INSTANTS)
        return track->is_derived ? &finish->builder->global.moments : &finish->builder->global.instants;
    if (track->kind == TRACK_DUMPS) return &process->dumps;
    return track->is_derived ? &process->derived : &process->events;
}

static void finish_instants(Finish *finish, Workspace *ws, TrackWork *work, uint32_t track_index)
{
    const InstantLog *log = instants_of(finish, track_index);
    ThreadLog         as_thread = { .instants = *log, .min_tick = finish->trace->begin_tick };
    work->thread = &as_thread;
    nest_track(ws, work);
    TrackColumns columns =
        track_columns_open(finish, ws, track_index, log->stacks != NULL ? (unsigned)INSTANTS_HAVE_STACKS : 0);
    if (!ws->failed) fill_instants(finish, ws, work, &columns);
    track_columns_close(ws, work, &columns);
}

/* Finishes a track that was laid out by async.c or objects.c. */
static void finish_group(Finish *finish, Workspace *ws, TrackWork *work, uint32_t track_index,
                         const SliceGroups *groups)
{
    const SliceGroup *group = &groups->groups[finish->source_index[track_index]];
    work->intervals = group->intervals;
    work->interval_count = group->interval_count;
    work->instants = group->instants;
    work->instant_count = group->instant_count;
    work->rows = group->rows;
    work->row_count = group->row_count;
    work->unfinished_count = group->unfinished_count;
    TrackColumns columns =
        track_columns_open(finish, ws, track_index,
                           groups->has_stacks ? (unsigned)(SLICES_HAVE_STACKS | INSTANTS_HAVE_STACKS) : 0);
    if (ws->failed) return;
    fill_slices(ws, work, &columns, groups->extras);
    if (!ws->failed) fill_async_threads(finish, ws, work, track_index, &columns.place);
    if (!ws->failed) fill_instants(finish, ws, work, &columns);
    track_columns_close(ws, work, &columns);
}

/* Finishes a track of samples, whose slices were made by profile.c. */
static void finish_profile(Finish *finish, Workspace *ws, TrackWork *work, uint32_t track_index)
{
    ProfileGroup *group = &finish->profiles.groups[finish->source_index[track_index]];
    TrackColumns  columns = track_columns_open(finish, ws, track_index, SLICES_HAVE_STACKS);
    work->intervals = group->intervals.items;
    work->interval_count = vec_count(&group->intervals);
    work->rows = vec_copy(&group->rows, &ws->scratch);
    work->row_count = (uint32_t)vec_count(&group->rows);
    if (work->rows == NULL) ws->failed = true;
    if (ws->failed) return;
    fill_slices(ws, work, &columns, group->extras.items);
    profile_group_release(group);
    if (!ws->failed) profiles_fill(finish, group, &finish->trace->tracks[track_index]);
    track_columns_close(ws, work, &columns);
}

/* ---- all tracks ---- */

static Workspace *take_workspace(Finish *finish, unsigned *taken)
{
    for (;;) { /* the number of workspaces is that of workers: one is always free */
        for (unsigned i = 0; i < finish->workers; i++) {
            if (!atomic_exchange(&finish->workspace_taken[i], true)) {
                *taken = i;
                return &finish->workspaces[i];
            }
        }
    }
}

/* True if a track has no results beside its rows, which are near ones. */
static bool has_only_rows(const TrackWork *work)
{
    return work->far_count == 0 && work->unfinished_count == 0 && work->long_count == 0 &&
           work->end_source_count == 0 && work->colour_count == 0 && work->warnings == NULL &&
           work->unmatched == NULL && work->stacks[0].count == 0 && work->stacks[1].count == 0 &&
           work->stacks[2].count == 0;
}

/* True if the rows of a track without samples need not be stored: its slices and instants are in one row, or it is empty. */
static bool has_plain_rows(const Finish *finish, const TrackWork *work, uint32_t track_index)
{
    const TrackPlace place = track_place(finish, track_index);
    return work->row_count == (place.slice_count + place.instant_count > 0);
}

/* Copies all results of a track to the results arena. NULL when out of memory. */
static TrackWork *copy_work(Workspace *ws, const TrackWork *work)
{
    const size_t near_count = work->row_count - work->far_count;
    TrackWork   *kept = ARENA_NEW(&ws->results, TrackWork);
    WorkRow     *rows = ARENA_ARRAY(&ws->results, WorkRow, near_count);
    if (kept == NULL || rows == NULL) return NULL;
    if (near_count > 0) memcpy(rows, work->rows, near_count * sizeof *rows);
    *kept = *work;
    kept->rows = rows;
    kept->thread = NULL;
    kept->intervals = NULL;
    kept->order = NULL;
    kept->instants = NULL;
    return kept;
}

/* Moves the results of a track to the results arena, if they must be stored. */
static void keep_track(Finish *finish, Workspace *ws, const TrackWork *work, uint32_t track_index)
{
    const bool has_samples = finish->trace->tracks[track_index].kind == TRACK_COUNTER;
    const bool rows_only = has_only_rows(work) && !has_samples;
    if (ws->failed || (rows_only && has_plain_rows(finish, work, track_index))) return;
    const size_t row_bytes = rows_only ? work->row_count * sizeof(KeptRow) : 0;
    KeptTrack   *kept = (KeptTrack *)arena_push(&ws->results, 1, sizeof *kept + row_bytes);
    if (kept != NULL && !rows_only) kept->work = copy_work(ws, work);
    if (kept == NULL || (!rows_only && kept->work == NULL)) {
        ws->failed = true;
        return;
    }
    kept->row_count = work->row_count;
    for (uint32_t i = 0; rows_only && i < work->row_count; i++) {
        const WorkRow *row = &work->rows[i];
        kept->rows[i] =
            (KeptRow){ row->lane, row->depth, (uint32_t)row->slice_count, (uint32_t)row->instant_count };
    }
    finish->kept[track_index] = kept;
}

const TrackWork *finish_work(const Finish *finish, uint32_t track)
{
    static const TrackWork NONE;
    const KeptTrack       *kept = finish->kept[track];
    return kept == NULL || kept->work == NULL ? &NONE : kept->work;
}

static void place_objects(Finish *finish, Workspace *ws, const TrackWork *work, uint32_t track_index)
{
    const TrackExtras *extras = track_extras(&finish->trace->tracks[track_index]);
    const TrackPlace   place = track_place(finish, track_index);
    const ObjectPlaces places = { row_cursors(ws, work, &place, ROW_SLICES),
                                  row_cursors(ws, work, &place, ROW_INSTANTS),
                                  extras->first_life - place.first_slice,
                                  extras->first_snapshot - place.first_instant };
    if (!ws->failed)
        objects_place(&finish->trace->objects, &finish->objects.groups[finish->source_index[track_index]],
                      &places);
}

static void finish_track(void *context, size_t job)
{
    SELF_SLICE("make a track");
    Finish  *finish = (Finish *)context;
    uint32_t track_index = (uint32_t)job + 1;
    if (atomic_load(&finish->failed) || progress_cancelled(finish->progress)) return;
    unsigned     taken;
    Workspace   *ws = take_workspace(finish, &taken);
    const Track *track = &finish->trace->tracks[track_index];
    TrackWork    work = { .thread = NULL };
    arena_clear(&ws->scratch);
    switch (track->kind) {
    case TRACK_THREAD:
    case TRACK_STATES:
        finish_thread(finish, ws, &work, track_index);
        break;
    case TRACK_COUNTER:
        counters_fill(finish, ws, &work, track_index);
        break;
    case TRACK_SAMPLES:
        finish_profile(finish, ws, &work, track_index);
        break;
    case TRACK_ASYNC:
        finish_group(finish, ws, &work, track_index, &finish->async);
        break;
    case TRACK_OBJECTS:
        finish_group(finish, ws, &work, track_index, &finish->objects);
        if (!ws->failed) place_objects(finish, ws, &work, track_index);
        break;
    case TRACK_PROCESS_INSTANTS:
    case TRACK_GLOBAL_INSTANTS:
    case TRACK_DUMPS:
        finish_instants(finish, ws, &work, track_index);
        break;
    }
    keep_track(finish, ws, &work, track_index);
    if (ws->failed) atomic_store(&finish->failed, true);
    atomic_store(&finish->workspace_taken[taken], false);
    const uint64_t done = track_place(finish, track_index).slice_count;
    progress_set(finish->progress, atomic_fetch_add(&finish->done_slices, done) + done);
}

/* Collects the sparse values of all tracks, in the order of slices. False when out of memory. */
static bool collect_sparse(Finish *finish)
{
    SliceColumns *slices = &finish->trace->slices;
    for (uint32_t i = 1; i <= finish->trace->track_count; i++) {
        slices->end_source_count += finish_work(finish, i)->end_source_count;
        slices->long_count += finish_work(finish, i)->long_count;
    }
    if (!columns_map(finish->trace, COLUMNS_SPARSE)) return false;
    uint64_t end_at = 0, long_at = 0;
    for (uint32_t i = 1; i <= finish->trace->track_count; i++) {
        const TrackWork *work = finish_work(finish, i);
        const size_t     ends = (size_t)work->end_source_count, longs = (size_t)work->long_count;
        if (ends > 0) memcpy(slices->end_source + end_at, work->end_sources, ends * sizeof(SparseValue));
        if (longs > 0)
            memcpy(slices->long_durations + long_at, work->long_durations, longs * sizeof(SparseValue));
        end_at += ends;
        long_at += longs;
    }
    return true;
}

/* Adds the column of the upper halves of labels, if it is missing. False when out of memory. */
static bool add_high_labels(SliceColumns *slices)
{
    if (slices->has_high_labels) return true;
    slices->high_label = (uint16_t *)memory_map((size_t)slices->count * sizeof slices->high_label[0]);
    slices->has_high_labels = slices->high_label != NULL;
    return slices->has_high_labels;
}

/* Creates labels with the colours of ends for the slices that need them, in the order of slices, which determines the
 * numbers of the labels. */
static bool colour_slices(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    Trace        *trace = finish->trace;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const TrackWork *work = finish_work(finish, i);
        for (uint64_t c = 0; c < work->colour_count; c++) {
            const uint64_t slice = work->colours[c].slice;
            const LabelId  label = { trace_slice_label(trace, slice) };
            const uint32_t coloured =
                builder_colour_label(builder, label, (uint32_t)work->colours[c].value).index;
            if (coloured > UINT16_MAX && !add_high_labels(&trace->slices)) return false;
            slice_set_label(&trace->slices, slice, coloured);
        }
    }
    return !builder->failed;
}

static void add_warnings(TraceBuilder *builder, const TrackWarning *warnings)
{
    for (; warnings != NULL; warnings = warnings->next)
        builder_add_warning(builder, &warnings->warning);
}

/* Returns the number of rows of a track. */
static uint32_t row_count_of(const Finish *finish, uint32_t track_index)
{
    const TrackPlace place = track_place(finish, track_index);
    if (finish->kept[track_index] != NULL) return finish->kept[track_index]->row_count;
    return place.slice_count + place.instant_count > 0 ? 1 : 0;
}

/* Returns row `index` of a track. */
static WorkRow row_at(const Finish *finish, uint32_t track_index, uint32_t index)
{
    const TrackPlace place = track_place(finish, track_index);
    const KeptTrack *kept = finish->kept[track_index];
    if (kept != NULL && kept->work != NULL) return work_row(kept->work, index);
    if (kept != NULL) {
        const KeptRow *row = &kept->rows[index];
        return (WorkRow){ .lane = row->lane,
                          .depth = row->depth,
                          .slice_count = row->slice_count,
                          .instant_count = row->instant_count };
    }
    return (WorkRow){ .slice_count = place.slice_count, .instant_count = place.instant_count };
}

/* Where the next row begins in the columns. */
typedef struct RowStart {
    uint64_t slice, instant, sample;
    uint32_t series;
} RowStart;

/* Adds the extras of a row that has instants or samples. False when out of memory. */
static bool collect_extras(Finish *finish, const WorkRow *row, const RowStart *start)
{
    Trace         *trace = finish->trace;
    const uint32_t index = trace->row_count;
    const bool     has_series = trace->tracks[trace->rows[index].track].kind == TRACK_COUNTER;
    if (row->instant_count == 0 && !has_series) return true;
    RowExtras *extras = row_add_extras(&trace->rows[index], &finish->builder->arena);
    if (extras == NULL) return false;
    *extras = (RowExtras){ .first_instant = start->instant,
                           .instant_count = (uint32_t)row->instant_count,
                           .first_sample = start->sample,
                           .sample_count = (uint32_t)row->sample_count,
                           .series = has_series ? start->series : 0 };
    if (has_series) trace->series[start->series] = (RowSeries){ .name = row->series, .colour = row->colour };
    if (row->instant_count > 0) trace->index.instant_rows[trace->index.instant_row_count++] = index;
    return true;
}

/* Appends the rows of a track to those of the trace, and their series. False when out of memory. */
static bool collect_rows_of(Finish *finish, uint32_t track_index, uint32_t *series_count)
{
    Trace           *trace = finish->trace;
    Track           *track = &trace->tracks[track_index];
    const TrackPlace place = track_place(finish, track_index);
    RowStart         start = { place.first_slice, place.first_instant, track_extras(track)->first_sample,
                               *series_count };
    const uint32_t   count = row_count_of(finish, track_index);
    track->first_row = trace->row_count;
    for (uint32_t r = 0; r < count; r++, trace->row_count++) {
        const WorkRow row = row_at(finish, track_index, r);
        if (track->kind == TRACK_COUNTER) start.series++;
        trace->rows[trace->row_count] = (Row){ .track = track_index,
                                               .lane = row.lane,
                                               .depth = row.depth,
                                               .first_slice = start.slice,
                                               .slice_count = (uint32_t)row.slice_count };
        if (!collect_extras(finish, &row, &start)) return false;
        bool deeper = row.slice_count > 0 && row.depth + 1 > trace->counts.max_depth;
        if (deeper && track->kind == TRACK_THREAD) trace->counts.max_depth = row.depth + 1;
        start.slice += row.slice_count;
        start.instant += row.instant_count;
        start.sample += row.sample_count;
    }
    *series_count = start.series;
    return true;
}

static bool collect_rows(Finish *finish)
{
    SELF_SLICE("collect rows");
    Trace   *trace = finish->trace;
    Arena   *arena = &finish->builder->arena;
    uint64_t total = 0, of_samples = 0;
    uint32_t series_count = 0;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        total += row_count_of(finish, i);
        if (trace->tracks[i].kind == TRACK_COUNTER) of_samples += row_count_of(finish, i);
    }
    if (total >= UINT32_MAX) return false;
    const uint64_t of_instants = total < trace->instants.count ? total : trace->instants.count; /* at most */
    trace->rows = ARENA_ARRAY(arena, Row, (size_t)total);
    trace->index.instant_rows = ARENA_ARRAY(arena, uint32_t, (size_t)of_instants);
    trace->series = ARENA_ARRAY(arena, RowSeries, (size_t)of_samples + 1);
    if (trace->rows == NULL || trace->index.instant_rows == NULL || trace->series == NULL) return false;
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        const TrackWork *work = finish_work(finish, i);
        if (!collect_rows_of(finish, i, &series_count)) return false;
        if (trace->tracks[i].kind == TRACK_THREAD) trace->counts.unfinished += work->unfinished_count;
        add_warnings(finish->builder, work->warnings);
    }
    trace->tracks[trace->track_count + 1].first_row = trace->row_count;
    add_warnings(finish->builder, finish->async.warnings);
    add_warnings(finish->builder, finish->objects.warnings);
    add_warnings(finish->builder, finish->context_warnings);
    return true;
}

static int compare_warnings(const void *left, const void *right)
{
    const Warning *a = (const Warning *)left, *b = (const Warning *)right;
    if (a->first.offset != b->first.offset) return a->first.offset < b->first.offset ? -1 : 1;
    return strcmp(a->kind, b->kind);
}

/* Copies the tables of the builder. False when out of memory. */
static bool settle_tables(Finish *finish)
{
    const TraceBuilder *builder = finish->builder;
    Trace              *trace = finish->trace;
    Arena              *arena = &finish->builder->arena;
    builder_refer(builder, trace);
    trace->labels = vec_copy(&builder->labels.all, arena);
    trace->records.event_kinds = vec_copy(&builder->records.kinds, arena);
    trace->records.properties = vec_copy(&builder->records.properties, arena);
    trace->records.warnings = vec_copy(&builder->records.warnings, arena);
    if (trace->labels == NULL || trace->records.event_kinds == NULL || trace->records.properties == NULL ||
        trace->records.warnings == NULL)
        return false;
    qsort(trace->records.warnings, trace->records.warning_count, sizeof *trace->records.warnings,
          compare_warnings);
    return true;
}

/* Releases the maps of processes and threads, which are needed only while events are added. */
static void release_maps(TraceBuilder *builder)
{
    hash_index_release(&builder->processes.map, &builder->own);
    hash_index_release(&builder->threads.map, &builder->own);
    hash_index_release(&builder->threads.tid_map, &builder->own);
}

/* Makes the trace without its level-of-detail index. */
static bool build(Finish *finish, Err *err)
{
    Trace        *trace = finish->trace;
    TraceBuilder *builder = finish->builder;
    release_maps(builder);
    cpu_times_sort(builder);
    if (!stacks_settle(finish) || !layout_trace(finish) || !counters_place(finish)) goto no_memory;
    finish->kept = ARENA_ARRAY(&builder->log_arena, KeptTrack *, (size_t)trace->track_count + 1);
    if (finish->kept == NULL) goto no_memory;
    progress_phase(finish->progress, PROGRESS_SORTING, trace->slices.count);
    thread_run(finish->workers, trace->track_count, finish_track, finish);
    for (unsigned i = 0; i < finish->workers; i++)
        workspace_release_scratch(&finish->workspaces[i]);
    vec_release(&builder->threads.events);
    vec_release(&builder->threads.logs);
    vec_release(&builder->processes.all);
    arena_release(&builder->threads.first_events.arena);
    profiles_release(finish);
    arena_give_back(&builder->log_arena, finish->source_index, finish->source_index_count,
                    sizeof *finish->source_index);
    finish->source_index = NULL;
    if (progress_cancelled(finish->progress)) return err_set(err, ERR_CANCELLED, "cancelled");
    fill_source_ranks(&trace->slices);
    if (atomic_load(&finish->failed) || !collect_rows(finish) || !colour_slices(finish) ||
        !collect_sparse(finish) || !stacks_collect(finish) || !flows_build(finish) ||
        !others_collect(finish) || !settle_tables(finish) || !begins_pack(trace)) {
        goto no_memory;
    }
    for (unsigned i = 0; i < finish->workers; i++)
        workspace_release(&finish->workspaces[i]);
    arena_release(&builder->log_arena);
    return true;
no_memory:
    profiles_release(finish);
    builder->failed = true;
    builder_error(builder, err);
    return false;
}

Trace *builder_finish(TraceBuilder *builder, unsigned threads, Progress *progress, Err *err)
{
    SELF_SLICE("make the trace");
    assert(!is_observed(builder));
    if (builder->failed) {
        builder_error(builder, err);
        return NULL;
    }
    Trace *trace = ARENA_NEW(&builder->arena, Trace);
    if (trace == NULL) {
        builder->failed = true;
        builder_error(builder, err);
        return NULL;
    }
    Finish finish = { .builder = builder, .trace = trace, .progress = progress };
    finish.workers = threads == 0 ? thread_count_default() : threads;
    if (finish.workers > MOST_WORKERS) finish.workers = MOST_WORKERS;
    for (unsigned i = 0; i < finish.workers; i++)
        finish.workspaces[i].builder = builder;

    builder_refer(builder, trace);
    trace->window.is_set = builder->window.is_set;
    trace->window.begin = builder->window.begin;
    trace->window.end = builder->window.end;
    trace->clock = builder->clock;
    trace->source.release_kept = builder->release_kept;
    bool built = build(&finish, err);
    builder->kept = NULL; /* the trace has it */
    for (unsigned i = 0; i < finish.workers; i++)
        workspace_release(&finish.workspaces[i]);
    trace->arena = builder->arena;
    builder->arena = arena_create(0);
    builder->failed = true; /* the builder is empty now and accepts no more events */
    if (built && lod_build(trace, threads, progress, err) && sample_index_build(trace, err)) return trace;
    trace_release(trace);
    return NULL;
}
