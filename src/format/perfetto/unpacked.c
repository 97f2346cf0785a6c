#include "format/perfetto/unpacked.h"

#include "base/lru.h"
#include "base/search.h"
#include "codec/inflate.h"
#include "format/perfetto/fields.h"
#include "format/perfetto/packet.h"

enum { MOST_BYTES = 64 << 20, STEP_BYTES = 256 << 10 };

bool unpacked_open(Unpacked *unpacked, Arena *arena)
{
    unpacked->arena = arena;
    for (size_t i = 0; i < UNPACKED_RECORDS; i++)
        unpacked->records[i].offset = UINT64_MAX;
    unpacked->lock = lock_create(arena);
    return unpacked->lock != NULL;
}

static void release(UnpackedRecord *record)
{
    bytes_release(&record->bytes);
    vec_release(&record->starts);
    record->offset = UINT64_MAX;
}

void unpacked_close(Unpacked *unpacked)
{
    lock_destroy(unpacked->lock);
    for (size_t i = 0; i < UNPACKED_RECORDS; i++)
        release(&unpacked->records[i]);
}

/* Returns room for more bytes; NULL at the limit, which sets *why, and when out of memory. */
static void *room_for_more(Bytes *out, const char **why)
{
    if (out->size < MOST_BYTES) return bytes_reserve(out, STEP_BYTES);
    *why = "the packets in it take more than 64 MiB";
    return NULL;
}

/* RFC 1950: 0x78, a byte of flags that makes both a multiple of 31, deflate data, and a checksum, which is not compared. */
static bool inflate_into(StringView data, Bytes *out, const char **why)
{
    enum { METHOD_MASK = 0x0f, DEFLATE = 8, HAS_DICTIONARY = 0x20, HEADER_BYTES = 2, CHECK = 31 };
    const uint8_t *head = (const uint8_t *)data.bytes;
    *why = "the compressed data has no header of zlib";
    if (data.size < HEADER_BYTES || (head[0] & METHOD_MASK) != DEFLATE || (head[1] & HAS_DICTIONARY) != 0 ||
        (head[0] * 256U + head[1]) % CHECK != 0)
        return false;
    Arena        arena = arena_create(0);
    Inflater    *inflater = inflater_create(&arena, INFLATE_RAW);
    CodecStream  stream = { .in = head + HEADER_BYTES, .in_size = data.size - HEADER_BYTES };
    InflateState state = INFLATE_MORE;
    *why = NULL;
    while (inflater != NULL && state == INFLATE_MORE) {
        stream.out = (uint8_t *)room_for_more(out, why);
        if (stream.out == NULL) break;
        stream.out_size = STEP_BYTES;
        const size_t left = stream.in_size;
        state = inflater_run(inflater, &stream, why);
        bytes_grow(out, STEP_BYTES - stream.out_size);
        if (state == INFLATE_MORE && stream.out_size == STEP_BYTES && left == stream.in_size) {
            *why = "the compressed data is cut short";
            break;
        }
    }
    if (inflater == NULL) out->failed = true;
    arena_release(&arena);
    return state == INFLATE_END;
}

static bool decode_zstd(StringView data, Bytes *out, const char **why)
{
    Err         err;
    Decoder    *decoder = decoder_open(CODEC_ZSTD, &err);
    CodecStream stream = { .in = (const uint8_t *)data.bytes, .in_size = data.size };
    DecodeState state = decoder == NULL ? DECODE_FAILED : DECODE_MORE;
    *why = "the compressed data is not sound data of zstd";
    if (decoder == NULL && err.code == ERR_MEMORY) out->failed = true;
    while (state == DECODE_MORE) {
        stream.out = (uint8_t *)room_for_more(out, why);
        if (stream.out == NULL) break;
        stream.out_size = STEP_BYTES;
        state = decoder_run(decoder, &stream, &err);
        bytes_grow(out, STEP_BYTES - stream.out_size);
        if (state == DECODE_MORE && stream.in_size == 0 && stream.out_size > 0) break;
    }
    if (state == DECODE_FAILED && err.code == ERR_MEMORY) out->failed = true;
    const bool done = state != DECODE_FAILED && stream.out != NULL && decoder_finish(decoder, &err);
    decoder_close(decoder);
    return done;
}

/* Sets *bundle to that of a packet. False: the packet has none. */
static bool bundle_of(StringView bytes, FtraceBundle *bundle)
{
    Packet packet;
    return packet_decode(bytes, &packet) && packet.data_number == DATA_FTRACE &&
           bundle_decode(packet.data, bundle);
}

