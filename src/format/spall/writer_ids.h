/* format/spall/writer_ids.h - 32-bit ids for processes and threads, whatever ids they have. */
#ifndef FORMAT_SPALL_WRITER_IDS_H
#define FORMAT_SPALL_WRITER_IDS_H
#include "base/arena.h"
#include "trace/trace.h"

/* Gives out numbers that are not taken. */
typedef struct IdPool {
    uint32_t *taken; /* ascending */
    size_t    count, at;
    uint64_t  next;
} IdPool;

typedef struct SpallIds {
    const Trace *trace;
    uint32_t    *pids; /* by process */
    IdPool       pool; /* of the process at hand */
    uint64_t     replaced_count;
} SpallIds;

/* In `arena`; false when out of memory. */
bool spall_ids_open(SpallIds *ids, const Trace *trace, Arena *arena) WARN_UNUSED;
/* Before the threads of each process. */
void spall_ids_enter(SpallIds *ids, uint32_t process);
/* True when the id is a number of 32 bits: it stays what it is. */
bool spall_id_fits(Ident ident);
/* The tid of a thread of that process, to be asked for once; and one that no thread has. */
uint32_t spall_ids_thread(SpallIds *ids, uint32_t track);
uint32_t spall_ids_new(SpallIds *ids);

#endif
