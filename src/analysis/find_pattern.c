#include "analysis/find_pattern.h"

#include "base/ascii.h"
#include "base/wide.h"
#include "trace/store/time_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- text in text -- */

bool find_is_part(StringView text, StringView part)
{
    return part.size > 0 && ascii_contains(text, part);
}

/* True for letters, digits and underscores, and for all bytes of characters outside of ASCII. */
static bool is_of_word(char c)
{
    return ascii_is_alnum(c) || c == '_' || (uint8_t)c >= 0x80;
}

static bool has_words(StringView text, StringView words)
{
    if (words.size == 0 || words.size > text.size) return false;
    for (size_t at = 0; at <= text.size - words.size; at++) {
        const size_t end = at + words.size;
        if ((at == 0 || !is_of_word(text.bytes[at - 1])) &&
            (end == text.size || !is_of_word(text.bytes[end])) &&
            ascii_starts_with((StringView){ text.bytes + at, words.size }, words))
            return true;
    }
    return false;
}

FindVerdict find_text_verdict(const FindText *wanted, StringView text)
{
    static const FindVerdict OF_REGEX[] = {
        [REGEX_FINDS_NOTHING] = FIND_DIFFERS, [REGEX_FINDS] = FIND_MATCHES, [REGEX_GAVE_UP] = FIND_FAILS
    };
    bool matches = false;
    switch (wanted->how) {
    case FIND_PART:
        matches = find_is_part(text, wanted->text);
        break;
    case FIND_WORDS:
        matches = has_words(text, wanted->text);
        break;
    case FIND_ALL:
        matches = ascii_equal(text, wanted->text);
        break;
    case FIND_REGEX:
        return OF_REGEX[regex_find(wanted->regex, text, NULL, NULL)];
    }
    return matches ? FIND_MATCHES : FIND_DIFFERS;
}

/* -- numbers -- */

/* True if the text may be a part of a printed number, pointer or byte string, or of true, false, null, -Infinity, NaN. */
static bool is_number_like(StringView text)
{
    static const char *const WORDS[] = { "true", "false", "null", "-Infinity", "NaN" };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (find_is_part(c_string_view(WORDS[i]), text)) return true;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\0' || strchr("0123456789abcdefABCDEFxX+-. ", text.bytes[i]) == NULL)
            return false;
    }
    return true;
}

/* Parses a decimal number. False if the text is not exactly one number. */
static bool parse_number(StringView text, double *number)
{
    char  copy[64];
    char *end;
    if (text.size == 0 || text.size >= sizeof copy) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '\0' || strchr("0123456789+-.eE", text.bytes[i]) == NULL) return false;
    }
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    *number = strtod(copy, &end);
    return end == copy + text.size;
}

bool find_term_has_number(const FindTerm *term, double value)
{
    switch (term->side) {
    case FIND_GREATER:
        return value > term->number;
    case FIND_GREATER_EQUAL:
        return value >= term->number;
    case FIND_LESS:
        return value < term->number;
    case FIND_LESS_EQUAL:
        return value <= term->number;
    }
    return false;
}

/* -- terms -- */

FindVerdict find_term_verdict_label(const FindTerm *term, StringView name, StringView category)
{
    const FindText *text = term->field == FIND_BY_KEY ? &term->plain : &term->text;
    FindVerdict     verdict = FIND_DIFFERS;
    if (term->field == FIND_BY_NUMBER || term->field == FIND_BY_THREAD) return FIND_DIFFERS;
    if (term->field != FIND_BY_CATEGORY) verdict = find_text_verdict(text, name);
    if (verdict == FIND_DIFFERS && term->field != FIND_BY_NAME) verdict = find_text_verdict(text, category);
    return verdict;
}

static FindVerdict text_verdict_value(const FindText *text, StringView value)
{
    if (value.bytes == NULL) return text->may_be_numbers ? FIND_MATCHES : FIND_DIFFERS;
    return find_text_verdict(text, value);
}

static FindVerdict number_verdict_value(const FindTerm *term, StringView value)
{
    double number;
    if (value.bytes == NULL) return FIND_MATCHES;
    return parse_number(value, &number) && find_term_has_number(term, number) ? FIND_MATCHES : FIND_DIFFERS;
}

