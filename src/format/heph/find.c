#include "format/heph/find.h"

#include "base/block16.h"

enum {
    TRIAL_PACKETS = 16, /* number of packets, if present, that must fit the early layout */
    TRIAL_ENOUGH = 2,   /* after this number of fitting packets a packet that does not fit counts as damage */
    PROBE_BYTES = 64 << 10
};
/* Limit on the work for attributes of rejected packets, beyond the size of the input so far. False packets can overlap,
 * which would take quadratic time. Beyond the limit a packet is accepted only if another packet follows it directly. */
static const uint64_t FREE_WORK = 1 << 16;

typedef struct Look {
    const uint8_t *bytes;
    size_t         size;
    uint64_t       offset;
    InputState     input;
} Look;

static Found none(FoundPacket *packet, NoneReason reason)
{
    packet->reason = reason;
    return FOUND_NONE;
}

static uint32_t most_bytes(const PacketFinder *finder)
{
    return finder->most_bytes == 0 ? HEPH_MOST_BYTES : finder->most_bytes;
}

/* The result for a packet without all its bytes: more bytes may follow, or the input ends inside the packet. */
static Found too_few(const Look *look, FoundPacket *packet)
{
    return look->input == INPUT_CONTINUES ? FOUND_TOO_FEW_BYTES : none(packet, NONE_CUT);
}

/* True if `bytes` begins with a magic, or is a prefix of one. */
static bool starts_magic(const uint8_t *bytes, size_t size)
{
    static const uint8_t MAGICS[2][HEPH_MAGIC_BYTES] = { { 0x75, 0xD1, 0x1D, 0x4D },
                                                         { 0xC1, 0xFC, 0x1F, 0xB7 } };
    size_t               compared = size < HEPH_MAGIC_BYTES ? size : HEPH_MAGIC_BYTES;
    return memcmp(bytes, MAGICS[0], compared) == 0 || memcmp(bytes, MAGICS[1], compared) == 0;
}

/* Skips blocks without the third byte of a magic: a control character, which is rare in texts. */
size_t heph_find_magic(const uint8_t *bytes, size_t size, size_t from)
{
    enum { THIRD = 2, BLOCK = 16 };
    size_t at = from;
    while (at < size) {
        if (size - at >= THIRD + BLOCK) {
            const Block16 block = block_load(bytes + at + THIRD);
            if (block_mask(block_or(block_equal(block, 0x1D), block_equal(block, 0x1F))) == 0) {
                at += BLOCK;
                continue;
            }
        }
        const size_t end = size - at < BLOCK ? size : at + BLOCK;
        for (; at < end; at++) {
            if ((bytes[at] == 0x75 || bytes[at] == 0xC1) && starts_magic(bytes + at, size - at)) return at;
        }
    }
    return size;
}

/* -- events -- */

/* FOUND_PACKET if another packet, or the end of the input, follows a packet of `packet_size` bytes. */
static Found find_behind(const Look *look, uint32_t packet_size)
{
    const uint8_t *behind = look->bytes + packet_size;
    size_t         left = look->size - packet_size;
    if (left > 0 && !starts_magic(behind, left)) return FOUND_NONE;
    return left >= HEPH_MAGIC_BYTES || look->input != INPUT_CONTINUES ? FOUND_PACKET : FOUND_TOO_FEW_BYTES;
}

static Found find_event(PacketFinder *finder, const HephLayout *layout, const Look *look, FoundPacket *packet)
{
    if (packet->size < layout->fixed_bytes) return none(packet, NONE_TOO_SMALL);
    if (!heph_event_decode(layout, look->bytes, packet->size, look->offset, &packet->event))
        return none(packet, NONE_STRING_PAST_END);
    Found behind = FOUND_TOO_FEW_BYTES;
    if (UNLIKELY(finder->rejected_work > FREE_WORK + look->offset)) {
        behind = find_behind(look, packet->size);
        if (behind == FOUND_NONE) return none(packet, NONE_BAD_ATTRIBUTES);
        if (behind == FOUND_TOO_FEW_BYTES) return behind;
    }
    heph_walk_attributes(packet->event.attributes, &packet->walk);
    if (LIKELY(packet->walk.state == ATTRIBUTE_GOOD)) return FOUND_PACKET;
    behind = find_behind(look, packet->size);
    if (behind != FOUND_NONE) return behind;
    finder->rejected_work += packet->walk.work;
    return none(packet, NONE_BAD_ATTRIBUTES);
}

/* True if an event fits a layout up to its last byte. */
static bool fits_exactly(const HephLayout *layout, const uint8_t *bytes, uint32_t size, AttributeWalk *walk)
{
    HephEvent event;
    *walk = (AttributeWalk){ .work = 1 };
    if (!heph_event_decode(layout, bytes, size, 0, &event)) return false;
    heph_walk_attributes(event.attributes, walk);
    return walk->state == ATTRIBUTE_GOOD && event.end >= event.start;
}

