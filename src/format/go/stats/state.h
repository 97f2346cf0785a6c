/* format/go/stats/state.h - the state of the statistics during the pass; shared by the files of this folder. */
#ifndef FORMAT_GO_STATS_STATE_H
#define FORMAT_GO_STATS_STATE_H
#include "base/checked.h"
#include "format/go/stats/stats.h"
#include "format/go/trace/go_trace.h"

enum { TIME_NONE = GO_TIME_COUNT }; /* value of StatsG.time: no time is counted */

/* An open region of a goroutine. */
typedef struct StatsRegion {
    int64_t  begin;
    int64_t  of[GO_TIME_COUNT]; /* the goroutine's times when the region began */
    StringId name;
    uint64_t task;
    uint32_t outer;        /* 1 + index; of a free item: the next free one */
    bool     is_inherited; /* it represents the task of the goroutine's creator */
} StatsRegion;

/* An open range of a goroutine. */
typedef struct StatsRange {
    StringId name;
    int64_t  begin;
    uint32_t next; /* 1 + index; of a free item: the next free one */
} StatsRange;

/* The state of a goroutine. */
typedef struct StatsG {
    int64_t  id;
    uint32_t row;   /* index into GoStats.goroutines */
    uint8_t  time;  /* the GoTime being counted, or TIME_NONE */
    uint8_t  state; /* GoState */
    bool     is_final, is_assisting, is_background, loads_assist;
    int64_t  since;         /* begin of `time`, clipped */
    StringId wait_reason;   /* of the wait being counted */
    int64_t  gc_before;     /* total of the mark phases at its creation */
    uint32_t region, range; /* 1 + index of the innermost open region; of the first open range */
    /* by profile: 1 + node of the stack of its wait; 0 = not waiting */
    uint32_t  wait_place[GO_PROFILE_COUNT];
    int64_t   wait_since[GO_PROFILE_COUNT];
    uint32_t  early_place; /* 1 + node of a wait before its first run; 0 = none */
    GoProfile early_profile;
    int64_t   early_ns;
    int64_t   syscall_at; /* v1: the last GoSysCall, which may turn out to block */
    uint32_t  syscall_node;
    int64_t   assist_at;
    uint8_t   worker; /* 1 + StatsWorker; 0 = none */
    int64_t   worker_since;
    uint32_t  syscall_p; /* place of the processor on which it entered a syscall; 0 = none */
    uint32_t  p;         /* place of the processor that it runs on; 0 = none */
    uint8_t   gc_load;   /* its share of StatsP.gc_load */
} StatsG;

typedef enum { WORKER_DEDICATED, WORKER_FRACTIONAL, WORKER_IDLE } StatsWorker;

typedef struct StatsP {
    int64_t  id;
    uint32_t syscall_g,
        sweep_g; /* places of the goroutine in a syscall, and of the one that began the sweep; 0 = none */
    int64_t  sweep_at, stw_at;
    bool     is_sweeping, is_stopping, loads_sweep;
    uint32_t gc_load; /* number of activities that take it from the program */
    uint32_t series;  /* 1 + index; 0 = none */
} StatsP;

typedef struct StatsTask {
    uint64_t id;
    int64_t  begin;
    StringId name;
    bool     is_open;
} StatsTask;

/* A finished task or region. */
typedef struct StatsDuration {
    uint32_t type; /* index into GoStats.types */
    int64_t  ns;
} StatsDuration;

/* The rows of all goroutines, processors, ..., in the arena of `out`. Item 0 of gs and ps is unused. */
typedef struct StatsEntries {
    StatsG        *gs;
    StatsP        *ps;
    StatsRegion   *regions;
    StatsRange    *ranges;
    StatsTask     *tasks;
    StatsDuration *durations;
    uint32_t       g_count, p_count, region_count, range_count, task_count, duration_count;
    uint32_t       g_capacity, p_capacity, region_capacity, range_capacity, task_capacity, duration_capacity;
    uint32_t       free_region, free_range; /* lists of unused items; 0 = empty */
} StatsEntries;

/* Capacities of the arrays of GoStats. */
typedef struct StatsCapacities {
    uint32_t goroutines, parts, nodes, frames, types, series;
} StatsCapacities;

typedef struct StatsMaps {
    IdMap gs, ps, tasks, mentioned_tasks, task_types, region_types;
    IdMap reason_times; /* text of a reason -> 1 + GoTime */
    IdMap places;       /* (function, file) -> place */
    IdMap lines;        /* (place, line) -> frame */
    IdMap nodes;        /* (parent, frame) -> node */
} StatsMaps;

