/* gen/random.h - a fixed pseudo-random sequence (splitmix64), the same on every machine. */
#ifndef GEN_RANDOM_H
#define GEN_RANDOM_H
#include <stdint.h>

/* A bijection that scatters neighbouring numbers. */
static inline uint64_t random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return random_mix(*state);
}

#endif
