#include "format/perfetto/reader.h"

#include "format/perfetto/details.h"
#include "format/perfetto/fields.h"
#include "format/perfetto/perfetto.h"

#include <stdio.h>

/* A packet after damage is smaller than this: a wrong size would hide the packets after it. */
enum { MOST_FOUND_BYTES = 1 << 20 };
enum { SURE_FOUND = 90 }; /* of packet_sure */

/* -- probe -- */

static int perfetto_probe(const uint8_t *head, size_t size)
{
    enum { MOST_PACKETS = 4, LEAST_SURE = 60 };
    int sure = 0;
    for (int i = 0; i < MOST_PACKETS && size > 0; i++) {
        PacketFrame frame;
        ByteCursor  c = cursor_over(head, size, 0);
        if (head[0] != (TRACE_PACKET << 3 | WIRE_BYTES) || packet_frame(head, size, &frame) == FRAME_DAMAGED)
            return i == 0 ? 0 : LEAST_SURE;
        (void)wire_varint(&c), (void)wire_varint(&c);
        if (c.failed) return sure;
        const bool is_whole = frame.size <= size;
        const int  here = packet_sure(head + c.at, is_whole ? frame.size - c.at : size - c.at);
        if (here == 0) return i == 0 ? 0 : LEAST_SURE;
        if (here > sure) sure = here;
        if (!is_whole) return sure;
        head += frame.size;
        size -= frame.size;
    }
    return sure;
}

/* -- open -- */

static void *perfetto_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    PerfettoReader *reader = ARENA_NEW(arena, PerfettoReader);
    if (reader != NULL) {
        reader->arena = arena;
        reader->builder = builder;
        reader->kept = kept_create(builder);
        reader->labels = label_cache_create(arena);
        reader->spots = ARENA_ARRAY(arena, LabelSpot, (size_t)1 << LABEL_SPOT_BITS);
        reader->track_of.arena = reader->kinds.arena = reader->flows.arena = arena;
        reader->system = system_open(reader);
        clocks_open(&reader->clocks, arena);
    }
    if (reader == NULL || reader->system == NULL || reader->kept == NULL || reader->labels == NULL ||
        reader->spots == NULL || ARENA_LIST_PUSH(&reader->tracks, arena) == NULL ||
        ARENA_LIST_PUSH(&reader->sequences, arena) == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    builder_set_endless(builder, ENDLESS_EXPECTED);
    builder_set_end_kind(builder, "SLICE_END");
    return reader;
}

/* -- sequences -- */

/* Returns the index of the packet's sequence; 0 when out of memory. */
static uint32_t sequence_index(PerfettoReader *reader, uint64_t id)
{
    if (LIKELY(reader->last_sequence != 0 && reader->last_sequence_id == id)) return reader->last_sequence;
    const uint32_t index = kept_sequence(reader->kept, id);
    while (index >= reader->sequences.count) {
        if (ARENA_LIST_PUSH(&reader->sequences, reader->arena) != NULL) continue;
        reader->failed = true;
        return 0;
    }
    if (index == 0) reader->failed = true;
    reader->last_sequence_id = id;
    reader->last_sequence = index;
    return index;
}

static void clear_state(PerfettoReader *reader, uint32_t index)
{
    Sequence *sequence = &reader->sequences.items[index];
    sequence->generation = kept_begin_generation(reader->kept, index, reader->pos.offset);
    sequence->clock_id = sequence->track = sequence->extra_count = 0;
    if (sequence->generation == 0) reader->failed = true;
}

/* Updates the state of the sequence. False: the packet needs a state that is lost. */
static bool take_state(PerfettoReader *reader, uint32_t index, const Packet *packet)
{
    Sequence  *sequence = &reader->sequences.items[index];
    const bool is_new = !sequence->is_seen;
    if (is_new || (packet->flags & SEQUENCE_STATE_CLEARED) != 0) {
        if (!is_new && packet->was_dropped && !packet->is_first)
            builder_warn(reader->builder, "packets-lost", reader->pos,
                         "the recorder lost packets before this one");
        clear_state(reader, index);
        sequence->is_seen = true;
        sequence->has_state = (packet->flags & SEQUENCE_STATE_CLEARED) != 0;
    } else if (packet->was_dropped && !packet->is_first) {
        builder_warn(reader->builder, "packets-lost", reader->pos,
                     "the recorder lost packets before this one");
        sequence->has_state = false;
    }
    if ((packet->flags & SEQUENCE_NEEDS_STATE) == 0 || sequence->has_state) return true;
    builder_warn(reader->builder, "missing-state", reader->pos,
                 "a packet needs names or times of packets that the trace does not have: left out");
    return false;
}

