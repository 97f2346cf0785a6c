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
    uint32_t at;     /* in UnpackedRecord.bytes */
    uint32_t number; /* of the packet */
} UnpackedStart;

/* The contents of a packet that holds several events. */
typedef struct UnpackedRecord {
    uint64_t offset;   /* of the packet; UINT64_MAX = none */
    uint64_t last_use; /* counted by Unpacked.uses */
    Bytes    bytes;    /* of compressed packets: decompressed; of a bundle: its record */
    VEC(UnpackedStart) starts;
    BundleCursor cursor;        /* over the latest bundle of unpacked_event */
    size_t       cursor_packet; /* 1 + its index in starts; 0 = none */
} UnpackedRecord;

/* Events next to each other in time are in the bundles of several processors. */
enum { UNPACKED_RECORDS = 16 };

typedef struct Unpacked {
    Arena *arena; /* borrowed */
    ARENA_LIST(PackedPacket) packets;
    Lock          *lock; /* of the members below, which `details` of several threads use */
    UnpackedRecord records[UNPACKED_RECORDS];
    uint64_t       uses;
} Unpacked;

bool unpacked_open(Unpacked *unpacked, Arena *arena) WARN_UNUSED;
void unpacked_close(Unpacked *unpacked);

typedef enum { UNPACK_DONE, UNPACK_DAMAGED, UNPACK_NO_MEMORY } UnpackResult;

/* Returns the record of the packet at an offset. If its contents are not here, its offset is another one: unpacked_read or
 * unpacked_set replace it. */
UnpackedRecord *unpacked_record(Unpacked *unpacked, uint64_t offset);
/* Decompresses the data of the packet at `offset` into the record and finds the packets in it. UNPACK_DAMAGED: the record has the
 * part before the damage, and *why is a static text. `number`: that of the field. */
UnpackResult unpacked_read(Unpacked *unpacked, UnpackedRecord *record, uint64_t offset, uint32_t number,
                           StringView data, const char **why);
/* As unpacked_read, but sets the bytes to those of a plain packet, with tag and size. */
UnpackResult unpacked_set(Unpacked *unpacked, UnpackedRecord *record, uint64_t offset,
                          StringView packet) WARN_UNUSED;
/* Finds an event by its number: its packet, and the event in a bundle, or NULL. False: no such event. */
bool unpacked_event(Unpacked *unpacked, UnpackedRecord *record, uint64_t number, StringView *packet,
                    const BundledEvent **event) WARN_UNUSED;
/* Returns the packet of which an event is a part, or NULL. */
const PackedPacket *unpacked_find(const Unpacked *unpacked, uint64_t offset);

#endif
