#include "format/perf_data/reader.h"

#include "base/json_writer.h"
#include "codec/codec.h"
#include "format/input_text.h"
#include "format/perf_data/layout.h"
#include "format/perf_data/perf_data.h"
#include "trace/log/observe.h"

#include <stdio.h>
#include <string.h>

/* Limits on the parts of the file that are held in memory as a whole. */
static const uint64_t MOST_SECTION_BYTES = (uint64_t)64 << 20;

/* -- open -- */

static int perf_data_probe(const uint8_t *head, size_t size)
{
    const size_t magic = sizeof PERF_DATA_MAGIC - 1;
    return size >= magic && memcmp(head, PERF_DATA_MAGIC, magic) == 0 ? 100 : 0;
}

/* Releases the memory and the files that only the load needs. */
static void end_load(PerfKept *kept)
{
    perf_data_forget_all(kept);
    perf_names_close(&kept->names);
    perf_queue_release(&kept->queue);
    bytes_release(&kept->plain);
    decoder_close(kept->decoder);
    kept->decoder = NULL;
    arena_release(&kept->work);
}

static void release_kept(void *context)
{
    PerfKept *kept = context;
    end_load(kept);
    Arena arena = kept->arena; /* a copy, because `kept` is allocated in it */
    arena_release(&arena);
}

static PerfKept *create_kept(TraceBuilder *builder)
{
    Arena     arena = arena_create(0);
    PerfKept *kept = ARENA_NEW(&arena, PerfKept);
    if (kept == NULL) return NULL;
    kept->arena = arena;
    kept->work = arena_create(0);
    perf_events_open(&kept->events, &kept->arena);
    if (!perf_names_open(&kept->names, &kept->work, builder)) {
        release_kept(kept);
        return NULL;
    }
    builder_keep(builder, kept, release_kept);
    return kept;
}

static void *perf_data_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    PerfDataReader *reader = ARENA_NEW(arena, PerfDataReader);
    if (reader != NULL) {
        reader->arena = arena;
        reader->builder = builder;
        reader->kept = create_kept(builder);
        reader->kinds.arena = arena;
        reader->last_ns = INT64_MIN;
        perf_threads_open(&reader->threads, arena, builder);
    }
    if (reader == NULL || reader->kept == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->kept->queue.take = perf_data_take;
    reader->kept->queue.context = reader;
    return reader;
}

static void perf_data_configure(void *state, const ReadContext *context)
{
    PerfDataReader *reader = state;
    reader->again = context->again;
    reader->kept->names.context = *context;
}

static void warn_damaged(PerfDataReader *reader, const char *what)
{
    builder_warn(reader->builder, "bad-record", reader->pos, "%s cannot be decoded", what);
    builder_set_incomplete(reader->builder);
}

/* -- features -- */

static void put_property(PerfDataReader *reader, const char *key, StringView text)
{
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    json_string_bytes(&writer, text);
    if (json.failed)
        reader->failed = true;
    else
        builder_property(reader->builder, builder_string(reader->builder, key, strlen(key)),
                         (const char *)json.data, json.size);
    bytes_release(&json);
}

/* Reads a text with its size before it; it may be padded with zeros. */
static StringView take_string(ByteCursor *c)
{
    const uint32_t size = cursor_u32le(c);
    const uint8_t *bytes = cursor_take(c, size);
    const uint8_t *end = bytes == NULL || size == 0 ? NULL : (const uint8_t *)memchr(bytes, 0, size);
    if (bytes == NULL) return (StringView){ "", 0 };
    return (StringView){ (const char *)bytes, end == NULL ? size : (size_t)(end - bytes) };
}

/* The command line: a number of texts. They are joined. */
static void take_command(PerfDataReader *reader, StringView section)
{
    ByteCursor c = cursor_over(section.bytes, section.size, 0);
    Bytes      text = { 0 };
    for (uint32_t count = cursor_u32le(&c); count > 0 && !c.failed; count--) {
        const StringView part = take_string(&c);
        if (text.size > 0) bytes_append_text(&text, " ");
        bytes_append(&text, part.bytes, part.size);
    }
    reader->failed |= text.failed;
    if (!text.failed) put_property(reader, "cmdline", bytes_view(&text));
    bytes_release(&text);
}

