/* The garbage collector: cycles, stops of the world, assists, workers, the heap. */
#include "format/go/stats/state.h"
#include "format/go/v2/spec.h"

#include <assert.h>
#include <stdlib.h>

int64_t stats_mark_ns(const Stats *stats)
{
    return stats->collector.mark_ns +
           (stats->collector.is_marking ? stats_since(stats, stats->collector.mark_at) : 0);
}

/* Returns the current or last cycle; NULL before the first. */
static GoCycle *last_cycle(Stats *stats)
{
    GoGc *gc = &stats->out->gc;
    return gc->cycle_count == 0 ? NULL : &gc->cycles[gc->cycle_count - 1];
}

/* -- cycles -- */

static void begin_cycle(Stats *stats, const GoEvent *event)
{
    GoGc   *gc = &stats->out->gc;
    bool    was_there = event->kind == GO_RANGE_ACTIVE;
    int64_t since = stats->now;
    if (stats->collector.is_marking) return; /* repeated by a later generation */
    GoCycle *cycles =
        arena_grow(&stats->out->arena, gc->cycles, gc->cycle_count, &gc->cycle_capacity, sizeof *cycles);
    if (cycles == NULL) {
        stats->out_of_memory = true;
        return;
    }
    gc->cycles = cycles;
    cycles[gc->cycle_count++] = (GoCycle){ .begin = was_there ? stats->sync_time : event->time,
                                           .has_begin = !was_there,
                                           .heap_begin = stats->collector.heap,
                                           .goal_begin = stats->collector.goal };
    if (was_there) since = stats->sync_time < stats->clip_begin ? stats->clip_begin : stats->sync_time;
    stats->collector.is_marking = true;
    stats->collector.mark_at = since < stats->now ? since : stats->now;
}

static void end_cycle(Stats *stats, const GoEvent *event)
{
    GoCycle *cycle = last_cycle(stats);
    if (!stats->collector.is_marking || cycle == NULL) return;
    i64_accumulate(&stats->collector.mark_ns, stats_since(stats, stats->collector.mark_at));
    stats->collector.is_marking = false;
    cycle->end = event->time;
    cycle->has_end = true;
    cycle->heap_end = stats->collector.heap;
}

/* -- stops of the world -- */

static GoStop *find_stop(Stats *stats, StringId reason)
{
    GoGc *gc = &stats->out->gc;
    for (uint32_t i = 0; i < gc->stop_count; i++) {
        if (gc->stops[i].reason.index == reason.index) return &gc->stops[i];
    }
    GoStop *stops =
        arena_grow(&stats->out->arena, gc->stops, gc->stop_count, &gc->stop_capacity, sizeof *stops);
    if (stops == NULL) {
        stats->out_of_memory = true;
        return NULL;
    }
    gc->stops = stops;
    stops[gc->stop_count] = (GoStop){ .reason = reason };
    return &stops[gc->stop_count++];
}

static void count_stop(Stats *stats, int64_t begin, int64_t end)
{
    if (!stats_is_inside(stats, begin, end)) return;
    GoStop  *stop = find_stop(stats, stats->collector.stop_reason);
    GoCycle *cycle = last_cycle(stats);
    int64_t  ns = end - begin;
    if (stop == NULL) return;
    if (stop->count++ == 0 || ns > stop->max) {
        stop->max = ns;
        stop->longest_at = begin;
    }
    i64_accumulate(&stop->total, ns);
    stats->out->gc.stw_count++;
    i64_accumulate(&stats->out->gc.stw_ns, ns);
    /* the stops of a cycle include those at its begin and end */
    if (cycle != NULL && (stats->collector.is_marking || cycle->end >= begin)) {
        cycle->stw_count++;
        i64_accumulate(&cycle->stw_ns, ns);
    }
}

