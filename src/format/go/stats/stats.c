#include "format/go/stats/stats.h"

#include "format/go/go.h"
#include "format/go/stats/state.h"
#include "format/input.h"

#include <assert.h>
#include <stdio.h>

/* -- goroutines and processors -- */

uint32_t stats_find_g(Stats *stats, int64_t id)
{
    uint32_t place = id_map_find(&stats->maps.gs, (uint64_t)id);
    if (place != 0) return place;
    StatsG *gs = arena_grow(&stats->out->arena, stats->entries.gs, stats->entries.g_count,
                            &stats->entries.g_capacity, sizeof *gs);
    if (gs == NULL || !id_map_put(&stats->maps.gs, (uint64_t)id, stats->entries.g_count)) {
        stats->out_of_memory = true;
        return 0;
    }
    stats->entries.gs = gs;
    assert(stats->entries.g_count < stats->entries.g_capacity);
    gs[stats->entries.g_count] = (StatsG){ .id = id, .row = UINT32_MAX, .time = TIME_NONE };
    return stats->entries.g_count++;
}

uint32_t stats_find_p(Stats *stats, int64_t id)
{
    uint32_t place = id_map_find(&stats->maps.ps, (uint64_t)id);
    if (place != 0) return place;
    StatsP *ps = arena_grow(&stats->out->arena, stats->entries.ps, stats->entries.p_count,
                            &stats->entries.p_capacity, sizeof *ps);
    if (ps == NULL || !id_map_put(&stats->maps.ps, (uint64_t)id, stats->entries.p_count)) {
        stats->out_of_memory = true;
        return 0;
    }
    stats->entries.ps = ps;
    assert(stats->entries.p_count < stats->entries.p_capacity);
    ps[stats->entries.p_count] = (StatsP){ .id = id };
    return stats->entries.p_count++;
}

bool stats_is_none(const Stats *stats, int64_t g)
{
    return g == GO_NONE || (g == 0 && !stats->trace->is_v2);
}

bool stats_is_inside(const Stats *stats, int64_t begin, int64_t end)
{
    return begin < stats->clip_end && (end > stats->clip_begin || (begin == end && end == stats->clip_begin));
}

StringId stats_text(Stats *stats, const char *text)
{
    StringId id = string_table_intern(stats->out->texts, text, strlen(text));
    if (id.index == 0) stats->out_of_memory = true;
    return id;
}

StringId stats_stop_reason(Stats *stats, const GoEvent *event)
{
    if (stats->trace->is_v2) return event->extra;
    return stats_text(stats, v1_stw_reason(stats->trace->version.read_as, event->args[0]));
}

bool stats_is_system(const Stats *stats, StringId function)
{
    static const char RUNTIME[] = "runtime.", MAIN[] = "runtime.main";
    StringView        text = string_table_view(stats->out->texts, function);
    if (text.size == 0) return stats->trace->is_v2; /* a C thread */
    if (text.size == sizeof MAIN - 1 && memcmp(text.bytes, MAIN, sizeof MAIN - 1) == 0) return false;
    return text.size >= sizeof RUNTIME - 1 && memcmp(text.bytes, RUNTIME, sizeof RUNTIME - 1) == 0;
}

/* -- the sink -- */

PRINTF_LIKE(4, 0)
static void note_warning(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    Stats *stats = context;
    char   message[sizeof stats->out->why.message];
    (void)kind;
    if (!stats->out->complete) return; /* the first warning is the reason */
    stats->out->complete = false;
    vsnprintf(message, sizeof message, format, args);
    err_set_at(&stats->out->why, ERR_CORRUPT, offset, ERR_NOWHERE, "%s", message);
}

static void begin(void *context, const GoTrace *trace)
{
    Stats *stats = context;
    stats->out->version = trace->version.name;
}

