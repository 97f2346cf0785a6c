#include "app/session/session.h"

#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/session_sql.h"
#include "app/session/slot.h"
#include "app/session/slot_details.h"
#include "app/session/slot_filters.h"
#include "app/session/slot_frames.h"
#include "app/session/slot_go.h"
#include "app/session/slot_live.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "trace/store/lookup.h"

#include <varve/varve.h>

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char TYPE_JSON[] = "application/json";
static const char TYPE_TEXT[] = "text/plain; charset=utf-8";
static const char TYPE_BYTES[] = "application/octet-stream";

/* -- life -- */

void session_slot_discard(SessionSlot *slot)
{
    if (slot == NULL) return;
    slot_filters_destroy(slot->filters);
    slot_go_destroy(slot->go);
    slot_frames_destroy(slot->frames);
    slot_details_destroy(slot->details);
    long_works_destroy(slot->works);
    lock_destroy(slot->shown.lock);
}

Session *session_create(void)
{
    Arena    arena = arena_create(0);
    Session *session = ARENA_NEW(&arena, Session);
    Lock    *opening = session == NULL ? NULL : lock_create(&arena);
    if (opening == NULL || !session_sql_create(session)) {
        lock_destroy(opening);
        arena_release(&arena);
        return NULL;
    }
    session->opening = opening;
    session->arena = arena;
    return session;
}

void session_destroy(Session *session)
{
    if (session == NULL) return;
    session_sql_destroy(session->sql);
    uint32_t count = atomic_load(&session->slot_count);
    for (uint32_t i = 0; i < count; i++)
        atomic_store(&session->slots[i]->progress.cancelled, true);
    for (uint32_t i = 0; i < count; i++) {
        SessionSlot *slot = session->slots[i];
        if (slot->join != NULL) slot->join(slot);
        session_slot_discard(slot); /* before the loaded trace, from which it reads */
        live_source_release(slot->live);
        const bool is_owned = slot->live == NULL && slot->remote == NULL;
        if (is_owned && atomic_load(&slot->state) == SLOT_READY) loaded_release(&slot->loaded);
        remote_close(slot->remote);
        remote_close(slot->shown.file);
    }
    lock_destroy(session->opening);
    Arena arena = session->arena; /* the session lives in it */
    arena_release(&arena);
}

SessionSlot *session_slot_create(Session *session, const char *path)
{
    if (atomic_load(&session->slot_count) == SESSION_MAX_TRACES) return NULL;
    SessionSlot *slot = ARENA_NEW(&session->arena, SessionSlot);
    if (slot == NULL) return NULL;
    slot->path = arena_push_copy(&session->arena, path, strlen(path));
    slot->filters = slot_filters_create(&session->arena);
    slot->go = slot_go_create(&session->arena);
    slot->frames = slot_frames_create(&session->arena);
    slot->details = slot_details_create(&session->arena);
    slot->works = long_works_create(&session->arena);
    if (slot->path == NULL || slot->filters == NULL || slot->go == NULL || slot->frames == NULL ||
        slot->details == NULL || slot->works == NULL) {
        session_slot_discard(slot);
        return NULL;
    }
    const char *shown = load_shown_path(&session->arena, path);
    slot->name = file_name_of(shown == NULL ? "" : shown);
    slot->index = atomic_load(&session->slot_count);
    return slot;
}

void session_slot_publish(Session *session, SessionSlot *slot)
{
    assert(slot->index < SESSION_MAX_TRACES && slot->index == atomic_load(&session->slot_count));
    session->slots[slot->index] = slot;
    atomic_store(&session->slot_count, slot->index + 1);
}

/* Returns a tag that changes with every change of the trace's answers. */
static uint64_t loaded_tag(const Loaded *loaded, const char *title)
{
    const Trace   *trace = loaded->trace;
    const uint64_t facts[] = { loaded->bytes,
                               trace_slice_bound(trace),
                               trace_instant_bound(trace),
                               trace->records.other_count,
                               trace->label_count,
                               trace->row_count,
                               trace->records.warning_count,
                               trace->perspectives.made,
                               (uint64_t)trace->begin_tick,
                               (uint64_t)trace->end_tick,
                               hash_bytes(loaded->name, strlen(loaded->name), 1),
                               title == NULL ? 0 : hash_bytes(title, strlen(title), 1),
                               hash_bytes(VARVE_VERSION, sizeof VARVE_VERSION, 2) };
    uint64_t       tag = hash_bytes(facts, sizeof facts, 3);
    return tag == 0 ? 1 : tag;
}