static void stop_changes(Stats *stats, const GoEvent *event)
{
    /* before 1.10 each processor stops the world by itself */
    bool     is_own = stats->trace->version.read_as < GO_1_10;
    uint32_t place = is_own ? stats_find_p(stats, event->p) : 0;
    StatsP  *p = &stats->entries.ps[place];
    int64_t *since = is_own ? &p->stw_at : &stats->collector.stop_at;
    bool    *is_on = is_own ? &p->is_stopping : &stats->collector.is_stopping;
    if (event->kind != GO_RANGE_END) {
        *since = event->time;
        *is_on = true;
        stats->collector.stop_reason = stats_stop_reason(stats, event);
    } else if (*is_on) {
        *is_on = false;
        count_stop(stats, *since, event->time);
    }
}

/* -- work of goroutines and processors -- */

/* Ends an open assist at `end`, and counts its part in the range. */
static void end_assist(Stats *stats, StatsG *g, int64_t end)
{
    GoGc    *gc = &stats->out->gc;
    GoCycle *cycle = last_cycle(stats);
    if (!g->is_assisting) return;
    g->is_assisting = false;
    if (!stats_is_inside(stats, g->assist_at, end)) return;
    const int64_t ns = stats_clip(stats, end) - stats_clip(stats, g->assist_at);
    gc->assist_count++;
    i64_accumulate(&gc->assist_ns, ns);
    if (cycle == NULL) return;
    cycle->assist_count++;
    i64_accumulate(&cycle->assist_ns, ns);
}

static void assist_changes(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_is_none(stats, event->id) ? 0 : stats_find_g(stats, event->id);
    StatsG  *g = &stats->entries.gs[place];
    if (place == 0) return;
    if (event->kind != GO_RANGE_END) {
        if (g->is_assisting) return;
        g->is_assisting = true;
        g->assist_at = event->kind == GO_RANGE_ACTIVE ? stats->sync_time : event->time;
        return;
    }
    end_assist(stats, g, event->time);
}

static void sweep_changes(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_find_p(stats, event->id);
    GoGc    *gc = &stats->out->gc;
    StatsP  *p = &stats->entries.ps[place];
    if (place == 0) return;
    if (event->kind != GO_RANGE_END) {
        if (!p->is_sweeping) p->sweep_at = event->kind == GO_RANGE_ACTIVE ? stats->sync_time : event->time;
        p->is_sweeping = true;
        return;
    }
    if (!p->is_sweeping) return;
    p->is_sweeping = false;
    if (!stats_is_inside(stats, p->sweep_at, event->time)) return;
    gc->sweep_count++;
    i64_accumulate(&gc->sweep_ns, stats_clip(stats, event->time) - stats_clip(stats, p->sweep_at));
    u64_accumulate(&gc->swept_bytes, event->args[0]);
    u64_accumulate(&gc->reclaimed_bytes, event->args[1]);
}

/* Counts the run of a mark worker, which has a kind from its label until it stops. */
static void end_worker(Stats *stats, StatsG *g)
{
    GoGc   *gc = &stats->out->gc;
    int64_t ns = stats_since(stats, g->worker_since);
    if (g->worker == 0) return;
    assert(g->worker <= WORKER_IDLE + 1);
    switch ((StatsWorker)(g->worker - 1)) {
    case WORKER_DEDICATED:
        i64_accumulate(&gc->dedicated_ns, ns);
        break;
    case WORKER_FRACTIONAL:
        i64_accumulate(&gc->fractional_ns, ns);
        break;
    case WORKER_IDLE:
        i64_accumulate(&gc->idle_ns, ns);
        break;
    }
    g->worker = 0;
}

static void label(Stats *stats, StatsG *g, StringView text)
{
    static const char *const WORKERS[] = { "GC (dedicated)", "GC (fractional)", "GC (idle)" };
    end_worker(stats, g);
    for (size_t i = 0; i < sizeof WORKERS / sizeof WORKERS[0]; i++) {
        if (strlen(WORKERS[i]) != text.size || memcmp(WORKERS[i], text.bytes, text.size) != 0) continue;
        g->worker = (uint8_t)(i + 1);
        g->worker_since = stats->now;
    }
}

