/* fuzz/fuzz.h - shared by all fuzz targets.
 *
 * A target is a file with LLVMFuzzerTestOneInput. meson defines FUZZ_NAME as the target's name. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The entry point that libFuzzer, or fuzz/replay_main.c, calls for each input. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reports a broken property and aborts, which the fuzzer records as a finding. */
static inline void expect(bool holds, const char *property)
{
    if (holds) return;
    fprintf(stderr, FUZZ_NAME "_fuzz: %s\n", property);
    abort();
}

/* Returns a number below `count` that depends on all bytes, so that a mutation changes it often. A target that has several
 * checks for one input chooses one of them with it: that is several times as fast as all checks for each input. */
static inline uint32_t choose(const uint8_t *data, size_t size, uint32_t count)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return (hash >> 16) % count;
}

#endif
