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

#endif
