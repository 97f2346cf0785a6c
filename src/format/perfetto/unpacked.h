/* format/perfetto/unpacked.h - packets that hold several events: bundles of ftrace, and compressed packets. For format/perfetto
 * only.
 *
 * An event inside such a packet has no offset of its own. Its position is the offset of the outer packet plus its number inside
 * of it, so positions are different and in order. A packet has the number 0; the events of a bundle follow their packet. A packet
 * that holds more events than it has bytes gives the last position to the rest, which have no details. */
#ifndef FORMAT_PERFETTO_UNPACKED_H
#define FORMAT_PERFETTO_UNPACKED_H
#include "base/lock.h"
#include "base/vec.h"
#include "format/perfetto/ftrace_bundle.h"
#include "format/reader.h"

/* A packet in the input that holds others. */
typedef struct PackedPacket {
    uint64_t offset, size; /* of its record, with tag and size */
} PackedPacket;

/* A packet inside of another, or the packet of a bundle itself. */
typedef struct UnpackedStart {
    uint32_t at;     /* in Unpacked.bytes */
    uint32_t number; /* of the packet */
} UnpackedStart;

typedef struct Unpacked {
    Arena *arena; /* borrowed */
    ARENA_LIST(PackedPacket) packets;
    Lock    *lock;   /* of the members below, which `details` of several threads use */
    uint64_t offset; /* of the packet whose contents these are; UINT64_MAX = none */
    Bytes    bytes;
    VEC(UnpackedStart) starts;
    BundleCursor cursor;        /* over the latest bundle of unpacked_event */
    size_t       cursor_packet; /* 1 + its index in starts; 0 = none */
} Unpacked;

bool unpacked_open(Unpacked *unpacked, Arena *arena) WARN_UNUSED;
void unpacked_close(Unpacked *unpacked);

typedef enum { UNPACK_DONE, UNPACK_DAMAGED, UNPACK_NO_MEMORY } UnpackResult;

/* Decompresses the data of the packet at `offset` into `bytes` and finds the packets in it. UNPACK_DAMAGED: `bytes` has the part
 * before the damage, and *why is a static text. `number`: that of the field. */
UnpackResult unpacked_read(Unpacked *unpacked, uint64_t offset, uint32_t number, StringView data,
                           const char **why);
/* As unpacked_read, but sets the bytes to the record of a plain packet. */
UnpackResult unpacked_set(Unpacked *unpacked, uint64_t offset, StringView record) WARN_UNUSED;
/* Finds an event by its number: its packet, and the event in a bundle, or NULL. False: no such event. */
bool unpacked_event(Unpacked *unpacked, uint64_t number, StringView *packet,
                    const BundledEvent **event) WARN_UNUSED;
/* Returns the packet of which an event is a part, or NULL. */
const PackedPacket *unpacked_find(const Unpacked *unpacked, uint64_t offset);

#endif