/* Takes TracePacketDefaults. False: damage. */
static bool take_defaults(PerfettoReader *reader, Sequence *sequence, StringView message)
{
    enum { MOST_EXTRA = 64 };
    ByteCursor c = wire_message(message), event = { .bytes = NULL };
    WireField  field;
    sequence->clock_id = sequence->track = sequence->extra_count = 0;
    while (wire_next(&c, &field)) {
        if (field.number == DEFAULTS_CLOCK_ID && field.type == WIRE_VARINT)
            sequence->clock_id = (uint32_t)field.value;
        if (field.number == DEFAULTS_TRACK_EVENT) event = wire_message(field.bytes);
    }
    while (event.bytes != NULL && wire_next(&event, &field)) {
        ByteCursor pack = wire_message(field.bytes);
        uint64_t   uuid = field.value;
        if (field.number == TE_TRACK_UUID) sequence->track = tracks_index(reader, field.value);
        if (field.number != TE_EXTRA_UUIDS) continue;
        if (sequence->extra == NULL) sequence->extra = ARENA_ARRAY(reader->arena, uint32_t, MOST_EXTRA);
        reader->failed |= sequence->extra == NULL;
        for (bool more = field.type != WIRE_BYTES || wire_next_packed(&pack, WIRE_VARINT, &uuid);
             more && !reader->failed && sequence->extra_count < MOST_EXTRA;
             more = field.type == WIRE_BYTES && wire_next_packed(&pack, WIRE_VARINT, &uuid))
            sequence->extra[sequence->extra_count++] = tracks_index(reader, uuid);
    }
    return !c.failed && !event.failed;
}

/* -- interned data -- */

typedef enum { NOT_KEPT, TEXT_KEPT, MESSAGE_KEPT } InternedUse;

/* Returns the part of an entry of InternedData that is kept. */
static InternedUse use_of(uint32_t kind)
{
    switch (kind) {
    case INTERNED_CATEGORY:
    case INTERNED_NAME:
    case INTERNED_ANNOTATION:
    case INTERNED_FUNCTION:
    case INTERNED_MAPPING_PATH:
    case INTERNED_SOURCE_PATH:
    case INTERNED_LOG_BODY:
    case INTERNED_HISTOGRAM:
    case INTERNED_TYPE_NAME:
    case INTERNED_STRING:
    case INTERNED_CORRELATION:
        return TEXT_KEPT;
    case INTERNED_LOCATION:
    case INTERNED_FRAME:
    case INTERNED_CALLSTACK:
    case INTERNED_MAPPING:
    case INTERNED_UNSYMBOLIZED:
        return MESSAGE_KEPT;
    default:
        return NOT_KEPT;
    }
}

/* Takes an InternedData. False: damage. */
static bool take_interned(PerfettoReader *reader, const Sequence *sequence, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field, part;
    bool       is_damaged = false;
    while (wire_next(&c, &field)) {
        const InternedUse use = field.type == WIRE_BYTES ? use_of(field.number) : NOT_KEPT;
        if (use == NOT_KEPT) continue;
        Interned   interned = { .generation = sequence->generation, .kind = field.number };
        StringView text = use == MESSAGE_KEPT ? field.bytes : (StringView){ "", 0 };
        ByteCursor parts = wire_message(field.bytes);
        while (wire_next(&parts, &part)) {
            if (part.number == INTERNED_IID && part.type == WIRE_VARINT) interned.iid = part.value;
            if (part.number == INTERNED_TEXT && part.type == WIRE_BYTES && use == TEXT_KEPT)
                text = part.bytes;
        }
        interned.bytes = (const uint8_t *)text.bytes;
        interned.size = text.size;
        is_damaged |= parts.failed;
        if (!parts.failed && !kept_intern(reader->kept, &interned)) {
            reader->failed = true;
            return true;
        }
    }
    return !c.failed && !is_damaged;
}

/* -- packets -- */

static void take_packet(PerfettoReader *reader, StringView bytes);

