/* trace_event_support.h - Trace Event JSON read in chunks of any size, and a trace as text. */
#ifndef TEST_FORMAT_TRACE_EVENT_SUPPORT_H
#define TEST_FORMAT_TRACE_EVENT_SUPPORT_H
#include "format/pieces.h"

/* The division of the input: pieces of 1..max_piece bytes, random; max_piece 0 = all in one piece. Every piece is in a
 * block of its exact size, so that a read beyond it is found. */
typedef struct Cuts {
    TestRandom random;
    size_t     max_piece;
} Cuts;

/* Makes the following functions use another reader in place of that of Trace Event JSON. `folder`: its name, with _ for -. */
void trace_event_use_reader(const char *folder);

/* Loads a trace; NULL and err filled if the reader or the builder fails. Release it with trace_release. */
Trace *trace_event_load(const void *bytes, size_t size, Cuts cuts, Err *err);

/* Writes the whole trace as text, one item a line, with arguments decoded from `bytes`. */
void trace_event_print(const Trace *trace, const void *bytes, size_t size, Bytes *out);
/* As trace_event_print, for an input that may be refused. */
void trace_event_print_input(const void *bytes, size_t size, Cuts cuts, Bytes *out);

/* Returns the number of slices with this name. */
uint64_t trace_event_count_named(const Trace *trace, const char *name);
#endif
