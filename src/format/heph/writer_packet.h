/* format/heph/writer_packet.h - appends packets to a Bytes. Layouts: packet.h. */
#ifndef FORMAT_HEPH_WRITER_PACKET_H
#define FORMAT_HEPH_WRITER_PACKET_H
#include "format/heph/packet.h"

enum { HEPH_MOST_TEXT = 65535, HEPH_MOST_ELEMENTS = 65535 };

void heph_put_u8(Bytes *out, uint8_t value);
void heph_put_u16(Bytes *out, uint16_t value);
void heph_put_u32(Bytes *out, uint32_t value);
void heph_put_u64(Bytes *out, uint64_t value);
/* Appends a string of at most HEPH_MOST_TEXT bytes. Returns false if the text was truncated (at a code point). */
bool heph_put_text(Bytes *out, StringView text);

/* Append an option up to its value, or an event up to its attributes (not those of `event`). The caller appends the
 * rest and calls heph_packet_end, which sets the size. Return false if the text was truncated. */
bool   heph_option_begin(Bytes *out, StringView name, size_t *packet);
bool   heph_event_begin(Bytes *out, const HephEvent *event, size_t *packet);
void   heph_packet_end(Bytes *out, size_t packet);
size_t heph_packet_size(const Bytes *out, size_t packet); /* so far */

void heph_put_epoch(Bytes *out, uint64_t epoch_ns);

#endif
