#include "format/linux/ftrace_event.h"

#include "format/line_text.h"

static bool is_named(const FtraceLine *line, const char *name)
{
    return string_equal(line->event, c_string_view(name));
}

/* Decodes "state=1700000 cpu_id=0". */
static bool take_cpu_value(const FtraceLine *line, FtraceEvent *event)
{
    int64_t          cpu;
    const StringView value = ftrace_field(line->text, "state");
    if (!line_number(ftrace_field(line->text, "cpu_id"), &cpu) || cpu < 0 || cpu > UINT32_MAX ||
        value.size == 0)
        return false;
    event->of_cpu.cpu = (uint32_t)cpu;
    event->of_cpu.is_frequency = is_named(line, "cpu_frequency");
    event->of_cpu.is_number = line_number(value, &event->of_cpu.value);
    return true;
}

void ftrace_event_of_line(const FtraceLine *line, FtraceEvent *event)
{
    StringView text;
    *event = (FtraceEvent){ .line = *line };
    if (is_named(line, "sched_switch")) {
        if (ftrace_switch(line->text, &event->change)) event->kind = FTRACE_SWITCH;
    } else if (is_named(line, "sched_waking") || is_named(line, "sched_wakeup") ||
               is_named(line, "sched_wakeup_new")) {
        if (ftrace_woken_tid(line->text, &event->woken_tid)) event->kind = FTRACE_WAKE;
    } else if (is_named(line, "cpu_frequency") || is_named(line, "cpu_idle")) {
        if (take_cpu_value(line, event)) event->kind = FTRACE_CPU_VALUE;
    } else if (ftrace_marker(line, &event->marker)) {
        event->kind = FTRACE_MARKER;
    } else {
        switch (ftrace_call(line, &event->call, &text)) {
        case FTRACE_CALL_BEGINS:
            event->kind = FTRACE_CALL_BEGIN;
            break;
        case FTRACE_CALL_ENDS:
            event->kind = FTRACE_CALL_END;
            break;
        case FTRACE_NO_CALL:
            break;
        }
    }
}
