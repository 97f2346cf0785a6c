/* app/cli/stats_histogram.h - the output of `varve stats --histogram`. */
#ifndef APP_CLI_STATS_HISTOGRAM_H
#define APP_CLI_STATS_HISTOGRAM_H
#include "base/arena.h"

#include <varve/varve.h>

/* The words of --histogram, from VARVE_HISTOGRAM_LOG on. */
extern const char *const HISTOGRAM_SCALES[2];

/* The bins of a count. */
typedef struct HistogramBins {
    const VarveTrace *trace;
    const VarveBin   *bins;
    uint32_t          count;
    VarveHistogram    scale;
    VarveStatsTotals  totals;
} HistogramBins;

/* Appends the bins as readable lines. */
void stats_histogram_table(const HistogramBins *bins, Bytes *out);
/* Appends one JSON object with exact numbers, and a line feed. */
void stats_histogram_json(const HistogramBins *bins, Bytes *out);

#endif
