/* base/os.h - what the rest of base/ needs from the system; nobody else includes it.
 *
 * base/os_posix.c implements it natively, base/os_wasm.c in the browser build. */
#ifndef BASE_OS_H
#define BASE_OS_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed pages, in huge pages where `size` (> 0) is large; NULL when there are none. */
void *os_pages_map(size_t size) WARN_UNUSED;
void  os_pages_unmap(void *pages, size_t size);
/* Returns the new address, or NULL where the system cannot do it: then nothing has changed. */
void *os_pages_remap(void *pages, size_t size, size_t new_size) WARN_UNUSED;
/* Address space for zeroed pages that come as they are touched; NULL where there is no such thing.
 * os_pages_unmap ends it. */
void *os_pages_reserve(size_t size) WARN_UNUSED;
/* Gives the whole pages among these back: they are zeroed when they are touched again. */
void os_pages_discard(void *pages, size_t size);
/* See memory_take_huge. */
void os_pages_take(void *page);
/* See memory_move_huge. */
bool os_pages_move(void *from, void *to, size_t size);
/* A number that an input's author cannot know, where the system has one; else a constant. */
uint64_t os_random_key(void);

#endif
