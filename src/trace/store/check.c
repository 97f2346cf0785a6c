/* trace_check: verifies every invariant of trace.h. */
#include "base/bits.h"
#include "base/thread.h"
#include "trace/store/begins.h"
#include "trace/store/columns.h"
#include "trace/store/flows.h"
#include "trace/store/lod.h"
#include "trace/store/object_find.h"
#include "trace/store/trace.h"

#include <stdatomic.h>

static bool fails(Err *err, const char *what, uint64_t index)
{
    return err_set(err, ERR_CORRUPT, "trace_check: %s (%llu)", what, (unsigned long long)index);
}

/* ---- rows ---- */

/* Finds the parents of the slices of a row, in their order. */
typedef struct ParentWalk {
    const Trace *trace;
    const Row   *above; /* NULL: the row has depth 0 */
    uint32_t     after; /* slices of the row above that begin at or before the last slice */
    int64_t      end;   /* of the last of them */
} ParentWalk;

/* True if the parent of a slice contains it. */
static bool has_parent(ParentWalk *walk, int64_t begin, int64_t end)
{
    if (walk->above == NULL) return true;
    const uint32_t before = walk->after;
    while (walk->after < walk->above->slice_count &&
           begins_at(&walk->trace->slices, walk->above->first_slice + walk->after) <= begin)
        walk->after++;
    if (walk->after == 0) return false;
    if (walk->after != before)
        walk->end = trace_slice_end(walk->trace, walk->above->first_slice + walk->after - 1);
    return walk->end >= end;
}

static bool check_each_slice(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r];
    ParentWalk walk = { .trace = trace, .above = row->depth == 0 ? NULL : row - 1 };
    int64_t    last_end = trace->begin_tick;
    for (uint64_t slice = row->first_slice; slice < row->first_slice + row->slice_count; slice++) {
        const int64_t begin = begins_at(&trace->slices, slice);
        const int64_t end = (int64_t)((uint64_t)begin + trace_slice_duration(trace, slice));
        if (trace_slice_label(trace, slice) > trace->label_count)
            return fails(err, "a slice with an unknown label", slice);
        if (begin < trace->begin_tick || end > trace->end_tick || end < begin)
            return fails(err, "a slice outside the trace's time", slice);
        if (begin < last_end) return fails(err, "slices of a row overlap", slice);
        if (!has_parent(&walk, begin, end)) return fails(err, "a slice that is not inside its parent", slice);
        last_end = end;
    }
    return true;
}

/* The slices of a row, for the quick check. It has few branches, because they depend on the data: a file of ten million slices is
 * checked each time it is opened. */
typedef struct RowSlices {
    const Trace    *trace;
    const Row      *row;
    const uint32_t *durations;
    uint32_t        count;
} RowSlices;

static RowSlices row_slices(const Trace *trace, const Row *row)
{
    return (RowSlices){ trace, row, trace->slices.duration + row->first_slice, row->slice_count };
}

/* True if every duration of the row is in its column. */
static bool has_short_slices(const Trace *trace, const Row *row)
{
    uint8_t flags = 0;
    for (uint64_t i = 0; i < row->slice_count; i++)
        flags |= trace->slices.flags[row->first_slice + i];
    return !(flags & SLICE_LONG);
}

/* The begins of some adjacent slices of a row. */
typedef struct RowChunk {
    uint32_t first, count; /* indices in the row */
    int64_t  begins[512];
} RowChunk;

/* Reads the begins of slice `first` of the row and of slices behind it. */
static void chunk_read(RowChunk *chunk, const RowSlices *slices, uint32_t first)
{
    enum { MOST = sizeof chunk->begins / sizeof chunk->begins[0] };
    assert(first < slices->count);
    chunk->first = first;
    chunk->count = slices->count - first < MOST ? slices->count - first : MOST;
    begins_read(slices->trace, slices->row->first_slice + first, chunk->count, chunk->begins);
}

