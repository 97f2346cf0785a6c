#include "base/arena.h"

#include "base/thread.h"
#include "support/test.h"

#include <stdatomic.h>
#include <string.h>

static bool all_zero(const void *memory, size_t size)
{
    const uint8_t *p = (const uint8_t *)memory;
    for (size_t i = 0; i < size; i++) {
        if (p[i] != 0) return false;
    }
    return true;
}

TEST(arena_pushes_are_zeroed_aligned_and_apart)
{
    enum { COUNT = 2000 };
    Arena      arena = { 0 };
    TestRandom random = { 1 };
    uint8_t   *pushed[COUNT];
    size_t     sizes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = test_random_size(&random, i % 100 == 0 ? 300000 : 300);
        pushed[i] = (uint8_t *)arena_push(&arena, 1, sizes[i]);
        CHECK(pushed[i] != NULL && (uintptr_t)pushed[i] % 16 == 0);
        CHECK(all_zero(pushed[i], sizes[i]));
        memset(pushed[i], (int)(i % 255 + 1), sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < sizes[i]; k++)
            CHECK(pushed[i][k] == i % 255 + 1);
    }
    arena_release(&arena);
    CHECK_UINT(arena.held_bytes, 0);
}

TEST(arena_push_refuses_products_that_overflow)
{
    Arena arena = arena_create(0);
    CHECK(arena_push(&arena, SIZE_MAX, 2) == NULL);
    CHECK(arena_push(&arena, SIZE_MAX / 2 + 1, 2) == NULL);
    CHECK(arena_push(&arena, 1, SIZE_MAX) == NULL);
    CHECK(arena_push(&arena, 1, SIZE_MAX - 15) == NULL);
    CHECK(arena_push_raw(&arena, SIZE_MAX - 40, 1) == NULL);
    CHECK(arena_push_copy(&arena, "", SIZE_MAX) == NULL);
    CHECK_UINT(arena.held_bytes, 0);
    CHECK(ARENA_NEW(&arena, int) != NULL); /* still works */
    arena_release(&arena);
}

TEST(a_large_array_does_not_double_the_arena)
{
    enum { LARGE = 8 << 20 };
    Arena arena = arena_create(0);
    CHECK(arena_push(&arena, 1, 100) != NULL);
    CHECK(arena_push(&arena, 1, LARGE) != NULL);
    for (int i = 0; i < 100; i++)
        CHECK(arena_push(&arena, 1, 100) != NULL);
    CHECK(arena.held_bytes < LARGE + 40000);
    arena_release(&arena);
}

TEST(arena_gives_pointers_for_nothing)
{
    Arena arena = { 0 };
    void *a = arena_push(&arena, 0, 8), *b = arena_push(&arena, 8, 0);
    CHECK(a != NULL && b != NULL && a != b);
    arena_release(&arena);
}

TEST(arena_keeps_its_limit)
{
    Arena arena = arena_create(1 << 20);
    CHECK(arena_push(&arena, 1, 1 << 20) == NULL); /* the block's header counts */
    CHECK(arena_push(&arena, 1, 1 << 19) != NULL);
    CHECK(arena_push(&arena, 1, 1 << 19) == NULL);
    size_t small = 0;
    while (arena_push(&arena, 1, 1000) != NULL)
        small++;
    CHECK(small > 450 && small < 525);
    CHECK(arena.held_bytes <= 1 << 20);
    arena_clear(&arena);
    CHECK(arena_push(&arena, 1, 1 << 18) != NULL);
    arena_release(&arena);

    Arena tiny = arena_create(1000); /* below the usual first block */
    CHECK(arena_push(&tiny, 1, 800) != NULL);
    CHECK(arena_push(&tiny, 1, 800) == NULL);
    arena_release(&tiny);
}

TEST(arena_clear_keeps_memory_and_zeroes_it_again)
{
    Arena arena = { 0 };
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            void *memory = arena_push(&arena, 1, 40000);
            CHECK(memory != NULL && all_zero(memory, 40000));
            memset(memory, 0xff, 40000);
        }
        arena_clear(&arena);
        CHECK(arena.held_bytes > 0 && arena.head != NULL);
    }
    size_t held = arena.held_bytes;
    CHECK(arena_push(&arena, 1, 1000) != NULL);
    CHECK_UINT(arena.held_bytes, held);
    void *raw = arena_push_raw(&arena, 1, 64);
    CHECK(raw != NULL);
    arena_release(&arena);
    arena_release(&arena); /* harmless */
    arena_clear(&arena);
}

