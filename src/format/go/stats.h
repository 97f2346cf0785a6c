/* format/go/stats.h - what people ask of a Go trace: where goroutines spend their time, what blocks them, how long
 * tasks and regions take, what the garbage collector does, and how much of the machine it leaves to the program.
 *
 * All answers come from one pass over the ordered events (go_trace.h); what is kept grows with goroutines,
 * distinct stacks, user tasks and regions, and changes of what the collector does, not with events. Times are
 * nanoseconds on the trace's own axis.
 *
 * With a range, durations are clipped to it: of a state that is only partly inside, the part inside counts.
 * Tasks, regions, cycles and stops count when a moment of them is inside, with their whole durations.
 *
 *   stats_goroutines  time by goroutine       stats_stacks   waits by stack      stats_user    tasks and regions
 *   stats_gc          cycles, stops, workers  stats_mutator  what is left of the machine; mmu  the minimum of it
 *   pprof             stacks as a profile for `go tool pprof` */
#ifndef FORMAT_GO_STATS_H
#define FORMAT_GO_STATS_H
#include "base/string_table.h"
#include "format/go/mmu.h"
#include "format/load.h"

typedef enum {
    /* exclude each other: their sum is the goroutine's presence, if nothing is unknown */
    GO_TIME_EXECUTION, /* v1: with syscalls that do not block, of which it does not tell how long they are */
    GO_TIME_NETWORK,
    GO_TIME_SYNC,             /* channels, select, mutexes, conditions */
    GO_TIME_OTHER,            /* waits for anything else: sleep, the collector ... */
    GO_TIME_SYSCALL,          /* v2: as long as it keeps its processor */
    GO_TIME_BLOCKING_SYSCALL, /* without one */
    GO_TIME_SCHEDULER,        /* runnable, and no processor free */
    /* what went on meanwhile */
    GO_TIME_ASSIST, /* it helps to mark */
    GO_TIME_SWEEP,  /* v2: begun and ended while it ran */
    GO_TIME_STW,    /* v2: stops of the world that it asked for */
    GO_TIME_GC,     /* a mark phase, anywhere */
    GO_TIME_COUNT
} GoTime;

enum { GO_TIME_EXCLUSIVE_COUNT = GO_TIME_ASSIST };

/* "execution" */
const char *go_time_name(GoTime time);

/* How long something that is named went on. */
typedef struct GoPart {
    StringId name; /* reason of a wait, kind of a range */
    uint32_t next; /* 1 + index into GoStats.parts; 0 = the last */
    int64_t  ns;
} GoPart;

typedef struct GoGoroutine {
    int64_t  id;
    StringId name; /* the function it begins with; STRING_NONE = not known */
    int64_t  created, started, ended;
    int64_t  total; /* its presence */
    int64_t  of[GO_TIME_COUNT];
    uint32_t waits, ranges; /* 1 + index into GoStats.parts */
    uint32_t region_count;
    uint64_t start_count; /* how often it got a processor */
    bool     has_started, has_ended;
    bool     is_inside; /* it was there in the range */
} GoGoroutine;

/* Goroutines that begin with one function. */
typedef struct GoFunction {
    StringId name;
    uint64_t count;
    int64_t  total;
    int64_t  of[GO_TIME_COUNT];
    int64_t  longest_total;
    uint64_t start_count;
    uint32_t first; /* index of one of them, the one that was there longest */
} GoFunction;

typedef enum {
    GO_PROFILE_NET,
    GO_PROFILE_SYNC,
    GO_PROFILE_SYSCALL,
    GO_PROFILE_SCHED,
    GO_PROFILE_COUNT
} GoProfile;

/* "net" */
const char *go_profile_name(GoProfile profile);
/* False: there is none of that name. */
bool go_profile_find(const char *name, GoProfile *profile);

/* A frame below its callers. What is counted in it is not in those below. */
typedef struct GoStackNode {
    uint32_t parent; /* index of the caller's; 0 = none. Less than its own */
    uint32_t frame;  /* index into GoStats.frames */
    uint64_t count[GO_PROFILE_COUNT];
    int64_t  ns[GO_PROFILE_COUNT];
} GoStackNode;

typedef struct GoStackFrame {
    StringId function, file;
    uint32_t line;
    uint64_t pc; /* one of those with this line */
} GoStackFrame;

