/* format/linux/ftrace_draw.h - makes tracks of the events of ftrace.
 *
 * Switches of tasks make the tracks of sched.h. cpu_frequency and cpu_idle are counters. Texts that programs wrote to
 * trace_marker are slices, counters and instants of the task that wrote them; system calls are slices of their task. Any
 * other line is an instant on the track of its processor. Source: catapult
 * tracing/tracing/extras/importer/linux_perf/ftrace_importer.html. */
#ifndef FORMAT_LINUX_FTRACE_DRAW_H
#define FORMAT_LINUX_FTRACE_DRAW_H
#include "format/index_set.h"
#include "format/linux/ftrace_event.h"
#include "format/linux/sched.h"

typedef enum {
    FTRACE_IS_PART, /* of a trace that names its processes. A task without a known process is in one with its own id */
    FTRACE_IS_ALL /* a process has the name of its main thread. Tasks without a known process are in one with the id 0 */
} FtraceExtent;

/* An open slice of a task. */
typedef struct FtraceMark {
    LabelId  label;
    TrackId  thread;
    int64_t  tick;
    EventPos pos;
} FtraceMark;

typedef struct FtraceTask {
    int64_t  tgid;   /* -1 = not known */
    TrackId  thread; /* TRACK_NONE: nothing is drawn of it */
    StringId name;
    bool     has_own_name; /* no other event names the thread */
    bool     is_in_call;   /* a slice of a system call is open */
    ARENA_LIST(FtraceMark) open;
} FtraceTask;

typedef struct Ftrace {
    TraceBuilder *builder; /* borrowed; so are the arena and `named` */
    Arena        *arena;
    IndexSet     *named; /* threads that have a name from elsewhere */
    FtraceExtent  extent;
    StringId      category; /* of all labels */
    Sched         sched;
    IdMap         task_of; /* by tid: 1 + index in tasks */
    ARENA_LIST(FtraceTask) tasks;
    int64_t     last_tid;  /* of the latest task */
    uint32_t    last_task; /* 1 + its index; 0 = none */
    FtraceEvent event;     /* the current one */
    EventPos    pos;
    int64_t     tick, last_tick;
    bool        failed; /* out of memory */
} Ftrace;

void ftrace_open(Ftrace *ftrace, Arena *arena, TraceBuilder *builder, IndexSet *named, FtraceExtent extent);
/* Learns the process of the line's task, which its later lines need not tell. ftrace_take does it, too. */
void ftrace_learn(Ftrace *ftrace, const FtraceLine *line);
/* The texts of the line are used until the next call. */
void ftrace_take(Ftrace *ftrace, const FtraceLine *line, int64_t tick, EventPos pos);
/* As ftrace_take, for an event that is decoded already. */
void ftrace_take_event(Ftrace *ftrace, const FtraceEvent *event, int64_t tick, EventPos pos);
/* Keeps a line that cannot be read, for `dump`. */
void ftrace_keep_unreadable(Ftrace *ftrace, EventPos pos);
/* Ends the open slices: those of processors and states with the last line. Slices of tasks stay unfinished. */
void ftrace_finish(Ftrace *ftrace);
bool ftrace_failed(const Ftrace *ftrace);

#endif
