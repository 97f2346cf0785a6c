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
/* Returns the partial huge pages at both ends to the kernel. */
void page_run_discard_edges(void *bytes, size_t size);

/* Takes the huge pages that are wholly in `bytes` (pages of memory_map) and returns the rest to
 * the kernel. The contents are lost. */
void page_pool_give(PagePool *pool, void *bytes, size_t size);
/* Puts available pages of the pool under the huge pages that are wholly in `bytes` (pages of memory_map), which must be
 * untouched. Their contents are undefined afterwards. False: the system does not move pages. */
bool page_pool_lay(PagePool *pool, void *bytes, size_t size);
/* Gives all pages back to the system. */
void page_pool_release(PagePool *pool);

#endif
