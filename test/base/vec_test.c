#include "base/heap.h"
#include "base/lru.h"
#include "base/vec.h"
#include "support/test.h"

typedef struct Item {
    uint32_t key;
    char     text[8];
} Item;

TEST(items_are_appended_cut_and_copied)
{
    VEC(Item) items = VEC_EMPTY;
    CHECK(vec_count(&items) == 0);
    for (uint32_t i = 0; i < 1000; i++)
        vec_push(&items, (Item){ i, "text" });
    CHECK(vec_count(&items) == 1000);
    CHECK(items.items[999].key == 999 && vec_last(&items)->key == 999);
    Item *added = vec_add(&items);
    CHECK(added == vec_last(&items) && added->key == 0 && added->text[0] == '\0');
    const Item more[] = { { 7, "a" }, { 8, "b" } };
    vec_append(&items, more, 2);
    CHECK(vec_count(&items) == 1003 && items.items[1002].key == 8);
    vec_cut(&items, 2);
    CHECK(vec_count(&items) == 2 && vec_last(&items)->key == 1);
    Arena arena = arena_create(0);
    Item *copy = vec_copy(&items, &arena);
    CHECK(copy != NULL && copy[1].key == 1);
    vec_clear(&items);
    CHECK(vec_count(&items) == 0);
    vec_release(&items);
    CHECK(items.items == NULL);
    arena_release(&arena);
}

TEST(failure_is_sticky_until_it_is_cleared)
{
    VEC(uint64_t) numbers = VEC_EMPTY;
    vec_push(&numbers, 1);
    memory_fail_after(0);
    while (!numbers.bytes.failed)
        vec_push(&numbers, 2);
    memory_fail_after(UINT64_MAX);
    const size_t count = vec_count(&numbers);
    vec_push(&numbers, 3);
    CHECK(vec_add(&numbers) == NULL);
    CHECK(vec_count(&numbers) == count && numbers.items[0] == 1);
    vec_clear(&numbers);
    vec_push(&numbers, 4);
    CHECK(vec_count(&numbers) == 1 && numbers.items[0] == 4);
    vec_release(&numbers);
}

static bool key_before(const Item *a, const Item *b)
{
    return a->key < b->key;
}

TEST(items_leave_a_heap_in_order)
{
    enum { COUNT = 500 };
    Item       heap[COUNT];
    TestRandom random = { 3 };
    for (uint32_t i = 0; i < COUNT; i++) {
        heap[i] = (Item){ .key = (uint32_t)test_random_below(&random, COUNT / 2) };
        HEAP_RISE(Item, heap, i, key_before);
    }
    uint32_t last = 0;
    for (size_t count = COUNT; count > 0;) {
        CHECK(heap[0].key >= last);
        last = heap[0].key;
        heap[0] = heap[--count];
        if (count > 0) HEAP_SINK(Item, heap, count, 0, key_before);
    }
}

TEST(the_wanted_entry_or_the_least_recently_used_is_chosen)
{
    static const uint64_t USES[] = { 5, 2, 9, 2 };
    size_t                place;
    LRU_CHOOSE(place, 4, i, USES[i] == 9, true, USES[i]);
    CHECK(place == 2);
    LRU_CHOOSE(place, 4, i, false, true, USES[i]);
    CHECK(place == 1);
    LRU_CHOOSE(place, 4, i, false, i != 1 && i != 3, USES[i]);
    CHECK(place == 0);
    LRU_CHOOSE(place, 4, i, false, false, USES[i]);
    CHECK(place == 4);
}

TEST_MAIN("base/vec", TEST_CASE(items_are_appended_cut_and_copied),
          TEST_CASE(failure_is_sticky_until_it_is_cleared), TEST_CASE(items_leave_a_heap_in_order),
          TEST_CASE(the_wanted_entry_or_the_least_recently_used_is_chosen))
