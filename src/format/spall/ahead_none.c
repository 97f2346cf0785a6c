/* For the page, which has one thread: no pieces are decoded ahead. */
#include "format/spall/ahead.h"

bool spall_ahead_begin(void *state, const uint8_t *head, size_t size)
{
    (void)state, (void)head, (void)size;
    return false;
}

void spall_ahead_decode(void *state, const uint8_t *bytes, size_t size, Bytes *out)
{
    (void)state, (void)bytes, (void)size, (void)out;
}

void spall_ahead_release(void *state)
{
    (void)state;
}

AheadRuns spall_ahead_runs(uint64_t offset, const Bytes *decoded)
{
    (void)decoded;
    return (AheadRuns){ .begin = offset };
}
