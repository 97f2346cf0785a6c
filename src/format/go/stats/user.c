/* Durations of user tasks and regions. */
#include "format/go/stats/state.h"

#include <assert.h>
#include <stdlib.h>

/* -- types -- */

/* Returns the index of the type of a name, and adds it if it is new; UINT32_MAX = out of memory. */
static uint32_t find_type(Stats *stats, StringId name, bool is_task)
{
    GoStats *out = stats->out;
    IdMap   *map = is_task ? &stats->maps.task_types : &stats->maps.region_types;
    uint32_t place = id_map_find(map, name.index);
    if (place != 0) return place - 1;
    GoUserType *types =
        arena_grow(&out->arena, out->types, out->type_count, &stats->out_capacity.types, sizeof *types);
    if (types == NULL || !id_map_put(map, name.index, out->type_count + 1)) {
        stats->out_of_memory = true;
        return UINT32_MAX;
    }
    out->types = types;
    types[out->type_count] = (GoUserType){ .name = name, .is_task = is_task };
    return out->type_count++;
}

static unsigned bucket_of(int64_t ns)
{
    unsigned bucket = 0;
    for (uint64_t rest = (uint64_t)ns; rest > 1; rest >>= 1)
        bucket++;
    return bucket;
}

static void count_duration(Stats *stats, uint32_t type, int64_t begin, int64_t end)
{
    if (type == UINT32_MAX || !stats_is_inside(stats, begin, end)) return;
    StatsDuration *durations =
        arena_grow(&stats->out->arena, stats->entries.durations, stats->entries.duration_count,
                   &stats->entries.duration_capacity, sizeof *durations);
    if (durations == NULL) {
        stats->out_of_memory = true;
        return;
    }
    assert(type < stats->out->type_count);
    stats->entries.durations = durations;
    durations[stats->entries.duration_count++] = (StatsDuration){ type, end - begin };
    stats->out->types[type].buckets[bucket_of(end - begin)]++;
}

static void count_open(Stats *stats, uint32_t type, int64_t begin, int64_t end)
{
    if (type != UINT32_MAX && stats_is_inside(stats, begin, end)) stats->out->types[type].open_count++;
}

/* -- tasks -- */

static void mention(Stats *stats, uint64_t task)
{
    if (task == (uint64_t)GO_NONE || id_map_find(&stats->maps.mentioned_tasks, task) != 0) return;
    if (!id_map_put(&stats->maps.mentioned_tasks, task, 1)) stats->out_of_memory = true;
    stats->out->task_count++;
}

static void begin_task(Stats *stats, const GoEvent *event)
{
    uint32_t place = id_map_find(&stats->maps.tasks, event->args[0]);
    if (place == 0) {
        StatsTask *tasks = arena_grow(&stats->out->arena, stats->entries.tasks, stats->entries.task_count,
                                      &stats->entries.task_capacity, sizeof *tasks);
        if (tasks == NULL || !id_map_put(&stats->maps.tasks, event->args[0], stats->entries.task_count + 1)) {
            stats->out_of_memory = true;
            return;
        }
        stats->entries.tasks = tasks;
        place = ++stats->entries.task_count;
    }
    assert(place <= stats->entries.task_count);
    stats->entries.tasks[place - 1] = (StatsTask){ event->args[0], event->time, event->extra, true };
}

static void end_task(Stats *stats, const GoEvent *event)
{
    uint32_t   place = id_map_find(&stats->maps.tasks, event->args[0]);
    StatsTask *task = place == 0 ? NULL : &stats->entries.tasks[place - 1];
    if (task == NULL || !task->is_open) { /* it began before the trace */
        count_open(stats, find_type(stats, event->extra, true), stats->out->trace_begin, event->time);
        return;
    }
    task->is_open = false;
    count_duration(stats, find_type(stats, task->name, true), task->begin, event->time);
}

/* -- regions -- */

static void push_region(Stats *stats, StatsG *g, const StatsRegion *region)
{
    uint32_t place = stats->entries.free_region;
    if (place != 0) {
        stats->entries.free_region = stats->entries.regions[place - 1].outer;
    } else {
        StatsRegion *regions =
            arena_grow(&stats->out->arena, stats->entries.regions, stats->entries.region_count,
                       &stats->entries.region_capacity, sizeof *regions);
        if (regions == NULL) {
            stats->out_of_memory = true;
            return;
        }
        stats->entries.regions = regions;
        place = ++stats->entries.region_count;
    }
    assert(place <= stats->entries.region_count);
    stats->entries.regions[place - 1] = *region;
    stats->entries.regions[place - 1].outer = g->region;
    g->region = place;
}

static void pop_region(Stats *stats, StatsG *g)
{
    StatsRegion *region = &stats->entries.regions[g->region - 1];
    uint32_t     place = g->region;
    g->region = region->outer;
    region->outer = stats->entries.free_region;
    stats->entries.free_region = place;
}

static void count_region(Stats *stats, const StatsG *g, const StatsRegion *region, int64_t end)
{
    int64_t  of[GO_TIME_COUNT];
    uint32_t type = find_type(stats, region->name, false);
    count_duration(stats, type, region->begin, end);
    if (type == UINT32_MAX) return;
    stats_snapshot(stats, g, of);
    for (int time = 0; time < GO_TIME_COUNT; time++)
        i64_accumulate(&stats->out->types[type].of[time], of[time] - region->of[time]);
}

