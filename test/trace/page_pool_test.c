/* Huge pages that are exchanged: src/trace/log/page_pool.c. */
#include "trace/log/page_pool.h"

#include "support/test.h"

#include <string.h>

enum { PAGES = 4, BYTES = PAGES * MEMORY_HUGE_PAGE, EDGE = 5000 };

static uint8_t *filled(uint8_t value)
{
    uint8_t *bytes = (uint8_t *)memory_map(BYTES);
    CHECK(bytes != NULL);
    memset(bytes, value, BYTES);
    return bytes;
}

static void check_all(const uint8_t *bytes, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value) CHECK_UINT(bytes[i], value);
}

/* True if the system moves pages; otherwise the destination stays fresh. */
static bool moves_pages(void)
{
    uint8_t *from = filled(1), *to = (uint8_t *)memory_map(BYTES);
    CHECK(to != NULL);
    bool moves = memory_move_huge(from, to);
    check_all(to, MEMORY_HUGE_PAGE, moves ? 1 : 0);
    check_all(from, MEMORY_HUGE_PAGE, moves ? 0 : 1);
    memory_unmap(from, BYTES);
    memory_unmap(to, BYTES);
    return moves;
}

TEST(whole_pages_change_places_and_edges_stay)
{
    if (test_is_emulated()) return;
    const bool moves = moves_pages();
    PagePool   pool = { .pages = VEC_EMPTY };
    uint8_t   *from = filled(7), *to = (uint8_t *)memory_map(BYTES);
    CHECK(to != NULL);
    page_pool_give(&pool, from + EDGE, BYTES - 2 * EDGE); /* two complete ones */
    CHECK_UINT(from[0], 7);
    CHECK_UINT(from[BYTES - 1], 7);
    page_pool_lay(&pool, to + 1, BYTES - 1); /* room for three */
    check_all(to, MEMORY_HUGE_PAGE, 0);
    check_all(to + MEMORY_HUGE_PAGE, (size_t)2 * MEMORY_HUGE_PAGE, moves ? 7 : 0);
    check_all(to + (size_t)3 * MEMORY_HUGE_PAGE, MEMORY_HUGE_PAGE, 0);
    page_pool_release(&pool);
    check_all(from + MEMORY_HUGE_PAGE, (size_t)2 * MEMORY_HUGE_PAGE, 0); /* moved, or returned */
    memset(from, 3, BYTES);
    memset(to, 4, BYTES);
    check_all(from, BYTES, 3);
    memory_unmap(from, BYTES);
    memory_unmap(to, BYTES);
}

TEST(what_holds_no_whole_page_is_left_alone)
{
    PagePool pool = { .pages = VEC_EMPTY };
    uint8_t *from = filled(9), *to = (uint8_t *)memory_map(BYTES);
    CHECK(to != NULL);
    page_pool_give(&pool, from + EDGE, MEMORY_HUGE_PAGE);
    page_pool_give(&pool, from + EDGE, 0);
    page_pool_lay(&pool, to, BYTES);
    page_pool_lay(&pool, to + EDGE, 1);
    check_all(to, BYTES, 0);
    CHECK_UINT(from[EDGE - 1], 9);
    page_pool_release(&pool);
    memory_unmap(from, BYTES);
    memory_unmap(to, BYTES);
}

TEST_MAIN("trace/page_pool", TEST_CASE(whole_pages_change_places_and_edges_stay),
          TEST_CASE(what_holds_no_whole_page_is_left_alone))
