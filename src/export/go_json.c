#include "export/go_json.h"

#include "format/go/go.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const WHATS[GO_WHAT_COUNT] = { "functions", "goroutines", "net",     "sync", "syscall",
                                                  "sched",     "tasks",      "regions", "mmu",  "gc" };

const char *go_what_name(GoWhat what)
{
    return WHATS[what];
}

bool go_what_find(StringView name, GoWhat *what)
{
    for (int i = 0; i < GO_WHAT_COUNT; i++) {
        if (strlen(WHATS[i]) != name.size || memcmp(WHATS[i], name.bytes, name.size) != 0) continue;
        *what = (GoWhat)i;
        return true;
    }
    return false;
}

/* In the order of GO_UTIL_. */
static const char *const COUNTS[] = { "stw", "background", "assist", "sweep", "per-processor" };
enum { COUNT_COUNT = sizeof COUNTS / sizeof COUNTS[0] };

bool go_counts_parse(StringView text, unsigned *util)
{
    *util = 0;
    for (size_t at = 0; at < text.size;) {
        size_t size = 0, i = 0;
        while (at + size < text.size && text.bytes[at + size] != ',')
            size++;
        while (i < COUNT_COUNT &&
               (strlen(COUNTS[i]) != size || memcmp(COUNTS[i], text.bytes + at, size) != 0))
            i++;
        if (i == COUNT_COUNT) return false;
        *util |= 1u << i;
        at += size + 1;
    }
    return (*util & ~(unsigned)GO_UTIL_PER_PROC) != 0;
}

/* -- pieces -- */

static void put_ns(const GoJson *json, const char *key, int64_t ns)
{
    if (json->form == GO_NS_NUMBER)
        json_put_i64(json->writer, key, ns);
    else
        json_put_printf(json->writer, key, "%" PRId64, ns);
}

/* Writes a time relative to the trace's begin. */
static void put_time(const GoJson *json, const char *key, int64_t time)
{
    put_ns(json, key, time - json->stats->trace_begin);
}

static void put_time_or_null(const GoJson *json, const char *key, bool is_known, int64_t time)
{
    if (is_known) {
        put_time(json, key, time);
    } else {
        json_put_null(json->writer, key);
    }
}

static void put_text(const GoJson *json, const char *key, StringId text)
{
    if (text.index == 0) {
        json_put_null(json->writer, key);
    } else {
        json_put_view(json->writer, key, go_stats_text(json->stats, text));
    }
}

static bool is_left_out(const GoJson *json, uint64_t written)
{
    return json->top != 0 && written >= json->top;
}

/* A name with its ns, sorted by ns, largest first. */
typedef struct NsKey {
    int64_t  ns;
    uint32_t index;
} NsKey;

static int compare_keys(const void *a, const void *b)
{
    const NsKey *left = a, *right = b;
    if (left->ns != right->ns) return left->ns > right->ns ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

/* -- goroutines -- */

static void put_times(const GoJson *json, const int64_t of[GO_TIME_COUNT])
{
    static const char *const KEYS[GO_TIME_COUNT] = { "execution_ns",
                                                     "network_wait_ns",
                                                     "sync_block_ns",
                                                     "other_wait_ns",
                                                     "syscall_ns",
                                                     "blocking_syscall_ns",
                                                     "scheduler_wait_ns",
                                                     "gc_assist_ns",
                                                     "gc_sweep_ns",
                                                     "stop_the_world_ns",
                                                     "gc_ns" };
    for (int time = 0; time < GO_TIME_COUNT; time++)
        put_ns(json, KEYS[time], of[time]);
}

static void put_functions(const GoJson *json)
{
    const GoStats *stats = json->stats;
    for (uint32_t i = 0; i < stats->function_count && !is_left_out(json, i); i++) {
        assert(stats->functions[i].first < stats->goroutine_count);
        const GoFunction *function = &stats->functions[i];
        json_object_begin(json->writer);
        put_text(json, "function", function->name);
        json_put_u64(json->writer, "count", function->count);
        put_ns(json, "total_ns", function->total);
        put_times(json, function->of);
        json_put_u64(json->writer, "starts", function->start_count);
        put_ns(json, "longest_ns", function->longest_total);
        json_put_i64(json->writer, "longest", stats->goroutines[function->first].id);
        json_object_end(json->writer);
    }
}

static void put_parts(const GoJson *json, const char *key, uint32_t first)
{
    json_key(json->writer, key);
    json_array_begin(json->writer);
    for (uint32_t i = first; i != 0; i = json->stats->parts[i - 1].next) {
        json_object_begin(json->writer);
        put_text(json, "name", json->stats->parts[i - 1].name);
        put_ns(json, "ns", json->stats->parts[i - 1].ns);
        json_object_end(json->writer);
    }
    json_array_end(json->writer);
}

/* Returns the goroutines to write: a byte for each. NULL if out of memory. */
static uint8_t *choose_goroutines(const GoJson *json, Arena *arena)
{
    assert(json->stats->goroutine_count < UINT32_MAX);
    const GoStats *stats = json->stats;
    const size_t   all = stats->goroutine_count;
    uint8_t       *chosen = ARENA_ARRAY(arena, uint8_t, all + 1);
    NsKey         *keys = ARENA_ARRAY(arena, NsKey, all + 1);
    size_t         count = 0;
    if (chosen == NULL || keys == NULL) return NULL;
    for (uint32_t i = 0; i < all; i++)
        if (stats->goroutines[i].is_inside)
            keys[count++] = (NsKey){ stats->goroutines[i].of[GO_TIME_EXECUTION], i };
    if (json->most_busy && is_left_out(json, count)) qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count && !is_left_out(json, i); i++)
        chosen[keys[i].index] = 1;
    return chosen;
}

