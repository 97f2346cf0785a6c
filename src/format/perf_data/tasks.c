#include "format/perf_data/reader.h"

#include "base/ascii.h"
#include "format/input_text.h"
#include "format/perf_data/layout.h"
#include "trace/log/observe.h"

static StringId intern(PerfDataReader *reader, StringView text, const char *noun, EventPos pos)
{
    return input_text_intern(reader->builder, text, noun, pos, &reader->failed);
}

StringId perf_data_event_name(PerfDataReader *reader, const PerfAttr *attr)
{
    return intern(reader, attr->name, "the name of an event", reader->pos);
}

const PerfFormat *perf_data_format(const PerfDataReader *reader, const PerfSample *sample)
{
    if (sample->attr->type != PERF_TYPE_TRACEPOINT || sample->raw.size == 0) return NULL;
    return perf_formats_find(&reader->kept->events.formats, sample->attr->config);
}

TrackId perf_data_thread(PerfDataReader *reader, const PerfSample *sample)
{
    if (!sample->has_task) return perf_thread(&reader->threads, -1, 0, -1);
    /* a task that has ended has the ids -1 */
    return perf_thread(&reader->threads, (int32_t)sample->pid, (int32_t)sample->tid,
                       sample->has_cpu ? (int64_t)sample->cpu : -1);
}

bool perf_data_time(PerfDataReader *reader, const PerfSample *sample, EventPos pos, int64_t *ns)
{
    *ns = (int64_t)sample->time;
    if (!sample->has_time) *ns = (int64_t)pos.event * PERF_STEP_NS;
    return sample->has_time == reader->has_times && *ns >= 0;
}

/* -- tasks -- */

static void name_task(PerfDataReader *reader, uint32_t pid, uint32_t tid, StringId comm)
{
    if (tid == 0) return; /* the idle tasks are named with their samples, which tell the processor */
    PerfThreads  *threads = &reader->threads;
    const TrackId thread = perf_thread(threads, (int32_t)pid, (int32_t)tid, -1);
    perf_name_thread(threads, thread, (int32_t)pid, (int32_t)tid, comm);
}

static void take_comm(PerfDataReader *reader, const PerfRecord *record, EventPos pos)
{
    PerfTaskRecord task;
    if (!perf_task_decode(record, &task)) return;
    name_task(reader, task.pid, task.tid, intern(reader, task.comm, "the name of a thread", pos));
    if ((record->misc & PERF_MISC_EXEC) == 0) return;
    perf_maps_clear(&reader->kept->names.maps, task.pid);
    perf_data_forget_files(reader->kept, task.pid);
}

/* A new task has the name of its parent, and a new process has its files. */
static void take_fork(PerfDataReader *reader, const PerfRecord *record)
{
    PerfThreads   *threads = &reader->threads;
    PerfTaskRecord task;
    if (!perf_task_decode(record, &task)) return;
    const TrackId parent = perf_thread(threads, (int32_t)task.parent_pid, (int32_t)task.parent_tid, -1);
    if (parent.index < threads->comms.count && threads->comms.items[parent.index].index != 0)
        name_task(reader, task.pid, task.tid, threads->comms.items[parent.index]);
    if (task.pid != task.parent_pid) perf_maps_fork(&reader->kept->names.maps, task.pid, task.parent_pid);
}

static void take_map(PerfDataReader *reader, const PerfRecord *record, EventPos pos)
{
    enum { IS_DATA = 1 << 13 };
    static const StringView KERNEL = { "[kernel", 7 };
    PerfNames              *names = &reader->kept->names;
    PerfMapRecord           map;
    if (!perf_map_decode(record, &map) || (record->misc & IS_DATA) != 0) return;
    const bool is_kernel = (record->misc & PERF_MODE_MASK) == PERF_MODE_KERNEL;
    if (is_kernel && ascii_starts_with(map.path, KERNEL))
        perf_names_place_kernel(names, map.path, map.place.offset);
    perf_names_map(names, is_kernel ? PERF_KERNEL_PID : map.pid, &map.place, map.path,
                   map.build_id.size > 0 ? &map.build_id : NULL, pos);
}

/* -- stacks -- */

static void add_frame(PerfDataReader *reader, const PerfSample *sample, bool in_kernel, uint64_t address,
                      bool is_return, EventPos pos)
{
    FrameId *frame = ARENA_LIST_PUSH(&reader->frames, reader->arena);
    if (frame == NULL)
        reader->failed = true;
    else
        *frame = perf_names_frame(&reader->kept->names, sample->pid, in_kernel, address, is_return, pos);
}

static void add_unwound(PerfDataReader *reader, const PerfSample *sample, EventPos pos)
{
    uint64_t     addresses[UNWIND_MOST_FRAMES];
    const size_t count = perf_data_unwind(reader, sample, pos, addresses);
    for (size_t i = 0; i < count; i++)
        add_frame(reader, sample, false, addresses[i], i > 0, pos);
}

/* The chain is in parts, each with a mark of its mode before it. The first address of a part is where the processor was, the others
 * are behind calls. */
