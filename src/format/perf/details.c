#include "format/perf/details.h"

#include "format/line_text.h"
#include "format/perf/line.h"

#include <string.h>

/* Removes the next line of an event from *rest. Returns false if it is not in the bytes, and sets *is_cut if it may follow them. */
static bool next_line(StringView *rest, const EventBytes *event, StringView *line, bool *is_cut)
{
    const bool has_end = line_next(rest, line);
    *is_cut = !has_end && !event->ends_input;
    if (has_end || *is_cut || rest->size == 0) return has_end;
    *line = *rest;
    *rest = line_part(*rest, rest->size, rest->size);
    return true;
}

static void put_args(Bytes *out, StringView text)
{
    LineField  field;
    StringView rest = text;
    JsonWriter w = json_writer_to(out, 0);
    json_object_begin(&w);
    if (line_next_field(&rest, &field) && field.key.bytes == text.bytes)
        line_put_fields(&w, text);
    else
        json_put_view(&w, "text", text);
    json_object_end(&w);
}

/* Returns true if the text begins with a line of a stack, which it removes. */
static bool next_frame(StringView *rest, const EventBytes *event, StringView *line, bool *is_cut)
{
    StringView after = *rest, file;
    PerfFrame  frame;
    if (!next_line(&after, event, line, is_cut)) return false;
    if (line->size == 0 || (line->bytes[0] != ' ' && line->bytes[0] != '\t')) return false;
    if (!perf_frame_parse(*line, &frame) && !perf_source_parse(*line, &file)) return false;
    *rest = after;
    return true;
}

/* Writes the stack in the next lines of the event as a member of the open object. False: the bytes end before it. */
static bool put_stack(JsonWriter *w, StringView rest, const EventBytes *event)
{
    StringView line;
    bool       is_cut, any = false;
    while (next_frame(&rest, event, &line, &is_cut)) {
        if (!any) json_put_array(w, "frames");
        any = true;
        json_string_bytes(w, line_trim(line));
    }
    if (any) json_array_end(w);
    return !is_cut;
}

bool perf_details(const Trace *trace, const EventBytes *begin, const EventBytes *end, EventDetails *details,
                  Err *err)
{
    StringView rest = { (const char *)begin->bytes, begin->size }, line;
    PerfHead   head;
    PerfFrame  frame;
    bool       is_cut;
    (void)trace;
    (void)end;
    if (begin->bytes == NULL) return true;
    const bool has_line = next_line(&rest, begin, &line, &is_cut);
    if (is_cut)
        return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the input ends inside a line");
    if (!has_line || !perf_head_parse(line, &head))
        return err_set_at(err, ERR_CORRUPT, begin->offset, ERR_NOWHERE,
                          "this is not an event of perf script");
    const bool is_flat = perf_frame_parse(head.text, &frame);
    if (head.text.size > 0 && !is_flat) put_args(&details->args, head.text);
    JsonWriter w = json_writer_to(&details->other, 0);
    json_object_begin(&w);
    if (head.cpu >= 0) json_put_i64(&w, "cpu", head.cpu);
    if (head.period.size > 0) {
        json_key(&w, "period");
        line_put_value(&w, head.period);
    }
    if (is_flat) {
        json_put_array(&w, "frames");
        json_string_bytes(&w, head.text);
        json_array_end(&w);
    }
    const bool is_whole = is_flat || put_stack(&w, rest, begin);
    json_object_end(&w);
    if (details->other.size == 2) bytes_clear(&details->other);
    if (!is_whole)
        return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the input ends inside a stack");
    return !(details->args.failed || details->other.failed) || err_set(err, ERR_MEMORY, "out of memory");
}
