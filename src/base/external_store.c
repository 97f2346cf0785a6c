#include "base/external_store.h"

#include "base/arena.h"

static ExternalStore functions; /* put == NULL: none */

void external_store_set(const ExternalStore *store)
{
    functions = store == NULL ? (ExternalStore){ .put = NULL } : *store;
}

bool external_store_put(const void *bytes, size_t size, uint64_t *place)
{
    if (functions.put == NULL || memory_held() < functions.from_bytes) return false;
    return functions.put(functions.context, bytes, size, place);
}

bool external_store_get(uint64_t place, void *bytes, size_t size)
{
    return functions.get(functions.context, place, bytes, size);
}
