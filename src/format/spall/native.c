#include "format/spall/native.h"

#include "base/json_writer.h"
#include "format/label_cache.h"
#include "format/spall/native_names.h"
#include "format/spall/text.h"
#include "format/spall/time.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    HEADER_BYTES = 34,
    PROOF_RECORDS = 64,    /* this number of valid records in a row proves the layout */
    TAIL_BYTES = 64,       /* a shorter run of zeros may be records */
    DAMAGE_BYTES = 1 << 20 /* a longer run of zeros is not records, whatever follows it */
};

/* The meaning of the next byte of the input. */
typedef enum {
    STAGE_HEADER,
    STAGE_FRAME, /* a buffer's header */
    STAGE_RECORDS,
    STAGE_DROP /* the rest of a damaged buffer */
} Stage;

typedef enum { STEP_AGAIN, STEP_WAIT, STEP_FAILED } Step;

struct NativeReader {
    Arena              *arena;   /* borrowed */
    TraceBuilder       *builder; /* borrowed */
    ReadContext         context;
    const NativeLayout *layout; /* static; NULL until the header was read */
    NativeKept         *kept;   /* owned by the builder; NULL until the header was read */
    LabelCache         *labels; /* of named Begins */
    NativeNames         names;  /* of addresses */
    SpallTime           time;
    Stage               stage;
    uint64_t            offset; /* of the bytes passed to native_read */
    uint64_t            event;  /* index of the next record */
    uint64_t            counts[NATIVE_KINDS];
    bool                out_of_memory;

    uint64_t    frame_offset, frame_size, frame_left;
    uint32_t    frame_tid;
    NativeState state;
    uint64_t    mark_at; /* the next record from this offset on gets a mark */
    /* A run of zero bytes: records, or the end of the data. Undecided until another byte follows. */
    EventPos zeros;
    uint64_t zeros_frame_left; /* frame_left at its start */
    uint64_t zero_records;     /* zero bytes in the records of a buffer */
    uint64_t zero_frames;      /* zero bytes in the headers of the buffers that follow */

    ProcessId process;
    TrackId   track;     /* TRACK_NONE = not known yet */
    int64_t  *last_tick; /* its latest time */
    int64_t   no_tick;   /* target of last_tick when out of memory */
    MarkBatch batch;
};

static EventPos reader_pos(const NativeReader *reader, uint64_t offset)
{
    return (EventPos){ offset, reader->event };
}

NativeReader *native_open(Arena *arena, TraceBuilder *builder, const ReadContext *context)
{
    NativeReader *reader = ARENA_NEW(arena, NativeReader);
    LabelCache   *labels = reader == NULL ? NULL : label_cache_create(arena);
    if (labels == NULL) return NULL;
    reader->arena = arena;
    reader->builder = builder;
    reader->context = *context;
    reader->labels = labels;
    return reader;
}

/* -- the file's header -- */

static void put_property(NativeReader *reader, const char *key, Bytes *json)
{
    if (json->failed) {
        reader->out_of_memory = true;
    } else {
        builder_property(reader->builder, builder_string(reader->builder, key, strlen(key)),
                         (const char *)json->data, json->size);
    }
    bytes_release(json);
}

static void put_text_property(NativeReader *reader, const char *key, StringView text)
{
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    json_string_bytes(&writer, text);
    put_property(reader, key, &json);
}

static void put_properties(NativeReader *reader, double unit, const NativeProgram *program)
{
    char       address[24];
    int        size = snprintf(address, sizeof address, "0x%" PRIx64, program->address);
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    json_double(&writer, unit);
    put_property(reader, "timestamp_unit", &json);
    put_text_property(reader, "stream", STRING_LITERAL("auto"));
    put_text_property(reader, "program_path", program->path);
    put_text_property(reader, reader->layout->has_base ? "base_address" : "known_address",
                      (StringView){ address, (size_t)size });
}

static void release_kept(void *context)
{
    NativeKept *kept = context;
    symbols_close(kept->symbols);
    vec_release(&kept->marks);
    Arena arena = kept->arena; /* a copy, because `kept` is allocated in it */
    arena_release(&arena);
}

