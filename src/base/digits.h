/* base/digits.h - decimal numbers: parses them, and formats them for display with digits in groups of three, separated by
 * a narrow no-break space (U+202F).
 *
 * All texts of the program group digits with these functions. Numbers in JSON and CSV, ticks, byte offsets and ids
 * are not grouped. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H
#include "base/string_view.h"

enum { DIGITS_TEXT = 48 }; /* bytes of the longest text and its 0 */

/* Writes "12 345". Returns the length; `out` is terminated. */
size_t digits_put_whole(uint64_t value, char out[DIGITS_TEXT]);
/* Writes a decimal point and `value` padded with zeros to `count` digits, grouped from the point: ".001 25" for 125 and
 * 5. Writes nothing for count 0. value < 10^count, count < 20. Returns the length; `out` is terminated. */
size_t digits_put_fraction(uint64_t value, unsigned count, char out[DIGITS_TEXT]);
/* Writes nine digits, and whole numbers below 10^15 with all digits: "12 345 678", "0.001234", "1.5e+300", "none" for a
 * NaN. Returns the length; `out` is terminated. */
size_t digits_put_real(double value, char out[DIGITS_TEXT]);

enum { DIGITS_ROOM = 20 };
/* Writes the digits of a number, not grouped and not terminated, to `out` of DIGITS_ROOM bytes, which may be overwritten
 * behind the digits. Returns the end of the digits. It is faster than printf: a dump prints millions of numbers. */
char *digits_put(char *out, uint64_t value);

/* Parses a text that consists of one decimal number in range; *value is unchanged if it does not. */
bool text_to_u64(StringView text, uint64_t *value) WARN_UNUSED;
bool text_to_i64(StringView text, int64_t *value) WARN_UNUSED;

#endif
