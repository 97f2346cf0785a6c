#include "trace/make/profile.h"

#include "base/checked.h"
#include "base/search.h"
#include "trace/make/track_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

static uint64_t sampler_of(const TraceBuilder *builder, const void *sample)
{
    (void)builder;
    return ((const StackSample *)sample)->sampler;
}

static StackSample *sorted_samples(Finish *finish)
{
    TraceBuilder      *builder = finish->builder;
    Workspace         *ws = &finish->workspaces[0];
    const StackSample *fed = builder->profile.samples.items;
    size_t             count = vec_count(&builder->profile.samples);
    const SortKey     *order = workspace_sort_items(ws, &(SortItems){ fed, count, sizeof *fed, sampler_of });
    StackSample       *sorted = ARENA_ARRAY(&builder->log_arena, StackSample, count);
    if (order == NULL || sorted == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = fed[order[i].index];
        if (builder->profile.stacks.ids != NULL)
            sorted[i].stack = builder->profile.stacks.ids[sorted[i].stack];
    }
    return sorted;
}

typedef struct GroupOrder {
    TrackName    name;
    ProfileGroup group;
} GroupOrder;

bool profile_sort_groups(const TraceBuilder *builder, Arena *arena, ProfileGroup *groups, size_t count)
{
    GroupOrder *order = ARENA_ARRAY(arena, GroupOrder, count);
    if (order == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const SamplerLog *sampler = &builder->profile.samplers.items[groups[i].sampler];
        groups[i].thread = sampler->thread.index;
        order[i] = (GroupOrder){ { sampler->thread.index, groups[i].sampler,
                                   string_table_view(builder->strings, sampler->name) },
                                 groups[i] };
    }
    if (count > 1) qsort(order, count, sizeof *order, compare_track_names);
    for (size_t i = 0; i < count; i++)
        groups[i] = order[i].group;
    return true;
}

/* Makes one group for each sampler that has samples, by thread and name. */
static bool make_groups(Finish *finish, StackSample *samples, size_t count)
{
    TraceBuilder *builder = finish->builder;
    size_t        most = vec_count(&builder->profile.samplers), found = 0;
    finish->profiles.groups = ARENA_ARRAY(&builder->log_arena, ProfileGroup, most);
    if (finish->profiles.groups == NULL) return false;
    for (size_t first = 0; first < count;) {
        size_t last = first + 1;
        while (last < count && samples[last].sampler == samples[first].sampler)
            last++;
        finish->profiles.groups[found++] = (ProfileGroup){ .sampler = samples[first].sampler,
                                                           .samples = samples + first,
                                                           .sample_count = last - first };
        first = last;
    }
    finish->profiles.count = (uint32_t)found;
    return profile_sort_groups(builder, &builder->log_arena, finish->profiles.groups, found);
}

/* ---- the walk over the samples of a sampler ---- */

enum { OUTER_FRAMES = 64 };

bool sample_walk_prepare(SampleWalk *walk)
{
    const StackTable *table = walk->table;
    for (size_t i = vec_count(&walk->stacks); i <= table->stack_count; i++) {
        SampleStack made = { .depth = 0 };
        if (i > 0 && table->stacks[i].frame != STACK_PROMISED) {
            const SampleStack parent = walk->stacks.items[table->stacks[i].parent];
            made.depth = parent.depth + 1;
            made.outer = made.depth <= OUTER_FRAMES ? (uint32_t)i : parent.outer;
        }
        vec_push(&walk->stacks, made);
        if (walk->stacks.bytes.failed) return false;
    }
    while (vec_count(&walk->labels) <= table->frame_count && !walk->labels.bytes.failed)
        vec_push(&walk->labels, 0);
    return !walk->labels.bytes.failed;
}

void sample_walk_start(SampleWalk *walk, int64_t outer_from)
{
    vec_clear(&walk->made.intervals);
    vec_clear(&walk->made.extras);
    vec_clear(&walk->made.rows);
    vec_clear(&walk->open);
    walk->before = 0;
    walk->outer_from = outer_from;
}

