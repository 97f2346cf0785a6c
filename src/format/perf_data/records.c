/* The records of a perf.data, and the details of the records that `dump` prints. */
#include "base/json_writer.h"
#include "format/perf_data/kept.h"
#include "format/perf_data/layout.h"

#include <inttypes.h>
#include <string.h>

size_t perf_record_at(const uint8_t *bytes, size_t size, PerfRecord *record, bool *is_damaged)
{
    *is_damaged = false;
    if (size < PERF_RECORD_HEADER_BYTES) return 0;
    const size_t whole = bits_load_u16(bytes + 6);
    *is_damaged = whole < PERF_RECORD_HEADER_BYTES;
    if (*is_damaged || whole > size) return 0;
    *record =
        (PerfRecord){ bits_load_u32(bytes),
                      bits_load_u16(bytes + 4),
                      { (const char *)bytes + PERF_RECORD_HEADER_BYTES, whole - PERF_RECORD_HEADER_BYTES } };
    return whole;
}

/* Returns the text up to the next zero byte, or the end. */
static StringView text_at(const ByteCursor *c)
{
    const size_t   left = cursor_left(c);
    const uint8_t *begin = c->bytes + c->at,
                  *end = left == 0 ? NULL : (const uint8_t *)memchr(begin, 0, left);
    return (StringView){ left == 0 ? "" : (const char *)begin, end == NULL ? left : (size_t)(end - begin) };
}

bool perf_task_decode(const PerfRecord *record, PerfTaskRecord *task)
{
    ByteCursor c = cursor_over(record->body.bytes, record->body.size, 0);
    *task = (PerfTaskRecord){ .pid = cursor_u32le(&c), .comm = { "", 0 } };
    if (record->type == PERF_RECORD_COMM) {
        task->tid = cursor_u32le(&c);
        task->comm = text_at(&c);
    } else {
        task->parent_pid = cursor_u32le(&c);
        task->tid = cursor_u32le(&c);
        task->parent_tid = cursor_u32le(&c);
    }
    return !c.failed;
}

bool perf_map_decode(const PerfRecord *record, PerfMapRecord *map)
{
    ByteCursor c = cursor_over(record->body.bytes, record->body.size, 0);
    *map = (PerfMapRecord){ .pid = cursor_u32le(&c) };
    (void)cursor_u32le(&c); /* the thread */
    map->place.begin = cursor_u64le(&c);
    const uint64_t length = cursor_u64le(&c);
    map->place.end = length > UINT64_MAX - map->place.begin ? UINT64_MAX : map->place.begin + length;
    map->place.offset = cursor_u64le(&c);
    if (record->type == PERF_RECORD_MMAP2) {
        const uint8_t *id = cursor_take(&c, 24); /* device and inode; or size, 3 bytes, build id */
        if (id != NULL && (record->misc & PERF_MISC_BUILD_ID) != 0 && id[0] <= PERF_BUILD_ID_BYTES) {
            map->build_id.size = id[0];
            memcpy(map->build_id.bytes, id + 4, id[0]);
        }
        (void)cursor_u64le(&c); /* protection, flags */
    }
    map->path = text_at(&c);
    return !c.failed;
}

/* -- details -- */

static void put_field(JsonWriter *w, const PerfField *field, StringView raw)
{
    if (field->kind == PERF_FIELD_OTHER) return;
    json_key_bytes(w, field->name);
    if (field->kind == PERF_FIELD_NUMBER && field->size == sizeof(uint64_t) && !field->is_signed)
        json_u64(w, (uint64_t)perf_field_number(field, raw));
    else if (field->kind == PERF_FIELD_NUMBER)
        json_i64(w, perf_field_number(field, raw));
    else
        json_string_bytes(w, perf_field_text(field, raw));
}

