#include "analysis/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Limits for one text: steps of backtracking, and memory for them. */
enum { MATCH_STEPS = 1000000, MATCH_KIB = 16 * 1024 };

struct Regex {
    pcre2_code          *code;
    pcre2_match_context *limits;
};

static bool compile(Regex *regex, StringView pattern, Err *err)
{
    const uint32_t options = PCRE2_CASELESS | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    int            error = 0;
    size_t         at = 0;
    regex->code = pcre2_compile((PCRE2_SPTR)pattern.bytes, pattern.size, options, &error, &at, NULL);
    if (regex->code == NULL && error == PCRE2_ERROR_HEAP_FAILED)
        return err_set(err, ERR_MEMORY, "out of memory for a regular expression");
    if (regex->code == NULL) {
        PCRE2_UCHAR text[120];
        (void)pcre2_get_error_message(error, text, sizeof text);
        return err_set(err, ERR_USAGE, "regular expression, byte %zu: %s", at, (const char *)text);
    }
    regex->limits = pcre2_match_context_create(NULL);
    if (regex->limits == NULL) return err_set(err, ERR_MEMORY, "out of memory for a regular expression");
    (void)pcre2_set_match_limit(regex->limits, MATCH_STEPS);
    (void)pcre2_set_heap_limit(regex->limits, MATCH_KIB);
    (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); /* without it, matching is slower */
    return true;
}

Regex *regex_compile(Arena *arena, StringView pattern, Err *err)
{
    Regex *regex = ARENA_NEW(arena, Regex);
    if (regex == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for a regular expression");
        return NULL;
    }
    if (compile(regex, pattern, err)) return regex;
    regex_release(regex);
    return NULL;
}

void regex_release(Regex *regex)
{
    if (regex == NULL) return;
    pcre2_match_context_free(regex->limits);
    pcre2_code_free(regex->code);
}

RegexResult regex_find(const Regex *regex, StringView text, size_t *at, size_t *size)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    if (data == NULL) return REGEX_GAVE_UP;
    const int found = pcre2_match(regex->code, (PCRE2_SPTR)text.bytes, text.size, 0, 0, data, regex->limits);
    RegexResult result = found >= 0                     ? REGEX_FINDS
                         : found == PCRE2_ERROR_NOMATCH ? REGEX_FINDS_NOTHING
                                                        : REGEX_GAVE_UP;
    if (result == REGEX_FINDS) {
        const size_t *place = pcre2_get_ovector_pointer(data);
        if (at != NULL) *at = place[0];
        if (size != NULL) *size = place[1] > place[0] ? place[1] - place[0] : 0;
    }
    pcre2_match_data_free(data);
    return result;
}
