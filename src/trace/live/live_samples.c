/* Samples of stacks of a growing trace. Each sample continues the slices of the one before it. After a late sample,
 * the slices behind it are made again. */
#include "trace/live/live_state.h"
#include "trace/make/profile.h"

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
    Workspace     *ws = &live->workspace;
    SortKey       *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof *keys);
    for (uint32_t i = 1; keys != NULL && i < count; i++)
        keys[i - 1] = (SortKey){ .key = (uint64_t)ticks[i] - (uint64_t)ticks[i - 1] };
    sampler->median = profile_median(ws, keys, count - 1);
    sampler->median_of = count;
    if (ws->failed) live->failed = true;
    return !live->failed;
}

/* ---- stacks ---- */

/* Returns the final stack of a stack that may be unknown so far (STACK_PROMISED); 0 = still unknown. */
static uint32_t settled(const LiveTrace *live, uint32_t stack)
{
    const Stack *stacks = live->trace.stacks.stacks;
    return stack != 0 && stacks[stack].frame == STACK_PROMISED ? stacks[stack].parent : stack;
}

/* Computes the depths of new stacks. */
static bool measure_stacks(LiveTrace *live)
{
    const StackTable *table = &live->trace.stacks;
    const LiveStack   none = { .depth = 0 };
    if (table->stack_count == 0) return true;
    if (live->samplers.stack_depths.size == 0 &&
        !live_append(live, &live->samplers.stack_depths, &none, sizeof none))
        return false;
    for (uint32_t i = (uint32_t)VECTOR_COUNT(live->samplers.stack_depths, LiveStack); i <= table->stack_count;
         i++) {
        const Stack     *stack = &table->stacks[i];
        const LiveStack *known = VECTOR(live->samplers.stack_depths, const LiveStack);
        LiveStack        made = { .depth = 0 };
        if (stack->frame != STACK_PROMISED) {
            made.depth = known[stack->parent].depth + 1;
            made.outer = made.depth <= LIVE_OUTER_FRAMES ? i : known[stack->parent].outer;
        }
        if (!live_append(live, &live->samplers.stack_depths, &made, sizeof made)) return false;
    }
    return true;
}

static uint32_t depth_of(const LiveTrace *live, uint32_t stack)
{
    return stack == 0 ? 0 : VECTOR(live->samplers.stack_depths, const LiveStack)[stack].depth;
}

/* Returns the drawn part of a stack: 0 if it is idle or unknown. After too many changes of deep stacks only the outer
 * frames are drawn, because all frames would take too much memory. */
static uint32_t shown_of(const LiveTrace *live, const LiveSampler *sampler, uint32_t stack, int64_t tick)
{
    const StackTable *table = &live->trace.stacks;
    if (stack == 0 || (table->frames[table->stacks[stack].frame].flags & FRAME_IDLE)) return 0;
    return tick >= sampler->outer_from ? VECTOR(live->samplers.stack_depths, const LiveStack)[stack].outer
                                       : stack;
}

/* Sets outer_from after too many steps. */
static void watch_steps(LiveSampler *sampler, int64_t tick)
{
    const uint64_t most = (UINT64_C(1) << 20) + (uint64_t)LIVE_OUTER_FRAMES * sampler->count;
    if (sampler->steps > most && tick < INT64_MAX && sampler->outer_from == INT64_MAX)
        sampler->outer_from = tick + 1;
}

