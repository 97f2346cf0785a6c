/* format/go/stats_internal.h - what the parts of the statistics share while events come. */
#ifndef FORMAT_GO_STATS_INTERNAL_H
#define FORMAT_GO_STATS_INTERNAL_H
#include "base/checked.h"
#include "format/go/go_trace.h"
#include "format/go/stats.h"

enum { TIME_NONE = GO_TIME_COUNT }; /* of StatsG.time: nothing is counted */

/* A region that is open on a goroutine. */
typedef struct StatsRegion {
    int64_t  begin;
    int64_t  of[GO_TIME_COUNT]; /* of its goroutine at that time */
    StringId name;
    uint64_t task;
    uint32_t outer;        /* 1 + index; in the list of free ones too */
    bool     is_inherited; /* stands for a task that the goroutine was created in */
} StatsRegion;

/* A range on a goroutine that has begun. */
typedef struct StatsRange {
    StringId name;
    int64_t  begin;
    uint32_t next; /* 1 + index; in the list of free ones too */
} StatsRange;

/* A goroutine, while events come. */
typedef struct StatsG {
    int64_t  id;
    uint32_t row;   /* index into GoStats.goroutines */
    uint8_t  time;  /* GoTime that is being counted, or TIME_NONE */
    uint8_t  state; /* GoState */
    bool     is_final, is_assisting, is_background, loads_assist;
    int64_t  since;         /* clipped, likewise gc_at_begin */
    StringId wait_reason;   /* of the wait that is being counted */
    int64_t  gc_before;     /* sum of mark phases when it was created */
    uint32_t region, range; /* 1 + index of the innermost open one, of one of the open ranges */
    uint32_t
        wait_place[GO_PROFILE_COUNT]; /* 1 + node of the stack that a profile counts for; 0 = it waits not */
    int64_t   wait_since[GO_PROFILE_COUNT];
    uint32_t  early_place; /* of a wait before its first run: likewise */
    GoProfile early_profile;
    int64_t   early_ns;
    int64_t   syscall_at; /* v1: the last GoSysCall, that may turn out to block */
    uint32_t  syscall_node;
    int64_t   assist_at;
    uint8_t   worker; /* 1 + StatsWorker; 0 = none */
    int64_t   worker_since;
    uint32_t  syscall_p; /* place of the processor that it began a syscall on; 0 = none */
    uint32_t  p;         /* likewise: that it runs on */
    uint8_t   gc_load;   /* of what it does there for the collector */
} StatsG;

typedef enum { WORKER_DEDICATED, WORKER_FRACTIONAL, WORKER_IDLE } StatsWorker;

