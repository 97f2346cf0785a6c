#include "format/trace_event/read/ftrace_line.h"

#include "base/ascii.h"
#include "format/line_text.h"

#include <string.h>

/* ---- texts ---- */

static bool starts_with(StringView text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.bytes, start, size) == 0;
}

/* ---- lines ---- */

RawLineState ftrace_raw_line(const uint8_t *at, const uint8_t *end, const uint8_t **stop,
                             const uint8_t **next)
{
    for (; at < end; at++) {
        size_t left = (size_t)(end - at);
        *stop = *next = at;
        if (*at == '"') return RAW_LINE_ENDS;
        if (*at == '\n') {
            *next = at + 1;
            return RAW_LINE_ENDS;
        }
        if (*at != '\\') continue;
        if (left < 2) return RAW_LINE_GOES_ON;
        if (at[1] == 'n') {
            *next = at + 2;
            return RAW_LINE_ENDS;
        }
        at++; /* the escaped character */
    }
    *stop = *next = end;
    return RAW_LINE_GOES_ON;
}

/* Parses " FLAGS SECONDS.FRACTION: EVENT: text" after the CPU. */
static bool parse_tail(StringView tail, FtraceLine *parsed)
{
    enum { LONGEST_FLAGS = 8 };
    tail = line_trim(tail);
    for (int part = 0; part < 2; part++) { /* the time is the first word, or the second one after the flags */
        const char *blank = tail.size == 0 ? NULL : memchr(tail.bytes, ' ', tail.size);
        size_t      size = blank == NULL ? tail.size : (size_t)(blank - tail.bytes);
        StringView  rest = line_trim(line_part(tail, size, tail.size));
        bool        is_time = size > 1 && tail.bytes[size - 1] == ':' &&
                       line_seconds(line_part(tail, 0, size - 1), &parsed->ns);
        if (is_time) {
            size_t name = 0;
            while (name < rest.size && line_is_word(rest.bytes[name]))
                name++;
            if (name == 0 || name == rest.size || rest.bytes[name] != ':') return false;
            parsed->event = line_part(rest, 0, name);
            parsed->text = line_trim(line_part(rest, name + 1, rest.size));
            return true;
        }
        if (size > LONGEST_FLAGS) return false;
        tail = rest;
    }
    return false;
}

/* Parses "TASK-PID (TGID)" before the CPU. */
static bool parse_task(StringView head, FtraceLine *parsed)
{
    head = line_trim(head);
    parsed->tgid = -1;
    if (head.size > 0 && head.bytes[head.size - 1] == ')') {
        size_t open = head.size;
        while (open > 0 && head.bytes[open - 1] != '(')
            open--;
        if (open == 0) return false;
        StringView group = line_trim(line_part(head, open, head.size - 1));
        if (!line_number(group, &parsed->tgid) || parsed->tgid < 0) parsed->tgid = -1; /* (-----) */
        head = line_trim(line_part(head, 0, open - 1));
    }
    size_t digits = head.size;
    while (digits > 0 && ascii_is_digit(head.bytes[digits - 1]))
        digits--;
    if (digits == 0 || head.bytes[digits - 1] != '-') return false;
    parsed->task = line_part(head, 0, digits - 1);
    return line_number(line_part(head, digits, head.size), &parsed->tid);
}

bool ftrace_line_parse(StringView line, FtraceLine *parsed)
{
    enum { LONGEST_HEAD = 128, MOST_DIGITS = 6 }; /* a task's name has 15 bytes */
    size_t last = line.size < LONGEST_HEAD ? line.size : LONGEST_HEAD;
    for (size_t at = 1; at < last; at++) {
        int64_t cpu;
        size_t  close = at + 1;
        if (line.bytes[at] != '[' || line.bytes[at - 1] != ' ') continue;
        while (close < line.size && ascii_is_digit(line.bytes[close]))
            close++;
        if (close == line.size || line.bytes[close] != ']' || close - at > MOST_DIGITS) continue;
        if (!line_number(line_part(line, at + 1, close), &cpu)) continue;
        parsed->cpu = (uint32_t)cpu;
        if (parse_tail(line_part(line, close + 1, line.size), parsed) &&
            parse_task(line_part(line, 0, at), parsed))
            return true;
    }
    return false;
}

/* ---- texts of events ---- */

StringView ftrace_field(StringView text, const char *key)
{
    LineField field;
    while (line_next_field(&text, &field)) {
        if (string_equal(field.key, c_string_view(key))) return field.value;
    }
    return STRING_LITERAL("");
}

bool ftrace_marker(const FtraceLine *line, FtraceMarker *marker)
{
    StringView text = line->text;
    bool       is_print = string_equal(line->event, STRING_LITERAL("print"));
    *marker = (FtraceMarker){ .kind = 0 };
    if (!is_print && !string_equal(line->event, STRING_LITERAL("tracing_mark_write")) &&
        !string_equal(line->event, STRING_LITERAL("0")))
        return false;
    if (is_print && starts_with(text, "tracing_mark_write:"))
        text = line_trim(line_part(text, 19, text.size));
    if (text.size == 0 || (text.size > 1 && text.bytes[1] != '|') || !line_is_word(text.bytes[0]))
        return true;
    size_t at = 2;
    for (size_t i = 0; i < 3 && at < text.size; i++) {
        const char *bar = i == 2 ? NULL : memchr(text.bytes + at, '|', text.size - at);
        size_t      end = bar == NULL ? text.size : (size_t)(bar - text.bytes);
        marker->parts[i] = line_part(text, at, end);
        at = end + 1;
    }
    marker->kind = text.bytes[0];
    return true;
}

bool ftrace_clock_sync(const FtraceLine *line, FtraceSync *sync)
{
    FtraceMarker marker;
    if (!ftrace_marker(line, &marker) || !starts_with(line->text, "trace_event_clock_sync:")) return false;
    sync->name = ftrace_field(line->text, "name");
    sync->has_time = line_seconds(ftrace_field(line->text, "parent_ts"), &sync->ns) && sync->ns > 0;
    return sync->has_time || sync->name.size > 0;
}
