#include "base/hash.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST(hash_bytes_uses_each_bit_and_the_key)
{
    uint8_t bytes[100] = { 0 };
    for (size_t size = 0; size <= sizeof bytes; size++) {
        uint64_t hash = hash_bytes(bytes, size, 1);
        CHECK(hash == hash_bytes(bytes, size, 1) && hash != hash_bytes(bytes, size, 2));
        if (size < sizeof bytes) CHECK(hash != hash_bytes(bytes, size + 1, 1)); /* zeros too */
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(hash != hash_bytes(bytes, size, 1));
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

TEST(hash_bytes_reads_the_same_at_any_address)
{
    TestRandom random = { 9 };
    uint8_t    text[64], moved[64 + 16];
    test_random_fill(&random, text, sizeof text);
    for (size_t shift = 0; shift < 16; shift++) {
        memcpy(moved + shift, text, sizeof text);
        for (size_t size = 0; size <= sizeof text; size++) {
            CHECK(hash_bytes(text, size, 5) == hash_bytes(moved + shift, size, 5));
        }
    }
}

TEST(hash_bytes_spreads_similar_names)
{
    enum { COUNT = 200000, BUCKETS = 1 << 16 };
    uint64_t       *hashes = (uint64_t *)malloc(COUNT * sizeof *hashes);
    static uint32_t low[BUCKETS], high[BUCKETS];
    char            text[32];
    for (uint32_t i = 0; i < COUNT; i++) {
        int size = snprintf(text, sizeof text, "worker %u", i);
        hashes[i] = hash_bytes(text, (size_t)size, 0);
        low[hashes[i] % BUCKETS]++;
        high[hashes[i] >> 48]++;
    }
    uint32_t fullest = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        if (low[i] > fullest) fullest = low[i];
        if (high[i] > fullest) fullest = high[i];
    }
    CHECK(fullest < 20); /* 3 on average; a fair hash has some 15 at most */
    qsort(hashes, COUNT, sizeof *hashes, compare_u64);
    for (size_t i = 1; i < COUNT; i++)
        CHECK(hashes[i] != hashes[i - 1]);
    free(hashes);
}

/* Colours and identities in stored files depend on these values, which are those of the authors' test suite. */
TEST(fnv1a_is_that_of_its_authors)
{
    uint64_t hash = FNV1A_EMPTY;
    for (const char *at = "foobar"; *at != '\0'; at++)
        hash = fnv1a_add(hash, (uint8_t)*at);
    CHECK_UINT(hash, UINT64_C(0x85944171f73967e8));
}

TEST_MAIN("base/hash", TEST_CASE(hash_bytes_uses_each_bit_and_the_key),
          TEST_CASE(hash_bytes_reads_the_same_at_any_address), TEST_CASE(hash_bytes_spreads_similar_names),
          TEST_CASE(fnv1a_is_that_of_its_authors))
