/* format/go/alloc_free.h - the experiment of 1.23 that tells of memory: what spans, objects and stacks its events mean.
 *
 * Programs run with GODEBUG=traceallocfree=1 write events with ids alone, and batches of their own that say
 * what to make of them. Go's reader hands these on as they are. formats/go-trace.md, 4.2:
 *
 *     batch := 00 { id address size pointer-bytes length name[length] }*     types of objects
 *            | 01 address page-bytes object-bytes stack-bytes                where the heap begins, and what ids count */
#ifndef FORMAT_GO_ALLOC_FREE_H
#define FORMAT_GO_ALLOC_FREE_H
#include "format/go/generation.h"

enum { GO_EXPERIMENT_ALLOC_FREE = 1 };

/* Reads a batch of the experiment that the generation has; `c` is over its data. False when out of memory. */
bool alloc_free_read(GoGeneration *generation, ByteCursor *c) WARN_UNUSED;

/* What an event's ids mean, as far as its generation says: " Address=0xc000012000 Type=\"main.T\"". */
void alloc_free_append_meaning(const GoGeneration *generation, const GoEvent *event, Bytes *out);
/* A line for each thing that the generation's experimental batches say; of an unknown experiment one for each batch. */
void alloc_free_append_batches(const GoGeneration *generation, Bytes *out);

#endif
