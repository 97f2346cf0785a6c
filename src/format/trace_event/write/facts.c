#include "format/trace_event/write/facts.h"

#include "format/trace_event/write/stacks.h"
#include "trace/scan/scan.h"
#include "trace/store/window.h"

#include <string.h>

/* Returns the index of the last property of each key, by StringId.index; NULL when out of memory. */
static uint32_t *last_properties(JsonOut *out)
{
    size_t    keys = (size_t)string_table_count(out->trace->strings) + 1;
    uint32_t *last = ARENA_ARRAY(&out->arena, uint32_t, keys);
    for (uint32_t i = 0; last != NULL && i < out->trace->records.property_count; i++)
        last[out->trace->records.properties[i].key.index] = i;
    return last;
}

/* True for keys whose values are joined if a file has several: frames and samples. */
static bool property_adds_up(StringView key)
{
    return string_equal(key, STRING_LITERAL("stackFrames")) || string_equal(key, STRING_LITERAL("samples"));
}

/* Writes all values of a key as one object or list. Values of another kind than the last one are left out. */
static void put_joined(JsonOut *out, uint32_t last)
{
    const Property *properties = out->trace->records.properties;
    const char      open = properties[last].json[0];
    bool            is_first = true;
    bytes_append(&out->buffer, &open, 1);
    for (uint32_t i = 0; i <= last; i++) {
        const Property *property = &properties[i];
        if (property->key.index != properties[last].key.index || property->size <= 2) continue;
        if (property->json[0] != open) {
            writer_report(out->report, 1, "top-level values with a later one of their key are left out");
            continue;
        }
        if (!is_first) bytes_append(&out->buffer, ",", 1);
        is_first = false;
        bytes_append(&out->buffer, property->json + 1, property->size - 2);
    }
    bytes_append(&out->buffer, open == '{' ? "}" : "]", 1);
}

/* Returns false for a property that would invalidate the document or break a viewer, and counts it. */
static bool property_is_fit(JsonOut *out, uint32_t index, const uint32_t *last)
{
    const Property *property = &out->trace->records.properties[index];
    StringView      key = trace_string(out->trace, property->key), json = { property->json, property->size };
    if (string_equal(key, STRING_LITERAL("traceEvents"))) return false; /* not a property of any reader */
    if (string_equal(key, STRING_LITERAL("displayTimeUnit")) &&
        !string_equal(json, STRING_LITERAL("\"ns\"")) && !string_equal(json, STRING_LITERAL("\"ms\""))) {
        writer_report(out->report, 1,
                      "displayTimeUnit other than ms or ns, which chrome://tracing refuses, is left out");
        return false;
    }
    if (last[property->key.index] == index) return true;
    char opens = out->trace->records.properties[last[property->key.index]].json[0];
    if (property_adds_up(key) && (opens == '{' || opens == '['))
        return false; /* written with the last value of the key */
    writer_report(out->report, 1, "top-level values with a later one of their key are left out");
    return false;
}

/* Writes the original format and its ns per tick, with which the trace can be converted back without rounding. */
static void put_source(JsonOut *out)
{
    const Trace *trace = out->trace;
    JsonWriter   json = json_writer_to(&out->buffer, 0);
    bytes_append_text(&out->buffer, ",\n\"otherData\":");
    json_object_begin(&json);
    json_put_string(&json, "source_format", trace->source.format_name);
    json_put_string(&json, "source_version", trace->source.format_version);
    if (clock_has_time(&trace->clock)) {
        json_put_array(&json, "ns_per_tick");
        json_u64(&json, trace->clock.ns_num);
        json_u64(&json, trace->clock.ns_den);
        json_array_end(&json);
    }
    json_object_end(&json);
}

