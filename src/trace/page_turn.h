/* trace/page_turn.h - reuses pages of rows as pages of columns while several threads read rows and
 * write columns. For src/trace only.
 *
 * The rows of a thread and its columns have about the same size: without reuse the kernel would have to provide fresh
 * memory twice (trace/page_pool.h has the cost), and both would exist at the same time. Readers report the bytes
 * they have read. A huge page that was read completely goes to the pool. A writer asks the pool for a page
 * before it writes to a huge page for the first time.
 *
 * If there are only few pages, half pages matter: then read bytes are returned to
 * the kernel at once instead.
 *
 * First the pages of the rows are registered, then all bytes to be read, then the columns. After that any thread may call
 * page_turn_done and page_turn_reach. */
#ifndef TRACE_PAGE_TURN_H
#define TRACE_PAGE_TURN_H
#include "base/lock.h"
#include "trace/page_pool.h"

#include <stdatomic.h>

/* A huge page that is read. */
typedef struct TurnPage {
    uint8_t   *bytes;
    atomic_int unread; /* pieces that reach into it */
} TurnPage;

/* A column that is written: its huge pages, as far as they are all its own. */
typedef struct TurnBed {
    uint8_t     *column; /* borrowed; NULL = nothing is laid under it */
    size_t       first;  /* of the first huge page, from the column's begin */
    size_t       count;
    atomic_bool *ready; /* by page: it may be written to */
} TurnBed;

typedef enum { BED_BEGINS, BED_LABELS, BED_DURATIONS, BED_SOURCES, TURN_BEDS } TurnBedKind;

typedef struct PageTurn {
    Arena    *arena; /* borrowed */
    PagePool *pool;  /* borrowed */
    Lock     *lock;  /* over the pool and the laying */
    Bytes     named; /* void*[]: pages, in any order */
    TurnPage *pages; /* by address; NULL until something is to be read */
    size_t    page_count;
    TurnBed   beds[TURN_BEDS];
    bool      cannot_move; /* the system does not move pages: they go back to it instead */
    bool      failed;      /* out of memory: page_turn_reach must not be called */
} PageTurn;

/* `arena` and `pool` must outlive it. */
void page_turn_open(PageTurn *turn, Arena *arena, PagePool *pool);
/* The huge pages that lie wholly in `bytes` will be read. */
void page_turn_name(PageTurn *turn, void *bytes, size_t size);
/* Once all are named: these bytes will be read, and page_turn_done says when. */
void page_turn_expect(PageTurn *turn, const void *bytes, size_t size);
/* Registers a destination: these bytes will be written in any order and have not been touched. */
void page_turn_bed(PageTurn *turn, TurnBedKind kind, void *column, size_t size);

/* Reports that registered bytes have been read: their contents may be lost from now on. `turn` may be NULL. */
void page_turn_done(PageTurn *turn, const void *bytes, size_t size);
/* Before byte `at` of a column is written: gives where the next byte is before which this must be asked again. */
size_t page_turn_reach(PageTurn *turn, TurnBedKind kind, size_t at);
/* The same for bytes [begin, end). `turn` may be NULL. */
void page_turn_reach_all(PageTurn *turn, TurnBedKind kind, size_t begin, size_t end);

/* Gives the unread pages to the pool, too. */
void page_turn_close(PageTurn *turn);

#endif
