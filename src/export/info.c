#include "export/info.h"

#include "trace/store/wall_time.h"
#include "trace/store/window.h"

void info_write_tick(JsonWriter *w, const Clock *clock, int64_t tick)
{
    char   text[CLOCK_TICK_TEXT];
    size_t size = clock_format_tick(clock, tick, text);
    json_raw(w, text, size);
}

static void write_file(const Loaded *loaded, const char *name, JsonWriter *w)
{
    json_put_object(w, "file");
    json_put_string(w, "name", name);
    json_put_u64(w, "bytes", loaded->bytes);
    json_put_string(w, "compression", codec_name(loaded->codec));
    json_object_end(w);
    if (loaded->from.name != NULL) {
        json_put_object(w, "source");
        json_put_string(w, "name", loaded->from.name);
        json_put_u64(w, "bytes", loaded->from.bytes);
        json_put_string(w, "compression", codec_name(loaded->from.codec));
        json_put_string(w, "details", loaded->from.details);
        json_object_end(w);
    }
    json_put_object(w, "format");
    json_put_string(w, "name", loaded->trace->source.format_name);
    json_put_string(w, "version", loaded->trace->source.format_version);
    json_object_end(w);
}

static void write_time_range(const Trace *trace, JsonWriter *w)
{
    const Clock *clock = &trace->clock;
    json_put_object(w, "time");
    json_put_string(w, "clock", clock_kind_name(clock->kind));
    json_put_array(w, "ns_per_tick");
    json_u64(w, clock->ns_num);
    json_u64(w, clock->ns_den);
    json_array_end(w);
    json_key(w, "begin_tick");
    info_write_tick(w, clock, trace->begin_tick);
    json_key(w, "end_tick");
    info_write_tick(w, clock, trace->end_tick);
    json_put_i64(w, "begin_ns", clock_to_ns(clock, trace->begin_tick));
    json_put_i64(w, "end_ns", clock_to_ns(clock, trace->end_tick));
    if (trace->window.is_set) {
        json_put_array(w, "window_ticks");
        info_write_tick(w, clock, trace->window.begin);
        info_write_tick(w, clock, trace->window.end);
        json_array_end(w);
    }
    if (clock->has_epoch)
        json_put_i64(w, "epoch_unix_ns", clock->epoch_unix_ns);
    else
        json_put_null(w, "epoch_unix_ns");
    char   utc[WALL_TIME_TEXT];
    size_t utc_size = trace->has_time ? wall_time_of_tick(clock, trace->begin_tick, utc) : 0;
    if (utc_size > 0) json_put_view(w, "begin_utc", (StringView){ utc, utc_size });
    json_object_end(w);
}

/* Writes the names of the track kinds if tracks are not threads. */
static void write_nouns(const Trace *trace, JsonWriter *w)
{
    enum { MOST_NOUNS = 8 };
    ThreadCount counts[MOST_NOUNS];
    uint32_t    known = trace_count_threads(trace, counts, MOST_NOUNS);
    if (known == 0 || (known == 1 && counts[0].noun.index == STRING_NONE.index)) return;
    json_put_object(w, "threads_by_noun");
    for (uint32_t i = 0; i < known; i++) {
        StringView noun = trace_string(trace, counts[i].noun);
        json_key_bytes(w, noun.size == 0 ? (StringView){ "thread", 6 } : noun);
        json_u64(w, counts[i].count);
    }
    json_object_end(w);
}

static void write_perspective(const Trace *trace, JsonWriter *w)
{
    Bytes names = { 0 };
    trace_perspectives_append(trace, &names);
    if (names.size > 0) json_put_view(w, "perspective", bytes_view(&names));
    bytes_release(&names);
}

/* Writes the counts: of processes, threads, tracks, stacks and strings those of the whole file, of all else
 * those in the range. */
static void write_counts(const Trace *trace, JsonWriter *w)
{
    const WindowCounts counted = trace_window_counts(trace);
    const struct {
        const char *key;
        uint64_t    count;
    } COUNTS[] = { { "processes", trace->counts.active_processes },
                   { "threads", trace->counts.threads },
                   { "tracks", trace->track_count },
                   { "slices", counted.slices },
                   { "unfinished_slices", counted.unfinished },
                   { "instants", counted.instants },
                   { "counters", counted.counters },
                   { "counter_samples", counted.counter_samples },
                   { "flows", counted.flows },
                   { "async_slices", counted.async_slices },
                   { "objects", counted.objects },
                   { "object_snapshots", counted.snapshots },
                   { "states", counted.states },
                   { "samples", counted.samples },
                   { "stacks", trace->stacks.stack_count },
                   { "strings", string_table_count(trace->strings) },
                   { "max_depth", counted.max_depth } };
    json_put_object(w, "counts");
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++)
        json_put_u64(w, COUNTS[i].key, COUNTS[i].count);
    json_object_end(w);
    write_nouns(trace, w);
    write_perspective(trace, w);
    json_put_object(w, "source_events");
    for (uint32_t i = 0; i < trace->records.event_kind_count; i++) {
        if (trace->records.event_kinds[i].count == 0) continue;
        json_key_bytes(w, trace_string(trace, trace->records.event_kinds[i].name));
        json_u64(w, trace->records.event_kinds[i].count);
    }
    json_object_end(w);
}

static void put_place_or_null(JsonWriter *w, const char *key, uint64_t value)
{
    if (value == ERR_NOWHERE)
        json_put_null(w, key);
    else
        json_put_u64(w, key, value);
}

static void write_warnings(const Trace *trace, JsonWriter *w)
{
    json_put_array(w, "warnings");
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        json_object_begin(w);
        json_put_string(w, "kind", warning->kind);
        json_put_u64(w, "count", warning->count);
        json_put_object(w, "first");
        put_place_or_null(w, "offset", warning->first.offset);
        put_place_or_null(w, "event", warning->first.event);
        json_put_string(w, "message", warning->first.message);
        json_object_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

/* Writes the properties of the file with the keys of the file. */
static void write_properties(const Trace *trace, uint64_t most_bytes, JsonWriter *w)
{
    json_put_object(w, "properties");
    for (uint32_t i = 0; i < trace->records.property_count; i++) {
        if (trace->records.properties[i].size > most_bytes) continue;
        json_key_bytes(w, trace_string(trace, trace->records.properties[i].key));
        json_raw(w, trace->records.properties[i].json, trace->records.properties[i].size);
    }
    json_object_end(w);
}

static void write_clock_syncs(const Trace *trace, JsonWriter *w)
{
    json_put_array(w, "clock_syncs");
    for (uint32_t i = 0; i < trace->records.clock_sync_count; i++) {
        const ClockSync *sync = &trace->records.clock_syncs[i];
        json_object_begin(w);
        json_key(w, "tick");
        info_write_tick(w, &trace->clock, sync->tick);
        json_put_view_or_null(w, "id", trace_string(trace, sync->id));
        json_put_view_or_null(w, "issue_time", trace_string(trace, sync->issue_time));
        json_object_end(w);
    }
    json_array_end(w);
}

void info_write_json(const Loaded *loaded, const char *name, uint64_t most_bytes, JsonWriter *w)
{
    json_object_begin(w);
    write_file(loaded, name, w);
    json_put_bool(w, "complete", loaded->trace->source.complete);
    write_time_range(loaded->trace, w);
    write_counts(loaded->trace, w);
    write_warnings(loaded->trace, w);
    write_properties(loaded->trace, most_bytes, w);
    write_clock_syncs(loaded->trace, w);
    json_object_end(w);
}