static void put_addresses(JsonWriter *w, const PerfSample *sample)
{
    if (sample->has_ip) json_put_printf(w, "ip", "0x%" PRIx64, sample->ip);
    if (sample->chain_count == 0) return;
    json_put_array(w, "callchain");
    for (uint64_t i = 0; i < sample->chain_count; i++) {
        const uint64_t address = bits_load_u64(sample->chain + i * sizeof address);
        if (address == PERF_CONTEXT_KERNEL)
            json_string(w, "kernel");
        else if (address == PERF_CONTEXT_USER)
            json_string(w, "user");
        else
            json_string_printf(w, "0x%" PRIx64, address);
    }
    json_array_end(w);
}

static bool put_sample(const PerfEvents *events, const PerfRecord *record, JsonWriter *args,
                       JsonWriter *other)
{
    PerfSample sample;
    if (!perf_sample_decode(events, record, &sample)) return false;
    const PerfFormat *format = sample.attr->type == PERF_TYPE_TRACEPOINT
                                   ? perf_formats_find(&events->formats, sample.attr->config)
                                   : NULL;
    for (size_t i = 0; format != NULL && i < format->fields.count; i++)
        put_field(args, &format->fields.items[i], sample.raw);
    if (sample.has_cpu) json_put_u64(other, "cpu", sample.cpu);
    if (sample.period != 0) json_put_u64(other, "period", sample.period);
    put_addresses(other, &sample);
    return true;
}

static bool put_task(const PerfRecord *record, JsonWriter *args)
{
    PerfTaskRecord task;
    if (!perf_task_decode(record, &task)) return false;
    json_put_u64(args, "pid", task.pid);
    json_put_u64(args, "tid", task.tid);
    if (record->type == PERF_RECORD_COMM) {
        json_put_view(args, "comm", task.comm);
    } else {
        json_put_u64(args, "parent_pid", task.parent_pid);
        json_put_u64(args, "parent_tid", task.parent_tid);
    }
    return true;
}

static bool put_map(const PerfRecord *record, JsonWriter *args)
{
    PerfMapRecord map;
    if (!perf_map_decode(record, &map)) return false;
    json_put_view(args, "path", map.path);
    json_put_printf(args, "begin", "0x%" PRIx64, map.place.begin);
    json_put_printf(args, "end", "0x%" PRIx64, map.place.end);
    json_put_printf(args, "offset", "0x%" PRIx64, map.place.offset);
    return true;
}

static bool put_record(const PerfEvents *events, const PerfRecord *record, JsonWriter *args,
                       JsonWriter *other)
{
    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        return put_sample(events, record, args, other);
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return put_task(record, args);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return put_map(record, args);
    default: /* compressed records have no details */
        return true;
    }
}

bool perf_data_details(const Trace *trace, const EventBytes *begin, const EventBytes *end,
                       EventDetails *details, Err *err)
{
    const PerfKept *kept = trace->source.kept;
    PerfRecord      record;
    bool            is_damaged;
    (void)end;
    if (begin->bytes == NULL || kept == NULL) return true;
    const size_t size = perf_record_at(begin->bytes, begin->size, &record, &is_damaged);
    if (size == 0 && !is_damaged)
        return err_set_at(err, ERR_TRUNCATED, begin->offset, ERR_NOWHERE, "the record is cut short");
    JsonWriter args = json_writer_to(&details->args, 0), other = json_writer_to(&details->other, 0);
    json_object_begin(&args);
    json_object_begin(&other);
    const bool done = size > 0 && put_record(&kept->events, &record, &args, &other);
    json_object_end(&args);
    json_object_end(&other);
    if (details->args.size == 2) bytes_clear(&details->args);
    if (details->other.size == 2) bytes_clear(&details->other);
    if (!done)
        return err_set_at(err, ERR_CORRUPT, begin->offset, ERR_NOWHERE,
                          "there is no sound record at this offset");
    return !(details->args.failed || details->other.failed) || err_set(err, ERR_MEMORY, "out of memory");
}
