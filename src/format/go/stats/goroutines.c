/* The times of each goroutine, by the rules of Go's internal/trace/goroutines.go (v1) and internal/trace/summary.go (v2). */
#include "format/go/stats/state.h"
#include "format/go/v2/spec.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_like_go(const Stats *stats)
{
    return stats->request->rules == GO_RULES_OF_GO;
}

/* -- sums -- */

/* Adds to the item of a name in a list. */
static void add_part(Stats *stats, uint32_t *list, StringId name, int64_t ns)
{
    GoStats *out = stats->out;
    for (uint32_t i = *list; i != 0; i = out->parts[i - 1].next) {
        if (out->parts[i - 1].name.index != name.index) continue;
        i64_accumulate(&out->parts[i - 1].ns, ns);
        return;
    }
    GoPart *parts =
        arena_grow(&out->arena, out->parts, out->part_count, &stats->out_capacity.parts, sizeof *parts);
    if (parts == NULL) {
        stats->out_of_memory = true;
        return;
    }
    out->parts = parts;
    parts[out->part_count] = (GoPart){ .name = name, .next = *list, .ns = ns };
    *list = ++out->part_count;
}

static bool is_wait(uint8_t time)
{
    return time == GO_TIME_NETWORK || time == GO_TIME_SYNC || time == GO_TIME_OTHER;
}

/* Adds the time of the current state up to now. */
static void add_pending(Stats *stats, StatsG *g)
{
    GoGoroutine *row = stats_row(stats, g);
    int64_t      ns = stats_since(stats, g->since);
    if (g->time == TIME_NONE) return;
    assert(g->time < GO_TIME_COUNT);
    i64_accumulate(&row->of[g->time], ns);
    if (is_wait(g->time)) add_part(stats, &row->waits, g->wait_reason, ns);
}

static void begin_time(Stats *stats, StatsG *g, uint8_t time, int64_t since)
{
    g->time = time;
    g->since = since;
    /* Go's tool takes a time of 0 as "not yet": it does not count states that begin with the first event of a v1
     * trace */
    if (is_like_go(stats) && !stats->trace->is_v2 && stats->now == 0) g->time = TIME_NONE;
}

void stats_snapshot(const Stats *stats, const StatsG *g, int64_t of[GO_TIME_COUNT])
{
    const GoGoroutine *row = stats_row(stats, g);
    memcpy(of, row->of, sizeof row->of);
    if (g->time != TIME_NONE) i64_accumulate(&of[g->time], stats_since(stats, g->since));
    of[GO_TIME_GC] = stats_mark_ns(stats) - g->gc_before;
}

/* -- reasons of waits -- */

static StringId reason_of(Stats *stats, const GoEvent *event)
{
    if (stats->trace->is_v2) {
        bool has_reason = event->type == V2_GO_BLOCK || event->type == V2_GO_STOP;
        return has_reason ? go_string_intern(go_trace_tables(stats->trace), event->args[0]) : STRING_NONE;
    }
    StringId *known = &stats->names.v1_reasons[event->type];
    if (known->index == 0 && V1_SPECS[event->type].reason != NULL)
        *known = stats_text(stats, V1_SPECS[event->type].reason);
    return *known;
}

static bool holds(StringView text, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at + size <= text.size; at++) {
        if (memcmp(text.bytes + at, word, size) == 0) return true;
    }
    return false;
}

/* Returns the time that a wait counts for, by the words in its reason, like Go's tool. */
static GoTime time_of_wait(Stats *stats, StringId reason)
{
    uint32_t known = id_map_find(&stats->maps.reason_times, reason.index);
    if (known != 0) return (GoTime)(known - 1);
    StringView text = string_table_view(stats->out->texts, reason);
    GoTime     time = GO_TIME_OTHER;
    if (reason.index == stats->names.network.index) {
        time = GO_TIME_NETWORK;
    } else if (holds(text, "chan") || holds(text, "sync") || holds(text, "select")) {
        time = GO_TIME_SYNC;
    }
    if (!id_map_put(&stats->maps.reason_times, reason.index, (uint32_t)time + 1)) stats->out_of_memory = true;
    return time;
}