TEST(arena_zeroes_behind_a_raw_push)
{
    Arena arena = { 0 };
    void *raw = arena_push_raw(&arena, 1, 1000);
    memset(raw, 0xee, 1000);
    void *next = arena_push(&arena, 1, 1000);
    CHECK(all_zero(next, 1000));
    arena_release(&arena);
}

TEST(arena_big_pushes_leave_the_small_block_in_use)
{
    Arena arena = { 0 };
    char *a = (char *)arena_push(&arena, 1, 16);
    CHECK(arena_push(&arena, 1, 4 << 20) != NULL);
    char *b = (char *)arena_push(&arena, 1, 16);
    CHECK(b == a + 16);
    arena_release(&arena);
}

TEST(arena_push_copy_ends_in_zero)
{
    Arena arena = { 0 };
    CHECK_STRING(arena_push_copy(&arena, "varves", 5), "varve");
    CHECK_STRING(arena_push_copy(&arena, NULL, 0), "");
    arena_release(&arena);
}

TEST(arena_survives_failing_requests)
{
    Arena arena = { 0 };
    memory_fail_after(1);
    CHECK(arena_push(&arena, 1, 100) != NULL);
    CHECK(arena_push(&arena, 1, 1 << 20) == NULL);
    CHECK(arena_push(&arena, 1, 100) != NULL); /* from the block it has */
    CHECK(memory_map(1) == NULL);
    memory_fail_after(UINT64_MAX);
    CHECK(arena_push(&arena, 1, 1 << 20) != NULL);
    arena_release(&arena);
}

enum { REQUEST_JOBS = 8, REQUESTS_A_JOB = 1000000, REQUESTS_GRANTED = 5000000 };

static void job_request(void *context, size_t i)
{
    (void)i;
    unsigned granted = 0;
    for (int n = 0; n < REQUESTS_A_JOB; n++) {
        Bytes bytes = { 0 };
        bytes_append(&bytes, "x", 1);
        if (!bytes.failed) granted++;
        bytes_release(&bytes);
    }
    atomic_fetch_add((_Atomic unsigned *)context, granted);
}

TEST(memory_fail_after_counts_the_requests_of_all_threads)
{
    _Atomic unsigned granted = 0;
    memory_fail_after(REQUESTS_GRANTED);
    thread_run(REQUEST_JOBS, REQUEST_JOBS, job_request, &granted);
    memory_fail_after(UINT64_MAX);
    CHECK_UINT(granted, REQUESTS_GRANTED);
}

TEST(small_arenas_take_little_memory)
{
    Arena arena = arena_create(0);
    CHECK(arena_push(&arena, 100, 1) != NULL);
    CHECK(arena.held_bytes <= 4096);
    uint8_t *const raw = (uint8_t *)arena_push_raw(&arena, 1000, 1);
    memset(raw, 0xff, 1000);
    arena_clear(&arena);
    CHECK(all_zero((uint8_t *)arena_push(&arena, 3000, 1), 3000));
    CHECK(all_zero((uint8_t *)arena_push_own(&arena, 20000, 1), 20000));
    arena_release(&arena);
}

TEST(memory_remap_grows_out_of_the_heap)
{
    uint8_t *bytes = (uint8_t *)memory_map(1000);
    memset(bytes, 1, 1000);
    bytes = (uint8_t *)memory_remap(bytes, 1000, 60000);
    CHECK(bytes != NULL && bytes[0] == 1 && bytes[999] == 1 && all_zero(bytes + 1000, 59000));
    bytes = (uint8_t *)memory_remap(bytes, 60000, 100000);
    CHECK(bytes != NULL && bytes[999] == 1 && all_zero(bytes + 60000, 40000));
    memory_unmap(bytes, 100000);
}

