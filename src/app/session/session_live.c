/* Growing traces: locking between requests and the receiver, and the list of changes. */
#include "app/session/answer_json.h"
#include "app/session/handlers.h"
#include "app/session/live_source.h"
#include "app/session/params.h"
#include "app/session/slot.h"
#include "app/session/slot_filters.h"
#include "app/session/slot_live.h"
#include "base/checked.h"
#include "base/hash.h"
#include "base/lock.h"
#include "trace/store/lookup.h"

#include <assert.h>

/* Limit on the stored changes. A request about older ones gets the whole trace. */
enum { CHANGES_KEPT = 256 };

struct LiveSource {
    SessionSlot     *slot;
    const LiveTrace *grows; /* the trace, or NULL */
    SharedLock      *lock;  /* protects the trace and all below; only the receiver's thread writes */
    uint64_t         generation, shape; /* from 1; shape: 1 and the number of changes with renumbering */
    int64_t          from_ticks[CHANGES_KEPT]; /* of generation g at g % CHANGES_KEPT */
    uint64_t         tracks;                   /* the shape of the last renumbering of tracks and rows */
    int64_t          begin_tick;               /* at that renumbering, like the next members */
    uint32_t         process_count, track_count, row_count;
    uint64_t         shaped_at;       /* the generation of the present shape */
    int64_t          arrived_unix_ns; /* wall-clock time at which the first event arrived; 0 = not known */
    int64_t          arrived_ns;      /* that event's time on the trace's clock */
    bool             has_arrived;     /* an event with a time has arrived */
    atomic_uint      request_count;
    Lock            *report_lock; /* protects the report */
    LiveReport       report;
};

void session_listens(Session *session, const char *where)
{
    session->listens = where;
}

static LiveSource *source_create(Session *session)
{
    LiveSource *source = ARENA_NEW(&session->arena, LiveSource);
    if (source == NULL) return NULL;
    source->generation = source->shape = source->tracks = source->shaped_at = 1;
    source->lock = shared_lock_create(&session->arena);
    source->report_lock = source->lock == NULL ? NULL : lock_create(&session->arena);
    if (source->report_lock != NULL) return source;
    shared_lock_destroy(source->lock);
    return NULL;
}

void live_source_release(LiveSource *source)
{
    if (source == NULL) return;
    shared_lock_destroy(source->lock);
    lock_destroy(source->report_lock);
}

bool session_has_room(const Session *session)
{
    return session != NULL && atomic_load(&session->slot_count) < SESSION_MAX_TRACES;
}

/* True if tracks and rows are renumbered, which happens only when there are more, or if the trace's begin has
 * changed, from which places count. */
static bool tracks_are_new(LiveSource *source)
{
    const Trace *trace = source->slot->loaded.trace;
    bool same = source->begin_tick == trace->begin_tick && source->process_count == trace->process_count &&
                source->track_count == trace->track_count && source->row_count == trace->row_count;
    source->begin_tick = trace->begin_tick;
    source->process_count = trace->process_count;
    source->track_count = trace->track_count;
    source->row_count = trace->row_count;
    return !same;
}

LiveSource *session_add_live(Session *session, const Loaded *loaded, const LiveTrace *live, Err *err)
{
    if (atomic_load(&session->slot_count) == SESSION_MAX_TRACES) {
        (void)err_set(err, ERR_LIMIT, "more than %d traces at once", SESSION_MAX_TRACES);
        return NULL;
    }
    LiveSource  *source = source_create(session);
    SessionSlot *slot = source == NULL ? NULL : session_slot_create(session, loaded->name);
    if (slot == NULL) {
        live_source_release(source);
        (void)err_set(err, ERR_MEMORY, "out of memory for another trace");
        return NULL;
    }
    source->slot = slot;
    source->grows = live;
    slot->live = source;
    slot->loaded = *loaded;
    (void)tracks_are_new(source);
    session_slot_ready(slot, loaded);
    session_slot_publish(session, slot);
    return source;
}

bool live_source_begin(LiveSource *source, unsigned patience_ms)
{
    return shared_lock_write(source->lock, patience_ms);
}

void live_source_end(LiveSource *source, const SourceChange *change)
{
    if (change->any) {
        source->generation++;
        source->from_ticks[source->generation % CHANGES_KEPT] = change->from_tick;
        assert(source->shape < source->generation);
        /* Places are relative to the trace's begin; tiles are not. */
        if (change->shape) source->shaped_at = source->generation;
        if (change->shape || source->begin_tick != source->slot->loaded.trace->begin_tick) {
            source->shape++;
            if (tracks_are_new(source)) source->tracks = source->shape;
        }
        assert(source->tracks <= source->shape && source->shaped_at <= source->generation);
        slot_filters_age(source->slot->filters, source->generation);
    }
    lock_take(source->report_lock);
    source->slot->loaded.bytes = source->report.bytes;
    lock_give(source->report_lock);
    shared_lock_write_done(source->lock);
}

void live_source_arrived(LiveSource *source, int64_t unix_ns)
{
    const Trace *trace = source->slot->loaded.trace;
    if (source->has_arrived) return;
    source->arrived_unix_ns = unix_ns;
    source->arrived_ns = trace->has_time ? clock_to_ns(&trace->clock, trace->begin_tick) : 0;
    source->has_arrived = trace->has_time;
}

void live_source_report(LiveSource *source, const LiveReport *report)
{
    lock_take(source->report_lock);
    source->report = *report;
    lock_give(source->report_lock);
}

unsigned live_source_request_count(const LiveSource *source)
{
    return atomic_load(&source->request_count);
}

