/* format/trace_event/write/head.h - writes the metadata before the events: names, sort indices and original ids of
 * processes and threads. */
#ifndef FORMAT_TRACE_EVENT_WRITE_HEAD_H
#define FORMAT_TRACE_EVENT_WRITE_HEAD_H
#include "format/trace_event/write/out.h"

/* Opens the document and the list of events. */
bool writer_head_put(JsonOut *out, Err *err) WARN_UNUSED;

#endif
