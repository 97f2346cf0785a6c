/* format/heph_support.h - Heph packets made by hand, and what becomes of them. */
#ifndef TEST_FORMAT_HEPH_SUPPORT_H
#define TEST_FORMAT_HEPH_SUPPORT_H
#include "format/heph/heph.h"
#include "format/pieces.h"
#include "support/golden.h"

/* -- making: all integers big-endian -- */

void put_uint(Bytes *out, uint64_t value, unsigned size); /* more than 8 bytes: zeros first */
/* "75 d1 1d 4d" */
void put_hex(Bytes *out, const char *hex);
void put_text(Bytes *out, const char *text); /* u16 length, then its bytes */
void put_option(Bytes *out, const char *name, const void *value, size_t size);
void put_epoch(Bytes *out, uint64_t epoch_ns);
/* An event up to its description; attributes may follow; packet_end puts its size right. */
size_t packet_begin(Bytes *out, uint32_t stream, uint32_t counter, uint64_t substream, uint64_t start,
                    uint64_t end, const char *description);
void   packet_end(Bytes *out, size_t packet);
/* An event of stream 1, substream 0 without attributes. */
void put_event(Bytes *out, uint32_t counter, uint64_t start, uint64_t end, const char *description);
/* Name and type of an attribute; its value is up to the caller. */
void put_attribute(Bytes *out, const char *name, unsigned type);

/* -- reading -- */

Built built_from(const void *bytes, size_t size, Pieces pieces);
/* In one piece, checked by trace_check; fails the case when it is refused. Clears `bytes`. */
Trace *built_whole(Bytes *bytes);
/* Everything the trace holds, or the error, as text. */
void built_text(const Built *built, const void *bytes, size_t size, Bytes *out);
/* The same must equal `expected`. Releases `bytes`. */
void check_text(Bytes *bytes, const char *expected);
/* The property of this key as JSON; fails the case when there is none. */
void check_property(const Trace *trace, const char *key, const char *expected);

#endif
