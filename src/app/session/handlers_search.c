/* The answer "search": a part of a search through names or arguments. */
#include "analysis/find_values.h"
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/params.h"
#include "app/session/search_params.h"
#include "app/session/slot_filters.h"
#include "base/digits.h"
#include "export/event_reader.h"
#include "trace/store/lookup.h"

#include <inttypes.h>

static const uint64_t MOST_MATCHES = 5000, MOST_LABELS = 50000;

/* -- parameters -- */

/* Reads "s12" or "i12": a slice or an instant. */
static bool param_behind(RequestContext *ctx, OrderedEvent *behind, bool *is_there)
{
    const Trace      *trace = ctx->trace;
    const StringView *text = request_param(ctx->request, "behind");
    *is_there = text != NULL;
    if (text == NULL) return true;
    bool       is_slice = text->size > 0 && text->bytes[0] == 's';
    bool       is_instant = text->size > 0 && text->bytes[0] == 'i';
    StringView number = { text->bytes + 1, text->size - 1 };
    bool       is_known = (is_slice || is_instant) && text_to_u64(number, &behind->id) &&
                    (is_slice ? trace_has_slice(trace, behind->id) : trace_has_instant(trace, behind->id));
    if (!is_known)
        return answer_fail(ctx->answer, SESSION_BAD_REQUEST,
                           "behind= must be the \"next\" of an earlier answer");
    behind->kind = is_slice ? ORDER_SLICE : ORDER_INSTANT;
    behind->row = is_slice ? trace_slice_row(trace, behind->id) : trace_instant_row(trace, behind->id);
    return true;
}

static bool param_where(RequestContext *ctx, FindWhere *where)
{
    static const char *const WORDS[] = { "values", "names" };
    size_t                   word;
    if (!PARAM_WORD(ctx, "in", WORDS, &word)) return false;
    *where = word == 0 ? FIND_IN_VALUES : FIND_IN_NAMES;
    return true;
}

/* -- the answer -- */

static void put_found_text(JsonWriter *w, const char *key, const FoundStretch *found, uint32_t at,
                           uint32_t size)
{
    json_put_view_or_null(w, key, (StringView){ (const char *)found->texts.data + at, size });
}

/* `title` is a buffer that all matches share. */
static void write_match(JsonWriter *w, const RequestContext *ctx, const FoundStretch *found,
                        const EventMatch *match, Bytes *title)
{
    const Trace *trace = ctx->trace;
    bool         is_slice = match->event.kind == ORDER_SLICE;
    uint64_t     id = match->event.id;
    uint32_t     label = is_slice ? trace_slice_label(trace, id) : trace_instant_label(trace, id);
    json_object_begin(w);
    put_event_place(w, ctx, match->event.kind, id);
    put_text(w, "name", trace, trace->labels[label].name);
    json_put_u64(w, "label", label);
    put_moment(w, "at", trace, is_slice ? trace_slice_begin(trace, id) : trace_instant_tick(trace, id));
    if (is_slice)
        put_span(w, "duration", trace, trace_slice_duration(trace, id));
    else
        json_put_null(w, "duration");
    bytes_clear(title);
    trace_track_title(trace, trace->rows[match->event.row].track, title);
    json_put_view(w, "thread", bytes_view(title));
    put_found_text(w, "key", found, match->key_at, match->key_size);
    put_found_text(w, "value", found, match->value_at, match->value_size);
    json_object_end(w);
}

/* Writes the labels whose slices all match by name: the view highlights all of these, not only the listed
 * ones. Empty if threads or durations also decide. False: a regular expression gave up. */
