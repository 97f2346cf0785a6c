/* The answer "save": a trace, or a range of it, as a file in another format, with the bytes of `varve
 * convert`. */
#include "app/session/event_reader.h"
#include "app/session/session_internal.h"
#include "export/tables.h"
#include "export/writers.h"

#include <string.h>

enum { MOST_BYTES = 1 << 30 };

static bool append_bounded(void *context, const void *bytes, size_t size, Err *err)
{
    Bytes *out = context;
    if (size > MOST_BYTES - out->size)
        return err_set(err, ERR_LIMIT, "the file would be larger than 1 GiB: save a part of the trace, or use `varve convert`");
    bytes_append(out, bytes, size);
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for the file");
}

/* Sets the window of `cut`, a copy of the trace, to the parameters begin and end. False: the answer is a failure. */
static bool cut_window(Asked *asked, Trace *cut)
{
    const Trace *trace = asked->trace;
    if (request_param(asked->request, "begin") == NULL && request_param(asked->request, "end") == NULL) return true;
    if (!asked_range(asked, &cut->window_begin, &cut->window_end)) return false;
    cut->has_window = true;
    const int64_t first = trace->has_window ? trace->window_begin : trace->begin_tick;
    const int64_t last = trace->has_window ? trace->window_end : trace->end_tick;
    if (cut->window_begin < first) cut->window_begin = first;
    cut->window_is_open = cut->window_end > last && (!trace->has_window || trace->window_is_open);
    if (cut->window_end > last) cut->window_end = last;
    return cut->window_begin <= cut->window_end ||
           answer_fail(asked->answer, SESSION_BAD_REQUEST, "begin= and end= hold no part of the trace");
}

/* Finds the form of a table by its name in the parameter "to". */
static bool asked_form(const StringView *to, TableForm *form)
{
    for (size_t i = 0; i < TABLE_FORM_COUNT; i++) {
        const char *name = table_form_name((TableForm)i);
        *form = (TableForm)i;
        if (string_equal(*to, (StringView){ name, strlen(name) })) return true;
    }
    return false;
}

static void save_table(Asked *asked, const Loaded *cut, TableForm form, const OutputSink *sink)
{
    const SchemaTable *table = request_param(asked->request, "table") == NULL ? schema_table(0) : asked_table(asked);
    EventReader        reader = { .reader = NULL };
    Err                err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (table == NULL) return;
    bool done = event_reader_open(&reader, cut, NULL) || err_set(&err, ERR_MEMORY, "out of memory for the file");
    const SchemaTrace trace = {
        .trace = cut->trace, .name = cut->name, .bytes = cut->bytes, .arguments = &reader.source
    };
    done = done && table_write(form, &trace, table, sink, NULL, &err);
    if (!done) (void)answer_fail_err(asked->answer, &err);
    event_reader_release(&reader);
}

void answer_save(Asked *asked)
{
    const StringView   *to = request_param(asked->request, "to");
    Trace               trace = *asked->trace;
    Loaded              cut = asked->slot->loaded;
    const OutputSink    sink = { append_bounded, &asked->answer->body };
    WriterReport        report = { .loss_count = 0 };
    Err                 err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    TableForm           form;
    cut.trace = &trace;
    if (to == NULL) {
        (void)answer_fail(asked->answer, SESSION_BAD_REQUEST, "to= is missing");
        return;
    }
    if (!cut_window(asked, &trace)) return;
    const FormatWriter *writer = writer_find(to->bytes); /* decoded texts end with a zero byte */
    if (writer != NULL) {
        if (!writer->write(&cut, &sink, &report, &err)) (void)answer_fail_err(asked->answer, &err);
    } else if (asked_form(to, &form)) {
        save_table(asked, &cut, form, &sink);
    } else {
        (void)answer_fail(asked->answer, SESSION_BAD_REQUEST, "to= must be a format that `varve convert` writes, but parquet");
    }
}
