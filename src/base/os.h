/* base/os.h - system calls for base/. Only files of base/ include it.
 *
 * base/os_posix.c implements it natively, base/os_wasm.c in the browser build. */
#ifndef BASE_OS_H
#define BASE_OS_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns zeroed pages, huge pages if `size` (> 0) is large; NULL when out of memory. */
void *os_pages_map(size_t size) WARN_UNUSED;
void  os_pages_unmap(void *pages, size_t size);
/* Grows a mapping without copying. Returns the new address. Returns NULL and changes nothing if the system cannot. */
void *os_pages_remap(void *pages, size_t size, size_t new_size) WARN_UNUSED;
/* Releases the end of a mapping. Returns the new address; NULL if the system has no memory for the rest. */
void *os_pages_shrink(void *pages, size_t size, size_t new_size) WARN_UNUSED;
/* Reserves address space whose pages are zeroed and allocated when first touched. Returns NULL if the system cannot.
 * Free it with os_pages_unmap. */
void *os_pages_reserve(size_t size) WARN_UNUSED;
/* Returns the memory of the whole pages in the range to the system. They read as zeros afterwards. */
void os_pages_discard(void *pages, size_t size);
/* See memory_take_huge. */
void os_pages_take(void *page);
/* See memory_move_huge. */
bool os_pages_move(void *from, void *to, size_t size);
/* Returns a random key for hashes, unknown to the author of an input. In the browser build it is a constant. */
uint64_t os_random_key(void);

#endif
