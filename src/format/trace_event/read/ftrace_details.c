#include "format/trace_event/read/ftrace.h"

#include "format/line_text.h"
#include "format/trace_event/read/ftrace_line.h"

#include <string.h>

/* ---- the line of an event ---- */

bool ftrace_is_line(const EventBytes *bytes)
{
    return bytes != NULL && bytes->bytes != NULL && bytes->size > 0 && bytes->bytes[0] != '{';
}

/* Decodes the line at the start of the bytes into `text`. */
static bool read_line(const EventBytes *bytes, Bytes *text, Err *err)
{
    const uint8_t *stop, *next, *end = bytes->bytes + bytes->size;
    if (ftrace_raw_line(bytes->bytes, end, &stop, &next) == RAW_LINE_GOES_ON)
        return err_set_at(err, ERR_TRUNCATED, bytes->offset, ERR_NOWHERE,
                          "the line goes on behind these bytes");
    JsonValue raw = { bytes->bytes, (size_t)(stop - bytes->bytes), JSON_STRING, true };
    text_append(&raw, text, &(TextDamage){ 0 });
    return !text->failed || err_set(err, ERR_MEMORY, "out of memory");
}

/* ---- fields ---- */

/* Writes the fields of sched_switch: the next task's first, then the previous task's with their names in the line. */
static void put_switch(JsonWriter *w, StringView text)
{
    LineField field;
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

static void put_args(JsonWriter *w, const FtraceLine *line)
{
    FtraceMarker marker;
    int64_t      number;
    bool         is_cpu = is_event(line, "cpu_frequency") || is_event(line, "cpu_idle");
    bool         has_cpu = line_number(ftrace_field(line->text, "cpu_id"), &number);
    if (is_event(line, "sched_switch") && line_number(ftrace_field(line->text, "next_pid"), &number)) {
        put_switch(w, line->text);
    } else if (is_cpu && has_cpu && ftrace_field(line->text, "state").size > 0) {
        json_key(w, "value");
        line_put_value(w, ftrace_field(line->text, "state"));
    } else if (is_event(line, "sched_wakeup") || is_event(line, "sched_wakeup_new") ||
               is_event(line, "sched_waking")) {
        line_put_fields(w, line->text);
    } else if (ftrace_marker(line, &marker)) {
        put_marker(w, line, &marker);
    } else {
        json_put_view(w, "text", line->text);
    }
}

/* Writes the task and the CPU of the line. */
static void put_other(Bytes *out, const FtraceLine *line)
{
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    json_put_view(&w, "task", line->task);
    json_put_i64(&w, "task_tid", line->tid);
    json_put_u64(&w, "cpu", line->cpu);
    json_object_end(&w);
}

bool ftrace_details(const EventBytes *begin, const EventBytes *end, EventDetails *details, Err *err)
{
    Bytes      text = { 0 };
    FtraceLine line;
    JsonWriter w = json_writer_to(&details->args, 0);
    bool       done = read_line(begin, &text, err);
    StringView view = bytes_view(&text);
    json_object_begin(&w);
    if (done && ftrace_line_parse(view, &line)) {
        put_args(&w, &line);
        put_other(&details->other, &line);
    } else if (done) {
        json_put_view(&w, "text", view);
    }
    bytes_clear(&text);
    if (done && ftrace_is_line(end)) { /* the state of the task at the slice's end */
        done = read_line(end, &text, err);
        view = bytes_view(&text);
        if (done && ftrace_line_parse(view, &line) && is_event(&line, "sched_switch"))
            json_put_view(&w, "end_state", ftrace_field(line.text, "prev_state"));
    }
    json_object_end(&w);
    if (details->args.size == 2) bytes_clear(&details->args);
    bytes_release(&text);
    if (done && (details->args.failed || details->other.failed))
        done = err_set(err, ERR_MEMORY, "out of memory");
    return done;
}