static void put_goroutines(const GoJson *json)
{
    Arena          arena = arena_create(0);
    const uint8_t *chosen = choose_goroutines(json, &arena);
    if (chosen == NULL) json->writer->out->failed = true;
    for (uint32_t i = 0; chosen != NULL && i < json->stats->goroutine_count; i++) {
        const GoGoroutine *g = &json->stats->goroutines[i];
        if (chosen[i] == 0) continue;
        json_object_begin(json->writer);
        json_put_i64(json->writer, "goroutine", g->id);
        put_text(json, "function", g->name);
        put_time(json, "created_ns", g->created);
        put_time_or_null(json, "started_ns", g->has_started, g->started);
        put_time_or_null(json, "ended_ns", g->has_ended, g->ended);
        put_ns(json, "total_ns", g->total);
        put_times(json, g->of);
        json_put_u64(json->writer, "starts", g->start_count);
        json_put_u64(json->writer, "regions", g->region_count);
        put_parts(json, "waits", g->waits);
        put_parts(json, "ranges", g->ranges);
        json_object_end(json->writer);
    }
    arena_release(&arena);
}

/* -- profiles -- */

bool go_profile_sort(const GoStats *stats, GoProfile profile, Arena *arena, uint32_t **nodes, uint32_t *count)
{
    NsKey *keys = ARENA_ARRAY(arena, NsKey, (size_t)stats->node_count + 1);
    *nodes = ARENA_ARRAY(arena, uint32_t, (size_t)stats->node_count + 1);
    *count = 0;
    if (keys == NULL || *nodes == NULL) return false;
    for (uint32_t i = 0; i < stats->node_count; i++) {
        if (stats->nodes[i].count[profile] > 0) keys[(*count)++] = (NsKey){ stats->nodes[i].ns[profile], i };
    }
    qsort(keys, *count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < *count; i++)
        (*nodes)[i] = keys[i].index;
    return true;
}

static void put_frames(const GoJson *json, uint32_t node)
{
    const GoStats *stats = json->stats;
    json_key(json->writer, "frames");
    json_array_begin(json->writer);
    for (uint32_t at = node; at != 0; at = stats->nodes[at].parent) {
        const GoStackFrame *frame = &stats->frames[stats->nodes[at].frame];
        json_object_begin(json->writer);
        put_text(json, "function", frame->function);
        put_text(json, "file", frame->file);
        json_put_u64(json->writer, "line", frame->line);
        json_object_end(json->writer);
    }
    json_array_end(json->writer);
}

