/* UTF-16 as UTF-8: src/codec/utf16.c, and as a source: src/codec/source.c. */
#include "codec/source.h"
#include "support/test.h"

#include <string.h>

TEST(text_is_recognised_by_its_first_bytes)
{
    static const struct {
        const char  *head;
        size_t       size;
        TextEncoding encoding;
    } CASES[] = {
        { "\xff\xfe[\0", 4, TEXT_UTF16_LE },
        { "\xfe\xff\0[", 4, TEXT_UTF16_BE },
        { "\xff\xfe", 2, TEXT_UTF16_LE },
        { "[\0{\0", 4, TEXT_UTF16_LE },
        { "\0{\0\"", 4, TEXT_UTF16_BE },
        { "{\0\r\0", 4, TEXT_UTF16_LE },
        { "[\0\0\0", 4, TEXT_UTF8 },
        { "[{\"a", 4, TEXT_UTF8 },
        { "\0\0\0[", 4, TEXT_UTF8 },
        { "\xef\xbb\xbf[", 4, TEXT_UTF8 },
        { "", 0, TEXT_UTF8 },
        { "[\0", 2, TEXT_UTF8 },
        { "\x0d\xf0\xad\x0b", 4, TEXT_UTF8 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        CHECK_INT(text_detect((const uint8_t *)CASES[i].head, CASES[i].size), CASES[i].encoding);
}

/* In both byte orders: the text given in little endian. */
static void check_decoded(const char *little, size_t size, const char *expected, uint64_t replaced)
{
    for (int order = 0; order < 2; order++) {
        uint8_t in[64], out[64];
        for (size_t i = 0; i < size; i++)
            in[i] = (uint8_t)little[order == 0 || (size % 2 == 1 && i == size - 1) ? i : i ^ 1];
        Utf16Step step =
            utf16_decode(order == 0 ? TEXT_UTF16_LE : TEXT_UTF16_BE, UTF16_ENDS, in, size, out, sizeof out);
        CHECK_UINT(step.in_used, size);
        CHECK_UINT(step.replaced, replaced);
        CHECK_UINT(step.out_used, strlen(expected));
        CHECK(memcmp(out, expected, step.out_used) == 0);
    }
}

TEST(characters_of_every_length)
{
    check_decoded("a\0", 2, "a", 0);
    check_decoded("\xe9\0", 2, "\xc3\xa9", 0);
    check_decoded("\xac\x20", 2, "\xe2\x82\xac", 0);
    check_decoded("\x3d\xd8\x00\xde", 4, "\xf0\x9f\x98\x80", 0);
    check_decoded("\xff\xdb\xff\xdf", 4, "\xf4\x8f\xbf\xbf", 0);
}

TEST(halves_of_pairs_are_replaced)
{
    check_decoded("\x3d\xd8x\0", 4, "\xef\xbf\xbdx", 1); /* high alone */
    check_decoded("\x00\xdex\0", 4, "\xef\xbf\xbdx", 1); /* low alone */
    check_decoded("x\0\x3d\xd8", 4, "x\xef\xbf\xbd", 1); /* high at the end */
    check_decoded("\x3d\xd8\x3d\xd8\x00\xde", 6, "\xef\xbf\xbd\xf0\x9f\x98\x80", 1);
    check_decoded("x\0y", 3, "x\xef\xbf\xbd", 1); /* half a unit at the end */
    uint8_t   out[16];
    Utf16Step step = utf16_decode(TEXT_UTF16_LE, UTF16_ENDS, (const uint8_t *)"ab\0\xd8", 4, out, sizeof out);
    CHECK_UINT(step.first_replaced, 2);
}

TEST(what_is_cut_waits_for_the_rest)
{
    uint8_t   out[16];
    Utf16Step step =
        utf16_decode(TEXT_UTF16_LE, UTF16_CONTINUES, (const uint8_t *)"a\0\x3d\xd8\x00", 5, out, sizeof out);
    CHECK_UINT(step.in_used, 2);
    CHECK_UINT(step.out_used, 1);
    step = utf16_decode(TEXT_UTF16_LE, UTF16_CONTINUES, (const uint8_t *)"\x3d\xd8\x00\xde", 4, out, 3);
    CHECK_UINT(step.in_used, 0); /* no room for all four */
}

typedef struct Drip {
    const char *bytes;
    size_t      size, at, most;
} Drip;

static bool drip_read(void *context, void *buffer, size_t size, size_t *got, Err *err)
{
    Drip *drip = (Drip *)context;
    *got = drip->size - drip->at;
    if (*got > size) *got = size;
    if (*got > drip->most) *got = drip->most;
    if (*got == 0) return err_set(err, ERR_IO, "the disk fails"); /* behind the last byte */
    memcpy(buffer, drip->bytes + drip->at, *got);
    drip->at += *got;
    return true;
}

TEST(a_source_gives_the_same_in_any_pieces)
{
    static const char IN[] = "\xff\xfe"
                             "a\0\xe9\0\xac\x20\x3d\xd8\x00\xdez\0\x00\xd8.";
    for (size_t most = 1; most <= sizeof IN; most++) {
        for (size_t room = 1; room <= 20; room++) {
            Arena       arena = arena_create(0);
            Err         err = { 0 };
            Drip        drip = { IN, sizeof IN - 1, 0, most };
            HeldSource  held;
            Utf16Source utf16;
            char        text[64];
            size_t      size = 0, got = 0;
            CHECK_DONE(held_open(&held, &arena, 8, &err), err);
            held_restart(&held, (ByteSource){ drip_read, &drip });
            utf16_open(&utf16, TEXT_UTF16_LE, &held);
            ByteSource source = utf16_source(&utf16);
            while (source_read(&source, text + size, room, &got, &err)) {
                CHECK(got > 0 && got <= room);
                size += got;
            }
            CHECK_STRING(err.message, "the disk fails");
            CHECK(!source_read(&source, text, room, &got, &err)); /* for good */
            CHECK_BYTES(text, size, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\xef\xbf\xbd\xef\xbf\xbd");
            CHECK_UINT(utf16.replaced, 2);
            CHECK_UINT(utf16.first_replaced, 12);
            arena_release(&arena);
        }
    }
}

TEST_MAIN("utf16", TEST_CASE(text_is_recognised_by_its_first_bytes), TEST_CASE(characters_of_every_length),
          TEST_CASE(halves_of_pairs_are_replaced), TEST_CASE(what_is_cut_waits_for_the_rest),
          TEST_CASE(a_source_gives_the_same_in_any_pieces))
