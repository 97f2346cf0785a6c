/* Commits the fault that its argument names: race, use-after-free, overflow or conversion. sanitizers_test.py checks that the
 * sanitizers of the build report it. */
#include "base/thread.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void increment(void *context)
{
    volatile unsigned *count = context;
    *count = *count + 1;
}

/* Two threads increment a number without a lock. */
static int race(void)
{
    Arena    arena = arena_create(0);
    unsigned count = 0;
    Thread  *thread = thread_start(&arena, increment, &count);
    increment(&count);
    thread_join(thread);
    arena_release(&arena);
    return thread == NULL ? 1 : 0;
}

static int use_after_free(int index)
{
    volatile int *numbers = calloc(4, sizeof *numbers);
    if (numbers == NULL) return 1;
    free((void *)(uintptr_t)numbers);
    return numbers[index];
}

static int overflow(int increment)
{
    volatile int sum = INT_MAX;
    sum = sum + increment;
    return sum == 0 ? 1 : 0;
}

/* The sum of 255 and 1 does not fit. */
static int conversion(void)
{
    volatile uint8_t small = UINT8_MAX;
    small++;
    return small;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    if (strcmp(argv[1], "race") == 0) return race();
    if (strcmp(argv[1], "use-after-free") == 0) return use_after_free(argc);
    if (strcmp(argv[1], "overflow") == 0) return overflow(argc);
    if (strcmp(argv[1], "conversion") == 0) return conversion();
    (void)fprintf(stderr, "%s: no such fault\n", argv[1]);
    return 2;
}
