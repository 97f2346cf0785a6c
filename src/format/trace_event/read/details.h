/* format/trace_event/read/details.h - decodes the arguments of an event on request. */
#ifndef FORMAT_TRACE_EVENT_READ_DETAILS_H
#define FORMAT_TRACE_EVENT_READ_DETAILS_H
#include "format/reader.h"

/* As FormatReader.details. Merges the arguments of begin and end: the begin's keys first, then the other keys of the
 * end; for equal keys the end's value is used, and within one object the last value. Arguments other than objects get
 * the key "args". Other members of the end that the begin does not have, or has with another value, are in `other`
 * under "end". */
bool trace_event_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                         EventDetails *details, Err *err);

#endif
