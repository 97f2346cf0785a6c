#include "format/spall/reader.h"

#include "format/spall/details.h"
#include "format/spall/probe.h"
#include "format/spall/records.h"
#include "format/spall/spall.h"

#include "base/json_writer.h"

#include <assert.h>
#include <inttypes.h>

typedef enum { STEP_AGAIN, STEP_WAIT, STEP_FAILED } Step;

static EventPos reader_pos(const SpallReader *reader, uint64_t offset)
{
    return (EventPos){ offset, reader->event };
}

/* -- the file's header -- */

static int spall_probe(const uint8_t *head, size_t size)
{
    if (size < 8) return 0;
    uint64_t magic = bits_load_u64(head);
    return magic == SPALL_MAGIC || magic == SPALL_AUTO_MAGIC ? 100 : 0;
}

static void put_property(SpallReader *reader, const char *key, Bytes *json)
{
    if (json->failed) {
        reader->out_of_memory = true;
    } else {
        builder_property(reader->builder, builder_string(reader->builder, key, strlen(key)),
                         (const char *)json->data, json->size);
    }
    bytes_clear(json);
}

static void put_properties(SpallReader *reader, double unit, uint64_t must_be_0)
{
    Bytes      json = { 0 };
    JsonWriter writer = json_writer_to(&json, 0);
    json_double(&writer, unit);
    put_property(reader, "timestamp_unit", &json);
    if (reader->layout->version[0] == '0') {
        writer = json_writer_to(&json, 0);
        json_string(&writer, reader->layout->name);
        put_property(reader, "layout", &json);
    }
    if (must_be_0 != 0) {
        writer = json_writer_to(&json, 0);
        json_u64(&writer, must_be_0);
        put_property(reader, "must_be_0", &json);
    }
    bytes_release(&json);
}

/* Sets *version if the file is a manual stream of a known version, else fails. */
static bool check_magic(ByteCursor *cursor, uint64_t *version, Err *err)
{
    size_t   size = cursor_left(cursor);
    uint64_t magic = cursor_u64le(cursor);
    if (magic != SPALL_MAGIC && size >= 8) {
        return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE,
                          "not a .spall file: it starts with %016" PRIx64 ", expected %016" PRIx64, magic,
                          SPALL_MAGIC);
    }
    *version = cursor_u64le(cursor);
    if (size < LAYOUT_MIN_HEADER || (*version > 0 && *version <= 3 && size < LAYOUT_FULL_HEADER)) {
        return err_set_at(err, ERR_TRUNCATED, 0, ERR_NOWHERE,
                          "file too short for a spall header: %zu of %u bytes", size,
                          size >= 16 && *version == 0 ? LAYOUT_MIN_HEADER : LAYOUT_FULL_HEADER);
    }
    if (*version > 3) {
        return err_set_at(err, ERR_VERSION, 8, ERR_NOWHERE, "unsupported spall version %" PRIu64, *version);
    }
    return true;
}

/* Returns the number of bytes that are needed to read the header. */
static size_t header_needs(const ByteCursor *cursor)
{
    ByteCursor look = *cursor;
    uint64_t   magic = cursor_u64le(&look), version = cursor_u64le(&look);
    if (look.failed) return LAYOUT_FULL_HEADER;
    return magic == SPALL_MAGIC && version == 0 ? LAYOUT_PROBE_BYTES : LAYOUT_FULL_HEADER;
}

/* Finds the layout of a version 0 stream. */
static bool choose_layout(SpallReader *reader, const ByteCursor *cursor, Err *err)
{
    size_t size = cursor->size < LAYOUT_PROBE_BYTES ? cursor->size : LAYOUT_PROBE_BYTES;
    bool   fits = true;
    reader->layout = layout_probe(cursor->bytes, size, &fits);
    if (reader->layout == NULL) {
        return err_set_at(err, ERR_CORRUPT, LAYOUT_MIN_HEADER, 0,
                          "version 0 file with an unknown record layout");
    }
    if (!fits) {
        builder_warn(reader->builder, "uncertain-layout", (EventPos){ 0, ERR_NOWHERE },
                     "no known layout of version 0 fits the whole file, %s fits longest",
                     reader->layout->name);
    }
    return true;
}

