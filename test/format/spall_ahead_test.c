/* Pieces of .spall that other threads decode ahead of the reader: the trace has the same bytes as without them, for any sizes of
 * pieces, whatever the number of threads. Under ThreadSanitizer the same test finds data races. */
#include "format/spall/ahead.h"
#include "format/spall_support.h"
#include "support/thread_ways.h"

#include <math.h>
#include <stdio.h>

enum { FILES = 60, RECORDS = 400, LARGE_RECORDS = 120000 };

/* The oddness of a file: one in `rarity` records is unusual or damaged, 0 = none. */
typedef struct Making {
    TestRandom random;
    Bytes      file;
    uint64_t   version, rarity;
    double     fraction; /* added to the times of version 1 */
    unsigned   names;    /* different ones */
    uint64_t   time;
    uint32_t   pid, tid;
} Making;

static bool one_in(Making *making, uint64_t count)
{
    return test_random_below(&making->random, count) == 0;
}

static void put_name(Making *making, size_t at)
{
    static const char *const TEXTS[] = { "f", "", "a name", "\x03\x04\x03\x04",
                                         "a name of more bytes than the cache of names keeps for each" };
    char                     name[256] = "";
    const int                number = (int)test_random_below(&making->random, making->names);
    if (number < 5)
        (void)snprintf(name, sizeof name, "%s", TEXTS[number]);
    else
        (void)snprintf(name, sizeof name, "request %d", number);
    if (making->rarity != 0 && one_in(making, making->rarity)) {
        memset(name, 'n', 255);
        name[255] = '\0';
    }
    making->file.data[at] = (uint8_t)strlen(name);
    bytes_append_text(&making->file, name);
    for (unsigned i = 0; i < making->file.data[at + 1]; i++)
        put_u8(&making->file, 3 + i % 2);
}

static void put_begin(Making *making)
{
    Bytes *file = &making->file;
    put_u8(file, 3);
    if (making->version == 1) {
        put_u8(file, making->rarity != 0 && one_in(making, making->rarity) ? 3 : 0);
        put_u32(file, making->pid);
        put_u32(file, making->tid);
        put_f64(file, (double)making->time + making->fraction);
    } else {
        put_u64(file, making->time);
    }
    const size_t at = file->size;
    put_u8(file, 0);
    put_u8(file, one_in(making, 10) ? 1 + (unsigned)test_random_below(&making->random, 9) : 0);
    put_name(making, at);
}

static void put_end(Making *making)
{
    Bytes *file = &making->file;
    put_u8(file, 4);
    if (making->version == 1) {
        put_u32(file, making->pid);
        put_u32(file, making->tid);
        put_f64(file, (double)making->time);
    } else {
        put_u64(file, making->time);
    }
}

/* A Counter, a Thread_Instant, Arguments, a name, filler, or filler that contains records. */
static void put_other(Making *making)
{
    Bytes *file = &making->file;
    switch (making->version == 1 ? 9 : test_random_below(&making->random, 6)) {
    case 0:
        put_u8(file, 11), put_u64(file, making->time), put_u8(file, 1), put_f64(file, 1.5), put_u8(file, 'c');
        break;
    case 1:
        put_u8(file, 10), put_u64(file, making->time), put_u8(file, 1), put_u8(file, 0), put_u8(file, 'i');
        break;
    case 2: /* one bool */
        put_hex(file, "0f 00 04 00  03 01 6b 01");
        put_begin(making);
        break;
    case 3:
        put_hex(file, "09 02 74 31");
        break;
    case 4:
        put_hex(file, "07 04 00 00 00 56 72 76 31");
        break;
    default:
        put_hex(file, "07 05 00 00 00 03 04 03 04 00");
    }
}