static StackId stack_of(PerfDataReader *reader, const PerfRecord *record, const PerfSample *sample,
                        EventPos pos)
{
    bool in_kernel = (record->misc & PERF_MODE_MASK) == PERF_MODE_KERNEL, is_first = true, any_user = false;
    StackId stack = STACK_NONE;
    reader->frames.count = 0;
    for (uint64_t i = 0; i < sample->chain_count; i++) {
        const uint64_t address = bits_load_u64(sample->chain + i * sizeof address);
        if (address >= PERF_CONTEXT_FIRST) {
            in_kernel = address == PERF_CONTEXT_KERNEL;
            is_first = true;
            continue;
        }
        add_frame(reader, sample, in_kernel, address, !is_first, pos);
        any_user |= !in_kernel;
        is_first = false;
    }
    if (sample->has_user_stack && !any_user) add_unwound(reader, sample, pos);
    if (reader->frames.count == 0 && sample->has_ip)
        add_frame(reader, sample, in_kernel, sample->ip, false, pos);
    for (size_t i = reader->frames.count; i-- > 0;)
        stack = builder_stack(reader->builder, stack, reader->frames.items[i]);
    return stack;
}

/* -- samples -- */

static void take_switch(PerfDataReader *reader, const PerfFormat *format, const PerfSample *sample,
                        int64_t ns, EventPos pos)
{
    char             state[FTRACE_STATE_BYTES];
    const PerfField *next = perf_format_field(format, "next_comm");
    FtraceSwitch     change = {
            .previous_tid = perf_field_number(perf_format_field(format, "prev_pid"), sample->raw),
            .next_tid = perf_field_number(perf_format_field(format, "next_pid"), sample->raw),
            .previous_state = ftrace_state_text(
            perf_field_number(perf_format_field(format, "prev_state"), sample->raw), false, state),
    };
    const StringId name = intern(reader, perf_field_text(next, sample->raw), "the name of a thread", pos);
    change.next_name = builder_text(reader->builder, name);
    sched_switch(&reader->threads.sched, sample->cpu, &change, ns, pos);
}

/* A switch or a wake-up is also drawn as in a text of ftrace. */
static void take_sched(PerfDataReader *reader, const PerfFormat *format, const PerfSample *sample,
                       TrackId thread, int64_t ns, EventPos pos)
{
    Sched *sched = &reader->threads.sched;
    if (!ascii_starts_with(format->name, STRING_LITERAL("sched:sched_"))) return;
    sched_tell_thread(sched, (int32_t)sample->tid, thread);
    if (string_equal(format->name, STRING_LITERAL("sched:sched_switch")) && sample->has_cpu) {
        take_switch(reader, format, sample, ns, pos);
    } else if (ascii_starts_with(format->name, STRING_LITERAL("sched:sched_wak"))) {
        const PerfField *woken = perf_format_field(format, "pid");
        if (woken != NULL)
            sched_wake(sched, perf_field_number(woken, sample->raw), (int32_t)sample->tid, ns, pos);
    }
}

void perf_data_point(PerfDataReader *reader, const PerfSample *sample, TrackId thread, int64_t ns,
                     EventPos pos)
{
    const LabelId label =
        builder_label(reader->builder, perf_data_event_name(reader, sample->attr), STRING_NONE);
    builder_instant(reader->builder, thread, ns, label, INSTANT_THREAD, pos, EVENT_DETAILS);
}

static void take_sample(PerfDataReader *reader, const PerfRecord *record, EventPos pos)
{
    PerfThreads *threads = &reader->threads;
    PerfSample   sample;
    int64_t      ns;
    if (!perf_sample_decode(&reader->kept->events, record, &sample) ||
        !perf_data_time(reader, &sample, pos, &ns) || builder_is_observed(reader->builder))
        return;
    const TrackId thread = perf_data_thread(reader, &sample);
    if (sample.has_task && sample.tid == 0)
        perf_name_thread(threads, thread, 0, 0, builder_string(reader->builder, "swapper", 7));
    const StackId     stack = stack_of(reader, record, &sample, pos);
    const PerfFormat *format = perf_data_format(reader, &sample);
    if (ns > reader->last_ns) reader->last_ns = ns;
    if (format != NULL) {
        perf_data_point(reader, &sample, thread, ns, pos);
        builder_instant_stack(reader->builder, thread, INSTANT_THREAD, stack);
        if (sample.has_time) take_sched(reader, format, &sample, thread, ns, pos);
        return;
    }
    const bool    tells_time = reader->has_times && perf_counts_time(sample.attr->name);
    const int64_t interval = tells_time && sample.period <= INT64_MAX ? (int64_t)sample.period : 0;
    perf_add_sample(threads, thread, perf_data_event_name(reader, sample.attr), ns, stack, interval);
}

void perf_data_take(void *context, const PerfRecord *record, EventPos pos)
{
    PerfDataReader *reader = context;
    switch (record->type) {
    case PERF_RECORD_COMM:
        take_comm(reader, record, pos);
        break;
    case PERF_RECORD_FORK:
        take_fork(reader, record);
        break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        take_map(reader, record, pos);
        break;
    case PERF_RECORD_SAMPLE:
        take_sample(reader, record, pos);
        break;
    default:
        break;
    }
}
