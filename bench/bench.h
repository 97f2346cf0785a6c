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

typedef struct Sample {
    uint64_t    file_bytes, events, slices;
    uint64_t    column_bytes, index_bytes;
    uint64_t    peak_bytes;       /* resident, after loading */
    double      read_seconds;     /* read() of the whole file from the page cache */
    double      load_seconds;     /* wall */
    double      load_cpu_seconds; /* user and system, of all threads */
    FrameSample frames[BENCH_ZOOMS];
    char        format[16];
} Sample;

/* Seconds of a clock that only goes forward. */
double bench_now(void);
/* User and system, of all threads of this process. */
double bench_cpu_seconds(void);

/* Reads the file, loads it, builds frames. threads 0 = default. */
bool bench_measure(const char *path, unsigned threads, Sample *sample, Err *err) WARN_UNUSED;

/* Encodes the tiles of a viewport of 1920 px and 40 rows, at each zoom, as the session does. threads 0 = default. */
bool bench_frames(const Trace *trace, unsigned threads, FrameSample frames[BENCH_ZOOMS],
                  Err *err) WARN_UNUSED;

double bench_median(double *values, size_t count); /* sorts them; count > 0 */

#endif
