#include "format/perfetto/system.h"

#include "format/line_text.h"
#include "format/perfetto/fields.h"
#include "format/perfetto/reader.h"

System *system_open(PerfettoReader *reader)
{
    System *system = ARENA_NEW(reader->arena, System);
    if (system == NULL) return NULL;
    system->task_of.arena = system->process_of.arena = system->stream_of.arena = reader->arena;
    system->named_threads.arena = reader->arena;
    ftrace_open(&system->ftrace, reader->arena, reader->builder, &system->named_threads, FTRACE_IS_ALL);
    return system;
}

/* -- tasks -- */

SystemTask *system_task(PerfettoReader *reader, int64_t tid)
{
    System        *system = reader->system;
    const uint32_t found = id_map_find(&system->task_of, (uint64_t)tid);
    if (found != 0) return &system->tasks.items[found - 1];
    SystemTask *made = ARENA_LIST_PUSH(&system->tasks, reader->arena);
    if (made == NULL || !id_map_put(&system->task_of, (uint64_t)tid, (uint32_t)system->tasks.count)) {
        reader->failed = true;
        return NULL;
    }
    made->tgid = -1;
    return made;
}

void system_learn_task(PerfettoReader *reader, int64_t tid, int64_t tgid, StringId name)
{
    SystemTask *task = tid <= 0 ? NULL : system_task(reader, tid);
    if (task == NULL) return;
    if (tgid > 0) task->tgid = tgid;
    if (name.index != 0) task->name = name;
}

/* Returns a process; creates it. NULL when out of memory. Valid until the next one is created. */
static SystemProcess *process_of(PerfettoReader *reader, int64_t pid)
{
    System        *system = reader->system;
    const uint32_t found = id_map_find(&system->process_of, (uint64_t)pid);
    if (found != 0) return &system->processes.items[found - 1];
    SystemProcess *made = ARENA_LIST_PUSH(&system->processes, reader->arena);
    if (made == NULL || !id_map_put(&system->process_of, (uint64_t)pid, (uint32_t)system->processes.count)) {
        reader->failed = true;
        return NULL;
    }
    made->pid = pid;
    return made;
}

bool system_name_process(PerfettoReader *reader, int64_t pid, StringId name, ProcessNameSource source)
{
    SystemProcess *process = process_of(reader, pid);
    if (process == NULL || process->source > source) return false;
    process->name = name;
    process->source = source;
    return true;
}

void system_show_process(PerfettoReader *reader, int64_t pid)
{
    SystemProcess *process = process_of(reader, pid);
    if (process != NULL) process->is_shown = true;
}

/* -- ProcessTree -- */

/* Returns the name of a process by the first word of its command line: a path has the name of its file. */
static StringView name_of_command(StringView command)
{
    size_t end = 0, begin = 0;
    if (command.size == 0 || command.bytes[0] != '/') return command;
    while (end < command.size && command.bytes[end] != ' ' && command.bytes[end] != '\0')
        end++;
    for (size_t i = 0; i < end; i++)
        if (command.bytes[i] == '/') begin = i + 1;
    return line_part(command, begin, end);
}

static bool take_tree_process(PerfettoReader *reader, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    int64_t    pid = -1;
    StringView command = { "", 0 };
    while (wire_next(&c, &field)) {
        if (field.number == TREE_PID) pid = (int32_t)field.value;
        if (field.number == TREE_COMMAND && command.size == 0) command = field.bytes;
    }
    if (c.failed || pid <= 0) return !c.failed;
    command = name_of_command(command);
    system_learn_task(reader, pid, pid, STRING_NONE);
    if (command.size > 0)
        (void)system_name_process(reader, pid, perfetto_intern(reader, command, "the name of a process"),
                                  NAME_OF_TREE);
    return true;
}

static bool take_tree_thread(PerfettoReader *reader, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    int64_t    tid = -1, tgid = -1;
    StringId   name = STRING_NONE;
    while (wire_next(&c, &field)) {
        if (field.number == TREE_TID) tid = (int32_t)field.value;
        if (field.number == TREE_TGID) tgid = (int32_t)field.value;
        if (field.number == TREE_NAME && field.bytes.size > 0)
            name = perfetto_intern(reader, field.bytes, "the name of a thread");
    }
    if (!c.failed) system_learn_task(reader, tid, tgid, name);
    return !c.failed;
}

bool system_take_tree(PerfettoReader *reader, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    bool       done = true;
    while (done && wire_next(&c, &field)) {
        if (field.type != WIRE_BYTES) continue;
        if (field.number == TREE_PROCESSES) done = take_tree_process(reader, field.bytes);
        if (field.number == TREE_THREADS) done = take_tree_thread(reader, field.bytes);
    }
    return done && !c.failed;
}