static void settle_range(Stats *stats, const GoEvent *first)
{
    const GoStatsRequest *request = stats->request;
    int64_t origin = stats->trace->is_v2 ? stats->trace->begin_time : first->time < 0 ? first->time : 0;
    stats->out->trace_begin = origin;
    stats->clip_begin = INT64_MIN;
    stats->clip_end = INT64_MAX;
    if (request->has_range) {
        int64_t from = request->is_from_begin ? origin : 0;
        stats->clip_begin = i64_add_saturated(request->begin, from);
        stats->clip_end = i64_add_saturated(request->end, from);
    }
    stats->sync_time = origin;
    stats->has_begun = true;
}

int64_t stats_clip(const Stats *stats, int64_t time)
{
    return time < stats->clip_begin ? stats->clip_begin : time > stats->clip_end ? stats->clip_end : time;
}

static void goroutine_event(Stats *stats, const GoEvent *event)
{
    uint32_t place = stats_find_g(stats, event->id);
    stats_goroutine_changes(stats, event);
    if (place == 0 || stats->out_of_memory) return;
    StatsG *g = &stats->entries.gs[place];
    stats_stack_changes(stats, g, event, g->time < GO_TIME_COUNT ? (GoTime)g->time : GO_TIME_OTHER);
    stats_gc_goroutine(stats, g, event);
}

static void take_event(Stats *stats, const GoEvent *event)
{
    switch ((GoKind)event->kind) {
    case GO_SYNC:
        stats->sync_time = event->time;
        stats->collector.mark_ns_at_sync = stats_mark_ns(stats);
        break;
    case GO_TRANSITION:
        if (event->resource == GO_RESOURCE_GOROUTINE && !stats_is_none(stats, event->id)) {
            goroutine_event(stats, event);
        } else if (event->resource == GO_RESOURCE_PROC && stats->trace->is_v2) {
            stats_processor_changes(stats, event);
        }
        break;
    case GO_RANGE_BEGIN:
    case GO_RANGE_ACTIVE:
    case GO_RANGE_END:
        stats_range_on_goroutine(stats, event);
        stats_gc_event(stats, event);
        break;
    case GO_METRIC:
    case GO_LABEL:
        stats_gc_event(stats, event);
        break;
    case GO_TASK_BEGIN:
    case GO_TASK_END:
    case GO_REGION_BEGIN:
    case GO_REGION_END:
    case GO_LOG:
        stats_user_event(stats, event);
        break;
    case GO_BAD:
    case GO_SAMPLE:
    case GO_EXPERIMENTAL:
    case GO_KIND_COUNT:
        break;
    }
    stats_mutator_event(stats, event);
}

static bool event(void *context, GoTrace *trace, const GoEvent *event)
{
    Stats *stats = context;
    stats->trace = trace;
    if (!stats->has_begun) settle_range(stats, event);
    /* The last sync is later than the trace's end. Go's tools take it as the end. */
    if (event->kind != GO_SYNC || trace->event_count == 1 || stats->request->rules == GO_RULES_OF_GO) {
        stats->last_time = event->time;
        stats->now = stats_clip(stats, event->time);
    }
    take_event(stats, event);
    return !stats->out_of_memory;
}

static bool end(void *context, GoTrace *trace)
{
    Stats   *stats = context;
    GoStats *out = stats->out;
    if (!stats->has_begun) settle_range(stats, &(GoEvent){ .time = 0 });
    out->trace_end = stats->last_time;
    out->begin = stats_clip(stats, out->trace_begin);
    out->end = stats_clip(stats, out->trace_end);
    out->event_count = trace->event_count;
    if (trace->is_damaged && out->complete) {
        out->complete = false;
        err_set(&out->why, ERR_TRUNCATED, "the trace is not whole");
    }
    stats_goroutines_end(stats);
    stats_stacks_end(stats);
    stats_gc_end(stats);
    return !stats->out_of_memory && stats_make_functions(stats) && stats_user_end(stats) &&
           stats_mutator_end(stats) && !stats->out_of_memory;
}

/* -- the input -- */

