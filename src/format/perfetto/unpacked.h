/* format/perfetto/unpacked.h - packets that hold other packets, compressed. For format/perfetto only.
 *
 * An event inside such a packet has no offset of its own. Its position is the offset of the outer packet plus its number inside
 * of it, so positions are different and in order. A packet that holds more packets than it has bytes gives the last position to
 * the rest, which have no details. */
#ifndef FORMAT_PERFETTO_UNPACKED_H
#define FORMAT_PERFETTO_UNPACKED_H
#include "base/lock.h"
#include "base/vec.h"
#include "format/reader.h"

/* A packet in the input that holds others. */
typedef struct PackedPacket {
    uint64_t offset, size; /* of its record, with tag and size */
} PackedPacket;

typedef struct Unpacked {
    Arena *arena; /* borrowed */
    ARENA_LIST(PackedPacket) packets;
    Lock    *lock;   /* of the members below, which `details` of several threads use */
    uint64_t offset; /* of the packet whose contents these are; UINT64_MAX = none */
    Bytes    bytes;
    VEC(uint32_t) starts; /* offsets of the packets in `bytes` */
} Unpacked;

bool unpacked_open(Unpacked *unpacked, Arena *arena) WARN_UNUSED;
void unpacked_close(Unpacked *unpacked);

typedef enum { UNPACK_DONE, UNPACK_DAMAGED, UNPACK_NO_MEMORY } UnpackResult;

/* Decompresses the data of the packet at `offset` into `bytes` and finds the packets in it. UNPACK_DAMAGED: `bytes` has the part
 * before the damage, and *why is a static text. `number`: that of the field. */
UnpackResult unpacked_read(Unpacked *unpacked, uint64_t offset, uint32_t number, StringView data,
                           const char **why);
/* Returns the packet of which an event is a part, or NULL. */
const PackedPacket *unpacked_find(const Unpacked *unpacked, uint64_t offset);

#endif