/* Tasks or regions of one name. */
typedef struct GoUserType {
    StringId name;
    bool     is_task;
    uint64_t open_count; /* without end, or without begin: not in what follows */
    uint64_t count;      /* finished */
    int64_t  total, min, max;
    int64_t  p50, p90, p99;     /* nearest rank */
    uint64_t buckets[64];       /* i: durations of [2^i, 2^(i+1)) ns; 0 also those of 0 */
    int64_t  of[GO_TIME_COUNT]; /* regions: what their goroutines did meanwhile, clipped */
} GoUserType;

typedef struct GoCycle {
    int64_t  begin, end;
    bool     has_begin, has_end;
    uint64_t heap_begin, goal_begin, heap_end; /* bytes; 0 = not known */
    int64_t  stw_ns, assist_ns;
    uint32_t stw_count, assist_count;
} GoCycle;

typedef struct GoStop {
    StringId reason;
    uint64_t count;
    int64_t  total, max;
    int64_t  longest_at; /* begin of the longest */
} GoStop;

typedef struct GoGc {
    GoCycle *cycles;
    GoStop  *stops; /* by reason, longest in total first */
    uint32_t cycle_count, stop_count, cycle_capacity, stop_capacity;
    uint64_t finished_count;
    int64_t  mark_ns, stw_ns, sweep_ns; /* of finished ones */
    int64_t  assist_ns;                 /* of all assists, up to the trace's end */
    uint64_t stw_count, assist_count, sweep_count, swept_bytes, reclaimed_bytes;
    int64_t  dedicated_ns, fractional_ns, idle_ns; /* of mark workers */
    uint64_t heap_min, heap_max, goal_max;         /* bytes; 0 = not known */
} GoGc;

typedef enum { GO_RULES_OURS, GO_RULES_OF_GO } GoRules;

enum {
    GO_UTIL_STW = 1,
    GO_UTIL_BACKGROUND = 2,
    GO_UTIL_ASSIST = 4,
    GO_UTIL_SWEEP = 8,
    GO_UTIL_PER_PROC = 16
};
enum { GO_UTIL_USUAL = GO_UTIL_STW | GO_UTIL_BACKGROUND | GO_UTIL_ASSIST };

typedef struct GoStatsRequest {
    /* GO_RULES_OF_GO: numbers exactly as `go tool trace` has them, where it is off too (docs/go.md). */
    GoRules  rules;
    unsigned util;                     /* GO_UTIL_: what counts as taken from the program */
    bool     has_range, is_from_begin; /* the range counts from the trace's begin, else on its axis */
    int64_t  begin, end;               /* half-open */
} GoStatsRequest;

typedef struct GoStats {
    Arena         arena; /* owned: holds all below */
    StringTable  *texts;
    const char   *version; /* "1.26"; static */
    int64_t       trace_begin, trace_end;
    int64_t       begin, end; /* of the range, within the trace */
    GoGoroutine  *goroutines; /* by first appearance; those that are not inside have no times */
    GoPart       *parts;
    GoFunction   *functions; /* by execution, greatest first */
    GoStackNode  *nodes;     /* [0] is what has no stack */
    GoStackFrame *frames;    /* [0] is none */
    GoUserType   *types;     /* by total, greatest first */
    GoGc          gc;
    MmuSeries    *series; /* what is left to the program; per processor if asked for */
    uint32_t goroutine_count, part_count, function_count, node_count, frame_count, type_count, series_count;
    uint64_t task_count; /* tasks that are named anywhere, the background task 0 too */
    uint64_t event_count;
    bool     complete; /* else: */
    Err      why;      /* the first thing that was wrong */
} GoStats;

/* Returns a request about the window of a loaded Go trace, or about all of it: ticks are ns. */
GoStatsRequest go_stats_window(const Trace *trace);

/* Reads all of a file ("-": standard input), or again the bytes of a loaded trace. True also for a damaged
 * trace. The caller releases `stats` in any case. ERR_UNKNOWN: no Go trace. */
bool go_stats_file(const char *path, const GoStatsRequest *request, GoStats *stats, Err *err) WARN_UNUSED;
bool go_stats_loaded(const Loaded *loaded, const GoStatsRequest *request, GoStats *stats,
                     Err *err) WARN_UNUSED;
bool go_stats_bytes(const void *bytes, size_t size, const GoStatsRequest *request, GoStats *stats,
                    Err *err) WARN_UNUSED;
void go_stats_release(GoStats *stats);

/* Text of a function, reason or kind; "" for none. */
static inline StringView go_stats_text(const GoStats *stats, StringId id)
{
    return string_table_view(stats->texts, id);
}

#endif
