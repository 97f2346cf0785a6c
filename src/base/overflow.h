/* base/overflow.h - pages of a temporary file, for data beyond the memory limit. For base/arena.c only.
 *
 * The file has no name and is mapped shared, so its pages are not anonymous memory: the kernel writes them to the file
 * when it needs the memory, and reads them back when they are touched. The disk blocks of every page are allocated
 * before the page is given out, so a full disk is a failed request and not a SIGBUS. A disk that fails to read or write
 * ends the process with SIGBUS, as any mapping of a file does.
 *
 * The file is opened at the first request: in the temporary directory (base/file.h) with the most free space that
 * supports this. A directory in memory (tmpfs) does not. At most half of the free space is used. base/overflow.c implements it for
 * Linux; elsewhere every request fails. Any thread may call all functions. */
#ifndef BASE_OVERFLOW_H
#define BASE_OVERFLOW_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns zeroed pages of the file, or NULL if there is no room. `size` > 0. Free them with overflow_unmap and the same size. */
void *overflow_map(size_t size) WARN_UNUSED;
void  overflow_unmap(void *bytes, size_t size);
/* Frees the end of pages of overflow_map, which keep their first `new_size` bytes. */
void overflow_shrink(void *bytes, size_t size, size_t new_size);
/* True if the bytes are pages of overflow_map. */
bool overflow_holds(const void *bytes);
/* Returns the memory of the whole pages in the range to the system. They read as zeros afterwards and keep their disk
 * blocks. */
void overflow_discard(void *bytes, size_t size);

/* Returns the bytes of the pages given out. */
uint64_t overflow_used(void);
/* Returns the bytes that can still be given out. Opens the file. */
uint64_t overflow_left(void);
/* Sets a bound on the resident pages of the file in bytes. Beyond it they are unmapped from the process, which leaves
 * them in the system's file cache. A thread checks this at intervals of some milliseconds. 0 = no bound. */
void overflow_set_resident(uint64_t bytes);

#endif
