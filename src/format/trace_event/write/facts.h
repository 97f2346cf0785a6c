/* format/trace_event/write/facts.h - writes properties, stacks and samples after the events. If they came before the
 * events, Spall would miscount braces, because it skips the brace after a string, and would find no events. */
#ifndef FORMAT_TRACE_EVENT_WRITE_FACTS_H
#define FORMAT_TRACE_EVENT_WRITE_FACTS_H
#include "format/trace_event/write/out.h"

/* Ends the list of events and the document, and flushes the output. */
bool writer_facts_put(JsonOut *out, Err *err) WARN_UNUSED;

#endif
