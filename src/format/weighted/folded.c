#include "format/weighted/folded.h"

#include "base/json_writer.h"
#include "format/input_text.h"
#include "format/line_text.h"
#include "format/weighted/weighted.h"

#include <string.h>

enum { MOST_COLUMNS = 2, HEAD_BYTES = 1024, TICKS_OF_ONE = 1000 };

/* A line: the stack, and the numbers after it. */
typedef struct FoldedLine {
    StringView stack;
    int64_t    ticks[MOST_COLUMNS]; /* 1 is TICKS_OF_ONE */
    StringView numbers[MOST_COLUMNS];
    uint32_t   columns; /* 0: the line has another form */
    bool       is_clamped;
} FoldedLine;

typedef struct Reader {
    Weighted weighted;
    uint64_t base; /* offset of the current bytes in the input */
    uint64_t event_count;
    uint32_t columns; /* 0 = not known yet */
    bool     skips;   /* to the next line feed */
} Reader;

/* ---- lines ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a whole word as a number: digits, and perhaps a point and further digits. */
static bool read_number(StringView word, int64_t *ticks, bool *is_clamped)
{
    uint64_t whole = 0, part = 0, place = TICKS_OF_ONE;
    size_t   at = 0;
    for (; at < word.size && is_digit(word.bytes[at]); at++) {
        *is_clamped |= whole > (uint64_t)INT64_MAX / TICKS_OF_ONE / 10 - 1;
        if (!*is_clamped) whole = whole * 10 + (uint64_t)(word.bytes[at] - '0');
    }
    if (at == 0) return false;
    if (at < word.size && word.bytes[at] == '.') {
        for (at++; at < word.size && is_digit(word.bytes[at]); at++) {
            place /= 10;
            part += place * (uint64_t)(word.bytes[at] - '0');
        }
    }
    *ticks = *is_clamped ? INT64_MAX : (int64_t)(whole * TICKS_OF_ONE + part);
    return at == word.size;
}

/* Removes the last word from *text. */
static StringView cut_word(StringView *text)
{
    size_t begin = text->size;
    while (begin > 0 && text->bytes[begin - 1] != ' ' && text->bytes[begin - 1] != '\t')
        begin--;
    const StringView word = line_part(*text, begin, text->size);
    *text = line_trim(line_part(*text, 0, begin));
    return word;
}

/* Reads a line with up to `most` numbers. */
static FoldedLine parse_line(StringView text, uint32_t most)
{
    FoldedLine line = { .stack = line_trim(text) };
    while (line.columns < most) {
        StringView       rest = line.stack;
        const StringView word = cut_word(&rest);
        int64_t          ticks = 0;
        if (rest.size == 0 || !read_number(word, &ticks, &line.is_clamped)) break;
        line.ticks[1] = line.ticks[0];
        line.numbers[1] = line.numbers[0];
        line.ticks[0] = ticks;
        line.numbers[0] = word;
        line.stack = rest;
        line.columns++;
    }
    return line;
}

/* True for an empty line and a comment. */
static bool is_blank(StringView line)
{
    const StringView text = line_trim(line);
    return text.size == 0 || text.bytes[0] == '#';
}

static bool has_control(StringView text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] < ' ' && text.bytes[i] != '\t') return true;
    return false;
}

/* The lines of a head, together. */
typedef struct FoldedHead {
    uint32_t lines, deep; /* all lines, and those of several frames */
    uint32_t columns;     /* of every line */
    bool     is_other;    /* a line has another form */
} FoldedHead;

/* Looks at the lines that begin in the first HEAD_BYTES. */
static FoldedHead look_at_head(StringView text)
{
    const char *const begin = text.bytes;
    FoldedHead        head = { .columns = MOST_COLUMNS };
    StringView        line;
    while (line_next(&text, &line) && line.bytes - begin < HEAD_BYTES) {
        if (is_blank(line)) continue;
        const FoldedLine parsed = parse_line(line, MOST_COLUMNS);
        head.is_other |= parsed.columns == 0 || has_control(line_trim(line));
        head.lines++;
        head.deep += parsed.stack.size > 0 && memchr(parsed.stack.bytes, ';', parsed.stack.size) != NULL;
        if (parsed.columns < head.columns) head.columns = parsed.columns;
    }
    return head;
}

/* Every line of the begin must have the form, and half of them several frames. */
static int folded_probe(const uint8_t *bytes, size_t size)
{
    const FoldedHead head = look_at_head((StringView){ (const char *)bytes, size });
    return !head.is_other && head.deep > 0 && head.deep >= head.lines / 2 ? 50 : 0;
}

/* ---- the file ---- */

static void *folded_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL || !weighted_open(&reader->weighted, arena, builder, "folded stacks")) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    return reader;
}

