#include "format/spall/records.h"
#include "base/checked.h"
#include "base/wide.h"
#include "format/spall/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* -- names, interned once per spelling -- */

static StringId intern_name(SpallReader *reader, const uint8_t *name, size_t size, EventPos pos)
{
    return spall_intern_text(reader->builder, (SpallText){ name, size, LAYOUT_MAX_TEXT }, pos,
                             &reader->out_of_memory);
}

LabelId spall_find_label(SpallReader *reader, const uint8_t *name, size_t size, EventPos pos)
{
    const LabelId *known = label_cache_find(reader->names.labels, (const char *)name, size, NULL, 0);
    if (known != NULL) return *known;
    LabelId label = builder_label(reader->builder, intern_name(reader, name, size, pos), STRING_NONE);
    if (!label_cache_put(reader->names.labels, (const char *)name, size, NULL, 0, label)) {
        reader->out_of_memory = true;
    }
    return label;
}

/* Returns the label of metadata and other records without a name. */
static LabelId plain_label(SpallReader *reader, const char *text)
{
    return builder_label(reader->builder, builder_string(reader->builder, text, strlen(text)), STRING_NONE);
}

/* -- threads -- */

void spall_enter_thread(SpallReader *reader, uint64_t pid, uint64_t tid)
{
    uint64_t      mixed = (pid * UINT64_C(0x9E3779B97F4A7C15) + tid) * UINT64_C(0xD1B54A32D192ED03);
    CachedThread *cached = &reader->threads[mixed >> 56];
    if (cached->track.index == 0 || cached->pid != pid || cached->tid != tid) {
        cached->pid = pid;
        cached->tid = tid;
        cached->process = builder_process(reader->builder, ident_uint(pid));
        cached->track = builder_thread(reader->builder, cached->process, ident_uint(tid));
    }
    reader->pid = pid;
    reader->tid = tid;
    reader->process = cached->process;
    reader->track = cached->track;
    reader->last_tick = spall_time_last(&reader->time, cached->track);
    if (reader->last_tick == NULL) {
        reader->last_tick = &reader->no_tick;
        reader->out_of_memory = true;
    }
}

/* -- records: each function returns the size of its record; if it is greater than `left`, the record was not read -- */

typedef struct Record {
    const uint8_t *head;  /* a copy or the record itself; LAYOUT_MAX_RECORD bytes are readable */
    const uint8_t *bytes; /* the record itself */
    size_t         left;  /* valid bytes at `bytes` */
    EventPos       pos;   /* of its Arguments, if it has some: details decodes both */
    unsigned       flags; /* EVENT_DETAILS if it has Arguments */
} Record;

/* The size of a record with a name, and its properties if the record is complete. */
typedef struct NamedEvent {
    size_t    size; /* > Record.left: the record was not read */
    EventHead head;
    unsigned  flags;
} NamedEvent;

/* Reads the properties that all records with a time and a name have. */
static NamedEvent read_named(SpallReader *reader, const RecordShape *shape, Record record)
{
    const size_t name_size = record.head[shape->name_length];
    const size_t args_size = shape->args_length == 0 ? 0 : record.head[shape->args_length];
    NamedEvent   event = { .size = shape->size + name_size + args_size };
    if (event.size > record.left) return event;
    const EventTime time = event_time(reader, record.head + shape->time, record.pos);
    event.flags = time.flags | record.flags;
    event.head =
        (EventHead){ .thread = reader->track,
                     .tick = time.tick,
                     .label = spall_find_label(reader, record.bytes + shape->size, name_size, record.pos),
                     .pos = record.pos };
    return event;
}

static uint16_t kind_of(SpallReader *reader, RecordKind kind)
{
    const char *name = layout_record_name(kind);
    return builder_event_kind(reader->builder, name, strlen(name));
}