/* Returns the common outer part of two stacks; counts the steps. */
static uint32_t common_stack(const LiveTrace *live, LiveSampler *sampler, uint32_t a, uint32_t b)
{
    const Stack *stacks = live->trace.stacks.stacks;
    for (; a != b; sampler->steps++) { /* a parent's id is less than its child's */
        if (a > b) {
            a = stacks[a].parent;
        } else {
            b = stacks[b].parent;
        }
    }
    return a;
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
    const uint64_t room = (uint64_t)INT64_MAX - (uint64_t)tick, held = sampler->median;
    sampler->end = held > room ? INT64_MAX : (int64_t)((uint64_t)tick + held);
    if (shown_of(live, sampler, settled(live, live->columns.given_stacks[last]), tick) == 0)
        sampler->end = tick;
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
    if (!grow_samplers(live) || !measure_stacks(live)) return false;
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

static uint32_t label_of(LiveTrace *live, uint32_t frame)
{
    const uint32_t none = 0;
    while (VECTOR_COUNT(live->samplers.frame_labels, uint32_t) <= frame)
        if (!live_append(live, &live->samplers.frame_labels, &none, sizeof none)) return 0;
    uint32_t *label = &VECTOR(live->samplers.frame_labels, uint32_t)[frame];
    if (*label == 0) *label = profile_label(live->builder, &live->trace.stacks.frames[frame]);
    return *label;
}

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

/* Ends the slices of `before` and begins those of `now`, both from the depth of `common` on. */
static bool step(LiveTrace *live, LiveTrack *track, uint32_t common, uint32_t before, uint32_t now,
                 int64_t tick)
{
    const StackTable *table = &live->trace.stacks;
    const uint32_t    shared = depth_of(live, common), depth = depth_of(live, now);
    for (uint32_t d = shared; d < depth_of(live, before); d++) {
        LiveRow *row = live_row_get(live, track, 0, d);
        if (row == NULL) return false;
        if (row->row.slice_count == 0) continue; /* it was removed */
        live_slice_set_end(live, row, row->row.slice_count - 1, tick, 0, 0);
    }
    for (uint32_t d = shared; d < depth; d++) /* outermost first: the order of new rows */
        if (live_row_get(live, track, 0, d) == NULL) return false;
    for (uint32_t d = depth; d-- > shared; now = table->stacks[now].parent) {
        const LiveSlice slice = {
            .begin = tick, .end = tick, .label = label_of(live, table->stacks[now].frame), .stack = now
        };
        if (slice.label == 0 || !live_slice_append(live, live_row_get(live, track, 0, d), &slice))
            return false;
        track->slice_count++;
    }
    return !live->failed;
}

static bool lay_out(LiveTrace *live, uint32_t index)
{
    LiveSampler   *sampler = sampler_at(live, index);
    LiveTrack     *track = track_at(live, index);
    const int64_t *ticks = live->trace.profile.tick + sampler->first;
    uint32_t      *stacks = live->trace.profile.stack + sampler->first;
    const uint32_t first = ticks_lower_bound(ticks, sampler->count, sampler->from);
    if (live_postpones(live, sampler->fresh, sampler->count - first, MUCH_TO_LAY_OUT)) return true;
    live_note_change(live, track, sampler->drawn_end < sampler->from ? sampler->drawn_end : sampler->from);
    live_track_cut(live, track, sampler->from);
    /* The stack as it was drawn, even if it is known by now. */
    uint32_t before = first == 0 ? 0 : shown_of(live, sampler, stacks[first - 1], ticks[first - 1]);
    for (uint32_t i = first; i < sampler->count; i++) {
        stacks[i] = settle_stack(live, sampler, live->columns.given_stacks[sampler->first + i], ticks[i]);
        const uint32_t now = shown_of(live, sampler, stacks[i], ticks[i]);
        if (!step(live, track, common_stack(live, sampler, before, now), before, now, ticks[i])) return false;
        watch_steps(sampler, ticks[i]);
        before = now;
    }
    sampler->from = INT64_MAX;
    sampler->fresh = 0;
    sampler->drawn_end = sampler->end;
    return step(live, track, 0, before, 0, sampler->end);
}

bool live_samples_absorb(LiveTrace *live)
{
    live->event_count += vec_count(&live->builder->profile.samples);
    for (uint32_t i = 1; i < VECTOR_COUNT(live->samplers.all, LiveSampler); i++)
        if (sampler_at(live, i)->from < INT64_MAX && !lay_out(live, i)) return false;
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
    bytes_release(&live->samplers.stack_depths);
    bytes_release(&live->samplers.frame_labels);
}
