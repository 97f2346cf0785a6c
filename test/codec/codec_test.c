#include "codec/codec.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* -- making compressed data -- */

static void gzip_append(Bytes *out, const void *bytes, size_t size)
{
    z_stream stream = { 0 };
    CHECK_INT(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&stream, size) + 64;
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)bytes_reserve(out, bound);
    stream.avail_out = (uInt)bound;
    CHECK_INT(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bytes_grow(out, stream.total_out);
    CHECK_INT(deflateEnd(&stream), Z_OK);
}

static void zstd_append(Bytes *out, const void *bytes, size_t size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t bound = ZSTD_compressBound(size);
    void  *room = bytes_reserve(out, bound);
    size_t written = ZSTD_compress2(context, room, bound, bytes, size);
    CHECK(!ZSTD_isError(written));
    bytes_grow(out, written);
    (void)ZSTD_freeCCtx(context);
}

static void compress_append(CodecKind kind, Bytes *out, const void *bytes, size_t size)
{
    if (kind == CODEC_GZIP) {
        gzip_append(out, bytes, size);
    } else {
        zstd_append(out, bytes, size);
    }
}

/* Text that compresses somewhat, the same for the same seed. */
static void text_append(Bytes *out, uint64_t seed, size_t size)
{
    TestRandom random = { seed };
    size_t     end = out->size + size;
    while (out->size + 32 < end)
        bytes_printf(out, "event %u ", (unsigned)test_random_below(&random, 5000));
    while (out->size < end)
        bytes_append(out, ".", 1);
}

/* -- taking it apart -- */

typedef struct Decoded {
    Bytes       bytes;
    DecodeState state;  /* of the last call */
    bool        finish; /* result of decoder_finish; only after DECODE_MORE and DECODE_END */
    size_t      in_used;
    Err         err;
} Decoded;

/* Brings the input in pieces of in_step bytes and takes the output in pieces of out_step. */
static Decoded decode(CodecKind kind, const Bytes *input, size_t in_step, size_t out_step)
{
    Decoded  result = { .state = DECODE_MORE };
    Decoder *decoder = decoder_open(kind, &result.err);
    CHECK(decoder != NULL);
    uint8_t *out = (uint8_t *)malloc(out_step), *piece = NULL;
    size_t   begin = 0, end = 0; /* of the piece: memory of its own, so that reads beyond are noticed */
    for (size_t idle = 0; result.state == DECODE_MORE;) {
        if (end < input->size && end == result.in_used) {
            begin = end;
            end += in_step < input->size - end ? in_step : input->size - end;
            free(piece);
            piece = (uint8_t *)malloc(end - begin);
            memcpy(piece, input->data + begin, end - begin);
        }
        CodecStream stream = { .in = piece == NULL ? NULL : piece + (result.in_used - begin),
                               .in_size = end - result.in_used,
                               .out = out,
                               .out_size = out_step };
        result.state = decoder_run(decoder, &stream, &result.err);
        CHECK(stream.in_size <= end - result.in_used && stream.out_size <= out_step);
        const size_t in_used = end - result.in_used - stream.in_size, out_used = out_step - stream.out_size;
        result.in_used += in_used;
        bytes_append(&result.bytes, out, out_used);
        if (in_used > 0 || out_used > 0) {
            idle = 0;
            continue;
        }
        if (result.in_used == input->size) break;
        CHECK(++idle < 3); /* progress, or it would hang */
    }
    free(piece);
    if (result.state != DECODE_FAILED) result.finish = decoder_finish(decoder, &result.err);
    free(out);
    decoder_close(decoder);
    return result;
}

static const size_t STEPS[][2] = { { SIZE_MAX, 1 << 20 }, { 1, 1 },        { 1, 1 << 16 },
                                   { SIZE_MAX, 1 },       { 7, 3 },        { 3, 4096 },
                                   { 4096, 7 },           { 65536, 65536 } };
enum { STEPS_COUNT = sizeof STEPS / sizeof STEPS[0] };

/* Any chunking gives `expected`, the end `state` and, unless that is a failure, `finish`. */
static void check_decodes(CodecKind kind, const Bytes *input, const Bytes *expected, DecodeState state,
                          bool finish)
{
    for (int i = 0; i < STEPS_COUNT; i++) {
        Decoded decoded = decode(kind, input, STEPS[i][0], STEPS[i][1]);
        CHECK_INT(decoded.state, state);
        CHECK_UINT(decoded.bytes.size, expected->size);
        CHECK(expected->size == 0 || memcmp(decoded.bytes.data, expected->data, expected->size) == 0);
        if (state != DECODE_FAILED) CHECK_INT(decoded.finish, finish);
        if (state == DECODE_MORE) CHECK_UINT(decoded.in_used, input->size);
        bytes_release(&decoded.bytes);
    }
}

