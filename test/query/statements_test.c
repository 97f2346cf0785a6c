#include "query/statements.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* Checks that `sql` splits into these statements; NULL ends the list. */
static void check_splits(const char *sql, const char *const *expected)
{
    StringView rest = { sql, strlen(sql) };
    Bytes      statement = { 0 };
    size_t     count = 0;
    while (statements_next(&rest, &statement)) {
        CHECK(expected[count] != NULL);
        CHECK_STRING((const char *)statement.data, expected[count]);
        count++;
    }
    CHECK(expected[count] == NULL);
    CHECK_UINT(rest.size, 0);
    bytes_release(&statement);
}

#define SPLITS(sql, ...) check_splits((sql), (const char *const[]){ __VA_ARGS__, NULL })

TEST(semicolons_separate)
{
    check_splits("", (const char *const[]){ NULL });
    check_splits(" ;; \n; -- nothing\n /* ; */ ;", (const char *const[]){ NULL });
    SPLITS("a", "a");
    SPLITS("a; b;", "a", " b");
    SPLITS(";;a;;b", "a", "b");
}

TEST(quotes_and_comments_hide_semicolons)
{
    SPLITS("a ';' b; c", "a ';' b", " c");
    SPLITS("a 'it''s;' b; c", "a 'it''s;' b", " c");
    SPLITS("a 'no escape\\'; b", "a 'no escape\\'", " b");
    SPLITS("a E'an escape\\';'; b", "a E'an escape\\';'", " b");
    SPLITS("a \"na;me\"\"; b\"; c", "a \"na;me\"\"; b\"", " c");
    SPLITS("a -- ; '\n; b", "a -- ; '\n", " b");
    SPLITS("a /* ; /* ; */ ; */; b", "a /* ; /* ; */ ; */", " b");
    SPLITS("a $$;'$$; b", "a $$;'$$", " b");
    SPLITS("a $t$;$$;$t$; b", "a $t$;$$;$t$", " b");
    SPLITS("a $1; b", "a $1", " b");
}

TEST(open_quotes_and_comments_last_to_the_end)
{
    SPLITS("a '; b", "a '; b");
    SPLITS("a \"; b", "a \"; b");
    SPLITS("a /* ; b", "a /* ; b");
    SPLITS("a $$ ; b", "a $$ ; b");
    SPLITS("a E'\\", "a E'\\");
    SPLITS("a $", "a $");
}

TEST(the_parameter_end_is_quoted)
{
    SPLITS("slice(begin := '1s', end := '2s')", "slice(begin := '1s', \"end\" := '2s')");
    SPLITS("slice(END\n:='2s')", "slice(\"end\"\n:='2s')");
    SPLITS("CASE WHEN a THEN b END; end", "CASE WHEN a THEN b END", " end");
    SPLITS("'end := 1' weekend := 1", "'end := 1' weekend := 1");
}

TEST(many_empty_statements_take_no_stack)
{
    enum { COUNT = 1 << 20 };
    char *sql = malloc(COUNT);
    CHECK(sql != NULL);
    memset(sql, ';', COUNT);
    StringView rest = { sql, COUNT };
    Bytes      statement = { 0 };
    CHECK(!statements_next(&rest, &statement));
    bytes_release(&statement);
    free(sql);
}

TEST_MAIN("statements", TEST_CASE(semicolons_separate), TEST_CASE(quotes_and_comments_hide_semicolons),
          TEST_CASE(open_quotes_and_comments_last_to_the_end), TEST_CASE(the_parameter_end_is_quoted),
          TEST_CASE(many_empty_statements_take_no_stack))