/* Reads the packets in a compressed one. */
static void take_compressed(PerfettoReader *reader, const Packet *packet)
{
    Unpacked      *unpacked = &reader->kept->unpacked;
    const EventPos outer = reader->pos;
    const uint64_t size = reader->record_end - outer.offset;
    const char    *why = NULL;
    if (reader->is_unpacking) {
        builder_warn(reader->builder, "nested-compression", outer,
                     "a compressed packet inside another one: left out");
        return;
    }
    PackedPacket *packed = ARENA_LIST_PUSH(&unpacked->packets, &reader->kept->arena);
    reader->failed |= packed == NULL;
    if (packed == NULL) return;
    *packed = (PackedPacket){ outer.offset, size };
    UnpackedRecord    *record = unpacked_record(unpacked, outer.offset);
    const UnpackResult result =
        unpacked_read(unpacked, record, outer.offset, packet->data_number, packet->data, &why);
    reader->failed |= result == UNPACK_NO_MEMORY;
    if (result == UNPACK_DAMAGED) {
        builder_warn(reader->builder, "damaged-compression", outer, "compressed packets: %s",
                     why == NULL ? "damaged" : why);
        builder_set_incomplete(reader->builder);
    }
    reader->is_unpacking = true;
    const size_t count = vec_count(&record->starts);
    for (size_t i = 0; i < count && !reader->failed; i++) {
        const UnpackedStart start = record->starts.items[i];
        PacketFrame         frame;
        (void)packet_frame(record->bytes.data + start.at, record->bytes.size - start.at, &frame);
        reader->pos.offset = outer.offset + (start.number < size ? start.number : size - 1);
        take_packet(reader, frame.packet);
    }
    reader->is_unpacking = false;
}

/* Keeps a packet that is not an event, with its kind. `ns`: its time; NULL = none. */
static void keep_other(PerfettoReader *reader, const Packet *packet, const int64_t *ns)
{
    enum { MOST_NUMBERS = 1024 }; /* with a kind of their own */
    uint32_t    number = packet->data_number;
    const char *name = number == 0 ? "TracePacket" : packet_data_name(number);
    char        text[24];
    if (name == NULL) {
        (void)snprintf(text, sizeof text, "field %u", (unsigned)number);
        name = number < MOST_NUMBERS ? text : "other fields";
        if (number > MOST_NUMBERS) number = MOST_NUMBERS;
    }
    const uint16_t kind = events_kind(reader, number, name);
    builder_other(
        reader->builder, ns == NULL ? OTHER_METADATA : OTHER_EVENT, kind,
        &(EventHead){ .pos = reader->pos, .tick = ns == NULL ? 0 : *ns, .is_timeless = ns == NULL });
}

static bool take_snapshot(PerfettoReader *reader, uint32_t sequence, StringView message)
{
    switch (clocks_add_snapshot(&reader->clocks, sequence, message)) {
    case CLOCK_NO_MEMORY:
        reader->failed = true;
        return true;
    case CLOCK_UNKNOWN:
        builder_warn(reader->builder, "unknown-clock", reader->pos,
                     "a snapshot of clocks has no clock that is related to that of the trace");
        return true;
    case CLOCK_KNOWN:
    case CLOCK_OUT_OF_RANGE:
        break;
    }
    return true;
}

/* Takes values of counters. False: damage. */
static bool take_stats(PerfettoReader *reader, const Packet *packet, int64_t ns)
{
    if (builder_is_observed(reader->builder)) return true;
    return packet->data_number == DATA_SYS_STATS ? system_take_stats(reader, packet->data, ns)
                                                 : system_take_process_stats(reader, packet->data, ns);
}

/* Takes the data of a packet that is a description. False: damage. */
static bool take_description(PerfettoReader *reader, uint32_t index, const Packet *packet)
{
    switch (packet->data_number) {
    case DATA_CLOCK_SNAPSHOT:
        return take_snapshot(reader, index, packet->data);
    case DATA_TRACK_DESCRIPTOR:
        return tracks_take_descriptor(reader, packet->data);
    case DATA_PROCESS_DESCRIPTOR:
        return tracks_take_process(reader, packet->data);
    case DATA_THREAD_DESCRIPTOR:
        return tracks_take_thread(reader, &reader->sequences.items[index], packet->data);
    case DATA_PROCESS_TREE:
        return system_take_tree(reader, packet->data);
    case DATA_SYSTEM_INFO:
        return system_take_info(reader, packet->data);
    default:
        return true;
    }
}

