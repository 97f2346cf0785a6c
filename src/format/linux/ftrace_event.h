/* format/linux/ftrace_event.h - an event of ftrace with its facts, from a line of text or from another format. */
#ifndef FORMAT_LINUX_FTRACE_EVENT_H
#define FORMAT_LINUX_FTRACE_EVENT_H
#include "format/linux/ftrace_line.h"

typedef enum {
    FTRACE_OTHER,
    FTRACE_SWITCH,     /* sched_switch */
    FTRACE_WAKE,       /* sched_waking, sched_wakeup, sched_wakeup_new */
    FTRACE_CPU_VALUE,  /* cpu_frequency, cpu_idle */
    FTRACE_CALL_BEGIN, /* a system call */
    FTRACE_CALL_END,
    FTRACE_MARKER /* a text written to trace_marker */
} FtraceEventKind;

typedef struct FtraceEvent {
    FtraceEventKind kind;
    FtraceLine      line; /* `text` is not used: other formats leave it empty */
    union {
        FtraceSwitch change; /* FTRACE_SWITCH */
        int64_t      woken_tid;
        StringView   call; /* FTRACE_CALL_BEGIN, FTRACE_CALL_END: its name, "openat" */
        FtraceMarker marker;
        struct {
            uint32_t cpu; /* to which the value belongs */
            int64_t  value;
            bool     is_frequency, is_number;
        } of_cpu;
    };
} FtraceEvent;

/* Decodes a line. A line whose text has not the form of its event is FTRACE_OTHER. The result points into the line. */
void ftrace_event_of_line(const FtraceLine *line, FtraceEvent *event);

#endif
