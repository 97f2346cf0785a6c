/* Regular expressions in the browser: RE2, which runs in JavaScript (web/src/wasm/regex.ts). */
#include "analysis/regex.h"
#include "base/attr.h"

struct Regex {
    uint32_t number; /* of the expression in JavaScript; 0 = none */
};

/* Returns the number of the compiled expression. 0: the pattern is wrong; *message_size bytes of the place and the reason
 * are in `message`, which has room for `room` bytes. */
WASM_IMPORT(regex_compile)
uint32_t host_regex_compile(const char *pattern, size_t size, char *message, size_t room,
                            size_t *message_size);
WASM_IMPORT(regex_release) void host_regex_release(uint32_t number);
/* Returns a RegexResult. REGEX_FINDS: the begin and the end of the match are in `place`, unless that is NULL. */
WASM_IMPORT(regex_find) int host_regex_find(uint32_t number, const char *text, size_t size, size_t place[2]);

Regex *regex_compile(Arena *arena, StringView pattern, Err *err)
{
    Regex *regex = ARENA_NEW(arena, Regex);
    char   message[200];
    size_t size = 0;
    if (regex == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for a regular expression");
        return NULL;
    }
    regex->number = host_regex_compile(pattern.bytes, pattern.size, message, sizeof message, &size);
    if (regex->number != 0) return regex;
    (void)err_set(err, ERR_USAGE, "regular expression%.*s", (int)size, message);
    return NULL;
}

void regex_release(Regex *regex)
{
    if (regex != NULL) host_regex_release(regex->number);
}

RegexResult regex_find(const Regex *regex, StringView text, size_t *at, size_t *size)
{
    size_t            place[2] = { 0, 0 };
    const bool        needs_place = at != NULL || size != NULL;
    const RegexResult result =
        (RegexResult)host_regex_find(regex->number, text.bytes, text.size, needs_place ? place : NULL);
    if (result == REGEX_FINDS && at != NULL) *at = place[0];
    if (result == REGEX_FINDS && size != NULL) *size = place[1] - place[0];
    return result;
}
