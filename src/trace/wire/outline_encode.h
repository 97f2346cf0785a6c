/* trace/wire/outline_encode.h - makes the outline, label pages and overview (trace/wire/outline.h) from a trace. */
#ifndef TRACE_WIRE_OUTLINE_ENCODE_H
#define TRACE_WIRE_OUTLINE_ENCODE_H
#include "trace/store/filter.h"
#include "trace/wire/outline.h"

/* Each appends its bytes to `out`, whose failure is sticky (out->failed). */
void outline_encode(const Trace *trace, StringView file_name, Bytes *out);
/* As outline_encode, for a growing trace; begin_unix_ns: as in Outline. */
void outline_encode_received(const Trace *trace, StringView file_name, int64_t begin_unix_ns, Bytes *out);
void label_page_encode(const Trace *trace, uint32_t page, Bytes *out);
/* Append the overview, and the counts of every track, of the events that a filter leaves visible (NULL: of
 * all events). `number`: the number that the client gave the filter. */
void overview_encode(const Trace *trace, const Filter *filter, uint32_t number, uint32_t bucket_count,
                     Bytes *out);
void visible_encode(const Trace *trace, const Filter *filter, uint32_t number, Bytes *out);

#endif
