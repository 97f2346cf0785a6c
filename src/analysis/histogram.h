/* analysis/histogram.h - how many slices have which duration: bins on a logarithmic or a linear scale.
 *
 * The slices and their durations are those of analysis/stats.h for the same query: durations are clipped to the range.
 * The edges of the bins are round numbers of ns, or of ticks where the clock has no time, converted to the nearest tick.
 * LOG has ten bins a decade, at 1 1.25 1.6 2 2.5 3.15 4 5 6.3 8 (the preferred numbers R10 of ISO 3), and a bin for 0.
 * LINEAR has up to about HISTOGRAM_LINEAR_BINS bins of equal width, 1, 2 or 5 times a power of ten. So the edges depend
 * on the least and the greatest duration only, and histograms of the same scale can be compared. */
#ifndef ANALYSIS_HISTOGRAM_H
#define ANALYSIS_HISTOGRAM_H
#include "analysis/stats.h"

enum { HISTOGRAM_LINEAR_BINS = 40, HISTOGRAM_BINS_MAX = 208 };

typedef enum { HISTOGRAM_LOG, HISTOGRAM_LINEAR } HistogramScale;

typedef struct HistogramBin {
    uint64_t least, most; /* ticks; both durations are in the bin */
    uint64_t count;
    uint64_t total; /* sum of the durations, in ticks; stops at UINT64_MAX */
} HistogramBin;

typedef struct Histogram {
    /* ascending, without gaps; the first and the last one have slices */
    HistogramBin bins[HISTOGRAM_BINS_MAX];
    uint32_t     bin_count;   /* 0 without slices */
    uint64_t     count;       /* slices */
    uint64_t     min, max;    /* ticks; 0 without slices */
    const char  *perspective; /* as in StatsTable */
} Histogram;

/* Counts the slices of a query: by an argument only slices with it. Other values of `by`, and `paths`, have no effect.
 * Linear in the slices of the range.
 * Scratch memory is in `arena`. Fails with ERR_MEMORY. */
bool histogram_count(const Trace *trace, const StatsQuery *query, HistogramScale scale, Arena *arena,
                     Histogram *histogram, Err *err) WARN_UNUSED;

/* The same in steps: between two steps the caller can report the progress, or stop. */
typedef struct HistogramCount HistogramCount;
/* Prepares the count, which lives in `arena`. The trace, the tracks of the query and the histogram must outlive it; the filter need
 * not. NULL: err filled. */
HistogramCount *histogram_count_begin(const Trace *trace, const StatsQuery *query, HistogramScale scale,
                                      Arena *arena, Histogram *histogram, Err *err) WARN_UNUSED;
/* Reads about `slices` more slices. *share gets the part of the work that is done, 0 to 1; 1: the histogram is complete. False:
 * err filled. */
bool histogram_count_step(HistogramCount *count, uint64_t slices, double *share, Err *err) WARN_UNUSED;

#endif
