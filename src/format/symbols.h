/* format/symbols.h - finds the function and the source line of a code address, in the program's executable.
 *
 * A trace with code addresses needs the executable that was recorded. It is read as an ELF file: the symbol tables at
 * once, the DWARF data at the first request for a line. No program is executed, the network is not used, and only
 * regular files are opened. Debug information may be in a separate file, found by its build id in the directory of
 * debug files.
 *
 * All addresses are addresses of the file. The caller subtracts the load address (symbols_image_base).
 * symbols_elf.c and symbols_lines.c implement it natively with libelf, libdw and libiberty. The browser build has no
 * files: in symbols_wasm.c symbols_search fails. */
#ifndef FORMAT_SYMBOLS_H
#define FORMAT_SYMBOLS_H
#include "base/err.h"
#include "base/string_view.h"

typedef struct Symbols Symbols;

typedef enum {
    SYMBOLS_OFF,    /* no executable is opened */
    SYMBOLS_SEARCH, /* the executable at the recorded path, or beside the trace */
    SYMBOLS_GIVEN   /* only the executable at SymbolSource.path */
} SymbolPolicy;

typedef struct SymbolSource {
    SymbolPolicy policy;
    const char  *path; /* SYMBOLS_GIVEN; borrowed */
} SymbolSource;

/* Finds and opens the executable of a trace. `recorded` is the path in the trace, possibly of another machine, and
 * may be empty. `trace_path` is the path of the trace, NULL if it is not a file. Tries the recorded path if it is
 * absolute, then the recorded name in the folder of the trace. Returns NULL with err if there is no executable. The
 * caller closes the result with symbols_close. */
Symbols *symbols_search(const SymbolSource *source, StringView recorded, const char *trace_path,
                        Err *err) WARN_UNUSED;
void     symbols_close(Symbols *symbols); /* accepts NULL */

/* Returns the path of the file that was opened. */
const char *symbols_path(const Symbols *symbols);
/* Returns the address of the file's first byte (its ELF header) according to the program headers; 0 for most position
 * independent programs. Code at address A in memory, of a program loaded at B, has the file address A - B + this. */
uint64_t symbols_image_base(const Symbols *symbols);
/* Sets *address to the address of the function with exactly this name. Returns false if there is no such function. */
bool symbols_find(const Symbols *symbols, const char *name, uint64_t *address);
/* Sets *address to the address of the code at an offset of the file. False: no executable segment is there. */
bool symbols_at_offset(const Symbols *symbols, uint64_t offset, uint64_t *address);
/* Copies the build id, at most `size` bytes. Returns its number of bytes; 0 = the file has none. */
size_t symbols_build_id(const Symbols *symbols, uint8_t *id, size_t size);
/* True if `address` is in an executable segment. */
bool symbols_has_code(const Symbols *symbols, uint64_t address);

typedef struct SymbolFunction {
    const char *name;   /* the symbol's name, possibly mangled; borrowed from the Symbols */
    uint64_t    offset; /* from the function's start to the address */
} SymbolFunction;

/* Sets *function to the function that contains `address`. Returns false if no symbol does. Thread-safe. */
bool symbols_function(const Symbols *symbols, uint64_t address, SymbolFunction *function);
/* Appends a function's name as valid UTF-8. C++ and Rust names are demangled, other names are unchanged. Thread-safe.
 * */
void symbols_append_name(Symbols *symbols, const char *name, Bytes *out);

typedef struct SourceLine {
    /* the compiler's working directory; "" if `file` is absolute or it is not known; borrowed */
    const char *folder;
    const char *file; /* as given to the compiler; borrowed from the Symbols, as `folder` */
    unsigned    line; /* from 1 */
} SourceLine;

/* Sets *line to the source line of the code at `address`. Returns false if the debug information does not have it. The
 * first call may take long. Thread-safe. */
bool symbols_line(Symbols *symbols, uint64_t address, SourceLine *line);

/* The functions of a kernel, in the form of /proc/kallsyms. */
typedef struct KernelSymbols KernelSymbols;

/* Reads the names from a file of this form. NULL: err filled; also if it does not tell the addresses, which the kernel keeps from
 * users without rights. The caller closes the result with kernel_symbols_close. */
KernelSymbols *kernel_symbols_open(const char *path, Err *err) WARN_UNUSED;
void           kernel_symbols_close(KernelSymbols *symbols); /* accepts NULL */
/* Sets *name to the name of the function at an address; it is borrowed. False: no function is there. */
bool kernel_symbols_find(const KernelSymbols *symbols, uint64_t address, StringView *name);
/* Sets *address to the address of a name. False: no function has this name. */
bool kernel_symbols_address(const KernelSymbols *symbols, const char *name, uint64_t *address);
/* Copies the build id of the running kernel, at most `size` bytes. Returns its number of bytes; 0 = not known. */
size_t kernel_build_id(uint8_t *id, size_t size);
/* True if the running kernel has this release ("6.1.0-18-amd64"). */
bool kernel_is_release(StringView release);

#endif
