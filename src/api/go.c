/* Statistics of Go execution traces. */
#include "format/go/go.h"
#include "api/api.h"
#include "export/folded.h"
#include "export/go_flame.h"
#include "export/go_table.h"
#include "format/go/stats/pprof.h"
#include "format/gzip_sink.h"
#include "trace/store/time_spec.h"

#include <assert.h>
#include <string.h>

static_assert((int)VARVE_GO_FUNCTIONS == (int)GO_WHAT_FUNCTIONS &&
                  (int)VARVE_GO_NETWORK == (int)GO_WHAT_PROFILES &&
                  (int)VARVE_GO_SCHEDULER - (int)VARVE_GO_NETWORK == (int)GO_PROFILE_SCHED &&
                  (int)VARVE_GO_GC + 1 == (int)GO_WHAT_COUNT,
              "VarveGoReport has the values of GoWhat");

struct VarveGo {
    Arena           arena; /* holds this too */
    GoStatsRequest  request;
    GoStats         stats;
    VarveGoroutine *routines;
    uint32_t        routine_count;
};

/* -- opening -- */

static VarveGoroutine routine_of(const GoStats *stats, const GoGoroutine *from)
{
    return (VarveGoroutine){ .id = (uint64_t)from->id,
                             .function = api_text(go_stats_text(stats, from->name)),
                             .total_ns = from->total,
                             .execution_ns = from->of[GO_TIME_EXECUTION],
                             .network_ns = from->of[GO_TIME_NETWORK],
                             .sync_ns = from->of[GO_TIME_SYNC],
                             .other_ns = from->of[GO_TIME_OTHER],
                             .syscall_ns = from->of[GO_TIME_SYSCALL] + from->of[GO_TIME_BLOCKING_SYSCALL],
                             .scheduler_ns = from->of[GO_TIME_SCHEDULER],
                             .start_count = from->start_count };
}

static bool list_routines(VarveGo *go, Err *err)
{
    go->routines = ARENA_ARRAY(&go->arena, VarveGoroutine, (size_t)go->stats.goroutine_count + 1);
    if (go->routines == NULL) return err_set(err, ERR_MEMORY, "out of memory for the goroutines");
    for (uint32_t i = 0; i < go->stats.goroutine_count; i++)
        if (go->stats.goroutines[i].is_inside)
            go->routines[go->routine_count++] = routine_of(&go->stats, &go->stats.goroutines[i]);
    return true;
}

/* Sets the rules and the activities that count. */
static bool choose(VarveGo *go, const VarveGoOptions *options, Err *err)
{
    GoStatsRequest *request = &go->request;
    if (options == NULL) return true;
    if ((unsigned)options->rules > VARVE_GO_RULES_OF_GO ||
        (unsigned)options->processors > VARVE_GO_PROCESSORS_WORST)
        return err_set(err, ERR_USAGE, "the options of the Go statistics have an unknown value");
    request->rules = options->rules == VARVE_GO_RULES_OF_GO ? GO_RULES_OF_GO : GO_RULES_OURS;
    if (options->counts != NULL && !go_counts_parse(c_string_view(options->counts), &request->util))
        return err_set(err, ERR_USAGE, "--counts=%.100s: expected a list of stw, background, assist, sweep",
                       options->counts);
    if (options->processors == VARVE_GO_PROCESSORS_WORST) request->util |= GO_UTIL_PER_PROC;
    return true;
}

static bool set_range(GoStatsRequest *request, const char *range, Err *err)
{
    const Clock    clock = clock_ns();
    const TimeAxis axis = { &clock, 0, INT64_MAX };
    request->has_range = range != NULL;
    request->is_from_begin = true;
    return range == NULL || time_range_find(range, &axis, &request->begin, &request->end, err);
}

static VarveGo *opened(VarveGo *go, bool is_open, const Err *err, VarveError *error)
{
    if (is_open) return go;
    (void)api_fail(err, error);
    varve_go_close(go);
    return NULL;
}

VarveGo *varve_go_open(const VarveTrace *trace, const VarveGoOptions *options, VarveError *error)
{
    const Loaded *loaded = &trace->loaded;
    Err           err = API_ERR;
    VarveGo      *go = API_HANDLE(VarveGo, error);
    if (go == NULL) return NULL;
    go->request = go_stats_window(loaded->trace);
    const bool is_go = strcmp(loaded->trace->source.format_name, GO_READER.name) == 0 ||
                       err_set(&err, ERR_USAGE, "the trace is not a Go execution trace");
    const bool is_open = is_go && choose(go, options, &err) &&
                         go_stats_loaded(loaded, &go->request, &go->stats, &err) && list_routines(go, &err);
    return opened(go, is_open, &err, error);
}

VarveGo *varve_go_open_file(const char *path, const VarveGoOptions *options, VarveError *error)
{
    Err      err = API_ERR;
    VarveGo *go = API_HANDLE(VarveGo, error);
    if (go == NULL) return NULL;
    go->request.util = GO_UTIL_USUAL;
    const bool is_open = choose(go, options, &err) &&
                         set_range(&go->request, options == NULL ? NULL : options->range, &err) &&
                         go_stats_file(path, &go->request, &go->stats, &err) && list_routines(go, &err);
    return opened(go, is_open, &err, error);
}

void varve_go_close(VarveGo *go)
{
    if (go != NULL) go_stats_release(&go->stats);
    api_handle_release(go);
}

bool varve_go_fault(const VarveGo *go, VarveError *fault)
{
    if (!go->stats.complete) (void)api_fail(&go->stats.why, fault);
    return !go->stats.complete;
}