/* Takes the data of a packet, and keeps it as an event of the trace. False: damage. */
static bool take_data(PerfettoReader *reader, uint32_t index, const Packet *packet)
{
    Sequence *sequence = &reader->sequences.items[index];
    int64_t   ns;
    switch (packet->data_number) {
    case DATA_TRACK_EVENT:
        return events_take(reader, sequence, packet);
    case DATA_FTRACE: {
        const BundleResult result = ftrace_take_bundle(reader, index, packet);
        if (result == BUNDLE_LEFT_OUT) keep_other(reader, packet, NULL);
        return result != BUNDLE_DAMAGED;
    }
    case DATA_PROFILE:
        if (!samples_take_profile(reader, sequence, packet, &ns)) break;
        keep_other(reader, packet, &ns);
        return true;
    case DATA_PERF_SAMPLE:
        if (!perfetto_packet_time(reader, sequence, packet, &ns)) break;
        samples_take_perf(reader, sequence, packet, ns);
        keep_other(reader, packet, &ns);
        return true;
    case DATA_SYS_STATS:
    case DATA_PROCESS_STATS:
        if (perfetto_packet_time(reader, sequence, packet, &ns)) {
            if (!take_stats(reader, packet, ns)) return false;
            keep_other(reader, packet, &ns);
            return true;
        }
        break;
    default:
        if (!take_description(reader, index, packet)) return false;
        break;
    }
    keep_other(reader, packet, NULL);
    return true;
}

void perfetto_warn_damaged(PerfettoReader *reader)
{
    builder_warn(reader->builder, "damaged-packet", reader->pos,
                 "a packet cannot be decoded: left out in part");
    builder_set_incomplete(reader->builder);
}

/* Takes the parts of a packet that other packets of its sequence need. */
static void take_shared(PerfettoReader *reader, uint32_t index, const Packet *packet, StringView bytes)
{
    Sequence  *sequence = &reader->sequences.items[index];
    ByteCursor c = wire_message(bytes);
    WireField  field;
    if (packet->defaults.bytes != NULL && !take_defaults(reader, sequence, packet->defaults))
        perfetto_warn_damaged(reader);
    while (packet->has_interned && !reader->failed && wire_next(&c, &field))
        if (field.number == PACKET_INTERNED_DATA && field.type == WIRE_BYTES &&
            !take_interned(reader, sequence, field.bytes))
            perfetto_warn_damaged(reader);
}

static void take_decoded(PerfettoReader *reader, const Packet *packet, StringView bytes)
{
    const uint32_t index = sequence_index(reader, packet->sequence_id);
    if (reader->failed) return;
    if (!take_state(reader, index, packet)) {
        keep_other(reader, packet, NULL);
        return;
    }
    take_shared(reader, index, packet, bytes);
    if (reader->failed) return;
    if (!take_data(reader, index, packet)) {
        perfetto_warn_damaged(reader);
        keep_other(reader, packet, NULL);
    }
}

static void take_packet(PerfettoReader *reader, StringView bytes)
{
    Packet packet;
    if (!packet_decode(bytes, &packet))
        perfetto_warn_damaged(reader);
    else if (packet.data_number == DATA_COMPRESSED || packet.data_number == DATA_ZSTD_COMPRESSED)
        take_compressed(reader, &packet);
    else
        take_decoded(reader, &packet, bytes);
    reader->pos.event++;
}

/* -- the stream -- */

/* True if a packet, after damage, is plausible; FRAME_SHORT: more bytes are needed to tell. */
static FrameState plausible(const uint8_t *bytes, size_t size, InputState input)
{
    PacketFrame frame;
    if (bytes[0] != (TRACE_PACKET << 3 | WIRE_BYTES)) return FRAME_DAMAGED;
    const FrameState state = packet_frame(bytes, size, &frame);
    if (state == FRAME_DAMAGED || frame.size > MOST_FOUND_BYTES) return FRAME_DAMAGED;
    if (state == FRAME_SHORT) return input == INPUT_CONTINUES ? FRAME_SHORT : FRAME_DAMAGED;
    const bool is_found = packet_sure((const uint8_t *)frame.packet.bytes, frame.packet.size) >= SURE_FOUND &&
                          (frame.size == size || bytes[frame.size] == bytes[0]);
    if (is_found && frame.size == size && input == INPUT_CONTINUES) return FRAME_SHORT;
    return is_found ? FRAME_WHOLE : FRAME_DAMAGED;
}