static Step read_header(SpallReader *reader, ByteCursor *cursor, InputState input, Err *err)
{
    if (input == INPUT_CONTINUES && cursor_left(cursor) < header_needs(cursor)) return STEP_WAIT;
    ByteCursor header = *cursor;
    uint64_t   version = 0;
    if (!check_magic(&header, &version, err)) return STEP_FAILED;
    reader->layout = layout_of_version(version);
    if (version == 0 && !choose_layout(reader, cursor, err)) return STEP_FAILED;
    const SpallLayout *layout = reader->layout;
    double             unit = cursor_f64le(&header);
    uint64_t           must_be_0 = layout->header_size == LAYOUT_FULL_HEADER ? cursor_u64le(&header) : 0;
    EventPos           unit_pos = { 16, ERR_NOWHERE };
    builder_set_version(reader->builder, layout->version);
    builder_set_rules(reader->builder, MATCH_IN_FILE_ORDER, UNFINISHED_TO_THREAD_END);
    builder_set_end_kind(reader->builder, layout_record_name(RECORD_END));
    spall_time_open(&reader->time, reader->builder, reader->arena, layout, unit, unit_pos);
    put_properties(reader, unit, must_be_0);
    if (strcmp(layout->name, "0H") == 0 && unit == 1000) {
        builder_warn(
            reader->builder, "suspicious-unit", unit_pos,
            "json2bin wrote timestamp unit 1000 over times in microseconds: they may be 1000 times too "
            "long");
    }
    spall_prepare_blocks(reader);
    (void)cursor_take(cursor, layout->header_size);
    reader->frame_left = UINT64_MAX;
    reader->stage = layout->frame_size == 0 ? STAGE_RECORDS : STAGE_FRAME;
    return STEP_AGAIN;
}

/* -- damage -- */

/* Handles an invalid record of version 2, of which only one layout was published: the file is refused. */
static Step leave_version_2(SpallReader *reader, EventPos pos, Err *err)
{
    static const char MESSAGE[] =
        "version 2 spall files were never released; this one does not match the only published layout";
    reader->stage = STAGE_DONE;
    if (reader->event == 0) {
        err_set_at(err, ERR_VERSION, pos.offset, pos.event, "%s", MESSAGE);
        return STEP_FAILED;
    }
    builder_warn(reader->builder, "invalid-record", pos, "%s", MESSAGE);
    builder_set_incomplete(reader->builder);
    return STEP_AGAIN;
}

/* Goes on after a record that cannot be decoded: skips the rest of its buffer, or of the file without buffers. */
static Step leave_records(SpallReader *reader)
{
    builder_set_incomplete(reader->builder);
    reader->stage = reader->layout->frame_size == 0 ? STAGE_DONE : STAGE_DROP;
    return STEP_AGAIN;
}

static Step meet_bad_type(SpallReader *reader, EventPos pos, uint64_t type, Err *err)
{
    const SpallLayout *layout = reader->layout;
    if (layout == &SPALL_V2) return leave_version_2(reader, pos, err);
    const char *lost = layout->frame_size == 0 ? "reading ends here" : "the rest of its buffer is left out";
    const char *name = type < LAYOUT_TYPES ? layout->not_published[type] : NULL;
    if (name != NULL) {
        builder_warn(reader->builder, "unsupported-record", pos,
                     "unsupported record type %" PRIu64 " (%s): its layout was never published; %s", type,
                     name, lost);
    } else {
        builder_warn(reader->builder, "invalid-record", pos, "invalid record type %" PRIu64 "; %s", type,
                     lost);
    }
    return leave_records(reader);
}

static Step meet_long_record(SpallReader *reader, EventPos pos, Err *err)
{
    if (reader->layout == &SPALL_V2) return leave_version_2(reader, pos, err);
    builder_warn(reader->builder, "record-past-buffer", pos,
                 "record runs past the end of its buffer, %" PRIu64 " bytes left in it; it is left out",
                 reader->frame_left);
    return leave_records(reader);
}

