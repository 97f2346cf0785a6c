#include "format/linux/ftrace_details.h"

#include "format/line_text.h"
#include "format/linux/ftrace_line.h"

#include <string.h>

/* Writes the fields of sched_switch: the next task's first, then the previous task's with their names in the line. Of
 * trace-cmd's form it writes the text. */
static void put_switch(JsonWriter *w, StringView text)
{
    LineField field;
    if (ftrace_field(text, "next_pid").size == 0) {
        json_put_view(w, "text", text);
        return;
    }
    json_key(w, "tid");
    line_put_value(w, ftrace_field(text, "next_pid"));
    json_key(w, "prio");
    line_put_value(w, ftrace_field(text, "next_prio"));
    while (line_next_field(&text, &field)) {
        bool is_previous = field.key.size > 5 && memcmp(field.key.bytes, "prev_", 5) == 0;
        if (!is_previous) continue;
        json_key_bytes(w, field.key);
        line_put_value(w, field.value);
    }
}

static bool is_event(const FtraceLine *line, const char *name)
{
    return string_equal(line->event, c_string_view(name));
}

/* Writes the members of a text written to trace_marker that are not in a column. */
static void put_marker(JsonWriter *w, const FtraceLine *line, const FtraceMarker *marker)
{
    int64_t pid;
    bool    has_pid = line_number(marker->parts[0], &pid);
    if (has_pid && (marker->kind == 'B' || marker->kind == 'I')) return;
    if (has_pid && (marker->kind == 'S' || marker->kind == 'F')) {
        json_key(w, "cookie");
        line_put_value(w, marker->parts[2]);
    } else if (has_pid && marker->kind == 'C' && marker->parts[2].size > 0) {
        json_key(w, "value");
        line_put_value(w, marker->parts[2]);
    } else {
        json_put_view(w, "text", line->text);
    }
}

/* Writes "fd: 0x3, count: 8". Any other text is the member `text`. */
static void put_call_args(JsonWriter *w, StringView text)
{
    StringView rest = text, part, key;
    while (text.size > 0 && text_next_part(&rest, ',', &part)) {
        StringView value = line_trim(part);
        if (!text_next_part(&value, ':', &key) || key.size == 0 || value.size == 0) {
            json_put_view(w, "text", line_trim(part));
            continue;
        }
        json_key_bytes(w, key);
        line_put_value(w, line_trim(value));
    }
}

void ftrace_put_args(JsonWriter *w, const FtraceLine *line)
{
    FtraceMarker         marker;
    FtraceSwitch         change;
    StringView           name, text;
    int64_t              number;
    const FtraceCallPart call = ftrace_call(line, &name, &text);
    bool                 is_cpu = is_event(line, "cpu_frequency") || is_event(line, "cpu_idle");
    bool                 has_cpu = line_number(ftrace_field(line->text, "cpu_id"), &number);
    if (is_event(line, "sched_switch") && ftrace_switch(line->text, &change)) {
        put_switch(w, line->text);
    } else if (is_cpu && has_cpu && ftrace_field(line->text, "state").size > 0) {
        json_key(w, "value");
        line_put_value(w, ftrace_field(line->text, "state"));
    } else if (is_event(line, "sched_wakeup") || is_event(line, "sched_wakeup_new") ||
               is_event(line, "sched_waking")) {
        line_put_fields(w, line->text);
    } else if (call == FTRACE_CALL_BEGINS) {
        put_call_args(w, text);
    } else if (call == FTRACE_CALL_ENDS) {
        json_put_view(w, "result", text);
    } else if (ftrace_marker(line, &marker)) {
        put_marker(w, line, &marker);
    } else {
        json_put_view(w, "text", line->text);
    }
}

void ftrace_put_task(JsonWriter *w, const FtraceLine *line)
{
    if (line->task.size > 0) json_put_view(w, "task", line->task);
    if (line->tid >= 0) json_put_i64(w, "task_tid", line->tid);
    json_put_u64(w, "cpu", line->cpu);
}

void ftrace_put_end(JsonWriter *w, const FtraceLine *line)
{
    FtraceSwitch change;
    StringView   name, result;
    if (is_event(line, "sched_switch") && ftrace_switch(line->text, &change))
        json_put_view(w, "end_state", change.previous_state);
    if (ftrace_call(line, &name, &result) == FTRACE_CALL_ENDS) json_put_view(w, "result", result);
}

bool ftrace_line_details(StringView begin, StringView end, EventDetails *details, Err *err)
{
    FtraceLine line;
    JsonWriter w = json_writer_to(&details->args, 0), other = json_writer_to(&details->other, 0);
    json_object_begin(&w);
    if (ftrace_line_parse(begin, &line)) {
        ftrace_put_args(&w, &line);
        json_object_begin(&other);
        ftrace_put_task(&other, &line);
        json_object_end(&other);
    } else {
        json_put_view(&w, "text", begin);
    }
    if (end.size > 0 && ftrace_line_parse(end, &line)) ftrace_put_end(&w, &line);
    json_object_end(&w);
    if (details->args.size == 2) bytes_clear(&details->args);
    return !(details->args.failed || details->other.failed) || err_set(err, ERR_MEMORY, "out of memory");
}