static size_t read_begin(SpallReader *reader, const RecordShape *shape, Record record)
{
    const uint8_t *head = record.head;
    size_t         name_size = head[shape->name_length];
    size_t         args_size = shape->args_length == 0 ? 0 : head[shape->args_length];
    size_t         size = shape->size + name_size + args_size;
    if (UNLIKELY(size > record.left)) return size;
    select_thread(reader, shape, head);
    EventTime time = ordered_time(reader, head + shape->time, record.pos);
    LabelId   label = spall_find_label(reader, record.bytes + shape->size, name_size, record.pos);
    builder_begin(reader->builder, reader->track, time.tick, label, record.pos,
                  time.flags | record.flags | (begin_has_details(shape, head) ? EVENT_DETAILS : 0));
    return size;
}

static size_t read_end(SpallReader *reader, const RecordShape *shape, Record record)
{
    if (UNLIKELY(shape->size > record.left)) return shape->size;
    select_thread(reader, shape, record.head);
    EventTime time = ordered_time(reader, record.head + shape->time, record.pos);
    builder_end(reader->builder, reader->track, time.tick, LABEL_NONE, record.pos, time.flags);
    return shape->size;
}

/* Returns a duration in ticks. An invalid duration is 0 and sets *flags. */
static int64_t duration_ticks(SpallReader *reader, const uint8_t *field, EventPos pos, unsigned *flags)
{
    double  raw = bits_load_f64(field);
    int64_t ticks = 0;
    if (raw < 0) {
        builder_warn(reader->builder, "negative-duration", pos, "duration %g is negative, using 0", raw);
    } else if (spall_time_any(&reader->time, field, &ticks, pos)) {
        return ticks;
    }
    *flags |= EVENT_REPAIRED | EVENT_DETAILS;
    return 0;
}

static size_t read_complete(SpallReader *reader, const RecordShape *shape, Record record)
{
    size_t name_size = record.head[shape->name_length];
    size_t size = shape->size + name_size;
    if (size > record.left) return size;
    select_thread(reader, shape, record.head);
    unsigned  flags = name_size == LAYOUT_MAX_TEXT ? EVENT_DETAILS : 0;
    int64_t   duration = duration_ticks(reader, record.head + shape->duration, record.pos, &flags);
    unsigned  sub_bits = reader->time.sub_bits;
    EventTime begin = event_time(reader, record.head + shape->time, record.pos);
    if (reader->time.sub_bits != sub_bits) { /* the begin changed the resolution of the clock */
        duration = wide_mul_div_i64(duration, UINT64_C(1) << reader->time.sub_bits, UINT64_C(1) << sub_bits);
    }
    bool    clamped = false;
    int64_t end_tick = i64_add_clamped(begin.tick, duration, &clamped);
    if (clamped) {
        builder_warn(reader->builder, "bad-time", record.pos,
                     "the end of a duration is out of range, cut there");
        flags |= EVENT_REPAIRED | EVENT_DETAILS;
    }
    LabelId label = spall_find_label(reader, record.bytes + shape->size, name_size, record.pos);
    builder_complete(reader->builder, reader->track, begin.tick, end_tick, label, record.pos,
                     begin.flags | flags);
    return size;
}

/* Reads a BeginCacheHit. The table of names is not in the file, so the name is the slot's number. */
static size_t read_cache_hit(SpallReader *reader, const RecordShape *shape, Record record)
{
    if (shape->size > record.left) return shape->size;
    select_thread(reader, shape, record.head);
    EventTime time = ordered_time(reader, record.head + shape->time, record.pos);
    unsigned  slot = bits_load_u16(record.head + shape->number);
    char      name[32];
    snprintf(name, sizeof name, "(name in slot %u)", slot);
    builder_warn(reader->builder, "unsupported-record", record.pos,
                 "BeginCacheHit: the name of slot %u is not in the file", slot);
    builder_begin(reader->builder, reader->track, time.tick, plain_label(reader, name), record.pos,
                  time.flags);
    return shape->size;
}

