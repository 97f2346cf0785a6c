/* The first pass over a trace before 1.22 finds the same as reading record by record. */
#include "format/go/common/version.h"
#include "format/go/v1/v1.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned VERSIONS[] = { GO_1_5, GO_1_7, GO_1_8, GO_1_9, GO_1_10, GO_1_11, GO_1_19, GO_1_21 };

enum { RECORDS = 400, ROUNDS = 60 };

/* -- records, valid and invalid -- */

static void put_byte(Bytes *out, unsigned byte)
{
    const uint8_t value = (uint8_t)byte;
    bytes_append(out, &value, 1);
}

/* Appends a number in at least `size` bytes, with leading zeros. */
static void put_number(Bytes *out, uint64_t number, unsigned size)
{
    for (; size > 1; size--, number >>= 7)
        put_byte(out, (number & 0x7f) | 0x80);
    put_byte(out, number & 0x7f);
}

/* Appends a number, usually a short one. */
static void put_any_number(Bytes *out, TestRandom *random)
{
    const bool is_long = test_random_below(random, 40) == 0;
    put_number(out, test_random(random) >> 1,
               1 + (unsigned)test_random_below(random, is_long ? 10 : 1 + test_random_below(random, 4)));
}

static void put_batch(Bytes *out, TestRandom *random, unsigned version)
{
    const unsigned count = v1_number_count(version, V1_BATCH);
    put_byte(out, V1_BATCH | (count - (version < GO_1_7 ? 2 : 1)) << 6);
    for (unsigned i = 0; i < count; i++)
        put_number(out, test_random_below(random, 5), 1 + (unsigned)test_random_below(random, 3));
}

/* `is_hostile`: some have a wrong size, too many or too few numbers, or one that does not end. */
static void put_event(Bytes *out, TestRandom *random, unsigned version, bool is_hostile)
{
    static const uint8_t COMMON[] = { V1_GO_START_LOCAL, V1_GO_UNBLOCK_LOCAL, V1_GO_BLOCK_RECV,
                                      V1_GO_UNBLOCK };
    const bool           is_odd = is_hostile && test_random_below(random, 50) == 0;
    const unsigned       first = version < GO_1_7 ? 2 : 1;
    unsigned             type = COMMON[test_random_below(random, sizeof COMMON)];
    if (test_random_below(random, 3) == 0) type = 1 + (unsigned)test_random_below(random, is_odd ? 63 : 49);
    if (!is_odd && (type >= V1_TYPE_COUNT || V1_SPECS[type].kind == GO_BAD ||
                    V1_SPECS[type].since > version || type == V1_USER_LOG))
        type = V1_GO_BLOCK;
    const unsigned count =
        is_odd ? first + (unsigned)test_random_below(random, 6) : v1_number_count(version, (V1Type)type);
    const bool has_endless = is_hostile && test_random_below(random, 300) == 0;
    Bytes      numbers = { 0 };
    for (unsigned i = 0; i < count; i++) {
        if (has_endless && i + 1 == count) {
            put_number(&numbers, 0, 11);
        } else {
            put_any_number(&numbers, random);
        }
    }
    const bool is_sized = count - first >= 3 || test_random_below(random, 10) == 0;
    put_byte(out, type | (is_sized ? 3 : count - first) << 6);
    if (is_sized)
        put_number(out, numbers.size + (is_odd ? test_random_below(random, 3) : 0),
                   1 + (test_random_below(random, 20) == 0));
    bytes_append(out, numbers.data, numbers.size);
    bytes_release(&numbers);
}

static void put_records(Bytes *out, TestRandom *random, unsigned version, bool is_hostile)
{
    for (unsigned i = 0; i < GO_HEADER_BYTES; i++)
        put_byte(out, 0);
    for (unsigned i = 0; i < RECORDS; i++) {
        if (i == 0 || test_random_below(random, 60) == 0) put_batch(out, random, version);
        put_event(out, random, version, is_hostile);
        if (is_hostile && test_random_below(random, 150) == 0)
            put_byte(out, (unsigned)test_random_below(random, 256));
    }
}

/* -- results -- */

PRINTF_LIKE(4, 0)
static void note_warning(void *context, const char *kind, uint64_t offset, const char *format, va_list args)
{
    char message[192];
    vsnprintf(message, sizeof message, format, args);
    bytes_printf((Bytes *)context, "%s at %" PRIu64 ": %s\n", kind, offset, message);
}

static void note_found(const GoV1 *v1, Bytes *out)
{
    for (unsigned type = 0; type < 64; type++)
        if (v1->scan.counts.of[type] != 0)
            bytes_printf(out, "type %u: %" PRIu64 "\n", type, v1->scan.counts.of[type]);
    for (uint32_t i = 0; i < v1->parts.segment_count; i++) {
        const V1Segment *segment = &v1->parts.segments[i];
        bytes_printf(out, "segment %" PRIu64 " to %" PRIu64 ", ticks %" PRIu64 ", seq %" PRIu64 ", next %u\n",
                     segment->begin, segment->end, segment->ticks, segment->seq, segment->next);
    }
    bytes_printf(out, "scanned %" PRIu64 ", damaged %d, streams %u, samples %u, stacks %" PRIu64 "\n",
                 v1->scan.next, v1->scan.is_damaged, v1->parts.stream_count, v1->parts.sample_count,
                 v1->scan.stacks_begin);
}

/* `piece`: the number of bytes that are available at a time, after the bytes that are still needed. */
static Bytes scan(unsigned version, const Bytes *input, size_t piece)
{
    Arena    arena = arena_create(0);
    Bytes    found = { 0 };
    GoReport report = { note_warning, &found };
    GoV1     v1 = { .version = version,
                    .report = &report,
                    .arena = &arena,
                    .tables = { .texts = string_table_create(&arena) } };
    v1_begin(&v1);
    for (size_t size = GO_HEADER_BYTES; size < input->size;) {
        size = input->size - size < piece ? input->size : size + piece;
        v1.source.origin = v1.scan.next; /* as with GoV1.again */
        v1_scan(&v1, input->data + v1.source.origin, size - (size_t)v1.source.origin,
                size == input->size ? INPUT_ENDS : INPUT_CONTINUES);
    }
    CHECK(!v1.out_of_memory);
    note_found(&v1, &found);
    arena_release(&arena);
    return found;
}

static void compare(unsigned version, uint64_t seed, bool is_hostile)
{
    TestRandom random = { seed };
    Bytes      input = { 0 };
    put_records(&input, &random, version, is_hostile);
    /* so few bytes are available that no record is skipped unread */
    Bytes one_by_one = scan(version, &input, 1);
    for (size_t piece = 100; piece < input.size * 3; piece *= 3) {
        Bytes found = scan(version, &input, piece);
        CHECK(found.size == one_by_one.size && memcmp(found.data, one_by_one.data, found.size) == 0);
        bytes_release(&found);
    }
    bytes_release(&one_by_one);
    bytes_release(&input);
}

TEST(it_finds_what_reading_every_record_finds)
{
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            compare(VERSIONS[i], seed, false);
}

TEST(damage_is_found_where_reading_every_record_finds_it)
{
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++)
        for (uint64_t seed = 1; seed <= ROUNDS; seed++)
            compare(VERSIONS[i], seed, true);
}

TEST_MAIN("go_scan", TEST_CASE(it_finds_what_reading_every_record_finds),
          TEST_CASE(damage_is_found_where_reading_every_record_finds_it))
