/* bench/bench.h - the measurements of varve-bench. Each runs in a process of its own, so that peak
 * memory and page faults are those of one file. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H
#include "format/load.h"

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_ZOOMS = 5 };

/* The same widths of the trace that a person passes through: all of it, a tenth, ... */
extern const double BENCH_ZOOM_SHARE[BENCH_ZOOMS];

typedef struct FrameSample {
    double   seconds;     /* median over the positions along the trace */
    uint64_t tile_bytes;  /* of the frame in the middle of the trace */
    uint64_t entry_reads; /* slices and nodes read for that frame */
} FrameSample;

/* Of another program; zeroed: it is not installed, or failed. */
typedef struct ChildCost {
    double   seconds, cpu_seconds;
    uint64_t peak_bytes; /* resident, of the largest of all children so far */
} ChildCost;

typedef struct Sample {
    uint64_t    file_bytes, events, slices;
    uint64_t    column_bytes, index_bytes;
    uint64_t    peak_bytes;       /* resident, after loading */
    double      read_seconds;     /* read() of the whole file from the page cache */
    double      load_seconds;     /* wall */
    double      load_cpu_seconds; /* user and system, of all threads */
    FrameSample frames[BENCH_ZOOMS];
    bool        compressed;
    char        format[16];
    /* Of captures in Snappy chunks only, is_capture: */
    bool     is_capture;
    uint64_t calls, stream_bytes;                  /* stream_bytes: decompressed */
    double   library_seconds, library_cpu_seconds; /* libsnappy alone, on the same threads */
    double   dump_seconds, dump_cpu_seconds;
    double   apitrace_seconds; /* of its `dump`; 0 = it is not installed */
    /* Of Go traces only, is_go: */
    bool      is_go;
    ChildCost go_tool;   /* of `go tool trace -pprof=sched` */
    ChildCost go_reader; /* of the reader of Go's library alone (bench/go_reader.go) */
} Sample;

/* Seconds of a clock that only goes forward. */
double bench_now(void);
/* User and system, of all threads of this process. */
double bench_cpu_seconds(void);

/* Other programs to measure; NULL: not installed. */
typedef struct Peers {
    const char *go_reader; /* the built bench/go_reader.go */
} Peers;

/* Reads the file, loads it, builds frames. threads 0 = default. */
bool bench_measure(const char *path, unsigned threads, const Peers *peers, Sample *sample,
                   Err *err) WARN_UNUSED;

/* The rest of the sample for a capture. */
bool bench_capture(const char *path, unsigned threads, Sample *sample, Err *err) WARN_UNUSED;

/* The same for a Go trace. */
void bench_go(const char *path, const Peers *peers, Sample *sample);

/* Runs a program with these arguments, found as a shell finds it, its output thrown away. False unless it succeeds. */
bool bench_child(const char *const *arguments, ChildCost *cost);

/* Encodes the tiles of a viewport of 1920 px and 40 rows, at each zoom. */
bool bench_frames(const Trace *trace, FrameSample frames[BENCH_ZOOMS], Err *err) WARN_UNUSED;

double bench_median(double *values, size_t count); /* sorts them; count > 0 */

#endif
