/* base/memory_free.h - the memory that this process can still allocate.
 *
 * The least of three numbers: the free memory of the machine, that of each control group (cgroup) the process
 * is in, and the rest of its address space limit (RLIMIT_AS). Sources: proc(5), the kernel's
 * Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst. Native builds only. */
#ifndef BASE_MEMORY_FREE_H
#define BASE_MEMORY_FREE_H
#include <stdint.h>

/* Returns the free memory in bytes; 0 = not known. */
uint64_t memory_free(void);

/* Returns the free memory of the machine and the control groups. For tests: reads the files below `root` instead of
 * "/". UINT64_MAX = the files set no bound. */
uint64_t memory_free_under(const char *root);

/* Returns the default of --mem: three quarters of memory_free(). 0 = not known. */
uint64_t memory_default_limit(void);

#endif