/* Reads an Instant. The fork of spall-native that writes it shows it as a global marker. */
static size_t read_instant(SpallReader *reader, const RecordShape *shape, Record record)
{
    const NamedEvent event = read_named(reader, shape, record);
    if (event.size > record.left) return event.size;
    builder_instant(reader->builder, reader->track, event.head.tick, event.head.label, INSTANT_GLOBAL,
                    record.pos, event.flags | (begin_has_details(shape, record.head) ? EVENT_DETAILS : 0));
    return event.size;
}

static size_t read_thread_instant(SpallReader *reader, const RecordShape *shape, Record record)
{
    const NamedEvent event = read_named(reader, shape, record);
    if (event.size > record.left) return event.size;
    builder_instant(reader->builder, reader->track, event.head.tick, event.head.label, INSTANT_THREAD,
                    record.pos, event.flags | (begin_has_details(shape, record.head) ? EVENT_DETAILS : 0));
    return event.size;
}

/* Reads a value of a counter of the process. A value that is not finite is a gap. */
static size_t read_counter(SpallReader *reader, const RecordShape *shape, Record record)
{
    size_t name_size = record.head[shape->name_length];
    size_t size = shape->size + name_size;
    if (size > record.left) return size;
    EventTime time = event_time(reader, record.head + shape->time, record.pos);
    double    value = bits_load_f64(record.head + shape->value);
    StringId  name = intern_name(reader, record.bytes + shape->size, name_size, record.pos);
    CounterId counter = builder_counter(reader->builder, reader->process, name, STRING_NONE);
    builder_sample(reader->builder, builder_series(reader->builder, counter, name, 0), time.tick,
                   isfinite(value) ? value : NAN);
    builder_other(reader->builder, OTHER_EVENT, kind_of(reader, RECORD_COUNTER),
                  &(EventHead){ .thread = reader->track,
                                .tick = time.tick,
                                .label = builder_label(reader->builder, name, STRING_NONE),
                                .pos = record.pos });
    return size;
}

/* Reads a slice that is written at its end. A duration that reaches before the least tick becomes 0. */
static size_t read_whole_slice(SpallReader *reader, const RecordShape *shape, Record record)
{
    const NamedEvent event = read_named(reader, shape, record);
    if (event.size > record.left) return event.size;
    const int64_t end_tick = event.head.tick;
    uint64_t      duration = bits_load_u64(record.head + shape->duration);
    if (duration > (uint64_t)end_tick - (uint64_t)INT64_MIN) duration = 0;
    builder_complete(reader->builder, reader->track, (int64_t)((uint64_t)end_tick - duration), end_tick,
                     event.head.label, record.pos,
                     event.flags | (begin_has_details(shape, record.head) ? EVENT_DETAILS : 0));
    return event.size;
}

/* Reads an event of an asynchronous slice. An id belongs to its process. */
static size_t read_async(SpallReader *reader, const RecordShape *shape, Record record)
{
    static const AsyncKind ROLES[] = { ASYNC_BEGIN, ASYNC_END, ASYNC_INSTANT };
    const NamedEvent       event = read_named(reader, shape, record);
    if (event.size > record.left) return event.size;
    const unsigned role = record.head[shape->role];
    const AsyncId  id = builder_async_id(reader->builder, reader->process,
                                         (const char *)record.head + shape->id, sizeof(uint64_t));
    builder_async(reader->builder, ROLES[role < 2 ? role : 2], kind_of(reader, RECORD_ASYNC), id, &event.head,
                  event.flags | EVENT_DETAILS);
    return event.size;
}

