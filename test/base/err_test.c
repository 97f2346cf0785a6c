#include "base/err.h"

#include "base/utf8.h"
#include "support/test.h"

#include <string.h>

TEST(err_set_returns_false_and_allows_null)
{
    CHECK(!err_set(NULL, ERR_IO, "%d", 1));
    CHECK(!err_set_at(NULL, ERR_IO, 1, 2, "%d", 1));
    Err err;
    CHECK(!err_set(&err, ERR_LIMIT, "%d of %s", 3, "them"));
    CHECK(err.code == ERR_LIMIT && err.offset == ERR_NOWHERE && err.event == ERR_NOWHERE);
    CHECK_STRING(err.message, "3 of them");
}

TEST(err_format_names_what_is_known)
{
    char text[256];
    Err  err;
    err_set(&err, ERR_CORRUPT, "bad");
    CHECK_UINT(err_format(&err, text, sizeof text), 3);
    CHECK_STRING(text, "bad");
    err_set_at(&err, ERR_CORRUPT, 4096, 871, "bad");
    err_format(&err, text, sizeof text);
    CHECK_STRING(text, "bad (byte 4096, event 871)");
    err.event = ERR_NOWHERE;
    err_format(&err, text, sizeof text);
    CHECK_STRING(text, "bad (byte 4096)");
    err.offset = ERR_NOWHERE, err.event = 0;
    err_format(&err, text, sizeof text);
    CHECK_STRING(text, "bad (event 0)");
    err.offset = UINT64_MAX - 1;
    CHECK_UINT(err_format(&err, text, sizeof text), strlen("bad (byte 18446744073709551614, event 0)"));
}

TEST(err_format_fits_any_room)
{
    Err err;
    err_set_at(&err, ERR_IO, 7, ERR_NOWHERE, "caf\xc3\xa9");
    for (size_t size = 1; size < 20; size++) {
        char text[20];
        memset(text, 'x', sizeof text);
        size_t length = err_format(&err, text, size);
        CHECK(length < size && text[length] == '\0');
        CHECK_UINT(utf8_valid_prefix(text, length), length);
    }
    char none = 'x';
    CHECK_UINT(err_format(&err, &none, 0), 0);
    CHECK_INT(none, 'x');
}

TEST(err_messages_are_one_valid_line)
{
    Err err;
    err_set(&err, ERR_CORRUPT, "name \"a\nb\xff\x01\"");
    CHECK_STRING(err.message, "name \"a b\xef\xbf\xbd \"");
}

TEST(err_messages_are_cut_between_code_points)
{
    char longer[300];
    for (size_t lead = 0; lead < 4; lead++) {
        memset(longer, 'a', lead);
        for (size_t at = lead; at + 4 <= 280 + lead; at += 4)
            memcpy(longer + at, "\xf0\x9f\x98\x80", 4);
        longer[280] = '\0';
        Err err;
        err_set(&err, ERR_IO, "%s", longer);
        size_t length = strlen(err.message);
        CHECK(length >= sizeof err.message - 5 && length < sizeof err.message);
        CHECK_UINT(utf8_valid_prefix(err.message, length), length);
        CHECK_STRING(err.message + length - 3, "...");
    }
    memset(longer, 'b', 191);
    longer[191] = '\0'; /* fits exactly */
    Err err;
    err_set(&err, ERR_IO, "%s", longer);
    CHECK_STRING(err.message, longer);
}

TEST(err_codes_have_names_of_their_own)
{
    for (int a = ERR_NONE; a <= ERR_USAGE; a++) {
        for (int b = a + 1; b <= ERR_USAGE; b++) {
            CHECK(strcmp(err_code_name((ErrCode)a), err_code_name((ErrCode)b)) != 0);
        }
    }
}

TEST_MAIN("base/err", TEST_CASE(err_set_returns_false_and_allows_null),
          TEST_CASE(err_format_names_what_is_known), TEST_CASE(err_format_fits_any_room),
          TEST_CASE(err_messages_are_one_valid_line), TEST_CASE(err_messages_are_cut_between_code_points),
          TEST_CASE(err_codes_have_names_of_their_own))