/* Warns of a run of zeros. It does not contain data, so the trace stays complete. */
static void note_zeros(SpallReader *reader)
{
    builder_warn(reader->builder, "zero-tail", reader->zeros,
                 "%" PRIu64 " zero bytes where records should be", reader->zero_bytes);
    reader->zero_bytes = 0;
}

/* -- stages -- */

static size_t zero_prefix(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    while (count < size && bytes[count] == 0)
        count++;
    return count;
}

/* Reads a buffer's header: size, thread and, in version 3, process. first_ts after them has no meaning (spec section
 * 6). A header of zeros is an empty buffer; a tail of zeros looks like many of them. */
static Step read_frame(SpallReader *reader, ByteCursor *cursor)
{
    assert(reader->layout->frame_size > 0);
    const SpallLayout *layout = reader->layout;
    uint64_t           offset = cursor_offset(cursor);
    ByteCursor         header = *cursor;
    const uint8_t     *bytes = cursor_take(&header, layout->frame_size);
    if (bytes == NULL) return STEP_WAIT;
    if (zero_prefix(bytes, layout->frame_size) == layout->frame_size) {
        if (reader->zero_bytes == 0) reader->zeros = reader_pos(reader, offset);
        reader->zero_bytes += layout->frame_size;
    } else {
        reader->zero_bytes = 0;
    }
    *cursor = header;
    reader->frame_offset = offset;
    reader->frame_size = reader->frame_left = bits_load_u32(bytes);
    reader->arguments_at = 0;
    reader->frame_tid = bits_load_u32(bytes + 4);
    reader->frame_pid = layout->frame_pid == 0 ? 0 : bits_load_u32(bytes + layout->frame_pid);
    reader->track = TRACK_NONE;
    if (reader->frame_size > 0) reader->stage = STAGE_RECORDS;
    return STEP_AGAIN;
}

/* Reports the room that a recorder leaves in a mapped file for later events: bytes that were passed are not read again. */
static void meet_padding(SpallReader *reader, EventPos pos)
{
    enum { ROOM_BYTES = 4096 };
    if (!reader->context.is_live || reader->skip_left < ROOM_BYTES) return;
    builder_warn(reader->builder, "unread-room", pos,
                 "room that the recorder may fill later: its events are not shown until the file is opened "
                 "again; to watch a program use varve_record_start_stream (varve/record.h)");
}

static Step read_records(SpallReader *reader, ByteCursor *cursor, Err *err)
{
    if (reader->frame_left == 0) {
        reader->stage = STAGE_FRAME;
        return STEP_AGAIN;
    }
    size_t         size = cursor_left(cursor), used = 0;
    const uint8_t *bytes = cursor->bytes + cursor->at;
    RunEnd         end = spall_read_records(reader, bytes, size, cursor_offset(cursor), &used);
    assert(used <= size);
    (void)cursor_take(cursor, used);
    EventPos pos = reader_pos(reader, cursor_offset(cursor));
    switch (end) {
    case RUN_USED_UP:
        return reader->frame_left == 0 ? STEP_AGAIN : STEP_WAIT;
    case RUN_SKIP:
        meet_padding(reader, pos);
        reader->stage = STAGE_SKIP;
        return STEP_AGAIN;
    case RUN_ZEROS:
        reader->zeros = pos;
        reader->zero_bytes = 0;
        reader->stage = STAGE_ZEROS;
        return STEP_AGAIN;
    case RUN_BAD_TYPE:
        return meet_bad_type(reader, pos, bytes[used], err);
    case RUN_PAST_FRAME:
        return meet_long_record(reader, pos, err);
    }
    return STEP_WAIT;
}

/* Skips up to `size` available bytes. Returns their number. */
static uint64_t pass_over(SpallReader *reader, ByteCursor *cursor, uint64_t size)
{
    size_t left = cursor_left(cursor);
    size_t taken = size < left ? (size_t)size : left;
    assert(reader->layout->frame_size == 0 || taken <= reader->frame_left);
    (void)cursor_take(cursor, taken);
    if (reader->layout->frame_size != 0) reader->frame_left -= taken;
    return taken;
}