const VarveGoroutine *varve_go_routines(const VarveGo *go, uint32_t *routine_count)
{
    *routine_count = go->routine_count;
    return go->routines;
}

/* -- reports -- */

static const struct {
    const char *name;
    int         key; /* of GoTable */
} SORTS[] = { [VARVE_GO_SORT_EXECUTION] = { "execution", GO_TIME_EXECUTION },
              [VARVE_GO_SORT_TOTAL] = { "total", GO_SORT_TOTAL },
              [VARVE_GO_SORT_NETWORK] = { "network", GO_TIME_NETWORK },
              [VARVE_GO_SORT_SYNC] = { "sync", GO_TIME_SYNC },
              [VARVE_GO_SORT_OTHER] = { "other", GO_TIME_OTHER },
              [VARVE_GO_SORT_SYSCALL] = { "syscall", GO_TIME_SYSCALL },
              [VARVE_GO_SORT_BLOCKING] = { "blocking", GO_TIME_BLOCKING_SYSCALL },
              [VARVE_GO_SORT_SCHEDULER] = { "scheduler", GO_TIME_SCHEDULER },
              [VARVE_GO_SORT_ASSIST] = { "assist", GO_TIME_ASSIST },
              [VARVE_GO_SORT_SWEEP] = { "sweep", GO_TIME_SWEEP },
              [VARVE_GO_SORT_GC] = { "gc", GO_TIME_GC },
              [VARVE_GO_SORT_COUNT] = { "count", GO_SORT_COUNT },
              [VARVE_GO_SORT_NAME] = { "name", GO_SORT_NAME },
              [VARVE_GO_SORT_ID] = { "id", GO_SORT_ID } };

const char *varve_go_report_name(VarveGoReport report)
{
    return go_what_name((GoWhat)report);
}

const char *varve_go_sort_name(VarveGoSort sort)
{
    return SORTS[sort].name;
}

static bool put_folded(const GoStats *stats, GoProfile profile, Arena *arena, Bytes *out, Err *err)
{
    const Clock      clock = clock_ns();
    const OutputSink sink = output_to_bytes(out);
    Flame            flame = { .nodes = NULL };
    FlameLayout      layout;
    const bool       is_done = go_flame(stats, profile, &flame, err) &&
                         flame_layout(&flame, FLAME_TOTAL, arena, &layout, err) &&
                         folded_write(&layout, FLAME_TOTAL, &clock, &sink, err);
    flame_release(&flame);
    return is_done;
}

static bool put_pprof(const GoStats *stats, GoProfile profile, Bytes *out, Err *err)
{
    const OutputSink to = output_to_bytes(out);
    Bytes            plain = { 0 };
    GzipSink         gzip = { 0 };
    const bool       is_done =
        (go_pprof_write(stats, profile, &plain) || err_set(err, ERR_MEMORY, "out of memory")) &&
        gzip_sink_open(&gzip, &to, err) && writer_flush(&gzip.sink, &plain, 0, err) &&
        gzip_sink_finish(&gzip, err);
    gzip_sink_close(&gzip);
    bytes_release(&plain);
    return is_done;
}

static void put_json(const VarveGo *go, const VarveGoOutput *output, Bytes *out)
{
    JsonWriter   writer = json_writer_to(out, 0);
    const GoJson json = {
        .writer = &writer, .stats = &go->stats, .util = go->request.util, .top = output->row_most
    };
    go_json_put(&json, (GoWhat)output->report);
    bytes_append_text(out, "\n");
}

static bool print(const VarveGo *go, const VarveGoOutput *output, Arena *arena, Bytes *out, Err *err)
{
    const bool      is_of_stacks = output->report >= VARVE_GO_NETWORK && output->report <= VARVE_GO_SCHEDULER;
    const GoProfile profile = (GoProfile)((unsigned)output->report - VARVE_GO_NETWORK);
    const GoTable   table = { .what = (GoWhat)output->report,
                              .sort = SORTS[output->sort].key,
                              .top = output->row_most == 0 ? UINT64_MAX : output->row_most,
                              .function = output->function,
                              .color = output->style == VARVE_TEXT_COLORED };
    if (output->form >= VARVE_GO_FOLDED && !is_of_stacks)
        return err_set(err, ERR_USAGE, "the report %s has no stacks", varve_go_report_name(output->report));
    switch (output->form) {
    case VARVE_GO_TABLE:
        go_table_put(&table, &go->stats, arena, out);
        break;
    case VARVE_GO_JSON:
        put_json(go, output, out);
        break;
    case VARVE_GO_FOLDED:
        return put_folded(&go->stats, profile, arena, out, err);
    case VARVE_GO_PPROF:
        return put_pprof(&go->stats, profile, out, err);
    }
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for the report");
}

bool varve_go_print(VarveGo *go, const VarveGoOutput *output, VarveBytes *out, VarveError *error)
{
    Err        err = API_ERR;
    Bytes      made = { 0 };
    Arena      arena = arena_create(0);
    const bool is_known =
        ((unsigned)output->report <= VARVE_GO_GC && (unsigned)output->form <= VARVE_GO_PPROF &&
         (unsigned)output->sort <= VARVE_GO_SORT_ID) ||
        err_set(&err, ERR_USAGE, "the report has an unknown value");
    const bool is_done = is_known && print(go, output, &arena, &made, &err);
    if (is_done) api_give_bytes(&made, out);
    bytes_release(&made);
    arena_release(&arena);
    return is_done || api_fail(&err, error);
}
