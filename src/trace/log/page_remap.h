/* trace/log/page_remap.h - reuses pages of rows as pages of columns while several threads read rows and
 * write columns. For src/trace only.
 *
 * The rows of a thread and its columns have about the same size: without reuse the kernel would have to provide fresh
 * memory twice (trace/log/page_pool.h has the cost), and both would exist at the same time. Readers report the bytes
 * they have read. A huge page that was read completely goes to the pool. A writer asks the pool for a page
 * before it writes to a huge page for the first time.
 *
 * If there are only few pages, half pages matter: then read bytes are returned to
 * the kernel at once instead.
 *
 * First the pages of the rows are registered, then all bytes to be read, then the columns. After that any thread may call
 * page_remap_done and page_remap_reach. */
#ifndef TRACE_LOG_PAGE_REMAP_H
#define TRACE_LOG_PAGE_REMAP_H
#include "base/lock.h"
#include "base/vec.h"
#include "trace/log/page_pool.h"

#include <stdatomic.h>

/* A huge page that is read. */
typedef struct RemapPage {
    uint8_t   *bytes;
    atomic_int unread; /* the number of unread pieces that reach into it */
} RemapPage;

/* A column that is written: the huge pages that it does not share. */
typedef struct Destination {
    uint8_t     *column; /* borrowed; NULL = not remapped */
    size_t       first;  /* offset of the first huge page from the column's begin */
    size_t       count;
    atomic_bool *ready; /* by page: it can be written to */
} Destination;

typedef enum {
    DESTINATION_BEGINS,
    DESTINATION_LABELS,
    DESTINATION_DURATIONS,
    DESTINATION_SOURCES,
    DESTINATION_COUNT
} DestinationKind;

typedef struct PageRemap {
    Arena    *arena;   /* borrowed */
    PagePool *pool;    /* borrowed */
    Lock     *lock;    /* protects the pool and the remapping */
    VEC(void *) named; /* pages, in any order */
    RemapPage  *pages; /* by address; NULL until reads are expected */
    size_t      page_count;
    Destination destinations[DESTINATION_COUNT];
    bool        cannot_move; /* the system does not move pages: they are returned to it instead */
    bool        failed;      /* out of memory: page_remap_reach must not be called */
} PageRemap;

/* `arena` and `pool` must outlive it. */
void page_remap_open(PageRemap *remap, Arena *arena, PagePool *pool);
/* Registers the huge pages that are completely in `bytes`, which will be read. */
void page_remap_name(PageRemap *remap, void *bytes, size_t size);
/* Registers bytes that will be read, until page_remap_done. Call when all pages are registered. */
void page_remap_expect(PageRemap *remap, const void *bytes, size_t size);
/* Registers a destination: these bytes will be written in any order and have not been touched. */
void page_remap_destination(PageRemap *remap, DestinationKind kind, void *column, size_t size);

/* Reports that registered bytes have been read: their contents may be lost from now on. `remap` may be NULL. */
void page_remap_done(PageRemap *remap, const void *bytes, size_t size);
/* Prepares byte `at` of a column for writing. Returns the next byte for which this must be called again. */
size_t page_remap_reach(PageRemap *remap, DestinationKind kind, size_t at);
/* Prepares bytes [begin, end). `remap` may be NULL. */
void page_remap_reach_all(PageRemap *remap, DestinationKind kind, size_t begin, size_t end);

/* Gives the unread pages to the pool, too. */
void page_remap_close(PageRemap *remap);

#endif
