/* Spellings and their labels: src/format/label_cache.c. */
#include "format/label_cache.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

static uint32_t find(LabelCache *cache, const char *name, const char *category)
{
    const LabelId *label = label_cache_find(cache, name, name == NULL ? 0 : strlen(name), category,
                                            category == NULL ? 0 : strlen(category));
    return label == NULL ? 0 : label->index;
}

static void put(LabelCache *cache, const char *name, const char *category, uint32_t label)
{
    CHECK_UINT(find(cache, name, category), 0);
    CHECK(label_cache_put(cache, name, name == NULL ? 0 : strlen(name), category,
                          category == NULL ? 0 : strlen(category), (LabelId){ label }));
    CHECK_UINT(find(cache, name, category), label);
}

TEST(spellings_are_distinguished)
{
    Arena       arena = arena_create(0);
    LabelCache *cache = label_cache_create(&arena);
    CHECK(cache != NULL);
    put(cache, NULL, NULL, 1);
    put(cache, "", NULL, 2); /* an empty text differs from a missing one */
    put(cache, NULL, "", 3);
    put(cache, "", "", 4);
    put(cache, "ab", "c", 5); /* the end of the name matters */
    put(cache, "a", "bc", 6);
    put(cache, "abc", "", 7);
    put(cache, "", "abc", 8);
    put(cache, "abc", NULL, 9);
    put(cache, NULL, "abc", 10);
    CHECK(label_cache_put(cache, "a\0b", 3, NULL, 0, (LabelId){ 11 })); /* any byte is allowed */
    CHECK_UINT(label_cache_find(cache, "a\0b", 3, NULL, 0)->index, 11);
    CHECK(label_cache_find(cache, "a\0c", 3, NULL, 0) == NULL);
    CHECK_UINT(find(cache, "a", "bc"), 6);
    CHECK_UINT(find(cache, NULL, NULL), 1);
    arena_release(&arena);
}

TEST(it_keeps_many_and_copies_their_bytes)
{
    enum { COUNT = 20000 };
    Arena       arena = arena_create(0);
    LabelCache *cache = label_cache_create(&arena);
    CHECK(cache != NULL);
    char name[32], category[32];
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i <= COUNT; i++) {
            (void)snprintf(name, sizeof name, "name %u", i / 3);
            (void)snprintf(category, sizeof category, "%u", i % 3);
            if (pass == 0) put(cache, name, category, i);
            CHECK_UINT(find(cache, name, category), i);
        }
    }
    arena_release(&arena);
}

TEST(it_says_when_memory_is_out)
{
    Arena       arena = arena_create(0);
    LabelCache *cache = label_cache_create(&arena);
    CHECK(cache != NULL);
    memory_fail_after(0);
    uint32_t i = 0;
    char     name[32];
    for (; i < 1000000; i++) {
        (void)snprintf(name, sizeof name, "name %u", i);
        if (!label_cache_put(cache, name, strlen(name), NULL, 0, (LabelId){ i + 1 })) break;
    }
    CHECK(i > 0 && i < 1000000);
    memory_fail_after(UINT64_MAX);
    CHECK_UINT(find(cache, name, NULL), 0);
    CHECK_UINT(find(cache, "name 0", NULL), 1); /* earlier entries remain */
    arena_release(&arena);
    memory_fail_after(0);
    CHECK(label_cache_create(&arena) == NULL);
    memory_fail_after(UINT64_MAX);
    arena_release(&arena);
}

TEST_MAIN("label_cache", TEST_CASE(spellings_are_distinguished),
          TEST_CASE(it_keeps_many_and_copies_their_bytes), TEST_CASE(it_says_when_memory_is_out))
