#include "format/heph/facts.h"

#include "base/json_writer.h"

#include <stdio.h>
#include <string.h>

void heph_facts_skip(HephFacts *facts, uint64_t offset, uint64_t size)
{
    facts->skipped_bytes += size;
    if (facts->run_count < RUNS_KEPT) facts->runs[facts->run_count++] = (SkippedRun){ offset, size };
}

static void write_pair(JsonWriter *w, uint64_t a, uint64_t b)
{
    json_array_begin(w);
    json_u64(w, a);
    json_u64(w, b);
    json_array_end(w);
}

static void write_ranges(JsonWriter *w, const char *key, const char *ranges_key, const CounterRanges *ranges)
{
    if (ranges->total == 0) return;
    json_put_u64(w, key, ranges->total);
    json_put_array(w, ranges_key);
    for (uint32_t i = 0; i < ranges->count; i++) {
        const CounterRange *range = &ranges->items[i];
        write_pair(w, range->first, (uint32_t)(range->first + range->count - 1));
    }
    json_array_end(w);
}

static void write_stream(JsonWriter *w, const HephStream *stream)
{
    json_object_begin(w);
    json_put_u64(w, "stream", stream->id);
    json_put_u64(w, "events", stream->event_count);
    json_put_u64(w, "first_counter", stream->first_counter);
    write_ranges(w, "duplicates", "duplicate_ranges", &stream->twice);
    if (!stream->counts && stream->event_count > 1) {
        json_put_bool(w, "counts", false);
    } else {
        write_ranges(w, "missing", "missing_ranges", &stream->missing);
        write_ranges(w, "late", "late_ranges", &stream->late);
        if (stream->restart_count > 0) json_put_u64(w, "restarts", stream->restart_count);
    }
    json_object_end(w);
}

static void write_facts(JsonWriter *w, const HephFacts *facts, const HephStreams *streams)
{
    json_object_begin(w);
    json_put_u64(w, "descriptions", facts->description_count);
    json_put_u64(w, "largest_event", facts->largest_event);
    json_put_object(w, "attribute_types");
    for (unsigned i = 0; i < HEPH_TYPES; i++) {
        char key[8];
        snprintf(key, sizeof key, "0x%02x", (unsigned)heph_type_at(i));
        if (facts->types[i] > 0) json_put_u64(w, key, facts->types[i]);
    }
    json_object_end(w);
    json_put_u64(w, "skipped_bytes", facts->skipped_bytes);
    json_put_array(w, "skipped");
    for (uint32_t i = 0; i < facts->run_count; i++)
        write_pair(w, facts->runs[i].offset, facts->runs[i].size);
    json_array_end(w);
    json_put_array(w, "streams");
    for (size_t i = 0; i < streams->all.count; i++)
        write_stream(w, heph_stream_at(streams, i));
    json_array_end(w);
    json_object_end(w);
}

bool heph_facts_report(const HephFacts *facts, const HephStreams *streams, TraceBuilder *builder)
{
    static const char KEY[] = "statistics";
    Bytes             json = { 0 };
    JsonWriter        writer = json_writer_to(&json, 0);
    write_facts(&writer, facts, streams);
    bool done = !json.failed;
    if (done) {
        builder_property(builder, builder_string(builder, KEY, strlen(KEY)), (const char *)json.data,
                         json.size);
    }
    bytes_release(&json);
    return done;
}
