#include "trace/live/live.h"

#include "base/hash.h"
#include "trace/live/live_state.h"
#include "trace/make/async.h"
#include "trace/make/flow_log.h"
#include "trace/make/objects.h"

#include <math.h>

/* ---- creation and release ---- */

/* Returns a limit on things that stay when the slices are removed: one for each `unit` bytes of keep_bytes, `least` to `most`;
 * 0 = no limit. */
static uint64_t limit_of(const LiveOptions *options, uint64_t unit, uint64_t least, uint64_t most)
{
    const uint64_t part = options->keep_bytes / unit;
    if (options->keep_bytes == 0) return options->keep_ns == 0 ? 0 : most;
    return part < least ? least : part > most ? most : part;
}

/* Limits the names, processes and threads, and async ids in use: readers use their numbers. */
static void limit_builder(TraceBuilder *builder, const LiveOptions *options)
{
    enum { NAME_UNIT = 4, TRACK_UNIT = 4096, ID_UNIT = 128 };
    builder_set_names_most(builder, limit_of(options, NAME_UNIT, 1 << 20, 256 << 20));
    builder_set_tracks_most(builder, (uint32_t)limit_of(options, TRACK_UNIT, 1 << 10, 1 << 16));
    builder_set_async_ids_most(builder, (uint32_t)limit_of(options, ID_UNIT, 1 << 14, 1 << 20));
}

LiveTrace *live_create(TraceBuilder *builder, const LiveOptions *options, Err *err)
{
    Arena      own = arena_create(0);
    LiveTrace *live = ARENA_NEW(&own, LiveTrace);
    if (live == NULL) {
        err_set(err, ERR_MEMORY, "out of memory for a trace that grows");
        builder_destroy(builder);
        return NULL;
    }
    live->own = own;
    live->builder = builder;
    builder_set_growing(builder);
    live->options = *options;
    live->workspace.builder = builder;
    live->finish = ARENA_NEW(&live->own, Finish);
    if (live->finish == NULL) {
        err_set(err, ERR_MEMORY, "out of memory for a trace that grows");
        live_destroy(live);
        return NULL;
    }
    live->finish->builder = builder;
    live->finish->trace = &live->trace;
    live->finish->workspaces[0].builder = builder;
    live->finish->workers = 1;
    live->finish->is_growing = true;
    live->flows.from = live->contexts.from = INT64_MAX;
    live->kept.aside_from = INT64_MIN;
    live_async_prepare(live);
    live->objects.track_of.arena = &live->own;
    live->samplers.walk = (SampleWalk){ .builder = builder, .table = &live->trace.stacks };
    limit_builder(builder, options);
    Trace *trace = &live->trace;
    trace->live = &live->places;
    live->places.followers = &live->followers;
    trace->clock = builder->clock;
    LiveChange change;
    if (!live_columns_reserve(live)) {
        err_set(err, ERR_MEMORY, "not enough address space for a growing trace");
        live_destroy(live);
        return NULL;
    }
    if (live_absorb(live, &change, err)) return live;
    live_destroy(live);
    return NULL;
}

/* ---- all tracks ---- */

/* Returns a list of tracks, 0 to TRACK_LISTS - 1. */
enum { TRACK_LISTS = 5 + MARKS_KINDS };
static Bytes *track_list(LiveTrace *live, size_t list)
{
    Bytes *lists[] = { &live->threads.tracks, &live->counters, &live->async.tracks, &live->objects.tracks,
                       &live->samplers.tracks };
    return list < MARKS_KINDS ? &live->marks.tracks[list] : lists[list - MARKS_KINDS];
}

LiveTrack *live_track_next(LiveTrace *live, TrackWalk *walk)
{
    for (; walk->list < TRACK_LISTS; walk->list++, walk->next = 0) {
        const Bytes *list = track_list(live, walk->list);
        if (walk->next < VECTOR_COUNT(*list, LiveTrack)) return &VECTOR(*list, LiveTrack)[walk->next++];
    }
    return NULL;
}

/* ---- release ---- */

void live_track_release(LiveTrace *live, LiveTrack *track)
{
    bytes_release(&track->rows);
    live_pairing_release(live, track);
    bytes_release(&track->fresh);
    bytes_release(&track->fresh_instants);
}

