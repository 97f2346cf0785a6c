/* The request "arguments": the names of the arguments of the slices in a range. */
#include "analysis/argument_keys.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"
#include "base/json_writer.h"
#include "export/event_reader.h"

static void write_names(RequestContext *ctx, const StringTable *names)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_key(&w, "names");
    json_array_begin(&w);
    for (uint32_t id = 1; id <= string_table_count(names); id++)
        json_string_bytes(&w, string_table_view(names, (StringId){ id }));
    json_array_end(&w);
    json_object_end(&w);
}

void handle_arguments(RequestContext *ctx)
{
    TracePart    part = { 0 };
    EventReader  reader = { .reader = NULL };
    StringTable *names = string_table_create(ctx->arena);
    Err          err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_range(ctx, &part.begin_tick, &part.end_tick) ||
        !param_tracks(ctx, &part.tracks, &part.track_count) || !param_filter(ctx, &part.filter))
        return;
    const bool done = ((names != NULL && event_reader_open(&reader, ctx->loaded, NULL)) ||
                       err_set(&err, ERR_MEMORY, "out of memory for the names of arguments")) &&
                      argument_names(ctx->trace, &part, &reader.source, ctx->arena, names, &err);
    event_reader_release(&reader);
    if (done)
        write_names(ctx, names);
    else
        (void)answer_fail_err(ctx->answer, &err);
}