static bool keep(NativeReader *reader)
{
    Arena       arena = arena_create(0);
    NativeKept *kept = ARENA_NEW(&arena, NativeKept);
    if (kept == NULL) return false;
    kept->arena = arena;
    kept->layout = reader->layout;
    reader->kept = kept;
    builder_keep(reader->builder, kept, release_kept);
    return true;
}

/* Names the process after its program. */
static void name_process(NativeReader *reader, StringView path)
{
    size_t at = path.size;
    while (at > 0 && path.bytes[at - 1] != '/' && path.bytes[at - 1] != '\\')
        at--;
    reader->process = builder_process(reader->builder, ident_uint(0));
    if (at == path.size) return;
    SpallText name = { (const uint8_t *)path.bytes + at, path.size - at, SIZE_MAX };
    EventPos  pos = { HEADER_BYTES, ERR_NOWHERE };
    builder_name_process(reader->builder, reader->process,
                         spall_intern_text(reader->builder, name, pos, &reader->out_of_memory));
}

static Step read_header(NativeReader *reader, ByteCursor *cursor, InputState input, Err *err)
{
    static const SpallLayout CLOCK = { .unit_ns = 1, .time = TIME_U64 };
    ByteCursor               header = *cursor;
    NativeProgram            program;
    size_t                   size = cursor_left(cursor);
    (void)cursor_u64le(&header); /* the magic */
    uint64_t version = cursor_u64le(&header);
    reader->layout = native_layout_of_version(version);
    if (!header.failed && reader->layout == NULL) {
        err_set_at(err, ERR_VERSION, 8, ERR_NOWHERE, "unsupported auto-tracing version %" PRIu64, version);
        return STEP_FAILED;
    }
    double unit = cursor_f64le(&header);
    program.address = cursor_u64le(&header);
    program.path.size = cursor_u16le(&header);
    program.path.bytes = (const char *)cursor_take(&header, program.path.size);
    if (header.failed) {
        if (input == INPUT_CONTINUES) return STEP_WAIT;
        err_set_at(err, ERR_TRUNCATED, 0, ERR_NOWHERE, "file too short for a spall header: %zu of %zu bytes",
                   size, HEADER_BYTES + program.path.size);
        return STEP_FAILED;
    }
    if (!keep(reader)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return STEP_FAILED;
    }
    *cursor = header;
    builder_set_version(reader->builder, reader->layout->version);
    builder_set_rules(reader->builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_THREAD_END);
    builder_set_end_kind(reader->builder, "MicroEnd");
    spall_time_open(&reader->time, reader->builder, reader->arena, &CLOCK, unit,
                    (EventPos){ 16, ERR_NOWHERE });
    put_properties(reader, unit, &program);
    name_process(reader, program.path);
    native_names_open(&reader->names, reader->builder, reader->arena, reader->kept, &reader->context,
                      &program);
    reader->stage = STAGE_FRAME;
    return STEP_AGAIN;
}

/* -- records to the builder -- */

static void flush_batch(NativeReader *reader)
{
    if (reader->batch.count == 0) return;
    reader->kept->recent_count = reader->batch.count;
    builder_add_marks(reader->builder, reader->track, &reader->batch);
    reader->batch.count = reader->kept->recent_count = 0;
}

static void enter_thread(NativeReader *reader)
{
    reader->track = builder_thread(reader->builder, reader->process, ident_uint(reader->frame_tid));
    reader->last_tick = spall_time_last(&reader->time, reader->track);
    if (reader->last_tick == NULL) {
        reader->last_tick = &reader->no_tick;
        reader->out_of_memory = true;
    }
}

static LabelId named_label(NativeReader *reader, const uint8_t *name, size_t size, EventPos pos)
{
    const LabelId *known = label_cache_find(reader->labels, (const char *)name, size, NULL, 0);
    if (known != NULL) return *known;
    SpallText text = { name, size, NATIVE_MAX_TEXT };
    StringId  shown = spall_intern_text(reader->builder, text, pos, &reader->out_of_memory);
    LabelId   label = builder_label(reader->builder, shown, STRING_NONE);
    if (!label_cache_put(reader->labels, (const char *)name, size, NULL, 0, label))
        reader->out_of_memory = true;
    return label;
}