void session_slot_shown(SessionSlot *slot, RemoteFile *tiles)
{
    const Outline *outline = remote_outline(tiles);
    assert(atomic_load(&slot->state) == SLOT_LOADING && slot->shown.lock != NULL);
    slot->shown.file = tiles;
    slot->shown.warning_count = outline->warning_count;
    slot->shown.complete = outline->complete;
    atomic_store(&slot->progress.phase, PROGRESS_DONE);
    atomic_store(&slot->state, SLOT_SHOWN);
}

void session_slot_await(SessionSlot *slot)
{
    atomic_store(&slot->shown.is_short, true);
    slot->shown.await(slot);
}

void session_slot_ready(SessionSlot *slot, const Loaded *loaded)
{
    assert(loaded->trace != NULL && atomic_load(&slot->state) <= SLOT_SHOWN);
    slot->loaded = *loaded;
    slot->tag = loaded_tag(loaded, slot->title);
    atomic_store(&slot->progress.phase, PROGRESS_DONE);
    atomic_store(&slot->state, SLOT_READY);
}

void session_slot_remote(SessionSlot *slot, RemoteFile *remote)
{
    const Outline *outline = remote_outline(remote);
    const uint64_t facts[] = { remote_size(remote),   outline->slice_count, outline->label_count,
                               outline->track_count,  outline->span,        (uint64_t)outline->begin_tick,
                               outline->warning_count };
    assert(atomic_load(&slot->state) == SLOT_LOADING);
    slot->remote = remote;
    slot->tag = hash_bytes(facts, sizeof facts, 5) | 1;
    atomic_store(&slot->progress.phase, PROGRESS_DONE);
    atomic_store(&slot->state, SLOT_READY);
}

void session_slot_failed(SessionSlot *slot, const Err *err)
{
    assert(err->code != ERR_NONE && atomic_load(&slot->state) <= SLOT_SHOWN);
    slot->error = *err;
    atomic_store(&slot->state, err->code == ERR_CANCELLED ? SLOT_CANCELLED : SLOT_FAILED);
}

bool session_add_loaded(Session *session, Loaded *loaded)
{
    SessionSlot *slot = session_slot_create(session, loaded->name);
    if (slot == NULL) return false;
    session_slot_ready(slot, loaded);
    session_slot_publish(session, slot);
    return true;
}

bool session_add_remote(Session *session, RemoteFile *remote, const char *name)
{
    SessionSlot *slot = session_slot_create(session, name);
    if (slot == NULL) return false;
    session_slot_remote(slot, remote);
    session_slot_publish(session, slot);
    return true;
}

/* -- answers in general -- */

bool request_details(const RequestContext *ctx, ReadDetails read, uint64_t id, EventDetails *details,
                     Err *err)
{
    const SessionSlot *slot = ctx->slot;
    assert(ctx->trace != NULL && ctx->trace == slot->loaded.trace);
    return slot_details_read(slot->details, &slot->loaded,
                             slot->live == NULL ? DETAILS_KEEP_BYTES : DETAILS_DROP_BYTES, read, id, details,
                             err);
}

bool answer_fail(Answer *answer, SessionStatus status, const char *format, ...)
{
    assert(status != SESSION_OK && status != SESSION_RUNNING);
    char    line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    bytes_clear(&answer->body);
    bytes_append_text(&answer->body, line);
    bytes_append_text(&answer->body, "\n");
    answer->status = status;
    return false;
}

bool answer_fail_err(Answer *answer, const Err *err)
{
    char line[256];
    err_format(err, line, sizeof line);
    return answer_fail(answer, err->code == ERR_USAGE ? SESSION_BAD_REQUEST : SESSION_FAILED, "%s", line);
}

void answer_running(RequestContext *ctx, double share)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    assert(share >= 0 && share <= 1);
    json_object_begin(&w);
    json_put_double(&w, "share", share);
    json_object_end(&w);
    ctx->answer->status = SESSION_RUNNING;
}

/* -- status and cancel -- */

