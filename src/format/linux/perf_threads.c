#include "format/linux/perf_threads.h"

#include "base/ascii.h"

void perf_threads_open(PerfThreads *threads, Arena *arena, TraceBuilder *builder)
{
    *threads = (PerfThreads){ .builder = builder, .arena = arena };
    sched_open(&threads->sched, arena, builder);
}

/* Returns a process; -1: the one of all threads whose process is not known. */
static ProcessId process_of(TraceBuilder *builder, int64_t pid)
{
    return builder_process(builder, ident_int(pid < 0 ? 0 : pid));
}

TrackId perf_thread(PerfThreads *threads, int64_t pid, int64_t tid, int64_t cpu)
{
    TraceBuilder *builder = threads->builder;
    ProcessId     process = process_of(builder, pid);
    Ident         id = ident_int(tid);
    if (pid < 0) builder_name_process(builder, process, builder_string(builder, "all processes", 13));
    if (tid == 0 && cpu >= 0) {
        Bytes text = { 0 };
        bytes_printf(&text, "0 of CPU %lld", (long long)cpu);
        threads->failed |= text.failed;
        if (!text.failed) id = ident_text(builder_string(builder, (char *)text.data, text.size));
        bytes_release(&text);
    }
    return builder_thread(builder, process, id);
}

void perf_name_thread(PerfThreads *threads, TrackId thread, int64_t pid, int64_t tid, StringId comm)
{
    TraceBuilder *builder = threads->builder;
    if (threads->failed || builder_failed(builder)) return;
    while (threads->comms.count <= thread.index) {
        if (ARENA_LIST_PUSH(&threads->comms, threads->arena) == NULL) {
            threads->failed = true;
            return;
        }
    }
    if (threads->comms.items[thread.index].index == comm.index) return;
    threads->comms.items[thread.index] = comm;
    builder_name_thread(builder, thread, comm);
    if (pid == tid) builder_name_process(builder, process_of(builder, pid), comm);
}

void perf_add_sample(PerfThreads *threads, TrackId thread, StringId event, int64_t ns, StackId stack,
                     int64_t interval_ns)
{
    const SamplerId id = builder_sampler(threads->builder, thread, event);
    if (!sample_gaps_add(&threads->gaps, threads->arena, threads->builder, id, ns, stack, interval_ns))
        threads->failed = true;
}

StringId perf_unnamed_function(TraceBuilder *builder, StringId module, bool *out_of_memory)
{
    const StringView name = builder_text(builder, module);
    Bytes            text = { 0 };
    if (name.size > 0 && name.bytes[0] == '[') return module;
    bytes_append_text(&text, "[");
    bytes_append(&text, name.bytes, name.size);
    bytes_append_text(&text, "]");
    *out_of_memory |= text.failed;
    const StringId id =
        text.failed ? STRING_NONE : builder_string(builder, (const char *)text.data, text.size);
    bytes_release(&text);
    return id;
}

bool perf_counts_time(StringView event)
{
    return ascii_starts_with(event, STRING_LITERAL("cpu-clock")) ||
           ascii_starts_with(event, STRING_LITERAL("task-clock"));
}
