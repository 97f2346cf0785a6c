/* Parsers of texts that a user types: ranges of time, sets of calls, searches, JSON values, SQL statements.
 *
 * Input: a byte that chooses the parser, then the text. A text is at most 4 KiB. */
#include "fuzz.h"

#include "analysis/find_pattern.h"
#include "base/json_check.h"
#include "base/json_members.h"
#include "format/apitrace/call_set.h"
#include "query/statements.h"
#include "trace/store/time_spec.h"
#include "trace/store/wall_time.h"

#include <string.h>

enum { MOST_BYTES = 4096 };

/* A time of day is printed as a text that is read as the same time. */
static void parse_time_of_day(const char *text, size_t size)
{
    int64_t unix_ns, again;
    char    printed[WALL_TIME_TEXT];
    if (!wall_time_parse(text, size, &unix_ns)) return;
    expect(wall_time_parse(printed, wall_time_format(unix_ns, printed), &again) && again == unix_ns,
           "a time of day is printed as another");
}

static void parse_range(const char *text, size_t size)
{
    static const Clock CLOCKS[] = {
        { .ns_num = 1, .ns_den = 1 },
        { .ns_num = 1, .ns_den = 1000 },
        { .ns_num = UINT64_MAX, .ns_den = 3, .origin_ns = INT64_MIN },
        { .ns_num = 1, .ns_den = INT64_MAX, .is_unsigned = true },
        { .ns_num = 1, .ns_den = 1, .has_epoch = true, .epoch_unix_ns = INT64_MIN },
        { .ns_num = 7, .ns_den = 3, .has_epoch = true, .epoch_unix_ns = INT64_MAX }
    };
    static const int64_t BEGINS[] = { 0, INT64_MIN, INT64_MAX, 1 };
    parse_time_of_day(text, size);
    for (size_t i = 0; i < sizeof CLOCKS / sizeof CLOCKS[0]; i++) {
        const TimeAxis axis = { &CLOCKS[i], BEGINS[size % 4], UINT64_MAX >> (size % 64) };
        TimeSpec       spec;
        int64_t        begin, end, ticks;
        Err            err;
        if (time_range_find(text, &axis, &begin, &end, &err))
            expect(begin >= 0 && begin <= end, "a range without a moment was accepted");
        if (time_spec_parse(text, size, &spec)) (void)!time_spec_ticks(&spec, &axis, &ticks);
    }
}

static void parse_call_set(const char *text, size_t size)
{
    CallSet set = { .last = 0 };
    Err     err;
    if (memchr(text, '@', size) != NULL) return; /* would open a file */
    if (call_set_add(&set, text, &err)) {
        for (uint64_t number = 1; number != 0; number <<= 1) {
            if (call_set_holds(&set, number, 0)) expect(number <= set.last, "a number above the last one");
            (void)call_set_holds(&set, number - 1, UINT32_MAX);
        }
    }
    call_set_release(&set);
}

static bool is_lower_equal(char a, char b)
{
    if (a >= 'A' && a <= 'Z') a = (char)(a + 32);
    if (b >= 'A' && b <= 'Z') b = (char)(b + 32);
    return a == b;
}

/* The definition that find_is_part must agree with. */
static bool is_part(StringView text, StringView part)
{
    if (part.size == 0) return false;
    for (size_t at = 0; at + part.size <= text.size; at++) {
        size_t same = 0;
        while (same < part.size && is_lower_equal(text.bytes[at + same], part.bytes[same]))
            same++;
        if (same == part.size) return true;
    }
    return false;
}

/* The text up to the first line feed is searched for in the rest: as a text, and as a search. */
static void search(const char *text, size_t size)
{
    const char *feed = memchr(text, '\n', size);
    StringView  wanted = { text, feed == NULL ? size : (size_t)(feed - text) };
    StringView  value = { text + wanted.size, size - wanted.size };
    Clock       clock = clock_ns();
    Arena       arena = arena_create(0);
    FindPattern pattern;
    Err         err;
    expect(find_is_part(value, wanted) == is_part(value, wanted), "find_is_part");
    if (find_pattern_parse(&pattern, wanted, &clock, &arena, &err)) {
        for (uint32_t i = 0; i < pattern.term_count; i++) {
            const FindTerm   *term = &pattern.terms[i];
            const FindVerdict verdict = find_term_verdict_value(term, NULL, value);
            (void)find_term_verdict_value(term, &term->key, value);
            (void)find_term_verdict_label(term, value, value);
            if (verdict == FIND_MATCHES)
                expect(find_pattern_may_match(&pattern, NULL, value), "a value was left out");
        }
    } else {
        expect(err.code == ERR_USAGE, "a search fails for another reason than its text");
    }
    find_pattern_release(&pattern);
    arena_release(&arena);
}

static void check_json(const char *text, size_t size)
{
    if (json_valid_object(text, size))
        expect(json_valid(text, size), "a valid object that is not a valid value");
}

/* A statement that was split off is one statement, and stays as it is. */
static void split_statements(const char *text, size_t size)
{
    StringView rest = { text, size };
    Bytes      statement = { 0 }, again = { 0 };
    while (statements_next(&rest, &statement)) {
        StringView whole = { (const char *)statement.data, statement.size - 1 };
        expect(statements_next(&whole, &again) && whole.size == 0, "a statement is several");
        expect(again.size == statement.size && memcmp(again.data, statement.data, again.size) == 0,
               "a statement changed");
    }
    expect(rest.size == 0, "text is left");
    bytes_release(&statement);
    bytes_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const PARSERS[])(const char *text, size_t size) = { parse_range, parse_call_set, search,
                                                                      check_json, split_statements };
    if (size < 1 || size > MOST_BYTES) return 0;
    char *text = malloc(size); /* of just this size, so that a byte read too much is found */
    if (text == NULL) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    PARSERS[data[0] % (sizeof PARSERS / sizeof PARSERS[0])](text, size - 1);
    free(text);
    return 0;
}
