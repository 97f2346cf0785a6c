#include "format/linux/ftrace_line.h"

#include "base/ascii.h"
#include "format/line_text.h"

#include <string.h>

/* ---- lines ---- */

/* Parses "EVENT: text" and the other forms after the time. */
static bool parse_event(StringView rest, FtraceLine *parsed)
{
    size_t name = 0;
    while (name < rest.size && (line_is_word(rest.bytes[name]) || rest.bytes[name] == '.'))
        name++;
    const StringView after = line_trim(line_part(rest, name, rest.size));
    parsed->event = line_part(rest, 0, name);
    parsed->text = after;
    if (name == 0 || after.size == 0) return false;
    if (rest.bytes[name] == ':') {
        parsed->text = line_trim(line_part(rest, name + 1, rest.size));
        return true;
    }
    return (rest.bytes[name] == '(' && line_starts_with(rest, STRING_LITERAL("sys_"))) ||
           line_starts_with(after, STRING_LITERAL("->")) || line_starts_with(after, STRING_LITERAL("<-"));
}

/* Parses " FLAGS SECONDS.FRACTION: EVENT: text" after the CPU. */
static bool parse_tail(StringView tail, FtraceLine *parsed)
{
    enum { LONGEST_FLAGS = 8 };
    tail = line_trim(tail);
    parsed->in_interrupt = false;
    for (int part = 0; part < 2; part++) { /* the time is the first word, or the second one after the flags */
        const char *blank = tail.size == 0 ? NULL : memchr(tail.bytes, ' ', tail.size);
        size_t      size = blank == NULL ? tail.size : (size_t)(blank - tail.bytes);
        StringView  rest = line_trim(line_part(tail, size, tail.size));
        bool        is_time = size > 1 && tail.bytes[size - 1] == ':' &&
                       line_seconds(line_part(tail, 0, size - 1), &parsed->ns);
        if (is_time) return parse_event(rest, parsed);
        if (size > LONGEST_FLAGS) return false;
        /* the third flag: h, H, s, z or Z in a hard or soft interrupt */
        parsed->in_interrupt = size > 2 && ascii_is_alnum(tail.bytes[2]);
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

/* Parses "NAME:TID [PRIORITY] REST", as trace-cmd prints a task. */
static bool parse_short_task(StringView text, StringView *name, int64_t *tid, StringView *rest)
{
    size_t open = 0, colon;
    while (open + 1 < text.size && !(text.bytes[open] == ' ' && text.bytes[open + 1] == '['))
        open++;
    const char *close = open + 1 < text.size ? memchr(text.bytes + open, ']', text.size - open) : NULL;
    if (close == NULL) return false;
    for (colon = open; colon > 0 && text.bytes[colon - 1] != ':';)
        colon--;
    if (colon == 0 || !line_number(line_part(text, colon, open), tid)) return false;
    *name = line_part(text, 0, colon - 1);
    *rest = line_trim(line_part(text, (size_t)(close - text.bytes) + 1, text.size));
    return true;
}

bool ftrace_switch(StringView text, FtraceSwitch *parsed)
{
    StringView name, rest;
    size_t     at = 0;
    parsed->previous_tid = -1;
    if (line_number(ftrace_field(text, "next_pid"), &parsed->next_tid)) {
        parsed->next_name = ftrace_field(text, "next_comm");
        parsed->previous_state = ftrace_field(text, "prev_state");
        if (!line_number(ftrace_field(text, "prev_pid"), &parsed->previous_tid)) parsed->previous_tid = -1;
        return parsed->next_tid >= 0;
    }
    while (at + 3 < text.size && memcmp(text.bytes + at, "==> ", 4) != 0)
        at++;
    if (at + 3 >= text.size) return false;
    return parse_short_task(line_part(text, at + 4, text.size), &parsed->next_name, &parsed->next_tid,
                            &rest) &&
           parse_short_task(line_part(text, 0, at), &name, &parsed->previous_tid, &parsed->previous_state) &&
           parsed->next_tid >= 0;
}

/* Bits of prev_state of sched_switch: the kernel's print format of the event. */
typedef struct StateBits {
    const char *letters; /* of the bits from 1 on */
    uint64_t    preempted;
} StateBits;

StringView ftrace_state_text(int64_t state, bool is_old, char out[FTRACE_STATE_BYTES])
{
    static const StateBits NEW = { "SDTtXZPI", 0x100 }, OLD = { "SDTtXZxKWPN", 0x1800 };
    const StateBits       *bits = is_old ? &OLD : &NEW;
    size_t                 size = 0;
    for (unsigned i = 0; bits->letters[i] != '\0'; i++) {
        if (((uint64_t)state >> i & 1) == 0) continue;
        if (size > 0) out[size++] = '|';
        out[size++] = bits->letters[i];
    }
    if (size == 0) out[size++] = 'R';
    if (((uint64_t)state & bits->preempted) != 0) out[size++] = '+';
    return (StringView){ out, size };
}

bool ftrace_woken_tid(StringView text, int64_t *tid)
{
    StringView name, rest;
    const bool has = line_number(ftrace_field(text, "pid"), tid) || parse_short_task(text, &name, tid, &rest);
    return has && *tid > 0;
}

FtraceCallPart ftrace_call(const FtraceLine *line, StringView *name, StringView *text)
{
    const bool is_call = line_starts_with(line->event, STRING_LITERAL("sys_"));
    const bool has_args = is_call && line_starts_with(line->text, STRING_LITERAL("("));
    const bool has_result = is_call && line_starts_with(line->text, STRING_LITERAL("->"));
    *name = line->event;
    *text = line->text;
    if (has_args || has_result) *name = line_part(line->event, 4, line->event.size);
    if (has_args) {
        const bool is_closed = line->text.bytes[line->text.size - 1] == ')';
        *text = line_part(line->text, 1, is_closed ? line->text.size - 1 : line->text.size);
        return FTRACE_CALL_BEGINS;
    }
    if (has_result) {
        *text = line_trim(line_part(line->text, 2, line->text.size));
        return FTRACE_CALL_ENDS;
    }
    /* trace-cmd; the call sys_exit_group(...) is above */
    const bool begins = line_starts_with(line->event, STRING_LITERAL("sys_enter_")),
               ends = line_starts_with(line->event, STRING_LITERAL("sys_exit_"));
    if (!begins && !ends) return FTRACE_NO_CALL;
    *name = line_part(line->event, begins ? 10 : 9, line->event.size);
    return begins ? FTRACE_CALL_BEGINS : FTRACE_CALL_ENDS;
}

bool ftrace_marker(const FtraceLine *line, FtraceMarker *marker)
{
    StringView text = line->text;
    bool       is_print = string_equal(line->event, STRING_LITERAL("print"));
    *marker = (FtraceMarker){ .kind = 0 };
    if (!is_print && !string_equal(line->event, STRING_LITERAL("tracing_mark_write")) &&
        !string_equal(line->event, STRING_LITERAL("0")))
        return false;
    if (is_print && line_starts_with(text, STRING_LITERAL("tracing_mark_write:")))
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
    if (!ftrace_marker(line, &marker) ||
        !line_starts_with(line->text, STRING_LITERAL("trace_event_clock_sync:")))
        return false;
    sync->name = ftrace_field(line->text, "name");
    sync->has_time = line_seconds(ftrace_field(line->text, "parent_ts"), &sync->ns) && sync->ns > 0;
    return sync->has_time || sync->name.size > 0;
}
