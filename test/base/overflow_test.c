/* Pages beyond the memory limit: base/overflow.h through base/arena.h. */
#include "base/overflow.h"

#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { PART = 4 << 20 };

/* Sets a limit that is nearly used up. Returns false where no directory has room for the file. */
static bool limit_memory(void)
{
    memory_set_limit(memory_held() + PART / 4);
    memory_set_overflow(MEMORY_OVERFLOWS);
    if (overflow_left() > (uint64_t)16 * PART) return true;
    memory_set_limit(0);
    return false;
}

static bool all_are(const uint8_t *bytes, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value) return false;
    return true;
}

TEST(pages_beyond_the_limit_are_in_the_file)
{
    if (!limit_memory()) return;
    const uint64_t held = memory_held(), used = overflow_used();
    uint8_t       *bytes = (uint8_t *)memory_map(PART + 1);
    CHECK(bytes != NULL && overflow_holds(bytes) && !memory_limit_was_reached());
    CHECK_UINT(memory_held(), held);
    CHECK(memory_used() >= held + used + PART && overflow_used() >= used + PART);
    CHECK(all_are(bytes, PART + 1, 0));
    memset(bytes, 7, PART + 1);

    bytes = (uint8_t *)memory_remap(bytes, PART + 1, 2 * PART);
    CHECK(bytes != NULL && all_are(bytes, PART + 1, 7) && all_are(bytes + PART + 1, PART - 1, 0));
    memory_discard(bytes + 1, PART - 1); /* the first page stays */
    CHECK(all_are(bytes, 1, 7) && all_are(bytes + PART / 2, PART / 2, 0) && bytes[PART] == 7);
    memset(bytes, 8, PART); /* discarded pages can be used again */
    CHECK(all_are(bytes, PART, 8));

    CHECK(memory_map(SIZE_MAX) == NULL && memory_map(SIZE_MAX / 2) == NULL);
    CHECK(!memory_move_huge(bytes, bytes + PART));
    memory_take_huge(bytes);
    memory_unmap(bytes, 2 * PART);
    CHECK_UINT(overflow_used(), used);
    memory_set_limit(0);
}

/* A freed page reads as zeros when its place in the file is given out again. */
TEST(places_at_the_end_are_reused)
{
    if (!limit_memory()) return;
    uint8_t *first = (uint8_t *)memory_map(PART);
    memset(first, 1, PART);
    memory_unmap(first, PART);
    uint8_t *second = (uint8_t *)memory_map(PART);
    CHECK(second == first && all_are(second, PART, 0));
    memory_unmap(second, PART);
    memory_set_limit(0);
}

TEST(arenas_and_buffers_go_on_in_the_file)
{
    if (!limit_memory()) return;
    enum { ITEM = 1000, MANY = 20000 };
    Arena          arena = { 0 };
    Bytes          bytes = { 0 };
    const uint64_t used = overflow_used();
    uint8_t       *pushed[MANY];
    uint8_t        item[ITEM];
    for (size_t i = 0; i < MANY; i++) {
        pushed[i] = (uint8_t *)arena_push(&arena, ITEM, 1);
        CHECK(pushed[i] != NULL && pushed[i][0] == 0 && pushed[i][ITEM - 1] == 0);
        memset(pushed[i], (int)(i % 251), ITEM);
        memset(item, (int)(i % 250), ITEM);
        bytes_append(&bytes, item, ITEM);
    }
    CHECK(!bytes.failed && bytes.size == (size_t)ITEM * MANY && overflow_holds(bytes.data));
    for (size_t i = 0; i < MANY; i++) {
        CHECK(all_are(pushed[i], ITEM, (uint8_t)(i % 251)));
        CHECK(all_are(bytes.data + i * ITEM, ITEM, (uint8_t)(i % 250)));
    }
    memory_set_limit(0); /* a buffer may leave the file again */
    CHECK(bytes_reserve(&bytes, bytes.capacity) != NULL && !overflow_holds(bytes.data));
    CHECK(all_are(bytes.data + ITEM, ITEM, 1));
    bytes_release(&bytes);
    arena_release(&arena);
    CHECK_UINT(overflow_used(), used);
}

