/* The answers with the facts of a trace: "info", "identity", and its properties. */
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "export/info.h"
#include "format/identity.h"

/* Longer values of a property have a request of their own. */
static const uint64_t MOST_PROPERTY_BYTES = 16 * 1024;

void handle_info(RequestContext *ctx)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    info_write_json(&ctx->slot->loaded, param_shown_name(ctx), MOST_PROPERTY_BYTES, &w);
}

/* Answers null for a growing trace: its content is not complete. */
void handle_identity(RequestContext *ctx)
{
    char       identity[IDENTITY_TEXT + 1];
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    const bool is_known = ctx->slot->live == NULL && load_identity(&ctx->slot->loaded, identity);
    json_object_begin(&w);
    json_put_string(&w, "identity", is_known ? identity : NULL);
    json_object_end(&w);
}

/* -- properties -- */

void handle_properties(RequestContext *ctx)
{
    const Trace *trace = ctx->trace;
    JsonWriter   w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_array(&w, "properties");
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        const Property *property = &trace->records.properties[i];
        json_object_begin(&w);
        json_put_view(&w, "key", trace_string(trace, property->key));
        json_put_u64(&w, "bytes", property->size);
        if (property->size <= MOST_PROPERTY_BYTES)
            json_put_raw(&w, "value", property->json, property->size);
        else
            json_put_null(&w, "value");
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
}

void handle_property(RequestContext *ctx)
{
    const Trace *trace = ctx->trace;
    uint64_t     index;
    if (!param_u64(ctx, "index", UINT32_MAX, &index)) return;
    if (index >= trace->records.property_count) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "index= is not the index of a property");
        return;
    }
    bytes_append(&ctx->answer->body, trace->records.properties[index].json,
                 trace->records.properties[index].size);
}
