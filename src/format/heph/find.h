/* format/heph/find.h - where packets stand, also behind damage.
 *
 * At a place where a packet should start there is one, or none, or more bytes have to come before that can be
 * said. Whatever pieces the input comes in, the answer for a place is the same. A false packet (a magic in
 * garbage) is told by its size, by its first string, and by its attributes where no other packet follows it
 * (section 9 of the format's description). */
#ifndef FORMAT_HEPH_FIND_H
#define FORMAT_HEPH_FIND_H
#include "format/heph/packet.h"
#include "format/reader.h"

typedef struct PacketFinder {
    const HephLayout *layout;        /* NULL until the first event */
    uint64_t          rejected_work; /* spent on attributes of packets that were none */
    uint32_t          most_bytes;    /* of a packet; 0 = HEPH_MOST_BYTES */
} PacketFinder;

typedef enum { PACKET_METADATA, PACKET_EVENT } PacketKind;

/* Why there is no packet. */
typedef enum {
    NONE_WITHOUT_MAGIC,
    NONE_TOO_SMALL,
    NONE_TOO_LARGE,
    NONE_STRING_PAST_END,
    NONE_BAD_ATTRIBUTES,
    NONE_CUT /* one may have begun here, but the input ends */
} NoneReason;

typedef struct FoundPacket {
    PacketKind    kind;
    uint32_t      size;   /* as claimed; 0 = the input ends before */
    NoneReason    reason; /* with FOUND_NONE */
    HephOption    option;
    HephEvent     event;
    AttributeWalk walk; /* of an event; a packet may have attributes that are not good */
} FoundPacket;

typedef enum { FOUND_PACKET, FOUND_NONE, FOUND_TOO_FEW_BYTES } Found;

/* What stands at the start of `bytes` (size > 0), which is at `offset` in the input. */
Found heph_find_here(PacketFinder *finder, const uint8_t *bytes, size_t size, uint64_t offset,
                     InputState input, FoundPacket *packet);

/* The first place from `from` on at which a magic stands, or the start of one that the end of
 * `bytes` cuts; `size` = none. */
size_t heph_find_magic(const uint8_t *bytes, size_t size, size_t from);

/* See FormatReader.probe. */
int heph_probe(const uint8_t *head, size_t size);

#endif