/* Reads an event of a flow: its slice is the innermost one around it. An id belongs to its process. */
static size_t read_flow(SpallReader *reader, const RecordShape *shape, Record record)
{
    static const FlowRole ROLES[] = { FLOW_START, FLOW_FINISH, FLOW_STEP };
    const NamedEvent      event = read_named(reader, shape, record);
    if (event.size > record.left) return event.size;
    const unsigned role = record.head[shape->role];
    char           key[24];
    const int      key_size = snprintf(key, sizeof key, "%" PRIu64, bits_load_u64(record.head + shape->id));
    const FlowId   flow = builder_flow(reader->builder, reader->process,
                                       builder_string(reader->builder, key, (size_t)key_size), STRING_NONE);
    builder_flow_event(reader->builder, flow, ROLES[role < 2 ? role : 2], FLOW_BIND_ENCLOSING, &event.head);
    builder_other(reader->builder, OTHER_EVENT, kind_of(reader, RECORD_FLOW), &event.head);
    return event.size;
}

/* Returns the size of a Pad_Skip without its filler, or with the magic of a filler that contains records. */
static size_t read_pad_skip(SpallReader *reader, const RecordShape *shape, Record record)
{
    const size_t with_magic = shape->size + sizeof(uint32_t);
    reader->skip_left = bits_load_u32(record.head + shape->number);
    if (reader->layout != &SPALL_V3 || reader->skip_left < sizeof(uint32_t)) return shape->size;
    if (record.left >= with_magic && bits_load_u32(record.head + shape->size) != SPALL_RECORDS_MAGIC)
        return shape->size;
    return with_magic; /* if fewer bytes are left, the magic is read when they have arrived */
}

/* Reads Arguments up to the next record, which has them. */
static size_t read_arguments(SpallReader *reader, const RecordShape *shape, Record record)
{
    const size_t size = shape->size + (size_t)bits_load_u16(record.head + shape->number);
    if (size <= record.left) reader->arguments_at = record.pos.offset;
    return size;
}

static size_t read_name(SpallReader *reader, RecordKind kind, const RecordShape *shape, Record record)
{
    size_t name_size = record.head[shape->name_length];
    size_t size = shape->size + name_size;
    if (size > record.left) return size;
    StringId name = intern_name(reader, record.bytes + shape->size, name_size, record.pos);
    if (kind == RECORD_NAME_PROCESS) {
        builder_name_process(reader->builder, reader->process, name);
    } else {
        builder_name_thread(reader->builder, reader->track, name);
    }
    builder_other(reader->builder, OTHER_METADATA, kind_of(reader, kind),
                  &(EventHead){ .thread = reader->track,
                                .label = plain_label(reader, layout_record_name(kind)),
                                .pos = record.pos,
                                .is_timeless = true });
    return size;
}

static size_t read_record(SpallReader *reader, RecordKind kind, Record record)
{
    const RecordShape *shape = &reader->layout->shapes[kind];
    switch (kind) {
    case RECORD_BEGIN:
        return read_begin(reader, shape, record);
    case RECORD_END:
        return read_end(reader, shape, record);
    case RECORD_COMPLETE:
        return read_complete(reader, shape, record);
    case RECORD_CACHE_HIT:
        return read_cache_hit(reader, shape, record);
    case RECORD_INSTANT:
        return read_instant(reader, shape, record);
    case RECORD_THREAD_INSTANT:
        return read_thread_instant(reader, shape, record);
    case RECORD_COUNTER:
        return read_counter(reader, shape, record);
    case RECORD_WHOLE_SLICE:
        return read_whole_slice(reader, shape, record);
    case RECORD_ASYNC:
        return read_async(reader, shape, record);
    case RECORD_FLOW:
        return read_flow(reader, shape, record);
    case RECORD_ARGUMENTS:
        return read_arguments(reader, shape, record);
    case RECORD_NAME_PROCESS:
    case RECORD_NAME_THREAD:
        return read_name(reader, kind, shape, record);
    case RECORD_PAD_SKIP:
        return read_pad_skip(reader, shape, record);
    case RECORD_NONE:
    case RECORD_KINDS:
        break;
    }
    return 0;
}

/* True if the fixed part of a record is all zeros. In layouts whose Begin has type 0 this is a Begin without a name
 * at time 0, which recorders do not write. */
