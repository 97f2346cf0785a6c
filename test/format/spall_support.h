/* format/spall_support.h - .spall streams made by hand, and what becomes of them. */
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
/* "0d f0 ad" */
void put_hex(Bytes *out, const char *hex);
/* The 32 bytes of a manual header. */
void put_header(Bytes *out, uint64_t version, double unit);
/* Version 1, pid 1, tid 2. */
void put_begin1(Bytes *out, double time, const char *name, const char *args);
void put_end1(Bytes *out, double time);
/* Version 3. A frame's size is put right by frame_end. */
size_t frame_begin(Bytes *out, uint32_t pid, uint32_t tid);
void   frame_end(Bytes *out, size_t frame);
void   put_begin3(Bytes *out, uint64_t time, const char *name, const char *args);
void   put_end3(Bytes *out, uint64_t time);

/* -- reading -- */

Built built_from(const void *bytes, size_t size, Pieces pieces);
/* In one piece, checked by trace_check; fails the case when it is refused. Clears `bytes`. */
Trace *built_whole(Bytes *bytes);
/* Everything the trace holds, or the error, as text. */
void built_text(const Built *built, const void *bytes, size_t size, Bytes *out);
/* The same as a C string that must equal `expected`; only the part after `from` (NULL = all). Releases the trace. */
void check_text(Bytes *bytes, const char *expected);

/* Details of slice `slice` as "ARGS OTHER". */
void slice_details(const Trace *trace, uint64_t slice, const void *bytes, size_t size, Bytes *out);

#endif
