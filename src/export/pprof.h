/* export/pprof.h - profiles for `go tool pprof` and other pprof programs.
 *
 * Values of a sample: calls/count and time/nanoseconds where threads have slices, their own number and self time on a call
 * path; samples/count and sampled/nanoseconds where threads were sampled. Without time, time and sampled count ticks. Each
 * thread has samples of its own, with the label `thread`. */
#ifndef EXPORT_PPROF_H
#define EXPORT_PPROF_H
#include "format/writer.h"

extern const FormatWriter PPROF_WRITER;

#endif