void live_destroy(LiveTrace *live)
{
    if (live == NULL) return;
    TrackWalk walk = { 0 };
    for (LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;)
        live_track_release(live, track);
    for (size_t list = 0; list < TRACK_LISTS; list++)
        bytes_release(track_list(live, list));
    live_columns_release(live);
    live_async_release(live);
    live_objects_release(live);
    live_contexts_release(live);
    live_samples_release(live);
    if (live->finish != NULL) live_flows_release(live);
    bytes_release(&live->raw.ends);
    bytes_release(&live->marks.moments);
    bytes_release(&live->shape.series_row);
    bytes_release(&live->columns.long_free);
    bytes_release(&live->threads.spare);
    workspace_release(&live->workspace);
    arena_release(&live->shape.arena);
    arena_release(&live->scratch);
    arena_release(&live->trace.arena);
    builder_destroy(live->builder);
    Arena own = live->own; /* `live` itself is in it */
    arena_release(&own);
}

Trace *live_trace(LiveTrace *live)
{
    return &live->trace;
}

uint64_t live_event_count(const LiveTrace *live)
{
    return live->event_count;
}

uint64_t live_dropped_count(const LiveTrace *live)
{
    return live->kept.dropped_count;
}

uint64_t live_unshown_count(const LiveTrace *live)
{
    return live->flows.hidden;
}

void live_set_keep_bytes(LiveTrace *live, uint64_t keep_bytes)
{
    live->options.keep_bytes = keep_bytes;
}

bool live_exceeds(const LiveTrace *live)
{
    return live->kept.exceeds;
}

uint64_t live_bytes(const LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    return live_columns_taken(live) + live->async.bytes + builder->objects.events.bytes.size +
           builder->flows.events.bytes.size + builder->records.others.bytes.size + live_contexts_bytes(live) +
           live->threads.doubt_bytes;
}

uint64_t live_column_bytes(const LiveTrace *live)
{
    return live_columns_held(live);
}

/* ---- size ---- */

static uint64_t track_bytes(const LiveTrack *track)
{
    return (uint64_t)track->rows.capacity + track->fresh.capacity + track->fresh_instants.capacity +
           track->pairing.slices.capacity + track->cpu.capacity;
}

uint64_t live_table_bytes(LiveTrace *live)
{
    uint64_t bytes = (uint64_t)live->own.held_bytes + live->shape.arena.held_bytes +
                     live->scratch.held_bytes + live->flows.tables.held_bytes +
                     live->objects.tables.held_bytes + live->contexts.tables.held_bytes + live->async.bytes +
                     live->shape.series_row.capacity + live->marks.moments.capacity;
    TrackWalk walk = { 0 };
    for (size_t list = 0; list < TRACK_LISTS; list++)
        bytes += track_list(live, list)->capacity;
    for (const LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;)
        bytes += track_bytes(track);
    return bytes;
}

/* ---- new events ---- */

bool live_tracks_grow(LiveTrace *live, Bytes *tracks, size_t count)
{
    for (size_t i = VECTOR_COUNT(*tracks, LiveTrack); i < count; i++) {
        const LiveTrack track = { .source = (uint32_t)i,
                                  .from = INT64_MAX,
                                  .least = INFINITY,
                                  .greatest = -INFINITY,
                                  .sums = { .tick = INT64_MIN } };
        bytes_append(tracks, &track, sizeof track);
        live->shape.is_stale = true;
    }
    if (tracks->failed) live->failed = true;
    return !tracks->failed;
}

static bool absorb_threads(LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    const size_t        count = vec_count(&builder->threads.all);
    if (!live_tracks_grow(live, &live->threads.tracks, count)) return false;
    for (size_t i = 1; i < count; i++) {
        LiveTrack *track = &VECTOR(live->threads.tracks, LiveTrack)[i];
        track->kind = thread_log_at(builder, i)->is_states ? TRACK_STATES : TRACK_THREAD;
        if (!live_thread_absorb(live, track, thread_log_at(builder, i))) return false;
    }
    return !live->failed;
}

/* ---- the builder's logs ---- */

static void forget_instants(InstantLog *log)
{
    *log = (InstantLog){ .count = 0 };
}

