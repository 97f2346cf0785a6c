#include "format/heph/writer_packet.h"

#include "base/attr.h"
#include "base/utf8.h"

#include <string.h>

static ALWAYS_INLINE void encode(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = size; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

static ALWAYS_INLINE void put_uint(Bytes *out, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    encode(bytes, value, size);
    bytes_append(out, bytes, size);
}

void heph_put_u8(Bytes *out, uint8_t value)
{
    put_uint(out, value, 1);
}

void heph_put_u16(Bytes *out, uint16_t value)
{
    put_uint(out, value, 2);
}

void heph_put_u32(Bytes *out, uint32_t value)
{
    put_uint(out, value, 4);
}

void heph_put_u64(Bytes *out, uint64_t value)
{
    put_uint(out, value, 8);
}

bool heph_put_text(Bytes *out, StringView text)
{
    size_t size = utf8_cut(text.bytes, text.size, HEPH_MOST_TEXT);
    heph_put_u16(out, (uint16_t)size);
    bytes_append(out, text.bytes, size);
    return size == text.size;
}

static size_t packet_begin(Bytes *out, uint32_t magic)
{
    size_t packet = out->size;
    heph_put_u32(out, magic);
    heph_put_u32(out, 0);
    return packet;
}

bool heph_option_begin(Bytes *out, StringView name, size_t *packet)
{
    *packet = packet_begin(out, HEPH_METADATA_MAGIC);
    return heph_put_text(out, name);
}

bool heph_event_begin(Bytes *out, const HephEvent *event, size_t *packet)
{
    enum { SIZE = 40 };
    uint8_t *at = bytes_reserve(out, SIZE);
    *packet = out->size;
    if (at == NULL) return true;
    encode(at, HEPH_EVENT_MAGIC, 4);
    encode(at + 4, 0, 4);
    encode(at + 8, event->stream, 4);
    encode(at + 12, event->counter, 4);
    encode(at + 16, event->substream, 8);
    encode(at + 24, event->start, 8);
    encode(at + 32, event->end, 8);
    bytes_grow(out, SIZE);
    return heph_put_text(out, event->description);
}

size_t heph_packet_size(const Bytes *out, size_t packet)
{
    return out->size - packet;
}

void heph_packet_end(Bytes *out, size_t packet)
{
    if (!out->failed) encode(out->data + packet + HEPH_MAGIC_BYTES, heph_packet_size(out, packet), 4);
}

void heph_put_epoch(Bytes *out, uint64_t epoch_ns)
{
    size_t packet;
    (void)heph_option_begin(out, STRING_LITERAL("epoch"), &packet);
    heph_put_u64(out, epoch_ns);
    heph_packet_end(out, packet);
}
