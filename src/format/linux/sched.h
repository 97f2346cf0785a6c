/* format/linux/sched.h - makes tracks of switches of tasks: the tasks that each processor runs, and the states of each thread.
 *
 * A processor has a slice for each task that it runs, up to the next switch; the idle task, whose id is 0, has none. A thread
 * has a track of states: running, runnable, sleeping ... An arrow leads from the thread that wakes another one to the
 * begin of the state in which that is runnable. */
#ifndef FORMAT_LINUX_SCHED_H
#define FORMAT_LINUX_SCHED_H
#include "base/id_map.h"
#include "format/linux/ftrace_line.h"
#include "trace/log/builder.h"

typedef enum {
    SCHED_NONE, /* not known yet, or the task has ended */
    SCHED_RUNNING,
    SCHED_RUNNABLE,
    SCHED_PREEMPTED, /* runnable, but another task got the processor */
    SCHED_SLEEPING,
    SCHED_UNINTERRUPTIBLE,
    SCHED_STOPPED,
    SCHED_TRACED,
    SCHED_PARKED,
    SCHED_IDLE, /* of a kernel thread: uninterruptible, but does not count as load */
    SCHED_STATES
} SchedState;

typedef struct SchedPeriod {
    SchedState state;
    int64_t    begin, end;
    EventPos   pos;
} SchedPeriod;

typedef struct SchedTask {
    int64_t    tid;
    TrackId    thread; /* TRACK_NONE until sched_tell_thread */
    TrackId    states; /* TRACK_NONE until the first state */
    SchedState state;
    int64_t    since;
    EventPos   pos;               /* of the event that began the state */
    ARENA_LIST(SchedPeriod) past; /* states from before sched_tell_thread */
} SchedTask;

typedef struct SchedProcessor {
    TrackId track;
    bool    is_busy; /* the track has an open slice */
} SchedProcessor;

typedef struct Sched {
    TraceBuilder *builder; /* borrowed; so is the arena */
    Arena        *arena;
    IdMap         task_of;      /* by tid: 1 + index in tasks */
    IdMap         processor_of; /* by number: 1 + index in processors */
    ARENA_LIST(SchedTask) tasks;
    ARENA_LIST(SchedProcessor) processors;
    LabelId labels[SCHED_STATES];
    bool    failed; /* out of memory */
} Sched;

#define SCHED_PROCESS "CPUs" /* the id and the name of the group of processors */

void sched_open(Sched *sched, Arena *arena, TraceBuilder *builder);
/* Returns the track of a processor, created and named on first use. TRACK_NONE: out of memory. */
TrackId sched_processor(Sched *sched, uint32_t number);
/* Tells the thread of a task; only the first call counts. Until then the states of the task are kept and not drawn. */
void sched_tell_thread(Sched *sched, int64_t tid, TrackId thread);
/* Returns the thread of a task, or TRACK_NONE. */
TrackId sched_thread(const Sched *sched, int64_t tid);
void sched_switch(Sched *sched, uint32_t processor, const FtraceSwitch *change, int64_t tick, EventPos pos);
/* A task is made runnable; waker 0: by no thread. */
void sched_wake(Sched *sched, int64_t tid, int64_t waker, int64_t tick, EventPos pos);
/* Ends all slices and states at the last tick. The tasks whose thread was not told are not drawn. */
void sched_finish(Sched *sched, int64_t last_tick, EventPos pos);

#endif
