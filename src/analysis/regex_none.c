/* Searches without regular expressions: the engine in the browser. */
#include "analysis/regex.h"

Regex *regex_compile(Arena *arena, StringView pattern, Err *err)
{
    (void)arena;
    (void)pattern;
    (void)err_set(err, ERR_USAGE,
                  "regular expressions need `varve open FILE`: this page reads the file in the browser. "
                  "To find the text itself, put it in quotes");
    return NULL;
}

void regex_release(Regex *regex)
{
    (void)regex;
}

RegexResult regex_find(const Regex *regex, StringView text, size_t *at, size_t *size)
{
    (void)regex;
    (void)text;
    (void)at;
    (void)size;
    return REGEX_FINDS_NOTHING;
}