typedef struct StatsNames {
    StringId v1_reasons[V1_TYPE_COUNT];
    StringId assist, sweep, network, forever;
} StatsNames;

/* The collector's cycles and stops. */
typedef struct StatsCollector {
    bool     is_marking, is_stopping;
    int64_t  mark_at, mark_ns; /* clipped: begin of the open phase; sum of the ended ones */
    int64_t  mark_ns_at_sync;
    uint64_t heap, goal;
    int64_t  stop_at;
    StringId stop_reason;
} StatsCollector;

/* The collector's use of processors. */
typedef struct StatsProcessors {
    uint32_t count, busy_count, stw_depth;
    bool     is_unsettled; /* the last step of a series is not the current value */
} StatsProcessors;

typedef struct Stats {
    const GoStatsRequest *request; /* borrowed */
    GoStats              *out;     /* borrowed; its arena holds everything */
    GoTrace              *trace;
    bool                  out_of_memory, has_begun;
    int64_t               clip_begin, clip_end; /* on the trace's axis */
    int64_t               now, last_time;       /* time of the current event, clipped; not clipped */
    int64_t               sync_time;
    StatsEntries          entries;
    StatsCapacities       out_capacity;
    StatsMaps             maps;
    StatsNames            names;
    StatsCollector        collector;
    StatsProcessors       processors;
    uint32_t              place_count;
    uint32_t             *stack; /* scratch: frames of one stack */
} Stats;

static inline GoGoroutine *stats_row(const Stats *stats, const StatsG *g)
{
    return &stats->out->goroutines[g->row];
}
/* Return the place of a goroutine or processor, and add it if it is new. 0 = none, or out of memory. */
uint32_t stats_find_g(Stats *stats, int64_t id);
uint32_t stats_find_p(Stats *stats, int64_t id);
bool     stats_is_none(const Stats *stats, int64_t g); /* true if an event has no goroutine */
/* True if [begin, end] has a moment in the range. */
bool stats_is_inside(const Stats *stats, int64_t begin, int64_t end);
/* Clips a time to the range. */
int64_t stats_clip(const Stats *stats, int64_t time);
/* Interns a constant text. */
StringId stats_text(Stats *stats, const char *text);
/* Returns the reason of a stop of the world, from its event. */
StringId stats_stop_reason(Stats *stats, const GoEvent *event);
/* True for a function of the runtime's own goroutines, by the rule of Go's tool. */
bool stats_is_system(const Stats *stats, StringId function);

/* -- goroutines.c -- */
void stats_goroutine_changes(Stats *stats, const GoEvent *event);
void stats_processor_changes(Stats *stats, const GoEvent *event);
void stats_range_on_goroutine(Stats *stats, const GoEvent *event);
/* Returns the goroutine's times up to now in `of`. */
void stats_snapshot(const Stats *stats, const StatsG *g, int64_t of[GO_TIME_COUNT]);
/* Counts the open times after the last event. */
void stats_goroutines_end(Stats *stats);
bool stats_make_functions(Stats *stats);

/* -- stacks.c -- */
bool     stats_stacks_begin(Stats *stats);
StringId stats_outermost(Stats *stats, uint32_t stack_place);
void     stats_stack_changes(Stats *stats, StatsG *g, const GoEvent *event, GoTime wait);
/* Counts the open waits after the last event. */
void stats_stacks_end(Stats *stats);

/* -- user.c -- */
void stats_user_event(Stats *stats, const GoEvent *event);
/* Ends a goroutine's regions with it. */
void stats_user_goroutine_ends(Stats *stats, StatsG *g);
/* Puts a new goroutine into the task of its creator. */
void stats_user_inherit(Stats *stats, StatsG *g, int64_t creator);
bool stats_user_end(Stats *stats);

/* -- gc.c -- */
void stats_gc_event(Stats *stats, const GoEvent *event);
void stats_gc_goroutine(Stats *stats, StatsG *g, const GoEvent *event);
void stats_gc_end(Stats *stats);
/* Returns the time from `since` to now; 0 if `since` is later: events of damaged traces may be out of order. */
static inline int64_t stats_since(const Stats *stats, int64_t since)
{
    return stats->now > since ? stats->now - since : 0;
}
int64_t stats_mark_ns(const Stats *stats); /* clipped, up to now */

/* -- mutator.c -- */
void stats_mutator_event(Stats *stats, const GoEvent *event);
bool stats_mutator_end(Stats *stats);

#endif