bool system_take_info(PerfettoReader *reader, StringView message)
{
    ByteCursor c = wire_message(message), parts;
    WireField  field, part;
    while (wire_next(&c, &field)) {
        if (field.number != INFO_UTSNAME || field.type != WIRE_BYTES) continue;
        for (parts = wire_message(field.bytes); wire_next(&parts, &part);) {
            if (part.number == UTSNAME_MACHINE) reader->kept->machine.calls = syscall_table_of(part.bytes);
            if (part.number == UTSNAME_RELEASE) {
                StringView rest = part.bytes, major, minor = { "", 0 };
                int64_t    version[2] = { 0, 0 };
                const bool has = text_next_part(&rest, '.', &major) && text_next_part(&rest, '.', &minor) &&
                                 line_number(major, &version[0]) && line_number(minor, &version[1]);
                reader->kept->machine.has_old_states =
                    has && (version[0] < 4 || (version[0] == 4 && version[1] < 14));
            }
        }
    }
    return !c.failed;
}

/* -- counters -- */

ProcessId system_group(PerfettoReader *reader)
{
    static const char GROUP[] = "System";
    const StringId    name = builder_string(reader->builder, GROUP, sizeof GROUP - 1);
    const ProcessId   group = builder_process(reader->builder, ident_text(name));
    builder_name_process(reader->builder, group, name);
    return group;
}

void system_add_value(PerfettoReader *reader, ProcessId process, StringView title, StringView series_name,
                      CounterUnit unit, int64_t ns, double value)
{
    TraceBuilder   *builder = reader->builder;
    const StringId  title_id = perfetto_intern(reader, title, "the name of a counter");
    const StringId  series_id = perfetto_intern(reader, series_name, "the name of a counter");
    const CounterId counter = builder_counter(builder, process, title_id, STRING_NONE);
    if (unit == UNIT_BYTES) builder_count_bytes(builder, counter);
    builder_sample(builder, builder_series(builder, counter, series_id, 0), ns, value);
}

/* The counters of a process in ProcessStats, named as in Perfetto's tables. */
static const struct {
    uint32_t    number;
    bool        is_kib;
    const char *name;
} PROCESS_COUNTERS[] = {
    { 2, true, "mem.virt" },
    { 3, true, "mem.rss" },
    { 4, true, "mem.rss.anon" },
    { 5, true, "mem.rss.file" },
    { 6, true, "mem.rss.shmem" },
    { 7, true, "mem.swap" },
    { 8, true, "mem.locked" },
    { 9, true, "mem.rss.watermark" },
    { 10, false, "oom_score_adj" },
    { 13, true, "chrome.private_footprint" },
    { 14, true, "chrome.peak_resident_set" },
    { 16, true, "mem.smaps.rss" },
    { 17, true, "mem.smaps.pss" },
    { 18, true, "mem.smaps.pss.anon" },
    { 19, true, "mem.smaps.pss.file" },
    { 20, true, "mem.smaps.pss.shmem" },
    { 21, false, "runtime.user_ns" },
    { 22, false, "runtime.kernel_ns" },
    { 23, true, "mem.smaps.swap.pss" },
    { 24, true, "mem.dmabuf_rss" },
};

static bool take_process_stats(PerfettoReader *reader, StringView message, int64_t ns)
{
    static const double KIB = 1024;
    ByteCursor          c = wire_message(message);
    WireField           field;
    int64_t             pid = -1;
    while (wire_next(&c, &field))
        if (field.number == STATS_PID) pid = (int32_t)field.value;
    if (c.failed || pid < 0) return !c.failed;
    const ProcessId process = builder_process(reader->builder, ident_int(pid));
    c = wire_message(message);
    while (wire_next(&c, &field)) {
        for (size_t i = 0; i < sizeof PROCESS_COUNTERS / sizeof PROCESS_COUNTERS[0]; i++) {
            if (PROCESS_COUNTERS[i].number != field.number || field.type != WIRE_VARINT) continue;
            const bool       is_kib = PROCESS_COUNTERS[i].is_kib;
            const StringView name = c_string_view(PROCESS_COUNTERS[i].name);
            system_add_value(reader, process, name, name, is_kib ? UNIT_BYTES : UNIT_NONE, ns,
                             is_kib ? (double)field.value * KIB : (double)(int64_t)field.value);
        }
    }
    system_show_process(reader, pid);
    return true;
}

bool system_take_process_stats(PerfettoReader *reader, StringView message, int64_t ns)
{
    ByteCursor c = wire_message(message);
    WireField  field;
    bool       done = true;
    while (done && wire_next(&c, &field))
        if (field.number == STATS_PROCESSES && field.type == WIRE_BYTES)
            done = take_process_stats(reader, field.bytes, ns);
    return done && !c.failed;
}