static void begin_region(Stats *stats, StatsG *g, const GoEvent *event)
{
    StatsRegion region = { .begin = event->time, .name = event->extra, .task = event->args[0] };
    stats_snapshot(stats, g, region.of);
    push_region(stats, g, &region);
}

static void end_region(Stats *stats, StatsG *g, const GoEvent *event)
{
    stats_row(stats, g)->region_count++;
    if (g->region == 0 ||
        stats->entries.regions[g->region - 1].is_inherited) { /* it began before the trace */
        count_open(stats, find_type(stats, event->extra, false), stats->out->trace_begin, event->time);
        if (g->region != 0) pop_region(stats, g);
        return;
    }
    count_region(stats, g, &stats->entries.regions[g->region - 1], event->time);
    pop_region(stats, g);
}

void stats_user_inherit(Stats *stats, StatsG *g, int64_t creator)
{
    uint32_t place = stats_is_none(stats, creator) ? 0 : id_map_find(&stats->maps.gs, (uint64_t)creator);
    while (g->region != 0)
        pop_region(stats, g);
    if (place == 0 || stats->entries.gs[place].region == 0) return;
    StatsRegion region = stats->entries.regions[stats->entries.gs[place].region - 1];
    if (region.task == 0 && !stats->trace->is_v2) return;
    push_region(stats, g,
                &(StatsRegion){ .begin = stats->last_time, .task = region.task, .is_inherited = true });
}

void stats_user_goroutine_ends(Stats *stats, StatsG *g)
{
    GoGoroutine *row = stats_row(stats, g);
    bool         is_system = stats_is_system(stats, row->name);
    for (; g->region != 0; pop_region(stats, g)) {
        const StatsRegion *region = &stats->entries.regions[g->region - 1];
        if (!is_system) row->region_count++;
        if (!region->is_inherited)
            count_open(stats, find_type(stats, region->name, false), region->begin, stats->last_time);
    }
}

/* -- all events -- */

void stats_user_event(Stats *stats, const GoEvent *event)
{
    bool     is_region = event->kind == GO_REGION_BEGIN || event->kind == GO_REGION_END;
    uint32_t place = !is_region || stats_is_none(stats, event->g) ? 0 : stats_find_g(stats, event->g);
    mention(stats, event->args[0]);
    if (event->kind == GO_TASK_BEGIN) {
        mention(stats, event->args[1]);
        begin_task(stats, event);
    } else if (event->kind == GO_TASK_END) {
        mention(stats, event->extra_task);
        end_task(stats, event);
    } else if (place != 0 && stats->entries.gs[place].row != UINT32_MAX) {
        if (event->kind == GO_REGION_BEGIN) begin_region(stats, &stats->entries.gs[place], event);
        if (event->kind == GO_REGION_END) end_region(stats, &stats->entries.gs[place], event);
    }
}

static int compare_durations(const void *a, const void *b)
{
    const StatsDuration *left = a, *right = b;
    if (left->type != right->type) return left->type < right->type ? -1 : 1;
    return left->ns < right->ns ? -1 : left->ns > right->ns;
}

/* Returns the percentile by nearest rank. */
static int64_t percentile(const StatsDuration *sorted, uint64_t count, unsigned percent)
{
    uint64_t rank = (count * percent + 99) / 100;
    return sorted[rank == 0 ? 0 : rank - 1].ns;
}

static void describe(GoUserType *type, const StatsDuration *sorted, uint64_t count)
{
    type->count = count;
    type->min = sorted[0].ns;
    type->max = sorted[count - 1].ns;
    type->p50 = percentile(sorted, count, 50);
    type->p90 = percentile(sorted, count, 90);
    type->p99 = percentile(sorted, count, 99);
    for (uint64_t i = 0; i < count; i++)
        i64_accumulate(&type->total, sorted[i].ns);
}

static int compare_types(const void *a, const void *b)
{
    const GoUserType *left = a, *right = b;
    if (left->is_task != right->is_task) return left->is_task ? -1 : 1;
    if (left->total != right->total) return left->total > right->total ? -1 : 1;
    return left->name.index < right->name.index ? -1 : left->name.index > right->name.index;
}

bool stats_user_end(Stats *stats)
{
    GoStats *out = stats->out;
    for (uint32_t i = 0; i < stats->entries.task_count; i++) {
        const StatsTask *task = &stats->entries.tasks[i];
        if (task->is_open)
            count_open(stats, find_type(stats, task->name, true), task->begin, stats->last_time);
    }
    if (stats->out_of_memory) return false;
    if (stats->entries.duration_count > 1)
        qsort(stats->entries.durations, stats->entries.duration_count, sizeof *stats->entries.durations,
              compare_durations);
    for (uint32_t at = 0, next; at < stats->entries.duration_count; at = next) {
        for (next = at; next < stats->entries.duration_count &&
                        stats->entries.durations[next].type == stats->entries.durations[at].type;)
            next++;
        describe(&out->types[stats->entries.durations[at].type], stats->entries.durations + at, next - at);
    }
    uint32_t kept = 0; /* drop types without a task or region in the range */
    for (uint32_t i = 0; i < out->type_count; i++) {
        if (out->types[i].count + out->types[i].open_count > 0) out->types[kept++] = out->types[i];
    }
    out->type_count = kept;
    if (kept > 1) qsort(out->types, kept, sizeof *out->types, compare_types);
    return true;
}