/* A build id: i32 pid, 24 bytes with the id and its size behind 20 bytes, the path. */
static void take_build_id(PerfDataReader *reader, uint16_t misc, StringView body)
{
    enum { HAS_SIZE = 1 << 15, PATH_AT = 28 };
    ByteCursor     c = cursor_over(body.bytes, body.size, 0);
    PerfBuildId    id = { .size = PERF_BUILD_ID_BYTES };
    const uint8_t *bytes = (cursor_u32le(&c), cursor_take(&c, 24));
    if (bytes == NULL) return;
    if ((misc & HAS_SIZE) != 0 && bytes[20] <= PERF_BUILD_ID_BYTES) id.size = bytes[20];
    memcpy(id.bytes, bytes, PERF_BUILD_ID_BYTES);
    const char *path = body.bytes + PATH_AT;
    const char *end = (const char *)memchr(path, 0, body.size - PATH_AT);
    perf_names_tell_build_id(&reader->kept->names,
                             (StringView){ path, end == NULL ? body.size - PATH_AT : (size_t)(end - path) },
                             (misc & PERF_MODE_MASK) == PERF_MODE_KERNEL, &id);
}

static void take_build_ids(PerfDataReader *reader, StringView section)
{
    const uint8_t *bytes = (const uint8_t *)section.bytes;
    PerfRecord     record;
    bool           is_damaged;
    for (size_t at = 0, size; at < section.size; at += size) {
        size = perf_record_at(bytes + at, section.size - at, &record, &is_damaged);
        if (size == 0) return;
        take_build_id(reader, record.misc, record.body);
    }
}

static void take_formats(PerfDataReader *reader, StringView section)
{
    bool out_of_memory;
    if (perf_formats_read(&reader->kept->events.formats, section, &out_of_memory)) return;
    reader->failed |= out_of_memory;
    warn_damaged(reader, "the description of tracepoints");
}

static void take_feature(PerfDataReader *reader, uint64_t number, StringView section)
{
    static const struct {
        uint64_t    number;
        const char *key;
    } TEXTS[] = { { PERF_FEATURE_HOSTNAME, "hostname" },
                  { PERF_FEATURE_OSRELEASE, "os release" },
                  { PERF_FEATURE_VERSION, "perf version" },
                  { PERF_FEATURE_ARCH, "arch" },
                  { PERF_FEATURE_CPUDESC, "cpudesc" } };
    ByteCursor       c = cursor_over(section.bytes, section.size, 0);
    const StringView text = take_string(&c);
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        if (TEXTS[i].number == number && !c.failed) put_property(reader, TEXTS[i].key, text);
    if (number == PERF_FEATURE_OSRELEASE && !c.failed)
        reader->kept->names.kernel.release = input_text_intern(
            reader->builder, text, "the release of the system", reader->pos, &reader->failed);
    if (number == PERF_FEATURE_CMDLINE) take_command(reader, section);
    if (number == PERF_FEATURE_BUILD_ID) take_build_ids(reader, section);
    if (number == PERF_FEATURE_TRACING_DATA) take_formats(reader, section);
    if (number == PERF_FEATURE_EVENT_DESC && !perf_events_take_names(&reader->kept->events, section))
        warn_damaged(reader, "the list of events");
}

/* Reads a part of the input that may be behind the bytes that were read so far. False: the input does not have it. */
static bool read_part(PerfDataReader *reader, uint64_t offset, uint64_t size, Bytes *out)
{
    bytes_clear(out);
    if (reader->again.read == NULL || size == 0 || size > MOST_SECTION_BYTES) return false;
    void *room = bytes_reserve(out, (size_t)size);
    if (room == NULL) {
        reader->failed = true;
        return false;
    }
    if (reader->again.read(reader->again.context, offset, room, (size_t)size) < size) return false;
    bytes_grow(out, (size_t)size);
    return true;
}

/* The sections of the features are behind the records. An input that is read once has them too late. */
static void read_features(PerfDataReader *reader, const uint8_t *bits)
{
    Bytes    table = { 0 }, section = { 0 };
    uint64_t entry = reader->data_end;
    for (unsigned number = 0; number < PERF_FEATURE_COUNT && !reader->failed; number++) {
        if ((bits[number / 8] >> number % 8 & 1) == 0) continue;
        if (!read_part(reader, entry, PERF_SECTION_BYTES, &table)) break;
        if (read_part(reader, bits_load_u64(table.data), bits_load_u64(table.data + 8), &section))
            take_feature(reader, number, bytes_view(&section));
        entry += PERF_SECTION_BYTES;
    }
    bytes_release(&table);
    bytes_release(&section);
}

