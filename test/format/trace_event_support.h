/* trace_event_support.h - Trace Event JSON read in chunks of any size, and a trace as text. */
#ifndef TEST_FORMAT_TRACE_EVENT_SUPPORT_H
#define TEST_FORMAT_TRACE_EVENT_SUPPORT_H
#include "format/pieces.h"

/* How the input is cut: pieces of 1..max_piece bytes, random; max_piece 0 = all in one piece. Every piece is in a
 * block of exactly its size, so that a byte read behind it is found out. */
typedef struct Cuts {
    TestRandom random;
    size_t     max_piece;
} Cuts;

/* NULL and err filled when the reader or the builder fails. Release the trace with trace_release. */
Trace *trace_event_load(const void *bytes, size_t size, Cuts cuts, Err *err);

/* The whole trace as text, one thing a line, arguments decoded from `bytes`. */
void trace_event_print(const Trace *trace, const void *bytes, size_t size, Bytes *out);
/* The same for an input that may be refused. */
void trace_event_print_input(const void *bytes, size_t size, Cuts cuts, Bytes *out);

/* How many slices have this name. */
uint64_t trace_event_count_named(const Trace *trace, const char *name);
#endif
