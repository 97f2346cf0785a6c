#include "base/string_table.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static StringId intern(StringTable *table, const char *text)
{
    return string_table_intern(table, text, strlen(text));
}

TEST(string_table_numbers_by_first_appearance)
{
    Arena        arena = { 0 };
    StringTable *table = string_table_create(&arena);
    CHECK(table != NULL && string_table_count(table) == 0);
    CHECK_UINT(intern(table, "begin").index, 1);
    CHECK_UINT(string_table_intern(table, NULL, 0).index, 2); /* the empty string is a string */
    CHECK_UINT(intern(table, "end").index, 3);
    CHECK_UINT(intern(table, "begin").index, 1);
    CHECK_UINT(intern(table, "").index, 2);
    CHECK_UINT(string_table_intern(table, "begin\0", 6).index, 4); /* NUL counts */
    CHECK_UINT(string_table_intern(table, "begins", 5).index, 1);
    CHECK_UINT(string_table_count(table), 4);
    CHECK_UINT(string_table_find(table, "end", 3).index, 3);
    CHECK_UINT(string_table_find(table, "middle", 6).index, 0);
    CHECK_UINT(string_table_count(table), 4);

    StringView view = string_table_view(table, (StringId){ 4 });
    CHECK_BYTES(view.bytes, view.size + 1, "begin\0\0");
    CHECK_STRING(string_table_view(table, (StringId){ 2 }).bytes, "");
    CHECK_STRING(string_table_view(table, STRING_NONE).bytes, "");
    CHECK_UINT(string_table_view(table, STRING_NONE).size, 0);
    arena_release(&arena);
}

TEST(string_table_holds_a_million)
{
    enum { COUNT = 1000000 };
    Arena        arena = { 0 };
    StringTable *table = string_table_create(&arena);
    StringView   first = { 0 };
    char         text[32];
    for (uint32_t i = 1; i <= COUNT; i++) {
        int size = snprintf(text, sizeof text, "function_%u", i);
        if (string_table_intern(table, text, (size_t)size).index != i) CHECK_UINT(i, 0);
        if (i == 1) first = string_table_view(table, (StringId){ 1 });
    }
    CHECK_UINT(string_table_count(table), COUNT);
    CHECK_STRING(first.bytes, "function_1"); /* growth moves no string */
    for (uint32_t i = 1; i <= COUNT; i++) {
        int        size = snprintf(text, sizeof text, "function_%u", i);
        StringView view = string_table_view(table, (StringId){ i });
        if (string_table_find(table, text, (size_t)size).index != i) CHECK_UINT(i, 0);
        if (view.size != (size_t)size || strcmp(view.bytes, text) != 0) CHECK_STRING(view.bytes, text);
    }
    CHECK(string_table_bytes(table) > COUNT * (sizeof(StringView) + 10));
    CHECK(string_table_bytes(table) <= arena.held_bytes);
    arena_release(&arena);
}

TEST(string_table_keeps_long_strings)
{
    Arena        arena = { 0 };
    StringTable *table = string_table_create(&arena);
    TestRandom   random = { 3 };
    enum { LONGEST = 200000 };
    char *text = (char *)malloc(LONGEST);
    test_random_fill(&random, text, LONGEST);
    uint32_t expected = 0;
    for (size_t size = 0; size < LONGEST; size = size < 300 ? size + 1 : size * 2 - 50) {
        CHECK_UINT(string_table_intern(table, text, size).index, ++expected);
    }
    expected = 0;
    for (size_t size = 0; size < LONGEST; size = size < 300 ? size + 1 : size * 2 - 50) {
        StringView view = string_table_view(table, (StringId){ ++expected });
        CHECK(view.size == size && memcmp(view.bytes, text, size) == 0 && view.bytes[size] == '\0');
        CHECK_UINT(string_table_find(table, text, size).index, expected);
    }
    free(text);
    arena_release(&arena);
}

TEST(string_table_has_a_note_for_each_string)
{
    enum { COUNT = 2000 };
    Arena        arena = { 0 };
    StringTable *table = string_table_create(&arena);
    char         text[64];
    CHECK(string_table_note(table, (StringId){ 1 }) == NULL && string_table_note(table, STRING_NONE) == NULL);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i <= COUNT; i++) { /* of 1 to 40 bytes */
            const int      size = snprintf(text, sizeof text, "%*u", (int)(i % 40) + 1, i);
            const StringId id = string_table_intern(table, text, (size_t)size);
            uint32_t      *note = string_table_note(table, id);
            if (note == NULL || *note != (round == 0 ? 0 : i * 3)) CHECK_UINT(i, 0);
            *note = i * 3;
            if (string_table_note(table, (StringId){ id.index - 1 }) != NULL) CHECK_UINT(i, 0);
        }
    }
    arena_release(&arena);
}