/* Returns the tick of the decoded record. Sets EVENT_DETAILS in *flags if the details must show the time as written. */
static int64_t record_tick(NativeReader *reader, EventPos pos, uint32_t *flags)
{
    int64_t tick;
    if (UNLIKELY(spall_time_read_u64(&reader->time, reader->state.time, &tick) >> 63 != 0)) {
        flush_batch(reader); /* the clock changes: the builder must have all times so far */
        tick = spall_time_large(&reader->time, reader->state.time, pos);
    }
    if (UNLIKELY(tick < *reader->last_tick)) {
        *flags |= EVENT_DETAILS;
    } else {
        *reader->last_tick = tick;
    }
    return tick;
}

/* Passes a record at `offset` to the builder. The decoding state is that after the record. */
static void take_record(NativeReader *reader, const NativeRecord *record, const uint8_t *bytes,
                        uint64_t offset)
{
    EventPos pos = reader_pos(reader, offset);
    uint32_t flags = 0, label = 0;
    if (reader->track.index == 0) enter_thread(reader);
    switch (record->kind) {
    case NATIVE_BEGIN:
        label = native_names_find(&reader->names, reader->state.address, pos).index;
        flags = EVENT_DETAILS;
        break;
    case NATIVE_NAMED:
        label = named_label(reader, bytes + record->name_at, record->name_size, pos).index;
        if (record->args_size > 0 || record->name_size == NATIVE_MAX_TEXT) flags = EVENT_DETAILS;
        break;
    case NATIVE_END:
    case NATIVE_KINDS:
        flags = MARK_END;
        break;
    }
    int64_t tick = record_tick(reader, pos, &flags);
    if (!mark_batch_takes(&reader->batch, pos)) flush_batch(reader);
    assert(reader->batch.count < sizeof reader->kept->recent / sizeof reader->kept->recent[0]);
    reader->kept->recent[reader->batch.count] = (NativeSite){ offset, reader->state };
    mark_batch_add(&reader->batch, tick, (LabelId){ label }, pos, flags);
    reader->counts[record->kind]++;
    reader->event++;
}

/* Stores the decoding state at the record at `offset`, if a mark is due. */
static void keep_mark(NativeReader *reader, uint64_t offset, const NativeState *state)
{
    if (LIKELY(offset < reader->mark_at) || !reader->layout->is_packed) return;
    NativeSite site = { offset, *state };
    vec_push(&reader->kept->marks, site);
    if (reader->kept->marks.bytes.failed) reader->out_of_memory = true;
    reader->mark_at = offset + NATIVE_MARK_BYTES;
}

/* -- damage -- */

static Step refuse_unreleased(const NativeReader *reader, EventPos pos, Err *err)
{
    err_set_at(err, ERR_VERSION, pos.offset, pos.event,
               "auto-tracing version %s file from an unreleased spall-native build; re-record with a current "
               "recorder",
               reader->layout->version);
    return STEP_FAILED;
}

/* True if the layout is certain. Versions 1 and 2 also have unreleased layouts: a file with an invalid record is
 * taken for one of them unless PROOF_RECORDS records were valid. */
static bool is_proven(const NativeReader *reader)
{
    return reader->layout->is_released || reader->event >= PROOF_RECORDS;
}

/* Skips the rest of the buffer with a warning. */
static Step leave_buffer(NativeReader *reader, EventPos pos, const char *kind, const char *sentence, Err *err)
{
    if (!is_proven(reader)) return refuse_unreleased(reader, pos, err);
    builder_warn(reader->builder, kind, pos, "%s; the rest of its buffer is left out", sentence);
    builder_set_incomplete(reader->builder);
    reader->stage = STAGE_DROP;
    return STEP_AGAIN;
}

static Step meet_bad_record(NativeReader *reader, EventPos pos, const uint8_t *bytes, Err *err)
{
    enum { TYPE_AT = 7 };
    char sentence[64];
    if (reader->layout->is_packed) {
        (void)snprintf(sentence, sizeof sentence, "invalid record tag 0x%02x", bytes[0]);
    } else {
        (void)snprintf(sentence, sizeof sentence, "invalid record type %u", bytes[TYPE_AT]);
    }
    return leave_buffer(reader, pos, "invalid-record", sentence, err);
}

