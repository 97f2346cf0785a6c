#include "trace/log/page_remap.h"

#include "base/search.h"
#include "trace/log/builder_log.h"

#include <assert.h>
#include <stdlib.h>

/* One of PAGES_A_SPARE read pages stays in the pool, and at least FEWEST_SPARES. Pooled pages take memory, but the
 * columns of the next thread begin with more pages than its rows have released by then. */
enum { PAGES_A_SPARE = 8, FEWEST_SPARES = 4 };
/* Fewer pages are returned to the kernel as soon as they are read: most of them would be partial. */
enum { FEWEST_TO_MOVE = 4 };

void page_remap_open(PageRemap *remap, Arena *arena, PagePool *pool)
{
    *remap = (PageRemap){ .arena = arena, .pool = pool, .lock = lock_create(arena) };
    remap->failed = remap->lock == NULL;
}

void page_remap_name(PageRemap *remap, void *bytes, size_t size)
{
    const PageRun run = page_run(bytes, size);
    for (size_t i = 0; i < run.count; i++) {
        void *const page = run.first + i * MEMORY_HUGE_PAGE;
        vec_push(&remap->named, page);
    }
    remap->failed |= remap->named.bytes.failed;
}

static int compare_pages(const void *left, const void *right)
{
    const uintptr_t a = (uintptr_t)*(void *const *)left, b = (uintptr_t)*(void *const *)right;
    return a < b ? -1 : a > b;
}

static bool settle(PageRemap *remap)
{
    void       **named = remap->named.items;
    const size_t count = vec_count(&remap->named);
    if (count > 0) qsort(named, count, sizeof *named, compare_pages);
    remap->pages = ARENA_ARRAY(remap->arena, RemapPage, count);
    if (remap->pages == NULL) return false;
    remap->page_count = count;
    for (size_t i = 0; i < count; i++)
        remap->pages[i].bytes = (uint8_t *)named[i];
    return true;
}

/* Returns the first page that ends after `byte`. */
static size_t find_page(const PageRemap *remap, uintptr_t byte)
{
    size_t low = 0;
    LOWER_BOUND(size_t, low, remap->page_count, i,
                (uintptr_t)remap->pages[i].bytes + MEMORY_HUGE_PAGE <= byte);
    return low;
}

static bool reaches_into(const PageRemap *remap, size_t page, uintptr_t end)
{
    return page < remap->page_count && (uintptr_t)remap->pages[page].bytes < end;
}

void page_remap_expect(PageRemap *remap, const void *bytes, size_t size)
{
    if (remap->failed) return;
    if (remap->pages == NULL && !settle(remap)) {
        remap->failed = true;
        return;
    }
    const uintptr_t end = (uintptr_t)bytes + size;
    for (size_t i = find_page(remap, (uintptr_t)bytes); reaches_into(remap, i, end); i++)
        atomic_fetch_add(&remap->pages[i].unread, 1);
}

void page_remap_destination(PageRemap *remap, DestinationKind kind, void *column, size_t size)
{
    if (remap->failed) return;
    const PageRun run = page_run(column, size);
    Destination  *destination = &remap->destinations[kind];
    *destination = (Destination){ .column = (uint8_t *)column,
                                  .first = run.count == 0 ? 0 : (size_t)(run.first - (uint8_t *)column),
                                  .count = run.count,
                                  .ready = ARENA_ARRAY(remap->arena, atomic_bool, run.count) };
    remap->failed = destination->ready == NULL;
}

/* Call with the lock. */
static void keep(PageRemap *remap, uint8_t *page)
{
    const bool wanted = !remap->cannot_move && remap->page_count >= FEWEST_TO_MOVE &&
                        vec_count(&remap->pool->pages) < FEWEST_SPARES + remap->page_count / PAGES_A_SPARE;
    if (wanted) {
        page_pool_give(remap->pool, page, MEMORY_HUGE_PAGE);
    } else {
        memory_discard(page, MEMORY_HUGE_PAGE);
    }
}

void page_remap_done(PageRemap *remap, const void *bytes, size_t size)
{
    if (remap == NULL) return;
    if (remap->page_count < FEWEST_TO_MOVE) memory_discard((void *)(uintptr_t)bytes, size);
    const uintptr_t end = (uintptr_t)bytes + size;
    for (size_t i = find_page(remap, (uintptr_t)bytes); reaches_into(remap, i, end); i++) {
        const int before = atomic_fetch_sub(&remap->pages[i].unread, 1);
        assert(before > 0);
        if (before != 1) continue;
        lock_take(remap->lock);
        keep(remap, remap->pages[i].bytes);
        lock_give(remap->lock);
    }
}

static void lay(PageRemap *remap, const Destination *destination, size_t page)
{
    lock_take(remap->lock);
    if (!atomic_load(&destination->ready[page])) {
        if (vec_count(&remap->pool->pages) > 0 &&
            !page_pool_lay(remap->pool, destination->column + destination->first + page * MEMORY_HUGE_PAGE,
                           MEMORY_HUGE_PAGE)) {
            remap->cannot_move = true;
            page_pool_release(remap->pool);
        }
        atomic_store_explicit(&destination->ready[page], true, memory_order_release);
    }
    lock_give(remap->lock);
}

size_t page_remap_reach(PageRemap *remap, DestinationKind kind, size_t at)
{
    const Destination *destination = &remap->destinations[kind];
    if (destination->count == 0) return SIZE_MAX;
    if (at < destination->first) return destination->first;
    const size_t page = (at - destination->first) / MEMORY_HUGE_PAGE;
    if (page >= destination->count) return SIZE_MAX;
    if (!atomic_load_explicit(&destination->ready[page], memory_order_acquire)) lay(remap, destination, page);
    return destination->first + (page + 1) * MEMORY_HUGE_PAGE;
}

void page_remap_reach_all(PageRemap *remap, DestinationKind kind, size_t begin, size_t end)
{
    while (remap != NULL && begin < end)
        begin = page_remap_reach(remap, kind, begin);
}

void page_remap_close(PageRemap *remap)
{
    for (size_t i = 0; i < remap->page_count; i++)
        if (atomic_load(&remap->pages[i].unread) > 0) keep(remap, remap->pages[i].bytes);
    vec_release(&remap->named);
    lock_destroy(remap->lock);
}
