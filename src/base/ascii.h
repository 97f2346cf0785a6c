/* base/ascii.h - classes and case of ASCII characters. The C library's functions of <ctype.h> depend on the locale. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H
#include "base/string_view.h"

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True for the white space of JSON. */
static inline bool ascii_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool ascii_is_letter(char c)
{
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_digit(c) || ascii_is_letter(c);
}

/* Returns the value of a hexadecimal digit; 16 for other characters. */
static inline unsigned ascii_hex_value(char c)
{
    const char lower = ascii_lower(c);
    if (ascii_is_digit(c)) return (unsigned)(c - '0');
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 16;
}

/* True if `text` begins with `start` apart from the case of letters. */
static inline bool ascii_starts_with(StringView text, StringView start)
{
    size_t i = 0;
    if (text.size < start.size) return false;
    while (i < start.size && ascii_lower(text.bytes[i]) == ascii_lower(start.bytes[i]))
        i++;
    return i == start.size;
}

/* True if `text` contains `part` apart from the case of letters. */
static inline bool ascii_contains(StringView text, StringView part)
{
    for (size_t at = 0; at + part.size <= text.size; at++)
        if (ascii_starts_with((StringView){ text.bytes + at, part.size }, part)) return true;
    return false;
}

/* True if the texts are equal apart from the case of letters. */
static inline bool ascii_equal(StringView a, StringView b)
{
    return a.size == b.size && ascii_starts_with(a, b);
}

#endif