static Step meet_long_record(NativeReader *reader, EventPos pos, Err *err)
{
    char sentence[96];
    (void)snprintf(sentence, sizeof sentence,
                   "record runs past the end of its buffer, %" PRIu64 " bytes left in it",
                   reader->frame_left);
    return leave_buffer(reader, pos, "record-past-buffer", sentence, err);
}

/* -- zeros --
 *
 * Four zero bytes are a valid packed record: the same function, caller and time as the record before. A valid file
 * with a coarse clock may have a few of them. The tail of a file that was preallocated, or whose system crashed, is
 * zeros as well. So a run of zeros stays undecided until the bytes after it are known. */

static void put_off_zeros(NativeReader *reader, uint64_t offset, uint64_t size)
{
    if (reader->zero_records == 0) {
        reader->zeros = reader_pos(reader, offset);
        reader->zeros_frame_left = reader->frame_left;
    }
    reader->zero_records += size;
}

/* True if the run is too long to be records, whatever follows it. */
static bool zeros_are_damage(const NativeReader *reader)
{
    return !reader->layout->is_packed || reader->zero_records + reader->zero_frames > DAMAGE_BYTES;
}

/* Decides a run of zeros that other bytes follow: it was records, or damage. */
static Step settle_zeros(NativeReader *reader, Err *err)
{
    assert(reader->zero_records > 0);
    enum { RECORD_SIZE = 4 };
    static const NativeRecord RECORD = { .kind = NATIVE_BEGIN, .size = RECORD_SIZE };
    uint64_t                  size = reader->zero_records;
    bool                      damage = zeros_are_damage(reader);
    reader->zero_records = reader->zero_frames = 0;
    if (damage) {
        char sentence[64];
        (void)snprintf(sentence, sizeof sentence, "%" PRIu64 " zero bytes where records should be", size);
        return leave_buffer(reader, reader->zeros, "invalid-record", sentence, err);
    }
    for (uint64_t at = 0; at + RECORD_SIZE <= size; at += RECORD_SIZE)
        take_record(reader, &RECORD, NULL, reader->zeros.offset + at);
    return STEP_AGAIN;
}

/* Returns the offset from which the next call needs the input: the begin of zeros that may still be records, because
 * their bytes are needed to decode them. */
static uint64_t go_back_to_zeros(NativeReader *reader, uint64_t offset)
{
    if (reader->zero_records == 0 || zeros_are_damage(reader)) return offset;
    assert(reader->zeros.offset <= offset);
    reader->frame_left = reader->zeros_frame_left;
    reader->zero_records = reader->zero_frames = 0;
    reader->stage = STAGE_RECORDS;
    return reader->zeros.offset;
}

static size_t zero_prefix(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    while (count < size && bytes[count] == 0)
        count++;
    return count;
}

/* Decides a run of zeros at the end of the input; `rest` more zero bytes follow it. */
static Step end_zeros(NativeReader *reader, uint64_t offset, size_t rest, Err *err)
{
    bool frames =
        /* a single header may be an empty buffer */
        rest > 0 || reader->zero_frames > reader->layout->frame_size;
    if (reader->zero_records > 0 && reader->zero_records < TAIL_BYTES && reader->layout->is_packed)
        return settle_zeros(reader, err);
    if (reader->zero_records == 0 && !frames) return STEP_AGAIN;
    if (reader->zero_records + reader->zero_frames == 0) reader->zeros = reader_pos(reader, offset);
    builder_warn(reader->builder, "zero-tail", reader->zeros,
                 "%" PRIu64 " zero bytes where records should be",
                 reader->zero_records + reader->zero_frames + rest);
    return STEP_AGAIN;
}

/* -- stages -- */

