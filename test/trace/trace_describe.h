/* trace/trace_describe.h - all of a trace as text, for two that must be the same but for their
 * numbers of labels and strings. */
#ifndef TRACE_DESCRIBE_H
#define TRACE_DESCRIBE_H
#include "trace/trace.h"

/* Tracks and rows with all they hold, and where in the input it stands; objects, arrows, and what is left
 * when one name is hidden. Of a trace with at most 8,000 arrows, whose objects have ids from 0x0 to 0x3f. */
void trace_describe(const Trace *trace, Bytes *out);

#endif
