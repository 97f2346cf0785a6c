/* trace_check: verifies every invariant of trace.h. */
#include "base/bits.h"
#include "trace/store/columns.h"
#include "trace/store/flows.h"
#include "trace/store/lod.h"
#include "trace/store/object_find.h"
#include "trace/store/trace.h"

static bool fails(Err *err, const char *what, uint64_t index)
{
    return err_set(err, ERR_CORRUPT, "trace_check: %s (%llu)", what, (unsigned long long)index);
}

static bool check_row(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r];
    if (row->track == 0 || row->track > trace->track_count) return fails(err, "a row without a track", r);
    if (row->depth > 0 && (r == 0 || trace->rows[r - 1].depth != row->depth - 1 ||
                           trace->rows[r - 1].lane != row->lane || trace->rows[r - 1].track != row->track)) {
        return fails(err, "a row without the row above it", r);
    }
    for (uint32_t i = 0; i < row->slice_count; i++) {
        uint64_t slice = row->first_slice + i;
        int64_t  begin = trace->slices.begin_tick[slice], end = trace_slice_end(trace, slice);
        if (trace->slices.label[slice] > trace->label_count)
            return fails(err, "a slice with an unknown label", slice);
        if (begin < trace->begin_tick || end > trace->end_tick || end < begin) {
            return fails(err, "a slice outside the trace's time", slice);
        }
        if (i > 0 && trace_slice_end(trace, slice - 1) > begin)
            return fails(err, "slices of a row overlap", slice);
        uint64_t parent;
        if (!trace_slice_parent(trace, r, slice, &parent)) continue;
        if (trace->slices.begin_tick[parent] > begin || trace_slice_end(trace, parent) < end) {
            return fails(err, "a slice that is not inside its parent", slice);
        }
    }
    for (uint32_t i = 0; i < row_extras(row)->instant_count; i++) {
        uint64_t instant = row_extras(row)->first_instant + i;
        int64_t  tick = trace->instants.tick[instant];
        if (tick < trace->begin_tick || tick > trace->end_tick)
            return fails(err, "an instant outside the time", instant);
        if (i > 0 && trace->instants.tick[instant - 1] > tick)
            return fails(err, "instants are not sorted", instant);
        if (trace_instant_thread(trace, instant) > trace->track_count)
            return fails(err, "an instant's thread", instant);
    }
    return true;
}

static bool check_track(const Trace *trace, uint32_t t, Err *err)
{
    const Track *track = &trace->tracks[t];
    uint64_t     slices = 0, instants = 0;
    for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
        const Row *row = &trace->rows[r];
        const bool follows = row->first_slice == track_first_slice(trace, track) + slices &&
                             (row_extras(row)->instant_count == 0 ||
                              row_extras(row)->first_instant == track_first_instant(trace, track) + instants);
        if (row->track != t || (trace->live == NULL && !follows))
            return fails(err, "a row out of its track's order", r);
        slices += row->slice_count;
        instants += row_extras(row)->instant_count;
    }
    return (slices == track_slice_count(trace, track) && instants == track_instant_count(trace, track)) ||
           fails(err, "a track's counts", t);
}

