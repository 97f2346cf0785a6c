/* format/heph/writer_packet.h - packets, appended to a Bytes. Layouts: packet.h. */
#ifndef FORMAT_HEPH_WRITER_PACKET_H
#define FORMAT_HEPH_WRITER_PACKET_H
#include "format/heph/packet.h"

enum { HEPH_MOST_TEXT = 65535, HEPH_MOST_ELEMENTS = 65535 };

void heph_put_u8(Bytes *out, uint8_t value);
void heph_put_u16(Bytes *out, uint16_t value);
void heph_put_u32(Bytes *out, uint32_t value);
void heph_put_u64(Bytes *out, uint64_t value);
/* At most HEPH_MOST_TEXT bytes, cut at a code point: false when it had to be. */
bool heph_put_text(Bytes *out, StringView text);

/* An option up to its value, an event up to its attributes (those of `event` are not
 * written). What follows belongs to it until heph_packet_end puts its size right. False: the text was cut. */
bool   heph_option_begin(Bytes *out, StringView name, size_t *packet);
bool   heph_event_begin(Bytes *out, const HephEvent *event, size_t *packet);
void   heph_packet_end(Bytes *out, size_t packet);
size_t heph_packet_size(const Bytes *out, size_t packet); /* so far */

void heph_put_epoch(Bytes *out, uint64_t epoch_ns);

#endif
