#include "format/trace_event/read/ftrace_line.h"
#include "base/ascii.h"

#include <string.h>

/* ---- texts ---- */

static bool is_word(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static StringView part_of(StringView text, size_t begin, size_t end)
{
    return (StringView){ text.bytes + begin, end - begin };
}

static StringView trimmed(StringView text)
{
    while (text.size > 0 && (text.bytes[0] == ' ' || text.bytes[0] == '\t'))
        text = part_of(text, 1, text.size);
    while (text.size > 0 && memchr(" \t\r", text.bytes[text.size - 1], 3) != NULL)
        text.size--;
    return text;
}

static bool starts_with(StringView text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.bytes, start, size) == 0;
}

bool ftrace_number(StringView text, int64_t *number)
{
    bool     negative = text.size > 0 && text.bytes[0] == '-';
    size_t   at = negative ? 1 : 0;
    uint64_t magnitude = 0;
    if (at == text.size || text.size > 19 + at) return false;
    for (; at < text.size; at++) {
        if (!ascii_is_digit(text.bytes[at])) return false;
        magnitude = magnitude * 10 + (uint64_t)(text.bytes[at] - '0'); /* below 10^19 */
    }
    if (magnitude > INT64_MAX) return false;
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Reads seconds as ns; digits after the ninth decimal are ignored. */
static bool ftrace_seconds(StringView text, int64_t *ns)
{
    const char *point = text.size == 0 ? NULL : memchr(text.bytes, '.', text.size);
    size_t      whole = point == NULL ? text.size : (size_t)(point - text.bytes);
    int64_t     seconds, fraction = 0;
    if (!ftrace_number(part_of(text, 0, whole), &seconds) || seconds < 0 ||
        seconds > INT64_MAX / 1000000000 - 1)
        return false;
    for (size_t i = 0; i < 9; i++) {
        size_t at = whole + 1 + i;
        if (at < text.size && !ascii_is_digit(text.bytes[at])) return false;
        fraction = fraction * 10 + (at < text.size ? text.bytes[at] - '0' : 0);
    }
    *ns = seconds * 1000000000 + fraction;
    return true;
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
    tail = trimmed(tail);
    for (int part = 0; part < 2; part++) { /* the time is the first word, or the second one after the flags */
        const char *blank = tail.size == 0 ? NULL : memchr(tail.bytes, ' ', tail.size);
        size_t      size = blank == NULL ? tail.size : (size_t)(blank - tail.bytes);
        StringView  rest = trimmed(part_of(tail, size, tail.size));
        bool        is_time = size > 1 && tail.bytes[size - 1] == ':' &&
                       ftrace_seconds(part_of(tail, 0, size - 1), &parsed->ns);
        if (is_time) {
            size_t name = 0;
            while (name < rest.size && is_word(rest.bytes[name]))
                name++;
            if (name == 0 || name == rest.size || rest.bytes[name] != ':') return false;
            parsed->event = part_of(rest, 0, name);
            parsed->text = trimmed(part_of(rest, name + 1, rest.size));
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
    head = trimmed(head);
    parsed->tgid = -1;
    if (head.size > 0 && head.bytes[head.size - 1] == ')') {
        size_t open = head.size;
        while (open > 0 && head.bytes[open - 1] != '(')
            open--;
        if (open == 0) return false;
        StringView group = trimmed(part_of(head, open, head.size - 1));
        if (!ftrace_number(group, &parsed->tgid) || parsed->tgid < 0) parsed->tgid = -1; /* (-----) */
        head = trimmed(part_of(head, 0, open - 1));
    }
    size_t digits = head.size;
    while (digits > 0 && ascii_is_digit(head.bytes[digits - 1]))
        digits--;
    if (digits == 0 || head.bytes[digits - 1] != '-') return false;
    parsed->task = part_of(head, 0, digits - 1);
    return ftrace_number(part_of(head, digits, head.size), &parsed->tid);
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
        if (!ftrace_number(part_of(line, at + 1, close), &cpu)) continue;
        parsed->cpu = (uint32_t)cpu;
        if (parse_tail(part_of(line, close + 1, line.size), parsed) &&
            parse_task(part_of(line, 0, at), parsed))
            return true;
    }
    return false;
}

/* ---- texts of events ---- */

/* Returns the begin of the next field from `at` on: a word and "=" at the text's begin or after a blank. */
static size_t field_begin(StringView text, size_t at)
{
    while (at < text.size) {
        size_t word = at;
        while (word < text.size && is_word(text.bytes[word]))
            word++;
        if (word > at && word < text.size && text.bytes[word] == '=' &&
            (at == 0 || text.bytes[at - 1] == ' '))
            return at;
        at = word > at ? word : at + 1;
    }
    return text.size;
}

bool ftrace_next_field(StringView *text, FtraceField *field)
{
    size_t begin = field_begin(*text, 0);
    if (begin == text->size) return false;
    const char *sign = memchr(text->bytes + begin, '=', text->size - begin);
    size_t      value = (size_t)(sign - text->bytes) + 1, end = field_begin(*text, value);
    field->key = part_of(*text, begin, value - 1);
    field->value = trimmed(part_of(*text, value, end));
    if (field->value.size >= 3 && memcmp(field->value.bytes + field->value.size - 3, "==>", 3) == 0)
        field->value = trimmed(part_of(field->value, 0, field->value.size - 3));
    *text = part_of(*text, end, text->size);
    return true;
}

StringView ftrace_field(StringView text, const char *key)
{
    FtraceField field;
    while (ftrace_next_field(&text, &field)) {
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
    if (is_print && starts_with(text, "tracing_mark_write:")) text = trimmed(part_of(text, 19, text.size));
    if (text.size == 0 || (text.size > 1 && text.bytes[1] != '|') || !is_word(text.bytes[0])) return true;
    size_t at = 2;
    for (size_t i = 0; i < 3 && at < text.size; i++) {
        const char *bar = i == 2 ? NULL : memchr(text.bytes + at, '|', text.size - at);
        size_t      end = bar == NULL ? text.size : (size_t)(bar - text.bytes);
        marker->parts[i] = part_of(text, at, end);
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
    sync->has_time = ftrace_seconds(ftrace_field(line->text, "parent_ts"), &sync->ns) && sync->ns > 0;
    return sync->has_time || sync->name.size > 0;
}
