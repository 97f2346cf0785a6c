/* format/trace_event/read/ftrace.h - ftrace's text in a Trace Event file: `systemTraceEvents`, `powerTraceAsString`.
 *
 * The lines become tracks of CPUs, in a process of their own: slices of the task that runs (sched_switch), counters
 * (cpu_frequency, cpu_idle), and an instant for each other line, on the CPU's track. Texts that programs wrote to
 * trace_marker become slices, counters and instants of the task that wrote them. All times are moved by the
 * difference of the first clock sync marker (`trace_event_clock_sync: parent_ts=SECONDS`, or `name=NAME` of a clock
 * sync event (`ph` "c") before the text in the file); without a marker they are not moved. Source: catapult
 * tracing/tracing/extras/importer/linux_perf/ftrace_importer.html and tracing/tracing/model/clock_sync_manager.html.
 *
 * The position of an event is that of its line inside the JSON string. */
#ifndef FORMAT_TRACE_EVENT_READ_FTRACE_H
#define FORMAT_TRACE_EVENT_READ_FTRACE_H
#include "format/reader.h"
#include "format/trace_event/read/emit.h"

#define FTRACE_PID "ftrace" /* the id of the process of the CPUs */

typedef enum {
    FTRACE_NONE,     /* the text has no line of ftrace; the builder got no events */
    FTRACE_COMMENTS, /* the text has only comments; the builder got no events */
    FTRACE_LINES
} FtraceTaken;

/* Passes the lines of a JSON string whose text begins at `pos` to the builder. Appends each comment and a line feed to
 * `comments`. */
FtraceTaken ftrace_take(Emitter *emitter, const JsonValue *string, EventPos pos, Bytes *comments);

/* True if the bytes of an event are a line of ftrace. */
bool ftrace_is_line(const EventBytes *bytes);
/* As FormatReader.details, for a line; `end` may be NULL. */
bool ftrace_details(const EventBytes *begin, const EventBytes *end, EventDetails *details, Err *err);

#endif
