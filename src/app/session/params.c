#include "app/session/params.h"

#include "base/checked.h"
#include "base/digits.h"
#include "base/words.h"
#include "trace/store/choose_tracks.h"
#include "trace/store/lookup.h"
#include "trace/store/window.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

const char *param_shown_name(const RequestContext *ctx)
{
    const SessionSlot *slot = ctx->slot;
    return slot->title == NULL || request_param(ctx->request, "stored") != NULL ? slot->name : slot->title;
}

bool param_u64(RequestContext *ctx, const char *key, uint64_t max, uint64_t *value)
{
    const StringView *text = request_param(ctx->request, key);
    if (text == NULL) return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "%s= is missing", key);
    if (!text_to_u64(*text, value) || *value > max) {
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "%s= must be a number up to %" PRIu64, key, max);
    }
    return true;
}

bool param_optional(RequestContext *ctx, const char *key, uint64_t max, uint64_t *value)
{
    return request_param(ctx->request, key) == NULL || param_u64(ctx, key, max, value);
}

bool param_word(RequestContext *ctx, const char *key, const char *const *words, size_t count, size_t *found)
{
    assert(count > 0);
    const StringView *text = request_param(ctx->request, key);
    Bytes             list = { 0 };
    *found = 0;
    if (text == NULL || word_find(words, count, *text, found)) return true;
    word_list_append(words, count, "", &list);
    (void)answer_fail(ctx->answer, SESSION_BAD_REQUEST, "%s= must be %.*s", key, (int)list.size,
                      list.size == 0 ? "" : (const char *)list.data);
    bytes_release(&list);
    return false;
}

bool param_by_argument(const RequestContext *ctx, StringView *key)
{
    static const char PREFIX[] = "arg:";
    const StringView *text = request_param(ctx->request, "by");
    const size_t      size = sizeof PREFIX - 1;
    if (text == NULL || text->size <= size || memcmp(text->bytes, PREFIX, size) != 0) return false;
    *key = (StringView){ text->bytes + size, text->size - size };
    return true;
}

bool param_offset(RequestContext *ctx, const char *key, int64_t missing, int64_t *offset)
{
    const StringView *text = request_param(ctx->request, key);
    if (text == NULL) {
        *offset = missing;
        return true;
    }
    if (!text_to_i64(*text, offset))
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "%s= must be a whole number of ticks", key);
    return true;
}

int64_t tick_at_offset(const Trace *trace, int64_t offset)
{
    return i64_add_saturated(trace->begin_tick, offset);
}

bool param_range(RequestContext *ctx, int64_t *begin_tick, int64_t *end_tick)
{
    const Trace *trace = ctx->trace;
    int64_t      begin, end;
    trace_window_range(trace, begin_tick, end_tick);
    if (!param_offset(ctx, "begin", 0, &begin) || !param_offset(ctx, "end", 0, &end)) return false;
    if (request_param(ctx->request, "begin") != NULL) *begin_tick = tick_at_offset(trace, begin);
    if (request_param(ctx->request, "end") != NULL) *end_tick = tick_at_offset(trace, end);
    return true;
}

bool param_tracks(RequestContext *ctx, const uint32_t **wanted, uint32_t *wanted_count)
{
    *wanted = NULL;
    *wanted_count = 0;
    const StringView *text = request_param(ctx->request, "tracks");
    if (text == NULL) return true;
    uint32_t  count = ctx->trace->track_count;
    uint8_t  *seen = ARENA_ARRAY(ctx->arena, uint8_t, (size_t)count + 1);
    uint32_t *tracks = ARENA_ARRAY(ctx->arena, uint32_t, (size_t)count + 1);
    if (seen == NULL || tracks == NULL)
        return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the list of tracks");
    *wanted = tracks;
    StringView rest = *text, part;
    while (text->size > 0 && text_next_part(&rest, ',', &part)) {
        uint64_t track;
        if (!text_to_u64(part, &track)) {
            return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                               "tracks= must be numbers with commas between");
        }
        if (track == 0 || track > count || seen[track]) continue;
        seen[track] = 1;
        tracks[(*wanted_count)++] = (uint32_t)track;
    }
    return true;
}

bool param_thread(RequestContext *ctx, const uint32_t **wanted, uint32_t *wanted_count)
{
    const StringView *name = request_param(ctx->request, "thread");
    if (name == NULL) return true;
    const size_t   room = (size_t)ctx->trace->track_count + 1;
    uint8_t       *seen = ARENA_ARRAY(ctx->arena, uint8_t, room);
    uint32_t      *tracks = ARENA_ARRAY(ctx->arena, uint32_t, room);
    const uint32_t found =
        seen == NULL || tracks == NULL ? 0 : choose_tracks_matching(ctx->trace, *name, tracks);
    if (seen == NULL || tracks == NULL)
        return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the list of tracks");
    if (found == 0)
        return answer_fail(
            ctx->answer, SESSION_BAD_REQUEST,
            "%s: no thread has the name or id \"%.*s\", and no title of a thread or process contains it",
            param_shown_name(ctx), (int)(name->size < 100 ? name->size : 100), name->bytes);
    for (uint32_t i = 0; i < *wanted_count; i++)
        seen[(*wanted)[i]] = 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < found; i++)
        if (*wanted == NULL || seen[tracks[i]]) tracks[count++] = tracks[i];
    *wanted = tracks;
    *wanted_count = count;
    return true;
}

