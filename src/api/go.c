/* The times of goroutines. */
#include "api/api.h"
#include "format/go/stats/stats.h"

#include <string.h>

struct VarveGo {
    Arena           arena; /* holds this too */
    GoStats         stats;
    VarveGoroutine *routines;
    uint32_t        routine_count;
};

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

static bool fill(VarveGo *go, const Loaded *loaded, Err *err)
{
    if (strcmp(loaded->trace->source.format_name, "go") != 0)
        return err_set(err, ERR_USAGE, "the trace is not a Go execution trace");
    const GoStatsRequest request = go_stats_window(loaded->trace);
    if (!go_stats_loaded(loaded, &request, &go->stats, err)) return false;
    go->routines = ARENA_ARRAY(&go->arena, VarveGoroutine, (size_t)go->stats.goroutine_count + 1);
    if (go->routines == NULL) return err_set(err, ERR_MEMORY, "out of memory for the goroutines");
    for (uint32_t i = 0; i < go->stats.goroutine_count; i++)
        if (go->stats.goroutines[i].is_inside)
            go->routines[go->routine_count++] = routine_of(&go->stats, &go->stats.goroutines[i]);
    return true;
}

VarveGo *varve_go_open(const VarveTrace *trace, VarveError *error)
{
    Err      err = API_ERR;
    VarveGo *go = API_HANDLE(VarveGo, error);
    if (go == NULL) return NULL;
    if (fill(go, &trace->loaded, &err)) return go;
    (void)api_fail(&err, error);
    varve_go_close(go);
    return NULL;
}

void varve_go_close(VarveGo *go)
{
    if (go == NULL) return;
    go_stats_release(&go->stats);
    api_handle_release(go);
}

const VarveGoroutine *varve_go_routines(const VarveGo *go, uint32_t *routine_count)
{
    *routine_count = go->routine_count;
    return go->routines;
}
