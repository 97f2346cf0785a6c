/* Go traces: Go's own tool and reader on the same file, where they are installed and read its version. */
#include "bench.h"

void bench_go(const char *path, const Peers *peers, Sample *sample)
{
    /* newer ones build the tool when it is first asked for */
    const char *const first[] = { "go", "tool", "trace", "-pprof=sched", "/dev/null", NULL };
    const char *const arguments[] = { "go", "tool", "trace", "-pprof=sched", path, NULL };
    ChildCost         cost;
    (void)bench_child(first, &cost);
    (void)bench_child(arguments, &sample->go_tool);
    if (peers->go_reader == NULL) return;
    const char *const reader[] = { peers->go_reader, path, NULL };
    (void)bench_child(reader, &sample->go_reader);
}