/* -- ranges on goroutines -- */

/* Adds a range that ends to its goroutine's sums. A goroutine has no row before its first status, and is not
 * counted. */
static void end_range(Stats *stats, StatsG *g, const StatsRange *range, int64_t until)
{
    if (g->row == UINT32_MAX) return;
    GoGoroutine *row = stats_row(stats, g);
    int64_t      ns = until - range->begin;
    if (ns < 0) ns = 0;
    add_part(stats, &row->ranges, range->name, ns);
    GoTime time = range->name.index == stats->names.assist.index  ? GO_TIME_ASSIST
                  : range->name.index == stats->names.sweep.index ? GO_TIME_SWEEP
                                                                  : GO_TIME_STW;
    i64_accumulate(&row->of[time], ns);
}

/* Returns the link to a goroutine's open range of a name, or the end of the list. */
static uint32_t *find_range(Stats *stats, StatsG *g, StringId name)
{
    uint32_t *link = &g->range;
    while (*link != 0 && stats->entries.ranges[*link - 1].name.index != name.index)
        link = &stats->entries.ranges[*link - 1].next;
    return link;
}

static void drop_range(Stats *stats, uint32_t *link)
{
    uint32_t place = *link;
    assert(place > 0 && place <= stats->entries.range_count);
    StatsRange *range = &stats->entries.ranges[place - 1];
    *link = range->next;
    range->next = stats->entries.free_range;
    stats->entries.free_range = place;
}

static void begin_range(Stats *stats, StatsG *g, StringId name)
{
    uint32_t *link = find_range(stats, g, name);
    if (*link != 0) { /* Go's tool replaces the open one */
        stats->entries.ranges[*link - 1].begin = stats->now;
        return;
    }
    uint32_t place = stats->entries.free_range;
    if (place != 0) {
        stats->entries.free_range = stats->entries.ranges[place - 1].next;
    } else {
        StatsRange *ranges = arena_grow(&stats->out->arena, stats->entries.ranges, stats->entries.range_count,
                                        &stats->entries.range_capacity, sizeof *ranges);
        if (ranges == NULL) {
            stats->out_of_memory = true;
            return;
        }
        stats->entries.ranges = ranges;
        place = ++stats->entries.range_count;
    }
    assert(place > 0 && place <= stats->entries.range_count);
    stats->entries.ranges[place - 1] = (StatsRange){ .name = name, .begin = stats->now, .next = g->range };
    g->range = place;
}

static void sweep_changes(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_find_p(stats, event->id);
    uint32_t g = stats_is_none(stats, event->g) ? 0 : stats_find_g(stats, event->g);
    if (place == 0) return;
    StatsP *p = &stats->entries.ps[place];
    if (event->kind != GO_RANGE_END) {
        if (g == 0) return;
        p->sweep_g = g;
        begin_range(stats, &stats->entries.gs[g], stats->names.sweep);
        return;
    }
    if (p->sweep_g == 0) return;
    uint32_t *link = find_range(stats, &stats->entries.gs[p->sweep_g], stats->names.sweep);
    if (*link != 0 && p->sweep_g == g)
        end_range(stats, &stats->entries.gs[g], &stats->entries.ranges[*link - 1], stats->now);
    /* The sweep is the processor's: it ends for a goroutine that does not run there any more. In Go's tool such a sweep
     * lasts until the end. */
    bool stays = p->sweep_g != g && is_like_go(stats) && stats->trace->is_v2;
    if (*link != 0 && !stays) drop_range(stats, link);
    p->sweep_g = 0;
}

static StringId stop_name(Stats *stats, const GoEvent *event)
{
    char       name[1100];
    StringView reason = string_table_view(stats->out->texts, stats_stop_reason(stats, event));
    int        size = snprintf(name, sizeof name, "stop-the-world (%.*s)",
                               (int)(reason.size < 1024 ? reason.size : 1024), reason.bytes);
    return string_table_intern(stats->out->texts, name, (size_t)size);
}