static bool put_samples(JsonOut *out, Err *err)
{
    ScanQuery query =
        scan_query(SCAN_STACK_SAMPLES, SCAN_COLUMN(SCAN_SAMPLE_TICK) | SCAN_COLUMN(SCAN_SAMPLE_STACK) |
                                           SCAN_COLUMN(SCAN_SAMPLE_WEIGHT) | SCAN_COLUMN(SCAN_SAMPLE_TRACK));
    query.edges = RANGE_CLOSED;
    trace_window_range(out->trace, &query.begin_tick, &query.end_tick);
    Scan *scan = scan_begin(out->trace, &query, &out->arena, err);
    bool  is_first = true;
    if (scan == NULL) return false;
    for (const ScanBatch *batch; (batch = scan_next(scan)) != NULL;) {
        for (uint32_t i = 0; i < batch->count; i++) {
            const WriterSample sample = { .track = batch->columns[SCAN_SAMPLE_TRACK].u32[i],
                                          .stack = batch->columns[SCAN_SAMPLE_STACK].u32[i],
                                          .tick = batch->columns[SCAN_SAMPLE_TICK].i64[i],
                                          .weight = batch->columns[SCAN_SAMPLE_WEIGHT].f64[i] };
            bytes_append_text(&out->buffer, is_first ? ",\n\"samples\":[\n" : ",\n");
            is_first = false;
            writer_put_sample(&out->plan->places, &out->plan->clock, &sample, &out->buffer);
            if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
        }
    }
    if (!is_first) bytes_append_text(&out->buffer, "\n]");
    return true;
}

/* Writes stackFrames and samples. */
static bool put_profile(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    for (uint32_t i = 1; i <= trace->stacks.stack_count; i++) {
        bytes_append_text(&out->buffer, i == 1 ? ",\n\"stackFrames\":{\n" : ",\n");
        writer_put_frame(trace, i, &out->buffer);
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    if (trace->stacks.stack_count > 0) bytes_append_text(&out->buffer, "\n}");
    return put_samples(out, err);
}

static bool put_properties(JsonOut *out, Err *err)
{
    const Trace *trace = out->trace;
    const Clock *clock = &out->plan->clock;
    bool         has_unit = out->own_format, has_other = out->own_format;
    bool         has_epoch = out->own_format || !clock->has_epoch;
    JsonWriter   json = json_writer_to(&out->buffer, 0);
    uint32_t    *last = last_properties(out);
    if (last == NULL) return err_set(err, ERR_MEMORY, "out of memory for the output");
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        StringView key = trace_string(trace, trace->records.properties[i].key);
        if (!property_is_fit(out, i, last)) continue;
        has_unit |= string_equal(key, STRING_LITERAL("displayTimeUnit"));
        has_epoch |= string_equal(key, STRING_LITERAL("baseTimeNanoseconds"));
        has_other |= string_equal(key, STRING_LITERAL("otherData"));
        bytes_append_text(&out->buffer, ",\n");
        json_string_bytes(&json, key);
        bytes_append_text(&out->buffer, ":");
        char opens = trace->records.properties[i].json[0];
        if (property_adds_up(key) && (opens == '{' || opens == '['))
            put_joined(out, i);
        else
            bytes_append(&out->buffer, trace->records.properties[i].json, trace->records.properties[i].size);
        if (!json_out_flush(out, WRITER_BLOCK_BYTES, err)) return false;
    }
    if (!has_unit) bytes_append_text(&out->buffer, ",\n\"displayTimeUnit\":\"ns\"");
    if (!has_epoch)
        bytes_printf(&out->buffer, ",\n\"baseTimeNanoseconds\":%lld", (long long)clock->epoch_unix_ns);
    if (!has_other) put_source(out);
    return out->own_format || put_profile(out, err);
}

bool writer_facts_put(JsonOut *out, Err *err)
{
    bytes_append_text(&out->buffer, "\n]");
    if (!put_properties(out, err)) return false;
    bytes_append_text(&out->buffer, "}\n");
    return json_out_flush(out, 0, err);
}
