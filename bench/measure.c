/* Measures reading and loading. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss;
#else
    return (uint64_t)usage.ru_maxrss * 1024;
#endif
}

static bool read_once(const char *path, void *block, uint64_t *bytes, Err *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    ssize_t got;
    *bytes = 0;
    while ((got = read(file, block, BLOCK_BYTES)) > 0)
        *bytes += (uint64_t)got;
    if (got < 0) err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    close(file);
    return got == 0;
}

/* The machine's own limit: read() into one reused block, from the page cache. The first pass fills it. */
static bool measure_read(const char *path, Sample *sample, Err *err)
{
    void *block = malloc(BLOCK_BYTES);
    if (block == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    bool done = read_once(path, block, &sample->file_bytes, err);
    if (done) {
        double start = bench_now();
        done = read_once(path, block, &sample->file_bytes, err);
        sample->read_seconds = bench_now() - start;
    }
    free(block);
    return done;
}

static void count(const Trace *trace, Sample *sample)
{
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++)
        sample->events += trace->records.event_kinds[i].count;
    sample->slices = trace->slices.count;
    sample->column_bytes = trace_column_bytes(trace);
    sample->index_bytes = trace_index_bytes(trace);
    size_t length = strlen(trace->source.format_name);
    memcpy(sample->format, trace->source.format_name,
           length < sizeof sample->format ? length : sizeof sample->format - 1);
}

bool bench_measure(const char *path, unsigned threads, Sample *sample, Err *err)
{
    LoadOptions options = { .threads = threads, .perspective = "" }; /* as the viewer opens it */
    Loaded      loaded;
    *sample = (Sample){ 0 };
    if (!measure_read(path, sample, err)) return false;
    double cpu_start = bench_cpu_seconds(), start = bench_now();
    if (!load_file(path, &options, &loaded, err)) return false;
    sample->load_seconds = bench_now() - start;
    sample->load_cpu_seconds = bench_cpu_seconds() - cpu_start;
    sample->peak_bytes = peak_bytes();
    count(loaded.trace, sample);
    bool done = bench_frames(loaded.trace, threads, sample->frames, err);
    loaded_release(&loaded);
    return done;
}
