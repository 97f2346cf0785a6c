/* format/trace_event/writer_places.h - "pid" and "tid" for what stands in a trace of another format.
 *
 * The four viewers agree on numbers of 32 bits alone: speedscope refuses a file with a text for an id, Spall one with a
 * longer number, chrome://tracing one with a counter or a sample of no process, and Perfetto takes what is longer for 0.
 * So ids that are such numbers stay, and everything else gets one that is free: processes and threads go by their names. */
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
    uint64_t    *pids;           /* by process; [0]: of what belongs to none */
    WriterPlace *tracks;         /* by track */
    uint64_t     replaced_count; /* ids that nothing shows any more: numbers, or texts that are no names */
} WriterPlaces;

/* In `arena`; false when out of memory. */
bool writer_places_make(WriterPlaces *places, const Trace *trace, Arena *arena) WARN_UNUSED;

#endif