static void put_profile(const GoJson *json, GoProfile profile)
{
    const GoStats *stats = json->stats;
    Arena          arena = arena_create(0);
    uint32_t      *nodes, count;
    if (!go_profile_sort(stats, profile, &arena, &nodes, &count)) {
        json->writer->out->failed = true;
        count = 0;
    }
    for (uint32_t i = 0; i < count && !is_left_out(json, i); i++) {
        json_object_begin(json->writer);
        json_put_u64(json->writer, "count", stats->nodes[nodes[i]].count[profile]);
        put_ns(json, "ns", stats->nodes[nodes[i]].ns[profile]);
        put_frames(json, nodes[i]);
        json_object_end(json->writer);
    }
    arena_release(&arena);
}

/* -- tasks and regions -- */

static void put_histogram(const GoJson *json, const GoUserType *type)
{
    json_key(json->writer, "histogram");
    json_array_begin(json->writer);
    for (int i = 0; i < 63; i++) {
        if (type->buckets[i] == 0) continue;
        json_object_begin(json->writer);
        put_ns(json, "from_ns", i == 0 ? 0 : INT64_C(1) << i);
        put_ns(json, "to_ns", i == 62 ? INT64_MAX : INT64_C(2) << i);
        json_put_u64(json->writer, "count", type->buckets[i]);
        json_object_end(json->writer);
    }
    json_array_end(json->writer);
}

static void put_types(const GoJson *json, bool are_tasks)
{
    uint64_t written = 0;
    for (uint32_t i = 0; i < json->stats->type_count; i++) {
        const GoUserType *type = &json->stats->types[i];
        if (type->is_task != are_tasks || is_left_out(json, written)) continue;
        written++;
        json_object_begin(json->writer);
        json_put_view(json->writer, "name", go_stats_text(json->stats, type->name));
        json_put_u64(json->writer, "count", type->count);
        json_put_u64(json->writer, "open", type->open_count);
        put_ns(json, "total_ns", type->total);
        put_ns(json, "min_ns", type->min);
        put_ns(json, "p50_ns", type->p50);
        put_ns(json, "p90_ns", type->p90);
        put_ns(json, "p99_ns", type->p99);
        put_ns(json, "max_ns", type->max);
        if (!are_tasks) put_times(json, type->of);
        put_histogram(json, type);
        json_object_end(json->writer);
    }
}

/* -- the collector -- */

int64_t go_next_window(int64_t window, double steps)
{
    int64_t decade = 1000;
    if (window == 0) return decade;
    if (steps > 0) {
        double  at = floor(log10((double)window / 1000) * steps + 0.5) + 1;
        int64_t next = (int64_t)(1000 * pow(10, at / steps) + 0.5);
        return next > window ? next : window + 1;
    }
    while (decade <= window / 10)
        decade *= 10;
    return window < 2 * decade ? 2 * decade : window < 5 * decade ? 5 * decade : 10 * decade;
}

static void put_point(const GoJson *json, int64_t window)
{
    MmuWindow worst;
    double    share = mmu_of(json->stats->series, json->stats->series_count, window, &worst);
    json_object_begin(json->writer);
    put_ns(json, "window_ns", window);
    json_put_double(json->writer, "share", share);
    put_time_or_null(json, "worst_ns", share < 1, worst.begin);
    json_object_end(json->writer);
}

static void put_mmu(const GoJson *json)
{
    int64_t span = json->stats->end - json->stats->begin;
    json_key(json->writer, "counts");
    json_array_begin(json->writer);
    for (unsigned i = 0; i < COUNT_COUNT; i++) {
        if (json->util >> i & 1) json_string(json->writer, COUNTS[i]);
    }
    json_array_end(json->writer);
    json_put_u64(json->writer, "series", json->stats->series_count);
    json_key(json->writer, "curve");
    json_array_begin(json->writer);
    int64_t window = 0;
    while (json->stats->series_count > 0 && (window = go_next_window(window, json->curve_steps)) < span)
        put_point(json, window);
    if (json->stats->series_count > 0 && span > 0) put_point(json, span);
    json_array_end(json->writer);
}

