/* trace/trace_describe.h - all of a trace as text, for two that must be the same but for their
 * numbers of labels and strings. */
#ifndef TRACE_DESCRIBE_H
#define TRACE_DESCRIBE_H
#include "trace/trace.h"

enum { DESCRIBE_MOST_FLOWS = 8000 };

/* Appends everything that can be asked of the trace, except its tiles: tracks and rows with all they hold and their
 * places in the input, objects, arrows, contexts, raw events, warnings, the order of dump, statistics, and what is
 * left when one name is hidden. Of the warnings those about begins and ends of threads. The trace has at most
 * DESCRIBE_MOST_FLOWS arrows, and its objects have ids from 0x0 to 0x3f. */
void trace_describe(const Trace *trace, Bytes *out);
/* Appends the tiles of the levels that have few of them. Traces with another Trace.lead have other tiles. */
void trace_describe_tiles(const Trace *trace, Bytes *out);
bool trace_has_warning(const Trace *trace, const char *kind);
/* True if both are described by the same text; else prints where they differ. */
bool trace_is_same(const Trace *a, const Trace *b);

#endif
