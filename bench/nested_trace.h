/* bench/nested_trace.h - a made trace of nested calls, for measurements.
 *
 * The trace has one thread whose slices nest 20 deep: a walk up and down between the levels, of which each step begins or
 * ends a slice. A function calls one of three others on the first eight levels and the same one below: some 30,000 call
 * paths. */
#ifndef BENCH_NESTED_TRACE_H
#define BENCH_NESTED_TRACE_H
#include "trace/store/trace.h"

/* Makes a trace of `slices` slices; the same seed gives the same trace. NULL when out of memory, err filled. The caller
 * releases it with trace_release. */
Trace *nested_trace_make(uint64_t slices, uint64_t seed, Err *err);

#endif
