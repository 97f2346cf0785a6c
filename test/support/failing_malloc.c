#include "support/failing_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* The actual allocator: the sanitizer's, so that leaks are found, or the C library's. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BEHIND(name) __interceptor_##name
#endif
#endif
#ifdef BEHIND
/* of the sanitizer itself in a new thread: it ends the program if they fail */
enum { STARTING_ALLOCATIONS = 2 };
#else
#define BEHIND(name) __libc_##name
enum { STARTING_ALLOCATIONS = 0 };
#endif
void *BEHIND(malloc)(size_t size);
void *BEHIND(calloc)(size_t count, size_t size);
void *BEHIND(realloc)(void *memory, size_t size);

static _Atomic bool       counting;
static _Atomic int        counted;   /* AllocationScope */
static _Atomic int64_t    left;      /* allocations before the one that fails; negative: it has failed */
static _Thread_local bool is_caller; /* of malloc_fail_at */
static _Thread_local int  starting = STARTING_ALLOCATIONS; /* remaining for the thread */

void malloc_fail_at(AllocationScope scope, uint64_t n)
{
    is_caller = true;
    atomic_store(&counted, (int)scope);
    atomic_store(&left, (int64_t)n);
    atomic_store(&counting, true);
}

bool malloc_fail_end(void)
{
    atomic_store(&counting, false);
    is_caller = false;
    return atomic_load(&left) < 0;
}

static bool fails(void)
{
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return false;
    if (!is_caller && starting > 0) { /* the first allocations while counting: the thread may be starting */
        starting--;
        return false;
    }
    switch ((AllocationScope)atomic_load(&counted)) {
    case ALLOCATIONS_OF_THIS_THREAD:
        if (!is_caller) return false;
        break;
    case ALLOCATIONS_OF_OTHER_THREADS:
        if (is_caller) return false;
        break;
    case ALLOCATIONS_OF_ALL_THREADS:
        break;
    }
    if (atomic_fetch_sub(&left, 1) != 0) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : BEHIND(malloc)(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : BEHIND(calloc)(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : BEHIND(realloc)(memory, size);
}
