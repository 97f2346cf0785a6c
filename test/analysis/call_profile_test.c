/* Profiles of calls: as bytes and back, every prefix of the bytes, and bytes that contradict each other. Their numbers are
 * compared with a brute-force pass over `varve dump` in test/app/diff_cli_test.py. */
#include "analysis/compare.h"

#include "analysis/random_trace.h"

#include <stdlib.h>
#include <string.h>

static CallProfile made(const Trace *trace, CompareBy by)
{
    const StatsQuery all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    CallProfile      profile;
    Err              err;
    CHECK_DONE(call_profile_make(trace, &all, by, &profile, &err), err);
    return profile;
}

/* The same in many steps. */
static CallProfile made_in_steps(const Trace *trace, CompareBy by)
{
    const StatsQuery  all = { .part.begin_tick = INT64_MIN, .part.end_tick = INT64_MAX };
    Arena             arena = { 0 };
    CallProfile       profile;
    Err               err;
    double            share = 0;
    CallProfileCount *count = call_profile_begin(trace, &all, by, &profile, &arena, &err);
    CHECK_DONE(count != NULL, err);
    uint32_t steps = 0;
    for (; share < 1; steps++)
        CHECK_DONE(call_profile_step(count, 1, &share, &err), err);
    CHECK(profile.slice_count == 0 || steps > 2);
    call_profile_end(count);
    arena_release(&arena);
    return profile;
}

static CallProfile read_back(const Bytes *bytes)
{
    CallProfile profile;
    Err         err;
    CHECK_DONE(call_profile_read(bytes->data, bytes->size, &profile, &err), err);
    return profile;
}

static Bytes bytes_of(const CallProfile *profile)
{
    Bytes bytes = { 0 };
    call_profile_write(profile, &bytes);
    CHECK(!bytes.failed);
    return bytes;
}

