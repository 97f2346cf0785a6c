#include "base/outside.h"

#include "base/arena.h"

static Outside functions; /* put == NULL: none */

void outside_set(const Outside *outside)
{
    functions = outside == NULL ? (Outside){ .put = NULL } : *outside;
}

bool outside_put(const void *bytes, size_t size, uint64_t *place)
{
    if (functions.put == NULL || memory_held() < functions.from_bytes) return false;
    return functions.put(functions.context, bytes, size, place);
}

bool outside_get(uint64_t place, void *bytes, size_t size)
{
    return functions.get(functions.context, place, bytes, size);
}
