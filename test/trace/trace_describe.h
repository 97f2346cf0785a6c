/* trace/trace_describe.h - a whole trace as text, for comparing traces that may differ only in their numbers of labels
 * and strings. */
#ifndef TRACE_DESCRIBE_H
#define TRACE_DESCRIBE_H
#include "trace/store/trace.h"

enum { DESCRIBE_MOST_FLOWS = 8000 };

/* Appends all properties of the trace, except its tiles: tracks and rows with all their events and positions in the
 * input, objects, arrows, contexts, raw events, warnings, the order of dump, statistics, and the visible events when
 * one name is hidden. Of the warnings those about begins and ends of threads. The trace has at most DESCRIBE_MOST_FLOWS
 * arrows, and its objects have ids from 0x0 to 0x3f. */
void trace_describe(const Trace *trace, Bytes *out);
/* As trace_describe, without the visible events, which need the level-of-detail index. */
void trace_describe_data(const Trace *trace, Bytes *out);
/* Appends the tiles of the levels with few of them. Traces with another Trace.lead have other tiles. */
void trace_describe_tiles(const Trace *trace, Bytes *out);
bool trace_has_warning(const Trace *trace, const char *kind);
/* True if both are described by the same text; otherwise prints the difference. */
bool trace_is_same(const Trace *a, const Trace *b);

#endif