static bool prepare(Stats *stats)
{
    Arena *arena = &stats->out->arena;
    IdMap *maps[] = { &stats->maps.gs,           &stats->maps.ps,
                      &stats->maps.tasks,        &stats->maps.mentioned_tasks,
                      &stats->maps.task_types,   &stats->maps.region_types,
                      &stats->maps.reason_times, &stats->maps.places,
                      &stats->maps.lines,        &stats->maps.nodes };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        maps[i]->arena = arena;
    stats->entries.gs = arena_grow(arena, NULL, 0, &stats->entries.g_capacity, sizeof *stats->entries.gs);
    stats->entries.ps = arena_grow(arena, NULL, 0, &stats->entries.p_capacity, sizeof *stats->entries.ps);
    if (stats->entries.gs == NULL || stats->entries.ps == NULL || !stats_stacks_begin(stats)) return false;
    stats->entries.gs[0] = (StatsG){ .id = GO_NONE, .row = UINT32_MAX, .time = TIME_NONE };
    stats->entries.g_count = stats->entries.p_count = 1;
    stats->names.assist = stats_text(stats, "GC mark assist");
    stats->names.sweep = stats_text(stats, "GC incremental sweep");
    stats->names.network = stats_text(stats, "network");
    stats->names.forever = stats_text(stats, "forever");
    return !stats->out_of_memory;
}

static bool read_stats(Input *input, const GoStatsRequest *request, GoStats *out, Err *err)
{
    bool  found = false;
    Stats stats = { .request = request, .out = out };
    out->complete = true;
    if (!input_begin_part(input, &GO_READER, &found, err)) return false;
    if (!found) return err_set(err, ERR_UNKNOWN, "it is not a Go trace");
    GoTrace *trace = go_trace_create(&out->arena, &(GoSink){ .v1_mode = V1_BY_TIME,
                                                             .begin = begin,
                                                             .event = event,
                                                             .end = end,
                                                             .report = { note_warning, &stats },
                                                             .context = &stats });
    if (trace == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    if (request
            ->has_range) { /* reads everything without keeping it, because cycles, tasks and regions count with whole
                               * durations */
        trace->window = (GoWindow){ true, INT64_MIN, INT64_MAX };
        trace->again = input_again(input);
    }
    out->texts = trace->texts;
    stats.trace = trace;
    if (!prepare(&stats)) return err_set(err, ERR_MEMORY, "out of memory");
    return go_trace_read_input(trace, input, NULL, err);
}

static bool run(Arena *arena, Input *input, const GoStatsRequest *request, GoStats *stats, Err *err)
{
    bool done = input != NULL && read_stats(input, request, stats, err);
    input_close(input);
    arena_release(arena);
    return done;
}

GoStatsRequest go_stats_window(const Trace *trace)
{
    return (GoStatsRequest){ .util = GO_UTIL_USUAL,
                             .has_range = trace->window.is_set,
                             .begin = trace->window.begin,
                             .end = trace->window.end };
}

bool go_stats_file(const char *path, const GoStatsRequest *request, GoStats *stats, Err *err)
{
    Arena arena = arena_create(0);
    *stats = (GoStats){ .arena = arena_create(0) };
    return run(&arena, input_open_file(&arena, path, NULL, err), request, stats, err);
}

bool go_stats_bytes(const void *bytes, size_t size, const GoStatsRequest *request, GoStats *stats, Err *err)
{
    Arena arena = arena_create(0);
    *stats = (GoStats){ .arena = arena_create(0) };
    return run(&arena, input_open_bytes(&arena, bytes, size, err), request, stats, err);
}

bool go_stats_loaded(const Loaded *loaded, const GoStatsRequest *request, GoStats *stats, Err *err)
{
    Arena arena = arena_create(0);
    *stats = (GoStats){ .arena = arena_create(0) };
    if (loaded->reader != &GO_READER) return err_set(err, ERR_UNKNOWN, "it is not a Go trace");
    return run(&arena, input_open_loaded(&arena, loaded, err), request, stats, err);
}

void go_stats_release(GoStats *stats)
{
    arena_release(&stats->arena);
    *stats = (GoStats){ 0 };
}
