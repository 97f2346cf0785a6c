/* Systems without temporary files that can be mapped: no request succeeds. */
#include "base/overflow.h"

void *overflow_map(size_t size)
{
    (void)size;
    return NULL;
}

void overflow_unmap(void *bytes, size_t size)
{
    (void)bytes, (void)size;
}

void overflow_shrink(void *bytes, size_t size, size_t new_size)
{
    (void)bytes, (void)size, (void)new_size;
}

bool overflow_holds(const void *bytes)
{
    (void)bytes;
    return false;
}

void overflow_discard(void *bytes, size_t size)
{
    (void)bytes, (void)size;
}

uint64_t overflow_used(void)
{
    return 0;
}

uint64_t overflow_left(void)
{
    return 0;
}

void overflow_set_resident(uint64_t bytes)
{
    (void)bytes;
}