static const char *const STATE_NAMES[] = { [SLOT_LOADING] = "loading",
                                           [SLOT_SHOWN] = "ready",
                                           [SLOT_READY] = "ready",
                                           [SLOT_FAILED] = "failed",
                                           [SLOT_CANCELLED] = "cancelled" };
static const char *const PHASE_NAMES[] = { [PROGRESS_READING] = "reading",
                                           [PROGRESS_SORTING] = "sorting",
                                           [PROGRESS_INDEXING] = "indexing",
                                           [PROGRESS_DONE] = "done" };

/* Writes the facts about the trace of a slot in this state. */
static void put_trace_status(JsonWriter *w, const SessionSlot *slot, int state)
{
    const bool     is_ready = state == SLOT_READY;
    const Outline *outline = is_ready && slot->remote != NULL ? remote_outline(slot->remote) : NULL;
    const Trace   *trace = is_ready ? slot->loaded.trace : NULL;
    uint64_t       warnings = state == SLOT_SHOWN ? slot->shown.warning_count : 0;
    bool           complete = state == SLOT_SHOWN ? slot->shown.complete : true;
    if (outline != NULL) {
        warnings = outline->warning_count;
        complete = outline->complete;
    } else if (trace != NULL) {
        warnings = trace->records.warning_count;
        complete = trace->source.complete;
    }
    if (is_ready)
        json_put_printf(w, "tag", "%016" PRIx64, slot->tag);
    else
        json_put_null(w, "tag");
    json_put_u64(w, "warnings", warnings);
    json_put_bool(w, "complete", complete);
    put_u64_or_null(w, "whole_bytes", outline == NULL ? 0 : remote_size(slot->remote));
}

static void write_slot_status(JsonWriter *w, SessionSlot *slot)
{
    int  state = atomic_load(&slot->state);
    char text[256];
    assert((size_t)state < sizeof STATE_NAMES / sizeof STATE_NAMES[0]);
    live_read(slot->live);
    json_object_begin(w);
    json_put_u64(w, "trace", slot->index);
    json_put_string(w, "name", slot->title == NULL ? slot->name : slot->title);
    json_put_string(w, "state", STATE_NAMES[state]);
    json_put_string(w, "phase", PHASE_NAMES[atomic_load(&slot->progress.phase)]);
    json_put_u64(w, "done", atomic_load(&slot->progress.done));
    json_put_u64(w, "total", atomic_load(&slot->progress.total));
    if (state == SLOT_FAILED) err_format(&slot->error, text, sizeof text);
    json_put_string(w, "error", state == SLOT_FAILED ? text : NULL);
    put_trace_status(w, slot, state);
    if (slot->is_copy)
        json_put_u64(w, "copy_of", slot->of);
    else
        json_put_null(w, "copy_of");
    json_put_bool(w, "by_page", slot->is_by_page);
    put_live(w, slot->live);
    json_object_end(w);
    live_read_done(slot->live);
}

static void handle_status(RequestContext *ctx)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_string(&w, "version", VARVE_VERSION);
    json_put_string(&w, "listens", ctx->session->listens);
    json_put_array(&w, "traces");
    uint32_t count = atomic_load(&ctx->session->slot_count);
    for (uint32_t i = 0; i < count; i++)
        write_slot_status(&w, ctx->session->slots[i]);
    json_array_end(&w);
    json_object_end(&w);
}

static void handle_cancel(RequestContext *ctx)
{
    atomic_store(&ctx->slot->progress.cancelled, true);
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_bool(&w, "cancelled", true);
    json_object_end(&w);
}

/* -- the table of requests -- */

/* NEEDS_COPY: a trace, and of a trace that grows a copy, because the request takes longer than the receiver should wait. */
typedef enum { NEEDS_NOTHING, NEEDS_SLOT, NEEDS_TRACE, NEEDS_COPY } RequestNeed;
typedef enum { ANSWER_LASTS, ANSWER_CHANGES } AnswerLife;

