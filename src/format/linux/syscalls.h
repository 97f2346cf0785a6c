/* format/linux/syscalls.h - names of the system calls of Linux by number. */
#ifndef FORMAT_LINUX_SYSCALLS_H
#define FORMAT_LINUX_SYSCALLS_H
#include "base/string_view.h"

typedef enum { SYSCALLS_UNKNOWN, SYSCALLS_X86_64, SYSCALLS_ARM64 } SyscallTable;

/* Returns the table of a machine, by the name that `uname -m` prints. */
SyscallTable syscall_table_of(StringView machine);
/* Returns the name of a system call, "openat". NULL: it is not known. */
const char *syscall_name(SyscallTable table, uint64_t number);

#endif