static bool put_labels(JsonWriter *w, const RequestContext *ctx, const FindStretch *stretch, Err *err)
{
    const Trace *trace = ctx->trace;
    FindMatcher  matcher;
    uint64_t     count = 0;
    const bool   is_ready =
        find_matcher_open(&matcher, trace, stretch->pattern, &stretch->scope, ctx->arena, err);
    const bool has_any = is_ready && stretch->where == FIND_IN_NAMES && !stretch->pattern->is_empty &&
                         !stretch->pattern->has_duration && stretch->pattern->thread_count == 0;
    json_put_array(w, "labels");
    for (uint32_t label = 1; has_any && label <= trace->label_count && count < MOST_LABELS; label++) {
        if (filter_hides_label(stretch->scope.filter, label) ||
            find_matcher_label(&matcher, label) != matcher.all)
            continue;
        json_u64(w, label);
        count++;
    }
    json_array_end(w);
    find_matcher_release(&matcher);
    return is_ready && find_matcher_check(&matcher, err);
}

static bool write_found(RequestContext *ctx, const FindStretch *stretch, const FoundStretch *found, Err *err)
{
    const EventMatch *matches = found->matches.items;
    JsonWriter        w = json_writer_to(&ctx->answer->body, 0);
    Bytes             title = { 0 };
    json_object_begin(&w);
    json_put_array(&w, "matches");
    for (size_t i = 0; i < vec_count(&found->matches); i++)
        write_match(&w, ctx, found, &matches[i], &title);
    json_array_end(&w);
    const bool is_done = put_labels(&w, ctx, stretch, err);
    if (found->ended)
        json_put_null(&w, "next");
    else
        json_put_printf(&w, "next", "%c%" PRIu64, found->last.kind == ORDER_SLICE ? 's' : 'i',
                        found->last.id);
    json_put_double(&w, "share", find_share(ctx->trace, found));
    json_put_u64(&w, "unread", found->unread);
    json_object_end(&w);
    bytes_release(&title);
    return is_done;
}

static void search(RequestContext *ctx, FindStretch *stretch)
{
    FoundStretch  found = { .ended = false };
    Err           err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    EventReaders *readers = ARENA_NEW(ctx->arena, EventReaders);
    if (readers == NULL || !event_readers_open(readers, &ctx->slot->loaded, stretch->pattern, 0)) {
        (void)answer_fail(ctx->answer, SESSION_FAILED, "out of memory for a search");
    } else {
        stretch->sources = readers->sources;
        stretch->source_count = readers->count;
        if (!find_stretch(ctx->trace, stretch, &found, &err) || !write_found(ctx, stretch, &found, &err))
            (void)answer_fail_err(ctx->answer, &err);
    }
    found_stretch_release(&found);
    if (readers != NULL) event_readers_release(readers);
}

void handle_search(RequestContext *ctx)
{
    FindPattern  pattern;
    FindStretch  stretch = { .pattern = &pattern, .most = MOST_MATCHES };
    OrderedEvent behind;
    bool         goes_on;
    if (param_pattern(ctx, &pattern, ctx->arena) && param_where(ctx, &stretch.where) &&
        param_filter(ctx, &stretch.scope.filter) && param_behind(ctx, &behind, &goes_on)) {
        if (goes_on) stretch.behind = &behind;
        search(ctx, &stretch);
    }
    find_pattern_release(&pattern);
}

/* -- sets of slices for other requests -- */

bool param_slices(RequestContext *ctx, FoundSlices *found, Arena *arena)
{
    static const char *const WORDS[] = { "everywhere", "names" };
    const StringView        *text = request_param(ctx->request, "search");
    size_t                   where;
    uint64_t                 slice;
    Err                      err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (request_param(ctx->request, "inside") != NULL) {
        if (!param_slice_id(ctx, "inside", &slice)) return false;
        return found_slices_inside(found, ctx->trace, slice, arena, &err) ||
               answer_fail_err(ctx->answer, &err);
    }
    if (text == NULL) return true;
    if (!PARAM_WORD(ctx, "in", WORDS, &where)) return false;
    return found_slices_open(found, ctx->loaded, *text, where == 0 ? FIND_EVERYWHERE : FIND_IN_NAMES, 0,
                             arena, &err) ||
           answer_fail_err(ctx->answer, &err);
}