static bool same_bytes(const Bytes *a, const Bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static bool reads(const void *bytes, size_t size, Err *err)
{
    CallProfile profile;
    const bool  done = call_profile_read(bytes, size, &profile, err);
    call_profile_release(&profile);
    return done;
}

static void check_comparison(const CallProfile sides[2], const CallProfile copies[2])
{
    Comparison comparison, of_copies;
    Err        err;
    CHECK_DONE(compare_profiles(&sides[0], &sides[1], &comparison, &err), err);
    CHECK_DONE(compare_profiles(&copies[0], &copies[1], &of_copies, &err), err);
    CHECK_INT(comparison.row_count, of_copies.row_count);
    for (uint32_t i = 0; i < comparison.row_count; i++) {
        const CompareRow *row = &comparison.rows[i], *copy = &of_copies.rows[i];
        Bytes             name = { 0 }, copy_name = { 0 };
        compare_put_name(&comparison, row, &name);
        compare_put_name(&of_copies, copy, &copy_name);
        CHECK(same_bytes(&name, &copy_name));
        CHECK_INT(row->verdict, copy->verdict);
        CHECK(!(row->p < copy->p) && !(row->p > copy->p) && !(row->q < copy->q) && !(row->q > copy->q));
        bytes_release(&name);
        bytes_release(&copy_name);
    }
    compare_release(&comparison);
    compare_release(&of_copies);
}

TEST(call_profile_survives_its_bytes)
{
    TestRandom random = { 7 };
    for (uint32_t slices = 0; slices < 3000; slices = slices * 3 + 1) {
        for (CompareBy by = COMPARE_BY_NAME; by <= COMPARE_BY_PATH; by++) {
            Trace      *traces[2];
            CallProfile sides[2], copies[2];
            for (unsigned side = 0; side < 2; side++) {
                traces[side] = random_trace(&random, slices, 500 + slices);
                sides[side] = made(traces[side], by);
                CallProfile stepped = made_in_steps(traces[side], by);
                Bytes       whole_bytes = bytes_of(&sides[side]), stepped_bytes = bytes_of(&stepped);
                CHECK(same_bytes(&whole_bytes, &stepped_bytes));
                bytes_release(&whole_bytes);
                bytes_release(&stepped_bytes);
                call_profile_release(&stepped);
                Bytes bytes = bytes_of(&sides[side]);
                copies[side] = read_back(&bytes);
                Bytes again = bytes_of(&copies[side]);
                CHECK(same_bytes(&bytes, &again));
                bytes_release(&bytes);
                bytes_release(&again);
            }
            check_comparison(sides, copies);
            for (unsigned side = 0; side < 2; side++) {
                call_profile_release(&sides[side]);
                call_profile_release(&copies[side]);
                trace_release(traces[side]);
            }
        }
    }
}

TEST(call_profile_sums_batches_of_all_sizes)
{
    TestRandom  random = { 3 };
    Trace      *trace = random_trace(&random, 4000, 9000);
    CallProfile profile = made(trace, COMPARE_BY_NAME);
    uint32_t    large = 0;
    for (uint32_t i = 0; i < profile.row_count; i++) {
        const CallRow *row = &profile.rows[i];
        const uint32_t batches = call_row_batches(row), sizes = call_row_sizes(row);
        CHECK_UINT(batches, row->count < 8 ? 0 : row->count < 64 ? row->count : 64);
        CHECK(batches == 0 || (UINT64_C(1) << (sizes - 1) <= row->count / batches &&
                               row->count / batches < UINT64_C(1) << sizes));
        large += sizes > 2;
        uint64_t all = 0;
        for (uint32_t k = 0; k < batches; k++) {
            for (uint32_t size = 1; size < sizes; size++)
                CHECK(row->sums[size * batches + k] >= row->sums[(size - 1) * batches + k]);
            all += row->sums[(sizes - 1) * batches + k];
        }
        CHECK(all <= row->self);
    }
    CHECK(large > 0);
    call_profile_release(&profile);
    trace_release(trace);
}

TEST(call_profile_refuses_every_prefix)
{
    TestRandom random = { 5 };
    Trace     *trace = random_trace(&random, 60, 90);
    for (CompareBy by = COMPARE_BY_NAME; by <= COMPARE_BY_PATH; by++) {
        CallProfile profile = made(trace, by);
        Bytes       bytes = bytes_of(&profile);
        Err         err;
        for (size_t size = 0; size < bytes.size; size++) {
            /* of this size, so that a sanitizer finds a read behind it */
            uint8_t *copy = malloc(size == 0 ? 1 : size);
            CHECK(copy != NULL);
            memcpy(copy, bytes.data, size);
            CHECK(!reads(copy, size, &err));
            CHECK(err.code == ERR_TRUNCATED || err.code == ERR_CORRUPT);
            CHECK(err.offset <= size);
            free(copy);
        }
        bytes_append(&bytes, "", 1);
        CHECK(!reads(bytes.data, bytes.size, &err) && err.code == ERR_CORRUPT);
        bytes_release(&bytes);
        call_profile_release(&profile);
    }
    trace_release(trace);
}

TEST(call_profile_reads_any_bytes)
{
    TestRandom random = { 11 };
    Trace     *trace = random_trace(&random, 200, 300);
    for (CompareBy by = COMPARE_BY_NAME; by <= COMPARE_BY_PATH; by++) {
        CallProfile profile = made(trace, by);
        Bytes       bytes = bytes_of(&profile);
        for (int i = 0; i < 4000; i++) {
            CallProfile   damaged;
            Comparison    comparison;
            Err           err;
            const size_t  at = (size_t)test_random_below(&random, bytes.size);
            const uint8_t before = bytes.data[at];
            bytes.data[at] = (uint8_t)test_random_below(&random, 256);
            if (call_profile_read(bytes.data, bytes.size, &damaged, &err) && damaged.by == by &&
                compare_is_possible(&profile.clock, &damaged.clock)) {
                CHECK_DONE(compare_profiles(&damaged, &profile, &comparison, &err), err);
                compare_release(&comparison);
            }
            call_profile_release(&damaged);
            bytes.data[at] = before;
        }
        bytes_release(&bytes);
        call_profile_release(&profile);
    }
    trace_release(trace);
}

#define HEAD "vcp1\0\0\1\1\0" /* by name, a nanosecond, no perspective */
#define PATH_HEAD "vcp1\1\0\1\1\0"
#define ROW(name) name "\0\1\1\1\1\1\0\0"
#define PATH_ROW(name, parent) name parent "\0\1\1\1\1\1\0\0"
#define BYTES(literal) literal, sizeof(literal) - 1

TEST(call_profile_refuses_contradictions)
{
    static const struct {
        const char *what, *bytes;
        size_t      size;
    } BAD[] = {
        { "another magic number", BYTES("vcp2\0\0\1\1\0\0\0") },
        { "an unknown kind of rows", BYTES("vcp1\2\0\1\1\0\0\0") },
        { "an unknown clock", BYTES("vcp1\0\4\1\1\0\0\0") },
        { "a tick without length", BYTES("vcp1\0\0\0\1\0\0\0") },
        { "a tick divided by zero", BYTES("vcp1\0\0\1\0\0\0\0") },
        { "a perspective longer than the bytes", BYTES("vcp1\0\0\1\1\x7f\0\0") },
        { "more names than bytes", BYTES(HEAD "\xff\xff\xff\xff\x0f\0") },
        { "the same name twice", BYTES(HEAD "\2\1a\1a\0") },
        { "a name that is not UTF-8", BYTES(HEAD "\1\1\xff\0") },
        { "more rows than bytes", BYTES(HEAD "\0\xff\xff\xff\xff\x0f") },
        { "a row of a missing name", BYTES(HEAD "\0\1" ROW("\1")) },
        { "a row without calls", BYTES(HEAD "\0\1\0\0\0\1\1\1\1\0\0") },
        { "two rows of one name", BYTES(HEAD "\0\2" ROW("\0") ROW("\0")) },
        { "a path inside itself", BYTES(PATH_HEAD "\0\1" PATH_ROW("\0", "\1")) },
        { "two rows of one path", BYTES(PATH_HEAD "\0\2" PATH_ROW("\0", "\0") PATH_ROW("\0", "\0")) },
        { "fewer sums than calls", BYTES(HEAD "\0\1\0\0\x7f\1\1\1\1\0\0\1\1\1") },
        { "a byte behind the end", BYTES(HEAD "\0\0\0") },
    };
    Err err;
    CHECK(reads(BYTES(HEAD "\0\0"), &err));
    CHECK(reads(BYTES(HEAD "\0\1" ROW("\0")), &err));
    CHECK(reads(BYTES(PATH_HEAD "\0\2" PATH_ROW("\0", "\0") PATH_ROW("\0", "\1")), &err));
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        CHECK_STRING(reads(BAD[i].bytes, BAD[i].size, &err) ? BAD[i].what : "refused", "refused");
}

TEST_MAIN("call_profile", TEST_CASE(call_profile_survives_its_bytes),
          TEST_CASE(call_profile_sums_batches_of_all_sizes), TEST_CASE(call_profile_refuses_every_prefix),
          TEST_CASE(call_profile_reads_any_bytes), TEST_CASE(call_profile_refuses_contradictions))
