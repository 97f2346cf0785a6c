/* format/symbols_native.h - what symbols_elf.c and symbols_lines.c share. For these two only. */
#ifndef FORMAT_SYMBOLS_NATIVE_H
#define FORMAT_SYMBOLS_NATIVE_H
#include "format/symbols.h"

#include <gelf.h>
#include <pthread.h>

/* An ELF file that is open. A zeroed one is closed. */
typedef struct ElfFile {
    Elf *elf; /* NULL = closed */
    int  handle;
} ElfFile;

/* Opens a regular file that is ELF. Does not hang on what is none, and does not follow it into a device. */
bool elf_file_open(const char *path, ElfFile *file, Err *err) WARN_UNUSED;
void elf_file_close(ElfFile *file);
bool elf_file_has_section(const ElfFile *file, const char *name);
/* The file of its own with the debug information of `file`, found by the build id: closed if there is none. */
ElfFile elf_file_find_debug(const ElfFile *file);

typedef struct Lines Lines;

/* What is known of lines: from `file` or its file of debug information, which must outlive it. */
Lines *lines_open(Arena *arena, const ElfFile *file, const ElfFile *debug);
void   lines_close(Lines *lines); /* NULL is allowed; its memory is the arena's */
bool   lines_find(Lines *lines, uint64_t address, SourceLine *line);

#endif
