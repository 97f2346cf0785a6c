/* format/trace_event/trace_event.h - Trace Event JSON, the format of Chromium and of many others.
 *
 * The file as people write it, not only as it is specified: array form, object form, one event a line, several
 * documents in a row, comments, doubled and missing commas, unescaped quotes, files cut short. What had to be
 * guessed or dropped is a warning with its offset; nothing an event contains stops the reading.
 *
 * How it works: one pass over the bytes (event.h, over scan.h) finds the extents of an event's few known keys and
 * skips the rest; emit.h turns them into builder calls; arguments are decoded only when someone looks (details.h).
 * The list around the events is walked by document.h. */
#ifndef FORMAT_TRACE_EVENT_TRACE_EVENT_H
#define FORMAT_TRACE_EVENT_TRACE_EVENT_H
#include "format/reader.h"

/* Versions: "object" when the events stand in a `traceEvents`, else "array" (also one event a line). */
extern const FormatReader TRACE_EVENT_READER;

#endif
