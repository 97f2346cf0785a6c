/* format/perfetto/packet.h - the fields of a TracePacket. For format/perfetto only. */
#ifndef FORMAT_PERFETTO_PACKET_H
#define FORMAT_PERFETTO_PACKET_H
#include "format/wire.h"

typedef enum { FRAME_WHOLE, FRAME_SHORT, FRAME_DAMAGED } FrameState;

/* The record of a packet in the stream: the tag of Trace.packet, the size, and the packet. */
typedef struct PacketFrame {
    size_t     size;     /* of the record; of FRAME_SHORT: at least, as far as it is known */
    StringView packet;   /* FRAME_WHOLE */
    bool       is_other; /* a field of Trace other than packet: to be skipped */
} PacketFrame;

/* Reads the frame at the start of the bytes (size > 0). */
FrameState packet_frame(const uint8_t *bytes, size_t size, PacketFrame *frame);

enum { MACHINE_SHIFT = 32 };

typedef struct Packet {
    uint64_t   timestamp;
    uint64_t   sequence_id; /* with the machine in the upper half, 0 = the host */
    uint32_t   clock_id;    /* 0 = not in the packet */
    uint32_t   flags;       /* SEQUENCE_ */
    uint32_t   data_number; /* of `data`; 0 = none */
    bool       has_timestamp, was_dropped, is_first;
    bool       has_interned;
    StringView data;     /* the first field that is not one of the packet itself */
    StringView defaults; /* bytes NULL = none */
} Packet;

/* Decodes a packet. False: it is damaged. */
bool packet_decode(StringView bytes, Packet *packet) WARN_UNUSED;
/* Returns the name of the data of a packet, for example "TrackDescriptor"; NULL: unknown. */
const char *packet_data_name(uint32_t number);
/* Returns a confidence, 0 to 100, that the bytes, which may end early, begin a packet; reads the first fields only. */
int packet_sure(const uint8_t *bytes, size_t size);

#endif
