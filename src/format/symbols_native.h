/* format/symbols_native.h - shared by symbols_elf.c and symbols_lines.c. For these two files only. */
#ifndef FORMAT_SYMBOLS_NATIVE_H
#define FORMAT_SYMBOLS_NATIVE_H
#include "format/symbols.h"

#include <gelf.h>
#include <pthread.h>

/* An open ELF file. A zeroed ElfFile is closed. */
typedef struct ElfFile {
    Elf *elf; /* NULL = closed */
    int  handle;
} ElfFile;

bool elf_file_has_section(const ElfFile *file, const char *name);

typedef struct Lines Lines;

/* Reads the line information of `file` or of `debug`, which must outlive the result. Allocates in `arena`. Returns
 * NULL if there is no line information or memory is exhausted. */
Lines *lines_open(Arena *arena, const ElfFile *file, const ElfFile *debug);
void   lines_close(Lines *lines); /* accepts NULL; the arena owns the memory */
bool   lines_find(Lines *lines, uint64_t address, SourceLine *line); /* as symbols_line */

#endif
