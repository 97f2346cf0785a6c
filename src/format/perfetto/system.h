/* format/perfetto/system.h - the tasks of a system: processes, threads, their events in ftrace. For
 * format/perfetto only.
 *
 * The bundles of ftrace have the events of one CPU each, and a packet at any place may tell the process of a thread. So the
 * bundles are kept, and their events are drawn in order of time at the end of the input; an observer gets them at once. */
#ifndef FORMAT_PERFETTO_SYSTEM_H
#define FORMAT_PERFETTO_SYSTEM_H
#include "format/linux/ftrace_draw.h"
#include "format/perfetto/ftrace_bundle.h"

typedef struct PerfettoReader PerfettoReader;
typedef struct Packet         Packet;

/* A task by its id. */
typedef struct SystemTask {
    int64_t  tgid;    /* -1 = not known */
    StringId name;    /* STRING_NONE = not known */
    TrackId  sampled; /* its thread if it has samples; otherwise TRACK_NONE */
} SystemTask;

/* The names of processes; a name from a better source replaces one from another. */
typedef enum { PROCESS_NAME_NONE, NAME_OF_TREE, NAME_OF_COMMAND, NAME_OF_DESCRIPTOR } ProcessNameSource;
typedef struct SystemProcess {
    int64_t           pid;
    StringId          name;
    ProcessNameSource source;
    bool              is_shown; /* it has tracks that are not of a TrackDescriptor */
} SystemProcess;

typedef struct KeptBundle {
    StringView message;
    EventPos   pos; /* of its first event */
    uint64_t   end; /* of the record in the input: limit of the positions of its events */
} KeptBundle;

/* The bundles of one CPU from one writer, in their order. */
typedef struct FtraceStream {
    uint32_t cpu;
    ARENA_LIST(KeptBundle) bundles; /* in System.bundles */
    size_t       next;              /* bundle after the current one */
    int64_t      running;           /* the task that the CPU runs; -1 = not known */
    int64_t      tick;              /* of the next event */
    BundleCursor cursor;
} FtraceStream;

typedef struct System {
    Ftrace   ftrace;
    IndexSet named_threads; /* by descriptors */
    IdMap    task_of;       /* by tid: 1 + index in tasks */
    ARENA_LIST(SystemTask) tasks;
    IdMap process_of; /* by pid: 1 + index in processes */
    ARENA_LIST(SystemProcess) processes;
    IdMap stream_of; /* by sequence and CPU: 1 + index in streams */
    ARENA_LIST(FtraceStream *) streams;
} System;

/* Returns an empty state in the reader's arena. NULL: out of memory. */
System *system_open(PerfettoReader *reader) WARN_UNUSED;
/* Learns the process of a thread and its name; -1 and STRING_NONE: not known. */
void system_learn_task(PerfettoReader *reader, int64_t tid, int64_t tgid, StringId name);
/* Returns the task of an id; creates it. NULL when out of memory. Valid until the next task is created. */
SystemTask *system_task(PerfettoReader *reader, int64_t tid);
/* Sets the name of a process. Returns false if it has a name from a better source. */
bool system_name_process(PerfettoReader *reader, int64_t pid, StringId name, ProcessNameSource source);
/* Shows the name of the process: it has a track. */
void system_show_process(PerfettoReader *reader, int64_t pid);

/* Take the messages ProcessTree, ProcessStats, SysStats and SystemInfo. `ns`: the time of the packet. False: damage. */
bool system_take_tree(PerfettoReader *reader, StringView message);
bool system_take_process_stats(PerfettoReader *reader, StringView message, int64_t ns);
bool system_take_stats(PerfettoReader *reader, StringView message, int64_t ns);
bool system_take_info(PerfettoReader *reader, StringView message);

typedef enum { UNIT_NONE, UNIT_BYTES } CounterUnit;
/* Adds a value of a counter at a time. */
void system_add_value(PerfettoReader *reader, ProcessId process, StringView title, StringView series_name,
                      CounterUnit unit, int64_t ns, double value);
/* Returns the group of the counters of the whole system. */
ProcessId system_group(PerfettoReader *reader);

/* -- ftrace.c -- */

typedef enum { BUNDLE_TAKEN, BUNDLE_LEFT_OUT, BUNDLE_DAMAGED } BundleResult;
/* Takes a bundle of a sequence (its index). BUNDLE_LEFT_OUT: it has no events, or none that can be drawn. */
BundleResult ftrace_take_bundle(PerfettoReader *reader, uint32_t sequence, const Packet *packet);
/* Draws the events of all bundles, and names the processes. */
void system_finish(PerfettoReader *reader);

#endif