/* True if the slices are sorted, without overlaps, in the time of the trace. */
static bool are_in_order(const Trace *trace, const RowSlices *slices)
{
    const uint32_t last = slices->count - 1;
    const int64_t  last_begin = row_slice_begin(trace, slices->row, last);
    bool           is_good = row_slice_begin(trace, slices->row, 0) >= trace->begin_tick;
    RowChunk       chunk;
    is_good &= last_begin <= trace->end_tick;
    is_good &= slices->durations[last] <= (uint64_t)trace->end_tick - (uint64_t)last_begin;
    for (uint32_t first = 0; first < last; first += chunk.count - 1) {
        chunk_read(&chunk, slices, first);
        const int64_t  *begins = chunk.begins;
        const uint32_t *durations = slices->durations + first;
        for (uint32_t i = 0; i + 1 < chunk.count; i++) {
            is_good &= begins[i + 1] >= begins[i];
            is_good &= (uint64_t)begins[i + 1] - (uint64_t)begins[i] >= durations[i];
        }
    }
    return is_good;
}

/* Returns the index of the first slice of the chunk from `at` on that begins after `tick`, or the count. Compares several slices
 * in each step, because the next step waits for the result. */
static inline uint32_t first_after(const RowChunk *chunk, uint32_t at, int64_t tick)
{
    enum { STEP = 4 };
    while (chunk->count - at >= STEP) {
        unsigned before = 0;
        for (unsigned i = 0; i < STEP; i++)
            before += chunk->begins[at + i] <= tick;
        at += before;
        if (before < STEP) return at;
    }
    while (at < chunk->count && chunk->begins[at] <= tick)
        at++;
    return at;
}

/* True if each slice is inside a slice of the row above. */
static bool are_inside(const RowSlices *above, const RowSlices *below)
{
    RowChunk outer, inner;
    uint32_t after = 1; /* index in `outer` of the first slice that begins after the slice below */
    chunk_read(&outer, above, 0);
    chunk_read(&inner, below, 0);
    bool is_good = inner.begins[0] >= outer.begins[0];
    for (uint32_t b = 0; is_good && b < below->count; b++) {
        if (b == inner.first + inner.count) chunk_read(&inner, below, b);
        const int64_t begin = inner.begins[b - inner.first];
        after = first_after(&outer, after, begin);
        while (after == outer.count && outer.first + after < above->count) {
            chunk_read(&outer, above, outer.first + after - 1);
            after = first_after(&outer, 1, begin);
        }
        is_good = (uint64_t)begin - (uint64_t)outer.begins[after - 1] + below->durations[b] <=
                  above->durations[outer.first + after - 1];
    }
    return is_good;
}

static bool check_row_slices(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r], *above = row->depth == 0 ? NULL : row - 1;
    if (row->slice_count == 0) return true; /* a trace without slices has no columns */
    if (trace->live != NULL || !has_short_slices(trace, row) ||
        (above != NULL && (above->slice_count == 0 || !has_short_slices(trace, above))))
        return check_each_slice(trace, r, err);
    const RowSlices inner = row_slices(trace, row);
    bool            is_good = are_in_order(trace, &inner);
    if (above != NULL) {
        const RowSlices outer = row_slices(trace, above);
        is_good = is_good && are_inside(&outer, &inner);
    }
    return is_good || check_each_slice(trace, r, err); /* which names the fault */
}

static bool check_row_instants(const Trace *trace, const Row *row, Err *err)
{
    const RowExtras *extras = row_extras(row);
    for (uint64_t i = extras->first_instant; i < extras->first_instant + extras->instant_count; i++) {
        const int64_t tick = trace->instants.tick[i];
        if (tick < trace->begin_tick || tick > trace->end_tick)
            return fails(err, "an instant outside the time", i);
        if (i > extras->first_instant && trace->instants.tick[i - 1] > tick)
            return fails(err, "instants are not sorted", i);
        if (trace_instant_thread(trace, i) > trace->track_count) return fails(err, "an instant's thread", i);
        if (trace->instants.label[i] > trace->label_count || trace->instants.scope[i] > INSTANT_GLOBAL)
            return fails(err, "an instant's label or scope", i);
    }
    return true;
}