typedef struct StatsP {
    int64_t  id;
    uint32_t syscall_g,
        sweep_g; /* place of the goroutine in a syscall, or that ran when the sweep began; 0 = none */
    int64_t  sweep_at, stw_at;
    bool     is_sweeping, is_stopping, loads_sweep;
    uint32_t gc_load; /* how many things keep it from the program */
    uint32_t series;  /* 1 + index; 0 = none yet */
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

typedef struct Stats {
    const GoStatsRequest *request; /* borrowed */
    GoStats              *out;     /* borrowed; its arena holds all */
    GoTrace              *trace;
    bool                  out_of_memory, has_begun;
    int64_t               clip_begin, clip_end; /* on the trace's axis */
    int64_t               now, last_time;       /* of the event at hand, clipped and not */
    int64_t               sync_time;
    StatsG               *gs; /* [0] none; likewise below */
    StatsP               *ps;
    StatsRegion          *regions;
    StatsRange           *ranges;
    StatsTask            *tasks;
    StatsDuration        *durations;
    uint32_t g_count, p_count, region_count, range_count, task_count, duration_count, g_capacity, p_capacity,
        region_capacity, range_capacity, task_capacity, duration_capacity, free_region, free_range;
    uint32_t goroutine_capacity, part_capacity, node_capacity, frame_capacity, type_capacity, series_capacity;
    IdMap    g_map, p_map, task_map, mentioned_tasks, task_types, region_types;
    IdMap    reason_times; /* text of a reason -> 1 + GoTime */
    StringId v1_reasons[V1_TYPE_COUNT];
    StringId assist_name, sweep_name, network, forever;
    IdMap    place_map, line_map,
        node_map; /* (function, file) -> place; (place, line) -> frame; (parent, frame) -> node */
    uint32_t  place_count;
    uint32_t *stack; /* frames of the one that is being found */
    /* the collector */
    bool     is_marking, is_stopping;
    int64_t  mark_at, mark_ns; /* clipped: of the phase that goes on, of those that ended */
    int64_t  mark_ns_at_sync;
    uint64_t heap, goal;
    int64_t  stop_at;
    StringId stop_reason;
    /* what it takes */
    uint32_t proc_count, busy_count, stw_depth;
    bool     is_unsettled; /* the last step of a series is not what holds now */
} Stats;

static inline GoGoroutine *stats_row(const Stats *stats, const StatsG *g)
{
    return &stats->out->goroutines[g->row];
}
/* Place of a goroutine, made if new; 0 = none, or out of memory. */
uint32_t stats_find_g(Stats *stats, int64_t id);
uint32_t stats_find_p(Stats *stats, int64_t id);
bool     stats_is_none(const Stats *stats, int64_t g); /* an event has no goroutine */
/* Whether what went on from `begin` to `end` has a moment in the range. */
bool stats_is_inside(const Stats *stats, int64_t begin, int64_t end);
/* Returns the time, or the end of the range that is nearer to it. */
int64_t stats_clip(const Stats *stats, int64_t time);
/* A text of the program's own. */
StringId stats_text(Stats *stats, const char *text);
/* Why the world stops, of an STW event. */
StringId stats_stop_reason(Stats *stats, const GoEvent *event);
/* Of a goroutine or system: as Go's tool has it. */
bool stats_is_system(const Stats *stats, StringId function);

/* -- stats_goroutines.c -- */
void stats_goroutine_changes(Stats *stats, const GoEvent *event);
void stats_processor_changes(Stats *stats, const GoEvent *event);
void stats_range_on_goroutine(Stats *stats, const GoEvent *event);
/* What a goroutine has done up to now. */
void stats_snapshot(const Stats *stats, const StatsG *g, int64_t of[GO_TIME_COUNT]);
/* Behind the last event. */
void stats_goroutines_end(Stats *stats);
bool stats_make_functions(Stats *stats);

/* -- stats_stacks.c -- */
bool     stats_stacks_begin(Stats *stats);
uint32_t stats_node(Stats *stats, uint32_t stack_place); /* 0 = none */
StringId stats_outermost(Stats *stats, uint32_t stack_place);
void     stats_stack_changes(Stats *stats, StatsG *g, const GoEvent *event, GoTime wait);
/* Behind the last event. */
void stats_stacks_end(Stats *stats);

/* -- stats_user.c -- */
void stats_user_event(Stats *stats, const GoEvent *event);
/* A goroutine ended: its regions with it. */
void stats_user_goroutine_ends(Stats *stats, StatsG *g);
/* A new goroutine is in the task that its creator works on. */
void stats_user_inherit(Stats *stats, StatsG *g, int64_t creator);
bool stats_user_end(Stats *stats);

/* -- stats_gc.c -- */
void    stats_gc_event(Stats *stats, const GoEvent *event);
void    stats_gc_goroutine(Stats *stats, StatsG *g, const GoEvent *event);
void    stats_gc_end(Stats *stats);
int64_t stats_mark_ns(const Stats *stats); /* clipped, up to now */

/* -- stats_mutator.c -- */
void stats_mutator_event(Stats *stats, const GoEvent *event);
bool stats_mutator_end(Stats *stats);

#endif