bool sample_walk_open(SampleWalk *walk, const Interval *interval, uint32_t stack)
{
    ProfileGroup  *made = &walk->made;
    const uint32_t depth = (uint32_t)vec_count(&walk->open);
    Interval       opened = *interval;
    opened.extra = (uint32_t)vec_count(&made->intervals) + 1;
    opened.row = depth;
    vec_push(&made->intervals, opened);
    vec_push(&made->extras, (IntervalExtra){ .stack = stack });
    vec_push(&made->rows, (WorkRow){ .depth = depth, .slice_count = 1 });
    if (made->intervals.bytes.failed || made->extras.bytes.failed || made->rows.bytes.failed) return false;
    vec_push(&walk->open, opened.extra - 1);
    walk->before = stack;
    return !walk->open.bytes.failed;
}

uint32_t sample_walk_shown(const SampleWalk *walk, uint32_t stack, int64_t tick)
{
    const StackTable *table = walk->table;
    if (stack == 0 || (table->frames[table->stacks[stack].frame].flags & FRAME_IDLE)) return 0;
    return tick >= walk->outer_from ? walk->stacks.items[stack].outer : stack;
}

/* Returns the common outer part of two stacks. */
static uint32_t common_stack(const SampleWalk *walk, uint32_t a, uint32_t b)
{
    const Stack *stacks = walk->table->stacks;
    while (a != b) { /* the id of a parent is less than its child's */
        if (a > b) {
            a = stacks[a].parent;
        } else {
            b = stacks[b].parent;
        }
    }
    return a;
}

/* Ends the open slices from a depth on. */
static void end_slices(SampleWalk *walk, uint32_t depth, int64_t tick)
{
    for (size_t d = depth; d < vec_count(&walk->open); d++)
        walk->made.intervals.items[walk->open.items[d]].end = tick;
    if (depth < vec_count(&walk->open)) vec_cut(&walk->open, depth);
}

/* Makes the label of a frame's slices. 0: out of memory, the builder has failed. */
static uint32_t make_label(TraceBuilder *builder, const StackFrame *frame)
{
    StringId name = frame->function;
    if (name.index == 0) {
        Bytes text = { .data = NULL };
        if (frame->address != 0) {
            bytes_printf(&text, "0x%llx", (unsigned long long)frame->address);
        } else {
            bytes_append_text(&text, "(anonymous)");
        }
        if (text.failed) {
            builder->failed = true;
        } else {
            name = builder_string(builder, (const char *)text.data, text.size);
        }
        bytes_release(&text);
    }
    return builder_label(builder, name, frame->module).index;
}

/* Begins the slices of a stack inside the open ones. False when out of memory. */
static bool begin_slices(SampleWalk *walk, uint32_t stack, int64_t tick)
{
    const Stack   *stacks = walk->table->stacks;
    ProfileGroup  *made = &walk->made;
    const uint32_t depth = walk->stacks.items[stack].depth, first = (uint32_t)vec_count(&made->intervals);
    const uint32_t shared = (uint32_t)vec_count(&walk->open), fresh = depth - shared;
    if (fresh == 0) return true;
    Interval      *intervals = vec_reserve(&made->intervals, fresh);
    IntervalExtra *extras = vec_reserve(&made->extras, fresh);
    uint32_t      *open = vec_reserve(&walk->open, fresh);
    for (size_t d = vec_count(&made->rows); d < depth; d++)
        vec_push(&made->rows, (WorkRow){ .depth = (uint32_t)d });
    if (intervals == NULL || extras == NULL || open == NULL || made->rows.bytes.failed ||
        fresh >= UINT32_MAX - first)
        return false;
    for (uint32_t i = fresh; i-- > 0; stack = stacks[stack].parent) {
        uint32_t *label = &walk->labels.items[stacks[stack].frame];
        if (*label == 0) *label = make_label(walk->builder, &walk->table->frames[stacks[stack].frame]);
        intervals[i] = (Interval){
            .begin = tick, .end = tick, .label = *label, .extra = first + i + 1, .row = shared + i
        };
        extras[i] = (IntervalExtra){ .stack = stack };
        open[i] = first + i;
        made->rows.items[shared + i].slice_count++;
    }
    vec_grow(&made->intervals, fresh);
    vec_grow(&made->extras, fresh);
    vec_grow(&walk->open, fresh);
    walk->slice_count += fresh;
    return !walk->builder->failed;
}