static void forget_logs(TraceBuilder *builder)
{
    for (size_t i = 1; i < vec_count(&builder->threads.all); i++) {
        ThreadLog *t = thread_log_at(builder, i);
        t->marks = (EventLog){ .count = 0 };
        t->completes = t->mark_stacks = t->complete_stacks = NULL;
        forget_instants(&t->instants);
        t->begin_count = t->source_count = 0;
    }
    for (size_t i = 1; i < vec_count(&builder->processes.all); i++) {
        ProcessInstants *of = builder->processes.all.items[i].instants;
        if (of != NULL) *of = (ProcessInstants){ .dumps = { .count = 0 } };
    }
    forget_instants(&builder->global.instants);
    forget_instants(&builder->global.moments);
    bytes_clear(&builder->async.events.bytes);
    bytes_clear(&builder->profile.samples.bytes);
    bytes_clear(&builder->cpu_times.bytes);
    arena_clear(&builder->log_arena);
    arrow_log_clear(&builder->flows.arrows);
    sample_log_clear(&builder->counters.samples);
}

/* ---- removal of the oldest events ---- */

/* Returns the number of the row's slices that ended before `tick`. */
static uint32_t ended_before(const LiveTrace *live, const Row *row, int64_t tick)
{
    const uint32_t count = row_lower_bound(&live->trace, row, tick);
    if (count == 0) return 0;
    return trace_slice_end(&live->trace, row->first_slice + count - 1) >= tick ? count - 1 : count;
}

static uint64_t count_old(LiveTrace *live, int64_t tick)
{
    TrackWalk walk = { 0 };
    uint64_t  count = 0;
    for (const LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;) {
        /* Their open slices are removed as well, if no event follows. */
        const bool by_begin = track->kind == TRACK_ASYNC || track->kind == TRACK_OBJECTS;
        for (uint32_t r = 0; r < live_row_count(track); r++) {
            const Row *row = &live_rows(track)[r].row;
            count += by_begin ? row_lower_bound(&live->trace, row, tick) : ended_before(live, row, tick);
        }
    }
    return count;
}

/* The part of a row before a tick. */
typedef struct OldPart {
    uint32_t slices, instants, samples;
} OldPart;

static OldPart old_part(const LiveTrace *live, const LiveRow *row, int64_t tick)
{
    OldPart old = { ended_before(live, &row->row, tick), row_instant_bound(&live->trace, &row->row, tick),
                    row_sample_bound(&live->trace, &row->row, tick) };
    if (old.samples > 0) old.samples--; /* its value is still valid at `tick` */
    return old;
}

uint64_t live_track_count_old(const LiveTrace *live, const LiveTrack *track, int64_t tick)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        const OldPart old = old_part(live, &live_rows(track)[r], tick);
        count += (uint64_t)old.slices + old.instants + old.samples;
    }
    return count;
}

bool live_track_drop(LiveTrace *live, LiveTrack *track, int64_t tick, bool at_once)
{
    if (at_once) live_rows_tidy(live, track);
    for (uint32_t r = 0; r < live_row_count(track); r++) {
        LiveRow      *row = &live_rows(track)[r];
        const OldPart old = old_part(live, row, tick);
        if (!live_row_drop(live, row, old.slices, old.instants, old.samples)) return false;
        track->slice_count -= old.slices;
        track->instant_count -= old.instants;
        track->sample_count -= old.samples;
    }
    track->changed = true;
    if (!live_doubt_forget(live, track)) return false;
    if (track->slice_count + track->instant_count + track->sample_count == 0) live_track_empty(live, track);
    return true;
}

/* Removes the events of a track before `tick` once they are a quarter of it, or at once when memory is short. Removes
 * from all rows, because a slice must not stay when its parent is removed. */
