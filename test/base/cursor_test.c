#include "base/cursor.h"

#include "base/checked.h"
#include "base/progress.h"
#include "support/test.h"

TEST(cursor_reads_little_endian)
{
    static const uint8_t BYTES[] = { 1,    2,    3,    4, 5, 6, 7, 0xff, 0xfe, 0xfd, 0xfc, 0xfb,
                                     0xfa, 0xf9, 0xf8, 0, 0, 0, 0, 0,    0,    0xf8, 0x3f };
    ByteCursor           c = cursor_over(BYTES, sizeof BYTES, 1000);
    CHECK_UINT(cursor_u8(&c), 1);
    CHECK_UINT(cursor_u16le(&c), 0x0302);
    CHECK_UINT(cursor_u32le(&c), 0x07060504);
    CHECK_UINT(cursor_u64le(&c), 0xf8f9fafbfcfdfeffu);
    CHECK(cursor_f64le(&c) == 1.5);
    CHECK_UINT(cursor_left(&c), 0);
    CHECK(!c.failed);
    CHECK_UINT(cursor_offset(&c), 1023);
}

TEST(cursor_reads_big_endian)
{
    static const uint8_t BYTES[] = { 3,    2,    7,    6,    5,    4, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc,
                                     0xfd, 0xfe, 0xff, 0x3f, 0xf8, 0, 0,    0,    0,    0,    0 };
    ByteCursor           c = cursor_over(BYTES, sizeof BYTES, 0), cut = cursor_over(BYTES, 7, 0);
    CHECK_UINT(cursor_u16be(&c), 0x0302);
    CHECK_UINT(cursor_u32be(&c), 0x07060504);
    CHECK_UINT(cursor_u64be(&c), 0xf8f9fafbfcfdfeffu);
    CHECK_UINT(cursor_u64be(&c), 0x3ff8000000000000u);
    CHECK(cursor_left(&c) == 0 && !c.failed);
    CHECK(cursor_u64be(&cut) == 0 && cut.failed && cut.at == 0);
    CHECK(cursor_u32be(&cut) == 0 && cursor_u16be(&cut) == 0);
}

TEST(cursor_take_refuses_what_is_not_there)
{
    ByteCursor c = cursor_over("\x01\x02", 2, 100);
    CHECK(cursor_take(&c, SIZE_MAX) == NULL); /* a hostile length, not just an off-by-one */
    CHECK(c.failed && c.at == 0 && cursor_offset(&c) == 100);
    CHECK(cursor_u8(&c) == 0);                                 /* sticky */
    CHECK(cursor_left(&c) == 0 && cursor_take(&c, 0) != NULL); /* nothing can always be taken */
}

TEST(cursor_fails_on_each_kind_cut_short)
{
    for (size_t size = 0; size < 8; size++) {
        ByteCursor c8 = cursor_over("\xff\xff\xff\xff\xff\xff\xff", size, 0), c4 = c8, c2 = c8, c1 = c8,
                   cf = c8;
        CHECK(cursor_u64le(&c8) == 0 && c8.failed && c8.at == 0);
        CHECK(cursor_f64le(&cf) == 0 && cf.failed);
        CHECK((cursor_u32le(&c4) == 0) == (size < 4) && c4.failed == (size < 4));
        CHECK((cursor_u16le(&c2) == 0) == (size < 2) && c2.failed == (size < 2));
        CHECK((cursor_u8(&c1) == 0) == (size < 1) && c1.failed == (size < 1));
    }
}

TEST(cursor_can_hold_does_not_overflow)
{
    ByteCursor c = cursor_over("0123456789", 10, 0);
    CHECK(cursor_can_hold(&c, 5, 2) && cursor_can_hold(&c, 0, SIZE_MAX) && cursor_can_hold(&c, 3, 3));
    CHECK(!cursor_can_hold(&c, 6, 2) && !cursor_can_hold(&c, UINT64_MAX, 1));
    CHECK(!cursor_can_hold(&c, UINT64_MAX / 2 + 1, 2) && !cursor_can_hold(&c, 1, SIZE_MAX));
}

TEST(checked_arithmetic_leaves_out_alone_on_overflow)
{
    size_t size = 7;
    CHECK(!size_mul(SIZE_MAX, 2, &size) && !size_add(SIZE_MAX, 1, &size) && size == 7);
    CHECK(size_mul(SIZE_MAX, 1, &size) && size == SIZE_MAX);
    CHECK(size_mul(0, SIZE_MAX, &size) && size == 0);
    CHECK(size_add(SIZE_MAX - 1, 1, &size) && size == SIZE_MAX);
    uint32_t narrow = 7;
    CHECK(!u32_from_u64((uint64_t)UINT32_MAX + 1, &narrow) && narrow == 7);
    CHECK(u32_from_u64(UINT32_MAX, &narrow) && narrow == UINT32_MAX);
}

TEST(i64_add_clamped_holds_at_the_ends)
{
    bool clamped = false;
    CHECK_INT(i64_add_clamped(INT64_MAX, -1, &clamped), INT64_MAX - 1);
    CHECK_INT(i64_add_clamped(INT64_MIN, INT64_MAX, &clamped), -1);
    CHECK_INT(i64_add_clamped(INT64_MIN + 1, -1, &clamped), INT64_MIN);
    CHECK(!clamped);
    CHECK_INT(i64_add_clamped(INT64_MAX, 1, &clamped), INT64_MAX);
    CHECK(clamped);
    clamped = false;
    CHECK_INT(i64_add_clamped(-1, INT64_MIN, &clamped), INT64_MIN);
    CHECK(clamped);
}

TEST(progress_allows_nobody_to_look)
{
    progress_phase(NULL, PROGRESS_SORTING, 5);
    progress_set(NULL, 1);
    CHECK(!progress_cancelled(NULL));
    Progress p = { 0 };
    progress_phase(&p, PROGRESS_INDEXING, 10);
    progress_set(&p, 4);
    CHECK(p.total == 10 && p.done == 4 && p.phase == PROGRESS_INDEXING && !progress_cancelled(&p));
    p.cancelled = true;
    CHECK(progress_cancelled(&p));
}

TEST(uleb_numbers_are_read_as_they_were_appended)
{
    const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX };
    Bytes          bytes = { 0 };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        bytes_append_uleb(&bytes, numbers[i]);
    ByteCursor c = cursor_over(bytes.data, bytes.size, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        CHECK_UINT(cursor_uleb(&c), numbers[i]);
    CHECK(!c.failed && cursor_left(&c) == 0);
    bytes_release(&bytes);
}

TEST_MAIN("base/cursor", TEST_CASE(cursor_reads_little_endian), TEST_CASE(cursor_reads_big_endian),
          TEST_CASE(cursor_take_refuses_what_is_not_there), TEST_CASE(cursor_fails_on_each_kind_cut_short),
          TEST_CASE(cursor_can_hold_does_not_overflow),
          TEST_CASE(checked_arithmetic_leaves_out_alone_on_overflow),
          TEST_CASE(i64_add_clamped_holds_at_the_ends), TEST_CASE(progress_allows_nobody_to_look),
          TEST_CASE(uleb_numbers_are_read_as_they_were_appended))
