#include "format/perf/line.h"

#include "base/ascii.h"
#include "format/line_text.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool perf_is_blank(StringView line)
{
    return line_trim(line).size == 0;
}

/* Removes the next word and the blanks after it from *rest. An empty word: the text ends. */
static StringView next_word(StringView *rest)
{
    size_t end = 0, next;
    while (end < rest->size && !is_blank(rest->bytes[end]))
        end++;
    for (next = end; next < rest->size && is_blank(rest->bytes[next]);)
        next++;
    StringView word = line_part(*rest, 0, end);
    *rest = line_part(*rest, next, rest->size);
    return word;
}

/* -- heads -- */

/* Reads "PID/TID" or "TID". */
static bool parse_ids(StringView word, PerfHead *head)
{
    const char  *slash = word.size == 0 ? NULL : memchr(word.bytes, '/', word.size);
    const size_t first = slash == NULL ? 0 : (size_t)(slash - word.bytes) + 1;
    head->pid = -1;
    if (slash != NULL && !line_number(line_part(word, 0, first - 1), &head->pid)) return false;
    return line_number(line_part(word, first, word.size), &head->tid) && head->tid >= -1;
}

/* Reads "[003]". */
static bool parse_cpu(StringView word, PerfHead *head)
{
    return word.size > 2 && word.bytes[0] == '[' && word.bytes[word.size - 1] == ']' &&
           line_number(line_part(word, 1, word.size - 1), &head->cpu) && head->cpu >= 0;
}

static bool parse_time(StringView word, PerfHead *head)
{
    return word.size > 2 && word.bytes[word.size - 1] == ':' && memchr(word.bytes, '.', word.size) != NULL &&
           line_seconds(line_part(word, 0, word.size - 1), &head->ns);
}

/* Reads "PERIOD EVENT: text", or a record of `perf script --show-task-events`: "PERF_RECORD_EXIT(1:2):(3:4)". */
static bool parse_event(StringView rest, PerfHead *head)
{
    static const StringView RECORD = { "PERF_RECORD_", 12 };
    int64_t                 number;
    StringView              before = rest, word = next_word(&rest);
    head->period = (StringView){ "", 0 };
    if (ascii_is_digit(word.size == 0 ? ' ' : word.bytes[0]) && line_number(word, &number)) {
        head->period = word;
        before = rest;
        word = next_word(&rest);
    }
    head->is_record =
        head->has_time && word.size > RECORD.size && memcmp(word.bytes, RECORD.bytes, RECORD.size) == 0;
    if (head->is_record) {
        size_t size = 0;
        while (size < word.size && line_is_word(word.bytes[size]))
            size++;
        head->event = line_part(word, 0, size);
        head->text = line_trim(line_part(before, size, before.size));
        return true;
    }
    if (word.size < 2 || word.bytes[word.size - 1] != ':' || ascii_is_digit(word.bytes[0])) return false;
    head->event = line_part(word, 0, word.size - 1);
    head->text = line_trim(rest);
    return true;
}

/* Reads all after the name. */
static bool parse_after_comm(StringView rest, PerfHead *head)
{
    if (!parse_ids(next_word(&rest), head)) return false;
    StringView after = rest, word = next_word(&after);
    head->cpu = -1;
    if (parse_cpu(word, head)) {
        rest = after;
        word = next_word(&after);
    }
    head->has_time = parse_time(word, head);
    if (head->has_time) rest = after;
    return parse_event(rest, head);
}

bool perf_head_parse(StringView line, PerfHead *head)
{
    enum { LONGEST_COMM = 64 }; /* 15 bytes in the kernel; some writers put more there */
    const StringView trimmed = line_trim(line);
    for (size_t at = 1; at < trimmed.size && at <= LONGEST_COMM; at++) {
        const char c = trimmed.bytes[at];
        if (!is_blank(trimmed.bytes[at - 1]) || !(ascii_is_digit(c) || c == '-')) continue;
        if (!parse_after_comm(line_part(trimmed, at, trimmed.size), head)) continue;
        head->comm = line_trim(line_part(trimmed, 0, at));
        return true;
    }
    return false;
}

