#include "api/api.h"
#include "trace/store/choose_tracks.h"
#include "trace/store/exact_time.h"
#include "trace/store/time_spec.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct VarveProgress {
    Arena    arena; /* holds this too */
    Progress progress;
};

/* The codes of both sides have one order, without VARVE_OK. */
static_assert((int)VARVE_ERROR_INPUT == (int)ERR_IO && (int)VARVE_ERROR_OUTPUT == (int)ERR_OUTPUT &&
                  (int)VARVE_ERROR_MEMORY == (int)ERR_MEMORY &&
                  (int)VARVE_ERROR_TRUNCATED == (int)ERR_TRUNCATED &&
                  (int)VARVE_ERROR_CORRUPT == (int)ERR_CORRUPT &&
                  (int)VARVE_ERROR_VERSION == (int)ERR_VERSION && (int)VARVE_ERROR_LIMIT == (int)ERR_LIMIT &&
                  (int)VARVE_ERROR_UNKNOWN == (int)ERR_UNKNOWN &&
                  (int)VARVE_ERROR_CANCELLED == (int)ERR_CANCELLED &&
                  (int)VARVE_ERROR_USAGE == (int)ERR_USAGE,
              "VarveCode has the values of ErrCode");
static_assert(VARVE_NOWHERE == ERR_NOWHERE, "as above");
static_assert(sizeof((VarveError){ 0 }.message) >= sizeof((Err){ 0 }.message), "messages fit");

const char *varve_version(void)
{
    return VARVE_VERSION;
}

bool api_fail(const Err *err, VarveError *error)
{
    if (error == NULL) return false;
    *error =
        (VarveError){ .code = (VarveCode)err->code, .byte_offset = err->offset, .event_index = err->event };
    (void)snprintf(error->message, sizeof error->message, "%s", err->message);
    return false;
}

Err api_err(const VarveError *error)
{
    Err err = { .code = (ErrCode)error->code, .offset = error->byte_offset, .event = error->event_index };
    (void)snprintf(err.message, sizeof err.message, "%.*s", (int)sizeof err.message - 1, error->message);
    return err;
}

bool api_no_memory(VarveError *error)
{
    Err err = API_ERR;
    (void)err_set(&err, ERR_MEMORY, "out of memory");
    return api_fail(&err, error);
}

void *api_handle(size_t size, VarveError *error)
{
    Arena  arena = arena_create(0);
    Arena *handle = arena_push(&arena, 1, size);
    if (handle == NULL)
        (void)api_no_memory(error);
    else
        *handle = arena;
    return handle;
}

void api_handle_release(void *handle)
{
    if (handle == NULL) return;
    Arena arena = *(Arena *)handle;
    arena_release(&arena);
}

/* -- texts and bytes -- */

VarveText api_text(StringView text)
{
    return (VarveText){ text.bytes == NULL ? "" : text.bytes, text.size };
}

VarveText api_text_copy(Arena *arena, const Bytes *bytes, bool *failed)
{
    const char *copy = bytes->failed ? NULL : arena_push_copy(arena, bytes->data, bytes->size);
    if (copy == NULL) *failed = true;
    return copy == NULL ? (VarveText){ "", 0 } : (VarveText){ copy, bytes->size };
}

void api_give_bytes(Bytes *from, VarveBytes *to)
{
    varve_bytes_release(to);
    *to = (VarveBytes){ from->data, from->size, from->capacity };
    *from = (Bytes){ .data = NULL };
}

bool api_give_text(Bytes *text, VarveBytes *to, VarveError *error)
{
    if (text->failed) {
        bytes_release(text);
        return api_no_memory(error);
    }
    api_give_bytes(text, to);
    return true;
}

void varve_bytes_release(VarveBytes *bytes)
{
    if (bytes == NULL) return;
    Bytes held = { .data = bytes->bytes, .size = bytes->size_bytes, .capacity = bytes->capacity_bytes };
    bytes_release(&held);
    *bytes = (VarveBytes){ .bytes = NULL };
}

/* -- progress -- */

VarveProgress *varve_progress_open(void)
{
    return API_HANDLE(VarveProgress, NULL);
}

void varve_progress_close(VarveProgress *progress)
{
    api_handle_release(progress);
}

void varve_progress_cancel(VarveProgress *progress)
{
    atomic_store(&progress->progress.cancelled, true);
}

void varve_progress_restart(VarveProgress *progress)
{
    atomic_store(&progress->progress.cancelled, false);
}

double varve_progress_share(const VarveProgress *progress)
{
    const Progress *p = &progress->progress;
    const uint64_t  total = atomic_load(&p->total), done = atomic_load(&p->done);
    if (atomic_load(&p->phase) == PROGRESS_DONE) return 1;
    if (total == 0) return -1;
    return done >= total ? 1 : (double)done / (double)total;
}

