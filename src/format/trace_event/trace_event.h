/* format/trace_event/trace_event.h - reads Trace Event JSON, the format of Chromium and many other programs.
 *
 * Beside the specified forms it accepts common deviations: one event per line, several documents in sequence, comments,
 * doubled and missing commas, unescaped quotes, truncated files. Each guess or omission is a warning with its offset.
 * The content of an event never stops the reading.
 *
 * One pass over the bytes (common/event.h, over base/json_scan.h) finds the extents of the known keys of an event and skips
 * the other keys. read/emit.h converts them to builder calls. Arguments are decoded on request (read/details.h).
 * read/document.h parses the list around the events.
 *
 * The folders, each of which includes from those above it:
 *
 *   common    JSON values, numbers, texts and times; the fields of an event
 *   profile   V8 profiles: .cpuprofile files, and the same in events; files of speedscope
 *   read      events to builder calls; ftrace's text
 *   write     the writer */
#ifndef FORMAT_TRACE_EVENT_TRACE_EVENT_H
#define FORMAT_TRACE_EVENT_TRACE_EVENT_H
#include "format/reader.h"

/* format.version is "object" if the events are in a `traceEvents`, else "array" (also for one event per line). */
extern const FormatReader TRACE_EVENT_READER;

#endif