TEST(memory_shrink_keeps_the_begin)
{
    static const size_t SIZES[] = { 6 << 20, (6 << 20) - 1, 3 << 20, 100000, 70000, 60000, 1000, 1 };
    uint8_t            *bytes = (uint8_t *)memory_map(SIZES[0]);
    const uint64_t      held = memory_held();
    CHECK(bytes != NULL);
    for (size_t i = 0; i < SIZES[0]; i++)
        bytes[i] = (uint8_t)(i * 31 + 7);
    for (size_t n = 1; n < sizeof SIZES / sizeof SIZES[0]; n++) {
        bytes = (uint8_t *)memory_shrink(bytes, SIZES[n - 1], SIZES[n]);
        CHECK(bytes != NULL);
        CHECK_UINT(memory_held(), held - SIZES[0] + SIZES[n]);
        for (size_t i = 0; i < SIZES[n]; i++)
            CHECK(bytes[i] == (uint8_t)(i * 31 + 7));
    }
    memory_unmap(bytes, 1);
}

TEST(memory_map_gives_zeroed_pages)
{
    static const size_t SIZES[] = {
        0, 1, 4096, 4097, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, (6 << 20) + 12345
    };
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        uint8_t *pages = (uint8_t *)memory_map(SIZES[i]);
        CHECK(pages != NULL && all_zero(pages, SIZES[i]));
        if (SIZES[i] >= 64 << 10) CHECK((uintptr_t)pages % 4096 == 0);
        if (SIZES[i] >= 2 << 20) CHECK((uintptr_t)pages % (2 << 20) == 0);
        memset(pages, 1, SIZES[i]);
        memory_unmap(pages, SIZES[i]);
    }
    CHECK(memory_map(SIZE_MAX) == NULL);
    CHECK(memory_map(SIZE_MAX - 4096) == NULL);
    if (sizeof(size_t) > 4) CHECK(memory_map(SIZE_MAX / 2) == NULL); /* 2 GiB may be there */
    memory_unmap(NULL, 4096);
}

TEST(bytes_append_and_print)
{
    Bytes bytes = { 0 };
    bytes_append(&bytes, NULL, 0);
    bytes_append_text(&bytes, "ab");
    bytes_append(&bytes, "\0c", 2);
    bytes_printf(&bytes, "%d-%s", 42, "x");
    CHECK_BYTES(bytes.data, bytes.size, "ab\0c42-x");
    void *room = bytes_reserve(&bytes, 3);
    memcpy(room, "end", 3);
    CHECK_UINT(bytes.size, 8);
    bytes_grow(&bytes, 3);
    CHECK_BYTES(bytes.data, bytes.size, "ab\0c42-xend");
    bytes_clear(&bytes);
    CHECK(bytes.size == 0 && bytes.capacity > 0);
    for (int i = 0; i < 100000; i++)
        bytes_printf(&bytes, "%d,", i);
    CHECK_UINT(bytes.size, 588890);
    CHECK(!bytes.failed);
    bytes_release(&bytes);
    CHECK(bytes.data == NULL && bytes.size == 0 && !bytes.failed);
}

TEST(bytes_failure_is_sticky)
{
    Bytes bytes = { 0 };
    bytes_append_text(&bytes, "kept");
    CHECK(bytes_reserve(&bytes, SIZE_MAX) == NULL);
    CHECK(bytes.failed);
    bytes_append_text(&bytes, "not appended");
    bytes_printf(&bytes, "%d", 1);
    bytes_grow(&bytes, 1);
    CHECK_BYTES(bytes.data, bytes.size, "kept");
    bytes_clear(&bytes);
    CHECK(!bytes.failed);
    memory_fail_after(0);
    bytes_append(&bytes, "0123456789", 10); /* fits into the capacity */
    CHECK(!bytes.failed);
    CHECK(bytes_reserve(&bytes, 1 << 16) == NULL && bytes.failed);
    CHECK_UINT(bytes.size, 10);
    bytes_release(&bytes);
}