static const CodecKind KINDS[] = { CODEC_GZIP, CODEC_ZSTD };

/* -- cases -- */

TEST(codec_detect_knows_the_magic_bytes)
{
    CHECK_INT(codec_detect((const uint8_t *)"\x1f\x8b\x08", 3), CODEC_GZIP);
    CHECK_INT(codec_detect((const uint8_t *)"\x1f\x8b", 2), CODEC_GZIP);
    CHECK_INT(codec_detect((const uint8_t *)"\x1f", 1), CODEC_NONE);
    CHECK_INT(codec_detect((const uint8_t *)"\x28\xb5\x2f\xfd", 4), CODEC_ZSTD);
    CHECK_INT(codec_detect((const uint8_t *)"\x28\xb5\x2f", 3), CODEC_NONE);
    CHECK_INT(codec_detect((const uint8_t *)"\x5e\x2a\x4d\x18", 4), CODEC_ZSTD);
    CHECK_INT(codec_detect((const uint8_t *)"\x6e\x2a\x4d\x18", 4), CODEC_NONE);
    CHECK_INT(codec_detect((const uint8_t *)"{\"traceEvents\"", 14), CODEC_NONE);
    CHECK_INT(codec_detect(NULL, 0), CODEC_NONE);
    CHECK_STRING(codec_name(CODEC_NONE), "none");
    CHECK_STRING(codec_name(CODEC_GZIP), "gzip");
    CHECK_STRING(codec_name(CODEC_ZSTD), "zstd");
}

TEST(decoder_open_refuses_no_codec)
{
    Err err = { 0 };
    CHECK(decoder_open(CODEC_NONE, &err) == NULL);
    CHECK_INT(err.code, ERR_USAGE);
    decoder_close(NULL);
}

TEST(decoder_any_chunking_gives_the_same)
{
    for (size_t k = 0; k < 2; k++) {
        static const size_t SIZES[] = { 0, 1, 100, 70000, 300000 };
        for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
            Bytes text = { 0 }, input = { 0 };
            text_append(&text, s, SIZES[s]);
            compress_append(KINDS[k], &input, text.data, text.size);
            check_decodes(KINDS[k], &input, &text, DECODE_MORE, true);
            bytes_release(&text);
            bytes_release(&input);
        }
    }
}

TEST(decoder_goes_on_with_following_members)
{
    for (size_t k = 0; k < 2; k++) {
        Bytes text = { 0 }, input = { 0 };
        for (size_t member = 0; member < 5; member++) {
            size_t begin = text.size;
            text_append(&text, member, member == 2 ? 0 : 5000 * member + 3);
            compress_append(KINDS[k], &input, text.data == NULL ? NULL : text.data + begin,
                            text.size - begin);
        }
        check_decodes(KINDS[k], &input, &text, DECODE_MORE, true);
        bytes_release(&text);
        bytes_release(&input);
    }
}

TEST(gzip_zero_padding_is_passed_over)
{
    static const uint8_t ZEROS[1000] = { 0 };
    Bytes                text = { 0 }, input = { 0 };
    for (size_t member = 0; member < 3; member++) {
        size_t begin = text.size;
        text_append(&text, member, 2000);
        gzip_append(&input, text.data + begin, text.size - begin);
        bytes_append(&input, ZEROS, member * 400 + 1);
    }
    check_decodes(CODEC_GZIP, &input, &text, DECODE_MORE, true);
    bytes_release(&text);
    bytes_release(&input);
}

TEST(gzip_header_fields_are_passed_over)
{
    /* name, comment, extra field and header CRC (RFC 1952, 2.3) before "hi" */
    static const uint8_t HEADER[] = { 0x1f, 0x8b, 8,   0x1c, 0,   0,   0, 0,   0, 3,
                                      3,    0,    'e', 'x',  't', 'n', 0, 'c', 0 };
    Bytes                text = { 0 }, plain = { 0 }, input = { 0 };
    bytes_append_text(&text, "hi");
    gzip_append(&plain, "hi", 2);
    bytes_append(&input, HEADER, sizeof HEADER);
    bytes_append(&input, plain.data + 10, plain.size - 10);
    check_decodes(CODEC_GZIP, &input, &text, DECODE_MORE, true);
    bytes_release(&text);
    bytes_release(&plain);
    bytes_release(&input);
}

