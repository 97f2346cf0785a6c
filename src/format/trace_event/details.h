/* format/trace_event/details.h - the arguments of an event, decoded when someone looks. */
#ifndef FORMAT_TRACE_EVENT_DETAILS_H
#define FORMAT_TRACE_EVENT_DETAILS_H
#include "format/reader.h"

/* As FormatReader.details. The arguments of begin and end are merged: the begin's keys first, then what the end
 * adds; on equal keys the end's value wins, and in one object the last. Arguments that are no object stand under
 * the key "args". What the end alone says, or says differently, stands in `other` under "end". */
bool trace_event_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                         EventDetails *details, Err *err);

#endif
