/* base/memory_free.h - how much memory this process can still take.
 *
 * The least of three numbers: the free memory of the machine, that of each control group (cgroup) the process
 * is in, and the rest of its address space limit (RLIMIT_AS). Sources: proc(5), the kernel's
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst. Native builds only. */
#ifndef BASE_MEMORY_FREE_H
#define BASE_MEMORY_FREE_H
#include <stdint.h>

/* Bytes; 0 = not known. */
uint64_t memory_free(void);

/* The same for machine and control groups, from the files below `root` in place of "/": for tests. UINT64_MAX =
 * the files set no bound. */
uint64_t memory_free_under(const char *root);

/* The default of --mem: three quarters of memory_free(). 0 = not known. */
uint64_t memory_default_limit(void);

#endif
