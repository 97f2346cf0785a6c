/* base/external_store.h - bytes that are kept outside of the memory, by functions of the program.
 *
 * WebAssembly has at most 4 GiB of memory and cannot map files. The engine of the page therefore passes data that it needs
 * only once more, such as full chunks of logs, to the browser, which has room on the disk. Other programs set no functions: the
 * memory limit moves their data to a temporary file (base/overflow.h). */
#ifndef BASE_EXTERNAL_STORE_H
#define BASE_EXTERNAL_STORE_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ExternalStore {
    /* Stores a copy of the bytes and sets *place. False: there is no room. */
    bool (*put)(void *context, const void *bytes, size_t size, uint64_t *place);
    /* Reads the `size` bytes that were stored at `place`. Thread-safe. */
    bool (*get)(void *context, uint64_t place, void *bytes, size_t size);
    void    *context;
    uint64_t from_bytes; /* data leaves the memory if memory_held() is at least this */
} ExternalStore;

/* Sets the functions, which are copied; NULL = none, the initial state. Call it while no trace is loaded. */
void external_store_set(const ExternalStore *store);
/* Stores a copy of the bytes and sets *place. Returns false if they must stay in memory. */
bool external_store_put(const void *bytes, size_t size, uint64_t *place) WARN_UNUSED;
/* Reads the bytes that were stored at `place`, with the same size. Thread-safe. */
bool external_store_get(uint64_t place, void *bytes, size_t size) WARN_UNUSED;

#endif
