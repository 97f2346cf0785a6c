/* base/little_endian.h - stores and loads little-endian numbers at any address, on any machine. base/cursor.h reads untrusted
 * bytes. */
#ifndef BASE_LITTLE_ENDIAN_H
#define BASE_LITTLE_ENDIAN_H
#include <stdint.h>

static inline void le_store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline void le_store_u64(uint8_t *at, uint64_t value)
{
    le_store_u32(at, (uint32_t)value);
    le_store_u32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t le_load_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

#endif