TEST(an_allocation_of_memory_can_move_to_the_file)
{
    uint8_t *bytes = (uint8_t *)memory_map(PART);
    memset(bytes, 5, PART);
    if (!limit_memory()) return;
    const uint64_t held = memory_held();
    bytes = (uint8_t *)memory_remap(bytes, PART, 3 * PART);
    CHECK(bytes != NULL && overflow_holds(bytes) && all_are(bytes, PART, 5) && bytes[PART] == 0);
    CHECK_UINT(memory_held(), held - PART);
    memory_unmap(bytes, 3 * PART);
    memory_set_limit(0);
}

TEST(an_allocation_in_the_file_can_shrink)
{
    if (!limit_memory()) return;
    const uint64_t used = overflow_used();
    uint8_t       *bytes = (uint8_t *)memory_map(3 * PART);
    CHECK(bytes != NULL && overflow_holds(bytes));
    memset(bytes, 5, 3 * PART);
    CHECK(memory_shrink(bytes, 3 * PART, PART) == bytes && all_are(bytes, PART, 5));
    CHECK_UINT(overflow_used(), used + PART);
    memory_unmap(bytes, PART);
    CHECK_UINT(overflow_used(), used);
    memory_set_limit(0);
}

/* Without room on the disk a request fails; it is not a signal at the first write. */
TEST(a_full_disk_fails_the_request)
{
    struct rlimit before, low;
    if (!limit_memory()) return;
    (void)signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    low = before;
    low.rlim_cur = PART / 2;
    CHECK(setrlimit(RLIMIT_FSIZE, &low) == 0); /* fallocate(2) fails from now on */
    const uint64_t used = overflow_used();
    CHECK(memory_map((size_t)16 * PART) == NULL && memory_limit_was_reached()); /* beyond the file's end */
    CHECK_UINT(overflow_used(), used);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    uint8_t *bytes = (uint8_t *)memory_map((size_t)16 * PART);
    CHECK(bytes != NULL && all_are(bytes, (size_t)16 * PART, 0));
    memory_fail_after(0);
    CHECK(memory_map(PART) == NULL);
    memory_fail_after(UINT64_MAX);
    memory_unmap(bytes, (size_t)16 * PART);
    memory_set_limit(0);
}

TEST(a_limit_without_a_file_stays_a_limit)
{
    memory_set_limit(memory_held() + PART / 4);
    CHECK(memory_map(PART) == NULL && memory_limit_was_reached());
    CHECK(memory_left() <= PART / 4);
    memory_set_limit(0);
    CHECK(memory_left() == UINT64_MAX);
}

/* Returns the resident bytes of mapped files, or 0 if the system does not say. */
static uint64_t resident_bytes(void)
{
    unsigned long long size = 0, resident = 0, shared = 0;
    FILE              *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL) return 0;
    const int found = fscanf(statm, "%llu %llu %llu", &size, &resident, &shared); /* NOLINT(cert-err34-c) */
    (void)fclose(statm);
    return found == 3 ? shared * 4096 : 0;
}

TEST(resident_pages_are_bounded)
{
    enum { PAUSES = 1000 };
    if (!limit_memory()) return;
    const struct timespec pause = { .tv_nsec = 10000000 };
    const uint64_t        before = resident_bytes();
    uint8_t              *bytes = (uint8_t *)memory_map((size_t)8 * PART);
    CHECK(bytes != NULL);
    memset(bytes, 9, (size_t)8 * PART);
    for (int i = 0; i < PAUSES && resident_bytes() > before + 4 * PART; i++)
        (void)nanosleep(&pause, NULL);
    CHECK(resident_bytes() <= before + 4 * PART);
    CHECK(all_are(bytes, (size_t)8 * PART, 9));
    memory_unmap(bytes, (size_t)8 * PART);
    memory_set_limit(0);
}

TEST_MAIN("base/overflow", TEST_CASE(pages_beyond_the_limit_are_in_the_file),
          TEST_CASE(places_at_the_end_are_reused), TEST_CASE(arenas_and_buffers_go_on_in_the_file),
          TEST_CASE(an_allocation_of_memory_can_move_to_the_file),
          TEST_CASE(an_allocation_in_the_file_can_shrink), TEST_CASE(a_full_disk_fails_the_request),
          TEST_CASE(a_limit_without_a_file_stays_a_limit), TEST_CASE(resident_pages_are_bounded))
