/* base/hash.h - hashes of bytes and numbers.
 *
 * hash_bytes and hash_pair are for tables in memory: they have a key, are not cryptographic and may change. FNV-1a is for
 * values that every version of the program must compute alike: colours of names, identities of inputs. */
#ifndef BASE_HASH_H
#define BASE_HASH_H
#include "base/uint128.h"

#include <stddef.h>
#include <stdint.h>

/* Returns a random key. In the browser build it is a constant. */
uint64_t hash_random_key(void);
/* Returns the hash of bytes under a key. */
uint64_t hash_bytes(const void *bytes, size_t size, uint64_t key);

/* Returns the halves of the 128-bit product of two numbers, combined. */
static inline uint64_t hash_mul_fold(uint64_t a, uint64_t b)
{
    const Uint128 product = uint128_product(a, b);
    return product.low ^ product.high;
}

/* Constants without structure, from wyhash. */
#define HASH_ODD_1 UINT64_C(0xa0761d6478bd642f)
#define HASH_ODD_2 UINT64_C(0xe7037ed1a0b428db)

/* Returns the hash of two numbers under a key. All factors depend on the key. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b, uint64_t key)
{
    const uint64_t product = hash_mul_fold(a ^ key ^ HASH_ODD_1, b ^ key ^ HASH_ODD_2);
    return hash_mul_fold(product ^ HASH_ODD_2, key ^ HASH_ODD_1);
}

/* The hash of no bytes. */
#define FNV1A_EMPTY UINT64_C(14695981039346656037)

/* Returns the 64-bit FNV-1a hash of the bytes of `hash` and one more. */
static inline uint64_t fnv1a_add(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * UINT64_C(1099511628211);
}

#endif