/* A step back in time, a time that is NaN, a large one, or a byte that no record begins with. */
static void put_odd(Making *making)
{
    const uint64_t before = making->time;
    const double   fraction = making->fraction;
    switch (test_random_below(&making->random, 6)) {
    case 0:
        making->time /= 2;
        break;
    case 1:
        making->fraction = NAN;
        break;
    case 2:
        making->fraction = 0x1p45;
        break;
    case 3:
        making->fraction = 0.125;
        break;
    case 4:
        if (making->version == 3) making->time |= UINT64_C(1) << 63;
        break;
    default:
        if (one_in(making, 4)) put_u8(&making->file, making->version == 1 ? 0 : 6);
    }
    put_begin(making);
    making->time = before;
    making->fraction = fraction;
}

static Bytes file_of(Making *making, size_t records)
{
    size_t frame = 0, left = 0;
    making->file = (Bytes){ 0 };
    making->time = 1000;
    put_header(&making->file, making->version, 1);
    for (size_t i = 0; i < records; i++) {
        if (left == 0 && frame != 0) frame_end(&making->file, frame);
        if (left == 0 && frame != 0 && making->rarity != 0 && one_in(making, making->rarity))
            making->file.data[frame] ^= 1;
        if (left == 0) {
            making->pid = (uint32_t)test_random_below(&making->random, 2);
            making->tid = (uint32_t)test_random_below(&making->random, 5);
            left = 1 + (size_t)test_random_below(&making->random, one_in(making, 2) ? 9 : 2000);
            if (making->version == 3) frame = frame_begin(&making->file, making->pid, making->tid);
        }
        left--;
        making->time += test_random_below(&making->random, 300);
        if (making->rarity != 0 && one_in(making, making->rarity * 2))
            put_odd(making);
        else if (making->rarity != 0 && one_in(making, making->rarity))
            put_other(making);
        else if (one_in(making, 2))
            put_begin(making);
        else
            put_end(making);
    }
    if (frame != 0) frame_end(&making->file, frame);
    if (making->rarity != 0 && one_in(making, 3))
        for (int i = 0; i < 200; i++)
            put_u8(&making->file, 0);
    CHECK(!making->file.failed);
    return making->file;
}

/* Returns the number of a file's records that runs of whole pieces contain. */
static size_t count_ahead(const Bytes *file, size_t piece)
{
    SpallAhead *state = (SpallAhead *)calloc(1, sizeof *state);
    Bytes       decoded = { 0 };
    size_t      count = 0;
    CHECK(state != NULL && spall_ahead_begin(state, file->data, file->size));
    for (size_t at = 0; at < file->size; at += piece) {
        spall_ahead_decode(state, file->data + at, file->size - at < piece ? file->size - at : piece,
                           &decoded);
        AheadRuns       runs = spall_ahead_runs(at, &decoded);
        const AheadRun *run;
        for (; (run = ahead_run(&runs)) != NULL; ahead_pass(&runs, run))
            count += run->count;
    }
    spall_ahead_release(state);
    free(state);
    bytes_release(&decoded);
    return count;
}

TEST(pieces_decoded_ahead_give_the_same_trace)
{
    static const uint64_t RARITY[] = { 0, 200, 30, 6 };
    Making                making = { .random = { 31 }, .names = 40 };
    const ReaderWay       alone = { .reader = &SPALL_READER };
    for (unsigned i = 0; i < FILES; i++) {
        making.version = i % 2 == 0 ? 1 : 3;
        making.rarity = RARITY[i / 2 % 4];
        making.fraction = i % 5 == 0 ? 0.25 : 0;
        Bytes        file = file_of(&making, RECORDS);
        const size_t size = i % 4 == 3 ? (size_t)test_random_below(&making.random, file.size) : file.size;
        for (size_t most = 40; most < 20000; most *= 3) {
            const ReaderWay ahead = { .reader = &SPALL_READER,
                                      .decodes_ahead = true,
                                      .most = most,
                                      .seed = test_random(&making.random) };
            CHECK(ways_agree(&alone, &ahead, file.data, size));
        }
        bytes_release(&file);
    }
}