static bool drop_before(LiveTrace *live, LiveTrack *track, int64_t tick, bool at_once)
{
    enum { SHARE = 4 };
    const uint64_t events = track->slice_count + track->instant_count, all = events + track->sample_count;
    const uint64_t old_count = live_track_count_old(live, track, tick);
    /* live_objects_drop and live_async_drop remove them */
    if (track->kind == TRACK_OBJECTS || track->kind == TRACK_ASYNC) return true;
    if (old_count == 0 || (!at_once && old_count < all / SHARE)) {
        if (at_once) live_rows_tidy(live, track);
        return true;
    }
    if (!live_track_drop(live, track, tick, at_once)) return false;
    live->now.change->dropped += events - track->slice_count - track->instant_count;
    return track->kind != TRACK_SAMPLES || live_samples_drop(live, track->source, tick);
}

/* Returns the number of slices and instants of tracks. */
static uint64_t count_in(const Bytes *tracks)
{
    uint64_t count = 0;
    for (size_t i = 0; i < VECTOR_COUNT(*tracks, LiveTrack); i++) {
        const LiveTrack *track = &VECTOR(*tracks, const LiveTrack)[i];
        count += track->slice_count + track->instant_count;
    }
    return count;
}

/* Removes the ids before `tick`. at_once: memory is short, and open ids without a later event are removed as well,
 * because their ends may have been lost. */
static bool drop_ids(LiveTrace *live, int64_t tick, bool at_once)
{
    const uint64_t before = count_in(&live->async.tracks);
    const bool     done = live_async_drop(live, tick, at_once);
    live->now.change->dropped += before - count_in(&live->async.tracks);
    live_async_free_ids(live);
    return done && !live->failed;
}

static bool drop_objects(LiveTrace *live, int64_t tick, bool at_once)
{
    const uint64_t before = count_in(&live->objects.tracks);
    const bool     done = live_objects_drop(live, tick, at_once);
    live->now.change->dropped += before - count_in(&live->objects.tracks);
    return done;
}

/* True if contexts, flows and dumps are to be removed: a quarter of the kept time has passed since the last time. */
static bool is_due(const LiveTrace *live, int64_t tick)
{
    enum { SHARE = 4 };
    if (live->kept.aside_from == INT64_MIN) return true;
    if (tick <= live->kept.aside_from) return false;
    return (uint64_t)tick - (uint64_t)live->kept.aside_from >=
           ((uint64_t)live->trace.end_tick - (uint64_t)tick) / SHARE;
}

static bool drop_all_before(LiveTrace *live, int64_t tick, bool at_once)
{
    TrackWalk walk = { 0 };
    for (LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;)
        if (!drop_before(live, track, tick, at_once)) return false;
    live_others_drop(live, tick, at_once);
    if (at_once || is_due(live, tick)) {
        if (tick > live->kept.aside_from) live->kept.aside_from = tick;
        live_flows_drop(live, tick);
        if (!live_contexts_drop(live, tick, at_once)) return false;
    }
    return drop_ids(live, tick, at_once) && drop_objects(live, tick, at_once);
}