/* -- the header -- */

/* Returns the bytes of a section inside the header; { "", 0 } if it is not there. */
static StringView section_in(StringView header, uint64_t offset, uint64_t size)
{
    if (offset > header.size || size > header.size - offset) return (StringView){ "", 0 };
    return (StringView){ header.bytes + offset, (size_t)size };
}

static void take_attributes(PerfDataReader *reader, StringView header)
{
    const uint8_t *h = (const uint8_t *)header.bytes;
    const uint64_t attr_size = bits_load_u64(h + 16);
    StringView     attrs = section_in(header, bits_load_u64(h + 24), bits_load_u64(h + 32));
    if (attrs.size == 0 || attr_size < PERF_ATTR_LEAST_BYTES + PERF_SECTION_BYTES) {
        warn_damaged(reader, "the list of attributes");
        return;
    }
    for (; attrs.size >= attr_size; attrs.bytes += attr_size, attrs.size -= (size_t)attr_size) {
        const uint8_t   *ids = (const uint8_t *)attrs.bytes + attr_size - PERF_SECTION_BYTES;
        const StringView attr = { attrs.bytes, (size_t)attr_size - PERF_SECTION_BYTES };
        if (!perf_events_add(&reader->kept->events, attr,
                             section_in(header, bits_load_u64(ids), bits_load_u64(ids + 8))))
            warn_damaged(reader, "an attribute");
    }
}

static void settle_names(PerfDataReader *reader)
{
    if (reader->has_names) return;
    reader->has_names = true;
    perf_events_name(&reader->kept->events);
}

/* Reads the header, and all before the records. Returns the bytes used; 0: more are needed. */
static size_t take_header(PerfDataReader *reader, const uint8_t *bytes, size_t size)
{
    if (size < PERF_PIPE_HEADER_BYTES) return 0;
    const uint64_t header_size = bits_load_u64(bytes + 8);
    reader->data_end = UINT64_MAX;
    if (header_size == PERF_PIPE_HEADER_BYTES) {
        reader->stage = STAGE_RECORDS;
        return PERF_PIPE_HEADER_BYTES;
    }
    if (size < PERF_FILE_HEADER_BYTES) return 0;
    const uint64_t data = bits_load_u64(bytes + 40), data_size = bits_load_u64(bytes + 48);
    if (header_size < PERF_FILE_HEADER_BYTES || data < PERF_FILE_HEADER_BYTES || data > MOST_SECTION_BYTES) {
        warn_damaged(reader, "the header of the file");
        reader->stage = STAGE_REST;
        return size;
    }
    if (size < data) return 0;
    take_attributes(reader, (StringView){ (const char *)bytes, (size_t)data });
    if (data_size == 0)
        builder_warn(reader->builder, "unfinished-file", reader->pos,
                     "perf record did not end the file: events have the names of their types");
    if (data_size > 0 && data_size <= UINT64_MAX - data) {
        reader->data_end = data + data_size;
        read_features(reader, bytes + 72);
    }
    settle_names(reader);
    reader->stage = STAGE_RECORDS;
    return (size_t)data;
}

/* -- records -- */

/* Names of records, for the counts: perf_event.h of Linux 6.1. */
static const char *record_name(uint32_t type, char text[32])
{
    static const char *const KERNEL[] = { "record 0",     "MMAP",         "LOST",       "COMM",
                                          "EXIT",         "THROTTLE",     "UNTHROTTLE", "FORK",
                                          "READ",         "SAMPLE",       "MMAP2",      "AUX",
                                          "ITRACE_START", "LOST_SAMPLES", "SWITCH",     "SWITCH_CPU_WIDE",
                                          "NAMESPACES",   "KSYMBOL",      "BPF_EVENT",  "CGROUP",
                                          "TEXT_POKE" };
    if (type < sizeof KERNEL / sizeof KERNEL[0]) return KERNEL[type];
    (void)snprintf(text, 32, "record %u", type);
    return text;
}

/* Returns the kind of a record, or of the samples of an event, and counts one. `key` identifies it. */
static uint16_t count_kind(PerfDataReader *reader, uint64_t key, StringView name)
{
    enum { LONGEST = 64 };
    const uint32_t found = id_map_find(&reader->kinds, key);
    uint16_t       kind = (uint16_t)(found - 1);
    if (found == 0) {
        kind = builder_event_kind(reader->builder, name.bytes, name.size < LONGEST ? name.size : LONGEST);
        if (!id_map_put(&reader->kinds, key, (uint32_t)kind + 1)) reader->failed = true;
    }
    builder_count_events(reader->builder, kind, 1);
    return kind;
}

