/* format/symbols.h - from addresses in a program to its functions and lines, out of its executable.
 *
 * A trace that names code by address needs the executable that was recorded. It is only read, as an ELF file:
 * its symbol tables at once, its DWARF when the first line is asked for. Nothing is executed, no network is
 * asked, and what is no regular file is not opened. Debug information may stand in a file of its own, under
 * the directory of debug files by its build id.
 *
 * All addresses are those of the file; where the program lay in memory is the caller's to subtract
 * (symbols_image_base). symbols_elf.c and symbols_lines.c implement it natively on libelf, libdw and
 * libiberty, symbols_wasm.c in the browser build, where there are no files and symbols_search fails. */
#ifndef FORMAT_SYMBOLS_H
#define FORMAT_SYMBOLS_H
#include "base/err.h"
#include "base/string_table.h"

typedef struct Symbols Symbols;

typedef enum {
    SYMBOLS_OFF,    /* no executable is opened */
    SYMBOLS_SEARCH, /* where the trace says, or beside the trace */
    SYMBOLS_GIVEN   /* the one at SymbolSource.path, and no other */
} SymbolPolicy;

typedef struct SymbolSource {
    SymbolPolicy policy;
    const char  *path; /* SYMBOLS_GIVEN; borrowed */
} SymbolSource;

/* Finds and opens the executable that was recorded as `recorded` (a path, maybe of another machine; may be
 * empty) by the trace at `trace_path` (NULL = it is no file). Searches the recorded path if it is absolute,
 * then the recorded name in the folder of the trace. NULL: err says why there is none. Owned: symbols_close. */
Symbols *symbols_search(const SymbolSource *source, StringView recorded, const char *trace_path,
                        Err *err) WARN_UNUSED;
void     symbols_close(Symbols *symbols); /* NULL is allowed */

/* The file that was opened. */
const char *symbols_path(const Symbols *symbols);
/* The address of the file's first byte (its ELF header) as its program headers have it: 0 for most that are position
 * independent. A program at base B in memory has what stands at A there at A - B + this. */
uint64_t symbols_image_base(const Symbols *symbols);
/* The address of the function of exactly this name; false if there is none. */
bool symbols_find(const Symbols *symbols, const char *name, uint64_t *address);
/* Whether the program has code there. */
bool symbols_has_code(const Symbols *symbols, uint64_t address);

typedef struct SymbolFunction {
    const char *name;   /* as the linker knows it; borrowed from the Symbols */
    uint64_t    offset; /* of the address behind the function's start */
} SymbolFunction;

/* The function whose code holds `address`; false if no symbol says. Any thread. */
bool symbols_function(const Symbols *symbols, uint64_t address, SymbolFunction *function);
/* Appends a function's name as people write it: C++ and Rust names are demangled, others are as they are.
 * Valid UTF-8. Any thread. */
void symbols_append_name(Symbols *symbols, const char *name, Bytes *out);

typedef struct SourceLine {
    const char *
        folder; /* that `file` starts from, "" where it is absolute or not known; borrowed from the Symbols */
    const char *file; /* as the compiler was called; borrowed likewise */
    unsigned    line; /* from 1 */
} SourceLine;

/* The line of the code at `address`; false if no debug information says. The first call may take long. Any thread. */
bool symbols_line(Symbols *symbols, uint64_t address, SourceLine *line);

#endif
