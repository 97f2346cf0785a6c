/* format/trace_event/writer_facts.h - what is known about the whole, its stacks and samples among it:
 * behind the events. Before them, Spall would lose count of the braces: it steps over the one behind a
 * string, and then finds no events. */
#ifndef FORMAT_TRACE_EVENT_WRITER_FACTS_H
#define FORMAT_TRACE_EVENT_WRITER_FACTS_H
#include "format/trace_event/writer_out.h"

/* Ends the list of events and the document, and hands over all that is left. */
bool writer_facts_put(JsonOut *out, Err *err) WARN_UNUSED;

#endif
