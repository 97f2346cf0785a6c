/* analysis/random_trace.h - small random traces: nested, overlapping, of equal begins and no length, and instants. */
#ifndef ANALYSIS_RANDOM_TRACE_H
#define ANALYSIS_RANDOM_TRACE_H
#include "support/test.h"

#include "trace/log/builder.h"

/* `slices` slices on 3 threads of 2 processes, named n0..n6, in [1000, 1000 + span). */
Trace *random_trace(TestRandom *random, uint32_t slices, uint64_t span);
Trace *random_trace_with_instants(TestRandom *random, uint32_t slices, uint32_t instants, uint64_t span);

#endif
