/* The answers about a `.varve` file that is read by ranges, and about one of the cache that is not checked yet: tiles, and the
 * answers that the file has. Others need the whole file. */
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

/* FILE_ANSWERS: also with the reason why the request is invalid. FILE_FAILS: a part of the file is damaged or cannot be read. */
typedef enum { FILE_ANSWERS, FILE_LACKS, FILE_FAILS } FileOutcome;

/* True if the request hides the categories that the tiles of the file hide. */
static bool hides_as_file(const RequestContext *ctx, const RemoteFile *file)
{
    const StringView *hide = request_param(ctx->request, "hide");
    return string_equal(hide == NULL ? STRING_LITERAL("") : *hide, remote_outline(file)->hidden);
}

static FileOutcome answer_tiles(RequestContext *ctx, RemoteFile *file, Err *err)
{
    TileKey *keys;
    size_t   count;
    uint32_t number;
    if (!param_filter_number(ctx, &number) || !param_tile_keys(ctx, number, &keys, &count))
        return FILE_ANSWERS;
    if (!remote_has_levels(file, keys, count)) return FILE_LACKS;
    return remote_tiles(file, keys, count, &ctx->answer->body, err) ? FILE_ANSWERS : FILE_FAILS;
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
    return string_equal(ctx->request->name, c_string_view(name));
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

/* Answers the request, if the file has the answer. */
static FileOutcome answer_of(RequestContext *ctx, RemoteFile *file, Err *err)
{
    Bytes      name = { 0 };
    bool       found = false;
    const bool is_filtered =
        is_request(ctx, "tiles") || is_request(ctx, "overview") || is_request(ctx, "visible");
    if (is_filtered && !hides_as_file(ctx, file)) return FILE_LACKS;
    if (is_request(ctx, "tiles")) return answer_tiles(ctx, file, err);
    append_stored_name(ctx, &name);
    const bool done = name.failed ? err_set(err, ERR_MEMORY, "out of memory")
                                  : remote_answer(file, bytes_view(&name), &ctx->answer->body, &found, err);
    if (done && found) put_filter_number(ctx);
    bytes_release(&name);
    return !done ? FILE_FAILS : found ? FILE_ANSWERS : FILE_LACKS;
}

void handle_remote(RequestContext *ctx)
{
    Err err;
    if (is_request(ctx, "tooltip")) return; /* the tile has the name and the times: no more lines */
    switch (answer_of(ctx, ctx->slot->remote, &err)) {
    case FILE_ANSWERS:
        break;
    case FILE_LACKS:
        answer_needs_whole(ctx->answer, ctx->slot);
        break;
    case FILE_FAILS:
        (void)answer_fail_err(ctx->answer, &err);
        break;
    }
}

bool handle_shown(RequestContext *ctx)
{
    ShownTiles *shown = &ctx->slot->shown;
    Err         err;
    lock_take(shown->lock);
    const bool done = shown->file != NULL && answer_of(ctx, shown->file, &err) == FILE_ANSWERS;
    lock_give(shown->lock);
    if (done) return true;
    bytes_clear(&ctx->answer->body); /* of a failure */
    session_slot_await(ctx->slot);
    return false;
}