/* Chooses the number of columns by the first lines: two if each of them has two numbers. */
static void choose_columns(Reader *reader, StringView text)
{
    static const char *const NAMES[MOST_COLUMNS] = { "before", "after" };
    TraceBuilder            *builder = reader->weighted.builder;
    const FoldedHead head = look_at_head(line_part(text, 0, text.size < HEAD_BYTES ? text.size : HEAD_BYTES));
    reader->columns = head.lines > 0 && head.columns == MOST_COLUMNS ? MOST_COLUMNS : 1;
    for (uint32_t i = 0; i < reader->columns; i++) {
        const char *name = reader->columns == 1 ? "samples" : NAMES[i];
        weighted_add_kind(&reader->weighted, builder_string(builder, name, strlen(name)),
                          value_unit_of(STRING_LITERAL("count")), (EventPos){ 0, ERR_NOWHERE });
    }
}

/* Returns the node of a stack: frames with semicolons between them. */
static uint32_t node_of(Reader *reader, StringView stack, EventPos pos)
{
    TraceBuilder *builder = reader->weighted.builder;
    uint32_t      node = 0;
    for (size_t at = 0; at <= stack.size && !reader->weighted.failed;) {
        const char      *semicolon = at == stack.size ? NULL : memchr(stack.bytes + at, ';', stack.size - at);
        const size_t     end = semicolon == NULL ? stack.size : (size_t)(semicolon - stack.bytes);
        const StringView name = line_trim(line_part(stack, at, end));
        at = end + 1;
        if (name.size == 0) continue;
        const StackFrame frame = { .function = input_text_intern(builder, name, "the name of a function", pos,
                                                                 &reader->weighted.failed) };
        node = weighted_step(&reader->weighted, node, builder_frame(builder, &frame), frame.function);
    }
    return node;
}

static void take_line(Reader *reader, StringView text, uint64_t offset)
{
    TraceBuilder  *builder = reader->weighted.builder;
    const EventPos pos = { offset, reader->event_count };
    if (is_blank(text)) return;
    const FoldedLine line = parse_line(text, reader->columns);
    const uint32_t   node = line.columns == reader->columns ? node_of(reader, line.stack, pos) : 0;
    if (reader->weighted.failed) return;
    if (node == 0) {
        builder_warn(builder, "unreadable-line", pos, "a line is not a stack with its numbers: left out");
        return;
    }
    if (line.is_clamped)
        builder_warn(builder, "time-out-of-range", pos,
                     "a value exceeds 64 bits of nanoseconds: its width is clamped");
    weighted_event(&reader->weighted, node, pos);
    reader->event_count++;
    for (uint32_t i = 0; i < line.columns; i++)
        weighted_add(&reader->weighted, node, i, line.ticks[i], pos);
}

static bool folded_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                        Err *err)
{
    Reader          *reader = (Reader *)state;
    const StringView all = { size == 0 ? "" : (const char *)bytes, size };
    StringView       rest = all, line;
    *used = 0;
    if (reader->columns == 0 && size < HEAD_BYTES && input == INPUT_CONTINUES) return true;
    if (reader->columns == 0) choose_columns(reader, all);
    while (!reader->weighted.failed && line_next(&rest, &line)) {
        if (!reader->skips) take_line(reader, line, reader->base + (uint64_t)(line.bytes - all.bytes));
        reader->skips = false;
    }
    if (reader->skips) rest = line_part(rest, rest.size, rest.size);
    if (input == INPUT_ENDS) { /* the last line may have no line feed */
        if (rest.size > 0) take_line(reader, rest, reader->base + (uint64_t)(rest.bytes - all.bytes));
        weighted_finish(&reader->weighted);
    }
    *used = input == INPUT_ENDS ? size : size - rest.size;
    reader->base += *used;
    return !reader->weighted.failed || err_set(err, ERR_MEMORY, "out of memory");
}

static bool folded_skip(void *state)
{
    ((Reader *)state)->skips = true; /* the caller warns */
    return true;
}

/* ---- details: the numbers of a line ---- */

static bool folded_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                           EventDetails *details, Err *err)
{
    (void)trace;
    (void)end;
    if (begin->bytes == NULL) return true;
    StringView rest = { (const char *)begin->bytes, begin->size }, text;
    if (!line_next(&rest, &text)) {
        if (!begin->ends_input)
            return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the input ends inside a line");
        text = rest;
    }
    const FoldedLine line = parse_line(text, MOST_COLUMNS);
    JsonWriter       writer = json_writer_to(&details->other, 0);
    json_object_begin(&writer);
    json_key(&writer, "values");
    json_array_begin(&writer);
    for (uint32_t i = 0; i < line.columns; i++)
        json_string_bytes(&writer, line.numbers[i]);
    json_array_end(&writer);
    json_object_end(&writer);
    return !details->other.failed || err_set(err, ERR_MEMORY, "out of memory");
}

const FormatReader FOLDED_READER = {
    .name = "folded",
    .spec = "flamegraph.pl and difffolded.pl of github.com/brendangregg/FlameGraph",
    .about = "Folded stacks, the input of flamegraph.pl: lines such as `main;parse;read 12`. Usual names: "
             "*.folded, *.txt.",
    .probe = folded_probe,
    .open = folded_open,
    .read = folded_read,
    .skip = folded_skip,
    .details = folded_details,
};
