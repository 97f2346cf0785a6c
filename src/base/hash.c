#include "base/hash.h"

#include "base/attr.h"
#include "base/os.h"

#include <string.h>

static inline uint64_t load8(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static inline uint64_t load4(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

uint64_t hash_random_key(void)
{
    return os_random_key();
}

/* The structure of wyhash, final version 4, with constants derived from the key. */
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t key)
{
    /* Both factors of a product depend on the key. With a public constant as one of them an input could choose bytes
     * that make this factor 0, and with it every product. */
    const uint8_t *p = (const uint8_t *)bytes;
    const uint64_t key1 = key ^ HASH_ODD_1;
    uint64_t       seed = hash_mul_fold(key ^ HASH_ODD_2, HASH_ODD_1);
    uint64_t       a, b;
    if (LIKELY(size <= 16)) {
        if (LIKELY(size >= 4)) {
            size_t middle = size >> 3 << 2;
            a = load4(p) << 32 | load4(p + middle);
            b = load4(p + size - 4) << 32 | load4(p + size - 4 - middle);
        } else if (size > 0) {
            a = (uint64_t)p[0] << 16 | (uint64_t)p[size >> 1] << 8 | p[size - 1];
            b = 0;
        } else {
            a = b = 0;
        }
    } else {
        const uint8_t *last = p + size - 16;
        for (size_t left = size; left > 16; left -= 16, p += 16) {
            seed = hash_mul_fold(load8(p) ^ key1, load8(p + 8) ^ seed);
        }
        a = load8(last);
        b = load8(last + 8);
    }
    return hash_mul_fold(key1 ^ size, hash_mul_fold(a ^ key1, b ^ seed));
}