static Step skip_filler(SpallReader *reader, ByteCursor *cursor)
{
    reader->skip_left -= pass_over(reader, cursor, reader->skip_left);
    if (reader->skip_left > 0) return STEP_WAIT;
    reader->stage = STAGE_RECORDS;
    return STEP_AGAIN;
}

static Step drop_rest(SpallReader *reader, ByteCursor *cursor)
{
    (void)pass_over(reader, cursor, reader->frame_left);
    if (reader->frame_left > 0) return STEP_WAIT;
    reader->stage = STAGE_FRAME;
    return STEP_AGAIN;
}

static Step read_zeros(SpallReader *reader, ByteCursor *cursor, Err *err)
{
    size_t   left = cursor_left(cursor);
    size_t   limit = reader->frame_left < left ? (size_t)reader->frame_left : left;
    size_t   zeros = zero_prefix(cursor->bytes + cursor->at, limit);
    uint64_t passed = pass_over(reader, cursor, zeros);
    reader->zero_bytes += passed;
    if (zeros < limit) {
        reader->zero_bytes = 0;
        return meet_bad_type(reader, reader->zeros, 0, err);
    }
    if (reader->frame_left > 0) return STEP_WAIT;
    note_zeros(reader);
    reader->stage = STAGE_FRAME;
    return STEP_AGAIN;
}

static Step read_step(SpallReader *reader, ByteCursor *cursor, Err *err)
{
    switch (reader->stage) {
    case STAGE_HEADER:
        break; /* handled by read_header */
    case STAGE_FRAME:
        return read_frame(reader, cursor);
    case STAGE_RECORDS:
        return read_records(reader, cursor, err);
    case STAGE_SKIP:
        return skip_filler(reader, cursor);
    case STAGE_ZEROS:
        return read_zeros(reader, cursor, err);
    case STAGE_DROP:
        return drop_rest(reader, cursor);
    case STAGE_DONE:
        (void)cursor_take(cursor, cursor_left(cursor));
        return STEP_WAIT;
    }
    return STEP_WAIT;
}

/* -- the end -- */

static bool end_in_frame(SpallReader *reader, size_t rest, Err *err)
{
    assert(rest <= reader->frame_left);
    uint64_t missing = reader->frame_left - rest;
    if (reader->layout == &SPALL_V2) {
        return leave_version_2(reader, reader_pos(reader, reader->frame_offset), err) != STEP_FAILED;
    }
    builder_warn(reader->builder, "truncated-buffer", reader_pos(reader, reader->frame_offset),
                 "buffer of %" PRIu64 " bytes cut short, %" PRIu64 " bytes missing", reader->frame_size,
                 missing);
    builder_set_incomplete(reader->builder);
    return true;
}

/* Warns of a truncated record, buffer or header at the end of the input. `cursor` holds the unused bytes. */
static bool end_input(SpallReader *reader, ByteCursor *cursor, Err *err)
{
    const bool     framed = reader->layout->frame_size != 0;
    size_t         rest = cursor_left(cursor);
    EventPos       pos = reader_pos(reader, cursor_offset(cursor));
    const uint8_t *bytes = cursor_take(cursor, rest);
    if (reader->stage == STAGE_ZEROS) note_zeros(reader);
    if (reader->stage == STAGE_FRAME) {
        size_t zeros = zero_prefix(bytes, rest);
        if (zeros < rest) {
            builder_warn(reader->builder, "truncated-buffer", pos,
                         "header of a buffer cut short: %zu of %u bytes", rest,
                         (unsigned)reader->layout->frame_size);
            builder_set_incomplete(reader->builder);
        } else if (reader->zero_bytes + rest > reader->layout->frame_size || rest > 0) {
            if (reader->zero_bytes == 0) reader->zeros = pos;
            reader->zero_bytes += rest;
            note_zeros(reader);
        }
    } else if (framed && reader->stage != STAGE_DONE && reader->frame_left > 0) {
        return end_in_frame(reader, rest, err);
    } else if (!framed && (rest > 0 || reader->stage == STAGE_SKIP)) {
        builder_warn(reader->builder, "truncated-record", pos, "the last record is cut short after %zu bytes",
                     rest);
        builder_set_incomplete(reader->builder);
    }
    return true;
}

