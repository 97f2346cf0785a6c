#include "trace/page_pool.h"

#include "trace/builder_log.h"

static uint8_t *first_huge(void *bytes)
{
    const size_t rest = (uintptr_t)bytes % MEMORY_HUGE_PAGE;
    return (uint8_t *)bytes + (rest == 0 ? 0 : MEMORY_HUGE_PAGE - rest);
}

/* Whole ones from first_huge(bytes) on. */
static size_t huge_count(void *bytes, size_t size)
{
    const size_t before = (size_t)(first_huge(bytes) - (uint8_t *)bytes);
    return size < before ? 0 : (size - before) / MEMORY_HUGE_PAGE;
}

void page_pool_give(PagePool *pool, void *bytes, size_t size)
{
    uint8_t *page = first_huge(bytes), *const end = (uint8_t *)bytes + size;
    size_t count = huge_count(bytes, size);
    if (count == 0) page = (uint8_t *)bytes; /* it may reach over a border */
    memory_discard(bytes, (size_t)(page - (uint8_t *)bytes));
    for (; count > 0; count--, page += MEMORY_HUGE_PAGE) {
        void *const kept = page;
        bytes_append(&pool->pages, &kept, sizeof kept);
        if (pool->pages.failed) break;
    }
    pool->pages.failed = false; /* then the system gets them */
    memory_discard(page, (size_t)(end - page));
}

void page_pool_lay(PagePool *pool, void *bytes, size_t size)
{
    uint8_t *page = first_huge(bytes);
    for (size_t count = huge_count(bytes, size); count > 0 && pool->pages.size > 0; count--) {
        void *const *last = VECTOR(pool->pages, void *const) + VECTOR_COUNT(pool->pages, void *) - 1;
        if (!memory_move_huge(*last, page)) break;
        pool->pages.size -= sizeof *last;
        page += MEMORY_HUGE_PAGE;
    }
}

void page_pool_release(PagePool *pool)
{
    for (size_t i = 0; i < VECTOR_COUNT(pool->pages, void *); i++)
        memory_discard(VECTOR(pool->pages, void *const)[i], MEMORY_HUGE_PAGE);
    bytes_release(&pool->pages);
}
