/* support/damage.h - loads cut and changed inputs: each opens, or is refused with a reason. */
#ifndef SUPPORT_DAMAGE_H
#define SUPPORT_DAMAGE_H
#include "format/load.h"
#include "support/test.h"

/* Loads every prefix up to `size` bytes. One has at least the slices of a shorter one. `whole`: a prefix is complete from this
 * size on; 0 = not checked. Returns the number of slices of the longest prefix. */
static inline uint64_t check_prefixes(const uint8_t *bytes, size_t size, size_t whole)
{
    uint64_t most = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        Err    err = { 0 };
        Loaded loaded;
        if (!load_bytes(bytes, cut, "x", NULL, &loaded, &err)) {
            CHECK(most == 0 && err.message[0] != '\0');
            continue;
        }
        CHECK_DONE(trace_check(loaded.trace, &err), err);
        CHECK(loaded.trace->slices.count >= most);
        if (whole > 0) CHECK_INT(loaded.trace->source.complete, cut >= whole);
        most = loaded.trace->slices.count;
        loaded_release(&loaded);
    }
    return most;
}

/* Changes a random one of the first `size` bytes, `rounds` times, and loads all bytes. */
static inline void check_changed_bytes(Bytes *bytes, size_t size, unsigned rounds, TestRandom *random)
{
    for (unsigned round = 0; round < rounds; round++) {
        const size_t  at = test_random_size(random, size);
        const uint8_t kept = bytes->data[at];
        Err           err = { 0 };
        Loaded        loaded;
        bytes->data[at] = (uint8_t)test_random(random);
        if (load_bytes(bytes->data, bytes->size, "x", NULL, &loaded, &err)) {
            CHECK_DONE(trace_check(loaded.trace, &err), err);
            loaded_release(&loaded);
        } else {
            CHECK(err.message[0] != '\0');
        }
        bytes->data[at] = kept;
    }
}

#endif
