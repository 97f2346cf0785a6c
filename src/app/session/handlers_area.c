/* The request about the instants and the counters of a range of time. */
#include "analysis/area.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/pieces.h"
#include "app/session/slot_filters.h"

#include <math.h>

static const uint64_t DEFAULT_TOP = 10000;

/* -- the count -- */

static const char *const AREA_PARAMETERS[] = { "begin", "end", "tracks", "hide", NULL };

typedef struct AreaWork {
    AreaCount *count;
    AreaTable  table;
} AreaWork;

static bool area_work_begin(RequestContext *ctx, void *state, Arena *arena)
{
    AreaWork *work = state;
    TracePart part = { 0 };
    Err       err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (!param_range(ctx, &part.begin_tick, &part.end_tick) ||
        !param_tracks(ctx, &part.tracks, &part.track_count) || !param_filter(ctx, &part.filter) ||
        !long_tracks(ctx, &part.tracks, part.track_count, arena))
        return false;
    work->count = area_count_begin(ctx->trace, &part, arena, &err);
    return work->count != NULL || answer_fail_err(ctx->answer, &err);
}

static bool area_work_step(void *state, double *share, bool *is_done, Err *err)
{
    AreaWork  *work = state;
    const bool done = area_count_step(work->count, LONG_STEP_SLICES, share, &work->table, err);
    *is_done = done && *share == 1;
    if (*is_done || !done) {
        area_count_release(work->count); /* the table stays in the arena */
        work->count = NULL;
    }
    return done;
}

static void area_work_release(void *state)
{
    AreaWork *work = state;
    area_count_release(work->count);
}

static const LongKind AREA_KIND = { .size = sizeof(AreaWork),
                                    .parameters = AREA_PARAMETERS,
                                    .begin = area_work_begin,
                                    .step = area_work_step,
                                    .release = area_work_release };

/* -- the answer -- */

static void write_instants(JsonWriter *w, const RequestContext *ctx, const AreaTable *table, uint64_t top)
{
    json_put_u64(w, "instants", table->instant_count);
    json_put_u64(w, "instant_names", table->instant_rows);
    json_put_array(w, "instant_rows");
    for (uint32_t i = 0; i < table->instant_rows && i < top; i++) {
        const AreaInstants *row = &table->instants[i];
        json_object_begin(w);
        put_text(w, "name", ctx->trace, row->name);
        json_put_u64(w, "count", row->count);
        json_key(w, "first");
        write_mark(w, ctx, row->first);
        json_object_end(w);
    }
    json_array_end(w);
}

/* Writes the value as a number and as a text with the unit; null for NaN. */
static void put_value(JsonWriter *w, const Trace *trace, const AreaCounter *row, const char *key,
                      double value)
{
    char text[DIGITS_TEXT];
    json_key(w, key);
    if (isnan(value)) {
        json_null(w);
        return;
    }
    (void)area_value_text(area_unit(trace, row->track), value, text);
    json_object_begin(w);
    json_put_double(w, "value", value);
    json_put_string(w, "text", text);
    json_object_end(w);
}

static void write_counter(JsonWriter *w, const Trace *trace, const AreaCounter *row, Bytes *text)
{
    const Track *track = &trace->tracks[row->track];
    json_object_begin(w);
    bytes_clear(text);
    if (track->process.index != PROCESS_NONE.index) trace_process_title(trace, track->process.index, text);
    json_put_view(w, "process", bytes_view(text));
    bytes_clear(text);
    trace_track_title(trace, row->track, text);
    json_put_view(w, "name", bytes_view(text));
    put_text(w, "series", trace, row->series);
    json_put_u64(w, "track", row->track);
    json_put_u64(w, "count", row->count);
    put_value(w, trace, row, "min", row->min);
    put_value(w, trace, row, "max", row->max);
    put_value(w, trace, row, "average", row->average);
    put_value(w, trace, row, "last", row->last);
    json_object_end(w);
}

static void write_counters(JsonWriter *w, const Trace *trace, const AreaTable *table, uint64_t top)
{
    Bytes text = { 0 };
    json_put_u64(w, "counters", table->counter_rows);
    json_put_array(w, "counter_rows");
    for (uint32_t i = 0; i < table->counter_rows && i < top; i++)
        write_counter(w, trace, &table->counters[i], &text);
    json_array_end(w);
    bytes_release(&text);
}

void handle_area(RequestContext *ctx)
{
    uint64_t top = DEFAULT_TOP;
    if (request_param(ctx->request, "top") != NULL && !param_u64(ctx, "top", UINT32_MAX, &top)) return;
    const AreaWork *work = long_work(ctx, &AREA_KIND);
    if (work == NULL) return;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    write_instants(&w, ctx, &work->table, top);
    write_counters(&w, ctx->trace, &work->table, top);
    json_object_end(&w);
    long_work_done(ctx, work, LONG_WORK_KEEP);
}