static bool check_row(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r];
    if (row->track == 0 || row->track > trace->track_count) return fails(err, "a row without a track", r);
    if (row->depth > 0 && (r == 0 || row[-1].depth != row->depth - 1 || row[-1].lane != row->lane ||
                           row[-1].track != row->track))
        return fails(err, "a row without the row above it", r);
    return check_row_slices(trace, r, err) && check_row_instants(trace, row, err);
}

/* ---- the layout: tracks, rows and their places in the columns ---- */

static bool is_inside(uint64_t first, uint64_t count, uint64_t all)
{
    return first <= all && count <= all - first;
}

static bool check_ident(const Trace *trace, Ident ident)
{
    return ident.kind != IDENT_TEXT || ident.bits <= string_table_count(trace->strings);
}

static bool check_processes(const Trace *trace, Err *err)
{
    uint64_t of_processes = 0, of_none = 0;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        if (!check_ident(trace, process->pid)) return fails(err, "the id of process", p);
        if (process->track_count > 0 &&
            (process->first_track == 0 ||
             !is_inside(process->first_track, process->track_count, (uint64_t)trace->track_count + 1)))
            return fails(err, "the tracks of process", p);
        for (uint32_t i = 0; i < process->track_count; i++)
            if (trace->tracks[process->first_track + i].process.index != p)
                return fails(err, "a track of another process", process->first_track + i);
        of_processes += process->track_count;
    }
    for (uint32_t t = 1; t <= trace->track_count; t++)
        of_none += trace->tracks[t].process.index == 0;
    return of_processes + of_none == trace->track_count ||
           fails(err, "the tracks of all processes", of_processes);
}

/* The items of the rows and tracks so far. */
typedef struct LayoutCounts {
    uint64_t slices, instants;
} LayoutCounts;

/* Checks the places of a row, whose track is `track`. */
static bool check_row_place(const Trace *trace, uint32_t track, uint32_t r, LayoutCounts *counts, Err *err)
{
    const Row       *row = &trace->rows[r];
    const RowExtras *extras = row_extras(row);
    const bool       is_first = r == trace->tracks[track].first_row;
    const bool       is_next = !is_first && row->lane == row[-1].lane && row->depth == row[-1].depth + 1;
    const bool       is_lane = row->depth == 0 && (is_first || row->lane > row[-1].lane);
    if (row->track != track || (!is_next && !is_lane)) return fails(err, "a row out of its track's order", r);
    if (row->first_slice != counts->slices ||
        (extras->instant_count > 0 && extras->first_instant != counts->instants))
        return fails(err, "a gap before row", r);
    const bool is_counter = trace->tracks[track].kind == TRACK_COUNTER;
    if (is_counter ? row->slice_count > 0 || extras->series == 0 : extras->sample_count > 0)
        return fails(err, "a row with values and slices", r);
    if (!is_inside(extras->first_sample, extras->sample_count, trace->samples.count))
        return fails(err, "the values of row", r);
    counts->slices += row->slice_count;
    counts->instants += extras->instant_count;
    return (counts->slices <= trace->slices.count && counts->instants <= trace->instants.count) ||
           fails(err, "more items than the columns have in row", r);
}

/* Checks the ranges of a track in other columns than slices and instants; it has these numbers of them. */
static bool check_track_ranges(const Trace *trace, uint32_t t, uint64_t slices, uint64_t instants, Err *err)
{
    const Track       *track = &trace->tracks[t];
    const TrackExtras *extras = track_extras(track);
    const bool         is_object = track->kind == TRACK_OBJECTS;
    if (!check_ident(trace, track_tid(track))) return fails(err, "the id of track", t);
    if (track->kind == TRACK_STATES && (t == trace->track_count || trace->tracks[t + 1].kind != TRACK_THREAD))
        return fails(err, "states of no thread", t);
    if ((is_object || track->kind == TRACK_ASYNC) &&
        !is_inside(extras->first_async, slices, trace->slices.async_thread_count))
        return fails(err, "the threads of track", t);
    if (is_object && (!is_inside(extras->first_life, slices, trace->objects.life_count) ||
                      !is_inside(extras->first_snapshot, instants, trace->objects.snapshot_count)))
        return fails(err, "the objects of track", t);
    return (is_inside(extras->first_context, extras->context_count, trace->records.context_count) &&
            is_inside(extras->first_profile, extras->profile_count, trace->profile.count) &&
            is_inside(extras->first_sample, extras->sample_count, trace->samples.count)) ||
           fails(err, "the ranges of track", t);
}

