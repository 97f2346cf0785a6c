/* trace/outline_encode.h - makes the outline, label pages and overview (trace/outline.h) from a trace. */
#ifndef TRACE_OUTLINE_ENCODE_H
#define TRACE_OUTLINE_ENCODE_H
#include "trace/outline.h"
#include "trace/trace.h"

/* Each appends its bytes to `out`, whose failure is sticky (out->failed). */
void outline_encode(const Trace *trace, StringView file_name, Bytes *out);
void label_page_encode(const Trace *trace, uint32_t page, Bytes *out);
void overview_encode(const Trace *trace, uint32_t bucket_count, Bytes *out);

#endif
