/* app/cli/sql_words.h - completes words of SQL: keywords and functions, and the tables, columns and parameters of
 * varve/varve.h.
 *
 * All words are in lower case. They are static: nothing is allocated and nothing has to be released. */
#ifndef APP_CLI_SQL_WORDS_H
#define APP_CLI_SQL_WORDS_H
#include "base/string_view.h"

#include <stdint.h>

enum { SQL_WORDS_MAX = 1024 };

typedef struct SqlWords {
    const char *words[SQL_WORDS_MAX]; /* sorted, each once */
    uint32_t    count;
    size_t      typed;  /* bytes of the word before the cursor */
    size_t      common; /* bytes that all words have in common; 0 if count is 0, else >= typed */
} SqlWords;

/* Finds the words that can complete the word at the end of `text`, a statement up to the cursor. Upper and lower case are
 * equal. After FROM and JOIN only tables match, after a dot only columns; elsewhere a word without letters matches
 * nothing. The columns and parameters are those of the tables that `text` names, of all tables if it names none. */
void sql_words_complete(StringView text, SqlWords *found);

#endif
