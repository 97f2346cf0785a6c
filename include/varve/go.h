/* varve/go.h - statistics of Go execution traces. A part of varve/varve.h. */
#ifndef VARVE_GO_H
#define VARVE_GO_H
#include <varve/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Go ---- */

typedef struct VarveGoroutine {
    uint64_t  id;
    VarveText function; /* with which it began; "" = not known */
    /* exclusive parts of total_ns */
    int64_t  total_ns, execution_ns, network_ns, sync_ns, other_ns, syscall_ns, scheduler_ns;
    uint64_t start_count; /* times that it got a processor */
} VarveGoroutine;

/* VARVE_GO_RULES_OF_GO: the numbers of `go tool trace`, including its errors (docs/go.md). */
typedef enum VarveGoRules { VARVE_GO_RULES_EXACT, VARVE_GO_RULES_OF_GO } VarveGoRules;

/* Of the report "mmu": the mean of the processors, or the worst one. */
typedef enum VarveGoProcessors { VARVE_GO_PROCESSORS_MEAN, VARVE_GO_PROCESSORS_WORST } VarveGoProcessors;

typedef struct VarveGoOptions {
    VarveGoRules      rules;
    VarveGoProcessors processors;
    const char       *range; /* of varve_go_open_file, as in VarveOptions; NULL = all */
    /* of the report "mmu": activities of the collector that count, of "stw,background,assist,sweep"; NULL = the first three */
    const char *counts;
    uint64_t    reserved[4];
} VarveGoOptions;

typedef struct VarveGo VarveGo;

/* Reads the input of a Go execution trace again and adds up the loaded range. `options` may be NULL. */
VARVE_API VarveGo *varve_go_open(const VarveTrace *trace, const VarveGoOptions *options, VarveError *error);
/* Does the same for a file ("-" is standard input) that is not loaded as a trace. VARVE_ERROR_UNKNOWN: it is not a Go execution
 * trace. */
VARVE_API VarveGo *varve_go_open_file(const char *path, const VarveGoOptions *options, VarveError *error);
VARVE_API void     varve_go_close(VarveGo *go);
/* True if the input is damaged; then fills `fault` with the first fault. The numbers are those of the part before it. Any thread. */
VARVE_API bool varve_go_fault(const VarveGo *go, VarveError *fault);
/* Returns the goroutines in order of appearance, and their number. Any thread. */
VARVE_API const VarveGoroutine *varve_go_routines(const VarveGo *go, uint32_t *routine_count);

typedef enum VarveGoReport {
    VARVE_GO_FUNCTIONS, /* times by the function that goroutines begin with */
    VARVE_GO_GOROUTINES,
    VARVE_GO_NETWORK, /* stacks of waits */
    VARVE_GO_SYNC,
    VARVE_GO_SYSCALL,
    VARVE_GO_SCHEDULER,
    VARVE_GO_TASKS, /* durations of user tasks and regions */
    VARVE_GO_REGIONS,
    VARVE_GO_MMU, /* minimum mutator utilisation: the share of time left to the program */
    VARVE_GO_GC   /* cycles, stops of the world, assists, the heap */
} VarveGoReport;

typedef enum VarveGoForm {
    VARVE_GO_TABLE,  /* for people */
    VARVE_GO_JSON,   /* docs/go.md */
    VARVE_GO_FOLDED, /* stacks of waits as lines "outer;inner 120" */
    VARVE_GO_PPROF   /* stacks of waits for `go tool pprof` */
} VarveGoForm;

/* The order of goroutines and functions. */
typedef enum VarveGoSort {
    VARVE_GO_SORT_EXECUTION,
    VARVE_GO_SORT_TOTAL,
    VARVE_GO_SORT_NETWORK,
    VARVE_GO_SORT_SYNC,
    VARVE_GO_SORT_OTHER,
    VARVE_GO_SORT_SYSCALL,
    VARVE_GO_SORT_BLOCKING,
    VARVE_GO_SORT_SCHEDULER,
    VARVE_GO_SORT_ASSIST,
    VARVE_GO_SORT_SWEEP,
    VARVE_GO_SORT_GC,
    VARVE_GO_SORT_COUNT,
    VARVE_GO_SORT_NAME,
    VARVE_GO_SORT_ID
} VarveGoSort;

typedef struct VarveGoOutput {
    VarveGoReport  report;
    VarveGoForm    form;
    VarveTextStyle style;    /* of VARVE_GO_TABLE */
    VarveGoSort    sort;     /* of goroutines and functions in VARVE_GO_TABLE */
    const char    *function; /* likewise: only of functions with this text in their name; NULL = all */
    uint64_t       row_most; /* of VARVE_GO_TABLE and VARVE_GO_JSON; 0 = all */
    uint64_t       reserved[4];
} VarveGoOutput;

/* Replaces the content of `out` by a report, as `varve go` prints it. */
VARVE_API bool varve_go_print(VarveGo *go, const VarveGoOutput *output, VarveBytes *out, VarveError *error);
/* Return the names: "functions", "net", "execution", ... Static. Any thread. */
VARVE_API const char *varve_go_report_name(VarveGoReport report);
VARVE_API const char *varve_go_sort_name(VarveGoSort sort);

#ifdef __cplusplus
}
#endif
#endif
