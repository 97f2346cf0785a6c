#include "base/digits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 3, DIGITS_MAX = 20 };
static const char SPACE[] = "\xE2\x80\xAF"; /* U+202F */

/* Writes `count` digits in groups; the first group has `first` digits, 1 to GROUP. Returns the number of bytes. */
static size_t put_groups(const char *digits, size_t count, size_t first, char *out)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (i + GROUP - first) % GROUP == 0) {
            memcpy(out + at, SPACE, sizeof SPACE - 1);
            at += sizeof SPACE - 1;
        }
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return at;
}

size_t digits_put_whole(uint64_t value, char out[DIGITS_TEXT])
{
    char   digits[DIGITS_MAX + 1];
    size_t count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value);
    return put_groups(digits, count, (count - 1) % GROUP + 1, out);
}

size_t digits_put_fraction(uint64_t value, unsigned count, char out[DIGITS_TEXT])
{
    char digits[DIGITS_MAX + 1];
    out[0] = '\0';
    if (count == 0) return 0;
    int length = snprintf(digits, sizeof digits, "%0*" PRIu64, (int)count, value);
    assert(count < DIGITS_MAX && length == (int)count);
    out[0] = '.';
    return 1 + put_groups(digits, (size_t)length, GROUP, out + 1);
}
