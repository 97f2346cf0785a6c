/* format/strace/line.h - the lines that strace prints.
 *
 *     TASK TIME NAME(arguments) = result <SECONDS>
 *     TASK TIME NAME(arguments <unfinished ...>
 *     TASK TIME <... NAME resumed>arguments) = result <SECONDS>
 *     TASK TIME --- SIGNAL {...} ---
 *     TASK TIME +++ exited with 0 +++
 *
 * TASK is "ID", "ID<NAME>" or "[pid ID]", and absent while there is only one. TIME is of the options -ttt ("SECONDS.FRACTION"),
 * -tt and -t ("HH:MM:SS.FRACTION") or -r (seconds since the line before). Source: strace(1) and texts of strace 6.1. */
#ifndef FORMAT_STRACE_LINE_H
#define FORMAT_STRACE_LINE_H
#include "base/string_view.h"

typedef enum { STRACE_SINCE_1970, STRACE_SINCE_MIDNIGHT, STRACE_SINCE_LINE } StraceClock;
typedef enum {
    STRACE_CALL,       /* begin and end of a call */
    STRACE_UNFINISHED, /* its begin */
    STRACE_RESUMED,    /* its end */
    STRACE_NOTE        /* a signal, or the end of a task */
} StraceKind;

/* A line. The texts point into it. */
typedef struct StraceLine {
    int64_t     tid; /* 0 = not written */
    StringView  task_name;
    StraceClock clock;
    int64_t     ns;
    StraceKind  kind;
    StringView  name;        /* of the call; "SIGCHLD", "exited with 0" */
    StringView  args;        /* without the parentheses; of a signal its braces */
    StringView  result;      /* "3", "-1 ENOENT (No such file or directory)"; empty = not written */
    int64_t     duration_ns; /* -1 = not written */
} StraceLine;

/* Parses a line without its line feed. False if it does not have one of the forms. */
bool strace_line_parse(StringView line, StraceLine *parsed) WARN_UNUSED;

#endif