/* Skips bytes after damage, up to the next packet. Returns their number. */
static size_t find_packet(PerfettoReader *reader, const uint8_t *bytes, size_t size, InputState input)
{
    for (size_t at = 0; at < size; at++) {
        const FrameState state = plausible(bytes + at, size - at, input);
        if (state == FRAME_WHOLE) reader->is_lost = false;
        if (state != FRAME_DAMAGED) return at;
    }
    return size;
}

static void begin_damage(PerfettoReader *reader, uint64_t offset)
{
    builder_warn(reader->builder, "damaged-data", (EventPos){ offset, reader->pos.event },
                 "these bytes are not a packet: left out up to the next packet");
    builder_set_incomplete(reader->builder);
    reader->is_lost = true;
}

/* Reads the next record. Returns its size; 0: it is not complete, or damage begins there. */
static size_t take_record(PerfettoReader *reader, const uint8_t *bytes, size_t size, uint64_t offset)
{
    PacketFrame frame;
    switch (packet_frame(bytes, size, &frame)) {
    case FRAME_SHORT:
        return 0;
    case FRAME_DAMAGED:
        begin_damage(reader, offset);
        return 0;
    case FRAME_WHOLE:
        break;
    }
    reader->pos.offset = offset;
    reader->record = (StringView){ (const char *)bytes, frame.size };
    reader->record_end = offset + frame.size;
    if (frame.is_other)
        builder_warn(reader->builder, "unknown-record", (EventPos){ offset, reader->pos.event },
                     "a record of a kind that is not known: left out");
    else
        take_packet(reader, frame.packet);
    return frame.size;
}

/* Reads the records at the start of the bytes. Returns the size of the complete ones. */
static size_t take_records(PerfettoReader *reader, const uint8_t *bytes, size_t size, InputState input)
{
    size_t at = 0;
    while (at < size && !reader->failed) {
        size_t used;
        if (reader->is_lost) {
            at += reader->drops_byte ? 1 : 0;
            reader->drops_byte = false;
            used = find_packet(reader, bytes + at, size - at, input);
            at += used;
            if (reader->is_lost) break;
            continue;
        }
        used = take_record(reader, bytes + at, size - at, reader->base + at);
        if (used == 0 && reader->is_lost) {
            at++;
            continue;
        }
        if (used == 0) break;
        at += used;
    }
    return at;
}

/* Reads the end of the input, which is not a whole packet. It is damage if packets follow in it, otherwise it is cut off. */
static void finish(PerfettoReader *reader, const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && !reader->is_lost && !reader->failed) {
        const uint64_t offset = reader->base;
        reader->is_lost = true;
        size_t used = 1 + find_packet(reader, bytes + at + 1, size - at - 1, INPUT_ENDS);
        if (reader->is_lost) {
            builder_warn(reader->builder, "truncated", (EventPos){ offset, reader->pos.event },
                         "the input ends inside a packet");
            builder_set_incomplete(reader->builder);
            return;
        }
        begin_damage(reader, offset);
        reader->is_lost = false;
        reader->base += used;
        at += used;
        used = take_records(reader, bytes + at, size - at, INPUT_ENDS);
        reader->base += used;
        at += used;
    }
}

static bool perfetto_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                          Err *err)
{
    PerfettoReader *reader = (PerfettoReader *)state;
    *used = take_records(reader, bytes, size, input);
    reader->base += *used;
    if (input == INPUT_ENDS && !reader->failed) {
        finish(reader, bytes + *used, size - *used);
        system_finish(reader);
        *used = size;
    }
    bytes_release(&reader->text);
    return !reader->failed || err_set(err, ERR_MEMORY, "out of memory");
}

static bool perfetto_skip(void *state)
{
    PerfettoReader *reader = (PerfettoReader *)state;
    reader->is_lost = reader->drops_byte = true; /* the caller warns */
    return true;
}

const FormatReader PERFETTO_READER = {
    .name = "perfetto",
    .spec = "protos/perfetto/trace of Perfetto v49 to v54",
    .about = "Perfetto's protobuf traces, of its SDK, Chromium and Android. Usual names: *.pftrace, "
             "*.perfetto-trace, *.pb.",
    .probe = perfetto_probe,
    .open = perfetto_open,
    .read = perfetto_read,
    .skip = perfetto_skip,
    .details = perfetto_details,
    .lead = perfetto_lead,
};
