#include "format/strace/line.h"

#include "base/ascii.h"
#include "format/line_text.h"

#include <string.h>

static bool ends_with(StringView text, StringView end)
{
    return text.size >= end.size && memcmp(text.bytes + text.size - end.size, end.bytes, end.size) == 0;
}

/* Returns the text after its first `size` bytes, without blanks around it. */
static StringView after(StringView text, size_t size)
{
    return line_trim(line_part(text, size, text.size));
}

static size_t digit_count(StringView text)
{
    size_t count = 0;
    while (count < text.size && ascii_is_digit(text.bytes[count]))
        count++;
    return count;
}

/* Removes "ID ", "ID<NAME> " or "[pid ID] " from *rest. False: there is no task. */
static bool take_task(StringView *rest, StraceLine *parsed)
{
    static const StringView PID = { "[pid ", 5 };
    const bool              is_bracketed = line_starts_with(*rest, PID);
    StringView              text = is_bracketed ? after(*rest, PID.size) : *rest;
    size_t                  end = digit_count(text);
    int64_t                 tid;
    StringView              name = { "", 0 };
    if (end == 0 || end == text.size || !line_number(line_part(text, 0, end), &tid) || tid == 0) return false;
    if (text.bytes[end] == '<') {
        const char *close = memchr(text.bytes + end, '>', text.size - end);
        if (close == NULL) return false;
        name = line_part(text, end + 1, (size_t)(close - text.bytes));
        end = (size_t)(close - text.bytes) + 1;
    }
    if (end == text.size || text.bytes[end] != (is_bracketed ? ']' : ' ')) return false;
    *rest = after(text, end + 1);
    parsed->tid = tid;
    parsed->task_name = name;
    return true;
}

/* Reads "HH:MM:SS" or "HH:MM:SS.FRACTION". */
static bool parse_time_of_day(StringView word, int64_t *ns)
{
    StringView rest = word, part;
    int64_t    hours, minutes, seconds_ns;
    if (!text_next_part(&rest, ':', &part) || !line_number(part, &hours) || hours < 0 || hours > 23)
        return false;
    if (!text_next_part(&rest, ':', &part) || !line_number(part, &minutes) || minutes < 0 || minutes > 59)
        return false;
    if (rest.size == 0 || !line_seconds(rest, &seconds_ns) || seconds_ns >= INT64_C(61000000000))
        return false;
    *ns = (hours * 60 + minutes) * INT64_C(60000000000) + seconds_ns;
    return true;
}

/* Removes the time from *rest. */
static bool take_time(StringView *rest, StraceLine *parsed)
{
    enum { YEAR_SECONDS = 31536000 };
    const char *blank = rest->size == 0 ? NULL : memchr(rest->bytes, ' ', rest->size);
    if (blank == NULL) return false;
    const StringView word = line_part(*rest, 0, (size_t)(blank - rest->bytes));
    *rest = after(*rest, word.size);
    if (memchr(word.bytes, ':', word.size) != NULL) {
        parsed->clock = STRACE_SINCE_MIDNIGHT;
        return parse_time_of_day(word, &parsed->ns);
    }
    if (memchr(word.bytes, '.', word.size) == NULL || !line_seconds(word, &parsed->ns)) return false;
    parsed->clock = parsed->ns / 1000000000 > YEAR_SECONDS ? STRACE_SINCE_1970 : STRACE_SINCE_LINE;
    return true;
}

/* Removes "<SECONDS>" from the end of *text. */
static int64_t take_duration(StringView *text)
{
    size_t  open = text->size;
    int64_t ns;
    if (text->size < 3 || text->bytes[text->size - 1] != '>') return -1;
    while (open > 0 && text->bytes[open - 1] != '<')
        open--;
    if (open < 2 || text->bytes[open - 2] != ' ' ||
        !line_seconds(line_part(*text, open, text->size - 1), &ns))
        return -1;
    *text = line_trim(line_part(*text, 0, open - 1));
    return ns;
}

