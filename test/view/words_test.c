/* The texts of the view, in English and in a language of the host. */
#include "view/words.h"

#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 15 };

/* Writes texts for all words: "<id>.<form> {count} {value}". Returns their size. */
static size_t put_language(char out[ROOM])
{
    size_t size = 0;
    for (int i = 0; i < WORDS; i++)
        for (int form = 0; form < WORD_FORMS; form++)
            size += (size_t)snprintf(out + size, ROOM - size, "%s.%d {count} {value}%c", word_id((Word)i),
                                     form, form + 1 < WORD_FORMS ? '\t' : '\n');
    return size;
}

/* Few ends in 2 to 4, as in Polish; other are the rest. */
static unsigned few_or_other(uint64_t count)
{
    return count % 10 >= 2 && count % 10 <= 4 ? 3 : 5;
}

static bool formats(Word word, uint64_t count, const char *value, const char *expected)
{
    char text[WORD_TEXT];
    return word_format(word, count, value, text) == strlen(expected) && strcmp(text, expected) == 0;
}

TEST(english_has_a_singular)
{
    CHECK(formats(WORD_TRACES, 1, "", "1 trace") && formats(WORD_TRACES, 0, "", "0 traces"));
    CHECK(formats(WORD_SLICES, 12345, "",
                  "12\xE2\x80\xAF"
                  "345\xE2\x80\xAFslices"));
    CHECK(formats(WORD_FLOWS_IN_LINE, 20, "1", "20 flows in one line"));
    CHECK(formats(WORD_FLOWS_IN_LINES, 20, "3", "20 flows in 3 lines"));
    CHECK(strcmp(word_text(WORD_TIME), "time") == 0);
}

TEST(the_host_sets_another_language)
{
    static char  text[ROOM];
    const size_t size = put_language(text);
    CHECK(words_set(text, size, few_or_other));
    CHECK(formats(WORD_TRACES, 3, "x", "traces.3 3 x") && formats(WORD_TRACES, 5, "x", "traces.5 5 x"));
    CHECK(words_set(NULL, 0, NULL));
    CHECK(formats(WORD_TRACES, 3, "x", "3 traces"));
}

TEST(texts_of_another_number_of_words_change_nothing)
{
    static char  text[ROOM];
    const size_t size = put_language(text);
    CHECK(!words_set("", 0, few_or_other) && !words_set("a\tb\n", 4, few_or_other));
    CHECK(!words_set(text, size - 1, few_or_other));
    *(char *)memchr(text, '\t', size) = '\n';
    CHECK(!words_set(text, size, few_or_other));
    *(char *)memchr(text, '\n', size) = ' ';
    CHECK(!words_set(text, size, few_or_other));
    CHECK(formats(WORD_TRACES, 3, "x", "3 traces"));
}

TEST(a_long_value_is_cut)
{
    char value[2 * WORD_TEXT], text[WORD_TEXT];
    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    CHECK(word_format(WORD_IN_ALL, 0, value, text) == WORD_TEXT - 1 && text[WORD_TEXT - 2] == 'x');
}

TEST_MAIN("words", TEST_CASE(english_has_a_singular), TEST_CASE(the_host_sets_another_language),
          TEST_CASE(texts_of_another_number_of_words_change_nothing), TEST_CASE(a_long_value_is_cut))
