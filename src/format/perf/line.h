/* format/perf/line.h - the lines of the text of `perf script`.
 *
 * An event is a head line and the lines of its stack, the innermost frame first:
 *
 *     COMM PID/TID [CPU] SECONDS.FRACTION: PERIOD EVENT: text
 *             ADDRESS SYMBOL+OFFSET (MODULE)
 *       FILE:LINE
 *
 * PID/, [CPU], the time and PERIOD are optional; COMM may contain blanks. Without stacks, the frame is the text of the head
 * line. Source: builtin-script.c of perf 6.1 (perf_sample__fprintf_start, process_event). */
#ifndef FORMAT_PERF_LINE_H
#define FORMAT_PERF_LINE_H
#include "base/string_view.h"

/* A head line. The texts point into it. */
typedef struct PerfHead {
    StringView comm;   /* name of the thread */
    StringView period; /* digits; empty = not written */
    StringView event;  /* "cycles:u" */
    StringView text;   /* after the event, without blanks around it */
    int64_t    pid;    /* -1 = not written */
    int64_t    tid;
    int64_t    cpu; /* -1 = not written */
    int64_t    ns;
    bool       has_time;
    bool       is_record; /* of a change of the system, not an event: PERF_RECORD_COMM */
} PerfHead;

typedef struct PerfTask {
    int64_t pid, tid;
} PerfTask;

/* A line of a stack. */
typedef struct PerfFrame {
    StringView symbol; /* without the offset: "[unknown]" = not known */
    StringView module; /* file name of the executable or library, "[kernel.kallsyms]"; empty = not written */
} PerfFrame;

/* Parses a line without its line feed. False if it is not of this form. */
bool perf_head_parse(StringView line, PerfHead *head) WARN_UNUSED;
bool perf_frame_parse(StringView line, PerfFrame *frame) WARN_UNUSED;
/* Sets *task to the new or renamed thread of a PERF_RECORD_FORK or PERF_RECORD_COMM. False for other heads. */
bool perf_task_parse(const PerfHead *head, PerfTask *task) WARN_UNUSED;
/* Sets *file to the file of a line FILE:LINE, or to "" if the place is not known. */
bool perf_source_parse(StringView line, StringView *file) WARN_UNUSED;
/* True if the line is empty apart from blanks. */
bool perf_is_blank(StringView line);

#endif
