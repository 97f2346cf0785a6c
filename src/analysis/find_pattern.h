/* analysis/find_pattern.h - the text of a search, parsed.
 *
 * A search is one or more terms with spaces between. Each must hold:
 *
 *   TEXT             is part of the name, the category or a value of the arguments
 *   KEY=TEXT         is part of a value of that key, or KEY=TEXT itself is part of a text; without TEXT: an argument has
 *                    that key
 *   KEY>NUMBER       a value of that key is greater; also >=, <, <=. Also values of counters, KEY is counter or series
 *   >DURATION        the slice is longer, for example >5ms; also >=, <, <=. Without time in the trace a plain number.
 *                    dur>5ms and duration>5ms are the same; without a unit they compare the values of that key
 *   name:TEXT  category:TEXT   only in the name, only in the category
 *   thread:TEXT      the track's title contains the text, or its thread id is the text
 *
 * TEXT is a part of a word, "whole words" in double quotes (\" and \\ in it mean the characters), or a /regular
 * expression/ up to a / before a space or the end. After name:, category: and thread: also =TEXT: the whole text is equal.
 * The case of ASCII letters is ignored. An incomplete form is a plain text.
 * docs/search.md documents this for users. */
#ifndef ANALYSIS_FIND_PATTERN_H
#define ANALYSIS_FIND_PATTERN_H
#include "analysis/regex.h"
#include "trace/store/clock.h"

/* Most terms of a search. */
enum { FIND_TERMS_MAX = 16 };

typedef enum { FIND_PART, FIND_WORDS, FIND_ALL, FIND_REGEX } FindHow;

/* A text and the way it is compared. */
typedef struct FindText {
    FindHow    how;
    StringView text;
    Regex     *regex;          /* FIND_REGEX; owned */
    bool       may_be_numbers; /* a number, or a text of the characters of numbers, may match */
} FindText;

typedef enum {
    FIND_ANYWHERE,
    FIND_BY_NAME,
    FIND_BY_CATEGORY,
    FIND_BY_THREAD,
    FIND_BY_KEY,
    FIND_BY_NUMBER
} FindField;
typedef enum { FIND_GREATER, FIND_GREATER_EQUAL, FIND_LESS, FIND_LESS_EQUAL } FindSide;

typedef struct FindTerm {
    FindField  field;
    FindText   text;  /* FIND_BY_KEY: of the value; "" = any value */
    StringView key;   /* FIND_BY_KEY, FIND_BY_NUMBER */
    FindText   plain; /* FIND_BY_KEY: the term as it is written */
    FindSide   side;  /* FIND_BY_NUMBER: */
    double     number;
} FindTerm;

typedef struct FindPattern {
    FindTerm terms[FIND_TERMS_MAX]; /* all but threads and durations */
    uint32_t term_count;
    FindText threads[FIND_TERMS_MAX];
    uint32_t thread_count;
    bool     has_duration;
    uint64_t least_ticks, most_ticks; /* of a duration, both included; least > most: no duration matches */
    bool     is_empty;                /* matches nothing */
} FindPattern;

/* Parses the text of a search in a trace of this clock. Copies it into `arena`. False: err says why, ERR_USAGE for a
 * wrong search. Release the pattern in either case, before the arena. */
bool find_pattern_parse(FindPattern *pattern, StringView text, const Clock *clock, Arena *arena,
                        Err *err) WARN_UNUSED;
void find_pattern_release(FindPattern *pattern);

/* FIND_FAILS: a regular expression gave up. */
typedef enum { FIND_DIFFERS, FIND_MATCHES, FIND_FAILS } FindVerdict;

/* Compares a text. */
FindVerdict find_text_verdict(const FindText *wanted, StringView text);
/* Compares a name and a category with a term. */
FindVerdict find_term_verdict_label(const FindTerm *term, StringView name, StringView category);
/* Compares a value of the arguments with a term. `key` NULL: the key is not known and counts as equal. A value with NULL for
 * bytes is any number, or any text of the characters of numbers: FIND_MATCHES if one of them might match. */
FindVerdict find_term_verdict_value(const FindTerm *term, const StringView *key, StringView value);
/* Compares a value of a counter with a term. */
bool find_term_has_number(const FindTerm *term, double value);
/* True if a value may match any term: a DetailTest. A regular expression that gives up may match. */
bool find_pattern_may_match(const FindPattern *pattern, const StringView *key, StringView value);

/* True if `text` contains `part`; the case of ASCII letters is ignored. False for an empty part. */
bool find_is_part(StringView text, StringView part);

#endif