/* The second buffer's header consists of Ends, for a decoder that does not know the end of the first buffer. They continue seven
 * bytes into each of its records. */
TEST(runs_end_at_the_end_of_their_buffer)
{
    enum { ENDS = 228 }; /* their size, 2052 bytes, has 4 as its lowest byte: the type of an End */
    const uint64_t  odd = UINT64_C(4) << 48;
    const ReaderWay alone = { .reader = &SPALL_READER };
    Bytes           file = { 0 };
    put_header(&file, 3, 1);
    size_t frame = frame_begin(&file, 1, 1);
    for (uint64_t i = 0; i < ENDS; i++)
        put_end3(&file, 100 + i);
    frame_end(&file, frame);
    put_u32(&file, ENDS * 9);
    put_u32(&file, 2);
    put_u32(&file, 4 << 8); /* an End begins in the process */
    put_u64(&file, odd);    /* and one in first_ts */
    for (uint64_t i = 0; i < ENDS; i++)
        put_end3(&file, odd + i);
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const ReaderWay ahead = {
            .reader = &SPALL_READER, .decodes_ahead = true, .most = 3000, .seed = seed * HASH_ODD_1
        };
        CHECK(ways_agree(&alone, &ahead, file.data, file.size));
    }
    bytes_release(&file);
}

TEST(threads_give_the_same_trace)
{
    Making making = { .random = { 32 }, .names = 3000 };
    for (unsigned i = 0; i < 8; i++) {
        making.version = i % 2 == 0 ? 1 : 3;
        making.rarity = i < 4 ? 0 : 20000;
        making.fraction = i / 2 % 2 == 0 ? 0 : 0.5;
        Bytes file = file_of(&making, LARGE_RECORDS);
        CHECK(file.size > 3 << 19); /* smaller ones are read by one thread */
        compare_threads(&file, 0);
        compare_threads(&file, 150); /* some records are longer */
        bytes_release(&file);
    }
}

TEST(names_without_a_number_give_the_same_trace)
{
    for (uint64_t version = 1; version <= 3; version += 2) {
        Making making = { .random = { 33 }, .version = version, .names = AHEAD_NAMES * 3 / 2 };
        Bytes  file = file_of(&making, LARGE_RECORDS);
        compare_threads(&file, 0);
        bytes_release(&file);
    }
}

TEST(most_records_of_a_usual_file_are_decoded_ahead)
{
    for (uint64_t version = 1; version <= 3; version += 2) {
        Making       making = { .random = { 34 }, .version = version, .names = 100 };
        Bytes        file = file_of(&making, LARGE_RECORDS);
        const size_t count = count_ahead(&file, 256 << 10);
        CHECK(count > LARGE_RECORDS * 98 / 100 && count <= LARGE_RECORDS);
        bytes_release(&file);
    }
}

TEST(other_layouts_are_not_decoded_ahead)
{
    static const uint8_t AUTO[32] = { 0x0d, 0xf0, 0xad, 0xab, 0, 0, 0, 0, 3 };
    Bytes                file = { 0 };
    put_header(&file, 2, 1);
    CHECK(!spall_ahead_begin(NULL, file.data, file.size));
    file.data[8] = 3;
    CHECK(spall_ahead_begin(NULL, file.data, file.size));
    CHECK(!spall_ahead_begin(NULL, file.data, file.size - 1));
    CHECK(!spall_ahead_begin(NULL, AUTO, sizeof AUTO));
    bytes_release(&file);
}

TEST_MAIN("spall_ahead", TEST_CASE(pieces_decoded_ahead_give_the_same_trace),
          TEST_CASE(runs_end_at_the_end_of_their_buffer), TEST_CASE(threads_give_the_same_trace),
          TEST_CASE(names_without_a_number_give_the_same_trace),
          TEST_CASE(most_records_of_a_usual_file_are_decoded_ahead),
          TEST_CASE(other_layouts_are_not_decoded_ahead))
