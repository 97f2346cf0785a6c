/* Prints how much each goroutine of a Go execution trace ran and waited.
 * usage: goroutines TRACE */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

int main(int argc, char **argv)
{
    VarveError  error;
    uint32_t    count = 0;
    VarveTrace *trace = argc == 2 ? varve_open(argv[1], NULL, &error) : NULL;
    VarveGo    *go = trace == NULL ? NULL : varve_go_open(trace, NULL, &error);
    if (go == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: goroutines TRACE");
        varve_close(trace);
        return 1;
    }
    const VarveGoroutine *routines = varve_go_routines(go, &count);
    printf("goroutine      total ns        ran ns   runnable ns    waited ns  function\n");
    for (uint32_t i = 0; i < count; i++) {
        const VarveGoroutine *routine = &routines[i];
        printf("%9" PRIu64 " %13" PRId64 " %13" PRId64 " %13" PRId64 " %12" PRId64 "  %.*s\n", routine->id,
               routine->total_ns, routine->execution_ns, routine->scheduler_ns,
               routine->network_ns + routine->sync_ns + routine->other_ns + routine->syscall_ns,
               (int)routine->function.size_bytes, routine->function.bytes);
    }
    varve_go_close(go);
    varve_close(trace);
    return 0;
}
