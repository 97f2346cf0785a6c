/* app/session/params.h - reads the parameters of a request: numbers, words, times, events.
 *
 * Functions with WARN_UNUSED that return false have made the answer a failure. The parameters of a filter are in
 * slot_filters.h, those of a search in search_params.h. For app/session only. */
#ifndef APP_SESSION_PARAMS_H
#define APP_SESSION_PARAMS_H
#include "app/session/context.h"
#include "trace/wire/tile.h"

/* Returns the displayed name of the trace, or its own name with the parameter "stored": an answer that a file stores. */
const char *param_shown_name(const RequestContext *ctx);
/* Reads a required parameter, a number up to `max`. */
bool param_u64(RequestContext *ctx, const char *key, uint64_t max, uint64_t *value) WARN_UNUSED;
/* As param_u64, for an optional parameter: without it *value stays. */
bool param_optional(RequestContext *ctx, const char *key, uint64_t max, uint64_t *value) WARN_UNUSED;
/* Finds the value of an optional parameter in a list of words; without the parameter, the first word. */
bool param_word(RequestContext *ctx, const char *key, const char *const *words, size_t count,
                size_t *found) WARN_UNUSED;
#define PARAM_WORD(ctx, key, words, found)                                                                   \
    param_word((ctx), (key), (words), sizeof(words) / sizeof(words)[0], (found))
/* True if slices are grouped by an argument, "by=arg:KEY"; *key is then the name of the argument. */
bool param_by_argument(const RequestContext *ctx, StringView *key);
/* Reads an optional number of ticks from the trace's begin; `missing` without the parameter. */
bool param_offset(RequestContext *ctx, const char *key, int64_t missing, int64_t *offset) WARN_UNUSED;
/* Returns the tick at an offset from the trace's begin. */
int64_t tick_at_offset(const Trace *trace, int64_t offset);
/* Reads the optional parameters "begin" and "end", ticks from the trace's begin; the default is the trace's
 * window, or the whole trace. */
bool param_range(RequestContext *ctx, int64_t *begin_tick, int64_t *end_tick) WARN_UNUSED;
/* Reads the optional parameter "tracks", "1,2,3": ids of existing tracks, each once; NULL without it. */
bool param_tracks(RequestContext *ctx, const uint32_t **tracks, uint32_t *count) WARN_UNUSED;
/* Limits the result of param_tracks to the tracks of the optional parameter "thread": a name as for choose_tracks_matching. */
bool param_thread(RequestContext *ctx, const uint32_t **tracks, uint32_t *count) WARN_UNUSED;
/* True if the trace has the slice. */
bool has_slice_param(RequestContext *ctx, uint64_t slice) WARN_UNUSED;
/* Reads a required parameter, the id of a slice of the trace. */
bool param_slice_id(RequestContext *ctx, const char *key, uint64_t *slice) WARN_UNUSED;
/* Reads the id of a slice, parameter "id". If the request has a place in "track", "row" and "begin", the slice is one that
 * begins there: the one with the id if it is there, otherwise the first. A place needs no id. */
bool param_slice(RequestContext *ctx, uint64_t *slice) WARN_UNUSED;
/* Reads the row and the tick of a place, the parameters "track", "row" and "begin". */
bool param_row_tick(RequestContext *ctx, const Row **row, int64_t *tick) WARN_UNUSED;
/* Reads the id of an instant, parameter `key`. If the request has a place, too, the instant is one at that place: the one
 * with the id if it is there, otherwise the first. */
bool param_instant(RequestContext *ctx, const char *key, uint64_t *instant) WARN_UNUSED;
/* Reads the parameter "keys" of a request for tiles, at most 256; the keys have this number of a filter. */
bool param_tile_keys(RequestContext *ctx, uint32_t filter, TileKey **keys, size_t *count) WARN_UNUSED;

#endif