static uint16_t record_kind(PerfDataReader *reader, uint32_t type)
{
    char text[32];
    return count_kind(reader, (uint64_t)type + 1, c_string_view(record_name(type, text)));
}

/* Notes if the recording has times, and the first event that is otherwise. */
static void check_times(PerfDataReader *reader, const PerfSample *sample)
{
    if (!reader->has_first) {
        reader->has_first = true;
        reader->has_times = sample->has_time;
        if (!sample->has_time)
            builder_warn(reader->builder, "no-time", reader->pos,
                         "the recording has no times: an event is drawn as 1 µs");
    } else if (sample->has_time != reader->has_times) {
        builder_warn(reader->builder, "missing-time", reader->pos,
                     "an event without a time, or the only one with a time: kept, but not drawn");
    } else if (sample->time > INT64_MAX) {
        builder_warn(reader->builder, "bad-time", reader->pos,
                     "a time is beyond 63 bits of nanoseconds: the event is kept, but not drawn");
    }
}

/* Keeps a sample for `dump`, and has it drawn in the order of time. */
static void take_sample(PerfDataReader *reader, const PerfRecord *record)
{
    enum { ATTR_KEYS = 1 << 16 };
    PerfEvents *events = &reader->kept->events;
    PerfSample  sample;
    int64_t     ns;
    settle_names(reader);
    if (!perf_sample_decode(events, record, &sample)) {
        warn_damaged(reader, "a sample");
        return;
    }
    check_times(reader, &sample);
    const size_t   index = (size_t)(sample.attr - events->attrs.items);
    const StringId name = perf_data_event_name(reader, sample.attr);
    const uint16_t kind =
        count_kind(reader, ATTR_KEYS + (uint64_t)index * ATTR_KEYS, builder_text(reader->builder, name));
    const bool    is_drawn = perf_data_time(reader, &sample, reader->pos, &ns);
    const TrackId thread = perf_data_thread(reader, &sample);
    const bool    is_point = perf_data_format(reader, &sample) != NULL && is_drawn;
    if (!is_point)
        builder_other(reader->builder, OTHER_EVENT, kind,
                      &(EventHead){ .thread = thread,
                                    .tick = ns,
                                    .label = builder_label(reader->builder, name, STRING_NONE),
                                    .pos = reader->pos,
                                    .is_timeless = !is_drawn });
    else if (builder_is_observed(reader->builder))
        perf_data_point(reader, &sample, thread, ns, reader->pos);
    perf_queue_add(&reader->kept->queue, record, (uint64_t)ns, reader->pos);
}

/* Keeps a record of a task or a file for `dump`, and takes it in the order of time. */
static void take_change(PerfDataReader *reader, const PerfRecord *record)
{
    PerfSample     end;
    PerfTaskRecord task;
    const bool     has_time = perf_trailer_decode(&reader->kept->events, record, &end) && end.has_time;
    if (!perf_task_decode(record, &task)) { /* all of them begin with a pid and a tid */
        warn_damaged(reader, "a record");
        return;
    }
    builder_other(reader->builder, OTHER_METADATA, record_kind(reader, record->type),
                  &(EventHead){ .tick = (int64_t)end.time,
                                .pos = reader->pos,
                                .is_timeless = !has_time || end.time == 0 || end.time > INT64_MAX });
    perf_queue_add(&reader->kept->queue, record, has_time ? end.time : 0, reader->pos);
}

static void warn_lost(PerfDataReader *reader, const PerfRecord *record)
{
    ByteCursor c = cursor_over(record->body.bytes, record->body.size, 0);
    if (record->type == PERF_RECORD_LOST) (void)cursor_u64le(&c); /* the id */
    const uint64_t count = cursor_u64le(&c);
    if (count > 0)
        builder_warn(reader->builder, "events-lost", reader->pos, "the kernel lost %llu events here",
                     (unsigned long long)count);
}

static void take_record(PerfDataReader *reader, const PerfRecord *record);