void stats_range_on_goroutine(Stats *stats, const GoEvent *event)
{
    if (event->resource == GO_RESOURCE_PROC) {
        sweep_changes(stats, event);
        return;
    }
    if (event->resource != GO_RESOURCE_GOROUTINE || stats_is_none(stats, event->id)) return;
    bool     is_stop = stats->trace->is_v2 && (event->type == V2_STW_BEGIN || event->type == V2_STW_END);
    uint32_t place = stats_find_g(stats, event->id);
    StringId name = is_stop ? stop_name(stats, event) : stats->names.assist;
    if (place == 0) return;
    StatsG *g = &stats->entries.gs[place];
    if (event->kind == GO_RANGE_BEGIN) {
        begin_range(stats, g, name);
        return;
    }
    uint32_t *link = find_range(stats, g, name);
    if (event->kind == GO_RANGE_END) {
        if (*link == 0) return;
        end_range(stats, g, &stats->entries.ranges[*link - 1], stats->now);
        drop_range(stats, link);
        return;
    }
    if (*link == 0) begin_range(stats, g, name); /* repeated by a later generation: it continues */
    link = find_range(stats, g, name);
    if (*link != 0 && stats->trace->generation_count <= 1) {
        int64_t since = stats->sync_time < stats->clip_begin ? stats->clip_begin : stats->sync_time;
        stats->entries.ranges[*link - 1].begin = since < stats->now ? since : stats->now;
    }
}

/* -- changes of state -- */

static void finalize(Stats *stats, StatsG *g)
{
    GoGoroutine *row = stats_row(stats, g);
    if (g->time == GO_TIME_BLOCKING_SYSCALL && is_like_go(stats) && stats->trace->is_v2) {
        /* the tool counts an open one both as syscall and as scheduler time */
        i64_accumulate(&row->of[GO_TIME_SYSCALL], stats_since(stats, g->since));
        i64_accumulate(&row->of[GO_TIME_SCHEDULER], stats_since(stats, g->since));
    } else {
        add_pending(stats, g);
    }
    for (; g->range != 0; drop_range(stats, &g->range))
        end_range(stats, g, &stats->entries.ranges[g->range - 1], stats->now);
    int64_t created = row->created < stats->clip_begin ? stats->clip_begin : row->created;
    row->total = stats_since(stats, created);
    row->of[GO_TIME_GC] = stats_mark_ns(stats) - g->gc_before;
    stats_user_goroutine_ends(stats, g);
    row->is_inside = stats_is_inside(stats, row->created, row->has_ended ? row->ended : stats->last_time);
    g->time = TIME_NONE;
    g->is_final = true;
}

/* Begins the row of a goroutine that was created, or existed before the trace. */
static void create(Stats *stats, StatsG *g, const GoEvent *event)
{
    GoStats *out = stats->out;
    bool     was_there = event->from == GO_STATE_UNDETERMINED;
    bool takes_place = is_like_go(stats) && g->row != UINT32_MAX; /* replaces a goroutine with the same id */
    if (!takes_place) {
        GoGoroutine *rows = arena_grow(&out->arena, out->goroutines, out->goroutine_count,
                                       &stats->out_capacity.goroutines, sizeof *rows);
        if (rows == NULL) {
            stats->out_of_memory = true;
            return;
        }
        out->goroutines = rows;
        g->row = out->goroutine_count++;
    }
    GoGoroutine *row = stats_row(stats, g);
    *row = (GoGoroutine){ .id = g->id, .created = event->time };
    if (was_there && stats->trace->is_v2) row->created = stats->sync_time;
    g->time = TIME_NONE;
    g->is_final = false;
    g->gc_before = was_there ? stats->collector.mark_ns_at_sync : stats_mark_ns(stats);
    if (!was_there || !stats->trace->is_v2) stats_user_inherit(stats, g, event->g);
}