static bool check_sources(const Trace *trace, Err *err)
{
    uint64_t sources = 0;
    if (trace->live != NULL) return true;
    for (uint64_t i = 0; i < trace->slices.count; i++) {
        uint64_t offset;
        if (!trace_slice_source(trace, i, &offset)) continue;
        if (offset != slice_source_at(&trace->slices, sources++)) return fails(err, "a slice's source", i);
    }
    return sources == trace->slices.source_count || fails(err, "the count of sources", sources);
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
    if (range->first_word + words > column->word_count || range->first + range->count > column->count)
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

static bool check_profile(const Trace *trace, const Track *track, Err *err)
{
    const ProfileColumns *profile = &trace->profile;
    const TrackExtras    *extras = track_extras(track);
    if (extras->first_profile + extras->profile_count > profile->count)
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
    for (uint32_t r = track->first_row; r < track->first_row + track_row_count(track); r++) {
        for (uint32_t i = 0; i < trace->rows[r].slice_count; i++) {
            if (trace_slice_stack(trace, trace->rows[r].first_slice + i).index == 0)
                return fails(err, "a slice of samples without a stack", r);
        }
    }
    return true;
}

/* Compares the summary of a whole row with its slices. */
static bool check_lod(const Trace *trace, uint32_t r, Err *err)
{
    const Row *row = &trace->rows[r];
    LodSummary summary = lod_summarise(trace, row, 0, row->slice_count, NULL);
    uint64_t   covered = 0, longest = 0;
    for (uint32_t i = 0; i < row->slice_count; i++) {
        uint64_t duration = trace_slice_duration(trace, row->first_slice + i);
        if (trace->slices.label[row->first_slice + i] != trace->idle_label) covered += duration;
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
        if (object_find(trace, object->process, object->scope, object->id) != object)
            return fails(err, "objects are not sorted", i);
        for (uint32_t life = object->first_life; life < object->first_life + object->life_count; life++) {
            if (objects->lives[life].object != i) return fails(err, "a life of another object", life);
        }
    }
    for (uint32_t i = 0; i < objects->life_count; i++) {
        const ObjectLife *life = &objects->lives[i];
        if (object_life_of_slice(trace, life->slice) != i) return fails(err, "a life without its bar", i);
        if (life->first_snapshot != snapshots) return fails(err, "snapshots out of their life's order", i);
        snapshots += life->snapshot_count;
        for (uint64_t s = life->first_snapshot; s < snapshots; s++) {
            uint64_t instant = objects->snapshots[s];
            int64_t  tick = trace->instants.tick[instant];
            if (object_life_of_instant(trace, instant) != i)
                return fails(err, "a snapshot of another life", instant);
            if (tick < trace->slices.begin_tick[life->slice] || tick > trace_slice_end(trace, life->slice))
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
            const uint32_t track = trace->live == NULL ? t : trace->live->thread_of[t];
            if (context->thread != track || context->label > trace->label_count ||
                context->begin_tick > context->end_tick ||
                (i > 0 && context->begin_tick < list.contexts[i - 1].begin_tick))
                return fails(err, "a context", count + i);
        }
        count += list.count;
    }
    return trace->live != NULL || count == trace->records.context_count ||
           fails(err, "the count of contexts", trace->records.context_count);
}

bool trace_check(const Trace *trace, Err *err)
{
    uint64_t slices = 0, instants = 0, samples = 0;
    if (trace->begin_tick > trace->end_tick) return fails(err, "the time range", 0);
    if (!check_stack_table(&trace->stacks, err)) return false;
    for (uint32_t t = 1; t <= trace->track_count; t++) {
        const Track *track = &trace->tracks[t];
        const bool   follows = track_row_count(track) == 0 || (track_first_slice(trace, track) == slices &&
                                                             track_first_instant(trace, track) == instants);
        if (!follows && trace->live == NULL) return fails(err, "a gap before track", t);
        if (track->process.index > trace->process_count) return fails(err, "the process of track", t);
        slices += track_slice_count(trace, track);
        instants += track_instant_count(trace, track);
        const TrackExtras *extras = track_extras(track);
        if (extras->sample_count > 0 && extras->first_sample != samples && trace->live == NULL)
            return fails(err, "samples of track", t);
        samples += extras->sample_count;
        if (!check_track(trace, t, err) || !check_track_stacks(trace, track, err) ||
            (track->kind == TRACK_COUNTER && !check_samples(trace, track, err)) ||
            (track->kind == TRACK_SAMPLES && !check_profile(trace, track, err)))
            return false;
    }
    if (slices != trace_slice_count(trace) || instants != trace_instant_count(trace))
        return fails(err, "the counts", slices);
    for (uint32_t r = 0; r < trace->row_count; r++) {
        if (!check_row(trace, r, err) || !check_lod(trace, r, err)) return false;
        if (trace->live != NULL && !check_live_row(trace, r, err)) return false;
    }
    if (!check_sources(trace, err) || !check_objects(trace, err) || !check_contexts(trace, err)) return false;
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
    if (trace->live == NULL && !columns_check(trace, err)) return false;
    return flows_check(trace, err);
}
