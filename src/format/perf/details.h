/* format/perf/details.h - the fields of an event, from its lines. For format/perf only. */
#ifndef FORMAT_PERF_DETAILS_H
#define FORMAT_PERF_DETAILS_H
#include "format/reader.h"

/* FormatReader.details. The arguments of a tracepoint are the fields of its text, or the text. Other events have their frames. */
bool perf_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                  Err *err);

#endif