static void put_cycles(const GoJson *json)
{
    const GoGc *gc = &json->stats->gc;
    json_key(json->writer, "cycles");
    json_array_begin(json->writer);
    for (uint32_t i = 0; i < gc->cycle_count && !is_left_out(json, i); i++) {
        const GoCycle *cycle = &gc->cycles[i];
        json_object_begin(json->writer);
        put_time_or_null(json, "begin_ns", cycle->has_begin, cycle->begin);
        put_time_or_null(json, "end_ns", cycle->has_end, cycle->end);
        put_ns(json, "ns", cycle->end - cycle->begin);
        put_ns(json, "stw_ns", cycle->stw_ns);
        json_put_u64(json->writer, "stw_count", cycle->stw_count);
        put_ns(json, "assist_ns", cycle->assist_ns);
        json_put_u64(json->writer, "assist_count", cycle->assist_count);
        json_put_u64(json->writer, "heap_begin_bytes", cycle->heap_begin);
        json_put_u64(json->writer, "heap_end_bytes", cycle->heap_end);
        json_put_u64(json->writer, "goal_begin_bytes", cycle->goal_begin);
        json_object_end(json->writer);
    }
    json_array_end(json->writer);
}

static void put_stops(const GoJson *json)
{
    const GoGc *gc = &json->stats->gc;
    json_key(json->writer, "stops");
    json_array_begin(json->writer);
    for (uint32_t i = 0; i < gc->stop_count; i++) {
        json_object_begin(json->writer);
        put_text(json, "reason", gc->stops[i].reason);
        json_put_u64(json->writer, "count", gc->stops[i].count);
        put_ns(json, "total_ns", gc->stops[i].total);
        put_ns(json, "max_ns", gc->stops[i].max);
        put_time(json, "longest_ns", gc->stops[i].longest_at);
        json_object_end(json->writer);
    }
    json_array_end(json->writer);
}

static void put_gc(const GoJson *json)
{
    const GoGc *gc = &json->stats->gc;
    json_put_u64(json->writer, "finished_cycles", gc->finished_count);
    put_ns(json, "mark_ns", gc->mark_ns);
    put_ns(json, "stw_ns", gc->stw_ns);
    json_put_u64(json->writer, "stw_count", gc->stw_count);
    put_ns(json, "assist_ns", gc->assist_ns);
    json_put_u64(json->writer, "assist_count", gc->assist_count);
    put_ns(json, "sweep_ns", gc->sweep_ns);
    json_put_u64(json->writer, "sweep_count", gc->sweep_count);
    json_put_u64(json->writer, "swept_bytes", gc->swept_bytes);
    json_put_u64(json->writer, "reclaimed_bytes", gc->reclaimed_bytes);
    put_ns(json, "dedicated_worker_ns", gc->dedicated_ns);
    put_ns(json, "fractional_worker_ns", gc->fractional_ns);
    put_ns(json, "idle_worker_ns", gc->idle_ns);
    json_put_u64(json->writer, "heap_min_bytes", gc->heap_min);
    json_put_u64(json->writer, "heap_max_bytes", gc->heap_max);
    json_put_u64(json->writer, "goal_max_bytes", gc->goal_max);
    put_stops(json);
    put_cycles(json);
}

/* -- all -- */

static void put_list(const GoJson *json, GoWhat what)
{
    bool is_profile = what >= GO_WHAT_PROFILES && what < GO_WHAT_TASKS;
    json_key(json->writer, is_profile ? "stacks" : go_what_name(what));
    json_array_begin(json->writer);
    if (is_profile) {
        put_profile(json, (GoProfile)(what - GO_WHAT_PROFILES));
    } else if (what == GO_WHAT_FUNCTIONS) {
        put_functions(json);
    } else if (what == GO_WHAT_GOROUTINES) {
        put_goroutines(json);
    } else {
        put_types(json, what == GO_WHAT_TASKS);
    }
    json_array_end(json->writer);
}

void go_json_put(const GoJson *json, GoWhat what)
{
    const GoStats *stats = json->stats;
    json_object_begin(json->writer);
    json_put_string(json->writer, "version", stats->version);
    json_put_bool(json->writer, "complete", stats->complete);
    put_time(json, "begin_ns", stats->begin);
    put_time(json, "end_ns", stats->end);
    json_put_string(json->writer, "perspective", GO_READER.counted_perspective);
    json_put_string(json->writer, "what", go_what_name(what));
    if (what == GO_WHAT_MMU) {
        put_mmu(json);
    } else if (what == GO_WHAT_GC) {
        put_gc(json);
    } else {
        put_list(json, what);
    }
    json_object_end(json->writer);
}