/* True if there are too many slices if those of a stack inside a common outer part are added. */
static bool are_too_many(const SampleWalk *walk, uint32_t stack, uint32_t common)
{
    const uint64_t     most = ((uint64_t)1 << 20) + OUTER_FRAMES * walk->sample_count;
    const SampleStack *stacks = walk->stacks.items;
    return walk->slice_count + stacks[stack].depth - stacks[common].depth > most;
}

bool sample_walk_add(SampleWalk *walk, uint32_t stack, int64_t tick)
{
    uint32_t now = sample_walk_shown(walk, stack, tick), common = common_stack(walk, walk->before, now);
    walk->sample_count++;
    if (walk->outer_from > tick && are_too_many(walk, now, common)) {
        builder_warn(
            walk->builder, "deep-stacks", (EventPos){ ERR_NOWHERE, ERR_NOWHERE },
            "from here on, stacks of samples are drawn down to their first %d frames: there are too many",
            OUTER_FRAMES);
        walk->outer_from = tick;
        now = sample_walk_shown(walk, stack, tick);
        common = common_stack(walk, walk->before, now);
    }
    end_slices(walk, walk->stacks.items[common].depth, tick);
    walk->before = now;
    return begin_slices(walk, now, tick);
}

void sample_walk_end(SampleWalk *walk, int64_t tick)
{
    end_slices(walk, 0, tick);
    walk->before = 0;
}

void sample_walk_release(SampleWalk *walk)
{
    profile_group_release(&walk->made);
    vec_release(&walk->stacks);
    vec_release(&walk->labels);
    vec_release(&walk->open);
}

/* ---- the last sample ---- */

uint64_t profile_median(Workspace *ws, const void *items, size_t count, size_t item_size)
{
    SortKey       *keys = count < 2 ? NULL : (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof *keys);
    const uint8_t *at = (const uint8_t *)items;
    if (keys == NULL) return 0;
    for (size_t i = 0; i < count - 1; i++, at += item_size)
        keys[i].key = *(const uint64_t *)(const void *)(at + item_size) - *(const uint64_t *)(const void *)at;
    keys = workspace_sort(ws, keys, count - 1);
    return keys == NULL ? 0 : keys[(count - 1) / 2].key;
}

int64_t profile_end(int64_t tick, uint64_t median)
{
    const uint64_t room = (uint64_t)INT64_MAX - (uint64_t)tick;
    return median > room ? INT64_MAX : (int64_t)((uint64_t)tick + median);
}

/* ---- all samplers ---- */

/* Ends the open slices after one interval if the next sample is more than two intervals later. */
static void end_before_gap(SampleWalk *walk, int64_t tick, int64_t next, uint64_t interval)
{
    const uint64_t gap = (uint64_t)next - (uint64_t)tick;
    if (gap / 2 > interval) sample_walk_end(walk, tick + (int64_t)interval);
}

