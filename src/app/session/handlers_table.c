/* The request "table": a table of schema/schema.h as an Arrow IPC stream. */
#include "app/session/handlers.h"
#include "app/session/table_rows.h"
#include "base/digits.h"
#include "export/event_reader.h"

#include <string.h>

/* Returns the value of an optional parameter, which ends with a zero byte; NULL without it. */
static const char *text_of(const RequestContext *ctx, const char *key)
{
    const StringView *value = request_param(ctx->request, key);
    return value == NULL ? NULL : value->bytes;
}

const SchemaTable *param_table(RequestContext *ctx)
{
    const char        *name = text_of(ctx, "table");
    const SchemaTable *table = name == NULL ? NULL : schema_find_table(name);
    if (table == NULL)
        (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "table= must be the name of a table");
    return table;
}

/* Reads the parameters that limit the rows. False: the answer is a failure. */
static bool param_bounds(RequestContext *ctx, const SchemaTable *table, TableBounds *bounds)
{
    const bool        takes_range = (table->parameters & SCHEMA_TAKES_RANGE) != 0;
    const StringView *track = request_param(ctx->request, "track");
    *bounds =
        (TableBounds){ .range = text_of(ctx, "range"),
                       .begin = text_of(ctx, "begin"),
                       .end = text_of(ctx, "end"),
                       .name = (table->parameters & SCHEMA_TAKES_NAME) != 0 ? text_of(ctx, "name") : NULL,
                       .thread = text_of(ctx, "thread"),
                       .has_track = track != NULL };
    if (!takes_range) *bounds = (TableBounds){ 0 };
    if (track == NULL || text_to_i64(*track, &bounds->track)) return true;
    return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "track= must be a number");
}

bool answer_rows(RequestContext *ctx, const Loaded *loaded, const char *name, TableForm form,
                 const SchemaTable *table, const TableBounds *bounds, const OutputSink *sink)
{
    EventReader events = { 0 };
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    bool        is_done = event_reader_open(&events, loaded, NULL) ||
                   err_set(&err, ERR_MEMORY, "out of memory for the arguments of events");
    const SchemaTrace trace = {
        .trace = loaded->trace, .name = name, .bytes = loaded->bytes, .arguments = &events.source
    };
    is_done = is_done && table_write(form, &trace, table, bounds, sink, &err);
    event_reader_release(&events);
    return is_done || answer_fail_err(ctx->answer, &err);
}

void handle_table(RequestContext *ctx)
{
    const SchemaTable *table = param_table(ctx);
    const char        *name = text_of(ctx, "as");
    const OutputSink   sink = output_to_bytes(&ctx->answer->body);
    TableBounds        bounds;
    if (table == NULL || !param_bounds(ctx, table, &bounds)) return;
    name = name == NULL ? ctx->slot->path : name;
    answer_rows(ctx, ctx->loaded, name, TABLE_FORM_ARROW, table, &bounds, &sink);
}
