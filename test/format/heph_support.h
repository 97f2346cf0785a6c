/* format/heph_support.h - handwritten Heph packets, and the traces made of them. */
#ifndef TEST_FORMAT_HEPH_SUPPORT_H
#define TEST_FORMAT_HEPH_SUPPORT_H
#include "format/heph/heph.h"
#include "format/pieces.h"
#include "support/golden.h"

/* -- making: all integers big-endian -- */

void put_uint(Bytes *out, uint64_t value, unsigned size); /* more than 8 bytes: zeros first */
/* Appends "75 d1 1d 4d". */
void put_hex(Bytes *out, const char *hex);
void put_text(Bytes *out, const char *text); /* u16 length, then its bytes */
void put_option(Bytes *out, const char *name, const void *value, size_t size);
void put_epoch(Bytes *out, uint64_t epoch_ns);
/* Begins an event, up to its description; attributes may follow; packet_end sets its size. */
size_t packet_begin(Bytes *out, uint32_t stream, uint32_t counter, uint64_t substream, uint64_t start,
                    uint64_t end, const char *description);
void   packet_end(Bytes *out, size_t packet);
/* Appends an event of stream 1, substream 0 without attributes. */
void put_event(Bytes *out, uint32_t counter, uint64_t start, uint64_t end, const char *description);
/* Appends name and type of an attribute; the caller appends its value. */
void put_attribute(Bytes *out, const char *name, unsigned type);

/* -- reading -- */

Built built_from(const void *bytes, size_t size, Pieces pieces);
/* Builds a trace in one piece and runs trace_check; fails the case if it is refused. Clears `bytes`. */
Trace *built_whole(Bytes *bytes);
/* Writes the whole trace, or the error, as text: TextOf. */
void text_of(const Bytes *file, size_t size, Pieces pieces, Bytes *out);
/* Compares that text with `expected`. Releases `bytes`. */
void check_text(Bytes *bytes, const char *expected);
/* Compares the property of this key, as JSON; fails the case if it is missing. */
void check_property(const Trace *trace, const char *key, const char *expected);

#endif
