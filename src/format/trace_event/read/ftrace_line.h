/* format/trace_event/read/ftrace_line.h - parses lines of ftrace's text form inside a JSON string.
 *
 * A line of the kernel's trace file (Documentation/trace/ftrace.rst):
 *
 *     TASK-PID (TGID) [CPU] FLAGS SECONDS.FRACTION: EVENT: text
 *
 * (TGID) and FLAGS are optional; TASK may contain blanks, brackets and dashes. Lines that begin with # are comments. */
#ifndef FORMAT_TRACE_EVENT_READ_FTRACE_LINE_H
#define FORMAT_TRACE_EVENT_READ_FTRACE_LINE_H
#include "base/arena.h"
#include "base/string_view.h"

typedef struct FtraceLine {
    StringView task; /* without its id */
    int64_t    tid;  /* 0 = the idle task */
    int64_t    tgid; /* -1 = not known */
    uint32_t   cpu;
    int64_t    ns;
    StringView event; /* "sched_switch" */
    StringView text;  /* after the event's colon, without blanks around it */
} FtraceLine;

typedef enum { RAW_LINE_ENDS, RAW_LINE_GOES_ON } RawLineState;

/* Finds the end of the line at `at` in the bytes of a JSON string: a line feed (also escaped) or the closing quote of
 * the string. Returns RAW_LINE_GOES_ON if neither is before `end`. Sets *stop to the end, *next to the byte after it.
 * */
RawLineState ftrace_raw_line(const uint8_t *at, const uint8_t *end, const uint8_t **stop,
                             const uint8_t **next);

/* Parses a decoded line; the result points into it. False if it is not a line of ftrace. */
bool ftrace_line_parse(StringView line, FtraceLine *parsed) WARN_UNUSED;

/* Finds a field by its key. Returns an empty value for a missing field. */
StringView ftrace_field(StringView text, const char *key);

/* The parts of a text that a program wrote to trace_marker: "B|12|name". Missing parts are empty. */
typedef struct FtraceMarker {
    char       kind;     /* B, E, C, S, F, I ...; 0 = unknown form */
    StringView parts[3]; /* B: pid, name. C: pid, name, value. S, F: pid, name, cookie */
} FtraceMarker;

/* True if the event is a text written to trace_marker. Sets *marker to its parts. */
bool ftrace_marker(const FtraceLine *line, FtraceMarker *marker);
/* A marker "trace_event_clock_sync: parent_ts=SECONDS" or "trace_event_clock_sync: name=NAME". */
typedef struct FtraceSync {
    bool    has_time;
    int64_t ns; /* with has_time: the line's time on the trace's clock */
    /* sync_id of a clock sync event at the line's time; empty without one. Points into the line */
    StringView name;
} FtraceSync;

/* True if the line is a clock sync marker. */
bool ftrace_clock_sync(const FtraceLine *line, FtraceSync *sync);

#endif
