/* format/go/v2/alloc_free.h - the experiment AllocFree of 1.23: decodes the ids of spans, objects and stacks in its
 * events.
 *
 * Programs run with GODEBUG=traceallocfree=1 write events with ids alone, and experimental batches to decode these.
 * Go's reader passes the batches on as raw bytes. Their layout is that of Go's runtime/traceallocfree.go:
 *
 *     batch := 00 { id address size pointer-bytes length name[length] }*     types of objects
 *            | 01 address page-bytes object-bytes stack-bytes                begin of the heap, and units of the ids */
#ifndef FORMAT_GO_V2_ALLOC_FREE_H
#define FORMAT_GO_V2_ALLOC_FREE_H
#include "format/go/v2/generation.h"

enum { GO_EXPERIMENT_ALLOC_FREE = 1 };

/* Reads an experimental batch of the generation; `c` is over its data. False when out of memory. */
bool alloc_free_read(GoGeneration *generation, ByteCursor *c) WARN_UNUSED;

/* Appends the decoded ids of an event, as far as the generation can: " Address=0xc000012000 Type=\"main.T\"". */
void alloc_free_append_meaning(const GoGeneration *generation, const GoEvent *event, Bytes *out);
/* Appends the generation's experimental batches: a line for each of their items, or one for a batch of an unknown
 * experiment. */
void alloc_free_append_batches(const GoGeneration *generation, Bytes *out);

#endif
