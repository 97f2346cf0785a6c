/* trace/page_pool.h - huge pages that have done their work, for the next that needs fresh memory. For src/trace only.
 *
 * A page that the system hands out anew is cleared first, and on a virtual machine perhaps fetched from the
 * host: for a loader that is dearer than all it does with it. So pages of rows that are read change places
 * with those of columns that are not written yet. */
#ifndef TRACE_PAGE_POOL_H
#define TRACE_PAGE_POOL_H
#include "base/arena.h"

/* A zeroed one is empty. */
typedef struct PagePool {
    Bytes pages; /* void*[] */
} PagePool;

/* The huge pages that lie wholly in some bytes. */
typedef struct PageRun {
    uint8_t *first;
    size_t   count;
} PageRun;
PageRun page_run(void *bytes, size_t size);
/* What lies beside them goes back to the system. */
void page_run_discard_edges(void *bytes, size_t size);

/* Takes the huge pages that lie wholly in `bytes` (of pages that memory_map gave); what is left goes back to
 * the system. Nobody may need what they hold. */
void page_pool_give(PagePool *pool, void *bytes, size_t size);
/* Puts pages of the pool, as far as there are, under the huge pages that lie wholly in `bytes` (likewise), which nobody
 * has touched so far. What they hold is undefined then. False: the system does not move pages. */
bool page_pool_lay(PagePool *pool, void *bytes, size_t size);
/* Gives all pages back to the system. */
void page_pool_release(PagePool *pool);

#endif
