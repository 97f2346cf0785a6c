/* Tests src/trace/log/page_remap.c: pages of the source columns become pages of the destination columns. */
#include "trace/log/page_remap.h"

#include "base/thread.h"
#include "support/test.h"

#include <string.h>

enum { PAGES = 18, PIECES = 12, HALF = PAGES / 2, PIECE_BYTES = MEMORY_HUGE_PAGE / 2 * 3, EDGE = 4096 };
enum { BYTES = PAGES * MEMORY_HUGE_PAGE };

typedef struct Copying {
    uint8_t   *from, *to;
    PageRemap *remap;
} Copying;

static uint8_t expected(size_t at)
{
    return (uint8_t)(at / 1000 * 7 + 3);
}

/* The state of every case. */
typedef struct Table {
    Arena     arena;
    PagePool  pool;
    PageRemap remap;
} Table;

static void table_open(Table *table)
{
    *table = (Table){ .arena = arena_create(0) };
    page_remap_open(&table->remap, &table->arena, &table->pool);
}

/* Releases the rest of the pool. */
static void table_clear(Table *table)
{
    page_pool_release(&table->pool);
    arena_release(&table->arena);
}

static uint8_t *mapped(void)
{
    uint8_t *bytes = (uint8_t *)memory_map(BYTES);
    CHECK(bytes != NULL);
    return bytes;
}

/* Each piece is read once, and written to its place. */
static void copy_piece(void *context, size_t i)
{
    const Copying *c = (const Copying *)context;
    const size_t   begin = i * PIECE_BYTES, end = begin + PIECE_BYTES;
    page_remap_reach_all(c->remap, DESTINATION_LABELS, begin, end);
    memcpy(c->to + begin, c->from + begin, PIECE_BYTES);
    page_remap_done(c->remap, c->from + begin, PIECE_BYTES);
}

static void check_copied(unsigned threads)
{
    Table   table;
    Copying c = { mapped(), mapped(), &table.remap };
    for (size_t i = 0; i < BYTES; i++)
        c.from[i] = expected(i);
    table_open(&table);
    page_remap_destination(&table.remap, DESTINATION_LABELS, c.to, BYTES);
    page_remap_name(&table.remap, c.from + (size_t)HALF * MEMORY_HUGE_PAGE, (size_t)HALF * MEMORY_HUGE_PAGE);
    page_remap_name(&table.remap, c.from + EDGE,
                    (size_t)HALF * MEMORY_HUGE_PAGE - EDGE); /* the first one is not complete */
    for (size_t i = 0; i < PIECES; i++)
        page_remap_expect(&table.remap, c.from + i * PIECE_BYTES, PIECE_BYTES);
    CHECK(!table.remap.failed);
    thread_run(threads, PIECES, copy_piece, &c);
    for (size_t i = 0; i < BYTES; i++)
        if (c.to[i] != expected(i)) CHECK_UINT(c.to[i], expected(i));
    for (size_t i = 0; i < MEMORY_HUGE_PAGE; i++) /* it was not registered completely: it was not taken */
        if (c.from[i] != expected(i)) CHECK_UINT(c.from[i], expected(i));
    page_remap_close(&table.remap);
    table_clear(&table);
    memory_unmap(c.from, BYTES);
    memory_unmap(c.to, BYTES);
}

TEST(what_is_read_piece_by_piece_arrives_in_its_own_pages)
{
    check_copied(1);
    check_copied(4);
}

/* A page stays as long as a part of it is unread, and to the end if that is never reported. */
TEST(a_page_goes_once_all_of_it_was_read)
{
    Table    table;
    uint8_t *from = mapped();
    memset(from, 5, BYTES);
    table_open(&table);
    page_remap_name(&table.remap, from, BYTES);
    page_remap_expect(&table.remap, from, 100);
    page_remap_expect(&table.remap, from + 100, MEMORY_HUGE_PAGE); /* crosses a page boundary */
    page_remap_expect(&table.remap, from + MEMORY_HUGE_PAGE + 100, 50);
    page_remap_done(&table.remap, from, 100);
    CHECK_UINT(vec_count(&table.pool.pages), 0);
    page_remap_done(&table.remap, from + 100, MEMORY_HUGE_PAGE);
    CHECK_UINT(vec_count(&table.pool.pages), 1);
    CHECK_UINT(from[MEMORY_HUGE_PAGE + 120], 5);
    page_remap_close(&table.remap);
    CHECK_UINT(vec_count(&table.pool.pages), 2);
    table_clear(&table);
    memory_unmap(from, BYTES);
}