FindVerdict find_term_verdict_value(const FindTerm *term, const StringView *key, StringView value)
{
    const bool has_key = key == NULL || ascii_equal(*key, term->key);
    switch (term->field) {
    case FIND_ANYWHERE:
        return text_verdict_value(&term->text, value);
    case FIND_BY_NUMBER:
        return has_key ? number_verdict_value(term, value) : FIND_DIFFERS;
    case FIND_BY_KEY:
        if (text_verdict_value(&term->plain, value) == FIND_MATCHES) return FIND_MATCHES;
        if (!has_key) return FIND_DIFFERS;
        return term->text.how == FIND_PART && term->text.text.size == 0
                   ? FIND_MATCHES
                   : text_verdict_value(&term->text, value);
    case FIND_BY_NAME:
    case FIND_BY_CATEGORY:
    case FIND_BY_THREAD:
        break;
    }
    return FIND_DIFFERS;
}

bool find_pattern_may_match(const FindPattern *pattern, const StringView *key, StringView value)
{
    for (uint32_t i = 0; i < pattern->term_count; i++) {
        if (find_term_verdict_value(&pattern->terms[i], key, value) != FIND_DIFFERS) return true;
    }
    return false;
}

/* -- parsing -- */

typedef struct Parser {
    FindPattern *pattern;
    const Clock *clock;
    Arena       *arena;
    const char  *at, *end;
    Err         *err;
} Parser;

static void skip_spaces(Parser *p)
{
    while (p->at < p->end && *p->at == ' ')
        p->at++;
}

/* Returns the end of the word that begins at `at`. */
static const char *word_end(const Parser *p, const char *at)
{
    while (at < p->end && *at != ' ')
        at++;
    return at;
}

/* Returns the closing `quote` of the text that opens at p->at. A space or the end of the search follows it; a backslash
 * does not precede it. NULL: the text is not closed. */
static const char *closing(const Parser *p, char quote)
{
    for (const char *at = p->at + 1; at < p->end; at++) {
        if (*at == '\\' && at + 1 < p->end) {
            at++;
        } else if (*at == quote && (at + 1 == p->end || at[1] == ' ')) {
            return at;
        }
    }
    return NULL;
}

/* Copies the text between quotes, without its backslashes. */
static bool take_quoted(Parser *p, const char *end, FindText *text)
{
    char  *copy = arena_push(p->arena, (size_t)(end - p->at), 1);
    size_t size = 0;
    if (copy == NULL) return err_set(p->err, ERR_MEMORY, "out of memory for a search");
    for (const char *at = p->at + 1; at < end; at++) {
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
        copy[size++] = *at;
    }
    text->text = (StringView){ copy, size };
    p->at = end + 1;
    return true;
}

static bool take_regex(Parser *p, const char *end, FindText *text)
{
    text->how = FIND_REGEX;
    text->text = (StringView){ p->at + 1, (size_t)(end - p->at) - 1 };
    text->may_be_numbers = true;
    if (text->text.size > REGEX_PATTERN_MAX)
        return err_set(p->err, ERR_USAGE, "a regular expression has %d bytes at most, this has %zu",
                       REGEX_PATTERN_MAX, text->text.size);
    text->regex = regex_compile(p->arena, text->text, p->err);
    p->at = end + 1;
    return text->regex != NULL;
}

/* Takes a text in any of its forms. */
static bool take_text(Parser *p, FindText *text)
{
    const char  first = p->at < p->end ? *p->at : '\0';
    const char *end = first == '"' || first == '/' ? closing(p, first) : NULL;
    *text = (FindText){ .how = end == NULL ? FIND_PART : FIND_WORDS };
    if (end != NULL && end > p->at + 1 && first == '/') return take_regex(p, end, text);
    if (end != NULL && end > p->at + 1) {
        if (!take_quoted(p, end, text)) return false;
    } else {
        text->how = FIND_PART;
        text->text = (StringView){ p->at, (size_t)(word_end(p, p->at) - p->at) };
        p->at += text->text.size;
    }
    text->may_be_numbers = is_number_like(text->text);
    return true;
}

/* Takes a text in any of its forms, or =TEXT. */
static bool take_text_of_field(Parser *p, FindText *text)
{
    const bool is_all = p->at < p->end && *p->at == '=';
    if (is_all) p->at++;
    if (!take_text(p, text)) return false;
    if (is_all && text->how != FIND_REGEX) text->how = FIND_ALL;
    return true;
}

