/* The parts that answers share: places, times, spans, threads. Their members: docs/PROTOCOL.md. */
#include "app/session/answer_json.h"

#include "app/session/call_text.h"
#include "app/session/params.h"
#include "trace/store/flows.h"
#include "trace/store/lookup.h"
#include "trace/store/object_find.h"
#include "trace/store/wall_time.h"

#include <assert.h>
#include <inttypes.h>

static_assert(FLOW_NO_SLICE == PLACE_NONE, "an id of no event is one for all");
static_assert(SLICE_NOWHERE == PLACE_NONE, "an id of no event is one for all");
static_assert(SNAPSHOT_NONE == PLACE_NONE, "an id of no event is one for all");

void put_decimal_u64(JsonWriter *w, const char *key, uint64_t value)
{
    json_put_printf(w, key, "%" PRIu64, value);
}

void put_decimal_i64(JsonWriter *w, const char *key, int64_t value)
{
    json_put_printf(w, key, "%" PRId64, value);
}

void write_place(JsonWriter *w, const RequestContext *ctx, uint64_t slice)
{
    assert(trace_has_slice(ctx->trace, slice));
    const Trace *trace = ctx->trace;
    uint32_t     row = trace_slice_row(trace, slice);
    uint32_t     track = trace->rows[row].track;
    json_object_begin(w);
    json_put_u64(w, "trace", ctx->slot->index);
    json_put_u64(w, "track", track);
    json_put_u64(w, "row", row - trace->tracks[track].first_row);
    json_put_u64(w, "slice", slice);
    put_decimal_u64(w, "begin", trace_since_begin(trace, trace_slice_begin(trace, slice)));
    put_decimal_u64(w, "extent", trace_slice_duration(trace, slice));
    json_put_u64(w, "label", trace_slice_label(trace, slice));
    json_object_end(w);
}

void put_place(JsonWriter *w, const char *key, const RequestContext *ctx, uint64_t slice)
{
    json_key(w, key);
    if (slice == PLACE_NONE)
        json_null(w);
    else
        write_place(w, ctx, slice);
}

static void put_span_text(JsonWriter *w, const char *key, const Clock *clock, uint64_t ticks)
{
    char   text[CLOCK_SPAN_TEXT];
    size_t size = clock_format_span(clock, ticks, text);
    json_put_view(w, key, (StringView){ text, size });
}

void put_moment(JsonWriter *w, const char *key, const Trace *trace, int64_t tick)
{
    Bytes place = { NULL, 0, 0, false };
    append_call_text(&place, trace, tick);
    if (place.size > 0) {
        json_put_view(w, key, bytes_view(&place));
    } else {
        put_span_text(w, key, &trace->clock, trace_since_begin(trace, tick));
    }
    bytes_release(&place);
}

/* Writes the time of day of a tick, or null. */
static void put_utc(JsonWriter *w, const char *key, const Clock *clock, int64_t tick)
{
    char text[WALL_TIME_TEXT];
    json_put_view_or_null(w, key, (StringView){ text, wall_time_of_tick(clock, tick, text) });
}

void put_time(JsonWriter *w, const char *key, const Trace *trace, int64_t tick)
{
    char     text[CLOCK_TICK_TEXT];
    size_t   size = clock_format_tick(&trace->clock, tick, text);
    uint64_t offset = trace_since_begin(trace, tick);
    json_put_object(w, key);
    json_put_view(w, "tick", (StringView){ text, size });
    put_decimal_u64(w, "offset", offset);
    put_decimal_i64(w, "ns", clock_to_ns(&trace->clock, tick));
    put_moment(w, "text", trace, tick);
    put_utc(w, "utc", &trace->clock, tick);
    json_object_end(w);
}

