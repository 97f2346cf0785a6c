/* Measures another program on the same file, in the same run. */
#include "bench.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static double children_cpu(struct rusage *usage)
{
    if (getrusage(RUSAGE_CHILDREN, usage) != 0) return 0;
    return seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime);
}

/* In the child: becomes the program. */
static void become(const char *const *arguments)
{
    enum { MOST_ARGUMENTS = 16 };
    char *copies[MOST_ARGUMENTS + 1] = { NULL }; /* execvp asks for strings that may be changed */
    int   nowhere = open("/dev/null", O_WRONLY);
    for (size_t i = 0; i < MOST_ARGUMENTS && arguments[i] != NULL; i++)
        copies[i] = strdup(arguments[i]);
    (void)dup2(nowhere, 1);
    (void)dup2(nowhere, 2);
    (void)execvp(copies[0], copies);
    _exit(127);
}

bool bench_child(const char *const *arguments, ChildCost *cost)
{
    struct rusage usage = { .ru_maxrss = 0 };
    double        start = bench_now(), cpu_start = children_cpu(&usage);
    int           status = 1;
    pid_t         child = fork();
    if (child == 0) become(arguments);
    bool done = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    *cost = (ChildCost){ .seconds = bench_now() - start,
                         .cpu_seconds = children_cpu(&usage) - cpu_start,
                         .peak_bytes = (uint64_t)usage.ru_maxrss << 10 };
    if (!done) *cost = (ChildCost){ .seconds = 0 };
    return done;
}