/* FOUND_PACKET if the events from here on have the early layout. */
static Found try_early(PacketFinder *finder, const Look *look)
{
    uint64_t work = 0;
    size_t   at = 0;
    for (unsigned count = 0; count < TRIAL_PACKETS; count++) {
        ByteCursor cursor = cursor_over(look->bytes + at, look->size - at, 0);
        uint32_t   magic = cursor_u32be(&cursor), size = cursor_u32be(&cursor);
        bool       is_event = magic == HEPH_EVENT_MAGIC;
        if (cursor.failed || (size <= most_bytes(finder) && size > look->size - at)) {
            if (look->input != INPUT_CONTINUES || !starts_magic(look->bytes + at, look->size - at)) break;
            return FOUND_TOO_FEW_BYTES;
        }
        if (!is_event && magic != HEPH_METADATA_MAGIC) break;
        if (size > most_bytes(finder)) break; /* damage, like a size that exceeds the file */
        AttributeWalk walk = { .work = 0 };
        if (size < HEPH_METADATA_BYTES ||
            (is_event && !fits_exactly(&HEPH_EARLY, look->bytes + at, size, &walk))) {
            if (count >= TRIAL_ENOUGH) break;
            finder->rejected_work += work + walk.work;
            return FOUND_NONE;
        }
        work += walk.work;
        at += size;
    }
    return FOUND_PACKET;
}

/* Finds the first event and chooses the layout by it. */
static Found find_first_event(PacketFinder *finder, const Look *look, FoundPacket *packet)
{
    AttributeWalk walk;
    bool          dear = finder->rejected_work > FREE_WORK + look->offset;
    if (!dear && !fits_exactly(&HEPH_PRESENT, look->bytes, packet->size, &walk)) {
        Found early = try_early(finder, look);
        if (early == FOUND_TOO_FEW_BYTES) return early;
        if (early == FOUND_PACKET) {
            finder->layout = &HEPH_EARLY;
            return find_event(finder, finder->layout, look, packet);
        }
    }
    Found found = find_event(finder, &HEPH_PRESENT, look, packet);
    if (found == FOUND_PACKET) finder->layout = &HEPH_PRESENT;
    return found;
}

/* -- packets -- */

/* True if the first string fits into the claimed size. Its length is in the last two bytes of the fixed part. This
 * check rejects most false packets before all of their claimed bytes are available. */
static bool first_string_fits(const Look *look, size_t fixed, uint32_t packet_size)
{
    if (look->size < fixed) return true;
    ByteCursor cursor = cursor_over(look->bytes + fixed - 2, 2, 0);
    return fixed + cursor_u16be(&cursor) <= packet_size;
}

static Found find_packet(PacketFinder *finder, const Look *look, FoundPacket *packet)
{
    ByteCursor cursor = cursor_over(look->bytes, look->size, look->offset);
    uint32_t   magic = cursor_u32be(&cursor), size = cursor_u32be(&cursor);
    packet->size = 0;
    if (!starts_magic(look->bytes, look->size)) return none(packet, NONE_WITHOUT_MAGIC);
    if (cursor.failed) return too_few(look, packet);
    packet->kind = magic == HEPH_EVENT_MAGIC ? PACKET_EVENT : PACKET_METADATA;
    packet->size = size;
    size_t fixed = packet->kind == PACKET_METADATA ? HEPH_METADATA_BYTES
                   : finder->layout == NULL        ? HEPH_EARLY.fixed_bytes
                                                   : finder->layout->fixed_bytes;
    if (size < fixed) return none(packet, NONE_TOO_SMALL);
    if (size > most_bytes(finder)) return none(packet, NONE_TOO_LARGE);
    bool is_sure = packet->kind == PACKET_METADATA || finder->layout != NULL;
    if (is_sure && !first_string_fits(look, fixed, size)) return none(packet, NONE_STRING_PAST_END);
    if (size > look->size) return too_few(look, packet);
    if (packet->kind == PACKET_METADATA) {
        bool decoded = heph_option_decode(look->bytes, size, &packet->option);
        return decoded ? FOUND_PACKET : none(packet, NONE_STRING_PAST_END);
    }
    if (finder->layout == NULL) return find_first_event(finder, look, packet);
    return find_event(finder, finder->layout, look, packet);
}

Found heph_find_here(PacketFinder *finder, const uint8_t *bytes, size_t size, uint64_t offset,
                     InputState input, FoundPacket *packet)
{
    Look look = { bytes, size, offset, input };
    return find_packet(finder, &look, packet);
}

/* -- probe -- */

/* The confidence is highest if the input begins with a packet. It is lower than that of any format with known first
 * bytes if a packet follows later. */
int heph_probe(const uint8_t *head, size_t size)
{
    PacketFinder finder = { .layout = NULL };
    FoundPacket  packet;
    size_t       limit = size < PROBE_BYTES ? size : PROBE_BYTES;
    for (size_t at = heph_find_magic(head, limit, 0); at + HEPH_MAGIC_BYTES <= limit;
         at = heph_find_magic(head, limit, at + 1)) {
        Found found = heph_find_here(&finder, head + at, size - at, at, INPUT_CONTINUES, &packet);
        if (found == FOUND_PACKET) return at == 0 ? 100 : 30;
        if (found == FOUND_TOO_FEW_BYTES && at == 0) return 95;
    }
    return 0;
}
