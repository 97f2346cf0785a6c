/* The share of the machine left to the program, over time, by the rules of Go's internal/trace/gc.go.
 *
 * A processor is taken during collector work on it: a mark worker, a goroutine that assists, a sweep. A stop of the
 * world takes all processors. Of several values at one time the least counts, as in Go's tool. */
#include "format/go/stats/state.h"
#include "format/go/v2/spec.h"

#include <assert.h>

static bool takes(const Stats *stats, unsigned what)
{
    return (stats->request->util & what) != 0;
}

/* -- the series -- */

static void add_step(Stats *stats, MmuSeries *series, int64_t time, double share)
{
    MmuStep *last = series->count == 0 ? NULL : &series->steps[series->count - 1];
    if (last != NULL && last->share == share) return;
    if (last != NULL && last->time >= time) {
        if (share < last->share) last->share = share;
        return;
    }
    MmuStep *steps =
        arena_grow(&stats->out->arena, series->steps, series->count, &series->capacity, sizeof *steps);
    if (steps == NULL) {
        stats->out_of_memory = true;
        return;
    }
    series->steps = steps;
    steps[series->count++] = (MmuStep){ time, share };
}

/* Appends the current value to a series, and notes if a step at the same time has another one. */
static void settle(Stats *stats, MmuSeries *series, int64_t time, double share)
{
    add_step(stats, series, time, share);
    if (series->count > 0 && series->steps[series->count - 1].share != share)
        stats->processors.is_unsettled = true;
}

static void settle_all(Stats *stats, int64_t time)
{
    GoStats *out = stats->out;
    stats->processors.is_unsettled = false;
    if (!takes(stats, GO_UTIL_PER_PROC)) {
        uint32_t taken =
            stats->processors.stw_depth > 0 ? stats->processors.count : stats->processors.busy_count;
        settle(stats, &out->series[0], time, 1 - (double)taken / (double)stats->processors.count);
        return;
    }
    for (uint32_t i = 1; i < stats->entries.p_count; i++) {
        const StatsP *p = &stats->entries.ps[i];
        if (p->series == 0 || p->id >= (int64_t)stats->processors.count) continue;
        settle(stats, &out->series[p->series - 1], time,
               stats->processors.stw_depth > 0 || p->gc_load > 0 ? 0 : 1);
    }
}

static uint32_t new_series(Stats *stats, int64_t time)
{
    GoStats   *out = stats->out;
    MmuSeries *series =
        arena_grow(&out->arena, out->series, out->series_count, &stats->out_capacity.series, sizeof *series);
    if (series == NULL) {
        stats->out_of_memory = true;
        return 0;
    }
    out->series = series;
    series[out->series_count] = (MmuSeries){ 0 };
    add_step(stats, &series[out->series_count], time, 1);
    return ++out->series_count;
}

/* -- the number of processors -- */

static bool is_there(const Stats *stats, const StatsP *p)
{
    return p->id >= 0 && p->id < (int64_t)stats->processors.count;
}

static void count_busy(Stats *stats)
{
    stats->processors.busy_count = 0;
    for (uint32_t i = 1; i < stats->entries.p_count; i++)
        stats->processors.busy_count +=
            is_there(stats, &stats->entries.ps[i]) && stats->entries.ps[i].gc_load > 0;
}

static void procs_change(Stats *stats, const GoEvent *event)
{
    enum { MOST_PROCS = 1 << 16 };
    uint64_t count = event->args[0];
    if (count == 0 || count > MOST_PROCS) return;
    if (takes(stats, GO_UTIL_PER_PROC)) {
        for (uint32_t i = 1; i < stats->entries.p_count; i++) { /* removed processors end their series */
            StatsP *p = &stats->entries.ps[i];
            if (p->series == 0 || p->id < (int64_t)count) continue;
            add_step(stats, &stats->out->series[p->series - 1], event->time, 0);
            p->series = 0;
        }
        for (int64_t id = 0; id < (int64_t)count; id++) {
            uint32_t place = stats_find_p(stats, id);
            if (place == 0) return;
            if (stats->entries.ps[place].series == 0)
                stats->entries.ps[place].series = new_series(stats, event->time);
        }
    } else if (stats->out->series_count == 0) {
        (void)new_series(stats, event->time);
    }
    stats->processors.count = (uint32_t)count;
    count_busy(stats);
    stats->processors.is_unsettled = true;
}

