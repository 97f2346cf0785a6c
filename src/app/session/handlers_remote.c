/* The answers about a `.varve` file that is read by ranges: tiles, and the answers that the file has. Others need the whole
 * file. */
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"

#include <inttypes.h>
#include <string.h>

void answer_needs_whole(Answer *answer, const SessionSlot *slot)
{
    const double megabytes = (double)remote_size(slot->remote) / 1e6;
    (void)answer_fail(answer, SESSION_NOT_FOUND,
                      "%s is read by ranges: this needs the whole file of %.*f MB, which is not loaded",
                      slot->name, megabytes < 10 ? 1 : 0, megabytes);
}

/* True if the request hides the categories that the tiles of the file hide. */
static bool hides_as_file(const RequestContext *ctx)
{
    const StringView *hide = request_param(ctx->request, "hide");
    const StringView  hidden = remote_outline(ctx->slot->remote)->hidden;
    return string_equal(hide == NULL ? STRING_LITERAL("") : *hide, hidden);
}

static void answer_tiles(RequestContext *ctx)
{
    TileKey *keys;
    size_t   count;
    uint32_t number;
    Err      err;
    if (!param_filter_number(ctx, &number) || !param_tile_keys(ctx, number, &keys, &count)) return;
    if (!remote_tiles(ctx->slot->remote, keys, count, &ctx->answer->body, &err))
        (void)answer_fail_err(ctx->answer, &err);
}

/* Appends the parameters of the request that are in the names of the stored answers. */
static void append_stored_name(const RequestContext *ctx, Bytes *name)
{
    static const char *const KEYS[] = { "buckets", "page" };
    bytes_append(name, ctx->request->name.bytes, ctx->request->name.size);
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const StringView *value = request_param(ctx->request, KEYS[i]);
        if (value != NULL) bytes_printf(name, "?%s=%.*s", KEYS[i], (int)value->size, value->bytes);
    }
}

static bool is_request(const RequestContext *ctx, const char *name)
{
    return string_equal(ctx->request->name, (StringView){ name, strlen(name) });
}

/* Writes the client's number of the filter into an answer under a filter. */
static void put_filter_number(RequestContext *ctx)
{
    enum { NUMBER_AT = 8 }; /* in overviews and in the counts of visible events */
    uint32_t number;
    Bytes   *body = &ctx->answer->body;
    if (!is_request(ctx, "overview") && !is_request(ctx, "visible")) return;
    if (!param_filter_number(ctx, &number) || body->failed || body->size < NUMBER_AT + 4) return;
    for (size_t i = 0; i < 4; i++)
        body->data[NUMBER_AT + i] = (uint8_t)(number >> 8 * i);
}

void handle_remote(RequestContext *ctx)
{
    Bytes name = { 0 };
    bool  found = false;
    Err   err;
    if (!hides_as_file(ctx) &&
        (is_request(ctx, "tiles") || is_request(ctx, "overview") || is_request(ctx, "visible"))) {
        answer_needs_whole(ctx->answer, ctx->slot);
        return;
    }
    if (is_request(ctx, "tiles")) {
        answer_tiles(ctx);
        return;
    }
    if (is_request(ctx, "tooltip")) return; /* the tile has the name and the times: no more lines */
    append_stored_name(ctx, &name);
    if (name.failed) {
        (void)answer_fail(ctx->answer, SESSION_FAILED, "out of memory");
    } else if (!remote_answer(ctx->slot->remote, bytes_view(&name), &ctx->answer->body, &found, &err)) {
        (void)answer_fail_err(ctx->answer, &err);
    } else if (found) {
        put_filter_number(ctx);
    } else {
        answer_needs_whole(ctx->answer, ctx->slot);
    }
    bytes_release(&name);
}
