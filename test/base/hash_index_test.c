#include "base/hash_index.h"
#include "base/string_view.h"
#include "support/test.h"

typedef struct Items {
    uint64_t *ids; /* [0] is unused */
    uint64_t  key;
} Items;

static uint64_t hash_of(const void *context, uint32_t item)
{
    const Items *items = context;
    return hash_pair(items->ids[item], 0, items->key);
}

static uint32_t find(const HashIndex *index, const Items *items, uint64_t id)
{
    uint32_t found;
    HASH_FIND(index, hash_pair(id, 0, items->key), found, items->ids[found] == id);
    return found;
}

TEST(items_are_found_after_growth_and_not_after_clear)
{
    enum { COUNT = 5000 };
    Arena     arena = arena_create(0);
    Items     items = { ARENA_ARRAY(&arena, uint64_t, COUNT + 1), hash_random_key() };
    HashIndex index = { 0 };
    CHECK(find(&index, &items, 1) == 0);
    for (uint32_t i = 1; i <= COUNT; i++) {
        items.ids[i] = (uint64_t)i * i;
        CHECK(hash_index_add(&index, &arena, i, hash_of, &items));
    }
    for (uint32_t i = 1; i <= COUNT; i++)
        CHECK(find(&index, &items, (uint64_t)i * i) == i);
    CHECK(find(&index, &items, 3) == 0);
    CHECK(index.count == COUNT && index.count <= index.capacity / 2);
    hash_index_clear(&index);
    CHECK(find(&index, &items, 4) == 0);
    hash_index_release(&index, &arena);
    CHECK(find(&index, &items, 4) == 0 && index.capacity == 0);
    arena_release(&arena);
}

TEST(an_index_that_cannot_grow_is_unchanged)
{
    static uint64_t ids[10000];
    Arena           arena = arena_create(16 << 10);
    Items           items = { ids, 1 };
    HashIndex       index = { 0 }, before = index;
    uint32_t        added = 0;
    for (bool done = true; done && added + 1 < 10000; added += done) {
        ids[added + 1] = added + 1;
        before = index;
        done = hash_index_add(&index, &arena, added + 1, hash_of, &items);
    }
    CHECK(added > 0 && added < 9999);
    CHECK(index.slots == before.slots && index.count == added && index.capacity == before.capacity);
    CHECK(find(&index, &items, added) == added && find(&index, &items, added + 1) == 0);
    arena_release(&arena);
}

TEST(regular_ids_do_not_cluster)
{
    enum { COUNT = 1 << 16 };
    for (unsigned shift = 0; shift <= 48; shift += 8) {
        Arena     arena = arena_create(0);
        Items     items = { ARENA_ARRAY(&arena, uint64_t, COUNT + 1), hash_random_key() };
        HashIndex index = { 0 };
        for (uint32_t i = 1; i <= COUNT; i++) {
            items.ids[i] = (uint64_t)i << shift;
            CHECK(hash_index_add(&index, &arena, i, hash_of, &items));
        }
        CHECK(hash_index_longest_run(&index) < 200);
        arena_release(&arena);
    }
}

TEST_MAIN("base/hash_index", TEST_CASE(items_are_found_after_growth_and_not_after_clear),
          TEST_CASE(an_index_that_cannot_grow_is_unchanged), TEST_CASE(regular_ids_do_not_cluster))
