/* support/failing_malloc.h - makes one allocation fail, also inside libraries.
 *
 * A program that contains failing_malloc.c has its own malloc, calloc and realloc. Shared libraries call them too: the
 * executable's symbols come first. memory_fail_after (base/arena.h) fails only the requests of base/. */
#ifndef SUPPORT_FAILING_MALLOC_H
#define SUPPORT_FAILING_MALLOC_H
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    ALLOCATIONS_OF_THIS_THREAD,
    ALLOCATIONS_OF_OTHER_THREADS,
    ALLOCATIONS_OF_ALL_THREADS
} AllocationScope;

/* Starts counting the allocations of these threads; allocation number `n` (from 0) returns NULL, once. */
void malloc_fail_at(AllocationScope scope, uint64_t n);
/* Stops counting. True if the allocation was reached and has failed. */
bool malloc_fail_end(void);

#endif