static void report_counts(SpallReader *reader)
{
    uint64_t timed = 0;
    for (int kind = RECORD_BEGIN; kind < RECORD_KINDS; kind++) {
        if (reader->counts[kind] == 0) continue;
        const char *name = layout_record_name((RecordKind)kind);
        builder_count_events(reader->builder, builder_event_kind(reader->builder, name, strlen(name)),
                             reader->counts[kind]);
        if (kind < RECORD_PAD_SKIP) timed += reader->counts[kind];
    }
    if (timed == 0) {
        builder_warn(reader->builder, "empty-trace", (EventPos){ 0, ERR_NOWHERE }, "trace is empty");
    }
}

/* -- the reader -- */

static void *spall_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    SpallReader *reader = ARENA_NEW(arena, SpallReader);
    LabelCache  *labels = reader == NULL ? NULL : label_cache_create(arena);
    if (labels == NULL || !name_cache_open(&reader->names, labels, arena)) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->arena = arena;
    reader->builder = builder;
    return reader;
}

static bool spall_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                       Err *err)
{
    static const uint8_t EMPTY[1] = { 0 };
    if (size == 0) bytes = EMPTY; /* pointer arithmetic on NULL is undefined */
    SpallReader *reader = state;
    ByteCursor   cursor = cursor_over(bytes, size, reader->offset);
    Step         step = STEP_AGAIN;
    if (reader->native == NULL && reader->offset == 0 && size >= 8 &&
        bits_load_u64(bytes) == SPALL_AUTO_MAGIC) {
        reader->native = native_open(reader->arena, reader->builder, &reader->context);
        if (reader->native == NULL) return err_set(err, ERR_MEMORY, "out of memory");
    }
    if (reader->native != NULL) return native_read(reader->native, bytes, size, input, used, err);
    while (step == STEP_AGAIN) {
        step = reader->stage == STAGE_HEADER ? read_header(reader, &cursor, input, err)
                                             : read_step(reader, &cursor, err);
    }
    if (step == STEP_FAILED) return false;
    if (input == INPUT_ENDS) {
        if (!end_input(reader, &cursor, err)) return false;
        report_counts(reader);
    }
    reader->offset += cursor.at;
    *used = cursor.at;
    if (reader->out_of_memory) return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}

static void spall_configure(void *state, const ReadContext *context)
{
    SpallReader *reader = state;
    reader->context = *context;
}

static uint64_t spall_lead(const Trace *trace, uint64_t offset)
{
    return trace->source.kept == NULL ? offset : native_lead(trace, offset);
}

static void spall_give(void *state, uint64_t offset, const Bytes *decoded)
{
    SpallReader *reader = state;
    reader->ahead = spall_ahead_runs(offset, decoded);
}

static const AheadDecoding AHEAD_DECODING = {
    .state_bytes = sizeof(SpallAhead),
    .begin = spall_ahead_begin,
    .decode = spall_ahead_decode,
    .release = spall_ahead_release,
    .give = spall_give,
};

static const StreamReading STREAM_READING = { .takes_datagrams = false };

const FormatReader SPALL_READER = {
    .name = "spall",
    .spec = "spall.h of spall-web, versions 0 to 3, spall_native_auto.h of spall-native, versions 1 to 3 "
            "(September 2022 to 2026)",
    .about = "Recordings of spall.h, spall_native_auto.h, Odin's core:prof/spall and varve/record.h.\n"
             "Usual name: *.spall. Native streams take the names of functions from the executable: --exe.",
    .probe = spall_probe,
    .open = spall_open,
    .read = spall_read,
    .details = spall_details,
    .configure = spall_configure,
    .lead = spall_lead,
    .stream = &STREAM_READING,
    .ahead = &AHEAD_DECODING,
};