/* Takes > >= < or <= from the front of a text. */
static bool take_side(StringView *text, FindSide *side)
{
    if (text->size == 0 || (text->bytes[0] != '>' && text->bytes[0] != '<')) return false;
    const bool has_equal = text->size > 1 && text->bytes[1] == '=', is_greater = text->bytes[0] == '>';
    *side = is_greater ? (has_equal ? FIND_GREATER_EQUAL : FIND_GREATER)
                       : (has_equal ? FIND_LESS_EQUAL : FIND_LESS);
    text->bytes += has_equal ? 2 : 1;
    text->size -= has_equal ? 2 : 1;
    return true;
}

/* Returns the whole ticks of a duration. *has_rest: the duration is longer by a part of a tick. A duration of 2^64 ticks
 * or more is UINT64_MAX with a rest. */
static uint64_t ticks_of(const Clock *clock, const TimeSpec *spec, bool *has_rest)
{
    uint64_t ticks, rest = 0;
    *has_rest = false;
    if (spec->kind == TIME_IN_TICKS) return spec->amount;
    const bool is_coarse = clock->ns_num > UINT64_MAX / 1000;
    const bool fits =
        is_coarse ? wide_mul_div_rest(spec->amount / 1000, clock->ns_den, clock->ns_num, &ticks, &rest)
                  : wide_mul_div_rest(spec->amount, clock->ns_den, clock->ns_num * 1000, &ticks, &rest);
    *has_rest = !fits || rest != 0 || (is_coarse && spec->amount % 1000 != 0);
    return fits ? ticks : UINT64_MAX;
}

/* Narrows the durations of the pattern. */
static void narrow(FindPattern *pattern, FindSide side, uint64_t ticks, bool has_rest)
{
    const bool next = side == FIND_GREATER || (side == FIND_GREATER_EQUAL && has_rest);
    pattern->has_duration = true;
    if (side == FIND_GREATER || side == FIND_GREATER_EQUAL) {
        if (next && ticks == UINT64_MAX) pattern->is_empty = true;
        if (next && ticks < UINT64_MAX) ticks++;
        if (ticks > pattern->least_ticks) pattern->least_ticks = ticks;
    } else {
        const bool excluded = side == FIND_LESS && !has_rest;
        if (excluded && ticks == 0) pattern->is_empty = true;
        if (excluded && ticks > 0) ticks--;
        if (ticks < pattern->most_ticks) pattern->most_ticks = ticks;
    }
}

/* Takes "dur" or "duration" from the front of a text. */
static bool take_duration_word(StringView *text)
{
    static const StringView WORDS[] = { STRING_LITERAL("duration"), STRING_LITERAL("dur") };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (text->size <= WORDS[i].size || !ascii_starts_with(*text, WORDS[i])) continue;
        text->bytes += WORDS[i].size;
        text->size -= WORDS[i].size;
        return true;
    }
    return false;
}

/* Takes a comparison with a duration from the word at p->at. *taken is false if the word is another term. */
static bool take_duration(Parser *p, bool *taken)
{
    const char *end = word_end(p, p->at);
    StringView  rest = { p->at, (size_t)(end - p->at) };
    FindSide    side;
    TimeSpec    spec;
    const bool  has_word = take_duration_word(&rest);
    *taken = take_side(&rest, &side) && rest.size > 0 &&
             ((rest.bytes[0] >= '0' && rest.bytes[0] <= '9') || rest.bytes[0] == '.');
    if (!*taken) return true;
    const bool has_time = clock_has_time(p->clock), is_time = time_spec_parse(rest.bytes, rest.size, &spec);
    if (has_word && !(has_time && is_time && spec.kind == TIME_IN_PS)) {
        *taken = false; /* the value of an argument with this key */
        return true;
    }
    if (!is_time || spec.kind != (has_time ? TIME_IN_PS : TIME_IN_TICKS))
        return err_set(p->err, ERR_USAGE,
                       has_time ? "%.*s: expected a duration, for example >5ms; a text in quotes"
                                : "%.*s: this trace has no time, expected a number, for example >5",
                       (int)(end - p->at < 60 ? end - p->at : 60), p->at);
    bool           has_rest;
    const uint64_t ticks = ticks_of(p->clock, &spec, &has_rest);
    narrow(p->pattern, side, ticks, has_rest);
    p->at = end;
    return true;
}

