#include "base/string_view.h"

#include "base/ascii.h"

#include <assert.h>
#include <string.h>

static int sign(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* Compares the runs of digits at a[*i] and b[*j] by value and advances over them. */
static int compare_digits(StringView a, size_t *i, StringView b, size_t *j)
{
    while (*i < a.size && a.bytes[*i] == '0')
        ++*i;
    while (*j < b.size && b.bytes[*j] == '0')
        ++*j;
    size_t begin_a = *i, begin_b = *j;
    while (*i < a.size && ascii_is_digit(a.bytes[*i]))
        ++*i;
    while (*j < b.size && ascii_is_digit(b.bytes[*j]))
        ++*j;
    size_t length = *i - begin_a;
    if (length != *j - begin_b) return sign(length, *j - begin_b);
    return memcmp(a.bytes + begin_a, b.bytes + begin_b, length);
}

int string_compare(StringView a, StringView b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int    order = common == 0 ? 0 : memcmp(a.bytes, b.bytes, common);
    return order != 0 ? order : sign(a.size, b.size);
}

int string_compare_natural(StringView a, StringView b)
{
    size_t i = 0, j = 0;
    while (i < a.size && j < b.size) {
        if (ascii_is_digit(a.bytes[i]) && ascii_is_digit(b.bytes[j])) {
            int order = compare_digits(a, &i, b, &j);
            if (order != 0) return order;
        } else {
            int order =
                (int)(unsigned char)ascii_lower(a.bytes[i++]) - (int)(unsigned char)ascii_lower(b.bytes[j++]);
            if (order != 0) return order;
        }
    }
    if (i < a.size || j < b.size) return i < a.size ? 1 : -1;
    return string_compare(a, b); /* orders "Worker 02" and "worker 2", too */
}

bool string_equal(StringView a, StringView b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

bool text_next_part(StringView *rest, char separator, StringView *part)
{
    if (rest->bytes == NULL) return false;
    const char *end = rest->size == 0 ? NULL : memchr(rest->bytes, separator, rest->size);
    if (end == NULL) {
        *part = *rest;
        *rest = (StringView){ NULL, 0 };
        return true;
    }
    *part = (StringView){ rest->bytes, (size_t)(end - rest->bytes) };
    assert(part->size < rest->size);
    *rest = (StringView){ end + 1, rest->size - part->size - 1 };
    return true;
}
