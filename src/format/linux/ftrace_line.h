/* format/linux/ftrace_line.h - the lines of ftrace's text form.
 *
 * A line of the kernel's trace file (Documentation/trace/ftrace.rst), or of `trace-cmd report`:
 *
 *     TASK-PID (TGID) [CPU] FLAGS SECONDS.FRACTION: EVENT: text
 *     TASK-PID (TGID) [CPU] FLAGS SECONDS.FRACTION: sys_NAME(arguments)
 *     TASK-PID (TGID) [CPU] FLAGS SECONDS.FRACTION: sys_NAME -> result
 *     TASK-PID (TGID) [CPU] FLAGS SECONDS.FRACTION: FUNCTION <-CALLER
 *
 * (TGID) and FLAGS are optional; TASK may contain blanks, brackets and dashes. Lines that begin with # are comments. */
#ifndef FORMAT_LINUX_FTRACE_LINE_H
#define FORMAT_LINUX_FTRACE_LINE_H
#include "base/arena.h"
#include "base/string_view.h"

typedef struct FtraceLine {
    StringView task; /* without its id */
    int64_t    tid;  /* 0 = the idle task; -1 = not known: of no line of text */
    int64_t    tgid; /* -1 = not known */
    uint32_t   cpu;
    bool       in_interrupt; /* the processor handled an interrupt, not the task */
    int64_t    ns;
    StringView event; /* "sched_switch" */
    StringView text;  /* after the event and its colon, without blanks around it */
} FtraceLine;

/* Parses a decoded line; the result points into it. False if it is not a line of ftrace. */
bool ftrace_line_parse(StringView line, FtraceLine *parsed) WARN_UNUSED;

/* Finds a field by its key. Returns an empty value for a missing field. */
StringView ftrace_field(StringView text, const char *key);

/* A switch of tasks: sched_switch. */
typedef struct FtraceSwitch {
    int64_t    previous_tid, next_tid; /* 0 = the idle task */
    StringView previous_state;         /* "S", "R+", "D|K" */
    StringView next_name;
} FtraceSwitch;

/* Parses the text of sched_switch: of the kernel ("prev_comm=a prev_pid=1 ... ==> next_comm=b next_pid=2 ...") or of trace-cmd
 * ("a:1 [120] S ==> b:2 [120]"). */
bool ftrace_switch(StringView text, FtraceSwitch *parsed) WARN_UNUSED;
enum { FTRACE_STATE_BYTES = 32 };
/* Writes a number prev_state of sched_switch as the kernel does: "S", "D|K", "R+". is_old: of Linux before 4.14, which numbers the
 * states in another way. Returns the text in `out`. */
StringView ftrace_state_text(int64_t state, bool is_old, char out[FTRACE_STATE_BYTES]);
/* Parses the text of sched_waking, sched_wakeup or sched_wakeup_new ("comm=a pid=1 ..." or "a:1 [120] ..."). */
bool ftrace_woken_tid(StringView text, int64_t *tid) WARN_UNUSED;

typedef enum { FTRACE_NO_CALL, FTRACE_CALL_BEGINS, FTRACE_CALL_ENDS } FtraceCallPart;
/* Returns which part of a system call the line is. Sets *name to its name ("openat"), *text to its arguments or its result. */
FtraceCallPart ftrace_call(const FtraceLine *line, StringView *name, StringView *text);

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
