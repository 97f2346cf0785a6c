#include "format/trace_event/read/ftrace.h"

#include "format/linux/ftrace_details.h"

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

bool ftrace_details(const EventBytes *begin, const EventBytes *end, EventDetails *details, Err *err)
{
    Bytes begin_text = { 0 }, end_text = { 0 };
    bool  done = read_line(begin, &begin_text, err);
    if (done && ftrace_is_line(end)) done = read_line(end, &end_text, err);
    if (done) done = ftrace_line_details(bytes_view(&begin_text), bytes_view(&end_text), details, err);
    bytes_release(&begin_text);
    bytes_release(&end_text);
    return done;
}
