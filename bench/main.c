/* varve-bench: load time, memory, and time for a frame.
 *
 * Runs are interleaved over the files and the medians of their times printed, with the
 * limit of the machine in the same run: reading the file from the page cache. */
#include "bench.h"

#include "base/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 99 };

typedef struct Bench {
    char   **paths;
    size_t   path_count;
    unsigned runs, threads;
    Sample  *samples; /* [run * path_count + path] */
} Bench;

static const char USAGE[] =
    "usage: varve-bench [--runs=N] [--threads=N] FILE...\n\n"
    "  --runs=N     measurements of each file, whose medians are printed (5)\n"
    "  --threads=N  threads of a load and of the tiles; 1 measures a single core (default: all)\n";

/* In a child, whose sample comes back through a pipe. */
static bool measure_apart(const char *path, unsigned threads, Sample *sample)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        Err  err = { .code = ERR_NONE };
        bool done = bench_measure(path, threads, sample, &err);
        if (!done) fprintf(stderr, "varve-bench: %s: %s\n", path, err.message);
        done = done && write(ends[1], sample, sizeof *sample) == (ssize_t)sizeof *sample;
        _exit(done ? 0 : 1);
    }
    close(ends[1]);
    ssize_t got = child < 0 ? -1 : read(ends[0], sample, sizeof *sample);
    close(ends[0]);
    int status = 1;
    if (child > 0 && waitpid(child, &status, 0) != child) return false;
    return got == (ssize_t)sizeof *sample && status == 0;
}

typedef double (*SampleValue)(const Sample *sample);

static double read_rate(const Sample *s)
{
    return (double)s->file_bytes / s->read_seconds;
}

static double load_rate(const Sample *s)
{
    return (double)s->file_bytes / s->load_seconds;
}

static double core_rate(const Sample *s)
{
    return (double)s->file_bytes / s->load_cpu_seconds;
}

static double load_share(const Sample *s)
{
    return s->read_seconds / s->load_seconds;
}

static double event_rate(const Sample *s)
{
    return (double)s->events / s->load_seconds;
}

static double peak(const Sample *s)
{
    return (double)s->peak_bytes;
}

static double median_of(const Bench *bench, size_t path, SampleValue value)
{
    double values[MOST_RUNS];
    for (unsigned run = 0; run < bench->runs; run++)
        values[run] = value(&bench->samples[run * bench->path_count + path]);
    return bench_median(values, bench->runs);
}

static void print_loads(const Bench *bench)
{
    printf("%-28s %-11s %8s %9s %9s %9s %6s %8s %9s %11s %9s\n", "file", "format", "MB", "load MB/s",
           "per core", "read MB/s", "ratio", "Mevent/s", "slices", "bytes/slice", "peak MB");
    for (size_t i = 0; i < bench->path_count; i++) {
        const Sample *sample = &bench->samples[i];
        const char   *slash = strrchr(bench->paths[i], '/');
        double        slices = sample->slices == 0 ? 1 : (double)sample->slices;
        char          memory[32];
        snprintf(memory, sizeof memory, "%.1f+%.1f", (double)sample->column_bytes / slices,
                 (double)sample->index_bytes / slices);
        printf("%-28s %-11s %8.1f %9.0f %9.0f %9.0f %6.2f %8.2f %9" PRIu64 " %11s %9.0f\n",
               slash == NULL ? bench->paths[i] : slash + 1, sample->format, (double)sample->file_bytes / 1e6,
               median_of(bench, i, load_rate) / 1e6, median_of(bench, i, core_rate) / 1e6,
               median_of(bench, i, read_rate) / 1e6, median_of(bench, i, load_share),
               median_of(bench, i, event_rate) / 1e6, sample->slices, memory,
               median_of(bench, i, peak) / 1e6);
    }
    puts("\nload: from the page cache to a trace that can be drawn; per core: by processor time of all "
         "threads;\n"
         "read: read() of the same file in the same process; ratio: load speed to read speed;\n"
         "bytes/slice: columns + level-of-detail index.");
}

static void print_frames(const Bench *bench)
{
    const unsigned threads = bench->threads == 0 ? thread_count_default() : bench->threads;
    printf("\nframe: all tiles of 1920 px and 40 rows, at the share of the trace's length that is in view, "
           "by %u "
           "thread%s\n",
           threads, threads == 1 ? "" : "s");
    printf("%-28s %10s %10s %12s %14s\n", "file", "in view", "ms", "tile bytes", "entries read");
    for (size_t i = 0; i < bench->path_count; i++) {
        const char *slash = strrchr(bench->paths[i], '/');
        for (size_t zoom = 0; zoom < BENCH_ZOOMS; zoom++) {
            double values[MOST_RUNS];
            for (unsigned run = 0; run < bench->runs; run++) {
                values[run] = bench->samples[run * bench->path_count + i].frames[zoom].seconds;
            }
            const FrameSample *frame = &bench->samples[i].frames[zoom];
            printf("%-28s %9g%% %10.3f %12" PRIu64 " %14" PRIu64 "\n",
                   slash == NULL ? bench->paths[i] : slash + 1, BENCH_ZOOM_SHARE[zoom] * 100,
                   bench_median(values, bench->runs) * 1e3, frame->tile_bytes, frame->entry_reads);
        }
    }
}

static bool parse_number(const char *text, unsigned most, unsigned *value)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number > most) return false;
    *value = (unsigned)number;
    return true;
}

static bool parse_arguments(int argc, char **argv, Bench *bench)
{
    for (int i = 1; i < argc; i++) {
        bool good = true;
        if (strncmp(argv[i], "--runs=", 7) == 0) {
            good = parse_number(argv[i] + 7, MOST_RUNS, &bench->runs) && bench->runs > 0;
        } else if (strncmp(argv[i], "--threads=", 10) == 0) {
            good = parse_number(argv[i] + 10, 1024, &bench->threads);
        } else if (argv[i][0] == '-') {
            good = false;
        } else {
            bench->paths[bench->path_count++] = argv[i];
        }
        if (!good) return false;
    }
    return bench->path_count > 0;
}

int main(int argc, char **argv)
{
    Bench bench = { .runs = 5, .paths = calloc((size_t)argc + 1, sizeof *bench.paths) };
    int   status = 1;
    if (bench.paths == NULL || !parse_arguments(argc, argv, &bench)) {
        fputs(USAGE, stderr);
        goto done;
    }
    bench.samples = calloc(bench.runs * bench.path_count, sizeof *bench.samples);
    if (bench.samples == NULL) goto done;
    for (unsigned run = 0; run < bench.runs; run++) {
        for (size_t i = 0; i < bench.path_count; i++) {
            if (!measure_apart(bench.paths[i], bench.threads, &bench.samples[run * bench.path_count + i]))
                goto done;
        }
    }
    print_loads(&bench);
    print_frames(&bench);
    status = 0;
done:
    free(bench.samples);
    free(bench.paths);
    return status;
}
