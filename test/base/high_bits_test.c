#include "base/high_bits.h"

#include "support/test.h"

TEST(each_bit_is_that_of_its_byte)
{
    TestRandom random = { 1 };
    uint8_t    bytes[HIGH_BITS_BYTES + 1];
    for (int round = 0; round < 2000; round++) {
        uint8_t *const begin = bytes + round % 2; /* aligned or not */
        uint64_t       expected = 0;
        for (unsigned i = 0; i < HIGH_BITS_BYTES; i++) {
            const uint64_t is_high = test_random_below(&random, 1 + (uint64_t)round % 5) == 0;
            begin[i] = (uint8_t)(test_random_below(&random, 0x80) | is_high << 7);
            expected |= is_high << i;
        }
        CHECK_UINT(high_bits(begin), expected);
        CHECK_UINT(high_bits_by_words(begin), expected);
    }
}

TEST_MAIN("high_bits", TEST_CASE(each_bit_is_that_of_its_byte))
