/* app/cli/stats_histogram.h - the output of `varve stats --histogram`. */
#ifndef APP_CLI_STATS_HISTOGRAM_H
#define APP_CLI_STATS_HISTOGRAM_H
#include "analysis/histogram.h"

/* The words of --histogram, by HistogramScale. */
extern const char *const HISTOGRAM_SCALES[2];

/* Appends the bins as readable lines. */
void stats_histogram_table(const Trace *trace, const Histogram *histogram, Bytes *out);
/* Appends one JSON object with exact numbers, and a line feed. */
void stats_histogram_json(const Trace *trace, const Histogram *histogram, HistogramScale scale, Bytes *out);

#endif