bool has_slice_param(RequestContext *ctx, uint64_t slice)
{
    if (trace_has_slice(ctx->trace, slice)) return true;
    return answer_fail(ctx->answer, SESSION_NOT_FOUND,
                       "there is no slice %" PRIu64 ": the trace has %" PRIu64, slice,
                       trace_slice_count(ctx->trace));
}

bool param_row_tick(RequestContext *ctx, const Row **row, int64_t *tick)
{
    const Trace *trace = ctx->trace;
    uint64_t     track, row_index, begin;
    if (!param_u64(ctx, "track", UINT32_MAX, &track) || !param_u64(ctx, "row", UINT32_MAX, &row_index) ||
        !param_u64(ctx, "begin", UINT64_MAX, &begin))
        return false;
    if (track == 0 || track > trace->track_count || row_index >= track_row_count(&trace->tracks[track]))
        return answer_fail(ctx->answer, SESSION_NOT_FOUND, "row= is not a row of the track");
    *row = &trace->rows[trace->tracks[track].first_row + row_index];
    *tick = trace_tick_at(trace, begin);
    return true;
}

bool param_slice_id(RequestContext *ctx, const char *key, uint64_t *slice)
{
    return param_u64(ctx, key, UINT64_MAX, slice) && has_slice_param(ctx, *slice);
}

/* Finds the slice that begins at the place: *slice if it is one of several there, otherwise the first. */
static bool param_slice_place(RequestContext *ctx, uint64_t *slice)
{
    const Trace *trace = ctx->trace;
    const Row   *row;
    int64_t      tick;
    if (!param_row_tick(ctx, &row, &tick)) return false;
    const uint64_t first = row->first_slice + row_lower_bound(trace, row, tick);
    const uint64_t end = row->first_slice + row->slice_count;
    assert(first <= end);
    if (first == end || trace_slice_begin(trace, first) != tick)
        return answer_fail(ctx->answer, SESSION_NOT_FOUND, "there is no slice that begins there");
    const bool is_there = *slice >= first && *slice < end && trace_slice_begin(trace, *slice) == tick;
    if (!is_there) *slice = first;
    return true;
}

/* Finds the instant at the place: *instant if it is one of several there, otherwise the first. */
static bool param_instant_place(RequestContext *ctx, uint64_t *instant)
{
    const Trace *trace = ctx->trace;
    const Row   *row;
    int64_t      tick;
    if (!param_row_tick(ctx, &row, &tick)) return false;
    const uint64_t first = row_extras(row)->first_instant + row_instant_bound(trace, row, tick);
    const uint64_t end = row_extras(row)->first_instant + row_extras(row)->instant_count;
    assert(first <= end);
    if (first == end || trace_instant_tick(trace, first) != tick)
        return answer_fail(ctx->answer, SESSION_NOT_FOUND, "there is no instant at that time");
    const bool is_there = *instant >= first && *instant < end && trace_instant_tick(trace, *instant) == tick;
    if (!is_there) *instant = first;
    return true;
}

bool param_slice(RequestContext *ctx, uint64_t *slice)
{
    const bool by_place = request_param(ctx->request, "track") != NULL;
    *slice = 0;
    if ((!by_place || request_param(ctx->request, "id") != NULL) && !param_u64(ctx, "id", UINT64_MAX, slice))
        return false;
    return by_place ? param_slice_place(ctx, slice) : has_slice_param(ctx, *slice);
}

bool param_instant(RequestContext *ctx, const char *key, uint64_t *instant)
{
    if (!param_u64(ctx, key, UINT64_MAX, instant)) return false;
    if (request_param(ctx->request, "track") != NULL) return param_instant_place(ctx, instant);
    if (trace_has_instant(ctx->trace, *instant)) return true;
    return answer_fail(ctx->answer, SESSION_NOT_FOUND,
                       "there is no instant %" PRIu64 ": the trace has %" PRIu64, *instant,
                       trace_instant_count(ctx->trace));
}

/* Parses "track.band.level.index". */
static bool tile_key_parse(StringView text, TileKey *key)
{
    uint64_t   numbers[4];
    StringView part;
    for (int i = 0; i < 4; i++) {
        if (!text_next_part(&text, '.', &part) || !text_to_u64(part, &numbers[i])) return false;
        if (i < 3 && numbers[i] > UINT32_MAX) return false;
    }
    *key = (TileKey){ .track = (uint32_t)numbers[0],
                      .band = (uint32_t)numbers[1],
                      .level = (uint32_t)numbers[2],
                      .index = numbers[3] };
    return text.bytes == NULL;
}

bool param_tile_keys(RequestContext *ctx, uint32_t filter, TileKey **keys, size_t *count)
{
    enum { MAX_TILES = 256 };
    const StringView *text = request_param(ctx->request, "keys");
    if (text == NULL) return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "keys= is missing");
    StringView rest = *text, part;
    *keys = ARENA_ARRAY(ctx->arena, TileKey, MAX_TILES);
    if (*keys == NULL) return answer_fail(ctx->answer, SESSION_FAILED, "out of memory for the keys");
    for (*count = 0; text_next_part(&rest, ',', &part); ++*count) {
        if (*count == MAX_TILES)
            return answer_fail(ctx->answer, SESSION_BAD_REQUEST, "at most %d tiles a request", MAX_TILES);
        if (!tile_key_parse(part, &(*keys)[*count]))
            return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                               "keys= must be TRACK.BAND.LEVEL.INDEX, with commas between");
        (*keys)[*count].filter = filter;
    }
    return true;
}