static const struct RequestRow {
    const char *name;
    RequestNeed need;
    AnswerLife  life;
    RequestIds  ids;
    const char *content_type;
    void (*answer)(RequestContext *ctx);
} REQUESTS[] = {
    { "status", NEEDS_NOTHING, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_status },
    { "cancel", NEEDS_SLOT, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_cancel },
    { "look", NEEDS_TRACE, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_look },
    { "whole", NEEDS_SLOT, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_whole },
    { "begin", NEEDS_SLOT, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_begin },
    { "outline", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_BYTES, handle_outline },
    { "overview", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_BYTES, handle_overview },
    { "labels", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_BYTES, handle_labels },
    { "tiles", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_BYTES, handle_tiles },
    { "slice", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_slice },
    { "places", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_places },
    { "ends", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_ends },
    { "tooltip", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_TEXT, handle_tooltip },
    { "instant", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_instant },
    { "sample", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_sample },
    { "process", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_process },
    { "thread", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_thread },
    { "counterpart", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_counterpart },
    { "near", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_near },
    { "flow", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_flow },
    { "stats", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_stats },
    { "histogram", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_histogram },
    { "area", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_area },
    { "arguments", NEEDS_COPY, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_arguments },
    { "flame", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_JSON, handle_flame },
    { "profile", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_BYTES, handle_profile },
    { "compare", NEEDS_TRACE, ANSWER_CHANGES, IDS_OF_TRACKS, TYPE_JSON, handle_compare },
    { "first", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_first },
    { "flame-change", NEEDS_TRACE, ANSWER_CHANGES, IDS_OF_TRACKS, TYPE_JSON, handle_flame_change },
    { "find", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_SLICES, TYPE_JSON, handle_find },
    { "moments", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_BYTES, handle_moments },
    { "event-at", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_event_at },
    { "properties", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_properties },
    { "property", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_property },
    { "search", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_search },
    { "categories", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_categories },
    { "visible", NEEDS_TRACE, ANSWER_LASTS, IDS_OF_TRACKS, TYPE_BYTES, handle_visible },
    { "go", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_go },
    { "pprof", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_BYTES, handle_go_pprof },
    { "call", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_call },
    { "axis", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_axis },
    { "frames", NEEDS_TRACE, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_frames },
    { "save", NEEDS_COPY, ANSWER_CHANGES, IDS_NONE, TYPE_BYTES, handle_save },
    { "source", NEEDS_TRACE, ANSWER_CHANGES, IDS_NONE, TYPE_BYTES, handle_source },
    { "blob", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_BYTES, handle_blob },
    { "info", NEEDS_TRACE, ANSWER_LASTS, IDS_NONE, TYPE_JSON, handle_info },
    { "identity", NEEDS_TRACE, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_identity },
    { "sql", NEEDS_NOTHING, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_sql },
    { "sql-result", NEEDS_NOTHING, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_sql_result },
    { "sql-cancel", NEEDS_NOTHING, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_sql_cancel },
    { "sql-schema", NEEDS_NOTHING, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_sql_schema },
    { "table", NEEDS_COPY, ANSWER_CHANGES, IDS_OF_TRACKS, TYPE_BYTES, handle_table },
    { "changes", NEEDS_TRACE, ANSWER_CHANGES, IDS_NONE, TYPE_JSON, handle_changes },
};

static const struct RequestRow *request_row(StringView name)
{
    for (size_t i = 0; i < sizeof REQUESTS / sizeof REQUESTS[0]; i++) {
        if (string_equal(name, c_string_view(REQUESTS[i].name))) return &REQUESTS[i];
    }
    return NULL;
}

/* Finds the requested trace in the state that the request needs. */
static bool find_trace(RequestContext *ctx, RequestNeed need)
{
    uint64_t index;
    uint32_t count = atomic_load(&ctx->session->slot_count);
    if (need == NEEDS_NOTHING) return true;
    if (!param_u64(ctx, "trace", UINT32_MAX, &index)) return false;
    if (index >= count)
        return answer_fail(ctx->answer, SESSION_NOT_FOUND, "there is no trace %" PRIu64, index);
    ctx->slot = ctx->session->slots[index];
    if (need == NEEDS_SLOT) return true;
    switch ((SlotState)atomic_load(&ctx->slot->state)) {
    case SLOT_LOADING:
        return answer_fail(ctx->answer, SESSION_NOT_READY, "%s is still loading", ctx->slot->name);
    case SLOT_CANCELLED:
        return answer_fail(ctx->answer, SESSION_NOT_FOUND, "loading %s was cancelled", ctx->slot->name);
    case SLOT_FAILED:
        return answer_fail(ctx->answer, SESSION_NOT_FOUND, "%s could not be loaded", ctx->slot->name);
    case SLOT_SHOWN:
        return true;
    case SLOT_READY:
        break;
    }
    ctx->loaded = &ctx->slot->loaded;
    ctx->trace = ctx->loaded->trace;
    ctx->answer->tag = ctx->slot->tag;
    return true;
}

