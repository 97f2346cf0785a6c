/* format/trace_event/writer_head.h - what stands before the events: names and places of processes and
 * threads, and what their numbers stand for. */
#ifndef FORMAT_TRACE_EVENT_WRITER_HEAD_H
#define FORMAT_TRACE_EVENT_WRITER_HEAD_H
#include "format/trace_event/writer_out.h"

/* Opens the document and the list of events. */
bool writer_head_put(JsonOut *out, Err *err) WARN_UNUSED;

#endif
