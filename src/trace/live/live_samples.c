/* Samples of stacks of a growing trace. Each sample continues the slices of the one before it. After a late sample,
 * the slices behind it are made again. */
#include "trace/live/live_state.h"

#include <stdlib.h>

static LiveSampler *sampler_at(const LiveTrace *live, uint32_t i)
{
    return &VECTOR(live->samplers.all, LiveSampler)[i];
}

static LiveTrack *track_at(const LiveTrace *live, uint32_t i)
{
    return &VECTOR(live->samplers.tracks, LiveTrack)[i];
}

/* ---- the end of the last sample ---- */

/* Updates the median interval: always for few samples, after each 64th for many, and at the end. */
static bool find_median(LiveTrace *live, LiveSampler *sampler)
{
    enum { FEW = 1 << 12, SHARE = 64 };
    const uint32_t count = sampler->count, of = sampler->median_of;
    if (count == of || (!live->now.settles && count > FEW && count > of && count - of < count / SHARE))
        return true;
    const int64_t *ticks = live->trace.profile.tick + sampler->first;
    sampler->median = profile_median(&live->workspace, ticks, count, sizeof *ticks);
    sampler->median_of = count;
    if (live->workspace.failed) live->failed = true;
    return !live->failed;
}

/* ---- stacks ---- */

/* Returns the final stack of a stack that may be unknown so far (STACK_PROMISED); 0 = still unknown. */
static uint32_t settled(const LiveTrace *live, uint32_t stack)
{
    const Stack *stacks = live->trace.stacks.stacks;
    return stack != 0 && stacks[stack].frame == STACK_PROMISED ? stacks[stack].parent : stack;
}

/* ---- new events ---- */

static bool grow_samplers(LiveTrace *live)
{
    const size_t count = vec_count(&live->builder->profile.samplers);
    for (size_t i = VECTOR_COUNT(live->samplers.all, LiveSampler); i < count; i++) {
        const LiveTrack   track = { .kind = TRACK_SAMPLES, .source = (uint32_t)i };
        const LiveSampler sampler = { .from = INT64_MAX,
                                      .unsettled_from = INT64_MAX,
                                      .outer_from = INT64_MAX };
        if (!live_append(live, &live->samplers.tracks, &track, sizeof track) ||
            !live_append(live, &live->samplers.all, &sampler, sizeof sampler))
            return false;
    }
    return true;
}

static LivePart part_of(LiveSampler *sampler)
{
    return (LivePart){
        .kind = SPACE_PROFILES, .first = &sampler->first, .count = &sampler->count, .room = &sampler->room
    };
}

static bool take_sample(LiveTrace *live, const StackSample *sample)
{
    LiveSampler    *sampler = sampler_at(live, sample->sampler);
    ProfileColumns *profile = &live->trace.profile;
    const LivePart  part = part_of(sampler);
    const uint32_t  at = sample->tick == INT64_MAX ? sampler->count
                                                   : ticks_lower_bound(profile->tick + sampler->first,
                                                                       sampler->count, sample->tick + 1);
    if (!live_part_insert(live, &part, at)) return false;
    const uint64_t place = sampler->first + at;
    profile->tick[place] = sample->tick;
    profile->stack[place] = settled(live, sample->stack);
    live->columns.given_stacks[place] = sample->stack;
    live->columns.weights[place] = sample->weight;
    if (sample->weight != 1) {
        profile->has_weights = true;
        profile->weight = live->columns.weights;
    }
    sampler->fresh++;
    if (sample->tick < sampler->from) sampler->from = sample->tick;
    return true;
}

static bool find_end(LiveTrace *live, LiveSampler *sampler)
{
    if (sampler->count == 0) return true;
    if (!find_median(live, sampler)) return false;
    const uint64_t last = sampler->first + sampler->count - 1;
    const int64_t  tick = live->trace.profile.tick[last];
    const uint32_t stack = settled(live, live->columns.given_stacks[last]);
    const bool     is_drawn = sample_walk_shown(&live->samplers.walk, stack, tick) != 0;
    sampler->end = is_drawn ? profile_end(tick, sampler->median) : tick;
    return true;
}

/* At the end of the input, the median of all intervals gives the end of the last sample. */
static void reconsider_end(const LiveTrace *live, LiveSampler *sampler)
{
    if (!live->now.settles || sampler->count == 0 || sampler->count == sampler->median_of) return;
    const int64_t tick = live->trace.profile.tick[sampler->first + sampler->count - 1];
    if (tick < sampler->from) sampler->from = tick;
}

/* Makes slices again from the first sample on whose stack was unknown and may be known now. */
static void reconsider_unsettled(const LiveTrace *live, LiveSampler *sampler)
{
    if (sampler->unsettled_from == INT64_MAX) return;
    if (!live->now.settles && settled(live, sampler->unsettled_stack) == 0) return;
    if (sampler->unsettled_from < sampler->from) sampler->from = sampler->unsettled_from;
    sampler->unsettled_from = INT64_MAX;
}

bool live_samples_take(LiveTrace *live, int64_t *end)
{
    const StackSample *samples = live->builder->profile.samples.items;
    const size_t       count = vec_count(&live->builder->profile.samples);
    if (!grow_samplers(live) || !sample_walk_prepare(&live->samplers.walk)) return false;
    for (size_t i = 0; i < count; i++)
        if (!take_sample(live, &samples[i])) return false;
    for (uint32_t i = 1; i < VECTOR_COUNT(live->samplers.all, LiveSampler); i++) {
        LiveSampler *sampler = sampler_at(live, i);
        reconsider_unsettled(live, sampler);
        reconsider_end(live, sampler);
        if (sampler->from < INT64_MAX && !find_end(live, sampler)) return false;
        if (sampler->count > 0 && sampler->end > *end) *end = sampler->end;
    }
    return true;
}

