#include "format/strace/details.h"

#include "format/line_text.h"
#include "format/strace/line.h"

/* Parses the first line of the bytes. */
static bool first_line(const EventBytes *event, StraceLine *line, Err *err)
{
    StringView rest = { (const char *)event->bytes, event->size }, text;
    if (!line_next(&rest, &text)) {
        if (!event->ends_input)
            return err_set_at(err, ERR_TRUNCATED, event->offset, ERR_NOWHERE,
                              "the line goes on behind these bytes");
        text = rest;
    }
    return strace_line_parse(text, line) ||
           err_set_at(err, ERR_CORRUPT, event->offset, ERR_NOWHERE, "this is not a line of strace");
}

/* Writes the two parts of the arguments, which a resumed call has in two lines. */
static void put_args(JsonWriter *w, Bytes *text, const StraceLine *begin, const StraceLine *end)
{
    bytes_append(text, begin->args.bytes, begin->args.size);
    if (begin->args.size > 0 && end->args.size > 0) bytes_append(text, " ", 1);
    bytes_append(text, end->args.bytes, end->args.size);
    if (text->size > 0 && !text->failed) json_put_view(w, "arguments", bytes_view(text));
}

bool strace_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                    Err *err)
{
    StraceLine line, last = { .args = { "", 0 }, .result = { "", 0 } };
    Bytes      text = { 0 };
    (void)trace;
    if (begin->bytes == NULL) return true;
    if (!first_line(begin, &line, err)) return false;
    if (end != NULL && end->bytes != NULL && end->offset != begin->offset && !first_line(end, &last, err))
        return false;
    JsonWriter w = json_writer_to(&details->args, 0);
    json_object_begin(&w);
    put_args(&w, &text, &line, &last);
    const StringView result = line.result.size > 0 ? line.result : last.result;
    if (result.size > 0) {
        json_key(&w, "result");
        line_put_value(&w, result);
    }
    json_object_end(&w);
    if (details->args.size == 2) bytes_clear(&details->args);
    const bool failed = details->args.failed || text.failed;
    bytes_release(&text);
    return !failed || err_set(err, ERR_MEMORY, "out of memory");
}
