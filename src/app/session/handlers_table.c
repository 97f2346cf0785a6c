/* The request "table": a table of schema/schema.h as an Arrow IPC stream. */
#include "app/session/event_reader.h"
#include "app/session/session_internal.h"
#include "export/arrow.h"

#include <string.h>

/* Returns the value of an optional parameter, which ends with a zero byte; NULL without it. */
static const char *text_of(const RequestContext *ctx, const char *key)
{
    const StringView *value = request_param(ctx->request, key);
    return value == NULL ? NULL : value->bytes;
}

const SchemaTable *param_table(RequestContext *ctx)
{
    const StringView *name = request_param(ctx->request, "table");
    for (size_t i = 0; name != NULL && schema_table(i) != NULL; i++)
        if (strcmp(schema_table(i)->name, name->bytes) == 0) return schema_table(i);
    (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "table= must be the name of a table");
    return NULL;
}

/* Reads the parameters that limit the rows. False: the answer is a failure. */
static bool param_bounds(RequestContext *ctx, const SchemaTable *table, TableBounds *bounds)
{
    const bool        takes_range = (table->parameters & SCHEMA_TAKES_RANGE) != 0;
    const StringView *track = request_param(ctx->request, "track");
    *bounds = (TableBounds){ .range = text_of(ctx, "range"),
                             .begin = text_of(ctx, "begin"),
                             .end = text_of(ctx, "end"),
                             .name = (table->parameters & SCHEMA_TAKES_NAME) != 0 ? text_of(ctx, "name") : NULL,
                             .thread = text_of(ctx, "thread"),
                             .has_track = track != NULL };
    if (!takes_range) *bounds = (TableBounds){ 0 };
    if (track == NULL || text_to_i64(*track, &bounds->track)) return true;
    return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "track= must be a number");
}

void handle_table(RequestContext *ctx)
{
    const SchemaTable *table = param_table(ctx);
    const char        *name = text_of(ctx, "as");
    const OutputSink   sink = output_to_bytes(&ctx->answer->body);
    TableBounds        bounds;
    EventReader        events = { 0 };
    Err                err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (table == NULL || !param_bounds(ctx, table, &bounds)) return;
    const SchemaTrace trace = { .trace = ctx->trace,
                                .name = name == NULL ? ctx->slot->path : name,
                                .bytes = ctx->slot->loaded.bytes,
                                .arguments = &events.source };
    bool              is_done = event_reader_open(&events, &ctx->slot->loaded, NULL) ||
                   err_set(&err, ERR_MEMORY, "out of memory for the arguments of events");
    if (is_done) {
        TableReader *reader = table_reader_open(&trace, table, &bounds, ctx->arena, &err);
        is_done = reader != NULL && arrow_write(&trace, table, reader, &sink, NULL, &err);
        table_reader_close(reader);
    }
    event_reader_release(&events);
    if (is_done) return;
    bytes_release(&ctx->answer->body);
    (void)answer_fail_err(ctx->answer, &err);
}
