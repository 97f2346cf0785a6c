/* format/linux/perf_threads.h - the threads of the events of perf, their names and their samples: of texts and of
 * perf.data. */
#ifndef FORMAT_LINUX_PERF_THREADS_H
#define FORMAT_LINUX_PERF_THREADS_H
#include "format/linux/sample_gaps.h"
#include "format/linux/sched.h"

typedef struct PerfThreads {
    TraceBuilder *builder; /* borrowed; so is the arena */
    Arena        *arena;
    ARENA_LIST(StringId) comms; /* by TrackId.index: the latest name */
    Sched      sched;
    SampleGaps gaps;
    bool       failed; /* out of memory */
} PerfThreads;

void perf_threads_open(PerfThreads *threads, Arena *arena, TraceBuilder *builder);
/* Returns a thread. pid -1: its process is not known. cpu: of the event, -1 = not known: each processor has an idle task, and
 * all of them have the id 0. */
TrackId perf_thread(PerfThreads *threads, int64_t pid, int64_t tid, int64_t cpu);
/* Sets the name of a thread of perf_thread and, if it is the main thread, of its process. */
void perf_name_thread(PerfThreads *threads, TrackId thread, int64_t pid, int64_t tid, StringId comm);
/* Adds a sample of a sampler with the name of its event. interval_ns: as sample_gaps_add. */
void perf_add_sample(PerfThreads *threads, TrackId thread, StringId event, int64_t ns, StackId stack,
                     int64_t interval_ns);
/* Returns the name of a function without one: that of its module in brackets, "[libc.so.6]". Sets *out_of_memory if it does not fit
 * into memory. */
StringId perf_unnamed_function(TraceBuilder *builder, StringId module, bool *out_of_memory);
/* True for an event that counts time: the period of its samples is the time between them. */
bool perf_counts_time(StringView event);

#endif
