#include "query/statements.h"
#include "base/ascii.h"

#include <ctype.h>

static bool starts_with(StringView text, size_t at, const char *word)
{
    const size_t size = strlen(word);
    return text.size - at >= size && memcmp(text.bytes + at, word, size) == 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Returns the place behind the quoted text that begins at `at`; the end of the text if it is not closed. A doubled quote is a part
 * of the string. */
static size_t skip_quoted(StringView text, size_t at, bool has_escapes)
{
    const char quote = text.bytes[at++];
    while (at < text.size) {
        if (has_escapes && text.bytes[at] == '\\' && at + 1 < text.size) {
            at += 2;
        } else if (text.bytes[at] != quote) {
            at++;
        } else {
            if (at + 1 == text.size || text.bytes[at + 1] != quote) return at + 1;
            at += 2;
        }
    }
    return at;
}

/* Returns the place behind a string in dollars, `$$ ... $$` or `$tag$ ... $tag$`; `at` + 1 if none begins here. */
static size_t skip_dollars(StringView text, size_t at)
{
    size_t tag_end = at + 1;
    while (tag_end < text.size && is_word(text.bytes[tag_end]))
        tag_end++;
    if (tag_end == text.size || text.bytes[tag_end] != '$' || isdigit((unsigned char)text.bytes[at + 1]))
        return at + 1;
    const size_t tag_size = tag_end + 1 - at;
    for (size_t i = tag_end + 1; i + tag_size <= text.size; i++)
        if (memcmp(text.bytes + i, text.bytes + at, tag_size) == 0) return i + tag_size;
    return text.size;
}

/* Returns the place behind a comment in slashes, which may hold others. */
static size_t skip_block_comment(StringView text, size_t at)
{
    size_t depth = 0;
    while (at < text.size) {
        if (starts_with(text, at, "/*")) {
            depth++;
            at += 2;
        } else if (starts_with(text, at, "*/")) {
            at += 2;
            if (--depth == 0) return at;
        } else {
            at++;
        }
    }
    return at;
}

static size_t skip_spaces(StringView text, size_t at)
{
    while (at < text.size && isspace((unsigned char)text.bytes[at]))
        at++;
    return at;
}

/* Returns the place behind the token at `at`. */
static size_t skip_token(StringView text, size_t at, bool *is_comment)
{
    const char c = text.bytes[at];
    *is_comment = starts_with(text, at, "--") || starts_with(text, at, "/*");
    if (starts_with(text, at, "--")) {
        while (at < text.size && text.bytes[at] != '\n')
            at++;
        return at;
    }
    if (*is_comment) return skip_block_comment(text, at);
    if (c == '\'' || c == '"') return skip_quoted(text, at, false);
    if ((c == 'e' || c == 'E') && at + 1 < text.size && text.bytes[at + 1] == '\'')
        return skip_quoted(text, at + 1, true);
    if (c == '$') return skip_dollars(text, at);
    if (!is_word(c)) return at + 1;
    while (at < text.size && is_word(text.bytes[at]))
        at++;
    return at;
}

static bool is_parameter_end(StringView text, size_t at, size_t token_end)
{
    return ascii_equal((StringView){ text.bytes + at, token_end - at }, STRING_LITERAL("end")) &&
           starts_with(text, skip_spaces(text, token_end), ":=");
}

/* Moves the text up to the next semicolon to `out`. True if it has anything but spaces and comments. */
static bool take_statement(StringView *rest, Bytes *out)
{
    const StringView text = *rest;
    size_t           at = 0;
    bool             has_tokens = false;
    bytes_clear(out);
    while (at < text.size && text.bytes[at] != ';') {
        bool         is_comment;
        const size_t end = skip_token(text, at, &is_comment);
        if (is_parameter_end(text, at, end)) {
            bytes_append_text(out, "\"end\"");
        } else {
            bytes_append(out, text.bytes + at, end - at);
        }
        has_tokens = has_tokens || (!is_comment && !isspace((unsigned char)text.bytes[at]));
        at = end;
    }
    if (at < text.size) at++; /* the semicolon */
    *rest = (StringView){ text.bytes + at, text.size - at };
    return has_tokens;
}

bool statements_next(StringView *rest, Bytes *out)
{
    while (rest->size > 0) {
        if (!take_statement(rest, out)) continue;
        bytes_append(out, "", 1);
        return true;
    }
    return false;
}