/* They would only wait. */
TEST(few_pages_go_back_at_once)
{
    Table    table;
    uint8_t *from = mapped();
    memset(from, 5, BYTES);
    table_open(&table);
    page_remap_name(&table.remap, from, (size_t)2 * MEMORY_HUGE_PAGE);
    page_remap_expect(&table.remap, from, (size_t)2 * EDGE);
    page_remap_expect(&table.remap, from + (size_t)2 * EDGE, EDGE);
    page_remap_done(&table.remap, from, (size_t)2 * EDGE);
    CHECK_UINT(from[EDGE], 0);
    CHECK_UINT(from[2 * EDGE], 5);
    page_remap_done(&table.remap, from + (size_t)2 * EDGE, EDGE);
    CHECK_UINT(from[3 * EDGE], 0);
    CHECK_UINT(vec_count(&table.pool.pages), 0);
    page_remap_close(&table.remap);
    table_clear(&table);
    memory_unmap(from, BYTES);
}

TEST(a_column_without_whole_pages_is_written_as_it_is)
{
    Table    table;
    uint8_t *to = mapped();
    table_open(&table);
    page_remap_destination(&table.remap, DESTINATION_BEGINS, to + EDGE, MEMORY_HUGE_PAGE);
    page_remap_destination(&table.remap, DESTINATION_SOURCES, to + EDGE, (size_t)2 * MEMORY_HUGE_PAGE);
    CHECK(page_remap_reach(&table.remap, DESTINATION_BEGINS, 0) == SIZE_MAX);
    CHECK(page_remap_reach(&table.remap, DESTINATION_LABELS, 7) == SIZE_MAX); /* no destination is set */
    CHECK_UINT(page_remap_reach(&table.remap, DESTINATION_SOURCES, 0), MEMORY_HUGE_PAGE - EDGE);
    CHECK_UINT(page_remap_reach(&table.remap, DESTINATION_SOURCES, MEMORY_HUGE_PAGE - EDGE),
               (size_t)2 * MEMORY_HUGE_PAGE - EDGE);
    CHECK(page_remap_reach(&table.remap, DESTINATION_SOURCES, (size_t)2 * MEMORY_HUGE_PAGE - EDGE) ==
          SIZE_MAX);
    page_remap_close(&table.remap);
    table_clear(&table);
    memory_unmap(to, BYTES);
}

TEST(out_of_memory_is_said)
{
    PagePool pool = { .pages = VEC_EMPTY };
    uint8_t *from = mapped();
    bool     done = false;
    for (uint64_t n = 0; !done; n++) {
        Arena     arena = arena_create(0);
        PageRemap remap;
        memory_fail_after(n);
        page_remap_open(&remap, &arena, &pool);
        page_remap_destination(&remap, DESTINATION_LABELS, from, BYTES / 2);
        page_remap_name(&remap, from + BYTES / 2, BYTES / 2);
        page_remap_expect(&remap, from + BYTES / 2, 100);
        memory_fail_after(UINT64_MAX);
        done = !remap.failed;
        page_remap_close(&remap);
        page_pool_release(&pool);
        arena_release(&arena);
        CHECK(n < 20);
    }
    memory_unmap(from, BYTES);
}

TEST_MAIN("trace/page_remap", TEST_CASE(what_is_read_piece_by_piece_arrives_in_its_own_pages),
          TEST_CASE(a_page_goes_once_all_of_it_was_read), TEST_CASE(few_pages_go_back_at_once),
          TEST_CASE(a_column_without_whole_pages_is_written_as_it_is), TEST_CASE(out_of_memory_is_said))