TEST(zstd_skippable_frames_are_passed_over)
{
    Bytes text = { 0 }, input = { 0 };
    bytes_append(&input, "\x50\x2a\x4d\x18\x05\0\0\0abcde", 13); /* first: as pzstd writes */
    for (size_t frame = 0; frame < 3; frame++) {
        size_t begin = text.size;
        text_append(&text, frame, 3000);
        zstd_append(&input, text.data + begin, text.size - begin);
        bytes_append(&input, "\x5f\x2a\x4d\x18\0\0\0\0", 8);
        bytes_append(&input, "\x51\x2a\x4d\x18\x02\0\0\0\x1f\x8b", 10);
    }
    check_decodes(CODEC_ZSTD, &input, &text, DECODE_MORE, true);
    bytes_release(&text);
    bytes_release(&input);
}

TEST(decoder_ends_before_foreign_bytes)
{
    for (size_t k = 0; k < 2; k++) {
        Bytes text = { 0 }, input = { 0 };
        text_append(&text, 1, 3000);
        compress_append(KINDS[k], &input, text.data, text.size);
        size_t compressed = input.size;
        bytes_append_text(&input, "trailing garbage");
        check_decodes(KINDS[k], &input, &text, DECODE_END, true);
        for (int i = 0; i < STEPS_COUNT; i++) {
            Decoded decoded = decode(KINDS[k], &input, STEPS[i][0], STEPS[i][1]);
            CHECK_UINT(decoded.in_used, compressed);
            bytes_release(&decoded.bytes);
        }
        input.size = compressed; /* bytes that begin like a member but are not one */
        bytes_append(&input, k == 0 ? "\x1f\x8c??" : "\x28\xb5\x2f??", 4);
        check_decodes(KINDS[k], &input, &text, DECODE_END, true);
        bytes_release(&text);
        bytes_release(&input);
    }
}

TEST(decoder_truncated_gives_a_prefix)
{
    for (size_t k = 0; k < 2; k++) {
        Bytes text = { 0 }, input = { 0 };
        text_append(&text, 1, 2000);
        compress_append(KINDS[k], &input, text.data, text.size);
        text_append(&text, 2, 3000);
        compress_append(KINDS[k], &input, text.data + 2000, 3000);
        size_t whole = input.size, longest = 0;
        Bytes  first = { 0 };
        compress_append(KINDS[k], &first, text.data, 2000);
        for (input.size = 0; input.size < whole; input.size++) {
            Decoded decoded = decode(KINDS[k], &input, 64, 4096);
            CHECK_INT(decoded.state, DECODE_MORE);
            CHECK(decoded.bytes.size <= text.size);
            CHECK(decoded.bytes.size == 0 || memcmp(decoded.bytes.data, text.data, decoded.bytes.size) == 0);
            CHECK(decoded.bytes.size >= longest);
            longest = decoded.bytes.size;
            CHECK_INT(decoded.finish, input.size == first.size); /* between the two it is complete */
            if (!decoded.finish) {
                CHECK_INT(decoded.err.code, ERR_TRUNCATED);
                CHECK_UINT(decoded.err.offset, input.size);
            }
            bytes_release(&decoded.bytes);
        }
        CHECK(longest >= 2000);
        bytes_release(&text);
        bytes_release(&first);
        bytes_release(&input);
    }
}

TEST(decoder_wrong_checksum_fails_behind_the_data)
{
    for (size_t k = 0; k < 2; k++) {
        Bytes text = { 0 }, input = { 0 };
        text_append(&text, 1, 300000);
        compress_append(KINDS[k], &input, text.data, text.size);
        size_t trailer = k == 0 ? 8 : 4; /* CRC and size; the frame's checksum */
        input.data[input.size - trailer] ^= 1;
        check_decodes(KINDS[k], &input, &text, DECODE_FAILED, false);
        Decoded decoded = decode(KINDS[k], &input, 100, 1000);
        CHECK_INT(decoded.err.code, ERR_CORRUPT);
        CHECK(decoded.err.offset >= input.size - trailer && decoded.err.offset <= input.size);
        CHECK(strstr(decoded.err.message, k == 0 ? "gzip data: incorrect data check" : "zstd data: ") !=
              NULL);
        bytes_release(&decoded.bytes);
        bytes_release(&text);
        bytes_release(&input);
    }
}

/* A fault in the middle loses the bytes behind it, and not those before it: with zstd
 * the blocks of 128 KiB before the damaged one. */
TEST(decoder_damage_keeps_what_came_before)
{
    for (size_t k = 0; k < 2; k++) {
        Bytes text = { 0 }, input = { 0 };
        text_append(&text, 1, 1000000);
        compress_append(KINDS[k], &input, text.data, text.size);
        memset(input.data + input.size * 3 / 4, 0xff, 64);
        size_t expected = 0;
        for (int i = 0; i < STEPS_COUNT; i++) {
            Decoded decoded = decode(KINDS[k], &input, STEPS[i][0], STEPS[i][1]);
            CHECK_INT(decoded.state, DECODE_FAILED);
            CHECK_INT(decoded.err.code, ERR_CORRUPT);
            CHECK(decoded.bytes.size > 500000 && decoded.bytes.size < text.size);
            CHECK(memcmp(decoded.bytes.data, text.data, 500000) == 0);
            if (i == 0) expected = decoded.bytes.size;
            CHECK_UINT(decoded.bytes.size, expected);
            bytes_release(&decoded.bytes);
        }
        bytes_release(&text);
        bytes_release(&input);
    }
}