static bool make_slices(Finish *finish, SampleWalk *walk, ProfileGroup *group)
{
    Workspace     *ws = &finish->workspaces[0];
    int64_t        end = group->samples[group->sample_count - 1].tick;
    const uint64_t interval = (uint64_t)finish->builder->profile.samplers.items[group->sampler].interval;
    sample_walk_start(walk, INT64_MAX);
    for (size_t i = 0; i < group->sample_count; i++) {
        const int64_t tick = group->samples[i].tick;
        if (i > 0 && interval > 0) end_before_gap(walk, group->samples[i - 1].tick, tick, interval);
        if (!sample_walk_add(walk, group->samples[i].stack, tick)) return false;
    }
    /* Stacks that are not drawn have no duration. */
    if (walk->before != 0)
        end = profile_end(end, interval > 0 ? interval
                                            : profile_median(ws, group->samples, group->sample_count,
                                                             sizeof *group->samples));
    sample_walk_end(walk, end);
    if (end > finish->builder->global.max_tick) finish->builder->global.max_tick = end;
    const ProfileGroup made = walk->made;
    walk->made = (ProfileGroup){ .sample_count = 0 };
    group->intervals = made.intervals;
    group->extras = made.extras;
    group->rows = made.rows;
    return !ws->failed && !finish->builder->failed;
}

bool profiles_prepare(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    const size_t  count = vec_count(&builder->profile.samples);
    SampleWalk    walk = { .builder = builder, .table = &finish->trace->stacks };
    if (count == 0) return true;
    StackSample *samples = sorted_samples(finish);
    bool         done = samples != NULL && make_groups(finish, samples, count) && sample_walk_prepare(&walk);
    for (uint32_t i = 0; done && i < finish->profiles.count; i++)
        done = make_slices(finish, &walk, &finish->profiles.groups[i]);
    sample_walk_release(&walk);
    for (size_t i = 0; done && i < count && !finish->trace->profile.has_weights; i++)
        finish->trace->profile.has_weights = samples[i].weight != 1;
    return done;
}

void profile_group_release(ProfileGroup *group)
{
    vec_release(&group->intervals);
    vec_release(&group->extras);
    vec_release(&group->rows);
}

void profiles_release(Finish *finish)
{
    for (uint32_t i = 0; i < finish->profiles.count; i++)
        profile_group_release(&finish->profiles.groups[i]);
}

uint32_t profiles_first_of(const Finish *finish, uint32_t thread)
{
    uint32_t low = 0;
    LOWER_BOUND(uint32_t, low, finish->profiles.count, i, finish->profiles.groups[i].thread < thread);
    return low;
}

void profiles_fill(Finish *finish, const ProfileGroup *group, const Track *track)
{
    ProfileColumns *profile = &finish->trace->profile;
    for (size_t i = 0; i < group->sample_count; i++) {
        uint64_t at = track->extras->first_profile + i;
        profile->tick[at] = group->samples[i].tick;
        profile->stack[at] = group->samples[i].stack;
        if (profile->weight != NULL) profile->weight[at] = group->samples[i].weight;
    }
}

/* ---- the builder's side ---- */

SamplerId builder_sampler(TraceBuilder *builder, TrackId thread, StringId name)
{
    const SamplerLog sampler = { .thread = thread, .name = name };
    return (SamplerId){ builder_find_or_add(builder, &builder->profile.sampler_map,
                                            &builder->profile.samplers.bytes, &sampler, sizeof sampler) };
}

void builder_sample_interval(TraceBuilder *builder, SamplerId sampler, int64_t ticks)
{
    assert(ticks >= 0);
    if (sampler.index != 0 && !is_observed(builder))
        builder->profile.samplers.items[sampler.index].interval = ticks;
}

void builder_stack_sample(TraceBuilder *builder, SamplerId sampler, int64_t tick, StackId stack,
                          double weight)
{
    if (sampler.index == 0 || is_observed(builder)) return;
    StackSample *sample = builder_add(builder, &builder->profile.samples);
    if (sample == NULL) return;
    *sample = (StackSample){ tick, weight, sampler.index, stack.index };
    const TrackId thread = builder->profile.samplers.items[sampler.index].thread;
    builder_thread_log(builder, thread)->has_events = true;
    if (tick < builder->global.min_tick) builder->global.min_tick = tick;
    if (tick > builder->global.max_tick) builder->global.max_tick = tick;
}
