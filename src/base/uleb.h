/* base/uleb.h - unsigned LEB128 numbers: 7 bits a byte, the lowest first, bit 7 set on all bytes but the last.
 *
 * For bytes that the program wrote itself: cursor_uleb (base/cursor.h) reads untrusted ones. */
#ifndef BASE_ULEB_H
#define BASE_ULEB_H
#include <stdint.h>

enum { ULEB_MOST_BYTES = 10 };

/* Stores a number. Returns the address behind it. */
static inline uint8_t *uleb_store(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/* Loads a number. Returns the address behind it. */
static inline const uint8_t *uleb_load(const uint8_t *at, uint64_t *value)
{
    unsigned shift = 0;
    *value = 0;
    do {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        shift += 7;
    } while (*at++ & 0x80);
    return at;
}

#endif