/* Returns the kind of ids in a request: a request with the place of an event needs no id of it. */
static RequestIds request_ids(const RequestContext *ctx, RequestIds ids)
{
    const bool has_slice =
        request_param(ctx->request, "slice") != NULL || request_param(ctx->request, "inside") != NULL;
    if (ids == IDS_OF_TRACKS && has_slice) return IDS_OF_SLICES;
    return ids == IDS_OF_SLICES && request_param(ctx->request, "track") != NULL ? IDS_OF_TRACKS : ids;
}

/* True if the request reads the arguments of any number of slices. */
static bool reads_arguments(const RequestContext *ctx)
{
    StringView key;
    return request_param(ctx->request, "search") != NULL || param_by_argument(ctx, &key);
}

/* Answers a request that takes long under live_read, and ends that. */
static void answer_from_copy(RequestContext *ctx, const struct RequestRow *row)
{
    Loaded    loaded;
    LiveCopy *copy = live_copy_of(ctx->slot, &loaded);
    if (copy != NULL) { /* else those of the slot, to which a kept work may refer */
        ctx->loaded = &loaded;
        ctx->trace = loaded.trace;
        ctx->has_copy = true;
    }
    row->answer(ctx);
    release_filter(ctx);
    live_copy_done(ctx->slot, copy);
}

static void handle_request(RequestContext *ctx)
{
    const struct RequestRow *row = request_row(ctx->request->name);
    if (row == NULL) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "unknown request");
        return;
    }
    if (!find_trace(ctx, row->need)) return;
    const bool needs_trace = row->need == NEEDS_TRACE || row->need == NEEDS_COPY;
    if (needs_trace && ctx->slot->remote != NULL) {
        ctx->answer->content_type = row->content_type;
        ctx->answer->immutable = row->life == ANSWER_LASTS;
        handle_remote(ctx);
        return;
    }
    if (needs_trace && ctx->trace == NULL) { /* SLOT_SHOWN */
        ctx->answer->content_type = row->content_type;
        if (!handle_shown(ctx)) answer_running(ctx, 0);
        return;
    }
    LiveSource *live = ctx->trace == NULL ? NULL : ctx->slot->live;
    assert(row->need == NEEDS_NOTHING || ctx->slot != NULL);
    live_read(live);
    ctx->answer->content_type = row->content_type;
    ctx->answer->immutable = row->life == ANSWER_LASTS && live == NULL;
    if (live != NULL) ctx->answer->tag = live_tag(live, ctx->slot->tag);
    const bool is_answered = ctx->trace == NULL || live_has_shape(ctx, request_ids(ctx, row->ids));
    if (is_answered && (row->need == NEEDS_COPY || (ctx->trace != NULL && reads_arguments(ctx)))) {
        answer_from_copy(ctx, row);
        return;
    }
    if (is_answered) row->answer(ctx);
    release_filter(ctx);
    live_read_done(live);
}

Answer session_answer(Session *session, const char *request)
{
    return session_answer_body(session, request, STRING_LITERAL(""));
}

Answer session_answer_body(Session *session, const char *request, StringView body)
{
    Answer      answer = { .status = SESSION_OK, .content_type = TYPE_TEXT };
    Arena       arena = arena_create(0);
    Request     parsed;
    const char *problem = "the request is empty";
    if (!request_parse(request, &arena, &parsed, &problem)) {
        answer_fail(&answer, SESSION_BAD_REQUEST, "%s", problem);
    } else {
        RequestContext ctx = {
            .session = session, .request = &parsed, .body = body, .arena = &arena, .answer = &answer
        };
        handle_request(&ctx);
    }
    if (answer.status == SESSION_OK && answer.body.failed)
        answer_fail(&answer, SESSION_FAILED, "out of memory for the answer");
    if (answer.status != SESSION_OK) {
        answer.content_type = answer.status == SESSION_RUNNING ? TYPE_JSON : TYPE_TEXT;
        answer.immutable = false;
        answer.tag = 0;
    }
    arena_release(&arena);
    return answer;
}
