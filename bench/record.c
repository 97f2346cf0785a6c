/* varve-bench-record [EVENTS] [FOLDER] - measures varve/record.h: ns and bytes of an event with one thread, two threads and as
 * many as there are processors.
 *
 * Each thread records EVENTS (default 10,000,000) begin and end events in a loop that does nothing else, to a file in
 * FOLDER (default: the current one). Beside it: reading the clock alone, and the same events as a writer with the
 * documented structure of spall.h records them, which copies each record to a buffer of the thread and writes full
 * buffers with fwrite.
 *
 * "events" is the least time of a hundred successive events, divided by a hundred: the cost while the pages of the
 * file are mapped. "all" is the processor time of the whole loop, the best of the runs. It includes the kernel's work for
 * new pages of the file.
 *
 * bench/record.sh compiles it with BENCH_TRACY or BENCH_PERFETTO, too: then these recorders are in the table. */
#define VARVE_RECORD_IMPLEMENTATION
#include "varve/record.h"

#include "recorders.h"

#include <inttypes.h>

enum { RUNS = 3, BUFFER = 1 << 20, MAX_THREADS = 64 };

typedef struct Worker {
    pthread_t     thread;
    const Writer *writer;
    uint64_t      blocks;
    double        least_ns, all_ns; /* of an event */
} Worker;

/* -- the clock alone -- */

static uint64_t              clock_sink;
static __thread VarveThread_ buffer_clock;

static int start_nothing(const char *path)
{
    (void)path;
    return 0;
}

static void read_clock(void)
{
    uint64_t sum = 0;
    if (buffer_clock.counter == 0) buffer_clock.counter = varve_has_counter_();
    for (int i = 0; i < BLOCK; i++)
        sum += varve_now_(&buffer_clock);
    __atomic_fetch_add(&clock_sink, sum, __ATOMIC_RELAXED);
}

static void flush_nothing(void)
{
}

static int stop_nothing(void)
{
    return 0;
}

/* -- varve/record.h -- */

static void record_here(void)
{
    for (int i = 0; i < BLOCK; i += 2) {
        varve_begin("a_function_name");
        varve_end();
    }
}

static int start_ring(const char *path)
{
    (void)path;
    return varve_record_start_ring(16 << 20);
}

static void record_arguments(void)
{
    for (int i = 0; i < BLOCK; i += 2) {
        VARVE_BEGIN_WITH("a_function_name", VARVE_ARG("rows", i), VARVE_ARG("ratio", 0.5));
        varve_end();
    }
}

static int start_json(const char *path)
{
    char address[4200];
    snprintf(address, sizeof address, "file:%s", path);
    return varve_record_start_stream(address, VARVE_RECORD_JSON);
}

static int start_heph(const char *path)
{
    char address[4200];
    snprintf(address, sizeof address, "file:%s", path);
    return varve_record_start_stream(address, VARVE_RECORD_HEPH);
}

/* -- the structure of spall.h -- */

static FILE             *buffered_file;
static __thread uint8_t *buffer;
static __thread size_t   buffer_used;

static int start_buffered(const char *path)
{
    static const struct {
        uint64_t magic, version;
        double   unit;
        uint64_t zero;
    } HEADER = { 0x0BADF00D, 3, 1, 0 };
    buffered_file = fopen(path, "wb");
    return buffered_file == NULL || fwrite(&HEADER, sizeof HEADER, 1, buffered_file) != 1;
}

static void flush_buffered(void)
{
    varve_store32_(buffer, (uint32_t)(buffer_used - VARVE_BUFFER_HEADER_));
    varve_store32_(buffer + 4, varve_thread_id_());
    varve_store32_(buffer + 8, 1);
    varve_store64_(buffer + 12, 0);
    fwrite(buffer, 1, buffer_used, buffered_file);
    buffer_used = VARVE_BUFFER_HEADER_;
}

static void record_buffered(void)
{
    static const char NAME[] = "a_function_name";
    if (buffer == NULL) {
        buffer = malloc(BUFFER);
        if (buffer == NULL) abort();
        memset(buffer, 1, BUFFER);
        buffer_used = VARVE_BUFFER_HEADER_;
        buffer_clock.counter = varve_has_counter_();
    }
    for (int i = 0; i < BLOCK; i += 2) {
        if (buffer_used + VARVE_RECORD_MAX_ > BUFFER) flush_buffered();
        uint8_t *at = buffer + buffer_used;
        at[0] = VARVE_TYPE_BEGIN_;
        varve_store64_(at + 1, varve_now_(&buffer_clock));
        at[9] = sizeof NAME - 1;
        at[10] = 0;
        memcpy(at + VARVE_BEGIN_SIZE_, NAME, sizeof NAME - 1);
        buffer_used += VARVE_BEGIN_SIZE_ + sizeof NAME - 1;
        if (buffer_used + VARVE_END_SIZE_ > BUFFER) flush_buffered();
        at = buffer + buffer_used;
        at[0] = VARVE_TYPE_END_;
        varve_store64_(at + 1, varve_now_(&buffer_clock));
        buffer_used += VARVE_END_SIZE_;
    }
}

