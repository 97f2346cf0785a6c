#include "trace/make/profile.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Limit for hostile inputs with stacks so deep that the slices of all their frames would not fit into memory: frames
 * are drawn to a depth that limits both their number and the steps to find them. Recordings are far below it. */
static const uint64_t MOST_STEPS = (uint64_t)1 << 32;
static const uint64_t MOST_SLICES_BEYOND = (uint64_t)1 << 20, MOST_SLICES_A_SAMPLE = 64;

typedef struct Profiles {
    Finish            *finish;
    TraceBuilder      *builder;
    const Stack       *stacks; /* the trace's */
    uint32_t          *depth;  /* by stack: the number of its frames */
    uint32_t          *shown;  /* by stack: the drawn part: 0 = none (it is idle), or an ancestor */
    uint32_t          *labels; /* by frame; 0 = not made yet */
    uint32_t           max_depth;
    const StackSample *samples; /* by sampler, then time, then place in the file */
} Profiles;

/* ---- order ---- */

static StackSample *sorted_samples(Finish *finish)
{
    TraceBuilder      *builder = finish->builder;
    Workspace         *ws = &finish->workspaces[0];
    const StackSample *fed = builder->profile.samples.items;
    size_t             count = vec_count(&builder->profile.samples);
    SortKey           *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    StackSample       *sorted = ARENA_ARRAY(&builder->log_arena, StackSample, count);
    if (keys == NULL || sorted == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        keys[i] = (SortKey){ (uint64_t)fed[i].tick ^ (uint64_t)1 << 63, i };
    SortKey *by_time = workspace_sort(ws, keys, count);
    if (by_time == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        by_time[i].key = fed[by_time[i].index].sampler;
    if (by_time != keys) memcpy(keys, by_time, count * sizeof *keys);
    SortKey *by_sampler = workspace_sort(ws, keys, count);
    if (by_sampler == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = fed[by_sampler[i].index];
        if (builder->profile.stacks.ids != NULL)
            sorted[i].stack = builder->profile.stacks.ids[sorted[i].stack];
    }
    return sorted;
}

/* The order of tracks. */
typedef struct GroupOrder {
    StringView   name;
    ProfileGroup group;
} GroupOrder;

static int compare_groups(const void *left, const void *right)
{
    const GroupOrder *a = (const GroupOrder *)left, *b = (const GroupOrder *)right;
    if (a->group.thread != b->group.thread) return a->group.thread < b->group.thread ? -1 : 1;
    int by_name = string_compare_natural(a->name, b->name);
    if (by_name != 0) return by_name;
    return (a->group.sampler > b->group.sampler) - (a->group.sampler < b->group.sampler);
}

bool profile_sort_groups(const TraceBuilder *builder, Arena *arena, ProfileGroup *groups, size_t count)
{
    GroupOrder *order = ARENA_ARRAY(arena, GroupOrder, count);
    if (order == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        const SamplerLog *sampler = &builder->profile.samplers.items[groups[i].sampler];
        groups[i].thread = sampler->thread.index;
        order[i] = (GroupOrder){ string_table_view(builder->strings, sampler->name), groups[i] };
    }
    if (count > 1) qsort(order, count, sizeof *order, compare_groups);
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

/* ---- drawn parts of stacks ---- */

static bool measure_stacks(Profiles *p)
{
    const StackTable *table = &p->finish->trace->stacks;
    Arena            *arena = &p->builder->log_arena;
    p->stacks = table->stacks;
    p->depth = ARENA_ARRAY(arena, uint32_t, (size_t)table->stack_count + 1);
    p->shown = ARENA_ARRAY(arena, uint32_t, (size_t)table->stack_count + 1);
    p->labels = ARENA_ARRAY(arena, uint32_t, (size_t)table->frame_count + 1);
    if (p->depth == NULL || p->shown == NULL || p->labels == NULL) return false;
    for (uint32_t i = 1; i <= table->stack_count; i++) {
        p->depth[i] = p->depth[p->stacks[i].parent] + 1;
        p->shown[i] = table->frames[p->stacks[i].frame].flags & FRAME_IDLE ? 0 : i;
        if (p->depth[i] > p->max_depth) p->max_depth = p->depth[i];
    }
    return true;
}

/* Restricts drawing to the outer `depth` frames. */
static void limit_depth(Profiles *p, uint32_t depth)
{
    for (uint32_t i = 1; i <= p->finish->trace->stacks.stack_count; i++) {
        if (p->shown[i] != 0 && p->depth[i] > depth) p->shown[i] = p->shown[p->stacks[i].parent];
    }
    p->max_depth = depth;
    builder_warn(p->builder, "deep-stacks", (EventPos){ ERR_NOWHERE, ERR_NOWHERE },
                 "stacks of samples are drawn down to their first %lu frames: there are too many",
                 (unsigned long)depth);
}

/* Returns the greatest depth at which the sum of `counts` (the number of items at each depth) is at most `most`. */
static uint32_t depth_within(const uint64_t *counts, uint32_t max_depth, uint64_t most)
{
    uint64_t sum = 0;
    for (uint32_t depth = 0; depth < max_depth; depth++) {
        sum = counts[depth] > most - sum ? most + 1 : sum + counts[depth];
        if (sum > most) return depth > 0 ? depth : 1;
    }
    return max_depth;
}

/* Limits the steps for comparing consecutive stacks. */
static bool limit_steps(Profiles *p, size_t sample_count)
{
    uint64_t *counts = ARENA_ARRAY(&p->builder->log_arena, uint64_t, (size_t)p->max_depth + 1);
    if (counts == NULL) return false;
    for (size_t i = 0; i < sample_count; i++)
        counts[p->depth[p->shown[p->samples[i].stack]]]++;
    uint64_t deeper = 0;
    for (uint32_t depth = p->max_depth + 1; depth-- > 0;) {
        uint64_t here = counts[depth];
        counts[depth] = deeper; /* the number of stacks with a frame at this depth, from 0 */
        deeper += here;
    }
    uint32_t depth = depth_within(counts, p->max_depth, MOST_STEPS);
    if (depth < p->max_depth) limit_depth(p, depth);
    return true;
}

/* Returns the number of common frames of two stacks, from the outermost on. */
static uint32_t common_depth(const Profiles *p, uint32_t a, uint32_t b)
{
    while (a != b) { /* the id of a parent is less than its child's */
        if (a > b) {
            a = p->stacks[a].parent;
        } else {
            b = p->stacks[b].parent;
        }
    }
    return p->depth[a];
}

/* Limits the number of slices by depth, over all groups. */
static bool limit_slices(Profiles *p, size_t sample_count)
{
    uint64_t *counts = ARENA_ARRAY(&p->builder->log_arena, uint64_t, (size_t)p->max_depth + 1);
    if (counts == NULL) return false;
    uint32_t before = 0;
    for (size_t i = 0; i < sample_count; i++) {
        if (i > 0 && p->samples[i].sampler != p->samples[i - 1].sampler) before = 0;
        uint32_t now = p->shown[p->samples[i].stack];
        uint32_t common = common_depth(p, before, now);
        counts[common]++; /* one slice more from here on ... */
        counts[p->depth[now]]--;
        before = now;
    }
    for (uint32_t depth = 1; depth <= p->max_depth; depth++)
        counts[depth] += counts[depth - 1];
    uint32_t depth =
        depth_within(counts, p->max_depth, MOST_SLICES_BEYOND + MOST_SLICES_A_SAMPLE * sample_count);
    if (depth < p->max_depth) limit_depth(p, depth);
    return true;
}

/* ---- slices ---- */

uint32_t profile_label(TraceBuilder *builder, const StackFrame *frame)
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

static uint32_t label_of_frame(Profiles *p, uint32_t index)
{
    if (p->labels[index] == 0)
        p->labels[index] = profile_label(p->builder, &p->finish->trace->stacks.frames[index]);
    return p->labels[index];
}

uint64_t profile_median(Workspace *ws, SortKey *keys, size_t count)
{
    if (keys == NULL || count == 0) return 0;
    keys = workspace_sort(ws, keys, count);
    return keys == NULL ? 0 : keys[count / 2].key;
}

/* Returns the duration of the last sample. */
static uint64_t median_interval(Workspace *ws, const ProfileGroup *group)
{
    size_t   count = group->sample_count - 1;
    SortKey *keys = (SortKey *)workspace_pages(ws, &ws->keys, count, sizeof(SortKey));
    for (size_t i = 0; keys != NULL && i < count; i++)
        keys[i] = (SortKey){ (uint64_t)group->samples[i + 1].tick - (uint64_t)group->samples[i].tick, i };
    return profile_median(ws, keys, count);
}

static int64_t end_of_group(Workspace *ws, const ProfileGroup *group)
{
    int64_t  last = group->samples[group->sample_count - 1].tick;
    uint64_t room = (uint64_t)INT64_MAX - (uint64_t)last, held = median_interval(ws, group);
    return held > room ? INT64_MAX : (int64_t)((uint64_t)last + held);
}

/* Makes the rows, with the number of slices at each depth. */
static bool count_rows(Profiles *p, ProfileGroup *group)
{
    WorkRow *rows = ARENA_ARRAY(&p->builder->log_arena, WorkRow, p->max_depth);
    if (rows == NULL) return false;
    uint32_t before = 0;
    for (size_t i = 0; i < group->sample_count; i++) {
        uint32_t now = p->shown[group->samples[i].stack];
        for (uint32_t d = common_depth(p, before, now); d < p->depth[now]; d++)
            rows[d].slice_count++;
        if (p->depth[now] > group->row_count) group->row_count = p->depth[now];
        before = now;
    }
    for (uint32_t d = 0; d < group->row_count; d++) {
        rows[d].depth = d;
        group->interval_count += (size_t)rows[d].slice_count;
    }
    group->rows = rows;
    return true;
}

/* The open slices at the current position of the walk, and the index of the next slice at each depth. */
typedef struct Growth {
    ProfileGroup *group;
    size_t       *open, *next; /* by depth: indices into group->intervals */
} Growth;

static void grow_slices(Profiles *p, Growth *g, uint32_t before, uint32_t now, int64_t tick)
{
    ProfileGroup *group = g->group;
    uint32_t      common = common_depth(p, before, now);
    for (uint32_t d = common; d < p->depth[before]; d++)
        group->intervals[g->open[d]].end = tick;
    for (uint32_t d = p->depth[now]; d-- > common; now = p->stacks[now].parent) {
        size_t at = g->open[d] = g->next[d]++;
        group->intervals[at] = (Interval){ .begin = tick,
                                           .end = tick,
                                           .label = label_of_frame(p, p->stacks[now].frame),
                                           .extra = (uint32_t)at + 1,
                                           .row = d };
        group->extras[at] = (IntervalExtra){ .stack = now };
    }
}

static bool make_slices(Profiles *p, ProfileGroup *group)
{
    Arena *arena = &p->builder->log_arena;
    if (!count_rows(p, group) || group->interval_count >= UINT32_MAX) return false;
    group->intervals = ARENA_ARRAY(arena, Interval, group->interval_count);
    group->extras = ARENA_ARRAY(arena, IntervalExtra, group->interval_count);
    Growth g = { .group = group,
                 .open = ARENA_ARRAY(arena, size_t, group->row_count),
                 .next = ARENA_ARRAY(arena, size_t, group->row_count) };
    if (group->intervals == NULL || group->extras == NULL || g.open == NULL || g.next == NULL) return false;
    for (uint32_t d = 1; d < group->row_count; d++)
        g.next[d] = g.next[d - 1] + (size_t)group->rows[d - 1].slice_count;
    uint32_t before = 0;
    for (size_t i = 0; i < group->sample_count; i++) {
        uint32_t now = p->shown[group->samples[i].stack];
        grow_slices(p, &g, before, now, group->samples[i].tick);
        before = now;
    }
    Workspace *ws = &p->finish->workspaces[0];
    /* Stacks that are not drawn have no duration. */
    int64_t end = before == 0 ? group->samples[group->sample_count - 1].tick : end_of_group(ws, group);
    grow_slices(p, &g, before, 0, end);
    if (end > p->builder->global.max_tick) p->builder->global.max_tick = end;
    return !ws->failed && !p->builder->failed;
}

bool profiles_prepare(Finish *finish)
{
    TraceBuilder *builder = finish->builder;
    size_t        count = vec_count(&builder->profile.samples);
    if (count == 0) return true;
    StackSample *samples = sorted_samples(finish);
    Profiles     p = { .finish = finish, .builder = builder, .samples = samples };
    if (samples == NULL || !make_groups(finish, samples, count) || !measure_stacks(&p) ||
        !limit_steps(&p, count) || !limit_slices(&p, count)) {
        return false;
    }
    for (uint32_t i = 0; i < finish->profiles.count; i++) {
        if (!make_slices(&p, &finish->profiles.groups[i])) return false;
    }
    for (size_t i = 0; i < count && !finish->trace->profile.has_weights; i++)
        finish->trace->profile.has_weights = samples[i].weight != 1;
    return true;
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

static uint64_t sampler_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    const SamplerLog    sampler = builder->profile.samplers.items[index];
    return hash_pair(sampler.thread.index, sampler.name.index, builder->hash_key);
}

SamplerId builder_sampler(TraceBuilder *builder, TrackId thread, StringId name)
{
    SamplerId         none = { 0 };
    uint32_t          found;
    const SamplerLog *known = builder->profile.samplers.items;
    HASH_FIND(&builder->profile.sampler_map, hash_pair(thread.index, name.index, builder->hash_key), found,
              known[found].thread.index == thread.index && known[found].name.index == name.index);
    if (found != 0) return (SamplerId){ found };
    SamplerLog *sampler = builder_add_numbered(builder, &builder->profile.samplers);
    if (sampler == NULL) return none;
    *sampler = (SamplerLog){ thread, name };
    const uint32_t index = builder_last_index(&builder->profile.samplers);
    return builder_index_add(builder, &builder->profile.sampler_map, index, sampler_hash)
               ? (SamplerId){ index }
               : none;
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
