/* The requests about the instants and the counters of a range of time, and about a sample of a counter. */
#include "analysis/area.h"
#include "app/session/answer_json.h"
#include "app/session/event_members.h"
#include "app/session/handlers.h"
#include "app/session/long_work.h"
#include "app/session/params.h"
#include "app/session/slot_filters.h"
#include "trace/store/lookup.h"

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

static bool area_work_step(void *state, double *share, Err *err)
{
    AreaWork  *work = state;
    const bool done = area_count_step(work->count, LONG_STEP_SLICES, share, &work->table, err);
    if (*share == 1 || !done) {
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
        put_mark(w, "first", ctx, row->first);
        json_object_end(w);
    }
    json_array_end(w);
}

/* Writes the value of a counter's series as a number and as a text with the unit; null for NaN. */
static void put_value(JsonWriter *w, const char *key, const Trace *trace, uint32_t track, double value)
{
    char text[DIGITS_TEXT];
    json_key(w, key);
    if (isnan(value)) {
        json_null(w);
        return;
    }
    (void)area_value_text(area_unit(trace, track), value, text);
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
    put_value(w, "min", trace, row->track, row->min);
    put_value(w, "max", trace, row->track, row->max);
    put_value(w, "average", trace, row->track, row->average);
    put_value(w, "last", trace, row->track, row->last);
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
    if (!param_optional(ctx, "top", UINT32_MAX, &top)) return;
    const AreaWork *work = long_work(ctx, &AREA_KIND);
    if (work == NULL) return;
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    write_instants(&w, ctx, &work->table, top);
    write_counters(&w, ctx->trace, &work->table, top);
    json_object_end(&w);
    long_work_done(ctx, work, LONG_WORK_KEEP);
}

/* -- a sample -- */

/* A time at which a series of a counter gets a value. */
typedef struct SampleTime {
    bool    found;
    int64_t tick;
} SampleTime;

/* Finds the last time before `tick` of all series. */
static SampleTime last_before(const Trace *trace, const Track *track, int64_t tick)
{
    SampleTime last = { 0 };
    for (uint32_t r = 0; r < track_row_count(track); r++) {
        const Row     *row = &trace->rows[track->first_row + r];
        const uint32_t before = row_sample_bound(trace, row, tick);
        if (before == 0) continue;
        const int64_t at = trace_value_tick(trace, row_extras(row)->first_sample + before - 1);
        if (!last.found || at > last.tick) last = (SampleTime){ true, at };
    }
    return last;
}

/* Finds the first time at or after `tick` of all series. */
static SampleTime first_from(const Trace *trace, const Track *track, int64_t tick)
{
    SampleTime first = { 0 };
    for (uint32_t r = 0; r < track_row_count(track); r++) {
        const Row     *row = &trace->rows[track->first_row + r];
        const uint32_t before = row_sample_bound(trace, row, tick);
        if (before == row_extras(row)->sample_count) continue;
        const int64_t at = trace_value_tick(trace, row_extras(row)->first_sample + before);
        if (!first.found || at < first.tick) first = (SampleTime){ true, at };
    }
    return first;
}

static int64_t tick_after(int64_t tick)
{
    return tick == INT64_MAX ? tick : tick + 1;
}

/* Returns the value of a row before `tick`; NaN without one. */
static double value_before(const Trace *trace, const Row *row, int64_t tick)
{
    const uint32_t before = row_sample_bound(trace, row, tick);
    return before == 0 ? (double)NAN : trace_value(trace, row_extras(row)->first_sample + before - 1);
}

/* Writes the value of each series at a time, the value before, and the difference. */
static void put_series(JsonWriter *w, const Trace *trace, uint32_t track, int64_t tick)
{
    json_put_array(w, "series");
    for (uint32_t r = 0; r < track_row_count(&trace->tracks[track]); r++) {
        const Row   *row = &trace->rows[trace->tracks[track].first_row + r];
        const double value = value_before(trace, row, tick_after(tick)),
                     before = value_before(trace, row, tick);
        json_object_begin(w);
        put_text(w, "name", trace, trace->series[row_extras(row)->series].name);
        put_value(w, "value", trace, track, value);
        put_value(w, "before", trace, track, before);
        put_value(w, "change", trace, track, value - before);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_sample(RequestContext *ctx, uint32_t track, int64_t tick)
{
    const Trace     *trace = ctx->trace;
    const SampleTime next = first_from(trace, &trace->tracks[track], tick_after(tick));
    const int64_t    end = next.found && next.tick > tick ? next.tick : trace->end_tick;
    Bytes            title = { 0 };
    JsonWriter       w = json_writer_to(&ctx->answer->body, 0);
    trace_track_title(trace, track, &title);
    json_object_begin(&w);
    json_put_u64(&w, "track", track);
    put_decimal_u64(&w, "begin", trace_since_begin(trace, tick));
    put_decimal_u64(&w, "extent", end > tick ? (uint64_t)end - (uint64_t)tick : 0);
    json_put_view(&w, "name", bytes_view(&title));
    put_process(&w, "process", trace, trace->tracks[track].process.index);
    put_time(&w, "time", trace, tick);
    put_span(&w, "holds", trace, end > tick ? (uint64_t)end - (uint64_t)tick : 0);
    put_series(&w, trace, track, tick);
    json_object_end(&w);
    bytes_release(&title);
}

void handle_sample(RequestContext *ctx)
{
    static const char *const MOVES[] = { "at", "next", "previous" };
    const Trace             *trace = ctx->trace;
    const Row               *row;
    int64_t                  tick;
    size_t                   move;
    if (!param_row_tick(ctx, &row, &tick) || !PARAM_WORD(ctx, "move", MOVES, &move)) return;
    const Track *track = &trace->tracks[row->track];
    if (track->kind != TRACK_COUNTER) {
        (void)answer_fail(ctx->answer, SESSION_NOT_FOUND, "track= is not a counter");
        return;
    }
    SampleTime found = move == 1 ? first_from(trace, track, tick_after(tick))
                                 : last_before(trace, track, move == 0 ? tick_after(tick) : tick);
    if (move == 0 && !found.found) found = first_from(trace, track, tick);
    if (move == 1 && found.tick == tick) found.found = false; /* at the last representable tick */
    if (found.found)
        write_sample(ctx, row->track, found.tick);
    else
        answer_null(ctx);
}