/* Checks the tracks and rows of a trace that does not grow: they divide the columns without gaps. */
static bool check_layout(const Trace *trace, Err *err)
{
    LayoutCounts counts = { 0, 0 };
    if (trace->clock.ns_num == 0 || trace->clock.ns_den == 0) return fails(err, "the clock", 0);
    if (!check_processes(trace, err)) return false;
    if (trace->track_count > 0 && trace->tracks[1].first_row != 0) return fails(err, "the first row", 0);
    if (trace->tracks[trace->track_count + 1].first_row != trace->row_count ||
        (trace->track_count == 0 && trace->row_count > 0))
        return fails(err, "the last row", trace->row_count);
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        if (track[0].first_row > track[1].first_row || track[1].first_row > trace->row_count)
            return fails(err, "the rows of track", t);
        const LayoutCounts before = counts;
        for (uint32_t r = track[0].first_row; r < track[1].first_row; r++)
            if (!check_row_place(trace, t, r, &counts, err)) return false;
        if (!check_track_ranges(trace, t, counts.slices - before.slices, counts.instants - before.instants,
                                err))
            return false;
    }
    const TraceCounts *c = &trace->counts;
    return (counts.slices == trace->slices.count && counts.instants == trace->instants.count &&
            c->async_slices <= counts.slices && c->sample_slices <= counts.slices &&
            c->states <= counts.slices &&
            c->async_slices + c->sample_slices + c->states + trace->objects.life_count <= counts.slices &&
            c->async_instants <= counts.instants &&
            c->derived_instants <= counts.instants - c->async_instants) ||
           fails(err, "the counts", counts.slices);
}

/* Checks values of few slices: sorted, each of an item below `end`. */
static bool check_sparse(const SparseValue *values, uint64_t count, uint64_t end, Err *err)
{
    for (uint64_t i = 0; i < count; i++)
        if (values[i].slice >= end || (i > 0 && values[i - 1].slice >= values[i].slice))
            return fails(err, "values of few slices out of order", i);
    return true;
}

static bool check_sources(const Trace *trace, Err *err)
{
    const SliceColumns *slices = &trace->slices;
    uint64_t            sources = 0;
    if (trace->live != NULL) return true;
    if (slices->source_count > 0 && slices->source_rank_count != (slices->count + 63) / 64)
        return fails(err, "the ranks of sources", slices->source_rank_count);
    for (uint64_t i = 0; i < slices->count;) {
        const uint64_t end = slices->count - i > 64 ? i + 64 : slices->count;
        if (i / 64 < slices->source_rank_count && slices->source_rank[i / 64] != sources)
            return fails(err, "a slice's source", i);
        for (; i < end; i++)
            sources += (slices->flags[i] & SLICE_SOURCE) != 0;
    }
    return (sources == slices->source_count || fails(err, "the count of sources", sources)) &&
           check_sparse(slices->end_source, slices->end_source_count, slices->count, err) &&
           check_sparse(slices->long_durations, slices->long_count, slices->count, err) &&
           check_sparse(trace->flows.long_offsets, trace->flows.long_count, 2 * trace->flows.count, err);
}

static bool check_samples(const Trace *trace, const Track *track, Err *err)
{
    const TrackExtras *extras = track_extras(track);
    uint64_t           next = extras->first_sample;
    for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
        const Row *row = &trace->rows[r];
        if (row_extras(row)->first_sample != next && trace->live == NULL)
            return fails(err, "samples out of their row's order", r);
        next += row_extras(row)->sample_count;
        for (uint64_t i = row_extras(row)->first_sample;
             i < row_extras(row)->first_sample + row_extras(row)->sample_count; i++) {
            int64_t tick = trace->samples.tick[i];
            if (tick < trace->begin_tick || tick > trace->end_tick)
                return fails(err, "a sample outside the time", i);
            if (i > row_extras(row)->first_sample && trace->samples.tick[i - 1] > tick)
                return fails(err, "samples are not sorted", i);
        }
    }
    return next == extras->first_sample + extras->sample_count ||
           fails(err, "a track's samples", track->first_row);
}

