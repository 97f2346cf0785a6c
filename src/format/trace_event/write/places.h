/* format/trace_event/write/places.h - assigns "pid" and "tid" to the tracks of a trace.
 *
 * Only numbers of 32 bits work in all four viewers: speedscope rejects a file with a text as an id, Spall one with a
 * longer number, chrome://tracing one with a counter or sample without a process, and Perfetto reads a longer number
 * as 0. So ids of 32 bits are written unchanged. All others are replaced by unused numbers, and the original id is
 * written as well (read/source_ids.h). */
#ifndef FORMAT_TRACE_EVENT_WRITE_PLACES_H
#define FORMAT_TRACE_EVENT_WRITE_PLACES_H
#include "base/arena.h"
#include "trace/store/trace.h"

typedef struct WriterPlace {
    uint64_t pid, tid;
    bool     has_samples; /* of a thread: stacks were sampled on it */
} WriterPlace;

/* States get a separate thread. Other tracks that are not threads get the first thread of their process. */
typedef struct WriterPlaces {
    const Trace *trace;      /* borrowed */
    uint64_t    *pids;       /* by process; [0]: for tracks without a process */
    WriterPlace *tracks;     /* by track */
    bool         own_format; /* the source is of this format */
} WriterPlaces;

/* True if the id is replaced by another number. */
bool writer_replaces_id(Ident ident);
/* Assigns the numbers. Allocates in `arena`; false when out of memory. */
bool writer_places_make(WriterPlaces *places, const Trace *trace, Arena *arena) WARN_UNUSED;

#endif
