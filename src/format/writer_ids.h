/* format/writer_ids.h - numbers for processes and threads, whatever ids they have, for targets that know
 * nothing else. */
#ifndef FORMAT_WRITER_IDS_H
#define FORMAT_WRITER_IDS_H
#include "base/arena.h"
#include "trace/trace.h"

/* Gives out numbers that are not taken. */
typedef struct IdPool {
    uint64_t *taken; /* ascending */
    size_t    count, at;
    uint64_t  next;
} IdPool;

typedef struct WriterIds {
    const Trace *trace;
    uint64_t     most_pid, most_tid; /* the greatest that the target has */
    uint64_t    *pids;               /* by process; [0] is one that no process has */
    IdPool       pool;               /* of the process at hand */
    uint64_t     replaced_count;
} WriterIds;

/* In `arena`; false when out of memory. most_pid and most_tid: at least 2^32 - 1. */
bool writer_ids_open(WriterIds *ids, const Trace *trace, uint64_t most_pid, uint64_t most_tid,
                     Arena *arena) WARN_UNUSED;
/* Before the threads of each process; 0 = the tracks that have none. */
void writer_ids_enter(WriterIds *ids, uint32_t process);
/* True when the id is a number up to `most`: it stays what it is. */
bool writer_id_fits(Ident ident, uint64_t most);
/* The tid of a thread of that process, to be asked for once; and one that no thread has. */
uint64_t writer_ids_thread(WriterIds *ids, uint32_t track);
uint64_t writer_ids_new(WriterIds *ids);

#endif