static void name(Stats *stats, StatsG *g, const GoEvent *event)
{
    GoGoroutine *row = stats_row(stats, g);
    bool         is_v2 = stats->trace->is_v2;
    if (row->name.index != 0) return;
    bool     is_start = !is_v2 && event->to == GO_STATE_RUNNING; /* has the stack of its creation */
    bool     is_own = event->id == event->g || is_start;
    uint32_t stack = event->id_stack != 0 ? event->id_stack : is_own ? event->stack : 0;
    if (is_v2 && event->type == V2_GO_STATUS_STACK) stack = event->stack;
    if (is_like_go(stats) && !is_v2 && !is_start) return; /* the tool takes names from starts only */
    row->name = stats_outermost(stats, stack);
}

/* True for the events in which v1 reports the states of existing goroutines, after their creation. */
static bool is_start_up(const Stats *stats, const GoEvent *event)
{
    return !stats->trace->is_v2 && (event->type == V1_GO_WAITING || event->type == V1_GO_IN_SYSCALL);
}

static void leave_state(Stats *stats, StatsG *g, const GoEvent *event)
{
    bool wakes = !stats->trace->is_v2 && (event->type == V1_GO_UNBLOCK || event->type == V1_GO_SYS_EXIT);
    bool is_forgotten =
        is_start_up(stats, event) || (wakes && is_like_go(stats) && g->time == GO_TIME_SCHEDULER);
    if (!is_forgotten) add_pending(stats, g);
    g->time = TIME_NONE;
}

static void enter_syscall(Stats *stats, uint32_t place, const GoEvent *event, int64_t since)
{
    assert(place > 0 && place < stats->entries.g_count);
    StatsG *g = &stats->entries.gs[place];
    uint8_t time = GO_TIME_BLOCKING_SYSCALL;
    if (stats->trace->is_v2 && event->p != GO_NONE) {
        time = GO_TIME_SYSCALL;
        g->syscall_p = stats_find_p(stats, event->p);
        if (g->syscall_p != 0) stats->entries.ps[g->syscall_p].syscall_g = place;
    }
    begin_time(stats, g, time, since);
    if (is_like_go(stats) && stats->trace->is_v2 && time == GO_TIME_BLOCKING_SYSCALL) {
        add_pending(stats, g); /* the tool: blocking up to this event, then with a processor */
        begin_time(stats, g, GO_TIME_SYSCALL, stats->now);
    }
}

static void enter_state(Stats *stats, uint32_t place, const GoEvent *event)
{
    StatsG      *g = &stats->entries.gs[place];
    GoGoroutine *row = stats_row(stats, g);
    int64_t      since = stats->now;
    /* a state reported late has lasted since the last sync */
    if (event->from == GO_STATE_UNDETERMINED && stats->trace->is_v2)
        since = stats->sync_time < stats->clip_begin ? stats->clip_begin : stats->sync_time;
    if (since > stats->now) since = stats->now;
    if (is_start_up(stats, event)) since = g->since;
    g->state = event->to;
    switch ((GoState)event->to) {
    case GO_STATE_RUNNING:
        if (!row->has_started) row->started = event->time;
        row->has_started = true;
        row->start_count += event->time >= stats->clip_begin && event->time < stats->clip_end;
        begin_time(stats, g, GO_TIME_EXECUTION, since);
        return;
    case GO_STATE_RUNNABLE:
        begin_time(stats, g, GO_TIME_SCHEDULER, since);
        return;
    case GO_STATE_WAITING:
        g->wait_reason = reason_of(stats, event);
        if (g->wait_reason.index != stats->names.forever.index || g->wait_reason.index == 0) {
            begin_time(stats, g, (uint8_t)time_of_wait(stats, g->wait_reason), since);
            return;
        }
        break; /* ends the goroutine */
    case GO_STATE_SYSCALL:
        enter_syscall(stats, place, event, since);
        return;
    case GO_STATE_NOT_EXIST:
    case GO_STATE_UNDETERMINED:
    case GO_STATE_COUNT:
        break;
    }
    row->ended = event->time;
    row->has_ended = true;
    finalize(stats, g);
}

