/* format/go/stats/stats.h - statistics of a Go trace: times of goroutines, waits by stack, durations of tasks and regions,
 * the work of the garbage collector, and the share of the machine that it leaves to the program.
 *
 * All results come from one pass over the ordered events (trace/go_trace.h). Memory grows with the goroutines, distinct
 * stacks, user tasks and regions, and changes of the collector's activity, not with events. Times are ns on the trace's
 * own axis.
 *
 * With a range, durations are clipped to it: only the part of a state inside the range counts. Tasks, regions, cycles
 * and stops count with their whole durations if a moment of them is inside.
 *
 *   goroutines  times by goroutine        mutator  the program's share of the machine
 *   stacks      waits by stack            mmu      the minimum of that share
 *   user        tasks and regions         pprof    stacks as a profile for `go tool pprof`
 *   gc          cycles, stops, workers */
#ifndef FORMAT_GO_STATS_STATS_H
#define FORMAT_GO_STATS_STATS_H
#include "base/string_table.h"
#include "format/go/stats/mmu.h"
#include "format/load.h"

typedef enum {
    /* exclusive times: their sum is the goroutine's total, if all are known */
    GO_TIME_EXECUTION, /* v1: includes syscalls that do not block, whose durations are unknown */
    GO_TIME_NETWORK,
    GO_TIME_SYNC,             /* waits for channels, select, mutexes, conditions */
    GO_TIME_OTHER,            /* other waits: sleep, the collector ... */
    GO_TIME_SYSCALL,          /* v2: in a syscall with its processor */
    GO_TIME_BLOCKING_SYSCALL, /* in a syscall without a processor */
    GO_TIME_SCHEDULER,        /* runnable, waiting for a processor */
    /* times that overlap the exclusive ones */
    GO_TIME_ASSIST, /* mark assists */
    GO_TIME_SWEEP,  /* v2: sweeps that it began and ended while running */
    GO_TIME_STW,    /* v2: stops of the world that it caused */
    GO_TIME_GC,     /* mark phases of the whole program */
    GO_TIME_COUNT
} GoTime;

enum { GO_TIME_EXCLUSIVE_COUNT = GO_TIME_ASSIST };

/* The time for one name. */
typedef struct GoPart {
    StringId name; /* reason of a wait, or kind of a range */
    uint32_t next; /* 1 + index into GoStats.parts; 0 = the last */
    int64_t  ns;
} GoPart;

typedef struct GoGoroutine {
    int64_t  id;
    StringId name; /* the start function; STRING_NONE = unknown */
    int64_t  created, started, ended;
    int64_t  total; /* from creation to end, clipped */
    int64_t  of[GO_TIME_COUNT];
    uint32_t waits, ranges; /* 1 + index into GoStats.parts */
    uint32_t region_count;
    uint64_t start_count; /* number of times that it got a processor */
    bool     has_started, has_ended;
    bool     is_inside; /* it existed in the range */
} GoGoroutine;

/* The goroutines that begin with one function. */
typedef struct GoFunction {
    StringId name;
    uint64_t count;
    int64_t  total;
    int64_t  of[GO_TIME_COUNT];
    int64_t  longest_total;
    uint64_t start_count;
    uint32_t first; /* index of the goroutine with the longest total */
} GoFunction;

typedef enum {
    GO_PROFILE_NET,
    GO_PROFILE_SYNC,
    GO_PROFILE_SYSCALL,
    GO_PROFILE_SCHED,
    GO_PROFILE_COUNT
} GoProfile;

/* Returns the name of a profile: "net". */
const char *go_profile_name(GoProfile profile);
/* Finds a profile by name. False if there is no such profile. */
bool go_profile_find(const char *name, GoProfile *profile);

/* A frame in the tree of stacks, with the values of the stacks that end in it, without its children's. */
typedef struct GoStackNode {
    uint32_t parent; /* index of the caller's node, less than its own; 0 = root */
    uint32_t frame;  /* index into GoStats.frames */
    uint64_t count[GO_PROFILE_COUNT];
    int64_t  ns[GO_PROFILE_COUNT];
} GoStackNode;