/* Divides "arguments) = result <SECONDS>". False: it has no result. */
static bool parse_end(StringView text, StraceLine *parsed)
{
    parsed->duration_ns = take_duration(&text);
    for (size_t at = text.size; at-- > 2;) { /* the last ")   = " */
        if (text.bytes[at] != '=' || text.bytes[at - 1] != ' ') continue;
        const StringView before = line_trim(line_part(text, 0, at));
        if (!ends_with(before, STRING_LITERAL(")"))) continue;
        parsed->args = line_part(before, 0, before.size - 1);
        parsed->result = after(text, at + 1);
        return true;
    }
    return false;
}

/* Parses "<... NAME resumed>arguments) = result". */
static bool parse_resumed(StringView text, StraceLine *parsed)
{
    static const StringView BEGIN = { "<... ", 5 }, RESUMED = { " resumed>", 9 };
    StringView              rest = after(text, BEGIN.size);
    size_t                  name = 0;
    while (name < rest.size && rest.bytes[name] != ' ')
        name++;
    if (!line_starts_with(line_part(rest, name, rest.size), RESUMED)) return false;
    parsed->kind = STRACE_RESUMED;
    parsed->name = line_part(rest, 0, name);
    rest = line_part(rest, name + RESUMED.size, rest.size);
    if (!parse_end(rest, parsed)) parsed->args = line_trim(rest);
    return name > 0;
}

/* Parses "--- SIGCHLD {...} ---" and "+++ exited with 0 +++". */
static bool parse_note(StringView text, StraceLine *parsed)
{
    const bool is_signal = line_starts_with(text, STRING_LITERAL("--- "));
    if (text.size < 9 || !ends_with(text, is_signal ? STRING_LITERAL(" ---") : STRING_LITERAL(" +++")))
        return false;
    parsed->kind = STRACE_NOTE;
    parsed->name = line_part(text, 4, text.size - 4);
    const char *brace = memchr(parsed->name.bytes, '{', parsed->name.size);
    if (brace == NULL || !is_signal) return true;
    const size_t at = (size_t)(brace - parsed->name.bytes);
    parsed->args = line_part(parsed->name, at, parsed->name.size);
    parsed->name = line_trim(line_part(parsed->name, 0, at));
    return parsed->name.size > 0;
}

/* Parses "NAME(arguments) = result" and "NAME(arguments <unfinished ...>". */
static bool parse_call(StringView text, StraceLine *parsed)
{
    static const StringView UNFINISHED = { "<unfinished ...>", 16 };
    size_t                  name = 0;
    while (name < text.size && (line_is_word(text.bytes[name]) || text.bytes[name] == '?'))
        name++;
    if (name == 0 || name == text.size || text.bytes[name] != '(') return false;
    const StringView rest = line_part(text, name + 1, text.size);
    parsed->name = line_part(text, 0, name);
    parsed->kind = STRACE_CALL;
    if (!ends_with(rest, UNFINISHED) && parse_end(rest, parsed)) return true;
    parsed->kind = STRACE_UNFINISHED; /* also of a line that is cut by a text of the program */
    parsed->args =
        line_trim(ends_with(rest, UNFINISHED) ? line_part(rest, 0, rest.size - UNFINISHED.size) : rest);
    return true;
}

bool strace_line_parse(StringView line, StraceLine *parsed)
{
    StringView rest = line_trim(line);
    *parsed =
        (StraceLine){ .task_name = { "", 0 }, .args = { "", 0 }, .result = { "", 0 }, .duration_ns = -1 };
    (void)take_task(&rest, parsed);
    if (!take_time(&rest, parsed) || rest.size == 0) return false;
    if (line_starts_with(rest, STRING_LITERAL("<... "))) return parse_resumed(rest, parsed);
    if (line_starts_with(rest, STRING_LITERAL("--- ")) || line_starts_with(rest, STRING_LITERAL("+++ ")))
        return parse_note(rest, parsed);
    return parse_call(rest, parsed);
}