static Step read_frame(NativeReader *reader, ByteCursor *cursor, Err *err)
{
    assert(reader->frame_left == 0);
    const NativeLayout *layout = reader->layout;
    uint64_t            offset = cursor_offset(cursor);
    ByteCursor          header = *cursor;
    const uint8_t      *bytes = cursor_take(&header, layout->frame_size);
    if (bytes == NULL) return STEP_WAIT;
    if (zero_prefix(bytes, layout->frame_size) == layout->frame_size) {
        if (reader->zero_records + reader->zero_frames == 0) reader->zeros = reader_pos(reader, offset);
        reader->zero_frames += layout->frame_size;
        *cursor = header;
        return STEP_AGAIN;
    }
    if (reader->zero_records > 0) { /* in the previous buffer, whose thread is still current */
        if (settle_zeros(reader, err) == STEP_FAILED) return STEP_FAILED;
    }
    flush_batch(reader);
    reader->zero_frames = 0;
    *cursor = header;
    reader->frame_offset = offset;
    reader->frame_size = reader->frame_left = bits_load_u32(bytes);
    reader->frame_tid = bits_load_u32(bytes + 4);
    reader->track = TRACK_NONE;
    reader->state =
        (NativeState){ .time = layout->first_ts == 0 ? 0 : bits_load_u64(bytes + layout->first_ts) };
    reader->mark_at = 0;
    reader->stage = STAGE_RECORDS;
    return STEP_AGAIN;
}

/* Returns the size of the record at `bytes` if it is all zeros, else 0. */
static size_t zero_record(const NativeReader *reader, const uint8_t *bytes, size_t size)
{
    assert(size > 0);
    size_t unit = reader->layout->is_packed ? 4 : 8;
    if (LIKELY(bytes[0] != 0)) return 0;
    if (size < unit) return 0;
    return zero_prefix(bytes, unit) == unit ? unit : 0;
}

/* Reads the record at `bytes`. Sets *used to its size, 0 if it was not read. */
static Step read_record(NativeReader *reader, const uint8_t *bytes, size_t size, uint64_t offset,
                        size_t *used, Err *err)
{
    NativeState  before = reader->state;
    NativeRecord record;
    *used = zero_record(reader, bytes, size);
    if (*used > 0) {
        keep_mark(reader, offset, &before);
        put_off_zeros(reader, offset, *used);
        return STEP_AGAIN;
    }
    switch (native_decode(reader->layout, bytes, size, &reader->state, &record)) {
    case NATIVE_TAKEN:
        break;
    case NATIVE_SHORT:
        if (record.size <= reader->frame_left) return STEP_WAIT;
        if (reader->zero_records > 0 && zero_prefix(bytes, size) == reader->frame_left) {
            *used = size;
            put_off_zeros(reader, offset, size);
            return STEP_AGAIN;
        }
        if (size < reader->frame_left && zero_prefix(bytes, size) == size) return STEP_WAIT;
        if (reader->zero_records > 0 && settle_zeros(reader, err) == STEP_FAILED) return STEP_FAILED;
        return reader->stage == STAGE_DROP ? STEP_AGAIN
                                           : meet_long_record(reader, reader_pos(reader, offset), err);
    case NATIVE_BAD:
        if (reader->zero_records > 0 && settle_zeros(reader, err) == STEP_FAILED) return STEP_FAILED;
        return reader->stage == STAGE_DROP ? STEP_AGAIN
                                           : meet_bad_record(reader, reader_pos(reader, offset), bytes, err);
    }
    if (UNLIKELY(reader->zero_records > 0)) {
        NativeState after = reader->state;
        reader->state = before;
        if (settle_zeros(reader, err) == STEP_FAILED) return STEP_FAILED;
        if (reader->stage == STAGE_DROP) return STEP_AGAIN;
        reader->state = after;
    }
    keep_mark(reader, offset, &before);
    take_record(reader, &record, bytes, offset);
    *used = (size_t)record.size;
    return STEP_AGAIN;
}

static Step read_records(NativeReader *reader, ByteCursor *cursor, Err *err)
{
    const uint8_t *bytes = cursor->bytes + cursor->at;
    const uint64_t offset = cursor_offset(cursor);
    size_t         left = cursor_left(cursor), at = 0, used = 1;
    size_t         limit = reader->frame_left < left ? (size_t)reader->frame_left : left;
    Step           step = STEP_AGAIN;
    while (at < limit && used > 0 && step == STEP_AGAIN) {
        step = read_record(reader, bytes + at, limit - at, offset + at, &used, err);
        assert(used <= limit - at);
        at += used;
        reader->frame_left -= used;
    }
    (void)cursor_take(cursor, at);
    if (step == STEP_FAILED || reader->stage == STAGE_DROP) return step;
    if (reader->frame_left > 0) return STEP_WAIT;
    reader->stage = STAGE_FRAME;
    return STEP_AGAIN;
}

