/* The data for drawing: outline, overview, labels and tiles, in the encodings of trace/. */
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"
#include "app/session/slot_live.h"
#include "trace/wire/outline_encode.h"
#include "trace/wire/tile_encode.h"

#include <string.h>

enum { MAX_BUCKETS = 65536 };

void handle_outline(RequestContext *ctx)
{
    const StringView name = c_string_view(param_shown_name(ctx));
    outline_encode_received(ctx->trace, name, live_begin_unix_ns(ctx->slot->live), &ctx->answer->body);
}

void handle_overview(RequestContext *ctx)
{
    uint64_t buckets;
    if (!param_u64(ctx, "buckets", MAX_BUCKETS, &buckets)) return;
    if (buckets == 0) {
        answer_fail(ctx->answer, SESSION_BAD_REQUEST, "buckets= must be at least 1");
        return;
    }
    const Filter *filter;
    uint32_t      number;
    if (!param_filter(ctx, &filter) || !param_filter_number(ctx, &number)) return;
    overview_encode(ctx->trace, filter, number, (uint32_t)buckets, &ctx->answer->body);
}

void handle_visible(RequestContext *ctx)
{
    const Filter *filter;
    uint32_t      number;
    if (param_filter(ctx, &filter) && param_filter_number(ctx, &number))
        visible_encode(ctx->trace, filter, number, &ctx->answer->body);
}

void handle_labels(RequestContext *ctx)
{
    uint64_t page;
    if (!param_u64(ctx, "page", UINT32_MAX, &page)) return;
    if (page > ctx->trace->label_count / OUTLINE_LABEL_PAGE) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "page= is not a page of labels");
        return;
    }
    label_page_encode(ctx->trace, (uint32_t)page, &ctx->answer->body);
}

void handle_tiles(RequestContext *ctx)
{
    TilesRequest tiles = { .trace = ctx->trace };
    TileKey     *keys;
    uint32_t     number;
    if (!param_filter(ctx, &tiles.filter) || !param_filter_number(ctx, &number) ||
        !param_tile_keys(ctx, number, &keys, &tiles.count))
        return;
    Err err = { 0 };
    tiles.keys = keys;
    if (!tiles_encode(&tiles, &ctx->answer->body, NULL, &err)) (void)answer_fail_err(ctx->answer, &err);
}
