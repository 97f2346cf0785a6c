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

typedef struct VarveGo VarveGo;

/* Reads the input of a Go execution trace again and adds up the times of goroutines in the loaded range. */
VARVE_API VarveGo *varve_go_open(const VarveTrace *trace, VarveError *error);
VARVE_API void     varve_go_close(VarveGo *go);
/* Returns the goroutines in order of appearance, and their number. Any thread. */
VARVE_API const VarveGoroutine *varve_go_routines(const VarveGo *go, uint32_t *routine_count);

#ifdef __cplusplus
}
#endif
#endif