TEST(arena_gives_back_what_is_outgrown)
{
    enum { SMALL = 10, MANY = 40000 };
    Arena  arena = arena_create(1 << 20);
    char  *before = arena_push(&arena, 1, 10);
    size_t held = arena.held_bytes;
    memset(before, 'x', 10);
    int *first = arena_push_own(&arena, MANY, sizeof *first);
    int *second = arena_push_own(&arena, MANY, sizeof *second);
    CHECK(first != NULL && second != NULL && first[0] == 0 && second[MANY - 1] == 0);
    memset(first, 1, MANY * sizeof *first);
    memset(second, 2, MANY * sizeof *second);
    CHECK(arena.held_bytes >= held + 2 * MANY * sizeof *first);
    CHECK(arena_push_own(&arena, 5 * MANY, sizeof *first) == NULL); /* the limit holds */
    CHECK(arena_push_own(&arena, SIZE_MAX / 4, 8) == NULL);
    arena_give_back(&arena, first, MANY, sizeof *first);
    CHECK(second[0] == 0x02020202 && before[9] == 'x');
    arena_give_back(&arena, second, MANY, sizeof *second);
    CHECK_UINT(arena.held_bytes, held);
    int *small = arena_push_own(&arena, SMALL, sizeof *small); /* of no block of its own */
    arena_give_back(&arena, small, SMALL, sizeof *small);
    arena_give_back(&arena, NULL, 0, sizeof *small);
    CHECK_UINT(arena.held_bytes, held);
    arena_release(&arena);
    first = arena_push_own(&arena, MANY, sizeof *first); /* as the first of all */
    CHECK(first != NULL);
    arena_give_back(&arena, first, MANY, sizeof *first);
    CHECK_UINT(arena.held_bytes, 0);
    CHECK(arena_push(&arena, 1, 1) != NULL);
    arena_release(&arena);
}

/* Arenas, pages and Bytes share one limit; memory released by one is available to the others. */
TEST(one_limit_for_all_memory)
{
    const size_t   part = (size_t)4 << 20;
    Arena          arena = { 0 };
    Bytes          bytes = { 0 };
    const uint64_t before = memory_held();
    memory_set_limit(before + 2 * part + part / 2);
    CHECK(arena_push(&arena, part, 1) != NULL);
    void *pages = memory_map(part);
    CHECK(pages != NULL && !memory_limit_was_reached());
    CHECK(memory_held() >= before + 2 * part);
    CHECK_UINT(memory_spare(), memory_limit() - memory_held());
    CHECK(memory_map(part) == NULL && memory_limit_was_reached());
    CHECK(arena_push(&arena, part, 1) == NULL);
    CHECK(bytes_reserve(&bytes, part) == NULL && bytes.failed);
    CHECK(arena_push(&arena, 1000, 1) != NULL); /* a small block, where a large one does not fit */
    memory_unmap(pages, part);
    bytes_release(&bytes);
    CHECK(bytes_reserve(&bytes, part) != NULL);
    bytes_release(&bytes);
    arena_release(&arena);
    CHECK_UINT(memory_held(), before);
    memory_set_limit(0);
    CHECK_UINT(memory_limit(), 0);
    CHECK_UINT(memory_spare(), 0);
    CHECK(!memory_limit_was_reached());
}

TEST(spare_memory_is_never_none)
{
    Bytes bytes = { 0 };
    CHECK(bytes_reserve(&bytes, 1000) != NULL);
    memory_set_limit(1);
    CHECK_UINT(memory_spare(), 1); /* 0 would mean: no bound */
    memory_set_limit(0);
    bytes_release(&bytes);
}

TEST_MAIN("base/arena", TEST_CASE(arena_pushes_are_zeroed_aligned_and_apart),
          TEST_CASE(arena_push_refuses_products_that_overflow),
          TEST_CASE(a_large_array_does_not_double_the_arena), TEST_CASE(arena_gives_pointers_for_nothing),
          TEST_CASE(arena_keeps_its_limit), TEST_CASE(arena_clear_keeps_memory_and_zeroes_it_again),
          TEST_CASE(arena_zeroes_behind_a_raw_push), TEST_CASE(arena_big_pushes_leave_the_small_block_in_use),
          TEST_CASE(arena_push_copy_ends_in_zero), TEST_CASE(arena_gives_back_what_is_outgrown),
          TEST_CASE(arena_survives_failing_requests),
          TEST_CASE(memory_fail_after_counts_the_requests_of_all_threads),
          TEST_CASE(small_arenas_take_little_memory), TEST_CASE(memory_remap_grows_out_of_the_heap),
          TEST_CASE(memory_shrink_keeps_the_begin), TEST_CASE(memory_map_gives_zeroed_pages),
          TEST_CASE(bytes_append_and_print), TEST_CASE(bytes_failure_is_sticky),
          TEST_CASE(one_limit_for_all_memory), TEST_CASE(spare_memory_is_never_none))
