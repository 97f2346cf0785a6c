/* format/trace_event/writer_places.h - "pid" and "tid" for what stands in a trace.
 *
 * The four viewers agree on numbers of 32 bits alone: speedscope refuses a file with a text for an id, Spall
 * one with a longer number, chrome://tracing one with a counter or a sample of no process, and Perfetto takes
 * what is longer for 0. So ids that are such numbers stay, and everything else gets one that is free; what it
 * stands for is said (source_ids.h). */
#ifndef FORMAT_TRACE_EVENT_WRITER_PLACES_H
#define FORMAT_TRACE_EVENT_WRITER_PLACES_H
#include "base/arena.h"
#include "trace/trace.h"

typedef struct WriterPlace {
    uint64_t pid, tid;
    bool     has_samples; /* of a thread: stacks were sampled on it */
} WriterPlace;

/* States stand on a thread of their own; what is on no thread, on the first of its process. */
typedef struct WriterPlaces {
    uint64_t    *pids;   /* by process; [0]: of what belongs to none */
    WriterPlace *tracks; /* by track */
} WriterPlaces;

/* Whether another number stands for the id. */
bool writer_replaces_id(Ident ident);
/* In `arena`; false when out of memory. */
bool writer_places_make(WriterPlaces *places, const Trace *trace, Arena *arena) WARN_UNUSED;

#endif