static bool is_zeros(const SpallLayout *layout, RecordKind kind, Record record)
{
    if (kind == RECORD_NONE) return true;
    size_t size = layout->shapes[kind].size;
    for (size_t i = 0; i < size; i++) {
        if (record.head[i] != 0) return false;
    }
    return record.left >= size;
}

/* Reads any record. Sets *taken to its size; 0 if it was not read, for the returned reason or for lack of bytes. */
static RunEnd read_any(SpallReader *reader, Record record, uint64_t frame_left, size_t *taken)
{
    const SpallLayout *layout = reader->layout;
    uint64_t           type = layout->id_size == 8 ? bits_load_u64(record.head) : record.head[0];
    RecordKind         kind = type < LAYOUT_TYPES ? (RecordKind)layout->kinds[type] : RECORD_NONE;
    if (type == 0 && is_zeros(layout, kind, record)) return RUN_ZEROS;
    if (kind == RECORD_NONE) return RUN_BAD_TYPE;
    size_t   size = read_record(reader, kind, record);
    uint64_t whole = kind == RECORD_PAD_SKIP ? layout->shapes[kind].size + reader->skip_left : size;
    if (whole > frame_left) return RUN_PAST_FRAME;
    if (size > record.left) return RUN_USED_UP;
    if (kind != RECORD_ARGUMENTS) reader->arguments_at = 0;
    if (kind == RECORD_PAD_SKIP && size > layout->shapes[kind].size) { /* its records follow */
        *taken = size;
        return RUN_USED_UP;
    }
    reader->event++;
    reader->counts[kind]++;
    *taken = size;
    return kind == RECORD_PAD_SKIP ? RUN_SKIP : RUN_USED_UP;
}

/* -- all records -- */

/* Returns the offset of the next records that were decoded ahead; UINT64_MAX = no such records. */
static uint64_t next_run(const SpallReader *reader)
{
    const AheadRun *run = ahead_run(&reader->ahead);
    return run == NULL ? UINT64_MAX : reader->ahead.begin + run->at;
}

/* Near the end of `bytes` the head of a record is copied and padded with zeros. The padding does not increase the
 * size of a record, and a record that exceeds the remaining bytes is not read. */
RunEnd spall_read_records(SpallReader *reader, const uint8_t *bytes, size_t size, uint64_t offset,
                          size_t *used)
{
    const SpallLayout *layout = reader->layout;
    const uint64_t     frame_left = reader->frame_left;
    const size_t       limit = frame_left < size ? (size_t)frame_left : size;
    uint8_t            copy[LAYOUT_MAX_RECORD];
    size_t             at = 0;
    RunEnd             end = RUN_USED_UP;
    if (limit > 0 && layout->frame_size != 0 && reader->track.index == 0) {
        spall_enter_thread(reader, reader->frame_pid, reader->frame_tid);
    }
    while (at < limit && end == RUN_USED_UP) {
        if (reader->arguments_at == 0) {
            at += spall_take_ahead(reader, bytes + at, limit - at, offset + at);
            const uint64_t next = next_run(reader);
            const size_t   most = next - offset - at < limit - at ? (size_t)(next - offset - at) : limit - at;
            at += spall_read_blocks(reader, bytes + at, size - at, most, offset + at);
            if (offset + at == next) continue;
        }
        if (at == limit) break;
        Record record = { bytes + at, bytes + at, limit - at, { offset + at, reader->event }, 0 };
        if (reader->arguments_at != 0) {
            record.pos.offset = reader->arguments_at;
            record.flags = EVENT_DETAILS;
        }
        if (size - at < LAYOUT_MAX_RECORD) {
            memset(copy, 0, sizeof copy);
            memcpy(copy, record.bytes, size - at);
            record.head = copy;
        }
        size_t taken = 0;
        end = read_any(reader, record, frame_left - at, &taken);
        if (taken == 0) break;
        at += taken;
    }
    if (layout->frame_size != 0) reader->frame_left -= at;
    *used = at;
    return end;
}
