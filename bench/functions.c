/* varve-bench-functions NAME [CALLS] [FILE] - measures the cost of instrumented functions: ns of processor time of an event,
 * with one thread and with as many as there are processors. An event is a begin or an end of a call.
 *
 * Meson builds it three times: without instrumentation (varve-bench-functions-plain), with varve/instrument.c (-recorded), and
 * with the writer of functions_spall.c (-spall). FILE is the recording, whose size is printed for each event. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))
enum { MAX_THREADS = 64 };

typedef struct Worker {
    pthread_t thread;
    uint64_t  calls;
    double    event_ns;
} Worker;

static uint64_t add(uint64_t a, uint64_t b);
static uint64_t add_twice(uint64_t a, uint64_t b);

__attribute__((noinline)) static uint64_t add(uint64_t a, uint64_t b)
{
    __asm__ volatile("");
    return a + b;
}

__attribute__((noinline)) static uint64_t add_twice(uint64_t a, uint64_t b)
{
    return add(a, b) + add(b, a) + 1;
}

NOT_INSTRUMENTED static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

NOT_INSTRUMENTED static void *run_worker(void *worker_)
{
    Worker *const  worker = worker_;
    const uint64_t begin = processor_ns();
    uint64_t       sum = 0;
    for (uint64_t i = 0; i < worker->calls / 3; i++)
        sum += add_twice(sum, i);
    worker->event_ns = (double)(processor_ns() - begin) / (double)(2 * worker->calls) + (sum == 1 ? 1 : 0);
    return NULL;
}

NOT_INSTRUMENTED static double measure(uint64_t calls, int threads)
{
    Worker workers[MAX_THREADS];
    double slowest = 0;
    for (int i = 0; i < threads; i++) {
        workers[i].calls = calls;
        if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) != 0) abort();
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].event_ns > slowest) slowest = workers[i].event_ns;
    }
    return slowest;
}

NOT_INSTRUMENTED int main(int count, char **arguments)
{
    const uint64_t calls = count > 2 ? strtoull(arguments[2], NULL, 10) : 3000000;
    const long     processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int      threads = processors > MAX_THREADS ? MAX_THREADS : (int)processors;
    struct stat    status = { 0 };
    const double   one = measure(calls, 1), all = measure(calls, threads);
    if (count > 3 && stat(arguments[3], &status) != 0) return 1;
    printf("%-28s %8.1f %8.1f %8.1f\n", count > 1 ? arguments[1] : "", one, all,
           (double)status.st_size / (double)(2 * calls * (uint64_t)(threads + 1)));
    return 0;
}
