#include "app/cli/sql_words.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <varve/varve.h>

/* Keywords and functions that questions about a trace use. DuckDB has several hundred more, which would hide these. */
/* clang-format off */
static const char *const KEYWORDS[] = {
    "all",    "and",     "any_value", "arg_max",  "as",     "asc",      "avg",     "between",  "by",       "case",
    "cast",   "coalesce", "count",    "cross",    "desc",   "describe", "distinct", "else",    "end",      "except",
    "exists", "explain", "false",     "filter",   "first",  "from",     "full",    "group",    "having",   "histogram",
    "ilike",  "in",      "inner",     "intersect", "is",    "join",     "lag",     "last",     "lead",     "left",
    "like",   "limit",   "list",      "max",      "median", "min",      "not",     "null",     "nulls",    "offset",
    "on",     "or",      "order",     "outer",    "over",   "partition", "pivot",  "qualify",  "quantile_cont", "rank",
    "regexp_matches", "right", "round", "row_number", "select", "show", "starts_with", "stddev", "sum",    "summarize",
    "tables", "then",    "true",      "try_cast", "union",  "unnest",   "using",   "values",   "when",     "where",
    "window", "with"
};
/* clang-format on */

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_';
}

/* Returns the word at the end of `text`, empty if it ends with another byte. */
static StringView last_word(StringView text)
{
    size_t begin = text.size;
    while (begin > 0 && is_word_byte(text.bytes[begin - 1]))
        begin--;
    return (StringView){ text.bytes + begin, text.size - begin };
}

static bool is_word(StringView word, const char *name)
{
    return word.size == strlen(name) && strncasecmp(word.bytes, name, word.size) == 0;
}

static bool text_names(StringView text, const char *name)
{
    while (text.size > 0) {
        const StringView word = last_word(text);
        if (is_word(word, name)) return true;
        text.size -= word.size > 0 ? word.size : 1;
    }
    return false;
}

static bool ends_in_quotes(StringView text)
{
    bool is_quoted = false;
    for (size_t i = 0; i < text.size; i++)
        is_quoted ^= text.bytes[i] == '\'';
    return is_quoted;
}

static void add_word(SqlWords *found, StringView typed, const char *word)
{
    if (strncasecmp(word, typed.bytes, typed.size) != 0) return;
    assert(found->count < SQL_WORDS_MAX);
    found->words[found->count++] = word;
}

static void add_tables(SqlWords *found, StringView typed)
{
    const char *table;
    for (uint32_t i = 0; (table = varve_table_name(i)) != NULL; i++)
        add_word(found, typed, table);
}

typedef enum { PARTS_COLUMNS, PARTS_COLUMNS_AND_PARAMETERS } TableParts;

static void add_parts(SqlWords *found, StringView typed, StringView text, TableParts parts)
{
    const char *table, *parameter;
    bool        names_table = false;
    for (uint32_t i = 0; (table = varve_table_name(i)) != NULL; i++)
        names_table |= text_names(text, table);
    for (uint32_t i = 0; (table = varve_table_name(i)) != NULL; i++) {
        VarveColumnInfo column;
        if (names_table && !text_names(text, table)) continue;
        for (uint32_t c = 0; varve_table_column(table, c, &column); c++)
            add_word(found, typed, column.name);
        if (parts == PARTS_COLUMNS) continue;
        for (uint32_t p = 0; (parameter = varve_table_parameter(table, p)) != NULL; p++)
            add_word(found, typed, parameter);
    }
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the words, removes repeated ones and computes their common begin. */
static void finish(SqlWords *found)
{
    uint32_t kept = 0;
    qsort(found->words, found->count, sizeof found->words[0], compare_words);
    for (uint32_t i = 0; i < found->count; i++) {
        if (kept == 0 || strcmp(found->words[kept - 1], found->words[i]) != 0)
            found->words[kept++] = found->words[i];
    }
    found->count = kept;
    if (kept == 0) return;
    /* in sorted words these two have the least in common */
    const char *first = found->words[0], *last = found->words[kept - 1];
    while (first[found->common] != '\0' && first[found->common] == last[found->common])
        found->common++;
}

void sql_words_complete(StringView text, SqlWords *found)
{
    *found = (SqlWords){ 0 };
    if (ends_in_quotes(text)) return;
    const StringView typed = last_word(text);
    StringView       before = { text.bytes, text.size - typed.size };
    found->typed = typed.size;
    if (before.size > 0 && before.bytes[before.size - 1] == '.') {
        add_parts(found, typed, before, PARTS_COLUMNS);
        finish(found);
        return;
    }
    while (before.size > 0 && isspace((unsigned char)before.bytes[before.size - 1]) != 0)
        before.size--;
    const StringView previous = last_word(before);
    if (is_word(previous, "from") || is_word(previous, "join")) {
        add_tables(found, typed);
    } else if (typed.size > 0) {
        for (size_t i = 0; i < sizeof KEYWORDS / sizeof KEYWORDS[0]; i++)
            add_word(found, typed, KEYWORDS[i]);
        add_tables(found, typed);
        add_parts(found, typed, before, PARTS_COLUMNS_AND_PARAMETERS);
    }
    finish(found);
}