/* -- collector work -- */

static void change_load(Stats *stats, uint32_t place, int by)
{
    StatsP *p = &stats->entries.ps[place];
    if (place == 0 || by == 0) return;
    bool was_busy = p->gc_load > 0;
    p->gc_load = by < 0 && p->gc_load < (uint32_t)-by ? 0 : p->gc_load + (uint32_t)by;
    if (was_busy == (p->gc_load > 0)) return;
    if (is_there(stats, p)) stats->processors.busy_count += was_busy ? UINT32_MAX : 1;
    stats->processors.is_unsettled = true;
}

/* Updates the goroutine's load on its processor. */
static void set_load(Stats *stats, StatsG *g)
{
    bool    executes = g->state == GO_STATE_RUNNING || g->state == GO_STATE_SYSCALL;
    uint8_t load = executes ? (uint8_t)(g->loads_assist + g->is_background) : 0;
    change_load(stats, g->p, (int)load - (int)g->gc_load);
    g->gc_load = load;
}

static void goroutine_changes(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_find_g(stats, event->id);
    if (place == 0) return;
    StatsG *g = &stats->entries.gs[place];
    bool    executes = event->to == GO_STATE_RUNNING || event->to == GO_STATE_SYSCALL;
    if (event->to == GO_STATE_RUNNING && event->from != event->to && event->from != GO_STATE_SYSCALL) {
        g->gc_load = 0;
        g->p = event->p < 0 ? 0 : stats_find_p(stats, event->p);
    }
    if (!stats->trace->is_v2 && event->to == GO_STATE_SYSCALL) executes = false; /* it is blocked */
    if (!executes) {
        change_load(stats, g->p, -(int)g->gc_load);
        g->gc_load = 0;
        g->p = 0;
        g->is_background = false;
    }
    set_load(stats, g);
}

static void labelled(Stats *stats, StatsG *g)
{
    bool is_left_out = g->worker == 1 + WORKER_DEDICATED && takes(stats, GO_UTIL_PER_PROC);
    g->is_background =
        takes(stats, GO_UTIL_BACKGROUND) && g->worker != 0 && g->worker != 1 + WORKER_IDLE && !is_left_out;
    set_load(stats, g);
}

/* Lowers the past steps by one processor, for an activity since the begin of the trace that is reported late. */
static void take_back(Stats *stats)
{
    if (takes(stats, GO_UTIL_PER_PROC) || stats->out->series_count == 0 || stats->trace->generation_count > 1)
        return;
    MmuSeries *series = &stats->out->series[0];
    for (uint32_t i = 0; i < series->count; i++) {
        double less = series->steps[i].share - 1.0 / (double)stats->processors.count;
        series->steps[i].share = less < 0 ? 0 : less;
    }
}

static bool is_of_gc(const Stats *stats, const GoEvent *event)
{
    if (!stats->trace->is_v2 && stats->trace->version.read_as < GO_1_21)
        /* these versions report no other stops */
        return true;
    StringView reason = string_table_view(stats->out->texts, stats->collector.stop_reason);
    (void)event;
    return reason.size >= 3 && memcmp(reason.bytes, "GC ", 3) == 0;
}