/* Takes the records in decompressed bytes. Their stream is cut into records anywhere. */
static void take_plain(PerfDataReader *reader)
{
    Bytes     *plain = &reader->kept->plain;
    size_t     at = 0, size;
    PerfRecord record;
    bool       is_damaged = false;
    while (!reader->failed &&
           (size = perf_record_at(plain->data + at, plain->size - at, &record, &is_damaged)) > 0) {
        const bool is_nested =
            record.type == PERF_RECORD_COMPRESSED || record.type == PERF_RECORD_COMPRESSED2;
        if (!is_nested) take_record(reader, &record);
        at += size;
    }
    if (is_damaged) {
        warn_damaged(reader, "a compressed record");
        at = plain->size;
    }
    if (at > 0) memmove(plain->data, plain->data + at, plain->size - at);
    plain->size -= at;
}

/* Decompresses the bytes of a record: a part of one stream of zstd. */
static void take_compressed(PerfDataReader *reader, const PerfRecord *record)
{
    enum { STEP_BYTES = 256 << 10 };
    PerfKept   *kept = reader->kept;
    CodecStream stream = { .in = (const uint8_t *)record->body.bytes, .in_size = record->body.size };
    Err         err;
    if (record->type == PERF_RECORD_COMPRESSED2 &&
        stream.in_size >= sizeof(uint64_t)) { /* the size, padded data */
        const uint64_t size = bits_load_u64(stream.in);
        stream.in += sizeof size;
        stream.in_size -= sizeof size;
        if (size < stream.in_size) stream.in_size = (size_t)size;
    }
    if (kept->decoder == NULL) kept->decoder = decoder_open(CODEC_ZSTD, &err);
    DecodeState state = kept->decoder == NULL ? DECODE_FAILED : DECODE_MORE;
    while (state == DECODE_MORE && !reader->failed) {
        stream.out = bytes_reserve(&kept->plain, STEP_BYTES);
        stream.out_size = STEP_BYTES;
        if (stream.out == NULL) {
            reader->failed = true;
            return;
        }
        state = decoder_run(kept->decoder, &stream, &err);
        bytes_grow(&kept->plain, STEP_BYTES - stream.out_size);
        const bool is_empty = stream.in_size == 0 && stream.out_size > 0;
        take_plain(reader);
        if (is_empty) break;
    }
    if (state != DECODE_MORE && stream.in_size > 0)
        builder_warn(reader->builder, "bad-compression", reader->pos, "compressed records are left out: %s",
                     state == DECODE_FAILED ? err.message
                                            : "there are other bytes behind the compressed data");
}

/* Takes a record of a pipe: in a file its data is in the header or in a section. */
static void take_of_pipe(PerfDataReader *reader, const PerfRecord *record)
{
    PerfEvents      *events = &reader->kept->events;
    const StringView body = record->body;
    const uint8_t   *bytes = (const uint8_t *)body.bytes;
    bool             done = true;
    if (record->type == PERF_RECORD_ATTR) {
        const uint32_t size = body.size < PERF_ATTR_LEAST_BYTES ? UINT32_MAX : bits_load_u32(bytes + 4);
        done = size <= body.size && perf_events_add(events, (StringView){ body.bytes, size },
                                                    (StringView){ body.bytes + size, body.size - size });
    } else if (record->type == PERF_RECORD_EVENT_UPDATE) {
        done = perf_events_take_update(events, body);
    } else if (record->type == PERF_RECORD_BUILD_ID) {
        take_build_id(reader, record->misc, body);
    } else if (record->type == PERF_RECORD_FEATURE && body.size >= sizeof(uint64_t)) {
        take_feature(reader, bits_load_u64(bytes),
                     (StringView){ body.bytes + sizeof(uint64_t), body.size - sizeof(uint64_t) });
    }
    if (!done) warn_damaged(reader, "the attribute of an event");
}

static void take_record(PerfDataReader *reader, const PerfRecord *record)
{
    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        take_sample(reader, record);
        break;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        take_change(reader, record);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        (void)record_kind(reader, record->type);
        warn_lost(reader, record);
        break;
    case PERF_RECORD_FINISHED_ROUND:
        perf_queue_end_round(&reader->kept->queue);
        break;
    case PERF_RECORD_COMPRESSED:
    case PERF_RECORD_COMPRESSED2:
        take_compressed(reader, record);
        break;
    default:
        if (record->type < PERF_RECORD_OF_PERF)
            (void)record_kind(reader, record->type);
        else
            take_of_pipe(reader, record);
        break;
    }
    reader->event_count++;
}