static bool check_stack_column(const Trace *trace, const StackColumn *column, const StackRange *range,
                               uint64_t items, Err *err)
{
    uint64_t words = range->count == 0 ? 0 : (items + 63) / 64, rank = 0;
    if (!is_inside(range->first_word, words, column->word_count) ||
        !is_inside(range->first, range->count, column->count))
        return fails(err, "stacks of a track", range->first_word);
    for (uint64_t w = 0; w < words; w++) {
        uint64_t bits = column->bits[range->first_word + w];
        if (column->ranks[range->first_word + w] != rank) return fails(err, "the rank of stacks", w);
        if (w + 1 == words && items % 64 != 0 && bits >> items % 64 != 0)
            return fails(err, "a stack without an item", w);
        rank += bits_count_u64(bits);
    }
    if (rank != range->count) return fails(err, "the count of stacks", range->first);
    for (uint64_t i = range->first; i < range->first + range->count; i++) {
        if (column->stacks[i] == 0 || column->stacks[i] > trace->stacks.stack_count)
            return fails(err, "an unknown stack", i);
    }
    return true;
}

static bool check_track_stacks(const Trace *trace, const Track *track, Err *err)
{
    const StackRange *begins = track_stacks(track, STACKS_OF_BEGINS),
                     *ends = track_stacks(track, STACKS_OF_ENDS);
    const StackRange *instants = track_stacks(track, STACKS_OF_INSTANTS);
    const uint64_t    slice_count = track_slice_count(trace, track);
    return check_stack_column(trace, &trace->slices.stack, begins, slice_count, err) &&
           check_stack_column(trace, &trace->slices.end_stack, ends, slice_count, err) &&
           check_stack_column(trace, &trace->instants.stack, instants, track_instant_count(trace, track),
                              err);
}

static bool check_stack_table(const StackTable *table, Err *err)
{
    for (uint32_t i = 1; i <= table->stack_count; i++) {
        const Stack *stack = &table->stacks[i];
        if (stack->frame == STACK_PROMISED) continue; /* of a growing trace: it may still be defined */
        if (stack->parent >= i) return fails(err, "a stack before the one it was called from", i);
        if (stack->frame == 0 || stack->frame > table->frame_count)
            return fails(err, "a stack without a frame", i);
    }
    return true;
}

/* Checks that every slice of a track of samples has a stack. */
static bool check_sampled_slices(const Trace *trace, const Track *track, Err *err)
{
    for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
        for (uint32_t i = 0; i < trace->rows[r].slice_count; i++) {
            if (trace_slice_stack(trace, trace->rows[r].first_slice + i).index == 0)
                return fails(err, "a slice of samples without a stack", r);
        }
    }
    return true;
}

static bool check_profile(const Trace *trace, const Track *track, Err *err)
{
    const ProfileColumns *profile = &trace->profile;
    const TrackExtras    *extras = track_extras(track);
    if (!is_inside(extras->first_profile, extras->profile_count, profile->count))
        return fails(err, "samples of a track", 0);
    if (extras->thread == 0 || trace->tracks[extras->thread].kind != TRACK_THREAD)
        return fails(err, "samples of no thread", extras->first_profile);
    for (uint64_t i = extras->first_profile; i < extras->first_profile + extras->profile_count; i++) {
        if (profile->stack[i] > trace->stacks.stack_count) return fails(err, "a sample's stack", i);
        if (profile->tick[i] < trace->begin_tick || profile->tick[i] > trace->end_tick)
            return fails(err, "a sample of a stack outside the time", i);
        if (i > extras->first_profile && profile->tick[i - 1] > profile->tick[i])
            return fails(err, "samples of stacks are not sorted", i);
    }
    return trace->live != NULL
               ? check_sampled_slices(trace, track, err)
               : track_stacks(track, STACKS_OF_BEGINS)->count == track_slice_count(trace, track) ||
                     fails(err, "a slice of samples without a stack", track->first_row);
}