static void range_changes(Stats *stats, const GoEvent *event)
{
    bool is_end = event->kind == GO_RANGE_END;
    bool is_v2 = stats->trace->is_v2;
    bool is_stop = is_v2 ? event->type == V2_STW_BEGIN || event->type == V2_STW_END
                         : event->type == V1_STW_START || event->type == V1_STW_DONE;
    if (is_stop) {
        if (!takes(stats, GO_UTIL_STW) || !is_of_gc(stats, event)) return;
        if (!is_end) stats->processors.stw_depth++;
        if (is_end && stats->processors.stw_depth > 0) stats->processors.stw_depth--;
        stats->processors.is_unsettled = true;
    } else if (event->resource == GO_RESOURCE_PROC) {
        uint32_t place = stats_find_p(stats, event->id);
        StatsP  *p = &stats->entries.ps[place];
        if (place == 0 || !takes(stats, GO_UTIL_SWEEP) || p->loads_sweep == !is_end) return;
        if (event->kind == GO_RANGE_ACTIVE) take_back(stats);
        p->loads_sweep = !is_end;
        change_load(stats, place, is_end ? -1 : 1);
    } else if (event->resource == GO_RESOURCE_GOROUTINE && !stats_is_none(stats, event->id)) {
        uint32_t place = stats_find_g(stats, event->id);
        StatsG  *g = &stats->entries.gs[place];
        if (place == 0 || !takes(stats, GO_UTIL_ASSIST) || g->loads_assist == !is_end) return;
        if (event->kind == GO_RANGE_ACTIVE && g->p != 0) take_back(stats);
        g->loads_assist = !is_end;
        set_load(stats, g);
    }
}

void stats_mutator_event(Stats *stats, const GoEvent *event)
{
    switch ((GoKind)event->kind) {
    case GO_METRIC:
        if (event->type == (stats->trace->is_v2 ? (int)V2_PROCS_CHANGE : (int)V1_GOMAXPROCS))
            procs_change(stats, event);
        break;
    case GO_TRANSITION:
        if (event->resource != GO_RESOURCE_GOROUTINE) break;
        goroutine_changes(stats, event);
        if (!stats->trace->is_v2 && event->type == V1_GO_START_LABEL) {
            uint32_t place = stats_find_g(stats, event->id);
            if (place != 0) labelled(stats, &stats->entries.gs[place]);
        }
        break;
    case GO_LABEL: {
        uint32_t place = stats_is_none(stats, event->g) ? 0 : stats_find_g(stats, event->g);
        if (place != 0) labelled(stats, &stats->entries.gs[place]);
        break;
    }
    case GO_RANGE_BEGIN:
    case GO_RANGE_ACTIVE:
    case GO_RANGE_END:
        range_changes(stats, event);
        break;
    case GO_BAD:
    case GO_SYNC:
    case GO_SAMPLE:
    case GO_TASK_BEGIN:
    case GO_TASK_END:
    case GO_REGION_BEGIN:
    case GO_REGION_END:
    case GO_LOG:
    case GO_EXPERIMENTAL:
    case GO_KIND_COUNT:
        break;
    }
    if (stats->processors.is_unsettled && stats->processors.count > 0 && !stats->out_of_memory)
        settle_all(stats, event->time);
}

/* Ends a series that goes on at the last event there. False when out of memory. */
static bool end_series(Stats *stats, MmuSeries *series)
{
    GoStats *out = stats->out;
    if (series->steps[series->count - 1].time >= stats->last_time) return true;
    if (series->steps[series->count - 1].share != 0) {
        add_step(stats, series, stats->last_time, 0);
        return !stats->out_of_memory;
    }
    /* The share does not change, so add_step would add nothing: the end needs a step of its own. */
    MmuStep *steps = arena_grow(&out->arena, series->steps, series->count, &series->capacity, sizeof *steps);
    if (steps == NULL) return false;
    series->steps = steps;
    steps[series->count++] = (MmuStep){ stats->last_time, 0 };
    return true;
}

bool stats_mutator_end(Stats *stats)
{
    GoStats   *out = stats->out;
    const bool all_go_on = !takes(stats, GO_UTIL_PER_PROC);
    bool      *goes_on = ARENA_ARRAY(&out->arena, bool, out->series_count);
    if (goes_on == NULL || stats->out_of_memory) return false;
    for (uint32_t p = 1; p < stats->entries.p_count; p++) {
        assert(stats->entries.ps[p].series <= out->series_count);
        if (stats->entries.ps[p].series > 0) goes_on[stats->entries.ps[p].series - 1] = true;
    }
    for (uint32_t i = 0; i < out->series_count; i++) {
        MmuSeries *series = &out->series[i];
        if ((all_go_on || goes_on[i]) && !end_series(stats, series)) return false;
        if (stats->request->has_range &&
            !mmu_clip(&out->arena, series, stats->clip_begin, stats->clip_end, series))
            return false;
    }
    return true;
}
