/* base/digits.h - writes numbers for people: digits in groups of three, with a narrow no-break space (U+202F)
 * between the groups. All texts of the program group digits by these two functions. Numbers for programs (JSON,
 * CSV) and numbers that name a place in the input (ticks, byte offsets, ids) are not grouped. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H
#include <stddef.h>
#include <stdint.h>

enum { DIGITS_TEXT = 48 }; /* bytes of the longest text and its 0 */

/* Writes "12 345". Returns the length; `out` is terminated. */
size_t digits_put_whole(uint64_t value, char out[DIGITS_TEXT]);
/* Writes `value` with leading zeros to `count` digits behind a point, grouped from the point: ".001 25" for 125 and 5.
 * Writes nothing for count 0. value < 10^count, count < 20. Returns the length; `out` is terminated. */
size_t digits_put_fraction(uint64_t value, unsigned count, char out[DIGITS_TEXT]);

#endif