/* Fails the n-th request for every n, then goes on: nothing is lost, doubled or misnumbered. */
TEST(string_table_survives_failing_requests)
{
    enum { COUNT = 20000 };
    for (uint64_t n = 0;; n++) {
        Arena arena = { 0 };
        memory_fail_after(n);
        StringTable *table = string_table_create(&arena);
        uint32_t     failed_at = 0;
        char         text[80];
        for (uint32_t i = 1; i <= COUNT; i++) {
            int size = snprintf(text, sizeof text, "a name that fills the pool with its many letters %u", i);
            if (table == NULL) break;
            StringId id = string_table_intern(table, text, (size_t)size);
            if (id.index == 0) {
                CHECK(failed_at == 0);
                failed_at = i;
                CHECK_UINT(string_table_count(table), i - 1);
                CHECK_UINT(string_table_find(table, text, (size_t)size).index, 0);
                memory_fail_after(UINT64_MAX);
                id = string_table_intern(table, text, (size_t)size);
            }
            CHECK_UINT(id.index, i);
        }
        bool complete = table != NULL && failed_at == 0;
        CHECK(table != NULL || n == 0);
        arena_release(&arena);
        memory_fail_after(UINT64_MAX);
        if (complete) {
            CHECK(n > 4); /* there were requests to fail */
            break;
        }
    }
}

TEST(string_table_stays_under_the_arena_limit)
{
    Arena        arena = arena_create(300000);
    StringTable *table = string_table_create(&arena);
    CHECK(table != NULL);
    char     text[32];
    uint32_t i = 0;
    StringId id;
    do {
        int size = snprintf(text, sizeof text, "%u", i++);
        id = string_table_intern(table, text, (size_t)size);
    } while (id.index != 0);
    CHECK(i > 1000 && string_table_count(table) == i - 1);
    CHECK_UINT(intern(table, "0").index, 1); /* existing strings are still found */
    arena_release(&arena);

    Arena tiny = arena_create(100);
    CHECK(string_table_create(&tiny) == NULL);
    arena_release(&tiny);
}

/* -- comparing -- */

static int order_of(const char *a, const char *b)
{
    int order = string_compare_natural((StringView){ a, strlen(a) }, (StringView){ b, strlen(b) });
    return (order > 0) - (order < 0);
}

TEST(string_compare_natural_sorts_as_people_do)
{
    static const char *const SORTED[] = { "",
                                          "0",
                                          "00",
                                          "1",
                                          "2",
                                          "2a",
                                          "02b",
                                          "10",
                                          "a",
                                          "A 1",
                                          "Main",
                                          "main",
                                          "main2",
                                          "Worker 2",
                                          "worker 02",
                                          "worker 2",
                                          "worker 3",
                                          "worker 010",
                                          "worker 18446744073709551616",
                                          "worker 18446744073709551617",
                                          "worker x",
                                          "z",
                                          "\xc3\xa9" };
    enum { COUNT = sizeof SORTED / sizeof SORTED[0] };
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            if (order_of(SORTED[i], SORTED[j]) != (i > j) - (i < j)) {
                print_error("\"%s\" and \"%s\" are out of order\n", SORTED[i], SORTED[j]);
                fail();
            }
        }
    }
}

TEST(string_compare_natural_is_a_total_order)
{
    static const char ALPHABET[] = "0019aAbB_";
    TestRandom        random = { 5 };
    for (int round = 0; round < 200000; round++) {
        char text[3][7];
        for (int t = 0; t < 3; t++) {
            size_t size = test_random_size(&random, 7);
            for (size_t i = 0; i < size; i++)
                text[t][i] = ALPHABET[test_random_below(&random, sizeof ALPHABET - 1)];
            text[t][size] = '\0';
        }
        int ab = order_of(text[0], text[1]), bc = order_of(text[1], text[2]), ac = order_of(text[0], text[2]);
        CHECK(order_of(text[1], text[0]) == -ab);
        CHECK((ab == 0) == (strcmp(text[0], text[1]) == 0));
        if (ab <= 0 && bc <= 0) CHECK(ac <= 0);
    }
}

TEST(string_equal_compares_bytes)
{
    CHECK(string_equal(STRING_LITERAL("a\0b"), STRING_LITERAL("a\0b")));
    CHECK(!string_equal(STRING_LITERAL("a\0b"), STRING_LITERAL("a\0c")));
    CHECK(!string_equal(STRING_LITERAL("a"), STRING_LITERAL("ab")));
    CHECK(string_equal((StringView){ NULL, 0 }, STRING_LITERAL("")));
}

TEST_MAIN("base/string_table", TEST_CASE(string_table_numbers_by_first_appearance),
          TEST_CASE(string_table_has_a_note_for_each_string), TEST_CASE(string_table_holds_a_million),
          TEST_CASE(string_table_keeps_long_strings), TEST_CASE(string_table_survives_failing_requests),
          TEST_CASE(string_table_stays_under_the_arena_limit),
          TEST_CASE(string_compare_natural_sorts_as_people_do),
          TEST_CASE(string_compare_natural_is_a_total_order), TEST_CASE(string_equal_compares_bytes))