/* Returns the number of bytes that belong to a record and are behind it. */
static uint64_t bytes_behind(const PerfRecord *record)
{
    const uint8_t *body = (const uint8_t *)record->body.bytes;
    if (record->type == PERF_RECORD_TRACING_DATA && record->body.size >= sizeof(uint32_t))
        return ((uint64_t)bits_load_u32(body) + 7) & ~UINT64_C(7);
    if (record->type == PERF_RECORD_AUXTRACE && record->body.size >= sizeof(uint64_t))
        return bits_load_u64(body);
    return 0;
}

/* Takes the records at the begin of the bytes. Returns the bytes used. */
static size_t take_records(PerfDataReader *reader, const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (reader->stage == STAGE_RECORDS && at < size && !reader->failed &&
           !builder_failed(reader->builder)) {
        PerfRecord record;
        bool       is_damaged;
        if (reader->base + at >= reader->data_end) {
            reader->stage = STAGE_REST;
            break;
        }
        reader->pos = (EventPos){ reader->base + at, reader->event_count };
        const size_t used = perf_record_at(bytes + at, size - at, &record, &is_damaged);
        if (is_damaged) {
            warn_damaged(reader, "a record");
            reader->stage = STAGE_REST;
        }
        if (used == 0) break;
        const uint64_t behind = bytes_behind(&record);
        if (record.type == PERF_RECORD_TRACING_DATA && behind <= MOST_SECTION_BYTES) {
            if (behind > size - at - used) break; /* its data is behind it */
            take_formats(reader, (StringView){ (const char *)bytes + at + used, (size_t)behind });
        } else {
            take_record(reader, &record);
        }
        reader->passes = behind;
        at += used;
        const uint64_t here = reader->passes < size - at ? reader->passes : size - at;
        reader->passes -= here;
        at += (size_t)here;
        if (reader->passes > 0) break;
    }
    return at;
}

/* -- the input -- */

static void finish(PerfDataReader *reader, size_t left)
{
    PerfKept   *kept = reader->kept;
    SampleGaps *gaps = &reader->threads.gaps;
    if ((left > 0 && reader->stage != STAGE_REST) || reader->passes > 0 ||
        (reader->stage == STAGE_RECORDS && reader->data_end != UINT64_MAX &&
         reader->base < reader->data_end)) {
        builder_warn(reader->builder, "truncated", (EventPos){ reader->base, reader->event_count },
                     "the input ends inside the records");
        builder_set_incomplete(reader->builder);
    }
    perf_queue_end(&kept->queue);
    sched_finish(&reader->threads.sched, reader->last_ns, reader->pos);
    sample_gaps_finish(gaps, reader->builder, reader->has_times ? sample_gaps_usual(gaps) : PERF_STEP_NS);
    perf_names_report(&kept->names);
    end_load(kept);
}

static bool perf_data_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                           Err *err)
{
    PerfDataReader *reader = state;
    PerfKept       *kept = reader->kept;
    size_t          at = reader->passes < size ? (size_t)reader->passes : size;
    reader->passes -= at;
    reader->base += at;
    if (reader->stage == STAGE_HEADER && at < size) {
        const size_t header = take_header(reader, bytes + at, size - at);
        at += header;
        reader->base += header;
    }
    if (reader->stage == STAGE_RECORDS) {
        const size_t records = take_records(reader, bytes + at, size - at);
        at += records;
        reader->base += records;
    }
    if (reader->stage == STAGE_REST) {
        reader->base += size - at;
        at = size;
    }
    if (input == INPUT_ENDS) {
        finish(reader, size - at);
        at = size;
    }
    *used = at;
    const bool failed = reader->failed || reader->threads.failed || reader->threads.sched.failed ||
                        kept->events.failed || kept->names.failed || perf_queue_failed(&kept->queue) ||
                        kept->plain.failed;
    return !failed || err_set(err, ERR_MEMORY, "out of memory");
}

const FormatReader PERF_DATA_READER = {
    .name = "perf-data",
    .spec = "perf.data, Linux 6.1 (perf.data-file-format.txt)",
    .about = "Samples and tracepoints of Linux: the file of `perf record`. Usual names: perf.data, *.data.",
    .probe = perf_data_probe,
    .open = perf_data_open,
    .configure = perf_data_configure,
    .read = perf_data_read,
    .details = perf_data_details,
};