/* Compares the summary of a whole row with its slices. */
static bool check_lod(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r];
    LodSummary summary = lod_summarise(trace, row, 0, row->slice_count, NULL);
    uint64_t   covered = 0, longest = 0;
    for (uint32_t i = 0; i < row->slice_count; i++) {
        uint64_t duration = trace_slice_duration(trace, row->first_slice + i);
        if (trace_slice_label(trace, row->first_slice + i) != trace->idle_label) covered += duration;
        if (duration > longest) longest = duration;
    }
    if (summary.count != row->slice_count || summary.covered != covered || summary.longest_ticks != longest) {
        return fails(err, "the index contradicts the slices of row", r);
    }
    return true;
}

/* Checks a row of a growing trace: its ranges overlap with no other row, and look-ups find them. */
static bool check_live_row(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r];
    if (row_extras(row)->series == 0 && (row->slice_count > row_extras(row)->room ||
                                         row->first_slice + row_extras(row)->room > trace->slices.count))
        return fails(err, "the room of row", r);
    if (row->slice_count > 0 && (trace_slice_row(trace, row->first_slice) != r ||
                                 trace_slice_row(trace, row->first_slice + row->slice_count - 1) != r))
        return fails(err, "the slices of a row are another's", r);
    return row_extras(row)->instant_count == 0 ||
           trace_instant_row(trace, row_extras(row)->first_instant) == r ||
           fails(err, "the instants of a row are another's", r);
}

/* Compares each life with its slice, and each snapshot with its life. */
static bool check_objects(const Trace *trace, Err *err)
{
    const ObjectColumns *objects = &trace->objects;
    uint64_t             snapshots = 0, lives = 0;
    for (uint32_t i = 0; i < objects->object_count; i++) {
        const Object *object = &objects->objects[i];
        lives += object->life_count;
        if (!is_inside(object->first_life, object->life_count, objects->life_count))
            return fails(err, "the lives of object", i);
        if (object_find(trace, object->process, object->scope, object->id) != object)
            return fails(err, "objects are not sorted", i);
        for (uint32_t life = object->first_life; life < object->first_life + object->life_count; life++) {
            if (objects->lives[life].object != i) return fails(err, "a life of another object", life);
        }
    }
    for (uint32_t i = 0; i < objects->life_count; i++) {
        const ObjectLife *life = &objects->lives[i];
        if (object_life_of_slice(trace, life->slice) != i) return fails(err, "a life without its bar", i);
        if (life->first_snapshot != snapshots ||
            !is_inside(life->first_snapshot, life->snapshot_count, objects->snapshot_count))
            return fails(err, "snapshots out of their life's order", i);
        snapshots += life->snapshot_count;
        for (uint64_t s = life->first_snapshot; s < snapshots; s++) {
            uint64_t instant = objects->snapshots[s];
            int64_t  tick = trace->instants.tick[instant];
            if (object_life_of_instant(trace, instant) != i)
                return fails(err, "a snapshot of another life", instant);
            if (tick < trace_slice_begin(trace, life->slice) || tick > trace_slice_end(trace, life->slice))
                return fails(err, "a snapshot outside its life", instant);
        }
    }
    return (snapshots == objects->snapshot_count && lives == objects->life_count) ||
           fails(err, "the counts of objects", lives);
}

static bool check_contexts(const Trace *trace, Err *err)
{
    uint32_t count = 0;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const ContextList list = trace_contexts(trace, t);
        for (uint32_t i = 0; i < list.count; i++) {
            const Context *context = &list.contexts[i];
            if (context->thread != t || context->label > trace->label_count ||
                context->begin_tick > context->end_tick ||
                (i > 0 && context->begin_tick < list.contexts[i - 1].begin_tick))
                return fails(err, "a context", count + i);
        }
        count += list.count;
    }
    for (uint32_t i = 0; i < trace->records.context_count; i++)
        count += trace->records.contexts[i].thread == 0;
    return count == trace->records.context_count ||
           fails(err, "the count of contexts", trace->records.context_count);
}

