/* trace/scan_check.h - compares scans of a trace with a complete pass through the functions of trace/store/trace.h. */
#ifndef TEST_TRACE_SCAN_CHECK_H
#define TEST_TRACE_SCAN_CHECK_H
#include "support/test.h"
#include "trace/scan/scan.h"

/* All rows of all tables, and `rounds` random queries of each: ranges, tracks, kinds, labels, filters, columns and batch
 * sizes. Fails the case at the first difference. */
void scan_check(const Trace *trace, TestRandom *random, unsigned rounds);

#endif