typedef struct GoStackFrame {
    StringId function, file;
    uint32_t line;
    uint64_t pc; /* one of those with this line */
} GoStackFrame;

/* The tasks or regions of one name. */
typedef struct GoUserType {
    StringId name;
    bool     is_task;
    uint64_t open_count; /* without end or begin; excluded from the other values */
    uint64_t count;      /* finished */
    int64_t  total, min, max;
    int64_t  p50, p90, p99;     /* nearest rank */
    uint64_t buckets[64];       /* [i]: durations of [2^i, 2^(i+1)) ns; [0] also durations of 0 */
    int64_t  of[GO_TIME_COUNT]; /* of regions: times of their goroutines during them, clipped */
} GoUserType;

typedef struct GoCycle {
    int64_t  begin, end;
    bool     has_begin, has_end;
    uint64_t heap_begin, goal_begin, heap_end; /* bytes; 0 = unknown */
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
    int64_t  mark_ns, stw_ns, sweep_ns; /* finished ones only */
    int64_t  assist_ns;                 /* all assists, up to the end of the trace */
    uint64_t stw_count, assist_count, sweep_count, swept_bytes, reclaimed_bytes;
    int64_t  dedicated_ns, fractional_ns, idle_ns; /* of mark workers */
    uint64_t heap_min, heap_max, goal_max;         /* bytes; 0 = unknown */
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
    /* GO_RULES_OF_GO: the same numbers as `go tool trace`, including its errors (docs/go.md). */
    GoRules  rules;
    unsigned util; /* GO_UTIL_ bits: the activities that count as taken from the program */
    bool     has_range, is_from_begin; /* the range counts from the trace's begin; else it is on its axis */
    int64_t  begin, end;               /* half-open */
} GoStatsRequest;

typedef struct GoStats {
    Arena         arena; /* owned; holds everything below */
    StringTable  *texts;
    const char   *version; /* "1.26"; static */
    int64_t       trace_begin, trace_end;
    int64_t       begin, end; /* the range, clipped to the trace */
    GoGoroutine  *goroutines; /* by first appearance; without times if not inside */
    GoPart       *parts;
    GoFunction   *functions; /* by execution time, longest first */
    GoStackNode  *nodes;     /* [0]: waits without a stack */
    GoStackFrame *frames;    /* [0] is unused */
    GoUserType   *types;     /* by total, longest first */
    GoGc          gc;
    MmuSeries    *series; /* the program's share; by processor with GO_UTIL_PER_PROC */
    uint32_t goroutine_count, part_count, function_count, node_count, frame_count, type_count, series_count;
    uint64_t task_count; /* tasks mentioned in any event, including the background task 0 */
    uint64_t event_count;
    bool     complete; /* the input is not damaged */
    Err      why;      /* the first fault, if not complete */
} GoStats;

/* Returns a request for the window of a loaded Go trace, or for all of it. Its ticks are ns. */
GoStatsRequest go_stats_window(const Trace *trace);

/* Read a whole file ("-": standard input), the bytes of a loaded trace again, or bytes in memory. True for a damaged
 * trace as well. The caller releases `stats` in all cases. ERR_UNKNOWN: not a Go trace. */
bool go_stats_file(const char *path, const GoStatsRequest *request, GoStats *stats, Err *err) WARN_UNUSED;
bool go_stats_loaded(const Loaded *loaded, const GoStatsRequest *request, GoStats *stats,
                     Err *err) WARN_UNUSED;
bool go_stats_bytes(const void *bytes, size_t size, const GoStatsRequest *request, GoStats *stats,
                    Err *err) WARN_UNUSED;
void go_stats_release(GoStats *stats);

/* Returns the text of a function, reason or kind; "" for STRING_NONE. */
static inline StringView go_stats_text(const GoStats *stats, StringId id)
{
    return string_table_view(stats->texts, id);
}

#endif
