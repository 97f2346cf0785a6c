/* format/unwind.h - finds the callers of a program by a copy of its registers and its stack, with the tables that compilers write
 * for exceptions (.eh_frame).
 *
 * unwind_dw.c implements it natively with libdw, for x86-64 and 64-bit ARM. In the browser build and the minimal library,
 * unwind_none.c, unwinder_create fails. */
#ifndef FORMAT_UNWIND_H
#define FORMAT_UNWIND_H
#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Unwinder Unwinder; /* of one process */

enum { UNWIND_X86_REGISTERS = 17, UNWIND_ARM_REGISTERS = 33, UNWIND_MOST_FRAMES = 127 };

/* The state of a thread. */
typedef struct UnwindState {
    /* x86-64: by the numbers of DWARF, up to the instruction pointer; ARM: x0 to x30, the stack pointer, the program counter */
    uint64_t       registers[UNWIND_ARM_REGISTERS];
    unsigned       register_count; /* one of the two constants */
    uint64_t       stack_pointer;
    const uint8_t *stack; /* the bytes from stack_pointer on */
    size_t         stack_size;
} UnwindState;

/* An executable or library. */
typedef struct UnwindFile {
    const char *path;
    uint64_t    base; /* the address at which its first byte would be */
} UnwindFile;

/* Finds the file at an address. False: no file is there. */
typedef bool (*UnwindFind)(void *context, uint64_t address, UnwindFile *file);

/* Returns an unwinder without files. NULL: out of memory, or this build has none. */
Unwinder *unwinder_create(void) WARN_UNUSED;
void      unwinder_destroy(Unwinder *unwinder); /* accepts NULL */
/* Writes the address at which the thread was, and the addresses behind the calls around it, to `addresses`. Returns their number, at
 * most UNWIND_MOST_FRAMES; 0: the file of the first address is not known. The files are opened once, and stay open. */
size_t unwinder_run(Unwinder *unwinder, const UnwindState *state, UnwindFind find, void *context,
                    uint64_t addresses[UNWIND_MOST_FRAMES]);

#endif
