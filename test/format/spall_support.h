/* format/spall_support.h - handwritten .spall streams, and the traces made of them. */
#ifndef TEST_FORMAT_SPALL_SUPPORT_H
#define TEST_FORMAT_SPALL_SUPPORT_H
#include "format/pieces.h"
#include "format/spall/spall.h"
#include "support/golden.h"

/* -- making -- */

void put_u8(Bytes *out, unsigned value);
void put_u32(Bytes *out, uint32_t value);
void put_u64(Bytes *out, uint64_t value);
void put_f64(Bytes *out, double value);
/* Appends "0d f0 ad". */
void put_hex(Bytes *out, const char *hex);
/* Appends the 32 bytes of a manual header. */
void put_header(Bytes *out, uint64_t version, double unit);
/* Appends a begin of version 1, pid 1, tid 2. */
void put_begin1(Bytes *out, double time, const char *name, const char *args);
void put_end1(Bytes *out, double time);
/* Begins a frame of version 3, whose size frame_end sets. */
size_t frame_begin(Bytes *out, uint32_t pid, uint32_t tid);
void   frame_end(Bytes *out, size_t frame);
void   put_begin3(Bytes *out, uint64_t time, const char *name, const char *args);
void   put_end3(Bytes *out, uint64_t time);

/* -- reading -- */

Built built_from(const void *bytes, size_t size, Pieces pieces);
/* Builds a trace in one piece and runs trace_check; fails the case if it is refused. Clears `bytes`. */
Trace *built_whole(Bytes *bytes);
/* Writes the whole trace, or the error, as text: TextOf. */
void text_of(const Bytes *file, size_t size, Pieces pieces, Bytes *out);
/* Compares that text with `expected`. Releases `bytes`. */
void check_text(Bytes *bytes, const char *expected);

/* Writes details of slice `slice` as "ARGS OTHER". */
void slice_details(const Trace *trace, uint64_t slice, const void *bytes, size_t size, Bytes *out);

#endif