void put_span(JsonWriter *w, const char *key, const Trace *trace, uint64_t ticks)
{
    json_put_object(w, key);
    put_decimal_u64(w, "ticks", ticks);
    put_decimal_u64(w, "ns", clock_span_to_ns(&trace->clock, ticks));
    put_span_text(w, "text", &trace->clock, ticks);
    json_object_end(w);
}

void put_cpu_or_null(JsonWriter *w, const char *key, const uint64_t *ns, CpuDigits digits)
{
    Clock clock = clock_ns();
    char  text[CLOCK_SPAN_TEXT];
    clock.shows_ns = digits == CPU_EXACT;
    if (ns == NULL) {
        json_put_null(w, key);
        return;
    }
    json_put_object(w, key);
    put_decimal_u64(w, "ns", *ns);
    json_put_view(w, "text", (StringView){ text, clock_format_span(&clock, *ns, text) });
    json_object_end(w);
}

void put_text(JsonWriter *w, const char *key, const Trace *trace, StringId text)
{
    if (text.index == STRING_NONE.index)
        json_put_null(w, key);
    else
        json_put_view(w, key, trace_string(trace, text));
}

/* Writes id, name and title of a process or thread. */
static void put_identity(JsonWriter *w, const Trace *trace, Ident ident, StringId name, const Bytes *title)
{
    Bytes id = { 0 };
    trace_ident_append(trace, ident, &id);
    json_put_view(w, "id", bytes_view(&id));
    put_text(w, "name", trace, name);
    json_put_view(w, "title", bytes_view(title));
    bytes_release(&id);
}

void put_thread(JsonWriter *w, const char *key, const Trace *trace, uint32_t track)
{
    assert(track <= trace->track_count);
    Bytes title = { 0 };
    trace_track_title(trace, track, &title);
    json_put_object(w, key);
    json_put_u64(w, "track", track);
    json_put_bool(w, "is_thread", trace->tracks[track].kind == TRACK_THREAD);
    put_identity(w, trace, track_tid(&trace->tracks[track]), trace->tracks[track].name, &title);
    json_object_end(w);
    bytes_release(&title);
}

void put_process(JsonWriter *w, const char *key, const Trace *trace, uint32_t process)
{
    if (process == PROCESS_NONE.index) {
        json_put_null(w, key);
        return;
    }
    assert(process <= trace->process_count);
    Bytes title = { 0 };
    trace_process_title(trace, process, &title);
    json_put_object(w, key);
    put_identity(w, trace, trace->processes[process].pid, trace->processes[process].name, &title);
    json_object_end(w);
    bytes_release(&title);
}

/* Writes `json` unchanged; null if it is empty. */
static void put_raw_or_null(JsonWriter *w, const char *key, const Bytes *json)
{
    if (json->size == 0)
        json_put_null(w, key);
    else
        json_put_raw(w, key, (const char *)json->data, json->size);
}

void put_u64_or_null(JsonWriter *w, const char *key, uint64_t value)
{
    if (value == 0)
        json_put_null(w, key);
    else
        json_put_u64(w, key, value);
}

void put_details(JsonWriter *w, EventDetails *details, const Err *err)
{
    char text[256];
    if (err != NULL) err_format(err, text, sizeof text);
    put_raw_or_null(w, "args", &details->args);
    put_raw_or_null(w, "other", &details->other);
    json_put_string(w, "details_error", err == NULL ? NULL : text);
    bytes_release(&details->args);
    bytes_release(&details->other);
}

void answer_null(const RequestContext *ctx)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_null(&w);
}

void answer_u64(const RequestContext *ctx, const char *key, uint64_t value)
{
    JsonWriter w = json_writer_to(&ctx->answer->body, 0);
    json_object_begin(&w);
    json_put_u64(&w, key, value);
    json_object_end(&w);
}

void put_label(JsonWriter *w, const Trace *trace, uint32_t label)
{
    assert(label <= trace->label_count);
    put_text(w, "name", trace, trace->labels[label].name);
    put_text(w, "category", trace, trace->labels[label].category);
}
