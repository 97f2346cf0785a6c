#include "trace/log/page_pool.h"

#include "trace/log/builder_log.h"

PageRun page_run(void *bytes, size_t size)
{
    const size_t rest = (uintptr_t)bytes % MEMORY_HUGE_PAGE, before = rest == 0 ? 0 : MEMORY_HUGE_PAGE - rest;
    if (size < before) return (PageRun){ .count = 0 };
    return (PageRun){ (uint8_t *)bytes + before, (size - before) / MEMORY_HUGE_PAGE };
}

void page_run_discard_edges(void *bytes, size_t size)
{
    const PageRun  run = page_run(bytes, size);
    uint8_t *const begin = (uint8_t *)bytes, *const end = begin + size;
    uint8_t *const first = run.count == 0 ? begin : run.first; /* it may cross a boundary of pages */
    uint8_t *const behind = first + run.count * MEMORY_HUGE_PAGE;
    memory_discard(begin, (size_t)(first - begin));
    memory_discard(behind, (size_t)(end - behind));
}

void page_pool_give(PagePool *pool, void *bytes, size_t size)
{
    const PageRun run = page_run(bytes, size);
    page_run_discard_edges(bytes, size);
    for (size_t i = 0; i < run.count; i++) {
        void *const page = run.first + i * MEMORY_HUGE_PAGE;
        vec_push(&pool->pages, page);
        if (!pool->pages.bytes.failed) continue;
        memory_discard(page, MEMORY_HUGE_PAGE); /* the page is returned to the system */
        pool->pages.bytes.failed = false;
    }
}

bool page_pool_lay(PagePool *pool, void *bytes, size_t size)
{
    const PageRun run = page_run(bytes, size);
    for (size_t i = 0; i < run.count && pool->pages.bytes.size > 0; i++) {
        void *const *last = pool->pages.items + vec_count(&pool->pages) - 1;
        if (!memory_move_huge(*last, run.first + i * MEMORY_HUGE_PAGE)) return false;
        pool->pages.bytes.size -= sizeof *last;
    }
    return true;
}

void page_pool_release(PagePool *pool)
{
    for (size_t i = 0; i < vec_count(&pool->pages); i++)
        memory_discard(pool->pages.items[i], MEMORY_HUGE_PAGE);
    vec_release(&pool->pages);
}
