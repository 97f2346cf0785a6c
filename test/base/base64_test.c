#include "base/base64.h"
#include "support/test.h"

TEST(texts_of_every_length_are_decoded)
{
    static const struct {
        const char *code, *text;
    } CASES[] = { { "", "" },        { "Zg", "f" },        { "Zm8", "fo" },
                  { "Zm9v", "foo" }, { "Zm9vYg", "foob" }, { "-_-_", "\xFB\xFF\xBF" } };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Bytes  out = { 0 };
        size_t fault;
        CHECK(base64_url_append((StringView){ CASES[i].code, strlen(CASES[i].code) }, &out, &fault));
        bytes_append(&out, "", 1);
        CHECK_STRING((const char *)out.data, CASES[i].text);
        bytes_release(&out);
    }
}

TEST(wrong_characters_and_lengths_are_refused)
{
    static const struct {
        const char *code;
        size_t      fault;
    } CASES[] = { { "Z", 1 }, { "Zg==", 2 }, { "Zm+v", 2 }, { "Zh", 2 }, { "Zm9vY", 5 }, { "Zm 9", 2 } };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Bytes  out = { 0 };
        size_t fault;
        CHECK(!base64_url_append((StringView){ CASES[i].code, strlen(CASES[i].code) }, &out, &fault));
        CHECK_UINT(fault, CASES[i].fault);
        bytes_release(&out);
    }
}

TEST(bytes_of_every_length_are_encoded)
{
    static const struct {
        const char *bytes, *code;
    } CASES[] = { { "", "" },        { "f", "Zg==" },        { "fo", "Zm8=" },
                  { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "\xFB\xFF\xBF", "+/+/" },
                  { "\xFF", "/w==" } };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Bytes out = { 0 };
        base64_append(CASES[i].bytes, strlen(CASES[i].bytes), &out);
        bytes_append(&out, "", 1);
        CHECK_STRING((const char *)out.data, CASES[i].code);
        bytes_release(&out);
    }
}

TEST_MAIN("base/base64", TEST_CASE(texts_of_every_length_are_decoded),
          TEST_CASE(wrong_characters_and_lengths_are_refused), TEST_CASE(bytes_of_every_length_are_encoded))
