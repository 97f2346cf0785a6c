/* Compressed data decompresses to the same bytes; and the parts of Snappy blocks. */
#include "codec/encoder.h"
#include "codec/snappy.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static void text_append(Bytes *out, uint64_t seed, size_t size)
{
    TestRandom random = { seed };
    size_t     end = out->size + size;
    while (out->size + 32 < end)
        bytes_printf(out, "event %u ", (unsigned)test_random_below(&random, 5000));
    while (out->size < end)
        bytes_append(out, ".", 1);
}

static void compress(CodecKind kind, int level, const Bytes *plain, size_t step, Bytes *out)
{
    Err      err;
    Encoder *encoder = encoder_open(kind, level, &err);
    CHECK(encoder != NULL);
    for (size_t at = 0; at < plain->size; at += step) {
        size_t size = plain->size - at < step ? plain->size - at : step;
        CHECK_DONE(encoder_run(encoder, plain->data + at, size, out, &err), err);
    }
    CHECK_DONE(encoder_finish(encoder, out, &err), err);
    encoder_close(encoder);
}

static void decompress_stream(CodecKind kind, const Bytes *packed, Bytes *plain)
{
    enum { ROOM = 1000 };
    Err      err;
    Decoder *decoder = decoder_open(kind, &err);
    CHECK(decoder != NULL);
    CodecStream stream = { .in = packed->data, .in_size = packed->size };
    do {
        stream.out = bytes_reserve(plain, ROOM);
        stream.out_size = ROOM;
        CHECK(decoder_run(decoder, &stream, &err) != DECODE_FAILED);
        bytes_grow(plain, ROOM - stream.out_size);
    } while (stream.out_size < ROOM);
    CHECK_DONE(decoder_finish(decoder, &err), err);
    decoder_close(decoder);
}

static size_t chunk_size(const Bytes *packed, size_t at)
{
    return (size_t)packed->data[at] | (size_t)packed->data[at + 1] << 8 | (size_t)packed->data[at + 2] << 16 |
           (size_t)packed->data[at + 3] << 24;
}

static void decompress_chunks(const Bytes *packed, Bytes *plain)
{
    size_t at = SNAPPY_MAGIC_BYTES, plain_size;
    CHECK(memcmp(packed->data, "at", 2) == 0);
    while (at < packed->size) {
        size_t size = chunk_size(packed, at);
        at += SNAPPY_SIZE_BYTES;
        CHECK(size > 0 && size <= packed->size - at);
        CHECK(snappy_plain_size(packed->data + at, size, &plain_size) && plain_size <= 1 << 20);
        CHECK(
            snappy_decode(packed->data + at, size, (uint8_t *)bytes_reserve(plain, plain_size), plain_size));
        bytes_grow(plain, plain_size);
        at += size;
    }
}

TEST(what_is_compressed_comes_back)
{
    static const CodecKind KINDS[] = { CODEC_GZIP, CODEC_ZSTD, CODEC_BROTLI, CODEC_SNAPPY };
    static const size_t    SIZES[] = { 0, 1, 70000, (2 << 20) + 5 };
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        for (size_t n = 0; n < sizeof SIZES / sizeof SIZES[0]; n++) {
            Bytes plain = { 0 }, packed = { 0 }, again = { 0 };
            text_append(&plain, n, SIZES[n]);
            compress(KINDS[i], encoder_levels(KINDS[i]).least, &plain, 99999, &packed);
            CHECK_INT(KINDS[i] == CODEC_BROTLI ? CODEC_BROTLI : codec_detect(packed.data, packed.size),
                      KINDS[i]);
            if (KINDS[i] == CODEC_SNAPPY) {
                decompress_chunks(&packed, &again);
            } else {
                decompress_stream(KINDS[i], &packed, &again);
            }
            CHECK_UINT(again.size, plain.size);
            CHECK(plain.size == 0 || memcmp(again.data, plain.data, plain.size) == 0);
            bytes_release(&plain);
            bytes_release(&packed);
            bytes_release(&again);
        }
    }
}

