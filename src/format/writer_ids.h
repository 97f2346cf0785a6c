/* format/writer_ids.h - numeric ids of processes and threads, for targets that have only numeric ids. */
#ifndef FORMAT_WRITER_IDS_H
#define FORMAT_WRITER_IDS_H
#include "base/arena.h"
#include "trace/store/trace.h"

/* A source of unused numbers. */
typedef struct IdPool {
    uint64_t *taken; /* ascending */
    size_t    count, at;
    uint64_t  next;
} IdPool;

typedef struct WriterIds {
    const Trace *trace;
    uint64_t     most_pid, most_tid; /* the greatest ids of the target */
    uint64_t    *pids;               /* by process; pids[0] is unused by any process */
    IdPool       pool;               /* thread ids of the current process */
    uint64_t     replaced_count;
} WriterIds;

/* Assigns the pids. Allocates in `arena`; false when out of memory. most_pid and most_tid are at least 2^32 - 1. */
bool writer_ids_open(WriterIds *ids, const Trace *trace, uint64_t most_pid, uint64_t most_tid,
                     Arena *arena) WARN_UNUSED;
/* Selects the process of the next threads; 0 = the tracks without a process. */
void writer_ids_enter(WriterIds *ids, uint32_t process);
/* True if the id is a number up to `most` and so is written unchanged. */
bool writer_id_fits(Ident ident, uint64_t most);
/* writer_ids_thread: returns the tid of a thread of the selected process; call it once per thread. writer_ids_new:
 * returns a tid that no thread has. */
uint64_t writer_ids_thread(WriterIds *ids, uint32_t track);
uint64_t writer_ids_new(WriterIds *ids);

#endif
