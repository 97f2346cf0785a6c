/* The files trace and trace_pipe of the kernel's tracefs, and the output of `trace-cmd report` and atrace. */
#include "format/ftrace/ftrace.h"
#include "format/linux/ftrace_details.h"
#include "format/linux/ftrace_draw.h"

#include "base/ascii.h"
#include "base/json_writer.h"
#include "format/input_text.h"
#include "format/line_text.h"

#include <string.h>

enum { MOST_HEAD_BYTES = 1 << 16 }; /* of the kept lines before the first event; usual heads have 1 KB */

typedef struct Reader {
    Arena        *arena; /* borrowed; so is the builder */
    TraceBuilder *builder;
    Ftrace        ftrace;
    IndexSet      named;
    Bytes         comments; /* the lines before the first event */
    uint64_t      base;     /* offset of the current bytes in the input */
    uint64_t      event_count;
    bool          has_events;
    bool          skips; /* to the next line feed */
    bool          failed;
} Reader;

/* True for the lines before the first event: comments, and lines of trace-cmd and atrace. */
static bool is_head(StringView line)
{
    static const StringView HEADS[] = {
        { "cpus=", 5 }, { "version = ", 10 }, { "CPU ", 4 }, { "TRACE:", 6 }
    };
    if (line_trim(line).size == 0 || line.bytes[0] == '#') return true;
    for (size_t i = 0; i < sizeof HEADS / sizeof HEADS[0]; i++)
        if (ascii_starts_with(line, HEADS[i])) return true;
    return false;
}

static int ftrace_probe(const uint8_t *bytes, size_t size)
{
    StringView rest = { (const char *)bytes, size }, line;
    FtraceLine parsed;
    bool       is_ftrace = false;
    while (line_next(&rest, &line)) {
        if (ftrace_line_parse(line, &parsed)) return 90;
        if (!is_head(line)) return 0;
        is_ftrace |= ascii_starts_with(line, STRING_LITERAL("# tracer: nop"));
    }
    return is_ftrace ? 80 : 0; /* without events so far */
}

static void *ftrace_reader_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    if (reader == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->arena = arena;
    reader->builder = builder;
    reader->named.arena = arena;
    ftrace_open(&reader->ftrace, arena, builder, &reader->named, FTRACE_IS_ALL);
    return reader;
}

/* Keeps the lines before the first event as a property. */
static void keep_comments(Reader *reader)
{
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    if (reader->comments.size == 0) return;
    json_string_bytes(&writer, bytes_view(&reader->comments));
    reader->failed |= reader->comments.failed || json.failed;
    if (!reader->failed)
        builder_property(reader->builder, builder_string(reader->builder, "head", 4), (char *)json.data,
                         json.size);
    bytes_release(&json);
    bytes_release(&reader->comments);
}

static void take_line(Reader *reader, StringView line, uint64_t offset)
{
    const EventPos pos = { offset, reader->event_count };
    FtraceLine     parsed;
    if (ftrace_line_parse(line, &parsed)) {
        if (!reader->has_events) keep_comments(reader);
        reader->has_events = true;
        reader->event_count++;
        ftrace_take(&reader->ftrace, &parsed, parsed.ns, pos);
    } else if (!reader->has_events && is_head(line)) {
        if (reader->comments.size + line.size > MOST_HEAD_BYTES) return;
        bytes_append(&reader->comments, line.bytes, line.size);
        bytes_append(&reader->comments, "\n", 1);
    } else if (ascii_contains(line, STRING_LITERAL("LOST")) &&
               ascii_contains(line, STRING_LITERAL("EVENTS]"))) {
        builder_warn(reader->builder, "lost-events", pos, "the recorder ran out of buffer: \"%.*s\"",
                     (int)(line.size < 80 ? line.size : 80), line.bytes);
    } else if (line_trim(line).size > 0 && line.bytes[0] != '#') {
        reader->event_count++;
        ftrace_keep_unreadable(&reader->ftrace, pos);
    }
}

static void finish(Reader *reader, StringView rest)
{
    if (!reader->skips && line_trim(rest).size > 0) { /* each line has its end */
        builder_warn(reader->builder, "truncated", (EventPos){ reader->base, reader->event_count },
                     "the input ends inside a line");
        builder_set_incomplete(reader->builder);
    }
    keep_comments(reader);
    ftrace_finish(&reader->ftrace);
}

static bool ftrace_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                        Err *err)
{
    Reader          *reader = (Reader *)state;
    const StringView all = { size == 0 ? "" : (const char *)bytes, size };
    StringView       rest = all, line;
    while (!reader->failed && line_next(&rest, &line)) {
        if (!reader->skips) take_line(reader, line, reader->base + (uint64_t)(line.bytes - all.bytes));
        reader->skips = false;
    }
    if (reader->skips) rest = line_part(rest, rest.size, rest.size);
    reader->base += size - rest.size;
    if (input == INPUT_ENDS) finish(reader, rest);
    *used = input == INPUT_ENDS ? size : size - rest.size;
    return !(reader->failed || ftrace_failed(&reader->ftrace)) || err_set(err, ERR_MEMORY, "out of memory");
}

static bool ftrace_skip(void *state)
{
    ((Reader *)state)->skips = true; /* the caller warns */
    return true;
}

/* Sets *line to the first line of the bytes. */
static bool first_line(const EventBytes *event, StringView *line, Err *err)
{
    StringView rest = { (const char *)event->bytes, event->size };
    if (line_next(&rest, line)) return true;
    *line = rest;
    return event->ends_input ||
           err_set_at(err, ERR_TRUNCATED, event->offset, ERR_NOWHERE, "the line goes on behind these bytes");
}

static bool ftrace_reader_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                                  EventDetails *details, Err *err)
{
    StringView begin_line, end_line = { "", 0 };
    (void)trace;
    if (begin->bytes == NULL) return true;
    if (!first_line(begin, &begin_line, err)) return false;
    if (end != NULL && end->bytes != NULL && !first_line(end, &end_line, err)) return false;
    return ftrace_line_details(begin_line, end_line, details, err);
}

const FormatReader FTRACE_READER = {
    .name = "ftrace",
    .spec = "the text of Linux's ftrace (Documentation/trace/ftrace.rst)",
    .about = "Events of the Linux kernel: the file trace of tracefs, `trace-cmd report`, atrace. Usual "
             "names: *.ftrace, *.txt.",
    .probe = ftrace_probe,
    .open = ftrace_reader_open,
    .read = ftrace_read,
    .skip = ftrace_skip,
    .details = ftrace_reader_details,
};