TEST(decoder_failure_is_sticky)
{
    Err      err = { 0 };
    Decoder *decoder = decoder_open(CODEC_GZIP, &err);
    uint8_t  out[16];
    CHECK(decoder != NULL);
    for (int i = 0; i < 2; i++) {
        CodecStream stream = { (const uint8_t *)"plain", 5, out, sizeof out };
        CHECK_INT(decoder_run(decoder, &stream, &err), DECODE_FAILED);
        CHECK_UINT(stream.in_size, 5);
        CHECK_STRING(err.message, "is not gzip data");
        CHECK_UINT(err.offset, 0);
        err = (Err){ 0 };
    }
    CHECK(!decoder_finish(decoder, &err));
    CHECK_INT(err.code, ERR_CORRUPT);
    decoder_close(decoder);
}

TEST(decoder_refuses_windows_beyond_reason)
{
    /* a frame header that asks for a window of 2^41 bytes (RFC 8878, 3.1.1.1.2) */
    Bytes input = { 0 };
    bytes_append(&input, "\x28\xb5\x2f\xfd\x00\xf8\x00\x00\x00", 9);
    Decoded decoded = decode(CODEC_ZSTD, &input, SIZE_MAX, 100);
    CHECK_INT(decoded.state, DECODE_FAILED);
    CHECK_INT(decoded.err.code, ERR_LIMIT);
    bytes_release(&input);
    bytes_release(&decoded.bytes);
}

/* Flipped bits anywhere: it ends, without harm. */
TEST(decoder_survives_damage_anywhere)
{
    TestRandom random = { 17 };
    for (size_t k = 0; k < 2; k++) {
        Bytes text = { 0 }, input = { 0 };
        text_append(&text, 1, 1500);
        compress_append(KINDS[k], &input, text.data, text.size);
        compress_append(KINDS[k], &input, text.data, 200);
        for (size_t bit = 0; bit < input.size * 8; bit++) {
            input.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            Decoded whole = decode(KINDS[k], &input, SIZE_MAX, 1 << 16);
            Decoded pieces = decode(KINDS[k], &input, test_random_size(&random, 9) + 1, 11);
            CHECK_INT(whole.state, pieces.state);
            CHECK_INT(whole.finish, pieces.finish);
            CHECK_UINT(whole.bytes.size, pieces.bytes.size);
            CHECK(whole.bytes.size == 0 ||
                  memcmp(whole.bytes.data, pieces.bytes.data, whole.bytes.size) == 0);
            bytes_release(&whole.bytes);
            bytes_release(&pieces.bytes);
            input.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        bytes_release(&text);
        bytes_release(&input);
    }
}

TEST(decoder_says_when_memory_is_out)
{
    Bytes text = { 0 }, input = { 0 };
    text_append(&text, 1, 3000);
    gzip_append(&input, text.data, text.size);
    uint64_t n = 0;
    for (bool opened = false; !opened; n++) {
        Err err = { 0 };
        memory_fail_after(n);
        Decoder *decoder = decoder_open(CODEC_GZIP, &err);
        memory_fail_after(UINT64_MAX);
        opened = decoder != NULL;
        if (!opened) CHECK_INT(err.code, ERR_MEMORY);
        decoder_close(decoder);
    }
    CHECK(n > 1);
    bytes_release(&text);
    bytes_release(&input);
}

TEST_MAIN("codec", TEST_CASE(codec_detect_knows_the_magic_bytes), TEST_CASE(decoder_open_refuses_no_codec),
          TEST_CASE(decoder_any_chunking_gives_the_same), TEST_CASE(decoder_goes_on_with_following_members),
          TEST_CASE(gzip_zero_padding_is_passed_over), TEST_CASE(gzip_header_fields_are_passed_over),
          TEST_CASE(zstd_skippable_frames_are_passed_over), TEST_CASE(decoder_ends_before_foreign_bytes),
          TEST_CASE(decoder_truncated_gives_a_prefix),
          TEST_CASE(decoder_wrong_checksum_fails_behind_the_data),
          TEST_CASE(decoder_damage_keeps_what_came_before), TEST_CASE(decoder_failure_is_sticky),
          TEST_CASE(decoder_refuses_windows_beyond_reason), TEST_CASE(decoder_survives_damage_anywhere),
          TEST_CASE(decoder_says_when_memory_is_out))