void stats_goroutine_changes(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_find_g(stats, event->id);
    if (place == 0) return;
    StatsG *g = &stats->entries.gs[place];
    bool    is_new = event->from == GO_STATE_UNDETERMINED || event->from == GO_STATE_NOT_EXIST;
    if (is_new || g->row == UINT32_MAX) create(stats, g, event);
    if (stats->out_of_memory) return;
    name(stats, g, event);
    if (event->to == event->from) return;
    /* Go's tool ignores it: to the tool these goroutines are runnable */
    if (is_start_up(stats, event) && is_like_go(stats)) return;
    if (!is_new) leave_state(stats, g, event);
    if (event->from == GO_STATE_SYSCALL) { /* the tool also forgets another goroutine in a syscall there */
        StatsP *p = &stats->entries.ps[g->syscall_p];
        if (p->syscall_g == place || is_like_go(stats)) p->syscall_g = 0;
    }
    enter_state(stats, place, event);
}

/* A processor that goes idle while its goroutine is in a syscall: the syscall blocks. */
void stats_processor_changes(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_find_p(stats, event->id);
    if (place == 0 || event->from == event->to || event->to != GO_PROC_IDLE) return;
    StatsP *p = &stats->entries.ps[place];
    assert(p->syscall_g < stats->entries.g_count);
    StatsG *g = &stats->entries.gs[p->syscall_g];
    if (p->syscall_g == 0) return;
    p->syscall_g = 0;
    if (g->time != GO_TIME_SYSCALL) return;
    add_pending(stats, g);
    begin_time(stats, g, GO_TIME_BLOCKING_SYSCALL, stats->now);
}

void stats_goroutines_end(Stats *stats)
{
    for (uint32_t i = 1; i < stats->entries.g_count; i++) {
        StatsG *g = &stats->entries.gs[i];
        if (g->row == UINT32_MAX) continue;
        if (!g->is_final) {
            finalize(stats, g);
        } else if (is_like_go(stats) && !stats->trace->is_v2 && stats->collector.is_marking) {
            /* the tool adds an unfinished mark phase to goroutines that have ended, too */
            int64_t created = stats_row(stats, g)->created;
            int64_t since = created < stats->collector.mark_at ? stats->collector.mark_at : created;
            i64_accumulate(&stats_row(stats, g)->of[GO_TIME_GC], stats_since(stats, since));
        }
    }
}

/* -- by function -- */

static void add_goroutine(GoStats *out, GoFunction *function, uint32_t i)
{
    const GoGoroutine *row = &out->goroutines[i];
    if (function->count++ == 0 || row->total > function->longest_total) {
        function->longest_total = row->total;
        function->first = i;
    }
    i64_accumulate(&function->total, row->total);
    function->start_count += row->start_count;
    for (int time = 0; time < GO_TIME_COUNT; time++)
        i64_accumulate(&function->of[time], row->of[time]);
}

static int compare_functions(const void *a, const void *b)
{
    const GoFunction *left = a, *right = b;
    int64_t           of_left = left->of[GO_TIME_EXECUTION], of_right = right->of[GO_TIME_EXECUTION];
    if (of_left != of_right) return of_left > of_right ? -1 : 1;
    if (left->total != right->total) return left->total > right->total ? -1 : 1;
    return left->name.index < right->name.index ? -1 : left->name.index > right->name.index;
}

bool stats_make_functions(Stats *stats)
{
    GoStats *out = stats->out;
    IdMap    places = { .arena = &out->arena };
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < out->goroutine_count; i++) {
        if (!out->goroutines[i].is_inside) continue;
        uint32_t place = id_map_find(&places, out->goroutines[i].name.index);
        if (place == 0) {
            GoFunction *functions =
                arena_grow(&out->arena, out->functions, out->function_count, &capacity, sizeof *functions);
            place = out->function_count + 1;
            if (functions == NULL || !id_map_put(&places, out->goroutines[i].name.index, place)) return false;
            out->functions = functions;
            functions[out->function_count++] = (GoFunction){ .name = out->goroutines[i].name };
        }
        assert(place <= out->function_count);
        add_goroutine(out, &out->functions[place - 1], i);
    }
    if (out->function_count > 1)
        qsort(out->functions, out->function_count, sizeof *out->functions, compare_functions);
    return true;
}