/* Checks the tracks of any trace; check_layout has checked the places of a loaded one. */
static bool check_tracks(const Trace *trace, Err *err)
{
    uint64_t slices = 0, instants = 0, samples = 0;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track       *track = &trace->tracks[t];
        const TrackExtras *extras = track_extras(track);
        if (track->process.index > trace->process_count) return fails(err, "the process of track", t);
        if (extras->sample_count > 0 && extras->first_sample != samples && trace->live == NULL)
            return fails(err, "samples of track", t);
        for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++)
            if (trace->rows[r].track != t) return fails(err, "a row of another track", r);
        slices += track_slice_count(trace, track);
        instants += track_instant_count(trace, track);
        samples += extras->sample_count;
        if (!check_track_stacks(trace, track, err) ||
            (track->kind == TRACK_COUNTER && !check_samples(trace, track, err)) ||
            (track->kind == TRACK_SAMPLES && !check_profile(trace, track, err)))
            return false;
    }
    return (slices == trace_slice_count(trace) && instants == trace_instant_count(trace)) ||
           fails(err, "the counts", slices);
}

static bool check_others(const Trace *trace, Err *err)
{
    for (uint64_t i = 0; i < trace->records.other_count; i++) {
        const OtherEvent *other = &trace->records.others[i];
        if (trace_other_thread(trace, other) > trace->track_count || other->label > trace->label_count ||
            other->kind >= trace->records.event_kind_count) {
            return fails(err, "an event that is not drawn", i);
        }
        bool counts = other->has_tick && !other->is_metadata;
        if (counts && (other->tick < trace->begin_tick || other->tick > trace->end_tick))
            return fails(err, "an event that is not drawn, outside the time", i);
    }
    return true;
}

/* The rows while threads check them. */
typedef struct RowsCheck {
    const Trace     *trace;
    _Atomic uint32_t wrong; /* the first row with a fault; UINT32_MAX = none */
} RowsCheck;

static bool check_one_row(const Trace *trace, uint32_t r, Err *err)
{
    return check_row(trace, r, err) && (trace->live == NULL || check_live_row(trace, r, err));
}

static void check_row_job(void *context, size_t r)
{
    RowsCheck *check = (RowsCheck *)context;
    uint32_t   wrong = atomic_load(&check->wrong);
    Err        err;
    if (r > wrong || check_one_row(check->trace, (uint32_t)r, &err)) return;
    while (r < wrong && !atomic_compare_exchange_weak(&check->wrong, &wrong, (uint32_t)r))
        continue;
}

static bool check_all_rows(const Trace *trace, Err *err)
{
    enum { FEW_SLICES = 200000 }; /* take less time than the start of a thread is worth */
    RowsCheck check = { .trace = trace, .wrong = UINT32_MAX };
    thread_run(trace->slices.count < FEW_SLICES ? 1 : 0, trace->row_count, check_row_job, &check);
    const uint32_t wrong = atomic_load(&check.wrong);
    return wrong == UINT32_MAX || check_one_row(trace, wrong, err);
}

bool trace_check_rows(const Trace *trace, Err *err)
{
    if (trace->begin_tick > trace->end_tick) return fails(err, "the time range", 0);
    if (trace->live == NULL && (!columns_check(trace, err) || !check_layout(trace, err))) return false;
    return check_stack_table(&trace->stacks, err) && check_tracks(trace, err) && check_all_rows(trace, err) &&
           check_sources(trace, err) && check_objects(trace, err) && check_contexts(trace, err) &&
           check_others(trace, err) && flows_check(trace, err);
}

bool trace_check(const Trace *trace, Err *err)
{
    if (!trace_check_rows(trace, err)) return false;
    for (uint32_t r = 0; r < trace->row_count; r++)
        if (!check_lod(trace, r, err)) return false;
    return true;
}