static void end_buffered(void)
{
    flush_buffered();
    free(buffer);
    buffer = NULL;
}

static int stop_buffered(void)
{
    return fclose(buffered_file);
}

/* -- runs -- */

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *run_worker(void *worker_)
{
    Worker *const worker = worker_;
    uint64_t      least = UINT64_MAX, begin = processor_ns();
    worker->writer->record();
    for (uint64_t block = 0; block < worker->blocks; block++) {
        const uint64_t before = varve_clock_ns_();
        worker->writer->record();
        const uint64_t after = varve_clock_ns_();
        if (after - before < least) least = after - before;
    }
    worker->writer->flush();
    worker->all_ns = (double)(processor_ns() - begin) / (double)(worker->blocks * BLOCK);
    worker->least_ns = (double)least / (double)BLOCK;
    return NULL;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* Prints a line. Of several threads the slowest counts, of several runs the best. */
static int measure(const Writer *writer, const char *path, int threads, uint64_t events)
{
    double least_ns = 1e9, all_ns = 1e9, bytes = 0;
    for (int run = 0; run < RUNS; run++) {
        Worker workers[MAX_THREADS];
        double run_least_ns = 0, run_all_ns = 0;
        if (writer->start(path) != 0) return 1;
        for (int i = 0; i < threads; i++) {
            workers[i].writer = writer;
            workers[i].blocks = events / BLOCK;
            if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) != 0) return 1;
        }
        for (int i = 0; i < threads; i++) {
            pthread_join(workers[i].thread, NULL);
            run_least_ns = larger(run_least_ns, workers[i].least_ns);
            run_all_ns = larger(run_all_ns, workers[i].all_ns);
        }
        least_ns = lesser(least_ns, run_least_ns);
        all_ns = lesser(all_ns, run_all_ns);
        if (writer->stop() != 0) return 1;
        struct stat status;
        if (stat(path, &status) == 0) bytes = (double)status.st_size / ((double)events * threads);
        unlink(path);
    }
    printf("%-16s %7d %10.1f %10.1f %12.1f\n", writer->name, threads, least_ns, all_ns, bytes);
    return 0;
}

static int measure_all(const Writer *writer, const char *path, uint64_t events)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int  most = processors > MAX_THREADS ? MAX_THREADS : (int)processors;
    if (measure(writer, path, 1, events) != 0 || measure(writer, path, 2, events) != 0) return 1;
    return most > 2 && measure(writer, path, most, events) != 0;
}

int main(int count, char **arguments)
{
    static const Writer WRITERS[] = {
        { "clock alone", start_nothing, read_clock, flush_nothing, stop_nothing },
        { "varve/record.h", varve_record_start, record_here, flush_nothing, varve_record_stop },
        { "record.h, ring", start_ring, record_here, flush_nothing, varve_record_stop },
        { "two arguments", start_ring, record_arguments, flush_nothing, varve_record_stop },
        { "stream, JSON", start_json, record_here, flush_nothing, varve_record_stop },
        { "stream, Heph", start_heph, record_here, flush_nothing, varve_record_stop },
        { "buffers, fwrite", start_buffered, record_buffered, end_buffered, stop_buffered },
    };
    const uint64_t events = count > 1 ? strtoull(arguments[1], NULL, 10) : 10000000;
    char           path[4096];
    snprintf(path, sizeof path, "%s/varve-bench-record.spall", count > 2 ? arguments[2] : ".");
    printf("%-16s %7s %10s %10s %12s\n", "", "threads", "events ns", "all ns", "bytes/event");
    for (size_t i = 0; i < sizeof WRITERS / sizeof WRITERS[0]; i++) {
        if (measure_all(&WRITERS[i], path, events) != 0) return 1;
    }
#ifdef BENCH_TRACY
    if (measure_all(&PEER_TRACY.writer, path, events) != 0) return 1;
#endif
#ifdef BENCH_PERFETTO
    if (measure_all(&PEER_PERFETTO.writer, path, events) != 0) return 1;
#endif
    return 0;
}