void stats_gc_goroutine(Stats *stats, StatsG *g, const GoEvent *event)
{
    bool is_on = event->to == GO_STATE_RUNNING || event->to == GO_STATE_SYSCALL;
    if (!is_on) end_worker(stats, g);
    if (event->to == GO_STATE_NOT_EXIST) end_assist(stats, g, event->time);
    if (!stats->trace->is_v2 && event->type == V1_GO_START_LABEL) {
        StringView texts[2];
        if (v1_event_texts(&stats->trace->v1, event, texts) > 0) label(stats, g, texts[0]);
    }
}

/* -- the heap -- */

static void metric(Stats *stats, const GoEvent *event)
{
    GoGc    *gc = &stats->out->gc;
    bool     is_v2 = stats->trace->is_v2;
    uint64_t bytes = event->args[0];
    bool     is_inside = stats_is_inside(stats, event->time, event->time);
    if (event->type == (is_v2 ? (int)V2_HEAP_ALLOC : (int)V1_HEAP_ALLOC)) {
        stats->collector.heap = bytes;
        if (is_inside && bytes > gc->heap_max) gc->heap_max = bytes;
        if (is_inside && (gc->heap_min == 0 || bytes < gc->heap_min)) gc->heap_min = bytes;
    } else if (event->type == (is_v2 ? (int)V2_HEAP_GOAL : (int)V1_HEAP_GOAL)) {
        stats->collector.goal = bytes;
        if (is_inside && bytes > gc->goal_max) gc->goal_max = bytes;
    }
}

static bool is_stop(const Stats *stats, const GoEvent *event)
{
    if (stats->trace->is_v2) return event->type == V2_STW_BEGIN || event->type == V2_STW_END;
    return event->type == V1_STW_START || event->type == V1_STW_DONE;
}

void stats_gc_event(Stats *stats, const GoEvent *event)
{
    if (event->kind == GO_METRIC) {
        metric(stats, event);
    } else if (event->kind == GO_LABEL) {
        uint32_t place = stats_is_none(stats, event->g) ? 0 : stats_find_g(stats, event->g);
        if (place == 0) return;
        label(stats, &stats->entries.gs[place],
              go_string_view(go_trace_tables(stats->trace), event->args[0]));
    } else if (event->resource == GO_RESOURCE_PROC) {
        sweep_changes(stats, event);
    } else if (is_stop(stats, event)) {
        stop_changes(stats, event);
    } else if (event->resource == GO_RESOURCE_GOROUTINE) {
        assist_changes(stats, event);
    } else if (event->kind == GO_RANGE_END) {
        end_cycle(stats, event);
    } else {
        begin_cycle(stats, event);
    }
}

/* -- all events -- */

static int compare_stops(const void *a, const void *b)
{
    const GoStop *left = a, *right = b;
    if (left->total != right->total) return left->total > right->total ? -1 : 1;
    return left->reason.index < right->reason.index ? -1 : left->reason.index > right->reason.index;
}

void stats_gc_end(Stats *stats)
{
    GoGc    *gc = &stats->out->gc;
    uint32_t kept = 0;
    for (uint32_t i = 1; i < stats->entries.g_count; i++) {
        end_worker(stats, &stats->entries.gs[i]);
        end_assist(stats, &stats->entries.gs[i], stats->last_time);
    }
    if (stats->collector.is_marking && gc->cycle_count > 0)
        gc->cycles[gc->cycle_count - 1].end = stats->last_time;
    for (uint32_t i = 0; i < gc->cycle_count; i++) {
        GoCycle cycle = gc->cycles[i];
        if (!stats_is_inside(stats, cycle.begin, cycle.end)) continue;
        gc->cycles[kept++] = cycle;
        if (!cycle.has_begin || !cycle.has_end) continue;
        gc->finished_count++;
        i64_accumulate(&gc->mark_ns, cycle.end - cycle.begin);
    }
    gc->cycle_count = kept;
    if (gc->stop_count > 1) qsort(gc->stops, gc->stop_count, sizeof *gc->stops, compare_stops);
}
