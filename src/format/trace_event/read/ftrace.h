/* format/trace_event/read/ftrace.h - ftrace's text in a Trace Event file: `systemTraceEvents`, `powerTraceAsString`.
 *
 * format/linux/ftrace_draw.h makes tracks of the lines. All times are moved by the difference of the first clock sync marker
 * (`trace_event_clock_sync: parent_ts=SECONDS`, or `name=NAME` of a clock sync event (`ph` "c") before the text in the
 * file); without a marker they are not moved. Source: catapult tracing/tracing/model/clock_sync_manager.html.
 *
 * The position of an event is that of its line inside the JSON string. */
#ifndef FORMAT_TRACE_EVENT_READ_FTRACE_H
#define FORMAT_TRACE_EVENT_READ_FTRACE_H
#include "format/reader.h"
#include "format/trace_event/read/emit.h"

typedef enum {
    FTRACE_NONE,     /* the text has no line of ftrace; the builder got no events */
    FTRACE_COMMENTS, /* the text has only comments; the builder got no events */
    FTRACE_LINES
} FtraceTaken;

/* Passes the lines of a JSON string whose text begins at `pos` to the builder. Appends each comment and a line feed to
 * `comments`. */
FtraceTaken ftrace_take_text(Emitter *emitter, const JsonValue *string, EventPos pos, Bytes *comments);

typedef enum { RAW_LINE_ENDS, RAW_LINE_GOES_ON } RawLineState;

/* Finds the end of the line at `at` in the bytes of a JSON string: a line feed (also escaped) or the closing quote of
 * the string. Returns RAW_LINE_GOES_ON if neither is before `end`. Sets *stop to the end, *next to the byte after it.
 * */
RawLineState ftrace_raw_line(const uint8_t *at, const uint8_t *end, const uint8_t **stop,
                             const uint8_t **next);

/* True if the bytes of an event are a line of ftrace. */
bool ftrace_is_line(const EventBytes *bytes);
/* As FormatReader.details, for a line; `end` may be NULL. */
bool ftrace_details(const EventBytes *begin, const EventBytes *end, EventDetails *details, Err *err);

#endif