bool perf_task_parse(const PerfHead *head, PerfTask *task)
{
    const bool is_fork = string_equal(head->event, STRING_LITERAL("PERF_RECORD_FORK"));
    StringView text = head->text, number;
    if (is_fork) { /* "(PID:TID):(PID:TID)": the new thread and its parent */
        if (text.size == 0 || text.bytes[0] != '(') return false;
        text = line_part(text, 1, text.size);
        return text_next_part(&text, ':', &number) && line_number(number, &task->pid) &&
               text_next_part(&text, ')', &number) && line_number(number, &task->tid) && task->pid >= 0;
    }
    if (!string_equal(head->event, STRING_LITERAL("PERF_RECORD_COMM"))) return false;
    size_t   ids_at = text.size; /* ": COMM:PID/TID" */
    PerfHead ids;
    while (ids_at > 0 && text.bytes[ids_at - 1] != ':')
        ids_at--;
    if (!parse_ids(line_part(text, ids_at, text.size), &ids)) return false;
    *task = (PerfTask){ ids.pid, ids.tid };
    return task->pid >= 0;
}

/* -- stacks -- */

/* Removes "+0x1f" at the end. */
static StringView without_offset(StringView symbol)
{
    size_t digits = symbol.size;
    while (digits > 0 && ascii_hex_value(symbol.bytes[digits - 1]) < 16)
        digits--;
    const bool has = digits >= 3 && digits < symbol.size && memcmp(symbol.bytes + digits - 3, "+0x", 3) == 0;
    return has ? line_part(symbol, 0, digits - 3) : symbol;
}

/* Returns the index of the parenthesis that the last character closes; the size without one. */
static size_t last_opening(StringView text)
{
    size_t depth = 0;
    for (size_t at = text.size; at-- > 0;) {
        if (text.bytes[at] == ')') depth++;
        if (text.bytes[at] == '(' && --depth == 0) return at;
    }
    return text.size;
}

/* Returns the file name of a path. */
static StringView file_name(StringView path)
{
    size_t begin = path.size;
    if (path.size == 0 || path.bytes[0] != '/') return path; /* "[vdso]", "inlined" */
    while (begin > 0 && path.bytes[begin - 1] != '/')
        begin--;
    return line_part(path, begin, path.size);
}

bool perf_frame_parse(StringView line, PerfFrame *frame)
{
    StringView rest = line_trim(line), after = rest, word = next_word(&after);
    bool       is_address = word.size > 0;
    for (size_t i = 0; i < word.size; i++)
        is_address &= ascii_hex_value(word.bytes[i]) < 16;
    if (is_address && after.size > 0) rest = after;
    if (rest.size == 0 || rest.bytes[rest.size - 1] != ')') {
        frame->module = (StringView){ "", 0 };
        frame->symbol = without_offset(rest);
        return is_address && frame->symbol.size > 0;
    }
    const size_t open = last_opening(rest);
    if (open == 0 || open == rest.size || !is_blank(rest.bytes[open - 1])) return false;
    frame->module = file_name(line_part(rest, open + 1, rest.size - 1));
    frame->symbol = without_offset(line_trim(line_part(rest, 0, open)));
    if (string_equal(frame->module, STRING_LITERAL("inlined"))) frame->module = (StringView){ "", 0 };
    return frame->symbol.size > 0;
}

bool perf_source_parse(StringView line, StringView *file)
{
    const StringView text = line_trim(line);
    size_t           digits = text.size;
    while (digits > 0 && ascii_is_digit(text.bytes[digits - 1]))
        digits--;
    *file = (StringView){ "", 0 };
    if (text.size > 0 && text.bytes[text.size - 1] == ']')
        return true; /* MODULE[ADDRESS]: the place is not known */
    if (digits < 2 || digits == text.size || text.bytes[digits - 1] != ':') return false;
    *file = line_part(text, 0, digits - 1);
    if (string_equal(*file, STRING_LITERAL("??"))) file->size = 0;
    return memchr(text.bytes, ' ', text.size) == NULL;
}
