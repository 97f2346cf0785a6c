/* format/heph/find.h - finds packets, also after damaged bytes.
 *
 * At an offset there is a packet, or no packet, or more bytes are needed to decide. The result for an offset does not
 * depend on the chunking of the input. A false packet (a magic in other data) is recognised by its size, by its first
 * string, and, if no packet follows it, by its attributes. */
#ifndef FORMAT_HEPH_FIND_H
#define FORMAT_HEPH_FIND_H
#include "format/heph/packet.h"
#include "format/reader.h"

typedef struct PacketFinder {
    const HephLayout *layout;        /* NULL until the first event */
    uint64_t          rejected_work; /* work spent on attributes of rejected packets */
    uint32_t          most_bytes;    /* limit of a packet's size; 0 = HEPH_MOST_BYTES */
} PacketFinder;

typedef enum { PACKET_METADATA, PACKET_EVENT } PacketKind;

/* The reason why an offset has no packet. */
typedef enum {
    NONE_WITHOUT_MAGIC,
    NONE_TOO_SMALL,
    NONE_TOO_LARGE,
    NONE_STRING_PAST_END,
    NONE_BAD_ATTRIBUTES,
    NONE_CUT /* a packet may begin here, but the input ends inside it */
} NoneReason;

typedef struct FoundPacket {
    PacketKind    kind;
    uint32_t      size;   /* as claimed by the packet; 0 = the input ends before its size field */
    NoneReason    reason; /* with FOUND_NONE */
    HephOption    option;
    HephEvent     event;
    AttributeWalk walk; /* of an event; a packet may have invalid attributes */
} FoundPacket;

typedef enum { FOUND_PACKET, FOUND_NONE, FOUND_TOO_FEW_BYTES } Found;

/* Finds a packet at the start of `bytes` (size > 0), which are at `offset` in the input. */
Found heph_find_here(PacketFinder *finder, const uint8_t *bytes, size_t size, uint64_t offset,
                     InputState input, FoundPacket *packet);

/* Returns the offset of the first magic from `from` on, or of a prefix of a magic at the end of `bytes`; `size` if
 * there is no such offset. */
size_t heph_find_magic(const uint8_t *bytes, size_t size, size_t from);

/* See FormatReader.probe. */
int heph_probe(const uint8_t *head, size_t size);

#endif