Progress *api_progress(VarveProgress *progress)
{
    return progress == NULL ? NULL : &progress->progress;
}

unsigned api_threads(uint32_t thread_count)
{
    return thread_count == 0 ? 1 : thread_count;
}

/* -- parts -- */

int64_t api_moment_ns(const Trace *trace, int64_t tick)
{
    const uint64_t distance = tick < trace->begin_tick ? (uint64_t)trace->begin_tick - (uint64_t)tick
                                                       : trace_since_begin(trace, tick);
    const uint64_t ns = clock_span_to_ns(&trace->clock, distance);
    const int64_t  clamped = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
    return tick < trace->begin_tick ? -clamped : clamped;
}

const SchemaTable *api_table(const char *name, Err *err)
{
    const SchemaTable *table = schema_find_table(name);
    if (table == NULL) (void)err_set(err, ERR_USAGE, "there is no table '%.60s'", name);
    return table;
}

TableBounds api_bounds(const VarvePart *part)
{
    if (part == NULL) return (TableBounds){ .range = NULL };
    return (TableBounds){ .range = part->range,
                          .name = part->name,
                          .thread = part->thread,
                          .has_track = part->track_id != 0,
                          .track = part->track_id };
}

bool api_part(const Trace *trace, const VarvePart *part, Arena *arena, TracePart *found, Err *err)
{
    const SchemaTable *slices = api_table("slice", err);
    TableBounds        bounds = api_bounds(part);
    ScanQuery          query;
    bounds.name = NULL;
    if (slices == NULL || !bounds_query(&bounds, slices, SCAN_SLICES, trace, arena, &query, err))
        return false;
    *found = (TracePart){ .begin_tick = query.begin_tick,
                          .end_tick = query.end_tick,
                          .tracks = query.tracks,
                          .track_count = query.track_count };
    return true;
}

bool varve_range_check(const char *range, VarveError *error)
{
    TimeRange parsed;
    Err       err = API_ERR;
    return time_range_parse(range, &parsed, &err) || api_fail(&err, error);
}

bool varve_part_exists(const VarveTrace *trace, const VarvePart *part)
{
    const Trace *t = trace->loaded.trace;
    if (part->name != NULL && string_table_find(t->strings, part->name, strlen(part->name)).index == 0)
        return false;
    if (part->thread == NULL) return true;
    Arena      arena = arena_create(0);
    uint32_t  *tracks = ARENA_ARRAY(&arena, uint32_t, (size_t)t->track_count + 1);
    const bool exists = tracks == NULL || choose_tracks_called(t, c_string_view(part->thread), tracks) > 0;
    arena_release(&arena);
    return exists;
}

/* -- durations -- */

static_assert((int)VARVE_TIME_TEXT_BYTES >= (int)EXACT_TIME_TEXT &&
                  (int)VARVE_TIME_TEXT_BYTES >= (int)CLOCK_SPAN_TEXT,
              "durations fit");

const char *varve_unit(const VarveTrace *trace)
{
    const Clock *clock = &trace->loaded.trace->clock;
    return clock_has_time(clock) ? "ns" : clock_unit_name(clock);
}

VarveText varve_span_text(const VarveTrace *trace, uint64_t ticks, char buffer[VARVE_TIME_TEXT_BYTES])
{
    return (VarveText){ buffer, clock_format_span(&trace->loaded.trace->clock, ticks, buffer) };
}

VarveText varve_ns_text(uint64_t ns, char buffer[VARVE_TIME_TEXT_BYTES])
{
    const Clock clock = clock_ns();
    return (VarveText){ buffer, clock_format_span(&clock, ns, buffer) };
}

VarveText varve_span_exact(const VarveTrace *trace, uint64_t ticks, char buffer[VARVE_TIME_TEXT_BYTES])
{
    const Clock    *clock = &trace->loaded.trace->clock;
    const ExactTime exact = exact_time_for(clock);
    return (VarveText){ buffer, exact_span_put(&exact, clock, ticks, buffer) };
}

VarveText varve_time_exact(const VarveTrace *trace, uint64_t ticks, char buffer[VARVE_TIME_TEXT_BYTES])
{
    const Trace    *t = trace->loaded.trace;
    const ExactTime exact = exact_time_for(&t->clock);
    const int64_t   tick = (int64_t)((uint64_t)t->begin_tick + ticks);
    return (VarveText){ buffer, exact_time_put(&exact, &t->clock, tick, buffer) };
}

const char *varve_exact_unit(const VarveTrace *trace)
{
    return exact_time_for(&trace->loaded.trace->clock).in_ns ? "ns" : "ticks";
}