/* Returns the tick before which a quarter of all slices have ended; of few slices, the first quarter of the time. */
static int64_t first_quarter(LiveTrace *live)
{
    int64_t        low = live->kept.from, high = live->trace.end_tick;
    const uint64_t total = trace_slice_count(&live->trace);
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    if (total < SPACE_LEAST) return (int64_t)((uint64_t)low + span / 4);
    while (low < high) {
        const int64_t middle = (int64_t)((uint64_t)low + ((uint64_t)high - (uint64_t)low) / 2);
        if (count_old(live, middle) < total / 4) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Returns kept.from plus a quarter of the kept time, at least a tick, at most its end. */
static int64_t a_quarter_on(const LiveTrace *live)
{
    const uint64_t left = (uint64_t)live->trace.end_tick - (uint64_t)live->kept.from;
    return (int64_t)((uint64_t)live->kept.from + (left < 4 ? left : left / 4));
}

static bool keep_to_options(LiveTrace *live)
{
    const LiveOptions *options = &live->options;
    const Trace       *trace = &live->trace;
    const uint64_t     span = (uint64_t)trace->end_tick - (uint64_t)live->kept.from;
    const uint64_t     keep_ticks = clock_span_from_ns(&trace->clock, options->keep_ns);
    if (options->keep_ns != 0 && span > keep_ticks) {
        live->kept.from = (int64_t)((uint64_t)trace->end_tick - keep_ticks);
        if (!drop_all_before(live, live->kept.from, false)) return false;
    }
    bool is_stuck = false;
    while (options->keep_bytes != 0 && live_bytes(live) > options->keep_bytes) {
        const uint64_t before = live_bytes(live);
        const int64_t  on = a_quarter_on(live);
        int64_t        from = first_quarter(live);
        if (is_stuck && from < on) from = on;
        if (!drop_all_before(live, from, true)) return false;
        if (from > live->kept.from) live->kept.from = from;
        is_stuck = live_bytes(live) >= before;          /* most slices stay open, or need more lanes now */
        if (is_stuck && from >= trace->end_tick) break; /* only open slices are left */
    }
    live->kept.exceeds = options->keep_bytes != 0 && live_bytes(live) > options->keep_bytes;
    live->kept.dropped_count += live->now.change->dropped;
    return true;
}

/* ---- an absorb ---- */

/* Moves the begin of the trace back for an earlier event. The grid of the tiles stays, or moves back by a power of two
 * that is larger than the trace: so tiles that do not cover the whole trace keep their bounds, and the grid moves
 * rarely. */
static void move_begin(Trace *trace, int64_t begin)
{
    const uint64_t most = UINT64_C(1) << 62, earlier = (uint64_t)trace->begin_tick - (uint64_t)begin;
    const uint64_t held = trace_span(trace) + trace->lead;
    uint64_t       step = 1;
    trace->begin_tick = begin;
    if (earlier <= trace->lead) {
        trace->lead -= earlier;
        return;
    }
    const uint64_t beyond = earlier - trace->lead, least = beyond > held ? beyond : held;
    while (step < least && step < most)
        step *= 2;
    trace->lead = least <= most / 2 && held <= most - step ? step - beyond : 0;
}

/* True if all offsets from the begin of the grid are less than 2^63. */
static bool has_room_for_lead(const Trace *trace)
{
    const uint64_t span = trace_span(trace);
    return span <= INT64_MAX && trace->lead <= INT64_MAX - span;
}

static void take_time_range(LiveTrace *live, int64_t samples_end)
{
    Trace     *trace = &live->trace;
    const bool had_time = trace->has_time;
    int64_t    begin, end;
    if (!builder_time_range(live->builder, &begin, &end)) return;
    if (end < samples_end) end = samples_end;
    trace->has_time = true;
    if (!had_time) trace->begin_tick = live->kept.from = begin;
    if (begin < trace->begin_tick) {
        move_begin(trace, begin);
        live->kept.from = begin;
        live->now.change->any = true;
    }
    trace->end_tick = end;
    if (trace->lead > 0 && !has_room_for_lead(trace)) {
        trace->lead = 0;
        live->now.change->any = true;
    }
}

static uint32_t last_index(size_t count)
{
    return count == 0 ? 0 : (uint32_t)count - 1;
}

/* Sets the trace's pointers into the builder's arrays, which may have moved. */
static void refer_to_tables(LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    Trace              *trace = &live->trace;
    builder_refer(builder, trace);
    trace->stacks.stacks = builder->profile.stacks.stacks.items;
    trace->stacks.stack_count = last_index(vec_count(&builder->profile.stacks.stacks));
    trace->stacks.frames = builder->profile.stacks.frames.items;
    trace->stacks.frame_count = last_index(vec_count(&builder->profile.stacks.frames));
    trace->records.others = builder->records.others.items;
    trace->records.other_count = vec_count(&builder->records.others);
    trace->records.dump_parts = builder->objects.dump_parts.items;
    trace->records.dump_count = (uint32_t)vec_count(&builder->objects.dump_parts);
    trace->records.clock_syncs = builder->records.clock_syncs.items;
    trace->records.clock_sync_count = (uint32_t)vec_count(&builder->records.clock_syncs);
}

void live_convert_tick(ClockConversion *conversion, int64_t *tick)
{
    if (*tick > INT64_MIN && *tick < INT64_MAX) clock_convert(conversion, tick);
}

/* Converts all times if the reader has changed the clock: finer ticks, or another origin. */
static bool follow_clock(LiveTrace *live)
{
    const Clock    *clock = &live->builder->clock;
    Trace          *trace = &live->trace;
    ClockConversion conversion;
    const bool same_ticks = trace->clock.ns_num == clock->ns_num && trace->clock.ns_den == clock->ns_den &&
                            trace->clock.origin_ns == clock->origin_ns &&
                            trace->clock.is_unsigned == clock->is_unsigned;
    const bool converts = !same_ticks && clock_conversion_between(&trace->clock, clock, &conversion);
    if (!same_ticks && !converts && trace->has_time) return false;
    if (converts) {
        TrackWalk walk = { 0 };
        conversion.changes = true;
        for (LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;)
            live_track_convert(live, track, &conversion);
        live_async_convert(live, &conversion);
        live->objects.made_count = 0;
        live->flows.from = INT64_MIN; /* all must be made again */
        live_convert_tick(&conversion, &live->raw.from);
        live_contexts_convert(live, &conversion);
        live_samples_convert(live, &conversion);
        if (trace->has_time) { /* otherwise only metadata has arrived */
            clock_convert(&conversion, &trace->begin_tick);
            clock_convert(&conversion, &trace->end_tick);
            clock_convert(&conversion, &live->kept.from);
        }
        live_convert_tick(&conversion, &live->kept.aside_from);
        trace->lead = 0;
        live->shape.is_stale = true;
    }
    trace->clock = *clock;
    return !live->failed;
}

/* Updates the index of the changed tracks. */
static void update_index(LiveTrace *live)
{
    TrackWalk walk = { 0 };
    for (LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;) {
        if (!track->changed) continue;
        track->version++;
        for (uint32_t r = 0; r < live_row_count(track); r++)
            live_row_index(live, &live_rows(track)[r]);
    }
}

static bool absorb(LiveTrace *live)
{
    LiveChange *change = live->now.change;
    int64_t     samples_end = INT64_MIN;
    TrackWalk   walk = { 0 };
    refer_to_tables(live);
    cpu_times_sort(live->builder);
    live->now.cpu_times = cpu_cursor_over(live->builder);
    if (!follow_clock(live)) return false;
    if (!live_samples_take(live, &samples_end)) return false;
    take_time_range(live, samples_end);
    live_others_take(live);
    live_flows_take(live);
    if (!absorb_threads(live) || !live_marks_absorb(live) || !live_counters_absorb(live) ||
        !live_async_absorb(live) || !live_objects_absorb(live) || !live_samples_absorb(live) ||
        !live_contexts_absorb(live) || !live_others_settle(live))
        return false;
    if (live->threads.unmatched_changed) live_warn_unmatched(live);
    forget_logs(live->builder);
    if (!keep_to_options(live)) return false;
    live_columns_trim(live);
    if (!live_columns_count(live)) return false;
    update_index(live);
    change->shape = live_shape_changed(live);
    if (change->shape && !live_shape_make(live)) return false;
    if (!live_shape_update(live, change->shape)) {
        change->shape = true;
        if (!live_shape_make(live) || !live_shape_update(live, true)) return false;
    }
    if ((change->shape || live->objects.moved) && !live_objects_settle(live)) return false;
    if (change->shape) change->any = true;
    if (!live_counters_end(live) || !live_contexts_place(live) || !live_flows_bind(live)) return false;
    for (LiveTrack *track; (track = live_track_next(live, &walk)) != NULL;)
        track->changed = false;
    refer_to_tables(live); /* labels and kinds may be new, raw events removed */
    return true;
}

bool live_absorb(LiveTrace *live, LiveChange *change, Err *err)
{
    *change = (LiveChange){ .from_tick = INT64_MAX };
    live->now.change = change;
    live->shape.is_stale = false;
    arena_clear(&live->scratch);
    const bool done = !live->failed && !live->builder->failed && absorb(live);
    /* Otherwise each of many senders would hold the memory of its largest step. */
    workspace_release_scratch(&live->workspace);
    if (done) return true;
    live->failed = true;
    refer_to_tables(live);
    if (live->builder->failed) {
        builder_error(live->builder, err);
        return false;
    }
    return err_set(err, ERR_MEMORY, "out of memory for a trace that grows");
}

bool live_settle(LiveTrace *live, LiveChange *change, Err *err)
{
    live->now.settles = true;
    const bool done = live_absorb(live, change, err);
    live->now.settles = false;
    return done;
}