/* Takes KEY>NUMBER from the word at p->at. */
static bool take_number(Parser *p, FindTerm *term)
{
    const char *end = word_end(p, p->at), *sign = p->at;
    while (sign < end && *sign != '<' && *sign != '>')
        sign++;
    StringView rest = { sign, (size_t)(end - sign) };
    if (sign == p->at || !take_side(&rest, &term->side) || !parse_number(rest, &term->number)) return false;
    term->field = FIND_BY_NUMBER;
    term->key = (StringView){ p->at, (size_t)(sign - p->at) };
    p->at = end;
    return true;
}

/* Takes KEY=TEXT, with or without spaces around the sign. *taken is false if the word is another term. */
static bool take_key(Parser *p, FindTerm *term, bool *taken)
{
    const char *begin = p->at, *end = word_end(p, begin), *key_end = begin, *sign;
    while (key_end < end && *key_end != '=')
        key_end++;
    for (sign = key_end; sign < p->end && *sign == ' ';)
        sign++;
    *taken = key_end > begin && *begin != '"' && *begin != '/' && sign < p->end && *sign == '=';
    if (!*taken) return true;
    term->field = FIND_BY_KEY;
    term->key = (StringView){ begin, (size_t)(key_end - begin) };
    p->at = sign + 1;
    skip_spaces(p);
    if (!take_text(p, &term->text)) return false;
    const StringView plain = { begin, (size_t)(p->at - begin) };
    term->plain = (FindText){ .how = FIND_PART, .text = plain, .may_be_numbers = is_number_like(plain) };
    return true;
}

static bool take_prefix(Parser *p, FindField *field)
{
    static const struct {
        StringView word;
        FindField  field;
    } PREFIXES[] = { { STRING_LITERAL("name:"), FIND_BY_NAME },
                     { STRING_LITERAL("category:"), FIND_BY_CATEGORY },
                     { STRING_LITERAL("thread:"), FIND_BY_THREAD } };
    for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++) {
        const StringView word = PREFIXES[i].word;
        const StringView rest = { p->at, (size_t)(p->end - p->at) };
        if (rest.size <= word.size || rest.bytes[word.size] == ' ' || !ascii_starts_with(rest, word))
            continue;
        p->at += word.size;
        *field = PREFIXES[i].field;
        return true;
    }
    return false;
}

static bool take_term(Parser *p)
{
    FindPattern *pattern = p->pattern;
    FindTerm     term = { .field = FIND_ANYWHERE };
    bool         taken;
    if (!take_duration(p, &taken)) return false;
    if (taken) return true;
    if (pattern->term_count == FIND_TERMS_MAX || pattern->thread_count == FIND_TERMS_MAX)
        return err_set(p->err, ERR_USAGE, "a search has %d terms at most; put a text with spaces in quotes",
                       FIND_TERMS_MAX);
    if (take_prefix(p, &term.field)) {
        taken = take_text_of_field(p, &term.text);
    } else if (!take_number(p, &term)) {
        if (!take_key(p, &term, &taken)) return false;
        if (!taken) taken = take_text(p, &term.text);
    } else {
        taken = true;
    }
    if (term.field == FIND_BY_THREAD) {
        /* kept in any case: its expression must be released */
        pattern->threads[pattern->thread_count++] = term.text;
    } else {
        pattern->terms[pattern->term_count++] = term;
    }
    return taken;
}

bool find_pattern_parse(FindPattern *pattern, StringView text, const Clock *clock, Arena *arena, Err *err)
{
    *pattern = (FindPattern){ .most_ticks = UINT64_MAX };
    char *copy = arena_push_copy(arena, text.bytes, text.size);
    if (copy == NULL) return err_set(err, ERR_MEMORY, "out of memory for a search");
    Parser parser = {
        .pattern = pattern, .clock = clock, .arena = arena, .at = copy, .end = copy + text.size, .err = err
    };
    for (skip_spaces(&parser); parser.at < parser.end; skip_spaces(&parser)) {
        if (!take_term(&parser)) return false;
    }
    if (pattern->term_count + pattern->thread_count == 0 && !pattern->has_duration) pattern->is_empty = true;
    if (pattern->least_ticks > pattern->most_ticks) pattern->is_empty = true;
    return true;
}

static void release_text(const FindText *text)
{
    regex_release(text->regex);
}

void find_pattern_release(FindPattern *pattern)
{
    for (uint32_t i = 0; i < pattern->term_count; i++)
        release_text(&pattern->terms[i].text);
    for (uint32_t i = 0; i < pattern->thread_count; i++)
        release_text(&pattern->threads[i]);
    *pattern = (FindPattern){ .is_empty = true };
}