static Step drop_rest(NativeReader *reader, ByteCursor *cursor)
{
    size_t left = cursor_left(cursor);
    size_t taken = reader->frame_left < left ? (size_t)reader->frame_left : left;
    (void)cursor_take(cursor, taken);
    reader->frame_left -= taken;
    if (reader->frame_left > 0) return STEP_WAIT;
    reader->stage = STAGE_FRAME;
    return STEP_AGAIN;
}

static Step read_step(NativeReader *reader, ByteCursor *cursor, InputState input, Err *err)
{
    switch (reader->stage) {
    case STAGE_HEADER:
        return read_header(reader, cursor, input, err);
    case STAGE_FRAME:
        return read_frame(reader, cursor, err);
    case STAGE_RECORDS:
        return read_records(reader, cursor, err);
    case STAGE_DROP:
        return drop_rest(reader, cursor);
    }
    return STEP_WAIT;
}

/* -- the end -- */

static bool end_input(NativeReader *reader, ByteCursor *cursor, Err *err)
{
    size_t         rest = cursor_left(cursor);
    EventPos       pos = reader_pos(reader, cursor_offset(cursor));
    const uint8_t *bytes = cursor_take(cursor, rest);
    bool           all_zero = zero_prefix(bytes, rest) == rest;
    bool           in_frame = reader->stage != STAGE_FRAME && reader->frame_left > 0;
    if (all_zero && !in_frame) return end_zeros(reader, pos.offset, rest, err) != STEP_FAILED;
    if (reader->zero_records > 0 && end_zeros(reader, pos.offset, all_zero ? rest : 0, err) == STEP_FAILED)
        return false;
    if (!is_proven(reader)) return refuse_unreleased(reader, pos, err) != STEP_FAILED;
    if (in_frame) {
        assert(rest <= reader->frame_left);
        builder_warn(reader->builder, "truncated-buffer", reader_pos(reader, reader->frame_offset),
                     "buffer of %" PRIu64 " bytes cut short, %" PRIu64 " bytes missing", reader->frame_size,
                     reader->frame_left - rest);
    } else {
        builder_warn(reader->builder, "truncated-buffer", pos,
                     "header of a buffer cut short: %zu of %u bytes", rest,
                     (unsigned)reader->layout->frame_size);
    }
    builder_set_incomplete(reader->builder);
    return true;
}

static void report(NativeReader *reader)
{
    static const char *const NAMES[NATIVE_KINDS] = {
        [NATIVE_BEGIN] = "MicroBegin", [NATIVE_END] = "MicroEnd", [NATIVE_NAMED] = "Begin"
    };
    for (int kind = 0; kind < NATIVE_KINDS; kind++) {
        if (reader->counts[kind] == 0) continue;
        builder_count_events(reader->builder,
                             builder_event_kind(reader->builder, NAMES[kind], strlen(NAMES[kind])),
                             reader->counts[kind]);
    }
    if (reader->event == 0) {
        builder_warn(reader->builder, "empty-trace", (EventPos){ 0, ERR_NOWHERE }, "trace is empty");
    }
    native_names_report(&reader->names);
}

bool native_read(NativeReader *reader, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                 Err *err)
{
    ByteCursor cursor = cursor_over(bytes, size, reader->offset);
    Step       step = STEP_AGAIN;
    while (step == STEP_AGAIN)
        step = read_step(reader, &cursor, input, err);
    if (step == STEP_FAILED) return false;
    if (input == INPUT_ENDS && !end_input(reader, &cursor, err)) return false;
    flush_batch(reader); /* while the caller's bytes are valid */
    uint64_t next = cursor_offset(&cursor);
    if (input == INPUT_CONTINUES) next = go_back_to_zeros(reader, next);
    if (input == INPUT_ENDS) report(reader);
    assert(next >= reader->offset);
    *used = (size_t)(next - reader->offset);
    reader->offset = next;
    if (reader->out_of_memory || reader->names.out_of_memory)
        return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}