/* ---- slices ---- */

/* Returns the final stack, or records that it is still unknown. */
static uint32_t settle_stack(const LiveTrace *live, LiveSampler *sampler, uint32_t given, int64_t tick)
{
    const uint32_t known = settled(live, given);
    if (known == 0 && given != 0 && tick < sampler->unsettled_from) {
        sampler->unsettled_from = tick;
        sampler->unsettled_stack = given;
    }
    return known;
}

/* Moves the slices of a stack that are open at the ends of the rows to the walk. */
static bool take_open(LiveTrace *live, LiveTrack *track, uint32_t stack)
{
    SampleWalk    *walk = &live->samplers.walk;
    const uint32_t depth = stack == 0 ? 0 : walk->stacks.items[stack].depth;
    for (uint32_t d = 0; d < depth; d++) {
        LiveRow *row = live_row_find(track, 0, d);
        if (row == NULL || row->row.slice_count == 0) return true; /* it was removed */
        const uint32_t  last = row->row.slice_count - 1;
        const LiveSlice slice = live_slice_at(live, row, last);
        const Interval  open = { .begin = slice.begin, .label = slice.label };
        if (!sample_walk_open(walk, &open, slice.stack)) return false;
        live_slices_cut(live, row, last);
        track->slice_count--;
    }
    return true;
}

/* Puts the slices of the walk into the rows. */
static bool put_slices(LiveTrace *live, LiveTrack *track)
{
    const ProfileGroup *made = &live->samplers.walk.made;
    const TrackWork     work = { .intervals = made->intervals.items,
                                 .interval_count = vec_count(&made->intervals),
                                 .rows = made->rows.items,
                                 .row_count = (uint32_t)vec_count(&made->rows) };
    return live_rows_put(live, track, &work, &(PutItems){ .extras = made->extras.items, .from = INT64_MIN });
}

static bool lay_out(LiveTrace *live, uint32_t index)
{
    SampleWalk    *walk = &live->samplers.walk;
    LiveSampler   *sampler = sampler_at(live, index);
    LiveTrack     *track = track_at(live, index);
    const int64_t *ticks = live->trace.profile.tick + sampler->first;
    uint32_t      *stacks = live->trace.profile.stack + sampler->first;
    const uint32_t first = ticks_lower_bound(ticks, sampler->count, sampler->from);
    if (live_postpones(live, sampler->fresh, sampler->count - first, MUCH_TO_LAY_OUT)) return true;
    live_note_change(live, track, sampler->drawn_end < sampler->from ? sampler->drawn_end : sampler->from);
    live_track_cut(live, track, sampler->from);
    sample_walk_start(walk, sampler->outer_from);
    /* The stack as it was drawn, even if it is known by now. */
    bool done =
        first == 0 || take_open(live, track, sample_walk_shown(walk, stacks[first - 1], ticks[first - 1]));
    for (uint32_t i = first; done && i < sampler->count; i++) {
        stacks[i] = settle_stack(live, sampler, live->columns.given_stacks[sampler->first + i], ticks[i]);
        done = sample_walk_add(walk, stacks[i], ticks[i]);
    }
    sample_walk_end(walk, sampler->end);
    done = done && put_slices(live, track);
    sampler->outer_from = walk->outer_from;
    sampler->from = INT64_MAX;
    sampler->fresh = 0;
    sampler->drawn_end = sampler->end;
    if (!done) live->failed = true;
    return done;
}

bool live_samples_absorb(LiveTrace *live)
{
    live->event_count += vec_count(&live->builder->profile.samples);
    for (uint32_t i = 1; i < VECTOR_COUNT(live->samplers.all, LiveSampler); i++)
        if (sampler_at(live, i)->from < INT64_MAX && !lay_out(live, i)) return false;
    profile_group_release(&live->samplers.walk.made);
    return !live->failed;
}

/* ---- removal, conversion of ticks, release ---- */

bool live_samples_drop(LiveTrace *live, uint32_t index, int64_t tick)
{
    LiveSampler   *sampler = sampler_at(live, index);
    const int64_t *ticks = live->trace.profile.tick + sampler->first;
    const uint32_t old = ticks_lower_bound(ticks, sampler->count, tick);
    const LivePart part = part_of(sampler);
    return old < 2 || live_part_drop(live, &part, old - 1); /* the last of them is still valid at `tick` */
}

void live_samples_convert(LiveTrace *live, ClockConversion *conversion)
{
    for (uint32_t i = 1; i < VECTOR_COUNT(live->samplers.all, LiveSampler); i++) {
        LiveSampler *sampler = sampler_at(live, i);
        int64_t *ticks[] = { &sampler->from, &sampler->unsettled_from, &sampler->outer_from, &sampler->end,
                             &sampler->drawn_end };
        for (uint32_t n = 0; n < sampler->count; n++)
            clock_convert(conversion, &live->trace.profile.tick[sampler->first + n]);
        for (size_t t = 0; t < sizeof ticks / sizeof ticks[0]; t++)
            live_convert_tick(conversion, ticks[t]);
        sampler->median_of = 0;
    }
}

void live_samples_release(LiveTrace *live)
{
    bytes_release(&live->samplers.all);
    sample_walk_release(&live->samplers.walk);
}
