/* analysis/regex.h - regular expressions for searches, with a bound on the work for one text.
 *
 * The native engine uses PCRE2 (regex_pcre2.c), the engine in the browser RE2 (regex_js.c). RE2 has no lookaround, no
 * references to groups, no possessive repetitions and no \C; its $ does not match before a line feed at the end, and its
 * \s does not match a vertical tab. */
#ifndef ANALYSIS_REGEX_H
#define ANALYSIS_REGEX_H
#include "base/arena.h"
#include "base/err.h"
#include "base/string_view.h"

typedef struct Regex Regex;

/* Longest pattern, in bytes. */
enum { REGEX_PATTERN_MAX = 1000 };

/* Compiles a pattern of at most REGEX_PATTERN_MAX bytes in the syntax of Perl. The case of letters is ignored unless the
 * pattern has (?-i). NULL: err says why (ERR_USAGE: the pattern is wrong; ERR_MEMORY). Lives in `arena`; release it before
 * the arena. */
Regex *regex_compile(Arena *arena, StringView pattern, Err *err) WARN_UNUSED;
void   regex_release(Regex *regex); /* NULL is allowed */

/* REGEX_GAVE_UP: the pattern takes too much work on this text, or memory ran out. */
typedef enum { REGEX_FINDS_NOTHING, REGEX_FINDS, REGEX_GAVE_UP } RegexResult;

/* Looks for the pattern in a text. Bytes that are not UTF-8 match nothing (PCRE2), or as U+FFFD (RE2). The work is
 * bounded. *at and *size are the place of the match (both may be NULL). Any number of threads may use one Regex. */
RegexResult regex_find(const Regex *regex, StringView text, size_t *at, size_t *size);

#endif