/* -- for the session -- */

void live_read(LiveSource *source)
{
    if (source == NULL) return;
    atomic_fetch_add(&source->request_count, 1);
    shared_lock_read(source->lock);
}

void live_read_done(LiveSource *source)
{
    if (source != NULL) shared_lock_read_done(source->lock);
}

LiveCopy *live_copy_of(SessionSlot *slot, Loaded *loaded)
{
    LiveSource *source = slot->live;
    *loaded = slot->loaded;
    if (source == NULL || source->grows == NULL) return NULL;
    lock_take(source->report_lock);
    const bool has_ended = source->report.state == LIVE_ENDED;
    lock_give(source->report_lock);
    LiveCopy *copy = has_ended ? NULL : live_copy(source->grows);
    if (copy == NULL) return NULL;
    loaded->trace = live_copy_trace(copy);
    live_read_done(source);
    return copy;
}

void live_copy_done(SessionSlot *slot, LiveCopy *copy)
{
    if (copy == NULL)
        live_read_done(slot->live);
    else
        live_copy_release(copy);
}

uint64_t live_tag(const LiveSource *source, uint64_t tag)
{
    assert(source != NULL && source->generation > 0);
    uint64_t both[] = { tag, source->generation };
    return hash_bytes(both, sizeof both, 4) | 1;
}

int64_t live_begin_unix_ns(const LiveSource *source)
{
    if (source == NULL || source->arrived_unix_ns == 0) return 0;
    const Trace *trace = source->slot->loaded.trace;
    if (!source->has_arrived || !trace->has_time) return source->arrived_unix_ns;
    /* Earlier events may have arrived since. */
    const int64_t begin_ns = clock_to_ns(&trace->clock, trace->begin_tick);
    return i64_add_saturated(source->arrived_unix_ns, i64_sub_saturated(begin_ns, source->arrived_ns));
}

uint64_t live_shape(const LiveSource *source)
{
    return source == NULL ? 0 : source->shape;
}

uint64_t live_generation(const LiveSource *source)
{
    return source == NULL ? 0 : source->generation;
}

bool live_has_shape(RequestContext *ctx, RequestIds ids)
{
    const LiveSource *source = ctx->slot->live;
    const StringView *text = request_param(ctx->request, "shape");
    uint64_t          shape;
    if (source == NULL || text == NULL) return true;
    if (!param_u64(ctx, "shape", UINT64_MAX, &shape)) return false;
    if (ids == IDS_OF_TRACKS && shape >= source->tracks && shape <= source->shape) return true;
    if (ids == IDS_NONE || shape == source->shape) return true;
    return answer_fail(ctx->answer, SESSION_MOVED, "the trace has another shape by now");
}

void put_live(JsonWriter *w, LiveSource *source)
{
    static const char *const STATES[] = {
        [LIVE_RECEIVING] = "receiving", [LIVE_PAUSED] = "paused", [LIVE_ENDED] = "ended"
    };
    json_key(w, "live");
    if (source == NULL) {
        json_null(w);
        return;
    }
    lock_take(source->report_lock);
    const LiveReport report = source->report;
    assert((size_t)report.state < sizeof STATES / sizeof STATES[0]);
    lock_give(source->report_lock);
    json_object_begin(w);
    json_put_u64(w, "generation", source->generation);
    json_put_u64(w, "shape", source->shape);
    json_put_u64(w, "tracks", source->tracks);
    json_put_string(w, "state", STATES[report.state]);
    json_put_u64(w, "bytes", report.bytes);
    json_put_u64(w, "events", report.events);
    json_put_u64(w, "lost", report.lost);
    json_put_u64(w, "skipped", report.skipped);
    json_put_u64(w, "dropped", report.dropped);
    json_put_u64(w, "unshown", report.unshown);
    json_object_end(w);
}

/* Returns the first tick that has changed since a generation; the trace's begin if it is unknown. */
static int64_t changed_from(const LiveSource *source, uint64_t since)
{
    assert(since <= source->generation);
    const Trace *trace = source->slot->loaded.trace;
    bool         is_known = since >= source->shaped_at && source->generation - since < CHANGES_KEPT;
    int64_t      from = trace->end_tick;
    if (!is_known) return trace->begin_tick;
    for (uint64_t g = since + 1; g <= source->generation; g++) {
        int64_t one = source->from_ticks[g % CHANGES_KEPT];
        if (one < from) from = one;
    }
    return from > trace->begin_tick ? from : trace->begin_tick;
}

void handle_changes(RequestContext *ctx)
{
    LiveSource *source = ctx->slot->live;
    uint64_t    since;
    if (!param_u64(ctx, "since", UINT64_MAX, &since)) return;
    if (source == NULL) {
        answer_fail(ctx->answer, SESSION_NOT_FOUND, "%s does not grow", ctx->slot->name);
        return;
    }
    if (since > source->generation) since = 0; /* a generation of an earlier run of the program */
    const Trace *trace = ctx->trace;
    JsonWriter   w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_u64(&w, "trace", ctx->slot->index);
    json_put_u64(&w, "traces", atomic_load(&ctx->session->slot_count));
    if (since == source->generation)
        json_put_null(&w, "from");
    else
        put_decimal_u64(&w, "from", trace_since_begin(trace, changed_from(source, since)));
    put_decimal_u64(&w, "span", trace_span(trace));
    json_put_u64(&w, "slices", trace_slice_count(trace));
    json_put_u64(&w, "instants", trace_instant_count(trace));
    put_live(&w, source);
    json_object_end(&w);
}
