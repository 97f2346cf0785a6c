/* trace/log/page_pool.h - reuses huge pages where fresh memory is needed. For src/trace only.
 *
 * The kernel clears a fresh page, and on a virtual machine may have to get it from the host: for a loader this costs
 * more than the work on its contents. So pages of rows that were read are exchanged with pages of columns that are not
 * written yet. */
#ifndef TRACE_LOG_PAGE_POOL_H
#define TRACE_LOG_PAGE_POOL_H
#include "base/arena.h"
#include "base/vec.h"

/* A zeroed pool is empty. */
typedef struct PagePool {
    VEC(void *) pages;
} PagePool;

/* The huge pages that are completely in a range of bytes. */
typedef struct PageRun {
    uint8_t *first;
    size_t   count;
} PageRun;
PageRun page_run(void *bytes, size_t size);
/* Returns the partial huge pages at both ends to the kernel. */
void page_run_discard_edges(void *bytes, size_t size);

/* Takes the huge pages that are completely in `bytes` (pages of memory_map) and returns the rest to the kernel. The
 * contents are lost. */
void page_pool_give(PagePool *pool, void *bytes, size_t size);
/* Puts available pages of the pool under the huge pages that are completely in `bytes` (pages of memory_map), which
 * must be untouched. Their contents are undefined afterwards. False: the system does not move pages. */
bool page_pool_lay(PagePool *pool, void *bytes, size_t size);
/* Returns all pages to the system. */
void page_pool_release(PagePool *pool);

#endif
