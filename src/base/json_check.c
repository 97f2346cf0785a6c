#include "base/json_check.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

typedef struct Scan {
    const char *text;
    size_t      size, at;
    size_t      depth;
    uint8_t     is_object[JSON_CHECK_MAX_DEPTH / 8]; /* a bit per open container: 1 = object, 0 = array */
} Scan;

/* Returns the next byte without consuming it, 0 at the end. */
static char peek(const Scan *s)
{
    return s->at < s->size ? s->text[s->at] : '\0';
}

static bool accept(Scan *s, char wanted)
{
    if (s->at >= s->size || s->text[s->at] != wanted) return false;
    s->at++;
    return true;
}

static void skip_space(Scan *s)
{
    while (s->at < s->size && ascii_is_space(s->text[s->at]))
        s->at++;
}

static bool scan_digits(Scan *s)
{
    size_t begin = s->at;
    while (ascii_is_digit(peek(s)))
        s->at++;
    return s->at > begin;
}

static bool scan_number(Scan *s)
{
    (void)accept(s, '-');
    if (!accept(s, '0') && !scan_digits(s)) return false;
    if (accept(s, '.') && !scan_digits(s)) return false;
    if (accept(s, 'e') || accept(s, 'E')) {
        if (!accept(s, '+')) (void)accept(s, '-');
        return scan_digits(s);
    }
    return true;
}

static bool scan_hex4(Scan *s)
{
    for (int i = 0; i < 4; i++, s->at++) {
        char c = peek(s);
        if (ascii_hex_value(c) == 16) return false;
    }
    return true;
}

static bool scan_string(Scan *s)
{
    if (!accept(s, '"')) return false;
    while (s->at < s->size) {
        unsigned char c = (unsigned char)s->text[s->at++];
        if (c == '"') return true;
        if (c < 0x20) return false;
        if (c != '\\') continue;
        char escape = peek(s);
        s->at++;
        if (escape == 'u') {
            if (!scan_hex4(s)) return false;
        } else if (escape == '\0' || strchr("\"\\/bfnrt", escape) == NULL) {
            return false;
        }
    }
    return false;
}

static bool scan_word(Scan *s, const char *word)
{
    size_t length = strlen(word);
    if (s->size - s->at < length || memcmp(s->text + s->at, word, length) != 0) return false;
    s->at += length;
    return true;
}

static bool scan_scalar(Scan *s)
{
    switch (peek(s)) {
    case '"':
        return scan_string(s);
    case 't':
        return scan_word(s, "true");
    case 'f':
        return scan_word(s, "false");
    case 'n':
        return scan_word(s, "null");
    default:
        return scan_number(s);
    }
}

static bool in_object(const Scan *s)
{
    return (s->is_object[(s->depth - 1) / 8] >> ((s->depth - 1) % 8) & 1) != 0;
}

static bool scan_key(Scan *s)
{
    skip_space(s);
    if (!scan_string(s)) return false;
    skip_space(s);
    return accept(s, ':');
}

/* Reads on after an opening bracket. Returns true if a value follows, false if the container is empty or *bad. */
static bool open_container(Scan *s, bool object, bool *bad)
{
    if (s->depth == JSON_CHECK_MAX_DEPTH) {
        *bad = true;
        return false;
    }
    uint8_t  bit = (uint8_t)(1u << (s->depth % 8));
    uint8_t *byte = &s->is_object[s->depth / 8];
    *byte = (uint8_t)(object ? *byte | bit : *byte & ~bit);
    s->depth++;
    skip_space(s);
    if (accept(s, object ? '}' : ']')) {
        s->depth--;
        return false;
    }
    if (object && !scan_key(s)) *bad = true;
    return !*bad;
}

/* Reads on after a value: closes the containers that end here. Returns true if another value follows. */
static bool after_value(Scan *s, bool *bad)
{
    while (s->depth > 0) {
        skip_space(s);
        bool object = in_object(s);
        if (accept(s, ',')) {
            if (object && !scan_key(s)) *bad = true;
            return !*bad;
        }
        if (!accept(s, object ? '}' : ']')) {
            *bad = true;
            return false;
        }
        s->depth--;
    }
    return false;
}

/* Scans one value with its containers. Returns false at the first wrong byte. */
static bool scan_value(Scan *s)
{
    bool bad = false, more = true;
    while (more) {
        skip_space(s);
        bool object = peek(s) == '{';
        if (object || peek(s) == '[') {
            s->at++;
            if (open_container(s, object, &bad)) continue;
        } else if (!scan_scalar(s)) {
            return false;
        }
        if (bad) return false;
        more = after_value(s, &bad);
        if (bad) return false;
    }
    skip_space(s);
    return s->at == s->size;
}

bool json_valid_until(const char *text, size_t size, size_t *fault)
{
    Scan s = { .text = text, .size = size };
    *fault = utf8_valid_prefix(text, size);
    if (*fault != size) return false;
    const bool is_valid = scan_value(&s);
    *fault = s.at < size ? s.at : size;
    return is_valid;
}

bool json_valid(const char *text, size_t size)
{
    size_t fault;
    return json_valid_until(text, size, &fault);
}

bool json_valid_object(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && ascii_is_space(text[at]))
        at++;
    return at < size && text[at] == '{' && json_valid(text, size);
}
