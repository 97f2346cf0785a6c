/* The answer "source": the input of a trace. The answer "save": a trace, or a range and some tracks of it, as a file in
 * another format, with the bytes of `varve convert`; and after the file the losses that the command lists. */
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/table_rows.h"
#include "base/json_writer.h"
#include "export/left_out.h"
#include "export/tables.h"
#include "export/writers.h"
#include "format/source.h"
#include "trace/store/window.h"

#include <string.h>

enum { MOST_BYTES = 1 << 30 };

static bool append_bounded(void *context, const void *bytes, size_t size, Err *err)
{
    Bytes *out = context;
    if (size > MOST_BYTES - out->size)
        return err_set(
            err, ERR_LIMIT,
            "the file would be larger than 1 GiB: save a part of the trace, or use `varve convert`");
    bytes_append(out, bytes, size);
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for the file");
}

/* Sets the window of `cut`, a copy of the trace, to the parameters begin and end. False: the answer is a failure. */
static bool cut_window(RequestContext *ctx, Trace *cut)
{
    const Trace *trace = ctx->trace;
    if (request_param(ctx->request, "begin") == NULL && request_param(ctx->request, "end") == NULL)
        return true;
    if (!param_range(ctx, &cut->window.begin, &cut->window.end)) return false;
    cut->window.is_set = true;
    const int64_t first = trace->window.is_set ? trace->window.begin : trace->begin_tick;
    const int64_t last = trace->window.is_set ? trace->window.end : trace->end_tick;
    if (cut->window.begin < first) cut->window.begin = first;
    cut->window.is_open = cut->window.end > last && (!trace->window.is_set || trace->window.is_open);
    if (cut->window.end > last) cut->window.end = last;
    return cut->window.begin <= cut->window.end ||
           answer_fail(ctx->answer, SESSION_BAD_REQUEST, "begin= and end= hold no part of the trace");
}

/* Chooses the tracks of the parameter "tracks" in `cut`, a copy of the trace. False: the answer is a failure. */
static bool cut_tracks(RequestContext *ctx, Trace *cut)
{
    const uint32_t *tracks;
    uint32_t        count;
    if (!param_tracks(ctx, &tracks, &count)) return false;
    if (tracks == NULL || trace_window_choose(cut, tracks, count, ctx->arena)) return true;
    return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the list of tracks");
}

/* Appends a line feed and the losses as one line of JSON. */
static void append_losses(RequestContext *ctx, const WriterReport *report)
{
    Bytes *body = &ctx->answer->body;
    bytes_append_text(body, "\n");
    JsonWriter w = json_writer_to(body, 0);
    json_array_begin(&w);
    for (size_t i = 0; i < report->loss_count; i++) {
        const WriterLoss *loss = &report->losses[i];
        json_object_begin(&w);
        json_put_string(&w, "what", loss->what);
        json_put_view(&w, "kind", loss->kind);
        json_put_u64(&w, "count", loss->count);
        json_object_end(&w);
    }
    json_array_end(&w);
    if (body->failed) (void)answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the file");
}

/* Finds the form of a table by its name in the parameter "to". */
static bool param_form(const StringView *to, TableForm *form)
{
    for (size_t i = 0; i < TABLE_FORM_COUNT; i++) {
        const char *name = table_form_name((TableForm)i);
        *form = (TableForm)i;
        if (string_equal(*to, c_string_view(name))) return true;
    }
    return false;
}

/* False: the answer is a failure. */
static bool save_table(RequestContext *ctx, const Loaded *cut, TableForm form, const OutputSink *sink)
{
    const SchemaTable *table =
        request_param(ctx->request, "table") == NULL ? schema_table(0) : param_table(ctx);
    return table != NULL && answer_rows(ctx, cut, cut->name, form, table, NULL, sink);
}

void handle_source(RequestContext *ctx)
{
    const Loaded    *loaded = &ctx->slot->loaded;
    const OutputSink sink = { .append = append_bounded, .context = &ctx->answer->body };
    Err              err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (ctx->slot->live != NULL || !source_is_enough(loaded)) {
        (void)answer_fail(ctx->answer, SESSION_NOT_FOUND, "the trace is not made of the input alone");
        return;
    }
    if (!source_copy(loaded, &sink, &err)) (void)answer_fail_err(ctx->answer, &err);
}

void handle_save(RequestContext *ctx)
{
    const StringView *to = request_param(ctx->request, "to");
    Trace             trace = *ctx->trace;
    Loaded            cut = *ctx->loaded;
    const OutputSink  sink = { .append = append_bounded, .context = &ctx->answer->body };
    WriterReport      report = { .loss_count = 0 };
    Err               err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    TableForm         form;
    cut.trace = &trace;
    if (to == NULL) {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "to= is missing");
        return;
    }
    if (!cut_window(ctx, &trace) || !cut_tracks(ctx, &trace)) return;
    const FormatWriter *writer = writer_find(to->bytes); /* decoded texts end with a zero byte */
    if (writer != NULL) {
        if (!writer->write(&cut, &sink, &report, &err)) {
            (void)answer_fail_err(ctx->answer, &err);
            return;
        }
        report_views(&trace, &report);
        append_losses(ctx, &report);
    } else if (param_form(to, &form)) {
        if (save_table(ctx, &cut, form, &sink)) append_losses(ctx, &report);
    } else {
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                          "to= must be a format that `varve convert` writes, but parquet");
    }
}
