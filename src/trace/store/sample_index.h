/* trace/store/sample_index.h - summaries of the samples of counters, so that a range of them is described by a few nodes. The
 * same tree as trace/store/lod.h: 32 samples for a leaf, 8 nodes for a parent. */
#ifndef TRACE_STORE_SAMPLE_INDEX_H
#define TRACE_STORE_SAMPLE_INDEX_H
#include "trace/store/lod.h"

/* The minimum and maximum of a range; NaN if it has no number. */
typedef struct SampleRange {
    double least, greatest;
} SampleRange;

bool     sample_index_build(Trace *trace, Err *err) WARN_UNUSED;
void     sample_index_release(Trace *trace);
uint64_t sample_index_bytes(const Trace *trace);
/* Returns the nodes, for files: SampleRange items; *count = their number. NULL without nodes. */
const void *sample_index_ranges(const Trace *trace, uint64_t *count);
/* Gives a trace with verified rows the nodes of a file; false if their number is wrong. As lod_adopt. */
bool sample_index_adopt(Trace *trace, void *ranges, uint64_t count, Err *err) WARN_UNUSED;

/* Of a trace that grows (trace/live/live.h), as lod_reserve and lod_update. */
enum { SAMPLES_A_NODE = 16 }; /* while it grows, a row has a node for so many samples that it has room for */
bool sample_index_reserve(Trace *trace, uint64_t nodes) WARN_UNUSED;
void sample_index_update(Trace *trace, const Row *row, uint32_t first_sample);

/* Returns the range of samples [first, last) of a row; reads may be NULL. */
SampleRange sample_range(const Trace *trace, const Row *row, uint32_t first, uint32_t last, LodReads *reads);

#endif
