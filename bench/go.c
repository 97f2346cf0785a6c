/* Go traces: what Go's own tool takes for the same file, where it is installed and reads its version. */
#include "bench.h"

void bench_go(const char *path, Sample *sample)
{
    /* newer ones build the tool when it is first asked for */
    const char *const first[] = { "go", "tool", "trace", "-pprof=sched", "/dev/null", NULL };
    const char *const arguments[] = { "go", "tool", "trace", "-pprof=sched", path, NULL };
    ChildCost         cost;
    (void)bench_child(first, &cost);
    (void)bench_child(arguments, &sample->go_tool);
}