/* Finds the packets in the bytes. False: damage, or out of memory. */
static bool find_packets(UnpackedRecord *record)
{
    ByteCursor   c = cursor_over(record->bytes.data, record->bytes.size, 0);
    WireField    field;
    FtraceBundle bundle;
    uint64_t     number = 0;
    for (size_t at = 0; number <= UINT32_MAX && wire_next(&c, &field); at = c.at) {
        if (field.number != TRACE_PACKET || field.type != WIRE_BYTES) continue;
        vec_push(&record->starts, ((UnpackedStart){ (uint32_t)at, (uint32_t)number }));
        number += 1 + (bundle_of(field.bytes, &bundle) ? bundle_count(&bundle) : 0);
    }
    return !c.failed && !record->starts.bytes.failed;
}

UnpackedRecord *unpacked_record(Unpacked *unpacked, uint64_t offset)
{
    UnpackedRecord *records = unpacked->records;
    size_t          place;
    LRU_CHOOSE(place, UNPACKED_RECORDS, i, records[i].offset == offset, true, records[i].last_use);
    records[place].last_use = ++unpacked->uses;
    return &records[place];
}

/* Begins other contents. */
static void begin(UnpackedRecord *record, uint64_t offset)
{
    bytes_clear(&record->bytes);
    vec_clear(&record->starts);
    record->offset = offset;
    record->cursor_packet = 0;
}

/* Ends the contents: keeps one large record only. False: out of memory. */
static bool finish(Unpacked *unpacked, UnpackedRecord *record)
{
    enum { LARGE_BYTES = 1 << 20 };
    if (record->bytes.failed || record->starts.bytes.failed) {
        release(record);
        return false;
    }
    for (size_t i = 0; i < UNPACKED_RECORDS && record->bytes.size > LARGE_BYTES; i++)
        if (&unpacked->records[i] != record && unpacked->records[i].bytes.capacity > LARGE_BYTES)
            release(&unpacked->records[i]);
    return true;
}

UnpackResult unpacked_read(Unpacked *unpacked, UnpackedRecord *record, uint64_t offset, uint32_t number,
                           StringView data, const char **why)
{
    static_assert(MOST_BYTES + STEP_BYTES < UINT32_MAX, "offsets of packets have 32 bits");
    begin(record, offset);
    bool done = number == DATA_ZSTD_COMPRESSED ? decode_zstd(data, &record->bytes, why)
                                               : inflate_into(data, &record->bytes, why);
    if (!find_packets(record) && done) {
        *why = "the packets in it are damaged";
        done = false;
    }
    if (!finish(unpacked, record)) return UNPACK_NO_MEMORY;
    return done ? UNPACK_DONE : UNPACK_DAMAGED;
}

UnpackResult unpacked_set(Unpacked *unpacked, UnpackedRecord *record, uint64_t offset, StringView packet)
{
    begin(record, offset);
    bytes_append(&record->bytes, packet.bytes, packet.size);
    const bool done = !record->bytes.failed && find_packets(record);
    if (!finish(unpacked, record)) return UNPACK_NO_MEMORY;
    return done ? UNPACK_DONE : UNPACK_DAMAGED;
}

bool unpacked_event(Unpacked *unpacked, UnpackedRecord *record, uint64_t number, StringView *packet,
                    const BundledEvent **event)
{
    /* bounds the steps to an event of a bundle: usual ones have some thousand */
    enum { MOST_NUMBER = 1 << 16 };
    const UnpackedStart *starts = record->starts.items;
    size_t               count = 0;
    PacketFrame          frame;
    FtraceBundle         bundle;
    LOWER_BOUND(size_t, count, vec_count(&record->starts), i, starts[i].number <= number);
    if (count == 0) return false;
    const UnpackedStart start = starts[count - 1];
    const size_t        left = record->bytes.size - start.at;
    if (packet_frame(record->bytes.data + start.at, left, &frame) != FRAME_WHOLE) return false;
    *packet = frame.packet;
    *event = NULL;
    if (number == start.number) return true;
    if (number - start.number > MOST_NUMBER) return false;
    if (record->cursor_packet != count) {
        if (!bundle_of(frame.packet, &bundle) || !bundle_open(&record->cursor, unpacked->arena, &bundle))
            return false;
        record->cursor_packet = count;
    }
    *event = bundle_find(&record->cursor, unpacked->arena, (uint32_t)(number - start.number - 1));
    return *event != NULL;
}

const PackedPacket *unpacked_find(const Unpacked *unpacked, uint64_t offset)
{
    const PackedPacket *packets = unpacked->packets.items;
    size_t              count = 0;
    LOWER_BOUND(size_t, count, unpacked->packets.count, i, packets[i].offset <= offset);
    if (count == 0 || offset - packets[count - 1].offset >= packets[count - 1].size) return NULL;
    return &packets[count - 1];
}