TEST(zstd_has_a_table_of_frames)
{
    Bytes plain = { 0 }, packed = { 0 };
    text_append(&plain, 3, (2 << 20) + 5);
    compress(CODEC_ZSTD, 1, &plain, 4096, &packed);
    const uint8_t *footer = packed.data + packed.size - 9;
    CHECK(memcmp(footer, "\x02\0\0\0\0\xb1\xea\x92\x8f", 9) == 0);
    CHECK(memcmp(footer - 2 * 8 - 8, "\x5e\x2a\x4d\x18\x19\0\0\0", 8) == 0);
    bytes_release(&plain);
    bytes_release(&packed);
}

/* Of every prefix of a block as much comes as it says, and it is right. */
TEST(parts_of_blocks)
{
    Bytes plain = { 0 }, block = { 0 };
    text_append(&plain, 7, 5000);
    uint8_t *out = malloc(plain.size);
    size_t   before = 0;
    snappy_encode(&block, plain.data, plain.size);
    for (size_t size = 0; size <= block.size; size++) {
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, block.data, size);
        size_t got = snappy_decode_part(copy, size, out, plain.size);
        free(copy);
        CHECK(got >= before && got <= plain.size && memcmp(out, plain.data, got) == 0);
        before = got;
    }
    CHECK_UINT(before, plain.size);
    free(out);
    bytes_release(&plain);
    bytes_release(&block);
}

/* A literal, then copies of every kind: from far and near, overlapping, in blocks of many sizes. */
TEST(copies_of_blocks)
{
    enum { LITERAL = 40, MOST = 2000 };
    TestRandom random = { 5 };
    for (int turn = 0; turn < 300; turn++) {
        Bytes          block = { 0 }, plain = { 0 };
        const unsigned copies = (unsigned)test_random_below(&random, MOST / 64);
        uint8_t        first[LITERAL], tag = (LITERAL - 1) << 2;
        test_random_fill(&random, first, sizeof first);
        bytes_append(&plain, first, sizeof first);
        bytes_append(&block, &tag, 1);
        bytes_append(&block, first, sizeof first);
        for (unsigned i = 0; i < copies; i++) {
            const bool     is_near = test_random_below(&random, 2) == 0;
            const size_t   offset = 1 + (size_t)test_random_below(&random, is_near ? 18 : plain.size);
            const unsigned kind = 1 + (unsigned)test_random_below(&random, 3);
            const size_t   length = kind == 1 ? 4 + (size_t)test_random_below(&random, 8)
                                              : 1 + (size_t)test_random_below(&random, 64);
            uint8_t        element[5] = { (uint8_t)((length - 1) << 2 | kind), (uint8_t)offset,
                                          (uint8_t)(offset >> 8) };
            if (kind == 1) element[0] = (uint8_t)(offset >> 8 << 5 | (length - 4) << 2 | 1);
            bytes_append(&block, element, kind == 1 ? 2 : kind == 2 ? 3 : 5);
            for (size_t n = 0; n < length; n++) {
                const uint8_t byte = plain.data[plain.size - offset];
                bytes_append(&plain, &byte, 1);
            }
        }
        Bytes   whole = { 0 };
        uint8_t size[2] = { (uint8_t)(plain.size | 0x80), (uint8_t)(plain.size >> 7) };
        bytes_append(&whole, size, sizeof size);
        bytes_append(&whole, block.data, block.size);
        uint8_t *out = malloc(plain.size);
        CHECK(snappy_decode(whole.data, whole.size, out, plain.size));
        CHECK(memcmp(out, plain.data, plain.size) == 0);
        CHECK(!snappy_decode(whole.data, whole.size - 1, out, plain.size));
        CHECK(!snappy_decode(whole.data, whole.size, out, plain.size - 1));
        free(out);
        bytes_release(&whole);
        bytes_release(&block);
        bytes_release(&plain);
    }
}

TEST(damaged_parts_stay_in_their_bounds)
{
    TestRandom random = { 11 };
    for (int turn = 0; turn < 3000; turn++) {
        uint8_t block[40], *out = malloc(50);
        test_random_fill(&random, block, sizeof block);
        CHECK(snappy_decode_part(block, sizeof block, out, 50) <= 50);
        free(out);
    }
}

TEST_MAIN("encoder", TEST_CASE(what_is_compressed_comes_back), TEST_CASE(zstd_has_a_table_of_frames),
          TEST_CASE(parts_of_blocks), TEST_CASE(copies_of_blocks),
          TEST_CASE(damaged_parts_stay_in_their_bounds))
